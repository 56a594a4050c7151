// SPDX-License-Identifier: Apache-2.0
// Why the GPUs are idle: the causes with their evidence, and their sum.
#include "analysis/breakdown/breakdown.h"
#include "analysis/report/value.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/panel.h"

struct order {
    enum idle_cause causes[IDLE_CAUSES];
    int count;
};

static struct order order_of(const struct summary_parts *parts)
{
    struct order order;
    order.count = (int)idle_order(&parts->idle, order.causes);
    return order;
}

static int rows(struct app *app, const struct summary_parts *parts)
{
    (void)app;
    return parts->total.window_ns > 0 ? order_of(parts).count : 0;
}

static int lines(struct app *app, const struct summary_parts *parts, int width)
{
    enum { RULE_AND_SUM = 2 };
    int count = rows(app, parts);
    (void)width;
    return count ? RULE_AND_SUM + count : 0;
}

// Returns a text of the report of causes, of the column "evidence" or "place"; "" if empty.
static const char *cell_of(const struct summary_parts *parts, enum idle_cause cause,
                           const char *key)
{
    const struct cached *cached = parts->causes;
    for (size_t r = 0; cached && r < cached->rows.count; r++) {
        const void *row = report_row(cached->report, &cached->rows, r);
        struct value value = report_column(cached->report, key)->get(row);
        if (cached->report->id(row) == (uint64_t)cause)
            return value.kind == VALUE_TEXT ? value.text : "";
    }
    return "";
}

static int figures_draw(struct canvas *canvas, struct area line, const char *name, int64_t ns,
                        const struct summary_parts *parts, enum style style)
{
    char time[FORMAT_SIZE], percent[FORMAT_SIZE];
    int x = line.x + 1;
    canvas_fit(canvas, x, line.y, 18, style, FIT_LEFT, name);
    format_duration(time, ns_per_step(ns, parts->steps), canvas->ascii);
    canvas_fit(canvas, x + 18, line.y, 9, STYLE_STRONG, FIT_RIGHT, time);
    format_percent(percent, breakdown_share(&parts->total, ns));
    canvas_fit(canvas, x + 28, line.y, 6, STYLE_DIM, FIT_RIGHT,
               arena_format(canvas->frame, "%s%%", percent));
    return x + 36;
}

static void draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor)
{
    struct order order = order_of(parts);
    int right = area.x + area.width - 1, room = area.height - 2;
    int first = panel_first_row(cursor, room);
    (void)app;
    canvas_rule(canvas, area.x, area.y, area.width,
                arena_format(canvas->frame, "Idle by cause%s", parts->per));
    for (int row = first; row < order.count && row - first < room; row++) {
        struct area line = {area.x, area.y + 1 + row - first, area.width, 1};
        enum idle_cause cause = order.causes[row];
        const char *evidence = cell_of(parts, cause, "evidence");
        const char *place = cell_of(parts, cause, "place");
        int x = figures_draw(canvas, line, idle_causes[cause].title, parts->idle.ns[cause], parts,
                             STYLE_TEXT);
        canvas_fit(canvas, x, line.y, right - x, STYLE_DIM, FIT_MIDDLE,
                   arena_format(canvas->frame, "%s%s%s", evidence,
                                *evidence && *place ? " in " : "", place));
        if (row == cursor)
            panel_cursor_draw(canvas, line);
    }
    if (room >= 0)
        figures_draw(canvas, (struct area){area.x, area.y + area.height - 1, area.width, 1},
                     "sum = GPU idle", parts->idle.idle_ns, parts, STYLE_DIM);
}

static void enter(struct app *app, const struct summary_parts *parts, int row)
{
    struct selection selection = parts->selection;
    enum idle_cause cause = order_of(parts).causes[row];
    selection.idle_cause = cause;
    host_open_report(app, "idle_gaps", &selection, idle_causes[cause].title);
}

static void explain(struct app *app, const struct summary_parts *parts, int row)
{
    enum idle_cause cause = order_of(parts).causes[row];
    host_open_box(
        app, idle_causes[cause].title,
        arena_format(host_canvas(app)->frame,
                     "%s\n\nEach instant without GPU work has one cause: the first, in a "
                     "fixed order, that applies. The causes add up to the idle time of the "
                     "bar, mean of the GPUs.",
                     idle_causes[cause].doc));
}

const struct panel panel_idle = {
    .title = "Idle",
    .doc = "why the GPUs had nothing to do: the first cause that applies to an instant, so that "
           "they add up",
    .rows = rows,
    .lines = lines,
    .draw = draw,
    .enters = "its stretches one by one",
    .enter = enter,
    .explain = explain,
};
