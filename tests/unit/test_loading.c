// SPDX-License-Identifier: Apache-2.0
// Background loads: whenever a load ends or is ended, its memory has one owner, who frees it.
// LeakSanitizer and valgrind check for leaks.
#include "property.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "nsys_fixture.h"
#include "ui/app/loading.h"

// Little work and many ranges, so that the first stage is published long before the last.
static const char rows[] =
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, globalPid, demangledName)"
    " VALUES (10, 20, 0, pid(1), 1);"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)"
    " INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
    " SELECT i * 10, i * 10 + 5, 59, 'range ' || (i % 100), tid(1, 1) FROM n;";

static const char *make_file(void)
{
    static char sql[20000];
    assert_true(snprintf(sql, sizeof sql, "%s%s", nsys_tables, rows) < (int)sizeof sql);
    return nsys_file(sql);
}

static struct loading *load_begin(const char *path)
{
    static struct loading loading;
    static struct load_request request;
    struct error error = {0};
    memset(&loading, 0, sizeof loading);
    request = (struct load_request){.path = path};
    assert_true(loading_start(&loading, &request, &error));
    return &loading;
}

static void wait_for_stage(struct loading *loading)
{
    while (!atomic_load(&loading->progress.stage) && !loading_is_done(loading))
        sched_yield();
}

static void test_ended_at_any_time(void **state)
{
    (void)state;
    const char *path = make_file();
    size_t cancelled = 0;
    for (int round = 0; round < 6; round++) {
        struct loading *loading = load_begin(path);
        if (round % 3)
            wait_for_stage(loading);
        loading_end(loading);
        loading_end(loading); // ending twice is allowed
        cancelled += !loading->profile && atomic_load(&loading->progress.stage);
        loading_release(loading);
        assert_null(loading->profile);
        assert_null(atomic_load(&loading->progress.stage));
        loading_release(loading);
    }
    assert_true(cancelled > 0);
}

static void test_kept(void **state)
{
    (void)state;
    struct loading *loading = load_begin(make_file());
    while (!loading_is_done(loading))
        sched_yield();
    loading_end(loading);
    struct profile *profile = loading_take_profile(loading);
    assert_non_null(profile);
    loading_release(loading); // must not free the kept profile
    assert_int_equal(profile->ranges.count, 60001);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_ended_at_any_time, nsys_remove),
        cmocka_unit_test_teardown(test_kept, nsys_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
