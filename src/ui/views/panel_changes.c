// SPDX-License-Identifier: Apache-2.0
// The changes since the baseline: the cost of a step on both sides, largest change first.
#include <stdlib.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/compare/compare.h"
#include "analysis/reports/report_list.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/panel.h"
#include "ui/widgets/bars.h"

enum { FIRST = 1 }; // the first row is the step itself, which the title shows

// Columns of the comparison report: name, A, B, B - A, percent, kind of change. FIGURES is the
// number of figures between NAME and WHAT.
enum { NAME, DELTA = 3, FIGURES = 4, WHAT = NAME + FIGURES + 1 };
enum { BARS = 2, BARS_FROM = 30 }; // bars need a screen of at least BARS_FROM lines

static const void *row_at(const struct summary_parts *parts, int row)
{
    return report_row(parts->changes->report, &parts->changes->rows, (size_t)row + FIRST);
}

// Returns the number of changes above 1/PART of the baseline's step; rows are sorted by size.
static int rows(struct app *app, const struct summary_parts *parts)
{
    enum { PART = 10000 };
    int count = 0;
    (void)app;
    if (!parts->changes || parts->changes->rows.count <= FIRST)
        return 0;
    const struct column *delta = &parts->changes->report->columns[DELTA];
    int64_t least = parts->before.window_ns / PART;
    while (count < (int)(parts->changes->rows.count - FIRST)) {
        struct value value = delta->get(row_at(parts, count));
        if (value.kind != VALUE_INTEGER || llabs(value.integer) <= least)
            break;
        count++;
    }
    return count;
}

static bool has_bars(struct app *app, const struct summary_parts *parts)
{
    return host_canvas(app)->height >= BARS_FROM && parts->before.window_ns > 0 &&
           parts->after.window_ns > 0;
}

static int lines(struct app *app, const struct summary_parts *parts, int width)
{
    (void)width;
    int count = rows(app, parts);
    count = count ? count : 1;
    count += has_bars(app, parts) ? BARS : 0;
    return parts->changes ? 1 + count : 0;
}

static const char *cell_text(const struct canvas *canvas, const struct column *column,
                             const void *row)
{
    struct value value = column->get(row);
    if (value.kind == VALUE_NONE)
        return canvas->ascii ? "-" : "–";
    return value_display_text(column, value, canvas->ascii, canvas->frame);
}

static void line_draw(struct canvas *canvas, struct area area, const struct summary_parts *parts,
                      const void *row)
{
    // Widths of a figure and of the kind of change.
    enum { FIGURE = 10, MARK = 6 };
    const struct column *columns = parts->changes->report->columns;
    int name = area.width - 2 - FIGURES * FIGURE - MARK, x = area.x + 1;
    canvas_fit(canvas, x, area.y, name, STYLE_TEXT, FIT_MIDDLE,
               cell_text(canvas, &columns[NAME], row));
    x += name;
    for (int f = 1; f <= FIGURES; f++, x += FIGURE) {
        const struct column *column = &columns[NAME + f];
        const char *text = cell_text(canvas, column, row);
        enum style style = !(column->flags & COLUMN_SIGNED) ? STYLE_DIM
                           : *text == '+' || *text == 'x'   ? STYLE_BAD
                           : *text == '-' && text[1]        ? STYLE_GOOD
                                                            : STYLE_DIM;
        if (column->unit == UNIT_PERCENT && column->get(row).kind != VALUE_NONE && *text != 'x')
            text = arena_format(canvas->frame, "%s%%", text);
        canvas_fit(canvas, x, area.y, FIGURE - 1, style, FIT_RIGHT, text);
    }
    if (columns[WHAT].get(row).kind == VALUE_TEXT)
        canvas_fit(canvas, x, area.y, MARK, STYLE_WARNING, FIT_LEFT,
                   cell_text(canvas, &columns[WHAT], row));
}

// Draws one step of each side, both to one scale.
static void bars_draw(struct canvas *canvas, struct area area, const struct summary_parts *parts)
{
    // Width of the label left of a bar.
    enum { LABEL = 12 };
    const struct breakdown *sides[] = {&parts->before, &parts->after};
    int64_t longest = parts->before.window_ns > parts->after.window_ns ? parts->before.window_ns
                                                                       : parts->after.window_ns;
    int room = area.width - 2 - LABEL;
    for (int s = 0; s < BARS && room > 0; s++) {
        char time[FORMAT_SIZE];
        format_duration(time, sides[s]->window_ns, canvas->ascii);
        canvas_fit(canvas, area.x + 1, area.y + s, LABEL - 1, STYLE_TEXT, FIT_LEFT,
                   arena_format(canvas->frame, "%c  %s", 'A' + s, time));
        int width = (int)((double)room * ((double)sides[s]->window_ns / (double)longest) + 0.5);
        breakdown_bar_draw(canvas, area.x + 1 + LABEL, area.y + s, width > 0 ? width : 1,
                           &breakdown_gpu, sides[s]);
    }
}

static void draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor)
{
    const struct rows *changes = &parts->changes->rows;
    const char *step = changes->caption ? changes->caption : "";
    const char *one = host_compared_unit(app);
    canvas_rule(canvas, area.x, area.y, area.width,
                arena_format(canvas->frame, "What changed: %s", step));
    if (area.height > 1 + BARS && has_bars(app, parts)) {
        bars_draw(canvas, (struct area){area.x, area.y + 1, area.width, BARS}, parts);
        area.y += BARS;
        area.height -= BARS;
    }
    if (rows(app, parts) == 0)
        canvas_text_in(
            canvas, area.x + 1, area.y + 1, area.width - 2, STYLE_DIM,
            parts->changes->rows.count > FIRST
                ? arena_format(canvas->frame, "Nothing moved by a ten-thousandth of the %s.", one)
                : "No GPU work on either side.");
    int height = area.height - 1, first = panel_first_row(cursor, height);
    for (int row = first; row < rows(app, parts) && row - first < height; row++) {
        struct area line = {area.x, area.y + 1 + row - first, area.width, 1};
        line_draw(canvas, line, parts, row_at(parts, row));
        if (row == cursor)
            panel_cursor_draw(canvas, line);
    }
}

static void enter(struct app *app, const struct summary_parts *parts, int row)
{
    struct selection selection = parts->selection;
    const struct report *report = parts->changes->report;
    const void *data = row_at(parts, row);
    struct value name = report->columns[NAME].get(data);
    const char *opens = report->narrow(host_profile(app), data, &selection);
    if (opens)
        host_open_report(app, opens, &selection, name.kind == VALUE_TEXT ? name.text : "");
    else
        host_say(app, compare_row_side(data, SIDE_B) ? "this is no work of its own"
                                                     : "this is gone: only the baseline has it");
}

static void explain(struct app *app, const struct summary_parts *parts, int row)
{
    const struct column *columns = parts->changes->report->columns;
    const char *one = host_compared_unit(app);
    (void)row;
    host_open_box(
        app, "What changed",
        arena_format(host_canvas(app)->frame,
                     "%s\n\nA is the baseline, B what is looked at, figures %s. The rows add up "
                     "to the %s, and B - A to the difference of A and B.\n\n%s",
                     parts->changes->report->doc,
                     host_comparison_unit_text(app, report_find("costs"), host_canvas(app)->frame),
                     one, columns[WHAT].doc));
}

const struct panel panel_changes = {
    .title = "What changed",
    .doc = "against the baseline: parts of a step and rows whose time differs most, B - A",
    .rows = rows,
    .lines = lines,
    .draw = draw,
    .enters = "the kernels or the idle time of it, on both sides",
    .enter = enter,
    .explain = explain,
};
