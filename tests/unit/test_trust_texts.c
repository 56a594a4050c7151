// SPDX-License-Identifier: Apache-2.0
// What the trust report says: "all" only of work that needs nothing more, rows and notes with the
// same number, launches that nvprof gives only numbers, and why a run is not cut into steps. Each
// with its healthy twin; profiles of the corpus are read where they lie.
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/reports/report_list.h"
#include "analysis/trust/trust.h"
#include "model/derive/derive.h"
#include "model/open/open.h"
#include "model/profile/copy_kinds.h"
#include "paths.h"
#include "profile_builder.h"

static const char *check_text(const struct profile *profile, const char *name)
{
    struct arena *arena = profile->arena;
    struct selection all = selection_all(split_find(profile, arena));
    const struct trust_checks *checks = trust_checks_of(profile, &all, arena);
    for (size_t i = 0; i < checks->count; i++)
        if (strcmp(checks->items[i].name, name) == 0)
            return checks->items[i].text;
    fail_msg("no check %s", name);
    return "";
}

// Returns the value of the row of the trust report with a fact.
static int64_t row_value(const struct profile *profile, const char *fact)
{
    const struct report *trust = report_find("trust");
    struct selection all = selection_all(split_find(profile, profile->arena));
    struct rows rows = trust->build(profile, &all, profile->arena);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = (const char *)rows.items + i * trust->row_size;
        if (strcmp(trust->columns[1].get(row).text, fact) == 0)
            return trust->columns[2].get(row).integer;
    }
    fail_msg("no row \"%s\"", fact);
    return 0;
}

static struct profile *corpus_profile(const char *name)
{
    const char *corpus = getenv("DLPROF_CORPUS");
    char path[4000];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", corpus ? corpus : source_path("/../shared/corpus"), name);
    if (stat(path, &status) != 0) {
        print_message("# skipped: no %s\n", path);
        skip();
    }
    struct error error = {0};
    struct profile *profile = profile_load(&(struct load_request){.path = path}, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

// ---- work without a launch ----------------------------------------------------------------------

// The check "work" of a launched kernel and of a copy of this kind without a call; -1: no copy.
static void check_copy(int kind, const char *text)
{
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    builder_launch(builder, thread, 10, "k");
    if (kind >= 0)
        builder_copy_kind(builder, builder_copy(builder, ROW_NONE, 0, 7, 100, 110, 64), kind, -1,
                          -1);
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_non_null(strstr(check_text(profile, "work"), text));
    builder_free(builder);
}

static void test_migrations(void **state)
{
    (void)state;
    check_copy(-1, "all of it has its launch");
    check_copy(COPY_UNIFIED_HTOD, "all has its launch but 1 migration of unified memory");
    check_copy(COPY_HTOD, "no API call in the file for 1 of 2 rows of GPU work");
    struct profile *profile = corpus_profile("nsys/espvt_pytorch_uvm_2023.4.4/profile.sqlite");
    assert_string_equal(
        check_text(profile, "work"),
        "all has its launch but 59,918 migrations of unified memory, which need none");
    profile_free(profile);
}

// ---- launches whose name is a number ------------------------------------------------------------

static void test_launch_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t launches;
    } cases[] = {{"cudaLaunchKernel", 1},
                 {"cudaDriver 211", 1},
                 {"cuLaunchGridAsync", 1},
                 {"cudaGraphLaunch", 0}}; // counted as the graph's
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile_builder *builder = builder_new();
        uint32_t thread = builder_thread(builder, 1, 1);
        uint32_t call = builder_call(builder, thread, 10, 15, cases[i].name);
        builder_kernel(builder, call, 0, 7, 20, 30, "k");
        builder_call(builder, thread, 40, 45, "cudaDriver 211"); // what it does is not known
        struct profile *profile = builder_build(builder, MODE_AUTO);
        profile_count_lost_work(profile);
        assert_int_equal(profile->processes[0].launches, cases[i].launches);
        assert_int_equal(profile->processes[0].lost, 0);
        builder_free(builder);
    }
    struct profile *profile = corpus_profile("pyprof/gen_lenet_nvprof_schema/input.sqlite");
    assert_string_equal(check_text(profile, "launches"), "all 91 have their GPU work");
    profile_free(profile);
}

// ---- work outside every range -------------------------------------------------------------------

#define OUTSIDE "GPU work launched outside its thread's ranges"

static void test_outside(void **state)
{
    (void)state;
    for (int outside = 0; outside < 2; outside++) {
        struct profile_builder *builder = builder_new();
        uint32_t main = builder_thread(builder, 1, 1), other = builder_thread(builder, 1, 2);
        builder_range(builder, main, 0, 1000, "backward");
        builder_launch(builder, outside ? other : main, 500, "k");
        struct profile *profile = builder_build(builder, MODE_AUTO);
        assert_int_equal(HAS(profile->work.flags) && AT(profile->work.flags, 0) & WORK_ADOPTED,
                         outside);
        assert_int_equal(row_value(profile, OUTSIDE), outside);
        builder_free(builder);
    }
    struct profile *profile = corpus_profile("kineto/gt_resnet50_ddp");
    assert_int_equal(row_value(profile, OUTSIDE),
                     profile_find_note(profile, "work_outside_ranges")->count);
    assert_int_equal(row_value(profile, OUTSIDE), 2408);
    profile_free(profile);
}

// ---- no steps -----------------------------------------------------------------------------------

// Five numbered ranges that launch 20 of 60 kernels; none without `text`.
static void check_marks(const char *text, const char *said, const char *check)
{
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 60; i++)
        builder_launch(builder, thread, 1000 * i + 10, "k");
    for (int i = 0; i < 5 && text; i++) {
        char title[40];
        snprintf(title, sizeof title, text, i + 1);
        builder_range(builder, thread, 4000 * i, 4000 * i + 4000, title);
    }
    struct profile *profile = builder_build(builder, MODE_AUTO);
    assert_string_equal(split_find(profile, profile->arena)->text, said);
    assert_string_equal(check_text(profile, "steps"), check);
    builder_free(builder);
}

static void test_no_steps(void **state)
{
    (void)state;
    check_marks(NULL, "1 iteration: nothing marks steps", "nothing marks any");
    check_marks("piece", "1 iteration: nothing marks steps", "nothing marks any");
    check_marks("Warm-up Turn %d", "1 iteration: no marks are likely steps",
                "no marks are likely ones");
    struct profile *profile = corpus_profile("nsys/jsun012_cs336_2025.1.3/profile.sqlite");
    assert_string_equal(check_text(profile, "steps"), "no marks are likely ones");
    profile_free(profile);
}

// Without GPU work ranges that count up are steps if they last nearly all of the marked time.
static void test_host_steps(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t length; // of 1000
        uint32_t count;
    } cases[] = {{"Forward %d", 900, 5}, {"Forward %d", 700, 1}, {"Forward", 900, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct profile_builder *builder = builder_new();
        uint32_t thread = builder_thread(builder, 1, 1);
        for (int i = 0; i < 5; i++) {
            char title[40];
            snprintf(title, sizeof title, cases[c].text, i);
            builder_range(builder, thread, 1000 * i, 1000 * i + cases[c].length, title);
            builder_range(builder, thread, 1000 * i + 950, 1000 * i + 1000, "rest");
        }
        struct profile *profile = builder_build(builder, MODE_AUTO);
        assert_int_equal(split_find(profile, profile->arena)->count, cases[c].count);
        builder_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_migrations), cmocka_unit_test(test_launch_names),
        cmocka_unit_test(test_outside),    cmocka_unit_test(test_no_steps),
        cmocka_unit_test(test_host_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
