// SPDX-License-Identifier: Apache-2.0
// Response times: the program on a terminal, from its start to each state of the screen, and from
// a key to the last byte of the next frame.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_terminal.h"
#include "ui/app/lists.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"

enum { ROUNDS = 3, SAMPLES = 200, SAMPLES_QUICK = 20 };
// The next key follows a frame after a short delay, as when a key is held down.
enum { KEY_GAP_MS = 12, PATIENCE_MS = 600000 };

// ---- from the start -----------------------------------------------------------------------------

struct opening { // seconds since the start; 0: not seen
    double frame, partial, complete, floor;
    double megabytes;
};

// Returns the time at which a state was first seen; 0: not yet.
static double first_time(double known, double at, bool is_there)
{
    return known == 0 && is_there ? at : known;
}

static struct terminal *terminal_open(const struct subject *subject, struct opening *opening)
{
    double start = now();
    struct terminal *terminal = terminal_start(subject);
    *opening = (struct opening){0};
    while (opening->complete == 0) {
        if (!terminal_frame(terminal, PATIENCE_MS))
            die("the program shows nothing");
        double at = terminal_time(terminal) - start;
        bool is_complete = terminal_shows(terminal, "trust: ");
        bool is_partial = is_complete || terminal_shows(terminal, "partial: ");
        bool is_loading = is_partial || terminal_shows(terminal, " rows  ");
        opening->frame = first_time(opening->frame, at, is_loading);
        opening->partial = first_time(opening->partial, at, is_partial);
        opening->complete = first_time(opening->complete, at, is_complete);
    }
    opening->megabytes = terminal_peak(terminal);
    return terminal;
}

static void opening_rows(const struct subject *subject)
{
    struct opening best = {0}, next;
    int64_t rows;
    char note[64];
    for (int i = 0; i < (subject->is_large ? 1 : ROUNDS); i++) {
        best.floor = least(best.floor, floor_seconds(subject->path, &rows));
        terminal_end(terminal_open(subject, &next));
        best.frame = least(best.frame, next.frame);
        best.partial = least(best.partial, next.partial);
        best.complete = least(best.complete, next.complete);
        best.megabytes = next.megabytes > best.megabytes ? next.megabytes : best.megabytes;
    }
    snprintf(note, sizeof note, "floor %.0f ms%s", best.floor * 1e3,
             best.partial == best.complete ? "; complete at once" : "");
    bar_row(BAR_FIRST_FRAME, subject, best.frame * 1e3, 0, NULL);
    bar_row(BAR_PARTIAL, subject, best.partial / best.floor, best.partial, note);
    bar_row(BAR_WHOLE, subject, best.complete / best.floor, best.complete, NULL);
    bar_row(BAR_PEAK_SCREEN, subject, best.megabytes, 0, NULL);
    subject_forget(subject);
    terminal_end(terminal_open(subject, &next));
    bar_row(BAR_FIRST_FRAME_COLD, subject, next.frame * 1e3, 0, NULL);
}

// ---- from a key ---------------------------------------------------------------------------------

// Returns seconds from the key to the end of its frame; 0: no change.
static double key_seconds(struct terminal *terminal, char key)
{
    while (terminal_read(terminal, KEY_GAP_MS))
        ;
    double start = terminal_send(terminal, (char[]){key, 0});
    if (!terminal_wait(terminal))
        return 0;
    terminal_frame(terminal, FRAME_GAP_MS);
    return terminal_time(terminal) - start;
}

// Types keys without measuring them, before a measurement.
static void keys_send(struct terminal *terminal, const char *keys)
{
    terminal_send(terminal, keys);
    terminal_rest(terminal);
}

static void view_open(struct terminal *terminal, const char *view)
{
    char command[40];
    snprintf(command, sizeof command, ":view %s\r", view);
    keys_send(terminal, command);
}

struct times {
    double seconds[SAMPLES];
    size_t count;
};

static size_t samples(const struct subject *subject)
{
    return is_quick(subject->kernels / (subject->is_large ? 5 : 1)) ? SAMPLES_QUICK : SAMPLES;
}

static void times_add(struct times *times, double seconds)
{
    if (seconds > 0 && times->count < SAMPLES)
        times->seconds[times->count++] = seconds;
}

struct worst { // the slowest of several views
    double ms;
    char note[100];
};

static void worst_update(struct worst *worst, struct times *times, double share, const char *where)
{
    double ms = times_quantile(times->seconds, times->count, share) * 1e3;
    if (ms > worst->ms) {
        worst->ms = ms;
        snprintf(worst->note, sizeof worst->note, "%s", where);
        if (times->count > 1)
            snprintf(worst->note, sizeof worst->note, "%s%sp50 %.1f ms of %zu", where,
                     *where ? ", " : "", times_quantile(times->seconds, times->count, 0.5) * 1e3,
                     times->count);
    }
    times->count = 0;
}

static void worst_row(enum bar_id id, const struct subject *subject, const struct worst *worst)
{
    bar_row(id, subject, worst->ms, 0, worst->note);
}

// Types the keys of a text in rotation.
static void keys_measure(struct terminal *terminal, size_t count, struct worst *worst,
                         const char *where, const char *keys)
{
    static struct times times;
    for (size_t i = 0; i < count; i++)
        times_add(&times, key_seconds(terminal, keys[i % strlen(keys)]));
    worst_update(worst, &times, 0.99, where);
}

static void view_rows(struct terminal *terminal, const struct subject *subject)
{
    struct worst first = {0}, again = {0};
    struct times times = {.count = 0};
    for (const char *view = "2345678901"; *view; view++) {
        times_add(&times, key_seconds(terminal, *view));
        worst_update(&first, &times, 1, (char[]){'v', 'i', 'e', 'w', ' ', *view, 0});
    }
    terminal_rest(terminal);
    keys_measure(terminal, samples(subject), &again, "", "3526407981425369708");
    worst_row(BAR_VIEW_FIRST, subject, &first);
    worst_row(BAR_VIEW, subject, &again);
}

static void table_measure(struct terminal *terminal, size_t count, const char *where,
                          const char *typed, struct worst *filtered, struct worst *sorted)
{
    keys_send(terminal, "f");
    keys_measure(terminal, count, filtered, where, typed);
    keys_send(terminal, "\033");
    keys_measure(terminal, count, sorted, where, ">I>I<I<I");
}

static void table_rows(struct terminal *terminal, const struct subject *subject)
{
    static const char *const measured[] = {"kernels", "tree", "detail", "kernel"};
    struct worst filtered = {0}, sorted = {0};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        view_open(terminal, measured[i]);
        table_measure(terminal, samples(subject), measured[i],
                      "gemm\177\177\177\177gpu>9us\177\177\177\177\177\177\177", &filtered,
                      &sorted);
    }
    worst_row(BAR_FILTER, subject, &filtered);
    worst_row(BAR_SORT, subject, &sorted);
}

// Views with a row per API call of a launching thread, some hundred thousand.
static void calls_rows(struct terminal *terminal, const struct subject *subject)
{
    struct worst filtered = {0}, sorted = {0};
    view_open(terminal, "api");
    keys_send(terminal, ":row cudaLaunchKernel\r");
    keys_send(terminal, "\r");
    keys_send(terminal, "\r");
    table_measure(terminal, samples(subject), "calls",
                  "gemm\177\177\177\177time>3us\177\177\177\177\177\177\177\177", &filtered,
                  &sorted);
    worst_row(BAR_FILTER_LONG, subject, &filtered);
    worst_row(BAR_SORT_LONG, subject, &sorted);
}

static void fold_row(struct terminal *terminal, const struct subject *subject)
{
    struct worst worst = {0};
    view_open(terminal, "tree");
    keys_send(terminal, ":siblings on\r");
    // So that unfolding the first row shows as many rows as possible.
    keys_send(terminal, ":sort -gpu\r");
    keys_send(terminal, "Cg");
    keys_measure(terminal, samples(subject), &worst, "", "EC");
    worst_row(BAR_FOLD, subject, &worst);
}

// Opens one row after another with Enter and closes it again.
static void drill_row(struct terminal *terminal, const struct subject *subject)
{
    static const char *const measured[] = {"kernels", "tree", "iterations", "api"};
    static struct times times;
    struct worst worst = {0};
    for (size_t v = 0; v < sizeof measured / sizeof *measured; v++) {
        view_open(terminal, measured[v]);
        for (size_t i = 0; i < samples(subject) / 2; i++) {
            times_add(&times, key_seconds(terminal, '\r'));
            keys_send(terminal, "\177");
            keys_send(terminal, i % 10 == 9 ? "g" : "j");
        }
        worst_update(&worst, &times, 0.99, measured[v]);
    }
    worst_row(BAR_DRILL, subject, &worst);
}

static void search_row(struct terminal *terminal, const struct subject *subject)
{
    static struct times times;
    struct worst worst = {0};
    view_open(terminal, "timeline");
    for (size_t i = 0; i < samples(subject) / 5; i++) {
        keys_send(terminal, i % 2 ? "/no such name" : "/gemm");
        times_add(&times, key_seconds(terminal, '\r'));
    }
    worst_update(&worst, &times, 0.99, "");
    worst_row(BAR_SEARCH, subject, &worst);
}

// Opens all views, whose rows stay in memory. Later measurements must not become slower by this.
static void all_views_row(struct terminal *terminal, const struct subject *subject)
{
    for (size_t i = 0; i < view_count; i++)
        view_open(terminal, views[i]->name);
    bar_row(BAR_PEAK_VIEWS, subject, terminal_peak(terminal), 0, NULL);
}

static void timeline_row(struct terminal *terminal, const struct subject *subject)
{
    static const char keys[] = "hljk+-HL+-";
    static struct times times;
    struct worst worst = {0};
    unsigned seed = 1;
    view_open(terminal, "timeline");
    keys_send(terminal, "+++");
    for (size_t i = 0; i < samples(subject); i++)
        times_add(&times, key_seconds(terminal, keys[(size_t)rand_r(&seed) % (sizeof keys - 1)]));
    worst_update(&worst, &times, 0.99, "");
    worst_row(BAR_TIMELINE, subject, &worst);
}

int main(int argc, char **argv)
{
    if (!lists_use(NULL))
        return 1;
    long kernels = kernels_asked(argc, argv);
    static const enum kind measured[] = {DLPROF_1, EMIT_4};
    struct opening opening;
    unsetenv("DLPROF_BENCH_CPU"); // users wait by wall time
    bars_begin();
    for (size_t i = 0; i < (is_quick(kernels) ? 1 : sizeof measured / sizeof *measured); i++) {
        struct subject usual = subject_make(measured[i], kernels, false);
        struct subject large = subject_make(measured[i], kernels, true);
        opening_rows(&usual);
        opening_rows(&large);
        struct terminal *terminal = terminal_open(&usual, &opening);
        terminal_rest(terminal);
        view_rows(terminal, &usual);
        table_rows(terminal, &usual);
        calls_rows(terminal, &usual);
        fold_row(terminal, &usual);
        drill_row(terminal, &usual);
        search_row(terminal, &usual);
        all_views_row(terminal, &usual);
        terminal_end(terminal);
        terminal = terminal_open(&large, &opening);
        terminal_rest(terminal);
        all_views_row(terminal, &large);
        timeline_row(terminal, &large);
        terminal_end(terminal);
    }
    return 0;
}
