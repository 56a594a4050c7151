// SPDX-License-Identifier: Apache-2.0
// The pane below the lanes: describes the chosen item or gap, or else the visible time of the
// chosen lane, with a breakdown of that time.
#include <inttypes.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/idle_text.h"
#include "analysis/memory/memory_use.h"
#include "analysis/memory/tensor_memory.h"
#include "analysis/sums/work_text.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/profile/api_name.h"
#include "model/profile/recorder.h"
#include "model/profile/vendor.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/bars.h"

enum { PANE_LINES = 4 };

struct pane { // lines of text from the top; the first is highlighted
    const struct view *view;
    const struct timeline *timeline;
    struct arena *arena;
    const char *title;
    const char *keys; // hint on keys if no item is chosen, or NULL
    const char *lines[PANE_LINES];
    size_t count;
    bool ascii;
};

static void pane_add(struct pane *pane, const char *text)
{
    if (text && *text && pane->count < PANE_LINES)
        pane->lines[pane->count++] = text_safe(pane->arena, text, strlen(text), true);
}

// Returns "12.3 µs at 1.234567 s".
static const char *when_text(const struct pane *pane, int64_t from, int64_t to)
{
    char time[FORMAT_SIZE], at[FORMAT_SIZE];
    return arena_format(pane->arena, "%s at %s",
                        format_duration(time, to > from ? to - from : 0, pane->ascii),
                        format_time(at, from));
}

static const char *step_text(const struct pane *pane, uint32_t step)
{
    const struct split *split = host_scope(pane->view->app)->split;
    if (split->method == SPLIT_NONE || step >= split->count)
        return "";
    return arena_format(pane->arena, "  %s", host_step_label(pane->view->app, step, pane->arena));
}

static const char *call_name(const struct pane *pane, uint32_t call)
{
    const struct profile *profile = pane->timeline->profile;
    const char *name = profile_text(profile, AT(profile->api.name, call));
    return arena_copy(pane->arena, name, api_name_length(name));
}

// Returns "thread 41207 pt_autograd_0", with its process if there are several.
static const char *thread_text(const struct pane *pane, uint32_t thread)
{
    const struct profile *profile = pane->timeline->profile;
    const struct thread *row = &profile->threads[thread];
    const char *name = profile_text(profile, row->name);
    uint32_t pid = profile->processes[row->process].pid;
    const char *text = arena_format(pane->arena, "thread %u%s%s", row->tid, *name ? " " : "", name);
    return profile->process_count > 1 && pid != row->tid
               ? arena_format(pane->arena, "%s of %u", text, pid)
               : text;
}

static const char *path_text(const struct pane *pane, const char *before, uint32_t node)
{
    const struct profile *profile = pane->timeline->profile;
    struct selection selection = view_selection(pane->view);
    const char *path =
        node == ROW_NONE
            ? ""
            : node_path_text(profile, selection_tree(profile, &selection), node, pane->arena);
    return *path ? arena_format(pane->arena, "%s%s", before, path) : "";
}

// ---- each kind of item --------------------------------------------------------------------------

static const char *launch_text(const struct pane *pane, uint32_t work)
{
    const struct profile *profile = pane->timeline->profile;
    uint32_t call = HAS(profile->work.launch) ? AT(profile->work.launch, work) : ROW_NONE;
    char before[FORMAT_SIZE], time[FORMAT_SIZE];
    if (call == ROW_NONE)
        return "no launch of it is in the file";
    int64_t ahead = AT(profile->work.start, work) - AT(profile->api.start, call);
    return arena_format(pane->arena, "launched %s %s by %s (%s), %s",
                        format_duration(before, ahead < 0 ? -ahead : ahead, pane->ascii),
                        ahead < 0 ? "after it began" : "before", call_name(pane, call),
                        format_duration(time,
                                        AT(profile->api.end, call) - AT(profile->api.start, call),
                                        pane->ascii),
                        thread_text(pane, AT(profile->api.thread, call)));
}

static const char *shape_text(const struct pane *pane, uint32_t work)
{
    const struct profile *profile = pane->timeline->profile;
    const struct launch_shape *shape = work_launch_shape(profile, work);
    char bytes[FORMAT_SIZE];
    const char *grid = shape ? dims_text(shape->grid, pane->arena) : NULL;
    const char *block = grid ? dims_text(shape->block, pane->arena) : NULL;
    if (block)
        return arena_format(pane->arena, "  grid %s  block %s", grid, block);
    if (work_copy(profile, work) && work_bytes(profile, work) != UNKNOWN)
        return arena_format(pane->arena, "  %s", format_bytes(bytes, work_bytes(profile, work)));
    return "";
}

static void add_work(struct pane *pane, uint32_t work)
{
    const struct profile *profile = pane->timeline->profile;
    struct selection selection = view_selection(pane->view);
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    pane->title = work_kind_names[function->kind];
    pane_add(pane, profile_text(profile, function->full));
    pane_add(pane, arena_format(
                       pane->arena, "%s  GPU %" PRId64 " %s%s%s",
                       when_text(pane, AT(profile->work.start, work), AT(profile->work.end, work)),
                       device_number(profile, work_device(profile, work)),
                       stream_label(profile, AT(profile->work.stream, work), pane->arena),
                       step_text(pane, host_scope(pane->view->app)->split->of_work
                                           ? host_scope(pane->view->app)->split->of_work[work]
                                           : ROW_NONE),
                       shape_text(pane, work)));
    pane_add(pane, launch_text(pane, work));
    pane_add(pane, path_text(pane, "in ", selection_work_node(profile, &selection, work)));
}

static void add_call(struct pane *pane, uint32_t call)
{
    const struct profile *profile = pane->timeline->profile;
    const struct api_calls *api = &profile->api;
    struct selection selection = view_selection(pane->view);
    const char *line = call_place(profile, call);
    uint32_t first = AT(api->first_work, call), count = AT(api->first_work, call + 1) - first;
    char time[FORMAT_SIZE], after[FORMAT_SIZE];
    pane->title = arena_format(pane->arena, "%s call", profile_vendor_terms(profile)->api);
    pane_add(pane, call_name(pane, call));
    pane_add(pane, arena_format(pane->arena, "%s   %s%s",
                                when_text(pane, AT(api->start, call), AT(api->end, call)),
                                thread_text(pane, AT(api->thread, call)),
                                line ? arena_format(pane->arena, "   %s", line) : ""));
    if (count > 0) {
        uint32_t work = AT(api->work_rows, first);
        int64_t ahead = AT(profile->work.start, work) - AT(api->start, call);
        string_id name = selection_name(profile, &selection, AT(profile->work.function, work));
        pane_add(pane,
                 arena_format(pane->arena, "%s %s%s, which begins %s %s and takes %s",
                              count > 1 ? "replays or launches" : "launches",
                              profile_text(profile, name),
                              count > 1 ? arena_format(pane->arena, " and %u more", count - 1) : "",
                              format_duration(after, ahead < 0 ? -ahead : ahead, pane->ascii),
                              ahead < 0 ? "before the call" : "later",
                              format_duration(time, work_duration(profile, work), pane->ascii)));
    }
    pane_add(pane, path_text(pane, "in ", selection_api_node(profile, &selection, call)));
}

static void add_range(struct pane *pane, uint32_t range)
{
    const struct profile *profile = pane->timeline->profile;
    const struct ranges *ranges = &profile->ranges;
    struct selection selection = view_selection(pane->view);
    static const char *const ends[] = {
        [RANGE_CLOSED] = "",
        [RANGE_OPEN] = "   its end is not in the file",
        [RANGE_CROSS_THREAD] = "   the file names the thread that ended it",
    };
    pane->title = recorder_of(profile) == RECORDER_NSYS ? "NVTX range" : "range";
    pane_add(pane, range_text(profile, range, pane->arena));
    pane_add(pane, arena_format(pane->arena, "%s   %s%s",
                                when_text(pane, AT(ranges->start, range), AT(ranges->end, range)),
                                thread_text(pane, range_thread(ranges, range)),
                                ends[range_label(ranges, range)->ending]));
    pane_add(pane, path_text(pane, "in the tree: ",
                             selection_range_node(profile, &selection,
                                                  range_tree_owner(profile, range))));
}

static void add_gap(struct pane *pane, const struct lane *lane, int64_t from, int64_t to)
{
    const struct profile *profile = pane->timeline->profile;
    struct selection selection = view_selection(pane->view);
    const struct idle *idle = &idle_of(profile, &selection, pane->arena)[lane->device];
    size_t at = idle_at(idle, from);
    bool is_there = at < idle->count && idle_part_from(idle, at) < to;
    struct idle_part found = is_there ? idle_part_at(idle, at) : (struct idle_part){0};
    const struct idle_part *part = is_there ? &found : NULL;
    pane->title = "Idle";
    pane_add(pane,
             part ? arena_format(pane->arena, "idle: %s", idle_causes[part->cause].title) : "idle");
    pane_add(pane, arena_format(pane->arena, "%s   GPU %" PRId64, when_text(pane, from, to),
                                device_number(profile, lane->device)));
    if (!part)
        return;
    string_id name = idle_evidence_name(profile, &selection, part);
    if (name != STRING_NONE)
        pane_add(pane, arena_format(pane->arena, "shown by %s",
                                    idle_evidence_text(profile, part->kind, name, pane->arena)));
    if (part->next_work != ROW_NONE)
        pane_add(pane, arena_format(pane->arena, "until %s",
                                    profile_text(profile, selection_name(profile, &selection,
                                                                         AT(profile->work.function,
                                                                            part->next_work)))));
}

static void add_memory(struct pane *pane, const struct lane *lane, uint32_t event)
{
    const struct profile *profile = pane->timeline->profile;
    const struct memory_events *memory = &profile->memory;
    struct selection selection = view_selection(pane->view);
    uint32_t call = memory->api[event];
    char bytes[FORMAT_SIZE], live[FORMAT_SIZE], peak[FORMAT_SIZE], at[FORMAT_SIZE];
    pane->title = "Memory";
    pane_add(pane, arena_format(
                       pane->arena, "%s %s of %s memory: then %s are live, %s at most",
                       memory->is_free[event] ? "frees" : "allocates",
                       memory->bytes[event] == UNKNOWN ? "an unknown size"
                                                       : format_bytes(bytes, memory->bytes[event]),
                       memory_group_name(memory_group(profile, event)),
                       format_bytes(live, lane->live[event]), format_bytes(peak, lane->peak)));
    const struct split *split = host_scope(pane->view->app)->split;
    pane_add(pane, arena_format(pane->arena, "at %s  GPU %" PRId64 "%s",
                                format_time(at, AT(memory->start, event)),
                                device_number(profile, lane->device),
                                step_text(pane, memory_iteration(profile, split, event))));
    if (call == ROW_NONE) {
        pane_add(pane, "its call is not in the file");
        return;
    }
    pane_add(pane, arena_format(pane->arena, "by %s, %s", call_name(pane, call),
                                thread_text(pane, AT(profile->api.thread, call))));
    pane_add(pane, path_text(pane, "in ", selection_api_node(profile, &selection, call)));
}

static void add_tensor(struct pane *pane, const struct lane *lane, uint32_t row)
{
    const struct profile *profile = pane->timeline->profile;
    const struct allocations *allocations = &profile->allocations;
    struct selection selection = view_selection(pane->view);
    int64_t bytes = allocation_bytes(allocations, row);
    char text[FORMAT_SIZE], live[FORMAT_SIZE], peak[FORMAT_SIZE], at[FORMAT_SIZE];
    pane->title = "Tensors";
    pane_add(pane,
             arena_format(pane->arena, "%s %s: then %s are allocated, %s at most",
                          bytes > 0 ? "allocates" : "frees",
                          format_bytes(text, bytes > 0 ? bytes : -bytes),
                          format_bytes(live, lane->live[row]), format_bytes(peak, lane->peak)));
    const struct split *split = host_scope(pane->view->app)->split;
    pane_add(pane, arena_format(pane->arena, "at %s  GPU %" PRId64 "%s",
                                format_time(at, AT(allocations->time, row)),
                                device_number(profile, lane->device),
                                step_text(pane, allocation_iteration(profile, split, row))));
    uint32_t range = range_tree_owner(profile, AT(allocations->range, row));
    if (range == ROW_NONE)
        pane_add(pane, "outside all ranges");
    else
        pane_add(pane, path_text(pane, "in ", selection_range_node(profile, &selection, range)));
}

static const char *share_meaning(const struct lane *lane)
{
    return lane->kind == LANE_UTILIZATION
               ? "the share of its time in which any kernel runs"
               : "blocks that run for each multiprocessor, at most one, the mean over its time";
}

static const char *share_text(const struct pane *pane, const struct lane *lane, int64_t from,
                              int64_t to)
{
    char share[FORMAT_SIZE];
    format_percent(share, lane_share(pane->timeline, lane, from, to));
    return arena_format(pane->arena, "%s%%", share);
}

// Describes an item of a share curve. An item is usually shorter than a column of the screen, so
// the mean of the column where it begins is shown too.
static void add_share(struct pane *pane, const struct lane *lane, uint32_t item)
{
    const struct timeline_state *state = pane->view->state;
    const struct profile *profile = pane->timeline->profile;
    int64_t from = lane_start(lane, item), to = lane_end(lane, item);
    int64_t seen = from > state->from ? from : state->from;
    seen = seen < state->to ? seen : state->to - 1;
    uint32_t cell = timeline_cell_of(state->from, state->to, state->cells, seen);
    const char *column =
        share_text(pane, lane, timeline_cell_from(state->from, state->to, state->cells, cell),
                   timeline_cell_from(state->from, state->to, state->cells, cell + 1));
    char share[FORMAT_SIZE];
    format_percent(share, (double)lane_weight(lane, item) / LANE_FULL);
    bool is_use = lane->kind == LANE_UTILIZATION;
    pane->title = is_use ? "GPU utilization" : "Estimated SM efficiency";
    pane_add(pane, arena_format(pane->arena, "%s in this column: %s", column, share_meaning(lane)));
    pane_add(pane,
             arena_format(pane->arena, "%s  GPU %" PRId64 "  %s", when_text(pane, from, to),
                          device_number(profile, lane->device),
                          is_use ? "a kernel runs"
                                 : arena_format(pane->arena,
                                                "blocks for %s%% of its multiprocessors", share)));
    pane_add(pane, arena_format(pane->arena, "on screen %s, in all of the run %s",
                                share_text(pane, lane, state->from, state->to),
                                share_text(pane, lane, pane->timeline->from, pane->timeline->to)));
}

// Describes the visible time if no item is chosen.
static void add_window(struct pane *pane, const struct lane *lane)
{
    const struct timeline_state *state = pane->view->state;
    char span[FORMAT_SIZE], whole[FORMAT_SIZE], count[FORMAT_SIZE];
    static const char *const nouns[] = {[TABLE_RANGES] = "range",
                                        [TABLE_CALLS] = "call",
                                        [TABLE_WORK] = "piece of work",
                                        [TABLE_MEMORY] = "change of what is live",
                                        [TABLE_TENSORS] = "allocation or free",
                                        [TABLE_SHARES] = "busy piece"};
    uint32_t begins = lane_begins(lane, state->from, state->to);
    pane->title = "On screen";
    pane_add(
        pane,
        arena_format(pane->arena, "%s of %s   %s here",
                     format_duration(span, state->to - state->from, pane->ascii),
                     format_duration(whole, pane->timeline->to - pane->timeline->from, pane->ascii),
                     lane_table(lane) == TABLE_WORK
                         ? arena_format(pane->arena, "%s", format_counted(count, begins, "launch"))
                         : format_counted(count, begins, nouns[lane_table(lane)])));
    if (lane_is_share(lane))
        pane_add(pane,
                 arena_format(pane->arena, "%s on screen: %s",
                              share_text(pane, lane, state->from, state->to), share_meaning(lane)));
    pane->keys =
        action_text("{left} {right} along the lane   {down} {up} other lanes   {first} {last} "
                    "begin, end",
                    pane->arena);
}

// ---- drawing -----------------------------------------------------------------------------------

// Draws the breakdown of a GPU or stream in the visible time. Returns the lines used.
static int legend_draw(const struct pane *pane, const struct lane *lane, struct canvas *canvas,
                       struct area area)
{
    const struct timeline_state *state = pane->view->state;
    struct breakdown breakdown = {.window_ns = state->to - state->from};
    if (!lane_is_work(lane) || area.height < 1)
        return 0;
    lane_add(pane->timeline, lane, state->from, state->to, breakdown.ns);
    breakdown.ns[GPU_IDLE] = breakdown.window_ns;
    for (int c = 0; c < GPU_IDLE; c++)
        breakdown.ns[GPU_IDLE] -= breakdown.ns[c];
    return breakdown_legend_draw(
        canvas, area,
        &(struct legend){.scheme = &breakdown_gpu, .breakdown = &breakdown, .divisor = 1});
}

void timeline_pane_draw(struct view *view, struct canvas *canvas,
                        const struct timeline_layout *layout, const struct timeline *timeline)
{
    const struct timeline_state *state = view->state;
    const struct lane *lane = &timeline->lanes[state->at.lane];
    struct pane pane = {
        .view = view, .timeline = timeline, .arena = canvas->frame, .ascii = canvas->ascii};
    struct area area = layout->pane;
    if (area.height < 1)
        return;
    uint32_t row = state->at.item < lane->count ? lane_row(lane, state->at.item) : ROW_NONE;
    if (state->is_gap)
        add_gap(&pane, lane, state->gap_from, state->gap_to);
    else if (row == ROW_NONE)
        add_window(&pane, lane);
    else if (lane_table(lane) == TABLE_RANGES)
        add_range(&pane, row);
    else if (lane_table(lane) == TABLE_CALLS)
        add_call(&pane, row);
    else if (lane_table(lane) == TABLE_MEMORY)
        add_memory(&pane, lane, row);
    else if (lane_table(lane) == TABLE_TENSORS)
        add_tensor(&pane, lane, row);
    else if (lane_is_share(lane))
        add_share(&pane, lane, state->at.item);
    else
        add_work(&pane, row);
    if (layout->has_pane_rule) {
        canvas_rule(canvas, area.x, area.y, area.width, pane.title);
        area.y++;
        area.height--;
    }
    for (size_t i = 0; i < pane.count && area.height > 0; i++, area.y++, area.height--)
        canvas_fit(canvas, 1, area.y, area.width - 2, i == 0 ? STYLE_STRONG : STYLE_TEXT,
                   i == 0 && row != ROW_NONE ? FIT_MIDDLE : FIT_LEFT, pane.lines[i]);
    int used =
        legend_draw(&pane, lane, canvas, (struct area){1, area.y, area.width - 2, area.height});
    if (pane.keys && used < area.height) // figures have priority
        canvas_fit(canvas, 1, area.y + used, area.width - 2, STYLE_DIM, FIT_LEFT, pane.keys);
}

// ---- the meaning of the signs -------------------------------------------------------------------

void timeline_explain(struct view *view)
{
    bool ascii = host_canvas(view->app)->ascii;
    struct arena *arena = host_canvas(view->app)->frame;
    const char *text = "A lane is a thread's NVTX ranges, outermost first, its CUDA calls, a GPU's "
                       "work of all streams, or one stream's. A cell has the sign of what takes "
                       "most of its time:\n\n";
    for (size_t c = 0; c < breakdown_gpu.count; c++) {
        char sign[5] = {0};
        text_encode(category_glyph(&breakdown_gpu, c, ascii), sign);
        text = arena_format(arena, "%s%s  %s\n", text, sign, breakdown_gpu.categories[c].title);
    }
    text = arena_format(
        arena,
        "%s%s  less than half of the cell\n\n"
        "CUDA calls: %s launches, %s copies, %s waiting for the GPU, %s others. Ranges: %s one "
        "begins, %s it goes on, %s several begin. Memory: as high as the most that is live, of the "
        "most of the run. Utilization and SM efficiency: as high as their mean over the cell.\n\n"
        "Over the lanes: the time, and the steps by the clock of the chosen lane; : is left out of "
        "the set. %s is where what is chosen begins, %s the call that launched it.\n\n%s",
        text, ascii ? "_" : "▁▂▃", ascii ? "#" : "█", ascii ? "-" : "░", ascii ? "=" : "▒",
        ascii ? "%" : "▓", ascii ? "|" : "├", ascii ? "-" : "─", ascii ? "=" : "┄",
        ascii ? "v" : "▼", ascii ? "*" : "●",
        action_text("{left} {right} go along the lane, a column at least; {previous-item} "
                    "{next-item} one by one. {down} {up} choose the lane, {zoom-in} {zoom-out} "
                    "zoom, {fit} fits what is chosen, {link} goes from a kernel to its launch and "
                    "back, {search} searches all lanes.",
                    arena));
    host_open_box(view->app, "Timeline", text);
}

// The entries for the help.
bool timeline_legend(struct view *view, size_t i, struct view_legend *legend)
{
    static const struct view_legend lanes[] = {
        {"NVTX", "ranges of a thread, a row for each level they nest; where lanes do not fit the "
                 "outer ones, all while one of them is chosen; of a trace of PyTorch: ops"},
        {"CUDA", "calls of the CUDA API of a thread; HIP of AMD"},
        {"GPU n all", "what a GPU does on all its streams, as the breakdowns have it"},
        {"s7", "what a stream does"},
        {"mem 30 GB",
         "what is live of the GPU's own memory, as high as it is of the most of the run, "
         "which the label tells; from allocations"},
        {"tens 2.7 GB", "the same of what the framework's allocator has handed out: tensors"},
        {"util 62.3%", "the share of time in which any kernel runs: its mean over each cell, "
                       "and over the screen in the label"},
        {"SM eff 41.0%",
         "the same of blocks that run for each multiprocessor, at most one: estimated SM "
         "efficiency; where no kernel's are known there is no such lane"},
        {"steps", "by the clock of the chosen lane: its GPU, else its process"},
    };
    (void)view;
    if (i >= sizeof lanes / sizeof *lanes)
        return false;
    *legend = lanes[i];
    return true;
}
