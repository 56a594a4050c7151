// SPDX-License-Identifier: Apache-2.0
// Checks comparisons on the screen: both sides are split alike and named correctly, and what is
// cached of the other profile is freed with it, even while jobs run.

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/report/memo.h"
#include "model/rules/rules.h"
#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/host.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/comparing.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/splits.h"
#include "ui/state/view.h"
#include "ui_screen.h"

// Side A is split like side B and keeps its own name; undo restores both.
static void test_both_sides_are_split_alike(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain"), *other = scenario_open("plain");
    struct error error = {0};
    struct app *app = app_on(profile, 160, 40);
    char path[] = "some/older.sqlite";
    assert_true(app_compare_with(app, other, path, &error));
    memset(path, 'x', sizeof path - 1); // the app must have copied the path
    press(app, "3");
    const struct split *split = host_baseline(app)->selection.split;
    char *before = picture(app);
    assert_non_null(strstr(before, "A: older.sqlite, set "));
    assert_string_equal(split->key, app->scope->split->key);
    char *key = strdup(split->key);
    assert_true(app_command_line(app, "key forward"));
    assert_non_null(host_baseline(app));
    split = host_baseline(app)->selection.split;
    assert_string_equal(split->key, app->scope->split->key);
    assert_string_not_equal(split->key, key);
    assert_int_equal(split->count, app->scope->split->count);
    press(app, "u");
    split = host_baseline(app)->selection.split;
    assert_string_equal(split->key, key);
    char *after = picture(app);
    assert_string_equal(screen_body(before), screen_body(after));
    press(app, "O j j Esc");
    char *restored = picture(app);
    assert_string_equal(screen_body(before), screen_body(restored));
    free(before), free(after), free(restored), free(key);
    // Side A keeps its steps after another split, and the screen names the split that made them.
    press(app, "b");
    assert_true(app_command_line(app, "key forward"));
    char *seen = picture(app);
    assert_non_null(strstr(seen, "A: before, set "));
    assert_non_null(strstr(seen, "iterations by range \"step N\""));
    free(seen);
    app_free(app);
    profile_free(profile);
}

// Figures of a whole capture are not called figures of a step.
static void test_figures_of_captures(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("serving"), *other = scenario_open("serving --seed=7");
    struct error error = {0};
    struct app *app = app_on(profile, 120, 40);
    assert_true(app_compare_with(app, other, "older.sqlite", &error));
    press(app, "1 Tab K");
    assert_true(shows(app, "rows add up to the capture"));
    press(app, "Esc");
    assert_true(app_command_line(app, "baseline")); // the profile itself
    assert_true(shows(app, "Nothing moved by a ten-thousandth of the capture."));
    app_free(app);
    profile_free(profile);
}

// Differences that make two captures hard to compare are reported at once.
static void test_differences_of_captures(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain"), *other = scenario_open("ddp --steps=4");
    struct error error = {0};
    struct app *app = app_on(profile, 120, 40);
    assert_true(app_compare_with(app, other, "older.sqlite", &error));
    assert_string_equal(app->messages->text, "A is the mean of 4 GPUs, B of 1");
    press(app, "4");
    assert_true(shows(app, "F: step by step beside A"));
    app_free(app);
    profile_free(profile);
}

// If the other run lacks the GPU, everything counts as new and a message gives the reason.
static void test_other_lacks_the_gpu(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("ddp --steps=4"), *other = scenario_open("plain");
    struct error error = {0};
    struct app *app = app_on(profile, 160, 40);
    assert_true(app_compare_with(app, other, "older.sqlite", &error));
    press(app, "3");
    assert_true(app_command_line(app, "scope gpu 0"));
    assert_false(shows(app, "has no such"));
    assert_true(app_command_line(app, "scope gpu 1"));
    assert_true(shows(app, "has no such GPU"));
    app_free(app);
    profile_free(profile);
}

// The memo of side A exists again after a reload, as background jobs read it.
static void test_memo_after_reload(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain"), *other = scenario_open("plain");
    struct error error = {0};
    struct app *app = app_on(profile, 120, 40);
    assert_true(app_compare_with(app, other, "older.sqlite", &error));
    assert_non_null(host_baseline(app)->selection.memo);
    assert_true(app_command_line(app, "reload"));
    assert_non_null(host_baseline(app)->selection.memo);
    app_free(app);
    profile_free(profile);
}

// Findings as rows show which of them the baseline lacks. Their views show rows of this profile,
// including the filter.
static void test_findings_as_rows(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct profile *other = scenario_open("demo --steps=4 --without=item");
    struct error error = {0};
    struct app *app = app_on(profile, 160, 40);
    assert_true(app_compare_with(app, other, "older.sqlite", &error));
    press(app, "5");
    assert_true(shows(app, "F: which are gone, which new"));
    press(app, "F");
    assert_true(shows(app, "new"));
    assert_true(app_command_line(app, "search cudaStreamSynchronize"));
    press(app, "Enter");
    assert_true(host_top_view(app)->is_evidence);
    assert_true(host_top_view(app)->report == host_top_view(app)->base);
    assert_true(host_top_view(app)->table.is_filter_from_link);
    press(app, "B");
    assert_true(host_top_view(app)->report != host_top_view(app)->base);
    press(app, "Esc F");
    assert_true(shows(app, "What "));
    app_free(app);
    profile_free(profile);
}

// Enter on the rows of the first screen opens what each panel announces.
static void test_panels_open(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    static const char *const wanted[] = {"idle_gaps", "devices", "launches", "ops"};
    bool is_seen[4] = {false};
    for (int tabs = 0; tabs < 9; tabs++) {
        struct app *app = app_on(profile, 200, 50);
        press(app, "1");
        for (int i = 0; i < tabs; i++)
            press(app, "Tab");
        press(app, "Enter");
        const struct view *view = host_top_view(app);
        for (size_t w = 0; w < 4 && view->report; w++)
            is_seen[w] |= strcmp(view->report->name, wanted[w]) == 0;
        app_free(app);
    }
    for (size_t w = 0; w < 4; w++)
        if (!is_seen[w])
            fail_msg("no panel opens %s", wanted[w]);
    profile_free(profile);
}

// Steps as rows: each is paired with a step of side A if there is one; Enter opens the step of side
// B.
static void test_steps_as_rows(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 120, 40);
    press(app, "4 F");
    assert_true(shows(app, "F5 ms/%/rows")); // bars with shares
    press(app, "l l F");                     // switches back and forth on the same step
    assert_true(shows(app, "Iterations, rows"));
    press(app, "Enter");
    assert_true(shows(app, "› step 2"));
    press(app, "Esc k F");
    assert_int_equal(app->places->step, 1);
    assert_true(shows(app, "F5 ms/%/rows"));
    assert_true(app_command_line(app, "set 1-2"));
    press(app, "b");
    assert_true(app_command_line(app, "set 2-4"));
    assert_true(shows(app, "F: step by step beside A"));
    press(app, "F");
    assert_true(shows(app, "1 -> 2"));
    assert_true(shows(app, "2 -> 3"));
    assert_true(shows(app, "step by step"));
    press(app, "Enter"); // the row of all steps
    assert_true(shows(app, "step by step"));
    press(app, "j Enter");
    assert_true(shows(app, "B: set 2 = 1 of"));
    assert_true(shows(app, "step 2"));
    app_free(app);
    profile_free(profile);
}

// Selects sets one after the other, one frame each, in views that do not wait for findings.
static void visit_views(struct app *app, char **pictures)
{
    static const char *const sets[] = {"set 1-2", "set 2-4", "all"};
    static const char *const keys[] = {"2", "3", "7"};
    for (size_t i = 0; i < 9; i++) {
        assert_true(app_command_line(app, sets[i % 3]));
        press(app, keys[i / 3]);
        app_run_memo_queue(app);
        char *now = picture(app);
        if (pictures && pictures[i])
            assert_string_equal(screen_body(pictures[i]), screen_body(now));
        if (pictures && !pictures[i])
            pictures[i] = now;
        else
            free(now);
    }
}

// Caching the other profile changes no figure, and the cache is freed with it, even during a job.
static void test_other_side_is_cached(void **state)
{
    (void)state;
    struct error error = {0};
    char *pictures[9] = {NULL};
    for (int round = 0; round < 6; round++) {
        struct profile *profile = scenario_open("plain"), *other = scenario_open("plain --seed=7");
        struct app *app = app_on(profile, 140, 40);
        app->is_live = true; // uses threads
        assert_true(app_compare_with(app, other, "older.sqlite", &error));
        visit_views(app, pictures);
        while (round == 0 && memo_bytes(app->comparing->memo) == 0) {
            const struct timespec moment = {.tv_nsec = 1000000};
            nanosleep(&moment, NULL);
            app_run_memo_queue(app);
        }
        visit_views(app, pictures);
        if (round == 1)
            assert_true(app_command_line(app, "key forward")); // splits both sides anew
        if (round == 2) {
            app_key(app, 'r'); // cached values depend on the former rules
            visit_views(app, pictures);
        }
        if (round == 3) {
            press(app, "O j j j");
            app_run_memo_queue(app);
            press(app, "Esc");
            visit_views(app, NULL);
        }
        if (round == 4) {
            assert_true(app_command_line(app, "baseline off"));
            assert_null(app->comparing->memo);
        }
        app_run_memo_queue(app);
        app_free(app); // while a job is running
        profile_free(profile);
    }
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        free(pictures[i]);
    rules_use_builtin();
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_sides_are_split_alike),
        cmocka_unit_test(test_steps_as_rows),
        cmocka_unit_test(test_panels_open),
        cmocka_unit_test(test_figures_of_captures),
        cmocka_unit_test(test_differences_of_captures),
        cmocka_unit_test(test_other_lacks_the_gpu),
        cmocka_unit_test(test_memo_after_reload),
        cmocka_unit_test(test_findings_as_rows),
        cmocka_unit_test(test_other_side_is_cached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
