// SPDX-License-Identifier: Apache-2.0
// Drives the app on a canvas and returns the screen as text.
#include "ui_screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/rows/cache.h"
#include "ui/session/session.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/script_state.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"

const struct app_options app_defaults = {.path = "test.sqlite",
                                         .steps = {NULL, UNKNOWN, UNKNOWN},
                                         .baseline_gpu = UNKNOWN,
                                         .baseline_process = UNKNOWN};

struct app *app_with(const struct app_options *options, const struct profile *profile, int width,
                     int height)
{
    struct error error = {0};
    struct app *app = app_new(options, &error);
    if (!app)
        fail_msg("%s", error.message);
    app->script->is_script = true;
    assert_true(canvas_resize(app->canvas, width, height, NULL));
    if (!app_set_profile(app, profile, &error))
        fail_msg("%s", error.message);
    return app;
}

// Draws a frame and waits for rows that are still being built.
static void frame(struct app *app)
{
    app_draw(app);
    while (app->cache->building)
        if (cache_collect(app->cache))
            app_draw(app);
}

struct app *app_on(const struct profile *profile, int width, int height)
{
    struct app *app = app_with(&app_defaults, profile, width, height);
    frame(app);
    return app;
}

struct app *app_after(const struct profile *profile, const char *path, int width, int height)
{
    struct app *app = app_on(profile, width, height);
    struct error error = {0};
    if (!session_read(path, app->session, app->arena, &error))
        fail_msg("%s", error.message);
    session_run(app, app->session);
    frame(app);
    return app;
}

void press(struct app *app, const char *keys)
{
    char text[400];
    snprintf(text, sizeof text, "%s", keys);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        uint32_t key;
        assert_true(key_parse(word, &key));
        app_key(app, key);
        frame(app);
    }
}

void do_command(struct app *app, const char *line)
{
    if (!app_command_line(app, line))
        fail_msg("%s: %s", line, app->messages->text);
    frame(app);
}

void point_at(struct app *app, uint32_t key, int x, int y)
{
    app_point(app, key, x, y);
    frame(app);
}

char *picture(struct app *app)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    app->messages->text[0] = 0;
    frame(app);
    canvas_dump(app->canvas, file);
    fclose(file);
    return text;
}

const char *screen_body(const char *picture)
{
    for (int line = 0; line < 2; line++) {
        picture += strcspn(picture, "\n");
        picture += *picture == '\n'; // a small screen has fewer lines
    }
    return picture;
}

bool shows(struct app *app, const char *words)
{
    char *text = picture(app);
    bool is_there = strstr(text, words) != NULL;
    free(text);
    return is_there;
}

// ---- files -------------------------------------------------------------------------------------

static char own_folder[] = "/tmp/ui-test-XXXXXX";

const char *own_folder_enter(void)
{
    return mkdtemp(own_folder) && chdir(own_folder) == 0 ? own_folder : NULL;
}

int own_folder_remove(void)
{
    char command[sizeof own_folder + 20];
    snprintf(command, sizeof command, "rm -rf '%s'", own_folder);
    return chdir("/") != 0 || system(command) != 0; // NOLINT(cert-env33-c): the test's own folder
}
