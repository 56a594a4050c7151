// SPDX-License-Identifier: Apache-2.0
// The checks that say whether the figures of a profile can be trusted. They cover the whole
// profile, whatever is selected.
#ifndef ANALYSIS_TRUST_TRUST_H
#define ANALYSIS_TRUST_TRUST_H

#include "analysis/report/selection.h"

enum trust_state {
    TRUST_OK,      // could have failed and did not
    TRUST_INFO,    // told: something is missing, and figures say so or do not include it
    TRUST_WARNING, // told: figures may mislead
    TRUST_UNKNOWN, // cannot be known from this file
    TRUST_STATES
};
extern const char *const trust_state_names[TRUST_STATES]; // "ok", "info", "warning", "unknown"

struct trust_check {
    const char *name; // "launches"
    const char *text; // what was found, or why it cannot be known
    enum trust_state state;
};

struct trust_checks {
    const struct trust_check *items;
    size_t count;
    size_t counts[TRUST_STATES]; // checks by state
    size_t doubts;               // notes that are warnings
};

// Returns the checks; they are made once per profile and split if the selection has a memo.
const struct trust_checks *trust_checks_of(const struct profile *profile,
                                           const struct selection *selection, struct arena *arena);

// Returns the checks of a state by name, "lost records, ranks"; NULL if there is none.
const char *trust_names_text(const struct trust_checks *checks, enum trust_state state,
                             struct arena *arena);

#endif
