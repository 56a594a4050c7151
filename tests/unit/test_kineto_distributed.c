// SPDX-License-Identifier: Apache-2.0
// Compares the distributed view with PyTorch's TensorBoard plugin on the hand-made traces of the
// corpus, where the plugin pairs the right collectives (in the real ones it misses NCCL's kernels).
// Also checks the data that traces record about collectives: names, groups and numbers beyond 63
// bits. Skips with a message without the corpus.
#include "analysis/reports/report_list.h"
#include "property.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/plugin/distributed.h"
#include "analysis/report/report.h"
#include "base/parse/json_scan.h"
#include "base/text/text.h"
#include "file_text.h"
#include "model/open/open.h"
#include "paths.h"

enum { MAX_WORKERS = 16, PATH = 4000, MAX_VALUES = 2000, US = 1000 };

// ---- the plugin's figures ----------------------------------------------------------------------

struct golden { // leaves of a JSON file: path such as "overlap.data.0.worker1.2", and value
    size_t count;
    char *path[MAX_VALUES], *text[MAX_VALUES];
};

static void read_value(struct json_scan *scan, enum json_token token, const char *path,
                       struct golden *golden)
{
    char below[PATH];
    if (token == JSON_OBJECT || token == JSON_ARRAY) {
        unsigned index = 0;
        for (token = json_scan_next(scan); token != JSON_CLOSE && token != JSON_END;
             token = json_scan_next(scan)) {
            if (token == JSON_KEY) {
                snprintf(below, sizeof below, "%s.%.*s", path, (int)scan->length, scan->text);
                token = json_scan_next(scan);
            } else {
                snprintf(below, sizeof below, "%s.%u", path, index++);
            }
            read_value(scan, token, below, golden);
        }
    } else if (golden->count < MAX_VALUES) {
        golden->path[golden->count] = strdup(path);
        golden->text[golden->count++] = strndup(scan->text, scan->length);
    }
}

static bool golden_read(const char *path, struct golden *golden)
{
    struct arena *arena = arena_new(0);
    struct error error = {0};
    struct json_scan *scan = json_scan_open(path, arena, &error);
    golden->count = 0;
    if (scan) {
        read_value(scan, json_scan_next(scan), "", golden);
        json_scan_close(scan, NULL);
    }
    arena_free(arena);
    return scan != NULL;
}

static const char *golden_find(const struct golden *golden, const char *path)
{
    for (size_t i = 0; i < golden->count; i++)
        if (strcmp(golden->path[i], path) == 0)
            return golden->text[i];
    return NULL;
}

static void golden_free(struct golden *golden)
{
    for (size_t i = 0; i < golden->count; i++) {
        free(golden->path[i]);
        free(golden->text[i]);
    }
}

// ---- our figures -------------------------------------------------------------------------------

struct job {
    const char *name;
    struct profile *profile;
    struct selection selection;
    struct arena *arena;
    unsigned compared, differing;
};

static double cell(const struct report *report, const void *row, const char *key)
{
    const struct column *column = report_column(report, key);
    assert_non_null(column);
    struct value value = column ? column->get(row) : value_none();
    return value.kind == VALUE_INTEGER ? (double)value.integer
           : value.kind == VALUE_REAL  ? value.real
                                       : NAN;
}

static const char *text_cell(const struct report *report, const void *row, const char *key)
{
    const struct column *column = report_column(report, key);
    struct value value = column ? column->get(row) : value_none();
    return value.kind == VALUE_TEXT ? value.text : "";
}

// The plugin's figures are exact, rounded or truncated.
static void compare(struct job *job, const char *what, double ours, const char *theirs, double unit)
{
    if (!theirs)
        return;
    job->compared++;
    if (fabs(ours / unit - strtod(theirs, NULL)) < 1)
        return;
    job->differing++;
    print_message("# %s: %s: %.9g, the plugin has %s\n", job->name, what, ours / unit, theirs);
}

static void check_steps(struct job *job, const struct golden *golden)
{
    static const struct {
        const char *part, *key;
        int index;
    } cells[] = {{"overlap", "computing", 0},     {"overlap", "overlap", 1},
                 {"overlap", "communication", 2}, {"overlap", "other", 3},
                 {"wait", "transfer", 0},         {"wait", "synchronizing", 1}};
    const struct report *report = report_find("distributed");
    struct rows rows = report_rows(report, job->profile, &job->selection, job->arena);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        const char *step =
            report->depth(row) ? text_cell(report, row, "worker") + strlen("step ") : "all";
        for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
            char path[PATH];
            snprintf(path, sizeof path, ".%s.data.%s.worker%d.%d", cells[c].part, step,
                     (int)cell(report, row, "rank"), cells[c].index);
            assert_non_null(golden_find(golden, path));
            compare(job, path, cell(report, row, cells[c].key), golden_find(golden, path), US);
        }
    }
}

static void check_ops(struct job *job, const struct golden *golden)
{
    static const struct {
        const char *key;
        double unit;
    } cells[] = {{"calls", 1},        {"bytes", 1},     {"bytes_avg", 1},    {"latency", US},
                 {"latency_avg", US}, {"transfer", US}, {"transfer_avg", US}};
    const struct report *report = report_find("collective_ops");
    struct rows rows = report_rows(report, job->profile, &job->selection, job->arena);
    size_t found = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        const char *worker = text_cell(report, row, "worker") + strlen("rank ");
        for (int r = 0; r < 100; r++) {
            char path[PATH];
            snprintf(path, sizeof path, ".comm_ops.data.worker%s.rows.%d.0", worker, r);
            const char *name = golden_find(golden, path);
            if (!name || strcmp(name, text_cell(report, row, "op")) != 0)
                continue;
            found++;
            for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
                snprintf(path, sizeof path, ".comm_ops.data.worker%s.rows.%d.%zu", worker, r,
                         c + 1);
                compare(job, path, cell(report, row, cells[c].key), golden_find(golden, path),
                        cells[c].unit);
            }
        }
    }
    assert_int_equal(found, rows.count);
}

// ---- the corpus --------------------------------------------------------------------------------

static const char *corpus_root(char *root, size_t size)
{
    const char *corpus = getenv("DLPROF_CORPUS");
    snprintf(root, size, "%s/kineto", corpus ? corpus : source_path("/../shared/corpus"));
    return access(root, R_OK) == 0 ? root : NULL;
}

static int compare_names(const void *a, const void *b)
{
    return text_compare_natural(*(char *const *)a, *(char *const *)b);
}

static unsigned open_traces(const char *folder, char *paths[MAX_WORKERS])
{
    unsigned count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; entries && (entry = readdir(entries)) && count < MAX_WORKERS;)
        if (strstr(entry->d_name, ".pt.trace.json")) {
            char path[PATH];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            paths[count++] = strdup(path);
        }
    if (entries)
        closedir(entries);
    qsort(paths, count, sizeof *paths, compare_names);
    return count;
}

static void job_open(struct job *job, const char *folder)
{
    char *paths[MAX_WORKERS];
    unsigned count = open_traces(folder, paths);
    struct load_request request = {
        .path = paths[0], .paths = (const char *const *)paths, .path_count = count};
    struct error error = {0};
    job->profile = profile_load(&request, &error);
    if (!job->profile)
        fail_msg("%s", error.message);
    job->arena = arena_new(0);
    job->selection = selection_all(split_find(job->profile, job->arena));
    for (unsigned i = 0; i < count; i++)
        free(paths[i]);
}

static void job_close(struct job *job)
{
    arena_free(job->arena);
    profile_free(job->profile);
}

static unsigned check_case(const char *folder, const char *name)
{
    static struct golden golden;
    char path[PATH];
    struct job job = {.name = name};
    snprintf(path, sizeof path, "%s/distributed.json", folder);
    assert_true(golden_read(path, &golden));
    job_open(&job, folder);
    check_steps(&job, &golden);
    check_ops(&job, &golden);
    print_message("# %s: %u values compared, %u differ\n", name, job.compared, job.differing);
    golden_free(&golden);
    job_close(&job);
    return job.differing;
}

static void test_plugin(void **state)
{
    char root[PATH / 4], folder[PATH / 2], path[PATH];
    unsigned differing = 0, cases = 0;
    (void)state;
    if (!corpus_root(root, sizeof root)) {
        print_message("# skipped: no corpus of traces\n");
        skip();
    }
    snprintf(folder, sizeof folder, "%s/unit", root);
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        snprintf(folder, sizeof folder, "%s/unit/%s", root, entry->d_name);
        snprintf(path, sizeof path, "%s/distributed.json", folder);
        if (access(path, R_OK) != 0)
            continue;
        differing += check_case(folder, entry->d_name);
        cases++;
    }
    if (entries)
        closedir(entries);
    assert_int_equal(differing, 0);
    assert_true(cases > 0);
}

// ---- recorded collectives ----------------------------------------------------------------------

#define RECORDED(rank, name, sequence)                                                      \
    "\"Collective name\": \"" name "\", \"dtype\": \"BFloat16\", \"In msg nelems\": 1024, " \
    "\"Out msg nelems\": 1024, \"Group size\": 2, \"Process Group Name\": \"0\", "          \
    "\"Process Group Description\": \"default_pg\", \"Process Group Ranks\": \"[0, 1]\", "  \
    "\"Rank\": " #rank ", \"Seq\": " #sequence ", \"Comms Id\": 18446744073709551615"
#define KERNEL(rank, name, start, length, correlation, recorded)                             \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" name "\", \"pid\": " #rank           \
    ", \"tid\": 20, \"ts\": " #start ", \"dur\": " #length ", \"args\": {\"device\": " #rank \
    ", \"stream\": 20, \"correlation\": " #correlation ", " recorded "}}"
#define TRACE(rank, kernels)                                                             \
    "{\"distributedInfo\": {\"rank\": " #rank ", \"world_size\": 2}, \"traceEvents\": [" \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 9" #rank     \
    ", \"tid\": 1, \"ts\": 1000, \"dur\": 900, \"args\": {}}, " kernels "]}"

// The first collective of rank 1 is missing: the others still match by number.
static void test_recorded_collectives(void **state)
{
    char paths[2][PATH];
    const char *list[2] = {paths[0], paths[1]};
    (void)state;
    for (int i = 0; i < 2; i++)
        snprintf(paths[i], sizeof paths[i], "%s/told_rank%d.json", build_path(""), i);
    file_write(paths[0],
               TRACE(0, KERNEL(0, "my_kernel", 1000, 50, 1, RECORDED(0, "allreduce", 1)) "," KERNEL(
                            0, "my_kernel", 1100, 100, 2,
                            RECORDED(0, "allreduce", 2)) "," KERNEL(0, "my_kernel", 1300, 30, 3,
                                                                    RECORDED(0, "allreduce", 3))));
    file_write(paths[1],
               TRACE(1, KERNEL(1, "my_kernel", 1160, 40, 2, RECORDED(1, "allreduce", 2)) "," KERNEL(
                            1, "my_kernel", 1300, 70, 3, RECORDED(1, "allreduce", 3))));
    struct load_request request = {.path = paths[0], .paths = list, .path_count = 2};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    assert_int_equal(profile->functions[AT(profile->work.function, 0)].class, CLASS_COMM);
    uint32_t recorded = AT(profile->work.collective, 0);
    assert_string_equal(profile_text(profile, profile->told_collectives.communicator[recorded]),
                        "18446744073709551615");
    assert_int_equal(profile->told_collectives.elements_in[recorded], 1024);
    const struct distributed *distributed = distributed_of(profile, &selection, arena);
    assert_int_equal(distributed->call_count, 5);
    assert_int_equal(distributed->calls[0].bytes, 2048);
    assert_false(distributed->calls[0].is_paired);
    assert_true(distributed->calls[1].is_paired);
    assert_int_equal(distributed->parts_of[0][0].transfer_ns, (40 + 30) * US);
    assert_int_equal(distributed->parts_of[1][0].transfer_ns, (40 + 30) * US);
    assert_int_equal(distributed->parts_of[1][0].synchronizing_ns, 40 * US);
    arena_free(arena);
    profile_free(profile);
}

#define OP(rank, start, length, recorded)                                                     \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"record_param_comms\", \"pid\": 9" #rank \
    ", \"tid\": 1, \"ts\": " #start ", \"dur\": " #length ", \"args\": {" recorded "}}"

// Checks for traces written here whether some collective of each rank is paired, and the transfer
// time in it.
static void check_pairs(const char *const *texts, int ranks, const bool *is_paired,
                        const int64_t *transfer_us)
{
    char paths[4][PATH];
    const char *list[4];
    struct job job = {.arena = arena_new(0)};
    for (int i = 0; i < ranks; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/pairs_rank%d.json", build_path(""), i);
        file_write(paths[i], texts[i]);
        list[i] = paths[i];
    }
    struct load_request request = {.path = list[0], .paths = list, .path_count = (unsigned)ranks};
    struct error error = {0};
    job.profile = profile_load(&request, &error);
    if (!job.profile)
        fail_msg("%s", error.message);
    job.selection = selection_all(split_find(job.profile, job.arena));
    const struct distributed *distributed = distributed_of(job.profile, &job.selection, job.arena);
    assert_int_equal(distributed->steps->count, ranks);
    for (int i = 0; i < ranks; i++) {
        assert_int_equal(distributed->parts_of[i][0].is_paired, is_paired[i]);
        if (is_paired[i])
            assert_int_equal(distributed->parts_of[i][0].transfer_ns, transfer_us[i] * US);
    }
    job_close(&job);
}

// Sends and receives are numbered separately, and are not paired with a collective of the same
// number.
static void test_sends(void **state)
{
    (void)state;
    check_pairs(
        (const char *[]){
            TRACE(0, KERNEL(0, "k", 1000, 50, 1, RECORDED(0, "send", 1)) "," KERNEL(
                         0, "k", 1500, 300, 2, RECORDED(0, "allreduce", 1))),
            TRACE(1, KERNEL(1, "k", 1000, 200, 1, RECORDED(1, "allreduce", 1)) "," KERNEL(
                         1, "k", 1500, 50, 2, RECORDED(1, "recv", 1)))},
        2, (bool[]){true, true}, (int64_t[]){200, 200});
    check_pairs((const char *[]){TRACE(0, KERNEL(0, "k", 1000, 50, 1, RECORDED(0, "send", 1))),
                                 TRACE(1, KERNEL(1, "k", 1000, 20, 1, RECORDED(1, "send", 1)))},
                2, (bool[]){false, false}, NULL);
}

// If one rank's op is missing from its trace, kernels are still paired with kernels.
static void test_ops_and_kernels(void **state)
{
    (void)state;
    check_pairs(
        (const char *[]){TRACE(0, KERNEL(0, "k", 1100, 300, 1, RECORDED(0, "allreduce", 1))),
                         TRACE(1, OP(1, 1080, 10, RECORDED(1, "allreduce", 1)) "," KERNEL(
                                      1, "k", 1100, 200, 1, RECORDED(1, "allreduce", 1)))},
        2, (bool[]){true, true}, (int64_t[]){200, 200});
}

// Two pairs of ranks whose groups have the same name: they cannot be distinguished, so none is
// paired.
#define NAMELESS                                                                       \
    "\"Collective name\": \"allreduce\", \"dtype\": \"BFloat16\", \"Group size\": 2, " \
    "\"Process Group Name\": \"1\", \"Seq\": 1"

static void test_groups_of_one_name(void **state)
{
    (void)state;
    check_pairs((const char *[]){TRACE(0, KERNEL(0, "k", 1100, 100, 1, NAMELESS)),
                                 TRACE(1, KERNEL(1, "k", 1100, 100, 1, NAMELESS)),
                                 TRACE(2, KERNEL(2, "k", 1100, 800, 1, NAMELESS)),
                                 TRACE(3, KERNEL(3, "k", 1100, 800, 1, NAMELESS))},
                4, (bool[]){false, false, false, false}, NULL);
    check_pairs((const char *[]){TRACE(0, KERNEL(0, "k", 1100, 100, 1, NAMELESS)),
                                 TRACE(1, KERNEL(1, "k", 1100, 110, 1, NAMELESS))},
                2, (bool[]){true, true}, (int64_t[]){100, 100});
}

// Sizes are taken from the shapes of the inputs, for annotations as for ops.
static void test_annotations(void **state)
{
    (void)state;
    static const char *const kinds[] = {"user_annotation", "cpu_op"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *path = build_path("/annotated.json");
        struct arena *arena = arena_new(0);
        file_write(path,
                   arena_format(
                       arena,
                       "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", "
                       "\"pid\": 90, \"tid\": 1, \"ts\": 1, \"dur\": 99}, {\"ph\": \"X\", \"cat\": "
                       "\"%s\", \"name\": \"nccl:all_reduce\", \"pid\": 90, \"tid\": 1, \"ts\": 9, "
                       "\"dur\": 9, \"args\": {\"Input Dims\": [[30, 10], [7]], \"Input type\": "
                       "[\"float\", \"c10::BFloat16\"]}}]}",
                       kinds[i]));
        struct load_request request = {.path = path};
        struct error error = {0};
        struct profile *profile = profile_load(&request, &error);
        if (!profile)
            fail_msg("%s", error.message);
        struct selection selection = selection_all(split_find(profile, arena));
        const struct distributed *distributed = distributed_of(profile, &selection, arena);
        assert_int_equal(distributed->call_count, 1);
        assert_int_equal(distributed->calls[0].bytes, 300 * 4 + 7 * 2);
        profile_free(profile);
        arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plugin),
        cmocka_unit_test(test_recorded_collectives),
        cmocka_unit_test(test_sends),
        cmocka_unit_test(test_ops_and_kernels),
        cmocka_unit_test(test_groups_of_one_name),
        cmocka_unit_test(test_annotations),
    };
    return cmocka_run_group_tests_name("kineto_distributed", tests, NULL, NULL);
}
