// SPDX-License-Identifier: Apache-2.0
// Changes, prints and parses the arrangement of columns. A place is a position from the left,
// counting hidden columns too. A line of text has parts such as "hidden=a,b".
#include "ui/table/column_layout.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/reports/report_list.h"
#include "base/text/text.h"

unsigned column_layout_count(const struct report *report)
{
    return report->column_count < MAX_TABLE_COLUMNS ? (unsigned)report->column_count
                                                    : MAX_TABLE_COLUMNS;
}

struct column_layout column_layout_of(const struct report *report)
{
    struct column_layout layout = {.hidden = 0};
    for (unsigned c = 0; c < column_layout_count(report); c++) {
        layout.order[c] = (uint16_t)c;
        if (report->columns[c].flags & COLUMN_DETAIL)
            layout.hidden |= UINT64_C(1) << c;
    }
    return layout;
}

bool column_layout_is_changed(const struct report *report, const struct column_layout *layout)
{
    struct column_layout defaults = column_layout_of(report);
    return memcmp(&defaults, layout, sizeof defaults) != 0;
}

unsigned column_layout_place(const struct report *report, const struct column_layout *layout,
                             unsigned column)
{
    unsigned place = 0;
    while (place + 1 < column_layout_count(report) && layout->order[place] != column)
        place++;
    return place;
}

void column_layout_show(struct column_layout *layout, unsigned column, bool is_shown)
{
    uint64_t bit = UINT64_C(1) << column;
    layout->hidden = is_shown ? layout->hidden & ~bit : layout->hidden | bit;
    layout->wanted = is_shown ? layout->wanted | bit : layout->wanted & ~bit;
}

void column_layout_move_to(const struct report *report, struct column_layout *layout,
                           unsigned column, unsigned place)
{
    unsigned from = column_layout_place(report, layout, column);
    unsigned last = column_layout_count(report) - 1;
    place = place < last ? place : last;
    uint16_t *order = layout->order;
    if (from < place)
        memmove(order + from, order + from + 1, (place - from) * sizeof *order);
    else
        memmove(order + place + 1, order + place, (from - place) * sizeof *order);
    order[place] = (uint16_t)column;
}

bool column_layout_move(const struct report *report, struct column_layout *layout, unsigned column,
                        int direction)
{
    int place = (int)column_layout_place(report, layout, column) + direction;
    int count = (int)column_layout_count(report);
    while (place >= 0 && place < count && column_layout_hides(layout, layout->order[place]))
        place += direction;
    if (place < 0 || place >= count)
        return false;
    column_layout_move_to(report, layout, column, (unsigned)place);
    return true;
}

void column_layout_set_width(struct column_layout *layout, unsigned column, int width)
{
    width = width == 0 ? 0 : width < MIN_COLUMN_WIDTH ? MIN_COLUMN_WIDTH : width;
    layout->width[column] = (uint16_t)(width > MAX_COLUMN_WIDTH ? MAX_COLUMN_WIDTH : width);
}

// ---- text form ---------------------------------------------------------------------------------

// Prints " hidden=a,b" for the columns in a set; "" if it is empty.
static const char *set_print(const struct report *report, const char *word, uint64_t set,
                             struct arena *arena)
{
    const char *text = "";
    for (unsigned c = 0; c < column_layout_count(report); c++)
        if (set >> c & 1)
            text = arena_format(arena, "%s%s%s", *text ? text : word, *text ? "," : "",
                                report->columns[c].key);
    return text;
}

char *column_layout_print(const struct report *report, const struct column_layout *layout,
                          struct arena *arena)
{
    struct column_layout defaults = column_layout_of(report);
    const char *order = "", *width = "";
    if (memcmp(defaults.order, layout->order, sizeof defaults.order) != 0)
        for (unsigned i = 0; i < column_layout_count(report); i++)
            order = arena_format(arena, "%s%s%s", *order ? order : " order=", *order ? "," : "",
                                 report->columns[layout->order[i]].key);
    for (unsigned c = 0; c < column_layout_count(report); c++)
        if (layout->width[c])
            width = arena_format(arena, "%s%s%s:%u", *width ? width : " width=", *width ? "," : "",
                                 report->columns[c].key, layout->width[c]);
    if (!column_layout_is_changed(report, layout))
        return NULL;
    return arena_format(
        arena, "%s:%s%s%s%s", report->name, order,
        set_print(report, " hidden=", layout->hidden & ~defaults.hidden, arena),
        set_print(report, " shown=", (layout->wanted | defaults.hidden) & ~layout->hidden, arena),
        width);
}

// Finds a column by a key that is not NUL-terminated; returns -1 if the report has none.
static int column_named(const struct report *report, const char *name, size_t length)
{
    for (unsigned c = 0; c < column_layout_count(report); c++)
        if (strlen(report->columns[c].key) == length &&
            strncmp(report->columns[c].key, name, length) == 0)
            return (int)c;
    return -1;
}

// Completes an order of which only the first `count` columns were listed: each other column is
// inserted after its left neighbour in the report.
static void order_fill(const struct report *report, struct column_layout *layout, uint64_t listed,
                       unsigned count)
{
    for (unsigned c = 0; c < column_layout_count(report); c++) {
        if (listed >> c & 1)
            continue;
        unsigned place = 0;
        while (c > 0 && place < count && layout->order[place] != c - 1)
            place++;
        place += c > 0 && place < count;
        memmove(layout->order + place + 1, layout->order + place,
                (count - place) * sizeof *layout->order);
        layout->order[place] = (uint16_t)c;
        count++;
    }
}

// Parses "order=a,b", "hidden=a", "shown=a" or "width=a:8". Returns false for anything else.
static bool part_parse(const char *part, size_t length, const struct report *report,
                       struct column_layout *layout)
{
    static const char *const part_names[] = {"order=", "hidden=", "shown=", "width="};
    enum { ORDER, HIDDEN, SHOWN, WIDTH, WORDS } part_kind = ORDER;
    while (part_kind < WORDS &&
           strncmp(part, part_names[part_kind], strlen(part_names[part_kind])) != 0)
        part_kind++;
    if (part_kind == WORDS)
        return false;
    uint64_t listed = 0;
    unsigned count = 0;
    const char *end = part + length;
    for (const char *at = part + strlen(part_names[part_kind]); at < end;) {
        size_t name = 0;
        while (at + name < end && at[name] != ',' && at[name] != ':')
            name++;
        int column = column_named(report, at, name);
        at += name;
        int width = *at == ':' && at < end ? atoi(at + 1) : 0;
        while (at < end && *at != ',')
            at++;
        at += at < end;
        if (column < 0 || listed >> column & 1)
            continue;
        listed |= UINT64_C(1) << column;
        if (part_kind == ORDER)
            layout->order[count++] = (uint16_t)column;
        else if (part_kind == WIDTH)
            column_layout_set_width(layout, (unsigned)column, width > 0 ? width : 0);
        else if (!(report->columns[column].flags & COLUMN_NAME)) // name columns cannot be hidden
            column_layout_show(layout, (unsigned)column, part_kind == SHOWN);
    }
    if (part_kind == ORDER)
        order_fill(report, layout, listed, count);
    return true;
}

bool column_layout_parse(const char *line, const struct report **report,
                         struct column_layout *layout, struct error *error)
{
    char name[64];
    size_t length = strcspn(line, ":");
    if (line[length] != ':' || length >= sizeof name)
        return error_set(error, ERROR_USAGE, "'%.40s': expected a report and a colon", line);
    memcpy(name, line, length);
    name[length] = 0;
    const struct report *found = report_find(name);
    if (!found)
        return error_set(error, ERROR_USAGE, "no report '%s'", name);
    struct column_layout parsed = column_layout_of(found);
    for (const char *at = line + length + 1; *at; at += length) {
        at += strspn(at, " \t\r\n");
        length = strcspn(at, " \t\r\n");
        if (length > 0 && !part_parse(at, length, found, &parsed))
            return error_set(error, ERROR_USAGE,
                             "%s: '%.*s' is none of order= hidden= shown= width=", name,
                             (int)(length < 40 ? length : 40), at);
    }
    *report = found;
    *layout = parsed;
    return true;
}
