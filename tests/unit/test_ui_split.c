// SPDX-License-Identifier: Apache-2.0
// Checks split views: the pane shows what Enter would open, keys act on the focused part, and going
// there and back changes neither.
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario.h"
#include "ui/actions/app_panes.h"
#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/app/lists.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui_screen.h"

static struct profile *profile;

static int open_tiny(void **state)
{
    (void)state;
    profile = scenario_open("tiny");
    return 0;
}

static int close_tiny(void **state)
{
    (void)state;
    profile_free(profile);
    return 0;
}

static void open_view(struct app *app, const char *view)
{
    char line[64];
    snprintf(line, sizeof line, "view %s", view);
    assert_true(app_command_line(app, line));
    app_draw(app);
}

// The pane has the rows of what Enter opens, for every row of every view with rows.
static void test_pane_is_what_enter_opens(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 100, 40);
    size_t compared = 0;
    for (size_t v = 0; v < view_name_count(); v++) {
        const struct view_class *class = view_class_find(view_name(v));
        if (!class || !(class->kinds & KIND_TABLE) || class == &view_help)
            continue;
        open_view(app, class->name);
        if (!view_has_split(host_front_view(app)))
            continue;
        if (!host_front_view(app)->pane)
            press(app, "S");
        for (int row = 0; row < 3; row++) {
            struct view *view = host_front_view(app);
            if (view->pane) {
                const struct view_class *shown = view->pane->class;
                size_t count = view->pane->table.rows.count;
                char *before = picture(app);
                press(app, "Enter");
                assert_ptr_equal(host_front_view(app)->class, shown);
                assert_int_equal(host_front_view(app)->table.rows.count, count);
                assert_ptr_not_equal(host_front_view(app), view);
                press(app, "Backspace");
                char *after = picture(app);
                assert_string_equal(before, after);
                free(before);
                free(after);
                compared++;
            }
            press(app, "j");
        }
        press(app, "S");
        assert_null(host_front_view(app)->pane);
    }
    assert_in_range(compared, 20, 1000);
    app_free(app);
}

static void test_keys_go_to_the_pane(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 200, 30);
    open_view(app, "kernels");
    press(app, "S");
    struct view *view = host_front_view(app);
    const struct view *pane = view->pane;
    assert_non_null(pane);
    assert_ptr_equal(host_top_view(app), view);
    press(app, "Tab j");
    assert_ptr_equal(host_top_view(app), pane);
    assert_int_equal(view->table.cursor, 0);
    assert_int_equal(pane->table.cursor, 1);
    // A filter in the pane belongs to it, and undo knows that.
    app_command_line(app, "filter gpu>1s");
    app_draw(app);
    assert_int_equal(pane->table.shown_count, 0);
    assert_int_equal(view->table.filter.count, 0);
    press(app, "u");
    assert_true(pane->table.shown_count > 0);
    press(app, "Esc"); // only leaves the pane
    assert_ptr_equal(host_top_view(app), view);
    assert_ptr_equal(host_front_view(app), view);
    // The pane keeps its sort when it follows the cursor.
    press(app, "Tab ; Enter");
    unsigned column = pane->table.sort[0].column;
    press(app, "Tab j");
    assert_ptr_equal(view->pane, pane);
    assert_int_equal(pane->table.sort[0].column, column);
    assert_int_equal(pane->table.cursor, 0);
    // Enter in the pane continues from it; back returns to its start.
    press(app, "Tab d Enter q");
    assert_ptr_equal(host_front_view(app), view);
    // The pane is freed with its view.
    press(app, "Tab");
    open_view(app, "summary");
    open_view(app, "kernels");
    app_forget_rows(app);
    app_draw(app);
    app_free(app);
}

// In a terminal the pane follows only after a pause in typing.
static void test_moving_does_not_build_the_pane(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 200, 30);
    open_view(app, "kernels");
    press(app, "S");
    app->is_live = true;
    struct view *view = host_front_view(app);
    struct cached *rows = view->pane->cached;
    press(app, "j j");
    assert_ptr_equal(view->pane->cached, rows);
    assert_int_equal(app->places->pane, PANE_PENDING);
    app->places->pane = PANE_DUE; // simulates a pause in typing
    app_draw(app);
    assert_ptr_not_equal(view->pane->cached, rows);
    assert_int_equal(app->places->pane, PANE_CURRENT);
    app->is_live = false;
    app_free(app);
}

// Moving to the pane earlier shows the rows of the current row and not of the one before.
static void test_keys_before_the_pane_follows(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 200, 30);
    open_view(app, "kernels");
    press(app, "S");
    app->is_live = true;
    struct view *view = host_front_view(app);
    press(app, "j");
    assert_int_equal(app->places->pane, PANE_PENDING);
    press(app, "Tab");
    assert_ptr_equal(host_top_view(app), view->pane);
    assert_string_equal(view->pane->label, table_row_name(&view->table, table_row(&view->table)));
    press(app, "Tab j");
    assert_int_equal(app->places->pane, PANE_PENDING);
    app_click(app, view->pane->list.x + 3, view->pane->list.y + 3);
    assert_ptr_equal(host_top_view(app), view->pane);
    assert_string_equal(view->pane->label, table_row_name(&view->table, table_row(&view->table)));
    app->is_live = false;
    app_free(app);
}

static void test_tiny_screens(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 76, 16);
    open_view(app, "kernels");
    press(app, "S");
    assert_null(host_front_view(app)->pane);
    assert_non_null(strstr(app->messages->text, "no room"));
    app_free(app);
    app = app_on(profile, 80, 24);
    open_view(app, "trust");
    press(app, "S");
    assert_non_null(strstr(app->messages->text, "open no others"));
    open_view(app, "kernels");
    press(app, "S Tab");
    assert_non_null(host_front_view(app)->pane);
    for (int height = 24; height > 5; height--) { // also while the window shrinks
        struct error error;
        assert_true(canvas_resize(app->canvas, 80 + 6 * (24 - height), height, &error));
        app_draw(app);
        press(app, "j Tab k");
    }
    app_free(app);
}

static void test_list_of_views(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 100, 60);
    press(app, "_");
    assert_true(app->menu->is_open);
    assert_true(shows(app, "tensor"));
    for (size_t i = 0; i < app->menu->count; i++)
        assert_non_null(view_class_find(app->menu->items[i].argument));
    press(app, "j Enter");
    assert_ptr_equal(host_front_view(app)->class, &view_tree);
    app_command_line(app, "view");
    assert_true(app->menu->is_open);
    app_free(app);
}

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pane_is_what_enter_opens),
        cmocka_unit_test(test_keys_go_to_the_pane),
        cmocka_unit_test(test_moving_does_not_build_the_pane),
        cmocka_unit_test(test_keys_before_the_pane_follows),
        cmocka_unit_test(test_tiny_screens),
        cmocka_unit_test(test_list_of_views),
    };
    return cmocka_run_group_tests(tests, open_tiny, close_tiny);
}
