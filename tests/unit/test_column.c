// SPDX-License-Identifier: Apache-2.0
// A packed column returns the values it was made of, whatever their range.
#include "base/column.h"
#include "property.h"

enum { ROWS = 1000, LARGE = 400000 };

static int64_t value_of(struct random *random, int64_t middle, int range)
{
    static const int64_t extremes[] = {INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN + 1};
    switch (random_below(random, 40)) {
    case 0:
        return extremes[random_below(random, 6)];
    case 1:
        return COLUMN_NONE64;
    default:
        return (int64_t)((uint64_t)middle + random_below(random, (size_t)1 << range));
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    struct random random = {11};
    for (int round = 0; round < random_rounds(500); round++) {
        struct arena *arena = arena_new(0);
        int64_t values[ROWS];
        uint32_t small[ROWS], order[ROWS];
        uint32_t count = (uint32_t)random_below(&random, ROWS + 1);
        int64_t middle = value_of(&random, 0, 40);
        int range = (int)random_below(&random, 63);
        for (uint32_t i = 0; i < count; i++) {
            values[i] = value_of(&random, middle, range);
            small[i] = (uint32_t)value_of(&random, middle, range);
            order[i] = (uint32_t)random_below(&random, count);
        }
        struct column64 wide = column64_pack(arena, 1, values, NULL, count);
        struct column64 wide_ordered = column64_pack(arena, 2, values, order, count);
        struct column32 narrow = column32_pack(arena, 1, small, NULL, count);
        struct column32 narrow_ordered = column32_pack(arena, 2, small, order, count);
        struct column_writer *wide_writer = column_begin(arena);
        struct column_writer *narrow_writer = column_begin(arena);
        for (uint32_t i = 0; i < count; i++) {
            column64_put(wide_writer, values[i]);
            column32_put(narrow_writer, small[i]);
        }
        struct column64 wide_put = column64_end(wide_writer, arena);
        struct column32 narrow_put = column32_end(narrow_writer, arena);
        assert_true(HAS(wide) && HAS(narrow) && HAS(wide_put) && HAS(narrow_put));
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(AT(wide, i), values[i]);
            assert_int_equal(AT(wide_ordered, i), values[order[i]]);
            assert_int_equal(AT(narrow, i), small[i]);
            assert_int_equal(AT(narrow_ordered, i), small[order[i]]);
            assert_int_equal(AT(wide_put, i), values[i]);
            assert_int_equal(AT(narrow_put, i), small[i]);
        }
        if (count) {
            int64_t least = INT64_MAX, most = INT64_MIN;
            for (uint32_t i = 0; i < count; i++) {
                values[i] = values[i] == COLUMN_NONE64 ? 0 : values[i];
                least = values[i] < least ? values[i] : least;
                most = values[i] > most ? values[i] : most;
            }
            struct column64 whole = column64_pack(arena, 1, values, NULL, count);
            assert_int_equal(column64_min(&whole, count), least);
            assert_int_equal(column64_max(&whole, count), most);
        }
        arena_free(arena);
    }
}

// Result and size do not depend on the number of threads.
static void test_large_column(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0), *packed = arena_new(0);
    int64_t *times = ARENA_ARRAY(arena, int64_t, LARGE);
    uint32_t *names = ARENA_ARRAY(arena, uint32_t, LARGE);
    struct random random = {5};
    int64_t time = INT64_C(1) << 60;
    for (uint32_t i = 0; i < LARGE; i++) {
        times[i] = time += (int64_t)random_below(&random, 20000);
        names[i] = i % 1000 ? (uint32_t)random_below(&random, 500) : COLUMN_NONE32;
    }
    struct column64 time_column = column64_pack(packed, 3, times, NULL, LARGE);
    struct column32 name_column = column32_pack(packed, 3, names, NULL, LARGE);
    for (uint32_t i = 0; i < LARGE; i++) {
        assert_int_equal(AT(time_column, i), times[i]);
        assert_int_equal(AT(name_column, i), names[i]);
    }
    assert_true(arena_bytes(packed) < (size_t)LARGE * 5); // unpacked: 12 bytes per row
    arena_free(arena);
    arena_free(packed);
}

static void test_empty_column_exists(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct column32 none = {0};
    struct column32 empty = column32_pack(arena, 1, NULL, NULL, 0);
    assert_false(HAS(none));
    assert_true(HAS(empty));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
                                       cmocka_unit_test(test_large_column),
                                       cmocka_unit_test(test_empty_column_exists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
