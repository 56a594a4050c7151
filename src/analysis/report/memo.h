// SPDX-License-Identifier: Apache-2.0
// What a profile and a split settle alone, worked out once and kept: sums per iteration, time
// lines. A report that finds it adds up the iterations of its set instead of looking at every row
// again; without a memo it looks at the rows. The rows that it returns are the same.
//
// A selection carries the memo of its split (selection.memo, may be NULL). The screen keeps one per
// split and drops it with the split. To keep something: a `struct memo_kind` beside the function
// that makes it, and memo_get(). Safe to ask from several threads, of which one makes it and the others
// wait for it.
//
// What is handed out stays for as long as the arena that it was asked with, whatever becomes of the memo.
// What no arena holds and no frame has asked for lately goes, that which was asked for longest ago first,
// once there is more than fits; so what is looked at is never made anew for what is not.
#ifndef ANALYSIS_MEMO_H
#define ANALYSIS_MEMO_H

#include "analysis/report/selection.h"

// Fields of the selection that what is kept depends on, beside profile and split.
enum memo_field {
    MEMO_PROCESS = 1,
    MEMO_DEVICE = 2,
    MEMO_FOLDED = 4,
    MEMO_ADOPTION = 8,
    MEMO_NAMES = 16,
};

struct memo_kind {
    unsigned fields; // enum memo_field
    // Makes it in `arena`, which lives as long as it is kept or held: so does what is asked of the memo
    // with it. `selection` is of everything but for the fields named above (no set, no node, no op), and
    // carries the memo.
    void *(*make)(const struct profile *profile, const struct selection *selection,
                  struct arena *arena);
};

struct memo;

struct memo *memo_new(const struct profile *profile, const struct split *split); // NULL: no memory
void memo_free(struct memo *memo); // waits for memo_work(); NULL is fine
size_t memo_bytes(struct memo *memo);
void memo_limit(struct memo *memo, size_t bytes); // how much fits, instead of 1 GB

// A person does not wait for what only the next change gains by: from now on what is missing is
// noted instead of made, and memo_get() returns NULL. memo_work(), after each frame, makes what was noted,
// on a thread of its own, and returns at once; true: there is more to be made.
void memo_defer(struct memo *memo);
bool memo_work(struct memo *memo);

// The kept thing of a kind for a selection, made now if it must be; NULL: the selection has no memo
// of this profile and split, the thing is not there or there is no room for it, and the caller looks at
// the rows. Must be called inside arena_run() of `arena`, in which memory has run out when it ran out for
// what is kept.
const void *memo_get(const struct memo_kind *kind, const struct profile *profile,
                     const struct selection *selection, struct arena *arena);

// The same for what has no other way: made also when things are deferred or there is no room, and kept,
// so that it is made once; in `arena` where there is no memo.
const void *memo_make(const struct memo_kind *kind, const struct profile *profile,
                      const struct selection *selection, struct arena *arena);

// The kept thing of a kind is likely to be asked for: noted, where things are deferred.
void memo_wish(const struct memo_kind *kind, const struct profile *profile,
               const struct selection *selection);

// Whether nothing but iterations, process and GPU narrows the selection: no node, op, name.
bool selection_is_wide(const struct selection *selection);

#endif
