// SPDX-License-Identifier: Apache-2.0
// Checks the tour on any profile and the return from it, notes of scripts, and the hint of the
// first run.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "paths.h"
#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/overlay/tour_state.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/undo.h"
#include "ui/term/key.h"
#include "ui_screen.h"

static const char *const scenarios[] = {"tiny", "cpuonly", "plain", "serving"};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

// Goes through the tour with Enter, or leaves it with Esc at each stop: the former place is
// restored.
static void test_tour_and_back(void **state)
{
    (void)state;
    for (size_t s = 0; s < (run_is_quick() ? 1 : SCENARIOS); s++) {
        struct profile *profile = scenario_open(scenarios[s]);
        struct app *app = app_on(profile, 80, 24);
        press(app, "2 j 3 > j } ]");
        host_findings(app);
        char *before = picture(app);
        struct scope scope = *app->scope;
        size_t depth = app->places->depth, undo = app->undo->at;
        unsigned stops = 1;
        for (unsigned leave = 1; leave <= stops + 1; leave++) {
            press(app, "~");
            assert_non_null(app->tour->text);
            stops = app->tour->stops;
            assert_true(stops >= 10);
            for (unsigned stop = 1; stop < leave; stop++) {
                assert_int_equal(app->tour->stop, stop);
                assert_true(app->box->is_open && strlen(app->box->text) > 40);
                press(app, "j x 3"); // only Enter and Esc have an effect
                press(app, "Enter");
            }
            if (leave <= stops)
                press(app, "Esc");
            assert_null(app->tour->text);
            assert_false(app->box->is_open);
            assert_memory_equal(app->scope, &scope, sizeof scope);
            assert_int_equal(app->places->depth, depth);
            assert_int_equal(app->undo->at, undo);
            host_findings(app);
            char *after = picture(app);
            assert_string_equal(after, before);
            free(after);
        }
        free(before);
        press(app, "~ Enter"); // leaves in the middle
        app_free(app);
        profile_free(profile);
    }
}

// A script has no user to press Enter, so every line takes effect at once.
static void test_tour_as_a_script(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    FILE *script = fopen(source_path("/docs/tour.script"), "r");
    struct error error = {0};
    assert_non_null(script);
    if (!script_run(app, script, NULL, &error))
        fail_msg("%s", error.message);
    fclose(script);
    assert_true(app->box->is_open);
    app_free(app);
    profile_free(profile);
}

static FILE *script_of(const char *text)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs(text, file);
    rewind(file);
    return file;
}

// In a terminal a script stops at its notes; after its end the keys belong to the user again.
static void test_scripts_pause_at_notes(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 80, 24);
    struct error error = {0};
    FILE *script = script_of("3\nnote one\nnote two\nj\nnote^ three\n\nnote four\n:view tree\n");
    assert_true(script_play(app, script, &error));
    fclose(script);
    assert_string_equal(app->box->text, "one two");
    assert_string_equal(app->box->title, "1 of 3");
    assert_true(host_top_view(app)->class == &view_kernels &&
                host_top_view(app)->table.cursor == 0);
    press(app, "Enter");
    assert_string_equal(app->box->text, "three");
    assert_int_equal(app->box->form, BOX_ABOVE);
    assert_int_equal(host_top_view(app)->table.cursor, 1);
    press(app, "Enter");
    assert_string_equal(app->box->text, "four");
    press(app, "Enter");
    assert_ptr_equal(host_top_view(app)->class, &view_tree);
    assert_null(app->tour->text);
    press(app, "3");
    assert_ptr_equal(host_top_view(app)->class, &view_kernels);
    // Esc ends the script there.
    script = script_of("note one\n:view tree\n");
    assert_true(script_play(app, script, &error));
    fclose(script);
    press(app, "Esc");
    assert_ptr_equal(host_top_view(app)->class, &view_kernels);
    // An error is reported with its line.
    script = script_of("3\n\nnonsense\n");
    assert_false(script_play(app, script, &error));
    fclose(script);
    assert_non_null(strstr(error.message, "script:3: 'nonsense'"));
    assert_null(app->tour->text);
    script = script_of("note one\n:nonsense\n");
    assert_true(script_play(app, script, &error));
    fclose(script);
    press(app, "Enter");
    assert_non_null(strstr(app->messages->text, "nonsense"));
    assert_null(app->tour->text);
    app_free(app);
    profile_free(profile);
}

// Any key closes the hint; a key with an action runs it at once.
static void test_hint_of_the_first_run(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    static const struct {
        const char *key;
        const struct view_class *leads_to;
    } cases[] = {{"Esc", &view_summary}, {"Enter", &view_summary}, {"Space", &view_summary},
                 {"3", &view_kernels},   {"Tab", &view_summary},   {"é", &view_summary},
                 {"?", &view_help},      {"4", &view_iterations}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct app *app = app_on(profile, 80, 24);
        first_run_hint(app);
        assert_true(shows(app, "the first time"));
        press(app, cases[i].key);
        assert_false(app->box->is_open);
        assert_ptr_equal(host_top_view(app)->class, cases[i].leads_to);
        app_free(app);
    }
    // The hint is shown once, and never if that cannot be remembered.
    char folder[] = "/tmp/ui-tour-XXXXXX", command[200];
    assert_non_null(mkdtemp(folder));
    struct app *app = app_on(profile, 80, 24);
    setenv("XDG_STATE_HOME", folder, 1);
    first_run_greet(app);
    assert_true(app->box->is_open);
    press(app, "Esc");
    first_run_greet(app);
    assert_false(app->box->is_open);
    setenv("XDG_STATE_HOME", "/dev/null/nowhere", 1);
    first_run_greet(app);
    assert_false(app->box->is_open);
    assert_string_equal(app->messages->text, "");
    // The next run remembers the commands.
    setenv("XDG_STATE_HOME", folder, 1);
    press(app, ":");
    prompt_type(app, "view tree");
    press(app, "Enter");
    history_save(app);
    struct stat history;
    snprintf(command, sizeof command, "%s/dlprof-tui/history", folder);
    assert_int_equal(stat(command, &history), 0);
    assert_int_equal(history.st_mode & 0777, 0600); // private to the user
    app_free(app);
    app = app_on(profile, 80, 24);
    history_load(app);
    press(app, ": Up");
    assert_string_equal(app->prompt->text, "view tree");
    press(app, "Esc");
    app_free(app);
    unsetenv("XDG_STATE_HOME");
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tour_and_back),
        cmocka_unit_test(test_tour_as_a_script),
        cmocka_unit_test(test_scripts_pause_at_notes),
        cmocka_unit_test(test_hint_of_the_first_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
