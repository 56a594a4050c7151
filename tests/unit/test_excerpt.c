// SPDX-License-Identifier: Apache-2.0
// Compares a profile read from a window of a file with the same window of the whole file, for any
// order of rows.
#include "analysis/reports/report_list.h"
#include "property.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/export/export.h"
#include "analysis/report/report.h"
#include "analysis/report/selection.h"
#include "analysis/steps/step_sets.h"
#include "dldb_fixture.h"
#include "model/open/open.h"
#include "nsys_fixture.h"

// ---- profiles ----------------------------------------------------------------------------------

static char path[256];

// Skips the test without a generator.
static void generate(const char *scenario)
{
    const char *generator = getenv("DLPROF_GEN");
    char command[512];
    if (!generator)
        skip();
    strcpy(path, "/tmp/dlprof-excerpt-XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    int name = (int)strcspn(scenario, " ");
    snprintf(command, sizeof command, "'%s' %.*s '%s' --force %s", generator, name, scenario, path,
             scenario + name);
    assert_int_equal(system(command), 0);
}

static void change(const char *sql)
{
    sqlite3 *db;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    sqlite3_close(db);
}

static int remove_profile(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static struct profile *load_part(const struct file_window *file_window, struct error *error)
{
    struct load_request request = {.path = path, .file_window = file_window};
    *error = (struct error){0};
    return profile_load(&request, error);
}

static struct profile *load(const struct file_window *file_window)
{
    struct error error;
    struct profile *profile = load_part(file_window, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static struct file_window window(int64_t from, int64_t to)
{
    return (struct file_window){from, to, UNKNOWN, UNKNOWN};
}

static struct file_window window_of_steps(int64_t first, int64_t last)
{
    return (struct file_window){INT64_MIN, INT64_MAX, first, last};
}

// ---- content of a window -----------------------------------------------------------------------

struct totals { // counts of rows, and sums of start XOR end, which differ for other rows
    int64_t work, work_ns, calls, calls_ns, ranges, ranges_ns, linked, syncs, osrt;
};

// Returns the totals of the rows of a profile that lie in the window; for a profile read from a
// window these must be all rows.
static struct totals totals_of(const struct profile *profile, const struct file_window *file_window)
{
    struct totals totals = {0};
    const struct gpu_work *work = &profile->work;
    const struct api_calls *api = &profile->api;
    const struct ranges *ranges = &profile->ranges;
    bool *has_call = calloc((size_t)api->count + 1, 1), *has_range = calloc(ranges->count + 1u, 1);
    for (uint32_t i = 0; i < api->count; i++)
        has_call[i] = file_window_overlaps(file_window, AT(api->start, i), AT(api->end, i));
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t call = AT(work->launch, i);
        bool touches = file_window_overlaps(file_window, AT(work->start, i), AT(work->end, i));
        bool is_launched =
            call != ROW_NONE && AT(work->start, i) >= file_window->to &&
            file_window_overlaps(file_window, AT(api->start, call), AT(api->end, call));
        if (!touches && !is_launched)
            continue;
        totals.work++;
        totals.work_ns += AT(work->start, i) ^ AT(work->end, i);
        totals.linked += call != ROW_NONE;
        if (call != ROW_NONE)
            has_call[call] = true;
    }
    for (uint32_t i = 0; i < ranges->count; i++)
        has_range[i] = file_window_overlaps(file_window, AT(ranges->start, i), AT(ranges->end, i));
    for (uint32_t i = 0; i < api->count; i++) {
        if (!has_call[i])
            continue;
        totals.calls++;
        totals.calls_ns += AT(api->start, i) ^ AT(api->end, i);
        for (uint32_t r = AT(api->range, i); r != ROW_NONE; r = AT(ranges->parent, r))
            has_range[r] = true;
    }
    for (uint32_t i = 0; i < ranges->count; i++) {
        totals.ranges += has_range[i];
        totals.ranges_ns += has_range[i] ? AT(ranges->start, i) ^ AT(ranges->end, i) : 0;
    }
    for (uint32_t i = 0; i < profile->syncs.count; i++)
        totals.syncs +=
            file_window_overlaps(file_window, profile->syncs.start[i], profile->syncs.end[i]);
    for (uint32_t i = 0; i < profile->osrt.count; i++)
        totals.osrt +=
            file_window_overlaps(file_window, AT(profile->osrt.start, i), AT(profile->osrt.end, i));
    free(has_call);
    free(has_range);
    return totals;
}

static void check_part(const struct profile *whole, const struct file_window *requested)
{
    struct profile *part = load(requested);
    assert_non_null(part->file_window);
    struct totals expected = totals_of(whole, part->file_window);
    struct totals found = totals_of(part, part->file_window);
    assert_int_equal(found.work, expected.work);
    assert_int_equal(found.work_ns, expected.work_ns);
    assert_int_equal(found.linked, expected.linked);
    assert_int_equal(found.calls, expected.calls);
    assert_int_equal(found.calls_ns, expected.calls_ns);
    assert_int_equal(found.ranges, expected.ranges);
    assert_int_equal(found.ranges_ns, expected.ranges_ns);
    assert_int_equal(found.syncs, expected.syncs);
    assert_int_equal(found.osrt, expected.osrt);
    // The part has no other rows.
    assert_int_equal(part->work.count, expected.work);
    assert_int_equal(part->api.count, expected.calls);
    assert_int_equal(part->ranges.count, expected.ranges);
    assert_int_equal(part->syncs.count, expected.syncs);
    assert_int_equal(part->osrt.count, expected.osrt);
    profile_free(part);
}

static void check_windows(const struct profile *whole)
{
    int64_t first = whole->first_ns, span = whole->last_ns - first;
    for (int64_t at = 1; at < 8; at += 2) {
        struct file_window narrow =
            window(first + span * at / 8, first + span * at / 8 + span / 100);
        check_part(whole, &narrow);
    }
    struct file_window begin = window(INT64_MIN, first + span / 10);
    struct file_window end = window(first + span / 10 * 9, INT64_MAX);
    struct file_window instant = window(first + span / 2, first + span / 2 + 1);
    struct file_window all = window(INT64_MIN, INT64_MAX);
    check_part(whole, &begin);
    check_part(whole, &end);
    check_part(whole, &instant);
    check_part(whole, &all);
}

static void check_scenario(const char *scenario, const char *sql)
{
    generate(scenario);
    change(sql);
    struct profile *whole = load(NULL);
    check_windows(whole);
    profile_free(whole);
}

// A long run has more rows than the check of the row order samples.
static const char *steps_scenario(int count)
{
    static char scenario[60];
    snprintf(scenario, sizeof scenario, "steps --kernels=%d --processes=%d",
             run_is_quick() ? 8000 : 40000, count);
    return scenario;
}

static void test_windows(void **state)
{
    (void)state;
    check_scenario(steps_scenario(4), "SELECT 1");
}

// Work runs long after its launch: most of it runs after the window.
static void test_far_ahead(void **state)
{
    (void)state;
    check_scenario("loop-ahead", "SELECT 1");
}

static void test_shuffled_rows(void **state)
{
    (void)state;
#define SHUFFLE(table)                                                                         \
    "CREATE TABLE shuffled AS SELECT * FROM " table " ORDER BY (start / 1000) * 7919 % 10007;" \
    "DROP TABLE " table "; ALTER TABLE shuffled RENAME TO " table ";"
    check_scenario(steps_scenario(2), SHUFFLE("CUPTI_ACTIVITY_KIND_KERNEL"));
    remove_profile(NULL);
    check_scenario(steps_scenario(2),
                   SHUFFLE("NVTX_EVENTS") SHUFFLE("CUPTI_ACTIVITY_KIND_RUNTIME"));
}

// Rows sorted by process, as nsys writes some tables.
static void test_process_by_process(void **state)
{
    (void)state;
#define BY_PROCESS(table, column)                                                          \
    "CREATE TABLE sorted AS SELECT * FROM " table " ORDER BY " column "/0x1000000, start;" \
    "DROP TABLE " table "; ALTER TABLE sorted RENAME TO " table ";"
    check_scenario(steps_scenario(2), BY_PROCESS("CUPTI_ACTIVITY_KIND_RUNTIME",
                                                 "globalTid") BY_PROCESS("NVTX_EVENTS", "globalTid")
                                          BY_PROCESS("CUPTI_ACTIVITY_KIND_KERNEL", "globalPid"));
}

static void test_without_rowids(void **state)
{
    (void)state;
    check_scenario("ddp --steps=4", "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN rowid;"
                                    "ALTER TABLE NVTX_EVENTS ADD COLUMN rowid;"
                                    "UPDATE NVTX_EVENTS SET rowid = 1;");
}

// ---- steps -------------------------------------------------------------------------------------

static struct selection select_steps(const struct profile *profile, const char *set,
                                     struct arena *arena)
{
    struct selection selection = selection_all(split_find(profile, arena));
    struct step_choice choice = {set, UNKNOWN, UNKNOWN};
    struct error error = {0};
    if (!step_choice_apply(&choice, profile, &selection, arena, &error))
        fail_msg("%s", error.message);
    return selection;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Returns the rows of a report of these steps as sorted CSV lines.
static char **report_lines(const char *name, const struct profile *profile, const char *set,
                           size_t *count, struct arena *arena)
{
    struct selection selection = select_steps(profile, set, arena);
    struct export_table table = {
        .report = report_find(name), .profile = profile, .selection = &selection};
    struct error error = {0};
    char *text = NULL, **lines = NULL, *save = NULL;
    size_t size = 0, capacity = 0;
    assert_true(report_build(table.report, profile, &selection, arena, &table.rows, &error));
    table.order = report_order(table.report, &table.rows, arena);
    table.count = table.rows.count;
    FILE *file = open_memstream(&text, &size);
    assert_true(export_format_find("csv")->write(&table, file, arena));
    fclose(file);
    *count = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        ARENA_PUSH(arena, lines, *count, capacity) = arena_text(arena, line);
    free(text);
    qsort(lines, *count, sizeof *lines, compare_lines);
    return lines;
}

static void check_report(const char *name, const struct profile *whole, const struct profile *part,
                         const char *set)
{
    struct arena *arena = arena_new(0);
    size_t count, other;
    char **expected = report_lines(name, whole, set, &count, arena);
    char **found = report_lines(name, part, set, &other, arena);
    assert_int_equal(count, other);
    assert_true(count > 3);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(found[i], expected[i]);
    arena_free(arena);
}

static void check_steps(const char *scenario, int64_t first, int64_t last)
{
    char set[64];
    struct file_window requested = window_of_steps(first, last);
    generate(scenario);
    snprintf(set, sizeof set, "%" PRId64 "-%" PRId64, first, last);
    struct profile *whole = load(NULL), *part = load(&requested);
    assert_non_null(part->file_window);
    assert_int_equal(part->file_window->first_step, first);
    check_part(whole, &requested);
    check_report("api", whole, part, set);
    check_report("op_type", whole, part, set);
    // What a thread does before the first row of an excerpt is not known: the cause of that idle
    // time.
    if (first > 0)
        check_report("costs", whole, part, set);
    check_report("layers", whole, part, set);
    profile_free(whole);
    profile_free(part);
    remove_profile(NULL);
}

static void test_steps(void **state)
{
    (void)state;
    check_steps("steps --kernels=10000 --processes=4", 1, 2);
    check_steps("steps --kernels=10000 --processes=4", 0, 0);
    check_steps("startend --steps=30", 12, 20);
    check_steps("demo --steps=8", 3, 6);
    check_steps("loop-steps", 2, 4);
}

// Steps that the window cuts are marked as cut.
static void test_cut_steps(void **state)
{
    (void)state;
    struct scenario_bounds {
        int64_t from, to;
    } bounds;
    struct arena *arena = arena_new(0);
    generate("demo --steps=12");
    struct profile *whole = load(NULL);
    struct split *split = split_find(whole, arena);
    bounds.from = (split->start[5] + split->stop[5]) / 2;
    bounds.to = (split->start[9] + split->stop[9]) / 2;
    profile_free(whole);
    struct file_window requested = window(bounds.from, bounds.to);
    struct profile *part = load(&requested);
    split = split_find(part, arena);
    assert_int_equal(split->count, 5);
    for (uint32_t i = 0; i < split->count; i++) {
        assert_int_equal(split->number[i], 5 + i);
        assert_int_equal(split->is_cut[i], i == 0 || i == 4);
    }
    profile_free(part);
    arena_free(arena);
}

// If no ranges number the steps, the whole file is read and a note says so.
static void test_steps_not_numbered(void **state)
{
    (void)state;
    struct file_window requested = window_of_steps(1, 2);
    generate("loop");
    struct profile *profile = load(&requested);
    assert_null(profile->file_window);
    assert_non_null(profile_find_note(profile, "steps_not_numbered"));
    profile_free(profile);
}

// A range "batch" with one of the numbers begins within the steps and lasts to the end: the window
// stays the same.
static void test_steps_of_another_family(void **state)
{
    (void)state;
    struct file_window requested = window_of_steps(10, 13);
    generate("steps --kernels=40000");
    struct profile *profile = load(&requested);
    struct file_window without = *profile->file_window;
    profile_free(profile);
    change("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) SELECT start + 1, "
           "(SELECT max(end) FROM NVTX_EVENTS), 59, 'batch 12', globalTid FROM NVTX_EVENTS WHERE "
           "coalesce(text, (SELECT value FROM StringIds WHERE id = textId)) = 'step 12';"
           "CREATE TABLE sorted AS SELECT * FROM NVTX_EVENTS ORDER BY start;"
           "DROP TABLE NVTX_EVENTS; ALTER TABLE sorted RENAME TO NVTX_EVENTS;");
    profile = load(&requested);
    assert_non_null(profile->file_window);
    assert_int_equal(profile->file_window->from, without.from);
    assert_int_equal(profile->file_window->to, without.to);
    profile_free(profile);
}

static void check_refused(const struct file_window *file_window, const char *what)
{
    struct error error;
    assert_null(load_part(file_window, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.message, what))
        fail_msg("%s", error.message);
}

static void test_empty_window(void **state)
{
    (void)state;
    generate("demo");
    struct file_window late = window(INT64_C(1000000000000), INT64_MAX);
    struct file_window no_steps = window_of_steps(30, 40), some_steps = window_of_steps(20, 24);
    check_refused(&late, "the file holds 0.");
    check_refused(&no_steps, "no step 30: its steps are 0-23");
    check_refused(&some_steps, "no step 24: its steps are 0-23");
}

static void test_other_formats(void **state)
{
    (void)state;
    struct file_window requested = window_of_steps(1, 2);
    snprintf(path, sizeof path, "%s", dldb_file(""));
    check_refused(&requested, "of this format (dldb) all is read");
}

// Each allocation fails once.
static void test_memory_ends(void **state)
{
    (void)state;
    struct file_window requested = window_of_steps(1, 2);
    struct error error;
    struct profile *profile = NULL;
    uint64_t step = run_is_long() ? 1 : 37;
    int failures = 0;
    generate("tiny --steps=4");
    for (uint64_t n = 1; !profile; n += step) {
        arena_fail_at(n);
        profile = load_part(&requested, &error);
        arena_fail_at(0);
        failures += !profile;
        if (!profile)
            assert_int_equal(error.kind, ERROR_MEMORY);
    }
    assert_true(failures > 5);
    profile_free(profile);
}

// ---- parsing -----------------------------------------------------------------------------------

static void test_window_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t from, to;
    } good[] = {
        {"12s..14.5s", INT64_C(12000000000), INT64_C(14500000000)},
        {"12..14.5", INT64_C(12000000000), INT64_C(14500000000)},
        {"800ms..1.2s", 800000000, 1200000000},
        {"12.000000 s .. 14 s", INT64_C(12000000000), INT64_C(14000000000)},
        {"30..", INT64_C(30000000000), INT64_MAX},
        {"..500us", INT64_MIN, 500000},
        {"-1s..1s", -1000000000, 1000000000},
    };
    static const char *const bad[] = {"",     "..",    "12",         "12s",
                                      "a..b", "1..x",  "2s..1s",     "1s..1s",
                                      "1-2",  "1...2", "1s..2s..3s", "1parsec..2parsec"};
    struct file_window file_window;
    struct error error = {0};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(file_window_parse_times(good[i].text, &file_window, &error));
        assert_int_equal(file_window.from, good[i].from);
        assert_int_equal(file_window.to, good[i].to);
        assert_false(file_window_has_steps(&file_window));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (file_window_parse_times(bad[i], &file_window, &error))
            fail_msg("%s", bad[i]);
}

static void test_steps_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t first, last;
    } good[] = {{"100-110", 100, 110}, {"7", 7, 7}, {"3,7-9,5", 3, 9}, {"0", 0, 0}};
    static const char *const bad[] = {"",   "a",   "3-",   "-3",  "9-3",   "3,",
                                      ",3", "3 4", "3--4", "all", "3-4-5", "9999999999999999999"};
    struct file_window file_window;
    struct error error = {0};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(file_window_parse_steps(good[i].text, &file_window, &error));
        assert_int_equal(file_window.first_step, good[i].first);
        assert_int_equal(file_window.last_step, good[i].last);
        assert_true(file_window_has_steps(&file_window));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (file_window_parse_steps(bad[i], &file_window, &error))
            fail_msg("%s", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_windows, remove_profile),
        cmocka_unit_test_teardown(test_far_ahead, remove_profile),
        cmocka_unit_test_teardown(test_shuffled_rows, remove_profile),
        cmocka_unit_test_teardown(test_process_by_process, remove_profile),
        cmocka_unit_test_teardown(test_without_rowids, remove_profile),
        cmocka_unit_test(test_steps),
        cmocka_unit_test_teardown(test_cut_steps, remove_profile),
        cmocka_unit_test_teardown(test_steps_not_numbered, remove_profile),
        cmocka_unit_test_teardown(test_steps_of_another_family, remove_profile),
        cmocka_unit_test_teardown(test_empty_window, remove_profile),
        cmocka_unit_test_teardown(test_other_formats, nsys_remove),
        cmocka_unit_test_teardown(test_memory_ends, remove_profile),
        cmocka_unit_test(test_window_words),
        cmocka_unit_test(test_steps_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
