// SPDX-License-Identifier: Apache-2.0
// Checks the list of the runs of a folder: its columns, keys and mouse, and hostile file names.
#include <stdlib.h>
#include <string.h>

#include "property.h"
#include "ui/app/lists.h"
#include "ui/app/runs.h"
#include "ui/term/key.h"

static const struct run_file files[] = {
    {"log/run2/host_1.pt.trace.json", "kineto", 1200, 0},
    {"log/run2/host_2.pt.trace.json", "kineto", 3400000, 0},
    {"log/run2/rank\033[2J.sqlite", "nsys", UNKNOWN, UNKNOWN},
};
static const struct folder_run runs[] = {
    {.name = "run1",
     .files = files,
     .count = 1,
     .workers = 1,
     .formats = "kineto",
     .bytes = 1200,
     .newest = "2026-01-02 03:04"},
    {.name = "run2",
     .files = files,
     .count = 3,
     .workers = 3,
     .formats = "kineto, nsys",
     .bytes = 3401200,
     .newest = "2026-01-02 03:05"},
    {.name = "run10/a\n\033[31mb",
     .files = files,
     .count = 2,
     .workers = 1,
     .formats = "kineto",
     .bytes = 7},
};
static const struct run_list list = {"log", runs, sizeof runs / sizeof *runs, ""};

struct shown {
    struct canvas *canvas;
    struct run_picker picker;
};

static struct shown show(int width, int height, bool ascii)
{
    struct shown shown = {.canvas = canvas_new()};
    assert_non_null(shown.canvas);
    assert_true(canvas_resize(shown.canvas, width, height, NULL));
    shown.canvas->ascii = ascii;
    return shown;
}

static void end(struct shown *shown)
{
    run_picker_close(&shown->picker);
    canvas_free(shown->canvas);
}

static void assert_picture(struct shown *shown, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    run_picker_draw(&shown->picker, shown->canvas);
    canvas_dump(shown->canvas, file);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

static bool is_seen(struct shown *shown, const char *words)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    run_picker_draw(&shown->picker, shown->canvas);
    canvas_dump(shown->canvas, file);
    fclose(file);
    bool is_there = strstr(text, words) != NULL;
    free(text);
    return is_there;
}

// Types characters as a terminal sends them; 127 is Backspace.
static enum run_answer type(struct shown *shown, const char *keys)
{
    enum run_answer answer = RUN_PENDING;
    for (; *keys && answer == RUN_PENDING; keys++)
        answer =
            run_picker_key(&shown->picker, *keys == 127 ? KEY_ERASE : (unsigned char)*keys, 0, 0);
    return answer;
}

static void test_pictures(void **state)
{
    (void)state;
    struct shown shown = show(72, 16, true);
    assert_true(run_picker_open(&shown.picker, &list, 1, NULL));
    assert_picture(&shown,
                   " log: 3 runs\n"
                   " run             workers  files    size  newest file      format\n"
                   " run1                   1      1 1.20 kB 2026-01-02 03:04 kineto\n"
                   " run2                   3      3 3.40 MB 2026-01-02 03:05 kineto, nsys\n"
                   " run10/a ^[[31mb        1      2     7 B -                kineto\n"
                   "\n"
                   "-- run2 ----------------------------------------------------------------\n"
                   "    1.20 kB  host_1.pt.trace.json\n"
                   "    3.40 MB  host_2.pt.trace.json\n"
                   "          -  rank^[[2J.sqlite\n"
                   "\n\n\n\n\n"
                   " Enter opens it   / filters   j k move   q leaves   < > sort\n");
    end(&shown);
}

static void test_a_run_is_chosen(void **state)
{
    (void)state;
    struct shown shown = show(80, 24, false);
    assert_true(run_picker_open(&shown.picker, &list, SIZE_MAX, NULL));
    run_picker_draw(&shown.picker, shown.canvas);
    assert_int_equal(type(&shown, "jj\r"), RUN_CHOSEN);
    assert_int_equal(shown.picker.chosen, 2);
    assert_int_equal(type(&shown, "k"), RUN_PENDING);
    assert_int_equal(run_picker_key(&shown.picker, KEY_CURSOR_UP, 0, 0), RUN_PENDING);
    assert_int_equal(type(&shown, "\r"), RUN_CHOSEN);
    assert_int_equal(shown.picker.chosen, 0);
    assert_int_equal(type(&shown, "G\r"), RUN_CHOSEN);
    assert_int_equal(shown.picker.chosen, 2);
    const char *leave[] = {"q", "Q", "\033", "\003"};
    for (size_t i = 0; i < sizeof leave / sizeof *leave; i++)
        assert_int_equal(type(&shown, leave[i]), RUN_CANCELLED);
    end(&shown);
}

// The filter line is edited like any other.
static void check_filter_editing(struct shown *shown)
{
    assert_int_equal(type(shown, "/un2"), RUN_PENDING);
    assert_int_equal(run_picker_key(&shown->picker, KEY_FIRST, 0, 0), RUN_PENDING);
    assert_int_equal(type(shown, "r"), RUN_PENDING);
    assert_string_equal(shown->picker.filter, "run2");
    assert_int_equal(type(shown, "\013"), RUN_PENDING); // Ctrl-K: deletes to the end of the line
    assert_string_equal(shown->picker.filter, "r");
    assert_int_equal(type(shown, "\033"), RUN_PENDING);
}

// The selected row stays the same run under any sort and filter.
static void test_filter_and_sort(void **state)
{
    (void)state;
    struct shown shown = show(80, 24, false);
    assert_true(run_picker_open(&shown.picker, &list, SIZE_MAX, NULL));
    assert_int_equal(type(&shown, "/run1"), RUN_PENDING);
    assert_true(is_seen(&shown, "filter: run1"));
    assert_false(is_seen(&shown, " run2 "));
    assert_int_equal(type(&shown, "0"),
                     RUN_PENDING); // q and other letters are typed into the filter
    assert_int_equal(type(&shown, "q"), RUN_PENDING);
    assert_true(is_seen(&shown, "no run is called so"));
    assert_int_equal(type(&shown, "\r\r"), RUN_PENDING); // no run under the cursor
    assert_int_equal(type(&shown, "/\177\r\r"), RUN_CHOSEN);
    assert_int_equal(shown.picker.chosen, 2);
    assert_int_equal(type(&shown, "\033"), RUN_PENDING); // removes the filter
    assert_true(is_seen(&shown, " run2 "));
    assert_int_equal(type(&shown, "/\177"), RUN_PENDING);
    assert_int_equal(type(&shown, "q"), RUN_CANCELLED); // the empty filter line was closed
    check_filter_editing(&shown);
    assert_int_equal(type(&shown, "/workers>2\r\r"), RUN_CHOSEN);
    assert_int_equal(shown.picker.chosen, 1);
    assert_int_equal(type(&shown, "/[\r"), RUN_PENDING); // an incomplete pattern is reported
    assert_int_equal(type(&shown, "\033/\025\r>>>"), RUN_PENDING); // by size, largest first
    assert_int_equal(type(&shown, "g\r"), RUN_CHOSEN);
    assert_int_equal(shown.picker.chosen, 1);
    end(&shown);
}

static void test_the_mouse(void **state)
{
    (void)state;
    struct shown shown = show(80, 24, false);
    assert_true(run_picker_open(&shown.picker, &list, SIZE_MAX, NULL));
    run_picker_draw(&shown.picker, shown.canvas);
    assert_int_equal(run_picker_key(&shown.picker, KEY_CLICK, 3, 3), RUN_PENDING);
    assert_int_equal(run_picker_key(&shown.picker, KEY_DOUBLE_CLICK, 3, 3), RUN_CHOSEN);
    assert_int_equal(shown.picker.chosen, 1);
    assert_int_equal(run_picker_key(&shown.picker, KEY_WHEEL_DOWN, 3, 3), RUN_PENDING);
    assert_int_equal(run_picker_key(&shown.picker, KEY_DOUBLE_CLICK, 3, 20), RUN_PENDING);
    assert_int_equal(run_picker_key(&shown.picker, KEY_DRAG, 3, 3), RUN_PENDING);
    assert_int_equal(type(&shown, "\r"), RUN_CHOSEN);
    assert_int_equal(shown.picker.chosen, 2);
    // A click on the head of a column sorts by it: by name, and again in reverse.
    assert_int_equal(run_picker_key(&shown.picker, KEY_CLICK, 3, 1), RUN_PENDING);
    assert_int_equal(run_picker_key(&shown.picker, KEY_CLICK, 3, 1), RUN_PENDING);
    run_picker_draw(&shown.picker, shown.canvas);
    assert_int_equal(type(&shown, "g\r"), RUN_CHOSEN);
    end(&shown);
}

static void test_sizes(void **state)
{
    (void)state;
    for (int width = 1; width < 90; width += 7) {
        for (int height = 1; height < 30; height += 3) {
            struct shown shown = show(width, height, true);
            assert_true(run_picker_open(&shown.picker, &list, SIZE_MAX, NULL));
            run_picker_draw(&shown.picker, shown.canvas);
            type(&shown, "j/ru");
            run_picker_draw(&shown.picker, shown.canvas);
            end(&shown);
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    static const struct folder_run alike[] = {{.name = "a"}, {.name = "ab/c"}, {.name = "ab/d"}};
    static const struct run_list alike_list = {"log", alike, 3, ""};
    assert_int_equal(run_find(&alike_list, "a"), 0);
    assert_int_equal(run_find(&alike_list, "a/"), 0);
    assert_int_equal(run_find(&alike_list, "ab"), SIZE_MAX);
    assert_int_equal(run_find(&alike_list, "ab/d"), 2);
    assert_int_equal(run_find(&alike_list, "x"), SIZE_MAX);
    assert_int_equal(run_find(&list, "run10"), 2);
}

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),        cmocka_unit_test(test_a_run_is_chosen),
        cmocka_unit_test(test_filter_and_sort), cmocka_unit_test(test_the_mouse),
        cmocka_unit_test(test_sizes),           cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
