// SPDX-License-Identifier: Apache-2.0
// Shows a row of any view on the timeline, and goes back. The place of a row (struct row_place) is
// the item, step or gap on the timeline that corresponds to it.
#include <inttypes.h>

#include "analysis/detectors/expert.h"
#include "analysis/place/row_place_find.h"
#include "ui/actions/actions.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"
#include "ui/timeline/timeline_actions.h"
#include "ui/timeline/timeline_view.h"

static bool row_place(struct view *view, struct row_place *place)
{
    const void *row = view->report ? table_row(&view->table) : NULL;
    struct selection selection = view_selection(view);
    return row && place_of_row(host_profile(view->app), &selection, view->report, row, place,
                               host_canvas(view->app)->frame);
}

// Finds the place of the first row of a finding's evidence, in the order of its view.
static bool finding_place(struct app *app, const struct finding *finding, struct row_place *place)
{
    const struct view_class *class = finding->opens ? view_class_find(finding->opens) : NULL;
    struct selection evidence = finding->evidence;
    struct error error = {0};
    evidence.split = host_scope(app)->split;
    struct view *view =
        class ? view_new(app, class, &evidence, OWN_ITERATIONS | OWN_DEVICE | OWN_PROCESS, &error)
              : NULL;
    if (!view)
        return false;
    view->is_evidence = true;
    view_refresh(view);
    if (view->report)
        host_show_finding_rows(view, finding);
    bool is_found = view->report && table_update(&view->table, NULL) && row_place(view, place);
    view_free(view);
    return is_found;
}

static bool view_place(struct view *view, struct row_place *place)
{
    const struct finding *finding = view->class->finding ? view->class->finding(view) : NULL;
    if (finding)
        return finding_place(view->app, finding, place);
    return view->class->place ? view->class->place(view, place) : row_place(view, place);
}

// Used for hints, so it only tests whether rows of this kind can have a place.
bool view_has_place(struct view *view)
{
    if (host_profile(view->app)->lacks_times)
        return false;
    if (view->class->place)
        return true;
    return view->report && table_row(&view->table) &&
           (view->report->place || view->report->work || view->report->narrow);
}

// ---- showing a place ----------------------------------------------------------------------------

static struct timeline_span work_span(const struct profile *profile, uint32_t work)
{
    // If the launch is earlier than this many kernel lengths, it is not shown, because the kernel
    // would be narrower than a column.
    enum { MAX_AHEAD = 40 };
    struct timeline_span span = {AT(profile->work.start, work), AT(profile->work.end, work)};
    uint32_t call = HAS(profile->work.launch) ? AT(profile->work.launch, work) : ROW_NONE;
    int64_t length = span.to > span.from ? span.to - span.from : 1;
    if (call == ROW_NONE || AT(profile->api.start, call) >= span.from)
        return span;
    if ((span.from - AT(profile->api.start, call)) / MAX_AHEAD <= length)
        span.from = AT(profile->api.start, call);
    return span;
}

// Returns a tenth of the run, centred on `time`: the curve of memory changes little between two
// allocations.
static struct timeline_span memory_span(const struct timeline *timeline, int64_t time)
{
    int64_t room = (timeline->to - timeline->from) / 20;
    return (struct timeline_span){time - room, time + room};
}

// Returns the time from the first to the last work of a step on the selected GPUs; it begins with
// the host's step if that is earlier. Without GPU work returns the host's step.
static struct timeline_span step_span(const struct profile *profile, const struct split *split,
                                      const struct selection *selection, uint32_t step)
{
    struct timeline_span span = {split->start[step], split->stop[step]};
    bool any = false;
    for (uint32_t d = 0; d < profile->device_count && split->gpu_start; d++) {
        size_t at = (size_t)d * split->count + step;
        if ((selection->device != ROW_NONE && selection->device != d) ||
            split->gpu_start[at] == UNKNOWN || split->gpu_stop[at] == UNKNOWN)
            continue;
        span.from = any && span.from < split->gpu_start[at] ? span.from : split->gpu_start[at];
        span.to = any && span.to > split->gpu_stop[at] ? span.to : split->gpu_stop[at];
        any = true;
    }
    if (any && split->start[step] < span.from && split->stop[step] > span.from)
        span.from = split->start[step];
    return span;
}

// Returns the lane that shows a GPU's idle time: the lane of the GPU, or of its only stream.
static size_t gap_lane(const struct timeline *timeline, uint32_t device)
{
    for (size_t i = 0; i < timeline->count; i++)
        if (lane_is_work(&timeline->lanes[i]) && timeline->lanes[i].device == device)
            return i;
    return SIZE_MAX;
}

static void show_gap(struct timeline_state *state, const struct timeline *timeline,
                     const struct row_place *place)
{
    state->at = (struct lane_item){gap_lane(timeline, place->row), ROW_NONE};
    state->is_gap = true;
    state->gap_from = place->from;
    state->gap_to = place->to;
}

static void show_item(struct timeline_state *state, const struct timeline *timeline,
                      const struct row_place *place)
{
    static const enum lane_table tables[] = {[PLACE_WORK] = TABLE_WORK,
                                             [PLACE_CALL] = TABLE_CALLS,
                                             [PLACE_RANGE] = TABLE_RANGES,
                                             [PLACE_MEMORY] = TABLE_MEMORY};
    struct lane_item found;
    if (timeline_find(timeline, tables[place->kind], place->row, &found))
        state->at = found;
}

static void show(struct view *view, const struct row_place *place)
{
    struct app *app = view->app;
    const struct profile *profile = host_profile(app);
    struct timeline_state *state = view->state;
    struct timeline_lines lines = timeline_lines_of(view);
    const struct timeline *timeline = lines.timeline;
    struct selection selection = view_selection(view);
    struct timeline_span span = {timeline->from, timeline->to};
    timeline_settle(view, &lines);
    // Prevents refresh() from showing the chosen step instead.
    state->set = selection.iterations;
    if (place->kind == PLACE_GAP)
        show_gap(state, timeline, place);
    else if (place->kind != PLACE_STEP)
        show_item(state, timeline, place);
    timeline_chosen(view, timeline, &span);
    if (place->kind == PLACE_STEP)
        span = step_span(profile, host_scope(app)->split, &selection, place->row);
    else if (place->kind == PLACE_WORK)
        span = work_span(profile, place->row);
    else if (place->kind == PLACE_MEMORY)
        span = memory_span(timeline, span.from);
    // A step fills the width. A single item gets half of its length on either side.
    int64_t length = span.to - span.from;
    int64_t edge = place->kind == PLACE_STEP ? length / 50 : length / 2 + 1;
    state->from = span.from - timeline->from > edge ? span.from - edge : timeline->from;
    state->to = timeline->to - span.to > edge ? span.to + edge : timeline->to;
    timeline_window_settle(state, timeline);
}

void timeline_show_step(struct view *view, uint32_t step)
{
    show(view, &(struct row_place){.kind = PLACE_STEP, .row = step, .of = 1});
}

// ---- going there -------------------------------------------------------------------------------

static const char *place_name(struct view *view, const struct row_place *place)
{
    struct arena *arena = host_canvas(view->app)->frame;
    if (place->kind == PLACE_STEP)
        return host_step_title(view->app, place->row, arena);
    const void *row = view->report ? table_row(&view->table) : NULL;
    const char *name = row ? table_row_name(&view->table, row) : NULL;
    return name && *name ? name : place_text(place, arena);
}

void app_timeline(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    struct row_place place;
    if (view->class == &view_timeline) {
        app_back(app, argument);
        return;
    }
    if (!view_is_ready(&(struct view){.app = app, .class = &view_timeline})) {
        host_say(app, "the time line is there once the profile is loaded");
        return;
    }
    if (host_profile(app)->lacks_times) {
        host_say(app, "there is no time line: the file does not tell when anything ran");
        return;
    }
    if (!view_place(view, &place)) {
        host_say(app, "this is nowhere on the time line; 6 shows all of it");
        return;
    }
    struct selection now = view_selection(view), narrow = selection_all(host_scope(app)->split);
    narrow.names = view->narrow.names;
    narrow.iterations = now.iterations;
    narrow.device = now.device;
    narrow.process = now.process;
    unsigned own = view->own;
    const char *name = place_name(view, &place),
               *which = place_text(&place, host_canvas(app)->frame);
    if (!host_open_view(app, &view_timeline, &narrow, own, name))
        return;
    show(host_top_view(app), &place);
    if (place.of > 1)
        host_say(app, "%s; {timeline} goes back", which);
}
