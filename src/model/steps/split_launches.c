// SPDX-License-Identifier: Apache-2.0
// Settles the work whose launch is not in the file. A stream runs work in the order of its
// launches, so such work belongs to a window only if the launched work before and after it on its
// stream does. Work before all launched work of its stream was launched before the capture.
#include "model/profile/launch_index.h"
#include "model/steps/split_build.h"

struct stream_neighbour { // the nearest launched work of a stream
    uint32_t window;
    bool is_there;
};

#define BEFORE_ALL (ROW_NONE - 1) // in place of a window: no launched work is before it

static bool is_launched(const struct profile *profile, uint32_t work)
{
    uint32_t process;
    int64_t time;
    return work_launched(profile, work, &time, &process);
}

void split_fill_unlaunched(const struct profile *profile, struct split *split, struct arena *arena)
{
    const struct gpu_work *work = &profile->work;
    size_t streams = (size_t)profile->stream_count + 1;
    bool *is_unknown = ARENA_ARRAY(arena, bool, (size_t)work->count + 1);
    struct stream_neighbour *before = ARENA_ARRAY(arena, struct stream_neighbour, streams);
    struct stream_neighbour *after = ARENA_ARRAY(arena, struct stream_neighbour, streams);
    bool any = false;
    if (split->method == SPLIT_NONE)
        return;
    for (uint32_t i = 0; i < work->count; i++) {
        struct stream_neighbour *neighbour = &before[AT(work->stream, i)];
        if (is_launched(profile, i)) {
            *neighbour = (struct stream_neighbour){split->of_work[i], true};
            continue;
        }
        any = is_unknown[i] = true;
        split->of_work[i] = neighbour->is_there ? neighbour->window : BEFORE_ALL;
    }
    for (uint32_t i = work->count; any && i-- > 0;) {
        struct stream_neighbour *neighbour = &after[AT(work->stream, i)];
        if (!is_unknown[i]) {
            *neighbour = (struct stream_neighbour){split->of_work[i], true};
            continue;
        }
        split->early_count += split->of_work[i] == BEFORE_ALL && neighbour->is_there;
        if (!neighbour->is_there || neighbour->window != split->of_work[i])
            split->of_work[i] = ROW_NONE;
    }
    ARENA_RELEASE(arena, is_unknown, (size_t)work->count + 1);
}
