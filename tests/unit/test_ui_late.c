// SPDX-License-Identifier: Apache-2.0
// Checks that in a terminal no frame waits for slow rows: until they arrive, the former rows or
// none are shown.
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "analysis/reports/report_list.h"
#include "scenario.h"
#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/rows/cache.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/findings.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/timeline/timeline_view.h"
#include "ui_screen.h"

static atomic_bool is_open;   // lets slow_build() proceed
static bool fails_allocation; // it then runs out of memory
static bool has_changed;      // the profile changed during the build

static struct rows slow_build(const struct profile *of, const struct selection *selection,
                              struct arena *arena)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    enum profile_stage before = of->stage;
    while (!atomic_load(&is_open) && !arena_is_stopped(arena))
        nanosleep(&moment, NULL);
    has_changed = before != of->stage;
    if (fails_allocation)
        arena_alloc(arena, SIZE_MAX, SIZE_MAX);
    return report_find("kernels")->build(of, selection, arena);
}

static struct report slow; // the kernels report, delayed at will
static struct profile *profile;

// Opens a view of the slow report whose rows are already there.
static struct app *app_on_slow(void)
{
    atomic_store(&is_open, false);
    struct app *app = app_on(profile, 120, 30);
    press(app, "3");
    struct view *view = host_top_view(app);
    slow = *view->base;
    slow.build = slow_build;
    view->report = view->base = view->table.report = view->cached->report = &slow;
    app->is_live = true;
    fails_allocation = false;
    return app;
}

// Returns true if the next frame contains the words, whatever follows it.
static bool frame_shows(struct app *app, const char *words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    app_draw(app);
    canvas_dump(app->canvas, file);
    fclose(file);
    bool is_there = strstr(text, words) != NULL;
    free(text);
    return is_there;
}

static void wait_for_rows(struct app *app)
{
    atomic_store(&is_open, true);
    while (app->cache->building && !cache_collect(app->cache))
        ;
    app_draw(app);
}

// Late rows equal those of an app that computes them at once.
static void assert_rows_arrived(struct app *app, const char *line)
{
    struct app *other = app_on(profile, 120, 30);
    press(other, "3");
    do_command(other, line);
    assert_false(host_top_view(app)->is_late);
    char *late = picture(app), *at_once = picture(other);
    assert_string_equal(screen_body(late), screen_body(at_once));
    free(late);
    free(at_once);
    app_free(other);
}

static void test_former_rows_stay_for_another_set(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    assert_true(app_command_line(app, "set 2-3"));
    size_t count = host_top_view(app)->table.rows.count;
    app_draw(app);
    assert_true(host_top_view(app)->is_late);
    assert_true(frame_shows(app, "being worked out"));
    assert_int_equal(host_top_view(app)->table.rows.count, count);
    wait_for_rows(app);
    assert_rows_arrived(app, "set 2-3");
    app_free(app);
}

// Former rows of another GPU, split or tree would be wrong and are not shown.
static void test_rows_of_other_scopes_do_not_stay(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    assert_true(app_command_line(app, "scope gpu 0"));
    app_draw(app);
    assert_true(host_top_view(app)->is_late);
    assert_int_equal(host_top_view(app)->table.rows.count, 0);
    assert_true(frame_shows(app, "Being worked out."));
    wait_for_rows(app);
    assert_rows_arrived(app, "scope gpu 0");
    app_free(app);
}

// Switching views does not wait. A job without a waiter stops and starts anew when the view is
// back.
static void test_leaving_does_not_wait(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    assert_true(app_command_line(app, "set 2-3"));
    app_draw(app);
    app_key(app, '7');
    app_draw(app);
    assert_string_equal(host_top_view(app)->class->name, "devices");
    wait_for_rows(app);
    wait_for_rows(app); // the stopped job, then that of this view
    assert_false(host_top_view(app)->is_late);
    atomic_store(&is_open, false);
    app_key(app, '3');
    app_draw(app);
    assert_true(host_top_view(app)->is_late);
    wait_for_rows(app);
    assert_rows_arrived(app, "set 2-3");
    app_free(app);
}

// A key that moves among rows acts on the late rows once they arrive, as if pressed then.
static void test_keys_act_on_late_rows(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    assert_true(app_command_line(app, "scope gpu 0"));
    app_draw(app);
    assert_int_equal(host_top_view(app)->table.rows.count, 0);
    atomic_store(&is_open, true);
    app_key(app, 'j');
    assert_false(host_top_view(app)->is_late);
    assert_int_equal(host_top_view(app)->table.cursor, 1);
    app_free(app);
}

// The same holds for a key that opens the row under the cursor.
static void test_enter_acts_on_late_rows(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    assert_true(app_command_line(app, "scope gpu 0"));
    app_draw(app);
    assert_true(host_top_view(app)->is_late);
    atomic_store(&is_open, true);
    app_key(app, KEY_ENTER_PRESSED);
    assert_string_equal(host_top_view(app)->base->name, "launches");
    app_free(app);
}

// The same holds for a key that ends a search begun before.
static void test_search_covers_late_rows(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    app_key(app, '/');
    assert_true(app_command_line(app, "scope gpu 0"));
    app_draw(app);
    assert_true(host_top_view(app)->is_late);
    atomic_store(&is_open, true);
    prompt_type(app, "memset");
    app_key(app, KEY_ENTER_PRESSED);
    assert_string_equal(app->messages->text, "");
    assert_non_null(
        strstr(table_row_name(&host_top_view(app)->table, table_row(&host_top_view(app)->table)),
               "memset"));
    app_free(app);
}

// Going back does not wait for late rows.
static void test_going_back_does_not_wait(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    const struct view *below = app->places->trail[app->places->depth - 2];
    assert_true(app_command_line(app, "set 2-3"));
    app_draw(app);
    assert_true(host_top_view(app)->is_late);
    app_key(app, KEY_ESCAPE);
    assert_ptr_equal(host_top_view(app), below);
    app_free(app);
}

// Rows evicted from the cache may belong to a freed split.
static void test_rows_of_former_splits_do_not_stay(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    cache_forget(app->cache);
    assert_true(app_command_line(app, "set 2-3"));
    app_draw(app);
    assert_true(host_top_view(app)->is_late);
    assert_int_equal(host_top_view(app)->table.rows.count, 0);
    wait_for_rows(app);
    assert_true(host_top_view(app)->table.rows.count > 0);
    app_free(app);
}

// A failed allocation is reported and not retried in every frame.
static void test_out_of_memory(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    fails_allocation = true;
    assert_true(app_command_line(app, "set 2-3"));
    app_draw(app);
    assert_true(host_top_view(app)->is_late);
    atomic_store(&is_open, true);
    while (!cache_collect(app->cache))
        ;
    atomic_store(&is_open, false); // blocks any retry
    assert_true(frame_shows(app, "out of memory"));
    assert_false(host_top_view(app)->is_late);
    atomic_store(&is_open, true);
    fails_allocation = false;
    assert_true(app_command_line(app, "set 1-3"));
    app_draw(app); // requests the rows
    wait_for_rows(app);
    assert_true(host_top_view(app)->table.rows.count > 0);
    app_free(app);
}

// The pane of a split keeps its place and the focus while the rows it follows are late.
static void test_pane_stays(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    assert_true(app_command_line(app, "split on"));
    app_draw(app);
    app_key(app, KEY_TABULATOR);
    struct view *view = host_front_view(app), *pane = view->pane;
    assert_non_null(pane);
    assert_ptr_equal(host_top_view(app), pane);
    assert_true(app_command_line(app, "scope gpu 0"));
    app_draw(app);
    assert_true(view->is_late);
    app_draw(app);
    assert_ptr_equal(view->pane, pane);
    assert_ptr_equal(host_top_view(app), pane);
    app_free(app);
}

// Keys about findings wait for those of the current selection.
static void test_keys_act_on_late_findings(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint32_t key;
    } cases[] = {{"view summary", ')'},
                 {"view summary", '('},
                 {"view expert", KEY_ENTER_PRESSED},
                 {"view findings", KEY_ENTER_PRESSED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct app *app = app_on_slow();
        assert_true(app_command_line(app, "set 2-3"));
        app_draw(app); // a frame waits for at most one job
        assert_true(app_command_line(app, cases[i].line));
        app_findings_end(app);
        assert_true(host_findings_pending(app));
        app_key(app, cases[i].key);
        assert_false(host_findings_pending(app));
        assert_true(host_top_view(app)->is_proof);
        app_free(app);
    }
}

// Lanes that are not drawn yet cannot be clicked.
static void test_late_lanes(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    assert_true(app_command_line(app, "set 2-3"));
    app_draw(app);
    app_key(app, '6');
    app_draw(app);
    const struct timeline_state *lanes = host_top_view(app)->state;
    assert_true(host_top_view(app)->is_late); // one job at a time
    app_point(app, KEY_CLICK, 60, 10);
    assert_null(lanes->profile);
    app_free(app);
}

// A stage of loading is freed once the next one has replaced it and no job reads it.
static void test_stages(void **state)
{
    (void)state;
    struct app *app = app_on_slow();
    struct profile stages[2] = {*profile, *profile};
    struct error error = {0};
    for (int i = 0; i < 2; i++) {
        stages[i].ops = NULL;
        stages[i].stage = i == 0 ? STAGE_WORK : STAGE_CALLS;
    }
    app->requests->is_touched = true;
    assert_true(app_show_profile(app, &stages[0], &error));
    app_draw(app);
    assert_true(host_top_view(app)->is_late);
    assert_true(app_show_profile(app, &stages[1], &error));
    assert_false(has_changed);
    atomic_store(&is_open, true);
    app_free(app);
}

// Keys that act on a view wait for its data; keys of the program do not.
static void test_early_keys(void **state)
{
    (void)state;
    static const uint32_t early[] = {'j', KEY_ENTER_PRESSED, '/'}, own[] = {'?', 'q', ':'};
    struct app *app = app_on(profile, 120, 30);
    struct error error = {0};
    do_command(app, "view tree");
    struct profile stage = *profile;
    stage.ops = NULL;
    stage.tree = NULL;
    stage.stage = STAGE_WORK;
    app->requests->is_touched = true; // stays in its view when a stage arrives
    assert_true(app_show_profile(app, &stage, &error));
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        assert_true(app_key_is_early(app, early[i]));
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        assert_false(app_key_is_early(app, own[i]));
    app_free(app);
}

static int open_profile(void **state)
{
    (void)state;
    profile = scenario_open("plain");
    return profile ? 0 : -1;
}

static int close_profile(void **state)
{
    (void)state;
    profile_free(profile);
    return 0;
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_former_rows_stay_for_another_set),
        cmocka_unit_test(test_rows_of_other_scopes_do_not_stay),
        cmocka_unit_test(test_leaving_does_not_wait),
        cmocka_unit_test(test_keys_act_on_late_rows),
        cmocka_unit_test(test_enter_acts_on_late_rows),
        cmocka_unit_test(test_search_covers_late_rows),
        cmocka_unit_test(test_going_back_does_not_wait),
        cmocka_unit_test(test_rows_of_former_splits_do_not_stay),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_pane_stays),
        cmocka_unit_test(test_keys_act_on_late_findings),
        cmocka_unit_test(test_late_lanes),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_early_keys),
    };
    return cmocka_run_group_tests(tests, open_profile, close_profile);
}
