// SPDX-License-Identifier: Apache-2.0
// Describes a selection in words.
#include <inttypes.h>

#include "analysis/idle/idle.h"
#include "analysis/memory/memory_use.h"
#include "analysis/place/selection_text.h"
#include "analysis/report/copy_ends.h"
#include "analysis/report/selection.h"
#include "analysis/sums/work_text.h"
#include "base/parse/expr.h"
#include "base/text/format.h"
#include "model/ops/ops.h"
#include "model/profile/api_name.h"
#include "model/profile/ranks.h"

// Formats the share of time outside all steps, which counts without a set of steps and not with
// one, and how much work is there because it was launched before the capture; "" if it is at most
// 0.1 %.
static const char *outside_text(const struct split *split, bool counts, struct arena *arena)
{
    int64_t total = split->inside_ns + split->outside_ns;
    char share[FORMAT_SIZE];
    if (split->outside_ns <= total / 1000)
        return "";
    format_percent(share, (double)split->outside_ns / (double)total);
    const char *text = arena_format(arena, ", %s%s%% outside", counts ? "with " : "", share);
    char early[FORMAT_SIZE];
    if (!split->early_count)
        return text;
    const char *of = split->early_count == split->outside_count
                         ? ""
                         : arena_format(arena, " of %" PRIu32, split->outside_count);
    return arena_format(arena, "%s (%s%s %s of GPU work launched before the capture)", text,
                        format_count(early, split->early_count), of,
                        split->outside_count == 1 ? "piece" : "pieces");
}

static const char *iterations_text(const struct selection *selection, struct arena *arena)
{
    const struct split *split = selection->split;
    if (!selection->iterations)
        return arena_format(arena, "%s%s", split->text, outside_text(split, true, arena));
    uint32_t count = selection_iteration_count(selection);
    const char *set = set_format(arena, selection->iterations, split->number, split->count);
    if (count == 0)
        set = "none";
    char chosen[FORMAT_SIZE];
    return arena_format(arena, "set %s = %s of %s%s", set, format_count(chosen, count), split->text,
                        outside_text(split, false, arena));
}

static const char *operator_text(const struct profile *profile, const struct selection *selection,
                                 const char *before, struct arena *arena)
{
    const struct range_label *label = &profile->ranges.labels[selection->by_operator];
    const char *name = profile_text(profile, operator_name(profile, label));
    switch (selection->operator_key) {
    case OPERATOR_BY_SHAPE:
        return arena_format(arena, "%s, operator %s of %s", before, name,
                            operator_shapes(profile, label, arena));
    case OPERATOR_BY_STACK:
        return arena_format(arena, "%s, operator %s of one call stack", before, name);
    default:
        return arena_format(arena, "%s, operator %s", before, name);
    }
}

const char *selection_text(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    const char *text = iterations_text(selection, arena);
    if (selection->process != ROW_NONE)
        text =
            arena_format(arena, "%s, %s", text,
                         process_label(profile, selection->process, (char[PROCESS_LABEL_SIZE]){0}));
    if (selection->device != ROW_NONE)
        text = arena_format(arena, "%s, GPU %" PRId64, text,
                            device_number(profile, selection->device));
    if (selection->node != ROW_NONE)
        text = arena_format(
            arena, "%s, under %s%s", text,
            profile_text(profile, selection_tree(profile, selection)->name[selection->node]),
            selection->with_backward ? ", with its backward" : "");
    if (selection->op != ROW_NONE)
        text = arena_format(arena, "%s, op %s", text,
                            profile_text(profile, profile->ops->items[selection->op].id));
    if (selection->op_type != STRING_NONE)
        text = arena_format(arena, "%s, ops of type %s", text,
                            profile_text(profile, selection->op_type));
    if (selection->function != ROW_NONE)
        text = arena_format(arena, "%s, kernel %s", text,
                            profile_text(profile, profile->functions[selection->function].brief));
    if (selection->name != STRING_NONE)
        text = arena_format(arena, "%s, kernel %s", text, profile_text(profile, selection->name));
    if (selection->shape != ROW_NONE) {
        const struct launch_shape *shape = &profile->shapes[selection->shape];
        const char *grid = dims_text(shape->grid, arena), *block = dims_text(shape->block, arena);
        text = grid && block ? arena_format(arena, "%s, grid %s, block %s", text, grid, block)
                             : arena_format(arena, "%s, no grid told", text);
    }
    if (selection->api_name != STRING_NONE) {
        const char *name = profile_text(profile, selection->api_name);
        text = arena_format(arena, "%s, API %.*s", text, (int)api_name_length(name), name);
    }
    if (selection->range_name != STRING_NONE)
        text =
            arena_format(arena, "%s, range %s", text, profile_text(profile, selection->range_name));
    if (selection->by_operator != ROW_NONE)
        text = operator_text(profile, selection, text, arena);
    if (selection->line != STRING_NONE)
        text = arena_format(arena, "%s, line %s", text, profile_text(profile, selection->line));
    if (selection->thread != ROW_NONE)
        text = arena_format(arena, "%s, thread %u", text, profile->threads[selection->thread].tid);
    if (selection->copies != ROW_NONE)
        text = arena_format(arena, "%s, %s", text, copy_ends_text(selection->copies, arena));
    if (selection->memory != ROW_NONE)
        text = arena_format(arena, "%s, %s", text, memory_choice_text(selection->memory, arena));
    if (selection->idle_cause < IDLE_CAUSES)
        text = arena_format(arena, "%s, idle: %s", text, idle_causes[selection->idle_cause].title);
    if (!selection->adoption)
        text = arena_format(arena, "%s, adoption off", text);
    return text;
}
