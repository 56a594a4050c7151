// SPDX-License-Identifier: Apache-2.0
// DLProf's op type report: the ops summed by type.
#include <string.h>

#include "analysis/report/report.h"
#include "analysis/sums/op_metrics.h"
#include "base/sort.h"

struct op_type_row {
    struct op_times times; // must be the first member: OP_TIME_COLUMNS casts the row
    const struct profile *profile;
    string_id type;
    int64_t ops, calls;
};

static struct value get_type(const void *row)
{
    const struct op_type_row *r = row;
    return value_text(profile_text(r->profile, r->type));
}

static struct value get_ops(const void *row)
{
    return value_integer(((const struct op_type_row *)row)->ops);
}

static struct value get_calls(const void *row)
{
    return value_integer(((const struct op_type_row *)row)->calls);
}

static const struct column columns[] = {
    {.key = "type",
     .title = "Op Type",
     .head = "type",
     .unit = UNIT_TEXT,
     .get = get_type,
     .doc = "What the ops do: conv2d, linear, ...",
     .flags = COLUMN_QUOTED | COLUMN_NAME},
    {.key = "ops",
     .title = "# Ops",
     .head = "ops",
     .unit = UNIT_COUNT,
     .get = get_ops,
     .doc = "How many ops are of this type."},
    {.key = "calls",
     .title = "# Calls",
     .head = "calls",
     .unit = UNIT_COUNT,
     .get = get_calls,
     .doc = "How often they ran in the selected iterations."},
    OP_TIME_COLUMNS,
};

static int compare_by_type(const void *context, uint32_t a, uint32_t b)
{
    const struct op_type_row *rows = context;
    return strcmp(profile_text(rows[a].profile, rows[a].type),
                  profile_text(rows[b].profile, rows[b].type));
}

// Adds the runs of one op to its type. Extremes are those of single runs.
static void row_add(struct op_type_row *row, const struct op_metrics *metrics)
{
    for (int i = 0; i < TIME_KINDS; i++)
        metric_merge(&row->times.metric[i], row->times.count, &metrics->times.metric[i],
                     metrics->times.count);
    row->times.count += metrics->times.count;
    row->calls += metrics->calls;
    row->ops++;
}

static struct rows op_type_build(const struct profile *profile, const struct selection *selection,
                                 struct arena *arena)
{
    struct op_metrics_list list = op_metrics_build(profile, selection, arena);
    if (list.count == 0)
        return (struct rows){.empty = "No op ran in what is selected."};
    // Row + 1 of each type, by string id.
    uint32_t *row_of_type =
        ARENA_ARRAY(arena, uint32_t, (size_t)strings_count(profile->strings) + 1);
    struct op_type_row *rows = ARENA_ARRAY(arena, struct op_type_row, list.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        string_id type = profile->ops->items[list.items[i].op].type;
        if (row_of_type[type] == 0) {
            rows[count] = (struct op_type_row){.profile = profile, .type = type};
            row_of_type[type] = ++count;
        }
        row_add(&rows[row_of_type[type] - 1], &list.items[i]);
    }
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, count);
    struct op_type_row *sorted = ARENA_ARRAY(arena, struct op_type_row, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    sort_ids(order, count, compare_by_type, rows, arena);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = rows[order[i]];
    return (struct rows){.items = sorted, .count = count};
}

static uint64_t op_type_id(const void *row)
{
    return ((const struct op_type_row *)row)->type;
}

static const char *op_type_narrow(const struct profile *profile, const void *row,
                                  struct selection *selection)
{
    (void)profile;
    selection->op_type = ((const struct op_type_row *)row)->type;
    return "detail";
}

const struct report report_op_type = {
    .name = "op_type",
    .title = "Op types",
    .doc = "DLProf's op type report: the ops of one type together.",
    .row_size = sizeof(struct op_type_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = op_type_build,
    .sort = "-gpu_total",
    .id = op_type_id,
    .narrow = op_type_narrow,
    .apart = "may lie in each other",
    .is_dlprof = true,
    .needs_ops = true,
    .file = "op_type",
    .file_title = "Op Type Summary Report",
};
