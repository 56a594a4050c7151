// SPDX-License-Identifier: Apache-2.0
// Checks that range_walk returns the ranges of all threads in order of time, against sorting them.
#include "columns.h"
#include "model/profile/range_walk.h"

#include "base/sort.h"
#include "property.h"

enum { THREADS = 12, MOST = 40, LABELS = 5 };

static void make(struct profile *profile, struct arena *arena, struct random *random)
{
    struct ranges *ranges = &profile->ranges;
    profile->thread_count = (uint32_t)random_below(random, THREADS);
    profile->threads = ARENA_ARRAY(arena, struct thread, THREADS);
    ranges->start = column64_loose(arena, THREADS * MOST);
    ranges->label = column32_loose(arena, THREADS * MOST);
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        uint32_t count = random_below(random, 3) ? (uint32_t)random_below(random, MOST) : 0;
        int64_t time = (int64_t)random_below(random, 50) - 25;
        profile->threads[t].first_range = ranges->count;
        for (uint32_t i = 0; i < count; i++) {
            time += (int64_t)random_below(random, 3);
            SET(ranges->start, ranges->count, time);
            SET(ranges->label, ranges->count, (uint32_t)random_below(random, LABELS));
            ranges->count++;
        }
        profile->threads[t].end_range = ranges->count;
    }
}

static void test_walks_in_order_of_time(void **state)
{
    (void)state;
    struct random random = {5};
    for (int round = 0; round < random_rounds(1000); round++) {
        struct arena *arena = arena_new(0);
        struct profile profile = {.thread_count = 0};
        struct range_walk walk;
        make(&profile, arena, &random);
        uint8_t wanted[LABELS];
        bool is_choosy = random_below(&random, 2);
        for (size_t i = 0; i < LABELS; i++)
            wanted[i] = !is_choosy || random_below(&random, 2);
        range_walk_open(&walk, &profile, 0, 1, is_choosy ? wanted : NULL, arena);
        int64_t *starts = column64_unpack(arena, profile.ranges.start, profile.ranges.count);
        uint32_t *order = sort_by_time(arena, starts, NULL, profile.ranges.count);
        for (uint32_t i = 0; i < profile.ranges.count; i++)
            if (wanted[AT(profile.ranges.label, order[i])])
                assert_int_equal(range_walk_next(&walk), order[i]);
        assert_int_equal(range_walk_next(&walk), ROW_NONE);
        assert_int_equal(range_walk_next(&walk), ROW_NONE);
        arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walks_in_order_of_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
