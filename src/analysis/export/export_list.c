// SPDX-License-Identifier: Apache-2.0
// Every export format, in the order of --list=formats. To add one: a line here.
#include "analysis/export/export.h"

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

#define EXPORT_LINE(name) EXPORT_DECLARE(name);
EXPORT_LIST(EXPORT_LINE)
#define EXPORT_ENTRY(name) &export_##name,
const struct export_format *const export_formats[] = {EXPORT_LIST(EXPORT_ENTRY)};
const size_t export_format_count = sizeof export_formats / sizeof *export_formats;
