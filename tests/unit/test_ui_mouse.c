// SPDX-License-Identifier: Apache-2.0
// Checks the mouse: a click acts on what is drawn under the pointer.
#include <stdlib.h>
#include <string.h>

#include "analysis/detectors/expert.h"
#include "model/profile/loader.h"
#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/app/lists.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/mouse.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui_screen.h"

// Finds the cell where a text begins on the screen. Returns false if it is not there.
static bool find_text(struct app *app, const char *text, int *x, int *y)
{
    char *whole = picture(app), *at = strstr(whole, text);
    *y = *x = 0;
    for (char *p = whole; at && p < at; p++) {
        *x = *p == '\n' ? 0 : *x + (((unsigned char)*p & 0xc0) != 0x80);
        *y += *p == '\n';
    }
    free(whole);
    return at != NULL;
}

static void click(struct app *app, const char *text)
{
    int x, y;
    if (!find_text(app, text, &x, &y))
        fail_msg("the screen never shows '%s'", text);
    point_at(app, KEY_CLICK, x, y);
}

static void double_click(struct app *app, const char *text)
{
    int x, y;
    assert_true(find_text(app, text, &x, &y));
    point_at(app, KEY_CLICK, x, y);
    point_at(app, KEY_DOUBLE_CLICK, x, y);
}

static void test_tabs_and_footer(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    click(app, "3 Kern");
    assert_string_equal(host_top_view(app)->class->name, "kernels");
    click(app, "2 Tree");
    assert_string_equal(host_top_view(app)->class->name, "tree");
    click(app, "F4 Filter");
    assert_int_equal(app->prompt->kind, PROMPT_FILTER);
    click(app, "3 Kern"); // ignored while a prompt is open
    assert_int_equal(app->prompt->kind, PROMPT_FILTER);
    press(app, "Esc");
    click(app, "3 Kern");
    click(app, "v names"); // hints can be clicked too
    assert_true(shows(app, "kernels by short name"));
    click(app, "F1 Help");
    assert_string_equal(host_top_view(app)->class->name, "help");
    app_free(app);
    profile_free(profile);
}

static void test_tables(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "3");
    struct table *table = &host_top_view(app)->table;
    unsigned sorted = table->sort[0].column;
    click(app, "calls"); // a click on a head sorts by it; another reverses
    assert_int_not_equal(table->sort[0].column, sorted);
    bool descending = table->sort[0].descending;
    click(app, "calls");
    assert_int_not_equal(table->sort[0].descending, descending);
    press(app, "u u G");
    assert_int_equal(table->sort[0].column, sorted);
    int x, y;
    assert_true(find_text(app, "avg", &x, &y)); // the first row is below the heads
    press(app, "g j j");
    size_t depth = app->places->depth;
    app_click(app, 3, y + 2);
    assert_int_equal(table->cursor, 1);
    app_click(app, 3, y + 2); // too late for a double click: no view opens
    assert_int_equal(app->places->depth, depth);
    app_point(app, KEY_DOUBLE_CLICK, 3, y + 2);
    assert_int_equal(app->places->depth, depth + 1);
    app_free(app);
    profile_free(profile);
}

static void test_menus(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "3 F6");
    assert_true(app->menu->is_open);
    struct table *table = &host_top_view(app)->table;
    unsigned sorted = table->sort[0].column;
    app_click(app, app->menu->area.x + 2, app->menu->area.y + 1); // the second entry
    assert_false(app->menu->is_open);
    assert_int_not_equal(table->sort[0].column, sorted);
    press(app, "F6");
    app_click(app, 0, 0); // outside the menu
    assert_false(app->menu->is_open);
    app_free(app);
    profile_free(profile);
}

// A drag over the bars selects the steps in between, as one change.
static void test_drag_over_steps(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "4 a");
    size_t undo = app->undo->at;
    uint32_t count = app->scope->split->count;
    assert_true(count > 4);
    app_point(app, KEY_CLICK, 10, 12); // the first bar begins here
    assert_int_equal(app->places->step, 0);
    int x = 10;
    while (app->places->step < 2) {
        app_point(app, KEY_DRAG, ++x, 12);
        app_draw(app);
    }
    assert_int_equal(app->undo->at, undo); // not until release
    app_point(app, KEY_DROP, x, 12);
    app_draw(app);
    assert_int_equal(app->undo->at, undo + 1);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(host_step_is_selected(app, i), i <= 2);
    press(app, "u");
    // Drags from right to left and off the chart, where the selection no longer changes.
    app_point(app, KEY_CLICK, x, 12);
    app_point(app, KEY_DRAG, 10, 12);
    app_point(app, KEY_DROP, 10, 12);
    assert_true(host_step_is_selected(app, 0) && host_step_is_selected(app, 2));
    assert_false(host_step_is_selected(app, 3));
    press(app, "a");
    app_point(app, KEY_CLICK, x, 12);
    app_point(app, KEY_DROP, 0, 0);
    assert_true(host_step_is_selected(app, 3));
    double_click(app, "median"); // not a bar: no view opens
    assert_string_equal(host_top_view(app)->class->name, "iterations");
    press(app, "g");
    app_point(app, KEY_CLICK, 10, 12);
    app_point(app, KEY_DOUBLE_CLICK, 10, 12);
    app_draw(app);
    assert_string_equal(host_top_view(app)->class->name, "tree");
    app_free(app);
    profile_free(profile);
}

// A press on a tab, on a hint or on an empty cell does not begin a drag of the chart.
static void test_drag_from_elsewhere(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "4 a");
    size_t undo = app->undo->at;
    point_at(app, KEY_CLICK, 10, 12);
    click(app, "4 Iter"); // ends the press before
    point_at(app, KEY_DRAG, 20, 12);
    point_at(app, KEY_DROP, 20, 12);
    assert_int_equal(app->undo->at, undo);
    click(app, "3 Kern");
    click(app, "4 Iter");
    point_at(app, KEY_DRAG, 20, 12);
    point_at(app, KEY_DROP, 20, 12);
    assert_int_equal(app->undo->at, undo);
    app_free(app);
    profile_free(profile);
}

// The wheel moves what is under the pointer and does not open, close or change anything.
static void test_wheel_everywhere(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct app *app = app_on(profile, 100, 30);
    static const uint32_t others[] = {KEY_WHEEL_LEFT, KEY_WHEEL_RIGHT, KEY_ZOOM_IN_WHEEL,
                                      KEY_ZOOM_OUT_WHEEL};
    press(app, "3 g");
    struct table *table = &host_top_view(app)->table;
    point_at(app, KEY_WHEEL_DOWN, 50, 15);
    assert_int_equal(table->cursor, 1);
    point_at(app, KEY_WHEEL_UP, 50, 15);
    assert_int_equal(table->cursor, 0);
    point_at(app, KEY_ZOOM_IN_WHEEL, 50, 15); // no effect here, and no message
    assert_string_equal(app->messages->text, "");
    press(app, "F6"); // a menu
    size_t chosen = app->menu->cursor;
    point_at(app, KEY_WHEEL_DOWN, 0, 0);
    assert_int_equal(app->menu->cursor, chosen + 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        point_at(app, others[i], 50, 15);
    assert_true(app->menu->is_open && app->menu->cursor == chosen + 1);
    press(app, "Esc 4 K"); // an explanation
    point_at(app, KEY_WHEEL_DOWN, 50, 15);
    assert_true(app->box->is_open && app->box->top == 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        point_at(app, others[i], 50, 15);
    assert_true(app->box->is_open);
    press(app, "Esc ?"); // the help
    table = &host_top_view(app)->table;
    size_t cursor = table->cursor;
    point_at(app, KEY_WHEEL_DOWN, 5, 15);
    assert_int_equal(table->cursor, cursor + 1);
    press(app, "Esc 3 f c o p y"); // a prompt: neither its text nor the rows below it change
    table = &host_top_view(app)->table;
    cursor = table->cursor;
    for (uint32_t key = KEY_WHEEL_UP; key <= KEY_ZOOM_OUT_WHEEL; key++)
        point_at(app, key, 50, 15);
    assert_int_equal(app->prompt->kind, PROMPT_FILTER);
    assert_string_equal(app->prompt->text, "copy");
    assert_int_equal(table->cursor, cursor);
    press(app, "Esc");
    prompt_open(app, PROMPT_OVERWRITE, "file.csv"); // a question, which the wheel does not answer
    point_at(app, KEY_WHEEL_DOWN, 50, 15);
    assert_int_equal(app->prompt->kind, PROMPT_OVERWRITE);
    assert_true(canvas_resize(app->canvas, 80, 18, NULL));
    press(app, "n g d"); // the details of a row, longer than the screen
    cursor = table->cursor;
    point_at(app, KEY_WHEEL_DOWN, 50, app_content(app).y + app_content(app).height - 2);
    assert_int_equal(table->detail_top, 1);
    point_at(app, KEY_WHEEL_UP, 50, app_content(app).y + app_content(app).height - 2);
    assert_int_equal(table->detail_top, 0);
    assert_int_equal(table->cursor, cursor);
    point_at(app, KEY_WHEEL_DOWN, 50, app_content(app).y + 3);
    assert_int_equal(table->cursor, cursor + 1);
    assert_true(canvas_resize(app->canvas, 100, 30, NULL));
    press(app, "d S"); // a split view
    struct view *front = host_front_view(app);
    assert_non_null(front->pane);
    point_at(app, KEY_WHEEL_DOWN, 50, front->pane->list.y + 2);
    assert_true(front->has_keys);
    assert_int_equal(front->pane->table.cursor, 1);
    cursor = table->cursor;
    point_at(app, KEY_WHEEL_UP, 50, front->list.y + 2);
    assert_false(front->has_keys);
    assert_int_equal(table->cursor, cursor - 1);
    app_free(app);
    profile_free(profile);
}

static const struct {
    int width, height;
} sizes[] = {{80, 24}, {200, 50}};

// Returns the line of the screen at which a row of the top table is.
static int line_of(const struct app *app, size_t row)
{
    const struct view *view = host_top_view(app);
    return view->list.y + 1 + (int)(row - view->table.top);
}

// A drag over rows marks them as V and Space do, also upwards and beyond the edge; Esc drops it. A
// drag over steps selects them.
static void test_drag_over_rows(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct app *app = app_on(profile, sizes[i].width, sizes[i].height);
        app_command_line(app, "view launches");
        app_draw(app);
        struct table *table = &host_top_view(app)->table;
        point_at(app, KEY_CLICK, 5, line_of(app, 5));
        point_at(app, KEY_DRAG, 6, line_of(app, 5)); // still on the same row
        point_at(app, KEY_DROP, 6, line_of(app, 5));
        assert_int_equal(table_marked_count(table), 0);
        point_at(app, KEY_CLICK, 5, line_of(app, 5));
        point_at(app, KEY_DRAG, 5, line_of(app, 3));
        assert_non_null(strstr(app->messages->text, "let go: marks 3 rows"));
        point_at(app, KEY_DRAG, 5, line_of(app, 2));
        press(app, "Esc");
        point_at(app, KEY_DROP, 5, line_of(app, 2));
        assert_int_equal(table_marked_count(table), 0);
        assert_false(table->marks.has_span);
        point_at(app, KEY_CLICK, 5, line_of(app, 5));
        point_at(app, KEY_DRAG, 5, line_of(app, 2));
        point_at(app, KEY_DROP, 5, line_of(app, 2));
        assert_int_equal(table_marked_count(table), 4);
        for (uint32_t row = 0; row < 8; row++)
            assert_int_equal(row_is_marked(table, table->shown[row]), row >= 2 && row <= 5);
        press(app, "Esc");
        size_t top = table->top, last = top + (size_t)table->page - 1;
        point_at(app, KEY_CLICK, 5, line_of(app, last));
        for (int moves = 0; moves < 4; moves++) // below the list each move adds a row
            point_at(app, KEY_DRAG, 5, sizes[i].height - 1);
        assert_int_equal(table->top, top + 4);
        press(app, "Esc 4 a F F");
        assert_string_equal(host_top_view(app)->class->name, "steps");
        table = &host_top_view(app)->table;
        assert_true(table->shown_count > 4);
        uint64_t first = table_row_id(table, table->shown[1]);
        point_at(app, KEY_CLICK, 5, line_of(app, 1));
        point_at(app, KEY_DRAG, 5, line_of(app, 3));
        assert_non_null(strstr(app->messages->text, "let go: the set of 3 steps"));
        size_t undo = app->undo->at;
        point_at(app, KEY_DROP, 5, line_of(app, 3));
        assert_int_equal(app->undo->at, undo + 1);
        uint32_t members = 0;
        for (uint32_t step = 0; step < app->scope->split->count; step++)
            members += host_step_is_selected(app, step);
        assert_int_equal(members, 3);
        assert_true(host_step_is_selected(app, (uint32_t)first));
        assert_false(host_top_view(app)->table.marks.has_span);
        press(app, "?"); // the help has no marks
        point_at(app, KEY_CLICK, 5, line_of(app, 5));
        point_at(app, KEY_DRAG, 5, line_of(app, 2));
        point_at(app, KEY_DROP, 5, line_of(app, 2));
        assert_false(host_top_view(app)->table.marks.has_span);
        app_free(app);
    }
    profile_free(profile);
}

// A click on the fold sign of a row folds or unfolds it; elsewhere it selects the row.
static void test_fold_signs(void **state)
{
    static const uint32_t clicks[] = {KEY_CLICK, KEY_DOUBLE_CLICK};
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct app *app = app_on(profile, sizes[i].width, sizes[i].height);
        press(app, "2 C");
        struct table *table = &host_top_view(app)->table;
        for (int round = 0; round < 8; round++) { // one level deeper each time
            int x, y;
            if (!find_text(app, "▸", &x, &y))
                break;
            size_t row = table->top + (size_t)(y - host_top_view(app)->list.y - 1);
            size_t shown = table->shown_count, depth = app->places->depth;
            uint64_t id = table_row_id(table, table->shown[row]);
            point_at(app, KEY_CLICK, x + 3, y);
            assert_int_equal(table->cursor_id, id);
            assert_int_equal(table->shown_count, shown);
            for (size_t c = 0; c < 2; c++) { // a click unfolds, the second folds
                point_at(app, clicks[c], x + (int)c, y);
                assert_int_equal(table->cursor_id, id);
                assert_int_equal(table->shown_count > shown, c == 0);
                assert_int_equal(app->places->depth, depth);
            }
            point_at(app, KEY_CLICK, x, y);
        }
        assert_true(table->shown_count > 8);
        app_free(app);
    }
    profile_free(profile);
}

// In the findings a click selects and a double click opens; on the sign it folds.
static void test_findings(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct app *app = app_on(profile, sizes[i].width, sizes[i].height);
        press(app, "5 G");
        int x, y;
        assert_true(find_text(app, "▸", &x, &y));
        point_at(app, KEY_CLICK, x + 5, y);
        assert_true(find_text(app, "▸", &x, &y));
        point_at(app, KEY_CLICK, x, y);
        assert_true(find_text(app, "▾", &x, &y));
        press(app, "g");
        assert_true(find_text(app, " 2 ", &x, &y));
        point_at(app, KEY_CLICK, 40, app_content(app).y + 2);
        const struct finding *chosen = view_expert.finding(host_top_view(app));
        assert_ptr_equal(chosen, &host_findings(app)->items[1]);
        point_at(app, KEY_DOUBLE_CLICK, 40, app_content(app).y + 2);
        assert_string_not_equal(host_top_view(app)->class->name, "expert");
        app_free(app);
    }
    profile_free(profile);
}

// In a pane a click acts as on the whole screen, relative to the view's place.
static void test_findings_in_a_pane(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    static const char *const sides[] = {"beside", "below"};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        struct app *app = app_on(profile, 170, 48);
        char command[40];
        int x, y;
        press(app, "3");
        snprintf(command, sizeof command, "pane-turn %s", sides[i]);
        app_command_line(app, "pane expert");
        app_command_line(app, command);
        press(app, "g");
        const struct finding *second = &host_findings(app)->items[1];
        char begins[16];
        snprintf(begins, sizeof begins, "%s", second->problem);
        assert_true(find_text(app, begins, &x, &y));
        point_at(app, KEY_CLICK, x, y);
        assert_ptr_equal(view_expert.finding(host_top_view(app)), second);
        press(app, "G");
        assert_true(find_text(app, "▸ DLProf", &x, &y));
        point_at(app, KEY_CLICK, x, y);
        assert_true(find_text(app, "▾ DLProf", &x, &y));
        app_command_line(app, "view timeline");
        app_draw(app);
        assert_true(find_text(app, "GPU 0 all", &x, &y));
        point_at(app, KEY_CLICK, x, y);
        assert_true(find_text(app, "▶ GPU 0 all", &x, &y));
        app_free(app);
    }
    profile_free(profile);
}

// The wheel over the text of a finding scrolls the text and not the list.
static void test_finding_text(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct app *app = app_on(profile, 80, 16);
    int x, y;
    press(app, "5");
    const struct finding *chosen = view_expert.finding(host_top_view(app));
    assert_true(find_text(app, "What  ", &x, &y));
    point_at(app, KEY_WHEEL_DOWN, x, y);
    assert_false(find_text(app, "What  ", &x, &y));
    assert_true(find_text(app, "U back", &x, &y));
    point_at(app, KEY_WHEEL_UP, 5, app_content(app).y + 8);
    assert_true(find_text(app, "What  ", &x, &y));
    assert_ptr_equal(view_expert.finding(host_top_view(app)), chosen);
    // A key scrolls to its end; the text of another finding starts at its first line.
    press(app, "D D D D");
    assert_true(find_text(app, "Proof  ", &x, &y));
    press(app, "j");
    assert_true(find_text(app, "What  ", &x, &y));
    app_free(app);
    profile_free(profile);
}

// Tabs, hints, F-keys, heads, filter terms and bars at both sizes.
static void test_everything_at_both_sizes(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct app *app = app_on(profile, sizes[i].width, sizes[i].height);
        for (char digit = '0'; digit <= '9'; digit++) {
            const struct view_class *class = view_class_find((char[]){digit, 0});
            char text[40];
            snprintf(text, sizeof text, "%c %s", digit, i == 0 ? class->tab : class->title);
            click(app, text);
            assert_int_equal(host_top_view(app)->class->digit, digit);
        }
        click(app, "3 Kern");
        struct table *table = &host_top_view(app)->table;
        click(app, "calls");
        assert_string_equal(table->report->columns[table->sort[0].column].key, "calls");
        bool descends = table->sort[0].descending;
        click(app, "calls");
        assert_int_not_equal(table->sort[0].descending, descends);
        app_command_line(app, "filter !copy calls>2");
        app_draw(app);
        assert_int_equal(table->filter.count, 2);
        click(app, "[!copy]");
        assert_string_equal(table->filter_text, "calls>2");
        click(app, "[calls>2]");
        assert_int_equal(table->filter.count, 0);
        click(app, "v names");
        assert_true(shows(app, "kernels by short name"));
        click(app, "F6 Sort");
        assert_true(app->menu->is_open);
        press(app, "Esc");
        click(app, "4 Iter");
        press(app, "a");
        int x = 10, y = app_content(app).y + 6;
        point_at(app, KEY_CLICK, x, y);
        while (app->places->step < 3)
            point_at(app, KEY_DRAG, ++x, y);
        point_at(app, KEY_DROP, x, y);
        for (uint32_t step = 0; step < app->scope->split->count; step++)
            assert_int_equal(host_step_is_selected(app, step), step <= 3);
        size_t depth = app->places->depth;
        click(app, "F10 Quit");
        assert_int_equal(app->places->depth, depth - 1);
        app_free(app);
    }
    profile_free(profile);
}

static void test_summary_rows(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct app *app = app_on(profile, 80, 24);
    click(app, "layers.* x24 > attn");
    press(app, "Enter");
    assert_true(app->places->depth > 1);
    assert_true(shows(app, "› layers.* x24 › attn") || shows(app, "attn ›"));
    press(app, "Esc");
    assert_int_equal(app->places->depth, 1);
    double_click(app, "layers.* x24 > mlp");
    assert_true(app->places->depth > 1);
    assert_true(shows(app, "› layers.* x24 › mlp") || shows(app, "mlp ›"));
    app_free(app);
    profile_free(profile);
}

static void test_toggled(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 80, 24);
    assert_true(app->mouse->is_on);
    press(app, "M");
    assert_false(app->mouse->is_on);
    app_command_line(app, "mouse");
    assert_true(app->mouse->is_on);
    app_free(app);
    struct app_options options = app_defaults;
    options.no_mouse = true;
    app = app_with(&options, profile, 80, 24);
    assert_false(app->mouse->is_on);
    app_free(app);
    profile_free(profile);
}

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tabs_and_footer),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_menus),
        cmocka_unit_test(test_drag_over_steps),
        cmocka_unit_test(test_summary_rows),
        cmocka_unit_test(test_toggled),
        cmocka_unit_test(test_drag_over_rows),
        cmocka_unit_test(test_fold_signs),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_findings_in_a_pane),
        cmocka_unit_test(test_finding_text),
        cmocka_unit_test(test_everything_at_both_sizes),
        cmocka_unit_test(test_drag_from_elsewhere),
        cmocka_unit_test(test_wheel_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
