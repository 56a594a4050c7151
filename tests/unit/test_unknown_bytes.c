// SPDX-License-Identifier: Apache-2.0
// Checks that bytes of a copy that a file does not tell are unknown and in no figure, and that 0
// bytes that it tells are 0.
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/detect/detect_tools.h"
#include "analysis/reports/report_list.h"
#include "file_text.h"
#include "model/digest/digest.h"
#include "model/open/open.h"
#include "nsys_fixture.h"
#include "paths.h"
#include "trace_text.h"

#define COPIES_HTOD "[CUDA memcpy Host-to-Device]"

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(0);
    return arena == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

// ---- helpers -----------------------------------------------------------------------------------

// A copy of 10 us from the host, and a memset of 5 us; `bytes` is a member of the arguments, or "".
static void add_copy(struct trace_text *trace, int at, const char *bytes)
{
    trace_event(trace, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 7, at, 10,
                "\"device\": 0, \"stream\": 7%s", bytes);
}

static void add_set(struct trace_text *trace, int at, const char *bytes)
{
    trace_event(trace, "gpu_memset", "Memset (Device)", 7, at, 5, "\"device\": 0, \"stream\": 7%s",
                bytes);
}

static void add_kernel(struct trace_text *trace, int at)
{
    trace_event(trace, "kernel", "gemm", 7, at, 10, "\"device\": 0, \"stream\": 7");
}

static struct profile *open_paths(const char *const *paths, size_t count, unsigned part_of)
{
    struct load_request request = {
        .path = paths[0], .paths = paths, .path_count = count, .part_of = part_of, .threads = 1};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

// Returns a value of the row of a report whose first column is `name`; of the first row if NULL.
static struct value value_of(const struct profile *profile, const char *report_name,
                             const char *name, const char *key)
{
    const struct report *report = report_find(report_name);
    struct selection selection = selection_all(split_find(profile, arena));
    struct rows rows = report->build(profile, &selection, arena);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        if (!name || strcmp(report->columns[0].get(row).text, name) == 0)
            return report_column(report, key)->get(row);
    }
    fail_msg("%s: no row %s", report_name, name);
    return value_none();
}

static bool is_unknown(struct value value)
{
    return value.kind == VALUE_NONE || (value.kind == VALUE_INTEGER && value.integer == UNKNOWN);
}

static void assert_integer(struct value value, int64_t expected)
{
    assert_int_equal(value.kind, VALUE_INTEGER);
    assert_int_equal(value.integer, expected);
}

static void assert_real(struct value value, double expected)
{
    assert_int_equal(value.kind, VALUE_REAL);
    assert_true(value.real == expected);
}

// ---- reports -----------------------------------------------------------------------------------

static void check_mixed(const struct profile *profile)
{
    // Three copies of 10 us: 1,000 bytes, 3,000 bytes, not told.
    assert_integer(value_of(profile, "memory", COPIES_HTOD, "calls"), 3);
    assert_integer(value_of(profile, "memory", COPIES_HTOD, "gpu_total"), 30000);
    assert_integer(value_of(profile, "memory", COPIES_HTOD, "bytes"), 4000);
    assert_integer(value_of(profile, "memory", COPIES_HTOD, "bytes_min"), 1000);
    assert_real(value_of(profile, "memory", COPIES_HTOD, "bytes_avg"), 2000);
    assert_real(value_of(profile, "memory", COPIES_HTOD, "bytes_med"), 2000);
    assert_real(value_of(profile, "memory", COPIES_HTOD, "rate"), 2e8); // of 20 us
    assert_real(value_of(profile, "memory", COPIES_HTOD, "rate_min"), 1e8);
    static const char *const of_sets[] = {"bytes", "bytes_min", "bytes_avg", "rate", "rate_avg"};
    for (size_t i = 0; i < sizeof of_sets / sizeof *of_sets; i++)
        assert_true(is_unknown(value_of(profile, "memory", "[CUDA memset]", of_sets[i])));
    assert_integer(value_of(profile, "streams", NULL, "bytes"), 4000);
}

static void test_some_are_told(void **state)
{
    (void)state;
    struct trace_text trace = {0};
    add_copy(&trace, 0, ", \"bytes\": 1000");
    add_copy(&trace, 20, "");
    add_copy(&trace, 40, ", \"bytes\": 3000");
    add_set(&trace, 60, "");
    add_kernel(&trace, 80);
    struct profile *profile = trace_load(&trace, 1);
    check_mixed(profile);
    assert_int_equal(work_bytes(profile, 1), UNKNOWN);
    assert_int_equal(work_rate(profile, 1), UNKNOWN);
    assert_int_equal(work_bytes(profile, 4), 0); // a kernel has none
    profile_free(profile);
}

static void test_zero_is_told(void **state)
{
    (void)state;
    struct trace_text trace = {0};
    add_copy(&trace, 0, ", \"bytes\": 0");
    add_copy(&trace, 20, ", \"bytes\": 3000");
    struct profile *profile = trace_load(&trace, 1);
    assert_integer(value_of(profile, "memory", COPIES_HTOD, "bytes_min"), 0);
    assert_real(value_of(profile, "memory", COPIES_HTOD, "bytes_avg"), 1500);
    assert_real(value_of(profile, "memory", COPIES_HTOD, "rate"), 1.5e8);
    assert_integer(value_of(profile, "launches", NULL, "bytes"), 0);
    profile_free(profile);
}

static void test_none_is_told(void **state)
{
    (void)state;
    struct trace_text trace = {0};
    add_copy(&trace, 0, "");
    add_set(&trace, 20, "");
    struct profile *profile = trace_load(&trace, 1);
    assert_false(HAS(profile->work.bytes));
    assert_true(is_unknown(value_of(profile, "memory", COPIES_HTOD, "bytes")));
    assert_true(is_unknown(value_of(profile, "memory", COPIES_HTOD, "rate")));
    assert_true(is_unknown(value_of(profile, "streams", NULL, "bytes")));
    assert_true(is_unknown(value_of(profile, "launches", NULL, "bytes")));
    assert_true(is_unknown(value_of(profile, "launches", NULL, "rate")));
    profile_free(profile);
}

// ---- other formats, digests, several files -----------------------------------------------------

static void test_nsys(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start,end,deviceId,contextId,streamId,"
        " correlationId,globalPid,bytes,copyKind,srcKind,dstKind) VALUES"
        " (20,30,0,1,7,1,pid(1),0,1,1,2), (40,50,0,1,7,2,pid(1),NULL,1,1,2),"
        " (60,70,0,1,7,3,pid(1),-7,1,1,2);");
    assert_int_equal(work_bytes(profile, 0), 0);
    assert_int_equal(work_bytes(profile, 1), UNKNOWN);
    assert_int_equal(work_bytes(profile, 2), UNKNOWN);
    assert_integer(value_of(profile, "memory", COPIES_HTOD, "bytes"), 0);
    profile_free(profile);
}

struct encoding {
    const struct profile *part;
    struct bytes digest;
};

static bool encode(void *context, struct error *error)
{
    struct encoding *encoding = context;
    (void)error;
    digest_encode(encoding->part, 1, &encoding->digest, arena);
    return true;
}

static void test_digest(void **state)
{
    (void)state;
    struct trace_text trace = {0};
    char path[2][200];
    snprintf(path[0], sizeof path[0], "/tmp/dlprof_bytes_%d.json", (int)getpid());
    snprintf(path[1], sizeof path[1], "/tmp/dlprof_bytes_%d.dlp", (int)getpid());
    add_copy(&trace, 0, ", \"bytes\": 1000");
    add_copy(&trace, 20, "");
    add_copy(&trace, 40, ", \"bytes\": 3000");
    add_set(&trace, 60, "");
    trace_write(&trace, path[0]);
    const char *file = path[0];
    struct profile *part = open_paths(&file, 1, 1);
    struct encoding encoding = {.part = part};
    assert_true(arena_run(arena, encode, &encoding, NULL));
    FILE *out = fopen(path[1], "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(encoding.digest.items, 1, encoding.digest.count, out),
                     encoding.digest.count);
    assert_int_equal(fclose(out), 0);
    file = path[1];
    struct profile *profile = open_paths(&file, 1, 0);
    check_mixed(profile);
    profile_free(profile);
    profile_free(part);
    unlink(path[0]);
    unlink(path[1]);
}

static void test_files_together(void **state)
{
    (void)state;
    char path[2][200];
    const char *paths[2];
    for (int rank = 0; rank < 2; rank++) {
        struct trace_text trace = {.process = 7 + rank};
        trace_event(&trace, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 7, 10 + rank, 10,
                    "\"device\": %d, \"stream\": 7%s", rank, rank ? ", \"bytes\": 500" : "");
        trace_event(&trace, "kernel", "gemm", 7, 30 + rank, 10, "\"device\": %d, \"stream\": 7",
                    rank);
        snprintf(path[rank], sizeof path[rank], "/tmp/dlprof_bytes_%d_%d.json", (int)getpid(),
                 rank);
        trace_write(&trace, path[rank]);
        paths[rank] = path[rank];
    }
    struct profile *profile = open_paths(paths, 2, 0);
    assert_integer(value_of(profile, "memory", COPIES_HTOD, "calls"), 2);
    assert_integer(value_of(profile, "memory", COPIES_HTOD, "bytes_min"), 500);
    assert_real(value_of(profile, "memory", COPIES_HTOD, "bytes_avg"), 500);
    profile_free(profile);
    for (int rank = 0; rank < 2; rank++)
        unlink(path[rank]);
}

static void test_words(void **state)
{
    (void)state;
    assert_string_equal(detect_copied_text(12, 12, 3400000, arena), "12 copies, 3.40 MB in all");
    assert_string_equal(detect_copied_text(12, 5, 3400000, arena),
                        "12 copies, at least 3.40 MB in all");
    assert_string_equal(detect_copied_text(12, 0, 0, arena), "12 copies");
}

// ---- real traces -------------------------------------------------------------------------------

static void test_corpus(void **state)
{
    (void)state;
    char path[4000];
    const char *corpus = getenv("DLPROF_CORPUS"), *file = path;
    snprintf(path, sizeof path, "%s/kineto/mi300_resnet_ckpt/resnet_act_checkpoint.json.gz",
             corpus ? corpus : source_path("/../shared/corpus"));
    if (access(path, R_OK) != 0) {
        print_message("# skipped: %s is not here\n", path);
        skip();
    }
    struct profile *profile = open_paths(&file, 1, 0);
    static const char copies[] = "[CUDA memcpy Device-to-Device]";
    assert_integer(value_of(profile, "memory", "[CUDA memset]", "calls"), 108);
    assert_true(is_unknown(value_of(profile, "memory", "[CUDA memset]", "bytes")));
    assert_integer(value_of(profile, "memory", copies, "calls"), 550);
    assert_integer(value_of(profile, "memory", copies, "bytes"), 70195152);
    assert_integer(value_of(profile, "memory", copies, "bytes_min"), 8);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_some_are_told), cmocka_unit_test(test_zero_is_told),
        cmocka_unit_test(test_none_is_told),  cmocka_unit_test(test_nsys),
        cmocka_unit_test(test_digest),        cmocka_unit_test(test_files_together),
        cmocka_unit_test(test_words),         cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests_name("unknown_bytes", tests, set_up, tear_down);
}
