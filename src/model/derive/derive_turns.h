// SPDX-License-Identifier: Apache-2.0
#ifndef MODEL_DERIVE_DERIVE_TURNS_H
#define MODEL_DERIVE_DERIVE_TURNS_H

#include "model/derive/derive.h"

// Corrects the launches of all GPU work where calls have the same (process, correlation) since the
// counter of ids came round; launch[] has the first of these calls. Returns the number of corrected
// rows.
int64_t launches_follow_turns(const struct profile *profile, const uint32_t *process,
                              const uint32_t *correlation, uint32_t *launch, struct arena *scratch);

#endif
