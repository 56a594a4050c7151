// SPDX-License-Identifier: Apache-2.0
// Builds the rows of a report, and blanks the figures that a profile without times cannot give.
#include "analysis/report/report.h"

#include <string.h>

#include "base/hash.h"
#include "base/text/text.h"

const struct column *report_column(const struct report *report, const char *key)
{
    for (size_t i = 0; i < report->column_count; i++)
        if (strcmp(report->columns[i].key, key) == 0)
            return &report->columns[i];
    return NULL;
}

uint64_t text_id(uint64_t seed, const char *text)
{
    return hash_text(HASH_SEED + seed, text);
}

int value_compare(struct value a, struct value b)
{
    if (a.kind == VALUE_NONE || b.kind == VALUE_NONE)
        return (a.kind != VALUE_NONE) - (b.kind != VALUE_NONE);
    switch (a.kind) {
    case VALUE_TEXT:
        return text_compare_natural(a.text, b.text);
    case VALUE_REAL:
        return (a.real > value_number(b)) - (a.real < value_number(b));
    default:
        if (b.kind == VALUE_REAL)
            return -value_compare(b, a);
        return (a.integer > b.integer) - (a.integer < b.integer);
    }
}

struct row_match row_match_any(const void *row)
{
    (void)row;
    return (struct row_match){{""}};
}

// ---- profiles without times ---------------------------------------------------------------------

const char report_no_times_text[] =
    "Not known: PyProf's parser keeps how long kernels ran, and neither when nor copies nor what "
    "the host did. The profile that it read, of nvprof or nsys, has all of it.";

static struct value get_unknown(const void *row)
{
    (void)row;
    return value_none();
}

static const struct report *blank_timed_columns(const struct report *report, struct arena *arena)
{
    struct report *blanked = ARENA_NEW(arena, struct report);
    struct column *columns = ARENA_ARRAY(arena, struct column, report->column_count);
    for (size_t c = 0; c < report->column_count; c++) {
        columns[c] = report->columns[c];
        if (column_is_timed(&columns[c]))
            columns[c].get = get_unknown;
    }
    *blanked = *report;
    blanked->columns = columns;
    return blanked;
}

struct rows report_rows(const struct report *report, const struct profile *profile,
                        const struct selection *selection, struct arena *arena)
{
    if (profile->lacks_times && report->is_timed)
        return (struct rows){.empty = report_no_times_text};
    struct rows rows = report->compared
                           ? report->build_compared(report->compared, profile, selection, arena)
                           : report->build(profile, selection, arena);
    if (profile->lacks_times)
        rows.report = blank_timed_columns(report_named(report, &rows), arena);
    return rows;
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
    bool has_ops = call->profile->mode != MODE_SIMPLE || !call->report->needs_ops;
    *call->rows = has_ops ? report_rows(call->report, call->profile, call->selection, call->arena)
                          : (struct rows){.empty = "simple mode has no ops (--mode)"};
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
