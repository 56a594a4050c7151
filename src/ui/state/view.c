// SPDX-License-Identifier: Apache-2.0
// Creating, refreshing and freeing views. A view shows its base report, or a comparison of it; both
// have a table of their own, and the base table is kept while the comparison is shown.
#include "ui/state/view.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/report/selection_parts.h"
#include "analysis/report/stats.h"
#include "analysis/reports/report_list.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/state/app_state.h"
#include "ui/state/columns.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/undo.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

const struct view_class *view_flip(const struct view *view, const char **label)
{
    const struct view_class *from = view->class;
    do {
        *label = from->flip_label;
        from = from->flip ? view_class_find(from->flip) : NULL;
    } while (from && from != view->class && from->has && !from->has(view->app->profile));
    return from;
}

bool view_is(const struct view *view, const char *name)
{
    return strcmp(view->class->name, name) == 0;
}

// ---- a view ------------------------------------------------------------------------------------

struct selection view_selection(const struct view *view)
{
    const struct scope *scope = view->app->scope;
    struct selection selection = view->narrow;
    selection.split = scope->split;
    selection.adoption = scope->adoption;
    selection.step_size = scope->step_size;
    selection.memo = host_split_memo(view->app);
    // The view's own set of steps is valid only for the split that it refers to.
    if (!(view->own & OWN_ITERATIONS) || view->narrow.split != scope->split)
        selection.iterations = scope->iterations;
    if (!(view->own & OWN_DEVICE))
        selection.device = scope->device;
    if (!(view->own & OWN_PROCESS))
        selection.process = scope->process;
    return selection;
}

void view_close_pane(struct view *view)
{
    view_free(view->pane);
    view->pane = NULL;
    view->has_keys = false;
}

void view_free(struct view *view)
{
    if (!view)
        return;
    view_close_pane(view);
    app_forget_view(view->app, view);
    if (view->class->close && view->state)
        view->class->close(view);
    view_show_base(view);
    if (view->report)
        table_close(&view->table);
    cache_release(view->cached);
    arena_free(view->arena);
    free(view);
}

static void rows_drop(struct view *view, const char *why)
{
    if (view->report)
        table_set_rows(&view->table, &(struct rows){.empty = why});
    cache_release(view->cached);
    view->cached = NULL;
}

// Prepares the change from the view's table to `to`: releases the rows, and copies the row id of
// the cursor, so that the cursor stays on that row if both tables have it.
static void view_change_table(struct view *view, struct table *to, const struct report *report)
{
    to->has_cursor = view->table.has_cursor;
    to->cursor_id = view->table.cursor_id;
    to->has_detail = view->table.has_detail;
    to->stale = TABLE_STALE;
    cache_release(view->cached);
    view->cached = NULL;
    view->report = report;
    view->generation = view->app->generation - 1;
}

void view_show_base(struct view *view)
{
    if (view->pane)
        view_show_base(view->pane);
    if (view->report == view->base)
        return;
    view_change_table(view, &view->base_table, view->base);
    table_close(&view->table);
    view->table = view->base_table;
    view->base_table = (struct table){0};
    rows_drop(view, "Being worked out.");
}

static void view_show_comparison(struct view *view, const struct report *report)
{
    struct table opened;
    if (view->report == report || !table_open(&opened, report, NULL))
        return;
    view_show_base(view);
    rows_drop(view, "Being worked out.");
    view_change_table(view, &opened, report);
    opened.min_name_percent = view->table.min_name_percent;
    view->has_rows = false; // the new rows decide what is unfolded at first
    view->base_table = view->table;
    view->table = opened;
}

void view_release_profile(struct view *view)
{
    view_close_pane(view);
    view_show_base(view);
    if (view->class->close && view->state)
        view->class->close(view);
    rows_drop(view, "Being loaded.");
}

static bool state_body(void *context, struct error *error)
{
    struct view *view = context;
    (void)error;
    view->state = arena_alloc(view->arena, 1, view->class->state_size + 1);
    if (view->narrow.iterations && (view->own & OWN_ITERATIONS)) {
        size_t count = view->narrow.split->count;
        bool *members = ARENA_ARRAY(view->arena, bool, count);
        memcpy(members, view->narrow.iterations, count * sizeof *members);
        view->narrow.iterations = members;
    }
    return true;
}

struct view *view_new(struct app *app, const struct view_class *class,
                      const struct selection *narrow, unsigned own, struct error *error)
{
    struct view *view = calloc(1, sizeof *view);
    struct arena *arena = arena_new(0);
    if (!view || !arena) {
        free(view);
        arena_free(arena);
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    view->app = app;
    view->class = class;
    view->arena = arena;
    view->own = own;
    view->generation = app->generation - 1;
    if (narrow) {
        view->narrow = *narrow;
    } else {
        view->narrow = selection_all(app->scope->split);
        view->narrow.names = app->display->names;
        view->narrow.is_folded = app->display->is_folded;
    }
    const struct report *report = class->own_report ? class->own_report
                                  : class->report   ? report_find(class->report)
                                                    : NULL;
    if ((report && !table_open(&view->table, report, error)) ||
        !arena_run(arena, state_body, view, error)) {
        view->report = view->base = report;
        view_free(view);
        return NULL;
    }
    view->report = view->base = report;
    view->table.min_name_percent = class->min_name_percent;
    if (report)
        app_apply_columns(app, &view->table);
    return view;
}

struct area view_room(const struct view *view)
{
    return view->drawn.width > 0 ? view->drawn : app_room(view->app);
}

unsigned view_kinds(const struct view *view)
{
    bool is_tree = view->report && view->report->depth && !(view->class->kinds & KIND_FLAME);
    return view->class->kinds | (is_tree ? KIND_TREE : 0);
}

bool view_is_ready(const struct view *view)
{
    enum profile_stage needed = view->class->stage ? view->class->stage : STAGE_READY;
    return view->class->own_report || view->app->profile->stage >= needed;
}

bool view_is_drawable(const struct view *view)
{
    return view_is_ready(view) && !(view->is_late && view->class->memo_report);
}

enum { FULL_NAME_SHARE = 48 }; // percent of the width

static bool step_body(void *context, struct error *error)
{
    struct view *view = context;
    const struct profile *profile = view->app->profile;
    struct selection selection = view_selection(view);
    const struct breakdown *devices =
        breakdown_devices(profile, &selection, &breakdown_gpu, view->app->canvas->frame);
    (void)error;
    view->table.step_ns = 0;
    for (uint32_t d = 0; d < profile->device_count; d++)
        sum_add(&view->table.step_ns, devices[d].window_ns);
    return true;
}

void view_measure_step(struct view *view)
{
    int64_t before = view->table.step_ns;
    view->table.step_ns = 0;
    const struct profile *profile = view->app->profile;
    if (view->table.share == SHARE_STEP && profile->stage == STAGE_READY && !profile->lacks_times)
        arena_run(view->app->canvas->frame, step_body, view, NULL);
    if (view->table.step_ns != before)
        view->table.stale = TABLE_STALE;
}

static bool is_stale(const struct view *view)
{
    return view_is_ready(view) && view->generation != view->app->generation;
}

// Returns the report that the view shows and sets its selection.
static const struct report *report_shown(struct view *view, struct selection *selection)
{
    const struct report *comparison =
        view->is_evidence ? NULL : host_comparison(view->app, view->base);
    *selection = view_selection(view);
    if (comparison)
        selection->baseline = host_baseline(view->app);
    return comparison ? comparison : view->base ? view->base : view->class->memo_report;
}

// Returns true if the old rows may stay on the screen until the new ones are ready: only the set of
// steps differs. Rows dropped from the cache may not: their split may be freed and its address
// reused.
static bool rows_may_stay(const struct view *view, const struct report *report,
                          const struct selection *selection)
{
    if (!view->cached || !view->cached->used || view->cached->report != report)
        return false;
    struct selection before = view->cached->selection;
    before.iterations = selection->iterations;
    return selection_equal(&before, selection);
}

void view_refresh_async(struct view *view)
{
    struct app *app = view->app;
    struct selection selection;
    bool is_async = app->is_live && is_stale(view) && !view->class->own_report;
    const struct report *report = is_async ? report_shown(view, &selection) : NULL;
    view->is_late = report && !cache_request(app->cache, report, app->profile, &selection);
    if (!view->is_late)
        view_refresh(view);
    else if (view->report && !rows_may_stay(view, report, &selection))
        rows_drop(view, "Being worked out.");
}

void view_refresh(struct view *view)
{
    struct selection selection;
    if (!is_stale(view))
        return;
    view->generation = view->app->generation;
    const struct report *report = report_shown(view, &selection);
    if (view->class->memo_report)
        cache_release(cache_get(view->app->cache, report, view->app->profile, &selection, NULL));
    else if (report != view->base)
        view_show_comparison(view, report);
    else
        view_show_base(view);
    view->is_late = false;
    view->generation = view->app->generation;
    if (view->report) {
        view->problem.kind = ERROR_NONE;
        struct cached *cached = cache_get(view->app->cache, view->report, view->app->profile,
                                          &selection, &view->problem);
        bool is_same = cached && cached == view->cached;
        cache_release(view->cached);
        view->cached = cached;
        static const struct rows none = {.empty = "The rows could not be made."};
        if (!is_same)
            table_set_rows(&view->table, cached ? &cached->rows : &none);
        if (cached && !view->has_rows) {
            view->has_rows = true;
            if (view_kinds(view) & KIND_TREE)
                tree_unfold_hot(&view->table, view->app->canvas->height > 16
                                                  ? (size_t)view->app->canvas->height - 7
                                                  : 9);
        }
        struct sum_parts parts = {0};
        if (host_is_per_step(view->app) && view->report->is_aggregate)
            parts = selection_parts(view->app->profile, &selection);
        view->backward_ns =
            view->report->is_work ? selection_backward_ns(view->app->profile, &selection) : 0;
        struct sum_parts *shown = &view->table.parts;
        if (parts.gpu != shown->gpu || parts.host != shown->host)
            view->table.stale = TABLE_STALE;
        *shown = parts;
        view_measure_step(view);
        view->table.ascii = view->app->canvas->ascii;
        if (view_has_name_forms(view)) // full names get more room
            view->table.min_name_percent =
                view->narrow.names == NAME_FULL ? FULL_NAME_SHARE : view->class->min_name_percent;
    }
    if (view->class->refresh)
        view->class->refresh(view);
}
