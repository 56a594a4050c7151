// SPDX-License-Identifier: Apache-2.0
// Finds a time in the middle of the file, and tells plausible times from implausible ones.
#include <stdlib.h>

#include "base/sort.h"
#include "model/sqlite/sqlite_file.h"

enum { SAMPLES = 99 };

// Uses the median of a few rows, so that one time that is wrong by years does not make all others
// implausible.
void nsys_find_origin(struct nsys *nsys, const struct nsys_time_column *places, size_t place_count)
{
    int64_t *starts = ARENA_ARRAY(nsys->scratch, int64_t, place_count * SAMPLES + 1);
    size_t count = 0;
    for (size_t i = 0; i < place_count; i++) {
        const struct sqlite_table *table = sqlite_table(nsys, places[i].table);
        const char *const columns[] = {places[i].column, NULL};
        sqlite3_stmt *row = table ? nsys_select(nsys, table, columns) : NULL;
        for (int n = 0; n < SAMPLES && row && nsys_step(nsys, row) == SQLITE_ROW; n++) {
            int64_t start;
            sqlite3_value *cell = sqlite3_column_value(row, 0);
            if (cell_integer(&cell, 0, &start) && start >= -TIME_LIMIT && start <= TIME_LIMIT)
                starts[count++] = start;
        }
        sqlite3_finalize(row);
    }
    sort_values(starts, count);
    nsys->origin = count ? starts[count / 2] : 0;
}

bool nsys_is_plausible_time(const struct nsys *nsys, int64_t time)
{
    return time >= -TIME_LIMIT && time <= TIME_LIMIT && llabs(time - nsys->origin) <= SPAN_LIMIT;
}
