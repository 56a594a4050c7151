// SPDX-License-Identifier: Apache-2.0
#include "ui/actions/app_rows.h"

#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"

static void columns_choose(const struct table *table, struct rows_export *out)
{
    const struct column_layout *columns = &table->columns;
    for (unsigned i = 0; i < column_layout_count(table->report); i++)
        if (table_column_is_visible(table, columns->order[i]))
            out->columns[out->table.column_count++] = columns->order[i];
    out->table.columns = out->columns;
}

bool rows_export_init(struct app *app, enum exported_rows which, bool as_arranged,
                      struct rows_export *out, struct error *error)
{
    struct view *view = host_top_view(app);
    struct table *table = &view->table;
    *out = (struct rows_export){.selection = view_selection(view)};
    if (!table_update(table, error))
        return false;
    out->table = (struct export_table){
        .report = table->report,
        .rows = table->rows,
        .order = table->shown,
        .count = table->shown_count,
        .profile = app->profile,
        .selection = &out->selection,
        .parts = table->parts,
    };
    if (which == ROWS_MARKED)
        out->table.order = table_marked_rows(table, app->canvas->frame, &out->table.count);
    if (which == ROWS_CURSOR) {
        out->table.order += table->cursor;
        out->table.count = table_row(table) != NULL;
    }
    if (which != ROWS_SHOWN && out->table.count == 0)
        return error_set(error, ERROR_USAGE, "there is no row under the cursor");
    if (as_arranged)
        columns_choose(table, out);
    if (table->share != SHARE_OWN) {
        out->share = table_export_share(table, app->canvas->frame);
        out->table.share = &out->share;
    }
    return true;
}
