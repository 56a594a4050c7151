// SPDX-License-Identifier: Apache-2.0
#include "analysis/report.h"

#include <string.h>

#include "analysis/report_list.h"
#include "base/sort.h"
#include "base/text.h"

#define REPORT_ENTRY(name) &report_##name,
const struct report *const reports[] = {REPORT_LIST(REPORT_ENTRY)};
const size_t report_count = sizeof reports / sizeof *reports;

const struct report *report_find(const char *name)
{
    for (size_t i = 0; i < report_count; i++)
        if (strcmp(reports[i]->name, name) == 0)
            return reports[i];
    return NULL;
}

const struct column *report_column(const struct report *report, const char *key)
{
    for (size_t i = 0; i < report->column_count; i++)
        if (strcmp(report->columns[i].key, key) == 0)
            return &report->columns[i];
    return NULL;
}

uint64_t text_id(uint64_t seed, const char *text)
{
    uint64_t hash = 14695981039346656037u + seed; // FNV-1a
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

int value_compare(struct value a, struct value b)
{
    if (a.kind == VALUE_NONE || b.kind == VALUE_NONE)
        return (a.kind != VALUE_NONE) - (b.kind != VALUE_NONE);
    switch (a.kind) {
    case VALUE_TEXT:
        return text_compare_natural(a.text, b.text);
    case VALUE_REAL:
        return (a.real > b.real) - (a.real < b.real);
    default:
        return (a.integer > b.integer) - (a.integer < b.integer);
    }
}

struct order {
    const struct report *report;
    const struct rows *rows;
    const struct column *column;
    bool descending;
};

static int compare_rows(const void *context, uint32_t a, uint32_t b)
{
    const struct order *order = context;
    int result = value_compare(order->column->get(report_row(order->report, order->rows, a)),
                               order->column->get(report_row(order->report, order->rows, b)));
    return order->descending ? -result : result;
}

uint32_t *report_order(const struct report *report, const struct rows *rows, struct arena *arena)
{
    if (!report->sort || report->depth || report->is_dlprof)
        return NULL;
    bool descending = report->sort[0] == '-';
    struct order order = {report, rows, report_column(report, report->sort + descending),
                          descending};
    uint32_t *ids = ARENA_ARRAY(arena, uint32_t, rows->count);
    for (uint32_t i = 0; i < rows->count; i++)
        ids[i] = i;
    sort_ids(ids, rows->count, compare_rows, &order, arena);
    return ids;
}

struct build_call {
    const struct report *report;
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct rows *rows;
};

static bool build_body(void *context, struct error *error)
{
    (void)error;
    struct build_call *call = context;
    *call->rows = call->report->build(call->profile, call->selection, call->arena);
    return true;
}

bool report_build(const struct report *report, const struct profile *profile,
                  const struct selection *selection, struct arena *arena, struct rows *rows,
                  struct error *error)
{
    struct build_call call = {report, profile, selection, arena, rows};
    *rows = (struct rows){0};
    return arena_run(arena, build_body, &call, error);
}
