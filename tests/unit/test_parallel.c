// SPDX-License-Identifier: Apache-2.0
// Checks parallel.h: each job runs exactly once, with and without free threads, and a thread that
// lowers its priority passes it on.
#include "property.h"

#include <stdatomic.h>
#include <sys/resource.h>

#include "base/parallel.h"

enum { JOBS = 1000 };

static atomic_uint runs[JOBS];

static void count_job(void *context, size_t i)
{
    (void)context;
    atomic_fetch_add(&runs[i], 1);
}

static void test_every_job_runs_once(void **state)
{
    (void)state;
    static const unsigned threads[] = {0, 1, 2, 7, 100000};
    for (unsigned round = 0; round < 5; round++) {
        parallel_run(threads[round], JOBS, count_job, NULL);
        for (size_t i = 0; i < JOBS; i++)
            assert_int_equal(runs[i], round + 1);
    }
    parallel_run(4, 0, count_job, NULL);
    parallel_run(4, 1, count_job, NULL);
    assert_int_equal(runs[0], 6);
    assert_int_equal(runs[1], 5);
}

// Jobs that were begun run exactly once each, whether or not another thread was free to take them.
static void test_jobs_are_begun_and_ended(void **state)
{
    (void)state;
    for (unsigned threads = 0; threads < 4; threads++) {
        struct parallel run;
        unsigned before = runs[3];
        parallel_begin(&run, threads, 7, count_job, NULL);
        if (threads < 2)
            assert_int_equal(runs[3], before);
        parallel_end(&run);
        for (size_t i = 1; i < 7; i++)
            assert_int_equal(runs[i], before + 1);
    }
}

static void record_niceness(int *niceness, size_t i)
{
    niceness[i] = getpriority(PRIO_PROCESS, 0);
}

static void *run_by_thread(void *context)
{
    record_niceness(context, 1);
    return NULL;
}

static void *give_way(void *context)
{
    pthread_t thread;
    parallel_lower_priority();
    record_niceness(context, 0);
    if (pthread_create(&thread, NULL, run_by_thread, context) == 0)
        pthread_join(thread, NULL);
    return NULL;
}

// A thread that gives way passes its niceness on to the threads that it starts, and to no others.
static void test_a_thread_gives_way(void **state)
{
    (void)state;
    int before = getpriority(PRIO_PROCESS, 0), niceness[2] = {0};
    pthread_t thread;
    if (before > 14)
        skip(); // niceness cannot be raised by 5
    assert_int_equal(pthread_create(&thread, NULL, give_way, niceness), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(niceness[i], before + 5);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
}

static void test_cores(void **state)
{
    (void)state;
    assert_in_range(parallel_cores(), 1, 1 << 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_job_runs_once),
        cmocka_unit_test(test_jobs_are_begun_and_ended),
        cmocka_unit_test(test_a_thread_gives_way),
        cmocka_unit_test(test_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
