// SPDX-License-Identifier: Apache-2.0
// The list of candidates for the split into steps. Moving the cursor previews a split; Enter keeps
// it, closing the list restores the former one. "Now" is the row of the split in use when the list
// was opened.
#include "ui/actions/candidates.h"

#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "model/steps/step_candidates.h"
#include "ui/actions/actions.h"
#include "ui/host.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/splits.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/widgets/bars.h"
#include "ui/widgets/list.h"

// ---- the list ----------------------------------------------------------------------------------
// Rows: the former split if it is not among the others, then the candidates, then DLProf's own
// rule.

struct row {
    const struct step_candidate *candidate; // NULL: none
    const char *name;                       // for app_preview_split(); NULL: the former split
    const char *text;
};

static struct row row_at(const struct app *app, size_t i)
{
    const struct candidates_panel *panel = app->candidates;
    if (i == panel->original_row && panel->is_original_extra)
        return (struct row){.text = panel->before.split->text};
    size_t at = i - panel->is_original_extra;
    struct row row = {.name = split_words[SPLIT_DLPROF], .text = "DLProf's own rule"};
    if (at < panel->found.count) {
        row.candidate = &panel->found.items[at];
        row.name = row.candidate->key;
        row.text = row.candidate->text;
    }
    if (i == panel->original_row)
        row.name = NULL;
    return row;
}

// Finds the row of the current split, or adds a row for it.
static void find_current_row(struct app *app)
{
    struct candidates_panel *panel = app->candidates;
    const char *name = app_split_name(app);
    size_t count = panel->found.count;
    panel->is_original_extra = false;
    for (panel->original_row = 0; panel->original_row <= count; panel->original_row++)
        if (strcmp(name, panel->original_row < count ? panel->found.items[panel->original_row].key
                                                     : split_words[SPLIT_DLPROF]) == 0)
            return;
    panel->original_row = panel->found.chosen;
    if (strcmp(name, split_words[SPLIT_FOUND]) == 0 && panel->original_row < count)
        return;
    panel->original_row = 0;
    panel->is_original_extra = true;
}

static bool find_body(void *context, struct error *error)
{
    struct app *app = context;
    (void)error;
    app->candidates->found = candidates_find(app->profile, app->candidates->arena);
    return true;
}

static bool candidates_ready(struct app *app)
{
    struct candidates_panel *panel = app->candidates;
    struct error error = {0};
    if (panel->arena && panel->profile == app->profile)
        return true;
    candidates_forget(app);
    panel->arena = arena_new(0);
    if (panel->arena && arena_run(panel->arena, find_body, app, &error)) {
        panel->profile = app->profile;
        return true;
    }
    candidates_forget(app);
    host_complain(app, "%s", error.message);
    return false;
}

// ---- opening, moving, closing ------------------------------------------------------------------

void candidates_open(struct app *app)
{
    struct candidates_panel *panel = app->candidates;
    if (app->profile->stage != STAGE_READY) {
        host_say(app, "still loading: steps are not known yet");
        return;
    }
    candidates_close(app);
    if (!candidates_ready(app))
        return;
    panel->is_open = true;
    panel->before = *app->scope;
    panel->cursor_before = app->places->step;
    find_current_row(app);
    panel->cursor = panel->original_row;
    panel->top = 0;
}

void candidates_close(struct app *app)
{
    struct candidates_panel *panel = app->candidates;
    if (!panel->is_open)
        return;
    panel->is_open = false;
    app_preview_end(app, &panel->before, panel->cursor_before, false);
}

static void move_to(struct app *app, size_t at)
{
    struct candidates_panel *panel = app->candidates;
    struct error error = {0};
    if (at == panel->cursor)
        return;
    panel->cursor = at;
    const char *name = row_at(app, at).name;
    if (name && app_preview_split(app, name, &error))
        return;
    // Restore the former split and set, also if this split cannot be made; otherwise Enter would
    // keep the split of another row.
    app_preview_end(app, &panel->before, panel->cursor_before, false);
    if (name)
        host_complain(app, "%s", error.message);
}

static void keep_preview(struct app *app)
{
    struct candidates_panel *panel = app->candidates;
    panel->is_open = false;
    app_preview_end(app, &panel->before, panel->cursor_before, true);
    host_say(app, "%s", app->scope->split->text);
}

void candidates_key(struct app *app, uint32_t key)
{
    struct candidates_panel *panel = app->candidates;
    size_t to = panel->cursor;
    enum action action = action_of_key(key, KIND_TABLE);
    if (list_move(action, &to, candidates_count(panel) - 1, panel->page ? panel->page : 1)) {
        move_to(app, to);
        return;
    }
    switch (action) {
    case ACTION_ENTER:
        keep_preview(app);
        break;
    case ACTION_VIEW: // changes the view above the list
        host_do_action(app, action, (char[]){(char)key, 0});
        break;
    case ACTION_REDRAW:
    case ACTION_SUSPEND:
    case ACTION_QUIT_NOW:
        host_do_action(app, action, "");
        break;
    case ACTION_CANCEL:
    case ACTION_BACK:
    case ACTION_QUIT:
    case ACTION_INTERRUPT:
    case ACTION_KEY_OP:
        candidates_close(app);
        host_say(app, "as before: %s", app->scope->split->text);
        break;
    default:
        host_say(app, "{enter} takes what is under the cursor, {cancel} brings back what was");
        break;
    }
}

void candidates_click(struct app *app, int y)
{
    struct candidates_panel *panel = app->candidates;
    int lines = candidates_lines(app, app->canvas->height);
    int first = app->canvas->height - 2 - lines + 2; // below title and heads
    size_t at = panel->top + (size_t)(y >= first ? y - first : 0);
    if (y < first - 2) {
        candidates_close(app);
    } else if (y >= first && at < panel->top + panel->page && at < candidates_count(panel)) {
        if (at == panel->cursor)
            keep_preview(app);
        else
            move_to(app, at);
    }
}

// ---- drawing -----------------------------------------------------------------------------------

// Positions of the columns; columns without room are left out.
struct columns {
    int text, count, period, jitter, coverage, sure, bars; // x; 0: not shown
    int count_width, bars_width;
};

static struct columns columns_of(int width)
{
    // Widths of the columns.
    enum { PERIOD = 9, JITTER = 7, COVERAGE = 7, SURE = 9 };
    // A wide screen has room for the unit after the count.
    struct columns columns = {.text = 3, .count_width = width >= 100 ? 17 : 7};
    int x = width - 1;
    columns.bars_width = width >= 150   ? 64
                         : width >= 120 ? 20
                         : width >= 100 ? 12
                         : width >= 78  ? 8
                                        : 0;
    x -= columns.bars_width;
    columns.bars = columns.bars_width ? x : 0;
    columns.sure = width >= 60 ? x -= SURE + 1 : 0;
    columns.coverage = width >= 70 ? x -= COVERAGE : 0;
    columns.jitter = width >= 70 ? x -= JITTER : 0;
    columns.period = width >= 46 ? x -= PERIOD : 0;
    columns.count = x - columns.count_width - 1;
    return columns;
}

static void heads_draw(struct canvas *canvas, int y, const struct columns *columns)
{
    const struct {
        int x, width;
        const char *text;
    } heads[] = {
        {columns->count, columns->count_width, columns->count_width > 7 ? "how many" : "count"},
        {columns->period, 8, "period"},
        {columns->jitter, 7, "jitter"},
        {columns->coverage, 7, "covers"}};
    canvas_text(canvas, columns->text, y, STYLE_HEADER, "by");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (heads[i].x)
            canvas_fit(canvas, heads[i].x, y, heads[i].width, STYLE_HEADER, FIT_RIGHT,
                       heads[i].text);
    if (columns->sure)
        canvas_text(canvas, columns->sure + 1, y, STYLE_HEADER, "sure");
    if (columns->bars)
        canvas_text_in(canvas, columns->bars, y, columns->bars_width, STYLE_HEADER, "lengths");
}

// Draws the step lengths as a sparkline. The scale starts at two thirds of the maximum or lower, so
// that small jitter looks small.
static void lengths_draw(struct canvas *canvas, int x, int y, int width,
                         const struct step_candidate *candidate)
{
    double low = INFINITY, high = 0;
    uint32_t count = candidate->bar_count, room = (uint32_t)width;
    uint32_t bucket = (count + room - 1) / room;
    for (uint32_t i = 0; i < count; i++) {
        low = (double)candidate->bars[i] < low ? (double)candidate->bars[i] : low;
        high = (double)candidate->bars[i] > high ? (double)candidate->bars[i] : high;
    }
    low = high - low < high / 3 ? high * 2 / 3 : low;
    for (uint32_t i = 0; i < count; i += bucket, x++) {
        double most = 0;
        for (uint32_t k = i; k < i + bucket && k < count; k++)
            most = (double)candidate->bars[k] > most ? (double)candidate->bars[k] : most;
        sparkline_draw(canvas, x, y, &most, 1, low, high, STYLE_BAR);
    }
}

static void percent_draw(struct canvas *canvas, int x, int y, double share)
{
    char text[FORMAT_SIZE];
    if (x)
        canvas_fit(canvas, x, y, 6, STYLE_TEXT, FIT_RIGHT,
                   isnan(share) ? "-"
                                : arena_format(canvas->frame, "%s%%", format_percent(text, share)));
}

static void row_draw(struct app *app, struct canvas *canvas, int y, size_t i,
                     const struct columns *columns)
{
    struct row row = row_at(app, i);
    const struct step_candidate *candidate = row.candidate;
    char text[FORMAT_SIZE];
    if (i == app->candidates->original_row)
        canvas_put(canvas, 1, y, STYLE_GOOD, 0x2713);
    canvas_fit(canvas, columns->text, y,
               (candidate ? columns->count : canvas->width) - columns->text - 1, STYLE_TEXT,
               FIT_MIDDLE, row.text);
    if (candidate) {
        canvas_fit(canvas, columns->count, y, columns->count_width, STYLE_STRONG, FIT_RIGHT,
                   columns->count_width > 7
                       ? format_counted(text, candidate->count, candidate->unit)
                       : format_count(text, candidate->count));
        if (columns->period)
            canvas_fit(canvas, columns->period, y, 8, STYLE_TEXT, FIT_RIGHT,
                       candidate->period_ns == UNKNOWN
                           ? "-"
                           : format_duration(text, candidate->period_ns, canvas->ascii));
        percent_draw(canvas, columns->jitter, y, candidate->jitter);
        percent_draw(canvas, columns->coverage, y, candidate->coverage);
        if (columns->sure)
            canvas_text(canvas, columns->sure + 1, y,
                        candidate->confidence == CONFIDENCE_CERTAIN ? STYLE_GOOD
                        : candidate->confidence == CONFIDENCE_NONE  ? STYLE_DIM
                                                                    : STYLE_TEXT,
                        confidence_names[candidate->confidence]);
        if (columns->bars)
            lengths_draw(canvas, columns->bars, y, columns->bars_width, candidate);
    }
    if (i == app->candidates->cursor)
        canvas_flag(canvas, (struct area){0, y, canvas->width, 1}, CELL_CURSOR);
}

// Returns the evidence for the candidate under the cursor and its number of micro-steps. If its
// name did not fit into the row, the text begins with the name.
static const char *evidence_text(struct app *app, struct canvas *canvas,
                                 const struct columns *columns)
{
    struct row row = row_at(app, app->candidates->cursor);
    const struct step_candidate *candidate = row.candidate;
    if (!candidate)
        return app->scope->split->text;
    const char *name = canvas_width(row.text) > columns->count - columns->text - 1
                           ? arena_format(canvas->frame, "%s: ", row.text)
                           : "";
    const char *inner =
        candidate->inner > 0
            ? arena_format(canvas->frame, "; %u micro-steps in each", candidate->inner)
            : "";
    const char *equal = candidate->is_equal ? "" : "; not as many in every process";
    return arena_format(
        canvas->frame, "%s%s%s%s", name,
        text_display_units(canvas->frame, candidate->why ? candidate->why : "", canvas->ascii),
        inner, equal);
}

void candidates_draw(struct app *app, struct canvas *canvas)
{
    struct candidates_panel *panel = app->candidates;
    int lines = candidates_lines(app, canvas->height), y = canvas->height - 2 - lines;
    if (lines == 0 || y < 1)
        return;
    canvas_fill(canvas, (struct area){0, y, canvas->width, lines}, STYLE_TEXT, ' ');
    char count[FORMAT_SIZE];
    canvas_rule(canvas, 0, y, canvas->width,
                arena_format(canvas->frame, "What cuts the run into steps?  %s",
                             format_counted(count, panel->found.count, "candidate")));
    struct columns columns = columns_of(canvas->width);
    heads_draw(canvas, y + 1, &columns);
    panel->page = (size_t)(lines - CANDIDATES_FRAME);
    panel->top = list_top(panel->top, panel->cursor, (int)panel->page, candidates_count(panel));
    for (size_t i = 0; i < panel->page && panel->top + i < candidates_count(panel); i++)
        row_draw(app, canvas, y + 2 + (int)i, panel->top + i, &columns);
    scroll_thumb_draw(canvas, canvas->width - 1, y + 2, (int)panel->page, panel->top,
                      candidates_count(panel));
    canvas_fit(canvas, 3, y + lines - 1, canvas->width - 4, STYLE_DIM, FIT_LEFT,
               evidence_text(app, canvas, &columns));
}

void app_key_op(struct app *app, const char *argument)
{
    struct error error = {0};
    if (!*argument)
        candidates_open(app);
    else if (!app_choose_split(app, argument, &error))
        host_complain(app, "%s", error.message);
    else if (!app->messages->is_error)
        host_say(app, "%s", app->scope->split->text);
}
