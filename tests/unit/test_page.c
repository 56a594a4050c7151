// SPDX-License-Identifier: Apache-2.0
// Checks the one-page report: its headings state what its figures cover.
#include <string.h>

#include "property.h"

#include "analysis/detectors/expert.h"
#include "analysis/report/report.h"
#include "analysis/report/selection_parts.h"
#include "analysis/reports/report_list.h"
#include "model/profile/loader.h"
#include "scenario.h"

REPORT_DECLARE(layers);

static const char *page_text(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    const struct report *report = report_find("report");
    struct rows rows = report->build(profile, selection, arena);
    const char *text = "";
    for (size_t i = 0; i < rows.count; i++)
        text = arena_format(arena, "%s%s\n", text,
                            report->columns[0].get(report_row(report, &rows, i)).text);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in\n%s", part, text);
}

static void headings_follow_the_selection(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    const char *text = page_text(profile, &selection, arena);
    assert_int_equal(selection.split->count, 4);
    has(text, " in all 4 iterations and what is outside, mean of 4 GPUs\n");
    has(text, "## Where GPU time goes, per step and GPU, of all 4 iterations and what is outside, "
              "all 4 GPUs\n");
    has(text, "## Kernels, per step and GPU, of all 4 iterations and what is outside, all 4 "
              "GPUs\n");
    bool *members = ARENA_ARRAY(arena, bool, selection.split->count);
    members[1] = members[2] = true;
    selection.iterations = members;
    selection.device = 1;
    text = page_text(profile, &selection, arena);
    has(text, " in 2 of 4 iterations, GPU 1\n");
    has(text, "## Where GPU time goes, per step, of 2 of 4 iterations, GPU 1\n");
    has(text, "## Kernels, per step, of 2 of 4 iterations, GPU 1\n");
    assert_null(strstr(text, "mean of"));
    selection.device = ROW_NONE;
    selection.process = profile->streams[0].process; // each process has a GPU of its own
    text = page_text(profile, &selection, arena);
    has(text, arena_format(arena, "## Kernels, per step, of 2 of 4 iterations, process %u\n",
                           profile->processes[selection.process].pid));
    arena_free(arena);
    profile_free(profile);
}

// The page shows the figures of the screen: the same numbering of findings, and sums per step and
// GPU.
static void figures_equal_the_screen(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    struct sum_parts parts = selection_parts(profile, &selection);
    const char *text = page_text(profile, &selection, arena);
    struct finding_list findings = expert_run(profile, &selection, arena);
    bool has_source = false;
    for (size_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        size_t number = expert_number(&findings, finding);
        if (number && finding->severity == SEVERITY_WARNING)
            has(text, arena_format(arena, "\n%zu. at most", number));
        if (finding->detector->is_about_capture)
            has(text, "\n- (note) ");
        if (number && finding->source) {
            has_source = true;
            has(text,
                arena_format(arena, "%.*s", (int)strcspn(finding->source, "_"), finding->source));
        }
    }
    assert_true(has_source);
    struct rows rows = report_layers.build(profile, &selection, arena);
    const struct column *column = report_column(&report_layers, "gpu");
    const uint32_t *order = report_order(&report_layers, &rows, arena);
    const void *first = report_row(&report_layers, &rows, order ? order[0] : 0);
    struct value each = value_per_step(column, column->get(first), &parts);
    has(text, arena_format(arena, "| %s |", value_display_text(column, each, true, arena)));
    arena_free(arena);
    profile_free(profile);
}

static void whole_run_without_steps(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("none");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    has(page_text(profile, &selection, arena), ", total of the whole capture");
    arena_free(arena);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headings_follow_the_selection),
        cmocka_unit_test(whole_run_without_steps),
        cmocka_unit_test(figures_equal_the_screen),
    };
    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
