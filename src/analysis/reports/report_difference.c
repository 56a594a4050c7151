// SPDX-License-Identifier: Apache-2.0
// Explains why one step takes longer than the median step, in rows that add up to the difference.
#include <stdlib.h>

#include "analysis/idle/step_difference.h"
#include "analysis/report/report.h"
#include "base/text/format.h"

static const struct difference_row *row_of(const void *row)
{
    return row;
}

static struct value get_what(const void *row)
{
    return value_text(row_of(row)->what);
}

static struct value get_kind(const void *row)
{
    size_t category = row_of(row)->category;
    return category < breakdown_gpu.count ? value_text(breakdown_gpu.categories[category].title)
                                          : value_none();
}

static struct value get_where(const void *row)
{
    return *row_of(row)->where ? value_text(row_of(row)->where) : value_none();
}

static struct value get_delta(const void *row)
{
    return value_integer(row_of(row)->delta_ns);
}

static struct value get_here(const void *row)
{
    return value_integer(row_of(row)->here_ns);
}

static struct value get_median(const void *row)
{
    return value_integer(row_of(row)->median_ns);
}

static struct value get_rows(const void *row)
{
    return value_integer(row_of(row)->rows);
}

static const struct column columns[] = {
    {.key = "what",
     .title = "What",
     .head = "what differs",
     .unit = UNIT_TEXT,
     .get = get_what,
     .doc = "A kernel at its place; a place, for what differs below it without one kernel that "
            "stands out; idle time by its cause; or all that is too small for a row.",
     .flags = COLUMN_NAME},
    {.key = "kind",
     .title = "Kind",
     .head = "kind",
     .unit = UNIT_TEXT,
     .get = get_kind,
     .doc = "The part of the step's bar that it belongs to."},
    {.key = "where",
     .title = "Place",
     .head = "place",
     .unit = UNIT_TEXT,
     .get = get_where,
     .doc = "Where it was launched, of idle time what the host did: path of the op tree."},
    {.key = "delta",
     .title = "Difference (ns)",
     .head = "more",
     .unit = UNIT_NS,
     .get = get_delta,
     .doc = "How much longer it keeps the GPU in this step than in the median one. Instants belong "
            "to one row each, so that all rows add up to the difference of the two steps.",
     .flags = COLUMN_BAR},
    {.key = "here",
     .title = "This Step (ns)",
     .head = "here",
     .unit = UNIT_NS,
     .get = get_here,
     .doc = "GPU time in this step: mean over the GPUs that ran it."},
    {.key = "median",
     .title = "Median Step (ns)",
     .head = "median",
     .unit = UNIT_NS,
     .get = get_median,
     .doc = "GPU time in the step of median length."},
    {.key = "rows",
     .title = "Rows Joined",
     .head = "joined",
     .unit = UNIT_COUNT,
     .get = get_rows,
     .doc = "How many kernels at their places this row stands for: those that differ too little "
            "for a row of their own join the place around them.",
     .flags = COLUMN_WIDE},
};

// Returns the steps whose median is the baseline: the selected ones, or NULL (all steps that are
// not cut) when a single step is selected.
static const bool *median_members(const struct selection *selection)
{
    return selection->step == ROW_NONE && selection_iteration_count(selection) < 2
               ? NULL
               : selection->iterations;
}

static const char *caption(const struct selection *selection,
                           const struct step_difference *difference, struct arena *arena)
{
    char here[FORMAT_SIZE], median[FORMAT_SIZE], delta[FORMAT_SIZE];
    const int64_t *number = selection->split->number;
    return arena_format(
        arena, "step %lld: %s, %s%s against %s of step %lld, %s; the rows add up to that",
        (long long)number[difference->step], format_duration(here, difference->here_ns, true),
        difference->delta_ns < 0 ? "" : "+", format_duration(delta, difference->delta_ns, true),
        format_duration(median, difference->median_ns, true), (long long)number[difference->median],
        difference->role);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const bool *members = median_members(selection);
    uint32_t step = selection->step;
    if (step == ROW_NONE && !members && selection_iteration_count(selection) == 1)
        step = selection_first_iteration(selection);
    struct step_difference difference =
        step_difference_of(profile, selection, members, step, arena);
    if (difference.why_none)
        return (struct rows){.empty = difference.why_none};
    return (struct rows){.items = difference.rows,
                         .count = difference.count,
                         .caption = caption(selection, &difference, arena)};
}

static uint64_t row_id(const void *row)
{
    const struct difference_row *r = row_of(row);
    return text_id(((uint64_t)r->node << 8 | r->category) * 4 + r->kind, r->what);
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    if (row_of(row)->node == ROW_NONE)
        return NULL;
    selection->node = row_of(row)->node;
    return "kernels";
}

const struct report report_difference = {
    .name = "difference",
    .title = "Difference to the median step",
    .doc = "Why one step takes longer than the step of median length: what the GPU did, instant by "
           "instant, in rows that add up to the difference. The step is the only one selected, "
           "against all that are not cut; of a set the longest, against its own median.",
    .row_size = sizeof(struct difference_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_timed = true,
    .build = build,
    .id = row_id,
    .narrow = row_narrow,
};
