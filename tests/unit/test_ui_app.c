// SPDX-License-Identifier: Apache-2.0
// Checks the whole screen on generated profiles: every action in every view, random keys at
// changing sizes, and that going back restores the screen exactly.
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/compare/compare.h"
#include "analysis/detectors/expert.h"
#include "analysis/reports/report_list.h"
#include "file_text.h"
#include "model/open/open.h"
#include "model/rules/rules.h"
#include "property.h"
#include "ui/actions/app_save.h"
#include "ui/app/app_life.h"
#include "ui/app/input.h"
#include "ui/app/lists.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/overlay/tour_state.h"
#include "ui/rows/cache.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/comparing.h"
#include "ui/state/findings.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/requests.h"
#include "ui/state/saving.h"
#include "ui/state/scope.h"
#include "ui/state/script_state.h"
#include "ui/state/splits.h"
#include "ui/state/steps.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/views/panel.h"
#include "ui/widgets/panes.h"
#include "ui_screen.h"

static const char *folder;

static struct profile *profile_of(const char *scenario)
{
    const char *generator = getenv("DLPROF_GEN");
    char path[300], command[800];
    if (!generator)
        return NULL;
    snprintf(path, sizeof path, "%s/%s.sqlite", folder, scenario);
    snprintf(command, sizeof command, "'%s' %s '%s' --force >/dev/null", generator, scenario, path);
    if (access(path, R_OK) != 0 && system(command) != 0)
        fail_msg("the generator failed: %s", command);
    struct error error = {0};
    struct profile *profile = profile_load(&(struct load_request){.path = path}, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static void assert_invariants(struct app *app)
{
    assert_true(app->places->depth >= 1 && app->places->depth <= MAX_TRAIL);
    assert_non_null(app->scope->split);
    assert_true(app->undo->at <= app->undo->count && app->undo->count <= MAX_UNDO);
    assert_true(app->places->panes.focus < app->places->panes.count &&
                app->places->panes.count <= MAX_PANES);
    for (unsigned pane = 0; pane < app->places->panes.count; pane++) {
        size_t depth;
        struct view *const *way = app_pane_trail(app, pane, &depth);
        assert_true(depth >= 1 && !way[0]->label[0] && !way[0]->is_pane);
    }
    const struct view *view = host_top_view(app);
    if (view->report && !view->table.stale) {
        const struct table *table = &view->table;
        assert_true(table->shown_count == 0 || table->cursor < table->shown_count);
    }
    if (app->scope->iterations) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < app->scope->split->count; i++)
            count += app->scope->iterations[i];
        assert_true(count > 0);
    }
    for (int i = 0; i < app->canvas->width * app->canvas->height; i++) {
        assert_true(app->canvas->cells[i].code >= ' ' || app->canvas->cells[i].code == 0);
        assert_true(app->canvas->cells[i].style < STYLE_COUNT);
    }
}

// The selection has the same GPU time in every report that shows it.
static void assert_totals_agree(struct app *app)
{
    struct selection selection = host_selection(app);
    const char *first = NULL;
    int64_t expected = 0;
    for (size_t r = 0; r < report_count; r++) {
        const struct report *report = reports[r];
        const struct column *column = report->busy ? report_column(report, report->busy) : NULL;
        if (!column || report->is_dlprof)
            continue;
        struct cached *cached =
            cache_get(app->cache, report, app->profile, &selection, &(struct error){0});
        assert_non_null(cached);
        int64_t sum = 0;
        for (size_t i = 0; i < cached->rows.count; i++) {
            const void *row = report_row(report, &cached->rows, i);
            struct value value = column->get(row);
            if ((!report->depth || report->depth(row) == 0) && value.kind != VALUE_NONE)
                sum += value.integer;
        }
        bool has_rows = cached->rows.count > 0; // `source` has no rows if no source line is known
        cache_release(cached);
        if (!has_rows)
            continue;
        if (first && sum != expected)
            fail_msg("%s: %lld ns, %s: %lld ns", first, (long long)expected, report->name,
                     (long long)sum);
        first = report->name;
        expected = sum;
    }
}

// Opening something and going back restores the screen.
static void assert_going_back_restores(struct app *app)
{
    size_t depth = app->places->depth;
    char *before = picture(app);
    app_key(app, KEY_ENTER_PRESSED);
    app_draw(app);
    if (app->places->depth == depth + 1 && host_front_view(app)->label[0]) {
        app_command_line(app, "back");
        char *after = picture(app);
        assert_string_equal(screen_body(after), screen_body(before));
        free(after);
    }
    free(before);
}

// Actions that leave the program have tests of their own.
static bool leaves_program(enum action action)
{
    return action != ACTION_NONE && actions[action].reach == REACH_OUT;
}

// Returns the number of views to try; a few under valgrind.
static size_t views_to_try(void)
{
    return run_is_quick() ? 3 : view_name_count();
}

static void test_every_action_in_every_view(void **state)
{
    static const int sizes[][2] = {{80, 24}, {1, 1}, {40, 12}, {200, 50}};
    if (run_is_quick() && strcmp(*state, "tiny") != 0)
        skip();
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    size_t size_count = run_is_long() ? 4 : 1;
    for (size_t s = 0; s < size_count; s++) {
        for (size_t v = 0; v < views_to_try(); v++) {
            struct app *app = app_on(profile, sizes[s][0], sizes[s][1]);
            for (enum action a = 0; (size_t)a < action_count; a++) {
                char command[100];
                snprintf(command, sizeof command, "view %s", view_name(v));
                app_command_line(app, command);
                if (!leaves_program(a))
                    app_command_line(app, actions[a].name);
                app_draw(app);
                assert_invariants(app);
                // Closes prompts, menus and boxes.
                for (int i = 0; i < 2; i++)
                    if (app->prompt->kind != PROMPT_NONE || app->menu->is_open ||
                        app->box->is_open || app->candidates->is_open)
                        app_key(app, KEY_ESCAPE);
            }
            app_free(app);
        }
    }
    profile_free(profile);
}

static void test_random_keys(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 80, 24);
    struct random random = {20261121};
    unsigned judged = 0; // generation whose totals were last compared
    int keys =
        strcmp(*state, "tiny") == 0 ? 3000 : 1000; // 5,000 over all profiles, 100,000 in a soak
    for (int round = 0; round < random_rounds(keys); round++) {
        enum action action = (enum action)random_below(&random, action_count);
        uint32_t key = 0;
        size_t which = random_below(&random, 20);
        if (which == 0) {
            key = 0x21 + (uint32_t)random_below(&random, 90); // typed, often into a prompt
        } else if (which == 1) {
            assert_true(canvas_resize(app->canvas, 1 + (int)random_below(&random, 210),
                                      1 + (int)random_below(&random, 60), NULL));
        } else if (which == 2) {
            app_point(app, KEY_CLICK + (uint32_t)random_below(&random, 4),
                      (int)random_below(&random, 220), (int)random_below(&random, 60));
        } else if (which == 3) {
            key = KEY_ENTER_PRESSED;
        } else if (which == 4) {
            key = '0' + (uint32_t)random_below(&random, 10);
        } else if (!leaves_program(action)) {
            size_t n = random_below(&random, 2);
            if (!action_key(action, n, &key))
                action_key(action, 0, &key);
        }
        // Keys that leave, suspend or save are skipped unless a prompt, menu or box reads them.
        bool is_read = app->prompt->kind != PROMPT_NONE || app->menu->is_open ||
                       app->box->is_open || app->candidates->is_open;
        enum action asks = prompt_action(app->prompt);
        bool is_saving = app->prompt->kind == PROMPT_COMMAND ||
                         (asks != ACTION_NONE && actions[asks].reach == REACH_FILES);
        if (!is_read && leaves_program(action_of_key(key, view_kinds(host_top_view(app)))))
            continue;
        if (is_saving && key == KEY_ENTER_PRESSED)
            key = KEY_ESCAPE;
        if (which == 5 && !is_read) { // any view, not only those with a digit
            char command[100];
            snprintf(command, sizeof command, "view %s",
                     view_name(random_below(&random, view_name_count())));
            app_command_line(app, command);
        } else if (key == KEY_ENTER_PRESSED && !is_read && !app->tour->text) {
            assert_going_back_restores(app);
        } else {
            app_key(app, key);
        }
        app_draw(app);
        assert_invariants(app);
        if (app->generation != judged && random_below(&random, 4) == 0) {
            assert_totals_agree(app);
            judged = app->generation;
        }
        if (app->requests->is_done) { // a row of the help runs its action, even quit
            app_free(app);
            app = app_on(profile, 80, 24);
        }
    }
    app_free(app);
    profile_free(profile);
}

// Moves to the last row of a panel while it has no room, then presses Enter once it has room again.
static void test_summary_on_a_tiny_screen(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    for (int tabs = 0; tabs < 10; tabs++) {
        struct app *app = app_on(profile, 200, 50);
        press(app, "1");
        for (int i = 0; i < tabs && host_top_view(app)->class == &view_summary; i++)
            press(app, "Tab");
        assert_true(canvas_resize(app->canvas, 1, 1, NULL));
        press(app, "G");
        assert_true(canvas_resize(app->canvas, 200, 50, NULL));
        press(app, "Enter");
        assert_invariants(app);
        app_free(app);
    }
    profile_free(profile);
}

static void test_back_returns_to_the_same_screen(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    static const char *const ways[] = {"2 j j l j", "3 j j > I d", "9 j",       "3 G v",
                                       "8 d",       "0 j j j",     "1",         "1 g",
                                       "1 g j",     "1 Tab",       "1 Tab j j", "1 G h"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct app *app = app_on(profile, 80, 24);
        press(app, ways[i]);
        char *before = picture(app);
        size_t depth = app->places->depth;
        press(app, "Enter");
        if (app->places->depth > depth) {
            press(app, "j j > j");
            press(app, "Backspace");
            char *after = picture(app);
            assert_string_equal(after, before);
            free(after);
        }
        free(before);
        // Going to another view and back restores the screen.
        before = picture(app);
        char digit[] = {ways[i][0], 0};
        press(app, "1");
        press(app, digit);
        char *after = picture(app);
        assert_string_equal(after, before);
        free(after);
        free(before);
        app_free(app);
    }
    profile_free(profile);
}

static void test_undo_restores_everything(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    static const char *const changes[] = {"3 > >", "3 I", "3 }", "3 @", "3 [", "2 !", "3 ="};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct app *app = app_on(profile, 100, 30);
        char digit[] = {changes[i][0], 0};
        press(app, digit);
        char *before = picture(app);
        press(app, changes[i] + 2);
        char *changed = picture(app);
        press(app, "u u");
        char *after = picture(app);
        assert_string_equal(after, before);
        press(app, "C-r C-r");
        char *redone = picture(app);
        assert_string_equal(redone, changed);
        free(before), free(changed), free(after), free(redone);
        app_free(app);
    }
    profile_free(profile);
}

// Undo restores a filter longer than any line.
static void test_undo_restores_long_filters(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 100, 30);
    char command[800] = "filter !";
    memset(command + strlen(command), 'x', 700);
    assert_true(app_command_line(app, "view kernels"));
    assert_true(app_command_line(app, command));
    assert_true(app_command_line(app, "filter gemm"));
    press(app, "u");
    assert_string_equal(host_top_view(app)->table.filter_text, strchr(command, '!'));
    press(app, "C-r");
    assert_string_equal(host_top_view(app)->table.filter_text, "gemm");
    app_free(app);
    profile_free(profile);
}

static void assert_set(struct app *app, const char *expected)
{
    const struct split *split = app->scope->split;
    struct arena *arena = arena_new(0);
    bool *members = arena_alloc(arena, split->count, sizeof *members);
    for (uint32_t i = 0; i < split->count; i++)
        members[i] = host_step_is_selected(app, i);
    assert_string_equal(set_format(arena, members, split->number, split->count), expected);
    arena_free(arena);
}

// Changes the step set by keys: from the cursor to its neighbours, and with bounds that keep
// excluded steps.
static void test_set_by_keys(void **state)
{
    if (run_is_quick()) // all 24 steps
        skip();
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 80, 24);
    press(app, "4 g l l l l l [");
    assert_set(app, "4");
    press(app, "] ]");
    assert_set(app, "6");
    press(app, "a g l l l l l ]");
    assert_set(app, "6");
    press(app, "a g [");
    assert_set(app, "23");
    // Outliers and steps excluded by hand stay excluded while the bounds move.
    press(app, "a g l l l l l x");
    press(app, "x");
    assert_non_null(strstr(app->messages->text, "left out already"));
    press(app, "l l X");
    assert_false(host_step_is_selected(app, 5));
    bool is_out[24];
    for (uint32_t i = 0; i < 24; i++)
        is_out[i] = !host_step_is_selected(app, i);
    assert_true(is_out[17]);
    press(app, "g l l l , G h h .");
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(host_step_is_selected(app, i),
                         i >= 3 && i <= 21 && (!is_out[i] || i == 3 || i == 21));
    // Moving a bound outwards includes the steps in between; on an excluded step it includes that
    // step.
    press(app, "a g l l l l l , l l x h , g ,");
    assert_set(app, "0-6,8-23");
    press(app, "g l l l l l l l ,");
    assert_set(app, "7-23");
    // Empty input has no effect.
    press(app, "i Enter");
    assert_set(app, "7-23");
    press(app, "i a l l Enter");
    assert_set(app, "all");
    app_free(app);
    profile_free(profile);
}

// `)` opens the finding under the cursor of a list first, and then the ones after it.
static void test_findings_from_the_cursor(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 120, 40);
    free(picture(app));
    static const struct {
        const char *keys, *message;
    } steps[] = {
        {")", "1 of "},    {"Esc )", "2 of "},     {")", "3 of "},
        {"(", "2 of "},    {"1 j )", "2 of "},     {"Esc )", "3 of "},
        {"Esc k (", ": "}, {"5 g j j )", "2 of "}, {"Esc Enter Esc )", "3 of "},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        press(app, steps[i].keys);
        if (!strstr(app->messages->text, steps[i].message))
            fail_msg("%zu: %s message \"%s\", not \"%s\"", i, steps[i].keys, app->messages->text,
                     steps[i].message);
    }
    app_free(app);
    profile_free(profile);
}

// Several marked findings are copied together; marks stay with their findings; overwriting a file
// asks first.
static void test_marked_findings(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 120, 40);
    char path[300], copy[320];
    snprintf(path, sizeof path, "%s/findings.txt", folder);
    snprintf(copy, sizeof copy, "copy %s", path);
    press(app, "5 g Space Space");
    const struct finding_list *findings = host_findings(app);
    assert_ptr_equal(view_expert.finding(host_top_view(app)), &findings->items[2]);
    assert_true(shows(app, "* 1 "));
    do_command(app, copy);
    char *text = file_read(path);
    for (size_t i = 0; i < 2; i++)
        assert_non_null(strstr(text, findings->items[i].problem));
    assert_null(strstr(text, findings->items[2].problem));
    assert_non_null(strstr(text, "\n\n")); // findings are separated by blank lines
    press(app, "]");
    assert_false(shows(app, "* 1 "));
    app->script->is_script = false;
    do_command(app, copy);
    assert_int_equal(app->prompt->kind, PROMPT_OVERWRITE);
    press(app, "n");
    char *same = file_read(path);
    assert_string_equal(same, text);
    do_command(app, copy);
    press(app, "y");
    char *other = file_read(path);
    assert_string_not_equal(other, text); // the finding under the cursor
    assert_null(strstr(other, "\n\n"));
    free(text), free(same), free(other);
    unlink(path);
    app_free(app);
    profile_free(profile);
}

// Goes to a step by number, typed after `/` or as a command, from any view. An unknown number keeps
// the prompt open.
static void test_step_by_number(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 120, 40);
    press(app, "4 /");
    prompt_type(app, "3");
    press(app, "Enter");
    assert_int_equal(app->places->step, 3);
    press(app, "/");
    prompt_type(app, "17x");
    press(app, "Enter");
    assert_int_equal(app->prompt->kind, PROMPT_STEP);
    assert_true(shows(app, "there is no step '17x'"));
    assert_true(shows(app, "step: 17x"));
    press(app, "C-u");
    assert_false(shows(app, "there is no step"));
    prompt_type(app, "1");
    press(app, "Enter");
    assert_int_equal(app->prompt->kind, PROMPT_NONE);
    assert_int_equal(app->places->step, 1);
    press(app, "3 :");
    prompt_type(app, "2");
    press(app, "Enter");
    assert_ptr_equal(host_top_view(app)->class, &view_iterations);
    assert_int_equal(app->places->step, 2);
    assert_true(app_command_line(app, "step 0"));
    assert_int_equal(app->places->step, 0);
    assert_false(app_command_line(app, "99"));
    app_free(app);
    profile_free(profile);
}

// An invalid set stays in the prompt to be corrected.
static void test_invalid_set_stays_in_the_prompt(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 120, 40);
    press(app, "i");
    prompt_type(app, "2-99");
    press(app, "Enter");
    assert_int_equal(app->prompt->kind, PROMPT_SET);
    assert_true(shows(app, "steps: 2-99"));
    assert_true(shows(app, "99"));
    assert_true(app->prompt->problem[0]);
    assert_string_equal(app->messages->text, "");
    press(app, "Backspace Backspace");
    assert_int_equal(app->prompt->problem[0], 0);
    prompt_type(app, "3");
    press(app, "Enter");
    assert_int_equal(app->prompt->kind, PROMPT_NONE);
    assert_true(shows(app, "set 2-3"));
    app_free(app);
    profile_free(profile);
}

// The message and the caption of the table use the same words for a mean.
static void test_per_step_by_name(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 120, 30);
    press(app, "3 #");
    assert_string_equal(app->messages->text, "times and counts: in total");
    press(app, "#");
    assert_string_equal(app->messages->text, "times and counts: per step, the mean");
    press(app, "j");
    char *screen = picture(app);
    assert_non_null(strstr(screen, "  per step\n"));
    free(screen);
    app_free(app);
    profile_free(profile);
}

// Without steps values are totals; after a later choice of a split they are per step.
static void test_per_step_with_a_later_split(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 120, 30);
    press(app, "3");
    char *screen = picture(app);
    assert_null(strstr(screen, "  per "));
    free(screen);
    assert_true(app_choose_split(app, "replay:6", NULL));
    screen = picture(app);
    assert_non_null(strstr(screen, "  per replay\n"));
    free(screen);
    // The user's choice stays, whatever the split.
    press(app, "#");
    assert_true(app_choose_split(app, "slices:50ms", NULL));
    screen = picture(app);
    assert_null(strstr(screen, "  per "));
    free(screen);
    app_free(app);
    profile_free(profile);
}

static bool split_is_there(const struct app *app, const struct split *split)
{
    for (size_t i = 0; i < app->splits->count; i++)
        if (app->splits->entries[i].split == split)
            return true;
    return false;
}

// After more splits than are kept, no data derived from a freed split remains.
static void test_freed_splits(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 80, 24);
    press(app, "4 Enter 3");
    assert_true(app->places->trail[app->places->depth - 2]->own & OWN_ITERATIONS);
    assert_true(split_is_there(app, app->steps->split));
    size_t chosen = 0;
    for (uint32_t n = 1; n < profile->tree->count && chosen < MAX_SPLITS + 3; n++) {
        const struct split *former = app->scope->split;
        app_choose_split(app, profile_text(profile, profile->tree->name[n]), NULL);
        chosen += app->scope->split != former;
        assert_true(!app->steps->split || split_is_there(app, app->steps->split));
        for (size_t i = 0; i < app->places->depth; i++)
            assert_true(!(app->places->trail[i]->own & OWN_ITERATIONS) ||
                        split_is_there(app, app->places->trail[i]->narrow.split));
    }
    assert_true(chosen > MAX_SPLITS);
    app_draw(app);
    assert_int_equal(app_steps(app)->count, app->scope->split->count);
    app_free(app);
    profile_free(profile);
}

// Digits are keys of views exactly if there is such a view; others give a message.
static void test_digits_are_views(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 80, 24);
    for (char digit = '0'; digit <= '9'; digit++) {
        char text[] = {digit, 0}, expected[40];
        const struct view_class *class = view_class_find(text);
        bool is_key = action_of_key((uint32_t)digit, KIND_TABLE) == ACTION_VIEW;
        assert_int_equal(is_key, class != NULL);
        press(app, text);
        snprintf(expected, sizeof expected, "there is no view %c", digit);
        if (class)
            assert_ptr_equal(host_top_view(app)->class, class);
        else
            assert_string_equal(app->messages->text, expected);
    }
    app_free(app);
    profile_free(profile);
}

static void test_quit(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 80, 24);
    press(app, "3 Enter q q");
    assert_false(app->requests->is_done);
    press(app, "q");
    assert_true(app->requests->is_done);
    assert_int_equal(app->requests->status, 0);
    app_free(app);
    app = app_on(profile, 80, 24);
    press(app, "C-c j C-c");
    assert_false(app->requests->is_done);
    press(app, "C-c");
    assert_true(app->requests->is_done);
    assert_int_equal(app->requests->status, 130);
    app_free(app);
    profile_free(profile);
}

static void test_saving(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 80, 24);
    static const char *const endings[] = {"csv", "json", "tsv", "md", "txt"};
    char command[400], path[300];
    press(app, "3");
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s/view.%s", folder, endings[i]);
        snprintf(command, sizeof command, "save %s", path);
        assert_true(app_command_line(app, command));
        assert_int_equal(access(path, R_OK), 0);
        // Does not overwrite the file.
        assert_false(app_command_line(app, command));
        unlink(path);
    }
    assert_false(app_command_line(app, "save /nonexistent/x.csv"));
    assert_false(app_command_line(app, "save x.exe"));
    // A view without rows is saved as a picture.
    press(app, "1");
    snprintf(path, sizeof path, "%s/picture.txt", folder);
    snprintf(command, sizeof command, "save %s", path);
    assert_true(app_command_line(app, command));
    // A file is replaced as a whole or not at all: another link to the former file keeps its
    // content.
    char other[300];
    struct stat former, written;
    snprintf(other, sizeof other, "%s/other.txt", folder);
    assert_int_equal(link(path, other), 0);
    app_write_view(app, path, true);
    assert_false(app->messages->is_error);
    assert_int_equal(stat(other, &former), 0);
    assert_int_equal(stat(path, &written), 0);
    assert_true(former.st_ino != written.st_ino);
    unlink(other);
    unlink(path);
    // In interactive use overwriting asks first.
    app->script->is_script = false;
    snprintf(path, sizeof path, "%s/asked.csv", folder);
    snprintf(command, sizeof command, "save %s", path);
    press(app, "3");
    assert_true(app_command_line(app, command));
    app_command_line(app, command);
    assert_int_equal(app->prompt->kind, PROMPT_OVERWRITE);
    press(app, "n");
    app_command_line(app, command);
    press(app, "y");
    assert_false(app->messages->is_error);
    // The message names the file, and the next save proposes the same file for the same view, else
    // its folder.
    char *real = realpath(path, NULL);
    assert_non_null(real);
    assert_non_null(strstr(app->messages->text, real));
    free(real);
    press(app, "s");
    assert_string_equal(app->prompt->text, path);
    press(app, "Esc 8 s");
    assert_memory_equal(app->prompt->text, folder, strlen(folder));
    assert_non_null(strstr(app->prompt->text, "_memory.csv"));
    press(app, "Esc P");
    assert_memory_equal(app->prompt->text, folder, strlen(folder));
    press(app, "Esc");
    unlink(path);
    app_free(app);
    profile_free(profile);
}

// On the first screen Tab and arrows reach the panels, and Enter opens what the row is about.
static void test_summary_cursor(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 80, 24);
    press(app, "G"); // steps are the lowest panel
    press(app, "h Enter");
    assert_ptr_equal(host_top_view(app)->class, &view_iterations);
    assert_int_equal(app->places->step, app->scope->split->count - 2);
    press(app, "h Esc l Enter"); // returns to the same step, whatever the cursor did meanwhile
    assert_int_equal(app->places->step, app->scope->split->count - 1);
    press(app, "Esc g K");
    assert_true(app->box->is_open);
    assert_non_null(strstr(app->box->text, "median"));
    press(app, "Esc g j K");
    assert_non_null(strstr(app->box->text, "Tensor Core:"));
    press(app, "Esc Enter");
    assert_ptr_equal(host_top_view(app)->class, &view_kernels);
    press(app, "Esc");
    // Moves down from the bar through the findings to the layers.
    app_draw(app);
    for (int i = 0; i < 40 && host_top_view(app)->class == &view_summary; i++) {
        press(app, "j Enter");
        if (host_top_view(app)->class != &view_tree)
            while (app->places->depth > 1)
                press(app, "Backspace");
    }
    assert_ptr_equal(host_top_view(app)->class, &view_tree);
    const struct table *table = &host_top_view(app)->table;
    struct value name = table->report->columns[0].get(table_row(table));
    assert_non_null(
        strstr(host_top_view(app)->label, name.text)); // "layers.* x24 > mlp" ends with mlp
    press(app, "Backspace K");
    assert_true(app->box->is_open);
    press(app, "Esc");
    // Tab after the last panel opens the next view.
    press(app, "G Tab");
    assert_ptr_equal(host_top_view(app)->class, &view_tree);
    app_free(app);
    profile_free(profile);
}

// A layer's kernels are those of its forward pass; one key adds the kernels of its backward, and
// the screen says so.
static void test_backward_of_a_layer(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 130, 40);
    struct selection all = selection_all(app->scope->split);
    uint32_t node = profile->folded_tree->count - 1;
    while (all.node = node, node > 0 && selection_backward_ns(profile, &all) == 0)
        node--;
    host_show_node(app, node, "layer");
    press(app, "&"); // has no effect without a layer
    press(app, "Enter");
    struct view *view = host_top_view(app);
    assert_ptr_equal(view->class, &view_kernels);
    char *before = picture(app);
    assert_int_equal(node != 0, strstr(before, "forward only: & adds ") != NULL);
    press(app, "&");
    assert_int_equal(node != 0, view->narrow.with_backward);
    char *with = picture(app);
    assert_int_equal(node != 0, strstr(with, ", with its backward") != NULL);
    assert_null(strstr(with, "forward only: & adds "));
    press(app, "&");
    char *after = picture(app);
    assert_string_equal(before, after);
    free(before);
    free(with);
    free(after);
    app_free(app);
    profile_free(profile);
}

// The line of hints above the footer is composed for each view, has whole words only and ends with
// the key for all keys.
static void test_hints_depend_on_the_view(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    for (int width = 40; width <= 120; width += 20) {
        struct app *app = app_on(profile, width, 24);
        for (size_t v = 0; v < view_name_count(); v++) {
            char command[100];
            snprintf(command, sizeof command, "view %s", view_name(v));
            app_command_line(app, command);
            char *text = picture(app), *line = text;
            for (int y = 0; y < 22; y++)
                line = strchr(line, '\n') + 1;
            *strchr(line, '\n') = 0;
            assert_non_null(strstr(line, "? all keys"));
            assert_string_equal(strstr(line, "? all keys"), "? all keys");
            free(text);
        }
        app_free(app);
    }
    struct app *app = app_on(profile, 80, 24);
    press(app, "3");
    char *text = picture(app);
    assert_non_null(strstr(text, "Enter single launches"));
    free(text);
    press(app, "Enter");
    text = picture(app);
    assert_non_null(strstr(text, "Enter all of the row")); // text of report->narrow
    free(text);
    app_free(app);
    profile_free(profile);
}

// In views without rows, text typed after `/` does not act as keys.
static void test_typed_text_does_not_act_as_keys(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    static const char *const views_without_rows[] = {"1", "4", "5"};
    static const char *const openers[] = {"/", "\\", "f", "F3", "F4"};
    for (size_t v = 0; v < 3; v++) {
        for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
            struct app *app = app_on(profile, 80, 24);
            press(app, views_without_rows[v]);
            char *before = picture(app);
            press(app, openers[i]);
            prompt_type(app, "q Q 3 x F d");
            assert_false(app->requests->is_done);
            assert_true(app->prompt->kind != PROMPT_NONE);
            press(app, i % 2 ? "Enter" : "Esc");
            if (app->prompt->kind ==
                PROMPT_STEP) // no step has this name: the prompt stays open for correction
                press(app, "Esc");
            assert_int_equal(app->prompt->kind, PROMPT_NONE);
            char *after = picture(app);
            assert_string_equal(after, before);
            free(before), free(after);
            app_free(app);
        }
    }
    profile_free(profile);
}

// ---- during loading ---------------------------------------------------------------------------

struct loading {
    struct load_request request;
    struct load_progress progress;
    struct profile *profile;
    atomic_bool is_done;
};

static void *load(void *context)
{
    struct loading *loading = context;
    loading->profile = profile_load(&loading->request, NULL);
    atomic_store(&loading->is_done, true);
    return NULL;
}

// Draws every view at every stage of loading and on the change from one stage to the next.
static void test_stages(void **state)
{
    struct profile *whole = profile_of(*state); // generates the file
    if (!whole)
        skip();
    profile_free(whole);
    char path[300];
    snprintf(path, sizeof path, "%s/%s.sqlite", folder, (const char *)*state);
    struct loading loading = {.request = {.path = path}, .progress = {.wake_fd = -1}};
    loading.request.progress = &loading.progress;
    const struct profile *stages[8];
    size_t count = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, load, &loading), 0);
    for (bool is_last = false; !is_last;) {
        is_last = atomic_load(&loading.is_done);
        const struct profile *stage = atomic_load(&loading.progress.stage);
        if (stage && count < 8 && (count == 0 || stages[count - 1] != stage))
            stages[count++] = stage;
        sched_yield(); // valgrind runs one thread at a time
    }
    pthread_join(thread, NULL);
    assert_non_null(loading.profile);
    assert_true(count > 0);
    struct error error = {0};
    struct app *app = app_new(&app_defaults, &error);
    assert_non_null(app);
    assert_true(canvas_resize(app->canvas, 100, 30, NULL));
    for (size_t i = 0; i <= count; i++) {
        if (!app_show_profile(app, i < count ? stages[i] : loading.profile, &error))
            fail_msg("%s", error.message);
        app_draw(app);
        for (size_t v = 0; v < views_to_try(); v++) {
            char command[100];
            snprintf(command, sizeof command, "view %s", view_name(v));
            app_command_line(app, command);
            app_draw(app);
            press(app, "Enter j Enter Esc Esc o v O Esc p Esc F5 w @ } [ ] A X u");
            assert_invariants(app);
        }
    }
    app_free(app);
    profile_free(loading.profile);
}

static int set_up(void **state)
{
    (void)state;
    setenv("EDITOR", "true", 1);
    unsetenv("VISUAL");
    folder = own_folder_enter();
    return folder ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    rules_use_builtin(); // frees the rules that were read again
    return own_folder_remove();
}

static void write_rules(const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/kernels.yaml", folder);
    file_write(path, text);
}

// `r` applies the current rule files to the loaded profile: names, classes and what depends on
// them. View, selection and filter stay. Faulty rules have no effect.
static void test_rules_are_read_again(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app_options options = app_defaults;
    options.rules = folder;
    struct app *app = app_with(&options, profile, 120, 40);
    assert_true(app_command_line(app, "set 1-3"));
    assert_true(app_command_line(app, "view kernels"));
    char *before = picture(app);
    assert_null(strstr(before, "everything mine"));

    write_rules("families:\n  - {match: '^', name: 'everything mine'}\n"
                "classes:\n  - {class: comm, match: '^'}\n");
    app_key(app, 'r');
    assert_false(app->messages->is_error);
    char *mine = picture(app);
    assert_non_null(strstr(mine, "everything mine"));
    assert_non_null(strstr(mine, "1-3"));
    assert_non_null(app->scope->iterations);
    for (uint32_t f = 0; f < app->profile->function_count; f++)
        if (app->profile->functions[f].kind == WORK_KERNEL)
            assert_int_equal(app->profile->functions[f].class, CLASS_COMM);
    int64_t exclusive[2] = {0};
    for (uint32_t w = 0; w < profile->work.count; w++) {
        exclusive[0] += AT(profile->work.exclusive, w);
        exclusive[1] += AT(app->profile->work.exclusive, w);
    }
    assert_true(exclusive[0] == exclusive[1] && exclusive[0] > 0);

    write_rules("families:\n  - {match: '(', name: x}\n");
    app_key(app, 'r');
    assert_true(app->messages->is_error);
    assert_non_null(strstr(app->messages->text, "kernels.yaml:2:13: "));
    char *former_picture = picture(app);
    assert_string_equal(former_picture, mine);

    char path[100];
    snprintf(path, sizeof path, "%s/kernels.yaml", folder);
    unlink(path);
    app_key(app, 'r');
    char *after = picture(app);
    assert_string_equal(after, before);
    free(before), free(mine), free(former_picture), free(after);
    app_free(app);
    profile_free(profile);
    rules_use_builtin();
}

static const struct profile *other_side(const struct app *app)
{
    return app->comparing->baseline->profile;
}

// Both sides of a comparison use the same rules, whether of one file or of two. A side of the same
// file is the profile shown now and not the freed one.
static void test_rules_apply_to_both_sides(void **state)
{
    struct profile *profile = profile_of(*state), *older = profile_of(*state);
    if (!profile || !older)
        skip();
    struct app_options options = app_defaults;
    struct error error = {0};
    options.rules = folder;
    struct app *app = app_with(&options, profile, 120, 40);
    assert_true(app_command_line(app, "baseline"));
    for (int i = 0; i < 3; i++) {
        char text[100];
        snprintf(text, sizeof text, "families:\n  - {match: '^', name: 'mine %d'}\n", i);
        write_rules(text);
        app_key(app, 'r');
        assert_false(app->messages->is_error);
        assert_ptr_equal(other_side(app), app->profile);
        free(picture(app));
    }
    assert_true(app_compare_with(app, older, "older.sqlite", &error));
    char path[100];
    snprintf(path, sizeof path, "%s/kernels.yaml", folder);
    unlink(path);
    app_key(app, 'r');
    assert_ptr_not_equal(other_side(app), app->profile);
    for (uint32_t f = 0; f < app->profile->function_count; f++)
        assert_string_equal(profile_text(other_side(app), other_side(app)->functions[f].family),
                            profile_text(app->profile, app->profile->functions[f].family));
    // Rules stay unchanged while another profile is loading.
    snprintf(app->messages->loading, sizeof app->messages->loading, "baseline");
    const struct rules *rules = rules_get();
    app_key(app, 'r');
    assert_ptr_equal(rules_get(), rules);
    app->messages->loading[0] = 0;
    app_free(app);
    profile_free(profile);
    rules_use_builtin();
}

// A view opened by a finding follows the selected set, also when it changes. It has a set of its
// own only if the finding has one.
static void test_views_of_findings_follow_the_set(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 120, 40);
    assert_true(app_command_line(app, "set 1-3"));
    const struct finding_list *findings = host_findings(app);
    size_t tried = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (!finding->opens || finding->evidence.iterations != app->scope->iterations)
            continue;
        host_open_finding(app, finding);
        assert_int_equal(host_top_view(app)->own & OWN_ITERATIONS, 0);
        press(app, "Backspace");
        tried++;
    }
    assert_true(tried > 0);
    app_free(app);
    profile_free(profile);
}

// Results for a former set are discarded, and those for the current set arrive in the end.
static void test_findings_of_a_former_set_stop(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 120, 40);
    app->is_live = true;
    for (int round = 0; round < 10; round++) {
        assert_true(app_command_line(app, round % 2 ? "set 1-3" : "all"));
        host_findings(app);
        bool is_running = app->findings->job;
        const struct finding *items = app->findings->list.items;
        assert_true(app_command_line(app, round % 2 ? "set 2-3" : "set 3-5"));
        host_findings(app); // a new request stops the former one
        while (is_running && !app_findings_arrived(app))
            ;
        assert_true(!is_running || app->findings->list.items == items);
        do
            host_findings(app);
        while (host_findings_pending(app) && (app_findings_arrived(app), true));
        assert_int_equal(app->findings->generation, app->generation);
    }
    assert_true(app_command_line(app, "all"));
    host_findings(app);
    app_free(app); // while a job is running
    profile_free(profile);
}

// The list of findings does not change within a frame: results of the thread are taken between
// frames.
static void test_findings_stay_for_a_frame(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 120, 40);
    app->is_live = true;
    for (int round = 0; round < 20; round++) {
        assert_true(app_command_line(app, round % 2 ? "set 1-3" : "all"));
        const struct finding_list *findings = host_findings(app);
        const struct finding *items = findings->items;
        bool was_pending = host_findings_pending(app);
        for (int i = 0; i < 20; i++) {
            const struct timespec moment = {.tv_nsec = 1000000};
            // the thread may or may not finish in this time; both must work
            nanosleep(&moment, NULL);
            assert_ptr_equal(host_findings(app)->items, items);
            assert_int_equal(host_findings_pending(app), was_pending);
        }
        while (host_findings_pending(app) && !app_findings_arrived(app))
            ;
        press(app, round % 3 ? "5 j j" : "1 j");
    }
    app_free(app);
    profile_free(profile);
}

// One chart per GPU in order of their numbers. If not all fit, the GPU that the others wait for is
// first.
static void test_charts_of_gpus(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 100, 30);
    press(app, "4 S");
    char *all = picture(app);
    assert_non_null(strstr(all, "GPU 0  "));
    assert_true(strstr(all, "GPU 0  ") < strstr(all, "GPU 2  "));
    assert_non_null(strstr(all, ", works 3"));
    free(all);
    app_free(app);
    app = app_on(profile, 50, 16);
    press(app, "4 S");
    assert_true(shows(app, "GPU 2  median "));
    assert_false(shows(app, "GPU 0  "));
    app_free(app);
    profile_free(profile);
}

// If figures are not sums, the caption says what they are, at any depth of rows. Folding is offered
// only for rows with children.
static void test_captions_and_hints(void **state)
{
    struct profile *profile = profile_of(*state);
    if (!profile)
        skip();
    struct app *app = app_on(profile, 100, 30);
    do_command(app, "view ranks");
    assert_true(shows(app, "rows  mean of 3 steps"));
    assert_true(shows(app, "h l fold"));
    press(app, "Enter");
    assert_true(shows(app, "rows  mean of 3 steps"));
    press(app, "8");
    assert_true(shows(app, "[CUDA memset]"));
    assert_false(shows(app, "h l fold"));
    app_free(app);
    profile_free(profile);
}

#define ON(test, scenario) cmocka_unit_test_prestate(test, (void *)(uintptr_t)scenario)

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    setlocale(LC_ALL, "C.UTF-8");
    struct CMUnitTest tests[] = {
        ON(test_every_action_in_every_view, "tiny"),
        ON(test_every_action_in_every_view, "cpuonly"),
        ON(test_random_keys, "tiny"),
        ON(test_random_keys, "cpuonly"),
        ON(test_random_keys, "demo --steps=4"),
        ON(test_summary_on_a_tiny_screen, "demo --steps=4"),
        ON(test_back_returns_to_the_same_screen, "tiny"),
        ON(test_undo_restores_everything, "tiny"),
        ON(test_undo_restores_long_filters, "tiny"),
        ON(test_set_by_keys, "demo"),
        ON(test_marked_findings, "demo --steps=4"),
        ON(test_step_by_number, "demo --steps=4"),
        ON(test_findings_from_the_cursor, "demo --steps=6"),
        ON(test_invalid_set_stays_in_the_prompt, "demo --steps=4"),
        ON(test_per_step_by_name, "tiny"),
        ON(test_per_step_with_a_later_split, "serving"),
        ON(test_freed_splits, "demo --steps=4"),
        ON(test_digits_are_views, "tiny"),
        ON(test_quit, "tiny"),
        ON(test_saving, "tiny"),
        ON(test_summary_cursor, "tiny"),
        ON(test_backward_of_a_layer, "demo --steps=4"),
        ON(test_backward_of_a_layer, "tiny"),
        ON(test_hints_depend_on_the_view, "tiny"),
        ON(test_typed_text_does_not_act_as_keys, "tiny"),
        ON(test_rules_are_read_again, "demo --steps=6"),
        ON(test_rules_apply_to_both_sides, "demo --steps=6"),
        ON(test_views_of_findings_follow_the_set, "demo --steps=6"),
        ON(test_findings_stay_for_a_frame, "demo --steps=6"),
        ON(test_findings_of_a_former_set_stop, "demo --steps=6"),
        ON(test_charts_of_gpus, "healthy --processes=4 --problem=straggler --steps=6"),
        ON(test_captions_and_hints, "ddp --steps=3"),
        ON(test_stages, "dlprof"),
        ON(test_stages, "ddp --steps=3"),
    };
    size_t count = 0;
    // A quick run uses only the small profile.
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (!run_is_quick() || strcmp(tests[i].initial_state, "tiny") == 0)
            tests[count++] = tests[i];
    return _cmocka_run_group_tests("tests", tests, count, set_up, tear_down);
}
