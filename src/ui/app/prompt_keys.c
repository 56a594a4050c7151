// SPDX-License-Identifier: Apache-2.0
// Keys in the prompt, and how it is drawn.
#include <string.h>

#include "analysis/steps/step_sets.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "ui/actions/actions.h"
#include "ui/actions/app_save.h"
#include "ui/app/completion.h"
#include "ui/app/input.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/session/bookmarks.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/saving.h"
#include "ui/state/scope.h"
#include "ui/state/splits.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/widgets/line_edit.h"

static void overwrite_key(struct app *app, uint32_t key);

static const struct {
    const char *lead, *hint; // the hint for action_text()
    enum action action;      // action whose argument is typed
    // Handles the single key that the prompt waits for; NULL: a text is typed.
    void (*take)(struct app *app, uint32_t key);
} kinds[PROMPT_KIND_COUNT] = {
    [PROMPT_COMMAND] = {":", "Tab completes, Up brings former ones back", ACTION_COMMAND, NULL},
    // The hint lists the columns of the table.
    [PROMPT_FILTER] = {"filter: ", "", ACTION_FILTER, NULL},
    [PROMPT_SEARCH] = {"/", "{next-match} next, {previous-match} previous", ACTION_SEARCH, NULL},
    // The lead is the split's word for steps.
    [PROMPT_SET] = {"", STEP_SET_EXAMPLES, ACTION_SET, NULL},
    [PROMPT_STEP] = {"", "its number", ACTION_STEP, NULL},
    [PROMPT_ROW] = {"row: ", "its name, or what stands above it too: layers.*/mlp", ACTION_ROW,
                    NULL},
    [PROMPT_SAVE] = {"save as: ", "ending: csv tsv json md txt, screen: a picture", ACTION_SAVE,
                     NULL},
    [PROMPT_PAGE] = {"one-page report: ", "Markdown", ACTION_PAGE, NULL},
    [PROMPT_SESSION] = {"keep places in: ", "--session=FILE comes back to them", ACTION_SESSION,
                        NULL},
    [PROMPT_OVERWRITE] = {"", "", ACTION_NONE, overwrite_key},
    [PROMPT_BOOKMARK] = {"keep this place as: ", "", ACTION_BOOKMARK, bookmark_key},
    [PROMPT_JUMP] = {"to bookmark: ", "", ACTION_JUMP, jump_key},
    [PROMPT_NOTHING] = {"", "there are no rows in this view (2 and 3 have some); Esc closes",
                        ACTION_NONE, NULL},
};

enum action prompt_action(const struct prompt *prompt)
{
    return kinds[prompt->kind].action;
}

// Applies filter and search while typing. If the text is not valid yet, the previous one stays in
// effect.
static void prompt_apply(struct app *app)
{
    struct prompt *prompt = app->prompt;
    struct view *view = host_top_view(app);
    struct error error = {0};
    prompt->problem[0] = 0;
    bool is_of_rows = prompt->kind == PROMPT_FILTER || prompt->kind == PROMPT_SEARCH;
    if (!view || !view->report || !is_of_rows)
        return;
    view_refresh(view); // a stage of loading or a baseline may have changed the rows
    bool is_valid = true;
    if (prompt->kind == PROMPT_FILTER)
        is_valid = table_set_filter(&view->table, prompt->text, &error);
    if (prompt->kind == PROMPT_SEARCH) {
        is_valid = table_set_search(&view->table, prompt->text, &error);
        view->table.cursor_id = prompt->place;
        table_update(&view->table, NULL);
        if (*prompt->text && !table_is_on_match(&view->table))
            table_peek_match(&view->table);
    }
    if (!is_valid)
        snprintf(prompt->problem, sizeof prompt->problem, "%.390s", error.message);
}

// Reopens the prompt with its text and the error message, if the text names no step or row.
static void prompt_reopen(struct app *app, enum prompt_kind kind)
{
    app->prompt->kind = kind;
    snprintf(app->prompt->problem, sizeof app->prompt->problem, "%.390s", app->messages->text);
    app->messages->text[0] = 0;
    app->messages->is_error = false;
}

static void prompt_accept(struct app *app)
{
    struct prompt *prompt = app->prompt;
    enum prompt_kind kind = prompt->kind;
    char text[PROMPT_SIZE];
    memcpy(text, prompt->text, sizeof text);
    if (prompt->problem[0]) {
        host_complain(app, "%s", prompt->problem);
        return; // stays open for correction
    }
    prompt->kind = PROMPT_NONE;
    struct view *view = host_top_view(app);
    switch (kind) {
    case PROMPT_COMMAND:
        if (*text) {
            prompt_remember(prompt, text);
            host_run_command(app, text);
        }
        break;
    case PROMPT_SEARCH:
        if (view && view->class->search && *text)
            app_search(app, text);
        else if (view && view->report && *text && view->table.match_count == 0)
            host_say(app, "not found: %s", text);
        else if (view && view->report && view->table.has_peeked_row)
            table_go(&view->table, view->table.peeked_row);
        break;
    case PROMPT_SET:
        if (*text)
            app_set(app, text);
        else
            host_say(app, "nothing typed: the set stays as it was; `all` takes every one");
        break;
    case PROMPT_STEP:
        if (*text)
            app_go_step(app, text);
        break;
    case PROMPT_ROW:
        if (*text)
            app_row(app, text);
        break;
    case PROMPT_SESSION:
        app_write_session(app, text, false);
        break;
    case PROMPT_SAVE:
        app_write_view(app, text, false);
        break;
    case PROMPT_PAGE:
        app_write_page(app, text, false);
        break;
    default:
        break;
    }
    if (app->messages->is_error &&
        (kind == PROMPT_SET || kind == PROMPT_STEP || kind == PROMPT_ROW))
        prompt_reopen(app, kind);
}

static void prompt_cancel(struct app *app)
{
    struct prompt *prompt = app->prompt;
    enum prompt_kind kind = prompt->kind;
    if (kind == PROMPT_FILTER || kind == PROMPT_SEARCH) {
        snprintf(prompt->text, sizeof prompt->text, "%s",
                 kind == PROMPT_FILTER ? prompt->before : "");
        prompt_apply(app);
        struct view *view = host_top_view(app);
        if (view && view->report && kind == PROMPT_SEARCH)
            table_go(&view->table, prompt->place);
    }
    prompt->kind = PROMPT_NONE;
}

static struct line_edit line_of(struct prompt *prompt)
{
    return (struct line_edit){prompt->text, sizeof prompt->text, &prompt->length, &prompt->at};
}

void prompt_insert(struct prompt *prompt, const char *bytes, size_t count)
{
    line_insert(line_of(prompt), bytes, count);
}

static void prompt_recall(struct prompt *prompt, int direction)
{
    if (prompt->kind != PROMPT_COMMAND)
        return;
    if (direction < 0 && prompt->history_at > 0)
        prompt->history_at--;
    else if (direction > 0 && prompt->history_at < prompt->history_count)
        prompt->history_at++;
    else
        return;
    const char *text =
        prompt->history_at < prompt->history_count ? prompt->history[prompt->history_at] : "";
    snprintf(prompt->text, sizeof prompt->text, "%s", text);
    prompt->length = prompt->at = strlen(prompt->text);
}

static void overwrite_key(struct app *app, uint32_t key)
{
    struct prompt *prompt = app->prompt;
    enum prompt_kind asked_by = prompt->asked_by;
    char path[PROMPT_SIZE], argument[PROMPT_SIZE];
    memcpy(path, prompt->text, sizeof path);
    memcpy(argument, prompt->before, sizeof argument);
    prompt->kind = PROMPT_NONE;
    if (key != 'y' && key != 'Y')
        host_say(app, "not saved");
    else if (asked_by == PROMPT_PAGE)
        app_write_page(app, path, true);
    else if (asked_by == PROMPT_SESSION)
        app_write_session(app, path, true);
    else if (asked_by == PROMPT_COMMAND)
        app_copy_over(app, argument);
    else
        app_write_view(app, path, true);
}

// Moves within the text, or recalls a previous one. Returns false if the key does something else.
static bool prompt_move(struct prompt *prompt, uint32_t key)
{
    if (key != KEY_CURSOR_UP && key != KEY_CURSOR_DOWN)
        return line_move_cursor(line_of(prompt), key);
    prompt_recall(prompt, key == KEY_CURSOR_UP ? -1 : 1);
    return true;
}

void prompt_key(struct app *app, uint32_t key)
{
    struct prompt *prompt = app->prompt;
    if (kinds[prompt->kind].take) {
        kinds[prompt->kind].take(app, key);
        return;
    }
    prompt->problem[0] = 0;
    // Backspace in an empty prompt cancels it.
    bool is_given_up = (key == KEY_ERASE || key == CONTROL_H) && prompt->length == 0;
    if (key == KEY_ESCAPE || key == CONTROL_C || is_given_up) {
        prompt_cancel(app);
    } else if (key == KEY_ENTER_PRESSED || key == '\n') {
        prompt_apply(app);
        prompt_accept(app);
    } else if (key == KEY_TABULATOR) {
        prompt_complete(app);
    } else if (!prompt_move(prompt, key)) {
        line_edit_key(line_of(prompt), key);
        prompt_apply(app);
    }
}

// Draws a problem that is too long for the prompt in separate lines above it, because the reason is
// at the end of the text.
static void problem_draw(struct canvas *canvas, int y, const char *problem)
{
    const char *text = text_safe(canvas->frame, problem, strlen(problem), true);
    struct area area = {1, 0, canvas->width - 2, 0};
    int lines = canvas_wrap_from(canvas, area, 0, STYLE_WARNING, text);
    area.height = lines < y ? lines : y;
    area.y = y - area.height;
    canvas_fill(canvas, (struct area){0, area.y, canvas->width, area.height}, STYLE_PROMPT, ' ');
    canvas_wrap(canvas, area, STYLE_WARNING, text);
}

void prompt_draw(struct app *app, struct canvas *canvas, int y)
{
    struct prompt *prompt = app->prompt;
    int width = canvas->width, x = 1;
    canvas_fill(canvas, (struct area){0, y, width, 1}, STYLE_PROMPT, ' ');
    if (prompt->kind == PROMPT_OVERWRITE) {
        canvas_format(canvas, x, y, width - 2, STYLE_WARNING, "%s exists. Overwrite? y/n",
                      prompt->text);
        return;
    }
    enum prompt_kind shown = prompt->kind == PROMPT_NOTHING ? prompt->asked_by : prompt->kind;
    const struct split_words *words = split_words_of(app->scope->split);
    const char *lead = shown == PROMPT_SET    ? arena_format(canvas->frame, "%s: ", words->several)
                       : shown == PROMPT_STEP ? arena_format(canvas->frame, "%s: ", words->one)
                                              : kinds[shown].lead;
    struct view *view = host_top_view(app);
    size_t marked = shown == PROMPT_SAVE && view->report ? table_marked_count(&view->table) : 0;
    char count[FORMAT_SIZE];
    if (marked > 0)
        lead = arena_format(canvas->frame,
                            "save only the %s as: ", format_counted(count, marked, "marked row"));
    x += canvas_text_in(canvas, x, y, width - 2, STYLE_KEY, lead);
    // Skips the beginning of a long line so that the cursor stays visible.
    const char *head = arena_copy(canvas->frame, prompt->text, prompt->at);
    int room = width - x - 2, before = canvas_width(head);
    size_t skip = 0;
    while (before > room && skip < prompt->at) {
        uint32_t code;
        skip += text_decode(prompt->text + skip, prompt->length - skip, &code);
        before -= text_code_width(code);
    }
    int used = canvas_text_in(canvas, x, y, room, STYLE_PROMPT, prompt->text + skip);
    canvas_flag(canvas, (struct area){x + before, y, 1, 1}, CELL_MATCH);
    const char *note =
        prompt->problem[0] ? prompt->problem : action_text(kinds[prompt->kind].hint, canvas->frame);
    if (prompt->kind == PROMPT_FILTER && !prompt->problem[0] && host_top_view(app)->report)
        note = table_filter_hint(&host_top_view(app)->table, canvas->frame);
    if (prompt->kind == PROMPT_BOOKMARK || prompt->kind == PROMPT_JUMP)
        note = bookmarks_hint(app, canvas->frame);
    int note_width = canvas_width(note);
    int left = width - x - used - 3;
    if (prompt->problem[0] && note_width > left)
        problem_draw(canvas, y, prompt->problem);
    else if (left > 8)
        canvas_fit(canvas, note_width < left ? width - note_width - 1 : x + used + 2, y,
                   note_width < left ? note_width : left,
                   prompt->problem[0] ? STYLE_WARNING : STYLE_DIM, FIT_LEFT, note);
}
