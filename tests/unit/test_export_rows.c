// SPDX-License-Identifier: Apache-2.0
// Exports many rows and long ones: the bytes must not depend on the number of threads, and every
// failure must be reported.
#include "property.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/export.h"

enum { ROWS = 40000, LONG_BYTES = 700000 };

static char *long_text;

static int64_t stops_at = -1; // row that stops the export
static atomic_bool is_stopped;

static struct value get_number(const void *row)
{
    int64_t i = *(const int64_t *)row;
    if (i == stops_at)
        atomic_store(&is_stopped, true);
    return value_integer(i);
}

// Some texts are longer than the buffer of a batch, and some need quotes.
static struct value get_text(const void *row)
{
    static const char *const texts[] = {"plain", "a, b", "\"q\"", "line\nbreak", "\x1B[31m", ""};
    int64_t i = *(const int64_t *)row;
    return value_text(i % 9973 == 0 ? long_text : texts[i % 6]);
}

static struct value get_half(const void *row)
{
    int64_t i = *(const int64_t *)row;
    return i % 3 ? value_real((double)i / 2) : value_none();
}

// The first value of the file is empty and quoted.
static struct value get_mark(const void *row)
{
    static const char *const texts[] = {"", "\"\"x\"", "x"};
    int64_t i = *(const int64_t *)row;
    return i % 4 ? value_text(texts[i % 3]) : value_none();
}

static const struct column columns[] = {
    {"mark", "Mark", "mark", UNIT_TEXT, get_mark, "", COLUMN_QUOTED},
    {"i", "I", "i", UNIT_COUNT, get_number, "", COLUMN_NAME},
    {"text", "Text", "text", UNIT_TEXT, get_text, "", 0},
    {"half", "Half", "half", UNIT_REAL, get_half, "", 0},
};

static const struct report report = {
    .name = "rows", .row_size = sizeof(int64_t), .column_count = 4, .columns = columns};

static int64_t *items;

static struct export_table table_of(size_t rows, unsigned threads)
{
    return (struct export_table){
        .report = &report, .rows = {.items = items, .count = rows}, .threads = threads};
}

struct written {
    char *bytes;
    size_t size;
    bool is_done;
};

static struct written written(const char *format, size_t rows, unsigned threads)
{
    struct written written = {0};
    struct export_table table = table_of(rows, threads);
    struct arena *arena = arena_new(0);
    FILE *file = open_memstream(&written.bytes, &written.size);
    assert_non_null(file);
    written.is_done = export_format_find(format)->write(&table, file, arena);
    fclose(file);
    arena_free(arena);
    return written;
}

static void assert_alike(const struct written *a, const struct written *b)
{
    assert_true(a->is_done && b->is_done);
    assert_int_equal(a->size, b->size);
    assert_true(memcmp(a->bytes, b->bytes, a->size) == 0);
}

static void test_threads(void **state)
{
    (void)state;
    static const char *const formats[] = {"csv", "tsv", "json"};
    static const size_t counts[] = {0, 1, 512, 513, 4096, 4097, ROWS};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            struct written alone = written(formats[f], counts[c], 1);
            for (unsigned threads = 2; threads <= 20; threads += 3) {
                struct written shared = written(formats[f], counts[c], threads);
                assert_alike(&alone, &shared);
                free(shared.bytes);
            }
            free(alone.bytes);
        }
}

// Compares the rows with their expected text, built without the exporter.
static void test_rows(void **state)
{
    (void)state;
    struct written csv = written("csv", ROWS, 3);
    const char *at = csv.bytes;
    char row[80];
    static const char *const cells[] = {"plain",           "\"a, b\"", "\"\"\"q\"\"\"",
                                        "\"line\nbreak\"", "^[[31m",   ""};
    static const char *const marks[] = {"\"\"", "\"\"\"\"\"x\"\"\"", "\"x\""};
    assert_int_equal(strncmp(at, "Mark,I,Text,Half\n", 17), 0);
    at += 17;
    for (int i = 0; i < ROWS; i++) {
        const char *mark = i % 4 ? marks[i % 3] : "\"\"", *text = i % 9973 ? cells[i % 6] : "xx";
        size_t length = (size_t)snprintf(row, sizeof row, "%s,%d,%s", mark, i, text);
        assert_int_equal(strncmp(at, row, length), 0);
        at += i % 9973 == 0 ? length - 2 + LONG_BYTES : length;
        length = i % 3 ? (size_t)snprintf(row, sizeof row, ",%g\n", i / 2.)
                       : (size_t)snprintf(row, sizeof row, ",\n");
        assert_int_equal(strncmp(at, row, length), 0);
        at += length;
    }
    assert_int_equal(at - csv.bytes, csv.size);
    free(csv.bytes);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct export_table table = table_of(ROWS, threads);
        FILE *file = fopen("/dev/full", "w");
        assert_non_null(file);
        assert_false(export_format_find("csv")->write(&table, file, arena));
        fclose(file);
    }
    arena_free(arena);
}

struct body {
    struct export_table table;
    FILE *file;
    struct arena *arena;
};

static bool write_body(void *context, struct error *error)
{
    (void)error;
    struct body *body = context;
    return export_format_find("json")->write(&body->table, body->file, body->arena);
}

// An allocation may fail on any thread. There are three batches, and the last reuses the buffers of
// the first: more rows need no more memory.
static void test_memory_ends(void **state)
{
    enum { THREADS = 2, BATCH_ROWS = THREADS * 4 * 512 };
    (void)state;
    struct body body = {table_of(2 * BATCH_ROWS + 1000, THREADS), fopen("/dev/null", "w"), NULL};
    uint64_t n = 0;
    assert_non_null(body.file);
    for (bool is_done = false; !is_done; n++) {
        body.arena = arena_new(0);
        arena_fail_at(n + 1);
        is_done = arena_run(body.arena, write_body, &body, NULL);
        arena_fail_at(0);
        arena_free(body.arena);
        assert_true(n < 10000);
    }
    assert_true(n > 10);
    fclose(body.file);
}

// Buffers at their full size need no more allocations, and allocations are where other code notices
// the stop.
static void test_stop(void **state)
{
    (void)state;
    stops_at = 20000;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct body body = {table_of(ROWS, threads), tmpfile(), arena_new(0)};
        struct error error = {0};
        assert_non_null(body.file);
        atomic_store(&is_stopped, false);
        arena_set_stop_flag(body.arena, &is_stopped);
        assert_false(arena_run(body.arena, write_body, &body, &error));
        assert_true(ftell(body.file) > 0);
        arena_free(body.arena);
        fclose(body.file);
    }
    stops_at = -1;
}

static int setup(void **state)
{
    (void)state;
    items = malloc(ROWS * sizeof *items);
    long_text = malloc(LONG_BYTES + 1);
    if (!items || !long_text)
        return -1;
    for (int i = 0; i < ROWS; i++)
        items[i] = i;
    memset(long_text, 'x', LONG_BYTES);
    long_text[LONG_BYTES] = '\0';
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(items);
    free(long_text);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_rows),
        cmocka_unit_test(test_full_disk), cmocka_unit_test(test_memory_ends),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
