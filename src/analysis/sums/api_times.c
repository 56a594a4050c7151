// SPDX-License-Identifier: Apache-2.0
// Self time and waiting time of API calls.
#include "analysis/sums/api_times.h"
#include "model/profile/recorder.h"

// Fills self[call] for a thread. Its calls nest: the time of a call is subtracted from the
// innermost call that encloses it.
static void self_of_thread(const struct api_calls *api, const struct thread *thread, int64_t *self,
                           uint32_t *enclosing_calls)
{
    uint32_t depth = 0;
    for (uint32_t i = thread->first_api; i < thread->end_api; i++) {
        self[i] = AT(api->end, i) - AT(api->start, i);
        while (depth > 0 && AT(api->end, enclosing_calls[depth - 1]) <= AT(api->start, i))
            depth--;
        if (depth > 0) {
            int64_t end = AT(api->end, enclosing_calls[depth - 1]);
            end = end < AT(api->end, i) ? end : AT(api->end, i);
            self[enclosing_calls[depth - 1]] -= end - AT(api->start, i);
        }
        enclosing_calls[depth++] = i;
    }
}

struct api_times api_times_of(const struct profile *profile, struct arena *arena)
{
    const struct api_calls *api = &profile->api;
    const struct syncs *syncs = &profile->syncs;
    struct api_times times = {.self = ARENA_ARRAY(arena, int64_t, (size_t)api->count + 1)};
    uint32_t *enclosing_calls = ARENA_ARRAY(arena, uint32_t, (size_t)api->count + 1);
    for (uint32_t t = 0; t < profile->thread_count; t++)
        self_of_thread(api, &profile->threads[t], times.self, enclosing_calls);
    if (!profile->has_syncs)
        return times;
    times.wait = ARENA_ARRAY(arena, int64_t, (size_t)api->count + 1);
    for (uint32_t s = 0; s < syncs->count; s++)
        if (syncs->api[s] != ROW_NONE)
            times.wait[syncs->api[s]] += syncs->end[s] - syncs->start[s];
    return times;
}

const char *api_empty_text(const struct profile *profile)
{
    if (profile->api.count)
        return "No CUDA API call is in what is selected.";
    if (profile->stage < STAGE_CALLS)
        return "CUDA API calls are being read.";
    return profile->has_api
               ? "The profile holds no CUDA API calls: table CUPTI_ACTIVITY_KIND_RUNTIME is empty."
               : recorder_lack_text(profile, LACKS_CALLS);
}
