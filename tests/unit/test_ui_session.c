// SPDX-License-Identifier: Apache-2.0
// Checks sessions: a saved session restores the screen and the way back, on another profile as far
// as possible, and a session file can only navigate.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_text.h"
#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/app/lists.h"
#include "ui/flame/flame_view.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/session/session.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/comparing.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/scope.h"
#include "ui/state/script_state.h"
#include "ui/state/splits.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/views/panel.h"
#include "ui_screen.h"

static const char *folder;

static const char *in_folder(const char *name)
{
    static char path[2][300];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void assert_same(struct app *app, struct app *other, const char *way)
{
    host_findings(app), host_findings(other); // the tabs show their number once it is known
    char *a = picture(app), *b = picture(other);
    if (strcmp(a, b) != 0)
        fail_msg("%s:\n%s\ncame back as\n%s", way, a, b);
    free(a), free(b);
}

static void session_save(struct app *app, const char *path)
{
    app_write_session(app, path, true);
    if (app->messages->is_error)
        fail_msg("%s", app->messages->text);
}

// Goes back through all places, comparing both apps at each.
static void assert_same_way_back(struct app *app, struct app *other, const char *way)
{
    assert_int_equal(app->places->depth, other->places->depth);
    for (;;) {
        assert_same(app, other, way);
        if (app->places->depth == 1)
            return;
        press(app, "Backspace");
        press(other, "Backspace");
    }
}

static void test_sessions_restore_the_screen(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "1",
        "1 Tab j",
        "1 G h h",
        "1 F5",
        "1 Tab Enter o j j",
        "2 j j l j d",
        "2 C",
        "2 g E j j j",
        "2 o j j",
        "2 g j Enter j Enter j",
        "2 j , l Enter j Enter",
        "2 j , j j Enter Enter j",
        "2 , ; G Enter d",
        "3 > I j j v",
        "3 = j",
        "3 ! # l",
        "3 j Enter j j",
        "3 w j",
        "2 % % j",
        "3 c j j Space j > + Esc l j %",
        "3 > > j > I j",
        "4 l l S",
        "4 l F5",
        "4 F5 b",
        "4 l l x l w j",
        "4 l l Enter j Enter",
        "5 j Enter j",
        "3 j ) )",
        "5 G Enter",
        "} 3 ] 7 j",
        "@ [ 8 j 9 j 0 j 2 j 3",
        "b 3 j B 2",
        "3 % j 2 % % j",
        "3 j S j 2 j S",
        "6 + + l l l j l",
        "6 l Enter j",
        "X A 4 W G 3 Enter Esc",
    };
    bool is_quick = run_is_quick();
    struct profile *profile = scenario_open(is_quick ? "tiny" : "demo --steps=6");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i += every(2, 6)) {
        struct app *app = app_on(profile, 100, 30);
        const char *path = in_folder("a.session"), *restored = in_folder("b.session");
        press(app, ways[i]);
        session_save(app, path);
        struct app *other = app_after(profile, path, 100, 30);
        if (other->box->is_open)
            fail_msg("%s: %s\n%s", ways[i], other->box->title, other->box->text);
        session_save(other, restored);
        char *first = file_read(path), *second = file_read(restored);
        assert_string_equal(first, second);
        free(first), free(second);
        assert_same_way_back(app, other, ways[i]);
        app_free(app);
        app_free(other);
    }
    profile_free(profile);
}

static void test_sessions_keep_stated_step_sizes(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=6");
    struct app *app = app_on(profile, 200, 30);
    const char *path = in_folder("a.session");
    char *before = picture(app);
    assert_true(app_command_line(app, "flops 6*2e13"));
    assert_true(app_command_line(app, "items tokens:4096"));
    char *after = picture(app);
    assert_non_null(strstr(after, "tokens/s per GPU"));
    assert_null(strstr(before, "tokens/s"));
    session_save(app, path);
    struct app *other = app_after(profile, path, 200, 30);
    assert_true(step_size_equal(&other->scope->step_size, &app->scope->step_size));
    char *restored = picture(other);
    assert_string_equal(strchr(restored, '%'),
                        strchr(after, '%')); // compares the part below the message line
    assert_false(app_command_line(app, "flops many"));
    assert_true(step_size_equal(&other->scope->step_size, &app->scope->step_size));
    press(app, "u u");
    char *undone = picture(app);
    assert_string_equal(strchr(undone, '%'), strchr(before, '%'));
    free(before), free(after), free(restored), free(undone);
    app_free(app);
    app_free(other);
    profile_free(profile);
}

static void test_sessions_keep_columns(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    const char *path = in_folder("a.session");
    press(app, "3 j");
    assert_true(app_command_line(app, "columns gpu_min show"));
    assert_true(app_command_line(app, "columns calls hide"));
    assert_true(app_command_line(app, "columns gpu_avg first"));
    assert_true(app_command_line(app, "columns kernel 20"));
    session_save(app, path);
    struct app *other = app_after(profile, path, 100, 30);
    assert_false(other->box->is_open);
    assert_same_way_back(app, other, "columns");
    app_free(app);
    app_free(other);
    profile_free(profile);
}

// A comparison keeps the other file, the selected process, and the layout of its columns, which no
// report has under these names.
static void test_sessions_of_comparisons(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("ddp --steps=3");
    struct error error = {0};
    char wanted[4][400], old[300];
    snprintf(old, sizeof old, "%s", in_folder("old.sqlite"));
    file_write(old, "");
    struct app *app = app_on(profile, 160, 40);
    assert_true(app_compare_with(app, scenario_open("ddp --steps=3"), old, &error));
    snprintf(wanted[0], sizeof wanted[0], "scope process %u", profile->processes[1].pid);
    do_command(app, wanted[0]);
    press(app, "3");
    const struct report *report = host_top_view(app)->report;
    assert_ptr_not_equal(report, host_top_view(app)->base);
    snprintf(wanted[1], sizeof wanted[1], "columns %s hide", report->columns[2].key);
    snprintf(wanted[2], sizeof wanted[2], "columns %s 17", report->columns[1].key);
    do_command(app, wanted[1]);
    do_command(app, wanted[2]);
    snprintf(wanted[3], sizeof wanted[3], "baseline %s", old);
    const char *path = in_folder("a.session");
    session_save(app, path);
    char *text = file_read(path);
    for (size_t i = 0; i < 4; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("no '%s' in:\n%s", wanted[i], text);
    free(text);
    unlink(old);
    app_free(app);
    profile_free(profile);
}

// Every view, with its cursor moved.
static void test_sessions_of_every_view(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    size_t views_to_try = run_is_quick() ? 3 : view_name_count();
    for (size_t v = 0; v < views_to_try; v++) {
        const struct view_class *class = view_class_find(view_name(v));
        if (class == &view_help)
            continue;
        struct app *app = app_on(profile, 100, 30);
        const char *path = in_folder("a.session");
        host_go_to(app, class);
        app_draw(app);
        press(app, "j j");
        session_save(app, path);
        struct app *other = app_after(profile, path, 100, 30);
        if (other->box->is_open)
            fail_msg("%s: %s\n%s", view_name(v), other->box->title, other->box->text);
        assert_same_way_back(app, other, view_name(v));
        app_free(app);
        app_free(other);
    }
    profile_free(profile);
}

// The row from which launches were opened may have changed; the launches are restored anyway.
static void test_sessions_of_exposed_parts(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("ddp --steps=3");
    struct app *app = app_on(profile, 100, 30);
    const char *path = in_folder("a.session");
    press(app, "1 Tab Enter");
    const struct view *launches = host_top_view(app);
    assert_string_equal(launches->class->name, "launches");
    session_save(app, path);
    char *text = file_read(path);
    assert_non_null(strstr(text, ":view launches new\n"));
    assert_non_null(strstr(text, ":filter class:comm\n"));
    free(text);
    struct app *other = app_after(profile, path, 100, 30);
    assert_string_equal(host_top_view(other)->class->name, "launches");
    assert_int_equal(host_top_view(other)->table.shown_count, launches->table.shown_count);
    press(other, "Backspace");
    assert_string_equal(host_top_view(other)->class->name, "summary");
    app_free(app);
    app_free(other);
    profile_free(profile);
}

// Moves to a row without children that shares a box at 40 columns.
static bool choose_shared_leaf(struct app *app)
{
    const struct table *table = &host_top_view(app)->table;
    for (size_t line = 0; line < table->shown_count; line++) {
        table_go_line(&host_top_view(app)->table, line);
        struct flame_scene scene = flame_scene_of(host_top_view(app));
        const struct flame_state *state = host_top_view(app)->state;
        if (flame_chosen(&scene)->more > 0 && state->tree.levels[scene.node] == 1)
            return true;
    }
    return false;
}

// Whether a row shares a box depends on the width. At 40 columns the box is spread, then entered;
// where the row has a box of its own it is entered at once. The session repeats exactly that.
static void test_sessions_of_the_flame_view_at_any_width(void **state)
{
    (void)state;
    static const struct {
        int width;
        const char *keys, *view;
        size_t zooms;
    } cases[] = {{40, "Enter", "flame", 1},
                 {40, "Enter Enter", "kernels", 1},
                 {4000, "Enter", "kernels", 0}};
    struct profile *profile = scenario_open("demo --steps=4");
    struct app *narrow = app_on(profile, 40, 30);
    const char *path = in_folder("a.session");
    do_command(narrow, "view flame");
    assert_true(choose_shared_leaf(narrow));
    uint64_t leaf = host_top_view(narrow)->table.cursor_id;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct app *app = app_on(profile, cases[i].width, 30);
        do_command(app, "view flame");
        assert_true(table_go(&host_top_view(app)->table, leaf));
        press(app, cases[i].keys);
        assert_string_equal(host_top_view(app)->class->name, cases[i].view);
        session_save(app, path);
        for (int width = 40; width <= 4000; width *= 10) {
            struct app *other = app_after(profile, path, width, 30);
            assert_string_equal(host_top_view(other)->class->name, cases[i].view);
            assert_false(other->box->is_open);
            if (host_top_view(other)->class != &view_flame)
                press(other, "Backspace");
            assert_string_equal(host_top_view(other)->class->name, "flame");
            assert_int_equal(host_top_view(other)->table.cursor_id, leaf);
            const struct flame_state *state_there = host_top_view(other)->state;
            if (width == cases[i].width)
                assert_int_equal(state_there->zoom_count, cases[i].zooms);
            app_free(other);
        }
        app_free(app);
    }
    app_free(narrow);
    profile_free(profile);
}

// A view opened from a pane by a key other than Enter is not looked up in the view to which the
// pane belongs.
static void test_sessions_from_split_panes(void **state)
{
    (void)state;
    static const char *const ways[] = {"2 j S Tab F5", "2 j S Tab w", "2 j S Tab t"};
    struct profile *profile = scenario_open("ddp --steps=3");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct app *app = app_on(profile, 200, 30);
        const char *path = in_folder("a.session");
        press(app, ways[i]);
        assert_true(app->places->depth == 3);
        session_save(app, path);
        struct app *other = app_after(profile, path, 200, 30);
        assert_string_equal(host_front_view(other)->class->name, "tree");
        press(app, "Backspace");
        assert_string_equal(host_front_view(app)->class->name, "tree");
        app_free(app);
        app_free(other);
    }
    profile_free(profile);
}

// The help is not saved; a view opened from it is, if its way can be expressed.
static void test_sessions_from_help(void **state)
{
    (void)state;
    static const char *const ways[] = {"4 ? 3 j", "4 ? )"};
    struct profile *profile = scenario_open("demo --steps=6");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct app *app = app_on(profile, 100, 30);
        const char *path = in_folder("a.session");
        press(app, ways[i]);
        session_save(app, path);
        struct app *other = app_after(profile, path, 100, 30);
        assert_same(app, other, ways[i]);
        press(other, "Backspace");
        assert_string_equal(host_top_view(other)->class->name, "iterations");
        app_free(app);
        app_free(other);
    }
    profile_free(profile);
}

// Parts that another profile lacks are reported, and no others are opened instead.
static void test_sessions_of_another_profile(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=6"), *small = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 30);
    const char *path = in_folder("a.session");
    assert_true(app_command_line(app, "set 3-5"));
    assert_true(app_command_line(app, "scope gpu 2"));
    press(app, "3 > 2 g");
    assert_true(app_command_line(app, "row layers.* x24"));
    press(app, "Enter j Enter j");
    assert_int_equal(app->places->depth, 5);
    session_save(app, path);
    struct app *other = app_after(small, path, 100, 30);
    assert_true(other->box->is_open);
    assert_non_null(strstr(other->box->text, "set 3-5"));
    assert_non_null(strstr(other->box->text, "no GPU 2"));
    assert_non_null(strstr(other->box->text, "layers.* x24"));
    // It gets as far as the tree, and the kernels keep their sort.
    assert_ptr_equal(host_top_view(other)->class, &view_tree);
    assert_int_equal(other->places->depth, 3);
    assert_true(other->scope->device == ROW_NONE);
    press(other, "Esc 3");
    const struct table *table = &host_top_view(other)->table;
    assert_string_equal(
        table->report->columns[table->sort[0].column].key,
        app->places->trail[1]->report->columns[app->places->trail[1]->table.sort[0].column].key);
    app_free(app);
    app_free(other);
    profile_free(profile);
    profile_free(small);
}

static void test_sessions_only_navigate(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    const char *path = in_folder("hostile.session");
    char text[2000], saved[300];
    snprintf(saved, sizeof saved, "%s/saved.csv", folder);
    snprintf(text, sizeof text,
             "# dlprof-tui session 1\n"
             "3\nq\ntext hello\ndump\n"       // not commands
             ":view kernels\n:save %s\n"      // would write files
             ":page %s\n:session %s\n:copy\n" // would write files too
             ":quit\n:quit-now\n:suspend\n:interrupt\n:interrupt\n"
             ":nonsense\n:\n: \n:row\n:set\n:key\n:scope\n:filter (((\n"
             "                                             :row #ffffffffffffffffffff x\n"
             ":row #1\n:sort +nothing\n:help\n:view help\n:view \n\033[31m\n:row \033]0;x\007\n"
             ":view kernels\n:row #zz\n:enter\n:enter\n:enter\n",
             saved, saved, saved);
    file_write(path, text);
    struct app *app = app_after(profile, path, 100, 30);
    assert_false(app->requests->is_done);
    assert_true(access(saved, F_OK) != 0);
    assert_true(app->box->is_open); // reports the omitted lines
    assert_int_equal(app->prompt->kind, PROMPT_NONE);
    app_free(app);
    // Rows of the help run actions, but not from a session.
    file_write(path, "# dlprof-tui session 1\n:help\n:filter quit-now\n:last\n:enter\n");
    app = app_after(profile, path, 100, 30);
    assert_false(app->requests->is_done);
    assert_non_null(strstr(app->box->text, "enter\n    no command of sessions"));
    app_free(app);
    // Random bytes.
    struct random random = {7};
    for (int round = 0; round < random_rounds(200); round++) {
        static const char *const pieces[] = {
            ":row ", ":view tree\n", "  ",       "#",       "\n",          ":enter\n", ":right\n",
            "9",     "\xff",         ":set 1\n", ":back\n", ":fold-all\n", ":flip\n",  "\t",
        };
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs("# dlprof-tui session 1\n", file);
        for (size_t i = random_below(&random, 60); i > 0; i--)
            fputs(pieces[random_below(&random, sizeof pieces / sizeof *pieces)], file);
        fclose(file);
        app = app_after(profile, path, 100, 30);
        assert_false(app->requests->is_done);
        app_free(app);
    }
    profile_free(profile);
}

static void test_other_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "is no session"},
        {":view kernels\n", "is no session"},
        {"# dlprof-tui session", "is no session"},
        {"# dlprof-tui session one\n", "is no session"},
        {"# dlprof-tui session 2\n", "of version 2; this program reads 1"},
    };
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 30);
    const char *path = in_folder("none");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session session;
        struct error error = {0};
        file_write(path, cases[i].text);
        assert_false(session_read(path, &session, app->arena, &error));
        if (!strstr(error.message, cases[i].message))
            fail_msg("%s", error.message);
        // A file that is not a session is never replaced.
        char command[400];
        snprintf(command, sizeof command, "session %s", path);
        assert_false(app_command_line(app, command));
        app_write_session(app, path, true);
        assert_non_null(strstr(app->messages->text, "is no session; not overwritten"));
    }
    struct session session;
    struct error error = {0};
    assert_false(session_read(folder, &session, app->arena, &error));
    assert_false(session_read("/nonexistent", &session, app->arena, &error));
    // A domain whose name looks like a window is not read as one; the line after it is read.
    file_write(path, "# dlprof-tui session 1\n# domain # window 1s..2s\n# steps 3-4\n");
    assert_true(session_read(path, &session, app->arena, &error));
    assert_string_equal(session.domain, "# window 1s..2s");
    assert_true(session.has_file_window && file_window_has_steps(&session.file_window));
    file_write(path, cases[0].text);
    // The user's own session file is replaced without asking, another file only after a question.
    app->script->is_script = false;
    char command[400];
    path = in_folder("mine.session");
    snprintf(command, sizeof command, "session %s", path);
    assert_true(app_command_line(app, command));
    assert_true(app_command_line(app, command));
    assert_int_equal(app->prompt->kind, PROMPT_NONE);
    const char *other = in_folder("other.session");
    assert_int_equal(link(path, other), 0);
    snprintf(command, sizeof command, "session %s", other);
    app_command_line(app, command);
    assert_int_equal(app->prompt->kind, PROMPT_OVERWRITE);
    press(app, "y");
    assert_non_null(strstr(app->messages->text, "saved"));
    // Saving creates a new file instead of rewriting the old one.
    struct stat a, b;
    assert_int_equal(stat(path, &a), 0);
    assert_int_equal(stat(other, &b), 0);
    assert_true(a.st_ino != b.st_ino);
    app_free(app);
    profile_free(profile);
}

// Saves a session and opens it in a second app; no line may be omitted.
static struct app *app_from_saved_session(struct app *app, const char *way)
{
    const char *path = in_folder("again.session");
    session_save(app, path);
    struct app *other = app_after(app->profile, path, 100, 30);
    if (other->box->is_open)
        fail_msg("%s: %s\n%s", way, other->box->title, other->box->text);
    assert_same_way_back(app, other, way);
    return other;
}

static void assert_written(const char *line, bool is_there)
{
    char *text = file_read(in_folder("again.session"));
    if ((strstr(text, line) != NULL) != is_there)
        fail_msg("'%s' in\n%s", line, text);
    free(text);
}

// Switches are saved as a state and never toggled.
static void test_sessions_keep_switches(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=6");
    struct app *app = app_on(profile, 100, 30);
    assert_true(app_command_line(app, "view layers"));
    press(app, "Down Enter");
    assert_true(host_top_view(app)->narrow.with_backward);
    session_save(app, in_folder("again.session"));
    struct app *other = app_after(profile, in_folder("again.session"), 100, 30);
    assert_true(host_top_view(other)->narrow.with_backward);
    app_free(other);
    assert_true(app_command_line(app, "with-backward off"));
    assert_true(app_command_line(app, "with-backward off"));
    assert_false(host_top_view(app)->narrow.with_backward);
    session_save(app, in_folder("again.session"));
    other = app_after(profile, in_folder("again.session"), 100, 30);
    assert_false(host_top_view(other)->narrow.with_backward);
    app_free(other);
    app_free(app);
    static const struct {
        const char *keys, *command, *line;
    } cases[] = {
        {"2", "siblings on", "siblings on"}, {"4", "by-gpu on", "by-gpu on"},
        {"4", "flip on", "flip on"},         {"1", "flip on", "flip on"},
        {"b", "deltas off", "deltas off"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        app = app_on(profile, 100, 30);
        press(app, cases[i].keys);
        char *before = picture(app);
        assert_true(app_command_line(app, cases[i].command));
        char *once = picture(app);
        assert_true(app_command_line(app, cases[i].command));
        char *twice = picture(app);
        assert_string_not_equal(before, once);
        assert_string_equal(once, twice);
        free(before), free(once), free(twice);
        app_free(app_from_saved_session(app, cases[i].command));
        assert_written(cases[i].line, true);
        app_free(app);
    }
    profile_free(profile);
}

static void test_sessions_keep_what_can_be_written(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "3");
    // The layout of columns is a single line.
    assert_true(app_command_line(app, "columns calls hide"));
    app_free(app_from_saved_session(app, "columns"));
    assert_written(":columns hidden=calls\n", true);
    assert_written(":names family\n", true); // whatever --names says on opening
    // Terms for marked rows are dropped; other terms stay.
    press(app, "3 Space =");
    assert_true(app_command_line(app, "filter marked:1 gpu>0"));
    const char *path = in_folder("again.session");
    session_save(app, path);
    assert_written(":filter gpu>0\n", true);
    assert_written("marked:", false);
    assert_written("# rows that were picked by hand", true);
    struct app *other = app_after(profile, in_folder("again.session"), 100, 30);
    assert_false(other->box->is_open);
    app_free(other);
    // A name from a file cannot become a command.
    for (size_t i = 0; i < app->splits->count; i++)
        if (app->splits->entries[i].split == app->scope->split)
            snprintf(app->splits->entries[i].name, sizeof app->splits->entries[i].name,
                     "fwd\n:theme mono");
    session_save(app, in_folder("again.session"));
    assert_written("\n:theme mono", false);
    assert_written("# what cuts the run into steps has no name", true);
    app_free(app);
    profile_free(profile);
}

// A session never runs the program that converts a report.
static void test_sessions_run_no_program(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    char text[900], tool[300], ran[300], paths[4096];
    snprintf(tool, sizeof tool, "%s/nsys", folder);
    snprintf(ran, sizeof ran, "%s/ran", folder);
    snprintf(text, sizeof text, "#!/bin/sh\necho >%s\n", ran);
    file_write(tool, text);
    assert_int_equal(chmod(tool, 0700), 0);
    const char *usual = getenv("PATH");
    snprintf(paths, sizeof paths, "%s:%s", folder, usual);
    assert_int_equal(setenv("PATH", paths, 1), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", folder, 1), 0);
    file_write(in_folder("r.nsys-rep"), "\x1c___NVIDIA Tegra Profiler Report");
    snprintf(text, sizeof text, "# dlprof-tui session 1\n:baseline %s/r.nsys-rep\n", folder);
    file_write(in_folder("a.session"), text);
    struct load_request request = {.threads = 1};
    struct app_options options = app_defaults;
    struct error error = {0};
    options.request = &request;
    struct app *app = app_with(&options, profile, 100, 30);
    assert_true(session_read(in_folder("a.session"), app->session, app->arena, &error));
    session_run(app, app->session);
    assert_int_not_equal(access(ran, F_OK), 0);
    assert_true(app->box->is_open);
    assert_non_null(strstr(app->box->text, "a session runs no program"));
    app->box->is_open = false;
    snprintf(text, sizeof text, "baseline %s/r.nsys-rep", folder); // allowed if the user types it
    assert_false(app_command_line(app, text));
    assert_int_equal(access(ran, F_OK), 0);
    app_free(app);
    profile_free(profile);
}

// A layout from a session does not become the user's own; one made afterwards does.
static void test_sessions_do_not_change_user_columns(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    const char *path = in_folder("d.session");
    char columns[300];
    snprintf(columns, sizeof columns, "%s/dlprof-tui/columns", folder);
    assert_int_equal(setenv("XDG_STATE_HOME", folder, 1), 0);
    file_write(path, "# dlprof-tui session 1\n:view kernels\n:columns hidden=calls\n");
    struct app_options options = app_defaults;
    options.keeps_state = true;
    struct app *app = app_with(&options, profile, 100, 30);
    struct error error = {0};
    app_load_layouts(app);
    assert_true(session_read(path, app->session, app->arena, &error));
    session_run(app, app->session);
    app_save_layouts(app);
    assert_int_not_equal(access(columns, F_OK), 0);
    assert_true(app_command_line(app, "columns gpu_avg hide"));
    app_save_layouts(app);
    assert_int_equal(access(columns, F_OK), 0);
    app_free(app);
    profile_free(profile);
}

static const char *keep_long_text(struct view *view, struct arena *arena)
{
    enum { LINES = MAX_SESSION_LINES + 100 };
    static const char line[] = "row findings 1\n";
    char *text = ARENA_ARRAY(arena, char, LINES *(sizeof line - 1) + 1);
    (void)view;
    for (size_t i = 0; i < LINES; i++)
        memcpy(text + i * (sizeof line - 1), line, sizeof line);
    return text;
}

// A session is limited to the size that can be read back, and a message says so.
static void test_size_of_sessions_is_limited(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 30);
    struct view_class much = *host_top_view(app)->class;
    much.keep = keep_long_text;
    host_top_view(app)->class = &much;
    session_save(app, in_folder("long.session"));
    assert_non_null(strstr(app->messages->text, "saved in part"));
    char *text = file_read(in_folder("long.session"));
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, MAX_SESSION_LINES);
    free(text);
    app_free(app);
    profile_free(profile);
}

static int set_up(void **state)
{
    (void)state;
    folder = own_folder_enter();
    return folder ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return own_folder_remove();
}

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions_restore_the_screen),
        cmocka_unit_test(test_sessions_keep_stated_step_sizes),
        cmocka_unit_test(test_sessions_keep_columns),
        cmocka_unit_test(test_sessions_of_comparisons),
        cmocka_unit_test(test_sessions_keep_switches),
        cmocka_unit_test(test_sessions_keep_what_can_be_written),
        cmocka_unit_test(test_sessions_of_every_view),
        cmocka_unit_test(test_sessions_of_exposed_parts),
        cmocka_unit_test(test_sessions_of_the_flame_view_at_any_width),
        cmocka_unit_test(test_sessions_from_split_panes),
        cmocka_unit_test(test_sessions_from_help),
        cmocka_unit_test(test_sessions_of_another_profile),
        cmocka_unit_test(test_sessions_only_navigate),
        cmocka_unit_test(test_other_files_are_refused),
        cmocka_unit_test(test_sessions_run_no_program),
        cmocka_unit_test(test_sessions_do_not_change_user_columns),
        cmocka_unit_test(test_size_of_sessions_is_limited),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
