// SPDX-License-Identifier: Apache-2.0
// What a frame of the timeline costs at any zoom, 200x50, beside the bar of one frame (16 ms): drawing
// after each of many keys that move and zoom at random; and making the lanes once.
//
//     timeline [KERNELS]     1e5 unless said here or in DLPROF_BENCH_KERNELS
#include <string.h>

#include "bench.h"
#include "model/loader.h"
#include "ui/app_state.h"

enum { WIDTH = 200, HEIGHT = 50, FRAMES = 2000, SEARCHES = 20 };

static void line(const char *what, double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare_times);
    double p99 = times[count * 99 / 100];
    printf("%-34s %9.2f ms %9.2f ms %7.2f\n", what, times[count / 2] * 1e3, p99 * 1e3,
           p99 / FRAME_S);
    fflush(stdout);
}

static void press(struct app *app, const char *keys, unsigned *seed)
{
    app_key(app, (uint32_t)keys[(size_t)rand_r(seed) % strlen(keys)]);
}

// Frames at a zoom that wanders between the whole run and a column of a nanosecond.
static void frames(struct app *app, const char *what, const char *keys)
{
    static double times[FRAMES];
    unsigned seed = 1;
    for (size_t i = 0; i < FRAMES; i++) {
        press(app, keys, &seed);
        double start = now();
        app_draw(app);
        times[i] = now() - start;
    }
    line(what, times, FRAMES);
}

static void keys_cost(struct app *app)
{
    static double times[FRAMES];
    unsigned seed = 2;
    for (size_t i = 0; i < FRAMES; i++) {
        double start = now();
        press(app, "hljk+-HL<>zw", &seed);
        times[i] = now() - start;
        app_draw(app);
    }
    line("a key", times, FRAMES);
}

static void searches(struct app *app)
{
    static double times[SEARCHES];
    for (size_t i = 0; i < SEARCHES; i++) {
        double start = now();
        app_command_line(app, i % 2 ? "search no such name" : "search gemm");
        times[i] = now() - start;
    }
    line("a search of all lanes", times, SEARCHES);
}

int main(int argc, char **argv)
{
    long kernel_count = kernels_asked(argc, argv);
    struct error error = {0};
    const char *path = make_profile("steps", kernel_count);
    struct profile *profile = profile_load(&(struct load_request){.path = path}, &error);
    const struct app_options options = {.path = path,
                                        .view = "timeline",
                                        .steps = {NULL, UNKNOWN, UNKNOWN},
                                        .baseline_gpu = UNKNOWN,
                                        .baseline_process = UNKNOWN};
    struct app *app = profile ? app_new(&options, &error) : NULL;
    if (!app || !canvas_resize(app->canvas, WIDTH, HEIGHT, &error) ||
        !app_set_profile(app, profile, &error))
        die(error.message);
    app->is_script = true;
    printf("%u pieces of GPU work, %u calls, %u ranges\n\n", profile->work.count,
           profile->api.count, profile->ranges.count);
    double start = now();
    app_draw(app);
    printf("%-34s %9.2f ms\n", "the first frame, lanes and all", (now() - start) * 1e3);
    printf("%-34s %12s %12s %7s\n", "", "p50", "p99", "of 16 ms");
    frames(app, "frames while zooming and moving", "hljk+-HL+-+-");
    app_command_line(app, "fit");
    frames(app, "frames far out", "hljkHL-");
    frames(app, "frames close by", "hljkHL+");
    keys_cost(app);
    searches(app);
    app_free(app);
    profile_free(profile);
    return 0;
}
