// SPDX-License-Identifier: Apache-2.0
// The layers and ranges that take most time.
#include <stdio.h>
#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/idle/exposed.h"
#include "analysis/reports/report_list.h"
#include "analysis/reports/row_figures.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/panel.h"
#include "ui/views/panel_shares.h"

static bool shares_are_of_gpu(const struct shares *shares)
{
    return strcmp(shares->key ? shares->key : "", "gpu") == 0 && shares->count > 0;
}

static int rows(struct app *app, const struct summary_parts *parts)
{
    (void)app;
    return (int)parts->places.count;
}

static int lines(struct app *app, const struct summary_parts *parts, int width)
{
    (void)width;
    int count = rows(app, parts);
    return 1 + (count ? count : 1);
}

static void draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor)
{
    const struct shares *shares = &parts->places;
    (void)app;
    bool has_gpu = shares_are_of_gpu(shares);
    bool has_parts = false;
    for (size_t i = 0; i < shares->count; i++)
        has_parts |= shares->items[i].backward_ns > 0 && area.width >= 100;
    canvas_rule(canvas, area.x, area.y, area.width,
                arena_format(canvas->frame, "%s%s%s, %% %s",
                             has_gpu ? "Where GPU time goes" : "Where host time goes",
                             has_parts ? ": forward and other, backward, both" : "",
                             has_gpu ? parts->per : "", shares->whole));
    struct area below = {area.x, area.y + 1, area.width, area.height - 1};
    if (shares->count == 0)
        canvas_text_in(canvas, area.x + 1, below.y, area.width - 2, STYLE_DIM,
                       "No ranges and no GPU work in this selection.");
    shares_draw(canvas, below, shares, parts->divisor, has_parts, cursor);
}

// Shows an operator in the view of operators. Switching views may free this view, so its data must
// not be read after host_go_to().
static void show_operator(struct app *app, uint64_t id)
{
    const struct view_class *class = view_class_find("operators");
    host_go_to(app, class);
    if (host_top_view(app)->class != class)
        return;
    view_refresh(host_top_view(app));
    table_go(&host_top_view(app)->table, id);
}

static void enter(struct app *app, const struct summary_parts *parts, int row)
{
    const struct share *share = &parts->places.items[row];
    struct selection selection = parts->selection;
    selection.node = ROW_NONE;
    const struct report *report = parts->places.report;
    if (report == report_find("operators")) { // of a profile without GPU work
        show_operator(app, report->id(share->row));
        return;
    }
    if (report->narrow)
        report->narrow(host_profile(app), share->row, &selection);
    if (selection.node == ROW_NONE) {
        const char *filter = exposed_row_filter(share->row);
        const struct finding rows = {.filter = filter, .sort = "-exclusive"};
        if (!filter)
            host_say(app, "'%s' is work of many places: 3 shows its kernels", share->name);
        else if (host_open_view(app, view_class_find("launches"), &selection, 0, share->name)) {
            struct view *view = host_top_view(app);
            host_show_finding_rows(view, &rows);
            // The number of this row depends on the selected steps, so sessions record a new view
            // of launches instead of it.
            snprintf(view->opened, sizeof view->opened, "view launches new");
        }
        return;
    }
    host_show_node(app, selection.node, share->name);
    if (share->backward_ns > 0) { // in that view forward and backward are two columns
        char here[FORMAT_SIZE], backward[FORMAT_SIZE], both[FORMAT_SIZE];
        bool ascii = host_canvas(app)->ascii;
        host_say(app, "%s here and %s in its backward (bwd) are the %s",
                 format_duration(here, ns_per_step(share->forward_ns, parts->divisor), ascii),
                 format_duration(backward, ns_per_step(share->backward_ns, parts->divisor), ascii),
                 format_duration(both, ns_per_step(share->ns, parts->divisor), ascii));
    }
}

static bool place(struct app *app, const struct summary_parts *parts, int row,
                  struct row_place *found)
{
    return shares_place(app, parts, &parts->places, row, found);
}

static void explain(struct app *app, const struct summary_parts *parts, int row)
{
    shares_explain(app, parts, &parts->places, row);
}

const struct panel panel_layers = {
    .title = "Where GPU time goes",
    .doc = "exclusive GPU time of layers, per step and GPU, their backward beside it, in percent "
           "of the step; with idle time they add up to it",
    .rows = rows,
    .lines = lines,
    .draw = draw,
    .enters = "where it is listed",
    .enter = enter,
    .explain = explain,
    .place = place,
};
