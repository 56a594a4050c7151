// SPDX-License-Identifier: Apache-2.0
// Reads a session and runs its commands.
//
// Commands are indented by the place that they belong to: a deeper indent means that the place was
// reached from a row of the place above. If such a command fails, the lines of that place and of
// all places reached from it are skipped, up to a command that starts anew (ends_skipping()).
#include "ui/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/session/bookmarks.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/requests.h"
#include "ui/state/script_state.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/term/action.h"

// Version of the file format, in its first line.
enum { VERSION = 1 };

// ---- reading -----------------------------------------------------------------------------------

// Reads a regular file. Returns NULL if it cannot be read, is longer than MAX_SESSION_BYTES, or has
// NUL bytes.
static char *text_read(const char *path, struct arena *arena, struct error *error)
{
    char *text = ARENA_ARRAY(arena, char, MAX_SESSION_BYTES + 1);
    int number = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    ssize_t length = -1;
    bool is_there = number >= 0 && fstat(number, &status) == 0;
    bool fits = is_there && S_ISREG(status.st_mode) && status.st_size <= MAX_SESSION_BYTES;
    if (is_there && !fits)
        error_set(error, ERROR_IO, "%s: is no session", path);
    else if (!is_there || (length = read(number, text, MAX_SESSION_BYTES)) < 0)
        error_set(error, ERROR_IO, "%s: %s", path, strerror(errno));
    if (number >= 0)
        close(number);
    return length < 0 || strlen(text) != (size_t)length ? NULL : text;
}

static bool window_read(const char *line, struct session *session, struct arena *arena,
                        struct error *error)
{
    bool is_window = strncmp(line, SESSION_WINDOW, strlen(SESSION_WINDOW)) == 0;
    session->has_file_window =
        is_window || strncmp(line, SESSION_STEPS, strlen(SESSION_STEPS)) == 0;
    if (!session->has_file_window)
        return true;
    const char *value = line + strlen(is_window ? SESSION_WINDOW : SESSION_STEPS);
    value = arena_copy(arena, value, strcspn(value, "\n"));
    return is_window ? file_window_parse_times(value, &session->file_window, error)
                     : file_window_parse_steps(value, &session->file_window, error);
}

bool session_read(const char *path, struct session *session, struct arena *arena,
                  struct error *error)
{
    error->kind = ERROR_NONE;
    char *text = text_read(path, arena, error);
    int version;
    char rest;
    *session = (struct session){.text = text};
    if (!text || strncmp(text, SESSION_FIRST_LINE, strlen(SESSION_FIRST_LINE)) != 0 ||
        sscanf(text + strlen(SESSION_FIRST_LINE), "%9d%c", &version, &rest) != 2 || rest != '\n')
        return error->kind == ERROR_NONE ? error_set(error, ERROR_USAGE, "%s: is no session", path)
                                         : false;
    if (version != VERSION)
        return error_set(error, ERROR_USAGE, "%s: a session of version %d; this program reads %d",
                         path, version, VERSION);
    const char *line = strchr(text, '\n') + 1;
    const size_t head = strlen(SESSION_PROFILE);
    size_t capacity = 0;
    while (strncmp(line, SESSION_PROFILE, head) == 0) {
        size_t length = strcspn(line, "\n");
        ARENA_PUSH(arena, session->profiles, session->profile_count, capacity) =
            arena_copy(arena, line + head, length - head);
        line += length + (line[length] == '\n');
    }
    if (strncmp(line, SESSION_DOMAIN, strlen(SESSION_DOMAIN)) == 0) {
        line += strlen(SESSION_DOMAIN);
        size_t length = strcspn(line, "\n");
        session->domain = arena_copy(arena, line, length);
        line += length + (line[length] == '\n');
    }
    return window_read(line, session, arena, error);
}

// ---- following ---------------------------------------------------------------------------------

struct follow_state {
    struct app *app;
    const char *text;
    // All lines with a deeper indent are skipped, and lines with this indent that do not
    // ends_skipping(). SIZE_MAX: no lines.
    size_t skipped_indent;
    bool has_no_view; // the last `view` failed, so that `row` does not end the skipping
    struct session_outcome *outcome;
    struct arena *arena;
};

// Returns true for commands that end the skipping after a line that did not apply.
static bool ends_skipping(const struct follow_state *state, const char *name)
{
    return strcmp(name, "view") == 0 || strcmp(name, "back") == 0 || strcmp(name, "pane") == 0 ||
           (strcmp(name, "row") == 0 && !state->has_no_view);
}

static void complain(struct follow_state *state, const char *line, const char *why)
{
    // Only the first failed lines are listed.
    enum { SHOWN = 12 };
    struct session_outcome *outcome = state->outcome;
    if (outcome->missing++ == 0)
        outcome->first = arena_format(state->arena, "%.90s: %.200s", line, why);
    if (outcome->missing <= SHOWN)
        outcome->said =
            arena_format(state->arena, "%s%.90s\n    %.200s\n", outcome->said, line, why);
}

// Runs a command of a session; `name` is its first word. Returns false and sets `why` if it fails.
static bool command_follow(struct app *app, const char *line, const char *name, const char **why)
{
    enum action action = command_action(name, NULL);
    *why = app->messages->text;
    if (action == ACTION_NONE) {
        *why = "no command of sessions";
        return false;
    }
    if (!(action_scope_kinds[actions[action].scope] & view_kinds(host_top_view(app)))) {
        *why = "means nothing in this view";
        return false;
    }
    return app_command_line(app, line);
}

static void line_follow(struct follow_state *state, const char *line, size_t indent, size_t before)
{
    struct app *app = state->app;
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " "), line);
    if (indent > state->skipped_indent ||
        (indent == state->skipped_indent && !ends_skipping(state, name)))
        return;
    state->skipped_indent = SIZE_MAX;
    state->has_no_view = false;
    const struct view *from = host_top_view(app);
    const char *why;
    bool is_first_of_place =
        indent > before; // the first line of a place reached from the one above
    bool is_fine = command_follow(app, line, name, &why);
    if (!is_fine)
        complain(state, line, why);
    else if (is_first_of_place && host_top_view(app) == from)
        complain(state, line, *why ? why : "leads nowhere here");
    if (is_first_of_place && (!is_fine || host_top_view(app) == from))
        state->skipped_indent = indent - 1; // skips all places reached from it, too
    else if (!is_fine && ends_skipping(state, name))
        state->skipped_indent = indent;
    state->outcome->is_short |= state->skipped_indent != SIZE_MAX;
    state->has_no_view = !is_fine && strcmp(name, "view") == 0;
    app->box->is_open = app->menu->is_open = false;
    app->prompt->kind = PROMPT_NONE;
}

static bool follow_body(void *context, struct error *error)
{
    struct follow_state *state = context;
    const char *text = state->text;
    size_t before = 0;
    (void)error;
    for (size_t lines = 0; *text && lines < MAX_SESSION_LINES && !state->app->requests->is_done;
         lines++) {
        size_t length = strcspn(text, "\n"), indent = strspn(text, " ");
        const char *line = arena_copy(state->arena, text + indent, length - indent);
        text += length + (text[length] == '\n');
        if (*line != ':')
            continue;
        state->outcome->count++;
        line_follow(state, line + 1, indent / 2, before);
        before = indent / 2;
    }
    return true;
}

bool session_follow(struct app *app, const char *text, struct arena *arena,
                    struct session_outcome *outcome)
{
    struct follow_state state = {
        .app = app, .text = text, .skipped_indent = SIZE_MAX, .outcome = outcome, .arena = arena};
    struct error error = {0};
    *outcome = (struct session_outcome){.said = "", .first = ""};
    app->script->follows_session = true;
    bool is_fine = arena_run(arena, follow_body, &state, &error);
    app->script->follows_session = false;
    app->messages->text[0] = 0;
    app->messages->is_error = false;
    return is_fine;
}

void session_run(struct app *app, const struct session *session)
{
    struct session_outcome outcome = {0};
    struct arena *arena = arena_new(0);
    bool is_fine = arena && session_follow(app, session->text, arena, &outcome);
    bookmarks_read(app, session->text);
    app_rebase_layouts(app);
    app->undo->at = app->undo->count = 0;
    if (!is_fine) {
        host_complain(app, "the session was not followed: out of memory");
    } else if (outcome.missing > 0) {
        char title[80];
        snprintf(title, sizeof title, "Of %zu lines of the session %zu do not apply here",
                 outcome.count, outcome.missing);
        host_open_box(app, title, outcome.said);
    }
    arena_free(arena);
}
