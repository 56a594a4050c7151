// SPDX-License-Identifier: Apache-2.0
// The allocation curve: how many bytes the framework's allocator had handed out during the selected
// steps. It is drawn above the table of peaks, for the device under the cursor.
#include <inttypes.h>

#include "analysis/memory/memory_peaks.h"
#include "analysis/report/selected_intervals.h"
#include "analysis/reports/report_list.h"
#include "base/text/format.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/glyph.h"
#include "ui/term/style.h"
#include "ui/views/view_tables.h"

REPORT_DECLARE(memory_peaks);

enum {
    MIN_TABLE = 3, // lines
    MIN_PLOT = 6,
    MIN_PLOT_WIDTH = 30, // columns
    SCALE = 9,           // columns of the figures at the left
};

struct curve {
    const struct memory_peaks_row *row;
    const struct column64 *time;
    struct selected_intervals selected_times; // of the selected steps
    int64_t from, to;                         // ns
    int64_t bottom, top;                      // bytes
    struct area area;                         // of the plot's columns
    int64_t *allocated;                       // maximum in each column; UNKNOWN: not known yet
    int64_t *reserved;                        // the same for reserved bytes; NULL: not recorded
};

// ---- figures -----------------------------------------------------------------------------------

static int64_t column_from(const struct curve *curve, int column)
{
    double span = (double)(curve->to - curve->from);
    return curve->from + (int64_t)(span * column / curve->area.width);
}

// Returns the number of points of the series before `time`.
static uint32_t points_before(const struct curve *curve, int64_t time)
{
    uint32_t low = 0, high = curve->row->series.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (column64_at(curve->time, curve->row->series.rows[middle]) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t maximum_of(const int64_t *values, uint32_t first, uint32_t end)
{
    int64_t maximum = UNKNOWN;
    for (uint32_t i = first; i < end; i++)
        maximum = values[i] > maximum ? values[i] : maximum;
    return maximum;
}

// Sets the value of each column: the maximum of the value at its beginning and after each change
// within it.
static void find_columns(struct curve *curve, struct arena *arena)
{
    const struct memory_series *series = &curve->row->series;
    uint32_t first = points_before(curve, curve->from + 1);
    curve->allocated = ARENA_ARRAY(arena, int64_t, (size_t)curve->area.width);
    if (series->reserved)
        curve->reserved = ARENA_ARRAY(arena, int64_t, (size_t)curve->area.width);
    for (int column = 0; column < curve->area.width; column++) {
        uint32_t end = points_before(curve, column_from(curve, column + 1));
        end = end < first ? first : end;
        uint32_t from = first > 0 ? first - 1 : 0;
        curve->allocated[column] = maximum_of(series->allocated, from, end);
        if (curve->reserved)
            curve->reserved[column] = maximum_of(series->reserved, from, end);
        first = end;
    }
    curve->bottom = curve->top = 0;
    for (int column = 0; column < curve->area.width; column++) {
        int64_t allocated = curve->allocated[column];
        int64_t reserved = curve->reserved ? curve->reserved[column] : UNKNOWN;
        curve->top = allocated > curve->top ? allocated : curve->top;
        curve->top = reserved > curve->top ? reserved : curve->top;
        if (allocated != UNKNOWN && allocated < curve->bottom)
            curve->bottom = allocated;
    }
}

// Sets the time shown: the profile's time and all points, narrowed to the selected steps.
static void find_time(struct curve *curve, const struct profile *profile)
{
    const struct memory_series *series = &curve->row->series;
    const struct selected_intervals *selected_times = &curve->selected_times;
    int64_t first = column64_at(curve->time, series->rows[0]);
    int64_t last = column64_at(curve->time, series->rows[series->count - 1]) + 1;
    curve->from = profile->first_ns < first ? profile->first_ns : first;
    curve->to = profile->last_ns > last ? profile->last_ns : last;
    if (!selected_times->count)
        return;
    int64_t start = selected_times->start[0],
            stop = selected_times->stop[selected_times->count - 1];
    curve->from = start > curve->from && start < curve->to ? start : curve->from;
    curve->to = stop < curve->to && stop > curve->from ? stop : curve->to;
}

// ---- drawing -----------------------------------------------------------------------------------

// Returns the height in eighths of a cell.
static int height_of(const struct curve *curve, int64_t bytes)
{
    double share = (double)(bytes - curve->bottom) / (double)(curve->top - curve->bottom);
    return (int)(share * curve->area.height * 8 + 0.5);
}

static bool is_selected(const struct curve *curve, int column)
{
    int64_t from = column_from(curve, column), to = column_from(curve, column + 1);
    return selected_intervals_meet(&curve->selected_times, from, to > from ? to - 1 : from) !=
           INT64_MAX;
}

static void column_draw(const struct curve *curve, struct canvas *canvas, int column)
{
    int x = curve->area.x + column, bottom_y = curve->area.y + curve->area.height - 1;
    int64_t allocated = curve->allocated[column];
    int64_t reserved = curve->reserved ? curve->reserved[column] : UNKNOWN;
    enum style style = is_selected(curve, column) ? STYLE_COPY : STYLE_EXCLUDED;
    if (reserved != UNKNOWN && reserved > 0) {
        int line = (height_of(curve, reserved) - 1) / 8;
        canvas_put(canvas, x, bottom_y - line, STYLE_DIM, 0x2500);
    }
    if (allocated == UNKNOWN)
        return;
    int height = height_of(curve, allocated);
    for (int line = 0; line * 8 < height; line++) {
        int part = height - line * 8;
        canvas_put(canvas, x, bottom_y - line, style, glyph_eighths_up[part < 8 ? part : 8]);
    }
    if (height == 0 && allocated > curve->bottom)
        canvas_put(canvas, x, bottom_y, style, glyph_eighths_up[1]);
}

static void scale_draw(const struct curve *curve, struct canvas *canvas)
{
    const struct area *area = &curve->area;
    canvas_fill(canvas, (struct area){area->x - 1, area->y, 1, area->height}, STYLE_RULE, 0x2502);
    for (int part = 0; part <= 2; part++) { // the top, the middle, the bottom
        int line = part * (area->height - 1) / 2;
        if (part == 1 && area->height < 5)
            continue;
        int64_t bytes = part == 0   ? curve->top
                        : part == 2 ? curve->bottom
                                    : curve->bottom + (curve->top - curve->bottom) / 2;
        char text[FORMAT_SIZE];
        canvas_put(canvas, area->x - 1, area->y + line, STYLE_RULE, 0x251c);
        canvas_fit(canvas, area->x - SCALE, area->y + line, SCALE - 2, STYLE_DIM, FIT_RIGHT,
                   format_bytes(text, bytes));
    }
}

static int column_of(const struct curve *curve, int64_t time)
{
    double part = (double)(time - curve->from) / (double)(curve->to - curve->from);
    int column = (int)(part * curve->area.width);
    return column < 0 ? 0 : column >= curve->area.width ? curve->area.width - 1 : column;
}

// Draws marks where steps begin, with their numbers where they fit.
static void steps_draw(const struct curve *curve, struct canvas *canvas, const struct split *split)
{
    int y = curve->area.y + curve->area.height, free_from = curve->area.x;
    int end = curve->area.x + curve->area.width;
    canvas_fill(canvas, (struct area){curve->area.x, y, curve->area.width, 1}, STYLE_RULE, 0x2500);
    canvas_put(canvas, curve->area.x - 1, y, STYLE_RULE, 0x2514);
    for (uint32_t i = 0; split->method != SPLIT_NONE && i < split->count; i++) {
        if (split->start[i] < curve->from || split->start[i] >= curve->to)
            continue;
        int x = curve->area.x + column_of(curve, split->start[i]);
        const char *text = arena_format(canvas->frame, "%" PRId64, split->number[i]);
        canvas_put(canvas, x, y, STYLE_RULE, 0x2534);
        if (x < free_from || x + canvas_width(text) > end)
            continue;
        free_from = x + canvas_text(canvas, x, y + 1, STYLE_DIM, text) + 1;
    }
    char from[FORMAT_SIZE], to[FORMAT_SIZE];
    if (split->method != SPLIT_NONE && split->count > 0)
        return;
    canvas_text(canvas, curve->area.x, y + 1, STYLE_DIM, format_time(from, curve->from));
    canvas_fit(canvas, end - 14, y + 1, 14, STYLE_DIM, FIT_RIGHT, format_time(to, curve->to));
}

// Draws the peak above its column, with its text on the side that has more room.
static void peak_draw(const struct curve *curve, struct canvas *canvas)
{
    const struct memory_peak *peak = &curve->row->peak;
    const struct area *area = &curve->area;
    if (peak->row == ROW_NONE || peak->allocated_ns < curve->from || peak->allocated_ns > curve->to)
        return;
    int column = column_of(curve, peak->allocated_ns);
    int line = (height_of(curve, peak->allocated) + 7) / 8;
    int y = area->y + area->height - 1 - (line < area->height ? line : area->height - 1);
    char bytes[FORMAT_SIZE], at[FORMAT_SIZE];
    const char *text =
        arena_format(canvas->frame, " peak %s at %s%s%s ", format_bytes(bytes, peak->allocated),
                     format_time(at, peak->allocated_ns), curve->row->op ? ", " : "",
                     curve->row->op ? curve->row->op : "");
    int width = canvas_width(text), right = area->width - column - 1;
    canvas_put(canvas, area->x + column, y, STYLE_STRONG, 0x25c6);
    if (right >= width || right >= column)
        canvas_fit(canvas, area->x + column + 1, y, right < width ? right : width, STYLE_STRONG,
                   FIT_LEFT, text);
    else
        canvas_fit(canvas, area->x + (column > width ? column - width : 0), y,
                   column > width ? width : column, STYLE_STRONG, FIT_RIGHT, text);
}

static void caption_draw(const struct curve *curve, struct canvas *canvas, struct area area)
{
    const char *what = curve->row->series.is_counted ? " since the file begins" : "";
    const char *text = arena_format(canvas->frame, "%s: allocated%s%s", curve->row->home, what,
                                    curve->reserved ? "; the line: reserved from the driver" : "");
    canvas_fit(canvas, area.x + 1, area.y, area.width - 2, STYLE_DIM, FIT_LEFT, text);
}

static void plot_draw(struct view *view, struct canvas *canvas, struct area area,
                      const struct memory_peaks_row *row)
{
    const struct profile *profile = host_profile(view->app);
    struct selection selection = view_selection(view);
    struct curve curve = {
        .row = row,
        .time = &profile->allocations.time,
        .selected_times = selected_intervals_of(&selection, canvas->frame),
        .area = {area.x + SCALE, area.y + 1, area.width - SCALE, area.height - 3},
    };
    find_time(&curve, profile);
    find_columns(&curve, canvas->frame);
    caption_draw(&curve, canvas, area);
    if (curve.top == curve.bottom)
        return;
    for (int column = 0; column < curve.area.width; column++)
        column_draw(&curve, canvas, column);
    scale_draw(&curve, canvas);
    steps_draw(&curve, canvas, selection.split);
    peak_draw(&curve, canvas);
}

// Returns the row under the cursor, NULL if there is none or the table is a comparison.
static const struct memory_peaks_row *row_under(const struct view *view)
{
    const struct table *table = &view->table;
    return report_is(table->report, &report_memory_peaks) && table->cursor < table->shown_count
               ? report_row(table->report, &table->rows, table->shown[table->cursor])
               : NULL;
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    if (!table_view_ready(view, canvas, area))
        return;
    if (area.height > 4) {
        table_view_caption(view, canvas, area);
        area.y++;
        area.height--;
    }
    const struct memory_peaks_row *row = row_under(view);
    int rows = (int)(view->table.shown_count < 100 ? view->table.shown_count : 100) + 2;
    int third = area.height / 3 > MIN_TABLE ? area.height / 3 : MIN_TABLE;
    int height = area.height - (rows < third ? rows : third);
    if (row && height >= MIN_PLOT && area.width >= MIN_PLOT_WIDTH) {
        plot_draw(view, canvas, (struct area){area.x, area.y, area.width, height}, row);
        area.y += height;
        area.height -= height;
    }
    view->list = area;
    table_draw(&view->table, canvas, area);
}

static bool legend(struct view *view, size_t i, struct view_legend *legend)
{
    static const struct view_legend lines[] = {
        {"curve", "what is allocated of the memory under the cursor, over the time of the steps "
                  "looked at; of "
                  "each column the most. Steps that are left out are pale"},
        {"line", "what the allocator keeps from the driver, in use or not"},
        {"@", "the peak, when it was, and the operator whose allocation made it"},
    };
    (void)view;
    if (i >= sizeof lines / sizeof *lines)
        return false;
    *legend = lines[i];
    return true;
}

const struct view_class view_memory_plot = {
    .name = "memory_plot",
    .title = "Allocation curve",
    .report = "memory_peaks",
    .kinds = KIND_TABLE,
    .doc = "how much the framework's allocator has handed out over time",
    .draw = draw,
    .act = table_view_act,
    .enters = table_view_enters,
    .legend = legend,
    .flip = "memory_events",
    .flip_label = "Tensors",
    .has = can_have_allocations,
};
