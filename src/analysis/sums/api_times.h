// SPDX-License-Identifier: Apache-2.0
// What API calls cost beyond their length: without the calls inside them, and what of it is waiting.
#ifndef ANALYSIS_API_TIMES_H
#define ANALYSIS_API_TIMES_H

#include "model/profile/profile.h"

struct api_times { // by call, ns
    int64_t *self; // its length less that of the calls inside it
    int64_t *wait; // of the synchronisation that the file tells of it; NULL: it tells of none
};

struct api_times api_times_of(const struct profile *profile, struct arena *arena);

// Whether a call failed. 600, "not ready", is what a query answers while it is so, and no error.
static inline bool api_has_failed(const struct profile *profile, uint32_t call)
{
    enum { NOT_READY = 600 };
    int32_t result = api_result(&profile->api, call);
    return result != 0 && result != NOT_READY;
}

// Why there are no calls: the profile has none, or none is selected.
const char *api_empty_text(const struct profile *profile);

#endif
