// SPDX-License-Identifier: Apache-2.0
// Checks loading the files of a distributed job together: the merged profile of one file per rank
// equals a single capture of all ranks.
#include "analysis/reports/report_list.h"
#include "load_failures.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/place/selection_text.h"
#include "analysis/report/report.h"
#include "analysis/report/selection.h"
#include "analysis/report/selection_parts.h"
#include "analysis/steps/step_slowest.h"
#include "columns.h"
#include "model/open/clocks.h"
#include "model/open/merge.h"
#include "model/open/open.h"
#include "model/profile/ranks.h"
#include "model/profile/roles.h"

// ---- ranks by names ---------------------------------------------------------------------------

static void check_ranks(const char *const *paths, uint32_t count, const int64_t *expected)
{
    int64_t rank[8];
    ranks_of_files(paths, count, rank);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(rank[i], expected[i]);
}

#define CHECK_RANKS(paths, ...)                                                 \
    check_ranks((const char *const[])paths, sizeof((int64_t[])__VA_ARGS__) / 8, \
                (int64_t[])__VA_ARGS__)
#define LIST(...)   \
    {               \
        __VA_ARGS__ \
    }

static void test_ranks_by_names(void **state)
{
    (void)state;
    CHECK_RANKS(LIST("a/run_rank3.sqlite", "a/run_rank11.sqlite"), LIST(3, 11));
    CHECK_RANKS(LIST("Rank-2.x", "node7_rank_0.x"), LIST(2, 0));
    // The rank is the number in which the names differ, provided that these numbers count from 0.
    CHECK_RANKS(LIST("r1.v2.sqlite", "r0.v2.sqlite"), LIST(1, 0));
    CHECK_RANKS(LIST("v2.r1.sqlite", "v2.r0.sqlite"), LIST(1, 0));
    // No rank is derived from process ids, from two files of one rank, from a name without a
    // number, or from a single file.
    CHECK_RANKS(LIST("job.4711.sqlite", "job.4712.sqlite"), LIST(UNKNOWN, UNKNOWN));
    CHECK_RANKS(LIST("a/rank0.x", "b/rank0.x"), LIST(UNKNOWN, UNKNOWN));
    CHECK_RANKS(LIST("0.x", "new.x"), LIST(UNKNOWN, UNKNOWN));
    CHECK_RANKS(LIST("prank.x"), LIST(UNKNOWN));
    CHECK_RANKS(LIST("rank99999999999999999999.x", "rank1.x"), LIST(UNKNOWN, UNKNOWN));
}

static void test_ranks_by_environment(void **state)
{
    (void)state;
    int64_t rank = UNKNOWN;
    unsigned best = RANK_VARIABLES;
    assert_true(rank_of_variable("SLURM_PROCID=12", &best, &rank));
    assert_int_equal(rank, 12);
    assert_false(rank_of_variable("PMI_RANK=4", &best, &rank)); // set by a launcher further down
    assert_true(rank_of_variable("RANK=3", &best, &rank));
    assert_int_equal(rank, 3);
    assert_false(rank_of_variable("SLURM_PROCID=12", &best, &rank));
    best = RANK_VARIABLES;
    static const char *const others[] = {"LOCAL_RANK=1", "RANK=", "RANK=-1",      "RANK=1x",
                                         "RANK",         "",      "RANK=12345678"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(rank_of_variable(others[i], &best, &rank));
    assert_int_equal(rank, 3);
}

// ---- roles ------------------------------------------------------------------------------------

// `expected` holds the text of the role for each name; NULL: no role is derived.
static void check_roles(const char *const *paths, const char *const *expected, uint32_t count)
{
    struct roles roles[8], *of[8];
    struct arena *arena = arena_new(0);
    for (uint32_t i = 0; i < count; i++) {
        roles[i] = roles_unknown();
        of[i] = &roles[i];
    }
    roles_of_files(paths, count, of);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = roles_text(&roles[i], arena);
        if (!expected)
            assert_null(text);
        else
            assert_string_equal(text, expected[i]);
    }
    arena_free(arena);
}

static void test_roles_by_names(void **state)
{
    (void)state;
    check_roles((const char *const[]){"a/prefill-0.x", "decode_1.x", "Decode2.x"},
                (const char *const[]){"prefill", "decode", "decode"}, 3);
    check_roles((const char *const[]){"run_pp0_tp0.x", "run_pp0_tp1.x", "run_pp1-tp0.x"},
                (const char *const[]){"pp 0 tp 0", "pp 0 tp 1", "pp 1 tp 0"}, 3);
    check_roles((const char *const[]){"stage0.x", "stage_1.x"},
                (const char *const[]){"stage 0", "stage 1"}, 2);
    // A word is no role if some name lacks it, if it is the same in every name, if it is part of a
    // longer word, if two words compete, or if it is the name of a folder.
    check_roles((const char *const[]){"stage0.x", "x1.x"}, NULL, 2);
    check_roles((const char *const[]){"tp2_rank0.x", "tp2_rank1.x"}, NULL, 2);
    check_roles((const char *const[]){"http0.x", "http1.x"}, NULL, 2);
    check_roles((const char *const[]){"decoder.x", "prefilled.x"}, NULL, 2);
    check_roles((const char *const[]){"prefill_decode0.x", "decode1.x"}, NULL, 2);
    check_roles((const char *const[]){"prefill/0.x", "decode/1.x"}, NULL, 2);
    check_roles((const char *const[]){"tp99999999999.x", "tp1.x"}, NULL, 2);
}

static void test_roles_by_environment(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct roles roles = roles_unknown();
    static const char *const others[] = {
        "ROLE_NAME=",
        "ROLE_NAME=default",
        "ROLE_NAME=a b",
        "ROLE_NAMES=x",
        "MY_ROLE_NAME",
        "VLLM_DP_RANK=x",
        "VLLM_DP_RANK=-1x",
        "",
        "ROLE_NAME=a-name-that-is-longer-than-any-role",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(roles_of_variable(others[i], &roles, arena));
    assert_null(roles_text(&roles, arena));
    assert_true(roles_of_variable("ROLE_NAME=trainer", &roles, arena));
    assert_true(roles_of_variable("VLLM_DP_RANK=3", &roles, arena));
    assert_string_equal(roles_text(&roles, arena), "trainer dp 3");
    // File names supply a role that the environment does not.
    struct roles other = roles_unknown(), *of[] = {&roles, &other};
    roles_of_files((const char *const[]){"decode_dp0.x", "prefill_dp1.x"}, 2, of);
    assert_string_equal(roles_text(&roles, arena), "trainer dp 3");
    assert_string_equal(roles_text(&other, arena), "prefill dp 1");
    arena_free(arena);
}

// ---- clocks -----------------------------------------------------------------------------------

static void test_times_are_shifted(void **state)
{
    (void)state;
    struct part_clock clock = {.offset = 1000, .at = 5000, .drift = 0.5};
    assert_int_equal(part_time(&clock, 5000), 6000);
    assert_int_equal(part_time(&clock, 7000), 9000);
    assert_int_equal(part_time(&clock, UNKNOWN), UNKNOWN);
}

// ---- a job ------------------------------------------------------------------------------------

enum { RANKS = 4 };

struct job {
    char folder[64], whole[100];
    char paths[RANKS][100];
    const char *files[RANKS];
    int64_t ahead[RANKS]; // offset of the machine's wall clock
};

static struct job job_make(const char *arguments)
{
    struct job job = {.folder = "/tmp/dlprof-ranks-XXXXXX"};
    char command[400];
    assert_non_null(mkdtemp(job.folder));
    snprintf(job.whole, sizeof job.whole, "%s/job.sqlite", job.folder);
    snprintf(command, sizeof command, "'%s' healthy '%s' --processes=%d --steps=8 %s",
             getenv("DLPROF_GEN"), job.whole, RANKS, arguments);
    FILE *output = popen(command, "r"); // NOLINT(cert-env33-c): the test's own generator
    assert_non_null(output);
    for (char line[200]; fgets(line, sizeof line, output);) {
        int rank;
        int64_t ahead;
        if (sscanf(line, "clock %d %" SCNd64, &rank, &ahead) == 2 && rank < RANKS)
            job.ahead[rank] = ahead;
    }
    assert_int_equal(pclose(output), 0);
    return job;
}

static void job_name(struct job *job)
{
    for (int r = 0; r < RANKS; r++) {
        snprintf(job->paths[r], sizeof job->paths[r], "%s/job.rank%d.sqlite", job->folder, r);
        job->files[r] = job->paths[r];
    }
}

static void job_change(const struct job *job, int rank, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(job->files[rank], &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void job_remove(const struct job *job)
{
    for (int r = 0; r < RANKS; r++)
        unlink(job->paths[r]);
    unlink(job->whole);
    rmdir(job->folder);
}

static struct profile *load(const char *const *files, size_t count, unsigned threads)
{
    struct error error = {0};
    struct load_request request = {
        .path = files[0], .paths = files, .path_count = count, .threads = threads};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static int64_t sum_of(const char *name, const char *key, const struct profile *profile)
{
    struct arena *arena = arena_new(0);
    struct split *split = split_find(profile, arena);
    struct selection selection = selection_all(split);
    const struct report *report = report_find(name);
    struct rows rows = report->build(profile, &selection, arena);
    const struct column *column = report_column(report, key);
    int64_t sum = 0;
    for (size_t i = 0; i < rows.count; i++) {
        struct value value = column->get(report_row(report, &rows, i));
        sum += value.kind == VALUE_INTEGER ? value.integer : 0;
    }
    arena_free(arena);
    return sum;
}

// A duration may change by 1 ns at either end when its times are converted to another clock.
static void check_close(int64_t one, int64_t many, int64_t rows)
{
    assert_true(llabs(one - many) <= 2 * rows + one / 100000);
}

static void check_same(const struct profile *one, const struct profile *many)
{
    assert_int_equal(many->work.count, one->work.count);
    assert_int_equal(many->api.count, one->api.count);
    assert_int_equal(many->ranges.count, one->ranges.count);
    assert_int_equal(many->syncs.count, one->syncs.count);
    assert_int_equal(many->osrt.count, one->osrt.count);
    assert_int_equal(many->device_count, one->device_count);
    assert_int_equal(many->function_count, one->function_count);
    assert_int_equal(many->tree->count, one->tree->count);
    assert_int_equal(many->folded_tree->count, one->folded_tree->count);
    static const char *const counted[][2] = {{"kernels", "calls"}, {"api", "calls"}};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        assert_int_equal(sum_of(counted[i][0], counted[i][1], many),
                         sum_of(counted[i][0], counted[i][1], one));
    check_close(sum_of("kernels", "gpu_total", one), sum_of("kernels", "gpu_total", many),
                one->work.count);
    check_close(sum_of("layers", "gpu", one), sum_of("layers", "gpu", many), one->work.count);
    check_close(sum_of("devices", "comm_wait", one), sum_of("devices", "comm_wait", many),
                one->work.count);
    assert_true(sum_of("devices", "comm_wait", many) > 0);
}

static void test_whole_job(void **state)
{
    (void)state;
    struct job job = job_make("--split=2 --problem=straggler");
    job_name(&job);
    const char *whole = job.whole;
    struct profile *one = load(&whole, 1, 2), *many = load(job.files, RANKS, 2);
    check_same(one, many);
    for (int r = 0; r < RANKS; r++) {
        const struct source *source = &many->sources[r];
        assert_int_equal(source->rank, r);
        assert_int_equal(source->host_row, r / 2);
        assert_true(source->clock.is_aligned);
        assert_true(llabs(source->clock.offset + job.ahead[r]) <= 5000);
        assert_true(source->clock.spread <= 1000);
        assert_int_equal(profile_find_rank(many, r), many->streams[r * 3].process);
    }
    assert_int_equal(profile_find_rank(many, RANKS), ROW_NONE);
    assert_string_equal(many->capture.cpu, one->capture.cpu);
    assert_string_equal(many->capture.dlprof, ""); // an unknown text is "", never NULL
    assert_string_equal(many->capture.dlprof_build, "");
    profile_free(one);
    // The result does not depend on the order of the files or the number of threads.
    const char *turned[RANKS];
    for (int r = 0; r < RANKS; r++)
        turned[r] = job.files[RANKS - 1 - r];
    struct profile *reordered = load(turned, RANKS, 1);
    assert_int_equal(reordered->work.count, many->work.count);
    for (uint32_t i = 0; i < many->work.count; i++) {
        assert_int_equal(AT(reordered->work.start, i), AT(many->work.start, i));
        assert_int_equal(AT(reordered->work.node, i), AT(many->work.node, i));
    }
    profile_free(reordered);
    profile_free(many);
    job_remove(&job);
}

// Without common collectives the clock of a file, including the drift, is copied from another
// capture of the same machine.
static void test_clock_of_a_machine(void **state)
{
    (void)state;
    struct job job = job_make("--split=2 --steps=32");
    job_name(&job);
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(job.files[3], &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "UPDATE StringIds SET value = 'own' || id WHERE value LIKE '%nccl%'", NULL,
                     NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    struct arena *scratch = arena_new(0);
    const struct profile *parts[RANKS];
    struct part_clock clock[RANKS];
    struct clock reported[RANKS];
    for (int r = 0; r < RANKS; r++) {
        struct error error = {0};
        parts[r] =
            profile_load(&(struct load_request){.path = job.files[r], .part_of = RANKS}, &error);
        assert_non_null(parts[r]);
    }
    clocks_align(parts, (const uint32_t[RANKS]){0}, RANKS, clock, reported, scratch);
    assert_int_not_equal(reported[2].spread, UNKNOWN);
    assert_int_equal(reported[3].spread, UNKNOWN);
    assert_true(reported[3].is_aligned);
    assert_true(clock[2].drift != 0);
    int64_t later = parts[3]->capture.utc_epoch_ns - parts[2]->capture.utc_epoch_ns;
    for (int64_t time = 0; time < 1000000000; time += 100000000)
        assert_in_range(llabs(part_time(&clock[3], time) - part_time(&clock[2], time + later)), 0,
                        2);
    assert_true(arena_bytes(scratch) < 100000); // comparisons released their memory
    arena_free(scratch);
    for (int r = 0; r < RANKS; r++)
        profile_free(parts[r]);
    job_remove(&job);
}

// A file loaded alone carries no note about what only the whole job can show; here the markers
// supply the source lines.
static void test_source_lines(void **state)
{
    (void)state;
    struct job job = job_make("--split=1 --markers=dlprof --steps=2");
    job_name(&job);
    struct profile *profile = load(job.files, 2, 2);
    const struct note *note = profile_find_note(profile, "no_callchains");
    assert_non_null(note);
    assert_null(strstr(note->text, "not known"));
    assert_true(profile->line_count > 0);
    profile_free(profile);
    job_remove(&job);
}

// DLProf's breakdown covers only the GPUs that the selected processes use. Other GPUs have no
// window instead of counting as idle.
static void check_shares(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const struct breakdown *of = breakdown_devices(profile, selection, &breakdown_dlprof, arena);
    for (uint32_t d = 0; d < profile->device_count; d++)
        assert_int_equal(of[d].window_ns > 0, processes_run_on(profile, selection->process, d));
}

// Checks that each selected device has kernels in the `devices` report.
static void check_devices(const struct profile *profile, const struct selection *selection,
                          struct arena *arena)
{
    const struct report *report = report_find("devices");
    struct rows rows = report->build(profile, selection, arena);
    const struct column *column = report_column(report, "kernels");
    assert_int_equal(rows.count, selection_device_count(profile, selection));
    for (size_t i = 0; i < rows.count; i++)
        assert_true(column->get(report_row(report, &rows, i)).integer > 0);
}

static uint32_t work_of(const struct profile *profile, const char *group)
{
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    struct error error = {0};
    struct rows rows;
    uint32_t count = 0;
    selection.process = profile_find_group(profile, group);
    if (selection.process == ROW_NONE)
        fail_msg("no %s", group);
    for (uint32_t w = 0; w < profile->work.count; w++)
        count += selection_has_work(profile, &selection, w);
    assert_int_equal(selection_device_count(profile, &selection), 2);
    check_devices(profile, &selection, arena);
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (processes_run_on(profile, selection.process, d))
            selection.device = d;
    check_devices(profile, &selection, arena);
    selection.device = ROW_NONE;
    check_shares(profile, &selection, arena);
    selection.process = profile->streams[0].process;
    check_shares(profile, &selection, arena);
    selection.process = profile_find_group(profile, group);
    assert_non_null(strstr(selection_text(profile, &selection, arena), group));
    for (size_t i = 0; i < report_count; i++)
        if (!report_build(reports[i], profile, &selection, arena, &rows, &error))
            fail_msg("%s: %s", reports[i]->name, error.message);
    arena_free(arena);
    return count;
}

static void test_parts_of_a_job(void **state)
{
    (void)state;
    struct job job = job_make("--split=2 --problem=straggler");
    job_name(&job);
    for (int r = 0; r < RANKS; r++) {
        char path[sizeof job.paths[r]];
        snprintf(path, sizeof path, "%s/stage%d_tp%d.x", job.folder, r / 2, r % 2);
        assert_int_equal(rename(job.paths[r], path), 0);
        memcpy(job.paths[r], path, sizeof path);
    }
    struct profile *profile = load(job.files, RANKS, 2);
    assert_int_equal(profile->group_count, 6);
    assert_int_equal(work_of(profile, "host 1") + work_of(profile, "host 2"), profile->work.count);
    assert_int_equal(work_of(profile, "role tp 0") + work_of(profile, "role tp 1"),
                     profile->work.count);
    assert_int_equal(work_of(profile, "role stage 1"), work_of(profile, "host 2"));
    assert_int_equal(profile_find_group(profile, "host 3"), ROW_NONE);
    // Processes with the same pid, as two machines may have, get distinct labels.
    char label[PROCESS_LABEL_SIZE];
    uint32_t first = profile->streams[0].process, last = first;
    for (uint32_t s = 0; s < profile->stream_count; s++)
        last = profile->streams[s].process > last ? profile->streams[s].process : last;
    profile->processes[last].pid = profile->processes[first].pid;
    struct arena *arena = arena_new(0);
    processes_prepare_labels(profile, arena);
    for (uint32_t p = 0; p < profile->process_count; p++)
        assert_int_equal(profile->processes[p].pid_occurrence, p == last);
    // Without ranks the label is the pid with a suffix.
    int64_t rank = profile->sources[profile->processes[last].source].rank;
    profile->sources[profile->processes[last].source].rank = UNKNOWN;
    assert_non_null(strstr(process_label(profile, last, label), ".2"));
    assert_int_equal(profile_find_label(profile, label), last);
    profile->sources[profile->processes[last].source].rank = rank;
    arena_free(arena);
    assert_int_equal(profile_find_label(profile, process_label(profile, first, label)), first);
    assert_int_equal(profile_find_label(profile, process_label(profile, last, label)), last);
    profile_free(profile);
    // A single file forms no group.
    profile = load(job.files, 1, 2);
    assert_int_equal(profile->group_count, 0);
    profile_free(profile);
    job_remove(&job);
}

// If two files sampled the same GPU, the samples of the first file are used. Other GPUs keep the
// samples of their only file.
static void test_samples(void **state)
{
#define SAMPLED                                                                                  \
    "CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value);"                             \
    "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, metricId, metricName);"                       \
    "INSERT INTO TARGET_INFO_GPU_METRICS SELECT 256 + id, 2, 'SMs Active' FROM TARGET_INFO_GPU;" \
    "INSERT INTO GPU_METRICS VALUES "
    static const struct {
        uint32_t count;
        double last;
    } expected[RANKS] = {{2, 30}, {1, 40}, {2, 11}, {0, 0}};
    (void)state;
    struct job job = job_make("--split=1 --steps=2");
    job_name(&job);
    job_change(&job, 0, SAMPLED "(500, 256, 2, 20), (400, 256, 2, 10), (400, 257, 2, 40);");
    job_change(&job, 1, SAMPLED "(7, 257, 2, 1), (8, 257, 2, 1), (7, 258, 2, 5), (9, 258, 2, 6);");
    struct profile *profile = load(job.files, 2, 2);
    const struct gpu_metrics *metrics = &profile->metrics;
    assert_int_equal(metrics->count, 5);
    for (uint32_t d = 0; d < RANKS; d++) {
        size_t at = (size_t)profile_find_device(profile, d) * METRIC_COUNT + METRIC_SM_ACTIVE;
        uint32_t first = metrics->first[at], end = metrics->first[at + 1];
        assert_int_equal(end - first, expected[d].count);
        if (first < end)
            assert_true(metrics->sum[end - 1] == expected[d].last);
        if (d == 0) {
            assert_int_equal(metrics->time[first], 400);
            assert_int_equal(metrics->time[first + 1], 500);
        }
    }
    profile_free(profile);
    job_remove(&job);
#undef SAMPLED
}

// ---- faulty and unrelated files ---------------------------------------------------------------

// Returns true if any row of the report has a value marked as an outlier. With a straggler only the
// column of its rank may have one.
static bool has_outlier(const struct profile *profile, char first[64])
{
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    struct rows rows = report_find("ranks")->build(profile, &selection, arena);
    const struct report *report = report_named(report_find("ranks"), &rows);
    size_t slot = (size_t)(report_column(report, "slowest") - report->columns) + 1;
    bool any = false;
    snprintf(first, 64, "%s", report->columns[slot].key);
    for (size_t i = 0; i < rows.count; i++)
        for (size_t c = 0; c < report->column_count; c++) {
            bool is_odd = report->is_odd(report_row(report, &rows, i), c);
            assert_true(!is_odd || c == slot);
            any |= is_odd;
        }
    for (unsigned r = 0; r < RANKS; r++) {
        char key[64];
        snprintf(key, sizeof key, "rank%u", r);
        assert_false(report_column(report, key)->flags & COLUMN_RANK_SLOT);
    }
    // no rank gives this column a title
    assert_true(report->columns[slot + RANKS].flags & COLUMN_RANK_SLOT);
    arena_free(arena);
    return any;
}

// Checks the slowest rank of each step: rank 2 if `is_slow`, no outlier otherwise.
static void check_slowest(const struct profile *profile, bool is_slow)
{
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    const struct steps_slowest *slowest = steps_slowest(profile, &selection, arena);
    assert_true(slowest->by_rank);
    assert_int_equal(selection.split->count, 8);
    for (uint32_t i = 0; i < selection.split->count; i++) {
        assert_int_equal(slowest->steps[i].is_odd, is_slow);
        assert_true(!is_slow || slowest->steps[i].number == 2);
        assert_true(slowest->steps[i].above_ns >= 0);
    }
    selection.device = slowest->steps[0].device; // a single device has nothing to be compared with
    slowest = steps_slowest(profile, &selection, arena);
    assert_int_equal(slowest->steps[0].device, ROW_NONE);
    assert_int_equal(slowest->steps[0].above_ns, UNKNOWN);
    arena_free(arena);
}

static void test_column_per_rank(void **state)
{
    (void)state;
    char first[64];
    for (int is_slow = 0; is_slow < 2; is_slow++) {
        struct job job = job_make(is_slow ? "--split=2 --problem=straggler" : "--split=2");
        job_name(&job);
        struct profile *profile = load(job.files, RANKS, 2);
        assert_int_equal(has_outlier(profile, first), is_slow);
        assert_string_equal(first, is_slow ? "rank2" : "rank0");
        check_slowest(profile, is_slow);
        profile_free(profile);
        job_remove(&job);
    }
}

// Returns true if the `devices` report names the profiler as a cause of idle time on the GPU.
static bool is_idle_by_profiler(const struct profile *profile, uint32_t device)
{
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    const struct report *report = report_find("devices");
    struct rows rows = report->build(profile, &selection, arena);
    struct value value = report_column(report, "causes")->get(report_row(report, &rows, device));
    bool is = value.kind == VALUE_TEXT && strstr(value.text, "profiler");
    arena_free(arena);
    return is;
}

// Profiler overhead without a thread counts only for the process of its own file.
static void test_profilers(void **state)
{
    (void)state;
    struct job job = job_make("--split=1");
    job_name(&job);
    for (int r = 1; r < 3; r++)
        job_change(&job, r,
                   "CREATE TABLE PROFILER_OVERHEAD (start, end, globalTid, nameId);"
                   "INSERT INTO StringIds VALUES (4711, 'CUPTI: Buffer flush');"
                   "INSERT INTO PROFILER_OVERHEAD VALUES (0, 10000000000, NULL, 4711);");
    struct profile *profile = load(job.files, RANKS, 2);
    assert_int_equal(profile->overheads.count, 2);
    assert_int_equal(profile->overheads.first_without_thread, 0);
    for (uint32_t d = 0, used = 0; d < profile->device_count; d++)
        if (profile->devices[d].has_work) {
            used++;
            assert_int_equal(is_idle_by_profiler(profile, d), used == 2 || used == 3);
        }
    profile_free(profile);
    job_remove(&job);
}

static void test_another_run(void **state)
{
    (void)state;
    struct job job = job_make("--split=1");
    job_name(&job);
    job_change(&job, 1,
               "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + "
               "86400000000000");
    struct profile *profile = load(job.files, 3, 2);
    const struct note *note = profile_find_note(profile, "files_apart");
    assert_non_null(note);
    assert_int_equal(note->count, 1);
    profile_free(profile);
    job_remove(&job);
}

static void test_file_that_is_no_profile(void **state)
{
    (void)state;
    struct job job = job_make("--split=1");
    job_name(&job);
    char none[120];
    snprintf(none, sizeof none, "%s/none.sqlite", job.folder);
    const char *files[] = {none, job.files[0]};
    struct error error = {0};
    struct load_progress progress = {.wake_fd = -1};
    assert_null(profile_load(
        &(struct load_request){
            .path = files[0], .paths = files, .path_count = 2, .threads = 1, .progress = &progress},
        &error));
    assert_non_null(strstr(error.message, "none.sqlite"));
    assert_int_equal(atomic_load(&progress.rows_total), 0); // the second file was not read
    job_remove(&job);
}

// Merging fails at once if the tables, or the samples, together have more rows than a row number
// can count.
static bool merge_body(void *context, struct error *error)
{
    const struct part *parts = context;
    struct profile *merged =
        profile_empty(&(struct load_request){.path = "x"}, parts[0].profile->arena);
    return profile_merge(merged, parts, 2, error);
}

static void test_too_many_rows(void **state)
{
    (void)state;
    for (int is_sample = 0; is_sample < 2; is_sample++) {
        struct profile many = {.arena = arena_new(0)};
        *(is_sample ? &many.metrics.count : &many.osrt.count) = 3000000000;
        struct part parts[] = {{.profile = &many}, {.profile = &many}};
        struct error error = {0};
        assert_false(arena_run(many.arena, merge_body, parts, &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_non_null(strstr(error.message, "open fewer"));
        arena_free(many.arena);
    }
}

// Two unrelated captures load, and a note says what cannot be compared.
static void test_unrelated_captures(void **state)
{
    (void)state;
    struct job job = job_make("--split=1 --markers=none"), other = job_make("--split=1 --seed=2");
    job_name(&job);
    job_name(&other);
    const char *files[] = {job.files[0], other.files[1], job.files[2]};
    struct profile *profile = load(files, 3, 2);
    assert_int_equal(profile->source_count, 3);
    assert_true(profile_find_note(profile, "clocks_by_wall") ||
                profile_find_note(profile, "clocks_aligned"));
    assert_null(profile_find_note(profile, "files_apart"));
    profile_free(profile);
    job_remove(&job);
    job_remove(&other);
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    struct job job = job_make("--split=1 --steps=1");
    job_name(&job);
    assert_true(load_failures(job.files, 2, 40) > 100);
    job_remove(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks_by_names),
        cmocka_unit_test(test_ranks_by_environment),
        cmocka_unit_test(test_times_are_shifted),
        cmocka_unit_test(test_whole_job),
        cmocka_unit_test(test_clock_of_a_machine),
        cmocka_unit_test(test_source_lines),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_profilers),
        cmocka_unit_test(test_another_run),
        cmocka_unit_test(test_file_that_is_no_profile),
        cmocka_unit_test(test_too_many_rows),
        cmocka_unit_test(test_column_per_rank),
        cmocka_unit_test(test_unrelated_captures),
        cmocka_unit_test(test_every_allocation_fails_once),
        cmocka_unit_test(test_roles_by_names),
        cmocka_unit_test(test_roles_by_environment),
        cmocka_unit_test(test_parts_of_a_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
