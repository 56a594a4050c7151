// SPDX-License-Identifier: Apache-2.0
// Checks arenas: zeroed and separate pieces, bounds, nested runs, stopping, clean-ups, arrays,
// texts, and errors when memory runs out.
#include "property.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

static void test_memory_is_zeroed_and_separate(void **state)
{
    (void)state;
    struct random random = {1};
    struct arena *arena = arena_new(0);
    for (int round = 0; round < 3; round++) {
        unsigned char *taken[300];
        size_t sizes[300];
        for (unsigned i = 0; i < 300; i++) {
            sizes[i] = random_below(&random, i % 50 == 0 ? 200000 : 3000);
            taken[i] = arena_alloc(arena, sizes[i], 1);
            assert_int_equal((uintptr_t)taken[i] % _Alignof(max_align_t), 0);
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(taken[i][k], 0);
            memset(taken[i], (int)(i % 255 + 1), sizes[i]);
        }
        for (unsigned i = 0; i < 300; i++) {
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(taken[i][k], i % 255 + 1);
        }
        arena_reset(arena);
        assert_int_equal(arena_bytes(arena), 0);
    }
    arena_free(arena);
    arena_free(NULL);
}

struct request {
    struct arena *arena;
    size_t count, size;
};

static bool request_body(void *context, struct error *error)
{
    (void)error;
    struct request *request = context;
    return arena_alloc(request->arena, request->count, request->size) != NULL;
}

static void test_bound(void **state)
{
    (void)state;
    struct arena *arena = arena_new(10000);
    struct error error = {0};
    assert_true(arena_run(arena, request_body, &(struct request){arena, 5000, 1}, &error));
    assert_false(arena_run(arena, request_body, &(struct request){arena, 6000, 1}, &error));
    assert_int_equal(error.kind, ERROR_MEMORY);
    assert_true(arena_run(arena, request_body, &(struct request){arena, 4000, 1}, &error));
    arena_reset(arena);
    assert_true(arena_run(arena, request_body, &(struct request){arena, 9000, 1}, &error));
    arena_free(arena);
}

static void test_overflowing_product(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct error error = {0};
    size_t half = (size_t)1 << (sizeof half * 4);
    assert_false(arena_run(arena, request_body, &(struct request){arena, half, half}, &error));
    assert_int_equal(error.kind, ERROR_MEMORY);
    assert_false(arena_run(arena, request_body, &(struct request){arena, SIZE_MAX, 1}, &error));
    arena_free(arena);
}

static bool nested_body(void *context, struct error *error)
{
    struct arena *arena = context;
    assert_false(arena_run(arena, request_body, &(struct request){arena, SIZE_MAX, 1}, error));
    assert_int_equal(error->kind, ERROR_MEMORY);
    return arena_alloc(arena, 10, 10) != NULL; // the outer run continues
}

static void test_runs_nest(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct error error = {0};
    assert_true(arena_run(arena, nested_body, arena, &error));
    arena_free(arena);
}

struct stopping {
    struct arena *arena;
    atomic_bool stop;
    atomic_uint rounds;
};

static void *stop_later(void *context)
{
    struct stopping *stopping = context;
    while (atomic_load(&stopping->rounds) < 3)
        sched_yield();
    atomic_store(&stopping->stop, true);
    return NULL;
}

static bool endless_body(void *context, struct error *error)
{
    (void)error;
    struct stopping *stopping = context;
    while (arena_alloc(stopping->arena, 1, 1))
        atomic_fetch_add(&stopping->rounds, 1);
    return true;
}

static bool child_body(void *context, struct error *error)
{
    struct stopping *stopping = context;
    struct stopping own = {.arena = arena_child(stopping->arena)};
    assert_false(arena_run(own.arena, endless_body, &own, error));
    assert_int_equal(error->kind, ERROR_CANCELLED);
    arena_free(own.arena);
    return true;
}

// Another thread stops a run that would never end, including the work in its child arena.
static void test_stop(void **state)
{
    (void)state;
    struct stopping stopping = {.arena = arena_new(0)};
    struct error error = {0};
    pthread_t thread;
    arena_set_stop_flag(stopping.arena, &stopping.stop);
    assert_int_equal(pthread_create(&thread, NULL, stop_later, &stopping), 0);
    assert_false(arena_run(stopping.arena, endless_body, &stopping, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    pthread_join(thread, NULL);
    assert_true(arena_run(stopping.arena, child_body, &stopping, &error));
    arena_set_stop_flag(stopping.arena, NULL);
    assert_non_null(arena_alloc(stopping.arena, 1, 1));
    arena_free(stopping.arena);
}

struct counted {
    struct arena_cleanup held;
    unsigned *ends;
};

static void count_end(struct arena_cleanup *held)
{
    ++*((struct counted *)held)->ends;
}

// A registered clean-up runs once, when the arena is emptied or freed.
static void test_cleanups(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    unsigned ends[2] = {0};
    for (int i = 0; i < 2; i++) {
        struct counted *counted = ARENA_NEW(arena, struct counted);
        *counted = (struct counted){{.end = count_end}, &ends[i]};
        arena_add_cleanup(arena, &counted->held);
        assert_ptr_equal(arena_last_cleanup(arena), &counted->held);
        if (i == 0)
            arena_reset(arena);
        assert_int_equal(ends[0], 1);
    }
    assert_int_equal(ends[1], 0);
    arena_free(arena);
    assert_int_equal(ends[0], 1);
    assert_int_equal(ends[1], 1);
}

static void test_array_grows(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    uint32_t *items = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t i = 0; i < 100000; i++)
        ARENA_PUSH(arena, items, count, capacity) = i * 3;
    assert_int_equal(count, 100000);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(items[i], i * 3);
    arena_free(arena);
}

// Large pieces are freed at once, both in a temporary arena and with arena_release(); the rest
// stays intact.
static void test_pieces_are_released(void **state)
{
    (void)state;
    enum { LARGE = 1 << 20 };
    struct arena *keeper = arena_new(0), *arena = arena_temp(keeper);
    size_t count = 0, capacity = 0;
    int64_t *items = NULL;
    char *first = arena_alloc(arena, LARGE, 1); // the first block, and a large piece
    char *small = arena_text(arena, "stays");
    for (int64_t i = 0; i < LARGE; i++)
        ARENA_PUSH(arena, items, count, capacity) = i;
    for (int64_t i = 0; i < LARGE; i++)
        assert_int_equal(items[i], i);
    assert_true(arena_bytes(arena) <
                LARGE + 3 * capacity * sizeof *items / 2); // no old copy is left
    size_t before = arena_bytes(arena);
    arena_release(arena, first, LARGE);
    assert_int_equal(arena_bytes(arena), before - LARGE);
    arena_release(arena, small, sizeof "stays"); // stays until the end
    arena_release(arena, NULL, LARGE);
    for (int i = 0; i < 1000; i++)
        memset(arena_alloc(arena, 100, 1), i, 100);
    assert_int_equal(items[LARGE - 1], LARGE - 1);
    arena_release(arena, items, capacity * sizeof *items);
    char *reused = arena_alloc(arena, LARGE, 1);
    for (size_t i = 0; i < LARGE; i++)
        assert_int_equal(reused[i], 0);
    arena_free(arena);
    arena_free(keeper);
}

static void test_texts(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    assert_string_equal(arena_copy(arena, "abcdef", 3), "abc");
    assert_string_equal(arena_text(arena, "abc"), "abc");
    assert_null(arena_text(arena, NULL));
    assert_string_equal(arena_copy(arena, NULL, 0), "");
    assert_string_equal(arena_format(arena, "%s-%d", "x", 12), "x-12");
    assert_string_equal(arena_format(arena, "%s", ""), "");
    arena_free(arena);
}

static bool mixed_body(void *context, struct error *error)
{
    (void)error;
    struct trial *trial = context;
    arena_alloc(trial->arena, 10, 10);
    arena_alloc(trial->arena, 100000, 10);
    arena_copy(trial->arena, "text", 4);
    arena_format(trial->arena, "%d", 5);
    return true;
}

static void test_allocation_failures(void **state)
{
    (void)state;
    assert_int_equal(trial_allocations(mixed_body, NULL), 4);
    arena_fail_at(1);
    assert_null(arena_new(0));
    arena_fail_at(0);
}

static void test_error(void **state)
{
    (void)state;
    struct error error = {0};
    assert_false(error_set(&error, ERROR_DATA, "%s: %d", "file", 7));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.message, "file: 7");
    char large[5000];
    memset(large, 'x', sizeof large);
    large[sizeof large - 1] = '\0';
    assert_false(error_set(&error, ERROR_IO, "%s", large));
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_false(error_set(NULL, ERROR_IO, "nobody listens"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_zeroed_and_separate),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_overflowing_product),
        cmocka_unit_test(test_runs_nest),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_cleanups),
        cmocka_unit_test(test_array_grows),
        cmocka_unit_test(test_pieces_are_released),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
