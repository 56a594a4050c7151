// SPDX-License-Identifier: Apache-2.0
// Reads the times of events, and drops events with implausible times, such as 0 or the time of a
// clock that was not set yet.
//
// Time is divided into ages of AGE_NS, and the events of each age are counted while the file is
// read. At its end the age with most events is taken as the age of the trace. Events that are not
// in it or in the age before or after it are dropped.
#include <string.h>

#include "model/kineto/load_kineto.h"
#include "model/profile/time_limits.h"

enum { TIME_DECIMALS = 3 }; // the unit is microseconds

#define AGE_NS (SPAN_LIMIT / 2) // 104 days
enum { AGES = (int)(2 * TIME_LIMIT / AGE_NS) + 1 };

static unsigned age_of(int64_t time)
{
    return (unsigned)((time + TIME_LIMIT) / AGE_NS);
}

static void count_age(struct kineto *kineto, enum kineto_class class, int64_t time)
{
    if (!kineto->ages)
        kineto->ages = arena_alloc(kineto->scratch, AGES, sizeof *kineto->ages);
    kineto->ages[age_of(time)][class]++;
}

static bool is_time(int64_t time)
{
    return time != UNKNOWN && time >= -TIME_LIMIT && time <= TIME_LIMIT;
}

bool kineto_time_of(struct kineto *kineto, const struct kineto_event *event,
                    enum kineto_class class, int64_t *time)
{
    *time = kineto_scaled(event, KEY_TIME, TIME_DECIMALS, UNKNOWN);
    if (!is_time(*time))
        return false;
    count_age(kineto, class, *time);
    return true;
}

bool kineto_times_of(struct kineto *kineto, const struct kineto_event *event,
                     enum kineto_class class, int64_t *start, int64_t *end)
{
    int64_t time = kineto_scaled(event, KEY_TIME, TIME_DECIMALS, UNKNOWN);
    int64_t length = kineto_scaled(event, KEY_DURATION, TIME_DECIMALS, UNKNOWN);
    unsigned parts = kineto->request->part_of;
    if (!is_time(time) || length == UNKNOWN || length < 0 || length > DURATION_LIMIT ||
        kineto->total[class] > TOTAL_LIMIT / (parts ? parts : 1) - length)
        return false;
    count_age(kineto, class, time);
    kineto->total[class] += length;
    *start = time;
    *end = time + length;
    return true;
}

// Returns the age with the most rows. Its two neighbours belong to it.
static unsigned find_age(const struct kineto *kineto)
{
    unsigned best = 0;
    uint64_t most = 0;
    for (unsigned age = 0; age < AGES; age++) {
        uint64_t count = 0;
        for (int class = 0; class < KINETO_CLASSES; class ++)
            count += kineto->ages[age][class];
        if (count > most) {
            most = count;
            best = age;
        }
    }
    return best;
}

static bool is_of_age(int64_t time, unsigned age)
{
    return age_of(time) + 1 >= age && age_of(time) <= age + 1;
}

// Counts the rows far from age `best` as skipped. Returns false if there is none.
static bool count_far(struct kineto *kineto, unsigned best)
{
    bool is_any = false;
    for (unsigned age = 0; age < AGES; age++)
        for (int class = 0; class < KINETO_CLASSES && (age + 1 < best || age > best + 1);
             class ++) {
            kineto->skipped[class] += kineto->ages[age][class];
            is_any |= kineto->ages[age][class] > 0;
        }
    return is_any;
}

// Drops the rows far from the age and returns the number of the others. The first member of a row
// is its start.
static size_t keep_rows(void *rows, size_t row_size, size_t count, unsigned age)
{
    size_t kept_count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *row = (const char *)rows + i * row_size;
        if (is_of_age(*(const int64_t *)(const void *)row, age))
            memmove((char *)rows + kept_count++ * row_size, row, row_size);
    }
    return kept_count;
}

static void find_first(const void *rows, size_t row_size, size_t count, int64_t *first)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t *times = (const void *)((const char *)rows + i * row_size);
        *first = times[0] < *first ? times[0] : *first;
    }
}

// Subtracts `by` from the first `times` members of each row, which are times.
static void move_rows(void *rows, size_t row_size, size_t count, size_t times, int64_t by)
{
    for (size_t i = 0; i < count; i++) {
        int64_t *row = (void *)((char *)rows + i * row_size);
        for (size_t t = 0; t < times; t++)
            row[t] -= by;
    }
}

void kineto_set_clock(struct kineto *kineto)
{
    int64_t first = INT64_MAX, epoch;
    if (!kineto->ages)
        return;
    unsigned age = find_age(kineto);
    bool has_far = count_far(kineto, age);
#define EACH_LIST(X) \
    X(work, 2) X(calls, 2) X(ranges, 2) X(frames, 2) X(syncs, 2) X(overheads, 2) X(allocations, 1)
#define KEEP_ROWS(name, times) \
    if (has_far)               \
        kineto->name##_count = \
            keep_rows(kineto->name, sizeof *kineto->name, kineto->name##_count, age);
#define FIND_FIRST(name, times) \
    find_first(kineto->name, sizeof *kineto->name, kineto->name##_count, &first);
#define MOVE_ROWS(name, times) \
    move_rows(kineto->name, sizeof *kineto->name, kineto->name##_count, times, first);
    EACH_LIST(KEEP_ROWS)
    EACH_LIST(FIND_FIRST)
    EACH_LIST(MOVE_ROWS)
    if (!__builtin_add_overflow(kineto->base_time, first, &epoch) && epoch > 0)
        kineto->profile->capture.utc_epoch_ns = epoch;
}
