// SPDX-License-Identifier: Apache-2.0
// What an nsys export says of its capture: what was sampled, and what went wrong.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/loader.h"
#include "nsys_fixture.h"

#define A_RANGE \
    "INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid) VALUES (1,2,59,'a',1);"

static bool loads_with_metrics(const char *sql)
{
    struct profile *profile = nsys_profile(sql);
    bool has_metrics = profile->has_gpu_metrics;
    assert_int_equal(!profile_find_note(profile, "no_gpu_metrics"), has_metrics);
    profile_free(profile);
    return has_metrics;
}

static void test_gpu_metrics_of_each_schema(void **state)
{
    (void)state;
    assert_false(loads_with_metrics(A_RANGE));
    // 2023.4 and later
    assert_true(loads_with_metrics(A_RANGE
                                   "CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value);"
                                   "INSERT INTO GPU_METRICS VALUES (1,2,3,4);"));
    assert_false(loads_with_metrics(
        A_RANGE "CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value);"));
    // To 2022.4: JSON among the generic events, told by the event or by its type.
    assert_true(loads_with_metrics(
        A_RANGE "CREATE TABLE GENERIC_EVENTS (rawTimestamp, timestamp, typeId, data TEXT);"
                "INSERT INTO GENERIC_EVENTS VALUES (1,1,5,'{\"GPC Clock\":\"1980\"}'),"
                " (1,2,5,'{\"SMs Active\":\"52\"}');"));
    assert_true(loads_with_metrics(
        A_RANGE "CREATE TABLE GENERIC_EVENTS (timestamp, typeId, rawData TEXT);"
                "CREATE TABLE GENERIC_EVENT_TYPES (typeId, sourceId, data TEXT);"
                "INSERT INTO GENERIC_EVENTS VALUES (1,5,NULL);"
                "INSERT INTO GENERIC_EVENT_TYPES VALUES (5,1,'{\"Name\":\"GPU Metrics\"}');"));
    // Generic events of another source, and types of which there is no event.
    assert_false(loads_with_metrics(
        A_RANGE "CREATE TABLE GENERIC_EVENTS (timestamp, typeId, rawData TEXT);"
                "INSERT INTO GENERIC_EVENTS VALUES (1,5,'{\"sched_switch\":\"1\"}'), (2,5,NULL);"));
    assert_false(loads_with_metrics(
        A_RANGE "CREATE TABLE GENERIC_EVENTS (timestamp, typeId, rawData TEXT);"
                "CREATE TABLE GENERIC_EVENT_TYPES (typeId, sourceId, data TEXT);"
                "INSERT INTO GENERIC_EVENT_TYPES VALUES (5,1,'{\"Name\":\"GPU Metrics\"}');"));
}

static bool loads_with_memory_events(const char *sql)
{
    struct profile *profile = nsys_profile(sql);
    bool has_events = profile->has_memory_events;
    profile_free(profile);
    return has_events;
}

// As with GPU metrics, a table without rows does not say that any were captured.
static void test_memory_events(void **state)
{
    (void)state;
    assert_false(loads_with_memory_events(A_RANGE));
    assert_false(loads_with_memory_events(
        A_RANGE "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, bytes);"));
    assert_true(loads_with_memory_events(A_RANGE
                                         "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, bytes);"
                                         "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1,2);"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpu_metrics_of_each_schema),
        cmocka_unit_test(test_memory_events),
    };
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
