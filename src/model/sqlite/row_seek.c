// SPDX-License-Identifier: Apache-2.0
// Finds rows of a table by time with a bisection over the rowids, which reads few rows. The rows
// must be in order of time. nsys normally writes them so, but may write the rows of one process
// after the rows of another. The order is therefore checked by samples; a complete check would read
// many gigabytes.
#include "model/sqlite/sqlite_file.h"

enum {
    SAMPLES = 256,      // number of samples, evenly distributed over the table
    SAMPLE_ROWS = 16,   // consecutive rows of a sample
    FEW_ROWS = 1 << 15, // smaller tables are read completely
};

bool nsys_seek_time(const struct nsys_seek *seek, int64_t row, int64_t *time)
{
    bool is_found = false;
    sqlite3_bind_int64(seek->row, 1, row);
    while (!is_found && nsys_step(seek->nsys, seek->row) == SQLITE_ROW) {
        sqlite3_value *cell = sqlite3_column_value(seek->row, 1);
        is_found = cell_integer(&cell, 0, time);
    }
    sqlite3_reset(seek->row);
    return is_found;
}

// Returns whether the next `count` rows from `row` on are sorted and not before *last; updates
// *last.
static bool is_sorted_from(const struct nsys_seek *seek, int64_t row, uint32_t count, int64_t *last)
{
    bool is_sorted = true;
    sqlite3_bind_int64(seek->row, 1, row);
    for (uint32_t i = 0; i < count && nsys_step(seek->nsys, seek->row) == SQLITE_ROW; i++) {
        int64_t time;
        sqlite3_value *cell = sqlite3_column_value(seek->row, 1);
        if (!cell_integer(&cell, 0, &time))
            continue;
        is_sorted = is_sorted && time >= *last;
        *last = time;
    }
    sqlite3_reset(seek->row);
    return is_sorted;
}

static bool is_sorted(const struct nsys_seek *seek)
{
    const struct sqlite_table *table = seek->table;
    int64_t last = INT64_MIN;
    uint64_t rows = table->capacity;
    if (rows <= FEW_ROWS)
        return is_sorted_from(seek, table->first_row, table->capacity, &last);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        // The last sample ends with the table, since its last rows may be of another process.
        uint64_t sample = i + 1 < SAMPLES ? rows / SAMPLES * i : rows - SAMPLE_ROWS;
        if (!is_sorted_from(seek, table->first_row + (int64_t)sample, SAMPLE_ROWS, &last))
            return false;
    }
    return true;
}

bool nsys_seek_open(struct nsys *nsys, const char *base, const char *column, struct nsys_seek *seek)
{
    *seek = (struct nsys_seek){.nsys = nsys, .table = sqlite_table(nsys, base)};
    if (!seek->table || !seek->table->capacity || !nsys_has_column(seek->table, column))
        return false;
    if (!seek->table->has_rowid || seek->table->last_row == INT64_MAX)
        return true;
    const char *sql = arena_format(nsys->scratch,
                                   "SELECT rowid, \"%s\" FROM \"%s\" NOT INDEXED WHERE rowid >= ?1",
                                   column, seek->table->name);
    seek->row = nsys_prepare(nsys, nsys->db, sql);
    seek->is_sorted = seek->row && is_sorted(seek);
    return true;
}

void nsys_seek_close(struct nsys_seek *seek)
{
    sqlite3_finalize(seek->row);
    seek->row = NULL;
}

int64_t nsys_seek_row(const struct nsys_seek *seek, int64_t time)
{
    int64_t low = seek->table->first_row, high = seek->table->last_row + 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2, row_time;
        if (!nsys_seek_time(seek, middle, &row_time) || row_time >= time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
