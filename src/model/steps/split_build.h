// SPDX-License-Identifier: Apache-2.0
// Splits under construction: the interface between split.c, split_key.c (stops of a key op),
// split_family.c (ranges that mark steps), split_ranges.c (windows), split_marks.c,
// split_aggregation.c, and what follows from the windows: split_launches.c (work whose launch is
// unknown), split_cut.c (windows cut by the capture) and split_gpu.c (windows on the GPU's clock).
#ifndef MODEL_STEPS_SPLIT_BUILD_H
#define MODEL_STEPS_SPLIT_BUILD_H

#include "model/steps/split.h"

// Creates a split by ranges with room for `count` windows, numbered from 0.
struct split *split_new_by_ranges(struct arena *arena, uint32_t count);
// The same by DLProf's rule: each window lasts until the next.
struct split *split_new_by_key(struct arena *arena, uint32_t count);
// Returns the split of a profile without marks of steps: a single window.
struct split *split_unmarked(const struct profile *profile, struct arena *arena);
// Returns DLProf's bounds by a key, with `key` as in split_by_key(); NULL when it is not found.
// *named is set to the name of the last op that matches the key; *is_equal when all processes with
// the key have the same number of stops.
int64_t *split_key_bounds(const struct profile *profile, const char *key, size_t *count,
                          const char **named, bool *is_equal, struct arena *arena);
// Returns the stops of a key's instances, sorted by (process, stop); NULL when it is not found.
struct key_stop {
    uint32_t process;
    int64_t stop;
};
struct key_stop *split_key_stops(const struct profile *profile, const char *key, size_t *count,
                                 const char **named, struct arena *arena);
// Aggregations of a DLProf database. aggregation_name() returns the name of an aggregation and
// aggregation_find() the aggregation with a name, or NULL; one with a single iteration is not
// found. aggregation_text() returns a description, aggregation_has() whether a window is part of
// it.
const char *aggregation_name(const struct aggregation *aggregation, struct arena *arena);
const struct aggregation *aggregation_find(const struct profile *profile, const char *name);
const char *aggregation_text(const struct aggregation *aggregation, struct arena *arena);
bool aggregation_has(const struct aggregation *aggregation, uint32_t window);
struct split *split_by_aggregation(const struct profile *profile,
                                   const struct aggregation *aggregation, struct arena *arena);
// Returns whether windows of every process and device would need too much memory. Only a malicious
// file has so many: 16 million are 1,000 processes with 16,000 steps each.
bool split_exceeds(const struct profile *profile, size_t count);
// Reports this in the text of the split that is shown instead.
void split_report_excess(struct split *split, size_t count, struct arena *arena);
// Fills the window of each row by the windows on the host's clock. Work whose launch is unknown is
// outside until split_settle().
void split_fill_rows(const struct profile *profile, struct split *split, struct arena *arena);
// Makes windows empty in processes that do not have them; they must be UNKNOWN before.
void split_fill_gaps(struct split *split, uint32_t process_count);
// Fills everything else that follows from the windows of rows: settles the work whose launch is
// unknown, marks windows as cut, finds the windows on the GPU's clock and counts the work outside.
// `has_own_ends`: a window on the GPU's clock begins and ends with its own work.
void split_settle(const struct profile *profile, struct split *split, bool has_own_ends,
                  struct arena *arena);
// Its parts.
void split_fill_unlaunched(const struct profile *profile, struct split *split, struct arena *arena);
void split_find_cut(const struct profile *profile, struct split *split, struct arena *arena);
void split_fill_gpu(const struct profile *profile, struct split *split, bool has_own_ends,
                    struct arena *arena);
void split_fill_outside(const struct profile *profile, struct split *split);

// Fills split->content from the texts of the ranges that mark windows; of_row: window of each.
void split_fill_content(const struct profile *profile, const uint32_t *rows, const uint32_t *of_row,
                        size_t count, struct split *split, struct arena *arena);
// Returns ", 4 prefill, 8 decode"; "" if no kinds are known.
const char *split_kinds_text(const struct split *split, struct arena *arena);

// Returns ", 4 micro-steps in each"; "" for 0.
const char *split_inner_text(uint32_t inner, struct arena *arena);

// An interval of host time that is one window, or the part of one process in it.
struct split_mark {
    uint32_t process; // ROW_NONE: all processes
    uint32_t slot;    // index of the window
    int64_t start, stop;
    bool is_cut;
};

struct split_marks { // sorted by (process, start); marks of one process do not overlap
    struct split_mark *items;
    size_t count, capacity;
    uint32_t slot_count;
    bool by_gpu;       // times are on the GPU's clock: work belongs to the window in which it runs
    bool has_own_ends; // a window ends with its own work instead of lasting until the next one
};

// Returns a split with these windows; the caller sets names and confidence. NULL when there is
// none, or when there are too many to split by; *excess is their number then.
struct split *split_by_marks(const struct profile *profile, const struct split_marks *marks,
                             struct arena *arena, size_t *excess);

struct range_family { // ranges that may mark steps
    const struct profile *profile;
    struct arena *scratch;
    bool *is_member; // per marker
    int64_t *number; // per marker; UNKNOWN: none
    uint32_t *rows;  // ranges of the family by (process, start), not nested
    size_t count;
    uint32_t *in_thread; // per thread: number of ranges of the family
    uint32_t *best;      // per process: the thread with most ranges, or ROW_NONE
};

// As split_by_range(); `sure` is appended to the name in the text: " (certain)".
struct split *split_by_range_sure(const struct profile *profile, const char *text, const char *sure,
                                  struct arena *arena);
// Returns the title of the best family of explicit step markers; STRING_NONE when there are none.
string_id step_markers_best(const struct profile *profile, struct arena *scratch);

// Fills the rows of a family with known members: for each process the ranges of the thread with
// most of them, without nested ones.
void family_collect(struct range_family *family);
// Returns the split by a collected family with name `key` and confidence text `sure`. NULL when the
// family has no range, or too many to split by; *excess is their number then.
struct split *split_by_family(const struct range_family *family, const char *key, const char *sure,
                              struct arena *arena, size_t *excess);

#endif
