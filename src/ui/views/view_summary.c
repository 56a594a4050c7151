// SPDX-License-Identifier: Apache-2.0
// The first screen: the time of a step, findings, layers, steps. This file arranges the panels (see
// panel.h) on the screen and moves the cursor through them.
#include <stdlib.h>
#include <string.h>

#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/views/dashboard.h"
#include "ui/views/panel.h"
#include "ui/views/summary_parts.h"
#include "ui/widgets/list.h"

#define PANEL_ENTRY(name) &panel_##name,
static const struct panel *const panels[PANEL_COUNT] = {PANEL_LIST(PANEL_ENTRY)};

struct summary_state {
    bool is_other_face;             // shows the other of its two faces
    int scroll;                     // scroll position of the dashboard
    bool is_chosen;                 // the user has moved the cursor
    int panel;                      // panel under the cursor
    int rows[PANEL_COUNT];          // row of the cursor in each panel
    struct area areas[PANEL_COUNT]; // as last drawn; height 0: not shown
    struct summary_parts parts;
};

// True if the dashboard of the DLProf Viewer is shown. Simple mode starts with it.
static bool shows_dlprof(const struct view *view)
{
    const struct summary_state *state = view->state;
    return state->is_other_face != (host_profile(view->app)->mode == MODE_SIMPLE);
}

static void refresh(struct view *view)
{
    struct summary_state *state = view->state;
    summary_parts_release(&state->parts);
}

// ---- places ------------------------------------------------------------------------------------

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

static void panel_place(struct summary_state *state, int panel, struct area *rest, int height)
{
    if (height < 2 || height > rest->height)
        return;
    state->areas[panel] = (struct area){rest->x, rest->y, rest->width, height};
    rest->y += height;
    rest->height -= height;
}

// Places the panels of one column: the whole width of a narrow screen, the left part of a wide one.
// Order from the top: step, findings, changes, layers, kernels, steps. On small screens findings
// get their lines before the panels below them.
static void column_place(struct view *view, struct area area, bool is_alone)
{
    enum { MIN_FINDINGS = 3, BAR_AND_FIGURES = 3 };
    struct summary_state *state = view->state;
    struct app *app = view->app;
    const struct summary_parts *parts = &state->parts;
    bool is_small = area.height < 30;
    int findings = panel_findings.lines(app, parts, area.width);
    int min_findings_height = at_most(1 + MIN_FINDINGS, findings);
    int step = panel_step.lines(app, parts, area.width);
    // If findings would not fit otherwise, the step panel is drawn without its legend.
    if (step > BAR_AND_FIGURES && area.height - step < min_findings_height)
        step = BAR_AND_FIGURES;
    panel_place(state, PANEL_step, &area, at_most(step, area.height));
    int steps = area.height >= 10 ? panel_steps.lines(app, parts, area.width) : 0;
    int height_above = area.height - steps;
    int max_findings_height =
        height_above - 4 > height_above / 2 ? height_above - 4 : height_above / 2;
    max_findings_height = max_findings_height > 8 && is_small         ? 7
                          : max_findings_height < min_findings_height ? min_findings_height
                                                                      : max_findings_height;
    if (height_above - at_most(findings, max_findings_height) < 2) // too little for another panel
        max_findings_height = height_above;
    panel_place(state, PANEL_findings, &area,
                at_most(at_most(findings, max_findings_height), area.height));
    area.height -= steps;
    if (parts->changes) // with a baseline, changes are more important than layers
        panel_place(state, PANEL_changes, &area,
                    at_most(panel_changes.lines(app, parts, area.width), area.height));
    panel_place(state, PANEL_layers, &area,
                at_most(panel_layers.lines(app, parts, area.width), area.height));
    if (is_alone && area.height >= 4) // with few layers, their kernels are more useful
        panel_place(state, PANEL_kernels, &area,
                    at_most(panel_kernels.lines(app, parts, area.width), area.height));
    area.y += area.height;
    area.height = steps;
    panel_place(state, PANEL_steps, &area, steps);
}

static void panels_place(struct view *view, struct area area)
{
    enum { TWO_COLUMNS_FROM = 160 };
    struct summary_state *state = view->state;
    struct app *app = view->app;
    memset(state->areas, 0, sizeof state->areas);
    if (area.width < TWO_COLUMNS_FROM) {
        column_place(view, area, true);
        return;
    }
    int left = area.width * 3 / 5;
    column_place(view, (struct area){area.x, area.y, left - 1, area.height}, false);
    struct area right = {area.x + left + 1, area.y, area.width - left - 1, area.height};
    panel_place(state, PANEL_devices, &right,
                at_most(panel_devices.lines(app, &state->parts, right.width), right.height));
    panel_place(state, PANEL_idle, &right,
                at_most(panel_idle.lines(app, &state->parts, right.width), right.height / 3));
    panel_place(state, PANEL_kernels, &right,
                at_most(panel_kernels.lines(app, &state->parts, right.width),
                        1 + (right.height - 1) * 3 / 5));
    panel_place(state, PANEL_trust, &right, right.height > 2 ? right.height : 0);
}

// ---- cursor ------------------------------------------------------------------------------------

static int rows_of(struct view *view, int panel)
{
    struct summary_state *state = view->state;
    return state->areas[panel].height > 0 ? panels[panel]->rows(view->app, &state->parts) : 0;
}

// Moves the cursor to the next panel with rows if its panel has none. Until the user has moved it,
// the cursor starts at the findings.
static void cursor_settle(struct view *view)
{
    struct summary_state *state = view->state;
    int wanted = state->is_chosen ? state->panel : PANEL_findings;
    for (int i = 0; i < PANEL_COUNT; i++) {
        state->panel = (wanted + i) % PANEL_COUNT;
        int count = rows_of(view, state->panel), *row = &state->rows[state->panel];
        *row = *row < count ? *row : count > 0 ? count - 1 : 0;
        if (count > 0)
            return;
    }
}

// Moves to the next panel with rows. Returns false if there is none.
static bool panel_step_to(struct view *view, int direction)
{
    struct summary_state *state = view->state;
    for (int to = state->panel + direction; to >= 0 && to < PANEL_COUNT; to += direction) {
        if (rows_of(view, to) == 0)
            continue;
        state->panel = to;
        return true;
    }
    return false;
}

static void row_step(struct view *view, int direction)
{
    struct summary_state *state = view->state;
    int *row = &state->rows[state->panel], to = *row + direction;
    if (!panels[state->panel]->is_sideways && to >= 0 && to < rows_of(view, state->panel)) {
        *row = to;
        return;
    }
    if (panel_step_to(view, direction) && !panels[state->panel]->is_sideways)
        state->rows[state->panel] = direction > 0 ? 0 : rows_of(view, state->panel) - 1;
}

// Moves to the next row of a panel with rows side by side, otherwise to a panel of the other
// column.
static void side_step(struct view *view, int direction)
{
    struct summary_state *state = view->state;
    const struct area *here = &state->areas[state->panel];
    int *row = &state->rows[state->panel], to = *row + direction, best = -1;
    if (panels[state->panel]->is_sideways) {
        *row = to >= 0 && to < rows_of(view, state->panel) ? to : *row;
        return;
    }
    for (int p = 0; p < PANEL_COUNT; p++) {
        int across = (state->areas[p].x - here->x) * direction;
        if (across > 0 && rows_of(view, p) > 0 &&
            (best < 0 || abs(state->areas[p].y - here->y) < abs(state->areas[best].y - here->y)))
            best = p;
    }
    state->panel = best < 0 ? state->panel : best;
}

static void end_step(struct view *view, int direction)
{
    struct summary_state *state = view->state;
    while (panel_step_to(view, direction))
        ;
    int count = rows_of(view, state->panel);
    state->rows[state->panel] = direction < 0 || count == 0 ? 0 : count - 1;
}

// ---- the view ----------------------------------------------------------------------------------

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct summary_state *state = view->state;
    summary_parts_make(view->app, view, &state->parts);
    if (shows_dlprof(view)) {
        dashboard_draw(view->app, &state->parts.dlprof, canvas, area, &state->scroll);
        return;
    }
    panels_place(view, area);
    cursor_settle(view);
    for (int p = 0; p < PANEL_COUNT; p++)
        if (state->areas[p].height > 0)
            panels[p]->draw(view->app, &state->parts, canvas, state->areas[p],
                            p == state->panel ? state->rows[p] : PANEL_NO_CURSOR);
    if (state->areas[PANEL_devices].height > 0)
        canvas_fill(canvas,
                    (struct area){state->areas[PANEL_devices].x - 1, area.y, 1, area.height},
                    STYLE_RULE, 0x2502);
}

static bool dashboard_act(struct summary_state *state, enum action action)
{
    enum { PAGE = 10, END = 10000 }; // more than any page; drawing clamps it
    size_t scroll = (size_t)state->scroll;
    bool is_moved = list_move(action, &scroll, END, PAGE);
    state->scroll = (int)scroll;
    return is_moved;
}

static bool move(struct view *view, enum action action)
{
    switch (action) {
    case ACTION_DOWN:
    case ACTION_UP:
        row_step(view, action == ACTION_DOWN ? 1 : -1);
        return true;
    case ACTION_LEFT:
    case ACTION_RIGHT:
        side_step(view, action == ACTION_RIGHT ? 1 : -1);
        return true;
    case ACTION_PAGE_DOWN:
    case ACTION_HALF_DOWN:
        panel_step_to(view, 1);
        return true;
    case ACTION_PAGE_UP:
    case ACTION_HALF_UP:
        panel_step_to(view, -1);
        return true;
    case ACTION_FIRST:
    case ACTION_LAST:
        end_step(view, action == ACTION_FIRST ? -1 : 1);
        return true;
    case ACTION_NEXT_VIEW: // after the last panel: the next view
        return panel_step_to(view, 1);
    case ACTION_PREVIOUS_VIEW:
        return panel_step_to(view, -1);
    default:
        return false;
    }
}

static bool act(struct view *view, enum action action)
{
    struct summary_state *state = view->state;
    struct app *app = view->app;
    if (action == ACTION_FLIP) {
        state->is_other_face = !state->is_other_face;
        host_say(app, shows_dlprof(view) ? "the dashboard of the DLProf Viewer; {flip} goes back"
                                         : "the step");
        return true;
    }
    if (shows_dlprof(view))
        return dashboard_act(state, action);
    summary_parts_make(app, view, &state->parts);
    panels_place(view, view_room(view));
    cursor_settle(view);
    if (move(view, action)) {
        state->is_chosen = true;
        return true;
    }
    const struct panel *panel = panels[state->panel];
    int row = state->rows[state->panel];
    if ((action != ACTION_ENTER && action != ACTION_EXPLAIN) || rows_of(view, state->panel) == 0)
        return false;
    (action == ACTION_ENTER ? panel->enter : panel->explain)(app, &state->parts, row);
    return true;
}

// A click moves the cursor to a row. Below its title a panel has one line per row, starting at
// panel_first_row().
static bool point(struct view *view, uint32_t key, int x, int y)
{
    struct summary_state *state = view->state;
    struct app *app = view->app;
    bool is_double = key == KEY_DOUBLE_CLICK;
    if ((key != KEY_CLICK && !is_double) || shows_dlprof(view))
        return false;
    summary_parts_make(app, view, &state->parts);
    for (int p = 0; p < PANEL_COUNT; p++) {
        const struct area *area = &state->areas[p];
        int rows = rows_of(view, p), line = y - area->y - 1, lines = area->height - 1;
        if (rows == 0 || x < area->x || x >= area->x + area->width || line < 0 || line >= lines)
            continue;
        state->is_chosen = true;
        int first = p == state->panel ? panel_first_row(state->rows[p], lines) : 0;
        state->panel = p;
        if (!panels[p]->is_sideways)
            state->rows[p] = at_most(first + line, rows - 1);
        return !is_double || act(view, ACTION_ENTER);
    }
    return false;
}

static const char *enters(struct view *view)
{
    struct summary_state *state = view->state;
    return shows_dlprof(view) || rows_of(view, state->panel) == 0 ? NULL
                                                                  : panels[state->panel]->enters;
}

static const struct finding *finding(struct view *view)
{
    struct summary_state *state = view->state;
    bool is_there = !shows_dlprof(view) && state->panel == PANEL_findings;
    return is_there ? panel_finding(view->app, state->rows[PANEL_findings]) : NULL;
}

#define PANEL_NAME(name) #name,
static const char *const panel_names[PANEL_COUNT] = {PANEL_LIST(PANEL_NAME)};

static bool is_flipped(const struct view *view)
{
    return shows_dlprof(view);
}

// Saves "row findings 3": the panel and its row, counted from 1.
static const char *keep(struct view *view, struct arena *arena)
{
    const struct summary_state *state = view->state;
    const char *face = !state->is_other_face ? "" : shows_dlprof(view) ? "\nflip on" : "\nflip off";
    return arena_format(arena, "row %s %d%s", panel_names[state->panel],
                        state->rows[state->panel] + 1, face);
}

static bool go(struct view *view, const char *panel_place)
{
    struct summary_state *state = view->state;
    char name[40], rest;
    int row, panel = 0;
    if (sscanf(panel_place, "%39s %9d%c", name, &row, &rest) != 2)
        return false;
    while (panel < PANEL_COUNT && strcmp(panel_names[panel], name) != 0)
        panel++;
    // The findings must be complete: they share the lines with the other panels.
    host_await_findings(view->app);
    summary_parts_make(view->app, view, &state->parts);
    panels_place(view, view_room(view));
    if (panel == PANEL_COUNT || row < 1 || row > rows_of(view, panel))
        return false;
    state->panel = panel;
    state->rows[panel] = row - 1;
    state->is_chosen = true;
    return true;
}

static bool legend(struct view *view, size_t i, struct view_legend *legend)
{
    if (i >= PANEL_COUNT || shows_dlprof(view))
        return false;
    *legend = (struct view_legend){panels[i]->title, panels[i]->doc};
    return true;
}

static bool row_place(struct view *view, struct row_place *found)
{
    struct summary_state *state = view->state;
    if (shows_dlprof(view))
        return false;
    summary_parts_make(view->app, view, &state->parts);
    const struct panel *panel = panels[state->panel];
    return panel->place && rows_of(view, state->panel) > 0 &&
           panel->place(view->app, &state->parts, state->rows[state->panel], found);
}

static void close_state(struct view *view)
{
    struct summary_state *state = view->state;
    summary_parts_release(&state->parts);
}

const struct view_class view_summary = {
    .name = "summary",
    .title = "Summary",
    .tab = "Sum",
    .digit = '1',
    .doc = "the step, what to change, where the time goes, the steps",
    .kinds = KIND_SUMMARY,
    .saves = "layers",
    .flip_label = "DLProf",
    .state_size = sizeof(struct summary_state),
    .refresh = refresh,
    .draw = draw,
    .act = act,
    .point = point,
    .enters = enters,
    .finding = finding,
    .place = row_place,
    .close = close_state,
    .legend = legend,
    .is_flipped = is_flipped,
    .keep = keep,
    .go = go,
};
