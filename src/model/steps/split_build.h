// SPDX-License-Identifier: Apache-2.0
// Between iterations.c, split_key.c (stops of a key op), split_family.c (which ranges mark
// iterations) and split_ranges.c (windows).
#ifndef MODEL_SPLIT_BUILD_H
#define MODEL_SPLIT_BUILD_H

#include "model/steps/iterations.h"

// A split by ranges with room for `count` windows, numbered from 0.
struct split *split_windows(struct arena *arena, uint32_t count);
// The same by DLProf's rule: each lasts until the next.
struct split *split_key_windows(struct arena *arena, uint32_t count);
// The split where nothing marks iterations.
struct split *split_without(const struct profile *profile, struct arena *arena);
// DLProf's bounds by a key as split_by_key() takes it; NULL: it is not found. *named becomes the
// name of the last op that is the key; *is_equal: every process that has any has as many.
int64_t *split_key_bounds(const struct profile *profile, const char *key, size_t *count,
                          const char **named, bool *is_equal, struct arena *arena);
// The stops of a key's instances, in order of (process, stop). NULL: it is not found.
struct key_stop {
    uint32_t process;
    int64_t stop;
};
struct key_stop *split_key_stops(const struct profile *profile, const char *key, size_t *count,
                                 const char **named, struct arena *arena);
// Aggregations of a DLProf database: the name of one, the one of a name (NULL: none has it that found
// several iterations), in words, whether it is of a window, and the split by its windows.
const char *aggregation_name(const struct aggregation *aggregation, struct arena *arena);
const struct aggregation *aggregation_find(const struct profile *profile, const char *name);
const char *aggregation_text(const struct aggregation *aggregation, struct arena *arena);
bool aggregation_has(const struct aggregation *aggregation, uint32_t window);
struct split *split_by_aggregation(const struct profile *profile,
                                   const struct aggregation *aggregation, struct arena *arena);
// Whether windows of every process and device would be more than memory is for: a file made to do
// harm, as 16 million are 1,000 processes with 16,000 steps each.
bool split_exceeds(const struct profile *profile, size_t count);
// Says so in the split that is shown instead.
void split_tell_excess(struct split *split, size_t count, struct arena *arena);
// Fills what follows from the windows: the iterations of rows, then the windows by the GPU's clock.
void split_fill_rows(const struct profile *profile, struct split *split, struct arena *arena);
// Where windows of processes are UNKNOWN, the process lacks them.
void split_fill_gaps(struct split *split, uint32_t process_count);
// Counts what lies outside; split_fill_gpu() does so itself.
void split_fill_outside(const struct profile *profile, struct split *split);
void split_fill_gpu(const struct profile *profile, struct split *split, struct arena *arena);

// ", 4 micro-steps in each", "" for 0.
const char *split_inner_text(uint32_t inner, struct arena *arena);

// A stretch of the host's time that is one window, or the part of one process in it.
struct split_mark {
    uint32_t process; // ROW_NONE: of all of them
    uint32_t slot;    // which window
    int64_t start, stop;
    bool is_cut;
};

struct split_marks { // in order of (process, start), those of one process apart from each other
    struct split_mark *items;
    size_t count, capacity;
    uint32_t slot_count;
    bool by_gpu;   // times of the GPU's clock: work belongs to the window in which it runs
    bool is_apart; // one ends with its own work, and does not last until the next one
};

// A split with these windows: the names and the confidence are left to the caller. NULL: there is
// none, or, told in *excess, there are more than can be split by.
struct split *split_by_marks(const struct profile *profile, const struct split_marks *marks,
                             struct arena *arena, size_t *excess);

struct family { // of ranges that may mark iterations
    const struct profile *profile;
    struct arena *scratch;
    bool *is_member; // of each marker
    int64_t *number; // of each marker, UNKNOWN
    uint32_t *rows;  // its ranges, by (process, start), none inside another
    size_t count;
    uint32_t *in_thread; // how many ranges of the family each thread has
    uint32_t *best;      // of each process: the thread with most, or ROW_NONE
};

// As split_by_range(); `sure` follows the name in the split's text: " (certain)".
struct split *split_by_range_sure(const struct profile *profile, const char *text, const char *sure,
                                  struct arena *arena);
// The title of the file's own step markers that mark most, STRING_NONE: it has none.
string_id step_markers_best(const struct profile *profile, struct arena *scratch);

// Fills the rows of a family whose members are known: of each process those of the thread that has
// most of them, without those inside another one.
void family_collect(struct family *family);
// The split by a collected family; `key` is what it is called, `sure` how sure it is. NULL when it
// has no range, or, told in *excess, more of them than can be split by.
struct split *split_by_family(const struct family *family, const char *key, const char *sure,
                              struct arena *arena, size_t *excess);

#endif
