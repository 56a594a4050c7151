// SPDX-License-Identifier: Apache-2.0
// The program from start to end: loading, the loop, scripts.
#include "ui/app.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/format.h"
#include "ui/app_state.h"
#include "ui/key.h"
#include "ui/term.h"

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
    return error_set(error, ERROR_USAGE, "--size: '%s' is no size; 80x24, at most 2000x2000",
                     text);
}

// ---- without a terminal ------------------------------------------------------------------------

static int run_dump(struct app *app, FILE *script, struct error *error)
{
    struct load_request request = *app->options->request;
    request.progress = NULL;
    struct profile *profile = profile_load(&request, error);
    if (!profile)
        return status_of(error);
    int status = STATUS_DONE;
    app->is_script = true;
    if (!app_set_profile(app, profile, error) ||
        (script && !script_run(app, script, stdout, error))) {
        status = status_of(error);
    } else if (app->options->dump) {
        app_draw(app);
        canvas_dump(app->canvas, stdout);
    }
    if (status == STATUS_DONE)
        status = app->status;
    app_free(app);
    profile_free(profile);
    return status;
}

// ---- loading -----------------------------------------------------------------------------------

struct loading {
    pthread_t thread;
    struct load_request request;
    struct load_progress progress;
    struct profile *profile;
    struct error error;
    atomic_bool is_done;
    int wake[2];
};

static void *loading_run(void *context)
{
    struct loading *loading = context;
    loading->profile = profile_load(&loading->request, &loading->error);
    atomic_store(&loading->is_done, true);
    char byte = 1;
    ssize_t written = write(loading->wake[1], &byte, 1);
    (void)written;
    return NULL;
}

static bool loading_start(struct loading *loading, const struct load_request *request,
                          struct error *error)
{
    loading->request = *request;
    if (pipe(loading->wake) != 0)
        return error_set(error, ERROR_IO, "no pipe: %s", strerror(errno));
    fcntl(loading->wake[0], F_SETFL, O_NONBLOCK);
    fcntl(loading->wake[1], F_SETFL, O_NONBLOCK);
    loading->progress.wake_fd = loading->wake[1];
    loading->request.progress = &loading->progress;
    if (pthread_create(&loading->thread, NULL, loading_run, loading) != 0) {
        close(loading->wake[0]);
        close(loading->wake[1]);
        return error_set(error, ERROR_MEMORY, "no thread for loading");
    }
    return true;
}

static void loading_draw(struct app *app, struct loading *loading, double seconds)
{
    struct canvas *canvas = app->canvas;
    canvas_clear(canvas);
    int width = canvas->width > 64 ? 60 : canvas->width - 4, y = canvas->height / 2 - 3;
    int x = (canvas->width - width) / 2;
    uint64_t done = atomic_load(&loading->progress.rows_done);
    uint64_t total = atomic_load(&loading->progress.rows_total);
    const char *doing = atomic_load(&loading->progress.doing);
    char rows[FORMAT_SIZE], all[FORMAT_SIZE];
    double share = total > 0 ? (double)done / (double)total : 0;
    share = share > 1 ? 1 : share;
    y = y < 0 ? 0 : y;
    canvas_fit(canvas, x, y, width, STYLE_STRONG, FIT_MIDDLE, app->options->path);
    canvas_format(canvas, x, y + 1, width, STYLE_DIM, "%s", doing ? doing : "opening");
    canvas_fill(canvas, (struct area){x, y + 3, width, 1}, STYLE_IDLE, 0x2591);
    int cells = (int)(share * width);
    canvas_fill(canvas, (struct area){x, y + 3, cells, 1}, STYLE_BAR, 0x2588);
    if (total > 0)
        canvas_format(canvas, x, y + 4, width, STYLE_TEXT, "%s of %s rows   %d %%",
                      format_count(rows, (int64_t)done), format_count(all, (int64_t)total),
                      (int)(share * 100));
    canvas_format(canvas, x, y + 6, width, STYLE_DIM, "%.0f s   Esc or C-c cancels", seconds);
    term_draw(canvas, &app->theme, app->theme_serial);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Shows progress until the profile is there. False: cancelled, failed or ended by a signal.
static bool loading_show(struct app *app, struct loading *loading, int *number)
{
    enum { QUIET_MS = 150, FRAME_MS = 100 };
    double begin = seconds_now();
    *number = 0;
    while (!atomic_load(&loading->is_done)) {
        int x, y, width, height;
        if (!term_wait(loading->wake[0], seconds_now() - begin < 0.15 ? QUIET_MS : FRAME_MS,
                       number))
            atomic_store(&loading->progress.cancel, true);
        char bytes[64];
        while (read(loading->wake[0], bytes, sizeof bytes) > 0)
            ;
        uint32_t key;
        while ((key = term_key(&x, &y)) != KEY_NONE_PRESSED)
            if (key == KEY_ESCAPE || key == 3 || key == 'q' || key == 'Q')
                atomic_store(&loading->progress.cancel, true);
        term_size(&width, &height);
        if ((width != app->canvas->width || height != app->canvas->height) &&
            !canvas_resize(app->canvas, width, height, &loading->error))
            break;
        // What is there at once is not preceded by a flash of a loading screen.
        if (seconds_now() - begin > 0.15)
            loading_draw(app, loading, seconds_now() - begin);
        if (*number)
            break;
    }
    pthread_join(loading->thread, NULL);
    close(loading->wake[0]);
    close(loading->wake[1]);
    return loading->profile != NULL && *number == 0;
}

// ---- the loop ----------------------------------------------------------------------------------

static int loop(struct app *app, struct error *error)
{
    bool is_stale = true;
    while (!app->is_done) {
        int x = 0, y = 0, width, height, number;
        term_size(&width, &height);
        if ((width != app->canvas->width || height != app->canvas->height)) {
            if (!canvas_resize(app->canvas, width, height, error))
                return STATUS_DATA;
            is_stale = true;
        }
        if (app->wants_suspend) {
            app->wants_suspend = false;
            term_suspend();
            is_stale = true;
            continue;
        }
        if (app->wants_redraw) {
            app->wants_redraw = false;
            term_redraw();
            is_stale = true;
        }
        if (is_stale) {
            app_draw(app);
            term_draw(app->canvas, &app->theme, app->theme_serial);
            is_stale = false;
        }
        if (!term_wait(-1, -1, &number))
            return 128 + number;
        // All that was typed meanwhile, then one frame.
        uint32_t key;
        while (!app->is_done && (key = term_key(&x, &y)) != KEY_NONE_PRESSED) {
            if (key == KEY_CLICK)
                app_click(app, x, y);
            else
                app_key(app, key);
            is_stale = true;
            if (key == KEY_RESIZED || app->wants_suspend)
                break;
            // Page sizes and places depend on what is drawn.
            app_draw(app);
        }
    }
    return app->status;
}

static int run_terminal(struct app *app, FILE *script, struct error *error)
{
    struct loading loading = {.wake = {-1, -1}};
    int number = 0;
    if (!term_open(!app->options->no_mouse, error)) {
        app_free(app);
        return status_of(error);
    }
    int status;
    if (!loading_start(&loading, app->options->request, error)) {
        status = status_of(error);
    } else if (!loading_show(app, &loading, &number)) {
        *error = loading.error;
        status = status_of(error);
    } else if (!app_set_profile(app, loading.profile, error)) {
        status = status_of(error);
    } else {
        status = STATUS_DONE;
        int width, height;
        term_size(&width, &height);
        if (canvas_resize(app->canvas, width, height, error) &&
            (!script || script_run(app, script, stderr, error)))
            status = loop(app, error);
        else
            status = status_of(error);
    }
    term_close();
    app_free(app);
    profile_free(loading.profile);
    if (status > 128 && status != STATUS_CANCELLED)
        number = status - 128;
    if (number != 0) { // end as the signal would have ended it
        error->kind = ERROR_NONE;
        signal(number, SIG_DFL);
        raise(number);
    }
    return status;
}

int app_run(const struct app_options *given, struct error *error)
{
    struct app_options options = *given;
    int width = 80, height = 24;
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        options.ascii = true;
    if (options.size && !size_parse(options.size, &width, &height, error))
        return STATUS_USAGE;
    FILE *script = NULL;
    if (options.script) {
        script = strcmp(options.script, "-") == 0 ? stdin : fopen(options.script, "re");
        if (!script) {
            error_set(error, ERROR_IO, "%s: %s", options.script, strerror(errno));
            return STATUS_DATA;
        }
    }
    struct app *app = app_new(&options, error);
    int status;
    if (!app)
        status = status_of(error);
    else if (!canvas_resize(app->canvas, width, height, error))
        status = status_of(error);
    else if (options.dump || options.size || !isatty(STDOUT_FILENO))
        status = run_dump(app, script, error);
    else
        status = run_terminal(app, script, error);
    if (script && script != stdin)
        fclose(script);
    return status;
}
