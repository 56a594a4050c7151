// SPDX-License-Identifier: Apache-2.0
// Fails the first, the second, ... allocation of the arenas, of the C library and of SQLite during
// whole runs: load a profile, split it, build each report, write it in each format; and during each
// screen action in all views in turn. Each failure must give an error with a message or the same
// result as without it, and the screen must keep working.
//
// Tests take a sample of the allocations. `./dev soak` takes each of the first ones and then random
// ones at growing distances: all of them, hundreds of thousands, would take days. The sanitizers
// look for leaks.
#include "model/open/open.h"
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "base/error.h"
#include "dldb_fixture.h"
#include "model/rules/rules.h"
#include "model/steps/split.h"
#include "nsys_fixture.h"
#include "profile_rows.h"
#include "ui/app/app_life.h"
#include "ui/app/lists.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui_screen.h"

enum {
    SAMPLE = 60, // allocations of each kind that a plain test tries
    SOAK_NEAR = 2000,
    SOAK_APART = 64, // after SOAK_NEAR, a soak skips up to 1/SOAK_APART of the allocations so far
};

// ---- failing allocators ------------------------------------------------------------------------

static struct {
    uint64_t count, fail_at; // fail_at 0: never
} libc_calls, sqlite_calls;

static bool is_due(uint64_t *count, uint64_t fail_at)
{
    return ++*count == fail_at;
}

// The linker substitutes these for the C library's functions in all of the program's own code.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    return is_due(&libc_calls.count, libc_calls.fail_at) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_due(&libc_calls.count, libc_calls.fail_at) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_due(&libc_calls.count, libc_calls.fail_at) ? NULL : __real_realloc(memory, size);
}

static sqlite3_mem_methods sqlite_real;

static void *sqlite_malloc(int size)
{
    return is_due(&sqlite_calls.count, sqlite_calls.fail_at) ? NULL : sqlite_real.xMalloc(size);
}

static void *sqlite_realloc(void *memory, int size)
{
    return is_due(&sqlite_calls.count, sqlite_calls.fail_at) ? NULL
                                                             : sqlite_real.xRealloc(memory, size);
}

static void sqlite_install(void)
{
    sqlite3_shutdown(); // memory functions must be set before sqlite3_initialize()
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_real), SQLITE_OK);
    sqlite3_mem_methods methods = sqlite_real;
    methods.xMalloc = sqlite_malloc;
    methods.xRealloc = sqlite_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
}

// ---- one run of the program --------------------------------------------------------------------

struct run {
    struct profile *profile;
    struct arena *arena;
    FILE *file;
};

static bool write_reports(void *context, struct error *error)
{
    struct run *run = context;
    struct selection selection = selection_all(split_find(run->profile, run->arena));
    for (size_t i = 0; i < report_count; i++) {
        struct rows rows;
        if (!report_build(reports[i], run->profile, &selection, run->arena, &rows, error))
            return false;
        struct export_table table = {
            .report = reports[i], .rows = rows, .profile = run->profile, .selection = &selection};
        for (size_t f = 0; f < export_format_count; f++)
            if (!export_formats[f]->write(&table, run->file, run->arena))
                return error_set(error, ERROR_MEMORY, "out of memory");
    }
    return true;
}

// Returns the text of all reports, or NULL with the reason in `error`.
static char *run_once(const char *path, struct error *error)
{
    char *text = NULL;
    size_t size = 0;
    struct load_progress progress = {.wake_fd = -1};
    struct load_request request = {.path = path, .threads = 1, .progress = &progress};
    *error = (struct error){0};
    struct run run = {.profile = profile_load(&request, error)};
    if (!run.profile) {
        profile_free(atomic_load(&progress.stage)); // the stages that were published
        return NULL;
    }
    run.file = open_memstream(&text, &size); // grows inside the C library, so it never fails here
    run.arena = arena_new(0);
    bool done = run.arena ? arena_run(run.arena, write_reports, &run, error)
                          : error_set(error, ERROR_MEMORY, "out of memory");
    fclose(run.file);
    arena_free(run.arena);
    profile_free(run.profile);
    if (done)
        return text;
    free(text);
    return NULL;
}

static void arena_arm(uint64_t n)
{
    arena_fail_at(n);
}

static void libc_arm(uint64_t n)
{
    libc_calls.count = 0;
    libc_calls.fail_at = n;
}

static void sqlite_arm(uint64_t n)
{
    sqlite_calls.count = 0;
    sqlite_calls.fail_at = n;
}

// Returns an upper bound on the allocations of a run: the first power of two at which a failing
// allocation does not make the run fail.
static uint64_t allocation_bound(const char *path, void (*arm)(uint64_t n))
{
    for (uint64_t n = 64;; n *= 2) {
        struct error error;
        arm(n);
        char *text = run_once(path, &error);
        arm(0);
        free(text);
        if (text)
            return n;
    }
}

// Repeats a whole run, each time with another allocation that fails. After a run `count` points to
// its number of allocations; NULL: allocation_bound() searches it. Some failures have no effect,
// such as those in the lookup of a file's owner.
static void fail_on(const char *path, void (*arm)(uint64_t n), const uint64_t *count)
{
    struct error error;
    arm(0);
    char *whole = run_once(path, &error);
    assert_non_null(whole);
    uint64_t last = count ? *count : allocation_bound(path, arm);
    bool is_soak = run_is_long();
    uint64_t sample = run_is_quick() ? SAMPLE / 10 : SAMPLE;
    uint64_t near = is_soak ? SOAK_NEAR : sample / 3;
    struct random random = {.state = last};
    int failed = 0;
    for (uint64_t n = 1; n <= last; n += n < near  ? 1
                                         : is_soak ? 1 + random_below(&random, n / SOAK_APART)
                                                   : last / sample + 1) {
        arm(n);
        char *text = run_once(path, &error);
        arm(0);
        if (!text) {
            failed++;
            assert_int_not_equal(error.kind, ERROR_NONE);
            assert_true(*error.message);
        } else if (strcmp(text, whole) != 0) {
            fail_msg("allocation %llu fails and the result is another", (unsigned long long)n);
        }
        free(text);
    }
    assert_true(failed > 0);
    free(whole);
}

static void fail_in_turn(void (*arm)(uint64_t n), const uint64_t *count)
{
    fail_on(nsys_file(profile_rows_sql()), arm, count);
    fail_on(dldb_file(""), arm, count);
}

static void test_arenas(void **state)
{
    (void)state;
    fail_in_turn(arena_arm, NULL);
}

static void test_c_library(void **state)
{
    (void)state;
    fail_in_turn(libc_arm, &libc_calls.count);
}

static void test_sqlite(void **state)
{
    (void)state;
    fail_in_turn(sqlite_arm, &sqlite_calls.count);
}

// ---- the screen --------------------------------------------------------------------------------

static char saved[64]; // a folder

// Runs a command on the screen while allocation `n` fails. An error must be shown, and the screen
// must be drawn once memory is available again.
static void run_command_failing(struct app *app, const char *line, uint64_t n,
                                void (*arm)(uint64_t n))
{
    arm(n);
    bool done = app_command_line(app, line);
    app_draw(app);
    arm(0);
    if (!done && !app->messages->text[0])
        fail_msg("'%s' with allocation %llu failing says nothing", line, (unsigned long long)n);
    if (app->prompt->kind != PROMPT_NONE)
        app_key(app, KEY_ESCAPE);
    app_draw(app);
    assert_true(app->places->depth >= 1 && app->scope->split);
    assert_true(app->canvas->cells[0].code); // it is drawn
}

static void run_commands_failing(const struct profile *profile, uint64_t n, void (*arm)(uint64_t n))
{
    static const char *const lines[] = {"filter gpu>1us",
                                        "filter [",
                                        "search gemm",
                                        "sort gpu",
                                        "key step",
                                        "set 0",
                                        "baseline",
                                        "bookmark a",
                                        "jump a",
                                        "theme light",
                                        "columns gpu hide",
                                        "unfold-all",
                                        "boxes",
                                        "split kernels",
                                        "pane ops",
                                        "save rows.csv",
                                        "save rows.json",
                                        "page page.md",
                                        "session here.session",
                                        "copy text.txt",
                                        "who",
                                        "timeline",
                                        "row 2",
                                        "bookmarks"};
    struct app *app = app_on(profile, 120, 30);
    size_t names = view_name_count(), turn = n, count = sizeof lines / sizeof *lines;
    for (size_t i = 0; i < action_count + count; i++, turn++) {
        char line[100];
        if (i < action_count && (!actions[i].name || actions[i].reach != REACH_SCREEN))
            continue;
        snprintf(line, sizeof line, "view %s", view_name(turn % names));
        run_command_failing(app, line, turn % 2 ? n : 0, arm);
        run_command_failing(app, i < action_count ? actions[i].name : lines[i - action_count], n,
                            arm);
        if (app->places->depth > MAX_TRAIL / 2)
            run_command_failing(app, "view kernels", 0, arm);
    }
    app_free(app);
    for (size_t i = 0; i < count; i++) // files that were written completely
        if (strchr(lines[i], '.'))
            unlink(strchr(lines[i], ' ') + 1);
}

static void fail_on_screen(void (*arm)(uint64_t n))
{
    struct error error = {0};
    struct load_request request = {.path = nsys_file(profile_rows_sql()), .threads = 1};
    struct profile *profile = profile_load(&request, &error);
    assert_non_null(profile);
    strcpy(saved, "/tmp/allocation-failures-XXXXXX");
    assert_non_null(mkdtemp(saved));
    assert_int_equal(chdir(saved), 0);
    // Fails each of the first allocations, then some at growing distances, since one round of all
    // actions needs seconds.
    uint64_t near = run_is_long() ? 64 : 8, most = run_is_long() ? 3000 : 1000;
    for (uint64_t n = 1; n <= most; n += n < near ? 1 : run_is_long() ? n / 16 : n / 2)
        run_commands_failing(profile, n, arm);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(saved), 0); // no temporary file is left
    profile_free(profile);
    rules_use_builtin(); // after :reload
}

static void test_screen_arenas(void **state)
{
    (void)state;
    fail_on_screen(arena_arm);
}

static void test_screen_c_library(void **state)
{
    (void)state;
    fail_on_screen(libc_arm);
}

// ---- rules -------------------------------------------------------------------------------------

struct rules_reading {
    struct arena *arena;
    struct rules *rules;
};

static bool read_rules(void *context, struct error *error)
{
    struct rules_reading *reading = context;
    return rules_load(&reading->rules, reading->arena, NULL, error);
}

// A pattern that cannot be compiled for lack of memory is not reported as a mistake in the file.
static void test_rules(void **state)
{
    (void)state;
    bool is_read = false;
    uint64_t n = 1;
    for (; !is_read; n += n < SAMPLE ? 1 : n / 4) {
        struct rules_reading reading = {.arena = arena_new(0)};
        struct error error = {0};
        libc_arm(n);
        is_read = arena_run(reading.arena, read_rules, &reading, &error);
        libc_arm(0);
        assert_int_equal(error.kind, is_read ? ERROR_NONE : ERROR_MEMORY);
        assert_true(is_read || n < 100000);
        rules_free(reading.rules);
        arena_free(reading.arena);
    }
    assert_true(n > SAMPLE);
}

static int set_up(void **state)
{
    (void)state;
    sqlite_install();
    rules_get(); // rules are loaded once per process
    return 0;
}

int main(void)
{
    if (!lists_use(NULL))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),         cmocka_unit_test(test_arenas),
        cmocka_unit_test(test_c_library),     cmocka_unit_test(test_sqlite),
        cmocka_unit_test(test_screen_arenas), cmocka_unit_test(test_screen_c_library),
    };
    return cmocka_run_group_tests(tests, set_up, nsys_remove);
}
