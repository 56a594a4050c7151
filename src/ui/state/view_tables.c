// SPDX-License-Identifier: Apache-2.0
// Views that are the table or tree of a report: a line over it, Enter goes into its rows.
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "analysis/compare/compare.h"
#include "analysis/report/selection_parts.h"
#include "base/format.h"
#include "base/text.h"
#include "model/profile/recorder.h"
#include "ui/state/app_state.h"

// A term as it was typed; rows once marked by how many they were.
static const char *chip_text(const struct view *view, size_t t, struct arena *arena)
{
    const struct table *table = &view->table;
    const struct filter_term *term = &table->filter.terms[t];
    unsigned pick = filter_pick_number(term);
    char count[FORMAT_SIZE];
    if (pick == 0)
        return text_safe(arena, term->source, strlen(term->source), true);
    return arena_format(arena, "%s%s", term->inverse ? "!" : "",
                        format_counted(count, table->picks[pick - 1].count, "marked row"));
}

// A proof is of one GPU where one has looked at the mean of several: nobody asked for that.
static const char *alone_text(struct view *view, struct arena *arena)
{
    uint32_t device = view->narrow.device;
    struct selection all = view_selection(view);
    all.device = view->app->scope.device;
    bool is_one_of = view->is_proof && device != ROW_NONE && all.device == ROW_NONE &&
                     selection_device_count(view->app->profile, &all) > 1;
    return is_one_of ? arena_format(arena, "GPU %" PRId64 " alone",
                                    device_number(view->app->profile, device))
                     : NULL;
}

// "3 of 38  per step and GPU": how many rows, and what their sums are.
static const char *count_text(struct view *view, struct arena *arena)
{
    struct table *table = &view->table;
    char shown[FORMAT_SIZE], all[FORMAT_SIZE];
    if (view->is_late)
        return "being worked out";
    format_count(all, (int64_t)table->rows.count);
    const char *text =
        table->filter.count
            ? arena_format(arena, "%s of %s", format_count(shown, (int64_t)table->kept_count), all)
            : arena_format(arena, "%s", format_counted(shown, table->rows.count, "row"));
    if (view->report != view->base && view->report->apart && table->rows.count > 1)
        text = arena_format(arena, "%s %s", text, view->report->apart); // "42 rows nest"
    if (table->search)
        text = arena_format(arena, "/%s %s found   %s",
                            text_cut(arena, table->search_text, 30, true, table->ascii),
                            format_count(shown, (int64_t)table->match_count), text);
    const char *marks = table_marks_text(table, arena);
    if (marks)
        text = arena_format(arena, "%s   %s", marks, text);
    const char *per = parts_text(&table->parts, table->report, arena);
    bool lacks_backward = view->backward_ns > 0 && !view->narrow.with_backward;
    if (per && (!lacks_backward || view->app->canvas->width >= 100)) // room for both
        text = arena_format(arena, "%s  per %s", text, per);
    if (table->rows.each)
        text = arena_format(arena, "%s  %s", text, table->rows.each);
    const char *alone = alone_text(view, arena);
    if (alone)
        text = arena_format(arena, "%s%s%s", text, per ? ", " : "  ", alone);
    if (view->report != view->base)
        text =
            arena_format(arena, "%s  %s", text, app_comparing_unit(view->app, view->base, arena));
    if (lacks_backward)
        text = arena_format(
            arena, "%s  forward only: %s adds %s", text, action_text("{with-backward}", arena),
            format_duration(shown, ns_per_step(view->backward_ns, table->parts.gpu), table->ascii));
    if (view_kinds(view) & (KIND_TREE | KIND_FLAME) && strcmp(view->report->name, "ops") == 0 &&
        !view->narrow.is_folded)
        text = arena_format(arena, "%s  numbered: each", text);
    return text;
}

// Each term of the filter by itself, as many as there is room for; returns the columns taken, with
// a canvas only.
static int chips_draw(struct view *view, struct canvas *canvas, bool is_drawn, int x, int y,
                      int room)
{
    enum { CHIP_MOST = 34 };
    const struct table *table = &view->table;
    const char *lead = room > 30 ? "filter: " : "";
    int used = canvas_width(lead);
    size_t count = table->filter.count < CHIPS_MAX ? table->filter.count : CHIPS_MAX;
    view->chip_count = 0;
    if (is_drawn)
        canvas_text(canvas, x, y, STYLE_DIM, lead);
    for (size_t t = 0; t < count; t++) {
        const char *term = chip_text(view, t, canvas->frame);
        int rest = room - used - 2 - (t + 1 < count ? 4 : 0); // "+12" has room behind it
        int most = rest < CHIP_MOST && rest < canvas_width(term) ? rest : CHIP_MOST;
        if (most < 4 && t > 0) {
            const char *more = arena_format(canvas->frame, "+%zu", count - t);
            return used + (is_drawn ? canvas_text(canvas, x + used, y, STYLE_WARNING, more)
                                    : canvas_width(more));
        }
        term = arena_format(canvas->frame, "[%s]",
                            text_cut(canvas->frame, term, most, true, canvas->ascii));
        if (is_drawn)
            canvas_text(canvas, x + used, y, STYLE_WARNING, term);
        view->chips[view->chip_count++] =
            (struct chip){(int16_t)(x + used), (int16_t)canvas_width(term)};
        used += canvas_width(term) + (t + 1 < count);
    }
    return used;
}

void table_view_caption(struct view *view, struct canvas *canvas, struct area area)
{
    const struct table *table = &view->table;
    struct arena *arena = canvas->frame;
    // The way to here has half of the line, if it needs that, beside a filter or marks a quarter; a
    // long filter gives way to its count.
    bool is_full = table->filter.count || table_marked_count(&view->table) > 0;
    int share = area.width / (is_full ? 4 : 2);
    share -= view->report != view->base ? 4 : 0; // which time it is and of what stays whole
    const char *right = count_text(view, arena);
    int left = canvas_width(view_path_text(view, INT_MAX, arena)) + 4, width = canvas_width(right);
    int most = area.width - (left < share ? left : share), chips = 0;
    view->chip_count = 0;
    width = width > most ? most : width;
    if (table->filter.count && most - width > 12)
        chips = chips_draw(view, canvas, false, 0, area.y, most - width - 2) + 2;
    int x = area.x + area.width - width - chips - 1;
    if (chips)
        chips_draw(view, canvas, true, x, area.y, most - width - 2);
    canvas_fit(canvas, area.x + 1, area.y, x - area.x - 3, STYLE_STRONG, FIT_MIDDLE,
               view_path_text(view, x - area.x - 3, arena));
    canvas_fit(canvas, x + chips, area.y, width,
               is_full || table->search ? STYLE_WARNING : STYLE_DIM, FIT_LEFT, right);
}

int view_chip_at(const struct view *view, int x)
{
    for (int i = 0; i < view->chip_count; i++)
        if (x >= view->chips[i].x && x < view->chips[i].x + view->chips[i].width)
            return i;
    return -1;
}

bool table_view_ready(struct view *view, struct canvas *canvas, struct area area)
{
    if (view->problem.kind != ERROR_NONE) {
        canvas_wrap(canvas, area, STYLE_BAD, view->problem.message);
        return false;
    }
    table_update(&view->table, NULL);
    view->chip_count = 0;
    return true;
}

void table_view_draw(struct view *view, struct canvas *canvas, struct area area)
{
    if (!table_view_ready(view, canvas, area))
        return;
    struct area below = view_take_sentence(view, &area);
    struct area pane = view_take_pane(view, &area);
    if (area.height > 4) {
        table_view_caption(view, canvas, area);
        area.y++;
        area.height--;
    }
    view->list = area;
    table_draw(&view->table, canvas, area);
    view_draw_sentence(view, canvas, below);
    if (pane.width > 0)
        view_draw_pane(view, canvas, pane);
}

const char *view_row_opens(struct view *view, struct selection *selection)
{
    const void *row = view->report ? table_row(&view->table) : NULL;
    struct selection before = *selection = view_selection(view);
    if (!row || !(view->class->opens || view->report->narrow))
        return NULL;
    const char *opens = view->class->opens
                            ? view->class->opens(view, row, selection)
                            : view->report->narrow(view->app->profile, row, selection);
    bool is_same =
        opens && strcmp(opens, view->report->name) == 0 && selection_equal(selection, &before);
    return is_same ? NULL : opens;
}

const char *table_view_enters(struct view *view)
{
    struct selection selection;
    if (!view->report || !table_row(&view->table))
        return NULL;
    const char *opens = view_row_opens(view, &selection);
    const struct view_class *class = opens ? view_class_find(opens) : NULL;
    if (!class)
        return view->table.has_detail ? NULL : "all of the row";
    // "Kernels" begins no sentence here, "CUDA API" stays.
    struct arena *arena = view->app->canvas->frame;
    bool is_word = class->title[0] && islower((unsigned char)class->title[1]);
    return arena_format(arena, "%c%s",
                        is_word ? tolower((unsigned char)class->title[0]) : class->title[0],
                        class->title + 1);
}

static bool go_in(struct view *view)
{
    const void *row = view->report ? table_row(&view->table) : NULL;
    struct selection selection;
    if (!row)
        return false;
    const char *opens = view_row_opens(view, &selection);
    if (!opens && view->report != view->base && compare_row_side(row, SIDE_A) &&
        !compare_row_side(row, SIDE_B))
        app_say(view->app, "this row is gone: only the baseline has it");
    if (!opens) {
        view->table.has_detail = true; // the innermost: all there is to see of the row
        return true;
    }
    const char *name = table_row_name(&view->table, row);
    if (view->is_pane)
        app_take_pane(view->app);
    selection.iterations = set_keep(view->app, selection.iterations);
    app_enter(view->app, opens, &selection, name && *name ? name : view->report->title);
    return true;
}

static void filter_cell(struct view *view, bool inverse)
{
    struct error error = {0};
    app_remember(view->app);
    if (!table_update(&view->table, &error) ||
        !table_filter_selected(&view->table, inverse, &error))
        app_complain(view->app, "%s", error.message);
}

bool table_view_act(struct view *view, enum action action)
{
    if (!view->report)
        return false;
    if (action == ACTION_ENTER)
        return go_in(view);
    if (action == ACTION_SEARCH_WORD)
        return false; // app_search_word does it
    if (action == ACTION_KEEP || action == ACTION_OMIT) {
        filter_cell(view, action == ACTION_OMIT);
        return true;
    }
    if (action == ACTION_LEAVE_OUT) {
        app_say(view->app, "{leave-out} leaves steps out (view 4); {omit} leaves out rows");
        return true;
    }
    if (action == ACTION_INVERT || action == ACTION_SORT_LEFT || action == ACTION_SORT_RIGHT)
        app_remember(view->app);
    return table_act(&view->table, action);
}

// ---- the classes -------------------------------------------------------------------------------

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
};
const struct view_class view_flat_ops = {
    .name = "detail",
    .title = "Ops",
    .report = "detail",
    TABLE_VIEW,
    .doc = "every op with its kernels' time, as DLProf lists them",
    .flip = "tree",
    .flip_label = "Tree",
    .begins_split = true,
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
};
const struct view_class view_kernels_by_op = {
    .name = "kernel",
    .title = "Kernels by op",
    .report = "kernel",
    TABLE_VIEW,
    .doc = "DLProf's kernel rows: one per op and kernel",
    .flip = "shapes",
    .flip_label = "By shape",
};
const struct view_class view_shapes = {
    .name = "shapes",
    .title = "Kernels by shape",
    .report = "shapes",
    TABLE_VIEW,
    .stage = STAGE_WORK,
    .doc = "kernels by name, grid and block",
    .flip = "operator_kernels",
    .flip_label = "Operators",
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
};
const struct view_class view_pyprof = {
    .name = "pyprof",
    .title = "Kernels with ops",
    .report = "pyprof",
    TABLE_VIEW,
    .doc = "PyProf's table: each kernel with its op and numbers",
    .flip = "kernels",
    .flip_label = "By name",
};
const struct view_class view_roofline = {
    .name = "roofline",
    .title = "Time above ideal",
    .report = "roofline",
    TABLE_VIEW,
    .doc = "what to optimise: layers by time above ideal",
    .flip = "roofline_kernels",
    .flip_label = "Kernels",
};
const struct view_class view_roofline_kernels = {
    .name = "roofline_kernels",
    .title = "Kernels above ideal",
    .report = "roofline_kernels",
    TABLE_VIEW,
    .doc = "the same by kernel name",
    .flip = "roofline_ops",
    .flip_label = "Ops",
};
const struct view_class view_roofline_ops = {
    .name = "roofline_ops",
    .title = "Ops above ideal",
    .report = "roofline_ops",
    TABLE_VIEW,
    .doc = "the same by op",
    .flip = "roofline_types",
    .flip_label = "Op types",
};
const struct view_class view_roofline_types = {
    .name = "roofline_types",
    .title = "Op types above ideal",
    .report = "roofline_types",
    TABLE_VIEW,
    .doc = "the same by type of op",
    .flip = "roofline_plot",
    .flip_label = "Plot",
};
const struct view_class view_mfu = {
    .name = "mfu",
    .title = "MFU",
    .report = "mfu",
    TABLE_VIEW,
    .doc = "steps by what share of the peak the model needs",
    .flip = "iterations",
    .flip_label = "Bars",
};
const struct view_class view_gpu_summary = {
    .name = "gpu_summary",
    .title = "GPU summary",
    .report = "gpu_summary",
    TABLE_VIEW,
    .doc = "how well each GPU is used in the steps",
    .flip = "overview",
    .flip_label = "Steps",
};
const struct view_class view_distributed = {
    .name = "distributed",
    .title = "Workers",
    .report = "distributed",
    TABLE_VIEW,
    .doc = "what workers compute, and wait for each other",
    .flip = "collective_ops",
    .flip_label = "By operation",
};
const struct view_class view_collective_ops = {
    .name = "collective_ops",
    .title = "Collectives",
    .report = "collective_ops",
    TABLE_VIEW,
    .doc = "collectives by operation and process group",
    .flip = "distributed",
    .flip_label = "Workers",
};
const struct view_class view_streams = {
    .name = "streams",
    .title = "Streams",
    .report = "streams",
    TABLE_VIEW,
    .stage = STAGE_WORK,
    .doc = "what each stream did",
    .flip = "gpu_summary",
    .flip_label = "Use",
};
static bool has_source(const struct profile *profile, bool is_trace)
{
    for (uint32_t s = 0; profile && s < profile->source_count; s++)
        if (source_is_trace(&profile->sources[s]) == is_trace)
            return true;
    return false;
}

// What can tell it, also where it does not: then it says why.
bool memory_is_told(const struct profile *profile)
{
    return profile && (profile->has_allocations || has_source(profile, true));
}

static bool tells_driver(const struct profile *profile)
{
    return !profile || profile->has_memory_events || has_source(profile, false);
}

static const char *memory_face(const struct profile *profile)
{
    return profile->has_allocations ? "op_memory" : NULL;
}

const struct view_class view_memory = {
    .name = "memory",
    .title = "Memory",
    .tab = "Mem",
    .digit = '8',
    .report = "memory",
    TABLE_VIEW,
    .min_name_percent = 38,
    .stage = STAGE_WORK,
    .doc = "copies and memsets",
    .flip = "op_memory",
    .flip_label = "Ops",
    .face = memory_face,
};
const struct view_class view_op_memory = {
    .name = "op_memory",
    .title = "Memory by op",
    .report = "op_memory",
    TABLE_VIEW,
    .doc = "memory of the framework's allocator, by operator",
    .flip = "memory_plot",
    .flip_label = "Curve",
    .has = memory_is_told,
};
const struct view_class view_memory_events = {
    .name = "memory_events",
    .title = "Tensors",
    .report = "memory_events",
    TABLE_VIEW,
    .min_name_percent = 38,
    .doc = "allocations of the framework one by one, with what ends them",
    .flip = "allocations",
    .flip_label = "Allocs",
    .has = memory_is_told,
};
const struct view_class view_allocations = {
    .name = "allocations",
    .title = "Allocations",
    .report = "allocations",
    TABLE_VIEW,
    .doc = "memory that is allocated through the driver, by place",
    .flip = "gpu_memory",
    .flip_label = "Peaks",
    .has = tells_driver,
};
const struct view_class view_gpu_memory = {
    .name = "gpu_memory",
    .title = "GPU memory",
    .report = "gpu_memory",
    TABLE_VIEW,
    .doc = "the most memory that is live on each GPU",
    .flip = "memory",
    .flip_label = "Copies",
    .has = tells_driver,
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
};
const struct view_class view_ranges = {
    .name = "ranges",
    .title = "NVTX ranges",
    .report = "ranges",
    TABLE_VIEW,
    .doc = "ranges by name, projected onto the GPU as nsys does",
    .flip = "api",
    .flip_label = "API",
};
const struct view_class view_operators = {
    .name = "operators",
    .title = "Operators",
    .report = "operators",
    TABLE_VIEW,
    .doc = "operators: time on host and GPU, self and total",
    .flip = "operator_shapes",
    .flip_label = "By shape",
};
const struct view_class view_operator_shapes = {
    .name = "operator_shapes",
    .title = "Operators by shape",
    .report = "operator_shapes",
    TABLE_VIEW,
    .doc = "operators by the sizes of their inputs",
    .flip = "operator_stacks",
    .flip_label = "By stack",
};
const struct view_class view_operator_stacks = {
    .name = "operator_stacks",
    .title = "Operators by stack",
    .report = "operator_stacks",
    TABLE_VIEW,
    .doc = "operators by the call stack that led to them",
    .flip = "operators",
    .flip_label = "By name",
};
const struct view_class view_operator_kernels = {
    .name = "operator_kernels",
    .title = "Kernels by operator",
    .report = "operator_kernels",
    TABLE_VIEW,
    .doc = "kernels by operator, grid and block",
    .flip = "kernels",
    .flip_label = "By name",
};
const struct view_class view_modules = {
    .name = "modules",
    .title = "Modules",
    .report = "modules",
    TREE_VIEW,
    .doc = "modules of the model, as they lie in each other",
    .flip = "operators",
    .flip_label = "Operators",
};
