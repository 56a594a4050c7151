// SPDX-License-Identifier: Apache-2.0
// Shows how long each combination of kinds of work ran at once: the kernel types of HTA.
#include "analysis/breakdown/kind_times.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/sums/work_text.h"
#include "base/text/bytes.h"

struct kinds_row {
    const char *kinds;
    unsigned set;
    int64_t ns, busy_ns, window_ns; // of the row; of all rows; including idle time
};

static const struct kinds_row *row_of(const void *row)
{
    return row;
}

static struct value get_kinds(const void *row)
{
    return value_text(row_of(row)->kinds);
}

static struct value get_time(const void *row)
{
    return value_integer(row_of(row)->ns);
}

static struct value get_share(const void *row)
{
    return value_share(row_of(row)->ns, row_of(row)->busy_ns);
}

static struct value get_window_share(const void *row)
{
    return value_share(row_of(row)->ns, row_of(row)->window_ns);
}

static const struct column columns[] = {
    {"kinds", "Kinds", "kinds", UNIT_TEXT, get_kinds,
     "What runs at once: kernels that compute, communication (kernels, and copies between GPUs), "
     "copies "
     "and memsets, replays of graphs that are traced as a whole.",
     COLUMN_NAME},
    {"time", "Time (ns)", "time", UNIT_NS, get_time,
     "Time in which these run on a GPU and nothing else, in the selected iterations; of all GPUs "
     "together.",
     COLUMN_BAR | COLUMN_SUM},
    {"share", "Share of Busy Time (%)", "%busy", UNIT_PERCENT, get_share,
     "Of the time in which anything runs.", COLUMN_SHARE},
    {"window", "Share of Window (%)", "%step", UNIT_PERCENT, get_window_share,
     "Of all time, idle time too.", 0},
};

static const char *set_text(unsigned set, struct arena *arena)
{
    struct bytes text = {.arena = arena};
    for (int kind = 0; kind < CLASS_COUNT; kind++)
        if (set & 1u << kind)
            bytes_format(&text, "%s%s", text.count ? " + " : "", work_class_names[kind]);
    return arena_copy(arena, text.items, text.count);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct kinds_row *rows = ARENA_ARRAY(arena, struct kinds_row, KIND_SETS);
    const struct kind_times *devices = kind_times_devices(profile, selection, arena);
    int64_t busy_ns = 0, window_ns = 0;
    size_t count = 0;
    for (unsigned set = 1; set < KIND_SETS; set++) {
        struct kinds_row row = {.set = set};
        for (uint32_t d = 0; d < profile->device_count; d++)
            sum_add(&row.ns, devices[d].ns[set]);
        sum_add(&busy_ns, row.ns);
        if (!row.ns)
            continue;
        row.kinds = set_text(set, arena);
        rows[count++] = row;
    }
    if (!count)
        return (struct rows){.empty = work_empty_text(profile)};
    for (uint32_t d = 0; d < profile->device_count; d++)
        sum_add(&window_ns, devices[d].window_ns);
    for (size_t i = 0; i < count; i++) {
        rows[i].busy_ns = busy_ns;
        rows[i].window_ns = window_ns;
    }
    return (struct rows){.items = rows, .count = count};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->set;
}

const struct report report_work_kinds = {
    .name = "work_kinds",
    .title = "Kinds of work and what overlaps",
    .doc = "How long kernels that compute, communication and copies ran by themselves and at once: "
           "what "
           "HTA calls kernel types.",
    .row_size = sizeof(struct kinds_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .sort = "-time",
    .id = row_id,
    .is_aggregate = true,
    .is_timed = true,
};
