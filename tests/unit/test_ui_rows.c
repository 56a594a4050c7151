// SPDX-License-Identifier: Apache-2.0
// What one does with the rows of a view, by keys and commands: arranged columns that all views of a
// report share, terms taken off, what is copied and saved of marked rows, steps left out by marks.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "property.h"
#include "scenario.h"
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
    const struct column_layout *here = &app_top(app)->table.columns;
    struct column_layout before = *here;
    // Another view of the same report has them so as well, and one opened before it.
    press(app, "2 Enter");
    assert_string_equal(app_top(app)->report->name, "kernels");
    assert_memory_equal(&app_top(app)->table.columns, &before, sizeof before);
    assert_true(command(app, "columns calls wider"));
    before = app_top(app)->table.columns;
    press(app, "Backspace 3");
    assert_memory_equal(&app_top(app)->table.columns, &before, sizeof before);
    // As a text and back, to another run of the program.
    struct arena *arena = arena_new(0);
    const char *text = app_columns_text(app, arena);
    assert_non_null(strstr(text, "kernels: order=calls,kernel,"));
    struct app *other = start();
    struct error error = {0};
    assert_false(
        app_columns_read(other, arena_format(arena, "nosuch: a=b\n%s\nops: x=y", text), &error));
    assert_non_null(strstr(error.message, "nosuch"));
    press(other, "3");
    assert_memory_equal(&app_top(other)->table.columns, &before, sizeof before);
    assert_string_equal(app_columns_text(other, arena), text);
    app_free(other);
    // Undo, once for each change; reset; and what is no such thing.
    assert_true(command(app, "columns calls wider"));
    assert_memory_not_equal(&app_top(app)->table.columns, &before, sizeof before);
    press(app, "u");
    assert_memory_equal(&app_top(app)->table.columns, &before, sizeof before);
    assert_true(command(app, "columns reset"));
    assert_string_equal(app_columns_text(app, arena), "");
    assert_false(command(app, "columns nosuch hide"));
    assert_false(command(app, "columns kernel hide")); // what names the rows
    assert_false(command(app, "columns calls sideways"));
    assert_false(command(app, "columns calls 999999"));
    assert_string_equal(app_columns_text(app, arena), "");
    // The menu: hide, move, widen, and all as it was.
    press(app, "c j j Space > + Esc");
    assert_non_null(strstr(app_columns_text(app, arena), "hidden=gpu_total"));
    press(app, "c r Esc");
    assert_string_equal(app_columns_text(app, arena), "");
    arena_free(arena);
    app_free(app);
}

static void test_terms_are_taken_off(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "3");
    assert_true(command(app, "filter gpu>1us !memset tc:no|yes"));
    assert_true(shows(app, "filter: [gpu>1us] [!memset] [tc:no|yes]"));
    const struct table *table = &app_top(app)->table;
    // By the mouse: where the second one is drawn.
    const struct view *view = app_top(app);
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
    press(app, "-"); // the only one
    assert_string_equal(table->filter_text, "");
    press(app, "-");
    assert_non_null(strstr(app->message, "no filter"));
    assert_true(command(app, "filter a \"b c\" d"));
    press(app, "- j Enter"); // of several by a menu
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
    assert_non_null(strstr(app->message, "2 marked rows as markdown"));
    const char *text = file_text("test_copy_1.md");
    assert_non_null(strstr(text, "| kernel | %work |"));
    assert_int_equal(count_lines(text), 6); // what times are of, a blank, heads, rule, two rows
    assert_true(command(app, "copy tsv"));
    text = file_text("test_copy_1.tsv");
    assert_int_equal(count_lines(text), 3);
    assert_non_null(strstr(text, "Kernel Name\tShare of GPU Work (%)\tTotal GPU Time (ns) per "));
    // One row, though others are marked, and the whole view; TSV from now on.
    assert_true(command(app, "copy row"));
    assert_int_equal(count_lines(file_text("test_copy_2.tsv")), 2);
    press(app, "Y");
    assert_int_equal(count_lines(file_text("test_copy_3.tsv")),
                     app_top(app)->table.shown_count + 1);
    assert_true(command(app, "copy view markdown all.md"));
    assert_non_null(strstr(file_text("all.md"), "| kernel |"));
    assert_false(command(app, "copy nosuch"));
    // A save takes the marked ones; a hidden column is not in what people read, but in a CSV.
    assert_true(command(app, "columns work hide"));
    assert_true(command(app, "save marked.csv"));
    text = file_text("marked.csv");
    assert_int_equal(count_lines(text), 3);
    assert_non_null(strstr(text, "Share of GPU Work (%)"));
    assert_true(command(app, "save marked.md"));
    assert_null(strstr(file_text("marked.md"), "%work"));
    // The denominator of a share stands in what is saved.
    assert_true(command(app, "columns reset"));
    assert_true(command(app, "share shown"));
    assert_true(command(app, "save shown.csv"));
    assert_non_null(strstr(file_text("shown.csv"), ",Share of the Rows Shown (%),"));
    assert_true(command(app, "save shown.json"));
    assert_non_null(strstr(file_text("shown.json"), "\"work_of_shown\""));
    assert_true(command(app, "save shown.txt"));
    assert_non_null(strstr(file_text("shown.txt"), "%shown"));
    // Without marks the cell; a view without rows is a picture.
    press(app, "Esc h l y");
    assert_non_null(strstr(app->message, "the cell"));
    assert_true(command(app, "save whole.screen"));
    assert_non_null(strstr(file_text("whole.screen"), "kernels by family"));
    press(app, "1 Y");
    assert_non_null(strstr(file_text("test_copy_1.screen"), "What to change"));
    app_free(app);
}

static void test_marks_outlive_what_is_looked_at(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "3 j Space");
    uint64_t id = table_row_id(&app_top(app)->table, app_top(app)->table.shown[1]);
    press(app, "> I [ a v v v #");
    assert_true(id_set_has(&app_top(app)->table.marks.ids, id));
    press(app, "2 3");
    assert_int_equal(table_marked_count(&app_top(app)->table), 1);
    // Esc: the search mark first, then the marks, then the filter.
    assert_true(command(app, "filter !memset"));
    assert_true(command(app, "search a"));
    press(app, "Esc");
    assert_null(app_top(app)->table.search);
    assert_int_equal(table_marked_count(&app_top(app)->table), 1);
    press(app, "Esc");
    assert_int_equal(table_marked_count(&app_top(app)->table), 0);
    assert_string_equal(app_top(app)->table.filter_text, "!memset");
    press(app, "Esc");
    assert_string_equal(app_top(app)->table.filter_text, "");
    // What = made of marks is undone as any filter.
    press(app, "g Space Space =");
    assert_int_equal(app_top(app)->table.shown_count, 2);
    press(app, "u");
    assert_true(app_top(app)->table.rows.count > 2);
    assert_int_equal(app_top(app)->table.shown_count, app_top(app)->table.rows.count);
    press(app, "C-r");
    assert_int_equal(app_top(app)->table.shown_count, 2);
    app_free(app);
}

static uint32_t chosen(const struct app *app)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < app->scope.split->count; i++)
        count += app_iteration_is_in(app, i);
    return count;
}

static void test_spans_of_steps(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "4 a g l V l l");
    uint32_t all = app->scope.split->count;
    assert_int_equal(chosen(app), all);
    press(app, "Space"); // 1 to 3 out
    assert_int_equal(chosen(app), all - 3);
    assert_false(app_iteration_is_in(app, 1) || app_iteration_is_in(app, 3));
    press(app, "V h Space"); // 3 and 2 in again, backwards
    assert_int_equal(chosen(app), all - 1);
    press(app, "V h h Esc Space"); // dropped: the one under the cursor
    assert_int_equal(chosen(app), all - 2);
    assert_false(app_iteration_is_in(app, 0));
    press(app, "a g V l l x");
    assert_int_equal(chosen(app), all - 3);
    press(app, "x");
    assert_non_null(strstr(app->message, "left out already"));
    press(app, "a g V G Space"); // none would be left
    assert_int_equal(chosen(app), all);
    // As rows: what is marked, else the one under the cursor.
    assert_true(command(app, "view steps"));
    press(app, "g Space Space x");
    assert_int_equal(chosen(app), all - 2);
    assert_int_equal(table_marked_count(&app_top(app)->table), 0);
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
    assert_true(shows(app, "%shown")); // no parents there
    assert_false(command(app, "share nosuch"));
    // Of the step: GPU time over the chosen steps on all GPUs, so the whole tree is no more than 1.
    press(app, "2");
    assert_true(command(app, "share step"));
    struct table *table = &app_top(app)->table;
    double sum = 0;
    for (uint32_t row = 0; row < table->rows.count; row++) {
        const void *data = report_row(table->report, &table->rows, row);
        struct value value = table_share(table, data);
        if (table->report->depth(data) == 0)
            sum += value.real;
    }
    assert_true(sum > 0.2 && sum <= 1);
    // The API is of the host, whose steps are others.
    press(app, "9 %");
    assert_true(shows(app, "%shown"));
    assert_true(command(app, "share step"));
    assert_non_null(strstr(app->message, "no share of the step"));
    app_free(app);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_of_a_report),
        cmocka_unit_test(test_terms_are_taken_off),
        cmocka_unit_test(test_marked_rows_are_copied_and_saved),
        cmocka_unit_test(test_marks_outlive_what_is_looked_at),
        cmocka_unit_test(test_spans_of_steps),
        cmocka_unit_test(test_shares_by_keys),
    };
    return cmocka_run_group_tests(tests, open_profile, close_profile);
}
