// SPDX-License-Identifier: Apache-2.0
// Checks the help: it begins with the view it was opened from and explains each of its columns;
// Enter runs an action or shows a view. K explains whatever is under the cursor.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/app/lists.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/overlay/tour_state.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/key.h"
#include "ui_screen.h"

static const char *text_of(const struct table *table, const void *row, const char *key)
{
    return report_column(table->report, key)->get(row).text;
}

// Moves the cursor to the row with this text in a column. Returns false if there is none.
static bool help_find(struct app *app, const char *key, const char *text)
{
    struct table *table = &host_top_view(app)->table;
    assert_true(table_update(table, NULL));
    for (uint32_t row = 0; row < table->rows.count; row++) {
        const void *data = report_row(table->report, &table->rows, row);
        if (strcmp(text_of(table, data, key), text) == 0)
            return table_go(table, table_row_id(table, row));
    }
    return false;
}

static void test_help_of_every_view(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 120, 30);
    size_t views_to_try = run_is_quick() ? 3 : view_name_count();
    for (size_t v = 0; v < views_to_try; v++) {
        const struct view_class *class = view_class_find(view_name(v));
        if (class == &view_help)
            continue;
        host_go_to(app, class);
        app_draw(app);
        struct view *of = host_top_view(app);
        press(app, "?");
        assert_ptr_equal(host_top_view(app)->class, &view_help);
        const struct table *table = &host_top_view(app)->table;
        assert_true(strncmp(table->rows.caption, class->title, strlen(class->title)) == 0);
        size_t actions_listed = 0;
        for (enum action a = 0; (size_t)a < action_count; a++) {
            char command[100];
            snprintf(command, sizeof command, actions[a].argument ? ":%s %s" : ":%s",
                     actions[a].name, actions[a].argument);
            actions_listed += help_find(app, "command", command);
        }
        assert_int_equal(actions_listed, action_count);
        for (unsigned c = 0; of->report && c < of->report->column_count && c < 64; c++) {
            char command[100];
            if (!table_column_exists(&of->table, c))
                continue;
            snprintf(command, sizeof command, ":sort %s", of->report->columns[c].key);
            if (!help_find(app, "command", command))
                fail_msg("%s has no %s", class->name, of->report->columns[c].key);
            assert_true(strlen(text_of(table, table_row(table), "what")) > 2);
            press(app, "Enter");
            assert_true(app->box->is_open);
            assert_non_null(strstr(app->box->text, of->report->columns[c].key));
            press(app, "Esc");
        }
        press(app, "Esc");
        assert_ptr_equal(host_top_view(app), of);
    }
    app_free(app);
    profile_free(profile);
}

static void test_help_does_and_shows(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 120, 30);
    press(app, "3 ?");
    assert_true(help_find(app, "command", ":names FORM"));
    press(app, "Enter");
    assert_ptr_equal(host_top_view(app)->class, &view_kernels);
    assert_int_equal(host_top_view(app)->narrow.names, NAME_SHORT);
    // Enter on an explanation has no effect.
    press(app, "?");
    assert_true(help_find(app, "command", ":names FORM"));
    press(app, "K");
    assert_true(app->box->is_open);
    assert_non_null(strstr(app->box->text, ":names FORM"));
    press(app, "Esc");
    assert_ptr_equal(host_top_view(app)->class, &view_help);
    // A view without a table gets its parts explained.
    press(app, "1 ?");
    assert_true(help_find(app, "keys", "What to change"));
    press(app, "Enter");
    assert_non_null(strstr(app->box->text, "add up"));
    // A view opened from the help has a help of its own.
    press(app, "Esc 4 ?");
    assert_true(strncmp(host_top_view(app)->table.rows.caption, "Iterations", 10) == 0);
    press(app, "Esc");
    assert_ptr_equal(host_top_view(app)->class, &view_iterations);
    // Enter on a heading has no effect; filter, search and save work as in any table.
    press(app, "? j Enter");
    assert_ptr_equal(host_top_view(app)->class, &view_help);
    assert_true(app_command_line(app, "filter keys:F5"));
    app_draw(app);
    assert_int_equal(host_top_view(app)->table.kept_count, 1);
    press(app, "Enter");
    assert_ptr_equal(host_top_view(app)->class, &view_iterations);
    // The tour can be started from the help.
    press(app, "? g Enter");
    assert_non_null(app->tour->text);
    press(app, "Esc");
    app_free(app);
    profile_free(profile);
}

// Copies the lines `from` to `to` of the screen, with runs of blanks as one.
static void lines_text(struct app *app, int from, int to, char out[400])
{
    char *screen = picture(app), *rest = screen;
    out[0] = 0;
    for (int y = 0; y <= to; y++) {
        char *line = strsep(&rest, "\n");
        for (char *word = y < from ? NULL : strtok(line, " "); word; word = strtok(NULL, " "))
            snprintf(out + strlen(out), 400 - strlen(out), "%s%s", *out ? " " : "", word);
    }
    free(screen);
}

// At 80 columns a sentence gets two lines below the list, so that none is cut.
static void test_sentences_are_not_cut(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 80, 24);
    press(app, "3 ?");
    for (enum action a = 0; (size_t)a < action_count; a++) {
        char command[100], expected[400], text[400];
        snprintf(command, sizeof command, actions[a].argument ? ":%s %s" : ":%s", actions[a].name,
                 actions[a].argument);
        assert_true(help_find(app, "command", command));
        app_draw(app);
        lines_text(app, 20, 21, text);
        expected[0] = 0;
        char *words = strdup(
            text_of(&host_top_view(app)->table, table_row(&host_top_view(app)->table), "what"));
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s",
                     *expected ? " " : "", word);
        free(words);
        assert_string_equal(text, expected);
        lines_text(app, 19, 19, text);
        assert_non_null(strstr(text, "Enter does it"));
    }
    // F5 leads to the questions, and the screen says so.
    char first[400];
    press(app, "g");
    assert_true(shows(app, "F5 Questions"));
    press(app, "F5");
    lines_text(app, 5, 5, first);
    assert_string_equal(first, "Which layer costs most?");
    press(app, "F5");
    assert_int_equal(host_top_view(app)->table.cursor, 0);
    app_free(app);
    profile_free(profile);
}

// Ten questions of a new user, reached with `?` alone: each row of the section opens its answer.
static void test_questions_have_answers(void **state)
{
    (void)state;
    static const struct {
        const char *begins, *shows;
    } answers[] = {
        {"Which layer", "layers.* x24"},
        {"Which ops could use", "lm_head > aten::linear"},
        {"Why is a step slow", "what differs, adding up to it"},
        // followed by the option that records it
        {"Which line of the program", "No line of the program is known"},
        {"How much of the communication", "exclusive"},
        {"Which GPU is late", "comm"},
        {"What does the first finding", "Idle by cause"},
        {"What happens when", "On screen"},
        {"How do I compare", ":baseline"},
        {"What was left out", "rows of NVTX_EVENTS"},
        {"How do I save", "save as:"},
    };
    struct profile *profile = scenario_open("demo --steps=8");
    struct app *app = app_on(profile, 130, 40);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        press(app, "3 ?");
        struct table *table = &host_top_view(app)->table;
        uint32_t row = 0;
        assert_true(table_update(table, NULL));
        while (row < table->rows.count &&
               strncmp(text_of(table, report_row(table->report, &table->rows, row), "what"),
                       answers[i].begins, strlen(answers[i].begins)) != 0)
            row++;
        assert_true(row < table->rows.count);
        assert_true(table_go(table, table_row_id(table, row)));
        press(app, "Enter");
        if (!shows(app, answers[i].shows)) {
            char *screen = picture(app);
            fail_msg("%s: no '%s'\n%s", answers[i].begins, answers[i].shows, screen);
        }
        press(app, "Esc");
    }
    app_free(app);
    profile_free(profile);
}

// K on every row of the first screen and on every column of every view.
static void test_everything_is_explained(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 200, 50);
    for (int i = 0; i < (run_is_quick() ? 20 : 300); i++) {
        press(app, "1");
        if (i > 0)
            press(app, "j");
        press(app, "K");
        assert_true(app->box->is_open && strlen(app->box->text) > 20);
        press(app, "Esc");
    }
    size_t views_to_try = run_is_quick() ? 3 : view_name_count();
    for (size_t v = 0; v < views_to_try; v++) {
        host_go_to(app, view_class_find(view_name(v)));
        app_draw(app);
        const struct view *view = host_top_view(app);
        for (size_t c = 0; c < (view->report ? view->report->column_count : 1) && c < 64; c++) {
            host_top_view(app)->table.column = (int)c;
            press(app, "K");
            if (!app->box->is_open || strlen(app->box->text) < 20)
                fail_msg("%s, column %zu", view_name(v), c);
            press(app, "Esc");
        }
    }
    app_free(app);
    profile_free(profile);
}

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help_of_every_view),
        cmocka_unit_test(test_help_does_and_shows),
        cmocka_unit_test(test_sentences_are_not_cut),
        cmocka_unit_test(test_questions_have_answers),
        cmocka_unit_test(test_everything_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
