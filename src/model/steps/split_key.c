// SPDX-License-Identifier: Apache-2.0
// Finds where DLProf's rule cuts: at the stops of a key op, that is, at the ends of its instances.
#include <string.h>
#include <strings.h>

#include "base/sort.h"
#include "model/ops/ops.h"
#include "model/steps/split_build.h"

static bool is_key(const struct profile *profile, const struct op *op, const char *key)
{
    if (!key) // DLProf's default for the mode
        return profile->mode == MODE_TENSORFLOW1
                   ? strcmp(profile_text(profile, op->name), "global_step") == 0
                   : profile->mode == MODE_PYTORCH && op->direction == DIRECTION_BPROP &&
                         strcmp(profile_text(profile, op->type), "backward") == 0;
    return strcmp(profile_text(profile, op->name), key) == 0 ||
           strcasecmp(profile_text(profile, op->id), key) == 0;
}

static uint32_t instance_process(const struct profile *profile, uint32_t instance)
{
    uint32_t thread = AT(profile->ops->thread, instance);
    return thread == ROW_NONE ? 0 : profile->threads[thread].process;
}

static int compare_stops(const void *context, uint32_t a, uint32_t b)
{
    const struct key_stop *x = (const struct key_stop *)context + a;
    const struct key_stop *y = (const struct key_stop *)context + b;
    return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
                                    : (x->stop > y->stop) - (x->stop < y->stop);
}

struct key_stop *split_key_stops(const struct profile *profile, const char *key, size_t *count,
                                 const char **named, struct arena *arena)
{
    const struct ops *ops = profile->ops;
    struct key_stop *found = NULL;
    size_t capacity = 0;
    *count = 0;
    for (uint32_t i = 0; i < ops->count; i++) {
        if (!is_key(profile, &ops->items[i], key))
            continue;
        *named = profile_text(profile, ops->items[i].name);
        for (uint32_t n = 0; n < ops->items[i].instance_count; n++) {
            uint32_t row = AT(ops->by_op, ops->items[i].first_instance + n);
            ARENA_PUSH(arena, found, *count, capacity) =
                (struct key_stop){instance_process(profile, row), AT(ops->end, row)};
        }
    }
    if (!*count)
        return NULL;
    struct key_stop *stops = ARENA_ARRAY(arena, struct key_stop, *count);
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, *count);
    for (uint32_t i = 0; i < *count; i++)
        order[i] = i;
    sort_ids(order, *count, compare_stops, found, arena);
    for (size_t i = 0; i < *count; i++)
        stops[i] = found[order[i]];
    return stops;
}

// Returns whether all processes have the same number of stops.
static bool stops_are_equal(const struct key_stop *stops, size_t count)
{
    size_t stops_per_process = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && stops[i + 1].process == stops[i].process)
            continue;
        if (stops_per_process && stops_per_process != i + 1 - first)
            return false;
        stops_per_process = i + 1 - first;
        first = i + 1;
    }
    return true;
}

// If every process has the same number of stops, bound N is the latest of their N-th stops;
// otherwise every stop of every process is a bound.
int64_t *split_key_bounds(const struct profile *profile, const char *key, size_t *count,
                          const char **named, bool *is_equal, struct arena *arena)
{
    size_t stop_count, stops_per_process = 0;
    const struct key_stop *stops = split_key_stops(profile, key, &stop_count, named, arena);
    *count = 0;
    *is_equal = !stops || stops_are_equal(stops, stop_count);
    if (!stops)
        return NULL;
    int64_t *bounds = ARENA_ARRAY(arena, int64_t, stop_count);
    if (!*is_equal) {
        for (size_t i = 0; i < stop_count; i++)
            bounds[i] = stops[i].stop;
        sort_values(bounds, stop_count);
        *count = stop_count;
        return bounds;
    }
    while (stops_per_process < stop_count && stops[stops_per_process].process == stops[0].process)
        stops_per_process++;
    for (size_t i = 0; i < stop_count; i++)
        if (i < stops_per_process || stops[i].stop > bounds[i % stops_per_process])
            bounds[i % stops_per_process] = stops[i].stop;
    *count = stops_per_process;
    return bounds;
}
