// SPDX-License-Identifier: Apache-2.0
// Checks how equal launches compare between GPUs (gpu_speed.h), and the pace that the `shapes`
// report shows.
#include <stdlib.h>
#include <string.h>

#include "analysis/reports/report_list.h"
#include "property.h"

#include "analysis/detect/gpu_speed.h"
#include "analysis/report/report.h"
#include "model/profile/loader.h"
#include "scenario.h"

static void test_pace(void **state)
{
    (void)state;
    enum { OWN = 1, GPUS = 4 };
    struct arena *arena = arena_new(0);
    struct gpu_speeds speeds = gpu_speed_begin(OWN, GPUS, 3, arena);
    gpu_speed_add(&speeds, 0, 0, 0, 2, 200); // mean of 100 in two parts
    gpu_speed_add(&speeds, 0, 0, 1, 1, 100);
    gpu_speed_add(&speeds, 1, 0, 0, 2, 20); // too few to compare
    gpu_speed_add(&speeds, 0, OWN, 0, 4, 1200);
    gpu_speed_add(&speeds, 1, OWN, 0, 5, 50);
    gpu_speed_add(&speeds, 0, 2, 0, 1, 500);
    gpu_speed_add(&speeds, 0, 2, 1, 2, 700); // mean of 400
    gpu_speed_add(&speeds, 2, 3, 0, 9, 900); // none of it ran on GPU 0
    struct gpu_speed speed = gpu_speed_of(&speeds, 0, GPU_SPEED_ALL);
    assert_true(speed.own == 300 && speed.total_ns == 1200);
    assert_true(speed.others == 250); // mean of the two
    assert_true(speed.ratio == 300.0 / 250);
    assert_true(gpu_speed_of(&speeds, 0, 0).ratio == 0); // in a single part the others have too few
    assert_true(gpu_speed_of(&speeds, 1, GPU_SPEED_ALL).ratio == 0);
    assert_true(gpu_speed_of(&speeds, 2, GPU_SPEED_ALL).own == 0);
    arena_free(arena);
}

// Returns a figure of a row of `shapes` with one GPU selected.
static double figure_on(const struct profile *profile, struct selection selection, uint32_t device,
                        uint64_t id, const char *key, struct arena *arena)
{
    const struct report *shapes = report_find("shapes");
    selection.device = device;
    struct rows rows = shapes->build(profile, &selection, arena);
    for (size_t i = 0; i < rows.count; i++)
        if (shapes->id(report_row(shapes, &rows, i)) == id)
            return report_column(shapes, key)->get(report_row(shapes, &rows, i)).real;
    fail_msg("no such row on GPU %u", device);
    return 0;
}

// The value for the other GPUs equals what these GPUs show themselves.
static void test_shapes(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("ddp --steps=3");
    struct arena *arena = arena_new(0);
    const struct split *split = split_find(profile, arena);
    const struct report *shapes = report_find("shapes");
    struct selection selection = selection_all(split);
    selection.names = NAME_FULL;
    struct rows rows = shapes->build(profile, &selection, arena);
    const struct column *total = report_column(shapes, "gpu_total");
    const void *most = NULL; // compute row with the largest total
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(shapes, &rows, i);
        bool is_compute = strcmp(report_column(shapes, "class")->get(row).text, "compute") == 0;
        // needs a selected GPU
        assert_int_equal(report_column(shapes, "pace")->get(row).kind, VALUE_NONE);
        // not one per GPU
        assert_int_equal(report_column(shapes, "names")->get(row).integer, 1);
        if (is_compute && (!most || total->get(row).integer > total->get(most).integer))
            most = row;
    }
    double mean[4], ordered[3];
    assert_int_equal(profile->device_count, 4);
    for (uint32_t d = 0; d < 4; d++)
        mean[d] = figure_on(profile, selection, d, shapes->id(most), "gpu_avg", arena);
    for (uint32_t d = 0; d < 4; d++) {
        size_t count = 0;
        for (uint32_t o = 0; o < 4; o++) {
            size_t at = count;
            if (o == d)
                continue;
            for (count++; at > 0 && ordered[at - 1] > mean[o]; at--)
                ordered[at] = ordered[at - 1];
            ordered[at] = mean[o];
        }
        assert_true(figure_on(profile, selection, d, shapes->id(most), "others", arena) ==
                    ordered[1]);
        assert_true(figure_on(profile, selection, d, shapes->id(most), "pace", arena) ==
                    mean[d] / ordered[1]);
    }
    arena_free(arena);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pace),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
