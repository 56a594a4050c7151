// SPDX-License-Identifier: Apache-2.0
// Checks the command line: completion of names and arguments, and unknown names; also undo of
// everything that a key changes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/detectors/expert.h"
#include "model/rules/rules.h"
#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/app/lists.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui_screen.h"

// Types a command line and Tab. Returns the resulting text of the prompt.
static const char *completed(struct app *app, const char *typed)
{
    press(app, ":");
    prompt_type(app, typed);
    press(app, "Tab");
    static char text[PROMPT_SIZE];
    memcpy(text, app->prompt->text, sizeof text);
    press(app, "Esc");
    return text;
}

static void test_completion(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "3");
    static const struct {
        const char *typed, *expected;
    } cases[] = {
        {"the", "theme "},
        {"theme mo", "theme mono"},
        {"view ker", "view kernel"}, // kernels, kernel_ops and others
        {"v", "view "},              // the only action with this prefix
        {"kernel_o", "kernel_ops"},  // views are commands too
        {"names f", "names f"},      // family and full
        {"names fu", "names full"},
        {"set ste", "set steady"},
        {"set 1-3,!out", "set 1-3,!outliers"},
        {"scope g", "scope gpu 0"},
        {"sort -gpu_t", "sort -gpu_total"},
        {"filter nvjet !gpu_t", "filter nvjet !gpu_total"},
        {"key (DL", "key (DLProf's own)"},
        {"baseline of", "baseline off"},
        {"zzz", "zzz"},
        {"view zzz", "view zzz"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = completed(app, cases[i].typed);
        if (strcmp(text, cases[i].expected) != 0)
            fail_msg("'%s' became '%s', not '%s'", cases[i].typed, text, cases[i].expected);
    }
    // Several completions are listed.
    press(app, ":");
    prompt_type(app, "theme ");
    press(app, "Tab");
    assert_non_null(strstr(app->prompt->problem, "dark"));
    assert_non_null(strstr(app->prompt->problem, "mono"));
    press(app, "Esc");
    app_free(app);
    profile_free(profile);
}

static void test_completion_of_places(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    assert_string_equal(completed(app, "jump "), "jump ");
    press(app, "m b");
    assert_string_equal(completed(app, "jump "), "jump b");
    const struct finding_list *findings = host_findings(app);
    size_t openable = 0;
    for (size_t i = 0; i < findings->count; i++) {
        if (!findings->items[i].opens)
            continue;
        char typed[200];
        snprintf(typed, sizeof typed, "next-finding %s", findings->items[i].id);
        assert_string_equal(completed(app, typed), typed);
        typed[strlen(typed) - 1] = 0;
        assert_memory_equal(completed(app, typed), typed, strlen(typed));
        openable++;
    }
    assert_true(openable > 0);
    app_free(app);
    profile_free(profile);
}

// Editing of the line: moving, erasing, and recalling earlier lines.
static void test_typing(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    static const struct {
        const char *keys, *text;
    } cases[] = {
        {"Home Del", "h\xc3\xa9\xc3\xa9"}, // deletes the whole character under the cursor
        {"Home Right Right Del", "xh\xc3\xa9"},
        {"Del", "xh\xc3\xa9\xc3\xa9"}, // at the end there is no character to delete
        {"Left Left C-k", "xh"},
        {"Left C-u", "\xc3\xa9"},
        {"Left Left Left Backspace", "h\xc3\xa9\xc3\xa9"},
        {"C-a a C-e b", "axh\xc3\xa9\xc3\xa9"
                        "b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        press(app, ":");
        prompt_type(app, "xh\xc3\xa9\xc3\xa9");
        press(app, cases[i].keys);
        if (strcmp(app->prompt->text, cases[i].text) != 0)
            fail_msg("%s: %s", cases[i].keys, app->prompt->text);
        press(app, "Esc");
    }
    static const char *const lines[] = {"view kernels", "theme mono"};
    for (size_t i = 0; i < 2; i++) {
        press(app, ":");
        prompt_type(app, lines[i]);
        press(app, "Enter");
    }
    static const char *const recalled[] = {"theme mono", "view kernels", "view kernels"};
    press(app, ":");
    for (size_t i = 0; i < 3; i++) {
        press(app, "Up");
        assert_string_equal(app->prompt->text, recalled[i]);
    }
    press(app, "Down");
    assert_string_equal(app->prompt->text, "theme mono");
    press(app, "Down Down");
    assert_string_equal(app->prompt->text, "");
    app_free(app);
    profile_free(profile);
}

// Long labels are cut between characters.
static void test_long_labels(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 30);
    struct selection selection = selection_all(app->scope->split);
    for (int before = 0; before < 3; before++) {
        char label[200] = "aaa";
        label[before] = 0;
        for (int i = 0; i < 60; i++)
            strcat(label, "\xe2\x82\xac");
        assert_true(host_open_view(app, &view_tree, &selection, 0, label));
        const char *shown = host_top_view(app)->label;
        size_t length = strlen(shown), most = sizeof host_top_view(app)->label - 1;
        assert_memory_equal(shown, label, length);
        assert_int_equal(length, most - (most - (size_t)before) % 3);
    }
    app_free(app);
    profile_free(profile);
}

static void make_file(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void test_completion_of_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/ui-commands-XXXXXX", path[200], typed[200];
    assert_non_null(mkdtemp(folder));
    static const char *const names[] = {"run one.csv", "run two.csv", "run\ttab", ".hidden",
                                        "größe1",      "größe2",      "grüße"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        make_file(path);
    }
    snprintf(path, sizeof path, "%s/sub", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    static const struct {
        const char *typed, *expected;
    } cases[] = {
        {"run ", "run "}, {"run t", "run two.csv"}, {"s", "sub/"}, {".", ".hidden"},
        {"gr", "gr"}, // never half a character
        {"grö", "größe"}, {"nothing", "nothing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(typed, sizeof typed, "save %s/%s", folder, cases[i].typed);
        const char *text = completed(app, typed);
        assert_string_equal(text + strlen("save ") + strlen(folder) + 1, cases[i].expected);
    }
    // A prompt for a file name completes as its command does.
    press(app, "3 s C-u");
    snprintf(typed, sizeof typed, "%s/run o", folder);
    prompt_type(app, typed);
    press(app, "Tab");
    assert_non_null(strstr(app->prompt->text, "/run one.csv"));
    press(app, "Esc");
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    app_free(app);
    profile_free(profile);
}

static void test_unknown_commands(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    static const struct {
        const char *typed, *message;
    } cases[] = {
        {"teme", "did you mean 'theme'?"},
        {"kernles", "did you mean 'kernels'?"},
        {"kernels 3", "is a view and takes nothing after it"},
        {"qqqqqqqq", "Tab completes"},
        {"fold-al 3", "takes nothing after it"}, // unambiguous prefix
        {"s", "begins several commands"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "no command 'aaaa"},
        {"scope everything", "gpu N, rank N, host N, role NAME, process PID or domain NAME"},
        {"scope role pp 1", "no role pp 1: nothing in this profile tells roles apart"},
        {"scope host 2", "no host 2: nothing in this profile tells hosts apart"},
        {"names long", "family, short or full"},
        {"per-step perhaps", "on or off"},
        {"columns nosuch hide", "nosuch"},
        {"search [", "["},
        {"theme nosuch", "nosuch"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        press(app, "2");
        if (app_command_line(app, cases[i].typed) || !strstr(app->messages->text, cases[i].message))
            fail_msg("'%s': %s", cases[i].typed, app->messages->text);
    }
    // A view is also a command.
    do_command(app, "kernels");
    assert_string_equal(host_top_view(app)->report->name, "kernels");
    app_free(app);
    profile_free(profile);
}

// commands that users of vim leave with
static void test_vim_words(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "3 ?");
    size_t depth = app->places->depth;
    assert_true(app_command_line(app, "q")); // acts like the key q
    assert_int_equal(app->places->depth, depth - 1);
    assert_false(app->requests->is_done);
    press(app, "?");
    assert_true(app_command_line(app, "q!"));
    assert_true(app->requests->is_done);
    assert_true(app_command_line(app, "w"));
    assert_int_equal(app->prompt->kind, PROMPT_SAVE);
    app_free(app);
    profile_free(profile);
}

// ---- scope ------------------------------------------------------------------------------------

static void test_scopes_by_number(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("ddp --steps=3");
    struct app *app = app_on(profile, 100, 30);
    char command[100];
    assert_true(profile->device_count > 1 && profile->process_count > 1);
    snprintf(command, sizeof command, "scope process %u", profile->processes[1].pid);
    do_command(app, command);
    assert_int_equal(app->scope->process, 1);
    do_command(app, "scope gpu 1");
    assert_int_equal(app->scope->device, profile_find_device(profile, 1));
    const struct scope before = *app->scope;
    for (const char *const *wrong =
             (const char *const[]){"scope gpu 77", "scope gpu 4294967297", "scope gpu 1x",
                                   "scope process 4294967295", "scope gpu", "scope x", NULL};
         *wrong; wrong++) {
        if (app_command_line(app, *wrong))
            fail_msg("%s", *wrong);
        assert_memory_equal(app->scope, &before, sizeof before);
    }
    do_command(app, "scope all");
    assert_int_equal(app->scope->device, ROW_NONE);
    assert_int_equal(app->scope->process, ROW_NONE);
    app_free(app);
    profile_free(profile);
}

// ---- undo -------------------------------------------------------------------------------------

// Returns everything that undo must restore, as a text.
static char *undo_state(struct app *app)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    const struct view *view = host_top_view(app);
    const struct scope *scope = app->scope;
    fprintf(file, "%p %p %u %u %d per %d ", (const void *)scope->split,
            (const void *)scope->iterations, scope->process, scope->device, scope->adoption,
            host_is_per_step(app));
    fprintf(file, "names %d folded %d backward %d ", view->narrow.names, view->narrow.is_folded,
            view->narrow.with_backward);
    if (view->report) {
        const struct table *table = &view->table;
        const char *columns =
            column_layout_print(view->report, &table->columns, app->canvas->frame);
        fprintf(file, "filter %s columns %s share %d ", table->filter_text, columns ? columns : "",
                table->share);
        for (unsigned i = 0; i < table->sort_count; i++)
            fprintf(file, "sort %u %d ", table->sort[i].column, table->sort[i].descending);
    }
    fclose(file);
    return text;
}

static bool is_asking(const struct app *app)
{
    return app->prompt->kind != PROMPT_NONE || app->menu->is_open || app->box->is_open ||
           app->candidates->is_open;
}

// Every action in every view: u reverts what it changed in the selection and C-r repeats it. A
// baseline is excepted; b and B revert it.
static void test_undo_of_every_action(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    size_t changes = 0;
    size_t views_to_try = run_is_quick() ? 3 : view_name_count();
    for (size_t v = 0; v < views_to_try; v++) {
        struct app *app = app_on(profile, 100, 30);
        for (enum action a = 0; (size_t)a < action_count; a++) {
            if (actions[a].reach == REACH_OUT || a == ACTION_BASELINE || a == ACTION_DELTAS ||
                a == ACTION_UNDO || a == ACTION_REDO)
                continue;
            host_go_to(app, view_class_find(view_name(v)));
            app_draw(app);
            const struct view *view = host_top_view(app);
            if (view->report)
                press(app, "j l");
            char *before = undo_state(app);
            app_command_line(app, actions[a].name);
            if (app->menu->is_open) // its second line is another choice
                press(app, app->menu->stays ? "j Space" : "j Enter");
            for (int i = 0; i < 2 && is_asking(app); i++)
                app_key(app, KEY_ESCAPE);
            app_draw(app);
            char *changed = undo_state(app);
            if (host_top_view(app) == view && strcmp(before, changed) != 0) {
                changes++;
                app_command_line(app, "undo");
                app_draw(app);
                char *undone = undo_state(app);
                if (strcmp(undone, before) != 0)
                    fail_msg("%s in %s:\n%s\nundone:\n%s", actions[a].name, view_name(v), before,
                             undone);
                app_command_line(app, "redo");
                app_draw(app);
                char *redone = undo_state(app);
                if (strcmp(redone, changed) != 0)
                    fail_msg("%s in %s:\n%s\nbrought back:\n%s", actions[a].name, view_name(v),
                             changed, redone);
                free(undone), free(redone);
            }
            free(before), free(changed);
        }
        app_free(app);
    }
    assert_true(changes > views_to_try);
    profile_free(profile);
}

// One Esc returns from any number of `)`.
static void test_walking_the_findings(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    const struct finding_list *findings = host_findings(app);
    size_t with_rows = 0;
    const struct finding *last = NULL;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].opens) {
            last = &findings->items[i];
            with_rows++;
        }
    assert_true(with_rows > 0);
    press(app, "3 j j");
    char *before = picture(app);
    press(app, ") ) )");
    assert_int_equal(app->places->depth, 3); // summary, kernels, the finding's view
    press(app, "Backspace");
    char *after = picture(app);
    assert_string_equal(after, before);
    free(after);
    // A view opened from the view of one finding stays open below the view of the next.
    press(app, ") Enter");
    size_t depth = app->places->depth;
    char *inside = picture(app);
    press(app, ") ) Backspace");
    assert_int_equal(app->places->depth, depth);
    after = picture(app);
    assert_string_equal(after, inside);
    free(after), free(inside), free(before);
    // Opens a finding by name from anywhere; unknown names are reported.
    char command[300];
    snprintf(command, sizeof command, "next-finding %s", last->id);
    app_command_line(app, command);
    assert_string_equal(host_top_view(app)->label, last->detector->title);
    assert_false(app_command_line(app, "next-finding nonsense"));
    assert_non_null(strstr(app->messages->text, "nonsense"));
    app_free(app);
    profile_free(profile);
}

static int set_up(void **state)
{
    (void)state;
    return own_folder_enter() ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    rules_use_builtin(); // frees the rules that were read again
    return own_folder_remove();
}

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_completion),
        cmocka_unit_test(test_completion_of_files),
        cmocka_unit_test(test_completion_of_places),
        cmocka_unit_test(test_typing),
        cmocka_unit_test(test_long_labels),
        cmocka_unit_test(test_unknown_commands),
        cmocka_unit_test(test_vim_words),
        cmocka_unit_test(test_scopes_by_number),
        cmocka_unit_test(test_undo_of_every_action),
        cmocka_unit_test(test_walking_the_findings),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
