// SPDX-License-Identifier: Apache-2.0
// Checks that ranges of the user whose texts differ in their numbers only are one op and one place,
// and that names with numbers in them stay apart.
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/markers/markers.h"
#include "model/open/open.h"
#include "paths.h"
#include "profile_builder.h"
#include "trace_text.h"

static struct profile_builder *builder;
static uint32_t thread;
static int64_t now;

static int set_up(void **state)
{
    (void)state;
    builder = builder_new();
    thread = builder_thread(builder, 1, 101);
    now = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    builder_free(builder);
    return 0;
}

// Adds a range with a `forward` that launches one kernel.
static void turn(const char *text)
{
    builder_range(builder, thread, now, now + 90, text);
    builder_range(builder, thread, now + 10, now + 80, "forward");
    builder_launch(builder, thread, now + 20, "gemm");
    now += 100;
}

static void check_op(const struct profile *profile, const char *name, uint32_t calls)
{
    for (uint32_t i = 0; i < profile->ops->count; i++) {
        if (strcmp(profile_text(profile, profile->ops->items[i].name), name) != 0)
            continue;
        assert_int_equal(profile->ops->items[i].instance_count, calls);
        return;
    }
    fail_msg("no op %s", name);
}

// Checks that turns of a title are one op and one place in both trees.
static void check_one(const struct profile *profile, const char *title, uint32_t calls)
{
    char name[200];
    snprintf(name, sizeof name, "/%s/forward", title);
    check_op(profile, name, calls);
    assert_int_not_equal(node_find(profile, profile->tree, name + 1), ROW_NONE);
    assert_int_not_equal(node_find(profile, profile->folded_tree, name + 1), ROW_NONE);
    snprintf(name, sizeof name, "/%s", title);
    check_op(profile, name, calls);
}

// ---- families ----------------------------------------------------------------------------------

enum { TURNS = 1663 };

static const struct {
    const char *form, *title; // `form` gets two numbers
    int turns;
} families[] = {
    {"turn %d of job 17: %d reqs", "turn N of job 17: N reqs", TURNS},
    {"loop it=%d toks=%d", "loop it=N toks=N", TURNS},
    {"tick #%d loss=-0.%d", "tick #N loss=N", TURNS},
    {"pass [%d] of %d", "pass [N] of N", 12},
    {"turn %d: %d fp16 reqs", "turn N: N fp16 reqs", 3},
    {"turn_%d_job_%d", "turn_N_job_N", 300},
};

static void turns_are_one_op(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        set_up(NULL);
        for (int i = 0; i < families[f].turns; i++) {
            char text[100];
            snprintf(text, sizeof text, families[f].form, i + 5, i * 7 % 31);
            turn(text);
        }
        struct profile *profile = builder_build(builder, MODE_AUTO);
        assert_int_equal(profile->mode, MODE_RANGES);
        check_one(profile, families[f].title, (uint32_t)families[f].turns);
        assert_int_equal(profile->ops->count, 2);
        assert_int_equal(profile->tree->count, 4); // (all) and (outside ranges)
        assert_int_equal(profile->folded_tree->count, 4);
        tear_down(NULL);
    }
}

static void one_number_that_counts(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        char text[100];
        snprintf(text, sizeof text, "Forward %d", i);
        turn(text);
    }
    check_one(builder_build(builder, MODE_AUTO), "Forward N", 8);
}

// Numbers that do not count: requests in any order, the same position again and again.
static void many_values_are_one_op(void **state)
{
    (void)state;
    for (int i = 0; i < TURNS; i++) {
        char text[100];
        snprintf(text, sizeof text, "req %d pos %d", i * 37 % 101, i / 4);
        turn(text);
    }
    check_one(builder_build(builder, MODE_AUTO), "req N pos N", TURNS);
}

static void families_of_several_threads(void **state)
{
    (void)state;
    uint32_t other = builder_thread(builder, 1, 102);
    for (int i = 0; i < 40; i++) {
        char text[100];
        snprintf(text, sizeof text, "fill %d of %d", i, i * i % 7);
        builder_range(builder, other, i * 100, i * 100 + 50, text);
        snprintf(text, sizeof text, "turn %d of %d", i, i * i % 11);
        turn(text);
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    check_one(profile, "turn N of N", 40);
    check_op(profile, "/fill N of N", 40);
    assert_int_equal(profile->ops->count, 3);
}

static void turns_of_a_trace(void **state)
{
    (void)state;
    static struct trace_text trace;
    trace = (struct trace_text){.length = 0};
    for (int i = 0; i < 12; i++) {
        char text[32];
        snprintf(text, sizeof text, "turn %d: %d reqs", i, i % 3);
        trace_event(&trace, "user_annotation", text, 1, i * 1000, 900, "\"k\": 0");
        trace_event(&trace, "cpu_op", "aten::linear", 1, i * 1000 + 100, 100, "\"k\": 0");
        trace_event(&trace, "cuda_runtime", "cudaLaunchKernel", 1, i * 1000 + 120, 5,
                    "\"correlation\": %d", i + 1);
        trace_event(&trace, "kernel", "gemm", 70, i * 1000 + 400, 50,
                    "\"correlation\": %d, \"device\": 0, \"stream\": 7", i + 1);
    }
    struct profile *profile = trace_load(&trace, 1);
    check_op(profile, "/turn N: N reqs/aten::linear", 12);
    profile_free(profile);
}

// A real capture of 11 passes, `Forward 0` to `Forward 10`, each with the same 17 places.
static void passes_of_a_real_capture(void **state)
{
    (void)state;
    const char *path =
        source_path("/../shared/corpus/nsys/transformer04_nvtxonly_2022.4.2/profile.sqlite");
    if (access(path, R_OK) != 0) {
        print_message("skipped: no corpus at %s\n", path);
        skip();
    }
    struct error error;
    struct load_request request = {.path = path};
    struct profile *profile = profile_load(&request, &error);
    assert_non_null(profile);
    check_op(profile, "/Forward N", 11);
    check_op(profile, "/Forward N/decoder/attention", 132);
    assert_int_equal(profile->ops->count, 17);
    assert_int_not_equal(node_find(profile, profile->tree, "Forward N/decoder/norm"), ROW_NONE);
    profile_free(profile);
}

// ---- names that stay apart ---------------------------------------------------------------------

// Texts of one run of a program; %d counts from 0.
static const struct {
    const char *form;
    int texts, runs;
} names[] = {
    {"conv%d", 9, 1},
    {"conv%d", 9, 6},
    {"conv_%d", 150, 1},
    {"stage%d", 2, 4},
    {"layer.%d.mlp", 1000, 1},
    {"encoder/%d/attention", 100, 1},
    {"layer %d", 80, 1},
    {"Layer %d head 3", 300, 1},
    {"blocks[%d]", 48, 1},
    {"rank %d", 16, 1},
    {"gemm_128x%d", 200, 1},
    {"gemm_%dx64", 400, 2},
    {"fp%d", 33, 2},
    {"sm%d", 91, 1},
    {"version 2.%d.0", 300, 1},
    {"trunk %d", 80, 5},
    {"matmul %d", 7, 1},
    {"dense-%d", 100, 1},
};

static void names_stay_apart(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        set_up(NULL);
        for (int i = 0; i < names[n].texts * names[n].runs; i++) {
            char text[100];
            snprintf(text, sizeof text, names[n].form, i % names[n].texts);
            turn(text);
        }
        struct profile *profile = builder_build(builder, MODE_AUTO);
        for (uint32_t i = 0; i < profile->marker_count; i++)
            if (profile->markers[i].title != profile->markers[i].text &&
                profile->markers[i].kind == MARKER_PLAIN)
                fail_msg("%s", profile_text(profile, profile->markers[i].title));
        tear_down(NULL);
    }
}

static void sizes_stay_apart(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++) {
        char text[100];
        snprintf(text, sizeof text, "matmul %d %d", 64 << i % 4, 64 << i / 4 % 4);
        turn(text);
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(profile->ops->count, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        cmocka_unit_test(turns_are_one_op), TEST(one_number_that_counts),
        TEST(many_values_are_one_op),       TEST(families_of_several_threads),
        cmocka_unit_test(turns_of_a_trace), cmocka_unit_test(passes_of_a_real_capture),
        cmocka_unit_test(names_stay_apart), TEST(sizes_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
