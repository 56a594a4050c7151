// SPDX-License-Identifier: Apache-2.0
// The one-page report: its headings say of what its figures are.
#include <string.h>

#include "property.h"

#include "analysis/report.h"
#include "model/loader.h"
#include "scenario.h"

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
    has(text,
        "## Where GPU time goes, total of all 4 iterations and what is outside, all 4 GPUs\n");
    has(text, "## Kernels, total of all 4 iterations and what is outside, all 4 GPUs\n");
    bool *members = ARENA_ARRAY(arena, bool, selection.split->count);
    members[1] = members[2] = true;
    selection.iterations = members;
    selection.device = 1;
    text = page_text(profile, &selection, arena);
    has(text, " in 2 of 4 iterations, GPU 1\n");
    has(text, "## Where GPU time goes, total of 2 of 4 iterations, GPU 1\n");
    has(text, "## Kernels, total of 2 of 4 iterations, GPU 1\n");
    assert_null(strstr(text, "mean of"));
    selection.device = ROW_NONE;
    selection.process = profile->streams[0].process; // each has a GPU of its own
    text = page_text(profile, &selection, arena);
    has(text, arena_format(arena, "## Kernels, total of 2 of 4 iterations, process %u\n",
                           profile->processes[selection.process].pid));
    arena_free(arena);
    profile_free(profile);
}

static void the_whole_of_a_run_without_steps(void **state)
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
        cmocka_unit_test(the_whole_of_a_run_without_steps),
    };
    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
