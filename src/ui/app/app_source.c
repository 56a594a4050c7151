// SPDX-License-Identifier: Apache-2.0
// Finds the source line of a row and opens an editor there; the ncu command for a kernel.
#include <stdlib.h>
#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/report/stats.h"
#include "analysis/reports/ncu_command.h"
#include "base/text/text.h"
#include "model/ops/ops.h"
#include "ui/app/app_actions.h"
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/saving.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"
#include "ui/term/source_file.h"
#include "ui/term/term.h"

// ---- the source line of a row -------------------------------------------------------------------

// Returns the line with the most GPU time in the selection, or the most host time if no line has
// GPU time.
static string_id leading_line(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    const struct api_calls *api = &profile->api;
    uint32_t texts = strings_count(profile->strings);
    int64_t *sums[2] = {ARENA_ARRAY(arena, int64_t, texts), ARENA_ARRAY(arena, int64_t, texts)};
    for (uint32_t w = 0; w < profile->work.count; w++) {
        uint32_t call = AT(profile->work.launch, w);
        if (call != ROW_NONE && selection_has_work(profile, selection, w))
            sum_add(&sums[0][api_route(api, call).place], work_duration(profile, w));
    }
    for (uint32_t i = 0; i < api->count; i++)
        if (selection_has_api(profile, selection, i))
            sum_add(&sums[1][api_route(api, i).place], AT(api->end, i) - AT(api->start, i));
    string_id best = STRING_NONE;
    for (int s = 0; s < 2 && best == STRING_NONE; s++)
        for (uint32_t i = 0; i < profile->line_count; i++)
            if (sums[s][profile->lines[i].text] > 0 &&
                (best == STRING_NONE || sums[s][profile->lines[i].text] > sums[s][best]))
                best = profile->lines[i].text;
    return best;
}

// Returns the source line of the row under the cursor, STRING_NONE if it is unknown.
static string_id row_line(struct view *view)
{
    const struct profile *profile = view->app->profile;
    const struct finding *finding = view->class->finding ? view->class->finding(view) : NULL;
    const void *row = view->report ? table_row(&view->table) : NULL;
    const struct column *column = view->report ? report_column(view->report, "source_line") : NULL;
    if (finding)
        return finding->source ? strings_find(profile->strings, finding->source)
                               : (string_id)STRING_NONE;
    if (row && column) {
        struct value value = column->get(row);
        return value.kind == VALUE_TEXT ? strings_find(profile->strings, value.text)
                                        : (string_id)STRING_NONE;
    }
    struct selection selection;
    if (!row || !profile->line_count || profile->stage < STAGE_READY ||
        !view_row_opens(view, &selection))
        return STRING_NONE;
    return leading_line(profile, &selection, view->app->canvas->frame);
}

void app_set_source_root(struct app *app, const char *argument)
{
    if (!*argument) {
        host_say(app,
                 "files of the program: as the capture wrote their paths, else below %s; "
                 ":source-root FOLDER",
                 host_source_root(app));
        return;
    }
    app->source->root = arena_text(app->arena, argument);
    app->source->serial++;
    host_say(app, "files of the program are looked for below %s, too", argument);
}

// ---- editing -----------------------------------------------------------------------------------

static const char *editor_of(void)
{
    static const char *const names[] = {"VISUAL", "EDITOR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *editor = getenv(names[i]);
        if (editor && editor[strspn(editor, " ")])
            return editor;
    }
    return "";
}

void app_edit(struct app *app, const char *argument)
{
    (void)argument;
    const struct profile *profile = app->profile;
    struct arena *arena = app->canvas->frame;
    struct view *view = host_top_view(app);
    string_id text = row_line(view);
    const struct program_line *line = profile_line(profile, text);
    if (!line) {
        host_say(app, profile->line_count
                          ? "no line of the program is known of this row"
                          : "no line of the program is known of this row: no call chains in the "
                            "file; {capture-line} has the option");
        return;
    }
    const char *recorded = profile_text(profile, line->file);
    const char *path = source_file_find(recorded, host_source_root(app), arena);
    const char *shown = text_safe(arena, recorded, strlen(recorded), true);
    struct error error = {0};
    if (line->file == STRING_NONE) {
        host_say(app, "%s: which file that is of is not told, or several are called so",
                 profile_text(profile, text));
    } else if (!path) {
        host_say(app, "%s is not on this machine (:source-root FOLDER)", shown);
    } else {
        char **argv = source_file_argv(editor_of(), path, line->line, arena);
        bool is_done = app->is_live ? term_run(argv, &error) : program_run(argv, &error);
        app->source->serial++; // the editor may have changed the file
        if (!is_done)
            host_complain_error(app, &error);
    }
}

// ---- ncu ---------------------------------------------------------------------------------------

// Returns the kernel of the row under the cursor: itself, or the kernel of median length among the
// rows that it opens; ROW_NONE if there is none.
static uint32_t row_kernel(struct view *view)
{
    const struct profile *profile = view->app->profile;
    const void *row = view->report ? table_row(&view->table) : NULL;
    struct selection selection;
    if (!row || profile->stage < STAGE_READY)
        return ROW_NONE;
    if (view->report->work) {
        uint32_t work = view->report->work(row);
        return profile->functions[AT(profile->work.function, work)].kind == WORK_KERNEL ? work
                                                                                        : ROW_NONE;
    }
    if (!view_row_opens(view, &selection))
        return ROW_NONE;
    return ncu_median_launch(profile, &selection, view->app->canvas->frame);
}

void app_ncu(struct app *app, const char *argument)
{
    (void)argument;
    uint32_t work = row_kernel(host_top_view(app));
    if (work == ROW_NONE) {
        host_say(app, "no kernel is under the cursor, and none in what {enter} opens");
        return;
    }
    struct arena *arena = app->canvas->frame;
    struct ncu_command line = ncu_command_of(app->profile, work, arena);
    host_open_box(app, "ncu: profiles this launch",
                  arena_format(arena, "%s\n\n%s", line.command, line.text));
    host_copy_text(app, "the ncu line", line.command);
}
