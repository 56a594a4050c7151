// SPDX-License-Identifier: Apache-2.0
// Compares kernel tables with the TensorBoard plugin's for each trace of the corpus, by name:
// calls, total, mean, longest and shortest time, blocks per multiprocessor, and occupancy weighted
// by time. Broken files of the corpus must open with the one event that each has. Skips with a
// message without the corpus.
#include "property.h"

#include <dirent.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_text.h"
#include "model/open/open.h"
#include "paths.h"

static const char *corpus(void)
{
    static char root[3000];
    const char *given = getenv("DLPROF_CORPUS");
    snprintf(root, sizeof root, "%s/kineto", given ? given : source_path("/../shared/corpus"));
    if (access(root, R_OK) != 0) {
        print_message("# skipped: no %s\n", root);
        skip();
    }
    return root;
}

static struct profile *load(const char *path)
{
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

// ---- kernel tables -----------------------------------------------------------------------------

static unsigned compared, differing;

enum { NAME, TENSOR_CORES, CALLS, TOTAL, MEAN, MOST, LEAST, BLOCKS, OCCUPANCY, FIELDS };

struct kernel_row {
    double calls, total, most, least, blocks, occupancy; // us; the last two weighted by time
};

static struct kernel_row row_of(const struct profile *profile, string_id name)
{
    struct kernel_row row = {.least = INFINITY};
    for (uint32_t work = 0; work < profile->work.count; work++) {
        const struct function *function = &profile->functions[AT(profile->work.function, work)];
        if (function->kind != WORK_KERNEL || function->full != name)
            continue;
        double us = (double)work_duration(profile, work) / 1000;
        const struct launch_shape *shape = work_launch_shape(profile, work);
        row.calls++;
        row.total += us;
        row.most = fmax(row.most, us);
        row.least = fmin(row.least, us);
        if (shape && shape->micro_blocks_per_sm > 0)
            row.blocks += (double)shape->micro_blocks_per_sm / 1e6 * us;
        if (shape && shape->micro_occupancy > 0)
            row.occupancy += (double)shape->micro_occupancy / 1e6 * us;
    }
    return row;
}

static void compare(const char *path, const char *name, const char *what, double ours,
                    const char *theirs)
{
    double expected = strtod(theirs, NULL);
    compared++;
    if (fabs(ours - expected) <= 1e-6 * fmax(1, fabs(expected)))
        return;
    differing++;
    print_message("# %s: %s of %.60s: %.9g and not %s\n", path, what, name, ours, theirs);
}

static void compare_table(const char *trace, const char *golden)
{
    if (access(golden, R_OK) != 0)
        return; // a trace without kernels has no such table
    struct profile *profile = load(trace);
    char *text = file_read(golden), *at = strchr(text, '\n');
    const char *field[FIELDS];
    double calls = 0, kernels = 0;
    while (at && at[1] && (at = csv_line(at + 1, field, FIELDS))) {
        string_id name = strings_find(profile->strings, field[NAME]);
        struct kernel_row row = row_of(profile, name);
        compare(golden, field[NAME], "calls", row.calls, field[CALLS]);
        compare(golden, field[NAME], "total", row.total, field[TOTAL]);
        compare(golden, field[NAME], "mean", row.total / row.calls, field[MEAN]);
        compare(golden, field[NAME], "max", row.most, field[MOST]);
        compare(golden, field[NAME], "min", row.least, field[LEAST]);
        compare(golden, field[NAME], "blocks per SM", row.total > 0 ? row.blocks / row.total : 0,
                field[BLOCKS]);
        compare(golden, field[NAME], "occupancy", row.total > 0 ? row.occupancy / row.total : 0,
                field[OCCUPANCY]);
        calls += row.calls;
        at--;
    }
    for (uint32_t work = 0; work < profile->work.count; work++)
        kernels += profile->functions[AT(profile->work.function, work)].kind == WORK_KERNEL;
    char number[40];
    snprintf(number, sizeof number, "%.0f", kernels);
    compare(golden, "all", "calls", calls, number);
    free(text);
    profile_free(profile);
}

// The table of a single trace is in golden/. If there are several traces, each has a folder named
// by its file name up to the first dot.
static void compare_case(const char *folder)
{
    static const char *const endings[] = {"json", "json.gz"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char pattern[3400], golden[4000];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/*.%s", folder, endings[i]);
        if (glob(pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t f = 0; f < found.gl_pathc; f++) {
            const char *base = strrchr(found.gl_pathv[f], '/') + 1;
            snprintf(golden, sizeof golden, "%s/golden/%.*s/kernels.csv", folder,
                     (int)strcspn(base, "."), base);
            if (found.gl_pathc == 1 && access(golden, R_OK) != 0)
                snprintf(golden, sizeof golden, "%s/golden/kernels.csv", folder);
            compare_table(found.gl_pathv[f], golden);
        }
        globfree(&found);
    }
}

static void compare_folders(const char *root)
{
    struct dirent **entries;
    int count = scandir(root, &entries, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char folder[3300];
        struct stat status;
        snprintf(folder, sizeof folder, "%s/%s", root, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && stat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
            strcmp(entries[i]->d_name, "bad_json") != 0)
            compare_case(folder);
        free(entries[i]);
    }
    free(entries);
}

static void test_kernel_tables(void **state)
{
    (void)state;
    char units[3300];
    const char *root = corpus();
    snprintf(units, sizeof units, "%s/unit", root);
    compare_folders(root);
    compare_folders(units);
    print_message("# %u values compared, %u differ\n", compared, differing);
    assert_int_equal(differing, 0);
    assert_true(compared > 1000);
}

// ---- broken files ------------------------------------------------------------------------------

static void test_broken_files(void **state)
{
    (void)state;
    char pattern[3300];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/bad_json/*.json", corpus());
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t f = 0; f < found.gl_pathc; f++) {
        struct profile *profile = load(found.gl_pathv[f]);
        assert_int_equal(profile->work.count, 1);
        assert_int_equal(work_duration(profile, 0), 2500);
        assert_string_equal(
            profile_text(profile, profile->functions[AT(profile->work.function, 0)].full), "k");
        bool is_cut =
            strstr(found.gl_pathv[f], "truncated") || strstr(found.gl_pathv[f], "unclosed");
        assert_int_equal(profile_find_note(profile, "file_cut") != NULL, is_cut);
        profile_free(profile);
    }
    assert_true(found.gl_pathc >= 14);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel_tables),
        cmocka_unit_test(test_broken_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
