// SPDX-License-Identifier: Apache-2.0
// Loads a profile while its allocations fail, one at a time.
#ifndef TESTS_LOAD_FAILURES_H
#define TESTS_LOAD_FAILURES_H

#include "property.h"

#include "model/open/open.h"

// Asserts that every failed allocation is reported as ERROR_MEMORY and leaks nothing. A soak tries
// each allocation, other runs each `step`-th. Returns the number of allocations that a load makes.
static inline uint64_t load_failures(const char *const *paths, uint32_t count, unsigned step)
{
    step = (unsigned)every(step, step * 12);
    for (uint64_t n = 1;; n += step) {
        struct load_progress progress = {.wake_fd = -1};
        struct load_request request = {.path = paths[0],
                                       .paths = paths,
                                       .path_count = count,
                                       .progress = &progress,
                                       .threads = 1};
        struct error error = {0};
        arena_fail_at(n);
        struct profile *profile = profile_load(&request, &error);
        arena_fail_at(0);
        if (profile) {
            profile_free(profile);
            return n - 1;
        }
        assert_int_equal(error.kind, ERROR_MEMORY);
        profile_free(
            atomic_load(&progress.stage)); // frees a stage that was published before the failure
    }
}

#endif
