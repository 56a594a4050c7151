// SPDX-License-Identifier: Apache-2.0
// Draws one lane of the timeline. Each cell shows the category that takes most of its time; names
// are drawn over items where they fit.
#include <inttypes.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/sums/work_text.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/profile/api_name.h"
#include "model/profile/recorder.h"
#include "model/profile/vendor.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/term/canvas.h"
#include "ui/term/glyph.h"
#include "ui/term/style.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/bars.h"

// Minimum columns of an item that shows its name, and of a name that is cut.
enum { MIN_NAME = 3, MIN_CUT_NAME = 8 };
// Maximum bytes of a name that are read, since there may be hundreds on screen.
enum { MAX_NAME_BYTES = 4096 };

static const struct {
    enum style style;
    uint32_t glyph;
    char ascii;
} calls[CALL_CATEGORIES] = {
    [CALL_LAUNCH] = {STYLE_CPU, 0x2588, '#'},
    [CALL_COPY] = {STYLE_COPY, 0x2591, '-'},
    [CALL_SYNC] = {STYLE_CPU, 0x2592, '='},
    [CALL_OTHER] = {STYLE_CPU, 0x2593, '%'},
};

static enum style lane_style(const struct lane *lane, uint32_t category)
{
    if (lane_is_curve(lane))
        return lane_is_level(lane) ? STYLE_COPY : STYLE_KERNEL;
    return lane_is_work(lane)         ? category_style(&breakdown_gpu, category)
           : lane->kind == LANE_CALLS ? calls[category].style
                                      : STYLE_CPU;
}

static uint32_t lane_glyph(const struct lane *lane, uint32_t category, bool ascii)
{
    if (lane_is_work(lane))
        return category_glyph(&breakdown_gpu, category, ascii);
    if (lane->kind == LANE_CALLS)
        return ascii ? (unsigned char)calls[category].ascii : calls[category].glyph;
    return 0x2500;
}

const char *timeline_item_name(const struct view *view, const struct lane *lane, uint32_t item,
                               struct arena *arena)
{
    const struct profile *profile = host_profile(view->app);
    struct selection selection = view_selection(view);
    char bytes[FORMAT_SIZE];
    if (lane_is_level(lane))
        return arena_format(arena, "%s", format_bytes(bytes, lane->live[lane_row(lane, item)]));
    if (lane_is_share(lane))
        return arena_format(arena, "%s%%",
                            format_percent(bytes, (double)lane_weight(lane, item) / LANE_FULL));
    uint32_t key = lane_key(profile, lane, item);
    const char *name = profile_text(profile, lane_key_name(profile, &selection, lane, key));
    return lane->kind == LANE_CALLS ? arena_copy(arena, name, api_name_length(name)) : name;
}

// ---- cells -------------------------------------------------------------------------------------

// Returns the sign of a cell that is busy for less than half of its time: a block as high as the
// busy share, in eighths; in ASCII always the same sign.
static uint32_t partial_glyph(int64_t busy_ns, int64_t width_ns, bool ascii)
{
    int64_t level = width_ns > 0 ? busy_ns / (width_ns / 8 + 1) : 0;
    return ascii ? '_' : glyph_eighths_up[level < 1 ? 1 : level > 3 ? 3 : level];
}

static void work_cell_draw(struct canvas *canvas, int x, int y, const struct lane *lane,
                           const struct lane_cell *cell, int64_t width_ns, bool shows_idle)
{
    enum style style = lane_style(lane, cell->category);
    if (cell->busy_ns > 0 && cell->busy_ns >= width_ns / 2)
        canvas_put(canvas, x, y, style, lane_glyph(lane, cell->category, canvas->ascii));
    else if (cell->busy_ns > 0 || cell->begins > 0)
        canvas_put(canvas, x, y, style, partial_glyph(cell->busy_ns, width_ns, canvas->ascii));
    else if (shows_idle)
        canvas_put(canvas, x, y, STYLE_IDLE,
                   category_glyph(&breakdown_gpu, GPU_IDLE, canvas->ascii));
}

static void range_cell_draw(struct canvas *canvas, int x, int y, const struct lane *lane,
                            const struct lane_cell *cell)
{
    uint32_t glyph = cell->begins > 1 ? 0x2504 : cell->begins == 1 ? 0x251c : 0x2500;
    if (cell->busy_ns > 0 || cell->begins > 0)
        canvas_put(canvas, x, y, lane_style(lane, 0), glyph);
}

// Draws a cell as high as its share; in ASCII the height is a digit, in tenths.
static void curve_cell_draw(struct canvas *canvas, int x, int y, const struct lane *lane,
                            double share)
{
    enum style style = lane_style(lane, 0);
    if (share <= 0)
        return;
    int height = (int)(share * (canvas->ascii ? 10 : 8) + 0.5);
    if (canvas->ascii)
        canvas_put(canvas, x, y, style, height < 10 ? (uint32_t)('0' + height) : '#');
    else
        canvas_put(canvas, x, y, style, glyph_eighths_up[height < 1 ? 1 : height]);
}

struct lane_drawing {
    struct view *view;
    struct canvas *canvas;
    const struct timeline_layout *layout;
    const struct timeline *timeline;
    const struct lane *lane;
    struct lane_cell *cells;
    int y;
};

static int64_t cell_width(const struct lane_drawing *drawing, uint32_t i)
{
    const struct timeline_state *state = drawing->view->state;
    uint32_t count = drawing->layout->cells;
    return timeline_cell_from(state->from, state->to, count, i + 1) -
           timeline_cell_from(state->from, state->to, count, i);
}

// Returns the number of cells from i on that the item fills at least by half.
static uint32_t item_run(const struct lane_drawing *drawing, uint32_t i)
{
    uint32_t item = drawing->cells[i].item, end = i;
    while (item != ROW_NONE && end < drawing->layout->cells && drawing->cells[end].item == item &&
           drawing->cells[end].item_ns >= cell_width(drawing, end) / 2)
        end++;
    return end - i;
}

static void name_draw(const struct lane_drawing *drawing, uint32_t i, uint32_t run)
{
    struct canvas *canvas = drawing->canvas;
    const char *name =
        timeline_item_name(drawing->view, drawing->lane, drawing->cells[i].item, canvas->frame);
    int room = (int)run - 1; // the item's first cell stays visible
    name = text_safe(canvas->frame, name, strnlen(name, MAX_NAME_BYTES), true);
    if (room < MIN_CUT_NAME && text_width(name) > room)
        return;
    name = text_cut(canvas->frame, name, room, true, canvas->ascii);
    canvas_text_in(canvas, drawing->layout->x + (int)i + 1, drawing->y, room, STYLE_TEXT, name);
}

// Returns the amount allocated as a share of the run's maximum, or the mean of a share.
static double cell_height(const struct lane_drawing *drawing, uint32_t i, int64_t from, int64_t to)
{
    const struct lane *lane = drawing->lane;
    if (lane_is_share(lane))
        return drawing->cells[i].share;
    int64_t level = lane_level(lane, from, to > from ? to : from + 1);
    // If the peak is 0, so is every level.
    return level > 0 ? (double)level / (double)lane->peak : 0;
}

static void curve_draw(const struct lane_drawing *drawing)
{
    const struct timeline_state *state = drawing->view->state;
    uint32_t count = drawing->layout->cells;
    for (uint32_t i = 0; i < count; i++) {
        int64_t from = timeline_cell_from(state->from, state->to, count, i);
        int64_t to = timeline_cell_from(state->from, state->to, count, i + 1);
        curve_cell_draw(drawing->canvas, drawing->layout->x + (int)i, drawing->y, drawing->lane,
                        cell_height(drawing, i, from, to));
    }
}

static void cells_draw(const struct lane_drawing *drawing)
{
    const struct lane *lane = drawing->lane;
    const struct profile *profile = host_profile(drawing->view->app);
    // An empty stream is no proof that its GPU is idle, unless the GPU has only this stream.
    bool shows_idle =
        lane->kind == LANE_DEVICE ||
        (lane->kind == LANE_STREAM &&
         profile->devices[lane->device].end_work - profile->devices[lane->device].first_work ==
             lane->count);
    for (uint32_t i = 0; i < drawing->layout->cells; i++) {
        int x = drawing->layout->x + (int)i;
        if (lane->kind == LANE_RANGES)
            range_cell_draw(drawing->canvas, x, drawing->y, lane, &drawing->cells[i]);
        else
            work_cell_draw(drawing->canvas, x, drawing->y, lane, &drawing->cells[i],
                           cell_width(drawing, i), shows_idle);
    }
    for (uint32_t i = 0, run; i < drawing->layout->cells; i += run ? run : 1) {
        run = item_run(drawing, i);
        if (run >= MIN_NAME)
            name_draw(drawing, i, run);
    }
}

// ---- labels ------------------------------------------------------------------------------------

static const char *thread_text(const struct profile *profile, const struct lane *lane,
                               struct arena *arena)
{
    const struct thread *thread = &profile->threads[lane->thread];
    const char *name = profile_text(profile, thread->name);
    if (thread->tid == profile->processes[lane->process].pid)
        return "main";
    return *name ? arena_format(arena, "%u %s", thread->tid, name)
                 : arena_format(arena, "%u", thread->tid);
}

// Returns the figure of a curve if it fits, otherwise its name.
static const char *curve_label(const char *figure, const char *name, int room)
{
    return canvas_width(figure) < room ? figure : name;
}

// Returns the mean of a share over the visible time.
static const char *share_label(const struct view *view, const struct timeline *timeline,
                               const struct lane *lane, int room, struct arena *arena)
{
    const struct timeline_state *state = view->state;
    const char *name = lane->kind == LANE_UTILIZATION ? "util" : "SM eff";
    char share[FORMAT_SIZE];
    format_percent(share, lane_share(timeline, lane, state->from, state->to));
    return curve_label(arena_format(arena, "%s %s%%", name, share), name, room);
}

// Returns the label of a lane. Of the range lanes of a thread only the outermost one and the first
// one on screen (`is_first`) have a label.
static const char *lane_label(const struct view *view, const struct timeline *timeline,
                              const struct lane *lane, bool is_first, int room, struct arena *arena)
{
    const struct profile *profile = host_profile(view->app);
    const struct process *process = &profile->processes[lane->process];
    char peak[FORMAT_SIZE];
    switch (lane->kind) {
    case LANE_PROCESS:
        return arena_format(arena, "%u %s", process->pid,
                            text_file_name(profile_text(profile, process->name), NULL));
    case LANE_GPU:
        return arena_format(arena, "GPU %" PRId64 " %s", device_number(profile, lane->device),
                            profile_text(profile, profile->devices[lane->device].name));
    case LANE_RANGES:
        return lane->level == 0 || is_first ? arena_format(arena, "%s %s", recorder_ranges(profile),
                                                           thread_text(profile, lane, arena))
                                            : "";
    case LANE_CALLS:
        return arena_format(arena, "%s %s", profile_vendor_terms(profile)->api,
                            thread_text(profile, lane, arena));
    case LANE_MEMORY:
        return curve_label(arena_format(arena, "mem %s", format_bytes(peak, lane->peak)), "memory",
                           room);
    case LANE_TENSORS:
        return curve_label(arena_format(arena, "tens %s", format_bytes(peak, lane->peak)),
                           "tensors", room);
    case LANE_UTILIZATION:
    case LANE_EFFICIENCY:
        return share_label(view, timeline, lane, room, arena);
    case LANE_DEVICE:
        return arena_format(arena, "GPU %" PRId64 " all", device_number(profile, lane->device));
    default:
        return stream_label(profile, lane->stream, arena);
    }
}

static void heading_draw(struct canvas *canvas, const struct timeline_layout *layout, int y,
                         const char *label)
{
    int width = layout->x + (int)layout->cells - 1, name = canvas_width(label);
    canvas_fit(canvas, 1, y, name < width ? name : width, STYLE_RULE_TITLE, FIT_LEFT, label);
}

// Draws the length of the chosen gap in it.
static void gap_draw(const struct lane_drawing *drawing, const struct timeline_span *span, int x,
                     int width)
{
    struct canvas *canvas = drawing->canvas;
    char time[FORMAT_SIZE];
    const char *text = arena_format(canvas->frame, " idle %s ",
                                    format_duration(time, span->to - span->from, canvas->ascii));
    int need = canvas_width(text);
    if (need + 2 <= width)
        canvas_text(canvas, x + (width - need) / 2, drawing->y, STYLE_TEXT, text);
}

// Gives the chosen item the background of the cursor.
static void chosen_draw(const struct lane_drawing *drawing)
{
    const struct timeline_state *state = drawing->view->state;
    const struct timeline_layout *layout = drawing->layout;
    struct timeline_span span;
    if (!timeline_chosen(drawing->view, drawing->timeline, &span) ||
        !timeline_shows_span(state, &span))
        return;
    int64_t last = span.to > span.from ? span.to - 1 : span.from;
    int64_t from = span.from > state->from ? span.from : state->from;
    int64_t to = last < state->to ? last : state->to - 1;
    uint32_t left = timeline_cell_of(state->from, state->to, layout->cells, from);
    uint32_t right = timeline_cell_of(state->from, state->to, layout->cells, to > from ? to : from);
    struct area area = {layout->x + (int)left, drawing->y, (int)(right - left) + 1, 1};
    if (state->is_gap)
        gap_draw(drawing, &span, area.x, area.width);
    canvas_flag(drawing->canvas, area, CELL_CURSOR);
}

void timeline_lane_draw(struct view *view, struct canvas *canvas,
                        const struct timeline_layout *layout, const struct timeline *timeline,
                        size_t lane, int y)
{
    const struct timeline_state *state = view->state;
    const struct lane *row = &timeline->lanes[lane];
    const char *label =
        lane_label(view, timeline, row, y == layout->lanes, layout->label - 2, canvas->frame);
    if (!lane_has_items(row)) {
        heading_draw(canvas, layout, y, label);
        return;
    }
    struct lane_drawing drawing = {view, canvas, layout, timeline, row, NULL, y};
    drawing.cells = ARENA_ARRAY(canvas->frame, struct lane_cell, layout->cells);
    lane_cells(timeline, row, state->from, state->to, layout->cells, drawing.cells);
    bool is_chosen = lane == state->at.lane;
    int width = canvas_width(label);
    width = width < layout->label - 2 ? width : layout->label - 2;
    if (width > 0)
        canvas_fit(canvas, 2, y, width, is_chosen ? STYLE_STRONG : STYLE_DIM, FIT_LEFT, label);
    if (lane_is_curve(row))
        curve_draw(&drawing);
    else
        cells_draw(&drawing);
    if (is_chosen) {
        canvas_put(canvas, 0, y, STYLE_MARK, 0x25b6);
        canvas_flag(canvas, (struct area){0, y, layout->label, 1}, CELL_CURSOR);
        chosen_draw(&drawing);
    }
}
