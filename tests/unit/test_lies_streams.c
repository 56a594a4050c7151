// SPDX-License-Identifier: Apache-2.0
// Captures that lie, as the rows of one stream tell: GPU work out of the order of its launches,
// ends past later work, ids that come round in a capture of hours, launches of a file without GPU
// work.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/profile/lost_work.h"
#include "nsys_fixture.h"
#include "trace_text.h"

// `n` launches of process 5 from `at` ns on, 100 us apart, each with a kernel of 50 us that begins
// `later` ns after it; ids from 100 on.
#define LAUNCHES(n, at, later)                                                                    \
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " #n " - 1) "       \
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT " #at " + i * 100000, " #at                   \
    " + 5000 + i * 100000, tid(5, 6), 100 + i, 1 FROM n;"                                         \
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " #n " - 1) "       \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT " #at " + " #later " + i * 100000, " #at       \
    " + " #later " + 50000 + i * 100000, 0, 1, 7, 100 + i, pid(5), 2, 3, 32, 1, 1, 1, 32, 1, 1, " \
    "0, 0, 0 FROM n;"
#define HEALTHY LAUNCHES(40, 1000000, 10000)
#define KERNELS "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "

static int64_t busy_of(const struct profile *profile)
{
    int64_t busy = 0;
    for (uint32_t w = 0; w < profile->work.count; w++)
        busy += AT(profile->work.exclusive, w);
    return busy;
}

static void check_text(const struct profile *profile, const char *key, const char *words)
{
    const struct note *note = profile_find_note(profile, key);
    if (!note || !strstr(note->text, words))
        fail_msg("%s: %s", key, note ? note->text : "no such note");
}

// ---- the order of launches ----------------------------------------------------------------------

static void test_disorder(void **state)
{
    (void)state;
    static const char *const cases[] = {
        // A start of 0 with the right end; microseconds in the place of nanoseconds; a jump of a
        // counter of 32 bits to either side.
        "start = 0", "start = start / 1000, end = end / 1000",
        "start = start + 4294967296, end = end + 4294967296",
        "start = start - 4294967296, end = end - 4294967296"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[4096];
        snprintf(sql, sizeof sql, HEALTHY KERNELS "%s WHERE correlationId BETWEEN 115 AND 119;",
                 cases[i]);
        struct profile *profile = nsys_profile(sql);
        assert_int_equal(note_count(profile, "work_disorder"), 5);
        check_text(profile, "work_disorder", "(process 5: 5)");
        assert_int_equal(note_count(profile, NOTE_LOST_WORK), 5);
        assert_int_equal(note_count(profile, "clock_skew"), 0);
        assert_int_equal(busy_of(profile), 35 * 50000);
        assert_int_equal(profile->first_ns, 1000000);
        assert_int_equal(profile->last_ns, 4960000);
        profile_free(profile);
    }
}

static void test_in_order(void **state)
{
    (void)state;
    static const char *const twins[] = {
        // Clocks that differ by 10 us, and by a minute.
        KERNELS "start = start - 20000, end = end - 20000;",
        KERNELS "start = start - 60000000000, end = end - 60000000000;",
        // Another stream is free, and so is another thread's work in the same stream.
        KERNELS "streamId = 9, start = start + 3000000, end = end + 3000000 WHERE correlationId "
                "BETWEEN 115 AND 119;",
        KERNELS "start = start + 3000000, end = end + 3000000 WHERE correlationId BETWEEN 115 AND "
                "119; UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = tid(5, 7) WHERE "
                "correlationId BETWEEN 115 AND 119;",
        // A queue that is often out of order.
        KERNELS "start = start + 3000000, end = end + 3000000 WHERE correlationId % 2;",
        // Steps of the GPU's clock.
        KERNELS "start = start - 900000, end = end - 900000 WHERE correlationId > 120;",
        // A driver that is set right by a minute on the way.
        KERNELS "start = start + 60000000000, end = end + 60000000000 WHERE correlationId > 120;",
        // The time of the call is wrong.
        "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start + 4294967296, end = end + 4294967296 "
        "WHERE correlationId BETWEEN 115 AND 119;",
        // The ids come round.
        "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = correlationId + 4294967000 WHERE "
        "correlationId < 135; " KERNELS "correlationId = correlationId + 4294967000 WHERE "
        "correlationId < 135;",
        // Calls that have one id, of which the wrong one may be taken for the launch.
        "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = correlationId - 35 WHERE "
        "correlationId > 135; " KERNELS "correlationId = correlationId - 35 WHERE correlationId > "
        "135;"};
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
        char sql[4096];
        snprintf(sql, sizeof sql, HEALTHY "%s", twins[i]);
        struct profile *profile = nsys_profile(sql);
        if (profile_find_note(profile, "work_disorder"))
            fail_msg("%s: %s", twins[i], profile_find_note(profile, "work_disorder")->text);
        assert_int_equal(profile->work.count, 40);
        profile_free(profile);
    }
}

// ---- ends ---------------------------------------------------------------------------------------

static void test_long_ends(void **state)
{
    (void)state;
    // One behind another, of which each contains the next ones.
    struct profile *profile =
        nsys_profile(LAUNCHES(800, 1000000, 10000) KERNELS
                     "end = end + 4294967296 WHERE correlationId BETWEEN 300 AND 319;");
    assert_int_equal(note_count(profile, "work_overrun"), 20);
    assert_int_equal(busy_of(profile), 780 * 50000);
    assert_int_equal(note_count(profile, "work_overruns_kept"), 0);
    profile_free(profile);
    // Too many to be damage, but told.
    profile = nsys_profile(HEALTHY KERNELS
                           "end = end + 4294967296 WHERE correlationId BETWEEN 115 AND 119;");
    assert_int_equal(note_count(profile, "work_overrun"), 0);
    assert_int_equal(note_count(profile, "work_overruns_kept"), 5);
    assert_int_equal(profile->work.count, 40);
    profile_free(profile);
    // Programmatic dependent launch: each reaches into the next one.
    profile = nsys_profile(HEALTHY KERNELS "end = end + 90000;");
    assert_int_equal(note_count(profile, "work_overrun"), 0);
    assert_int_equal(note_count(profile, "work_overruns_kept"), 0);
    profile_free(profile);
}

// ---- ids that come round ------------------------------------------------------------------------

// The ids come round in a capture of two hours; the second turn is shorter than the first one, or
// longer; and the clocks differ.
static void test_turns(void **state)
{
    (void)state;
    static const struct {
        const char *sql;
        int64_t rows, lead;
    } cases[] = {
        {LAUNCHES(100, 1000000, 10000) LAUNCHES(60, 7200001000000, 10000), 60, 10000},
        {LAUNCHES(60, 1000000, 10000) LAUNCHES(100, 7200001000000, 10000), 60, 10000},
        {LAUNCHES(100, 1000000, -10000) LAUNCHES(60, 7200001000000, -10000), 60, -10000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile *profile = nsys_profile(cases[i].sql);
        assert_int_equal(note_count(profile, "work_far"), 0);
        assert_int_equal(note_count(profile, NOTE_LOST_WORK), 0);
        assert_int_equal(note_count(profile, "correlation_turns"), cases[i].rows);
        assert_int_equal(profile->work.count, 160);
        for (uint32_t w = 0; w < profile->work.count; w++)
            assert_int_equal(AT(profile->work.start, w) -
                                 AT(profile->api.start, AT(profile->work.launch, w)),
                             cases[i].lead);
        profile_free(profile);
    }
}

// ---- files without kernels ----------------------------------------------------------------------

static void test_no_work(void **state)
{
    (void)state;
    for (int copies = 0; copies < 2; copies++) {
        static struct trace_text trace;
        trace = (struct trace_text){0};
        for (int i = 0; i < 30; i++)
            trace_event(&trace, "cuda_runtime", "cudaLaunchKernel", 7, 1000 + i * 100, 5,
                        "\"correlation\": %d", 100 + i);
        for (int i = 0; i < copies; i++) {
            trace_event(&trace, "cuda_runtime", "cudaMemcpyAsync", 7, 9000, 5,
                        "\"correlation\": 200");
            trace_event(&trace, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 7, 9010, 5,
                        "\"device\": 0, \"stream\": 7, \"correlation\": 200");
        }
        struct profile *profile = trace_load(&trace, 1);
        assert_int_equal(note_count(profile, NOTE_LOST_WORK), 30);
        check_text(profile, NOTE_LOST_WORK, "30 of 30 kernel launches of process");
        profile_free(profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_disorder, nsys_remove),
        cmocka_unit_test_teardown(test_in_order, nsys_remove),
        cmocka_unit_test_teardown(test_long_ends, nsys_remove),
        cmocka_unit_test_teardown(test_turns, nsys_remove),
        cmocka_unit_test(test_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
