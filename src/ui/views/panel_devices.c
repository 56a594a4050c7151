// SPDX-License-Identifier: Apache-2.0
// One bar per GPU, so that a slower GPU is visible.
#include <inttypes.h>

#include "analysis/breakdown/breakdown.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/panel.h"
#include "ui/widgets/bars.h"

static int rows(struct app *app, const struct summary_parts *parts)
{
    int count = 0;
    for (uint32_t d = 0; d < host_profile(app)->device_count && parts->devices; d++)
        count += host_profile(app)->devices[d].has_work;
    return count;
}

static uint32_t device_at(struct app *app, int row)
{
    uint32_t device = 0;
    while (!host_profile(app)->devices[device].has_work || row-- > 0)
        device++;
    return device;
}

static int lines(struct app *app, const struct summary_parts *parts, int width)
{
    // Leaves lines for other panels; more GPUs are reached by scrolling.
    enum { MAX_BARS = 8 };
    int count = rows(app, parts);
    (void)width;
    return 1 + (count > MAX_BARS ? MAX_BARS : count ? count : 1);
}

static void draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor)
{
    int count = rows(app, parts), first = panel_first_row(cursor, area.height - 1);
    canvas_rule(canvas, area.x, area.y, area.width, "GPUs (7)");
    if (count == 0)
        canvas_text_in(canvas, area.x + 1, area.y + 1, area.width - 2, STYLE_DIM,
                       "no GPU ran anything");
    for (int row = first; row < count && row - first < area.height - 1; row++) {
        struct area line = {area.x, area.y + 1 + row - first, area.width, 1};
        uint32_t device = device_at(app, row);
        const struct breakdown *part = &parts->devices[device];
        char text[FORMAT_SIZE];
        const char *figure = canvas->ascii ? "-" : "–";
        if (host_profile(app)->lacks_times)
            figure = format_duration(text, part->window_ns, canvas->ascii);
        else if (part->window_ns > 0)
            figure = arena_format(canvas->frame, "%s%% busy",
                                  format_percent(text, breakdown_busy(part)));
        canvas_format(canvas, line.x + 1, line.y, 8, STYLE_TEXT, "GPU %" PRId64,
                      device_number(host_profile(app), device));
        canvas_fit(canvas, line.x + 8, line.y, 12, STYLE_STRONG, FIT_RIGHT, figure);
        breakdown_bar_draw(canvas, line.x + 22, line.y, line.width - 23, &breakdown_gpu, part);
        if (row == cursor)
            panel_cursor_draw(canvas, line);
    }
}

static void enter(struct app *app, const struct summary_parts *parts, int row)
{
    (void)parts;
    host_go_to(app, view_class_find("devices"));
    view_refresh(host_top_view(app));
    table_go(&host_top_view(app)->table, device_at(app, row));
}

static void explain(struct app *app, const struct summary_parts *parts, int row)
{
    (void)parts;
    struct arena *arena = host_canvas(app)->frame;
    host_open_box(
        app,
        arena_format(arena, "GPU %" PRId64, device_number(host_profile(app), device_at(app, row))),
        arena_format(arena,
                     "busy: share of the chosen steps in which anything runs on this GPU; the "
                     "bar cuts the same time into what it did.\n\n%s",
                     breakdown_gpu.doc));
}

const struct panel panel_devices = {
    .title = "GPUs",
    .doc = "the parts of a step of each GPU, as in the bar above",
    .rows = rows,
    .lines = lines,
    .draw = draw,
    .enters = "the table of GPUs",
    .enter = enter,
    .explain = explain,
};
