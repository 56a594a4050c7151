// SPDX-License-Identifier: Apache-2.0
// Share columns relative to other wholes: the step, the parent row, the rows shown.
#include <string.h>

#include "analysis/export/export.h"
#include "analysis/report/stats.h"
#include "ui/table/table.h"

const char *const share_names[SHARE_KINDS] = {"own", "step", "parent", "shown"};

static const struct {
    const char *head, *title, *key, *doc;
} words[SHARE_KINDS] = {
    [SHARE_STEP] = {"%step", "Share of the Step (%)", "of_step",
                    "Time of the row (the column with the bars) over the time of the chosen steps "
                    "by the GPU's clock, on all GPUs looked at; without steps, over the time from "
                    "the first GPU work to the last. Work that overlaps counts in full where that "
                    "column says so."},
    [SHARE_PARENT] = {"%parent", "Share of the Parent Row (%)", "of_parent",
                      "Time of the row (the column with the bars) over that of the row above it in "
                      "the tree; of an outermost row over that of all outermost rows."},
    [SHARE_SHOWN] = {"%shown", "Share of the Rows Shown (%)", "of_shown",
                     "Time of the row (the column with the bars) over that of all rows that pass "
                     "the filter, folded ones too; of a tree the outermost of them. What the "
                     "filter asks of this share itself does not change what it is of."},
};

int table_share_column(const struct table *table)
{
    for (unsigned c = 0; c < column_layout_count(table->report); c++)
        if (table->report->columns[c].flags & COLUMN_SHARE)
            return (int)c;
    return -1;
}

// Returns the column that shares divide: the one with the bars.
static const struct column *part_column(const struct table *table)
{
    for (unsigned c = 0; c < column_layout_count(table->report); c++)
        if (table->report->columns[c].flags & COLUMN_BAR)
            return &table->report->columns[c];
    return NULL;
}

int64_t table_share_part(const struct table *table, const void *row)
{
    const struct column *part = part_column(table);
    struct value value = part ? part->get(row) : value_none();
    return value.kind == VALUE_INTEGER ? value.integer : 0;
}

bool table_has_share(const struct table *table, enum share_of share)
{
    int column = table_share_column(table);
    const struct column *part = part_column(table);
    if (column < 0 || !part)
        return false;
    if (share == SHARE_PARENT)
        return table->report->depth != NULL;
    // The report shows it already, or the column counts host time, which has other steps.
    if (share == SHARE_STEP)
        return strcmp(table->report->columns[column].head, words[SHARE_STEP].head) != 0 &&
               !(part->flags & COLUMN_HOST) && table->report->is_aggregate;
    return true;
}

static int64_t parent_whole(const struct table *table, size_t row)
{
    if (!table->parent || table->parent[row] == UINT32_MAX)
        return table->outer_sum;
    return table_share_part(table, report_row(table->report, &table->rows, table->parent[row]));
}

struct value table_share(const struct table *table, const void *row)
{
    const struct column *part = part_column(table);
    struct value value = part ? part->get(row) : value_none();
    size_t at =
        (size_t)((const char *)row - (const char *)table->rows.items) / table->report->row_size;
    int64_t whole = table->step_ns;
    if (table->share == SHARE_PARENT)
        whole = parent_whole(table, at);
    if (table->share == SHARE_SHOWN) // rows that only lead to matches are not included
        whole = table->state && table->state[at] & ROW_KEPT ? table->shown_sum : 0;
    return value.kind == VALUE_INTEGER ? value_share(value.integer, whole) : value_none();
}

static bool is_other_share(const struct table *table, unsigned column)
{
    return table->share != SHARE_OWN && table->report->columns[column].flags & COLUMN_SHARE;
}

const char *table_head(const struct table *table, unsigned column)
{
    return is_other_share(table, column) ? words[table->share].head
                                         : table->report->columns[column].head;
}

const char *table_title(const struct table *table, unsigned column)
{
    return is_other_share(table, column) ? words[table->share].title
                                         : table->report->columns[column].title;
}

const char *table_doc(const struct table *table, unsigned column)
{
    return is_other_share(table, column) ? words[table->share].doc
                                         : table->report->columns[column].doc;
}

static struct value export_get(const void *context, const void *row)
{
    return table_share(context, row);
}

struct export_share table_export_share(const struct table *table, struct arena *arena)
{
    int column = table_share_column(table);
    return (struct export_share){words[table->share].title, words[table->share].head,
                                 arena_format(arena, "%s_%s",
                                              column < 0 ? "" : table->report->columns[column].key,
                                              words[table->share].key),
                                 export_get, table};
}
