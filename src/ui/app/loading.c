// SPDX-License-Identifier: Apache-2.0
#include "ui/app/loading.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "model/open/open.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/colours.h"
#include "ui/state/messages.h"
#include "ui/state/view_classes.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/term/term.h"

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

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

bool loading_start(struct loading *loading, const struct load_request *request, struct error *error)
{
    loading->request = *request;
    loading->begin = seconds_now();
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
    loading->is_running = true;
    return true;
}

double loading_ms(const struct loading *loading)
{
    return (seconds_now() - loading->begin) * 1000;
}

bool loading_is_done(struct loading *loading)
{
    char bytes[64];
    while (read(loading->wake[0], bytes, sizeof bytes) > 0)
        ;
    return atomic_load(&loading->is_done);
}

void loading_draw(struct app *app, struct loading *loading)
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
    canvas_fit(canvas, x, y, width, STYLE_STRONG, FIT_MIDDLE,
               text_display_path(app->options->path));
    canvas_format(canvas, x, y + 1, width, STYLE_DIM, "%s", doing ? doing : "opening");
    canvas_fill(canvas, (struct area){x, y + 3, width, 1}, STYLE_IDLE, 0x2591);
    int cells = (int)(share * width);
    canvas_fill(canvas, (struct area){x, y + 3, cells, 1}, STYLE_BAR, 0x2588);
    if (total > 0)
        canvas_format(canvas, x, y + 4, width, STYLE_TEXT, "%s of %s rows   %d %%",
                      format_count(rows, (int64_t)done), format_count(all, (int64_t)total),
                      (int)(share * 100));
    canvas_format(canvas, x, y + 6, width, STYLE_DIM, "%.0f s   Esc or C-c cancels",
                  loading_ms(loading) / 1000);
    term_draw(canvas, &app->colours->theme, app->colours->serial);
}

void loading_note(struct app *app, struct loading *loading)
{
    uint64_t done = atomic_load(&loading->progress.rows_done);
    uint64_t total = atomic_load(&loading->progress.rows_total);
    const char *doing = atomic_load(&loading->progress.doing);
    snprintf(app->messages->loading, sizeof app->messages->loading,
             "still %s, %d %% of the rows: more views follow", doing ? doing : "loading",
             total > 0 ? (int)(done * 100 / total) : 0);
}

void loading_end(struct loading *loading)
{
    if (!loading->is_running)
        return;
    atomic_store(&loading->progress.cancel, true);
    pthread_join(loading->thread, NULL);
    loading->is_running = false;
    close(loading->wake[0]);
    close(loading->wake[1]);
}

struct profile *loading_take_profile(struct loading *loading)
{
    struct profile *profile = loading->profile;
    loading->profile = NULL;
    atomic_store(&loading->progress.stage, NULL); // its memory belongs to the profile
    return profile;
}

void loading_release(struct loading *loading)
{
    const struct profile *stage = atomic_load(&loading->progress.stage);
    const struct profile *profile = loading_take_profile(loading);
    profile_free(profile ? profile : stage);
}
