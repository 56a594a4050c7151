// SPDX-License-Identifier: Apache-2.0
// Compares the rows of a report with those of another profile, set of steps, GPU or process.
//
// Side B is the current profile and selection; selection.baseline names side A. Both are reduced to
// one step of one GPU (host figures: of one process), so that captures of different length compare.
// The comparison is itself a report, so table, tree, sort, filter, CSV and help work as for any
// other.
//
// A report has a comparison if its rows add up. Rows that nest or overlap (report.apart, as in
// DLProf's tables) are compared one by one, per step, without a sum. Steps (report.is_steps) are
// compared in order: the first of one set with the first of the other. Findings are compared by
// their presence on each side and by their total gain.
//
//      A: profile, baseline.selection ─┐                       ┌─ A, B, B - A, percent of A
//         B's selection ───────────────┼─> rows of the report ─┼─ by columns that add up
//      B: profile, selection ──────────┘   matched by name     └─ new, gone, (step), (idle)
//
// Sums reconcile to the nanosecond: if the rows of the report add up to the GPU's busy time, the
// rows of the comparison, with (idle) and (across step edges), add up to (step).
#ifndef ANALYSIS_COMPARE_COMPARE_H
#define ANALYSIS_COMPARE_COMPARE_H

#include "analysis/report/report.h"
#include "analysis/report/selection_parts.h"
#include "analysis/steps/step_statistics.h"

enum { SIDE_A, SIDE_B, SIDES };

struct baseline {                  // side A; lives as long as selections name it
    const struct profile *profile; // may be side B's
    struct selection selection;    // its split, steps, GPU and process; all else is as on side B
    bool follows_scope;            // uses the GPU of side B, and the process with B's ordinal
    const char *name;              // "old.sqlite", "steps 3-10"
};

// Time of the selected steps of one side, summed over its GPUs, in ns.
struct side_time {
    int64_t step_ns; // by the GPUs' clocks: the windows of breakdown_gpu
    int64_t busy_ns; // time in which any work runs
};

struct side {
    const struct profile *profile;
    struct selection selection;
    bool is_there;     // false if an item that side B selects does not exist on this side
    int64_t gpu, host; // divisors of sums: steps x GPUs, and steps x processes
    // number of steps: divides totals of rows that belong to one GPU (COLUMN_NOT_ADDITIVE)
    int64_t each;
    // true if `time` is known: the selection is not narrowed to a layer, kernel or op, and the
    // profile has times
    bool is_whole;
    struct side_time time;
    struct step_statistics steps; // lengths of the selected steps; count is 0 without steps
};

struct compared {
    struct side side[SIDES];
    const char *unit; // the unit that figures are per: "step"; see compare_unit()
};

// Returns true if side A has the GPU and the process of `scope`, a selection of side B's profile.
// Otherwise all of B's rows are new.
bool baseline_has_scope(const struct baseline *baseline, const struct profile *profile,
                        const struct selection *scope);

// Returns the unit of both splits: "step", "replay", ..., or "iteration" if they differ. NULL if
// one has no steps, in which case totals of the captures are compared.
const char *compare_unit(const struct split *a, const struct split *b);

// Measures both sides. Requires selection->baseline; allocates in `arena`.
void compare_init(struct compared *compared, const struct profile *profile,
                  const struct selection *selection, struct arena *arena);

// Returns a total divided by `parts` (steps x GPUs, or steps x processes), rounded half up. The
// part of a row must be computed as the difference of two rounded prefix sums, so that parts add up
// exactly.
int64_t rounded_part(__int128 total, int64_t parts);

// Returns the length of a step per GPU in ns; UNKNOWN if no GPU ran anything or the side is
// narrowed.
int64_t side_step_ns(const struct side *side);
int64_t side_idle_ns(const struct side *side);

// Returns how much steps vary without a change of the program: the MAD (median absolute deviation)
// of A plus that of B. A smaller difference of steps is no evidence. 0 if unknown, with fewer than
// two steps on a side.
int64_t compare_noise_ns(const struct compared *compared);

// Formats "416 ms -> 398 ms a step, -18.2 ms (-4.4 %)", with a remark if that is noise.
const char *compare_text(const struct compared *compared, bool ascii, struct arena *arena);
// Formats "A: old.sqlite, 20 iterations ...; B: ...".
const char *compare_sides_text(const struct compared *compared, const char *name_b,
                               struct arena *arena);
// Returns the i-th reason why the sides are hard to compare, "A ran on H100, B on A100", or NULL.
const char *compare_note_text(const struct compared *compared, size_t i, struct arena *arena);

// Returns true if the report can be compared: it names another report for comparisons
// (comparison_report), or has a column that adds up.
bool report_is_comparable(const struct report *report);
// Returns the report that is compared: the report itself, or its comparison_report.
const struct report *compare_base(const struct report *report);
// Builds the comparison of a report in `arena`; NULL if its rows are no totals. Its build() needs a
// selection with a baseline. `unit` is from compare_unit().
const struct report *compare_report(const struct report *base, const char *unit,
                                    struct arena *arena);

// Formats what the figures are and their unit: "exclusive time per step and GPU", "step by step".
const char *compare_parts_text(const struct report *report, const char *unit, struct arena *arena);

// Returns the report's row of one side in a row of the comparison; NULL if that side has none.
const void *compare_row_side(const void *row, int side);

#endif
