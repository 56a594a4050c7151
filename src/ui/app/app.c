// SPDX-License-Identifier: Apache-2.0
// The program from start to end: loading, the main loop, scripts.
//
// app_run() opens a profile with run_once(), and again as long as the user asks for another domain
// or run (`reopening`). run_terminal() shows it in a terminal, with the main loop in loop();
// run_dump() works without one. Two profiles may be loading in the background: the one to show
// (`loading`) and the baseline of a comparison (`baseline_loading`).
#include "ui/app/app.h"

#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/detectors/expert.h"
#include "analysis/steps/step_sets.h"
#include "model/open/open.h"
#include "model/open/run_folder.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_life.h"
#include "ui/app/app_runs.h"
#include "ui/app/input.h"
#include "ui/app/loading.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/session/session.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/colours.h"
#include "ui/state/comparing.h"
#include "ui/state/findings.h"
#include "ui/state/messages.h"
#include "ui/state/mouse.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/saving.h"
#include "ui/state/script_state.h"
#include "ui/state/splits.h"
#include "ui/state/view.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/term.h"

// Exit statuses of the program.
enum { STATUS_DONE = 0, STATUS_DATA = 1, STATUS_USAGE = 2, STATUS_CANCELLED = 130 };

static int status_of(const struct error *error)
{
    return error->kind == ERROR_USAGE       ? STATUS_USAGE
           : error->kind == ERROR_CANCELLED ? STATUS_CANCELLED
                                            : STATUS_DATA;
}

static bool size_parse(const char *text, int *width, int *height, struct error *error)
{
    char rest;
    if (sscanf(text, "%4dx%4d%c", width, height, &rest) == 2 && *width > 0 && *height > 0 &&
        *width <= 2000 && *height <= 2000)
        return true;
    return error_set(error, ERROR_USAGE, "--size: '%s' is no size; 80x24, at most 2000x2000", text);
}

// ---- without a terminal ------------------------------------------------------------------------

static bool start_body(void *context, struct error *error)
{
    return app_start_comparing(context, error);
}

static bool start_comparing(struct app *app, struct error *error)
{
    return app_guard(app, start_body, app, error);
}

// Replays the session, then runs the script.
static bool session_and_script_run(struct app *app, FILE *script, bool is_screen,
                                   struct error *error)
{
    if (app->session->text)
        session_run(app, app->session);
    return !script ||
           (is_screen ? script_play(app, script, error) : script_run(app, script, stdout, error));
}

// The files to open, with their options.
struct opening {
    struct app_options options;
    struct load_request request;
    // Why a run could not be opened, shown when asking for another one; "": none.
    char problem[400];
};

// The next thing to open: another domain of the same file, or another run of the folder.
struct reopening {
    char domain[sizeof(((struct requests *)0)->domain_wanted)]; // "": unchanged
    char view[40];                                              // "": the first
    size_t run;                                                 // SIZE_MAX: unchanged
    char problem[sizeof(((struct opening *)0)->problem)];
};
static const struct reopening reopening_none = {.run = SIZE_MAX};

static bool is_nothing_to_reopen(const struct reopening *next)
{
    return !next->domain[0] && next->run == SIZE_MAX && !next->problem[0];
}

static bool is_reopening(const struct app *app)
{
    return app->requests->domain_wanted[0] || app->requests->run_wanted != SIZE_MAX;
}

static void reopening_take(struct reopening *next, struct app *app, int status)
{
    *next = reopening_none;
    if (status != STATUS_DONE || !is_reopening(app))
        return;
    snprintf(next->domain, sizeof next->domain, "%s", app->requests->domain_wanted);
    next->run = app->requests->run_wanted;
    if (host_front_view(app))
        snprintf(next->view, sizeof next->view, "%s", host_front_view(app)->class->name);
}

static void opening_take_run(struct opening *opening, size_t run)
{
    const struct folder_run *chosen = &opening->options.runs->items[run];
    opening->options.run = run;
    opening->options.path = opening->request.path = chosen->paths[0];
    opening->request.paths = chosen->paths;
    opening->request.path_count = chosen->count;
}

static int run_dump(struct app *app, FILE *script, struct reopening *next, struct error *error)
{
    struct load_request request = *app->options->request;
    request.progress = NULL;
    struct profile *profile = profile_load(&request, error);
    if (!profile) {
        app_free(app);
        return status_of(error);
    }
    int status = STATUS_DONE;
    app->script->is_script = true;
    if (!app_use_keymap(app, error) || !app_set_profile(app, profile, error) ||
        !start_comparing(app, error) || !session_and_script_run(app, script, false, error)) {
        status = status_of(error);
    } else if (app->options->dump && !is_reopening(app)) {
        script_dump(app, stdout);
    }
    if (status == STATUS_DONE)
        status = app->requests->status;
    reopening_take(next, app, status);
    app_free(app);
    profile_free(profile);
    return status;
}

// ---- in a terminal -----------------------------------------------------------------------------

// Files that load within QUIET_MS are shown only when complete, to avoid flicker. The first frame
// must appear within 100 ms of the start, so QUIET_MS must be well below that.
enum { QUIET_MS = 35 };

// Shows a new stage of the profile, or the whole profile once it is loaded. Returns false if
// loading failed or was cancelled.
static bool loading_poll(struct app *app, struct loading *loading, FILE *script,
                         struct error *error)
{
    if (loading_is_done(loading)) {
        loading_end(loading);
        app->messages->loading[0] = 0;
        if (!loading->profile) {
            *error = loading->error;
            return false;
        }
        if (!app_show_profile(app, loading->profile, error) || !start_comparing(app, error))
            return false;
        bool is_fine = session_and_script_run(app, script, true, error);
        if (app->options->keeps_state && !script && !app->session->text)
            first_run_greet(app);
        app->is_live = true;
        if (app->options->when_loaded)
            app->options->when_loaded(app->options->request);
        return is_fine;
    }
    const struct profile *stage = atomic_load(&loading->progress.stage);
    bool waits = script || app->session->text; // these need the whole profile
    // The last stage is followed at once by the whole profile, so results for it would be computed
    // twice.
    if (stage && stage != app->stages->stage && stage->stage < STAGE_READY && !waits &&
        loading_ms(loading) > QUIET_MS)
        return app_show_profile(app, stage, error);
    return true;
}

// Returns true for keys that cancel loading. Once a part of the profile is shown, q is not one of
// them, because it may belong to a search text.
static bool is_cancel_key(const struct app *app, uint32_t key)
{
    return key == KEY_ESCAPE || key == 3 || (!app->profile && (key == 'q' || key == 'Q'));
}

// Keys typed before their view is loaded. They are handled when it is.
struct typed {
    uint32_t keys[32];
    size_t count;
};

static void typed_run(struct app *app, struct typed *typed)
{
    size_t handled = 0;
    for (; handled < typed->count && !app->requests->is_done &&
           !app_key_is_early(app, typed->keys[handled]);
         handled++) {
        app_draw(app); // positions depend on the last drawing
        app_key(app, typed->keys[handled]);
    }
    typed->count -= handled;
    memmove(typed->keys, typed->keys + handled, typed->count * sizeof *typed->keys);
}

// Adds a key to `typed` if it cannot be handled yet. Returns false if it must be handled now. A key
// that cancels loading drops the postponed keys.
static bool key_postpone(const struct app *app, struct typed *typed, uint32_t key)
{
    bool is_early = !app->profile || typed->count > 0 || app_key_is_early(app, key);
    if (!is_early || key_is_mouse(key) || key == KEY_RESIZED)
        return false;
    if (is_cancel_key(app, key))
        typed->count = 0;
    else if (typed->count < sizeof typed->keys / sizeof *typed->keys)
        typed->keys[typed->count++] = key;
    return !is_cancel_key(app, key);
}

static void keys_read(struct app *app, struct loading *loading, struct typed *typed, bool *is_stale)
{
    int x = 0, y = 0;
    uint32_t key;
    // Handles all keys typed since the last frame.
    while (!app->requests->is_done && (key = term_key(&x, &y)) != KEY_NONE_PRESSED) {
        if (key == KEY_NOTHING)
            continue;
        *is_stale = true;
        if (key_postpone(app, typed, key))
            continue;
        if (!app->profile) {
            if (is_cancel_key(app, key))
                atomic_store(&loading->progress.cancel, true);
            continue;
        }
        if (key_is_mouse(key))
            app_point(app, key, x, y);
        else
            app_key(app, key);
        if (key == KEY_RESIZED || app->requests->wants_suspend)
            return;
        app_draw(app); // page sizes and positions depend on the last drawing
    }
}

// Starts loading the baseline profile in the background.
static void baseline_load_begin(struct app *app, struct loading *baseline_loading)
{
    struct error error = {0};
    loading_end(baseline_loading);
    loading_release(baseline_loading);
    *baseline_loading = (struct loading){.wake = {-1, -1}};
    snprintf(baseline_loading->path, sizeof baseline_loading->path, "%s",
             app->comparing_load->wanted);
    snprintf(app->comparing_load->loading, sizeof app->comparing_load->loading, "%s",
             baseline_loading->path);
    app->comparing_load->wanted[0] = 0;
    struct load_request request = load_request_of(app->options->request, baseline_loading->path);
    // The baseline of a session is loaded in the foreground instead.
    request.no_subprocess = false;
    if (!loading_start(baseline_loading, &request, &error))
        host_complain(app, "%s", error.message);
}

struct compare_call {
    struct app *app;
    const struct loading *baseline_loading;
};

static bool compare_body(void *context, struct error *error)
{
    const struct compare_call *call = context;
    return app_compare_with(call->app, call->baseline_loading->profile,
                            call->baseline_loading->path, error);
}

// Shows the progress of loading the baseline; when it is loaded, starts the comparison.
static void baseline_load_poll(struct app *app, struct loading *baseline_loading)
{
    struct error error = {0};
    struct compare_call call = {app, baseline_loading};
    if (!loading_is_done(baseline_loading)) {
        const char *doing = atomic_load(&baseline_loading->progress.doing);
        snprintf(app->messages->loading, sizeof app->messages->loading,
                 "baseline %.60s: %s; :baseline off cancels", baseline_loading->path,
                 doing ? doing : "opening");
        return;
    }
    loading_end(baseline_loading);
    app->messages->loading[0] = app->comparing_load->loading[0] = 0;
    if (baseline_loading->profile && app_guard(app, compare_body, &call, &error))
        loading_take_profile(baseline_loading); // the app owns the profile now
    else
        host_complain(app, "%s",
                      baseline_loading->profile ? error.message : baseline_loading->error.message);
    loading_release(baseline_loading);
}

// Asks for a run and requests to open it if it is not the open one.
static bool take_run(struct app *app, int *number, struct error *error)
{
    size_t run = app->options->run;
    if (!app_pick_run(app, "", &run, number, error))
        return false;
    if (run != SIZE_MAX && run != app->options->run) {
        app->requests->run_wanted = run;
        app->requests->is_done = true;
    }
    return true;
}

static int loop(struct app *app, struct loading *loading, struct loading *baseline_loading,
                FILE *script, struct error *error)
{
    // Longest wait for a key: while loading, while a thread computes, before the pane is updated.
    enum { FRAME_MS = 100, SOON_MS = 10, REST_MS = 120 };
    bool is_stale = true;
    struct typed typed = {0};
    while (!app->requests->is_done) {
        int width, height, number;
        term_size(&width, &height);
        if (width != app->canvas->width || height != app->canvas->height) {
            if (!canvas_resize(app->canvas, width, height, error))
                return STATUS_DATA;
            is_stale = true;
        }
        if (app->requests->wants_suspend) {
            app->requests->wants_suspend = false;
            term_suspend();
            is_stale = true;
            continue;
        }
        if (loading->is_running) {
            if (!loading_poll(app, loading, script, error))
                return status_of(error);
            is_stale = true;
        }
        if (app->profile)
            typed_run(app, &typed);
        if (app->comparing_load->wanted[0])
            baseline_load_begin(app, baseline_loading);
        if (baseline_loading->is_running) {
            if (app->comparing_load->stops)
                atomic_store(&baseline_loading->progress.cancel, true);
            baseline_load_poll(app, baseline_loading);
            is_stale = true;
        }
        app->comparing_load->stops = false;
        if (app->requests->wants_runs) {
            app->requests->wants_runs = false;
            is_stale = true;
            if (!take_run(app, &number, error))
                return STATUS_DATA;
            if (number)
                return 128 + number;
            continue;
        }
        if (app->requests->wants_redraw) {
            app->requests->wants_redraw = false;
            term_redraw();
            is_stale = true;
        }
        term_mouse(app->mouse->is_on);
        if (is_stale && app->profile) {
            if (loading->is_running)
                loading_note(app, loading);
            app_draw(app);
            term_draw(app->canvas, &app->colours->theme, app->colours->serial);
            app_run_memo_queue(app);
        } else if (is_stale && loading_ms(loading) > QUIET_MS) {
            loading_draw(app, loading);
        }
        is_stale = false;
        const struct loading *running = loading->is_running            ? loading
                                        : baseline_loading->is_running ? baseline_loading
                                                                       : NULL;
        bool has_jobs = app->findings->job || app->cache->building;
        bool is_quiet = loading->is_running && loading_ms(loading) <= QUIET_MS;
        int timeout_ms = is_quiet   ? QUIET_MS + 1 - (int)loading_ms(loading)
                         : running  ? FRAME_MS
                         : has_jobs ? SOON_MS
                         : app->places->pane == PANE_PENDING ? REST_MS
                                                             : -1;
        if (!term_wait(running ? running->wake[0] : -1, timeout_ms, &number))
            return 128 + number;
        // Keys are handled before new results are shown: they were typed for the old screen.
        keys_read(app, loading, &typed, &is_stale);
        if (app->places->pane == PANE_PENDING && !is_stale) {
            app->places->pane = PANE_DUE;
            is_stale = true;
        }
        is_stale |= app_findings_arrived(app);
        is_stale |= cache_collect(app->cache);
    }
    return app->requests->status;
}

// Asks for a run if there is a choice. Returns false if none was chosen, with the reason in
// `*status`.
static bool choose_first(struct app *app, struct opening *opening, int *status, struct error *error)
{
    const struct app_options *options = &opening->options;
    size_t run = options->run;
    int number = 0;
    if (!options->runs || (run != SIZE_MAX && !opening->problem[0]))
        return true;
    bool is_fine = app_pick_run(app, opening->problem, &run, &number, error);
    *status = !is_fine ? status_of(error) : number ? 128 + number : STATUS_DONE;
    if (run != SIZE_MAX)
        opening_take_run(opening, run);
    return run != SIZE_MAX;
}

// Returns to the list of runs with the reason, since other runs may load. A script ends instead.
static void return_to_run_list(const struct app *app, struct reopening *next, FILE *script,
                               int status, struct error *error)
{
    bool was_shown = app->profile != NULL;
    if (!app->options->runs || script || was_shown ||
        (status != STATUS_DATA && status != STATUS_CANCELLED) || error->kind == ERROR_NONE ||
        error->kind == ERROR_MEMORY)
        return;
    *next = reopening_none;
    size_t line = strcspn(error->message, "\n");
    snprintf(next->problem, sizeof next->problem, "%.*s", (int)line, error->message);
    *error = (struct error){0};
}

static int run_terminal(struct app *app, struct opening *opening, FILE *script,
                        struct reopening *next, struct error *error)
{

    struct loading loading = {.wake = {-1, -1}};
    struct loading baseline_loading = {.wake = {-1, -1}}; // the baseline profile
    int status;
    // Reports faults of the key file before the screen changes.
    if (!app_use_keymap(app, error) || !term_open(app->mouse->is_on, error)) {
        app_free(app);
        return status_of(error);
    }
    // Scripts and sessions wait for findings and for the baseline.
    app->is_live = !script && !app->session->text;
    app_load_layouts(app);
    if (!term_has_colours()) {
        char message[sizeof app->messages->text]; // about the keys
        memcpy(message, app->messages->text, sizeof message);
        app_theme(app, "mono");
        memcpy(app->messages->text, message, sizeof message);
    }
    if (app->options->keeps_state)
        history_load(app);
    if (!choose_first(app, opening, &status, error))
        ;
    else if (loading_start(&loading, app->options->request, error))
        status = loop(app, &loading, &baseline_loading, script, error);
    else
        status = status_of(error);
    term_close();
    app_save_layouts(app);
    if (app->options->keeps_state)
        history_save(app);
    loading_end(&loading);
    loading_end(&baseline_loading);
    reopening_take(next, app, status);
    return_to_run_list(app, next, script, status, error);
    app_free(app);
    loading_release(&baseline_loading);
    loading_release(&loading);
    // A signal ended the loop: end the process by the same signal.
    if (status > 128 && status != STATUS_CANCELLED) {
        error->kind = ERROR_NONE;
        signal(status - 128, SIG_DFL);
        raise(status - 128);
    }
    return status;
}

static bool session_body(void *context, struct error *error)
{
    struct app *app = context;
    const char *path = app->options->session;
    snprintf(app->saving->session_path, sizeof app->saving->session_path, "%s", path);
    return session_read(path, app->session, app->arena, error);
}

// Runs until the user quits or asks for another domain or run.
static int run_once(struct opening *opening, int width, int height, FILE *script,
                    struct reopening *next, struct error *error)
{
    const struct app_options *options = &opening->options;
    struct app *app = app_new(options, error);
    if (!app || !canvas_resize(app->canvas, width, height, error) ||
        (options->session && !arena_run(app->arena, session_body, app, error))) {
        app_free(app);
        return status_of(error);
    }
    return options->dump || options->size || !isatty(STDOUT_FILENO)
               ? run_dump(app, script, next, error)
               : run_terminal(app, opening, script, next, error);
}

// Prepares opening another domain or run. The choice of ops, steps and session is dropped, because
// it refers to the profile that was open.
static void opening_advance(struct opening *opening, struct reopening *now)
{
    struct app_options *options = &opening->options;
    if (now->run != SIZE_MAX)
        opening_take_run(opening, now->run);
    snprintf(opening->problem, sizeof opening->problem, "%s", now->problem);
    if (now->problem[0]) // keep the options for another run
        return;
    if (now->domain[0])
        opening->request.domain = now->domain;
    options->view = now->view[0] ? now->view : NULL;
    options->session = options->key_op = NULL;
    options->steps = (struct step_choice){NULL, UNKNOWN, UNKNOWN};
}

int app_run(const struct app_options *given, struct error *error)
{
    struct opening opening = {.options = *given, .request = *given->request};
    struct reopening next = reopening_none, now;
    int width = 80, height = 24;
    opening.options.request = &opening.request;
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        opening.options.ascii = true;
    if (given->size && !size_parse(given->size, &width, &height, error))
        return STATUS_USAGE;
    FILE *script = NULL;
    if (given->script) {
        script = strcmp(given->script, "-") == 0 ? stdin : fopen(given->script, "re");
        if (!script) {
            error_set(error, ERROR_IO, "%s: %s", given->script, strerror(errno));
            return STATUS_DATA;
        }
    }
    int status = run_once(&opening, width, height, script, &next, error);
    while (!is_nothing_to_reopen(&next)) {
        now = next;
        next = reopening_none;
        opening_advance(&opening, &now);
        status = run_once(&opening, width, height, script, &next, error);
    }
    if (script && script != stdin)
        fclose(script);
    return status;
}
