// SPDX-License-Identifier: Apache-2.0
// The state of the timeline view, shared by the files that move in it and draw it.
#ifndef UI_TIMELINE_TIMELINE_VIEW_H
#define UI_TIMELINE_TIMELINE_VIEW_H

#include "analysis/timeline/timeline.h"
#include "base/pattern.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

struct timeline_search {     // what was searched for last
    struct pattern *pattern; // NULL: nothing
    uint8_t *matches;        // by string id; on the heap
    char text[256];
};

struct timeline_span {
    int64_t from, to;
};

extern const struct view_class view_timeline;

enum { TIMELINE_BACK = 16 };

struct timeline_state {
    const struct profile *profile; // that the rest is of; NULL: of none yet
    int64_t from, to;              // on screen, [from, to); nothing: not settled yet
    int64_t whole_from, whole_to;  // what `z` goes back to; nothing: the whole run
    struct lane_item at;           // chosen; item ROW_NONE: none in its lane
    bool is_gap;                   // a stretch of idle time is chosen instead of an item: ...
    int64_t gap_from, gap_to;      // ... this one
    size_t top;                    // first of the lanes shown
    uint32_t cells;                // columns of time, of the last drawing
    int lines;                     // of lanes, of the last drawing
    struct timeline_search search;
    const bool *set; // of steps that was looked at last
    // The mouse: 1 + the columns of time where it was pressed and where it has been drawn to; 0: not
    // on the axis, not yet.
    uint32_t pressed, drawn;
    struct timeline_span before[TIMELINE_BACK]; // windows that a drag made smaller, for Esc
    size_t before_count;
};

// The lanes, and which of them the view shows, in their order.
struct timeline_lines {
    const struct timeline *timeline;
    size_t count;
    size_t *lanes; // in the arena of the frame
};
struct timeline_lines timeline_lines_of(struct view *view);
size_t timeline_line_of(const struct timeline_lines *lines, size_t lane); // SIZE_MAX: not shown
const struct lane *timeline_lane(const struct timeline_state *state,
                                 const struct timeline *timeline); // chosen; NULL: there is none
// Settles what the profile leaves open: the window, the chosen lane.
void timeline_settle(struct view *view, const struct timeline_lines *lines);
// The window within the run, and no narrower than a nanosecond a cell.
void timeline_window_settle(struct timeline_state *state, const struct timeline *timeline);
// False: an action that moves nothing here.
bool timeline_move(struct view *view, const struct timeline_lines *lines, enum action action);
// Half as much time, or twice as much; `anchor` stays where it is on screen.
void timeline_zoom(struct timeline_state *state, const struct timeline *timeline, int64_t anchor,
                   bool in);
void timeline_pan(struct timeline_state *state, const struct timeline *timeline, int64_t by);

// The mouse (timeline_mouse.c).
bool timeline_point(struct view *view, uint32_t key, int x, int y);
bool timeline_zoom_back(struct timeline_state *state); // drops a drag, undoes one; false: neither

void timeline_choose(struct view *view, const struct timeline *timeline, uint32_t item);
// Between what launches and what is launched.
bool timeline_follow(struct view *view, const struct timeline *timeline);
// By name, in order of time. False: no pattern.
bool timeline_search(struct view *view, const char *text, struct error *error);
void timeline_next_match(struct view *view, const struct timeline *timeline, int direction);
void timeline_search_end(struct timeline_search *search);

void timeline_show_step(struct view *view, uint32_t step); // over the whole width

// Any of it: what ends where the screen begins is not, unless it takes no time.
static inline bool timeline_sees(const struct timeline_state *state,
                                 const struct timeline_span *span)
{
    return span->from < state->to && (span->to > state->from || span->from >= state->from);
}
// What is chosen: its time, and whether there is anything.
bool timeline_chosen(const struct view *view, const struct timeline *timeline,
                     struct timeline_span *span);

// Where one is, for sessions (timeline_place.c).
const char *timeline_keep(struct view *view, struct arena *arena);
bool timeline_go(struct view *view, const char *place);

// Where things are on screen.
struct timeline_layout {
    int label;          // columns of the labels
    int x;              // first column of time
    uint32_t cells;     // columns of time
    int ruler, steps;   // lines of these; -1: none
    int lanes, lines;   // first line of the lanes, how many
    struct area pane;   // what is chosen, in words; height 0: no room
    bool has_pane_rule; // a line with its title above
};
struct timeline_layout timeline_layout_of(struct view *view, struct area area);

void timeline_ruler_draw(struct view *view, struct canvas *canvas,
                         const struct timeline_layout *layout, const struct lane *lane);
void timeline_lane_draw(struct view *view, struct canvas *canvas,
                        const struct timeline_layout *layout, const struct timeline *timeline,
                        size_t lane, int y);
void timeline_link_draw(struct view *view, struct canvas *canvas,
                        const struct timeline_layout *layout, const struct timeline_lines *lines);
void timeline_drag_draw(struct view *view, struct canvas *canvas,
                        const struct timeline_layout *layout);
void timeline_pane_draw(struct view *view, struct canvas *canvas,
                        const struct timeline_layout *layout, const struct timeline *timeline);

void timeline_explain(struct view *view); // what the signs mean
bool timeline_legend(struct view *view, size_t i, struct view_legend *legend);
bool timeline_enter(struct view *view, const struct timeline *timeline);
const char *timeline_enters(struct view *view); // what that opens; NULL: nothing is chosen

// What an item is called, safe to print by the canvas: a kernel's name in the form of the view.
const char *timeline_item_name(const struct view *view, const struct lane *lane, uint32_t item,
                               struct arena *arena);

#endif
