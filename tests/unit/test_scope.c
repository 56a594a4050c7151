// SPDX-License-Identifier: Apache-2.0
// Checks which host activity belongs to a selected GPU.
#include "analysis/reports/report_list.h"
#include "property.h"

#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/report/report.h"
#include "model/profile/loader.h"
#include "model/steps/split.h"
#include "scenario.h"

struct counts {
    uint32_t ranges, launches, others; // CUDA calls with and without GPU work
};

static struct counts count(const struct profile *profile, uint32_t device)
{
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    selection.device = device;
    struct counts counts = {0};
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        counts.ranges += selection_has_range(profile, &selection, r);
    for (uint32_t a = 0; a < profile->api.count; a++) {
        bool launches = AT(profile->api.first_work, a) < AT(profile->api.first_work, a + 1);
        bool counts_in = selection_has_api(profile, &selection, a);
        counts.launches += launches && counts_in;
        counts.others += !launches && counts_in;
    }
    arena_free(arena);
    return counts;
}

// Four processes with a GPU each: the GPUs divide the host's activity completely.
static void test_a_process_for_each_gpu(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("ddp --steps=3");
    struct counts all = count(profile, ROW_NONE), sum = {0};
    assert_int_equal(profile->device_count, 4);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        struct counts part = count(profile, d);
        assert_in_range(part.ranges, 1, all.ranges - 1);
        sum.ranges += part.ranges;
        sum.launches += part.launches;
        sum.others += part.others;
    }
    assert_int_equal(sum.ranges, all.ranges);
    assert_int_equal(sum.launches, all.launches);
    assert_int_equal(sum.others, all.others);
    profile_free(profile);
}

// One process with four GPUs: a launch belongs to its GPU, the other calls belong to each GPU.
static void test_a_process_of_several(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("oneproc4gpu");
    struct counts all = count(profile, ROW_NONE);
    uint32_t launches = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        struct counts part = count(profile, d);
        assert_int_equal(part.ranges, all.ranges);
        assert_int_equal(part.others, all.others);
        launches += part.launches;
    }
    assert_true(all.others > 0);
    assert_int_equal(launches, all.launches);
    profile_free(profile);
}

static const struct finding *find(const struct finding_list *list, const char *id)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].detector->id, id) == 0)
            return &list->items[i];
    return NULL;
}

// A selected GPU and a process without work on it: the result must not be called clean, as no work
// was examined.
static void test_nothing_selected(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("ddp --steps=3");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    uint32_t other = 0;
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (work_device(profile, w) != 0)
            other = work_process(profile, w);
    selection.process = other;
    struct finding_list list = expert_run(profile, &selection, arena);
    bool is_judged;
    expert_empty_text(profile, &list, &is_judged);
    assert_true(is_judged);
    selection.device = 0;
    list = expert_run(profile, &selection, arena);
    assert_non_null(strstr(expert_empty_text(profile, &list, &is_judged), "what is selected"));
    assert_false(is_judged);
    const struct finding *finding = find(&list, "sync_drain");
    assert_non_null(finding);
    assert_int_equal(finding->severity, SEVERITY_NOT_JUDGED);
    assert_null(finding->flag); // another capture would not help
    struct rows rows = report_find("expert")->build(profile, &selection, arena);
    assert_null(strstr(rows.caption, "clean"));
    arena_free(arena);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_process_for_each_gpu),
        cmocka_unit_test(test_a_process_of_several),
        cmocka_unit_test(test_nothing_selected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
