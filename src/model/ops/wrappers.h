// SPDX-License-Identifier: Apache-2.0
// Markers of PyProf and DLProf that are not ops, because they only pass a call on.
//
// A tool that patches every function of a module also patches what is no operation, such as
// torch.__getattr__, and its range then encloses ops or a whole program. A wrapper is a marker that
// has no formula (rules/formulas.yaml) and encloses one that has. No wrapper are what DLProf takes
// for an op whatever is in it: a backward, a step of an optimizer and a data loader.
#ifndef MODEL_OPS_WRAPPERS_H
#define MODEL_OPS_WRAPPERS_H

#include "model/profile/profile.h"

// What a marker is where wrappers are looked for.
enum wrapper_role {
    WRAPPER_NEVER,   // it is no op of DLProf's dialect, or an op whatever is in it
    WRAPPER_FORMULA, // an op that has a formula: what encloses it may be a wrapper
    WRAPPER_MAYBE,   // a wrapper if it encloses one that has a formula
};

// Returns enum wrapper_role per marker.
uint8_t *wrapper_roles(const struct profile *profile, struct arena *arena);

// Returns per range whether it is a wrapper.
bool *wrappers_find(const struct profile *profile, const uint8_t *roles, struct arena *arena);

#endif
