// SPDX-License-Identifier: Apache-2.0
// How columns are arranged: per report, for all of its views.
#ifndef UI_STATE_COLUMNS_H
#define UI_STATE_COLUMNS_H

#include "base/error.h"
#include "ui/table/table.h"

struct app;

struct kept_columns {
    struct kept_layout { // how the columns of reports[i] are arranged, where somebody has done so
        bool is_there;
        struct column_layout columns;
    } * layouts;            // [report_count]
    const char *remembered; // all of them as they were found at the start
};

void app_keep_columns(struct app *app, const struct table *table); // after a change in a table
void app_give_columns(struct app *app, struct table *table);       // to a table that was opened
// All that differs from how the reports have it, a line each (column_layout.h), in `arena`; and back
// again: lines that cannot be read are passed over, `error` is of the first of them.
char *app_columns_text(const struct app *app, struct arena *arena);
bool app_columns_read(struct app *app, const char *text, struct error *error);

#endif
