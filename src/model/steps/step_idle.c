// SPDX-License-Identifier: Apache-2.0
// Finds which turns of a loop launch GPU work. Servers wait in loops most of whose turns launch
// nothing: then only those that launch are steps.
#include "model/steps/step_idle.h"

#include <string.h>

#include "base/search.h"

enum launching { LAUNCHES_NOTHING, LAUNCHES_CALLS, LAUNCHES_WORK };

uint32_t *launch_calls_before(const struct profile *profile, struct arena *arena)
{
    enum { UNKNOWN_NAME, IS_LAUNCH, IS_OTHER };
    const struct api_calls *api = &profile->api;
    uint32_t *before = ARENA_ARRAY(arena, uint32_t, (size_t)api->count + 1);
    uint8_t *kind = ARENA_ARRAY(arena, uint8_t, (size_t)strings_count(profile->strings) + 1);
    for (uint32_t i = 0; i < api->count; i++) {
        string_id name = AT(api->name, i);
        if (kind[name] == UNKNOWN_NAME)
            kind[name] = strstr(profile_text(profile, name), "Launch") ? IS_LAUNCH : IS_OTHER;
        before[i + 1] = before[i] + (kind[name] == IS_LAUNCH);
    }
    return before;
}

// Returns whether the thread of a range launches in it: work that is in the file, or only calls.
static enum launching thread_launches(const struct profile *profile, const uint32_t *calls_before,
                                      uint32_t range)
{
    const struct ranges *ranges = &profile->ranges;
    const struct api_calls *api = &profile->api;
    const struct thread *thread = &profile->threads[range_thread(ranges, range)];
    uint32_t first =
        column_from(api->start, thread->first_api, thread->end_api, AT(ranges->start, range));
    uint32_t end = column_from(api->start, first, thread->end_api, AT(ranges->end, range));
    if (AT(api->first_work, end) > AT(api->first_work, first))
        return LAUNCHES_WORK;
    return calls_before[end] > calls_before[first] ? LAUNCHES_CALLS : LAUNCHES_NOTHING;
}

static bool process_launches(const struct profile *profile, const struct launch_index *index,
                             uint32_t range)
{
    const struct ranges *ranges = &profile->ranges;
    uint32_t process = profile->threads[range_thread(ranges, range)].process;
    struct launch_span span = launches_within(launch_order_of(index, process),
                                              AT(ranges->start, range), AT(ranges->end, range));
    return span.end > span.first;
}

struct turns_launching turns_launching(const struct profile *profile, const uint32_t *rows,
                                       uint32_t count, const struct launch_index *index,
                                       const uint32_t *calls_before, struct arena *arena)
{
    enum { MIN_TURNS = 8 }; // of fewer, all are kept: the capture may have missed the work
    struct turns_launching found = {.launches = ARENA_ARRAY(arena, bool, (size_t)count + 1)};
    struct launch_index own;
    uint32_t launching = 0;
    for (uint32_t i = 0; i < count; i++) {
        enum launching by_thread = thread_launches(profile, calls_before, rows[i]);
        launching += found.launches[i] = by_thread != LAUNCHES_NOTHING;
        found.with_work += by_thread == LAUNCHES_WORK;
    }
    if (launching * 2 >= count || count < MIN_TURNS)
        return found;
    // Another thread may launch, as autograd does: only here, because the index is costly.
    if (!index) {
        launch_index_build(&own, profile, arena);
        index = &own;
    }
    uint32_t by_any = 0;
    for (uint32_t i = 0; i < count; i++)
        by_any += found.launches[i] || process_launches(profile, index, rows[i]);
    if (!by_any || by_any * 2 >= count)
        return found;
    for (uint32_t i = 0; i < count; i++)
        found.launches[i] = found.launches[i] || process_launches(profile, index, rows[i]);
    found.with_work = by_any;
    found.are_few = true;
    return found;
}
