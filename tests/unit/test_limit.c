// SPDX-License-Identifier: Apache-2.0
// Bounds of --fail-if: checks how they are parsed, when one is crossed, and that a bound which
// cannot be judged never passes.
#include <stdlib.h>
#include <string.h>

#include "property.h"

#include "analysis/compare/baseline.h"
#include "analysis/compare/limit.h"
#include "model/profile/loader.h"
#include "scenario.h"

static void test_reading(void **state)
{
    (void)state;
    static const struct reading {
        const char *text;
        bool is_good, is_least;
        enum limit_kind kind;
        double bound;
    } readings[] = {
        {"step>+5%", true, false, LIMIT_PERCENT, 0.05},
        {"step>-2.5%", true, false, LIMIT_PERCENT, -0.025},
        {"step<-10%", true, true, LIMIT_PERCENT, -0.1},
        {"step>+2ms", true, false, LIMIT_MORE, 2e6},
        {"step>+0", true, false, LIMIT_MORE, 0},
        {"median>1.5s", true, false, LIMIT_VALUE, 1.5e9},
        {"idle>20%", true, false, LIMIT_SHARE, 0.2},
        {"busy<80%", true, true, LIMIT_SHARE, 0.8},
        {"findings>+0", true, false, LIMIT_MORE, 0},
        {"findings>3", true, false, LIMIT_VALUE, 3},
        {"kernel:gemm>+1%", true, false, LIMIT_PERCENT, 0.01},
        {"kernel:elementwise add<float>>+1us", true, false, LIMIT_MORE, 1e3},
        {"layer:layers.*/mlp>30ms", true, false, LIMIT_VALUE, 30e6},
        {"step>5%", .is_good = false}, // a share of itself
        {"step", .is_good = false},
        {"step>", .is_good = false},
        {"step>5", .is_good = false}, // no unit
        {"step>+nan%", .is_good = false},
        {"step>+inf", .is_good = false},
        {"steps>+5%", .is_good = false},
        {"kernel:>+5%", .is_good = false},
        {"stepx>+5%", .is_good = false},
        {"findings>+5%", true, false, LIMIT_PERCENT, 0.05},
        {"findings>+2ms", .is_good = false},
        {"", .is_good = false},
    };
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        const struct reading *reading = &readings[i];
        struct limit limit;
        struct error error = {0};
        bool is_good = limit_parse(reading->text, &limit, &error);
        if (is_good != reading->is_good)
            fail_msg("'%s' is %s: %s", reading->text, is_good ? "taken" : "refused", error.message);
        if (!is_good) {
            assert_int_equal(error.kind, ERROR_USAGE);
            continue;
        }
        assert_int_equal(limit.kind, reading->kind);
        assert_int_equal(limit.is_least, reading->is_least);
        assert_true(limit.bound == reading->bound);
        assert_int_equal(limit_needs_baseline(&limit),
                         reading->kind == LIMIT_MORE || reading->kind == LIMIT_PERCENT);
    }
}

struct judging {
    struct profile *before, *after;
    struct arena *arena;
    struct baseline baseline;
    struct selection selection;
    const char *line; // text of the bound judged last
};

enum { PASSES, FAILS, CANNOT };

static int judge(struct judging *judging, const char *text)
{
    struct limit limit;
    struct error error = {0};
    bool is_crossed = false;
    const char *line = NULL;
    assert_true(limit_parse(text, &limit, NULL));
    if (!limit_check(&limit, judging->after, &judging->selection, &is_crossed, &line,
                     judging->arena, &error)) {
        assert_non_null(strstr(error.message, "--fail-if"));
        return CANNOT;
    }
    assert_non_null(strstr(line, is_crossed ? ": fails " : ": passes "));
    assert_non_null(strstr(line, text));
    judging->line = line;
    return is_crossed ? FAILS : PASSES;
}

// With the planted problem the step is longer by its cost.
static void test_judging(void **state)
{
    (void)state;
    if (run_is_quick()) // two large profiles
        skip();
    struct judging j = {.arena = arena_new(0)};
    j.before = scenario_open("demo --steps=8 --without=fp32head");
    j.after = scenario_open("demo --steps=8");
    j.selection = selection_all(split_find(j.after, j.arena));
    j.selection.iterations = default_baseline_steps(j.after, &j.selection, j.arena);
    assert_int_equal(judge(&j, "step>1ms"), FAILS);
    assert_int_equal(judge(&j, "step<1ms"), PASSES);
    assert_int_equal(judge(&j, "step>10s"), PASSES);
    assert_int_equal(judge(&j, "idle>99%"), PASSES);
    assert_int_equal(judge(&j, "busy>1%"), FAILS);
    assert_int_equal(judge(&j, "step>+5%"), CANNOT); // no baseline
    struct baseline_request request = {
        .profile = j.before, .path = "before", .gpu = UNKNOWN, .process = UNKNOWN};
    assert_true(baseline_init(&j.baseline, &request, &j.selection, j.arena, NULL));
    j.selection.baseline = &j.baseline;
    assert_int_equal(judge(&j, "step>+5%"), FAILS);
    assert_int_equal(judge(&j, "step>+20ms"), FAILS);
    assert_int_equal(judge(&j, "step>+40ms"), PASSES);
    assert_int_equal(judge(&j, "step>+50%"), PASSES);
    assert_int_equal(judge(&j, "median>+5%"), FAILS);
    assert_int_equal(judge(&j, "findings>+0"), FAILS);
    assert_int_equal(judge(&j, "layer:lm_head>+20ms"), FAILS);
    assert_int_equal(judge(&j, "layer:layers.*/mlp>+20ms"), PASSES);
    // Only the slow head has this kernel: the increase in time is known, but there is no percentage
    // of 0.
    assert_int_equal(judge(&j, "kernel:xmma_gemm f32 ffma tn 128x128x8>+5ms"), FAILS);
    assert_int_equal(judge(&j, "kernel:xmma_gemm f32 ffma tn 128x128x8>+5%"), CANNOT);
    assert_int_equal(judge(&j, "kernel:no such kernel>+5%"), CANNOT);
    assert_int_equal(judge(&j, "layer:no such layer>5ms"), CANNOT);
    assert_int_equal(judge(&j, "layer:aten::mm>5ms"), CANNOT); // several layers end like this
    // A baseline without steps: selected steps are not compared with a whole capture.
    request.split = split_by_name(j.before, "no such key", j.arena);
    assert_true(baseline_init(&j.baseline, &request, &j.selection, j.arena, NULL));
    assert_int_equal(j.baseline.selection.split->method, SPLIT_NONE);
    assert_int_equal(judge(&j, "step>+5%"), CANNOT);
    assert_int_equal(judge(&j, "layer:lm_head>+20ms"), CANNOT);
    assert_int_equal(judge(&j, "step>1ms"), FAILS);
    assert_true(judge(&j, "findings>+100") == PASSES);
    profile_free(j.before);
    profile_free(j.after);
    arena_free(j.arena);
}

// A bound that is crossed by less than the variation between steps counts as crossed, and the text
// says so.
static void test_noise(void **state)
{
    (void)state;
    struct profile *profiles[] = {scenario_open("plain"), scenario_open("plain --seed=3")};
    struct judging j = {.arena = arena_new(0)};
    int crossed = 0;
    for (int i = 0; i < 2; i++) { // one of the two takes longer
        j.before = profiles[i];
        j.after = profiles[1 - i];
        j.selection = selection_all(split_find(j.after, j.arena));
        struct baseline_request request = {
            .profile = j.before, .path = "before.sqlite", .gpu = UNKNOWN, .process = UNKNOWN};
        assert_true(baseline_init(&j.baseline, &request, &j.selection, j.arena, NULL));
        j.selection.baseline = &j.baseline;
        if (judge(&j, "step>+0%") != FAILS)
            continue;
        crossed++;
        assert_non_null(strstr(j.line, ": fails step>+0%, though steps vary by "));
    }
    assert_int_equal(crossed, 1);
    profile_free(profiles[0]);
    profile_free(profiles[1]);
    arena_free(j.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_judging),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
