// SPDX-License-Identifier: Apache-2.0
// Encoded columns decode to the values they were made of; damaged bytes are refused.
#include "base/coded.h"
#include "base/column.h"
#include "property.h"

enum { ROWS = 3000 };

static int64_t value_of(struct random *random, int64_t middle, int range)
{
    static const int64_t extremes[] = {INT64_MIN, INT64_MAX, 0, -1, INT64_MIN + 1};
    if (random_below(random, 50) == 0)
        return extremes[random_below(random, 5)];
    return (int64_t)((uint64_t)middle + random_below(random, (size_t)1 << range));
}

static void test_round_trip(void **state)
{
    (void)state;
    struct random random = {12};
    unsigned ways = 0;
    for (int round = 0; round < random_rounds(300); round++) {
        struct arena *arena = arena_new(0);
        static int64_t values[ROWS], lengths[ROWS], decoded[ROWS];
        size_t count = random_below(&random, ROWS);
        int64_t middle = value_of(&random, 0, 40);
        int range = (int)random_below(&random, 63);
        bool is_line = random_below(&random, 2), has_lengths = random_below(&random, 2);
        for (size_t i = 0; i < count; i++) {
            lengths[i] = (int64_t)random_below(&random, 1 << 20);
            values[i] = is_line ? (i ? values[i - 1] + lengths[i - 1] : 0) + round % 3
                                : value_of(&random, middle, range);
        }
        unsigned char *bytes = ARENA_ARRAY(arena, unsigned char, coded_max_bytes(8 * count));
        struct coded coded;
        const int64_t *known = has_lengths ? lengths : NULL;
        assert_true(coded_write(values, known, count, bytes, &coded, arena));
        assert_true(coded.size <= coded_max_bytes(8 * count));
        ways |= 1U << coded.from;
        assert_true(coded_read(&coded, bytes, known, count, decoded, arena));
        assert_memory_equal(decoded, values, count * sizeof *values);
        if (coded.size) { // one byte less, one row more, an unknown encoding
            struct coded other = coded;
            other.size--;
            assert_false(coded_read(&other, bytes, known, count, decoded, arena));
            assert_false(coded_read(&coded, bytes, known, count - 1, decoded, arena));
            other = coded;
            other.from = CODED_FROM_COUNT;
            assert_false(coded_read(&other, bytes, lengths, count, decoded, arena));
        }
        arena_free(arena);
    }
    assert_int_equal(ways, 7);
}

// Steps of the largest width between rows, and only such steps.
static void test_widest_steps(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    const int64_t values[] = {-1, INT64_MAX, COLUMN_NONE64, INT64_MIN + 1, INT64_MAX, 0, -1, 0};
    enum { COUNT = sizeof values / sizeof *values };
    int64_t decoded[COUNT];
    unsigned char bytes[1000];
    struct coded coded;
    assert_true(coded_write(values, NULL, COUNT, bytes, &coded, arena));
    assert_true(coded.has_none);
    assert_true(coded_read(&coded, bytes, NULL, COUNT, decoded, arena));
    assert_memory_equal(decoded, values, sizeof values);
    arena_free(arena);
}

static void test_regular_values_are_small(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    static int64_t values[ROWS], lengths[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        lengths[i] = 1000 + (int64_t)(i * 7919 % 64);
        values[i] = i ? values[i - 1] + lengths[i - 1] + 20 : 0;
    }
    unsigned char *bytes = ARENA_ARRAY(arena, unsigned char, coded_max_bytes(sizeof values));
    struct coded coded;
    assert_true(coded_write(values, lengths, ROWS, bytes, &coded, arena));
    assert_int_equal(coded.from, CODED_FROM_END);
    assert_in_range(coded.size, 1, 60);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_widest_steps),
        cmocka_unit_test(test_regular_values_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
