// SPDX-License-Identifier: Apache-2.0
// Checks the loader of DLProf databases: the data taken from each table, versions, domains,
// aggregations, and inconsistent files. The figures are derived in tests/golden/dldb/profile.sql.
#include "analysis/reports/report_list.h"
#include "load_failures.h"

#include <stdio.h>
#include <string.h>

#include "analysis/report/report.h"
#include "analysis/sums/op_metrics.h"
#include "dldb_fixture.h"
#include "model/markers/markers.h"
#include "model/open/open.h"
#include "model/ops/op_tree.h"
#include "model/ops/ops.h"
#include "model/profile/copy_kinds.h"
#include "model/steps/step_candidates.h"
#include "nsys_fixture.h"

static struct profile *load(const char *sql)
{
    struct error error = {0};
    struct load_request request = {.path = dldb_file(sql)};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static void refused(const char *sql, enum error_kind kind, const char *words)
{
    struct error error;
    const char *message = nsys_refusal(dldb_file(sql), &error);
    assert_int_equal(error.kind, kind);
    if (!strstr(message, words))
        fail_msg("%s does not hold %s", message, words);
}

static void is_text(const struct profile *profile, string_id id, const char *text)
{
    assert_string_equal(profile_text(profile, id), text);
}

// ---- content -----------------------------------------------------------------------------------

static void test_machine(void **state)
{
    (void)state;
    struct profile *profile = load("");
    const struct capture *capture = &profile->capture;
    assert_string_equal(profile->sources[0].format, "dldb");
    assert_string_equal(profile->sources[0].schema, "1.8.0");
    assert_string_equal(capture->name, "a name");
    assert_string_equal(capture->cpu, "A CPU");
    assert_string_equal(capture->driver, "470.57.02");
    assert_string_equal(capture->framework, "PyTorch 1.10");
    assert_string_equal(capture->cuda, "11.4");
    assert_string_equal(capture->cudnn, "8.2");
    assert_string_equal(capture->nsys, "2021.3");
    assert_string_equal(capture->dlprof, "v1.8.0");
    assert_string_equal(capture->dlprof_build, "29839685");
    assert_true(capture_memory_share(capture) > 0.235 && capture_memory_share(capture) < 0.237);
    assert_int_equal(profile->mode, MODE_PYTORCH);
    assert_true(profile->config.is_told);
    assert_int_equal(profile->config.num_workers, 2);
    assert_int_equal(profile->config.cudnn_benchmark_disabled, 1);
    assert_int_equal(profile->config.emit_nvtx, 1);
    // Sorted by device number, not by table order.
    assert_int_equal(profile->device_count, 2);
    is_text(profile, profile->devices[0].name, "NVIDIA A");
    assert_int_equal(profile->devices[0].compute_major, 7);
    assert_int_equal(profile->devices[0].sm_count, 80);
    assert_int_equal(device_number(profile, 1), 1);
    assert_int_equal(profile->process_count, 1);
    assert_int_equal(profile->processes[0].pid, 7);
    assert_int_equal(profile->thread_count, 3);
    profile_free(profile);
}

// Calls of one op run on two threads, of which the later has the lower number: 200 minus 60 and 10.
static void test_threads_of_a_run(void **state)
{
    (void)state;
    struct profile *profile =
        load("INSERT INTO read_only_cuda_calls VALUES (9, 3, 0, 31, 310, 320, 7, 102);");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_by_key(profile, "nosuch", arena));
    struct op_metrics_list list = op_metrics_build(profile, &selection, arena);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct time_metric *metric = list.items[i].times.metric;
        if (strcmp(profile_text(profile, profile->ops->items[list.items[i].op].id), "BACKWARD_1") !=
            0)
            continue;
        assert_int_equal(metric[TIME_OVERHEAD].min, 130);
        assert_int_equal(metric[TIME_OVERHEAD].max, 140);
        assert_int_equal(metric[TIME_API].total, 130);
    }
    assert_int_equal(list.count, 5);
    arena_free(arena);
    profile_free(profile);
}

// A call ends after the op that it is assigned to: only its part within the op reduces the op's own
// time.
static void test_call_beyond_its_op(void **state)
{
    (void)state;
    struct profile *profile =
        load("INSERT INTO read_only_cuda_calls VALUES (9, 3, 0, 31, 310, 900, 7, 100);");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_by_key(profile, "nosuch", arena));
    const struct report *report = report_find("operators");
    struct rows rows = report->build(profile, &selection, arena);
    bool is_seen = false;
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        int64_t own = report_column(report, "host_self")->get(row).integer;
        int64_t all = report_column(report, "host_total")->get(row).integer;
        assert_true(own >= 0 && own <= all);
        if (strcmp(report_column(report, "operator")->get(row).text, "backward") == 0) {
            assert_int_equal(all, 400);
            assert_int_equal(own, 400 - 190 - 60);
            is_seen = true;
        }
    }
    assert_true(is_seen);
    arena_free(arena);
    profile_free(profile);
}

static uint32_t find_call(const struct profile *profile, int64_t start)
{
    for (uint32_t i = 0; i < profile->api.count; i++)
        if (AT(profile->api.start, i) == start)
            return i;
    fail_msg("no call begins at %d", (int)start);
    return ROW_NONE;
}

static void test_calls_and_work(void **state)
{
    (void)state;
    struct profile *profile = load("");
    // 7 kernels, a copy, a memset, 2 syncs and 2 plain calls of the first domain.
    assert_int_equal(profile->api.count, 13);
    assert_int_equal(profile->work.count, 9);
    assert_int_equal(profile->syncs.count, 2);
    uint32_t launch = find_call(profile, 110), copy = find_call(profile, 140);
    uint32_t sync = find_call(profile, 430);
    is_text(profile, AT(profile->api.name, launch), "(kernel launch)");
    assert_int_equal(profile->api.kind[launch], API_KERNEL);
    is_text(profile, AT(profile->api.name, copy), "cudaMemcpyAsync_v3020");
    assert_int_equal(profile->api.kind[copy], API_MEMCPY);
    assert_int_equal(profile->api.kind[sync], API_SYNC);
    assert_int_equal(profile->syncs.type[0], 3);
    uint32_t work = AT(profile->api.work_rows, api_work(&profile->api, launch).first);
    assert_int_equal(AT(profile->work.start, work), 150);
    assert_int_equal(AT(profile->work.end, work), 250);
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    is_text(profile, function->brief, "sgemm");
    is_text(profile, function->full, "void sgemm<float>(int)");
    const struct launch_shape *shape = work_launch_shape(profile, work);
    assert_int_equal(shape->grid[0], 8);
    assert_int_equal(shape->grid[1], 2);
    assert_int_equal(shape->block[0], 128);
    assert_int_equal(shape->registers, -1);
    work = AT(profile->api.work_rows, api_work(&profile->api, copy).first);
    assert_int_equal(AT(profile->work.bytes, work), 4096);
    assert_int_equal(work_copy(profile, work)->copy_kind, COPY_HTOD);
    // DLProf's flag for Tensor Cores is used, whatever the name suggests.
    for (uint32_t i = 0; i < profile->function_count; i++)
        if (strcmp(profile_text(profile, profile->functions[i].brief), "h884gemm") == 0)
            assert_true(profile->functions[i].dlprof_tensor_core);
    profile_free(profile);
    profile = load("UPDATE read_only_kernels SET uses_tc = 0;");
    for (uint32_t i = 0; i < profile->function_count; i++)
        assert_false(profile->functions[i].dlprof_tensor_core);
    profile_free(profile);
}

static void test_ops(void **state)
{
    (void)state;
    static const char *const ids[] = {"CUDAMALLOC_V3020_1", "CONV2D_1", "RELU_1", "BACKWARD_1",
                                      "CONV2D_2"};
    struct profile *profile = load("");
    const struct ops *ops = profile->ops;
    assert_int_equal(ops->count, 5);
    assert_int_equal(ops->instance_count, 10);
    for (uint32_t i = 0; i < ops->count; i++) // in order of their first runs
        is_text(profile, ops->items[i].id, ids[i]);
    const struct op *conv = &ops->items[1], *backward = &ops->items[3], *twin = &ops->items[4];
    assert_true(ops->items[0].is_unassociated);
    assert_int_equal(conv->tensor_core_eligible, STATE_YES);
    assert_int_equal(conv->direction, DIRECTION_FPROP);
    assert_int_equal(conv->instance_count, 3);
    is_text(profile, conv->data_type, "float32");
    assert_int_equal(backward->tensor_core_eligible, STATE_NO);
    assert_int_equal(twin->direction, DIRECTION_BPROP);
    // The tree: nodes by call stack, with each backward next to its forward.
    const char *const names[] = {"<module>", "train",    "conv2d",
                                 "relu(2)",  "backward", "conv2d (bprop)"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < profile->tree->count; i++)
            found += strcmp(profile_text(profile, profile->tree->name[i]), names[n]) == 0;
        if (found != 1)
            fail_msg("%u places are called %s", found, names[n]);
    }
    // Source lines from the call stacks.
    const char *place = call_place(profile, find_call(profile, 210));
    assert_non_null(place);
    assert_non_null(strstr(place, "net.py:5"));
    profile_free(profile);
}

// The recorded op of a call or kernel is used, whatever encloses it.
static void test_owners(void **state)
{
    (void)state;
    // relu runs within the first conv2d on its thread, but DLProf assigned its kernel to conv2d.
    struct profile *profile =
        load("UPDATE read_only_op_instances SET cpu_start = 105, cpu_stop = 140, thread_id = 100"
             " WHERE id = 8;");
    uint32_t call = find_call(profile, 110);
    is_text(profile, range_name(&profile->ranges, AT(profile->api.range, call)),
            "/module/train/conv2d");
    const struct op *op =
        &profile->ops->items[AT(profile->ops->op, AT(profile->api.instance, call))];
    is_text(profile, op->id, "CONV2D_1");
    profile_free(profile);
}

// ---- versions ----------------------------------------------------------------------------------

static void test_versions(void **state)
{
    (void)state;
    refused("UPDATE db_version SET current_version = '1.2.0';", ERROR_DATA, "1.0 to 1.2");
    refused("UPDATE db_version SET current_version = 'v1.0';", ERROR_DATA, "1.0 to 1.2");
    // Versions whose tables had other names.
    refused("UPDATE db_version SET current_version = '1.1.0'; DROP TABLE read_only_ops;",
            ERROR_DATA, "1.0 to 1.2");
    refused("DROP TABLE read_only_op_instances;", ERROR_DATA, "read_only_op_instances");
    static const struct {
        const char *sql;
        int64_t notes;
    } known[] = {{"UPDATE db_version SET current_version = 'v1.7.0 / r21.11';", 0},
                 {"UPDATE db_version SET current_version = '1.3';", 0},
                 {"UPDATE db_version SET current_version = '1.10';", 1},
                 {"UPDATE db_version SET current_version = 'x';", 1},
                 {"DROP TABLE db_version;", 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct profile *profile = load(known[i].sql);
        assert_int_equal(note_count(profile, "dldb_version"), known[i].notes);
        profile_free(profile);
    }
    refused("DELETE FROM read_only_op_instances; DELETE FROM read_only_kernels;"
            "DELETE FROM read_only_memcpys; DELETE FROM read_only_memsets;"
            "DELETE FROM read_only_cuda_syncs; DELETE FROM read_only_cuda_calls;",
            ERROR_DATA, "without anything to show");
}

// Columns that were added later or renamed.
static void test_older_tables(void **state)
{
    (void)state;
    struct profile *profile = load(
        "ALTER TABLE read_only_ops DROP COLUMN stack_trace;"
        "ALTER TABLE read_only_ops DROP COLUMN direction_id;"
        "ALTER TABLE read_only_ops DROP COLUMN op_id;"
        "ALTER TABLE read_only_ops DROP COLUMN data_format_id;"
        "DROP TABLE gpu_memories; DROP TABLE read_only_model_config; DROP TABLE iteration_list;"
        "UPDATE read_only_system_config SET mode_string = '', mode_enum = 1;");
    assert_int_equal(profile->mode, MODE_TENSORFLOW1);
    assert_int_equal(profile->ops->count, 5);
    is_text(profile, profile->ops->items[1].id, "CONV2D_1"); // from the dictionary
    assert_int_equal(profile->ops->items[1].direction, DIRECTION_NONE);
    assert_int_equal(profile->aggregation_count, 0);
    assert_false(profile->config.is_told);
    assert_int_equal(profile->config.pin_memory, 1);
    assert_string_equal(
        op_shape_text(profile, AT(profile->ops->marker, 1), SHAPE_INPUT, profile->arena),
        "<8, 3, 16, 16>; <4, 3, 5, 5>; <4>");
    profile_free(profile);
    profile = load("DROP TABLE read_only_system_config;");
    assert_int_equal(profile->mode, MODE_RANGES);
    assert_int_equal(profile->ops->count, 5);
    profile_free(profile);
}

// ---- domains and aggregations ------------------------------------------------------------------

static void test_domains(void **state)
{
    (void)state;
    struct error error = {0};
    struct load_request request = {.path = dldb_file(""), .domain = "custom"};
    struct profile *profile = profile_load(&request, &error);
    assert_non_null(profile);
    assert_int_equal(note_count(profile, "domains"), 2);
    assert_int_equal(note_count(profile, "rows_dangling"), 0);
    assert_int_equal(profile->ops->count, 1);
    assert_int_equal(profile->work.count, 2);
    is_text(profile, profile->ops->items[0].name, "forward");
    profile_free(profile);
    request.domain = "nobody";
    assert_null(profile_load(&request, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.message, "default-domain, custom"));
    // Only files with domains accept one.
    request = (struct load_request){
        .path = nsys_file("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                          "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid);"
                          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 3);"),
        .domain = "custom"};
    profile = profile_load(&request, &error);
    assert_non_null(profile);
    assert_int_equal(note_count(profile, "domain_ignored"), 1);
    profile_free(profile);
    profile = load("DELETE FROM read_only_domains WHERE id = 2;");
    assert_null(profile_find_note(profile, "domains"));
    profile_free(profile);
}

static void is_last_aggregation(const struct split *split)
{
    static const int64_t start[] = {0, 500, 1500}, stop[] = {500, 1500, 1770};
    assert_int_equal(split->method, SPLIT_KEY);
    assert_true(split->is_told);
    assert_true(split->key_found);
    assert_int_equal(split->count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(split->number[i], i);
        assert_int_equal(split->start[i], start[i]);
        assert_int_equal(split->stop[i], stop[i]);
        assert_int_equal(split->is_cut[i], i == 2); // not aggregated
    }
    assert_string_equal(split_words_of(split)->cut, "outside the aggregation");
    assert_string_equal(split->text, "3 iterations by key op /module/train/backward (DLProf's "
                                     "aggregation 3)");
}

static void test_aggregations(void **state)
{
    (void)state;
    struct profile *profile = load("");
    assert_int_equal(profile->aggregation_count, 3);
    is_last_aggregation(split_find(profile, profile->arena));
    is_last_aggregation(split_by_key(profile, NULL, profile->arena));
    is_last_aggregation(split_by_name(profile, "aggregation:3", profile->arena));
    struct split *split = split_by_name(profile, "aggregation:2", profile->arena);
    assert_int_equal(split->count, 3);
    assert_int_equal(split->stop[0], 260);
    assert_false(split->is_cut[2]);
    // An aggregation whose key op was not found gives no split.
    assert_false(split_by_name(profile, "aggregation:1", profile->arena)->key_found);
    assert_false(split_by_name(profile, "aggregation:4", profile->arena)->key_found);
    split = split_by_name(profile, "RELU_1", profile->arena);
    assert_false(split->is_told);
    assert_int_equal(split->stop[0], 260);
    struct step_candidates found = candidates_find(profile, profile->arena);
    assert_int_equal(found.items[0].source, CANDIDATE_AGGREGATION);
    assert_string_equal(found.items[0].key, "aggregation:3");
    assert_int_equal(found.chosen, 0);
    profile_free(profile);
    // The last aggregation did not find its key op.
    profile = load("DELETE FROM model_summary WHERE aggr_id > 1;");
    split = split_by_key(profile, NULL, profile->arena);
    assert_int_equal(split->count, 1);
    assert_false(split->key_found);
    assert_int_equal(split->stop[0], 1770);
    profile_free(profile);
    profile = load("UPDATE iteration_list SET stop_time = 700 WHERE id = 5;");
    assert_int_equal(note_count(profile, "aggregations_overlapping"), 1);
    assert_int_equal(profile->aggregation_count, 2);
    profile_free(profile);
}

// ---- inconsistent files ------------------------------------------------------------------------

// Builds all reports.
static void exercise(const struct profile *profile)
{
    struct arena *arena = arena_new(0);
    assert_non_null(arena);
    struct split *splits[] = {split_find(profile, arena), split_by_key(profile, NULL, arena)};
    for (size_t s = 0; s < 2; s++) {
        struct selection selection = selection_all(splits[s]);
        for (size_t i = 0; i < report_count; i++) {
            struct rows rows;
            struct error error = {0};
            if (!report_build(reports[i], profile, &selection, arena, &rows, &error))
                fail_msg("%s: %s", reports[i]->name, error.message);
        }
    }
    arena_free(arena);
}

static const struct lie {
    const char *sql, *note; // NULL: no note
    int64_t count;
} lies[] = {
    {"UPDATE read_only_kernels SET read_only_ops_id = 99 WHERE id = 1;", "rows_dangling", 1},
    {"UPDATE read_only_kernels SET op_instance = 3 WHERE id < 3;", "rows_dangling", 2},
    {"UPDATE read_only_kernels SET op_instance = -1 WHERE id = 1;", "rows_dangling", 1},
    {"UPDATE read_only_kernels SET op_instance = 9e18 WHERE id = 1;", "rows_dangling", 1},
    {"UPDATE read_only_kernels SET op_instance = NULL, read_only_ops_id = NULL WHERE id = 1;",
     "rows_dangling", 1},
    {"UPDATE read_only_op_instances SET read_only_ops_id = 99 WHERE id = 10;", "rows_dangling", 2},
    {"UPDATE read_only_op_instances SET cpu_start = 'now' WHERE id = 1;", "rows_skipped", 1},
    {"UPDATE read_only_op_instances SET cpu_stop = 0 WHERE id = 1;", "rows_skipped", 1},
    {"UPDATE read_only_op_instances SET cpu_stop = 9223372036854775807 WHERE id = 1;",
     "rows_skipped", 1},
    {"UPDATE read_only_kernels SET gpu_stop = NULL WHERE id = 1;", "rows_skipped", 1},
    {"UPDATE read_only_kernels SET gpu_start = 9223372036854775807 WHERE id = 1;", "rows_skipped",
     1},
    {"UPDATE read_only_kernels SET api_start = NULL WHERE id = 1;", "work_without_launch", 1},
    {"UPDATE read_only_kernels SET api_stop = 0 WHERE id = 1;", "work_without_launch", 1},
    {"UPDATE read_only_kernels SET device_id = -5 WHERE id = 1;", "devices_unlisted", 1},
    {"UPDATE read_only_kernels SET device_id = 9223372036854775807 WHERE id = 1;",
     "devices_unlisted", 1},
    {"DELETE FROM read_only_gpu_infos;", "devices_unlisted", 2},
    {"DROP TABLE read_only_gpu_infos;", "devices_unlisted", 2},
    {"WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)"
     " INSERT INTO read_only_kernels SELECT NULL, 1, 0, 20, 21, 0, 110, 130, 150, 250, 1, 2, i, 7,"
     " 100 FROM n;",
     "devices_crowded", 1},
    {"DELETE FROM read_only_kernels; DROP TABLE read_only_memcpys; DROP TABLE read_only_memsets;",
     "no_gpu_work", 0},
    {"DROP TABLE read_only_kernels;", NULL, 0},
    {"DROP TABLE read_only_cuda_calls; DROP TABLE read_only_memcpys;", NULL, 0},
    {"DROP TABLE dictionary;", NULL, 0},
    {"DROP TABLE read_only_grid_block; DROP TABLE read_only_domains; DROP TABLE aggregations;",
     NULL, 0},
    {"DELETE FROM read_only_op_instances;", "rows_dangling", 13 - 2},
    {"DELETE FROM read_only_ops;", NULL, 0},
    {"UPDATE read_only_ops SET op_name = NULL, op_id = NULL, op_type_id = 77, direction_id = 'x',"
     " tc_support_status = 1;",
     NULL, 0},
    {"UPDATE read_only_kernels SET name_id = 1e300, long_name_id = x'00', uses_tc = 'y',"
     " grid_id = 99, block_id = NULL;",
     NULL, 0},
    {"UPDATE read_only_kernels SET process_id = -1, thread_id = 9223372036854775807;", NULL, 0},
    {"UPDATE read_only_memcpys SET num_bytes = -1, copy_kind = 99;", NULL, 0},
    {"UPDATE read_only_grid_block SET x = 1e300, y = -9, z = 'z';", NULL, 0},
    {"UPDATE dictionary SET string = '[[[[' || string WHERE id > 11;", NULL, 0},
    {"UPDATE dictionary SET string = '[[9223372036854775807,-1],[],[1.5],\"' WHERE id = 15;", NULL,
     0},
    {"UPDATE dictionary SET string = ';;,,' || id WHERE id BETWEEN 12 AND 14;", NULL, 0},
    {"UPDATE gpu_memories SET total = 1, used = 9223372036854775807;", NULL, 0},
    {"UPDATE iteration_list SET start_time = -9223372036854775808;", NULL, 0},
    {"UPDATE iteration_list SET iter_value = 5;", "aggregations_overlapping", 2},
    {"UPDATE model_summary SET iter_start = 9, iter_stop = -9;", NULL, 0},
    {"UPDATE model_summary SET iter_start = NULL, iter_stop = 'x', key_node_id = 99;", NULL, 0},
    {"UPDATE read_only_system_config SET mode_string = 'mxnet', mode_enum = NULL;", NULL, 0},
    // All threads in one: ops overlap without nesting.
    {"UPDATE read_only_op_instances SET thread_id = 100; UPDATE read_only_kernels SET"
     " thread_id = 100;",
     NULL, 0},
};

static void test_inconsistent_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i += every(2, 8)) {
        struct profile *profile = load(lies[i].sql);
        const struct note *note = lies[i].note ? profile_find_note(profile, lies[i].note) : NULL;
        if (lies[i].note && (!note || note->count < lies[i].count))
            fail_msg("%s: %s is noted %d times", lies[i].sql, lies[i].note,
                     note ? (int)note->count : 0);
        // Every call and all work belongs to one op run.
        assert_int_equal(AT(profile->ops->first_api, profile->ops->instance_count),
                         profile->api.count);
        assert_int_equal(AT(profile->ops->first_work, profile->ops->instance_count),
                         profile->work.count);
        exercise(profile);
        profile_free(profile);
    }
}

// A view in place of a table is refused.
static void test_view_in_place_of_a_table(void **state)
{
    (void)state;
    refused("DROP TABLE read_only_kernels;"
            "CREATE VIEW read_only_kernels AS SELECT * FROM read_only_memcpys;",
            ERROR_DATA, "is a view");
}

// References to op runs are numbered in table order, even if a run is unusable.
static void test_run_numbers(void **state)
{
    (void)state;
    struct profile *profile =
        load("UPDATE read_only_op_instances SET cpu_stop = cpu_start - 1 WHERE id = 1;");
    uint32_t call = find_call(profile, 1110);
    uint32_t instance = AT(profile->api.instance, call);
    assert_int_equal(AT(profile->ops->start, instance), 1100);
    // Calls of the unusable first run have no run.
    const struct op *op =
        &profile->ops
             ->items[AT(profile->ops->op, AT(profile->api.instance, find_call(profile, 110)))];
    is_text(profile, op->name, "unassociated_sgemm");
    profile_free(profile);
}

// A default text in every row of a small table must not be stored once per row.
static void test_default_in_every_row(void **state)
{
    enum { BYTES = 900000 };
    static const char head[] =
        "DROP TABLE read_only_system_config;"
        "CREATE TABLE read_only_system_config (mode_string TEXT);"
        "INSERT INTO read_only_system_config WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT "
        "i + 1 FROM n WHERE i < 999) SELECT 'pytorch' FROM n;"
        "ALTER TABLE read_only_system_config ADD COLUMN cpu_model TEXT DEFAULT '";
    static char sql[sizeof head + BYTES + 2];
    (void)state;
    strcpy(sql, head);
    memset(sql + sizeof head - 1, 'x', BYTES);
    strcpy(sql + sizeof head - 1 + BYTES, "';");
    struct profile *profile = load(sql);
    assert_non_null(profile_find_note(profile, "file_damaged"));
    profile_free(profile);
}

// A long name and long shapes shared by many ops: data derived from them is stored once.
static void test_texts_of_many_ops(void **state)
{
    (void)state;
    struct profile *profile = load(
        "CREATE TABLE n AS WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE "
        "i < 2000) SELECT i FROM n;"
        "INSERT INTO dictionary VALUES (900, (SELECT '[' || group_concat("
        "'[7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7]') || ']' FROM n WHERE i <= 256));"
        "INSERT INTO read_only_ops (id, domain_id, op_id, op_name, op_type_id, direction_id) "
        "SELECT 1000 + i, 1, 'X_' || i, '/module/x', 7, 4 FROM n;"
        "INSERT INTO read_only_op_instances (read_only_ops_id, cpu_start, cpu_stop, process_id, "
        "thread_id, input_shapes_id) SELECT 1000 + i, 5000 + i * 10, 5009 + i * 10, 7, 100, 900 "
        "FROM n;");
    uint32_t seen = 0;
    for (uint32_t i = 0; i < profile->marker_count; i++)
        seen += profile->markers[i].argument_count == 256;
    assert_int_equal(seen, 2000);
    assert_true(arena_bytes(profile->arena) < 16 << 20);
    profile_free(profile);
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    const char *path = dldb_file("");
    assert_true(load_failures(&path, 1, 9) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine),
        cmocka_unit_test(test_calls_and_work),
        cmocka_unit_test(test_ops),
        cmocka_unit_test(test_owners),
        cmocka_unit_test(test_threads_of_a_run),
        cmocka_unit_test(test_call_beyond_its_op),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_older_tables),
        cmocka_unit_test(test_domains),
        cmocka_unit_test(test_aggregations),
        cmocka_unit_test(test_inconsistent_files),
        cmocka_unit_test(test_view_in_place_of_a_table),
        cmocka_unit_test(test_run_numbers),
        cmocka_unit_test(test_default_in_every_row),
        cmocka_unit_test(test_texts_of_many_ops),
        cmocka_unit_test(test_every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
