// SPDX-License-Identifier: Apache-2.0
// Which times are believed. Far from all others, or too long together, they are damage, and sums
// over them would overflow.
#include <stdlib.h>

#include "base/sort.h"
#include "model/load_nsys.h"

enum { SAMPLES = 99 };

// The median of a few rows: one that lies years away must not make all others look wrong.
void nsys_find_origin(struct nsys *nsys, const struct nsys_time_column *places, size_t place_count)
{
    int64_t *starts = ARENA_ARRAY(nsys->scratch, int64_t, place_count * SAMPLES + 1);
    size_t count = 0;
    for (size_t i = 0; i < place_count; i++) {
        const struct nsys_table *table = nsys_table(nsys, places[i].table);
        const char *const columns[] = {places[i].column, NULL};
        sqlite3_stmt *row = table ? nsys_select(nsys, table, columns) : NULL;
        for (int n = 0; n < SAMPLES && row && nsys_step(nsys, row) == SQLITE_ROW; n++) {
            int64_t start;
            sqlite3_value *cell = sqlite3_column_value(row, 0);
            if (cell_integer(&cell, 0, &start) && start >= -NSYS_TIME_LIMIT &&
                start <= NSYS_TIME_LIMIT)
                starts[count++] = start;
        }
        sqlite3_finalize(row);
    }
    sort_values(starts, count);
    nsys->origin = count ? starts[count / 2] : 0;
}

bool nsys_is_time(const struct nsys *nsys, int64_t time)
{
    return time >= -NSYS_TIME_LIMIT && time <= NSYS_TIME_LIMIT &&
           llabs(time - nsys->origin) <= NSYS_SPAN_LIMIT;
}

void nsys_limit_total(struct nsys *nsys, const int64_t *start, int64_t *end, uint32_t count,
                      const char *what)
{
    unsigned parts = nsys->request->part_of; // of all of them together
    const int64_t limit = NSYS_TOTAL_LIMIT / (parts ? parts : 1);
    int64_t total = 0, cut = 0;
    for (uint32_t i = 0; i < count && total <= limit; i++)
        total += end[i] - start[i];
    if (total <= limit)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (end[i] - start[i] <= limit / count)
            continue;
        end[i] = start[i];
        cut++;
    }
    profile_note(nsys->profile, NOTE_WARNING, "times_absurd", cut, NULL,
                 "%lld %s last impossibly long; they are shown with no length", (long long)cut,
                 what);
}
