// SPDX-License-Identifier: Apache-2.0
// Checks the reports in nsys's terms on a small profile with figures worked out on paper, and
// statistics and projection against straightforward computations.
#include "columns.h"
#include "model/profile/api_name.h"
#include "property.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analysis/breakdown/projection.h"
#include "analysis/report/stats.h"
#include "analysis/reports/report_list.h"
#include "analysis/sums/work_text.h"
#include "model/derive/derive.h"
#include "model/ops/ops.h"
#include "small_profile.h"

REPORT_DECLARE(api);
REPORT_DECLARE(api_threads);
REPORT_DECLARE(calls);
REPORT_DECLARE(candidates);
REPORT_DECLARE(devices);
REPORT_DECLARE(idle);
REPORT_DECLARE(idle_gaps);
REPORT_DECLARE(kernel_ops);
REPORT_DECLARE(kernels);
REPORT_DECLARE(launches);
REPORT_DECLARE(memory);
REPORT_DECLARE(ranges);
REPORT_DECLARE(shapes);
REPORT_DECLARE(source);
REPORT_DECLARE(streams);
REPORT_DECLARE(tensor_cores);

static struct arena *arena;
static struct profile *profile;
static struct selection selection;

static int open_small(void **state)
{
    (void)state;
    arena = arena_new(0);
    profile = small_profile(arena);
    selection = selection_all(small_split(profile, arena));
    selection.names = NAME_FULL;
    return 0;
}

static int close_small(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static struct rows build_rows(const struct report *report)
{
    struct rows rows = {0};
    struct error error = {0};
    if (!report_build(report, profile, &selection, arena, &rows, &error))
        fail_msg("%s: %s", report->name, error.message);
    return rows;
}

// Returns the row of a report whose name column is `text`.
static const void *row_named(const struct report *report, const struct rows *rows, const char *text)
{
    for (size_t c = 0; c < report->column_count; c++) {
        const struct column *column = &report->columns[c];
        if (!(column->flags & COLUMN_NAME))
            continue;
        for (size_t i = 0; i < rows->count; i++) {
            struct value value = column->get(report_row(report, rows, i));
            if (value.kind == VALUE_TEXT && strcmp(value.text, text) == 0)
                return report_row(report, rows, i);
        }
    }
    fail_msg("%s has no row \"%s\"", report->name, text);
    return NULL;
}

static struct value cell(const struct report *report, const void *row, const char *key)
{
    const struct column *column = report_column(report, key);
    if (!column)
        fail_msg("%s has no column %s", report->name, key);
    return column->get(row);
}

static int64_t integer(const struct report *report, const void *row, const char *key)
{
    struct value value = cell(report, row, key);
    assert_int_equal(value.kind, VALUE_INTEGER);
    return value.integer;
}

static double real_cell(const struct report *report, const void *row, const char *key)
{
    struct value value = cell(report, row, key);
    assert_int_equal(value.kind, VALUE_REAL);
    return value.real;
}

static const char *text(const struct report *report, const void *row, const char *key)
{
    struct value value = cell(report, row, key);
    assert_int_equal(value.kind, VALUE_TEXT);
    return value.text;
}

// ---- figures ----------------------------------------------------------------------------------

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void test_stats(void **state)
{
    (void)state;
    struct random random = {3};
    for (int round = random_rounds(4000); round > 0; round--) {
        int64_t values[70], sorted[70], total = 0;
        size_t count = 1 + random_below(&random, 70), range = 1 + random_below(&random, 50);
        for (size_t i = 0; i < count; i++) {
            values[i] = sorted[i] = (int64_t)random_below(&random, range) - 10;
            total += values[i];
        }
        qsort(sorted, count, sizeof *sorted, compare_values);
        struct stats stats = stats_of(values, count);
        assert_int_equal(stats.count, count);
        assert_int_equal(stats.total, total);
        assert_int_equal(stats.min, sorted[0]);
        assert_int_equal(stats.max, sorted[count - 1]);
        double median = count % 2 ? (double)sorted[count / 2]
                                  : (double)(sorted[count / 2 - 1] + sorted[count / 2]) / 2;
        assert_true(stats.median == median);
        double squares = 0;
        for (size_t i = 0; i < count; i++)
            squares += ((double)sorted[i] - stats.mean) * ((double)sorted[i] - stats.mean);
        double deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
        assert_true(fabs(stats.deviation - deviation) < 1e-9);
    }
    assert_int_equal(stats_of(NULL, 0).count, 0);
}

// One thread with calls that may overlap and arbitrary ranges over them.
enum { CALLS = 40 };

static struct profile *random_profile(struct random *random)
{
    struct profile *p = ARENA_NEW(arena, struct profile);
    uint32_t calls = (uint32_t)random_below(random, CALLS);
    p->arena = arena;
    p->thread_count = p->device_count = p->stream_count = p->function_count = 1;
    p->threads = ARENA_NEW(arena, struct thread);
    p->threads->end_api = calls;
    p->devices = ARENA_NEW(arena, struct device);
    p->streams = ARENA_NEW(arena, struct stream);
    p->functions = ARENA_NEW(arena, struct function);
    p->api = (struct api_calls){
        .count = calls,
        .start = column64_loose(arena, CALLS),
        .end = column64_loose(arena, CALLS),
        .first_work = column32_loose(arena, CALLS + 1),
        .work_rows = column32_loose(arena, CALLS),
    };
    p->work = (struct gpu_work){
        .start = column64_loose(arena, CALLS),
        .end = column64_loose(arena, CALLS),
        .function = column32_loose(arena, CALLS),
        .stream = column32_loose(arena, CALLS),
    };
    int64_t time = 0;
    for (uint32_t i = 0; i < calls; i++) {
        time += (int64_t)random_below(random, 5);
        SET(p->api.start, i, time);
        SET(p->api.end, i, time + (int64_t)random_below(random, 9));
        if (random_below(random, 3)) { // otherwise the call launches no work
            uint32_t w = p->work.count++;
            SET(p->api.work_rows, w, w);
            SET(p->work.start, w, (int64_t)random_below(random, 1000));
            SET(p->work.end, w, AT(p->work.start, w) + (int64_t)random_below(random, 50));
        }
        SET(p->api.first_work, i + 1, p->work.count);
    }
    return p;
}

static struct projection plain_projection(const struct profile *p, int64_t start, int64_t end)
{
    struct projection found = {0};
    for (uint32_t i = 0; i < p->api.count; i++) {
        uint32_t w = AT(p->api.first_work, i);
        if (AT(p->api.first_work, i + 1) == w || AT(p->api.start, i) < start ||
            AT(p->api.end, i) > end)
            continue;
        if (!found.ops || AT(p->work.start, w) < found.start)
            found.start = AT(p->work.start, w);
        if (!found.ops || AT(p->work.end, w) > found.end)
            found.end = AT(p->work.end, w);
        found.ops++;
    }
    return found;
}

static void test_projection(void **state)
{
    (void)state;
    struct random random = {5};
    for (int round = random_rounds(2000); round > 0; round--) {
        arena_reset(arena);
        struct profile *p = random_profile(&random);
        struct split split = {.count = 1, .text = ""};
        struct selection all = selection_all(&split);
        const struct projector *projector = projectors_new(p, &all, arena);
        for (int query = 0; query < 20; query++) {
            int64_t start = (int64_t)random_below(&random, 120) - 5;
            int64_t end = start + (int64_t)random_below(&random, 120) - 2;
            if (query == 0)
                end = INT64_MAX;
            struct projection found = projector_find(projector, start, end);
            struct projection plain = plain_projection(p, start, end);
            assert_int_equal(found.ops, plain.ops);
            assert_int_equal(found.start, plain.start);
            assert_int_equal(found.end, plain.end);
        }
    }
}

// Projection ignores a selected op or op type, although ops are places too.
static void test_projection_knows_no_ops(void **state)
{
    (void)state;
    assert_int_equal(projector_find(projectors_new(profile, &selection, arena), 0, 3000).ops, 9);
    selection.op = 0;
    assert_int_equal(projector_find(projectors_new(profile, &selection, arena), 0, 3000).ops, 9);
    selection.op = ROW_NONE;
    selection.op_type = profile->ops->items[0].type;
    assert_int_equal(projector_find(projectors_new(profile, &selection, arena), 0, 3000).ops, 9);
}

// ---- reports ----------------------------------------------------------------------------------

static void test_kernels(void **state)
{
    (void)state;
    struct rows rows = build_rows(&report_kernels);
    assert_int_equal(rows.count, 4);
    const void *bias = row_named(&report_kernels, &rows, "bias \"add\"");
    assert_int_equal(integer(&report_kernels, bias, "calls"), 3);
    assert_int_equal(integer(&report_kernels, bias, "gpu_total"), 200);
    assert_int_equal(integer(&report_kernels, bias, "exclusive"), 150);
    assert_int_equal(integer(&report_kernels, bias, "gpu_min"), 50);
    assert_int_equal(integer(&report_kernels, bias, "gpu_max"), 100);
    assert_true(real_cell(&report_kernels, bias, "gpu_med") == 50);
    assert_true(real_cell(&report_kernels, bias, "spread") == 2);
    assert_true(fabs(real_cell(&report_kernels, bias, "gpu_avg") - 200.0 / 3) < 1e-9);
    assert_true(fabs(real_cell(&report_kernels, bias, "work") - 200.0 / 700) < 1e-9);
    assert_string_equal(text(&report_kernels, bias, "kind"), "kernel");
    const void *copy = row_named(&report_kernels, &rows, "[memcpy HtoD]");
    assert_string_equal(text(&report_kernels, copy, "kind"), "memcpy");
    assert_string_equal(text(&report_kernels, copy, "class"), "copy");
    assert_int_equal(cell(&report_kernels, copy, "tc").kind, VALUE_NONE);
    const void *gemm = row_named(&report_kernels, &rows, "volta_h884gemm");
    assert_int_equal(cell(&report_kernels, gemm, "tc").integer, STATE_YES);
    assert_string_equal(rows.caption, "3 kernels by full name, 8 launches");
}

// Functions of one family share a row; if they differ in Tensor Core use, the row has it unknown.
static void test_family_merges(void **state)
{
    (void)state;
    string_id family = strings_intern_text(profile->strings, "both");
    profile->functions[0].family = profile->functions[1].family = family;
    selection.names = NAME_FAMILY;
    struct rows rows = build_rows(&report_kernels);
    assert_int_equal(rows.count, 3);
    const void *row = row_named(&report_kernels, &rows, "both");
    assert_int_equal(integer(&report_kernels, row, "calls"), 6);
    assert_int_equal(integer(&report_kernels, row, "names"), 2);
    assert_int_equal(cell(&report_kernels, row, "tc").integer, STATE_UNKNOWN);
    assert_string_equal(report_kernels.narrow(profile, row, &selection), "launches");
    rows = build_rows(&report_launches);
    assert_int_equal(rows.count, 6);
}

static void test_narrow(void **state)
{
    (void)state;
    bool second[3] = {false, true, false};
    selection.iterations = second;
    struct rows rows = build_rows(&report_kernels);
    assert_int_equal(rows.count, 3); // the copy belongs to the first step
    selection.device = 1;
    rows = build_rows(&report_kernels);
    assert_int_equal(rows.count, 1);
    selection.device = 2;
    rows = build_rows(&report_kernels);
    assert_int_equal(rows.count, 0);
    assert_non_null(rows.empty);
}

static void test_launches(void **state)
{
    (void)state;
    struct rows rows = build_rows(&report_launches);
    assert_int_equal(rows.count, 9);
    int64_t before = INT64_MIN;
    for (size_t i = 0; i < rows.count; i++) {
        int64_t start = integer(&report_launches, report_row(&report_launches, &rows, i), "start");
        assert_true(start >= before);
        before = start;
    }
    const void *first = report_row(&report_launches, &rows, 0);
    assert_string_equal(text(&report_launches, first, "kernel"), "volta_h884gemm");
    assert_int_equal(integer(&report_launches, first, "gpu"), 100);
    assert_int_equal(integer(&report_launches, first, "delay"), 280);
    assert_int_equal(integer(&report_launches, first, "api_time"), 10);
    assert_int_equal(integer(&report_launches, first, "device"), 0);
    assert_int_equal(integer(&report_launches, first, "process"), 100);
    assert_int_equal(integer(&report_launches, first, "thread"), 101);
    assert_string_equal(text(&report_launches, first, "api"), "cudaLaunchKernel_v7000");
    // Unrecorded values stay unknown.
    assert_int_equal(cell(&report_launches, first, "grid").kind, VALUE_NONE);
    assert_int_equal(cell(&report_launches, first, "bytes").kind, VALUE_NONE);
    assert_int_equal(cell(&report_launches, first, "graph").kind, VALUE_NONE);
    SET(profile->work.launch, 0, ROW_NONE);
    assert_int_equal(cell(&report_launches, first, "delay").kind, VALUE_NONE);
    assert_int_equal(cell(&report_launches, first, "api").kind, VALUE_NONE);
}

static void test_api(void **state)
{
    (void)state;
    struct rows rows = build_rows(&report_api);
    assert_int_equal(rows.count, 3);
    const void *launch = row_named(&report_api, &rows, "cudaLaunchKernel");
    assert_int_equal(integer(&report_api, launch, "calls"), 8);
    assert_int_equal(integer(&report_api, launch, "launches"), 8);
    const void *release = row_named(&report_api, &rows, "cudaFree");
    assert_int_equal(integer(&report_api, release, "total"), 50);
    assert_int_equal(integer(&report_api, release, "launches"), 0);
    // Two versions of a call share a row; other calls keep rows of their own.
    SET(profile->api.name, 0, strings_intern_text(profile->strings, "cudaLaunchKernel"));
    SET(profile->api.name, 1, strings_intern_text(profile->strings, "cudaLaunchKernel_ptsz_v7000"));
    rows = build_rows(&report_api);
    assert_int_equal(rows.count, 4);
    launch = row_named(&report_api, &rows, "cudaLaunchKernel");
    assert_int_equal(integer(&report_api, launch, "calls"), 7);
    assert_string_equal(rows.caption, "10 calls, time of the host");
    selection.api_name = strings_intern_text(profile->strings, "cudaFree_v3020");
    assert_string_equal(build_rows(&report_api).caption, "1 call, time of the host");
}

static void test_api_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t length;
    } names[] = {
        {"cudaLaunchKernel_v7000", 16},
        {"cudaLaunchKernelExC_v11060", 26},
        {"cuLaunchKernel", 14},
        {"cuGetProcAddress_v2", 19},
        {"_v7000", 6},
        {"", 0},
        {"x_v7000", 1},
        {"x_v70a0", 7},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(api_name_length(names[i].name), names[i].length);
}

static void test_memory(void **state)
{
    (void)state;
    profile->copy_count = 2;
    profile->copies = ARENA_ARRAY(arena, struct copy, 2);
    profile->copies[0] = (struct copy){1, 1, 2};
    profile->copies[1] = (struct copy){1, 0, 2};
    profile->work.bytes = column64_loose(arena, profile->work.count);
    SET(profile->work.shape, 6, 0);
    SET(profile->work.bytes, 6, 1000);
    struct rows rows = build_rows(&report_memory);
    assert_int_equal(rows.count, 1);
    const void *row = report_row(&report_memory, &rows, 0);
    assert_string_equal(text(&report_memory, row, "operation"), "[CUDA memcpy Host-to-Device]");
    assert_string_equal(text(&report_memory, row, "memory"), "pinned to device");
    assert_int_equal(integer(&report_memory, row, "bytes"), 1000);
    assert_true(real_cell(&report_memory, row, "rate") == 1e10); // 1,000 bytes in 100 ns
    // With a second kind of memory the direction is split into parts.
    SET(profile->work.function, 8, AT(profile->work.function, 6));
    SET(profile->work.shape, 8, 1);
    SET(profile->work.bytes, 8, 500);
    rows = build_rows(&report_memory);
    assert_int_equal(rows.count, 3);
    row = report_row(&report_memory, &rows, 0);
    assert_string_equal(text(&report_memory, row, "memory"), "all");
    assert_int_equal(integer(&report_memory, row, "calls"), 2);
    assert_int_equal(integer(&report_memory, row, "bytes"), 1500);
    assert_int_equal(integer(&report_memory, row, "exclusive"), 150);
    assert_true(report_memory.has_children(row));
    int64_t parts = 0;
    for (size_t i = 1; i < 3; i++) {
        row = report_row(&report_memory, &rows, i);
        assert_int_equal(report_memory.depth(row), 1);
        parts += integer(&report_memory, row, "bytes");
    }
    assert_int_equal(parts, 1500);
}

static void test_devices(void **state)
{
    (void)state;
    struct rows rows = build_rows(&report_devices);
    assert_int_equal(rows.count, 3);
    const void *row = report_row(&report_devices, &rows, 1);
    assert_int_equal(integer(&report_devices, row, "kernels"), 2);
    assert_int_equal(integer(&report_devices, row, "kernel_ns"), 100);
    assert_int_equal(integer(&report_devices, row, "copies"), 1);
    assert_int_equal(integer(&report_devices, row, "copy_ns"), 100);
    assert_int_equal(integer(&report_devices, row, "streams"), 1);
    assert_int_equal(integer(&report_devices, row, "processes"), 1);
    row = report_row(&report_devices, &rows, 2);
    assert_int_equal(cell(&report_devices, row, "used").integer, STATE_NO);
    assert_int_equal(cell(&report_devices, row, "busy").kind, VALUE_NONE);
    assert_string_equal(report_devices.narrow(profile, row, &selection), "kernels");
    assert_int_equal(selection.device, 2);
}

static void test_streams(void **state)
{
    (void)state;
    struct rows rows = build_rows(&report_streams);
    assert_int_equal(rows.count, 2);
    const void *row = report_row(&report_streams, &rows, 0);
    assert_int_equal(integer(&report_streams, row, "sum"), 500);
    assert_int_equal(integer(&report_streams, row, "busy_ns"), 450);
    assert_int_equal(integer(&report_streams, row, "kernels"), 6);
    row = report_row(&report_streams, &rows, 1);
    assert_int_equal(integer(&report_streams, row, "copies"), 1);
}

// A stream with kernels keeps its role despite long copies, unless it has hardly any kernels.
static void test_roles(void **state)
{
    (void)state;
    struct function *relu = &profile->functions[2], *copy = &profile->functions[3];
    profile->copy_count = 1;
    profile->copies = ARENA_ARRAY(arena, struct copy, 1);
    profile->copies[0] = (struct copy){1, 1, 2};
    SET(profile->work.shape, 6, 0);
    SET(profile->work.end, 6,
        AT(profile->work.end, 6) + 100000); // far longer than the two kernels on the same stream
    profile_classify(profile);
    assert_int_equal(profile->streams[0].role, ROLE_COMPUTE);
    assert_int_equal(profile->streams[1].role, ROLE_COMPUTE);
    assert_int_equal(copy->class, CLASS_COPY);
    assert_int_equal(copy->tensor_core, STATE_NO);
    assert_int_equal(copy->family, copy->full);
    assert_int_equal(profile->functions[0].tensor_core, STATE_YES);

    relu->full = strings_intern_text(profile->strings, "ncclDevKernel_AllReduce_Sum_f32_RING_LL()");
    profile_classify(profile);
    assert_int_equal(profile->streams[1].role, ROLE_COMM);

    relu->kind = WORK_MEMCPY;
    relu->full = copy->full;
    SET(profile->work.shape, 7, 0);
    SET(profile->work.shape, 8, 0);
    profile_classify(profile);
    assert_int_equal(profile->streams[1].role, ROLE_H2D);

    relu->kind = WORK_GRAPH;
    relu->full = strings_intern_text(profile->strings, "[graph 3]");
    profile_classify(profile);
    assert_int_equal(relu->class, CLASS_GRAPH);
    assert_int_equal(relu->tensor_core, STATE_UNKNOWN);
    assert_int_equal(profile->streams[1].role, ROLE_COMPUTE);

    copy->full = strings_intern_text(profile->strings, "[memcpy PtoP device]");
    profile_classify(profile);
    assert_int_equal(copy->class, CLASS_COMM);
}

// Reports about work, calls and ranges, not about ops.
static const struct report *const all_reports[] = {
    &report_kernels,      &report_launches, &report_kernel_ops, &report_ranges,
    &report_memory,       &report_api,      &report_devices,    &report_streams,
    &report_shapes,       &report_idle,     &report_idle_gaps,  &report_candidates,
    &report_tensor_cores, &report_source,   &report_calls,      &report_api_threads,
};

static void test_empty(void **state)
{
    (void)state;
    profile = empty_profile(arena);
    selection = selection_all(empty_split(arena));
    for (size_t i = 0; i < sizeof all_reports / sizeof *all_reports; i++) {
        struct rows rows = build_rows(all_reports[i]);
        size_t length = rows.empty ? strlen(rows.empty) : 0; // a sentence with the reason
        assert_int_equal(rows.count, 0);
        if (!(length > 10 && isupper((unsigned char)*rows.empty) && rows.empty[length - 1] == '.'))
            fail_msg("%s: '%s'", all_reports[i]->name, rows.empty ? rows.empty : "(nothing)");
    }
}

// Each failed allocation yields an error and has no other effect.
static void test_memory_fails(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all_reports / sizeof *all_reports; i++) {
        bool is_built = false;
        for (uint64_t n = 1; n < 200 && !is_built; n++) {
            struct arena *result = arena_new(0);
            struct rows rows = {0};
            struct error error = {0};
            arena_fail_at(n);
            is_built = report_build(all_reports[i], profile, &selection, result, &rows, &error);
            arena_fail_at(0);
            if (!is_built)
                assert_int_equal(error.kind, ERROR_MEMORY);
            arena_free(result);
        }
        assert_true(is_built);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_stats, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_projection, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_projection_knows_no_ops, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_kernels, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_family_merges, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_narrow, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_launches, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_api, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_api_names, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_memory, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_devices, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_streams, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_roles, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_empty, open_small, close_small),
        cmocka_unit_test_setup_teardown(test_memory_fails, open_small, close_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
