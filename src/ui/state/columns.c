// SPDX-License-Identifier: Apache-2.0
#include "ui/state/columns.h"

#include <stdlib.h>
#include <string.h>
#include "analysis/reports/report_list.h"
#include "ui/state/app_state.h"
#include "ui/state/places.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/table/table_layout.h"

// Returns the index in reports[]; report_count for comparisons and the help, which are not in the
// list: their layouts are stored only in their tables.
static size_t report_index(const struct report *report)
{
    size_t r = 0;
    while (r < report_count && reports[r] != report)
        r++;
    return r;
}

static void layout_put(struct table *table, const struct report *report,
                       const struct column_layout *columns)
{
    if (table->own != report)
        return;
    table->columns = *columns;
    for (int direction = 1; direction >= -1; direction -= 2) // moves the cursor to a visible column
        if (!table_column_is_visible(table, (unsigned)table->column))
            table->column = column_step(table, table->column, direction);
}

static void views_put(struct app *app, const struct report *report,
                      const struct column_layout *columns)
{
    struct view *view;
    for (size_t i = 0; (view = app_view_at(app, i)); i++) {
        if (view->report)
            layout_put(&view->table, report, columns);
        if (view->report != view->base)
            layout_put(&view->base_table, report, columns);
    }
}

static void layout_set(struct app *app, size_t r, const struct column_layout *columns)
{
    app->columns->layouts[r].is_there = column_layout_is_changed(reports[r], columns);
    app->columns->layouts[r].columns = *columns;
    views_put(app, reports[r], columns);
}

void app_store_columns(struct app *app, const struct table *table)
{
    size_t r = report_index(table->own);
    struct column_layout columns = table->columns;
    if (r < report_count)
        layout_set(app, r, &columns);
}

void app_apply_columns(struct app *app, struct table *table)
{
    size_t r = report_index(table->own);
    if (r < report_count && app->columns->layouts[r].is_there)
        layout_put(table, table->own, &app->columns->layouts[r].columns);
}

char *app_columns_text(const struct app *app, struct arena *arena)
{
    char *text = arena_format(arena, "%s", "");
    for (size_t r = 0; r < report_count; r++) {
        const char *line =
            app->columns->layouts[r].is_there
                ? column_layout_print(reports[r], &app->columns->layouts[r].columns, arena)
                : NULL;
        if (line)
            text = arena_format(arena, "%s%s\n", text, line);
    }
    return text;
}

bool app_columns_read(struct app *app, const char *text, struct error *error)
{
    enum { LINE_SIZE = 8192 };
    bool is_fine = true;
    for (size_t length; *text; text += length + (text[length] != 0)) {
        const struct report *report;
        struct column_layout columns;
        char line[LINE_SIZE];
        length = strcspn(text, "\r\n");
        if (length == 0)
            continue;
        snprintf(line, sizeof line, "%.*s", (int)(length < LINE_SIZE ? length : LINE_SIZE - 1),
                 text);
        bool is_read = column_layout_parse(line, &report, &columns, is_fine ? error : NULL);
        is_fine &= is_read;
        if (is_read && report_index(report) < report_count)
            layout_set(app, report_index(report), &columns);
    }
    return is_fine;
}
