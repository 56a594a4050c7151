// SPDX-License-Identifier: Apache-2.0
// The detail pane: every field of the row under the cursor with its exact value, and the
// documentation of its column.
#include <limits.h>
#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "ui/table/table.h"
#include "ui/widgets/list.h"

// Returns the text as in the table followed by the exact value, or only one of them if there is no
// room for both.
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

static int title_width_of(const struct table *table, int limit)
{
    int title_width = 0;
    for (unsigned c = 0; c < table->report->column_count; c++) {
        int width = table_column_exists(table, c) ? canvas_width(table_title(table, c)) : 0;
        title_width = width > title_width ? width : title_width;
    }
    return title_width > limit ? limit : title_width;
}

// The fields of a row as scrolling lines. Fields that are too long for one line are shown first,
// over several lines. The others are below each other in columns; if they do not fit into the
// height, further pages of columns follow.
struct detail_fields {
    const struct table *table;
    const void *row;
    struct canvas *canvas; // NULL: only count lines
    struct arena *arena;
    struct area area; // visible area
    int columns, title_width;
    int top, at; // top: lines above the area; at: next line, counted from the first one
};

static void title_draw(const struct detail_fields *fields, int x, int y, unsigned c)
{
    canvas_fit(fields->canvas, x, y, fields->title_width, STYLE_DIM, FIT_RIGHT,
               table_title(fields->table, c));
}

static enum style field_style(const struct detail_fields *fields, unsigned c)
{
    return (int)c == fields->table->column ? STYLE_STRONG : STYLE_TEXT;
}

static void field_draw(const struct detail_fields *fields, int x, int line, unsigned c)
{
    int room = fields->area.width / fields->columns - fields->title_width - 3;
    int y = fields->area.y + line - fields->top;
    if (!fields->canvas || y < fields->area.y || y >= fields->area.y + fields->area.height)
        return;
    title_draw(fields, x, y, c);
    canvas_fit(fields->canvas, x + fields->title_width + 2, y, room, field_style(fields, c),
               FIT_MIDDLE, full_text(fields->table, c, fields->row, room, fields->arena));
}

// Draws a long text, wrapped to the right of its title.
static void long_field_draw(struct detail_fields *fields, unsigned c, struct canvas *canvas)
{
    int room = fields->area.width - fields->title_width - 3;
    const char *raw = full_text(fields->table, c, fields->row, room, fields->arena);
    const char *text = text_safe(fields->arena, raw, strlen(raw), true);
    int lines = canvas_wrap_from(canvas, (struct area){0, 0, room, 0}, 0, STYLE_TEXT, text);
    int hidden_above = fields->top - fields->at > 0 ? fields->top - fields->at : 0;
    int y = fields->area.y + fields->at + hidden_above - fields->top;
    int visible_lines = fields->area.y + fields->area.height - y;
    visible_lines = visible_lines < lines - hidden_above ? visible_lines : lines - hidden_above;
    fields->at += lines > 0 ? lines : 1;
    if (!fields->canvas || visible_lines <= 0)
        return;
    if (hidden_above == 0)
        title_draw(fields, fields->area.x, y, c);
    struct area area = {fields->area.x + fields->title_width + 2, y, room, visible_lines};
    canvas_wrap_from(canvas, area, hidden_above, field_style(fields, c), text);
}

static bool is_text_name(const struct detail_fields *fields, unsigned c)
{
    const struct column *column = &fields->table->report->columns[c];
    return column->flags & COLUMN_NAME && column->unit == UNIT_TEXT;
}

static bool is_long(const struct detail_fields *fields, unsigned c)
{
    const struct column *column = &fields->table->report->columns[c];
    int room = fields->area.width / fields->columns - fields->title_width - 3;
    struct value value = column->unit == UNIT_TEXT ? column->get(fields->row) : value_none();
    return value.kind == VALUE_TEXT && canvas_width(value.text) > room;
}

// Draws the fields, or counts lines if there is no canvas. Returns the number of lines. `has_name`:
// the name above the fields is cut, so it is repeated in full after them.
static int fields_draw(struct detail_fields *fields, bool has_name, struct canvas *canvas)
{
    // Minimum lines of a page of fields, even if the long fields need the whole area.
    enum { MIN_PAGE = 3 };
    unsigned count = column_layout_count(fields->table->report);
    int cell = fields->area.width / fields->columns, n = 0;
    for (unsigned c = 0; c < count; c++)
        if (!is_text_name(fields, c) && is_long(fields, c))
            long_field_draw(fields, c, canvas);
    int page =
        fields->area.height - fields->at > MIN_PAGE ? fields->area.height - fields->at : MIN_PAGE;
    for (unsigned c = 0; c < count; c++) {
        if (is_text_name(fields, c) || is_long(fields, c) || !table_column_exists(fields->table, c))
            continue;
        int from = n / (page * fields->columns) * page;
        field_draw(fields, fields->area.x + n / page % fields->columns * cell,
                   fields->at + from + n % page, c);
        n++;
    }
    int last = n % (page * fields->columns);
    fields->at += n / (page * fields->columns) * page + (last < page ? last : page);
    for (unsigned c = 0; has_name && c < count; c++)
        if (is_text_name(fields, c))
            long_field_draw(fields, c, canvas);
    return fields->at;
}

void detail_draw(struct table *table, struct canvas *canvas, struct area area)
{
    const void *row = table_row(table);
    if (!row || area.height < 2 || area.width < 20)
        return;
    const struct report *report = table->report;
    const char *name = table_row_name(table, row);
    name = name ? name : "row";
    bool is_right_of_list = area.x > 1;
    if (is_right_of_list) {
        canvas_fill(canvas, (struct area){area.x, area.y, 1, area.height}, STYLE_RULE, 0x2502);
        area.x += 2;
        area.width -= 2;
    }
    struct area rule = {is_right_of_list ? area.x : 0, area.y,
                        is_right_of_list ? area.width : canvas->width, 1};
    canvas_rule(canvas, rule.x, rule.y, rule.width, is_right_of_list ? "Row" : name);
    area.y++;
    area.height--;
    int used = 0, name_lines = 0;
    // The full name is the first line, because the table may cut it.
    if (is_right_of_list || canvas_width(name) > canvas->width - 6) {
        const char *text = text_safe(canvas->frame, name, strlen(name), true);
        int limit = area.height / 3 > 0 ? area.height / 3 : 1;
        name_lines =
            canvas_wrap_from(canvas, (struct area){0, 0, area.width, 0}, 0, STYLE_TEXT, text);
        used = canvas_wrap(canvas, (struct area){area.x, area.y, area.width, limit}, STYLE_STRONG,
                           text);
    }
    bool has_doc = area.height - used > 4;
    int lines = area.height - used - (has_doc ? 3 : 0);
    // Uses two columns where there is room, or where one column would be cut off.
    bool is_crowded = (int)report->column_count > lines + 1 && area.width >= 70;
    int columns = area.width >= 150 || is_crowded ? 2 : 1;
    struct detail_fields fields = {
        .table = table,
        .row = row,
        .arena = canvas->frame,
        .area = {area.x, area.y + used, area.width, lines > 0 ? lines : 0},
        .columns = columns,
        .title_width = title_width_of(table, area.width / columns / 2),
        .top = table->detail_top,
    };
    // Counting first determines how far the pane can scroll.
    struct detail_fields counted = fields;
    int line_count = fields_draw(&counted, name_lines > used, canvas);
    int limit = line_count > lines ? line_count - lines : 0;
    fields.top = table->detail_top = table->detail_top < limit ? table->detail_top : limit;
    fields.canvas = canvas;
    fields_draw(&fields, name_lines > used, canvas);
    table->detail_page = lines > 1 ? lines : 1;
    scroll_hint_draw(canvas, rule,
                     scroll_hint_text(fields.top > 0, limit - fields.top, canvas->frame));
    if (has_doc) {
        unsigned c = (unsigned)table->column;
        struct area doc = {area.x + 1, area.y + area.height - 3, area.width - 1, 2};
        canvas_fit(canvas, area.x, doc.y, area.width, STYLE_HEADER, FIT_LEFT,
                   table_title(table, c));
        doc.y++;
        canvas_wrap(canvas, doc, STYLE_DIM, table_doc(table, c));
    }
}
