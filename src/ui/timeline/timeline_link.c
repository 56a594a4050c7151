// SPDX-License-Identifier: Apache-2.0
// The link from a launch to the work it launched: draws the line between them, and follows it.
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/timeline/timeline_actions.h"
#include "ui/timeline/timeline_view.h"

struct link {
    uint32_t call, work;
};

// Finds the link of the chosen item; a call that launches several links to the first. Returns false
// if there is none.
static bool link_of(const struct timeline_state *state, const struct timeline *timeline,
                    struct link *link)
{
    const struct profile *profile = timeline->profile;
    const struct lane *lane = timeline_lane(state, timeline);
    if (!lane || state->is_gap || state->at.item >= lane->count || lane->kind == LANE_RANGES ||
        lane_is_curve(lane))
        return false;
    uint32_t row = lane_row(lane, state->at.item);
    if (lane_is_work(lane)) {
        *link = (struct link){HAS(profile->work.launch) ? AT(profile->work.launch, row) : ROW_NONE,
                              row};
        return link->call != ROW_NONE;
    }
    uint32_t first = AT(profile->api.first_work, row);
    if (first == AT(profile->api.first_work, row + 1))
        return false;
    *link = (struct link){row, AT(profile->api.work_rows, first)};
    return true;
}

// ---- drawing -----------------------------------------------------------------------------------

struct end { // of a link
    // -1: above or left of the lanes; at or beyond the far edge: right of or below them.
    int x, y;
};

struct frame {                    // the area of the lanes
    int left, right, top, bottom; // right and bottom are exclusive
};

static int line_y(const struct timeline_state *state, const struct timeline_layout *layout,
                  size_t line)
{
    if (line < state->top)
        return layout->lanes - 1;
    size_t at = line - state->top;
    return layout->lanes + (at < (size_t)layout->lines ? (int)at : layout->lines);
}

static int time_x(const struct timeline_state *state, const struct timeline_layout *layout,
                  int64_t time)
{
    if (time < state->from)
        return layout->x - 1;
    if (time >= state->to)
        return layout->x + (int)layout->cells;
    return layout->x + (int)timeline_cell_of(state->from, state->to, layout->cells, time);
}

static void vertical_draw(struct canvas *canvas, const struct frame *frame, int x, int from, int to)
{
    if (x < frame->left || x >= frame->right)
        return;
    from = from < frame->top ? frame->top : from;
    to = to > frame->bottom ? frame->bottom : to;
    for (int y = from; y < to; y++)
        canvas_put(canvas, x, y, STYLE_MARK, 0x2502);
}

// The horizontal part uses the line of the GPU's heading and replaces the heading.
static void across_draw(struct canvas *canvas, const struct frame *frame, int y, int from, int to)
{
    int left = from < to ? from : to, right = from < to ? to : from;
    if (y < frame->top || y >= frame->bottom)
        return;
    canvas_fill(canvas, (struct area){frame->left, y, frame->right - frame->left, 1}, STYLE_TEXT,
                ' ');
    if (left == right && left >= frame->left && right < frame->right)
        canvas_put(canvas, left, y, STYLE_MARK, 0x2502);
    if (left == right)
        return;
    for (int x = left < frame->left ? frame->left : left; x <= right && x < frame->right; x++)
        canvas_put(canvas, x, y, STYLE_MARK, 0x2500);
    if (left < frame->left)
        canvas_put(canvas, frame->left, y, STYLE_MARK, 0x2039);
    else
        canvas_put(canvas, left, y, STYLE_MARK, left == from ? 0x2514 : 0x250c);
    if (right >= frame->right)
        canvas_put(canvas, frame->right - 1, y, STYLE_MARK, 0x203a);
    else
        canvas_put(canvas, right, y, STYLE_MARK, right == from ? 0x2518 : 0x2510);
}

static void end_draw(struct canvas *canvas, const struct frame *frame, struct end end,
                     uint32_t glyph)
{
    if (end.x >= frame->left && end.x < frame->right && end.y >= frame->top &&
        end.y < frame->bottom)
        canvas_put(canvas, end.x, end.y, STYLE_MARK, glyph);
}

// Returns the line of the heading above a GPU's lanes, SIZE_MAX if it is not shown.
static size_t heading_above(const struct timeline_lines *lines, size_t line)
{
    while (line != SIZE_MAX && lines->timeline->lanes[lines->lanes[line]].kind != LANE_GPU)
        line--;
    return line;
}

void timeline_link_draw(struct view *view, struct canvas *canvas,
                        const struct timeline_layout *layout, const struct timeline_lines *lines)
{
    const struct timeline_state *state = view->state;
    const struct timeline *timeline = lines->timeline;
    struct link link;
    struct lane_item call, work;
    if (!link_of(state, timeline, &link) ||
        !timeline_find(timeline, TABLE_CALLS, link.call, &call) ||
        !timeline_find(timeline, TABLE_WORK, link.work, &work))
        return;
    if (lane_is_work(timeline_lane(state, timeline)))
        work.lane = state->at.lane; // use the chosen lane, which may be the GPU's own
    size_t from = timeline_line_of(lines, call.lane), to = timeline_line_of(lines, work.lane);
    size_t heading = to == SIZE_MAX ? SIZE_MAX : heading_above(lines, to);
    if (from == SIZE_MAX || heading == SIZE_MAX)
        return;
    struct frame frame = {layout->x, layout->x + (int)layout->cells, layout->lanes,
                          layout->lanes + layout->lines};
    struct end launch = {time_x(state, layout, AT(timeline->profile->api.start, link.call)),
                         line_y(state, layout, from)};
    struct end begin = {time_x(state, layout, AT(timeline->profile->work.start, link.work)),
                        line_y(state, layout, to)};
    int across = line_y(state, layout, heading);
    if (from < heading) {
        vertical_draw(canvas, &frame, launch.x, launch.y + 1, across);
        across_draw(canvas, &frame, across, launch.x, begin.x);
        vertical_draw(canvas, &frame, begin.x, across + 1, begin.y);
    }
    end_draw(canvas, &frame, launch, 0x25cf);
    end_draw(canvas, &frame, begin, 0x25bc);
}

// ---- following it -------------------------------------------------------------------------------

bool view_has_link(struct view *view)
{
    struct link link;
    return view->class == &view_timeline &&
           link_of(view->state, timeline_lines_of(view).timeline, &link);
}

bool timeline_follow(struct view *view, const struct timeline *timeline)
{
    struct timeline_state *state = view->state;
    struct link link;
    struct lane_item other;
    if (!link_of(state, timeline, &link)) {
        host_say(view->app, "this launches nothing, and nothing in the file launches it");
        return false;
    }
    bool is_work = lane_is_work(timeline_lane(state, timeline));
    if (!timeline_find(timeline, is_work ? TABLE_CALLS : TABLE_WORK,
                       is_work ? link.call : link.work, &other))
        return false;
    state->at.lane = other.lane;
    timeline_choose(view, timeline, other.item);
    return true;
}
