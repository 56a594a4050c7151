// SPDX-License-Identifier: Apache-2.0
// Checks what keys and commands do to the rows of a view: column layouts shared by all views of a
// report, removing filter terms, copying and saving marked rows, and excluding steps by marks.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/host.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/columns.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/key.h"
#include "ui_screen.h"

static struct profile *profile;

static int open_profile(void **state)
{
    (void)state;
    return own_folder_enter() ? 0 : -1;
}

static int close_profile(void **state)
{
    (void)state;
    profile_free(profile);
    return own_folder_remove();
}

static struct app *start(void)
{
    if (!profile)
        profile = scenario_open("ddp --steps=6");
    return app_on(profile, 120, 30);
}

static bool command(struct app *app, const char *line)
{
    bool done = app_command_line(app, line);
    app_draw(app);
    return done;
}

static char *file_text(const char *path)
{
    static char text[20000];
    FILE *file = fopen(path, "re");
    if (!file)
        fail_msg("%s is not there", path);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void test_columns_of_a_report(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "3");
    assert_true(command(app, "columns calls first"));
    assert_true(command(app, "columns work hide"));
    assert_true(command(app, "columns kernel 33"));
    const struct column_layout *here = &host_top_view(app)->table.columns;
    struct column_layout before = *here;
    // All views of the report share the layout, including one opened before.
    press(app, "2 Enter");
    assert_string_equal(host_top_view(app)->report->name, "kernels");
    assert_memory_equal(&host_top_view(app)->table.columns, &before, sizeof before);
    assert_true(command(app, "columns calls wider"));
    before = host_top_view(app)->table.columns;
    press(app, "Backspace 3");
    assert_memory_equal(&host_top_view(app)->table.columns, &before, sizeof before);
    // Saves the layout as text and restores it in another run of the program.
    struct arena *arena = arena_new(0);
    const char *text = app_columns_text(app, arena);
    assert_non_null(strstr(text, "kernels: order=calls,kernel,"));
    struct app *other = start();
    struct error error = {0};
    assert_false(
        app_columns_read(other, arena_format(arena, "nosuch: a=b\n%s\nops: x=y", text), &error));
    assert_non_null(strstr(error.message, "nosuch"));
    press(other, "3");
    assert_memory_equal(&host_top_view(other)->table.columns, &before, sizeof before);
    assert_string_equal(app_columns_text(other, arena), text);
    app_free(other);
    // Undo, once per change; reset; and invalid arguments.
    assert_true(command(app, "columns calls wider"));
    assert_memory_not_equal(&host_top_view(app)->table.columns, &before, sizeof before);
    press(app, "u");
    assert_memory_equal(&host_top_view(app)->table.columns, &before, sizeof before);
    assert_true(command(app, "columns reset"));
    assert_string_equal(app_columns_text(app, arena), "");
    assert_false(command(app, "columns nosuch hide"));
    assert_false(command(app, "columns kernel hide")); // the column of names
    assert_false(command(app, "columns calls sideways"));
    assert_false(command(app, "columns calls 999999"));
    assert_string_equal(app_columns_text(app, arena), "");
    // The menu of columns: hide, move, widen, and reset.
    press(app, "c j j Space > + Esc");
    assert_non_null(strstr(app_columns_text(app, arena), "hidden=gpu_total"));
    press(app, "c r Esc");
    assert_string_equal(app_columns_text(app, arena), "");
    arena_free(arena);
    app_free(app);
}

static void test_terms_are_removed(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "3");
    assert_true(command(app, "filter gpu>1us !memset tc:no|yes"));
    assert_true(shows(app, "filter: [gpu>1us] [!memset] [tc:no|yes]"));
    const struct table *table = &host_top_view(app)->table;
    // With the mouse, at the place where the second column is drawn.
    const struct view *view = host_top_view(app);
    assert_int_equal(view->chip_count, 3);
    app_click(app, view->chips[1].x + 1, app_content(app).y);
    assert_string_equal(table->filter_text, "gpu>1us tc:no|yes");
    app_draw(app);
    press(app, "u");
    assert_string_equal(table->filter_text, "gpu>1us !memset tc:no|yes");
    assert_true(command(app, "unfilter 3"));
    assert_string_equal(table->filter_text, "gpu>1us !memset");
    assert_true(command(app, "unfilter gpu>1us"));
    assert_string_equal(table->filter_text, "!memset");
    press(app, "-"); // the only term
    assert_string_equal(table->filter_text, "");
    press(app, "-");
    assert_non_null(strstr(app->messages->text, "no filter"));
    assert_true(command(app, "filter a \"b c\" d"));
    press(app, "- j Enter"); // chosen from several by a menu
    assert_string_equal(table->filter_text, "a d");
    assert_false(command(app, "unfilter 7"));
    assert_false(command(app, "unfilter nosuch"));
    assert_true(command(app, "unfilter all"));
    assert_string_equal(table->filter_text, "");
    app_free(app);
}

static void test_marked_rows_are_copied_and_saved(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "3 Space Space");
    press(app, "y");
    assert_non_null(strstr(app->messages->text, "2 marked rows as markdown"));
    const char *text = file_text("test_copy_1.md");
    assert_non_null(strstr(text, "| kernel | %work |"));
    assert_int_equal(count_lines(text), 6); // caption, a blank line, heads, rule, two rows
    assert_true(command(app, "copy tsv"));
    text = file_text("test_copy_1.tsv");
    assert_int_equal(count_lines(text), 3);
    assert_non_null(strstr(text, "Kernel Name\tShare of GPU Work (%)\tTotal GPU Time (ns) per "));
    // Copies one row although others are marked, then the whole view; from now on as TSV.
    assert_true(command(app, "copy row"));
    assert_int_equal(count_lines(file_text("test_copy_2.tsv")), 2);
    press(app, "Y");
    assert_int_equal(count_lines(file_text("test_copy_3.tsv")),
                     host_top_view(app)->table.shown_count + 1);
    assert_true(command(app, "copy view markdown all.md"));
    assert_non_null(strstr(file_text("all.md"), "| kernel |"));
    assert_false(command(app, "copy nosuch"));
    // Saving writes the marked rows; a hidden column is missing in text but present in CSV.
    assert_true(command(app, "columns work hide"));
    assert_true(command(app, "save marked.csv"));
    text = file_text("marked.csv");
    assert_int_equal(count_lines(text), 3);
    assert_non_null(strstr(text, "Share of GPU Work (%)"));
    assert_true(command(app, "save marked.md"));
    assert_null(strstr(file_text("marked.md"), "%work"));
    // Saved files name the total of a share.
    assert_true(command(app, "columns reset"));
    assert_true(command(app, "share shown"));
    assert_true(command(app, "save shown.csv"));
    assert_non_null(strstr(file_text("shown.csv"), ",Share of the Rows Shown (%),"));
    assert_true(command(app, "save shown.json"));
    assert_non_null(strstr(file_text("shown.json"), "\"work_of_shown\""));
    assert_true(command(app, "save shown.txt"));
    assert_non_null(strstr(file_text("shown.txt"), "%shown"));
    // Without marks the cell is copied; a view without rows is saved as a picture.
    press(app, "Esc h l y");
    assert_non_null(strstr(app->messages->text, "the cell"));
    assert_true(command(app, "save whole.screen"));
    assert_non_null(strstr(file_text("whole.screen"), "kernels by family"));
    press(app, "1 Y");
    assert_non_null(strstr(file_text("test_copy_1.screen"), "What to change"));
    app_free(app);
}

static void test_marks_survive_other_views(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "3 j Space");
    uint64_t id = table_row_id(&host_top_view(app)->table, host_top_view(app)->table.shown[1]);
    press(app, "> I [ a v v v #");
    assert_true(id_set_has(&host_top_view(app)->table.marks.ids, id));
    press(app, "2 3");
    assert_int_equal(table_marked_count(&host_top_view(app)->table), 1);
    // Esc clears the search mark first, then the marks, then the filter.
    assert_true(command(app, "filter !memset"));
    assert_true(command(app, "search a"));
    press(app, "Esc");
    assert_null(host_top_view(app)->table.search);
    assert_int_equal(table_marked_count(&host_top_view(app)->table), 1);
    press(app, "Esc");
    assert_int_equal(table_marked_count(&host_top_view(app)->table), 0);
    assert_string_equal(host_top_view(app)->table.filter_text, "!memset");
    press(app, "Esc");
    assert_string_equal(host_top_view(app)->table.filter_text, "");
    // A filter made by = from marks is undone like any other.
    press(app, "g Space Space =");
    assert_int_equal(host_top_view(app)->table.shown_count, 2);
    press(app, "u");
    assert_true(host_top_view(app)->table.rows.count > 2);
    assert_int_equal(host_top_view(app)->table.shown_count, host_top_view(app)->table.rows.count);
    press(app, "C-r");
    assert_int_equal(host_top_view(app)->table.shown_count, 2);
    app_free(app);
}

static uint32_t chosen(const struct app *app)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < app->scope->split->count; i++)
        count += host_step_is_selected(app, i);
    return count;
}

static void test_spans_of_steps(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "4 a g l V l l");
    uint32_t all = app->scope->split->count;
    assert_int_equal(chosen(app), all);
    press(app, "Space"); // excludes 1 to 3
    assert_int_equal(chosen(app), all - 3);
    assert_false(host_step_is_selected(app, 1) || host_step_is_selected(app, 3));
    press(app, "V h Space"); // includes 3 and 2 again, backwards
    assert_int_equal(chosen(app), all - 1);
    press(app, "V h h Esc Space"); // span dropped: only the step under the cursor
    assert_int_equal(chosen(app), all - 2);
    assert_false(host_step_is_selected(app, 0));
    press(app, "a g V l l x");
    assert_int_equal(chosen(app), all - 3);
    press(app, "x");
    assert_non_null(strstr(app->messages->text, "left out already"));
    press(app, "a g V G Space"); // would leave no step
    assert_int_equal(chosen(app), all);
    // In a table of steps x excludes the marked ones, otherwise the one under the cursor.
    assert_true(command(app, "view steps"));
    press(app, "g Space Space x");
    assert_int_equal(chosen(app), all - 2);
    assert_int_equal(table_marked_count(&host_top_view(app)->table), 0);
    press(app, "j x");
    assert_int_equal(chosen(app), all - 3);
    app_free(app);
}

static void test_shares_by_keys(void **state)
{
    (void)state;
    struct app *app = start();
    static const char *const heads[] = {"%step", "%parent", "%shown", "%busy"};
    press(app, "2");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        press(app, "%");
        assert_true(shows(app, heads[i]));
    }
    press(app, "% u");
    assert_true(shows(app, "%busy"));
    press(app, "3 % %");
    assert_true(shows(app, "%shown")); // a list has no parents
    assert_false(command(app, "share nosuch"));
    // A share of the step is GPU time over the selected steps on all GPUs, so that the whole tree
    // has at most 1.
    press(app, "2");
    assert_true(command(app, "share step"));
    struct table *table = &host_top_view(app)->table;
    double sum = 0;
    for (uint32_t row = 0; row < table->rows.count; row++) {
        const void *data = report_row(table->report, &table->rows, row);
        struct value value = table_share(table, data);
        if (table->report->depth(data) == 0)
            sum += value.real;
    }
    assert_true(sum > 0.2 && sum <= 1);
    // API calls belong to the host, which has other steps.
    press(app, "9 %");
    assert_true(shows(app, "%shown"));
    assert_true(command(app, "share step"));
    assert_non_null(strstr(app->messages->text, "no share of the step"));
    app_free(app);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_of_a_report),
        cmocka_unit_test(test_terms_are_removed),
        cmocka_unit_test(test_marked_rows_are_copied_and_saved),
        cmocka_unit_test(test_marks_survive_other_views),
        cmocka_unit_test(test_spans_of_steps),
        cmocka_unit_test(test_shares_by_keys),
    };
    return cmocka_run_group_tests(tests, open_profile, close_profile);
}
