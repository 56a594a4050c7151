// SPDX-License-Identifier: Apache-2.0
// Drives the program on a canvas. A step is a key, a command, a text, a mouse event or a resize;
// each one that would leave the screen is replaced or skipped.
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/text.h"
#include "model/rules/rules.h"
#include "profile_screen.h"
#include "profile_seed.h"
#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/session/session.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/mouse.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/scope.h"
#include "ui/state/script_state.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/widgets/panes.h"

#define CHECK(condition) ((condition) ? (void)0 : fail_check(#condition, app))

static void fail_check(const char *what, const struct app *app)
{
    fprintf(stderr, "promise broken: %s\n", what);
    canvas_dump(app->canvas, stderr);
    abort();
}

// ---- a frame -----------------------------------------------------------------------------------

static void check_cells(const struct app *app)
{
    const struct canvas *canvas = app->canvas;
    for (int i = 0; i < canvas->width * canvas->height; i++) {
        CHECK(canvas->cells[i].code >= ' ' || canvas->cells[i].code == 0);
        CHECK(canvas->cells[i].code < 0x7f || canvas->cells[i].code > 0x9f);
        CHECK(canvas->cells[i].style < STYLE_COUNT);
    }
}

static unsigned undrawn_steps; // steps since the last frame

void screen_settle(struct app *app)
{
    if (undrawn_steps == 0)
        return;
    app_draw(app);
    check_cells(app);
    undrawn_steps = 0;
}

// Called after each step. Keys may arrive faster than frames; while the fuzzer looks for new
// edges, three of four steps draw no frame.
static void step_end(struct app *app)
{
#ifdef FUZZ_AIMS
    enum { STEPS_PER_FRAME = 4 };
#else
    enum { STEPS_PER_FRAME = 1 };
#endif
    if (++undrawn_steps >= STEPS_PER_FRAME)
        screen_settle(app);
    CHECK(app->places->depth >= 1 && app->places->depth <= MAX_TRAIL && app->scope->split);
    CHECK(app->undo->at <= app->undo->count && app->undo->count <= MAX_UNDO);
    CHECK(app->places->panes.focus < app->places->panes.count &&
          app->places->panes.count <= MAX_PANES);
    const struct view *view = host_top_view(app);
    if (view->report && !view->table.stale)
        CHECK(view->table.shown_count == 0 || view->table.cursor < view->table.shown_count);
    bool has_steps = !app->scope->iterations;
    for (uint32_t i = 0; !has_steps && i < app->scope->split->count; i++)
        has_steps = app->scope->iterations[i];
    CHECK(has_steps);
}

static const char folder[] = "/nonexistent"; // hides files of the user

struct app *screen_open(const struct profile *profile, int width, int height)
{
    static struct load_request request = {
        .threads = 1, .ignore_journal = true, .no_subprocess = true};
    static struct app_options options = {.request = &request,
                                         .steps = {NULL, UNKNOWN, UNKNOWN},
                                         .baseline_gpu = UNKNOWN,
                                         .baseline_process = UNKNOWN};
    struct error error = {0};
    if (!options.path) {
        setlocale(LC_ALL, "C.UTF-8");
        setenv("XDG_CONFIG_HOME", folder, 1);
        setenv("XDG_STATE_HOME", folder, 1);
        setenv("VISUAL", "/bin/true", 1);
        options.path = seed_path();
        atexit(rules_use_builtin); // rules that were reloaded
    }
    struct app *app = app_new(&options, &error);
    if (!app)
        abort();
    app->script->is_script = true;
    undrawn_steps = 0;
    if (!canvas_resize(app->canvas, width, height, NULL) ||
        !app_set_profile(app, profile, &error)) {
        fprintf(stderr, "no screen: %s\n", error.message);
        abort();
    }
    step_end(app);
    return app;
}

// ---- keys and commands -------------------------------------------------------------------------

// Returns true for actions that affect only the screen.
static bool is_allowed(enum action action)
{
#ifdef FUZZ_AIMS
    if (action == ACTION_RELOAD) // as slow as everything else together
        return false;
#endif
    return action == ACTION_NONE || actions[action].reach == REACH_SCREEN;
}

static bool is_line_allowed(const char *line)
{
    char word[64];
    line += strspn(line, " :");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(line, " "), line);
    return is_allowed(command_action(word, NULL));
}

static bool is_key_allowed(struct app *app, uint32_t key)
{
    const struct prompt *prompt = app->prompt;
    if (prompt->kind != PROMPT_NONE)
        return (key != KEY_ENTER_PRESSED && key != '\n') ||
               (is_allowed(prompt_action(prompt)) && is_line_allowed(prompt->text));
    // Enter on a row of the help would run its action.
    if (class_is_help(host_top_view(app)->class) && key == KEY_ENTER_PRESSED)
        return false;
    return is_allowed(action_of_key(key, view_kinds(host_top_view(app))));
}

void screen_key(struct app *app, uint32_t key)
{
    app_key(app, is_key_allowed(app, key) ? key : KEY_ESCAPE);
    step_end(app);
}

// Like prompt_type(), but checks each character: once no prompt is open it is a key.
void screen_type(struct app *app, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length && !app->requests->is_done;) {
        uint32_t code;
        i += text_decode(text + i, length - i, &code);
        if (!text_is_unsafe(code))
            app_key(app, is_key_allowed(app, code) ? code : KEY_ESCAPE);
    }
    step_end(app);
}

void screen_command(struct app *app, const char *line)
{
    if (!is_line_allowed(line))
        return;
    bool done = app_command_line(app, line);
    CHECK(done || (app->messages->is_error && *app->messages->text));
    step_end(app);
}

void screen_mouse(struct app *app, uint32_t key, int x, int y)
{
    screen_settle(app);
    for (size_t i = 0; i < app->mouse->zone_count; i++) {
        const struct zone *zone = &app->mouse->zones[i];
        if (y == zone->y && x >= zone->x && x < zone->x + zone->width &&
            !is_key_allowed(app, zone->key))
            return;
    }
    if (class_is_help(host_top_view(app)->class) && key == KEY_DOUBLE_CLICK)
        return;
    app_point(app, key, x, y);
    step_end(app);
}

void screen_resize(struct app *app, int width, int height)
{
    if (!canvas_resize(app->canvas, width, height, NULL))
        abort();
    step_end(app);
}

// ---- sessions ----------------------------------------------------------------------------------

void screen_check_session(struct app *app)
{
    char path[100];
    struct session session;
    struct error error = {0};
    screen_settle(app);
    snprintf(path, sizeof path, "%s.session", seed_path());
    app_write_session(app, path, true);
    CHECK(!app->messages->is_error);
    bool is_read = session_read(path, &session, app->arena, &error);
    unlink(path);
    if (!is_read)
        fail_check(error.message, app);
    struct app *other = screen_open(app->profile, 100, 30);
    session_run(other, &session);
    step_end(other);
    screen_settle(other);
    const struct view_class *saved = host_front_view(app)->class,
                            *restored = host_front_view(other)->class;
    // Sessions do not contain help; rows of the first screen may exist at some sizes only.
    bool is_whole = !other->box->is_open && !strstr(session.text, "no longer known");
    if (saved != restored && !class_is_help(saved) && is_whole) {
        fprintf(stderr, "from %s, to %s:\n%s\n", saved->name, restored->name, session.text);
        fail_check("a session leads to another view", other);
    }
    app_free(other);
}

// ---- views -------------------------------------------------------------------------------------

// Compares with another profile, or with its own first step.
static void compare(struct app *app, bool with_other)
{
    char command[100];
    if (with_other) {
        snprintf(command, sizeof command, "baseline %s", seed_whole_path());
        screen_command(app, command);
        screen_command(app, "deltas on");
    } else {
        screen_command(app, "set 1");
        screen_command(app, "baseline");
    }
}

void screen_exercise(const struct profile *profile, unsigned choices)
{
    static const int sizes[][2] = {{120, 40}, {80, 24}, {200, 60}, {40, 12}};
    static const char *const key_lists[] = {"j d Enter j Enter", "g E d G Enter", "v % j t",
                                            "# F5 l Enter", "Enter K Esc Enter d"};
    const int *size = sizes[choices % 4];
    struct app *app = screen_open(profile, size[0], size[1]);
    if (choices % 4 == 1)
        compare(app, choices % 16 == 1);
    char command[100];
    snprintf(command, sizeof command, "view %s", view_name(choices % view_name_count()));
    screen_command(app, command);
    const char *keys = key_lists[(choices / view_name_count() + choices) % 5];
    uint32_t key;
    for (size_t i = 0; key_list_at(keys, i, &key); i++)
        screen_key(app, key);
    app_free(app);
}
