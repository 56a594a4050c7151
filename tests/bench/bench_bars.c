// SPDX-License-Identifier: Apache-2.0
// The bars: limits that figures must keep, and their evaluation.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum unit { OF_FLOOR, OF_FILE, OF_LOAD, TIMES, MILLISECONDS, MEGABYTES };

// `limit` 0: there is none; `aim` is the long-term goal. Index [1] is for a profile five times as
// large.
static const struct bar {
    const char *what;
    enum unit unit;
    double limit[2], aim[2];
} bars[BAR_COUNT] = {
    [BAR_SUMMARY] = {"start to complete summary", OF_FLOOR, {0.9, 1.0}, {0.75, 0.85}},
    [BAR_PEAK] = {"  its peak of memory", MEGABYTES, {300, 1200}, {200, 900}},
    [BAR_ONE_CORE] = {"  on one core", OF_FLOOR, {1.6, 1.6}, {1.4, 1.4}},
    [BAR_PART] = {"  five steps of it alone", OF_LOAD, {0, 0.1}, {0}},
    [BAR_FIRST_FRAME] = {"first frame on screen", MILLISECONDS, {100, 100}, {0}},
    [BAR_FIRST_FRAME_COLD] = {"  the file not in memory", MILLISECONDS, {100, 100}, {0}},
    [BAR_PARTIAL] = {"summary on screen, partial", OF_FLOOR, {0.3, 0.3}, {0}},
    [BAR_WHOLE] = {"summary on screen, complete", OF_FLOOR, {0}, {0}},
    [BAR_PEAK_SCREEN] = {"  peak of memory until then", MEGABYTES, {0}, {0}},
    [BAR_PEAK_VIEWS] = {"  after every view was seen", MEGABYTES, {0}, {0}},
    [BAR_SETS] = {"any set of iterations, p99", MILLISECONDS, {16, 50}, {0}},
    [BAR_FILTER] = {"key to frame, p99: filter", MILLISECONDS, {16, 16}, {0}},
    [BAR_SORT] = {"  sort", MILLISECONDS, {16, 16}, {0}},
    [BAR_FILTER_LONG] = {"  filter, a row per call", MILLISECONDS, {16, 16}, {0}},
    [BAR_SORT_LONG] = {"  sort, a row per call", MILLISECONDS, {16, 16}, {0}},
    [BAR_FOLD] = {"  fold all, unfold all", MILLISECONDS, {16, 16}, {0}},
    [BAR_VIEW] = {"  switch to another view", MILLISECONDS, {16, 16}, {0}},
    [BAR_VIEW_FIRST] = {"  the first time, the slowest", MILLISECONDS, {16, 16}, {0}},
    [BAR_DRILL] = {"  drill-down", MILLISECONDS, {16, 16}, {0}},
    [BAR_SEARCH] = {"  search through the timeline", MILLISECONDS, {16, 16}, {0}},
    [BAR_TIMELINE] = {"  timeline at any zoom", MILLISECONDS, {16, 16}, {0}},
    [BAR_DIGESTS] = {"64 digests on one screen", MILLISECONDS, {1000, 1000}, {0}},
    [BAR_EXPORTS] = {"all DLProf reports, CSV, tmpfs", OF_FLOOR, {2, 2}, {0}},
    [BAR_PYPROF] = {"PyProf's table, 160,000 kernels", MILLISECONDS, {1000, 1000}, {0}},
    [BAR_TRACE] = {"PyTorch's trace, a GB of it", MILLISECONDS, {4000, 4000}, {0}},
    [BAR_TRACE_PEAK] = {"  its peak of memory, of its size", OF_FILE, {0.25, 0.25}, {0.2, 0.2}},
    [BAR_TRACE_CORE] = {"  on one core", MILLISECONDS, {5000, 5000}, {3333, 3333}},
    [BAR_PACKED] = {"a packed one on one core, a GB", MILLISECONDS, {5000, 5000}, {3333, 3333}},
    [BAR_PACKED_PEAK] = {"  its peak, of its size unpacked", OF_FILE, {0.25, 0.25}, {0.2, 0.2}},
    [BAR_GROWTH_TIME] = {"growth: time per event", TIMES, {1.2, 1.2}, {0}},
    [BAR_GROWTH_MEMORY] = {"growth: memory per event", TIMES, {1.2, 1.2}, {0}},
    [BAR_COLD_FLOOR] = {"not in memory: the floor", OF_FLOOR, {0}, {0}},
    [BAR_COLD] = {"  start to complete summary", OF_FLOOR, {0}, {0}},
    [BAR_PAGES] = {"bytes read: each page once", OF_FILE, {1.05, 1.05}, {0}},
    [BAR_PAGES_COLD] = {"  of it from the disk", OF_FILE, {1.05, 1.05}, {0}},
    [BAR_SHELL_SUMS] = {"sqlite3: sums of kernels", OF_FLOOR, {0}, {0}},
    [BAR_SHELL_JOIN] = {"sqlite3: kernels and launches", OF_FLOOR, {0}, {0}},
};

static const long sizes[2] = {1000000, 5000000}; // kernels that the memory bars are for

// Memory bars scale with the number of kernels, no others do.
static double scaled(const struct bar *bar, const struct subject *subject, const double pair[2])
{
    double limit = pair[subject->is_large];
    return bar->unit == MEGABYTES
               ? limit * (double)subject->kernels / (double)sizes[subject->is_large]
               : limit;
}

static const char *figure_text(const struct bar *bar, double figure, char *out, size_t size)
{
    switch (bar->unit) {
    case OF_FLOOR:
        snprintf(out, size, "%.2f floor", figure);
        break;
    case OF_FILE:
        snprintf(out, size, "%.3f file", figure);
        break;
    case OF_LOAD:
        snprintf(out, size, "%.3f load", figure);
        break;
    case TIMES:
        snprintf(out, size, "%.2f times", figure);
        break;
    case MILLISECONDS:
        snprintf(out, size, figure < 100 ? "%.1f ms" : "%.0f ms", figure);
        break;
    case MEGABYTES:
        snprintf(out, size, "%.0f MB", figure);
        break;
    }
    return out;
}

// Prints a line. Also appends it to the file of the calling program, if any, which sorts the lines
// of all benchmarks.
static void line_print(int order, const char *line)
{
    const char *path = getenv("DLPROF_BENCH_ROWS");
    FILE *rows = path && *path ? fopen(path, "a") : NULL;
    puts(line);
    fflush(stdout);
    if (!rows)
        return;
    fprintf(rows, "%d\t%s\n", order, line);
    fclose(rows);
}

void bars_begin(void)
{
    char line[200];
    snprintf(line, sizeof line, "%-32s %-9s %7s %10s %12s %7s %6s", "", "markers", "kernels",
             "took", "measured", "at most", "aim");
    line_print(-1, line);
}

static void row_print(enum bar_id id, const struct subject *subject, const char *took,
                      const char *measured, const char *verdict, const char *note)
{
    const struct bar *bar = &bars[id];
    double limit = scaled(bar, subject, bar->limit), aim = scaled(bar, subject, bar->aim);
    char line[300], limit_text[16] = "", aim_text[16] = "";
    if (limit > 0)
        snprintf(limit_text, sizeof limit_text, "%.4g", limit);
    if (aim > 0)
        snprintf(aim_text, sizeof aim_text, "%.4g", aim);
    snprintf(line, sizeof line, "%-32s %-9s %7s %10s %12s %7s %6s  %-6s%s%s", bar->what,
             kind_name(subject->kind), count_text(subject->kernels), took, measured, limit_text,
             aim_text, verdict, note ? "  " : "", note ? note : "");
    for (size_t end = strlen(line); end > 0 && line[end - 1] == ' ';)
        line[--end] = 0;
    line_print((int)id, line);
}

void bar_row(enum bar_id id, const struct subject *subject, double figure, double seconds,
             const char *note)
{
    const struct bar *bar = &bars[id];
    double limit = scaled(bar, subject, bar->limit), aim = scaled(bar, subject, bar->aim);
    // CPU time of several cores is not comparable with the floor, which is the time of one thread.
    bool is_shared = counts_cpu() && bar->unit == OF_FLOOR && id != BAR_ONE_CORE;
    bool is_judged = limit > 0 && !is_shared;
    char took[24] = "", measured[24];
    if (seconds > 0)
        snprintf(took, sizeof took, "%.0f ms", seconds * 1e3);
    row_print(id, subject, took, figure_text(bar, figure, measured, sizeof measured),
              !is_judged                 ? ""
              : figure > limit           ? "MISSES"
              : aim > 0 && figure <= aim ? "aim"
                                         : "holds",
              note);
}

void bar_none(enum bar_id id, const struct subject *subject, const char *why)
{
    row_print(id, subject, "", "-", "", why);
}
