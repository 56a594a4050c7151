// SPDX-License-Identifier: Apache-2.0
// Checks the figures of the op tree other than GPU time: API calls, CPU overhead and idle time,
// with nested calls, across threads (adoption) and at any depth.
#include <stdio.h>
#include <string.h>

#include "analysis/reports/report_list.h"
#include "property.h"

#include "analysis/report/report.h"
#include "analysis/tree_sums/tree_sums.h"
#include "model/profile/loader.h"
#include "profile_builder.h"
#include "scenario.h"

static struct profile_builder *builder;
static struct arena *arena;
static uint32_t main_thread;
static struct selection selection;

static int set_up(void **state)
{
    (void)state;
    builder = builder_new();
    arena = arena_new(0);
    main_thread = builder_thread(builder, 1, 101);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    builder_free(builder);
    arena_free(arena);
    return 0;
}

static void range(int64_t start, int64_t end, const char *text)
{
    builder_range(builder, main_thread, start, end, text);
}

static struct profile *build(void)
{
    struct profile *profile = builder_build(builder, MODE_AUTO);
    selection = selection_all(split_find(profile, arena));
    selection.is_folded = false;
    return profile;
}

static struct tree_sum sum_of(const char *path)
{
    const struct profile *profile = builder->profile;
    uint32_t node = node_find(profile, profile->tree, path);
    assert_int_not_equal(node, ROW_NONE);
    return tree_sums(profile, &selection, arena)[node];
}

static void nested_calls_count_once(void **state)
{
    (void)state;
    range(0, 100, "r");
    builder_call(builder, main_thread, 10, 50, "cudaLaunchKernel_v7000");
    builder_call(builder, main_thread, 15, 30, "cuLaunchKernel");
    builder_call(builder, main_thread, 35, 45, "cuLaunchKernel");
    builder_call(builder, main_thread, 60, 70, "cuEventRecord");
    uint32_t other = builder_thread(builder, 1, 102); // begins before the other ranges end
    builder_range(builder, other, 0, 100, "other");
    builder_call(builder, other, 20, 40, "cudaFree_v3020");
    build();
    assert_int_equal(sum_of("r").cpu_ns, 100);
    assert_int_equal(sum_of("r").api_ns, 50);
    assert_int_equal(sum_of("other").api_ns, 20);
}

// Adds a step: forward on the main thread, backward on a thread without ranges, then the optimizer
// on the main thread.
static void make_step(void)
{
    uint32_t autograd = builder_thread(builder, 1, 102);
    range(0, 10000, "train");
    range(1000, 5000, "Backward");
    builder_launch(builder, main_thread, 500, "k"); // runs for 10 ns, 20 ns after its launch
    builder_launch(builder, autograd, 1500, "k");
    builder_launch(builder, autograd, 1600, "k");
    builder_launch(builder, main_thread, 6000, "k");
    // no thread waits for this call
    builder_call(builder, autograd, 20000, 20010, "cudaFree_v3020");
}

static int64_t api_calls(uint32_t node)
{
    const struct report *report = report_find("api");
    const struct column *calls = report_column(report, "calls");
    struct selection narrow = selection;
    narrow.node = node;
    struct rows rows = report->build(builder->profile, &narrow, arena);
    int64_t count = 0;
    for (size_t i = 0; i < rows.count; i++)
        count += calls->get(report_row(report, &rows, i)).integer;
    return count;
}

static void adopted_calls_lie_under_the_adopter(void **state)
{
    (void)state;
    make_step();
    struct profile *profile = build();
    uint32_t train = node_find(profile, profile->tree, "train");
    uint32_t backward = node_find(profile, profile->tree, "train/Backward");
    assert_int_equal(api_calls(ROW_NONE), 5);
    assert_int_equal(api_calls(train), 4);
    assert_int_equal(api_calls(backward), 2);
    assert_int_equal(api_calls(profile->tree->outside), 1);
    // The calls do not count as time of the blocked thread.
    assert_int_equal(sum_of("train/Backward").api_ns, 0);
    selection.adoption = false;
    assert_int_equal(api_calls(train), 2);
    assert_int_equal(api_calls(backward), 0);
    assert_int_equal(api_calls(profile->tree->outside), 3);
}

static void adopted_work_is_not_idle(void **state)
{
    (void)state;
    make_step();
    build();
    enum { FORWARD_END = 530, FIRST = 1520, SECOND = 1620, OPTIMIZER = 6020, LENGTH = 10 };
    int64_t between = SECOND - FIRST - LENGTH;
    assert_int_equal(sum_of("train/Backward").idle_ns, between);
    assert_int_equal(sum_of("train").idle_ns,
                     FIRST - FORWARD_END + between + OPTIMIZER - SECOND - LENGTH);
    selection.adoption = false;
    assert_int_equal(sum_of("train/Backward").idle_ns, 0);
    assert_int_equal(sum_of("train").idle_ns, OPTIMIZER - FORWARD_END);
}

// Ranges of autograd's engine are adopted as a whole.
static void adopted_ranges_are_not_idle(void **state)
{
    (void)state;
    uint32_t autograd = builder_thread(builder, 1, 102);
    range(0, 10000, "train");
    range(100, 200, "aten::addmm, seq = 4");
    range(1000, 5000, "backward");
    builder_launch(builder, main_thread, 150, "k");
    builder_range(builder, autograd, 2000, 2200,
                  "autograd::engine::evaluate_function: AddmmBackward0");
    builder_range(builder, autograd, 2010, 2190, "AddmmBackward0, seq = 4");
    builder_launch(builder, autograd, 2100, "k");
    builder_launch(builder, autograd, 2150, "k");
    builder_launch(builder, main_thread, 6000, "k");
    build();
    assert_int_equal(sum_of("train/backward").idle_ns, 40);
    assert_int_equal(sum_of("train").idle_ns, 1940 + 40 + 3840);
    // The adopted calls do not count as time of the blocked thread; only its own two do.
    assert_int_equal(sum_of("train/backward").api_ns, 0);
    assert_int_equal(sum_of("train").api_ns, 20);
}

static void idle_beyond_maximal_depth_is_unknown(void **state)
{
    (void)state;
    enum { DEEP = 5000 };
    for (int i = 0; i < DEEP; i++) {
        char name[20];
        snprintf(name, sizeof name, "r%d", i);
        range(i, 100000 - i, name);
    }
    builder_launch(builder, main_thread, 50000, "k");
    builder_launch(builder, main_thread, 50100, "k");
    struct profile *profile = build();
    const struct tree_sum *sums = tree_sums(profile, &selection, arena);
    size_t known = 0, unknown = 0;
    for (uint32_t n = 0; n < profile->tree->count; n++) {
        known += sums[n].calls && sums[n].idle_ns == 90;
        unknown += sums[n].calls && sums[n].idle_ns == UNKNOWN;
    }
    assert_int_equal(known + unknown, DEEP);
    assert_in_range(unknown, 1, DEEP - 4000);
}

static void members_of_a_folded_row(void **state)
{
    (void)state;
    static const int64_t ns[] = {10, 100, 20, 30};
    for (int i = 0; i < 4; i++) {
        char name[20];
        int64_t at = 1000 * i;
        snprintf(name, sizeof name, "layers.%d", i);
        range(at, at + 900, name);
        uint32_t call = builder_call(builder, main_thread, at + 10, at + 20, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, 7, at + 50, at + 50 + ns[i], "k");
    }
    struct profile *profile = build();
    selection.is_folded = true;
    const struct report *report = report_find("ops");
    struct rows rows = report->build(profile, &selection, arena);
    assert_int_equal(rows.count, 1);
    const struct {
        const char *key;
        int64_t value;
    } figures[] = {{"members", 4}, {"member_median", 25}, {"member_worst_ns", 100}, {"gpu", 160}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        assert_int_equal(report_column(report, figures[i].key)->get(rows.items).integer,
                         figures[i].value);
    assert_string_equal(report_column(report, "member_worst")->get(rows.items).text, "layers.1");
}

// Any part of a tree contains the calls that launched its kernels and no others. Captured work is
// excepted: its place is deeper than the call that replays the graph.
static void check_calls(const struct profile *profile)
{
    const struct op_tree *tree = selection_tree(profile, &selection);
    const struct gpu_work *work = &profile->work;
    for (uint32_t n = 0; n < tree->count; n += 1 + tree->count / 200) {
        selection.node = n;
        for (uint32_t w = 0; w < work->count; w++) {
            if (AT(work->launch, w) == ROW_NONE || AT(work->flags, w) & WORK_CAPTURED)
                continue;
            assert_int_equal(selection_has_work(profile, &selection, w),
                             selection_has_api(profile, &selection, AT(work->launch, w)));
        }
    }
    selection.node = ROW_NONE;
}

static void calls_lie_where_their_kernels_lie(void **state)
{
    (void)state;
    static const char *const scenarios[] = {"plain", "emit", "layer", "graphs-node", "none"};
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        struct profile *profile = scenario_open(scenarios[i]);
        for (int way = 0; way < 4; way++) {
            selection = selection_all(split_find(profile, arena));
            selection.is_folded = way & 1;
            selection.adoption = way & 2;
            check_calls(profile);
        }
        profile_free(profile);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nested_calls_count_once),
        TEST(adopted_calls_lie_under_the_adopter),
        TEST(adopted_work_is_not_idle),
        TEST(adopted_ranges_are_not_idle),
        TEST(idle_beyond_maximal_depth_is_unknown),
        TEST(members_of_a_folded_row),
        TEST(calls_lie_where_their_kernels_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
