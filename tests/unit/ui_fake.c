// SPDX-License-Identifier: Apache-2.0
// Columns and rows of the artificial reports.
#include "ui_fake.h"

#include <string.h>

#include "property.h"

static struct value get_name(const void *row)
{
    return value_text(((const struct fake_row *)row)->name);
}

static struct value get_gpu(const void *row)
{
    return value_integer(((const struct fake_row *)row)->gpu);
}

static struct value get_calls(const void *row)
{
    return value_integer(((const struct fake_row *)row)->calls);
}

static struct value get_tc(const void *row)
{
    return value_state(((const struct fake_row *)row)->tc);
}

static struct value get_share(const void *row)
{
    const struct fake_row *r = row;
    return r->gpu == UNKNOWN ? value_none() : value_real((double)r->gpu / 100e6);
}

static const struct column columns[] = {
    {"name", "Name", "name", UNIT_TEXT, get_name, "The name.", COLUMN_NAME},
    {"gpu_total", "Total GPU Time (ns)", "GPU", UNIT_NS, get_gpu, "The time.",
     COLUMN_BAR | COLUMN_SUM},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls, "How often.", COLUMN_SUM},
    {"tc", "Uses TC", "TC", UNIT_STATE, get_tc, "Tensor Cores.", 0},
    {"share", "Share (%)", "%", UNIT_PERCENT, get_share, "Of 100 ms.", COLUMN_WIDE | COLUMN_SHARE},
    {"secret", "Only In Detail", "secret", UNIT_COUNT, get_calls, "Hidden.",
     COLUMN_DETAIL | COLUMN_SUM},
};

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    (void)profile, (void)selection, (void)arena;
    return (struct rows){.empty = "made up"};
}

static uint64_t row_id(const void *row)
{
    return ((const struct fake_row *)row)->id;
}

static unsigned row_depth(const void *row)
{
    return ((const struct fake_row *)row)->depth;
}

static bool row_has_children(const void *row)
{
    return ((const struct fake_row *)row)->has_children;
}

const struct report fake_flat = {
    .name = "flat",
    .title = "Flat",
    .doc = "Made up.",
    .row_size = sizeof(struct fake_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .sort = "-gpu_total",
    .id = row_id,
};
const struct report fake_tree = {
    .name = "tree",
    .title = "Tree",
    .doc = "Made up.",
    .row_size = sizeof(struct fake_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .depth = row_depth,
    .has_children = row_has_children,
};

void fake_open(struct table *table, const struct report *report, const struct fake_row *rows,
               size_t count)
{
    assert_true(table_open(table, report, NULL));
    table_set_rows(table, &(struct rows){.items = rows, .count = count, .empty = "none"});
    assert_true(table_update(table, NULL));
}

void assert_fake_names(struct table *table, const char *expected)
{
    char names[2000] = "";
    assert_true(table_update(table, NULL));
    for (size_t i = 0; i < table->shown_count; i++) {
        const struct fake_row *row = report_row(table->report, &table->rows, table->shown[i]);
        size_t used = strlen(names), length = strcspn(row->name, "\033");
        length -= row->name[length] && length > 0 && row->name[length - 1] == ' ';
        snprintf(names + used, sizeof names - used, "%s%.*s", i ? " " : "", (int)length, row->name);
    }
    assert_string_equal(names, expected);
}
