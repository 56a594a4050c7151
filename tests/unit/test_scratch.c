// SPDX-License-Identifier: Apache-2.0
// Checks scratch memory of parallel jobs: either all jobs finish, or the caller gets the memory
// error.
#include "property.h"

#include <stdatomic.h>
#include <string.h>

#include "base/scratch.h"

enum { THREADS = 4, JOBS = 200, BYTES = 10000 };

struct counting {
    struct arena *keep;
    atomic_uint done;
    atomic_bool stop;
    bool stops; // the first job stops them all
};

static void take_memory(void *context, size_t i, struct arena *scratch)
{
    struct counting *counting = context;
    if (counting->stops)
        atomic_store(&counting->stop, true);
    unsigned char *memory = arena_alloc(scratch, BYTES, 1);
    memset(memory, (int)i, BYTES); // no other running job may share it
    for (size_t at = 0; at < BYTES; at++)
        assert_int_equal(memory[at], (unsigned char)i);
    atomic_fetch_add(&counting->done, 1);
}

static bool run_jobs(void *context, struct error *error)
{
    (void)error;
    struct counting *counting = context;
    scratch_jobs(counting->keep, THREADS, JOBS, take_memory, counting);
    return true;
}

static enum error_kind kind_of_run(struct counting *counting)
{
    struct error error = {0};
    counting->keep = arena_new(0);
    assert_non_null(counting->keep);
    arena_set_stop_flag(counting->keep, &counting->stop);
    bool done = arena_run(counting->keep, run_jobs, counting, &error);
    assert_int_equal(done, error.kind == ERROR_NONE);
    arena_free(counting->keep);
    return error.kind;
}

static void test_all_jobs_finish(void **state)
{
    (void)state;
    struct counting counting = {.stops = false};
    assert_int_equal(kind_of_run(&counting), ERROR_NONE);
    assert_int_equal(counting.done, JOBS);
}

static void test_out_of_memory_in_a_job(void **state)
{
    (void)state;
    for (unsigned at = 2; at < 100; at += 7) {
        struct counting counting = {.stops = false};
        arena_fail_at(at);
        enum error_kind kind = kind_of_run(&counting);
        arena_fail_at(0);
        assert_int_equal(kind, ERROR_MEMORY);
        assert_in_range(counting.done, 0, JOBS - 1);
    }
}

static void test_jobs_are_stopped(void **state)
{
    (void)state;
    struct counting counting = {.stops = true};
    assert_int_equal(kind_of_run(&counting), ERROR_CANCELLED);
    assert_int_equal(counting.done, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_jobs_finish),
        cmocka_unit_test(test_out_of_memory_in_a_job),
        cmocka_unit_test(test_jobs_are_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
