// SPDX-License-Identifier: Apache-2.0
// Splits into steps: by step markers, by DLProf's key op, by any range, by time and by kernel
// sequences.
#include "property.h"

#include <stdio.h>
#include <string.h>

#include "analysis/place/selection_text.h"
#include "analysis/report/selection.h"
#include "model/steps/split.h"
#include "model/steps/step_candidates.h"
#include "profile_builder.h"

#define OP(name) "{'mod': 'torch', 'op': '" name "', 'args': []}"

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

static uint32_t iteration_of(const struct split *split, uint32_t work)
{
    return split->of_work[builder->work_row[work]];
}

static void numbered_range(uint32_t thread, int64_t start, int64_t end, const char *format, int n)
{
    char text[64];
    snprintf(text, sizeof text, "%s%d", format, n);
    builder_range(builder, thread, start, end, text);
}

// Adds a launch of 5 ns at `time` and its kernel on a stream of GPU 0.
static void add_launch(uint32_t thread, int64_t time, uint32_t stream, int64_t start, int64_t end,
                       const char *kernel)
{
    uint32_t call = builder_call(builder, thread, time, time + 5, "cudaLaunchKernel");
    builder_kernel(builder, call, 0, stream, start, end, kernel);
}

// Six steps of one kernel each, and an evaluation after the third.
static void steps_with_validation(uint32_t thread)
{
    for (int i = 0; i < 6; i++) {
        int64_t t = i * 1000;
        numbered_range(thread, t, t + 300, "step ", i);
        add_launch(thread, t + 10, 7, t + 20, t + 300, "k");
        if (i == 2)
            add_launch(thread, t + 320, 7, t + 400, t + 900, "validate");
    }
}

static void steps_by_markers(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    builder_range(builder, thread, 0, 90, "Warm-up Step 1");
    uint32_t before = builder_launch(builder, thread, 10, "k");
    for (int i = 0; i < 4; i++) {
        numbered_range(thread, 100 + i * 100, 180 + i * 100, "step ", i + 7);
        builder_launch(builder, thread, 110 + i * 100, "k");
    }
    // One kernel is launched in step 8 and runs in step 9; another runs between two steps.
    uint32_t call = builder_call(builder, thread, 250, 255, "cudaLaunchKernel_v7000");
    uint32_t late = builder_kernel(builder, call, 0, 7, 320, 330, "k");
    uint32_t between = builder_launch(builder, thread, 285, "k");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    assert_int_equal(split->method, SPLIT_RANGES);
    assert_string_equal(split->key, "step N");
    assert_string_equal(split->text, "4 iterations by range \"step N\" (certain)");
    assert_int_equal(split->count, 4);
    assert_int_equal(split->number[0], 7);
    assert_int_equal(split->start[1], 200);
    assert_int_equal(split->stop[1], 280);
    assert_int_equal(iteration_of(split, 1), 0);
    assert_int_equal(iteration_of(split, late), 1);
    assert_int_equal(iteration_of(split, between), ROW_NONE);
    assert_int_equal(iteration_of(split, before), ROW_NONE);
    // GPU times: from the beginning of a step to that of the next; the GPU waits for each. Step 9
    // begins when the work of step 8 has ended. The last step ends with its range.
    assert_int_equal(split->gpu_start[0], 100);
    assert_int_equal(split->gpu_stop[0], 200);
    assert_int_equal(split->gpu_start[2], 330);
    assert_int_equal(split->gpu_start[3], 400);
    assert_int_equal(split->gpu_stop[3], 480);
    assert_int_equal(split_at(split, 0, 279), 1);
    assert_int_equal(split_at(split, 0, 280), ROW_NONE);
    for (int i = 0; i < 4; i++)
        assert_false(split->is_cut[i]);
}

static void processes_have_their_own_windows(void **state)
{
    (void)state;
    uint32_t work[2][3];
    for (uint32_t p = 0; p < 2; p++) {
        uint32_t thread = builder_thread(builder, p + 1, p + 1);
        for (int i = 0; i < 3; i++) {
            if (p == 1 && i == 1)
                continue; // the second process skips a step
            int64_t t = i * 100 + (int64_t)p * 50;
            numbered_range(thread, t, t + 100, "iter_", i);
            uint32_t call = builder_call(builder, thread, t + 10, t + 15, "cudaLaunchKernel");
            work[p][i] = builder_kernel(builder, call, p, 7, t + 60, t + 70, "k");
        }
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    assert_int_equal(split->count, 3);
    assert_string_equal(split->text, "3 iterations by range \"iter_N\" (certain), per process");
    assert_int_equal(split->start[2], 200);
    assert_int_equal(split->stop[2], 350);
    assert_int_equal(iteration_of(split, work[0][1]), 1);
    assert_int_equal(iteration_of(split, work[1][0]), 0);
    assert_int_equal(iteration_of(split, work[1][2]), 2);
    assert_int_equal(split_at(split, 1, 120), 0);
    assert_int_equal(split_at(split, 1, 170), ROW_NONE);
    assert_int_equal(split_at(split, 1, 260), 2);
    assert_int_equal(split->gpu_start[1 * 3 + 1], UNKNOWN);
}

static void cut_steps(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 3; i++) {
        numbered_range(thread, i * 100, i * 100 + 90, "step ", i);
        builder_launch(builder, thread, i * 100 + 10, "k");
    }
    builder_call(builder, thread, 280, 285, "cudaLaunchKernel_v7000"); // its kernel is missing
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    assert_false(split->is_cut[0]);
    assert_false(split->is_cut[1]);
    assert_true(split->is_cut[2]);

    tear_down(NULL);
    set_up(NULL);
    thread = builder_thread(builder, 1, 1);
    numbered_range(thread, 0, 90, "step ", 0);
    builder_range_open(builder, builder_range(builder, thread, 100, 190, "step 1"), RANGE_OPEN);
    profile = builder_build(builder, MODE_AUTO);
    split = split_find(profile, profile->arena);
    assert_false(split->is_cut[0]);
    assert_true(split->is_cut[1]);
}

// Without GPU work, a short last step shows that the profiler stopped after the last whole step.
static void rest_of_a_step(void **state)
{
    (void)state;
    static const struct {
        int64_t last; // its length; the others take 1000
        bool has_work, is_cut;
    } cases[] = {{40, false, true}, {60, false, false}, {40, true, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct profile_builder *other_builder = builder_new();
        uint32_t thread = builder_thread(other_builder, 1, 101);
        for (int i = 0; i < 4; i++) {
            char text[32];
            int64_t start = 1000 * i, end = start + (i == 3 ? cases[c].last : 1000);
            snprintf(text, sizeof text, "ProfilerStep#%d", i);
            builder_range(other_builder, thread, start, end, text);
            builder_range(other_builder, thread, start + 1, start + 30, "aten::mm");
            if (cases[c].has_work)
                builder_launch(other_builder, thread, start + 10, "k");
        }
        struct arena *arena = arena_new(0);
        struct split *split = split_find(builder_build(other_builder, MODE_AUTO), arena);
        assert_int_equal(split->count, 4);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(split->is_cut[i], i == 3 && cases[c].is_cut);
        builder_free(other_builder);
        arena_free(arena);
    }
}

// Marks that may cross threads do not count, however many a thread has.
static void marks_that_cross_threads(void **state)
{
    (void)state;
    uint32_t main_thread = builder_thread(builder, 1, 1), other = builder_thread(builder, 1, 2);
    for (int i = 0; i < 3; i++)
        numbered_range(main_thread, 100 + i * 100, 180 + i * 100, "step ", i);
    for (int i = 0; i < 5; i++)
        builder_range_open(builder,
                           builder_range(builder, other, 100 + i * 50, 140 + i * 50, "step 9"), 2);
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    assert_int_equal(split->count, 3);
    assert_int_equal(split->start[0], 100);
    assert_int_equal(split->stop[2], 380);
    assert_string_equal(split->text, "3 iterations by range \"step N\" (certain)");
}

// Two families of ranges enclose the same work: the outer one is chosen. If they are not nested,
// the one with more work is chosen.
static void outer_or_busier_family(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 4; i++) {
        int64_t t = i * 1000;
        numbered_range(thread, t, t + 900, "step ", i);
        for (int n = 0; n < 3; n++) {
            numbered_range(thread, t + 100 + n * 200, t + 250 + n * 200, "batch ", i * 3 + n);
            builder_launch(builder, thread, t + 110 + n * 200, "k");
        }
    }
    for (int i = 0; i < 50; i++)
        numbered_range(thread, 10000 + i * 10, 10005 + i * 10, "iter ", i);
    builder_launch(builder, thread, 10001, "k");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    assert_string_equal(split->key, "step N");
    split = split_by_range(profile, "batch 5", profile->arena);
    assert_string_equal(split->key, "batch N");
    assert_int_equal(split->count, 12);
    split = split_by_range(profile, "batch N", profile->arena);
    assert_int_equal(split->count, 12);
    assert_true(split->key_found);
    split = split_by_range(profile, "nothing", profile->arena);
    assert_int_equal(split->method, SPLIT_NONE);
    assert_false(split->key_found);
}

static void families_of_plain_ranges(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 5; i++)
        numbered_range(thread, i * 100, i * 100 + 90, "Warm-up Step ", i + 1);
    for (int i = 0; i < 3; i++)
        builder_range(builder, thread, 1000 + i * 100, 1050 + i * 100, "Forward");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(split_find(profile, profile->arena)->method, SPLIT_NONE);
    struct split *split = split_by_range(profile, "Warm-up Step 3", profile->arena);
    assert_int_equal(split->count, 5);
    assert_int_equal(split->number[0], 1);
    assert_int_equal(split_by_range(profile, "Warm-up Step *", profile->arena)->count, 5);
    split = split_by_range(profile, "Forward", profile->arena);
    assert_int_equal(split->count, 3);
    assert_int_equal(split->number[2], 2);
}

static void key_op_like_dlprof(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    uint32_t work[3];
    for (int64_t i = 0; i < 3; i++) {
        int64_t t = i * 1000;
        builder_range(builder, thread, t, t + 500, OP("linear"));
        work[i] = builder_launch(builder, thread, t + 100, "k");
        if (i < 2)
            builder_range(builder, thread, t + 600, t + 700, OP("backward"));
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_by_key(profile, NULL, profile->arena);
    assert_int_equal(split->method, SPLIT_KEY);
    assert_true(split->key_found);
    assert_int_equal(split->count, 3); // two stops: three windows
    assert_int_equal(split->start[0], 0);
    assert_int_equal(split->stop[0], 700);
    assert_int_equal(split->start[1], 700);
    assert_int_equal(split->stop[1], 1700);
    assert_int_equal(split->start[2], 1700);
    assert_int_equal(split->stop[2], 2500);
    // The first window contains the start-up, and no key op ends the last: both count as cut, as a
    // complete one exists.
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(split->is_cut[i], i != 1);
    assert_true(split_has_steps(split));
    assert_string_equal(split_words_of(split)->cut_short, "at the edges");
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(iteration_of(split, work[i]), i);
    for (uint32_t i = 0; i < profile->ops->instance_count; i++)
        assert_int_not_equal(split->of_instance[i], ROW_NONE);
    // By id and by name.
    assert_int_equal(split_by_key(profile, "BACKWARD_1", profile->arena)->count, 3);
    split = split_by_key(profile, "/linear", profile->arena);
    assert_int_equal(split->count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(split->is_cut[i], i == 0 || i == 3);
    split = split_by_key(profile, "no such op", profile->arena);
    assert_int_equal(split->count, 1);
    assert_false(split->key_found);
    assert_string_equal(split->key, "no such op");
    assert_int_equal(split->start[0], 0);
    assert_int_equal(split->stop[0], 2500);
}

// With one key op there are two windows and none between stops: neither is cut.
static void one_key_op(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    builder_range(builder, thread, 600, 700, OP("backward"));
    builder_range(builder, thread, 800, 900, OP("linear"));
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_by_key(profile, NULL, profile->arena);
    assert_int_equal(split->count, 2);
    assert_false(split->is_cut[0] || split->is_cut[1]);
}

// The key op of several processes: step N ends at the latest of their N-th stops if all have the
// same number of stops; otherwise every stop ends a step.
static void key_op_of_several_processes(void **state)
{
    (void)state;
    for (int uneven = 0; uneven < 2; uneven++) {
        tear_down(NULL);
        set_up(NULL);
        for (uint32_t p = 0; p < 2; p++) {
            uint32_t thread = builder_thread(builder, p + 1, p + 1);
            for (int64_t i = 0; i < 2 + (uneven && p); i++)
                builder_range(builder, thread, i * 1000 + p * 10, i * 1000 + 100 + p * 10,
                              OP("backward"));
        }
        struct profile *profile = builder_build(builder, MODE_AUTO);
        struct split *split = split_by_key(profile, NULL, profile->arena);
        assert_int_equal(split->count, uneven ? 6 : 3);
        assert_int_equal(split->stop[0], uneven ? 100 : 110);
    }
}

// A profile with ops only, in which one process has one run fewer: DLProf's rule cuts at each stop,
// which gives no steps. The finder uses the time between the stops of each process.
static void key_op_each(void **state)
{
    (void)state;
    for (int uneven = 0; uneven < 2; uneven++) {
        tear_down(NULL);
        set_up(NULL);
        for (uint32_t p = 0; p < 2; p++) {
            uint32_t thread = builder_thread(builder, p + 1, p + 1);
            for (int64_t i = 0; i < 6 - (uneven && p); i++) {
                int64_t t = i * 1000 + p * 10;
                builder_range(builder, thread, t, t + 400, OP("linear"));
                builder_range(builder, thread, t + 500, t + 700, OP("backward"));
                for (int64_t n = 0; n < 4; n++)
                    builder_launch(builder, thread, t + 100 + n * 150, "k");
            }
        }
        struct profile *profile = builder_build(builder, MODE_AUTO);
        struct split *split = split_find(profile, profile->arena);
        assert_int_equal(split_by_key(profile, NULL, profile->arena)->count, uneven ? 12 : 7);
        assert_int_equal(split->confidence, CONFIDENCE_LIKELY);
        assert_int_equal(split->count, uneven ? 5 : 7);
        if (!uneven)
            continue;
        assert_string_equal(split->text,
                            "5 iterations by key op /backward of each process (likely)");
        assert_string_equal(split->key, "each:/backward");
        assert_true(split->leaves_outside);
        for (uint32_t i = 0; i < 5; i++) {
            assert_int_equal(split->process_start[i], i * 1000 + 700);
            assert_int_equal(split->process_stop[i], i * 1000 + 1700);
            assert_int_equal(split->process_start[5 + (i < 4 ? i : 0)],
                             (i < 4 ? i : 0) * 1000 + 710);
        }
        struct split *named = split_by_name(profile, split->key, profile->arena);
        assert_int_equal(named->count, 5);
        struct step_candidates found = candidates_find(profile, profile->arena);
        assert_string_equal(found.items[0].key, "each:/backward");
        for (size_t i = 1; i < found.count; i++)
            assert_int_not_equal(found.items[i].confidence, CONFIDENCE_LIKELY);
    }
}

// Each process only repeats the key op: these are repeated measurements, not steps.
static void key_op_alone(void **state)
{
    (void)state;
    for (int uneven = 0; uneven < 2; uneven++) {
        tear_down(NULL);
        set_up(NULL);
        for (uint32_t p = 0; p < 2; p++) {
            uint32_t thread = builder_thread(builder, p + 1, p + 1);
            for (int64_t i = 0; i < 20 - (uneven && p ? 5 : 0); i++) {
                int64_t t = i * 1000 + p * 10;
                builder_range(builder, thread, t, t + 700, OP("backward"));
                for (int64_t n = 0; n < 4; n++)
                    builder_launch(builder, thread, t + 100 + n * 150, "k");
            }
        }
        struct profile *profile = builder_build(builder, MODE_AUTO);
        struct split *split = split_find(profile, profile->arena);
        assert_int_equal(split->method, SPLIT_NONE);
        assert_int_equal(split_by_key(profile, NULL, profile->arena)->count, uneven ? 36 : 21);
        struct step_candidates found = candidates_find(profile, profile->arena);
        for (size_t i = 0; i < found.count; i++)
            assert_int_not_equal(found.items[i].confidence, CONFIDENCE_LIKELY);
    }
}

// If the key ops belong to a regular loop, the loop is preferred.
static void key_op_in_a_loop(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < 2; p++) {
        uint32_t thread = builder_thread(builder, p + 1, p + 1);
        for (int64_t i = 0; i < 6 - p; i++) {
            int64_t t = i * 1000 + p * 10;
            builder_range(builder, thread, t, t + 400, OP("linear"));
            builder_range(builder, thread, t + 500, t + 700, OP("backward"));
            builder_range(builder, thread, t + 450, t + 710, "backward");
            builder_range(builder, thread, t + 800, t + 980, "optimizer");
            for (int64_t n = 0; n < 12; n++)
                builder_launch(builder, thread, t + 460 + n * 42, "k");
        }
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    assert_int_equal(split_by_key(profile, NULL, profile->arena)->count, 12);
    assert_string_equal(split->key, "loop:optimizer");
    assert_int_equal(split->count, 6);
}

// Step ranges whose names contain more words than the number of the step, with equally frequent
// ranges inside.
static void steps_among_words(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        int64_t last; // number of the last step, counted on where it restarts
    } cases[] = {
        {"range:epoch * - step */100", 9},
        {"range:step */100", 14},
        {"range:step * loss=*", 14},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        tear_down(NULL);
        set_up(NULL);
        uint32_t thread = builder_thread(builder, 1, 1);
        for (int n = 0; n < 10; n++) {
            char text[64];
            int64_t t = n * 1000;
            if (c == 0)
                snprintf(text, sizeof text, "epoch %d - step %d/100", n / 5, n % 5);
            else if (c == 1)
                snprintf(text, sizeof text, "step %d/100", 5 + n);
            else
                snprintf(text, sizeof text, "step %d loss=0.%d", 5 + n, n * 37 % 100);
            builder_range(builder, thread, t, t + 900, text);
            builder_range(builder, thread, t + 50, t + 800, "rows 7");
            for (int64_t k = 0; k < 12; k++)
                builder_launch(builder, thread, t + 60 + k * 50, "k");
        }
        struct profile *profile = builder_build(builder, MODE_AUTO);
        struct split *split = split_find(profile, profile->arena);
        assert_int_equal(split->count, 10);
        assert_string_equal(split->key, cases[c].key + strlen("range:"));
        assert_int_equal(split->confidence, CONFIDENCE_LIKELY);
        assert_int_equal(split->number[9], cases[c].last);
        assert_string_equal(candidates_find(profile, profile->arena).items[0].key, cases[c].key);
        assert_int_equal(split_by_name(profile, cases[c].key, profile->arena)->count, 10);
    }
}

// The same for 8 ranks with 5 stops each, where the last rank is always the latest. Then one rank
// has one stop fewer, and each of the 39 stops is a bound.
static void key_op_of_eight(void **state)
{
    (void)state;
    enum { RANKS = 8, STEPS = 5 };
    for (int uneven = 0; uneven < 2; uneven++) {
        tear_down(NULL);
        set_up(NULL);
        for (uint32_t p = 0; p < RANKS; p++) {
            uint32_t thread = builder_thread(builder, p + 1, p + 1);
            for (int64_t i = 0; i < STEPS - (uneven && p == 3); i++)
                builder_range(builder, thread, i * 1000 + p * 10, i * 1000 + 100 + p * 10,
                              OP("backward"));
        }
        struct profile *profile = builder_build(builder, MODE_AUTO);
        struct split *split = split_by_key(profile, NULL, profile->arena);
        assert_int_equal(split->count, uneven ? RANKS * STEPS - 1 + 1 : STEPS + 1);
        for (int64_t i = 0; i < STEPS && !uneven; i++)
            assert_int_equal(split->stop[i], i * 1000 + 100 + 70);
        for (int64_t p = 0; p < RANKS && uneven; p++)
            assert_int_equal(split->stop[p], 100 + p * 10);
    }
}

// A validation after the third step is outside of all steps, and that step ends on the GPU with its
// range; the copy that follows every step ends none.
static void work_between_steps(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    steps_with_validation(thread);
    for (int64_t t = 0; t < 6000; t += 1000)
        add_launch(thread, t + 310, 7, t + 320, t + 321, "copy");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    assert_int_equal(split->count, 6);
    assert_int_equal(split->gpu_stop[1], 2000);
    assert_int_equal(split->gpu_stop[2], 2300);
    assert_int_equal(split->gpu_stop[3], 4000);
    assert_int_equal(split->outside_count, 7);
    assert_int_equal(split->outside_ns, 506);
    assert_int_equal(split->inside_ns, 6 * 280);
    assert_true(split->leaves_outside);
    assert_int_equal(split->confidence, CONFIDENCE_CERTAIN);
    // The share outside is a part of all steps, and is stated in addition to a set.
    static const bool members[] = {true, true, true, false, false, false};
    struct selection selection = selection_all(split);
    assert_string_equal(selection_text(profile, &selection, profile->arena),
                        "6 iterations by range \"step N\" (certain), with 23.1% outside");
    selection.iterations = members;
    assert_string_equal(selection_text(profile, &selection, profile->arena),
                        "set 0-2 = 3 of 6 iterations by range \"step N\" (certain), 23.1% outside");
    // A range selected by name need not cover everything.
    split = split_by_name(profile, "step 3", profile->arena);
    assert_false(split->leaves_outside);
    assert_string_equal(split->text, "6 iterations by range \"step N\"");
}

// Work of a window that extends into the next one is cut there, also if other work runs in between:
// windows never overlap.
static void windows_do_not_overlap(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    steps_with_validation(thread);
    for (int64_t t = 0; t < 6000; t += 1000)
        add_launch(thread, t + 20, 8, t + 310, t + (t == 2000 ? 1100 : 320), "side");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    assert_int_equal(split->count, 6);
    for (uint32_t i = 0; i + 1 < split->count; i++)
        assert_true(split->gpu_stop[i] <= split->gpu_start[i + 1]);
}

static const struct step_candidate *candidate_of_key(struct step_candidates found, const char *key)
{
    for (size_t i = 0; i < found.count; i++)
        if (strcmp(found.items[i].key, key) == 0)
            return &found.items[i];
    fail_msg("no candidate %s", key);
    return NULL;
}

// If processes start with different numbers, steps are the numbers that any process has, in the
// list as in the split.
static void candidates_go_by_numbers(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < 2; p++) {
        uint32_t thread = builder_thread(builder, p + 1, p + 1);
        for (int i = 0; i < 4; i++) {
            int64_t t = i * (p ? 1500 : 1000);
            numbered_range(thread, t, t + 900, "step ", i + 5 + (int)p);
            builder_launch(builder, thread, t + 100, "k");
        }
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct step_candidates found = candidates_find(profile, profile->arena);
    const struct step_candidate *steps = candidate_of_key(found, "step N");
    struct split *split = split_by_candidate(profile, steps, profile->arena);
    assert_int_equal(split->count, 5);
    assert_int_equal(steps->count, 5);
    assert_int_equal(steps->bars[0], 1000); // of the first process
}

// Gradient accumulation: forward and backward alternate within each step. Layers that all run
// forward and then all backward are no micro-steps.
static void micro_steps(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        tear_down(NULL);
        set_up(NULL);
        uint32_t thread = builder_thread(builder, 1, 1);
        for (int i = 0; i < 5; i++) {
            numbered_range(thread, i * 1000, i * 1000 + 900, "step ", i);
            for (int k = 0; k < 6; k++) {
                int64_t t = i * 1000 + 10 + k * 100;
                bool is_forward = kind == 0 ? k % 2 == 0 : k < 3;
                if (kind == 2)
                    numbered_range(thread, t, t + 50, "micro_batch ", k);
                else
                    builder_range(builder, thread, t, t + 50, is_forward ? "forward" : "backward");
                builder_launch(builder, thread, t + 5, "k");
            }
        }
        struct profile *profile = builder_build(builder, MODE_AUTO);
        struct split *split = split_find(profile, profile->arena);
        struct step_candidates found = candidates_find(profile, profile->arena);
        static const uint32_t inner[] = {3, 0, 6};
        assert_int_equal(split->inner, inner[kind]);
        assert_int_equal(found.items[found.chosen].inner, inner[kind]);
        if (kind == 0)
            assert_string_equal(
                split->text, "5 iterations by range \"step N\" (certain), 3 micro-steps in each");
    }
}

// Launching ahead does not make a slice longer than the others.
static void slices_are_equal(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 200; i++) {
        uint32_t call = builder_call(builder, thread, i * 10, i * 10 + 5, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, 7, 100 + i * 1000, 100 + i * 1000 + i % 7 * 100 + 1, "k");
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct step_candidates found = candidates_find(profile, profile->arena);
    const struct step_candidate *slices = candidate_of_key(found, "slices:5us");
    assert_int_equal(slices->period_ns, 5000);
    assert_true(slices->jitter == 0);
    // Slices are no evidence of steps.
    assert_int_equal(slices->confidence, CONFIDENCE_NONE);
    assert_string_equal(split_by_candidate(profile, slices, profile->arena)->text,
                        "40 slices by time, 5us each (no steps)");
}

// Times since 1970, and a slice longer than the time that follows them.
static void slices_of_great_times(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    const int64_t since_1970 = INT64_C(1760000000000000000);
    for (int i = 0; i < 4; i++)
        builder_launch(builder, thread, since_1970 + i * 1000, "k");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_by_name(profile, "slices:9000000000s", profile->arena);
    assert_int_equal(split->count, 1);
    assert_int_equal(split->outside_count, 0);
}

// Sequences without a mark begin with the rarest kernel. The capture ends in the last one, and work
// before the first belongs to none.
static void sequences_of_kernels(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    static const char *const names[] = {"first", "second", "second", "third"};
    int64_t t = 0;
    for (int i = 0; i < 3; i++)
        builder_launch(builder, thread, t += 100, "setup");
    uint32_t last = 0;
    for (int i = 0; i < 4 * 6 - 2; i++)
        last = builder_launch(builder, thread, t += 100, names[i % 4]);
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_by_name(profile, "sequence", profile->arena);
    assert_string_equal(split->unit, "sequence");
    assert_int_equal(split->count, 5);
    assert_int_equal(split->outside_count, 3 + 3);
    assert_int_equal(iteration_of(split, last), 4);
    assert_true(split->is_cut[4]);
    assert_false(split->is_cut[3]);
}

// Slices of time have the given length and cover everything.
static void slices_of_time(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 10; i++) {
        uint32_t call = builder_call(builder, thread, i * 1000, i * 1000 + 5, "cudaLaunchKernel");
        builder_kernel(builder, call, 0, 7, i * 1000 + 100, i * 1000 + 600, "k");
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(split_find(profile, profile->arena)->method, SPLIT_NONE);
    struct split *split = split_by_name(profile, "slices:2us", profile->arena);
    assert_true(split->key_found);
    assert_string_equal(split->unit, "slice");
    assert_string_equal(split->text, "5 slices by time, 2us each");
    assert_false(split_has_steps(split));
    assert_int_equal(split->count, 5);
    assert_int_equal(split->gpu_start[1], 2100);
    assert_int_equal(split->gpu_stop[1], 4100);
    assert_int_equal(split->outside_count, 0);
    assert_true(split->is_cut[4]);
    assert_false(split->is_cut[3]);
    assert_string_equal(split_words_of(split)->each, "a slice");
    assert_string_equal(split_words_of(split)->cut, "shorter than the others");
    assert_false(split_by_name(profile, "slices:0", profile->arena)->key_found);
    assert_false(split_by_name(profile, "slices:x", profile->arena)->key_found);
    assert_false(split_by_name(profile, "loop:nothing", profile->arena)->key_found);
    assert_false(split_by_name(profile, "replay:1", profile->arena)->key_found);
}

static void nothing_marks_steps(void **state)
{
    (void)state;
    uint32_t thread = builder_thread(builder, 1, 1);
    uint32_t work = builder_launch(builder, thread, 100, "k");
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    assert_int_equal(split->method, SPLIT_NONE);
    assert_int_equal(split->count, 1);
    assert_int_equal(split->start[0], 0);
    assert_int_equal(split->stop[0], 130);
    assert_int_equal(iteration_of(split, work), 0);
    split = split_by_key(profile, NULL, profile->arena);
    assert_string_equal(split->key, "");
    assert_string_equal(split->text, "1 iteration: DLProf's default key op not found");
}

static void one_process_with_a_thread_per_gpu(void **state)
{
    (void)state;
    uint32_t work[2][3];
    for (uint32_t g = 0; g < 2; g++) {
        uint32_t thread = builder_thread(builder, 1, g + 1);
        for (int i = 0; i < 3; i++) {
            int64_t t = i * 100 + (int64_t)g * 40;
            numbered_range(thread, t, t + 95, "step ", i);
            uint32_t call = builder_call(builder, thread, t + 80, t + 85, "cudaLaunchKernel");
            work[g][i] = builder_kernel(builder, call, g, 7, t + 90, t + 95, "k");
        }
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    struct split *split = split_find(profile, profile->arena);
    for (uint32_t g = 0; g < 2; g++)
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(iteration_of(split, work[g][i]), i);
}

static void empty_profile(void **state)
{
    (void)state;
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_int_equal(split_find(profile, profile->arena)->count, 1);
    assert_int_equal(split_by_key(profile, NULL, profile->arena)->count, 1);
    assert_int_equal(split_by_range(profile, "x", profile->arena)->count, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_by_markers),
        TEST(processes_have_their_own_windows),
        TEST(cut_steps),
        TEST(rest_of_a_step),
        TEST(marks_that_cross_threads),
        TEST(outer_or_busier_family),
        TEST(families_of_plain_ranges),
        TEST(key_op_like_dlprof),
        TEST(one_key_op),
        TEST(key_op_of_several_processes),
        TEST(key_op_of_eight),
        TEST(key_op_each),
        TEST(key_op_alone),
        TEST(steps_among_words),
        TEST(key_op_in_a_loop),
        TEST(work_between_steps),
        TEST(windows_do_not_overlap),
        TEST(candidates_go_by_numbers),
        TEST(micro_steps),
        TEST(slices_are_equal),
        TEST(slices_of_great_times),
        TEST(sequences_of_kernels),
        TEST(slices_of_time),
        TEST(nothing_marks_steps),
        TEST(one_process_with_a_thread_per_gpu),
        TEST(empty_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
