// SPDX-License-Identifier: Apache-2.0
// Collects rows of the top table for export to a file or to the clipboard.
#ifndef UI_ACTIONS_APP_ROWS_H
#define UI_ACTIONS_APP_ROWS_H

#include "analysis/export/export.h"
#include "ui/table/table.h"

struct app;

enum exported_rows { ROWS_SHOWN, ROWS_MARKED, ROWS_CURSOR };

struct rows_export {
    struct export_table table; // points into this struct, which must not move
    struct selection selection;
    struct export_share share;
    uint16_t columns[MAX_TABLE_COLUMNS];
};

// Returns false if there are no such rows or memory is exhausted (`error`). With `as_arranged` the
// visible columns in the order of the screen are exported; otherwise all columns of the report, a
// stable form for programs.
bool rows_export_init(struct app *app, enum exported_rows which, bool as_arranged,
                      struct rows_export *out, struct error *error);

#endif
