// SPDX-License-Identifier: Apache-2.0
// Performs the requests that a user could make on a profile, and checks their results.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/export/export.h"
#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"
#include "model/steps/step_candidates.h"
#include "profile_seed.h"

static void fail_check(const char *what, const char *where)
{
    fprintf(stderr, "promise broken: %s: %s\n", what, where);
    abort();
}

static void check_rows(const struct report *report, const struct rows *rows, struct arena *arena)
{
    if (!rows->count && !rows->empty)
        fail_check(report->name, "empty without a reason");
    // The edge rows of this report subtract work that was launched in a step but ran outside of it,
    // so they may be negative.
    bool has_edges = strcmp(report->name, "costs") == 0;
    for (size_t i = 0; i < rows->count; i++) {
        const void *row = report_row(report, rows, i);
        for (size_t c = 0; c < report->column_count; c++) {
            const struct column *column = &report->columns[c];
            struct value value = column->get(row);
            if (value.kind == VALUE_REAL && !isfinite(value.real))
                fail_check(report->name, column->key);
            if (value.kind == VALUE_REAL && column->unit == UNIT_PERCENT && !has_edges &&
                (value.real < 0 || value.real > 1.0000001))
                fail_check(report->name, column->key);
            if (value.kind == VALUE_TEXT && column->unit != UNIT_TEXT)
                fail_check(report->name, column->key);
            if (i < 32 && !value_display_text(column, value, i % 2, arena))
                fail_check(report->name, column->key);
        }
        if (!report->depth)
            continue;
        unsigned depth = report->depth(row), next = 0;
        if (i + 1 < rows->count)
            next = report->depth(report_row(report, rows, i + 1));
        if (next > depth + 1 || report->has_children(row) != (next > depth))
            fail_check(report->name, "depths");
    }
}

static int64_t column_sum(const char *name, const char *key, const struct profile *profile,
                          const struct selection *selection, struct arena *arena, bool only_roots)
{
    const struct report *report = report_find(name);
    struct rows rows = report->build(profile, selection, arena);
    const struct column *column = report_column(report, key);
    int64_t sum = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        struct value value = column->get(row);
        if (value.kind == VALUE_INTEGER && (!only_roots || report->depth(row) == 0))
            sum += value.integer;
    }
    return sum;
}

// Tree, layers and kernel table are three views of the same exclusive time.
static void check_totals(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    int64_t exclusive = 0, work = 0;
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (selection_has_work(profile, selection, w)) {
            exclusive += AT(profile->work.exclusive, w);
            work += AT(profile->work.end, w) - AT(profile->work.start, w);
        }
    if (column_sum("ops", "gpu", profile, selection, arena, true) != exclusive)
        fail_check("ops", "gpu time is not that of the rows");
    if (column_sum("layers", "gpu", profile, selection, arena, false) != exclusive)
        fail_check("layers", "gpu time is not that of the rows");
    if (column_sum("kernels", "gpu_total", profile, selection, arena, false) != work)
        fail_check("kernels", "gpu time is not that of the rows");
}

static void check_breakdown(const struct profile *profile, const struct selection *selection,
                            const struct breakdown_scheme *scheme, struct arena *arena)
{
    struct breakdown total = breakdown_total(profile, selection, scheme, arena);
    int64_t sum = 0;
    for (size_t c = 0; c < scheme->count; c++) {
        if (total.ns[c] < 0)
            fail_check(scheme->name, "less than nothing");
        sum += total.ns[c];
    }
    if (sum != total.window_ns)
        fail_check(scheme->name, "parts do not add up to the window");
}

// Exports a DLProf database and opens it again: it has as much GPU work, except for work at
// extreme times.
static void check_database(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    struct error error = {0};
    if (!export_dldb(seed_path(), true, profile, selection, arena, &error))
        fail_check("the database", error.message);
    struct profile *reopened = seed_load(MODE_AUTO);
    bool is_whole = !reopened || !profile_find_note(reopened, "rows_skipped");
    if (is_whole && (reopened ? reopened->work.count : 0) != profile->work.count)
        fail_check("the database", "other work than was written");
    profile_free(reopened);
}

// Builds some reports in one format each, varying with each pass: many inputs cover all.
static void check_reports(const struct profile *profile, const struct selection *selection,
                          unsigned pass, FILE *sink, struct arena *arena)
{
    enum { STRIDE = 12 };
    struct error error = {0};
    for (size_t i = pass % STRIDE; i < report_count; i += STRIDE) {
        const struct report *report = reports[i];
        struct rows rows;
        if (!report_build(report, profile, selection, arena, &rows, &error))
            fail_check(report->name, error.message);
        if (!report->is_document)
            check_rows(report, &rows, arena);
        struct export_table table = {
            .report = report, .rows = rows, .profile = profile, .selection = selection};
        table.order = report_order(report, &rows, arena);
        table.count = rows.count;
        const struct export_format *format =
            export_formats[(i + pass / STRIDE) % export_format_count];
        if (!format->write(&table, sink, arena))
            fail_check(report->name, format->name);
        for (size_t r = 0; report->narrow && r < rows.count && r < 8; r++) {
            struct selection narrow = *selection;
            const char *opens = report->narrow(profile, report_row(report, &rows, r), &narrow);
            if (opens && !report_find(opens))
                fail_check(report->name, opens);
        }
    }
}

// Runs one slow check per input, so that an input needs half the time.
static void check_selection(const struct profile *profile, const struct selection *selection,
                            unsigned pass)
{
    struct arena *arena = arena_new(0);
    FILE *sink = fopen("/dev/null", "w");
    if (pass % 8 == 1 && !profile->lacks_times) // refused before that point
        check_database(profile, selection, arena);
    else
        check_reports(profile, selection, pass, sink, arena);
    if (pass % 4 == 0 && !export_model(profile, selection->split, 1, sink, arena))
        fail_check("the model", "json");
    if (pass % 4 == 2)
        check_totals(profile, selection, arena);
    if (pass % 4 == 3) {
        check_breakdown(profile, selection, &breakdown_gpu, arena);
        check_breakdown(profile, selection, &breakdown_dlprof, arena);
    }
    fclose(sink);
    arena_free(arena);
}

static struct split *split_choose(const struct profile *profile, unsigned choices,
                                  struct arena *arena)
{
    struct step_candidates found = {0};
    if (choices & 128)
        found = candidates_find(profile, arena);
    if (found.count)
        return split_by_candidate(profile, &found.items[choices % found.count], arena);
    return choices & 1 ? split_by_key(profile, NULL, arena) : split_find(profile, arena);
}

void profile_exercise(const struct profile *profile, unsigned choices)
{
    struct arena *arena = arena_new(0);
    struct split *split = split_choose(profile, choices, arena);
    struct selection selection = selection_all(split);
    if (choices & 0x3E) { // selects as the bits say; otherwise everything
        bool *members = ARENA_ARRAY(arena, bool, split->count);
        members[split->count - 1] = choices & 2;
        selection.iterations = choices & 4 ? members : NULL;
        selection.adoption = !(choices & 8);
        selection.is_folded = !(choices & 8);
        selection.names = choices & 16 ? NAME_FULL : NAME_SHORT;
        if (choices & 32 && profile->device_count)
            selection.device = choices & 64 ? profile->device_count - 1 : 0;
        if (choices & 32 && profile->process_count)
            selection.process = 0;
    }
    check_selection(profile, &selection, choices);
    arena_free(arena);
}
