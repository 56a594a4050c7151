// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share. Each is a program of its own, `program [KERNELS]`, 1e6 unless said there or
// in DLPROF_BENCH_KERNELS; what the bars have for 5e6 is then measured at five times as many. No
// benchmark fails for being slow: it says which bars hold.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Seconds by the clock. With DLPROF_BENCH_CPU=1 by the CPU time that a process took, on all cores
// together: what can be compared where others use them, too.
double now(void);
bool counts_cpu(void);
_Noreturn void die(const char *why);
long kernels_asked(int argc, char **argv);
bool is_quick(long kernels); // below 1e5: fewer profiles and samples, for a look in some seconds

// The best so far, 0 where there is none, or the next.
static inline double least(double best, double next)
{
    return best > 0 && best < next ? best : next;
}

// Times, which get sorted: the one below which that share of them lies, 0 to 1.
double times_quantile(double *times, size_t count, double share);

// ---- profiles (bench_profiles.c) ----------------------------------------------------------------

// Training of one model; each is made by the generator, and kept in DLPROF_BENCH_FOLDER, else BUILD_DIR,
// until that is newer.
enum kind { DLPROF_1, DLPROF_4, EMIT_1, EMIT_4, RANKS_64, TRACE, SUBJECT_KINDS };

struct subject {
    enum kind kind;
    bool is_large; // five times what was asked for
    long kernels;
    const char *path;
    double bytes;
};

struct subject subject_make(enum kind kind, long kernels, bool is_large);
const char *kind_name(enum kind kind);
// "3e5"; the text is valid until the fourth call after.
const char *count_text(long count);
// So that the next read comes from the disk. The share of the file that stayed in memory.
double subject_forget(const struct subject *subject);

// ---- the floor (bench_floor.c) ------------------------------------------------------------------

// One thread that only steps through the rows of the three large tables: what it takes, and how many
// rows there are.
double floor_seconds(const char *path, int64_t *rows);

// ---- the bars (bench_bars.c) --------------------------------------------------------------------

enum bar_id {
    BAR_SUMMARY,
    BAR_PEAK,
    BAR_ONE_CORE,
    BAR_PART,
    BAR_FIRST_FRAME,
    BAR_FIRST_FRAME_COLD,
    BAR_PARTIAL,
    BAR_WHOLE,
    BAR_PEAK_SCREEN,
    BAR_PEAK_VIEWS,
    BAR_SETS,
    BAR_FILTER,
    BAR_SORT,
    BAR_FILTER_LONG,
    BAR_SORT_LONG,
    BAR_FOLD,
    BAR_VIEW,
    BAR_VIEW_FIRST,
    BAR_DRILL,
    BAR_SEARCH,
    BAR_TIMELINE,
    BAR_DIGESTS,
    BAR_EXPORTS,
    BAR_PYPROF,
    BAR_TRACE,
    BAR_TRACE_PEAK,
    BAR_TRACE_CORE,
    BAR_PACKED,
    BAR_PACKED_PEAK,
    BAR_GROWTH_TIME,
    BAR_GROWTH_MEMORY,
    BAR_COLD_FLOOR,
    BAR_COLD,
    BAR_PAGES,
    BAR_PAGES_COLD,
    BAR_SHELL_SUMS,
    BAR_SHELL_JOIN,
    BAR_COUNT
};

void bars_begin(void); // the head of the table
// A line of it: the figure in the unit of its bar; seconds behind a ratio, or 0; what else is to be
// said, or NULL.
void bar_row(enum bar_id id, const struct subject *subject, double figure, double seconds,
             const char *note);
void bar_none(enum bar_id id, const struct subject *subject, const char *why); // not measured

#endif
