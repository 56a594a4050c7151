// SPDX-License-Identifier: Apache-2.0
// Internals shared by the export formats; each format is one file, export_x.c, listed in
// export_list.c.
#ifndef ANALYSIS_EXPORT_EXPORT_SHARED_H
#define ANALYSIS_EXPORT_EXPORT_SHARED_H

#include "analysis/export/export.h"
#include "base/parse/json.h"

// The columns to write, in their order. With `for_people`, columns of the detail pane are left out
// unless columns were chosen.
struct export_columns {
    const struct column **items;
    size_t count;
};
struct export_columns export_columns_of(const struct export_table *table, bool for_people,
                                        struct arena *arena);
const char *export_title(const struct export_table *table, const struct column *column,
                         struct arena *arena); // "Calls per step and GPU"
const char *export_head(const struct export_table *table, const struct column *column);
size_t export_row_count(const struct export_table *table);
const void *export_row(const struct export_table *table, size_t i); // i-th row to write
struct value export_value(const struct export_table *table, const struct column *column,
                          const void *row);
// Returns true if export_value() gives a part, which the column's title must then say.
bool export_is_per_step(const struct export_table *table, const struct column *column);

// Formats all rows and writes them in order (export_rows.c). `write` appends row i to `out`;
// several threads call it at once, each with bytes of its own. Returns false if writing failed,
// memory ran out, or `arena`, the arena of the caller's job, was stopped.
bool export_rows(const struct export_table *table, FILE *file,
                 void (*write)(const void *context, size_t i, struct bytes *out),
                 const void *context, const struct arena *arena);
// Rows as lines of cells (export_csv.c); the caller formats the cells.
struct export_separated {
    const struct export_table *table;
    struct export_columns columns;
    char separator;
    void (*put_cell)(struct bytes *out, const struct column *column, struct value value);
};
bool export_separated_rows(const struct export_separated *separated, FILE *file,
                           const struct arena *arena);
// Turns the text from offset `at` on into a cell of a CSV file, which is never a formula.
void export_csv_text(struct bytes *out, size_t at, bool is_quoted);
// Writes rows as an array of objects with the given keys; percentages are multiplied by `percent`.
bool export_json_rows(const struct export_table *table, const struct export_columns *columns,
                      const char *const *keys, double percent, FILE *file, struct arena *arena);
// Writes a value. Reals are multiplied by `scale`; unknown is null.
void export_json_value(struct json_writer *json, struct value value, double scale);

#endif
