// SPDX-License-Identifier: Apache-2.0
// Checks the flame view: widths follow the times of the op tree, and navigation, zoom, and
// following the tree's filter and rows.

#include <stdlib.h>
#include <string.h>

#include "analysis/report/stats.h"
#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/flame/flame_layout.h"
#include "ui/flame/flame_view.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/timeline/timeline_view.h"
#include "ui_screen.h"

static struct flame_scene scene_in(struct app *app)
{
    assert_ptr_equal(host_top_view(app)->class, &view_flame);
    return flame_scene_of(host_top_view(app));
}

static const struct flame_state *state_in(struct app *app)
{
    return host_top_view(app)->state;
}

static int64_t figure(struct app *app, const char *key, const void *row)
{
    const struct column *column = report_column(host_top_view(app)->report, key);
    assert_non_null(column);
    struct value value = column->get(row);
    assert_int_equal(value.kind, VALUE_INTEGER);
    return value.integer;
}

static const char *name_of(struct app *app, uint32_t node)
{
    return table_row_name(&host_top_view(app)->table, flame_row(host_top_view(app), node));
}

static const char *chosen_name(struct app *app)
{
    return name_of(app, scene_in(app).node);
}

static void choose(struct app *app, const char *name)
{
    char line[200];
    snprintf(line, sizeof line, "row %s", name);
    do_command(app, line);
    assert_string_equal(chosen_name(app), name);
}

// Checks against the tree that children plus own time fill a box, in ns and in cells.
static void assert_adds_up(struct app *app)
{
    struct flame_scene scene = scene_in(app);
    const struct flame_tree *tree = &state_in(app)->tree;
    bool has_filter = host_top_view(app)->table.filter.count > 0;
    for (uint32_t node = 1; node < tree->count; node++) {
        const void *row = flame_row(host_top_view(app), node);
        assert_int_equal(tree->ns[node], figure(app, "gpu", row));
        int64_t sum = figure(app, "self", row);
        for (uint32_t c = node + 1; c < tree->end[node]; c = tree->end[c])
            sum += tree->ns[c];
        assert_true(has_filter ? sum <= tree->ns[node] : sum == tree->ns[node]);
    }
    for (uint32_t l = 1; l < scene.flame.count; l++) {
        const struct flame_level *above = &scene.flame.levels[l - 1];
        int used[1000] = {0}, end = 0;
        assert_true(above->count < 1000);
        for (uint32_t i = 0; i < scene.flame.levels[l].count; i++) {
            const struct flame_box *box = &scene.flame.levels[l].boxes[i];
            assert_true(box->x >= end && box->width > 0);
            end = box->x + box->width;
            used[box->above] += box->width;
        }
        for (uint32_t i = 0; i < above->count; i++) {
            const struct flame_box *box = &above->boxes[i];
            assert_true(used[i] <= box->width);
            // Without own time the children take all cells.
            bool is_whole = box->node == FLAME_WHOLE || box->more || has_filter;
            if (used[i] > 0 && !is_whole &&
                figure(app, "self", flame_row(host_top_view(app), box->node)) == 0)
                assert_int_equal(used[i], box->width);
        }
    }
}

static void test_widths_are_the_trees_times(void **state)
{
    static const char *const scenarios[] = {"plain", "tiny", "ddp --steps=3", "hostile"};
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        struct profile *profile = scenario_open(scenarios[i]);
        for (int width = 30; width < (run_is_quick() ? 60 : 220); width += 23) {
            struct app *app = app_on(profile, width, 24);
            do_command(app, "view flame");
            assert_adds_up(app);
            press(app, "o");
            assert_adds_up(app);
            press(app, "4 j Enter , ");
            do_command(app, "view flame");
            assert_adds_up(app);
            do_command(app, "filter a");
            assert_adds_up(app);
            app_free(app);
        }
        profile_free(profile);
    }
}

// Goes from any row of the tree to its box and back to the same screen.
static void test_there_and_back(void **state)
{
    static const char *const ways[] = {"2",     "2 j j",  "2 C",     "2 E j j j j j", "2 o E j j j",
                                       "2 ; j", "2 j = ", "2 % j j", "2 # j"};
    (void)state;
    struct profile *profile = scenario_open("plain");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct app *app = app_on(profile, 100, 30);
        press(app, ways[i]);
        if (app->menu->is_open)
            press(app, "Enter");
        uint64_t id = host_top_view(app)->table.cursor_id;
        const void *row = table_row(&host_top_view(app)->table);
        const char *name = table_row_name(&host_top_view(app)->table, row);
        bool has_time = figure(app, "gpu", row) > 0;
        char *before = picture(app);
        press(app, ",");
        assert_adds_up(app);
        assert_int_equal(host_top_view(app)->table.cursor_id, id);
        if (has_time)
            assert_string_equal(chosen_name(app), name);
        press(app, i % 2 ? "Esc" : "Backspace");
        char *after = picture(app);
        assert_string_equal(screen_body(after), screen_body(before));
        // The way to the row continues as before.
        size_t depth = app->places->depth;
        press(app, ", ,");
        assert_int_equal(app->places->depth, depth);
        assert_ptr_equal(host_top_view(app)->class, &view_tree);
        if (has_time)
            assert_int_equal(host_top_view(app)->table.cursor_id, id);
        free(after);
        free(before);
        app_free(app);
    }
    profile_free(profile);
}

// The flame view uses the filter, sort and chosen rows of the tree.
static void test_filter_and_rows_of_the_tree(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    struct app *app = app_on(profile, 100, 30);
    press(app, "2 E j Space j Space =");
    assert_true(table_has_picks(&host_top_view(app)->table));
    size_t shown = host_top_view(app)->table.shown_count;
    press(app, ",");
    assert_int_equal(host_top_view(app)->table.shown_count, shown);
    assert_adds_up(app);
    app_command_line(app, "unfilter all");
    do_command(app, "sort -gpu");
    struct flame_scene scene = scene_in(app);
    for (uint32_t l = 1; l < scene.flame.count; l++)
        for (uint32_t i = 1; i < scene.flame.levels[l].count; i++)
            if (scene.flame.levels[l].boxes[i].above == scene.flame.levels[l].boxes[i - 1].above &&
                !scene.flame.levels[l].boxes[i].more)
                assert_true(scene.flame.levels[l].boxes[i].ns <=
                            scene.flame.levels[l].boxes[i - 1].ns);
    app_free(app);
    profile_free(profile);
}

// Keys move along the levels and up and down; j returns to where k came from.
static void test_moving(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct app *app = app_on(profile, 120, 40);
    do_command(app, "view flame");
    press(app, "j");
    struct flame_scene scene = scene_in(app);
    uint32_t count = scene.flame.levels[scene.at.level].count; // in this frame
    press(app, "g");
    for (uint32_t i = 0; i + 1 < count; i++) {
        assert_int_equal(scene_in(app).at.box, i);
        press(app, "l");
    }
    press(app, "l"); // already at the edge
    assert_int_equal(scene_in(app).at.box, count - 1);
    press(app, "h G g");
    assert_int_equal(scene_in(app).at.box, 0);
    press(app, "C-u C-d j");
    uint32_t deep = scene_in(app).node;
    press(app, "k k k");
    assert_true(scene_in(app).at.level <
                flame_level_of(&state_in(app)->tree, state_in(app)->root, deep));
    press(app, "j j j j j j j j j j");
    assert_true(scene_in(app).node >= deep && scene_in(app).node < state_in(app)->tree.end[deep]);
    press(app, "PgUp");
    assert_int_equal(scene_in(app).at.level, 0);
    app_free(app);
    profile_free(profile);
}

// Enter zooms into a box and on the zoomed box opens its kernels; Backspace returns exactly.
static void test_zooming(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct random random = {23};
    size_t all = 0; // a single round may not zoom anywhere
    for (int round = 0; round < random_rounds(12); round++) {
        struct app *app = app_on(profile, 40 + (int)random_below(&random, 120),
                                 12 + (int)random_below(&random, 40));
        static const char *const keys[] = {"j", "j", "j", "h", "l", "l", "k", "g", "G"};
        char *screens[10];
        size_t zooms = 0;
        do_command(app, "view flame");
        for (int i = 0; i < 40 && zooms < 10; i++) {
            press(app, keys[random_below(&random, 9)]);
            struct flame_scene scene = scene_in(app);
            if (random_below(&random, 3) || !flame_can_zoom_in(host_top_view(app), &scene))
                continue;
            screens[zooms++] = picture(app);
            uint32_t node = scene.node;
            press(app, "Enter");
            scene = scene_in(app);
            assert_int_equal(state_in(app)->zoom_count, zooms);
            assert_int_equal(scene.node, node);
            assert_int_equal(scene.flame.levels[0].boxes[0].width, scene.screen.boxes.width);
            assert_adds_up(app);
        }
        all += zooms;
        while (zooms > 0) {
            press(app, zooms % 2 ? "Backspace" : "Esc");
            char *after = picture(app);
            assert_string_equal(after, screens[--zooms]);
            free(after);
            free(screens[zooms]);
        }
        assert_int_equal(state_in(app)->zoom_count, 0);
        app_free(app);
    }
    assert_true(all > 0);
    struct app *app = app_on(profile, 100, 30);
    do_command(app, "view flame");
    choose(app, "backward");
    size_t depth = app->places->depth;
    press(app, "Enter");
    assert_int_equal(app->places->depth, depth);
    assert_true(shows(app, "Enter kernels"));
    press(app, "Enter");
    assert_string_equal(host_top_view(app)->class->name, "kernels");
    press(app, "Backspace");
    assert_int_equal(state_in(app)->zoom_count, 1);
    // Choosing a box elsewhere zooms out as far as necessary.
    choose(app, "forward");
    assert_int_equal(state_in(app)->zoom_count, 0);
    // The zoomed box is kept on a switch to the other tree, and left if it is gone.
    choose(app, "mlp");
    press(app, "Enter");
    assert_int_equal(state_in(app)->zoom_count, 1);
    press(app, "o");
    assert_int_equal(state_in(app)->zoom_count, 1);
    assert_string_equal(name_of(app, state_in(app)->root.node), "mlp");
    do_command(app, "filter optimizer");
    assert_int_equal(state_in(app)->zoom_count, 0);
    app_free(app);
    profile_free(profile);
}

// Boxes too narrow for a cell share one; opened, each can be reached.
static void test_shared_boxes_can_be_opened(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct app *app = app_on(profile, 40, 24);
    do_command(app, "view flame");
    const struct flame_tree *tree = &state_in(app)->tree;
    for (uint32_t node = 1; node < tree->count; node++) {
        if (tree->ns[node] <= 0)
            continue;
        const struct table *table = &host_top_view(app)->table;
        app_command_line(app, arena_format(app->canvas->frame, "row #%x %s",
                                           (unsigned)table_row_id(table, table->shown[node - 1]),
                                           name_of(app, node)));
        app_draw(app);
        assert_false(app->messages->is_error);
        tree = &state_in(app)->tree;
        assert_int_equal(scene_in(app).node, node);
        for (int opened = 0;; opened++) {
            struct flame_scene scene = scene_in(app);
            const struct flame_box *box = flame_chosen(&scene);
            if (!box->more && box->node == node)
                break;
            assert_true(box->more && opened < 40);
            press(app, "Enter");
            assert_int_equal(scene_in(app).node, node);
        }
        while (state_in(app)->zoom_count > 0)
            press(app, "Backspace");
    }
    app_free(app);
    profile_free(profile);
}

static void test_mouse(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct app *app = app_on(profile, 100, 30);
    do_command(app, "view flame");
    for (uint32_t l = 0; l < scene_in(app).flame.count; l++) {
        for (uint32_t i = 0; i < scene_in(app).flame.levels[l].count; i++) {
            struct flame_scene scene = scene_in(app);
            const struct flame_box *box = &scene.flame.levels[l].boxes[i];
            app_click(app, scene.screen.boxes.x + box->x + box->width - 1,
                      scene.screen.boxes.y + (int)l * scene.screen.height);
            scene = scene_in(app);
            assert_true(scene.at.level == l && scene.at.box == i);
        }
    }
    struct flame_scene scene = scene_in(app);
    struct flame_box box = scene.flame.levels[1].boxes[1];
    app_click(app, scene.screen.boxes.x + box.x, scene.screen.boxes.y + scene.screen.height);
    app_point(app, KEY_DOUBLE_CLICK, scene.screen.boxes.x + box.x,
              scene.screen.boxes.y + scene.screen.height);
    scene_in(app);
    assert_int_equal(state_in(app)->root.node, box.node);
    app_free(app);
    profile_free(profile);
}

// The pane shows the figures of the row; in a comparison the figures of both sides.
static void test_figures_in_the_pane(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=6");
    struct app *app = app_on(profile, 160, 40);
    do_command(app, "view flame");
    choose(app, "lm_head");
    const struct table *table = &host_top_view(app)->table;
    const void *row = table_row(table);
    static const char *const keys[] = {"gpu", "self", "busy", "calls"};
    for (size_t k = 0; k < 4; k++) {
        unsigned c = (unsigned)table_find_column(table, keys[k]);
        char *words = arena_format(app->canvas->frame, "%s %s", table_head(table, c),
                                   table_cell(table, c, row, app->canvas->frame));
        char *copy = strdup(words);
        assert_true(shows(app, copy));
        free(copy);
    }
    assert_true(shows(app, "/lm_head"));
    press(app, "K");
    assert_true(app->box->is_open);
    press(app, "Esc t");
    assert_ptr_equal(host_top_view(app)->class, &view_timeline);
    press(app, "t");
    assert_string_equal(chosen_name(app), "lm_head");
    app_command_line(app, "set 0-2");
    app_command_line(app, "baseline");
    do_command(app, "set 3-5");
    assert_true(host_top_view(app)->report != host_top_view(app)->base);
    assert_true(scene_in(app).flame.count > 1);
    assert_true(shows(app, "B-A"));
    const struct flame_tree *tree = &state_in(app)->tree;
    for (uint32_t node = 1; node < tree->count; node++) { // rows of totals have no box
        const char *name = name_of(app, node);
        assert_true(*name != '(' || strncmp(name, "(outside", 8) == 0 || tree->ns[node] == 0);
    }
    app_free(app);
    profile_free(profile);
}

// The table of a comparison and the view's own table may have the same generation; the boxes belong
// to the table that is shown.
static void test_boxes_are_of_the_table_that_is_shown(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("plain");
    for (int times = 0; times < 4; times++) {
        struct app *app = app_on(profile, 120, 40);
        do_command(app, "set 0");
        do_command(app, "baseline");
        do_command(app, "deltas off");
        do_command(app, "view flame");
        app_draw(app);
        for (int i = 0; i < times; i++)
            do_command(app, i % 2 ? "filter gpu>0ns" : "filter forward");
        app_draw(app);
        for (int turn = 0; turn < 4; turn++) {
            do_command(app, turn % 2 ? "deltas off" : "deltas on");
            app_draw(app);
            assert_int_equal(state_in(app)->tree.count, host_top_view(app)->table.shown_count + 1);
        }
        app_free(app);
    }
    profile_free(profile);
}

// The view says why it is empty.
static void test_empty_view(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("cpuonly");
    struct app *app = app_on(profile, 100, 30);
    do_command(app, "view flame");
    assert_int_equal(scene_in(app).flame.count, 0);
    press(app, "j k h l g G Enter K Esc C-d");
    assert_ptr_equal(host_top_view(app)->class, &view_flame);
    assert_true(shows(app, "no GPU time"));
    do_command(app, "filter nothinglikethis");
    assert_true(shows(app, "No row passes the filter"));
    app_free(app);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths_are_the_trees_times),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_filter_and_rows_of_the_tree),
        cmocka_unit_test(test_moving),
        cmocka_unit_test(test_zooming),
        cmocka_unit_test(test_shared_boxes_can_be_opened),
        cmocka_unit_test(test_mouse),
        cmocka_unit_test(test_figures_in_the_pane),
        cmocka_unit_test(test_boxes_are_of_the_table_that_is_shown),
        cmocka_unit_test(test_empty_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
