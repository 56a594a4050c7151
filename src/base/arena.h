// SPDX-License-Identifier: Apache-2.0
// Memory with a lifetime instead of an owner.
//
// There is one arena per lifetime (a profile, a report's result, a frame); what is taken from it
// is released all at once. Allocation never returns NULL: when memory runs out, or the arena's
// bound is reached, control returns to the innermost arena_run() of that arena, which reports
// ERROR_MEMORY; work that nobody waits for any more ends the same way (arena_stop_by()). Code
// between holds no other resource across an allocation, or releases it in the function that called
// arena_run(). An arena belongs to one thread at a time.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct arena;

// A new arena that will hold at most `max_bytes` (0: no bound). NULL when out of memory.
struct arena *arena_new(size_t max_bytes);
void arena_free(struct arena *arena); // NULL is fine

// From now on whoever allocates from the arena gives up once *stop is true, as when memory ends, but
// with ERROR_CANCELLED. Any thread may set it; it outlives the arena or is taken back by NULL.
void arena_stop_by(struct arena *arena, const atomic_bool *stop);
bool arena_is_stopped(const struct arena *arena); // for who works long without allocating
// A new arena without a bound for work on behalf of another one: it stops when that does.
struct arena *arena_beside(const struct arena *other);

// A new arena for what ends before `other` does: what grows in it has one holder, and its old copies
// are given back at once.
struct arena *arena_brief(const struct arena *other);

// Gives an array of the arena, or room for one, back before its time. Only large ones go at once (64
// kB and more); NULL is fine.
void arena_release(struct arena *arena, void *memory, size_t bytes);
#define ARENA_RELEASE(arena, items, count) \
    arena_release(arena, items, (size_t)(count) * sizeof *(items))

// Releases everything but keeps the largest block for the next use (a frame, a result).
void arena_reset(struct arena *arena);

// Runs body(context) so that an allocation from `arena` that fails ends it. Returns what body
// returned, or false with ERROR_MEMORY or ERROR_CANCELLED. Calls nest.
bool arena_run(struct arena *arena, bool (*body)(void *context, struct error *error), void *context,
               struct error *error);

// Zeroed memory for `count` things of `size` bytes, aligned for any type (for large requests the
// untouched pages cost nothing). Must be called inside arena_run() to survive exhaustion; outside
// it exhaustion aborts.
void *arena_alloc(struct arena *arena, size_t count, size_t size);

#define ARENA_NEW(arena, type)          ((type *)arena_alloc(arena, 1, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc(arena, count, sizeof(type)))

// What is held for as long as the arena lives: end() is called once when it is freed or reset, on the
// thread that does so. `held` is memory of the arena, and nothing is allocated here.
struct arena_held {
    void (*end)(struct arena_held *held);
    struct arena_held *next; // the arena's
};
void arena_hold(struct arena *arena, struct arena_held *held);
const struct arena_held *arena_holds(const struct arena *arena); // the last that was added, or NULL

// Grows an array kept as (items, count, capacity): makes room for one more item. The old copy
// stays in the arena until the end of its life (doubling keeps that below the final size), other than
// in an arena_brief().
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size);
#define ARENA_PUSH(arena, items, count, capacity)                                 \
    (*(((items) = arena_grow(arena, items, count, &(capacity), sizeof *(items))), \
       &(items)[(count)++]))

char *arena_copy(struct arena *arena, const char *text, size_t length); // adds a final NUL
char *arena_text(struct arena *arena, const char *text);                // a copy; NULL of NULL
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

size_t arena_bytes(const struct arena *arena); // bytes taken so far

// For tests: from now on the n-th allocation of any arena fails (0: never).
void arena_fail_at(uint64_t n);

#endif
