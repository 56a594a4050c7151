// SPDX-License-Identifier: Apache-2.0
// Checks planted problems (plants.h): each is the first finding, its bound contains its cost, and
// neither its twin nor healthy training has the finding.
//     DLPROF_PLANT_TABLE=1    prints the table of docs/plants.md
//     DLPROF_PLANT="item loader" DLPROF_PLANT_TABLE=1    only these plants
#include "property.h"

#include <stdio.h>
#include <string.h>

#include "file_text.h"
#include "paths.h"
#include "plants.h"

static struct plant plants[PLANTS_MAX];
static size_t plant_count;

static unsigned seeds(void)
{
    return run_is_long() ? 10 : 1;
}

static unsigned first_seed(void)
{
    const char *given = getenv("DLPROF_SEED");
    return given ? (unsigned)strtoul(given, NULL, 10) % 1000000 : 1;
}

static void test_plant(void **state)
{
    const struct plant *plant = *state;
    unsigned last = first_seed() + seeds();
    // A long run judges each plant under every condition. A normal run judges it as it is and under
    // one other condition, which differs from plant to plant.
    bool is_long = run_is_long(), is_quick = run_is_quick();
    int more = 1 + (int)((size_t)(plant - plants) % (PLANT_CONDITIONS - 1));
    char report[600];
    for (unsigned seed = first_seed(); seed < last; seed++) {
        bool is_right = true;
        for (int c = 0; c < PLANT_CONDITIONS; c++) {
            if (c > 0 && !is_long && (is_quick || c != more))
                continue;
            struct plant_result result = plant_judge(plant, (enum plant_condition)c, seed);
            if (result.verdict == PLANT_WRONG || (c == 0 && result.verdict != PLANT_FOUND)) {
                print_message("# %s %s, seed %u: %s: %s\n", plant->name, plant_conditions[c], seed,
                              plant_verdicts[result.verdict], result.wrong);
                is_right = false;
            }
        }
        if (*plant->twin && !plant_twin_is_silent(plant, seed, report, sizeof report)) {
            print_message("# %s:twin (%s), seed %u: %s\n", plant->name, plant->twin, seed, report);
            is_right = false;
        }
        assert_true(is_right);
    }
}

static void test_healthy(void **state)
{
    (void)state;
    char report[600];
    for (size_t i = 0; i < plant_healthy_count && (i < 1 || !run_is_quick()); i++)
        if (!plant_is_silent(plant_healthy[i], report, sizeof report))
            fail_msg("%s: %s", plant_healthy[i], report);
}

static void test_mixtures(void **state)
{
    (void)state;
    char report[1000];
    bool is_right = true;
    for (size_t i = 0; i < plant_mixture_count && (i < 1 || !run_is_quick()); i++)
        if (!plant_mixture(plants, plant_count, plant_mixtures[i], 1, report, sizeof report)) {
            print_message("# %s: %s\n", plant_mixtures[i], report);
            is_right = false;
        }
    assert_true(is_right);
}

// ---- the table --------------------------------------------------------------------------------

static const char intro[] =
    "# Planted problems\n\n"
    "Made by `test_plants --table` (`./dev docs`; `./dev bench plants` prints it). Each problem is "
    "planted into\nthe generator's healthy training; what it costs is the step with it less the "
    "step of the same seed\nwithout it (of launches by the thousand, graphs, a pipeline, tiny "
    "grids and tiles: "
    "less its twin's, which does\nthe same work well). The expert must name it first, and what can "
    "be gained at "
    "most must hold that cost. The\nlast columns: the same without NVTX ranges, with the passes in "
    "a CUDA graph traced node by node, on\nfour ranks; and a healthy twin that looks alike, about "
    "which nothing is said.\n\n";

static void print_table(void)
{
    fputs(intro, stdout);
    printf(
        "| planted | found by | step ms | costs ms | at most ms | no NVTX | in a graph | 4 ranks "
        "| twin, silent |\n|---|---|---:|---:|---:|---|---|---|---|\n");
    const char *only = getenv("DLPROF_PLANT");
    for (size_t i = 0; i < plant_count; i++) {
        const struct plant *plant = &plants[i];
        if (only && !strstr(only, plant->name))
            continue;
        struct plant_result results[PLANT_CONDITIONS];
        char report[600];
        for (int c = 0; c < PLANT_CONDITIONS; c++)
            results[c] = plant_judge(plant, (enum plant_condition)c, first_seed());
        bool is_silent =
            !*plant->twin || plant_twin_is_silent(plant, first_seed(), report, sizeof report);
        printf("| %s | %s%s | %.1f | %.1f | %.1f | %s | %s | %s | %s%s |\n", plant->description,
               plant->detector, results[0].verdict == PLANT_FOUND ? "" : " WRONG",
               results[0].step_ms, results[0].cost_ms, results[0].bound_ms,
               plant_verdicts[results[PLANT_NO_RANGES].verdict],
               plant_verdicts[results[PLANT_GRAPHS].verdict],
               plant_verdicts[results[PLANT_RANKS].verdict], *plant->twin ? plant->twin : "-",
               is_silent ? "" : " WRONG");
        fflush(stdout);
        for (int c = 0; c < PLANT_CONDITIONS; c++)
            if (results[c].verdict == PLANT_WRONG)
                fprintf(stderr, "%s %s: %s\n", plant->name, plant_conditions[c], results[c].wrong);
        if (!is_silent)
            fprintf(stderr, "%s:twin: %s\n", plant->name, report);
    }
}

// The document must list every plant; its figures are from the day it was generated.
static void test_document(void **state)
{
    (void)state;
    char *text = file_read(source_path("/docs/plants.md"));
    assert_null(strstr(text, "WRONG"));
    for (size_t i = 0; i < plant_count; i++) {
        char row[300];
        snprintf(row, sizeof row, "| %s | %s |", plants[i].description, plants[i].detector);
        if (!strstr(text, row))
            fail_msg("docs/plants.md lacks \"%s\": ./dev docs renews it", row);
    }
    free(text);
}

int main(void)
{
    plant_count = plants_list(plants);
    if (plant_count == 0) {
        print_message("# skipped: no generator (DLPROF_GEN)\n");
        return 77;
    }
    if (getenv("DLPROF_PLANT_TABLE")) {
        print_table();
        return 0;
    }
    struct CMUnitTest tests[PLANTS_MAX + 3] = {cmocka_unit_test(test_document),
                                               cmocka_unit_test(test_healthy),
                                               cmocka_unit_test(test_mixtures)};
    size_t test_count = 3;
    for (size_t i = 0; i < plant_count; i += run_is_quick() ? 8 : 1)
        tests[test_count++] =
            (struct CMUnitTest){plants[i].name, test_plant, NULL, NULL, &plants[i]};
    for (size_t i = test_count; i < PLANTS_MAX + 3; i++)
        tests[i] = tests[0];
    return _cmocka_run_group_tests("plants", tests, test_count, NULL, NULL);
}
