// SPDX-License-Identifier: Apache-2.0
// What the export formats share; each is one file, export_x.c.
#ifndef ANALYSIS_EXPORT_LIST_H
#define ANALYSIS_EXPORT_LIST_H

#include "analysis/export.h"

// In the order of --list=formats. To add one: a line.
// clang-format off
#define EXPORT_LIST(X) \
    X(text) \
    X(csv) \
    X(tsv) \
    X(json) \
    X(markdown)
// clang-format on

#define EXPORT_DECLARE(name) extern const struct export_format export_##name;
EXPORT_LIST(EXPORT_DECLARE)

size_t export_row_count(const struct export_table *table);
const void *export_row(const struct export_table *table, size_t i); // i-th row to be written
struct value export_value(const struct export_table *table, const struct column *column,
                          const void *row);
// Whether export_value() gives a part, which the column's name must then say.
bool export_is_per_step(const struct export_table *table, const struct column *column);

// Writes `path` through a temporary file beside it, whole or not at all; refuses to replace an
// existing file unless `force`. The folder must exist.
bool export_atomic(const char *path, bool force, bool (*write)(void *context, FILE *file),
                   void *context, struct arena *arena, struct error *error);

#endif
