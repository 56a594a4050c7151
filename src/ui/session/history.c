// SPDX-License-Identifier: Apache-2.0
// Command history of the command line, kept between runs in a file of lines, newest last.
#include <string.h>

#include "base/text/text.h"
#include "ui/overlay/prompt.h"
#include "ui/session/session_calls.h"
#include "ui/session/state_file.h"
#include "ui/state/app_state.h"
#include "ui/term/canvas.h"

enum { HISTORY_BYTES = 1 << 16 };

static bool is_plain(const char *line)
{
    size_t length = strlen(line);
    for (size_t i = 0; i < length;) {
        uint32_t code;
        i += text_decode(line + i, length - i, &code);
        if (text_is_unsafe(code))
            return false;
    }
    return length > 0 && length < PROMPT_SIZE;
}

static bool load_body(void *context, struct error *error)
{
    struct app *app = context;
    struct prompt *prompt = app->prompt;
    char *text = state_file_read("history", HISTORY_BYTES, app->canvas->frame);
    (void)error;
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
        if (is_plain(line))
            prompt_remember(prompt, line);
    return true;
}

void history_load(struct app *app)
{
    arena_run(app->canvas->frame, load_body, app, NULL);
}

static bool write(void *context, FILE *file)
{
    const struct prompt *prompt = context;
    size_t bytes = 0, from = prompt->history_count;
    while (from > 0 && bytes + strlen(prompt->history[from - 1]) < HISTORY_BYTES - MAX_HISTORY)
        bytes += strlen(prompt->history[--from]);
    for (; from < prompt->history_count; from++)
        fprintf(file, "%s\n", prompt->history[from]);
    return true;
}

static bool save_body(void *context, struct error *error)
{
    struct app *app = context;
    (void)error;
    return state_file_write("history", write, app->prompt, app->canvas->frame);
}

void history_save(struct app *app)
{
    if (app->prompt->history_count > 0)
        arena_run(app->canvas->frame, save_body, app, NULL);
}
