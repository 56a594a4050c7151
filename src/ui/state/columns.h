// SPDX-License-Identifier: Apache-2.0
// Column layouts that the user changed: one per report, shared by all of its views.
#ifndef UI_STATE_COLUMNS_H
#define UI_STATE_COLUMNS_H

#include "base/error.h"
#include "ui/table/table.h"

struct app;

struct stored_columns {
    struct stored_layout { // layout of reports[i], if the user changed it
        bool is_there;
        struct column_layout columns;
    } * layouts;            // [report_count]
    const char *remembered; // all layouts as text, as read at the start
};

// call after a change in a table
void app_store_columns(struct app *app, const struct table *table);
void app_apply_columns(struct app *app, struct table *table); // applies them to a table just opened
// Convert the changed layouts to text, one per line (column_layout.h), and back. app_columns_read()
// skips lines that it cannot parse and returns the error of the first one.
char *app_columns_text(const struct app *app, struct arena *arena);
bool app_columns_read(struct app *app, const char *text, struct error *error);

#endif
