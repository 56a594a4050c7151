// SPDX-License-Identifier: Apache-2.0
// Saving fails: to a folder that cannot be written or vanishes, to a full disk, to a path that is
// no file. Each time the message must name the file, no temporary file may remain, and an existing
// file must be untouched.
#include "base/text/atomic_file.h"
#include "property.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "small_profile.h"

REPORT_DECLARE(detail);
REPORT_DECLARE(kernel);
REPORT_DECLARE(kernels);
REPORT_DECLARE(op_type);

static char folder[64], path[96];
static struct arena *arena;
static struct profile *profile;
static struct selection selection;
static struct error error;

// ---- folder ------------------------------------------------------------------------------------

static int count_files(void)
{
    DIR *listing = opendir(folder);
    int count = 0;
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));)
        count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

static void empty_folder(void)
{
    DIR *listing = opendir(folder);
    char name[400];
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        if (unlink(name) != 0)
            rmdir(name); // fails for . and ..
    }
    if (listing)
        closedir(listing);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_file(const char *text)
{
    char found[4096] = {0};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    assert_int_equal(size, strlen(text));
    assert_string_equal(found, text);
}

// ---- saving ------------------------------------------------------------------------------------

static bool saves_database; // otherwise rows

static bool save(bool force)
{
    struct export_table table = {
        .report = &report_kernels, .profile = profile, .selection = &selection};
    error = (struct error){0};
    if (saves_database)
        return export_dldb(path, force, profile, &selection, arena, &error);
    assert_true(report_build(&report_kernels, profile, &selection, arena, &table.rows, &error));
    assert_true(table.rows.count > 0);
    return export_file(path, force, &table, export_format_find("csv"), arena, &error);
}

static void assert_refused(bool force, const char *why)
{
    assert_false(save(force));
    assert_int_equal(error.kind, ERROR_IO);
    if (!strstr(error.message, path) || !strstr(error.message, why))
        fail_msg("%s: not %s", error.message, why);
}

// Limits the size of files, as a full disk does.
static void disk_limit(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_saved(void **state)
{
    (void)state;
    assert_true(save(false));
    assert_int_equal(count_files(), 1);
    assert_refused(false, "exists already");
    assert_true(save(true));
    assert_int_equal(count_files(), 1);
}

static void test_full_disk(void **state)
{
    (void)state;
    const int most = saves_database ? 100000 : 100; // slightly less than the whole file
    for (int bytes = 0; bytes <= most; bytes += most / 2) {
        disk_limit((rlim_t)bytes);
        assert_refused(false, strerror(EFBIG));
        disk_limit(RLIM_INFINITY);
        assert_int_equal(count_files(), 0);
    }
    write_file("mine");
    disk_limit(50);
    assert_refused(true, strerror(EFBIG));
    disk_limit(RLIM_INFINITY);
    assert_file("mine");
    assert_int_equal(count_files(), 1);
}

static void test_unwritable_folder(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    bool is_root = geteuid() == 0;
    write_file("mine");
    assert_int_equal(chmod(path, 0666), 0); // the folder decides, not the file
    assert_int_equal(chmod(folder, 0555), 0);
    if (is_root)
        assert_int_equal(seteuid(NOBODY), 0);
    bool was_refused = !save(true);
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_true(was_refused);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, strerror(EACCES)));
    assert_file("mine");
    assert_int_equal(count_files(), 1);
}

static void test_missing_folder(void **state)
{
    (void)state;
    assert_int_equal(rmdir(folder), 0);
    assert_refused(false, strerror(ENOENT));
    assert_refused(true, strerror(ENOENT));
    assert_int_equal(mkdir(folder, 0755), 0);
    char below[sizeof path];
    write_file("mine");
    strcpy(below, path);
    strcat(path, "/x"); // below a file
    assert_refused(true, strerror(ENOTDIR));
    strcpy(path, below);
    assert_file("mine");
}

// Only a regular file may be replaced: not a folder, nor, as root, a device.
static void test_not_a_file(void **state)
{
    (void)state;
    struct stat status;
    assert_int_equal(mkdir(path, 0755), 0);
    assert_refused(false, "exists already");
    assert_refused(true, "not a file");
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(true, "not a file");
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(count_files(), 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_refused(true, "not a file");
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

static bool remove_folder(void *context, FILE *file)
{
    (void)context;
    fputs("rows\n", file);
    empty_folder();
    return rmdir(folder) == 0;
}

static void test_vanishing_folder(void **state)
{
    (void)state;
    for (enum atomic_file_mode how = ATOMIC_FILE_NEW; how <= ATOMIC_FILE_PRIVATE; how++) {
        error = (struct error){0};
        assert_false(atomic_file_write(path, how, remove_folder, NULL, arena, &error));
        assert_int_equal(error.kind, ERROR_IO);
        assert_non_null(strstr(error.message, path));
        assert_non_null(strstr(error.message, strerror(ENOENT)));
        assert_int_equal(mkdir(folder, 0755), 0);
    }
}

static bool create_file_meanwhile(void *context, FILE *file)
{
    (void)context;
    fputs("rows\n", file);
    write_file("someone else's");
    return true;
}

static void test_file_appears(void **state)
{
    (void)state;
    assert_false(
        atomic_file_write(path, ATOMIC_FILE_NEW, create_file_meanwhile, NULL, arena, &error));
    assert_non_null(strstr(error.message, strerror(EEXIST)));
    assert_file("someone else's");
    assert_int_equal(count_files(), 1);
}

static bool fail_without_errno(void *context, FILE *file)
{
    (void)context;
    fputs("rows\n", file);
    errno = 0;
    return false;
}

static void test_memory_ends(void **state)
{
    (void)state;
    assert_false(atomic_file_write(path, ATOMIC_FILE_NEW, fail_without_errno, NULL, arena, &error));
    assert_non_null(strstr(error.message, "out of memory"));
    assert_int_equal(count_files(), 0);
}

// ---- DLProf's files ----------------------------------------------------------------------------

static bool save_model(const char *to)
{
    const struct export_dlprof_request request = {
        .folder = to, .base_name = "run", .has_model = true};
    return export_dlprof_files(&request, profile, &selection, arena, &error);
}

static bool save_all(const char *to, bool force)
{
    static const struct report *const all[] = {&report_detail, &report_kernel, &report_op_type};
    const struct export_format *csv = export_format_find("csv");
    struct export_dlprof_request request = {
        .folder = to,
        .base_name = "run",
        .reports = all,
        .report_count = sizeof all / sizeof *all,
        .formats = &csv,
        .format_count = 1,
        .has_model = true,
        .force = force,
    };
    error = (struct error){0};
    return export_dlprof_files(&request, profile, &selection, arena, &error);
}

static void test_files_on_a_full_disk(void **state)
{
    (void)state;
    assert_true(save_all(folder, false));
    assert_int_equal(count_files(), 4);
    empty_folder();
    disk_limit(20); // not even the first file
    bool is_saved = save_all(folder, false);
    disk_limit(RLIM_INFINITY);
    assert_false(is_saved);
    assert_int_equal(error.kind, ERROR_IO);
    assert_non_null(strstr(error.message, "run_detailed.csv"));
    assert_int_equal(count_files(), 0);
    disk_limit(400); // a part of its rows
    is_saved = save_model(folder);
    disk_limit(RLIM_INFINITY);
    assert_false(is_saved);
    assert_non_null(strstr(error.message, "run_model_data.json: writing failed"));
    assert_int_equal(count_files(), 0);
}

static void test_one_file_stops_all(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/run_op_type.csv", folder);
    write_file("mine");
    assert_false(save_all(folder, false));
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, "nothing was written"));
    assert_file("mine");
    assert_int_equal(count_files(), 1);
    empty_folder();
    snprintf(path, sizeof path, "%s/run_model_data.json", folder);
    write_file("mine");
    assert_false(save_all(folder, false));
    assert_file("mine");
    assert_int_equal(count_files(), 1);
    assert_false(save_all(path, false)); // a file where the folder should be
    assert_non_null(strstr(error.message, "it is a file"));
}

// ---- setup -------------------------------------------------------------------------------------

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(0);
    profile = small_profile(arena);
    selection = selection_all(small_split(profile, arena));
    error = (struct error){0};
    strcpy(folder, "/tmp/export-failures-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chmod(folder, 0755), 0);
    snprintf(path, sizeof path, "%s/rows.csv", folder);
    signal(SIGXFSZ, SIG_IGN); // makes writes beyond the limit fail instead of ending the process
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    empty_folder();
    rmdir(folder);
    arena_free(arena);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_saved),
        TEST(test_full_disk),
        TEST(test_unwritable_folder),
        TEST(test_missing_folder),
        TEST(test_not_a_file),
        TEST(test_vanishing_folder),
        TEST(test_file_appears),
        TEST(test_memory_ends),
        TEST(test_files_on_a_full_disk),
        TEST(test_one_file_stops_all),
    };
    const struct CMUnitTest of_databases[] = {
        TEST(test_saved),          TEST(test_full_disk),  TEST(test_unwritable_folder),
        TEST(test_missing_folder), TEST(test_not_a_file),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    saves_database = true;
    return failed + cmocka_run_group_tests_name("databases", of_databases, NULL, NULL);
}
