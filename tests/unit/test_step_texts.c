// SPDX-License-Identifier: Apache-2.0
// Texts that mark steps: of servers, with what they say; of programs that no dialect knows; and
// texts that look like steps and are none.
#include "property.h"

#include <stdio.h>
#include <string.h>

#include "model/markers/markers.h"
#include "model/markers/step_numbers.h"
#include "model/steps/split.h"
#include "model/steps/step_candidates.h"
#include "profile_builder.h"

static struct profile_builder *builder;

static int set_up(void **state)
{
    (void)state;
    builder = builder_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    builder_free(builder);
    return 0;
}

// ---- what a text says --------------------------------------------------------------------------

static void contents_of_servers(void **state)
{
    (void)state;
    enum { U = -1 }; // unknown
    static const struct {
        const char *text;
        enum step_kind kind;
        int64_t requests, prefills, tokens, prefill_tokens, number;
    } cases[] = {
        {"execute_new_2_cached_30", STEP_MIXED, 32, 2, U, U, U},
        {"execute_new_0_cached_30", STEP_DECODE, 30, 0, U, U, U},
        {"execute_context_1(888_788544)_generation_0(0)", STEP_PREFILL, 1, 1, 888, 888, U},
        {"execute_context_0(0)_generation_4(12)", STEP_DECODE, 4, 0, 12, 0, U},
        {"execute_context_0(0)_generation_0(0)", STEP_IDLE, 0, 0, 0, 0, U},
        {"execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37(sq37sk34489"
         "sqsq37sqsk34489)",
         STEP_MIXED, 46, 9, 8192, 8155, U},
        {"execute_diffusion_1_64x32", STEP_KIND_NONE, U, U, U, U, U},
        {"step[EXTEND bs=1 toks=100]", STEP_PREFILL, 1, U, 100, U, U},
        {"step[DECODE bs=8 g_sq=8 g_new=1]", STEP_DECODE, 8, U, U, U, U},
        {"step[MIXED bs=8 c=1 g=7]", STEP_MIXED, 8, U, U, U, U},
        {"step[IDLE bs=0]", STEP_IDLE, 0, U, U, U, U},
        {"step[TARGET_VERIFY bs=4]", STEP_DECODE, 4, U, U, U, U},
        {"step[VERIFY bs=4]", STEP_DECODE, 4, U, U, U, U},
        {"step[DRAFT_EXTEND bs=4]", STEP_DECODE, 4, U, U, U, U},
        {"step[NEW_MODE bs=4]", STEP_KIND_NONE, 4, U, U, U, U},
        {"step[EXTEND bs=2 toks=30 lens=[7,23] c=(1, 2)]", STEP_PREFILL, 2, U, 30, U, U},
        {"decode[bs=2 ids=[4 9]]", STEP_DECODE, 2, U, U, U, U},
        {"prefill[bs=2 tok=300 x=1]", STEP_PREFILL, 2, U, 300, U, U},
        {"decode[bs=7 tok=7]", STEP_DECODE, 7, U, 7, U, U},
        {"[Executor] _forward_step 40: 1 ctx reqs, 900 ctx tokens, 8 gen reqs", STEP_MIXED, 9, 1, U,
         900, 40},
        {"[Executor] _forward_step 41: 0 ctx reqs, 9 gen reqs", STEP_DECODE, 9, 0, U, U, 41},
        {"[Executor] _forward_step: 2 ctx reqs, 0 gen reqs", STEP_PREFILL, 2, 2, U, U, U},
        {"[Executor] _forward_step: 3 mm reqs", STEP_KIND_NONE, 3, U, U, U, U},
        {"[Executor] _forward_step 7", STEP_KIND_NONE, U, U, U, U, 7},
        // Numbers that do not fit are unknown.
        {"step[DECODE bs=99999999999999999999]", STEP_DECODE, U, U, U, U, U},
        {"execute_new_99999999999999999999_cached_1", STEP_MIXED, U, U, U, U, U},
    };
    struct arena *arena = arena_new(0);
    struct strings *strings = strings_new(arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct marker marker;
        marker_parse(strings, arena, "", strings_intern_text(strings, cases[i].text), &marker);
        struct step_content said = marker.content ? *marker.content : step_content_none;
        const int64_t want[STEP_FIGURE_COUNT] = {cases[i].requests, cases[i].prefills,
                                                 cases[i].tokens, cases[i].prefill_tokens};
        int64_t number = cases[i].number == U ? UNKNOWN : cases[i].number;
        if (marker.kind != MARKER_STEP || said.kind != cases[i].kind || marker.number != number)
            fail_msg("%s: marker %d, kind %d", cases[i].text, marker.kind, said.kind);
        for (int f = 0; f < STEP_FIGURE_COUNT; f++)
            if (said.figures[f] != (want[f] == U ? UNKNOWN : want[f]))
                fail_msg("%s: figure %d is %lld", cases[i].text, f, (long long)said.figures[f]);
    }
    arena_free(arena);
}

static void contents_of_other_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum step_kind kind;
        int64_t requests, tokens; // -1: unknown
    } cases[] = {
        {"decode step 3", STEP_DECODE, -1, -1},
        {"decode_step_3", STEP_DECODE, -1, -1},
        {"prefill 12 reqs, 400 tokens", STEP_PREFILL, 12, 400},
        {"tick 4 batch_size=8 tokens: 17", STEP_KIND_NONE, 8, 17},
        {"prefill and decode", STEP_KIND_NONE, -1, -1},
        {"mixed_precision", STEP_KIND_NONE, -1, -1},
        {"load bs=0.5", STEP_KIND_NONE, -1, -1},
        {"bs", STEP_KIND_NONE, -1, -1},
        {"", STEP_KIND_NONE, -1, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct step_content said = step_content_read(cases[i].text, strlen(cases[i].text));
        int64_t requests = cases[i].requests < 0 ? UNKNOWN : cases[i].requests;
        int64_t tokens = cases[i].tokens < 0 ? UNKNOWN : cases[i].tokens;
        if (said.kind != cases[i].kind || said.figures[STEP_REQUESTS] != requests ||
            said.figures[STEP_TOKENS] != tokens)
            fail_msg("%s: kind %d, %lld requests", cases[i].text, said.kind,
                     (long long)said.figures[STEP_REQUESTS]);
    }
}

static void trends_of_numbers(void **state)
{
    (void)state;
    enum { MOST = 12 };
    static const struct {
        int64_t number[MOST];
        uint32_t count;
        enum step_trend trend;
        bool identifies;
    } cases[] = {
        {{5, 6, 7, 8}, 4, TREND_COUNTER, true},
        {{5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17}, 12, TREND_COUNTER, true},
        {{3, 3, 3, 3}, 4, TREND_NONE, false},
        {{7, 7}, 2, TREND_NONE, true},
        {{0, 1, 2, 3, 0, 1, 2, 3}, 8, TREND_CYCLE, false},
        {{0, 0, 1, 1, 2, 2}, 6, TREND_VALUE, true},
        {{32, 32, 32, 64, 64, 64}, 6, TREND_VALUE, false},
        {{8, 5, 8, 6, 7, 7, 5, 8}, 8, TREND_VALUE, false},
        {{811, 402, 97, 655, 21, 300, 90, 77}, 8, TREND_ID, false},
        {{1764432192, 1764432195, 1764432201}, 3, TREND_ID, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t number[MOST];
        memcpy(number, cases[i].number, sizeof number);
        assert_int_equal(step_numbers_identify(number, cases[i].count), cases[i].identifies);
        if (step_trend_of(number, cases[i].count) != cases[i].trend)
            fail_msg("case %zu", i);
    }
}

static void numbers_in_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *pattern;
        uint32_t count;
    } cases[] = {
        {"tick 3 q=17 kv=0.25", "tick * q=* kv=*", 3},
        {"a1b22c", "a*b*c", 2},
        {"v1.2.3", "v*.*", 2},
        {"none", "none", 0},
        {"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char pattern[NAME_LIMIT + 1];
        int64_t values[MAX_STEP_NUMBERS];
        uint32_t count = step_numbers_of(cases[i].text, strlen(cases[i].text), pattern, values);
        if (count != cases[i].count || (cases[i].pattern && strcmp(pattern, cases[i].pattern) != 0))
            fail_msg("%s: %u, %s", cases[i].text, count, pattern);
    }
}

// ---- ranges of a run ---------------------------------------------------------------------------

enum { LENGTH = 1000, LAUNCHES = 12 };

// Adds a range at turn `at` with `launches` kernels.
static void turn(uint32_t thread, int at, int launches, const char *text)
{
    int64_t t = (int64_t)at * LENGTH;
    builder_range(builder, thread, t, t + LENGTH - 100, text);
    for (int k = 0; k < launches; k++)
        builder_launch(builder, thread, t + 10 + k * 20, "k");
}

static void check_split(const char *key, uint32_t count, int64_t first, int64_t last)
{
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    if (strcmp(split->key, key) != 0 || split->count != count)
        fail_msg("%s: %s", key, split->text);
    assert_int_equal(split->number[0], first);
    assert_int_equal(split->number[count - 1], last);
    // The list of candidates says the same.
    struct step_candidates found = candidates_find(profile, profile->arena);
    assert_true(found.chosen < found.count);
    assert_int_equal(found.items[found.chosen].count, count);
}

// Several numbers vary: the one that grows by one counts, and launches need not be alike.
static void finder_of_several_numbers(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 12; i++) {
        char text[64];
        snprintf(text, sizeof text, "tick %d: q %d kv %d.5", 30 + i, i * 7 % 5, i * 3 % 7);
        turn(thread, i, 9 + i * i % 13, text);
    }
    check_split("tick *: q * kv *", 12, 30, 41);
}

// The one number of a text may follow its word directly.
static void finder_of_glued_number(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 12; i++) {
        char text[64];
        snprintf(text, sizeof text, "steps%d", 30 + i);
        turn(thread, i, LAUNCHES, text);
    }
    check_split("steps*", 12, 30, 41);
}

// Each process counts its own ranges, one up to the last step but one.
static void finder_of_several_processes(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < 2; p++) {
        uint32_t thread = builder_thread(builder, 1 + p, 1 + p);
        for (int i = 0; i < 12 - (int)p; i++) {
            char text[64];
            snprintf(text, sizeof text, "tick %d: q %d kv %d.5", 30 + i, i * 7 % 5, i * 3 % 7);
            turn(thread, i, LAUNCHES, text);
        }
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    assert_string_equal(split->key, "tick *: q * kv *");
    assert_int_equal(split->count, 12);
    assert_int_equal(split->number[0], 30);
    assert_int_equal(split->number[11], 41);
    assert_int_equal(split->process_start[22], 10 * LENGTH);
    assert_int_equal(split->process_start[23], split->process_stop[23]); // lacks step 41
}

// No number counts: the order does. Values vary; launches are alike.
static void finder_by_order(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 12; i++) {
        char text[64];
        snprintf(text, sizeof text, "serve q %d kv %d", i * 7 % 5, i * 3 % 7);
        turn(thread, i, LAUNCHES, text);
    }
    check_split("serve q * kv *", 12, 0, 11);
    // Tokens are no identifiers, although each number occurs once.
    static const int tokens[] = {811, 402, 97, 655, 21, 300, 90, 77, 512, 64, 33, 18};
    tear_down(NULL);
    set_up(NULL);
    thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 12; i++) {
        char text[64];
        snprintf(text, sizeof text, "serve tokens=%d", tokens[i]);
        turn(thread, i, LAUNCHES, text);
    }
    check_split("serve tokens=*", 12, 0, 11);
}

// Prefill and decode are steps of one server; outer ranges win over those inside.
static void steps_of_a_server(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 9; i++) {
        char text[64];
        snprintf(text, sizeof text,
                 i % 3 ? "execute_context_0(0)_generation_%d(%d)"
                       : "execute_context_%d(%d)_generation_0(0)",
                 1 + i, 1 + i);
        turn(thread, i, i % 3 ? 3 : 9, text);
        builder_range(builder, thread, (int64_t)i * LENGTH + 1, (int64_t)i * LENGTH + 800,
                      "gpu_model_runner: forward");
    }
    check_split("execute", 9, 0, 8);
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    uint32_t counts[STEP_KIND_COUNT];
    assert_true(split_count_kinds(split, counts));
    assert_int_equal(counts[STEP_PREFILL], 3);
    assert_int_equal(counts[STEP_DECODE], 6);
    assert_int_equal(split_kind(split, 0), STEP_PREFILL);
    assert_int_equal(split->content[1].figures[STEP_REQUESTS], 2);
    assert_string_equal(split->text,
                        "9 iterations by range \"execute\" (certain), 3 prefill, 6 decode");
}

// The inner anchor of a server counts its steps where nothing else does, with all around it.
static void anchor_of_a_server(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 9; i++) {
        int64_t t = (int64_t)i * LENGTH;
        builder_range(builder, thread, t, t + 99, "gpu_model_runner: preprocess");
        builder_range(builder, thread, t + 100, t + 500, "gpu_model_runner: forward");
        builder_range(builder, thread, t + 600, t + 900, "gpu_model_runner: sample");
        for (int k = 0; k < LAUNCHES; k++)
            builder_launch(builder, thread, t + 10 + k * 70, "k");
    }
    check_split("loop:gpu_model_runner: forward", 9, 0, 8);
}

// A single step of a server is a step, as a single ProfilerStep is.
static void single_step(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    turn(thread, 1, 3, "step[DECODE bs=32]");
    check_split("step[...]", 1, 0, 0);
}

// Several ranges in a row have one number: they are one step; GPU work between them belongs to it.
static void one_number_on_several_ranges(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 24; i++) {
        char text[64];
        snprintf(text, sizeof text, "step %d", 5 + i / 2);
        turn(thread, i, i % 2 ? 2 : LAUNCHES, text);
    }
    check_split("step N", 12, 5, 16);
    // The size of a batch stays, too, and counts no steps.
    tear_down(NULL);
    set_up(NULL);
    thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 24; i++)
        turn(thread, i, LAUNCHES, i < 12 ? "batch 32" : "batch 64");
    check_split("batch N", 24, 0, 23);
}

// Most turns of a loop only wait: those that launch are steps, with their numbers.
static void idle_turns(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        tear_down(NULL);
        set_up(NULL);
        uint32_t thread = builder_thread(builder, 1, 1);
        for (int i = 0; i < 60; i++) {
            char text[64];
            snprintf(text, sizeof text, known ? "[Executor] _forward_step %d" : "poll %d", i);
            turn(thread, i, i % 10 == 9 ? LAUNCHES : 0, text);
        }
        check_split(known ? "[Executor] _forward_step" : "poll *", 6, 9, 59);
    }
    // Where most turns launch, all count.
    tear_down(NULL);
    set_up(NULL);
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 20; i++) {
        char text[64];
        snprintf(text, sizeof text, "step %d", i);
        turn(thread, i, i % 4 ? LAUNCHES : 0, text);
    }
    check_split("step N", 20, 0, 19);
}

// Launches whose work the file lacks are launches.
static void lost_work_is_not_idle(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 20; i++) {
        char text[64];
        snprintf(text, sizeof text, "step %d", i);
        turn(thread, i, i % 10 ? 0 : LAUNCHES, text);
        builder_call(builder, thread, (int64_t)i * LENGTH + 500, (int64_t)i * LENGTH + 505,
                     "cudaLaunchKernel");
    }
    check_split("step N", 20, 0, 19);
}

// ---- decoys ------------------------------------------------------------------------------------

static void decoys(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        int cycle; // the number goes from 0 to cycle - 1 again and again; 0: it counts
        int64_t scale;
    } cases[] = {
        {"layer_%lld", 12, 1},
        {"layer_%lld", 0, 1},
        {"h.%lld", 4, 1},
        {"model.layers.%lld.mlp", 0, 1},
        {"block %lld", 0, 1},
        {"aten::mm, op_id = %lld", 0, 3},
        {"epoch %lld", 0, 1},
        {"Epoch %lld/10", 0, 1},
        {"request %lld", 0, 1},
        {"req-%lld", 0, 1},
        {"request_id=%lld user 7", 0, 1},
        {"work %lld", 0, 7919 * 131071LL},
        {"at 17644321%lld", 0, 13},
        {"bucket_%lld", 5, 1},
        {"bucket_%lld", 0, 1},
        {"timestep %lld", 0, 1},
        {"timestep %lld of 50", 0, 1},
        {"rank %lld", 1, 1},
        {"stage %lld", 4, 1},
        {"expert %lld", 0, 1},
        {"warmup %lld", 0, 1},
        {"conv%lld", 4, 1},
        {"layer%lld", 0, 1},
        {"h%lld", 0, 7919 * 131071LL},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        tear_down(NULL);
        set_up(NULL);
        uint32_t thread = builder_thread(builder, 1, 1);
        for (int i = 0; i < 24; i++) {
            char text[64];
            long long number = (cases[c].cycle ? i % cases[c].cycle : i) * cases[c].scale;
            snprintf(text, sizeof text, cases[c].format, number);
            turn(thread, i, LAUNCHES, text);
        }
        struct profile *profile = builder_build(builder, MODE_AUTO);
        struct split *split = split_find(profile, profile->arena);
        if (split->method != SPLIT_NONE)
            fail_msg("%s: %s", cases[c].format, split->text);
    }
}

// Texts with letters and digits by chance have no family.
static void decoys_of_chance(void **state)
{
    (void)state;
    struct random random = {7};
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 24; i++) {
        char text[64];
        snprintf(text, sizeof text, "%08llx-%04llx", (unsigned long long)random_next(&random) >> 32,
                 (unsigned long long)random_next(&random) >> 48);
        turn(thread, i, LAUNCHES, text);
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(split_find(profile, profile->arena)->method, SPLIT_NONE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_of_servers),
        cmocka_unit_test(contents_of_other_texts),
        cmocka_unit_test(trends_of_numbers),
        cmocka_unit_test(numbers_in_texts),
        TEST(finder_of_several_numbers),
        TEST(finder_of_glued_number),
        TEST(finder_of_several_processes),
        TEST(finder_by_order),
        TEST(steps_of_a_server),
        TEST(anchor_of_a_server),
        TEST(single_step),
        TEST(one_number_on_several_ranges),
        TEST(idle_turns),
        TEST(lost_work_is_not_idle),
        TEST(decoys),
        TEST(decoys_of_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
