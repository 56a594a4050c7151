// SPDX-License-Identifier: Apache-2.0
// Shared code of the benchmarks. Each benchmark is a program `program [KERNELS]`; the default is
// DLPROF_BENCH_KERNELS, else 1e6. Bars for 5e6 are measured at five times as many. A benchmark
// never fails for being slow: it reports which bars hold.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns seconds of wall time, or with DLPROF_BENCH_CPU=1 CPU seconds of the process on all
// cores, which can be compared even if others use the machine.
double now(void);
bool counts_cpu(void);
_Noreturn void die(const char *why);
long kernels_asked(int argc, char **argv);
bool is_quick(long kernels); // below 1e5: fewer profiles and samples, for a run of a few seconds

// Returns the smaller value; `best` 0 means none so far.
static inline double least(double best, double next)
{
    return best > 0 && best < next ? best : next;
}

// Returns a quantile (`share` 0 to 1); sorts the times.
double times_quantile(double *times, size_t count, double share);

// ---- profiles (bench_profiles.c) ----------------------------------------------------------------

// Profiles of training one model, evaluating it and serving it. The generator makes them, and they
// are kept in DLPROF_BENCH_FOLDER, else BUILD_DIR, until the generator is newer. ITERATIONS are
// numbered and have no `backward` of DLProf's, nothing marks the batches of EVALUATION.
enum kind {
    DLPROF_1,
    DLPROF_4,
    EMIT_1,
    EMIT_4,
    ITERATIONS,
    EVALUATION,
    SERVING,
    RANKS_64,
    TRACE,
    SUBJECT_KINDS
};

struct subject {
    enum kind kind;
    bool is_large; // five times the requested number of kernels
    long kernels;
    const char *path;
    double bytes;
};

struct subject subject_make(enum kind kind, long kernels, bool is_large);
const char *kind_name(enum kind kind);
// Formats a count as "3e5"; the text is valid until the fourth following call.
const char *count_text(long count);
// Evicts the file from the page cache, so that the next read comes from the disk. Returns the
// share of the file that stayed in memory.
double subject_forget(const struct subject *subject);

// ---- the floor (bench_floor.c) ------------------------------------------------------------------

// Returns the time of a single thread that only steps through the rows of the three large tables,
// and the number of rows.
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

void bars_begin(void); // prints the head of the table
// Prints a row: the figure in the unit of its bar, the seconds from which a ratio was computed (or
// 0), and a note (or NULL).
void bar_row(enum bar_id id, const struct subject *subject, double figure, double seconds,
             const char *note);
// Prints a row that was not measured.
void bar_none(enum bar_id id, const struct subject *subject, const char *why);

#endif
