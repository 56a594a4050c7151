// SPDX-License-Identifier: Apache-2.0
// The panel of steps: a sparkline of their lengths, which shows whether they are steady, with the
// numbers of those that are left out or slow.
#include <stdlib.h>
#include <string.h>

#include "base/text/format.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/steps.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/panel.h"
#include "ui/views/steps_chart.h"
#include "ui/widgets/bars.h"

static int rows(struct app *app, const struct summary_parts *parts)
{
    (void)parts;
    return host_scope(app)->split->method == SPLIT_NONE ? 0 : (int)app_steps(app)->count;
}

static int lines(struct app *app, const struct summary_parts *parts, int width)
{
    (void)app, (void)parts, (void)width;
    return 2;
}

struct scale {
    double low, high;
};

static struct scale scale_of(const struct steps *steps)
{
    struct scale scale = {1e30, 0};
    for (uint32_t i = 0; i < steps->count; i++) {
        if (steps->duration_ns[i] == UNKNOWN)
            continue;
        double value = (double)steps->duration_ns[i];
        scale.low = value < scale.low ? value : scale.low;
        scale.high = value > scale.high ? value : scale.high;
    }
    // The scale spans at least a third of the longest step, so that small jitter looks small.
    if (scale.high - scale.low < scale.high / 3)
        scale.low = scale.high * 2 / 3;
    return scale;
}

// Draws a column per step or per `bucket` steps, as high as the longest of them. A column whose
// steps are all left out gets a sign instead of a height, so that no theme needs a colour for it.
// Returns the number of columns.
static int line_draw(struct app *app, struct canvas *canvas, int x, int y, uint32_t bucket,
                     int cursor)
{
    const struct steps *steps = app_steps(app);
    struct scale scale = scale_of(steps);
    int at = x;
    for (uint32_t i = 0; i < steps->count; i += bucket, at++) {
        double longest = 0;
        uint32_t longest_step = i;
        bool is_in = false;
        for (uint32_t k = i; k < i + bucket && k < steps->count; k++) {
            double value = steps->duration_ns[k] == UNKNOWN ? 0 : (double)steps->duration_ns[k];
            longest_step = value > longest ? k : longest_step;
            longest = value > longest ? value : longest;
            is_in |= host_step_is_selected(app, k);
        }
        if (is_in)
            sparkline_draw(canvas, at, y, &longest, 1, scale.low, scale.high,
                           step_kind_style(split_kind(host_scope(app)->split, longest_step)));
        else
            canvas_put(canvas, at, y, STYLE_EXCLUDED, ':');
        if (cursor >= 0 && (uint32_t)cursor >= i && (uint32_t)cursor - i < bucket)
            canvas_flag(canvas, (struct area){at, y, 1, 1}, CELL_MATCH);
    }
    return at - x;
}

// Returns "#17 600 ms, +45% of the median" for the step under the cursor.
static const char *cursor_text(struct app *app, uint32_t step, struct arena *arena, bool ascii)
{
    int64_t step_ns = app_steps(app)->duration_ns[step];
    char time[FORMAT_SIZE], percent[FORMAT_SIZE];
    if (step_ns == UNKNOWN)
        return arena_format(arena, "%s nothing ran", host_step_name(app, step, arena));
    struct step_norms norms = app_step_norms(app);
    int64_t median = step_norm(&norms, step)->median_ns; // of its kind
    double difference = median > 0 ? (double)(step_ns - median) / (double)median : 0;
    return arena_format(arena, "%s %s %s%s%%%s", host_step_name(app, step, arena),
                        format_duration(time, step_ns, ascii), difference < 0 ? "-" : "+",
                        format_percent(percent, difference < 0 ? -difference : difference),
                        host_step_is_selected(app, step) ? "" : "   left out");
}

static const char *note_text(struct app *app, struct arena *arena)
{
    const struct steps *steps = app_steps(app);
    uint32_t omitted = 0;
    for (uint32_t i = 0; i < steps->count; i++)
        omitted += !host_step_is_selected(app, i);
    const char *slow = app_outlier_text(app, 4, arena);
    return arena_format(arena, "%s%s%s",
                        omitted == 0 ? "all in the set"
                                     : arena_format(arena, "%u left out ':'", omitted),
                        *slow ? "   slow: " : "", slow);
}

static void draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor)
{
    // Width reserved for the text at the right.
    enum { NOTE = 26 };
    struct arena *arena = canvas->frame;
    uint32_t count = app_steps(app)->count;
    canvas_rule(canvas, area.x, area.y, area.width, split_words_of(host_scope(app)->split)->title);
    int y = area.y + 1, x = area.x + 1;
    if (rows(app, parts) == 0) {
        canvas_fit(canvas, x, y, area.width - 2, STYLE_DIM, FIT_LEFT,
                   arena_format(arena, "%s   %s", host_scope(app)->split->text,
                                action_text("{key}: what could cut the run into steps", arena)));
        return;
    }
    const char *first = host_step_name(app, 0, arena) + 1,
               *last = host_step_name(app, count - 1, arena) + 1;
    x += canvas_text(canvas, x, y, STYLE_DIM, first) + 1;
    int room = area.x + area.width - x - NOTE;
    if (room < 8)
        room = area.x + area.width - x - canvas_width(last) - 2;
    if (room < 1)
        return;
    uint32_t bucket = (count + (uint32_t)room - 1) / (uint32_t)room;
    x += line_draw(app, canvas, x, y, bucket, cursor);
    x += 1 + canvas_text(canvas, x + 1, y, STYLE_DIM, last) + 1;
    canvas_text_in(canvas, x + 1, y, area.x + area.width - x - 2,
                   cursor == PANEL_NO_CURSOR ? STYLE_DIM : STYLE_STRONG,
                   cursor == PANEL_NO_CURSOR
                       ? note_text(app, arena)
                       : cursor_text(app, (uint32_t)cursor, arena, canvas->ascii));
    if (cursor != PANEL_NO_CURSOR)
        canvas_put(canvas, area.x, y, STYLE_MARK, 0x25b6);
}

static void enter(struct app *app, const struct summary_parts *parts, int row)
{
    (void)parts;
    host_set_step(app, (uint32_t)row);
    host_go_to(app, view_class_find("iterations"));
}

static bool place(struct app *app, const struct summary_parts *parts, int row,
                  struct row_place *found)
{
    (void)app, (void)parts;
    *found = (struct row_place){.kind = PLACE_STEP, .row = (uint32_t)row, .of = 1};
    return true;
}

static void explain(struct app *app, const struct summary_parts *parts, int row)
{
    (void)parts;
    struct arena *arena = host_canvas(app)->frame;
    const struct split_words *words = split_words_of(host_scope(app)->split);
    host_open_box(
        app, host_step_title(app, (uint32_t)row, arena),
        arena_format(
            arena,
            "%s\n\nThe time of %s by the GPU's clock, and how far it is from the "
            "median of the chosen %s.\n\nSlow: longer than the median by more than "
            "5 times the median distance from it, and by more than 5%%. Left out "
            "(':'): not in the set; %s.\n\n%s",
            cursor_text(app, (uint32_t)row, arena, host_canvas(app)->ascii), words->each,
            words->several,
            action_text("4 chooses, {set} types one, {outliers} leaves outliers out", arena),
            host_scope(app)->split->text ? host_scope(app)->split->text : ""));
}

const struct panel panel_steps = {
    .title = "Steps",
    .doc = "a bar for each by the GPU's clock; left out: not in the set; slow: over 5 MAD and 5% "
           "longer than the median",
    .rows = rows,
    .lines = lines,
    .draw = draw,
    .enters = "this step",
    .enter = enter,
    .explain = explain,
    .place = place,
    .is_sideways = true,
};
