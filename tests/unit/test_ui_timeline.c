// SPDX-License-Identifier: Apache-2.0
// Checks the timeline on the screen: from rows to their places and back, zoom, moves and search.

#include <stdlib.h>
#include <string.h>

#include "model/profile/loader.h"
#include "nsys_fixture.h"
#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/view.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/timeline/timeline_view.h"
#include "ui_screen.h"

static const struct timeline_state *state_of(const struct app *app)
{
    assert_ptr_equal(host_top_view(app)->class, &view_timeline);
    return host_top_view(app)->state;
}

static const struct timeline *timeline_in(struct app *app)
{
    return timeline_lines_of(host_top_view(app)).timeline;
}

// Returns the row of the table that is selected, or ROW_NONE.
static uint32_t chosen_row(struct app *app)
{
    const struct timeline_state *state = state_of(app);
    const struct lane *lane = timeline_lane(state, timeline_in(app));
    return lane && state->at.item < lane->count ? lane_row(lane, state->at.item) : ROW_NONE;
}

// The window is inside the run, the selected lane on screen, and the item in the lane.
static void assert_settled(struct app *app)
{
    const struct timeline_state *state = state_of(app);
    struct timeline_lines lines = timeline_lines_of(host_top_view(app));
    assert_true(state->from >= lines.timeline->from && state->to <= lines.timeline->to);
    assert_true(state->to > state->from);
    const struct lane *lane = timeline_lane(state, lines.timeline);
    if (!lane) {
        assert_int_equal(lines.count, 0);
        return;
    }
    size_t line = timeline_line_of(&lines, state->at.lane);
    assert_true(line != SIZE_MAX && lane_has_items(lane));
    assert_true(state->at.item == ROW_NONE || state->at.item < lane->count);
    if (state->lines > 0)
        assert_true(line >= state->top && line < state->top + (size_t)state->lines);
}

// t and t again, or Esc, return exactly to the former place.
static void test_there_and_back(void **state)
{
    static const char *const ways[] = {
        "3",     "3 j j", "3 j Enter", "3 j j Enter j j", "2 l l j", "4 l l",   "4 F F j",   "5",
        "5 j",   "8",     "9 j",       "9 j Enter j",     "1",       "1 Tab j", "1 Tab Tab", "3 F",
        "3 F F",
    };
    (void)state;
    struct profile *profile = scenario_open("plain");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct app *app = app_on(profile, 100, 30);
        press(app, ways[i]);
        char *before = picture(app);
        size_t depth = app->places->depth;
        press(app, "t");
        if (host_top_view(app)->class != &view_timeline)
            fail_msg("t after %s: %s", ways[i], app->messages->text);
        assert_int_equal(app->places->depth, depth + 1);
        assert_settled(app);
        press(app, i % 2 ? "t" : "Esc");
        char *after = picture(app);
        assert_string_equal(screen_body(after), screen_body(before));
        free(after);
        free(before);
        app_free(app);
    }
    profile_free(profile);
}

// For a kernel t selects its longest launch, for a launch that launch, with the launching call on
// screen.
static void test_longest_launch_is_selected(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "3 j Enter j j");
    uint32_t row = (uint32_t)host_top_view(app)->table.cursor_id;
    press(app, "t");
    assert_int_equal(chosen_row(app), row);
    assert_true(state_of(app)->from <= AT(profile->work.start, row));
    assert_true(state_of(app)->to >= AT(profile->work.end, row));
    press(app, "t Backspace t");
    uint32_t longest = chosen_row(app);
    assert_non_null(strstr(app->messages->text, "the longest of"));
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (AT(profile->work.function, w) == AT(profile->work.function, longest))
            assert_true(work_duration(profile, w) <= work_duration(profile, longest));
    // Enter continues to the launch itself with all its figures.
    press(app, "Enter");
    assert_int_equal(host_top_view(app)->table.cursor_id, longest);
    assert_true(host_top_view(app)->table.has_detail);
    app_free(app);
    profile_free(profile);
}

// Zooms in from the whole run to 1 ns per column and out again; the selection stays in view.
static void test_zoom(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "6 l l l");
    uint32_t row = chosen_row(app);
    const struct timeline *timeline = timeline_in(app);
    for (int i = 0; i < 60; i++) {
        press(app, "+");
        assert_settled(app);
        assert_true(state_of(app)->from < AT(profile->work.end, row));
        assert_true(state_of(app)->to > AT(profile->work.start, row));
    }
    assert_int_equal(state_of(app)->to - state_of(app)->from, state_of(app)->cells);
    for (int i = 0; i < 60; i++)
        press(app, "-");
    assert_true(state_of(app)->from == timeline->from && state_of(app)->to == timeline->to);
    press(app, "z");
    int64_t fitted = state_of(app)->to - state_of(app)->from;
    assert_true(fitted >= work_duration(profile, row));
    assert_true(fitted <= 2 * work_duration(profile, row) + state_of(app)->cells);
    press(app, "z");
    assert_true(state_of(app)->from == timeline->from && state_of(app)->to == timeline->to);
    app_free(app);
    profile_free(profile);
}

// > visits all items of a lane, and l always moves.
static void test_items(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 30);
    press(app, "6 g");
    const struct lane *lane = timeline_lane(state_of(app), timeline_in(app));
    for (uint32_t i = 0; i < lane->count; i++) {
        assert_int_equal(state_of(app)->at.item, i);
        press(app, ">");
    }
    assert_non_null(strstr(app->messages->text, "the last of this lane"));
    press(app, "g");
    for (uint32_t at = 0; at + 1 < lane->count; at = state_of(app)->at.item) {
        press(app, "l");
        assert_true(state_of(app)->at.item > at);
        assert_settled(app);
    }
    for (uint32_t at = lane->count - 1; at > 0; at = state_of(app)->at.item) {
        press(app, "h");
        assert_true(state_of(app)->at.item < at);
        assert_settled(app);
    }
    app_free(app);
    profile_free(profile);
}

// An index beyond the lane's items, as after the lanes are rebuilt with fewer.
static void test_item_beyond_the_lane(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 40);
    press(app, "6 g");
    ((struct timeline_state *)host_top_view(app)->state)->at.item = ROW_NONE - 1;
    app_draw(app);
    assert_true(shows(app, "On screen"));
    app_free(app);
    profile_free(profile);
}

// w selects the call that launched the kernel, and from the call the kernel.
static void test_link(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "6 l l l");
    uint32_t work = chosen_row(app), call = AT(profile->work.launch, work);
    assert_true(call != ROW_NONE);
    press(app, "w");
    assert_int_equal(timeline_lane(state_of(app), timeline_in(app))->kind, LANE_CALLS);
    assert_int_equal(chosen_row(app), call);
    assert_settled(app);
    press(app, "w");
    assert_int_equal(chosen_row(app), work);
    // After fitting, both ends are on screen and the line is drawn between them.
    press(app, "t 3 Enter t");
    assert_true(shows(app, "●") && shows(app, "▼"));
    // An item that neither launches nor is launched gives a message.
    press(app, "k k k k k k k k k k k k w");
    assert_non_null(strstr(app->messages->text, "launches nothing"));
    app_free(app);
    profile_free(profile);
}

static int64_t chosen_start(struct app *app)
{
    return lane_start(timeline_lane(state_of(app), timeline_in(app)), state_of(app)->at.item);
}

// Search visits matches in order of time over all lanes, each once, and wraps around.
static void test_search(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("tiny");
    struct app *app = app_on(profile, 100, 30);
    size_t wanted = 0, found = 0;
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        wanted += strncmp(profile_text(profile, range_name(&profile->ranges, r)), "step", 4) == 0;
    assert_true(wanted > 1);
    press(app, "6");
    app_command_line(app, "search ^step");
    assert_non_null(strstr(app->messages->text, "found, in order of time"));
    int64_t first = chosen_start(app), before = first;
    do {
        const struct lane *lane = timeline_lane(state_of(app), timeline_in(app));
        assert_int_equal(lane->kind, LANE_RANGES);
        assert_true(chosen_start(app) >= before);
        before = chosen_start(app);
        found++;
        press(app, "n");
    } while (chosen_start(app) != first && found <= wanted);
    assert_int_equal(found, wanted);
    assert_non_null(strstr(app->messages->text, "from the beginning"));
    press(app, "N");
    assert_int_equal(chosen_start(app), before);
    app_command_line(app, "search no such thing");
    assert_non_null(strstr(app->messages->text, "not found"));
    assert_int_equal(chosen_start(app), before);
    app_command_line(app, "search [");
    assert_true(app->messages->is_error);
    press(app, "/");
    assert_int_equal(app->prompt->kind, PROMPT_SEARCH);
    app_free(app);
    profile_free(profile);
}

// Finds an item that fills several cells in the first lane on screen that has one. Returns the
// lane's index, with the middle of the item in `x` and `y`.
static size_t wide_item(struct app *app, int *x, int *y, uint32_t *item)
{
    const struct timeline_state *state = state_of(app);
    struct timeline_layout layout = timeline_layout_of(host_top_view(app), app_content(app));
    struct timeline_lines lines = timeline_lines_of(host_top_view(app));
    struct lane_cell cells[400];
    assert_true(layout.cells < 400);
    for (size_t i = 0; i < (size_t)layout.lines && state->top + i < lines.count; i++) {
        const struct lane *lane = &lines.timeline->lanes[lines.lanes[state->top + i]];
        if (!lane_has_items(lane))
            continue;
        lane_cells(lines.timeline, lane, state->from, state->to, layout.cells, cells);
        for (uint32_t c = 1; c + 1 < layout.cells; c++) {
            bool is_wide = cells[c].item != ROW_NONE && cells[c - 1].item == cells[c].item &&
                           cells[c + 1].item == cells[c].item;
            if (!is_wide)
                continue;
            *x = layout.x + (int)c;
            *y = layout.lanes + (int)i;
            *item = cells[c].item;
            return lines.lanes[state->top + i];
        }
    }
    fail_msg("nothing fills three cells");
    return SIZE_MAX;
}

// A click selects the item drawn there, or the lane if it is on its name; a double click opens it.
static void test_clicks(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "6 ]");
    struct timeline_layout layout = timeline_layout_of(host_top_view(app), app_content(app));
    int x, y;
    uint32_t item;
    size_t lane = wide_item(app, &x, &y, &item);
    point_at(app, KEY_CLICK, x, y);
    assert_int_equal(state_of(app)->at.lane, lane);
    assert_int_equal(state_of(app)->at.item, item);
    assert_settled(app);
    point_at(app, KEY_CLICK, 3, y); // on the name: no item is selected
    assert_int_equal(state_of(app)->at.lane, lane);
    assert_int_equal(state_of(app)->at.item, ROW_NONE);
    size_t depth = app->places->depth;
    point_at(app, KEY_CLICK, x, layout.ruler);
    point_at(app, KEY_DOUBLE_CLICK, x, layout.ruler); // not a lane
    assert_int_equal(app->places->depth, depth);
    point_at(app, KEY_CLICK, x, y);
    point_at(app, KEY_DOUBLE_CLICK, x, y);
    assert_int_equal(app->places->depth, depth + 1);
    assert_true(host_top_view(app)->class != &view_timeline);
    app_free(app);
    profile_free(profile);
}

// The wheel moves through lanes as through rows. Over the ruler or with Control it zooms around the
// pointer; sideways it moves in time.
static void test_wheel(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "6");
    struct timeline_layout layout = timeline_layout_of(host_top_view(app), app_content(app));
    size_t lane = state_of(app)->at.lane;
    int64_t whole = state_of(app)->to - state_of(app)->from;
    point_at(app, KEY_WHEEL_UP, layout.x + 20, layout.lanes + 1);
    assert_true(state_of(app)->at.lane < lane);
    point_at(app, KEY_WHEEL_DOWN, 2, layout.lanes + 1);
    assert_int_equal(state_of(app)->at.lane, lane);
    assert_int_equal(state_of(app)->to - state_of(app)->from, whole);
    static const struct {
        uint32_t in, out;
        bool is_ruler;
    } ways[] = {{KEY_WHEEL_UP, KEY_WHEEL_DOWN, true},
                {KEY_ZOOM_IN_WHEEL, KEY_ZOOM_OUT_WHEEL, true},
                {KEY_ZOOM_IN_WHEEL, KEY_ZOOM_OUT_WHEEL, false}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (uint32_t column = 0; column < layout.cells; column += 13) {
            int x = layout.x + (int)column, y = ways[i].is_ruler ? layout.ruler : layout.lanes + 2;
            for (int times = 0; times < 70; times++) {
                int64_t from = timeline_cell_from(state_of(app)->from, state_of(app)->to,
                                                  layout.cells, column),
                        to = timeline_cell_from(state_of(app)->from, state_of(app)->to,
                                                layout.cells, column + 1),
                        under = from + (to - from) / 2;
                point_at(app, ways[i].in, x, y);
                assert_settled(app);
                uint32_t now =
                    timeline_cell_of(state_of(app)->from, state_of(app)->to, layout.cells, under);
                assert_in_range(now + 1, column, column + 2);
            }
            assert_int_equal(state_of(app)->at.lane, lane);
            assert_int_equal(state_of(app)->to - state_of(app)->from, layout.cells);
            for (int times = 0; times < 70; times++)
                point_at(app, ways[i].out, x, y);
            assert_int_equal(state_of(app)->to - state_of(app)->from, whole);
        }
    }
    point_at(app, KEY_ZOOM_IN_WHEEL, layout.x + 40, layout.lanes);
    int64_t from = state_of(app)->from, span = state_of(app)->to - from;
    point_at(app, KEY_WHEEL_RIGHT, layout.x + 40, layout.lanes);
    assert_int_equal(state_of(app)->from, from + span / 8);
    point_at(app, KEY_WHEEL_LEFT, layout.x + 40, layout.lanes);
    assert_int_equal(state_of(app)->from, from);
    assert_int_equal(state_of(app)->to, from + span);
    app_free(app);
    profile_free(profile);
}

// A drag selects the time that fills the width; Esc drops it, and afterwards reverts it.
static void test_drag(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "3 6");
    struct timeline_layout layout = timeline_layout_of(host_top_view(app), app_content(app));
    int x = layout.x, y = layout.lanes + 1;
    size_t depth = app->places->depth;
    for (int round = 0; round < 3;
         round++) { // dropped by Esc during the drag, after it, or reverted by Backspace
        int64_t from = state_of(app)->from, to = state_of(app)->to;
        int left = round == 1 ? x + 50 : x + 20, right = round == 1 ? x + 20 : x + 50;
        int64_t wanted_from = timeline_cell_from(from, to, layout.cells, 20);
        int64_t wanted_to = timeline_cell_from(from, to, layout.cells, 51);
        point_at(app, KEY_CLICK, left, y);
        point_at(app, KEY_DRAG, (left + right) / 2, y);
        assert_non_null(strstr(app->messages->text, "let go: "));
        point_at(app, KEY_DRAG, right, layout.ruler);
        const struct cell *line = &app->canvas->cells[layout.ruler * app->canvas->width];
        for (int column = 15; column < 60; column++)
            assert_int_equal((line[x + column].flags & CELL_CURSOR) != 0,
                             column >= 20 && column <= 50);
        assert_true(state_of(app)->from == from && state_of(app)->to == to);
        if (round == 0)
            press(app, "Esc");
        point_at(app, KEY_DROP, right, y);
        assert_false(line[x + 30].flags & CELL_CURSOR);
        assert_int_equal(state_of(app)->from, round == 0 ? from : wanted_from);
        assert_int_equal(state_of(app)->to, round == 0 ? to : wanted_to);
        assert_settled(app);
        if (round > 0)
            press(app, round == 1 ? "Esc" : "Backspace");
        assert_true(state_of(app)->from == from && state_of(app)->to == to);
        assert_int_equal(app->places->depth, depth);
    }
    // Repeated drags beyond both edges, any number of times. Esc reverts as many as are remembered,
    // then leaves.
    for (int i = 0; i < 40; i++) {
        point_at(app, KEY_CLICK, x + 2, y);
        point_at(app, KEY_DRAG, 200, 0);
        point_at(app, KEY_DROP, i % 2 ? 200 : 0, 0);
        assert_settled(app);
    }
    assert_true(state_of(app)->to - state_of(app)->from < timeline_in(app)->to);
    press(app, "z z - - -");
    for (int i = 0; host_top_view(app)->class == &view_timeline; i++) {
        assert_true(i <= MAX_TIMELINE_BACK);
        press(app, "Esc");
    }
    assert_int_equal(app->places->depth, depth - 1);
    // A press on a lane's name or on a tab does not begin a drag.
    press(app, "6");
    int64_t from = state_of(app)->from, to = state_of(app)->to;
    point_at(app, KEY_CLICK, x + 10, y);
    point_at(app, KEY_CLICK, 2, y);
    point_at(app, KEY_DRAG, x + 30, y);
    point_at(app, KEY_DROP, x + 30, y);
    point_at(app, KEY_CLICK, x + 10, y);
    point_at(app, KEY_CLICK, 40, 1);
    press(app, "6");
    point_at(app, KEY_DRAG, x + 30, y);
    point_at(app, KEY_DROP, x + 30, y);
    assert_true(state_of(app)->from == from && state_of(app)->to == to);
    app_free(app);
    profile_free(profile);
}

// A single selected step fills the width; an idle gap is selected as empty time.
static void test_steps_and_gaps(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "6 ]");
    int64_t span = state_of(app)->to - state_of(app)->from;
    assert_true(span < (timeline_in(app)->to - timeline_in(app)->from) / 2);
    press(app, "3 t"); // shows the item it came for and not its step
    assert_true(state_of(app)->to - state_of(app)->from < span / 2);
    press(app, "t a");
    app_command_line(app, "view idle_gaps");
    app_draw(app);
    press(app, "t");
    assert_true(state_of(app)->is_gap);
    const struct timeline *timeline = timeline_in(app);
    const struct lane *lane = timeline_lane(state_of(app), timeline);
    int64_t ns[LANE_CATEGORIES] = {0};
    lane_add(timeline, lane, state_of(app)->gap_from, state_of(app)->gap_to, ns);
    for (int c = 0; c < LANE_CATEGORIES; c++)
        assert_int_equal(ns[c], 0);
    assert_true(shows(app, " idle "));
    press(app, "l"); // the item after it
    assert_true(!state_of(app)->is_gap && chosen_start(app) >= state_of(app)->from);
    app_free(app);
    profile_free(profile);
}

// Random keys at any size and in any scope.
static void test_any_keys(void **state)
{
    static const char *const keys[] = {"h",   "l",    "j", "k", "H", "L", "+", "-",
                                       "z",   "g",    "G", "<", ">", "}", "{", "C-d",
                                       "C-u", "PgDn", "]", "a", "w", "n", "N"};
    struct profile *profile = scenario_open(*state);
    struct app *app = app_on(profile, 80, 24);
    struct random random = {1};
    press(app, "6");
    app_command_line(app, "search a");
    for (int round = 0; round < random_rounds(400); round++) {
        if (random_below(&random, 20) == 0)
            canvas_resize(app->canvas, 30 + (int)random_below(&random, 180),
                          8 + (int)random_below(&random, 50), NULL);
        press(app, keys[random_below(&random, sizeof keys / sizeof *keys)]);
        uint32_t mouse =
            KEY_WHEEL_UP + (uint32_t)random_below(&random, KEY_DROP - KEY_WHEEL_UP + 1);
        int y = 3 + (int)random_below(&random, (size_t)app->canvas->height); // below the tabs
        if (mouse != KEY_DOUBLE_CLICK && y < app->canvas->height - 2)
            point_at(app, mouse, (int)random_below(&random, (size_t)app->canvas->width), y);
        if (app->canvas->height >= 12)
            assert_settled(app);
    }
    app_free(app);
    profile_free(profile);
}

// Enter on each kind of item. A range that another thread ended has no place in the tree.
static void test_enter(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid,endGlobalTid) VALUES"
        " (10,90,60,'away',tid(1, 1),tid(1, 2)),"
        " (20,80,59,'home',tid(1, 1),NULL);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (30,40,tid(1, 1),1,1);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,contextId,streamId,"
        " correlationId,globalPid,demangledName,shortName) VALUES (50,70,0,1,7,1,pid(1),2,3);");
    static const struct {
        const char *search, *opens; // NULL: it opens no view
    } cases[] = {{"home", "ops"}, {"cudaLaunch", "api"}, {"gemm", "launches"}, {"away", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct app *app = app_on(profile, 100, 30);
        char command[60];
        snprintf(command, sizeof command, "search %s", cases[i].search);
        press(app, "6");
        do_command(app, command);
        assert_settled(app);
        press(app, "Enter");
        if (cases[i].opens)
            assert_string_equal(host_top_view(app)->report->name, cases[i].opens);
        else
            assert_non_null(strstr(app->messages->text, "in no place of the tree"));
        app_free(app);
    }
    profile_free(profile);
    nsys_remove(NULL);
}

// The lane of GPU memory opens its events at the selected one.
static void test_enter_memory(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("memory");
    struct app *app = app_on(profile, 120, 40);
    press(app, "6");
    const struct timeline *timeline = timeline_in(app);
    for (size_t i = 0; i < timeline->count; i++) {
        const struct lane *lane = timeline_lane(state_of(app), timeline);
        if (lane->kind == LANE_MEMORY)
            break;
        press(app, "j");
    }
    const struct lane *lane = timeline_lane(state_of(app), timeline);
    assert_int_equal(lane->kind, LANE_MEMORY);
    uint32_t device = lane->device;
    press(app, "l l");
    uint32_t event = chosen_row(app);
    press(app, "Enter");
    const struct view *view = host_top_view(app);
    assert_string_equal(view->report->name, "allocation_events");
    assert_int_equal(view->table.cursor_id, event);
    assert_int_equal(profile->memory.device[event], device);
    app_free(app);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_longest_launch_is_selected),
        cmocka_unit_test(test_zoom),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_item_beyond_the_lane),
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_enter),
        cmocka_unit_test(test_enter_memory),
        cmocka_unit_test(test_clicks),
        cmocka_unit_test(test_wheel),
        cmocka_unit_test(test_drag),
        cmocka_unit_test(test_steps_and_gaps),
        cmocka_unit_test_prestate(test_any_keys, "tiny"),
        cmocka_unit_test_prestate(test_any_keys, "ddp --steps=3"),
        cmocka_unit_test_prestate(test_any_keys, "hostile"),
        cmocka_unit_test_prestate(test_any_keys, "deep"),
        cmocka_unit_test_prestate(test_any_keys, "cpuonly"),
        cmocka_unit_test_prestate(test_any_keys, "serving"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
