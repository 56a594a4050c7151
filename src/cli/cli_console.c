// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_console.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "analysis/report/dlprof_rules.h"
#include "analysis/reports/dlprof/dlprof_rows.h"
#include "analysis/reports/report_list.h"
#include "analysis/sums/op_metrics.h"
#include "base/text/text.h"

static bool is_printed(const struct console *console, enum verbosity minimum)
{
    return console->verbosity >= minimum;
}

// Prints and clears `text`, which may contain texts of the profile.
static void say(const struct console *console, struct bytes *text)
{
    console->say("", text_safe(text->arena, text->items, text->count, false));
    text->count = 0;
}

void console_stamp(const struct console *console, enum verbosity minimum, const char *text)
{
    char stamp[40];
    time_t now = time(NULL);
    struct tm local;
    if (!is_printed(console, minimum))
        return;
    localtime_r(&now, &local);
    strftime(stamp, sizeof stamp, "[DLProf-%H:%M:%S] ", &local);
    console->say(stamp, text);
}

void console_tables(const struct console *console, const struct profile *profile,
                    struct arena *arena)
{
    struct bytes text = {.arena = arena};
    if (!is_printed(console, VERBOSITY_DIAGNOSTIC))
        return;
    for (size_t i = 0; i < profile->table_count; i++) {
        const struct table_count *table = &profile->tables[i];
        bytes_format(&text, "%" PRId64 " rows of %s", table->rows, table->table);
        if (table->skipped)
            bytes_format(&text, ", %" PRId64 " of them not usable: %s", table->skipped, table->why);
        say(console, &text);
    }
    for (size_t i = 0; i < profile->note_count; i++) {
        bytes_text(&text, profile->notes[i].text);
        say(console, &text);
    }
}

void console_iterations(const struct console *console, const struct profile *profile,
                        const struct selection *selection, struct arena *arena)
{
    const struct split *split = selection->split;
    uint32_t first = selection_first_iteration(selection),
             last = selection_last_iteration(selection);
    uint32_t selected = selection_iteration_count(selection);
    if (!is_printed(console, VERBOSITY_NORMAL))
        return;
    console_stamp(console, VERBOSITY_NORMAL,
                  arena_format(arena, "Found %u iteration%s using key_node \"%s\"", split->count,
                               split->count == 1 ? "" : "s",
                               text_safe(arena, split->key, strlen(split->key), true)));
    if (profile->lacks_times)
        return; // iterations below are printed as times
    struct bytes text = {.arena = arena};
    bytes_text(&text, "Iterations: [");
    for (uint32_t i = 0; i < split->count; i++)
        bytes_format(&text, "%s%" PRId64, i ? ", " : "", iteration_stop(split, i));
    bytes_char(&text, ']');
    say(console, &text);
    if (first == ROW_NONE)
        return;
    bytes_format(&text,
                 "Aggregating data over %u iteration%s: iteration %" PRId64 " start (%" PRId64
                 " ns) to iteration %" PRId64 " end (%" PRId64 " ns)",
                 selected, selected == 1 ? "" : "s", split->number[first], split->start[first],
                 split->number[last], iteration_stop(split, last));
    say(console, &text);
}

void console_files(const struct console *console, const struct export_dlprof_request *request,
                   struct arena *arena)
{
    for (size_t i = 0; is_printed(console, VERBOSITY_DETAILED) && i < export_dlprof_count(request);
         i++) {
        const char *path = export_dlprof_path(request, i, arena);
        console_stamp(console, VERBOSITY_DETAILED,
                      arena_format(arena, "Wrote %s", text_safe(arena, path, strlen(path), true)));
    }
}

bool console_figures(const struct console *console, const struct profile *profile,
                     const struct selection *selection, struct arena *arena, struct error *error)
{
    const struct report *report = report_find("summary");
    struct rows rows = {0};
    if (!is_printed(console, VERBOSITY_NORMAL))
        return true;
    if (!report_build(report, profile, selection, arena, &rows, error))
        return false;
    struct bytes text = {.arena = arena};
    for (size_t i = 0; i < rows.count; i++) {
        const struct summary_row *row = report_row(report, &rows, i);
        if (row->section != SUMMARY_TIMES)
            continue;
        bytes_format(&text, "%s: %s", row->name, row->text ? row->text : "-");
        say(console, &text);
    }
    return true;
}

bool console_expert(const struct console *console, const struct profile *profile,
                    const struct selection *selection, struct arena *arena, struct error *error)
{
    const struct report *report = report_find("expert_systems");
    const struct column *problem = report_column(report, "problem"),
                        *advice = report_column(report, "recommendation");
    struct rows rows = {0};
    if (!is_printed(console, VERBOSITY_NORMAL))
        return true;
    if (!report_build(report, profile, selection, arena, &rows, error))
        return false;
    struct bytes text = {.arena = arena};
    bytes_format(&text,
                 "Expert Systems Feedback: %zu issues detected. Note that expert systems is still "
                 "experimental as are all recommended changes\n",
                 rows.count);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        bytes_format(&text, "\nProblem detected: \n  %s\nRecommended change: \n  %s\n",
                     problem->get(row).text, advice->get(row).text);
    }
    say(console, &text);
    return true;
}
