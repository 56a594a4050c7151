// SPDX-License-Identifier: Apache-2.0
// The detail pane: every field of the row under the cursor, exactly, and what its column means.
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "ui/table.h"

// As in the table, and to the last digit; where only one has room, that.
static const char *full_text(const struct table *table, unsigned c, const void *row, int width,
                             struct arena *arena)
{
    const struct column *column = &table->report->columns[c];
    struct value value = table_value(table, c, row);
    const char *text = table_cell(table, c, row, arena), *exact, *both;
    const char *unit = column->unit == UNIT_NS || column->unit == UNIT_TIME ? "ns"
                       : column->unit == UNIT_BYTES                         ? "B"
                                                                            : NULL;
    char out[FORMAT_SIZE];
    if (value.kind == VALUE_TEXT)
        return value.text;
    if (!unit || (value.kind != VALUE_INTEGER && value.kind != VALUE_REAL))
        return text;
    bool has_sign = column->flags & COLUMN_SIGNED && value_whole(value) > 0;
    exact = arena_format(arena, "%s%s %s", has_sign ? "+" : "",
                         format_count(out, value_whole(value)), unit);
    if (strcmp(exact, text) == 0)
        return text;
    both = arena_format(arena, "%s   %s", text, exact);
    return canvas_width(both) <= width ? both : canvas_width(exact) <= width ? exact : text;
}

static int title_width_of(const struct report *report, int most)
{
    int title_width = 0;
    for (unsigned c = 0; c < report->column_count; c++) {
        int width = canvas_width(report->columns[c].title);
        title_width = width > title_width ? width : title_width;
    }
    return title_width > most ? most : title_width;
}

static void field_draw(const struct table *table, struct canvas *canvas, struct area field,
                       int title_width, unsigned c, const void *row)
{
    int room = field.width - title_width - 3;
    canvas_fit(canvas, field.x, field.y, title_width, STYLE_DIM, FIT_RIGHT,
               table->report->columns[c].title);
    canvas_fit(canvas, field.x + title_width + 2, field.y, room,
               (int)c == table->column ? STYLE_STRONG : STYLE_TEXT, FIT_MIDDLE,
               full_text(table, c, row, room, canvas->frame));
}

// In columns below each other; what these are too narrow for comes first, each in a line of its own.
static void fields_draw(const struct table *table, struct canvas *canvas, struct area area,
                        int columns, const void *row)
{
    const struct report *report = table->report;
    int cell = area.width / columns, title_width = title_width_of(report, cell / 2), n = 0;
    int lines = area.height, whole = 0;
    uint64_t drawn = 0; // bit per column
    for (unsigned c = 0; c < report->column_count && c < TABLE_COLUMNS && columns > 1; c++) {
        const struct column *column = &report->columns[c];
        if (column->unit != UNIT_TEXT || column->flags & COLUMN_NAME || whole >= area.height / 2 ||
            table->widths[c] <= cell - title_width - 3)
            continue;
        field_draw(table, canvas, (struct area){area.x, area.y + whole++, area.width, 1},
                   title_width, c, row);
        drawn |= UINT64_C(1) << c;
    }
    lines -= whole;
    for (unsigned c = 0; c < report->column_count && n < lines * columns; c++) {
        bool is_name = report->columns[c].flags & COLUMN_NAME;
        bool is_drawn = c < TABLE_COLUMNS && drawn >> c & 1;
        if ((is_name && report->columns[c].unit == UNIT_TEXT) || is_drawn)
            continue;
        struct area field = {area.x + n / lines * cell, area.y + whole + n % lines, cell, 1};
        field_draw(table, canvas, field, title_width, c, row);
        n++;
    }
}

void detail_draw(struct table *table, struct canvas *canvas, struct area area)
{
    const void *row = table_row(table);
    if (!row || area.height < 2 || area.width < 20)
        return;
    const struct report *report = table->report;
    const char *name = table_row_name(table, row);
    name = name ? name : "row";
    bool is_beside = area.x > 1;
    if (is_beside) {
        canvas_fill(canvas, (struct area){area.x, area.y, 1, area.height}, STYLE_RULE, 0x2502);
        area.x += 2;
        area.width -= 2;
    }
    canvas_rule(canvas, is_beside ? area.x : 0, area.y, is_beside ? area.width : canvas->width,
                is_beside ? "Row" : name);
    area.y++;
    area.height--;
    int used = 0;
    // The name in full first: it is what the table had to cut.
    bool is_cut = is_beside || canvas_width(name) > canvas->width - 6;
    if (is_cut)
        used = canvas_wrap(
            canvas,
            (struct area){area.x, area.y, area.width, area.height / 3 > 0 ? area.height / 3 : 1},
            STYLE_STRONG, text_safe(canvas->frame, name, strlen(name), true));
    const struct column *column = &report->columns[table->column];
    struct area doc = {area.x + 1, 0, area.width - 1, 2};
    bool has_doc = column->doc && area.height - used > 4;
    int lines = area.height - used - (has_doc ? 3 : 0);
    // Side by side where there is room, or where one below the other would be cut off.
    bool is_crowded = (int)report->column_count > lines + 1 && area.width >= 70;
    int columns = area.width >= 150 || is_crowded ? 2 : 1;
    struct area fields = {area.x, area.y + used, area.width, lines};
    fields_draw(table, canvas, fields, columns, row);
    if (has_doc) {
        doc.y = area.y + area.height - 3;
        canvas_fit(canvas, area.x, doc.y, area.width, STYLE_HEADER, FIT_LEFT, column->title);
        doc.y++;
        canvas_wrap(canvas, doc, STYLE_DIM, column->doc);
    }
}
