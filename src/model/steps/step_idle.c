// SPDX-License-Identifier: Apache-2.0
// Finds which turns of a loop launch GPU work. Servers wait in loops most of whose turns launch
// nothing: then only those that launch are steps.
#include "model/steps/step_idle.h"

#include <string.h>

#include "base/search.h"

// Returns whether the thread of a range makes a call in it that launches, also one whose work the
// file lacks.
static bool thread_launches(const struct profile *profile, uint32_t range)
{
    const struct ranges *ranges = &profile->ranges;
    const struct api_calls *api = &profile->api;
    const struct thread *thread = &profile->threads[range_thread(ranges, range)];
    uint32_t first =
        column_from(api->start, thread->first_api, thread->end_api, AT(ranges->start, range));
    uint32_t end = column_from(api->start, first, thread->end_api, AT(ranges->end, range));
    bool launches = AT(api->first_work, end) > AT(api->first_work, first);
    for (uint32_t i = first; i < end && !launches; i++)
        launches = strstr(profile_text(profile, AT(api->name, i)), "Launch") != NULL;
    return launches;
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
                                       struct arena *arena)
{
    enum { MIN_TURNS = 8 }; // of fewer, all are kept: the capture may have missed the work
    struct turns_launching found = {.launches = ARENA_ARRAY(arena, bool, (size_t)count + 1)};
    struct launch_index own;
    for (uint32_t i = 0; i < count; i++)
        found.count += found.launches[i] = thread_launches(profile, rows[i]);
    if (found.count * 2 >= count || count < MIN_TURNS)
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
    found.count = by_any;
    found.are_few = true;
    return found;
}
