// SPDX-License-Identifier: Apache-2.0
// Cache of values that depend only on (profile, split): sums per step, activity lines. A report
// that finds its value adds up the selected steps instead of reading every row; without a memo it
// reads the rows. The returned rows are the same.
//
// A selection carries the memo of its split (selection.memo, may be NULL). The UI keeps one memo
// per split and frees it with the split. To cache a value, define a `struct memo_kind` next to the
// function that computes it, and call memo_get(). memo_get() is thread-safe: one thread computes a
// value and the others wait for it.
//
// A returned value lives as long as the arena passed to memo_get(), whatever happens to the memo.
// Above the size limit, values are evicted that no arena holds and no recent frame asked for, least
// recently used first. Values in use are thus never evicted in favour of prefetched ones.
#ifndef ANALYSIS_REPORT_MEMO_H
#define ANALYSIS_REPORT_MEMO_H

#include "analysis/report/selection.h"

// Fields of the selection that a value depends on, in addition to profile and split.
enum memo_field {
    MEMO_PROCESS = 1,
    MEMO_DEVICE = 2,
    MEMO_FOLDED = 4,
    MEMO_ADOPTION = 8,
    MEMO_NAMES = 16,
};

struct memo_kind {
    unsigned fields; // bit set of enum memo_field
    // Computes the value in `arena`, which lives as long as the value is cached or held; values
    // that it gets from the memo with this arena live as long. `selection` selects everything
    // except for the fields named above (no set of steps, no node, no op), and carries the memo.
    void *(*make)(const struct profile *profile, const struct selection *selection,
                  struct arena *arena);
};

struct memo;

// NULL: out of memory
struct memo *memo_new(const struct profile *profile, const struct split *split);
void memo_free(struct memo *memo); // waits for the background thread; NULL is allowed
size_t memo_bytes(struct memo *memo);
void memo_set_limit(struct memo *memo, size_t bytes); // sets the size limit, 1 GB by default

// Deferred mode. After memo_set_async(), memo_get() never computes: it queues a missing value and
// returns NULL. memo_run_queue() is called after each frame; it computes queued values on a
// background thread and returns at once. It returns true while there are values to compute.
void memo_set_async(struct memo *memo);
bool memo_run_queue(struct memo *memo);

// Returns the value of a kind for a selection, computed now if missing. Returns NULL if the
// selection has no memo of this profile and split, the value is deferred, or there is no room; the
// caller then reads the rows. Must be called inside arena_run() of `arena`: if the computation runs
// out of memory, `arena` does, too.
const void *memo_get(const struct memo_kind *kind, const struct profile *profile,
                     const struct selection *selection, struct arena *arena);

// Like memo_get() for values without an alternative: computed even in deferred mode or without
// room, and cached. Without a memo it is computed in `arena`.
const void *memo_require(const struct memo_kind *kind, const struct profile *profile,
                         const struct selection *selection, struct arena *arena);

// Hints that a value will be needed: in deferred mode a missing value is queued.
void memo_prefetch(const struct memo_kind *kind, const struct profile *profile,
                   const struct selection *selection);

// Returns true if only iterations, process and GPU narrow the selection, but no node, op or name.
bool selection_is_unfiltered(const struct selection *selection);

#endif
