// SPDX-License-Identifier: Apache-2.0
#include "ui/view.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/format.h"
#include "ui/app_state.h"

// ---- the list ----------------------------------------------------------------------------------

#define TABLE_VIEW .kinds = KIND_TABLE, .draw = table_view_draw, .act = table_view_act
#define TREE_VIEW  .kinds = KIND_TABLE | KIND_TREE, .draw = table_view_draw, .act = table_view_act

const struct view_class view_tree = {
    .name = "tree",
    .title = "Op tree",
    .tab = "Tree",
    .digit = '2',
    .report = "ops",
    TREE_VIEW,
    .doc = "layers, ranges and ops, what each costs",
    .flip = "detail",
    .flip_label = "Flat",
    .hint = "Enter its kernels   h l fold   o siblings   d details   \\ filter   ? all keys",
};
const struct view_class view_flat_ops = {
    .name = "detail",
    .title = "Ops",
    .report = "detail",
    TABLE_VIEW,
    .doc = "every op with its kernels' time, as DLProf lists them",
    .flip = "tree",
    .flip_label = "Tree",
    .hint = "Enter kernels of the op   < > sort   d details   \\ filter   ? all keys",
};
const struct view_class view_kernels = {
    .name = "kernels",
    .title = "Kernels",
    .tab = "Kern",
    .digit = '3',
    .report = "kernels",
    TABLE_VIEW,
    .stage = STAGE_WORK,
    .doc = "GPU work by name",
    .flip = "kernel",
    .flip_label = "By op",
    .hint = "Enter launches   w who launches it   v form of names   d details   ? all keys",
};
const struct view_class view_kernels_by_op = {
    .name = "kernel",
    .title = "Kernels by op",
    .report = "kernel",
    TABLE_VIEW,
    .doc = "DLProf's kernel rows: one per op and kernel",
    .flip = "kernels",
    .flip_label = "By name",
    .hint = "Enter goes in   < > sort   d details   \\ filter   ? all keys",
};
const struct view_class view_devices = {
    .name = "devices",
    .title = "GPUs",
    .tab = "GPUs",
    .digit = '7',
    .report = "devices",
    TABLE_VIEW,
    .stage = STAGE_WORK,
    .doc = "what each GPU did",
    .flip = "streams",
    .flip_label = "Streams",
    .hint = "Enter goes in   { } one GPU after another   p GPU or process   ? all keys",
};
const struct view_class view_streams = {
    .name = "streams",
    .title = "Streams",
    .report = "streams",
    TABLE_VIEW,
    .stage = STAGE_WORK,
    .doc = "what each stream did",
    .flip = "devices",
    .flip_label = "GPUs",
    .hint = "Enter goes in   < > sort   d details   ? all keys",
};
const struct view_class view_memory = {
    .name = "memory",
    .title = "Memory",
    .tab = "Mem",
    .digit = '8',
    .report = "memory",
    TABLE_VIEW,
    .stage = STAGE_WORK,
    .doc = "copies and memsets",
    .hint = "Enter, d: all of the row   < > sort   \\ filter   ? all keys",
};
const struct view_class view_api = {
    .name = "api",
    .title = "CUDA API",
    .tab = "API",
    .digit = '9',
    .report = "api",
    TABLE_VIEW,
    .stage = STAGE_CALLS,
    .doc = "calls of the CUDA API",
    .flip = "ranges",
    .flip_label = "Ranges",
    .hint = "Enter, d: all of the row   < > sort   \\ filter   ? all keys",
};
const struct view_class view_ranges = {
    .name = "ranges",
    .title = "NVTX ranges",
    .report = "ranges",
    TABLE_VIEW,
    .doc = "ranges by name, projected onto the GPU as nsys does",
    .flip = "api",
    .flip_label = "API",
    .hint = "Enter goes in   < > sort   d details   ? all keys",
};
const struct view_class view_trust = {
    .name = "trust",
    .title = "Trust",
    .tab = "Trust",
    .digit = '0',
    .report = "trust",
    TABLE_VIEW,
    .doc = "what was read, what was skipped, which totals agree",
    .name_share = 55,
    .hint = "d all of the row   R capture line   ? all keys",
};

#define VIEW_ENTRY(name) &view_##name,
const struct view_class *const views[] = {VIEW_LIST(VIEW_ENTRY)};
const size_t view_count = sizeof views / sizeof *views;

// Reports that have no class get these, made once.
enum { PLAIN_MAX = 64 };
static struct view_class plain_classes[PLAIN_MAX];

static const struct view_class *class_of_report(size_t r)
{
    for (size_t i = 0; i < view_count; i++)
        if (views[i]->report && strcmp(views[i]->report, reports[r]->name) == 0)
            return views[i];
    if (r >= PLAIN_MAX)
        return NULL;
    plain_classes[r] = (struct view_class){
        .name = reports[r]->name,
        .title = reports[r]->title,
        .doc = reports[r]->doc,
        .report = reports[r]->name,
        TABLE_VIEW,
        .hint = "Enter goes in   < > sort   d details   \\ filter   s save   ? all keys",
    };
    return &plain_classes[r];
}

// Names of views first, then those of reports that are no view's name already.
size_t view_name_count(void)
{
    return view_count + report_count;
}

const char *view_name(size_t i)
{
    return i < view_count ? views[i]->name : reports[i - view_count]->name;
}

const struct view_class *view_class_find(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; length == 1 && i < view_count; i++)
        if (views[i]->digit == name[0])
            return views[i];
    for (int pass = 0; pass < 2 && length > 0; pass++) {
        for (size_t i = 0; i < view_count; i++)
            if (pass ? strncasecmp(views[i]->name, name, length) == 0
                     : strcasecmp(views[i]->name, name) == 0)
                return views[i];
        for (size_t r = 0; r < report_count; r++)
            if (pass ? strncasecmp(reports[r]->name, name, length) == 0
                     : strcasecmp(reports[r]->name, name) == 0)
                return class_of_report(r);
    }
    return NULL;
}

// ---- a view ------------------------------------------------------------------------------------

struct selection view_selection(const struct view *view)
{
    const struct scope *scope = &view->app->scope;
    struct selection selection = view->narrow;
    selection.split = scope->split;
    selection.adoption = scope->adoption;
    // A set of the view's own is one of this split only.
    if (!(view->own & OWN_ITERATIONS) || view->narrow.split != scope->split)
        selection.iterations = scope->iterations;
    if (!(view->own & OWN_DEVICE))
        selection.device = scope->device;
    if (!(view->own & OWN_PROCESS))
        selection.process = scope->process;
    return selection;
}

void view_free(struct view *view)
{
    if (!view)
        return;
    if (view->class->close && view->state)
        view->class->close(view);
    if (view->report)
        table_close(&view->table);
    cache_release(view->cached);
    arena_free(view->arena);
    free(view);
}

void view_let_go(struct view *view)
{
    static const struct rows none = {.empty = "Being loaded."};
    if (view->class->close && view->state)
        view->class->close(view);
    if (view->report)
        table_set_rows(&view->table, &none);
    cache_release(view->cached);
    view->cached = NULL;
    view->own &= ~(unsigned)OWN_ITERATIONS;
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
        view->narrow = selection_all(app->scope.split);
        view->narrow.names = app->names;
        view->narrow.is_folded = app->is_folded;
    }
    const struct report *report = class->own_report ? class->own_report
                                  : class->report   ? report_find(class->report)
                                                    : NULL;
    if ((report && !table_open(&view->table, report, error)) ||
        !arena_run(arena, state_body, view, error)) {
        view->report = report;
        view_free(view);
        return NULL;
    }
    view->report = report;
    view->table.name_share = class->name_share;
    return view;
}

unsigned view_kinds(const struct view *view)
{
    return view->class->kinds | (view->report && view->report->depth ? KIND_TREE : 0);
}

bool view_is_ready(const struct view *view)
{
    enum profile_stage needed = view->class->stage ? view->class->stage : STAGE_READY;
    return view->class->own_report || view->app->profile->stage >= needed;
}

void view_refresh(struct view *view)
{
    if (!view_is_ready(view) || view->generation == view->app->generation)
        return;
    view->generation = view->app->generation;
    if (view->report) {
        struct selection selection = view_selection(view);
        view->problem.kind = ERROR_NONE;
        struct cached *cached = cache_get(&view->app->cache, view->report, view->app->profile,
                                          &selection, &view->problem);
        bool is_same = cached && cached == view->cached;
        cache_release(view->cached);
        view->cached = cached;
        static const struct rows none = {.empty = "The rows could not be made."};
        if (!is_same)
            table_set_rows(&view->table, cached ? &cached->rows : &none);
        if (cached && !view->has_rows) {
            view->has_rows = true;
            tree_open_hot(&view->table, view->app->canvas->height > 16
                                            ? (size_t)view->app->canvas->height - 7
                                            : 9);
        }
        double divisor = view->app->is_per_step && view->report->is_aggregate
                             ? app_divisor(view->app, &selection)
                             : 1;
        if (divisor != view->table.divisor) {
            view->table.divisor = divisor;
            view->table.is_dirty = true;
        }
        view->table.ascii = view->app->canvas->ascii;
    }
    if (view->class->refresh)
        view->class->refresh(view);
}

// ---- plain tables ------------------------------------------------------------------------------

// "Tree › layers.* › Kernels": how one came here, or what the table holds.
static const char *trail_text(struct view *view, struct arena *arena)
{
    const struct app *app = view->app;
    size_t from = app->depth;
    while (from > 1 && app->trail[from - 1]->label[0])
        from--;
    if (from == app->depth || from == 0)
        return NULL;
    const char *text = app->trail[from - 1]->class->title;
    for (size_t i = from; i < app->depth; i++)
        text = arena_format(arena, "%s › %s › %s", text, app->trail[i]->label,
                            app->trail[i]->class->title);
    return text;
}

static const char *tree_path(const struct table *table, struct arena *arena)
{
    const char *text = NULL;
    if (!table->report->depth || !table->parent || table->cursor >= table->shown_count)
        return NULL;
    unsigned name = 0;
    while (name < table->report->column_count &&
           !(table->report->columns[name].flags & COLUMN_NAME))
        name++;
    uint32_t row = table->shown[table->cursor];
    for (int level = 0; row != UINT32_MAX && level < 20; level++, row = table->parent[row]) {
        struct value value =
            table->report->columns[name].get(report_row(table->report, &table->rows, row));
        const char *part = value.kind == VALUE_TEXT ? value.text : "?";
        text = text ? arena_format(arena, "%.60s › %s", part, text)
                    : arena_format(arena, "%.60s", part);
    }
    return text;
}

const char *view_per(const struct view *view)
{
    return view->app->profile->device_count > 1 ? "step and GPU" : "step";
}

static void caption_draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct table *table = &view->table;
    struct arena *arena = canvas->frame;
    char shown[FORMAT_SIZE], all[FORMAT_SIZE];
    const char *left = trail_text(view, arena);
    if (!left)
        left = tree_path(table, arena);
    if (!left)
        left = table->rows.caption ? table->rows.caption : table->report->title;
    const char *right = "";
    if (table->filter.count || *table->filter_text)
        right = arena_format(arena, "filter: %s  %s of %s", table->filter_text,
                             format_count(shown, (int64_t)table->kept_count),
                             format_count(all, (int64_t)table->rows.count));
    else
        right = arena_format(arena, "%s %s", format_count(all, (int64_t)table->rows.count),
                             table->rows.count == 1 ? "row" : "rows");
    if (table->search)
        right = arena_format(arena, "/%s %s found   %s", table->search_text,
                             format_count(shown, (int64_t)table->match_count), right);
    if (table->divisor > 1)
        right = arena_format(arena, "%s  per %s", right, view_per(view));
    if (view_kinds(view) & KIND_TREE && strcmp(view->report->name, "ops") == 0)
        right =
            arena_format(arena, "%s%s", right, view->narrow.is_folded ? "" : "  numbered: each");
    int width = canvas_width(right);
    width = width > area.width * 2 / 3 ? area.width * 2 / 3 : width;
    canvas_fit(canvas, area.x + 1, area.y, area.width - width - 4, STYLE_STRONG, FIT_MIDDLE, left);
    canvas_fit(canvas, area.x + area.width - width - 1, area.y, width,
               table->filter.count || table->search ? STYLE_WARNING : STYLE_DIM, FIT_LEFT, right);
}

void table_view_draw(struct view *view, struct canvas *canvas, struct area area)
{
    if (view->problem.kind != ERROR_NONE) {
        canvas_wrap(canvas, area, STYLE_BAD, view->problem.message);
        return;
    }
    if (!view->report) {
        canvas_wrap(canvas, area, STYLE_DIM, "This view is not in this build.");
        return;
    }
    table_update(&view->table, NULL);
    if (area.height > 4) {
        caption_draw(view, canvas, area);
        area.y++;
        area.height--;
    }
    table_draw(&view->table, canvas, area);
}

static bool go_in(struct view *view)
{
    const void *row = view->report ? table_row(&view->table) : NULL;
    if (!row)
        return false;
    struct selection selection = view_selection(view), before = selection;
    const char *opens = NULL;
    if (view->report->narrow)
        opens = view->report->narrow(view->app->profile, row, &selection);
    if (!opens ||
        (strcmp(opens, view->report->name) == 0 && selection_equal(&selection, &before))) {
        view->table.has_detail = true; // the innermost: all there is to see of the row
        return true;
    }
    char label[96] = "";
    for (unsigned c = 0; c < view->report->column_count && !*label; c++) {
        const struct column *column = &view->report->columns[c];
        struct value value = column->get(row);
        if ((column->flags & COLUMN_NAME) && value.kind == VALUE_TEXT)
            snprintf(label, sizeof label, "%s", value.text);
    }
    app_enter(view->app, opens, &selection, *label ? label : view->report->title);
    return true;
}

bool table_view_act(struct view *view, enum action action)
{
    if (!view->report)
        return false;
    if (action == ACTION_ENTER)
        return go_in(view);
    if (action == ACTION_SEARCH_WORD)
        return false; // app_search does it
    if (action == ACTION_KEEP || action == ACTION_OMIT || action == ACTION_INVERT ||
        action == ACTION_SORT_LEFT || action == ACTION_SORT_RIGHT)
        app_remember(view->app);
    return table_act(&view->table, action);
}
