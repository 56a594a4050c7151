// SPDX-License-Identifier: Apache-2.0
// Helpers for property tests: random numbers that repeat in every run, and a trial in which each
// allocation of a function fails once.
#ifndef TESTS_PROPERTY_H
#define TESTS_PROPERTY_H

// cmocka.h needs these headers before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"

struct random {
    uint64_t state; // starts as the seed
};

// Returns true in a soak.
static inline bool run_is_long(void)
{
    return getenv("DLPROF_SOAK") != NULL;
}

// Returns true where a sanitizer or valgrind makes everything slow; cases left out then are tried
// without them.
static inline bool run_is_quick(void)
{
    return !run_is_long() && getenv("DLPROF_QUICK") != NULL;
}

// Returns the stride over many cases: each `usual`-th is tried, all in a soak, each `quick`-th
// where every case is slow.
static inline size_t every(size_t usual, size_t quick)
{
    return run_is_long() ? 1 : run_is_quick() ? quick : usual;
}

// Returns a number that `./dev soak` adds to every seed; otherwise 0, so that each run is the same.
static inline uint64_t random_salt(void)
{
    static uint64_t salt;
    static int is_known;
    if (!is_known) {
        const char *seed = getenv("DLPROF_SEED");
        salt = seed ? strtoull(seed, NULL, 10) * 0xD1B54A32D192ED03u : 0;
        is_known = 1;
    }
    return salt;
}

static inline uint64_t random_next(struct random *random)
{
    uint64_t z = (random->state += 0x9E3779B97F4A7C15u) + random_salt();
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// Returns how often a property is tried: less where every step is slow (valgrind), more in a soak.
static inline int random_rounds(int rounds)
{
    if (run_is_long())
        return rounds * 20;
    return run_is_quick() ? rounds / 100 + 1 : rounds;
}

static inline size_t random_below(struct random *random, size_t bound)
{
    return (size_t)(random_next(random) % bound);
}

// Writes a NUL-terminated text of up to `size` - 1 bytes made of the given pieces.
static inline void random_text(struct random *random, const char *const *pieces, size_t count,
                               char *out, size_t size)
{
    size_t wanted = random_below(random, size), length = 0;
    while (length < wanted) {
        for (const char *c = pieces[random_below(random, count)]; *c && length < size - 1; c++)
            out[length++] = *c;
    }
    out[length] = '\0';
}

struct trial {
    struct arena *arena;
    const void *data;
};

// Runs body(&trial) with the first, the second, ... allocation failing, until none fails any more.
// Asserts that every failure is reported as ERROR_MEMORY. Returns how many failed.
static inline unsigned trial_allocations(bool (*body)(void *trial, struct error *error),
                                         const void *data)
{
    for (unsigned n = 1;; n++) {
        struct trial trial = {arena_new(0), data};
        struct error error = {0};
        assert_non_null(trial.arena);
        arena_fail_at(n);
        bool done = arena_run(trial.arena, body, &trial, &error);
        arena_fail_at(0);
        arena_free(trial.arena);
        if (done)
            return n - 1;
        assert_int_equal(error.kind, ERROR_MEMORY);
    }
}

#endif
