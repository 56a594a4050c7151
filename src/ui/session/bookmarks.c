// SPDX-License-Identifier: Apache-2.0
// Bookmarks. The text of a bookmark is a title line followed by the commands of session_place().
#include "ui/session/bookmarks.h"

#include <inttypes.h>
#include <string.h>

#include "base/text/text.h"
#include "model/profile/ranks.h"
#include "ui/actions/app_trail.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/session/session.h"
#include "ui/session/session_actions.h"
#include "ui/session/session_writer.h"
#include "ui/state/app_state.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/script_state.h"
#include "ui/state/splits.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/widgets/line_edit.h"

const char bookmark_names[MAX_BOOKMARKS + 1] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
#define TITLE_MARK "# " // precedes the title

// Returns the bookmark of a name, or NULL if it is not a name.
static struct bookmark *bookmark_of(struct app *app, const char *name)
{
    const char *at = *name ? strchr(bookmark_names, *name) : NULL;
    return at && !name[1] ? &app->bookmarks[at - bookmark_names] : NULL;
}

static void bookmark_set(struct app *app, struct bookmark *bookmark, const char *text,
                         size_t length)
{
    while (bookmark->capacity <= length)
        bookmark->text =
            arena_grow(app->arena, bookmark->text, bookmark->capacity, &bookmark->capacity, 1);
    memcpy(bookmark->text, text, length);
    bookmark->text[length] = 0;
}

// ---- titles ------------------------------------------------------------------------------------

// Returns a one-line title of the current place: "Op tree › forward › Kernels · gemm ·
// filter: gpu>1ms · steps 3-5 · GPU 2".
static const char *place_title(struct app *app, struct arena *arena)
{
    // Maximum widths of the title and of the path in it.
    enum { COLUMNS = 90, PATH = 60 };
    struct view *view = host_front_view(app);
    const struct scope *scope = app->scope;
    const char *text = view->class->title;
    const void *row = view->report ? table_row(&view->table) : NULL;
    const char *name = row ? table_row_name(&view->table, row) : NULL;
    bool is_tree = view->report && view->report->depth && !view->label[0]; // the path names the row
    if (view->report && view->label[0])
        text = view_path_text(view, PATH, arena);
    if (is_tree)
        text = arena_format(arena, "%s · %s", text, view_path_text(view, PATH, arena));
    else if (name && *name)
        text = arena_format(arena, "%s · %s", text, text_cut(arena, name, 30, true, false));
    if (view->report && view->table.filter_text[0])
        text = arena_format(arena, "%s · filter: %s", text, view->table.filter_text);
    if (scope->iterations && scope->iterations != app_default_set(app, false))
        text = arena_format(
            arena, "%s · %s %s", text, split_words_of(scope->split)->several,
            set_format(arena, scope->iterations, scope->split->number, scope->split->count));
    if (scope->device != ROW_NONE)
        text = arena_format(arena, "%s · GPU %" PRId64, text,
                            device_number(app->profile, scope->device));
    if (scope->process != ROW_NONE)
        text = arena_format(
            arena, "%s · %s", text,
            process_label(app->profile, scope->process, (char[PROCESS_LABEL_SIZE]){0}));
    return text_cut(arena, text_safe(arena, text, strlen(text), true), COLUMNS, true, false);
}

static const char *title_of(const struct bookmark *bookmark, struct arena *arena)
{
    size_t before =
        strncmp(bookmark->text, TITLE_MARK, strlen(TITLE_MARK)) == 0 ? strlen(TITLE_MARK) : 0;
    const char *line = bookmark->text + before;
    return arena_copy(arena, line, strcspn(line, "\n"));
}

// Returns the names in use: "a c 3".
static const char *used_names(const struct app *app, struct arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < MAX_BOOKMARKS; i++)
        if (app->bookmarks[i].text)
            text = arena_format(arena, "%s%s%c", text, *text ? " " : "", bookmark_names[i]);
    return text;
}

// ---- setting and jumping -----------------------------------------------------------------------

static bool is_possible(struct app *app)
{
    if (app->script->follows_session) // a bookmark must not lead to itself
        host_complain(app, "no command of sessions");
    else if (app->profile->stage != STAGE_READY)
        host_say(app, "bookmarks are there once everything is loaded");
    else
        return true;
    return false;
}

void app_bookmark(struct app *app, const char *argument)
{
    struct arena *arena = app->canvas->frame;
    struct bookmark *bookmark = bookmark_of(app, argument);
    bool is_cut;
    if (!is_possible(app))
        return;
    if (class_is_help(host_front_view(app)->class)) {
        host_say(app, "help is no place to come back to; {cancel} leaves it");
    } else if (!*argument) {
        prompt_open(app, PROMPT_BOOKMARK, "");
    } else if (!bookmark) {
        host_complain(app, "a bookmark is one letter or digit");
    } else {
        const char *title = place_title(app, arena);
        const char *place = session_place(app, arena, &is_cut);
        const char *text = arena_format(arena, TITLE_MARK "%s\n%s", title, place);
        if (is_cut) {
            host_complain(app, "not kept: too much is unfolded here");
            return;
        }
        char key[KEY_NAME_SIZE];
        bookmark_set(app, bookmark, text, strlen(text));
        host_say(app, "bookmark %s: %s   %s%s comes back", argument, title,
                 action_first_key(ACTION_JUMP, key), argument);
    }
}

// Returns the last view on the trail that a jump opened, or NULL.
static struct view *visit_last(const struct app *app)
{
    for (size_t i = app->places->depth; i-- > 0;)
        if (app->places->trail[i]->is_visit)
            return app->places->trail[i];
    return NULL;
}

static void jump_to(struct app *app, const struct bookmark *bookmark, const char *name)
{
    const struct view *before = visit_last(app);
    enum name_form names = app->display->names;
    bool is_folded = app->display->is_folded;
    uint32_t step = app->places->step;
    struct session_outcome outcome;
    app_remember(app);
    app->display->is_folded = true; // the commands of a place assume folded siblings
    bool is_followed = session_follow(app, bookmark->text, app->canvas->frame, &outcome);
    struct view *visit = visit_last(app);
    bool is_there = visit && visit != before;
    app->display->names = names; // restores the defaults for new views
    app->display->is_folded = is_folded;
    if (is_there) {
        visit->step_before = step;
        app_remember_visit(app, visit);
    }
    if (!is_followed || outcome.is_short || !is_there) {
        if (is_there)
            app_leave_visit(app);
        host_complain(app, "bookmark %s is not here: %s", name,
                      is_followed ? outcome.first : "out of memory");
    } else if (outcome.missing > 0) {
        host_say(app, "bookmark %s, as far as it is here: %s", name, outcome.first);
    }
}

void app_jump(struct app *app, const char *argument)
{
    struct arena *arena = app->canvas->frame;
    const struct bookmark *bookmark = bookmark_of(app, argument);
    char key[KEY_NAME_SIZE];
    if (!is_possible(app))
        return;
    const char *set = used_names(app, arena);
    if (strcmp(argument, "'") == 0) {
        if (!app_leave_visit(app))
            host_say(app, "no jump led here");
    } else if (!*set) {
        host_say(app, "no bookmarks yet: %s and a letter keeps a place",
                 action_first_key(ACTION_BOOKMARK, key));
    } else if (!*argument) {
        prompt_open(app, PROMPT_JUMP, "");
    } else if (!bookmark || !bookmark->text) {
        host_complain(app, "no bookmark '%.20s'; there are: %s", argument, set);
    } else {
        jump_to(app, bookmark, argument);
    }
}

// ---- keys --------------------------------------------------------------------------------------

// Returns the character of a key; "" if it cannot name a bookmark.
static const char *key_character(struct app *app, uint32_t key)
{
    return arena_format(app->canvas->frame, "%c", key > ' ' && key < 0x7f ? (int)key : 0);
}

// Jumps to a bookmark whose name is pressed in the list.
static bool bookmarks_key(struct app *app, uint32_t key, const char *argument)
{
    const char *name = key_character(app, key);
    const struct bookmark *bookmark = bookmark_of(app, name);
    (void)argument;
    if (!bookmark || !bookmark->text)
        return false;
    app->menu->is_open = false;
    app_jump(app, name);
    return true;
}

void app_bookmarks(struct app *app, const char *argument)
{
    char key[KEY_NAME_SIZE];
    (void)argument;
    menu_open(app, "Bookmarks", app_jump);
    app->menu->key = bookmarks_key;
    for (size_t i = 0; i < MAX_BOOKMARKS; i++)
        if (app->bookmarks[i].text)
            menu_add(app, (char[]){bookmark_names[i], 0}, false, "%c  %s", bookmark_names[i],
                     title_of(&app->bookmarks[i], app->canvas->frame));
    app->menu->is_open = app->menu->count > 0;
    if (!app->menu->is_open)
        host_say(app, "no bookmarks yet: %s and a letter keeps a place",
                 action_first_key(ACTION_BOOKMARK, key));
}

static bool is_cancelled(struct app *app, uint32_t key)
{
    app->prompt->kind = PROMPT_NONE;
    return key == KEY_ESCAPE || key == CONTROL_C || key == KEY_ERASE;
}

void bookmark_key(struct app *app, uint32_t key)
{
    const char *name = key_character(app, key);
    if (is_cancelled(app, key))
        return;
    if (bookmark_of(app, name))
        app_bookmark(app, name);
    else
        host_complain(app, "a bookmark is one letter or digit");
}

void jump_key(struct app *app, uint32_t key)
{
    const char *name = key_character(app, key);
    if (is_cancelled(app, key))
        return;
    if (key == KEY_ENTER_PRESSED || key == '\n')
        app_bookmarks(app, "");
    else
        app_jump(app, *name ? name : "?");
}

const char *bookmarks_hint(struct app *app, struct arena *arena)
{
    const char *set = used_names(app, arena);
    bool is_jump = app->prompt->kind == PROMPT_JUMP;
    return arena_format(arena, "%s%s%s   Esc cancels",
                        is_jump ? "Enter lists them, ' back" : "a letter or digit",
                        *set ? "; there are: " : "", set);
}

// ---- in sessions -------------------------------------------------------------------------------

void bookmarks_write(struct session_writer *writer)
{
    const struct app *app = writer->app;
    writer->depth = 0;
    for (size_t i = 0; i < MAX_BOOKMARKS; i++) {
        const char *text = app->bookmarks[i].text ? app->bookmarks[i].text : "";
        for (size_t length; *text; text += length + (text[length] == '\n')) {
            length = strcspn(text, "\n");
            session_add(writer, arena_format(writer->arena, "'%c %.*s", bookmark_names[i],
                                             (int)length, text));
        }
    }
}

struct bookmarks_reader {
    struct app *app;
    const char *session;
    struct arena *arena;
};

// Reads the bookmarks of a session. Consecutive lines with the same name form one bookmark.
static bool bookmarks_reader_body(void *context, struct error *error)
{
    enum { PREFIX_LENGTH = 3 }; // "'a "
    struct bookmarks_reader *reader = context;
    const char *text = reader->session;
    char *lines = ARENA_ARRAY(reader->arena, char, strlen(text) + 1), last_name = 0;
    struct bookmark *bookmark = NULL;
    size_t used = 0;
    (void)error;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        bool is_bookmark = length > PREFIX_LENGTH && text[0] == '\'' && text[2] == ' ' &&
                           strchr(bookmark_names, text[1]);
        if (bookmark && (!is_bookmark || text[1] != last_name))
            bookmark_set(reader->app, bookmark, lines, used);
        if (!is_bookmark || text[1] != last_name)
            used = 0;
        last_name = is_bookmark ? text[1] : 0;
        bookmark = is_bookmark ? bookmark_of(reader->app, (char[]){last_name, 0}) : NULL;
        if (!is_bookmark)
            continue;
        memcpy(lines + used, text + PREFIX_LENGTH, length - PREFIX_LENGTH);
        used += length - PREFIX_LENGTH;
        lines[used++] = '\n';
    }
    if (bookmark)
        bookmark_set(reader->app, bookmark, lines, used);
    return true;
}

void bookmarks_read(struct app *app, const char *session)
{
    struct bookmarks_reader reader = {app, session, app->canvas->frame};
    struct error error = {0};
    if (!app_guard(app, bookmarks_reader_body, &reader, &error))
        host_complain(app, "%s", error.message);
}
