// SPDX-License-Identifier: Apache-2.0
// The state of the timeline view, shared by the files that move in it and draw it.
//
// Terms: The window is the visible time. A lane (analysis/timeline) is a row of items: ranges of a
// thread, calls, work of a GPU or stream, or a curve. A cell is a column of the screen in a lane. A
// gap is an idle interval between two items. The chosen item or gap is the one under the cursor.
#ifndef UI_TIMELINE_TIMELINE_VIEW_H
#define UI_TIMELINE_TIMELINE_VIEW_H

#include "analysis/timeline/timeline.h"
#include "base/text/pattern.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

struct timeline_search {     // the current search
    struct pattern *pattern; // NULL: none
    uint8_t *matches;        // enum match by string id; heap memory
    char text[256];
};

struct timeline_span {
    int64_t from, to;
};

extern const struct view_class view_timeline;

// Maximum number of drags that Esc can undo.
enum { MAX_TIMELINE_BACK = 16 };

struct timeline_state {
    const struct profile *profile; // profile that the other members belong to; NULL: none yet
    int64_t from, to;              // visible time [from, to) in ns; empty: not set yet
    int64_t whole_from, whole_to;  // time that `z` returns to; empty: the whole run
    struct lane_item at;           // the chosen item; item ROW_NONE: none in its lane
    bool is_gap;                   // an idle interval is chosen instead of an item: ...
    int64_t gap_from, gap_to;      // ... this one
    size_t top;                    // first visible lane
    uint32_t cells;                // columns of time, as last drawn
    int lines;                     // lines of lanes, as last drawn
    struct timeline_search search;
    const bool *set; // the set of steps at the last refresh
    // The mouse: 1 + the column of time where it was pressed and where it was dragged to; 0: not on
    // the axis, or not dragged.
    uint32_t pressed, drawn;
    struct timeline_span before[MAX_TIMELINE_BACK]; // windows before each drag, for Esc
    size_t before_count;
};

// The lanes, and the indices of those that the view shows, in order.
struct timeline_lines {
    const struct timeline *timeline;
    size_t count;
    size_t *lanes; // in the arena of the frame
};
struct timeline_lines timeline_lines_of(struct view *view);
size_t timeline_line_of(const struct timeline_lines *lines, size_t lane); // SIZE_MAX: not shown
const struct lane *timeline_lane(const struct timeline_state *state,
                                 const struct timeline *timeline); // NULL: none chosen
// Adjusts the window and the chosen lane after the profile, the set of lanes or the size changed.
void timeline_settle(struct view *view, const struct timeline_lines *lines);
// Moves the window into the run, at least 1 ns wide per cell.
void timeline_window_settle(struct timeline_state *state, const struct timeline *timeline);
// Returns false if the action is not a movement in this view.
bool timeline_move(struct view *view, const struct timeline_lines *lines, enum action action);
// Halves or doubles the visible time; the time `anchor` keeps its position on the screen.
void timeline_zoom(struct timeline_state *state, const struct timeline *timeline, int64_t anchor,
                   bool in);
void timeline_pan(struct timeline_state *state, const struct timeline *timeline, int64_t by);

// The mouse (timeline_mouse.c).
bool timeline_point(struct view *view, uint32_t key, int x, int y);
// Cancels a drag, or returns to the window before the last one. Returns false if there was neither.
bool timeline_zoom_back(struct timeline_state *state);

void timeline_choose(struct view *view, const struct timeline *timeline, uint32_t item);
// Moves from a launch to the work it launched, or back.
bool timeline_follow(struct view *view, const struct timeline *timeline);
// Searches items by name, in order of time. Returns false if the text is no valid pattern.
bool timeline_search(struct view *view, const char *text, struct error *error);
void timeline_next_match(struct view *view, const struct timeline *timeline, int direction);
void timeline_search_end(struct timeline_search *search);

void timeline_show_step(struct view *view, uint32_t step); // fills the width with the step

// True if any part of the span is visible. A span that ends at `from` is not, unless it is empty.
static inline bool timeline_shows_span(const struct timeline_state *state,
                                       const struct timeline_span *span)
{
    return span->from < state->to && (span->to > state->from || span->from >= state->from);
}
// Sets `span` to the time of the chosen item or gap. Returns false if none is chosen.
bool timeline_chosen(const struct view *view, const struct timeline *timeline,
                     struct timeline_span *span);

// The position in the view, saved by sessions (timeline_place.c).
const char *timeline_keep(struct view *view, struct arena *arena);
bool timeline_go(struct view *view, const char *place);

// Positions on the screen.
struct timeline_layout {
    int label;          // columns of the labels
    int x;              // first column of time
    uint32_t cells;     // columns of time
    int ruler, steps;   // their lines; -1: not shown
    int lanes, lines;   // first line of the lanes, and how many
    struct area pane;   // description of the chosen item; height 0: no room
    bool has_pane_rule; // has a line with its title above
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

void timeline_explain(struct view *view); // explains the signs
bool timeline_legend(struct view *view, size_t i, struct view_legend *legend);
bool timeline_enter(struct view *view, const struct timeline *timeline);
const char *timeline_enters(struct view *view); // what Enter opens; NULL: no item is chosen

// Returns the name of an item, safe to print; a kernel's name in the form of the view.
const char *timeline_item_name(const struct view *view, const struct lane *lane, uint32_t item,
                               struct arena *arena);

#endif
