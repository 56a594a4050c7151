// SPDX-License-Identifier: Apache-2.0
// Checks the screens about steps: candidates that split the run anew, charts with thousands of
// bars, and GPUs side by side.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/detectors/expert.h"
#include "model/profile/loader.h"
#include "model/steps/step_candidates.h"
#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/host.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/findings.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/splits.h"
#include "ui/state/steps.h"
#include "ui/state/undo.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/views/steps_chart.h"
#include "ui_screen.h"

// After any preview Esc restores split, set, cursor and screen, and leaves no undo step.
static void test_candidates_are_reverted(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "4 l l x l");
    char *before = picture(app);
    struct scope scope = *app->scope;
    size_t undo = app->undo->at, splits = app->splits->count;
    static const char *const closings[] = {"Esc", "Backspace", "q", "O", "C-c"};
    for (size_t c = 0; c < sizeof closings / sizeof *closings; c++) {
        press(app, "O");
        assert_true(app->candidates->is_open);
        size_t rows = app->candidates->found.count;
        assert_true(rows > 3);
        for (size_t i = 0; i <= rows; i++) {
            press(app, "j");
            assert_true(app->splits->count <= splits + 1);
        }
        press(app, closings[c]);
        assert_false(app->candidates->is_open);
        assert_memory_equal(app->scope, &scope, sizeof scope);
        assert_int_equal(app->undo->at, undo);
        assert_int_equal(app->splits->count, splits);
        char *after = picture(app);
        assert_string_equal(screen_body(after), screen_body(before));
        free(after);
    }
    // Going back over the former split restores the set too.
    press(app, "O j k");
    assert_memory_equal(app->scope, &scope, sizeof scope);
    app_command_line(app, "view kernels"); // a command closes the list
    assert_false(app->candidates->is_open);
    assert_memory_equal(app->scope, &scope, sizeof scope);
    free(before);
    app_free(app);
    profile_free(profile);
}

// A preview computes no findings: the former ones are shown until a candidate is chosen.
static void test_candidates_compute_no_findings(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    app->is_live = true;
    host_findings(app);
    while (app->findings->job && !app_findings_arrived(app))
        ;
    const struct finding *items = host_findings(app)->items;
    assert_non_null(items);
    press(app, "O j j j j j");
    assert_null(app->findings->job);
    assert_ptr_equal(host_findings(app)->items, items);
    assert_true(host_findings_pending(app));
    press(app, "Enter");
    while (app->findings->job && !app_findings_arrived(app))
        ;
    assert_false(host_findings_pending(app));
    assert_ptr_equal(app->findings->split, app->scope->split);
    app_free(app);
    profile_free(profile);
}

// A line below the list shows the full name if the row cut it. Until a candidate is chosen, the
// screen does not say that findings are pending.
static void test_candidates_show_full_names(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 60, 30);
    app->is_live = true;
    press(app, "5 O");
    size_t named = 0;
    assert_false(app->candidates->is_original_extra); // the list has candidates only
    for (press(app, "g"); app->candidates->cursor + 1 < app->candidates->found.count;
         press(app, "j")) {
        const char *text = app->candidates->found.items[app->candidates->cursor].text;
        size_t length = strlen(text); // too long for the row but not for the line below
        if (length > 32 && length < 50)
            named += shows(app, text) ? 1 : 100;
    }
    assert_in_range(named, 1, 99);
    assert_true(shows(app, "as before: judged anew once one is taken"));
    assert_false(shows(app, "being worked out"));
    app_free(app);
    profile_free(profile);
}

static void test_candidate_is_one_change(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 80, 24);
    press(app, "4 l x");
    struct scope scope = *app->scope;
    size_t undo = app->undo->at;
    // Previews and chooses more splits than are kept, one after the other, while the former ones
    // are still in use.
    for (size_t i = 0; i < MAX_SPLITS + 4; i++) {
        press(app, "O g j j j");
        const struct split *seen = app->scope->split;
        press(app, "Enter");
        assert_false(app->candidates->is_open);
        assert_ptr_equal(app->scope->split, seen);
        assert_true(app->splits->count <= MAX_SPLITS);
        if (i == 0)
            assert_int_equal(app->undo->at, undo + 1);
        press(app, "u");
        if (i == 0)
            assert_memory_equal(app->scope, &scope, sizeof scope);
        press(app, "C-r O G Enter");
    }
    // Choosing the current split has no effect.
    undo = app->undo->at;
    press(app, "O Enter");
    assert_int_equal(app->undo->at, undo);
    app_free(app);
    profile_free(profile);
}

// Without steps the parts are named after their kind, and their confidence is shown.
static void test_candidates_without_steps(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("serving");
    struct app *app = app_on(profile, 100, 30);
    press(app, "4 O");
    for (size_t i = 0; i < app->candidates->found.count; i++) {
        press(app, i == 0 ? "g j" : "j"); // after the row of the current split
        const struct step_candidate *candidate = &app->candidates->found.items[i];
        assert_true(shows(app, candidate->unit));
        if (candidate->source == CANDIDATE_SLICES) {
            assert_string_equal(app->scope->split->unit, "slice");
            assert_true(shows(app, "Slice 0: "));
            assert_false(shows(app, "Step 0"));
        }
    }
    press(app, "Esc 3 O j 4");
    assert_true(app->candidates->is_open); // another view under the list
    assert_ptr_equal(host_top_view(app)->class, &view_iterations);
    app_free(app);
    profile_free(profile);
}

// After a new stage of the profile, or on a tiny screen, no part of the list remains on the screen,
// and drawing stays in bounds.
static void test_candidates_at_any_size(void **state)
{
    if (run_is_quick())
        skip();
    (void)state;
    struct profile *profile = scenario_open("ddp --steps=3");
    struct app *app = app_on(profile, 200, 50);
    for (int width = 1; width < 210; width += 13)
        for (int height = 1; height < 60; height += 7) {
            assert_true(canvas_resize(app->canvas, width, height, NULL));
            press(app, "O j G k");
            app_click(app, width / 2, height - 4);
            app_draw(app);
            press(app, "Esc");
        }
    press(app, "O j");
    struct error error = {0};
    assert_true(app_show_profile(app, profile, &error));
    assert_false(app->candidates->is_open);
    app_draw(app);
    app_free(app);
    profile_free(profile);
}

// A click on a row previews it, another click chooses it.
static void test_candidates_by_mouse(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 80, 24);
    press(app, "4 O");
    const struct split *before = app->scope->split;
    int first = 24 - 2 - (int)app->candidates->page - 1;
    app_click(app, 10, first + 1);
    assert_int_equal(app->candidates->cursor, 1);
    assert_ptr_not_equal(app->scope->split, before);
    app_click(app, 10, first + 1);
    assert_false(app->candidates->is_open);
    assert_ptr_not_equal(app->scope->split, before);
    press(app, "u O");
    app_click(app, 10, 5); // outside the list
    assert_false(app->candidates->is_open);
    assert_ptr_equal(app->scope->split, before);
    app_free(app);
    profile_free(profile);
}

static void test_thousands_of_steps(void **state)
{
    if (run_is_quick())
        skip();
    (void)state;
    struct profile *profile = scenario_open("tiny --steps=1200");
    struct app *app = app_on(profile, 100, 30);
    press(app, "4");
    uint32_t count = app->scope->split->count;
    if (count < 1000)
        skip();
    assert_true(shows(app, "a bar is the median of"));
    // Every bar can be reached, and the cursor is then on its longest step.
    uint32_t bars = 1, former = app->places->step;
    for (press(app, "l"); app->places->step != former && bars < count; bars++) {
        assert_true(app->places->step > former);
        former = app->places->step;
        press(app, "l");
    }
    assert_in_range(bars, 45, 90);
    press(app, "+ +");
    assert_true(shows(app, "shown"));
    for (int i = 0; i < 40; i++)
        press(app, "+");
    assert_false(shows(app, "a bar is the median of"));
    press(app, "h h h g G");
    assert_int_equal(app->places->step, count - 1);
    for (int i = 0; i < 40; i++)
        press(app, "-");
    assert_true(shows(app, "a bar is the median of"));
    app_free(app);
    profile_free(profile);
}

static void test_chart_scrolls_with_the_cursor(void **state)
{
    if (run_is_quick())
        skip();
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    uint32_t all = app_steps(app)->count, first = 0, count = 0;
    assert_int_equal(all, 8);
    unsigned zoom = 9; // limited so that four bars remain
    app->places->step = 5;
    steps_chart_scroll(app, &zoom, &first, &count);
    assert_int_equal(zoom, 1);
    assert_int_equal(count, 4);
    assert_int_equal(first, 2);
    app->places->step = 0;
    steps_chart_scroll(app, &zoom, &first, &count);
    assert_int_equal(first, 0);
    first = 7, zoom = 0;
    steps_chart_scroll(app, &zoom, &first, &count);
    assert_int_equal(first, 0);
    assert_int_equal(count, all);
    app_free(app);
    profile_free(profile);
}

static void test_gpus_side_by_side(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("oneproc4gpu");
    struct app *app = app_on(profile, 100, 30);
    press(app, "4 S");
    for (int64_t gpu = 0; gpu < 4; gpu++) {
        char words[40];
        snprintf(words, sizeof words, "GPU %d  median", (int)gpu);
        assert_true(shows(app, words));
    }
    // The other chart shows the means of these.
    const struct steps *steps = app_steps_by_device(app);
    for (uint32_t i = 0; i < steps->count; i++) {
        int64_t sum = 0, known = 0;
        for (uint32_t d = 0; d < steps->device_count; d++) {
            if (!steps->devices[d].parts || steps->devices[d].duration_ns[i] == UNKNOWN)
                continue;
            sum += steps->devices[d].duration_ns[i];
            known++;
        }
        if (known)
            assert_int_equal(steps->duration_ns[i], sum / known);
    }
    assert_true(canvas_resize(app->canvas, 40, 12, NULL));
    assert_true(shows(app, "GPU 0"));
    press(app, "S");
    assert_false(shows(app, "GPU 0  median"));
    app_free(app);
    profile_free(profile);
}

static uint32_t selected_count(struct app *app)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < app->scope->split->count; i++)
        count += host_step_is_selected(app, i);
    return count;
}

// The key goes through the kinds that exist and back to all steps; a name goes to one at once.
static void test_kinds(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("serving-steps --steps=30");
    struct app *app = app_on(profile, 140, 30);
    assert_int_equal(app->scope->split->count, 32);
    press(app, "4");
    assert_true(shows(app, "p prefill 2: "));
    assert_true(shows(app, "d decode 30: "));
    press(app, "C-k");
    assert_int_equal(selected_count(app), 2);
    assert_true(shows(app, "p prefill 2: "));
    assert_false(shows(app, "d decode"));
    press(app, "C-k");
    assert_int_equal(selected_count(app), 30);
    press(app, "C-k");
    assert_int_equal(selected_count(app), 32);
    app_command_line(app, "kind decode");
    assert_int_equal(selected_count(app), 30);
    app_command_line(app, "kind idle"); // there is none: nothing changes
    assert_int_equal(selected_count(app), 30);
    app_command_line(app, "set prefill");
    assert_int_equal(selected_count(app), 2);
    press(app, "u");
    assert_int_equal(selected_count(app), 30);
    app_free(app);
    profile_free(profile);
    // Training has no kinds: the key says so.
    profile = scenario_open("plain");
    app = app_on(profile, 140, 30);
    uint32_t before = selected_count(app);
    press(app, "4 C-k");
    assert_int_equal(selected_count(app), before);
    assert_false(shows(app, "prefill"));
    app_free(app);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates_are_reverted),
        cmocka_unit_test(test_candidates_show_full_names),
        cmocka_unit_test(test_candidates_compute_no_findings),
        cmocka_unit_test(test_candidate_is_one_change),
        cmocka_unit_test(test_candidates_without_steps),
        cmocka_unit_test(test_candidates_at_any_size),
        cmocka_unit_test(test_candidates_by_mouse),
        cmocka_unit_test(test_thousands_of_steps),
        cmocka_unit_test(test_chart_scrolls_with_the_cursor),
        cmocka_unit_test(test_gpus_side_by_side),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
