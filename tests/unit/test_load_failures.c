// SPDX-License-Identifier: Apache-2.0
// Fails each read of the file in turn until none fails any more. Each load must fail with an error
// that names the file, or mark its result as incomplete. The same with a user who cancels, or a
// file that changes, at each of these reads, and with a file cut before each page. The sanitizers
// check for leaks.
#include "model/open/open.h"
#include "property.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "failing_disk.h"
#include "file_text.h"
#include "model/steps/split.h"
#include "nsys_fixture.h"
#include "paths.h"
#include "profile_rows.h"

static const char *whole_file(void)
{
    disk.fail_read = disk.fail_open = 0;
    return nsys_file(profile_rows_sql());
}

enum { MAX_BYTES = 1 << 20 };
static char bytes[MAX_BYTES]; // content of that file
static size_t byte_count;

static void read_whole_file(void)
{
    FILE *file = fopen(whole_file(), "rb");
    assert_non_null(file);
    byte_count = fread(bytes, 1, MAX_BYTES, file);
    fclose(file);
    assert_in_range(byte_count, 10000, MAX_BYTES - 1);
}

// ---- all reports of a profile as text ----------------------------------------------------------

static char *text_of_reports(struct profile *profile)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct arena *arena = arena_new(0);
    assert_non_null(file);
    assert_non_null(arena);
    struct selection selection = selection_all(split_find(profile, arena));
    for (size_t i = 0; i < report_count; i++) {
        struct rows built;
        struct error error = {0};
        if (!report_build(reports[i], profile, &selection, arena, &built, &error))
            fail_msg("%s", error.message);
        struct export_table table = {
            .report = reports[i], .rows = built, .profile = profile, .selection = &selection};
        assert_true(export_format_find("csv")->write(&table, file, arena));
    }
    arena_free(arena);
    fclose(file);
    return text;
}

static struct profile *load(const char *path, struct load_progress *progress, struct error *error)
{
    struct load_request request = {.path = path, .threads = 1, .progress = progress};
    *error = (struct error){0};
    disk.reads = disk.opens = 0;
    return profile_load(&request, error);
}

// Memory of a failed load belongs to the holder of its published stages.
static void stage_free(struct load_progress *progress)
{
    profile_free(atomic_load(&progress->stage));
}

static bool is_marked_incomplete(const struct profile *profile)
{
    return profile_find_note(profile, "table_damaged") ||
           profile_find_note(profile, "file_damaged");
}

// Fails each read or open in turn; returns how many of them made the load fail.
static int fail_in_turn(int *at, bool may_be_damaged)
{
    const char *path = whole_file();
    struct error error;
    struct load_progress none = {.wake_fd = -1};
    struct profile *profile = load(path, &none, &error);
    assert_non_null(profile);
    char *whole = text_of_reports(profile);
    profile_free(profile);
    int failed = 0, last = at == &disk.fail_read ? disk.reads : disk.opens;
    assert_true(last > 0);
    for (*at = 1; *at <= last; ++*at) {
        struct load_progress progress = {.wake_fd = -1};
        profile = load(path, &progress, &error);
        if (!profile) {
            failed++;
            assert_true(error.kind == ERROR_IO || (may_be_damaged && error.kind == ERROR_DATA));
            if (!strstr(error.message, path))
                fail_msg("read %d: no file in the message: %s", *at, error.message);
            stage_free(&progress);
            continue;
        }
        char *text = text_of_reports(profile);
        if (strcmp(text, whole) != 0 && !(may_be_damaged && is_marked_incomplete(profile)))
            fail_msg("%d of %d: what was not read is not missed", *at, last);
        free(text);
        profile_free(profile);
    }
    *at = 0;
    free(whole);
    return failed;
}

// ---- tests -------------------------------------------------------------------------------------

static void test_one_read_fails(void **state)
{
    (void)state;
    assert_true(fail_in_turn(&disk.fail_read, false) > 40);
}

static void test_all_reads_fail_from_one_on(void **state)
{
    (void)state;
    disk.stays = true;
    assert_true(fail_in_turn(&disk.fail_read, false) > 40);
    disk.stays = false;
}

// A page of zeros is damage: the readable part is shown.
static void test_one_read_is_short(void **state)
{
    (void)state;
    disk.is_short = true;
    fail_in_turn(&disk.fail_read, true);
    disk.is_short = false;
}

static void test_opening_fails(void **state)
{
    (void)state;
    // Twice to detect the format, once for the schema, once for the tables.
    assert_int_equal(fail_in_turn(&disk.fail_open, false), 4);
}

// If the file cannot be opened, its format is unknown: it is not reported as a file of another
// program.
static void test_opening_of_nvprof_fails(void **state)
{
    (void)state;
    char *tables = file_read(source_path("/tests/golden/nvprof/tables.sql"));
    char *rows = file_read(source_path("/tests/golden/nvprof/profile.sql"));
    char *sql = malloc(strlen(tables) + strlen(rows) + 1);
    assert_non_null(sql);
    const char *path = nsys_file(strcat(strcpy(sql, tables), rows));
    free(tables);
    free(rows);
    free(sql);
    struct error error;
    struct load_progress none = {.wake_fd = -1};
    profile_free(load(path, &none, &error));
    int last = disk.opens;
    assert_true(last > 2);
    for (disk.fail_open = 1; disk.fail_open <= last; disk.fail_open++) {
        struct load_progress progress = {.wake_fd = -1};
        assert_null(load(path, &progress, &error));
        assert_int_equal(error.kind, ERROR_IO);
        assert_non_null(strstr(error.message, path));
        stage_free(&progress);
    }
    disk.fail_open = 0;
}

static void cancel(void *context)
{
    atomic_store(&((struct load_progress *)context)->cancel, true);
}

static void test_cancelled_at_each_read(void **state)
{
    (void)state;
    const char *path = whole_file();
    struct error error;
    struct load_progress none = {.wake_fd = -1};
    profile_free(load(path, &none, &error));
    int last = disk.reads, stages = 0;
    for (disk.fail_read = 1; disk.fail_read <= last; disk.fail_read++) {
        struct load_progress progress = {.wake_fd = -1};
        disk.instead = cancel;
        disk.context = &progress;
        assert_null(load(path, &progress, &error));
        assert_int_equal(error.kind, ERROR_CANCELLED);
        stages |= 1 << (atomic_load(&progress.stage) ? atomic_load(&progress.stage)->stage : 0);
        stage_free(&progress);
    }
    disk.fail_read = 0;
    disk.instead = NULL;
    assert_true(stages & 1 << STAGE_CALLS); // some loads got this far
}

// ---- the file is cut ---------------------------------------------------------------------------

// The header contains the number of pages only if `has_page_count`.
static void cut_before_each_page(bool has_page_count)
{
    enum { PAGE = 4096, VALID_FOR = 92 };
    struct error error;
    struct load_progress none = {.wake_fd = -1};
    read_whole_file();
    if (!has_page_count)
        memset(bytes + VALID_FOR, 0, 4);
    struct profile *profile = load(nsys_bytes(bytes, byte_count), &none, &error);
    char *whole = text_of_reports(profile);
    profile_free(profile);
    int shown = 0;
    for (size_t size = PAGE; size < byte_count; size += PAGE) {
        struct load_progress progress = {.wake_fd = -1};
        const char *path = nsys_bytes(bytes, size);
        profile = load(path, &progress, &error);
        if (!profile) {
            assert_int_equal(error.kind, ERROR_DATA);
            if (!strstr(error.message, path) ||
                (has_page_count && !strstr(error.message, "cut short")))
                fail_msg("cut at %zu: %s", size, error.message);
            stage_free(&progress);
            continue;
        }
        shown++;
        char *text = text_of_reports(profile);
        if (strcmp(text, whole) == 0 || !is_marked_incomplete(profile))
            fail_msg("cut at %zu: what was not read is not missed", size);
        free(text);
        profile_free(profile);
    }
    assert_int_equal(shown > 0, !has_page_count);
    free(whole);
}

static void test_cut_before_each_page(void **state)
{
    (void)state;
    cut_before_each_page(true);
    cut_before_each_page(false);
}

// ---- the file changes --------------------------------------------------------------------------

static const char *changed; // path of the file

static void write_at(off_t place, const void *from, size_t count)
{
    int file = open(changed, O_WRONLY);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, from, count, place), count);
    close(file);
}

static void grow(void *context)
{
    (void)context;
    write_at((off_t)byte_count, bytes, 100);
}

static void shorten(void *context)
{
    (void)context;
    assert_int_equal(truncate(changed, (off_t)byte_count / 2), 0);
}

static void overwrite(void *context)
{
    (void)context;
    write_at((off_t)byte_count / 2, bytes, byte_count / 4);
}

static void replace(void *context)
{
    (void)context;
    char other[200];
    snprintf(other, sizeof other, "%s.new", changed);
    FILE *file = fopen(other, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, byte_count, file);
    fclose(file);
    assert_int_equal(rename(other, changed), 0);
}

static void delete (void *context)
{
    (void)context;
    unlink(changed);
}

// Restores the file with an old modification time, so that a change within the same clock tick of
// the file system is noticed.
static const char *restored_file(void)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = 1700000000}};
    const char *path = nsys_bytes(bytes, byte_count);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    return path;
}

// The probe of nvprof also opens the file. Changes during the probe happen before the load.
static int reads_of_probes(void)
{
    extern const struct loader nvprof_loader;
    const char *path = restored_file();
    disk.reads = 0;
    struct error error = {0};
    assert_int_equal(nvprof_loader.probe(path, (const unsigned char *)bytes, byte_count, &error),
                     0);
    return disk.reads;
}

static void test_changed_at_each_read(void **state)
{
    (void)state;
    static const struct change {
        void (*make)(void *context);
        const char *says;
    } changes[] = {{grow, "it grew"},
                   {shorten, "it became shorter"},
                   {overwrite, "it was written to"},
                   {replace, "another file has its name"},
                   {delete, "it is not there any more"}};
    struct error error;
    struct load_progress none = {.wake_fd = -1};
    read_whole_file();
    profile_free(load(restored_file(), &none, &error));
    int last = disk.reads;
    assert_true(last > 40);
    int before = reads_of_probes();
    assert_in_range(before, 1, 9);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        disk.instead = changes[i].make;
        for (disk.fail_read = before + 1; disk.fail_read <= last; disk.fail_read++) {
            struct load_progress progress = {.wake_fd = -1};
            changed = restored_file();
            struct profile *profile = load(changed, &progress, &error);
            assert_null(profile);
            assert_int_equal(error.kind, ERROR_IO);
            if (!strstr(error.message, changed) || !strstr(error.message, changes[i].says))
                fail_msg("read %d, not %s: %s", disk.fail_read, changes[i].says, error.message);
            stage_free(&progress);
        }
    }
    disk.fail_read = 0;
    disk.instead = NULL;
}

static int set_up(void **state)
{
    (void)state;
    assert_true(failing_disk_install());
    return 0;
}

static int tear_down(void **state)
{
    failing_disk_remove();
    return nsys_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_read_fails),
        cmocka_unit_test(test_all_reads_fail_from_one_on),
        cmocka_unit_test(test_one_read_is_short),
        cmocka_unit_test(test_opening_fails),
        cmocka_unit_test(test_opening_of_nvprof_fails),
        cmocka_unit_test(test_cancelled_at_each_read),
        cmocka_unit_test(test_cut_before_each_page),
        cmocka_unit_test(test_changed_at_each_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
