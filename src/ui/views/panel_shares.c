// SPDX-License-Identifier: Apache-2.0
#include "ui/views/panel_shares.h"

#include "analysis/place/row_place_find.h"
#include "analysis/place/selection_text.h"
#include "analysis/report/value.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/panel.h"
#include "ui/widgets/bars.h"

static int time_draw(struct canvas *canvas, int x, int y, int64_t ns, double divisor,
                     enum style style)
{
    char time[FORMAT_SIZE];
    format_duration(time, ns_per_step(ns, divisor), canvas->ascii);
    canvas_fit(canvas, x, y, 9, style, FIT_RIGHT, ns ? time : canvas->ascii ? "-" : "–");
    return x + 10;
}

static double share_of(const struct shares *shares, const struct share *share)
{
    return shares->whole_ns > 0 ? (double)share->ns / (double)shares->whole_ns : 0;
}

static void line_draw(struct canvas *canvas, struct area area, const struct shares *shares,
                      const struct share *share, double divisor, bool has_parts)
{
    char percent[FORMAT_SIZE];
    int x = area.x + 1, name_width = area.width / 2 - (has_parts ? 20 : 8);
    canvas_fit(canvas, x, area.y, name_width, STYLE_TEXT, FIT_MIDDLE, share->name);
    x += name_width + 1;
    if (has_parts) {
        x = time_draw(canvas, x, area.y, share->forward_ns, divisor, STYLE_DIM);
        x = time_draw(canvas, x, area.y, share->backward_ns, divisor, STYLE_DIM);
    }
    x = time_draw(canvas, x, area.y, share->ns, divisor, STYLE_STRONG);
    canvas_fit(
        canvas, x, area.y, 6, STYLE_DIM, FIT_RIGHT,
        arena_format(canvas->frame, "%s%%", format_percent(percent, share_of(shares, share))));
    x += 8;
    int64_t largest = shares->items[0].ns;
    bar_draw(canvas, x, area.y, area.x + area.width - 1 - x, STYLE_BAR,
             (double)share->ns / (double)largest);
}

void shares_draw(struct canvas *canvas, struct area area, const struct shares *shares,
                 double divisor, bool has_parts, int cursor)
{
    int first = panel_first_row(cursor, area.height);
    for (int row = first; row < (int)shares->count && row - first < area.height; row++) {
        struct area line = {area.x, area.y + row - first, area.width, 1};
        line_draw(canvas, line, shares, &shares->items[row], divisor, has_parts);
        if (row == cursor)
            panel_cursor_draw(canvas, line);
    }
}

void shares_explain(struct app *app, const struct summary_parts *parts, const struct shares *shares,
                    int row)
{
    struct arena *arena = host_canvas(app)->frame;
    const struct share *share = &shares->items[row];
    const struct column *column = report_column(shares->report, shares->key);
    char time[FORMAT_SIZE], percent[FORMAT_SIZE];
    format_duration(time, ns_per_step(share->ns, parts->divisor), host_canvas(app)->ascii);
    format_percent(percent, share_of(shares, share));
    host_open_box(app, share->name,
                  arena_format(arena, "%s%s: %s\n\n%s%% %s.\n\n%s\n\nOf: %s", time, parts->per,
                               column && column->doc ? column->doc : "", percent, shares->whole,
                               shares->report->doc ? shares->report->doc : "",
                               selection_text(host_profile(app), &parts->selection, arena)));
}

bool shares_place(struct app *app, const struct summary_parts *parts, const struct shares *shares,
                  int row, struct row_place *place)
{
    return place_of_row(host_profile(app), &parts->selection, shares->report,
                        shares->items[row].row, place, host_canvas(app)->frame);
}
