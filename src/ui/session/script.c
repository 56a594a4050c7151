// SPDX-License-Identifier: Apache-2.0
// Scripts: one key name or `:` command per line; `text foo` types foo; `note foo` shows foo over
// the screen; `dump` prints the screen.
#include <string.h>

#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/overlay/tour_state.h"
#include "ui/session/session_calls.h"
#include "ui/session/tour.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/requests.h"
#include "ui/state/script_state.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"

void script_dump(struct app *app, FILE *out)
{
    host_findings(app); // computes them even if no view has asked, as a user would see them
    app_draw(app);
    canvas_dump(app->canvas, out);
}

// Adds a `note` line to the note; consecutive ones form one text. `note^` shows it at the top.
static void note_add(struct app *app, const char *words)
{
    struct box *box = app->box;
    bool is_above = *words == '^';
    words += is_above;
    words += strspn(words, " ");
    if (!app->script->is_noting) {
        app->messages->text[0] = 0;
        host_open_box(app, "Note", "");
    }
    size_t used = strlen(box->text);
    snprintf(box->text + used, sizeof box->text - used, "%s%s", used ? " " : "",
             action_text(words, app->canvas->frame));
    box->form =
        is_above || (app->script->is_noting && box->form == BOX_ABOVE) ? BOX_ABOVE : BOX_BELOW;
    app->script->is_noting = true;
}

struct guarded_text {
    struct app *app;
    const char *text;
    void (*take)(struct app *app, const char *text);
};

static bool words_body(void *context, struct error *error)
{
    const struct guarded_text *words = context;
    (void)error;
    words->take(words->app, words->text);
    return true;
}

// Calls take() with the rest of a line. Returns false, with a message, if memory runs out.
static bool words_guarded(struct app *app, const char *text,
                          void (*take)(struct app *app, const char *text))
{
    struct error error = {0};
    if (app_guard(app, words_body, &(struct guarded_text){app, text, take}, &error))
        return true;
    host_complain_error(app, &error);
    return false;
}

// Returns false if the line fails. Sets *is_known to false if it is no key or command.
static bool line_run(struct app *app, const char *line, FILE *out, bool *is_known)
{
    uint32_t key;
    *is_known = true;
    if (strncmp(line, "note", 4) == 0 && strchr(" ^", line[4]))
        return words_guarded(app, line + 4, note_add);
    app->script->is_noting = false;
    if (strcmp(line, "dump") == 0) {
        if (out)
            script_dump(app, out);
        return true;
    }
    if (app->box->form != BOX_MIDDLE && !app->tour->text)
        app->box->is_open = false; // closes a note that was shown
    if (strncmp(line, "text ", 5) == 0) {
        return words_guarded(app, line + 5, prompt_type);
    } else if (line[0] == ':' && line[1]) {
        app->messages->text[0] = 0;
        app->messages->is_error = false;
        return app_command_line(app, line + 1);
    } else if (key_parse(line, &key)) {
        app_draw(app); // as in a terminal, so that page sizes are known
        app_key(app, key);
    } else {
        *is_known = false;
    }
    return true;
}

bool script_line(struct app *app, char *line, int number, FILE *out, struct error *error)
{
    line[strcspn(line, "\r\n")] = 0;
    char *text = line + strspn(line, " \t");
    if (*text == 0 || (*text == '#' && text[1] != 0)) {
        app->script->is_noting = false;
        return true;
    }
    size_t end = strlen(text);
    while (strncmp(text, "text ", 5) != 0 && end > 1 && text[end - 1] == ' ')
        text[--end] = 0;
    bool is_known;
    bool is_fine = line_run(app, text, out, &is_known);
    if (!is_known)
        return error_set(error, ERROR_USAGE,
                         "script:%d: '%.60s' is no key, no `:` command, `text ...`, `note ...` or "
                         "`dump`",
                         number, text);
    return is_fine ||
           error_set(error, app->messages->kind, "script:%d: %s", number, app->messages->text);
}

bool script_run(struct app *app, FILE *script, FILE *out, struct error *error)
{
    char line[SCRIPT_LINE];
    for (int number = 1; !app->requests->is_done && fgets(line, sizeof line, script); number++) {
        if (strcspn(line, "\r\n") + 1 == sizeof line)
            return error_set(error, ERROR_USAGE, "script:%d: the line is too long", number);
        if (!script_line(app, line, number, out, error))
            return false;
    }
    return true;
}

struct script_text {
    FILE *script;
    char *bytes;
    struct arena *arena;
};

// Reads the whole script into memory, because it is run in pieces, up to one note at a time.
static bool text_body(void *context, struct error *error)
{
    enum { MAX_BYTES = 1 << 22 };
    struct script_text *text = context;
    text->bytes = ARENA_ARRAY(text->arena, char, MAX_BYTES + 1);
    size_t length = fread(text->bytes, 1, MAX_BYTES, text->script);
    return length < MAX_BYTES || error_set(error, ERROR_USAGE, "the script is too long");
}

bool script_play(struct app *app, FILE *script, struct error *error)
{
    struct script_text text = {script, NULL, app->arena};
    return arena_run(app->arena, text_body, &text, error) && tour_play(app, text.bytes, error);
}
