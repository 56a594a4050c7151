// SPDX-License-Identifier: Apache-2.0
// Checks free panes: they cover their area without overlap, each has its own navigation, all share
// the selected steps, sessions keep them, and a small screen shows only the focused pane.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "property.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/app/lists.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/session/session_calls.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/widgets/panes.h"
#include "ui_screen.h"

static char path[] = "/tmp/ui-panes-XXXXXX";
static struct profile *profile;

// ---- places -----------------------------------------------------------------------------------

static void assert_covers(struct area area, const struct area out[], unsigned count)
{
    bool is_side_work = count > 1 && out[1].x > out[0].x;
    int x = area.x, y = area.y;
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(out[i].x, x);
        assert_int_equal(out[i].y, y);
        assert_true(out[i].width >= MIN_PANE_WIDTH && out[i].height >= MIN_PANE_HEIGHT);
        assert_int_equal(is_side_work ? out[i].height : out[i].width,
                         is_side_work ? area.height : area.width);
        x += is_side_work ? out[i].width + 1 : 0;
        y += is_side_work ? 0 : out[i].height;
    }
    assert_int_equal(is_side_work ? x - 1 - area.x : y - area.y,
                     is_side_work ? area.width : area.height);
}

// Tries every size, number of panes and arrangement, and some shares: the panes cover the area and
// each is large enough, or there are none if neither arrangement fits.
static void test_places_of_every_size(void **state)
{
    static const unsigned shares[][MAX_PANES] = {{1, 1, 1}, {90, 5, 5},      {1, 1, 1000000},
                                                 {0, 0, 0}, {0, 5000, 5000}, {9000, 1, 999}};
    (void)state;
    for (int width = 1; width <= 250; width += run_is_quick() ? 9 : 1) {
        for (int height = 1; height <= 80; height++) {
            for (unsigned i = 0; i < 6 * 2 * PANES_SIDES; i++) {
                unsigned count = 2 + i % 2;
                enum panes_side side = (enum panes_side)(i / 2 % PANES_SIDES);
                struct area area = {(int)i, 3, width, height}, out[MAX_PANES];
                bool is_wide = width >= (int)count * MIN_PANE_WIDTH + (int)count - 1 &&
                               height >= MIN_PANE_HEIGHT;
                bool is_high = height >= (int)count * MIN_PANE_HEIGHT && width >= MIN_PANE_WIDTH;
                bool fits = panes_place(area, count, side, shares[i / 2 / PANES_SIDES], out);
                assert_int_equal(fits, is_wide || is_high);
                if (!fits)
                    continue;
                assert_covers(area, out, count);
                if (side == PANES_SIDE_BY_SIDE && is_wide)
                    assert_true(out[1].x > out[0].x);
                if (side == PANES_STACKED && is_high)
                    assert_true(out[1].y > out[0].y);
            }
        }
    }
}

static void test_shares(void **state)
{
    (void)state;
    unsigned share[MAX_PANES] = {1, 1, 2};
    struct area out[MAX_PANES], area = {0, 0, 202, 20};
    panes_set_share(share, 3, 2, 60);
    assert_true(panes_place(area, 3, PANES_SIDE_BY_SIDE, share, out));
    assert_int_equal(out[2].width, 120);
    assert_int_equal(out[0].width, 40);
    panes_set_share(share, 3, 0, 1000); // limited by the minimum of the others
    assert_true(panes_place(area, 3, PANES_SIDE_BY_SIDE, share, out));
    assert_int_equal(out[0].width, 200 - 2 * MIN_PANE_WIDTH);
    for (int i = 0; i < 1000; i++) // no share becomes 0
        panes_set_share(share, 3, (unsigned)i % 3, (unsigned)(i * 37) % 200);
    for (unsigned i = 0; i < 3; i++)
        assert_true(share[i] > 0);
}

// ---- on the screen ----------------------------------------------------------------------------

static const struct view_class *class_in(const struct app *app, unsigned pane)
{
    size_t depth;
    struct view *const *trail = app_pane_trail(app, pane, &depth);
    return trail[depth - 1]->class;
}

static void test_panes_navigate_separately(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 160, 40);
    press(app, "3 j");
    char *alone = picture(app);
    do_command(app, "pane iterations");
    assert_int_equal(app->places->panes.count, 2);
    assert_ptr_equal(host_top_view(app)->class, &view_iterations);
    assert_true(shows(app, "[Iterations]"));
    assert_true(shows(app, "── Kernels"));
    // The selection is shared by all panes; rows, filters and navigation are separate.
    press(app, "l x");
    size_t depth;
    const struct view *kernels = app_pane_trail(app, 0, &depth)[depth - 1];
    assert_int_equal(kernels->generation, app->generation);
    press(app, "u Tab");
    assert_ptr_equal(host_top_view(app), kernels);
    press(app, "Enter Enter");
    do_command(app, "filter gpu>0");
    assert_ptr_equal(class_in(app, 1), &view_iterations);
    press(app, "S-Tab 2 j Enter");
    assert_ptr_equal(class_in(app, 0)->report ? class_in(app, 0) : NULL,
                     view_class_find("launches"));
    press(app, "q q q"); // goes back; at its first view the pane closes
    assert_int_equal(app->places->panes.count, 1);
    press(app, "Esc Esc Esc");
    char *after = picture(app);
    assert_string_equal(alone, after);
    free(alone), free(after);
    assert_false(app->requests->is_done);
    app_free(app);
}

static void test_at_most_three(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 200, 50);
    do_command(app, "pane tree");
    press(app, "C-w");
    assert_true(app->menu->is_open);
    press(app, "g Enter");
    assert_int_equal(app->places->panes.count, 3);
    assert_ptr_equal(host_top_view(app)->class, &view_summary);
    press(app, "C-x C-w 1"); // focuses a pane by its digit
    assert_false(app->menu->is_open);
    assert_int_equal(app->places->panes.count, 3);
    assert_ptr_equal(host_top_view(app)->class, &view_summary);
    press(app, "3"); // selects the view of the focused pane
    assert_ptr_equal(class_in(app, 2), &view_kernels);
    assert_ptr_equal(class_in(app, 1), &view_tree);
    assert_false(app_command_line(app, "pane trust"));
    assert_non_null(strstr(app->messages->text, "no more than 3"));
    assert_false(app_command_line(app, "pane nothing"));
    assert_false(app_command_line(app, "pane help"));
    // Panes can be given a share of the width.
    do_command(app, "pane 50%");
    assert_int_equal(app->places->panes.shown[2].width, 99);
    do_command(app, "pane 20% 30% 50%");
    assert_int_equal(app->places->panes.shown[0].width, 40);
    int before = app->places->panes.shown[2].width;
    press(app, "C-n");
    assert_true(app->places->panes.shown[2].width < before);
    press(app, "C-g C-g");
    assert_true(app->places->panes.shown[2].width > before);
    for (const char *const *wrong =
             (const char *const[]){"pane 40% 60%", "pane 0%", "pane 40%x", "pane %", "pane 100%",
                                   "pane 20% 30% 5e%", "pane #0", "pane #4", NULL};
         *wrong; wrong++)
        assert_false(app_command_line(app, *wrong));
    do_command(app, "pane-turn below");
    assert_int_equal(app->places->panes.shown[2].width, 200);
    press(app, "C-t");
    assert_true(app->places->panes.shown[2].width < 150);
    assert_false(app_command_line(app, "pane-turn sideways"));
    // Closing one pane keeps the others.
    do_command(app, "pane #2");
    assert_ptr_equal(host_top_view(app)->class, &view_tree);
    press(app, "C-x");
    assert_int_equal(app->places->panes.count, 2);
    assert_ptr_equal(class_in(app, 0), &view_summary);
    assert_ptr_equal(class_in(app, 1), &view_kernels);
    do_command(app, "pane #1");
    press(app, "C-x");
    assert_ptr_equal(host_top_view(app)->class, &view_kernels);
    press(app, "C-x C-g");
    assert_non_null(strstr(app->messages->text, "one pane only"));
    assert_int_equal(app->places->panes.count, 1);
    app_free(app);
}

// one column separates the halves
enum { SPLIT_WIDTH = 161, EDGE = 80, HALF_TOP = 4, HALF_END = 38 };

static void half_read(const struct app *app, bool is_right, uint32_t out[HALF_END][EDGE])
{
    for (int y = HALF_TOP; y < HALF_END; y++) {
        const struct cell *line = &app->canvas->cells[y * app->canvas->stride];
        assert_int_equal(line[EDGE].code, 0x2502);
        for (int x = 0; x < EDGE; x++)
            out[y][x] = line[x + (is_right ? EDGE + 1 : 0)].code;
    }
}

// A view next to the kernels leaves their cells unchanged.
static void check_view_in_pane(const struct view_class *class, bool is_right)
{
    static uint32_t before[HALF_END][EDGE], after[HALF_END][EDGE];
    struct app *app = app_on(profile, SPLIT_WIDTH, 40);
    char line[100];
    do_command(app, is_right ? "view kernels" : "view trust");
    do_command(app, is_right ? "pane trust" : "pane kernels");
    do_command(app, is_right ? "pane #2" : "pane #1");
    half_read(app, !is_right, before);
    snprintf(line, sizeof line, "view %s", class->name);
    do_command(app, line);
    press(app, "j l d");
    half_read(app, !is_right, after);
    assert_memory_equal(before, after, sizeof before);
    app_free(app);
}

// A view in half a screen does not draw beyond its edge, right or left.
static void test_every_view_in_a_pane(void **state)
{
    (void)state;
    for (size_t v = 0; v < view_name_count(); v += run_is_quick() ? 12 : 1) {
        const struct view_class *class = view_class_find(view_name(v));
        if (class == &view_help)
            continue;
        check_view_in_pane(class, true);
        check_view_in_pane(class, false);
    }
}

static void test_small_screens(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 60, 16);
    press(app, "2");
    do_command(app, "pane kernels");
    assert_true(app_command_line(app, "pane expert"));
    assert_non_null(strstr(app->messages->text, "pane 3 of 3; there is no room"));
    app_draw(app);
    assert_true(shows(app, "3/3"));
    press(app, "Tab");
    assert_non_null(strstr(app->messages->text, "pane 1 of 3"));
    // Random sizes and clicks.
    struct random random = {11};
    for (int i = 0; i < random_rounds(300); i++) {
        struct error error;
        assert_true(canvas_resize(app->canvas, 1 + (int)random_below(&random, 250),
                                  1 + (int)random_below(&random, 80), &error));
        app_draw(app);
        if (random_below(&random, 3) == 0)
            press(app, "Tab j");
        app_click(app, (int)random_below(&random, 250), (int)random_below(&random, 80));
        app->menu->is_open = app->box->is_open = false;
        assert_int_equal(app->places->panes.count, 3);
    }
    app_free(app);
}

static void test_mouse(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 160, 40);
    press(app, "3");
    do_command(app, "pane kernels");
    const struct view *right = host_top_view(app);
    app_click(app, 10, 9); // the first click only moves the focus
    app_draw(app);
    assert_int_equal(app->places->panes.focus, 0);
    assert_int_equal(host_top_view(app)->table.cursor, 0);
    app_click(app, 10, 9);
    assert_int_equal(host_top_view(app)->table.cursor, 3);
    app_point(app, KEY_WHEEL_DOWN, 100, 9);
    assert_ptr_equal(host_top_view(app), right);
    app_draw(app);
    app_click(app, 100, 9);
    assert_int_equal(right->table.cursor, 3);
    app_draw(app);
    app_point(app, KEY_DOUBLE_CLICK, 100, 9);
    app_draw(app);
    assert_int_equal(app->places->panes.focus, 1);
    assert_ptr_not_equal(host_top_view(app), right);
    app_free(app);
}

// A pane that follows the cursor works inside a free pane too; Tab cycles through all.
static void test_splits_within(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 200, 50);
    press(app, "3");
    do_command(app, "pane tree");
    press(app, "Tab");
    struct view *kernels = host_top_view(app);
    do_command(app, "split below");
    assert_non_null(kernels->pane);
    press(app, "Tab");
    assert_ptr_equal(host_top_view(app), kernels->pane);
    press(app, "Tab");
    assert_ptr_equal(host_top_view(app)->class, &view_tree);
    press(app, "Tab Tab S-Tab");
    assert_ptr_equal(host_top_view(app), kernels);
    press(app, "S-Tab");
    assert_ptr_equal(host_top_view(app)->class, &view_tree);
    app_free(app);
}

static void test_sessions_keep_panes(void **state)
{
    (void)state;
    struct app *app = app_on(profile, 160, 50);
    press(app, "2 j Enter j");
    do_command(app, "pane iterations");
    press(app, "l");
    do_command(app, "pane kernels");
    do_command(app, "filter gpu>0");
    press(app, "> j Enter j");
    do_command(app, "pane-turn below");
    do_command(app, "pane 20% 30% 50%");
    do_command(app, "pane #2");
    char *before = picture(app);
    app_write_session(app, path, true);
    struct app *other = app_after(profile, path, 160, 50);
    if (other->box->is_open)
        fail_msg("%s", other->box->text);
    for (int i = 0; i < 3; i++) {
        char *after = picture(other);
        assert_string_equal(before, after);
        free(before), free(after);
        press(app, "Tab"), press(other, "Tab");
        before = picture(app);
    }
    free(before);
    // Bookmarks belong to one pane, a tour to the whole screen.
    before = picture(app);
    press(app, "m a 9 ' a");
    char *after = picture(app);
    assert_string_equal(screen_body(before), screen_body(after));
    free(before), free(after);
    assert_true(host_top_view(app)->is_visit);
    assert_int_equal(app->places->panes.count, 3);
    press(app, "~");
    assert_int_equal(app->places->panes.count, 1);
    press(app, "Esc");
    assert_int_equal(app->places->panes.count, 3);
    app_free(app), app_free(other);
}

static int set_up(void **state)
{
    (void)state;
    profile = scenario_open("tiny");
    return mkstemp(path) < 0 || unlink(path) ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    profile_free(profile);
    return unlink(path);
}

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_of_every_size),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_panes_navigate_separately),
        cmocka_unit_test(test_at_most_three),
        cmocka_unit_test(test_every_view_in_a_pane),
        cmocka_unit_test(test_small_screens),
        cmocka_unit_test(test_mouse),
        cmocka_unit_test(test_splits_within),
        cmocka_unit_test(test_sessions_keep_panes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
