// SPDX-License-Identifier: Apache-2.0
#include "ui/overlay/prompt.h"

#include <string.h>

#include "base/text/text.h"
#include "ui/host.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/view.h"

void prompt_open(struct app *app, enum prompt_kind kind, const char *text)
{
    struct prompt *prompt = app->prompt;
    prompt->kind = kind;
    prompt->problem[0] = 0;
    snprintf(prompt->text, sizeof prompt->text, "%s", text);
    prompt->length = prompt->at = strlen(prompt->text);
    memcpy(prompt->before, prompt->text, sizeof prompt->before);
    prompt->history_at = prompt->history_count;
    struct view *view = host_top_view(app);
    prompt->place = view && view->report ? view->table.cursor_id : 0;
}

void prompt_open_nothing(struct app *app, enum prompt_kind asked_by)
{
    prompt_open(app, PROMPT_NOTHING, "");
    app->prompt->asked_by = asked_by;
}

void prompt_remember(struct prompt *prompt, const char *command)
{
    size_t count = prompt->history_count;
    if (count > 0 && strcmp(prompt->history[count - 1], command) == 0)
        return;
    if (count == MAX_HISTORY) {
        memmove(prompt->history[0], prompt->history[1],
                (MAX_HISTORY - 1) * sizeof *prompt->history);
        count--;
    }
    snprintf(prompt->history[count], sizeof prompt->history[count], "%s", command);
    prompt->history_count = count + 1;
}

void prompt_type(struct app *app, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        uint32_t code;
        i += text_decode(text + i, length - i, &code);
        if (!text_is_unsafe(code))
            app_key(app, code);
    }
}
