// SPDX-License-Identifier: Apache-2.0
// Checks the number of parts that a sum is divided by, for one process with four GPUs and for one
// process per GPU.
#include "property.h"

#include "analysis/report/selection_parts.h"
#include "model/profile/loader.h"
#include "scenario.h"

static void assert_parts(const struct profile *profile, const struct selection *selection,
                         double gpu, const char *gpu_name, double host, const char *host_name)
{
    struct sum_parts parts = selection_parts(profile, selection);
    assert_true(parts.gpu == gpu && parts.host == host);
    assert_string_equal(parts.gpu_name, gpu_name);
    assert_string_equal(parts.host_name, host_name);
}

static void test_one_process(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("oneproc4gpu --steps=3");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    assert_int_equal(selection_device_count(profile, &selection), 4);
    assert_parts(profile, &selection, 12, "step and GPU", 3, "step");
    const bool last[] = {false, false, true};
    selection.iterations = last;
    assert_parts(profile, &selection, 4, "GPU", 1, "step");
    selection.device = 2;
    assert_int_equal(selection_device_count(profile, &selection), 1);
    assert_parts(profile, &selection, 1, "step", 1, "step");
    const bool none[] = {false, false, false}; // an empty set is not divided
    selection.iterations = none;
    assert_parts(profile, &selection, 1, "step", 1, "step");
    arena_free(arena);
    profile_free(profile);
}

static void test_a_process_per_gpu(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("ddp --steps=3");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    uint32_t gpus = selection_device_count(profile, &selection);
    assert_true(gpus > 1);
    assert_parts(profile, &selection, 3.0 * gpus, "step and GPU", 3.0 * gpus, "step and process");
    for (uint32_t p = 0; p < profile->process_count; p++) {
        selection.process = p;
        if (profile->processes[p].gpus == PROCESS_ONE_GPU)
            assert_parts(profile, &selection, 3, "step", 3, "step");
    }
    selection.process = ROW_NONE;
    selection.device = 1;
    assert_parts(profile, &selection, 3, "step", 3, "step");
    arena_free(arena);
    profile_free(profile);
}

// Eight processes with 21 to 24 steps: the last steps are those of fewer GPUs.
static void test_unequal_steps(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("loop-8gpu-unequal");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    assert_parts(profile, &selection, 180, "step and GPU", 180, "step and process");
    assert_int_equal(selection_step_gpus(profile, &selection, 20), 8);
    assert_int_equal(selection_step_gpus(profile, &selection, 23), 2);
    const bool last[24] = {[23] = true};
    selection.iterations = last;
    assert_parts(profile, &selection, 2, "GPU", 2, "process");
    selection.iterations = NULL;
    double sum = 0;
    for (uint32_t p = 0; p < profile->process_count; p++) {
        selection.process = p;
        sum += selection_parts(profile, &selection).gpu;
    }
    assert_true(sum == 180);
    selection.process = ROW_NONE;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        selection.device = d;
        sum -= selection_parts(profile, &selection).gpu;
    }
    assert_true(sum == 0);
    arena_free(arena);
    profile_free(profile);
}

// A GPU all of whose work is outside of the steps has no step.
static void test_idle_gpus(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("hostile");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    assert_int_equal(selection_device_count(profile, &selection), 3);
    assert_true(selection_parts(profile, &selection).gpu == 3);
    arena_free(arena);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_process),
        cmocka_unit_test(test_a_process_per_gpu),
        cmocka_unit_test(test_unequal_steps),
        cmocka_unit_test(test_idle_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
