// SPDX-License-Identifier: Apache-2.0
// Scripts: one key name or `:` command per line; `text foo` types foo; `dump` prints the screen.
#include <string.h>

#include "ui/app_state.h"
#include "ui/key.h"

enum { LINE_SIZE = 8192 };

void script_dump(struct app *app, FILE *out)
{
    app_findings(app); // what a person sees in the end, also where no view has asked for them
    app_draw(app);
    canvas_dump(app->canvas, out);
}

static bool line_run(struct app *app, const char *line, FILE *out, bool *is_known)
{
    uint32_t key;
    *is_known = true;
    if (strcmp(line, "dump") == 0) {
        script_dump(app, out);
    } else if (strncmp(line, "text ", 5) == 0) {
        prompt_type(app, line + 5);
    } else if (line[0] == ':' && line[1]) {
        app->message[0] = 0;
        app->message_is_error = false;
        return app_command_line(app, line + 1);
    } else if (key_parse(line, &key)) {
        app_draw(app); // as between the keys of a person: pages are known
        app_key(app, key);
    } else {
        *is_known = false;
    }
    return true;
}

bool script_run(struct app *app, FILE *script, FILE *out, struct error *error)
{
    char line[LINE_SIZE];
    for (int number = 1; !app->is_done && fgets(line, sizeof line, script); number++) {
        size_t length = strcspn(line, "\r\n");
        if (length + 1 == sizeof line)
            return error_set(error, ERROR_USAGE, "script:%d: the line is too long", number);
        line[length] = 0;
        char *text = line + strspn(line, " \t");
        if (*text == 0 || (*text == '#' && text[1] != 0))
            continue;
        size_t end = strlen(text);
        while (strncmp(text, "text ", 5) != 0 && end > 1 && text[end - 1] == ' ')
            text[--end] = 0;
        bool is_known;
        bool done = line_run(app, text, out, &is_known);
        if (!is_known)
            return error_set(error, ERROR_USAGE,
                             "script:%d: '%.60s' is no key, no `:` command, `text ...` or `dump`",
                             number, text);
        if (!done)
            return error_set(error, app->complaint, "script:%d: %s", number, app->message);
    }
    return true;
}
