// SPDX-License-Identifier: Apache-2.0
// Before and after: the rows of a report with those of another profile, set of steps, GPU or
// process beside them.
//
// What is looked at (a profile and a selection) is side B; selection.baseline names side A. Both
// are reduced to one step of one GPU (of the host: of one process), so that captures of different
// length compare. Every report whose rows add up has a compared, which is a report itself: table,
// tree, sort, filter, CSV and help are those of any other. So has one whose rows nest or overlap
// (report.apart): each row's totals are compared by themselves, per step, and nothing is said of
// their sum: DLProf's tables as well. Steps themselves (report.is_steps): the first of a set with the
// first of the other. And findings: which are new or gone, and what all gain together.
//
//      A: profile, baseline.selection ─┐                       ┌─ A, B, B - A, percent of A
//         what B is narrowed to ───────┼─> rows of the report ─┼─ by columns that add up
//      B: profile, selection ──────────┘   matched by name     └─ new, gone, (step), (idle)
//
// Sums reconcile to the nanosecond: where the rows of the report add up to the GPU's busy time,
// the rows of the compared, with (idle) and (across step edges), add up to (step).
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "analysis/report/report.h"
#include "analysis/report/selection_parts.h"
#include "analysis/sums/step_statistics.h"

enum { SIDE_A, SIDE_B, SIDES };

struct baseline {                  // side A; lives as long as selections name it
    const struct profile *profile; // may be that of side B
    struct selection selection;    // split, set, GPU and process; all else follows side B
    bool follows_scope;            // the same GPU, and the process in the same place, as side B
    const char *name;              // "old.sqlite", "steps 3-10"
};

// Time of the selected steps of one side, of all its GPUs together, in ns.
struct side_time {
    int64_t step_ns; // by the GPUs' clocks, the windows of breakdown_gpu
    int64_t busy_ns; // in which anything runs
};

struct side {
    const struct profile *profile;
    struct selection selection;
    bool is_there;     // false: what side B is narrowed to does not exist here
    int64_t gpu, host; // steps x GPUs, steps x processes: what sums are divided by
    int64_t each;      // steps: what totals of one GPU's rows are (COLUMN_APART)
    bool is_whole; // not narrowed to a layer, kernel, op, ..., and times are told: then `time` is
                   // known
    struct side_time time;
    struct step_statistics steps; // lengths of the selected steps; count 0: no steps
};

struct compared {
    struct side side[SIDES];
    const char *unit; // what figures are of one of: "step", see compare_unit()
};

// Whether side A has the GPU and the process that `scope`, a selection of side B's profile, is
// narrowed to; where it has not, all of B's rows are new.
bool baseline_has_scope(const struct baseline *baseline, const struct profile *profile,
                        const struct selection *scope);

// What two splits have one of in common: "step", "replay", ..., of unlike ones "iteration"; NULL:
// one has no steps, and totals of the captures are compared.
const char *compare_unit(const struct split *a, const struct split *b);

// `selection->baseline` is set. All in `arena`.
void compare_make(struct compared *compared, const struct profile *profile,
                  const struct selection *selection, struct arena *arena);

// A total as the part of one step and GPU (or process), rounded so that parts add up: the part of
// what lies between two sums is the difference of their parts.
int64_t part_of_total(__int128 total, int64_t parts);

// How long a step is, per GPU, in ns; UNKNOWN: no GPU ran anything, or it is narrowed.
int64_t side_step_ns(const struct side *side);
int64_t side_idle_ns(const struct side *side);

// By how much steps vary by themselves: MAD of A plus MAD of B. A difference of the steps that is
// not larger is no evidence. 0: not known, there are fewer than two steps on a side.
int64_t compare_noise_ns(const struct compared *compared);

// "416 ms -> 398 ms a step, -18.2 ms (-4.4 %)", with what is to be said against it.
const char *compare_text(const struct compared *compared, bool ascii, struct arena *arena);
// "A: old.sqlite, 20 iterations ...; B: ...": what is compared.
const char *compare_sides(const struct compared *compared, const char *name_b, struct arena *arena);
// What makes the two sides hard to compare, "A ran on H100, B on A100"; the i-th, NULL: no more.
const char *compare_note(const struct compared *compared, size_t i, struct arena *arena);

// Whether it has a comparison: any of its columns, or of those of its stand-in, adds up.
bool report_is_compared(const struct report *report);
// The report that is compared: itself, or what stands in for it.
const struct report *compare_base(const struct report *report);
// The comparison of a report, in `arena`; NULL: its rows are no totals. Its build() needs a
// selection with a baseline. `unit`: of its splits, see compare_unit().
const struct report *compare_report(const struct report *base, const char *unit,
                                    struct arena *arena);

// What its figures are, and of what: "exclusive time per step and GPU", "step by step".
const char *compare_parts(const struct report *report, const char *unit, struct arena *arena);

// What lies behind a row of it: the row of the report on a side, NULL: it is new, gone or a sum.
const void *compare_row_side(const void *row, int side);

#endif
