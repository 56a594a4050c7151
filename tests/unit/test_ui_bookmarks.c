// SPDX-License-Identifier: Apache-2.0
// Checks bookmarks: a jump restores what was seen and back restores what was seen before it;
// sessions keep bookmarks; what this profile lacks is reported.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_text.h"
#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/session/bookmarks.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/scope.h"
#include "ui_screen.h"

static char path[] = "/tmp/ui-bookmarks-XXXXXX";

// Places of all kinds with steps, filters and GPUs of their own.
static const char *const places[] = {
    "2 j j j Enter j Enter j",
    "3 j j > I % v",
    "2 g E j j j j",
    "1 G h",
    "1 F5",
    "4 l l l w j",
    "4 l l l x",
    "5 j Enter j",
    "5 j j",
    "6 + + l l l j",
    "} 3 ] 7 j",
    "2 o j j",
    "3 = j",
    "3 j w j",
    "3 j ) )",
    "@ 8 j",
    "0 j j j",
    "3 j S j",
};
enum { PLACES = sizeof places / sizeof *places };

static void assert_pictures(const char *a, const char *b, const char *way)
{
    if (strcmp(screen_body(a), screen_body(b)) != 0)
        fail_msg("%s:\n%s\ncame back as\n%s", way, a, b);
}

// Jumps from every place to every other and returns by each of the ways back.
static void test_jump_and_back(void **state)
{
    (void)state;
    static const char *const way_back[] = {"Backspace", "Esc", "q", "' '"};
    struct profile *profile = scenario_open(run_is_quick() ? "tiny" : "demo --steps=6");
    size_t every = run_is_long() ? 1 : 6; // try every n-th pair
    for (size_t i = 0; i < PLACES; i += run_is_quick() ? 6 : 1) {
        struct app *app = app_on(profile, 100, 30);
        press(app, places[i]);
        press(app, "m a");
        assert_non_null(strstr(app->messages->text, "bookmark a: "));
        char *seen = picture(app);
        for (size_t j = i % every; j < PLACES; j += every) {
            char way[300];
            // A place elsewhere with other steps and another GPU.
            press(app, "u u u u u u u u 1 a");
            press(app, places[j]);
            snprintf(way, sizeof way, "%s, from %s", places[i], places[j]);
            char *before = picture(app);
            struct scope scope = *app->scope;
            size_t depth = app->places->depth;
            press(app, "' a");
            if (app->messages->text[0])
                fail_msg("%s: %s", way, app->messages->text);
            char *after = picture(app);
            assert_pictures(seen, after, way);
            free(after);
            assert_true(app->places->depth > depth);
            while (app->places->depth > depth) // an open mark or filter is dropped first
                press(app, way_back[j % 3 == 1 ? 1 : (i + j) % 4]);
            after = picture(app);
            assert_pictures(before, after, way);
            assert_int_equal(app->places->depth, depth);
            assert_ptr_equal(app->scope->split, scope.split);
            assert_ptr_equal(app->scope->iterations, scope.iterations);
            assert_int_equal(app->scope->device, scope.device);
            free(before), free(after);
        }
        free(seen);
        app_free(app);
    }
    profile_free(profile);
}

// The steps of a bookmark apply only to its own view: a timeline below, which follows the selected
// steps, stays.
static void test_timeline_below_stays(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 30);
    press(app, "] m a u 6 + + l");
    char *before = picture(app);
    press(app, "' a");
    assert_ptr_equal(host_top_view(app)->class, &view_summary);
    press(app, "Esc");
    char *after = picture(app);
    assert_pictures(before, after, "a timeline");
    free(before), free(after);
    app_free(app);
    profile_free(profile);
}

// A selected idle gap is selected again.
static void test_idle_gap(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 30);
    assert_true(app_command_line(app, "view idle_gaps"));
    press(app, "j t");
    assert_true(shows(app, " idle "));
    press(app, "m a");
    char *seen = picture(app);
    press(app, "1 ' a");
    char *restored = picture(app);
    assert_pictures(seen, restored, "a gap");
    free(seen), free(restored);
    app_free(app);
    profile_free(profile);
}

// The changes of set and filter by a jump are one undo step; later changes of the set stay.
static void test_undo(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=6");
    struct app *app = app_on(profile, 100, 30);
    assert_true(app_command_line(app, "set 2-4"));
    press(app, "3");
    assert_true(app_command_line(app, "filter gpu>1us"));
    press(app, "m a u u 1");
    const bool *former = app->scope->iterations;
    press(app, "' a");
    assert_ptr_not_equal(app->scope->iterations, former);
    assert_string_equal(host_top_view(app)->table.filter_text, "gpu>1us");
    press(app, "u");
    assert_ptr_equal(app->scope->iterations, former);
    assert_string_equal(host_top_view(app)->table.filter_text, "");
    press(app, "C-r");
    assert_ptr_not_equal(app->scope->iterations, former);
    assert_string_equal(host_top_view(app)->table.filter_text, "gpu>1us");
    press(app, "> > Esc Esc");
    assert_ptr_equal(host_top_view(app)->class, &view_summary);
    assert_ptr_equal(app->scope->iterations, former);
    // Another set selected after the jump is kept on going back.
    press(app, "' a ]");
    const bool *chosen = app->scope->iterations;
    press(app, "Backspace");
    assert_ptr_equal(host_top_view(app)->class, &view_summary);
    assert_ptr_equal(app->scope->iterations, chosen);
    // The digit of a view opens the user's own view and not the one of a former jump.
    press(app, "' a 1 3");
    assert_string_equal(host_top_view(app)->table.filter_text, "");
    app_free(app);
    profile_free(profile);
}

static void test_keys_and_commands(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 30);
    press(app, "'");
    assert_non_null(strstr(app->messages->text, "no bookmarks yet"));
    press(app, "3 m");
    assert_int_equal(app->prompt->kind, PROMPT_BOOKMARK);
    press(app, "Esc");
    assert_int_equal(app->prompt->kind, PROMPT_NONE);
    press(app, "m ?");
    assert_true(app->messages->is_error);
    press(app, "j m B 2 j");
    assert_true(app_command_line(app, "bookmark 7"));
    assert_false(app_command_line(app, "bookmark bb"));
    assert_false(app_command_line(app, "jump x"));
    assert_non_null(strstr(app->messages->text, "there are: B 7"));
    press(app, "'");
    assert_int_equal(app->prompt->kind, PROMPT_JUMP);
    assert_true(shows(app, "there are: B 7"));
    press(app, "Enter"); // opens the list of bookmarks
    assert_true(app->menu->is_open);
    assert_true(shows(app, "7  Op tree"));
    assert_true(shows(app, "B  Kernels"));
    press(app, "7"); // the name of a bookmark jumps at once
    assert_false(app->menu->is_open);
    assert_true(host_top_view(app)->is_visit);
    press(app, "' ' ' Enter Enter");
    assert_ptr_equal(host_top_view(app)->class, &view_kernels);
    assert_true(host_top_view(app)->is_visit);
    assert_int_equal(host_top_view(app)->table.cursor, 1);
    press(app, "Enter Enter");
    press(app, "' '"); // returns even from views opened there
    assert_ptr_equal(host_top_view(app)->class, &view_tree);
    assert_false(host_top_view(app)->is_visit);
    press(app, "' '");
    assert_non_null(strstr(app->messages->text, "no jump led here"));
    press(app, "? m"); // the help cannot be bookmarked
    assert_int_equal(app->prompt->kind, PROMPT_NONE);
    press(app, "Esc");
    for (int i = 0; i < 100; i++) // the number of places to return to is bounded
        press(app, "' 7");
    assert_int_equal(app->places->depth, MAX_TRAIL);
    app_free(app);
    profile_free(profile);
}

static void test_sessions_keep_bookmarks(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=6"), *small = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 30);
    file_write(path, "# dlprof-tui session 1\n");
    press(app, "2 g");
    assert_true(app_command_line(app, "row layers.* x24"));
    press(app, "Enter j m a 4 l l x m b 3 j m c");
    assert_true(app_command_line(app, "filter \"no such kernel\""));
    press(app, "m d 1 ' a");
    char *seen = picture(app); // the session also records that this is a jump
    app_write_session(app, path, true);
    struct app *other = app_after(profile, path, 100, 30);
    assert_false(other->box->is_open);
    char *restored = picture(other);
    assert_pictures(seen, restored, "a visit");
    assert_int_equal(other->places->depth, app->places->depth);
    free(restored);
    press(app, "' '"), press(other, "' '");
    assert_ptr_equal(host_top_view(other)->class, &view_summary);
    for (size_t i = 0; i < MAX_BOOKMARKS; i++) {
        if (app->bookmarks[i].text)
            assert_string_equal(app->bookmarks[i].text, other->bookmarks[i].text);
        else
            assert_null(other->bookmarks[i].text);
    }
    press(other, "' a");
    restored = picture(other);
    assert_pictures(seen, restored, "a bookmark of a session");
    free(restored), free(seen);
    app_free(app), app_free(other);
    // Another profile: places that it lacks are reported, and the screen stays as it is.
    app = app_after(small, path, 100, 30);
    app->box->is_open = false;
    press(app, "1");
    char *before = picture(app);
    press(app, "' a");
    assert_non_null(strstr(app->messages->text, "bookmark a is not here: "));
    char *after = picture(app);
    assert_string_equal(before, after);
    free(before), free(after);
    press(app, "' c"); // the view exists, its row does not
    assert_non_null(strstr(app->messages->text, "as far as it is here"));
    assert_ptr_equal(host_top_view(app)->class, &view_kernels);
    app_free(app);
    profile_free(profile);
    profile_free(small);
}

// A file with bookmarks that refer to themselves, to commands that change something, or to no
// place.
static void test_hostile_bookmarks(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    file_write(path, "# dlprof-tui session 1\n"
                     "'a # \033[31m\n'a :jump a\n'a :view tree new\n'a :jump a\n'a :bookmark a\n"
                     "'b :back\n'b :back\n'b :view summary\n'b :undo\n'b :undo\n"
                     "'c :view kernels new\n'c :back\n'c :quit\n'c :save /tmp/x\n"
                     "'d\n'\n' \n'? :view tree\n'dd :view tree new\n'd :tour\n"
                     "'e :view tree new\n'f :view tree new\n'e :view kernels new\n"
                     "'g :key (steps as found)\n'g :set 99\n'g :view nothing new\n"
                     "'h :view help new\n'h :view  new\n");
    struct app *app = app_after(profile, path, 100, 30);
    for (const char *name = "abcdefghab"; *name; name++) {
        char keys[] = {'\'', ' ', *name, 0};
        press(app, keys);
        assert_false(app->requests->is_done);
        assert_true(app->places->depth >= 1);
        press(app, "Esc Esc j u");
    }
    press(app, "' e");
    assert_ptr_equal(host_top_view(app)->class, &view_kernels); // the later of two
    press(app, "\"");
    assert_true(shows(app, "a  ^[[31m"));
    app_free(app);
    profile_free(profile);
}

static int set_up(void **state)
{
    (void)state;
    return mkstemp(path) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jump_and_back),     cmocka_unit_test(test_timeline_below_stays),
        cmocka_unit_test(test_idle_gap),          cmocka_unit_test(test_undo),
        cmocka_unit_test(test_keys_and_commands), cmocka_unit_test(test_sessions_keep_bookmarks),
        cmocka_unit_test(test_hostile_bookmarks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
