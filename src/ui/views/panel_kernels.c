// SPDX-License-Identifier: Apache-2.0
// The kernels that take most time, by family.
#include "ui/host.h"
#include "ui/term/canvas.h"
#include "ui/views/panel.h"
#include "ui/views/panel_shares.h"

static int rows(struct app *app, const struct summary_parts *parts)
{
    (void)app;
    return (int)parts->kernels.count;
}

static int lines(struct app *app, const struct summary_parts *parts, int width)
{
    (void)width;
    int count = rows(app, parts);
    return count ? 1 + count : 0;
}

static void draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor)
{
    (void)app;
    canvas_rule(canvas, area.x, area.y, area.width,
                arena_format(canvas->frame, "Kernels by family%s, %% %s (3)", parts->per,
                             parts->kernels.whole));
    shares_draw(canvas, (struct area){area.x, area.y + 1, area.width, area.height - 1},
                &parts->kernels, parts->divisor, false, cursor);
}

static void enter(struct app *app, const struct summary_parts *parts, int row)
{
    const struct share *share = &parts->kernels.items[row];
    struct selection selection = parts->selection;
    const char *opens = parts->kernels.report->narrow(host_profile(app), share->row, &selection);
    if (opens)
        host_open_report(app, opens, &selection, share->name);
}

static bool place(struct app *app, const struct summary_parts *parts, int row,
                  struct row_place *found)
{
    return shares_place(app, parts, &parts->kernels, row, found);
}

static void explain(struct app *app, const struct summary_parts *parts, int row)
{
    shares_explain(app, parts, &parts->kernels, row);
}

const struct panel panel_kernels = {
    .title = "Kernels",
    .doc = "GPU work by family: its sum per step and GPU, in percent of all of it",
    .rows = rows,
    .lines = lines,
    .draw = draw,
    .enters = "its launches",
    .enter = enter,
    .explain = explain,
    .place = place,
};
