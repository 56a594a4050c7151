// SPDX-License-Identifier: Apache-2.0
// The rows of the table on top as they are written: to a file (app_save.c), to the clipboard
// (app_copy.c).
#ifndef UI_STATE_APP_ROWS_H
#define UI_STATE_APP_ROWS_H

#include "analysis/export/export.h"
#include "ui/table/table.h"

struct app;

enum rows_which { ROWS_SHOWN, ROWS_MARKED, ROWS_CURSOR };

struct rows_out {
    struct export_table table; // points into this struct: it must not move
    struct selection selection;
    struct export_share share;
    uint16_t columns[MAX_TABLE_COLUMNS];
};

// False: there are none such, or memory ended (`error`). With `as_arranged` the columns are those of
// the screen in their order, else all of the report, which programs may count on.
bool rows_out_make(struct app *app, enum rows_which which, bool as_arranged, struct rows_out *out,
                   struct error *error);

#endif
