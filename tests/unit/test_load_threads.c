// SPDX-License-Identifier: Apache-2.0
// A profile of many slices must load identically with any number of threads and for any row ids.
#include "property.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "model/open/open.h"
#include "model/ops/ops.h"
#include "nsys_fixture.h"

enum { ROWS = 150000 }; // several slices of each table

// Texts, threads, processes and functions first appear in different slices, and rows are not
// sorted.
static const char many_rows[] =
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, address, bytes,"
    " memKind, memoryOperationType, name TEXT, correlationId);"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149999)"
    " INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS SELECT i * 10 + 30 - (i % 60),"
    " pid(1 + i / 60000), i % 2, 4096 * (1 + i % 977), i % 5003 - 3, 2,"
    " i % 2, CASE WHEN i % 30000 = 0 THEN 'variable ' || i END, i + 1 FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149999)"
    " INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10 + (i * 7919 % 40), i * 10 + 60,"
    " tid(1 + i / 60000, 1 + i % 3), i + 1, 1 + 3 * (i % 2) FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149999)"
    " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10 + 100, i * 10 + 112, i % 2, 1, 7 + i % "
    "5,"
    " i + 1, pid(1 + i / 60000), 2 + 5 * (i % 40000 = 39999),"
    " 3 + 5 * (i % 40000 = 39999), 32, i / 50000, 1, 1, 128, 1, 1, 0, 0,"
    " CASE WHEN i % 50 = 49 THEN i END FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 149999)"
    " INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId)"
    " SELECT i * 10 - i % 7, CASE WHEN i % 1000 THEN i * 10 + 30 + i % 100 END,"
    " CASE i % 11 WHEN 0 THEN 34 WHEN 1 THEN 60 WHEN 2 THEN 75 ELSE 59 END,"
    " 'op' || (i / 300) || CASE WHEN i % 2 THEN ', seq = ' || i ELSE '' END ||"
    " CASE WHEN i > 90000 THEN ', sizes = [[' || (i / 5000) || ']]' ELSE '' END,"
    " tid(1 + i / 60000, 1 + i % 3),"
    " CASE WHEN i % 13 = 0 THEN 5 END, i % 4 FROM n;";

static struct profile *load(const char *path, unsigned threads)
{
    struct load_request request = {.path = path, .threads = threads};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

#define SAME(column, count)                                            \
    do {                                                               \
        assert_int_equal(HAS(a->column), HAS(b->column));              \
        for (uint32_t row = 0; HAS(a->column) && row < (count); row++) \
            assert_int_equal(AT(a->column, row), AT(b->column, row));  \
    } while (0)

#define SAME_ARRAY(items, count)                                                 \
    do {                                                                         \
        assert_int_equal(!a->items, !b->items);                                  \
        if (a->items)                                                            \
            assert_memory_equal(a->items, b->items, (count) * sizeof *a->items); \
    } while (0)

// Compares member by member, as padding is undefined.
static void assert_same_label(const struct range_label *a, const struct range_label *b)
{
    assert_int_equal(a->name, b->name);
    assert_int_equal(a->sizes, b->sizes);
    assert_int_equal(a->marker, b->marker);
    assert_int_equal(a->domain, b->domain);
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->style, b->style);
    assert_int_equal(a->ending, b->ending);
    assert_int_equal(a->said, b->said);
    assert_int_equal(a->has_seq, b->has_seq);
    assert_int_equal(a->has_op_id, b->has_op_id);
    assert_int_equal(a->chain, b->chain);
    assert_int_equal(a->module, b->module);
}

static void assert_same(const struct profile *a, const struct profile *b)
{
    assert_int_equal(strings_count(a->strings), strings_count(b->strings));
    for (string_id id = 1; id < strings_count(a->strings); id++)
        assert_string_equal(profile_text(a, id), profile_text(b, id));
    assert_int_equal(a->work.count, b->work.count);
    SAME(work.start, a->work.count);
    SAME(work.end, a->work.count);
    SAME(work.function, a->work.count);
    SAME(work.stream, a->work.count);
    SAME(work.launch, a->work.count);
    SAME(work.correlation, a->work.count);
    SAME(work.shape, a->work.count);
    SAME(work.graph_node, a->work.count);
    SAME(work.flags, a->work.count);
    SAME(work.exclusive, a->work.count);
    SAME(work.instance, a->work.count);
    SAME(work.node, a->work.count);
    SAME(work.forward_node, a->work.count);
    assert_int_equal(a->api.count, b->api.count);
    SAME(api.start, a->api.count);
    SAME(api.end, a->api.count);
    SAME(api.name, a->api.count);
    SAME(api.thread, a->api.count);
    SAME(api.correlation, a->api.count);
    SAME(api.range, a->api.count);
    SAME(api.instance, a->api.count);
    SAME(api.first_work, a->api.count + 1);
    SAME(api.work_rows, a->work.count);
    assert_int_equal(a->ranges.count, b->ranges.count);
    SAME(ranges.start, a->ranges.count);
    SAME(ranges.end, a->ranges.count);
    SAME(ranges.label, a->ranges.count);
    assert_int_equal(a->ranges.label_count, b->ranges.label_count);
    for (uint32_t i = 0; i < a->ranges.label_count; i++)
        assert_same_label(&a->ranges.labels[i], &b->ranges.labels[i]);
    SAME(ranges.seq, a->ranges.count);
    SAME(ranges.parent, a->ranges.count);
    SAME(ranges.instance, a->ranges.count);
    SAME(ranges.node, a->ranges.count);
    assert_int_equal(a->ops->instance_count, b->ops->instance_count);
    SAME(ops->op, a->ops->instance_count);
    SAME(ops->start, a->ops->instance_count);
    SAME(ops->end, a->ops->instance_count);
    SAME(ops->by_op, a->ops->instance_count);
    SAME(ops->first_api, a->ops->instance_count + 1);
    SAME(ops->api_rows, a->api.count);
    SAME(ops->first_work, a->ops->instance_count + 1);
    SAME(ops->work_rows, a->work.count);
    assert_int_equal(a->memory.count, b->memory.count);
    SAME(memory.start, a->memory.count);
    SAME_ARRAY(memory.bytes, a->memory.count);
    SAME_ARRAY(memory.device, a->memory.count);
    SAME_ARRAY(memory.api, a->memory.count);
    SAME_ARRAY(memory.name, a->memory.count);
    SAME_ARRAY(memory.ends, a->memory.count);
    SAME_ARRAY(memory.ended, a->memory.count);
    assert_int_equal(a->thread_count, b->thread_count);
    assert_int_equal(a->note_count, b->note_count);
    for (size_t i = 0; i < a->note_count; i++)
        assert_string_equal(a->notes[i].text, b->notes[i].text);
}

static const char *many_file(const char *more)
{
    char *sql = malloc(strlen(nsys_tables) + sizeof many_rows + strlen(more));
    assert_non_null(sql);
    strcpy(sql, nsys_tables);
    strcat(sql, many_rows);
    strcat(sql, more);
    const char *path = nsys_file(sql);
    free(sql);
    return path;
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    const char *path = many_file("");
    struct profile *one = load(path, 1), *eight = load(path, 8);
    assert_int_equal(one->work.count, ROWS);
    assert_int_equal(one->api.count, ROWS);
    assert_int_equal(one->memory.count, ROWS);
    assert_int_equal(one->process_count, 3);
    assert_int_equal(one->function_count, 2);
    for (uint32_t i = 1; i < one->ranges.count; i++)
        assert_true(range_thread(&one->ranges, i - 1) < range_thread(&one->ranges, i) ||
                    (range_thread(&one->ranges, i - 1) == range_thread(&one->ranges, i) &&
                     AT(one->ranges.start, i - 1) <= AT(one->ranges.start, i)));
    for (uint32_t i = 0; i < ROWS; i++) // the link, compared with the rows' own ids
        assert_int_equal(AT(one->api.correlation, AT(one->work.launch, i)),
                         AT(one->work.correlation, i));
    assert_same(one, eight);
    profile_free(one);
    profile_free(eight);
}

// Deleted rows leave gaps; with ids far apart, the range of ids does not show how many rows there
// are.
static void test_row_ids_do_not_matter(void **state)
{
    (void)state;
    struct profile *gaps = load(many_file("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL"
                                          " WHERE correlationId % 3 = 0;"
                                          "DELETE FROM NVTX_EVENTS WHERE start % 4 = 0;"),
                                8);
    struct profile *far = load(many_file("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL"
                                         " WHERE correlationId % 3 = 0;"
                                         "DELETE FROM NVTX_EVENTS WHERE start % 4 = 0;"
                                         "UPDATE CUPTI_ACTIVITY_KIND_KERNEL"
                                         " SET rowid = 9223372036854775807 WHERE rowid = 149999;"
                                         "UPDATE NVTX_EVENTS SET rowid = -9223372036854775808"
                                         " WHERE rowid = (SELECT min(rowid) FROM NVTX_EVENTS);"),
                               8);
    assert_int_equal(gaps->work.count, ROWS - ROWS / 3);
    assert_same(gaps, far);
    profile_free(gaps);
    profile_free(far);
}

struct canceller {
    struct load_progress progress;
    uint64_t after_rows;
};

static void *cancel_later(void *context)
{
    struct canceller *canceller = context;
    const struct timespec pause = {0, 100000};
    while (atomic_load(&canceller->progress.rows_done) < canceller->after_rows &&
           !atomic_load(&canceller->progress.stage))
        nanosleep(&pause, NULL);
    atomic_store(&canceller->progress.cancel, true);
    return NULL;
}

static void test_cancelled_while_loading(void **state)
{
    (void)state;
    const char *path = many_file("");
    for (uint64_t rows = 1; rows < 3 * ROWS; rows += ROWS / 2) {
        struct canceller canceller = {.progress = {.wake_fd = -1}, .after_rows = rows};
        struct load_request request = {.path = path, .progress = &canceller.progress};
        struct error error = {0};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, cancel_later, &canceller), 0);
        struct profile *profile = profile_load(&request, &error);
        pthread_join(thread, NULL);
        if (profile) { // the load finished first
            profile_free(profile);
            continue;
        }
        assert_int_equal(error.kind, ERROR_CANCELLED);
        profile_free(atomic_load(&canceller.progress.stage));
    }
}

struct reader {
    struct load_progress progress;
    atomic_bool is_over;
    uint64_t sum, stages;
};

// Reads what a screen would show, as soon as it is published.
static void read_stage(struct reader *reader, const struct profile *stage)
{
    for (uint32_t i = 0; i < stage->work.count; i += 50)
        reader->sum += (uint64_t)AT(stage->work.start, i) + (uint64_t)AT(stage->work.exclusive, i) +
                       AT(stage->work.flags, i) +
                       stage->functions[AT(stage->work.function, i)].family;
    for (uint32_t i = 0; stage->stage >= STAGE_CALLS && i < stage->api.count; i += 50)
        reader->sum += strings_length(stage->strings, AT(stage->api.name, i)) +
                       stage->threads[AT(stage->api.thread, i)].end_api;
    for (uint32_t i = 0; i < stage->process_count; i++)
        reader->sum += stage->processes[i].name;
    for (size_t i = 0; i < stage->note_count; i++)
        reader->sum += strlen(stage->notes[i].text);
    reader->sum += strings_find(stage->strings, "void gemm<float>(int)");
}

static void *read_stages(void *context)
{
    struct reader *reader = context;
    const struct profile *last = NULL;
    while (!atomic_load(&reader->is_over)) {
        const struct profile *stage = atomic_load(&reader->progress.stage);
        if (!stage)
            continue;
        reader->stages += stage != last;
        last = stage;
        read_stage(reader, stage);
    }
    return NULL;
}

static void test_stages_are_read_while_loading(void **state)
{
    (void)state;
    struct reader reader = {.progress = {.wake_fd = -1}};
    struct load_request request = {.path = many_file(""), .progress = &reader.progress};
    struct error error = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_stages, &reader), 0);
    struct profile *profile = profile_load(&request, &error);
    atomic_store(&reader.is_over, true);
    pthread_join(thread, NULL);
    assert_non_null(profile);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancelled_while_loading),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_row_ids_do_not_matter),
        cmocka_unit_test(test_stages_are_read_while_loading),
    };
    // Valgrind runs one thread at a time; test_load_failures checks for leaks of cancelled loads.
    if (getenv("DLPROF_ONE_THREAD"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
