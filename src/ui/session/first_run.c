// SPDX-License-Identifier: Apache-2.0
// The hint of the first run: what the screen shows and the most important keys.
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/session/session_calls.h"
#include "ui/session/state_file.h"
#include "ui/state/app_state.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"

static const char above[] =
    "The first lines say what was opened, which views there are and which steps all figures are "
    "of. Below: one step, what would make it shorter, where its time goes.\n\n";
static const struct {
    const char *keys, *what;
} lines[] = {
    {"{down} {up}, {next-view}", "go through this screen"},
    {"{enter}, {cancel}", "open what is under the cursor; back to exactly here"},
    {"1 ... 9, 0", "the views: tree, kernels, steps, advice, time line"},
    {"{explain}", "explains the figure under the cursor"},
    {"{help}", "what can be done here, columns explained, and a tour"},
};
static const char below[] =
    "\nThis comes once. Esc or Enter closes it; any other key does what it always does.";

// Returns true if the arrow keys move the cursor, so that the hint can name them.
static bool arrows_move(void)
{
    return action_of_key(KEY_CURSOR_DOWN, KIND_SUMMARY) == ACTION_DOWN &&
           action_of_key(KEY_CURSOR_UP, KIND_SUMMARY) == ACTION_UP;
}

static bool hint_body(void *context, struct error *error)
{
    enum { KEYS = 14 };
    struct app *app = context;
    struct arena *arena = app->canvas->frame;
    const char *text = above;
    (void)error;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *keys = i == 0 && arrows_move() ? "arrows, {next-view}" : lines[i].keys;
        keys = action_text(keys, arena);
        int blanks = KEYS - canvas_width(keys);
        text = arena_format(arena, "%s  %s%*s %s\n", text, keys, blanks > 0 ? blanks : 0, "",
                            lines[i].what);
    }
    host_open_box(app, "dlprof-tui, the first time", arena_format(arena, "%s%s", text, below));
    app->box->form = BOX_HINT;
    return true;
}

void first_run_hint(struct app *app)
{
    arena_run(app->canvas->frame, hint_body, app, NULL);
}

static bool mark_body(void *context, struct error *error)
{
    struct app *app = context;
    (void)error;
    return state_file_create_once("seen", app->canvas->frame);
}

void first_run_greet(struct app *app)
{
    if (arena_run(app->canvas->frame, mark_body, app, NULL))
        first_run_hint(app);
}

bool first_run_key(struct app *app, uint32_t key)
{
    app->box->is_open = false;
    return key != KEY_ESCAPE && key != KEY_ENTER_PRESSED && key != '\n' && key != ' ' &&
           action_of_key(key, view_kinds(host_top_view(app))) != ACTION_NONE;
}
