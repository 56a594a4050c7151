// SPDX-License-Identifier: Apache-2.0
// Shows the parts of the selected steps under both schemes of categories: the GPU's and DLProf's.
#include "analysis/breakdown/breakdown.h"
#include "analysis/report/report.h"

struct breakdown_row {
    const struct breakdown_scheme *scheme;
    const struct breakdown_category *category;
    int64_t ns, window_ns;
};

static const struct breakdown_row *row_of(const void *row)
{
    return row;
}

static struct value get_scheme(const void *row)
{
    return value_text(row_of(row)->scheme->name);
}

static struct value get_category(const void *row)
{
    return value_text(row_of(row)->category->title);
}

static struct value get_time(const void *row)
{
    return row_of(row)->window_ns > 0 ? value_integer(row_of(row)->ns) : value_none();
}

static struct value get_share(const void *row)
{
    const struct breakdown_row *r = row;
    return value_share(r->ns, r->window_ns);
}

static struct value get_doc(const void *row)
{
    return value_text(row_of(row)->category->doc);
}

static const struct column columns[] = {
    {.key = "scheme",
     .title = "Scheme",
     .head = "scheme",
     .unit = UNIT_TEXT,
     .get = get_scheme,
     .doc = "gpu: mean over the GPUs that ran anything, by their own clock. dlprof: DLProf's "
            "seven, mean over all GPUs, within the iterations on the host.",
     .flags = COLUMN_IDENTIFIES},
    {.key = "category",
     .title = "Category",
     .head = "category",
     .unit = UNIT_TEXT,
     .get = get_category,
     .doc = "Each instant belongs to the first category of its scheme that is active in it.",
     .flags = COLUMN_NAME},
    {.key = "time",
     .title = "Time (ns)",
     .head = "time",
     .unit = UNIT_NS,
     .get = get_time,
     .doc = "Time in the category; the categories of a scheme add up to its window. Unknown where "
            "there is none, as of a profile without a GPU.",
     .flags = COLUMN_BAR | COLUMN_NOT_ADDITIVE},
    {.key = "share",
     .title = "Share of Window (%)",
     .head = "%",
     .unit = UNIT_PERCENT,
     .get = get_share,
     .doc = "Of the window: the selected iterations."},
    {.key = "meaning",
     .title = "Meaning",
     .head = "meaning",
     .unit = UNIT_TEXT,
     .get = get_doc,
     .doc = "What counts to the category.",
     .flags = COLUMN_QUOTED | COLUMN_WIDE},
};

static struct rows breakdown_build(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena)
{
    static const struct breakdown_scheme *const schemes[] = {&breakdown_gpu, &breakdown_dlprof};
    struct breakdown_row *rows =
        ARENA_ARRAY(arena, struct breakdown_row, breakdown_gpu.count + breakdown_dlprof.count);
    size_t count = 0;
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        struct breakdown total = breakdown_total(profile, selection, schemes[s], arena);
        for (size_t c = 0; c < schemes[s]->count; c++)
            rows[count++] = (struct breakdown_row){schemes[s], &schemes[s]->categories[c],
                                                   total.ns[c], total.window_ns};
    }
    return (struct rows){.items = rows, .count = count};
}

static struct row_match breakdown_match(const void *row)
{
    return (struct row_match){{row_of(row)->scheme->name, row_of(row)->category->title}};
}

static uint64_t breakdown_id(const void *row)
{
    return (uint64_t)(uintptr_t)row_of(row)->category;
}

static const char *breakdown_narrow(const struct profile *profile, const void *row,
                                    struct selection *selection)
{
    (void)profile;
    (void)row;
    (void)selection;
    return "iterations";
}

const struct report report_breakdown = {
    .name = "breakdown",
    .title = "Where the time went",
    .doc = "The selected iterations cut into categories that add up to them, by the GPU's clock "
           "and as DLProf does it.",
    .row_size = sizeof(struct breakdown_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_timed = true,
    .build = breakdown_build,
    .id = breakdown_id,
    .match = breakdown_match,
    .apart = "of the two schemes overlap",
    .narrow = breakdown_narrow,
};
