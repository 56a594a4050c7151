// SPDX-License-Identifier: Apache-2.0
// Writes DLProf databases and reads them again: the profile must be the same, and written again the
// rows must be the same; unusual content must survive as data. Figures are compared in
// tests/golden/*/database.txt and, with DLProf's own database, in test_dlprof_corpus.c.
#include "model/open/open.h"
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "base/error.h"
#include "dldb_compare.h"
#include "dldb_fixture.h"
#include "file_text.h"
#include "nsys_fixture.h"
#include "scenario.h"
#include "small_profile.h"

static const char *const time_of_writing[] = {"start_timestamp", "aggr_start", NULL};
static char first[64], second[64]; // named after the process, as tests may run in parallel
static struct arena *arena;
static struct error error;

static struct profile *load(const char *path)
{
    struct load_request request = {.path = path};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static struct selection everything(const struct profile *profile)
{
    return selection_all(split_by_key(profile, NULL, arena));
}

static void write_database(const char *path, const struct profile *profile)
{
    struct selection selection = everything(profile);
    if (!export_dldb(path, true, profile, &selection, arena, &error))
        fail_msg("%s", error.message);
    dldb_check(path);
}

static char *report_text(const struct profile *profile, const struct report *report)
{
    struct selection selection = everything(profile);
    struct export_table table = {.report = report, .profile = profile, .selection = &selection};
    char *text = NULL;
    size_t size;
    assert_true(report_build(report, profile, &selection, arena, &table.rows, &error));
    FILE *file = open_memstream(&text, &size);
    assert_true(export_format_find("csv")->write(&table, file, arena));
    fclose(file);
    return text;
}

// Compares every report of DLProf.
static void compare_reports(const struct profile *a, const struct profile *b)
{
    for (size_t i = 0; i < report_count; i++) {
        if (!reports[i]->is_dlprof)
            continue;
        char *x = report_text(a, reports[i]), *y = report_text(b, reports[i]);
        if (strcmp(x, y) != 0)
            fail_msg("%s differs:\n%s\n%s", reports[i]->name, x, y);
        free(x);
        free(y);
    }
}

// Profile -> database -> profile -> database.
static void round_trip(const struct profile *profile)
{
    write_database(first, profile);
    struct profile *reloaded = load(first);
    compare_reports(profile, reloaded);
    write_database(second, reloaded);
    assert_true(dldb_compare(first, second, DLDB_ALL, time_of_writing) > 500);
    profile_free(reloaded);
}

// ---- round trips -------------------------------------------------------------------------------

static void test_database(void **state)
{
    (void)state;
    const char *path = dldb_file("");
    struct profile *profile = load(path);
    // Measured tables are compared with the original, except keys, which the fixture does not have.
    static const struct {
        const char *table, *columns;
    } whole[] = {
        {"read_only_kernels", "api_start, api_stop, gpu_start, gpu_stop, device_id, process_id, "
                              "thread_id, op_instance, uses_tc"},
        {"read_only_memcpys", "api_start, gpu_stop, num_bytes, copy_kind, device_id"},
        {"read_only_memsets", "api_start, gpu_stop, num_bytes, device_id"},
        {"read_only_cuda_syncs", "api_start, api_stop, sync_type, thread_id"},
        {"read_only_cuda_calls", "api_start, api_stop, process_id, thread_id"},
    };
    round_trip(profile);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        char sql[600];
        snprintf(
            sql, sizeof sql,
            "SELECT group_concat(value, ';') FROM (SELECT json_array(%s) AS value FROM %s WHERE "
            "read_only_ops_id IN (SELECT id FROM read_only_ops WHERE domain_id = 1) "
            "ORDER BY 1)",
            whole[i].columns, whole[i].table);
        char *was = dldb_ask(path, sql), *is = dldb_ask(first, sql);
        assert_string_equal(was, is);
        free(was);
        free(is);
    }
    profile_free(profile);
}

static void test_nsys(void **state)
{
    (void)state;
    static const char *const scenarios[] = {"dlprof --steps=3", "dlprof --steps=2 --gpus=2"};
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        struct profile *profile = scenario_open(scenarios[i]);
        write_database(first, profile);
        struct profile *reloaded = load(first);
        compare_reports(profile, reloaded);
        profile_free(reloaded);
        profile_free(profile);
    }
}

// A database has the ends of ranges but not their nesting. The second round trip makes no further
// change.
static void test_ranges(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("emit --steps=2");
    write_database(first, profile);
    struct profile *reloaded = load(first);
    assert_int_equal(reloaded->mode, MODE_RANGES);
    round_trip(reloaded);
    profile_free(reloaded);
    profile_free(profile);
}

// ---- unusual content ---------------------------------------------------------------------------

static void test_odd_names(void **state)
{
    (void)state;
    // The column is TEXT: with DLProf's type STRING, SQLite would store the number 7.
    struct profile *profile = load(dldb_file(
        "ALTER TABLE read_only_ops DROP COLUMN op_name;"
        "ALTER TABLE read_only_ops ADD COLUMN op_name TEXT;"
        "UPDATE read_only_ops SET op_name = '007' WHERE id < 3;"
        "UPDATE read_only_ops SET op_name = 'x''); DROP TABLE metric; --' WHERE id > 2;"
        "UPDATE dictionary SET string = CAST(x'fffe3b1b5b' AS TEXT) WHERE id = 20;"
        "UPDATE read_only_ops SET stack_trace = '\"a\"' || char(9) || '1e5' WHERE id = 2;"));
    round_trip(profile);
    char *name = dldb_ask(first, "SELECT count(*) FROM read_only_ops WHERE op_name = '007'");
    assert_string_equal(name, "2");
    free(name);
    profile_free(profile);
}

// nvprof's thread ids are pointers cut to 32 bits, so the low bits of two may be equal.
static void test_wide_threads(void **state)
{
    (void)state;
    struct profile *profile =
        load(dldb_file("UPDATE read_only_op_instances SET thread_id = 3940300608 WHERE id = 1;"
                       "UPDATE read_only_op_instances SET thread_id = 14432064 WHERE id = 2;"));
    round_trip(profile);
    char *count = dldb_ask(first, "SELECT count(DISTINCT thread_id) FROM read_only_op_instances "
                                  "WHERE thread_id IN (3940300608, 14432064)");
    assert_string_equal(count, "2");
    free(count);
    profile_free(profile);
}

// The number of workers is not a boolean, and DLProf's own databases do not declare it as one.
static void test_config_types(void **state)
{
    (void)state;
    struct profile *profile = load(dldb_file(""));
    round_trip(profile);
    char *types = dldb_ask(first, "SELECT group_concat(name || ' ' || type) FROM "
                                  "pragma_table_info('read_only_model_config')");
    assert_non_null(strstr(types, "num_workers INTEGER"));
    assert_non_null(strstr(types, "pin_memory BOOLEAN"));
    free(types);
    profile_free(profile);
}

// Kernels of one call that start at the same time on one GPU: their index cannot be unique.
static void test_equal_rows(void **state)
{
    (void)state;
    struct profile *profile =
        load(dldb_file("INSERT INTO read_only_kernels SELECT 100, read_only_ops_id, op_instance, "
                       "name_id, long_name_id, uses_tc, api_start, api_stop, gpu_start, gpu_stop, "
                       "grid_id, block_id, "
                       "device_id, process_id, thread_id FROM read_only_kernels WHERE id = 1;"));
    round_trip(profile);
    char *index = dldb_ask(first, "SELECT sql FROM sqlite_master WHERE name = "
                                  "'unique_read_only_kernels'");
    assert_null(strstr(index, "UNIQUE"));
    free(index);
    profile_free(profile);
}

// Work whose call is not in the file, an unknown shape, and a GPU that is not listed.
static void test_unknown(void **state)
{
    (void)state;
    struct profile *profile = load(dldb_file(
        "UPDATE read_only_kernels SET api_stop = api_start - 5, grid_id = 77, device_id = 5 "
        "WHERE id = 3; DELETE FROM read_only_gpu_infos WHERE device_id = 1;"
        "UPDATE read_only_ops SET tc_support_status = 1 WHERE id = 4;"
        "DELETE FROM read_only_model_config; DELETE FROM gpu_memories;"
        "UPDATE read_only_system_config SET mode_string = '', mode_enum = 9;"));
    round_trip(profile);
    struct profile *reloaded = load(first);
    assert_false(reloaded->config.is_told);
    assert_int_equal(reloaded->device_count, profile->device_count);
    profile_free(reloaded);
    profile_free(profile);
}

static void test_selected(void **state)
{
    (void)state;
    struct profile *profile = load(dldb_file(""));
    struct selection selection = everything(profile);
    bool chosen[3] = {false, true, false};
    assert_int_equal(selection.split->count, 3);
    selection.iterations = chosen;
    assert_true(export_dldb(first, true, profile, &selection, arena, &error));
    char *figures = dldb_ask(first, "SELECT json_array(iter_total, iter_aggregated, iter_start, "
                                    "iter_stop, wall_time) FROM model_summary");
    assert_string_equal(figures, "[3,1,1,1,999]");
    free(figures);
    struct profile *reloaded = load(first);
    const struct split *split = split_by_key(reloaded, NULL, arena);
    assert_true(split->is_told && split->is_cut[0] && !split->is_cut[1] && split->is_cut[2]);
    profile_free(reloaded);
    profile_free(profile);
}

// GPUs of two hosts, each the first of its host.
static void test_same_numbers(void **state)
{
    (void)state;
    struct profile *profile = small_profile(arena);
    struct selection selection = selection_all(small_split(profile, arena));
    profile->devices[1].gpu_id = profile->devices[0].gpu_id;
    profile->devices[1].ordinal = profile->devices[0].ordinal;
    assert_int_equal(device_number(profile, 0), device_number(profile, 1));
    assert_true(export_dldb(first, true, profile, &selection, arena, &error));
    dldb_check(first);
    char *count = dldb_ask(first, "SELECT count(DISTINCT device_id) FROM read_only_kernels");
    assert_string_equal(count, "2");
    free(count);
    char *bytes = dldb_ask(first, "SELECT group_concat(num_bytes) FROM read_only_memcpys");
    assert_string_equal(bytes, "-1"); // not told, which is not 0
    free(bytes);
    struct profile *reloaded = load(first);
    for (uint32_t w = 0; w < reloaded->work.count; w++)
        assert_int_equal(work_bytes(reloaded, w), UNKNOWN);
    profile_free(reloaded);
}

// The report of simple mode has three figures, the database all known ones.
static void test_simple_mode(void **state)
{
    (void)state;
    static const char sql[] =
        "SELECT json_array(gpu_utilization, memory_duration_pct, avg_iteration_time, iter_total) "
        "FROM model_summary";
    struct profile *profile = small_profile(arena);
    struct selection selection = selection_all(small_split(profile, arena));
    assert_true(export_dldb(first, true, profile, &selection, arena, &error));
    profile->mode = MODE_SIMPLE;
    assert_true(export_dldb(second, true, profile, &selection, arena, &error));
    dldb_check(second);
    char *all = dldb_ask(first, sql), *simple = dldb_ask(second, sql);
    assert_string_equal(simple, all);
    free(all);
    free(simple);
}

static void test_empty(void **state)
{
    (void)state;
    struct profile *profile = empty_profile(arena);
    struct selection selection = selection_all(empty_split(arena));
    assert_true(export_dldb(first, true, profile, &selection, arena, &error));
    dldb_check(first);
}

// ---- failures ----------------------------------------------------------------------------------

struct attempt {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
};

static bool attempt_body(void *context, struct error *why)
{
    const struct attempt *attempt = context;
    return export_dldb(first, false, attempt->profile, attempt->selection, attempt->arena, why);
}

static bool attempt(const struct profile *profile, const struct selection *selection,
                    struct arena *export_arena)
{
    struct attempt attempt = {profile, selection, export_arena};
    error = (struct error){0};
    return arena_run(export_arena, attempt_body, &attempt, &error);
}

static void test_memory_ends(void **state)
{
    (void)state;
    struct profile *profile = small_profile(arena);
    struct selection selection = selection_all(small_split(profile, arena));
    bool is_written = false;
    assert_int_equal(unlink(first), 0);
    for (uint64_t n = 1; !is_written; n += 1 + n / 16) {
        arena_fail_at(n);
        struct arena *export_arena = arena_new(0);
        is_written = export_arena && attempt(profile, &selection, export_arena);
        arena_fail_at(0);
        arena_free(export_arena);
        assert_true(is_written || access(first, F_OK) != 0);
        if (!is_written && export_arena && !strstr(error.message, "memory"))
            fail_msg("%s", error.message);
    }
    dldb_check(first);
}

static void test_cancelled(void **state)
{
    (void)state;
    struct profile *profile = load(dldb_file(""));
    struct selection selection = everything(profile);
    const atomic_bool stop = true;
    struct arena *export_arena = arena_new(0);
    unlink(first);
    arena_set_stop_flag(export_arena, &stop);
    assert_false(attempt(profile, &selection, export_arena));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    assert_int_not_equal(access(first, F_OK), 0);
    arena_free(export_arena);
    profile_free(profile);
}

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(0);
    error = (struct error){0};
    return 0;
}

static int tear_down(void **state)
{
    arena_free(arena);
    return nsys_remove(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_database),    TEST(test_nsys),         TEST(test_ranges),
        TEST(test_odd_names),   TEST(test_wide_threads), TEST(test_equal_rows),
        TEST(test_unknown),     TEST(test_selected),     TEST(test_same_numbers),
        TEST(test_simple_mode), TEST(test_empty),        TEST(test_memory_ends),
        TEST(test_cancelled),   TEST(test_config_types),
    };
    snprintf(first, sizeof first, "/tmp/export-dldb-1-%d.sqlite", (int)getpid());
    snprintf(second, sizeof second, "/tmp/export-dldb-2-%d.sqlite", (int)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(first);
    unlink(second);
    return failed;
}
