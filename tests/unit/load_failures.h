// SPDX-License-Identifier: Apache-2.0
// Loading a profile while its allocations fail, one at a time.
#ifndef TESTS_LOAD_FAILURES_H
#define TESTS_LOAD_FAILURES_H

#include "property.h"

#include "model/open/open.h"

// Every failure must be told as ERROR_MEMORY and leave nothing behind: in a soak all are tried,
// otherwise each step-th. Returns how many allocations a load was found to make.
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
        profile_free(atomic_load(&progress.stage)); // the memory of a stage that was shown
    }
}

#endif
