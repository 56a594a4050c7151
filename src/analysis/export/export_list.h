// SPDX-License-Identifier: Apache-2.0
// What the export formats share; each is one file, export_x.c.
#ifndef ANALYSIS_EXPORT_LIST_H
#define ANALYSIS_EXPORT_LIST_H

#include "analysis/export/export.h"
#include "base/parse/json.h"

// In the order of --list=formats. To add one: a line.
// clang-format off
#define EXPORT_LIST(X) \
    X(text) \
    X(csv) \
    X(tsv) \
    X(json) \
    X(markdown) \
    X(pyprof_csv) \
    X(pyprof_columns) \
    X(pyprof_space)
// clang-format on

#define EXPORT_DECLARE(name) extern const struct export_format export_##name;
EXPORT_LIST(EXPORT_DECLARE)

// The columns to be written, in their order; `for_people`: without those of the detail pane, unless
// somebody has chosen.
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
const void *export_row(const struct export_table *table, size_t i); // i-th row to be written
struct value export_value(const struct export_table *table, const struct column *column,
                          const void *row);
// Whether export_value() gives a part, which the column's name must then say.
bool export_is_per_step(const struct export_table *table, const struct column *column);

// Has `write` put each row that is to be written, the i-th, behind what `out` holds, and writes all of
// them in order (export_rows.c). Several threads do so at once, each with bytes of its own. False:
// writing failed, memory ended, or `arena`, on behalf of which it is done, is stopped.
bool export_rows(const struct export_table *table, FILE *file,
                 void (*write)(const void *context, size_t i, struct bytes *out),
                 const void *context, const struct arena *arena);
// Rows as lines of cells (export_csv.c); the cells are the caller's.
struct export_separated {
    const struct export_table *table;
    struct export_columns columns;
    char separator;
    void (*put_cell)(struct bytes *out, const struct column *column, struct value value);
};
bool export_separated_rows(const struct export_separated *separated, FILE *file,
                           const struct arena *arena);
// Makes a cell of a CSV file of the text that stands from `at` on, which is never a formula.
void export_csv_text(struct bytes *out, size_t at, bool is_quoted);
// Rows as an array of objects with such keys; percentages are multiplied by `percent`.
bool export_json_rows(const struct export_table *table, const struct export_columns *columns,
                      const char *const *keys, double percent, FILE *file, struct arena *arena);
// Numbers that are not whole are multiplied by `scale`; what is unknown is null.
void export_json_value(struct json_writer *json, struct value value, double scale);

// What becomes of a file that is there, and who may read the new one: whom the mask lets, or its
// owner alone.
enum export_how { EXPORT_NEW, EXPORT_REPLACE, EXPORT_PRIVATE };
// Has `fill` put what is to stand in `path` into a file beside it, which is open and empty, and gives
// that its name then: whole or not at all. Refuses to replace an existing file if it is to be new. The
// folder must exist. Where `fill` fails errno says why, unless it says so itself.
bool export_beside(const char *path, enum export_how how,
                   bool (*fill)(void *context, const char *beside, int descriptor,
                                struct error *error),
                   void *context, struct arena *arena, struct error *error);
// The same through a stream.
bool export_atomic(const char *path, enum export_how how, bool (*write)(void *context, FILE *file),
                   void *context, struct arena *arena, struct error *error);
bool export_plain(void *text, FILE *file);  // such a `write`, of a const char *const *
bool export_bytes(void *bytes, FILE *file); // and of a struct bytes *, which is empty then

#endif
