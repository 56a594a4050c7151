// SPDX-License-Identifier: Apache-2.0
// Checks the facts about the capture that an nsys export contains: which data was sampled, and what
// went wrong.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/breakdown/metrics.h"
#include "model/profile/loader.h"
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
    // Up to 2022.4: JSON among the generic events, recognized by the event or by its type.
    assert_true(loads_with_metrics(
        A_RANGE "CREATE TABLE GENERIC_EVENTS (rawTimestamp, timestamp, typeId, data TEXT);"
                "INSERT INTO GENERIC_EVENTS VALUES (1,1,5,'{\"GPC Clock\":\"1980\"}'),"
                " (1,2,5,'{\"SMs Active\":\"52\"}');"));
    assert_true(loads_with_metrics(
        A_RANGE "CREATE TABLE GENERIC_EVENTS (timestamp, typeId, rawData TEXT);"
                "CREATE TABLE GENERIC_EVENT_TYPES (typeId, sourceId, data TEXT);"
                "INSERT INTO GENERIC_EVENTS VALUES (1,5,NULL);"
                "INSERT INTO GENERIC_EVENT_TYPES VALUES (5,1,'{\"Name\":\"GPU Metrics\"}');"));
    // Generic events of another source, and types without an event.
    assert_false(loads_with_metrics(
        A_RANGE "CREATE TABLE GENERIC_EVENTS (timestamp, typeId, rawData TEXT);"
                "INSERT INTO GENERIC_EVENTS VALUES (1,5,'{\"sched_switch\":\"1\"}'), (2,5,NULL);"));
    assert_false(loads_with_metrics(
        A_RANGE "CREATE TABLE GENERIC_EVENTS (timestamp, typeId, rawData TEXT);"
                "CREATE TABLE GENERIC_EVENT_TYPES (typeId, sourceId, data TEXT);"
                "INSERT INTO GENERIC_EVENT_TYPES VALUES (5,1,'{\"Name\":\"GPU Metrics\"}');"));
}

// Metrics are found by name, whatever their ids; the GPU is the low byte of the type. Fewer than
// five samples in a window give no value.
static void test_gpu_metrics_are_read(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "CREATE TABLE IF NOT EXISTS TARGET_INFO_GPU (vmId, id, name TEXT, smCount);"
        "INSERT INTO TARGET_INFO_GPU (vmId, id, name, smCount) VALUES (0, 3, 'NVIDIA L4', 58);"
        "INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid) VALUES (0,9000,59,'a',1);"
        "CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value);"
        "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, sourceId, typeName TEXT, metricId, "
        "metricName TEXT);"
        "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (259,1,'L4',7,'GPC Clock Frequency [MHz]'),"
        "(259,1,'L4',8,'SMs Active [Throughput %]'),(259,1,'L4',9,'DRAM Read Bandwidth "
        "[Throughput %]'),(259,1,'L4',10,'DRAM Write Bandwidth [Throughput %]'),"
        "(259,1,'L4',11,'Tensor Active / FP16 Active [Throughput %]'),"
        "(258,1,'L4',8,'SMs Active [Throughput %]'),"
        "(259,1,'L4',12,'Unallocated Warps in Active SMs [Throughput %]');"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 8)"
        "INSERT INTO GPU_METRICS SELECT 8000 - i * 1000, 259, 7, 1000 + i FROM n UNION ALL "
        "SELECT i * 1000, 259, 8, 50 FROM n UNION ALL SELECT i * 1000, 259, 9, 20 FROM n UNION ALL "
        "SELECT i * 1000, 259, 10, 5 FROM n UNION ALL SELECT i * 1000, 259, 11, 99 FROM n UNION "
        "ALL "
        "SELECT i * 1000, 258, 8, 99 FROM n UNION ALL SELECT i * 1000, 259, 12, 99 FROM n;"
        "INSERT INTO GPU_METRICS VALUES (100, 259, 8, NULL), (NULL, 259, 8, 5), (100, 259, 8, "
        "'x'), (100, 259, 8, -5), (100, 259, 8, 101), (100, 1, 8, 5);");
    assert_int_equal(profile->device_count, 1);
    assert_int_equal(profile->metrics.count, 36);
    struct metric_sums sums = {0};
    metric_sums_add(&sums, profile, 0, 0, 9000);
    assert_true(metric_figure(&sums, FIGURE_SM).real == 0.5);
    assert_true(metric_figure(&sums, FIGURE_DRAM).real == 0.25);
    assert_true(metric_figure(&sums, FIGURE_CLOCK).real == 1004);
    assert_int_equal(metric_figure(&sums, FIGURE_TENSOR).kind, VALUE_NONE);
    sums = (struct metric_sums){0};
    metric_sums_add(&sums, profile, 0, 0, 4001);
    assert_int_equal(sums.samples[METRIC_CLOCK], 5);
    assert_true(metric_figure(&sums, FIGURE_CLOCK).real == 1006);
    sums = (struct metric_sums){0};
    metric_sums_add(&sums, profile, 0, 1, 4001);
    assert_int_equal(metric_figure(&sums, FIGURE_CLOCK).kind, VALUE_NONE);
    profile_free(profile);
}

static bool loads_with_memory_events(const char *sql)
{
    struct profile *profile = nsys_profile(sql);
    bool has_events = profile->has_memory_events;
    profile_free(profile);
    return has_events;
}

// As with GPU metrics, a table without rows does not mean that events were captured.
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
        cmocka_unit_test(test_gpu_metrics_are_read),
        cmocka_unit_test(test_memory_events),
    };
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
