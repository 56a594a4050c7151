// SPDX-License-Identifier: Apache-2.0
// Cost of API calls beyond their length: the time without nested calls, and the time spent waiting.
#ifndef ANALYSIS_SUMS_API_TIMES_H
#define ANALYSIS_SUMS_API_TIMES_H

#include "model/profile/profile.h"

struct api_times { // by call, ns
    int64_t *self; // length minus the length of the calls inside it
    int64_t *wait; // length of its recorded synchronisations; NULL: none are recorded
};

struct api_times api_times_of(const struct profile *profile, struct arena *arena);

// Returns true if a call failed. 600, "not ready", is a regular answer of a query and no error.
static inline bool api_has_failed(const struct profile *profile, uint32_t call)
{
    enum { NOT_READY = 600 };
    int32_t result = api_result(&profile->api, call);
    return result != 0 && result != NOT_READY;
}

// Returns why there are no calls: the profile has none, or none is selected.
const char *api_empty_text(const struct profile *profile);

#endif
