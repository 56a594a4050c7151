// SPDX-License-Identifier: Apache-2.0
// Compares the steps found in generated profiles with the steps that the generator reports.
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/markers/step_numbers.h"
#include "model/markers/step_words.h"
#include "model/profile/loader.h"
#include "model/steps/step_candidates.h"
#include "scenario.h"

enum { MAX_STEPS = 4096 };

struct expected {
    const char *scenario;
    const char *unit; // NULL: no ranges mark steps
    uint32_t count, inner;
    enum candidate_source source;
    enum confidence confidence;
};

static const struct expected expected[] = {
    {"loop", "iteration", 24, 0, CANDIDATE_LOOP, CONFIDENCE_LIKELY},
    {"loop-steps", "iteration", 24, 0, CANDIDATE_STEPS, CONFIDENCE_CERTAIN},
    {"loop-micro", "iteration", 24, 4, CANDIDATE_LOOP, CONFIDENCE_LIKELY},
    {"loop-validation", "iteration", 24, 0, CANDIDATE_LOOP, CONFIDENCE_LIKELY},
    {"loop-phase", "iteration", 24, 0, CANDIDATE_LOOP, CONFIDENCE_LIKELY},
    {"loop-8gpu", "iteration", 24, 0, CANDIDATE_LOOP, CONFIDENCE_LIKELY},
    {"loop-8gpu-unequal", "iteration", 24, 0, CANDIDATE_LOOP, CONFIDENCE_LIKELY},
    {"loop-ahead", "iteration", 24, 0, CANDIDATE_LOOP, CONFIDENCE_LIKELY},
    {"loop-decoys", "iteration", 24, 0, CANDIDATE_RANGE, CONFIDENCE_LIKELY},
    {"emit", "iteration", 6, 0, CANDIDATE_LOOP, CONFIDENCE_LIKELY},
    {"plain", "iteration", 8, 0, CANDIDATE_STEPS, CONFIDENCE_CERTAIN},
    {"ddp", "iteration", 8, 0, CANDIDATE_STEPS, CONFIDENCE_CERTAIN},
    {"none", NULL, 1, 0, 0, 0},
    {"serving", NULL, 1, 0, 0, 0},
    {"serving --graphs=off --steps=60", NULL, 1, 0, 0, 0},
    {"serving-steps", "iteration", 170, 0, CANDIDATE_STEPS, CONFIDENCE_CERTAIN},
    {"chaos", NULL, 1, 0, 0, 0},
    {"loop --markers=none", NULL, 1, 0, 0, 0},
};

// Returns the end of the other work that begins before a step's first work, or that work if it runs
// into it.
static int64_t end_before(const struct profile *profile, const struct split *split,
                          const struct scenario_step *step)
{
    const struct device *device = &profile->devices[step->rank];
    int64_t end = INT64_MIN;
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (split->of_work[w] != (uint32_t)step->step && AT(profile->work.start, w) < step->first &&
            AT(profile->work.end, w) > end)
            end = AT(profile->work.end, w);
    return end < step->first ? end : step->first;
}

// GPUs are listed in the order of their ranks. A window begins with the wait for its first work:
// where the marks are the steps, at the truth's beginning on the host.
static void check_windows(const char *scenario, const struct profile *profile,
                          const struct split *split, bool has_marks,
                          const struct scenario_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct scenario_step *step = &steps[i];
        size_t cell = (size_t)step->rank * split->count + (size_t)step->step;
        assert_true((uint32_t)step->rank < profile->device_count);
        assert_true((uint32_t)step->step < split->count);
        const struct device *device = &profile->devices[step->rank];
        int64_t kernels = 0;
        for (uint32_t w = device->first_work; w < device->end_work; w++)
            kernels += split->of_work[w] == (uint32_t)step->step &&
                       profile->functions[AT(profile->work.function, w)].kind == WORK_KERNEL;
        if (kernels != step->kernels)
            fail_msg("%s: step %d of rank %d has %lld kernels, not %lld", scenario, step->step,
                     step->rank, (long long)step->kernels, (long long)kernels);
        int64_t before = end_before(profile, split, step), want = step->first;
        if (has_marks)
            want = step->start > before ? step->start : before;
        want = want < step->first ? want : step->first;
        if (has_marks ? split->gpu_start[cell] != want
                      : split->gpu_start[cell] < before || split->gpu_start[cell] > step->first)
            fail_msg("%s: step %d of rank %d begins at %lld on the GPU, not %lld", scenario,
                     step->step, step->rank, (long long)split->gpu_start[cell], (long long)want);
    }
}

static void check_scenario(const struct expected *want, uint64_t seed)
{
    static struct scenario_step steps[MAX_STEPS];
    char scenario[200];
    size_t count;
    snprintf(scenario, sizeof scenario, "%s --seed=%llu", want->scenario,
             (unsigned long long)(seed & 0xffffffff));
    struct profile *profile = scenario_open_steps(scenario, steps, MAX_STEPS, &count);
    struct arena *arena = arena_new(0);
    struct split *split = split_find(profile, arena);
    struct step_candidates found = candidates_find(profile, arena);
    if (split->count != want->count || (split->method == SPLIT_NONE) != !want->unit)
        fail_msg("%s: %s", scenario, split->text);
    assert_true((found.chosen < found.count) == (want->unit != NULL));
    for (size_t i = 0; i < found.count; i++) {
        const struct step_candidate *candidate = &found.items[i];
        bool is_step = strcmp(candidate->unit, "iteration") == 0;
        assert_true(is_step == (candidate->source < CANDIDATE_REPLAYS));
        // Splitting by the key of a candidate gives as many steps as the candidate states.
        struct split *other = split_by_candidate(profile, candidate, arena);
        if (!other->key_found || other->count != candidate->count ||
            strcmp(other->unit, candidate->unit) != 0)
            fail_msg("%s: %s: %s", scenario, candidate->key, other->text);
        assert_non_null(strstr(other->text, confidence_names[candidate->confidence]));
        assert_true(isnan(candidate->coverage) ||
                    (candidate->coverage >= 0 && candidate->coverage <= 1.0000001));
        assert_true(candidate->bar_count && candidate->bar_count <= CANDIDATE_BARS);
    }
    if (want->unit) {
        const struct step_candidate *chosen = &found.items[found.chosen];
        assert_string_equal(split->unit, want->unit);
        assert_int_equal(chosen->source, want->source);
        assert_int_equal(chosen->confidence, want->confidence);
        assert_int_equal(split->confidence, want->confidence);
        assert_int_equal(split->inner, want->inner);
        assert_int_equal(chosen->count, want->count);
        check_windows(scenario, profile, split, want->source == CANDIDATE_STEPS, steps, count);
    }
    arena_free(arena);
    profile_free(profile);
}

static void test_scenarios(void **state)
{
    (void)state;
    struct random random = {2026};
    size_t quick = run_is_quick() ? 3 : sizeof expected / sizeof *expected;
    int more = run_is_long() ? 12 : 0;
    for (size_t i = 0; i < quick; i++) {
        for (uint64_t seed = 1; seed <= 4; seed++)
            check_scenario(&expected[i], seed);
        for (int n = 0; n < more; n++)
            check_scenario(&expected[i], random_next(&random));
    }
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum step_role role;
    } cases[] = {
        {"forward", ROLE_FORWARD},
        {"model forward pass", ROLE_FORWARD},
        {"fast_forwarding", ROLE_NOTHING},
        {"loss.backward", ROLE_BACKWARD},
        {"DistributedDataParallel.forward", ROLE_FORWARD},
        {"Optimizer.step#AdamW.step", ROLE_OPTIMIZER},
        {"Optimizer.zero_grad#AdamW.zero_grad", ROLE_NOTHING},
        {"optimal path", ROLE_NOTHING},
        {"Warm-up Step *", ROLE_NOT_STEP},
        {"warmup", ROLE_NOT_STEP},
        {"validation_step", ROLE_NOT_STEP},
        {"evaluate", ROLE_NOT_STEP},
        {"interval", ROLE_NOTHING},
        {"micro_batch *", ROLE_MICRO},
        {"DataLoader.__next__", ROLE_INPUT},
        {"to_device", ROLE_INPUT},
        {"epoch *", ROLE_NOT_STEP},
        {"Epoch * step *", ROLE_NOTHING}, // a step of any epoch
        {"validation epoch 1 step 3/10", ROLE_NOT_STEP},
        {"", ROLE_NOTHING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (step_role_of(cases[i].text) != cases[i].role)
            fail_msg("%s has role %d", cases[i].text, step_role_of(cases[i].text));
}

// The number of a step family: the one directly after a step word, otherwise the last one.
static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *pattern; // NULL: no number
        int64_t number;
        bool is_step;
    } cases[] = {
        {"step 3/100", "step */100", 3, true},
        {"step 12 of 20", "step * of 20", 12, true},
        {"step 3 loss=0.31", "step * loss=*", 3, true},
        {"step 3: loss: -1.5e-05, lr=1e-4", "step *: loss: *, lr=*", 3, true},
        {"Epoch 0 step 3", "Epoch * step *", 3, true},
        {"epoch 1/10 - step 30/100", "epoch */10 - step */100", 30, true},
        {"train/step_3", "train/step_*", 3, true},
        {"Step[3]", "Step[*]", 3, true},
        {"TrainStep 3 (fp16)", "TrainStep * (fp16)", 3, true},
        {"it 3/100", "it */100", 3, true},
        {"it3/100", "it3/*", 100, false},
        {"Warm-up Step 3", "Warm-up Step *", 3, true},
        // Without a step word the last number counts.
        {"timestep 3", "timestep *", 3, false},
        {"timestep 3/100", "timestep 3/*", 100, false},
        {"footsteps 3 a 4", "footsteps 3 a *", 4, false},
        {"step_3_fwd", "step_*_fwd", 3, false},
        // Only the number of the step becomes *; the numbers of its parts stay.
        {"step 3 layer 5", "step * layer 5", 3, true},
        {"stage 2 step 3", "stage 2 step *", 3, true},
        {"step 3/2", "step */2", 3, true},
        // The pattern of a pattern is the pattern itself.
        {"Epoch * step */100 loss=*", "Epoch * step */100 loss=*", UNKNOWN, true},
        {"step", NULL, 0, false},
        {"step 99999999999999999999", NULL, 0, true},
        {"", NULL, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char pattern[NAME_LIMIT + 1];
        int64_t number;
        size_t length = strlen(cases[i].text), from, to;
        bool has_number = step_number_of(cases[i].text, length, pattern, &number);
        if (has_number != !!cases[i].pattern ||
            (has_number && (strcmp(pattern, cases[i].pattern) != 0 || number != cases[i].number)))
            fail_msg("%s is %lld of %s", cases[i].text, has_number ? (long long)number : -1,
                     has_number ? pattern : "nothing");
        assert_true(step_number_in(cases[i].text, length, &from, &to) == cases[i].is_step);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_scenarios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
