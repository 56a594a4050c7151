// SPDX-License-Identifier: Apache-2.0
// Concatenates the recorded ops of the parts (profile.told), and the markers of their runs.
// ops_identity.c later finds which ones are the same op, together with all other ops.
#include <string.h>

#include "model/markers/markers.h"
#include "model/open/merge_small.h"
#include "model/ops/ops.h"
#include "model/profile/recorded_ops.h"

static string_id text_of(const struct profile_merger *merger, uint32_t part, string_id id)
{
    return merged_row(merger, part, REFERS_TEXT, id);
}

static struct op put_op(const struct profile_merger *merger, uint32_t part, struct op op)
{
    string_id *const texts[] = {&op.id, &op.name, &op.type, &op.data_type, &op.stack};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = text_of(merger, part, *texts[i]);
    return op;
}

static struct marker put_marker(const struct profile_merger *merger, uint32_t part,
                                struct marker marker)
{
    struct arena *arena = merger->merged->arena;
    string_id *const texts[] = {&marker.text,   &marker.title, &marker.type,
                                &marker.module, &marker.path,  &marker.stack};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = text_of(merger, part, *texts[i]);
    for (int i = 0; i < SHAPE_PARTS; i++)
        marker.shapes[i] = text_of(merger, part, marker.shapes[i]);
    const struct marker_argument *arguments = marker.arguments;
    marker.arguments = ARENA_ARRAY(arena, struct marker_argument, marker.argument_count);
    for (uint32_t i = 0; i < marker.argument_count; i++) {
        struct marker_argument argument = arguments[i];
        string_id *const argument_texts[] = {&argument.name, &argument.type, &argument.dtype,
                                             &argument.value};
        for (size_t s = 0; s < sizeof argument_texts / sizeof *argument_texts; s++)
            *argument_texts[s] = text_of(merger, part, *argument_texts[s]);
        argument.dims = ARENA_ARRAY(arena, int64_t, argument.rank);
        if (argument.rank)
            memcpy(argument.dims, arguments[i].dims, argument.rank * sizeof *argument.dims);
        marker.arguments[i] = argument;
    }
    return marker;
}

// Appends the recorded ops of a part.
static void append_part(struct profile_merger *merger, uint32_t part)
{
    struct profile *merged = merger->merged;
    const struct profile *own = merger->parts[part].profile;
    const struct part_clock *clock = &merger->parts[part].clock;
    struct recorded_ops *all = merged->told;
    const struct recorded_ops *recorded = own->told;
    for (uint32_t i = 0; i < recorded->instance_count; i++) {
        struct recorded_instance instance = recorded->instances[i];
        instance.start = part_time(clock, instance.start);
        instance.end = part_time(clock, instance.end);
        instance.op += all->op_count;
        instance.thread = merged_row(merger, part, REFERS_THREAD, instance.thread);
        instance.range = merged_row(merger, part, REFERS_RANGE, instance.range);
        if (instance.marker != ROW_NONE)
            instance.marker += all->marker_count;
        all->instances[all->instance_count++] = instance;
    }
    for (uint32_t i = 0; i < own->ranges.label_count; i++)
        merged->ranges.labels[merged_row(merger, part, REFERS_LABEL, i)].marker =
            own->ranges.labels[i].marker + all->marker_count;
    for (uint32_t i = 0; i < recorded->op_count; i++)
        all->ops[all->op_count++] = put_op(merger, part, recorded->ops[i]);
    for (uint32_t i = 0; i < recorded->marker_count; i++)
        merged->markers[all->marker_count++] = put_marker(merger, part, own->markers[i]);
    if (!merged->config.is_told)
        merged->config = own->config;
}

void merge_recorded_ops(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    struct recorded_ops sizes = {0};
    for (uint32_t p = 0; p < merger->count; p++) {
        const struct recorded_ops *recorded = merger->parts[p].profile->told;
        merger->places[p].of[REFERS_RECORDED_OP] = (struct merged_rows){
            .base = sizes.instance_count, .count = recorded ? recorded->instance_count : 0};
        if (!recorded)
            continue;
        sizes.op_count += recorded->op_count;
        sizes.instance_count += recorded->instance_count;
        sizes.marker_count += recorded->marker_count;
        if (!merged->told) { // the first part with recorded ops determines the mode
            merged->told = ARENA_NEW(merged->arena, struct recorded_ops);
            merged->mode = merger->parts[p].profile->mode;
            merged->mode_reason = arena_text(merged->arena, merger->parts[p].profile->mode_reason);
        }
    }
    if (!merged->told)
        return;
    merged->told->ops = ARENA_ARRAY(merged->arena, struct op, sizes.op_count);
    merged->told->instances =
        ARENA_ARRAY(merged->arena, struct recorded_instance, sizes.instance_count);
    merged->markers = ARENA_ARRAY(merged->arena, struct marker, sizes.marker_count);
    for (uint32_t p = 0; p < merger->count; p++)
        if (merger->parts[p].profile->told)
            append_part(merger, p);
}
