// SPDX-License-Identifier: Apache-2.0
// Arena allocator: memory is released by lifetime, not piece by piece.
//
// Each lifetime (a profile, a report's result, a frame) has one arena, and all its memory is
// released at once. Allocation never returns NULL. When memory runs out or the arena's limit is
// reached, control returns by longjmp() to the innermost arena_run() of that arena, which reports
// ERROR_MEMORY; cancelled work ends the same way (see arena_set_stop_flag()). Code between
// arena_run() and an allocation must hold no other resource across the allocation, or the function
// that called arena_run() must release it. An arena is used by one thread at a time.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct arena;

// Creates an arena that holds at most `max_bytes` (0: no limit). Returns NULL when out of memory.
struct arena *arena_new(size_t max_bytes);
void arena_free(struct arena *arena); // NULL is allowed

// Makes every later allocation from the arena fail with ERROR_CANCELLED once *stop is true. Any
// thread may set *stop. `stop` must outlive the arena or be removed by passing NULL.
void arena_set_stop_flag(struct arena *arena, const atomic_bool *stop);
bool arena_is_stopped(const struct arena *arena); // poll this in long loops that do not allocate
// Creates an arena without a limit that shares the stop flag of `other`.
struct arena *arena_child(const struct arena *other);

// Like arena_child(), for data that dies before `other` does. Each array that grows in it has one
// owner, so arena_grow() frees the old copy at once.
struct arena *arena_temp(const struct arena *other);

// Returns an array, or the room reserved for one, to the system before the arena ends. Only arrays
// of 64 kB and more are unmapped at once. NULL is allowed.
void arena_release(struct arena *arena, void *memory, size_t bytes);
#define ARENA_RELEASE(arena, items, count) \
    arena_release(arena, items, (size_t)(count) * sizeof *(items))

// Releases everything but keeps one ordinary block for the next use (a frame, a result).
void arena_reset(struct arena *arena);

// Calls body(context); an allocation from `arena` that fails ends the call. Returns the result of
// body(), or false with ERROR_MEMORY or ERROR_CANCELLED. Calls may nest.
bool arena_run(struct arena *arena, bool (*body)(void *context, struct error *error), void *context,
               struct error *error);

// Returns zeroed memory for `count` items of `size` bytes, aligned for any type. Pages of large
// requests that are never touched cost nothing. Must be called inside arena_run(): outside it
// exhaustion aborts the program.
void *arena_alloc(struct arena *arena, size_t count, size_t size);

#define ARENA_NEW(arena, type)          ((type *)arena_alloc(arena, 1, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc(arena, count, sizeof(type)))

// A cleanup hook: end() is called once, when the arena is freed or reset, on the thread that does
// so. `held` is memory of the arena; end() must not allocate from the arena.
struct arena_cleanup {
    void (*end)(struct arena_cleanup *held);
    struct arena_cleanup *next; // set by the arena
};
void arena_add_cleanup(struct arena *arena, struct arena_cleanup *held);
const struct arena_cleanup *arena_last_cleanup(
    const struct arena *arena); // the one added last, or NULL

// Makes room for one more item in an array kept as (items, count, capacity) by doubling it. The old
// copy stays in the arena until its end, which costs less than the final size; an arena_temp()
// frees it at once.
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size);
#define ARENA_PUSH(arena, items, count, capacity)                                 \
    (*(((items) = arena_grow(arena, items, count, &(capacity), sizeof *(items))), \
       &(items)[(count)++]))

char *arena_copy(struct arena *arena, const char *text, size_t length); // appends a NUL
char *arena_text(struct arena *arena, const char *text);                // a copy; NULL for NULL
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

size_t arena_bytes(const struct arena *arena); // bytes handed out so far

// For tests: makes the n-th allocation from now on, counted over all arenas, fail (0: none).
void arena_fail_at(uint64_t n);

#endif
