// SPDX-License-Identifier: Apache-2.0
// Sums the time of the steps: compute by op or range (backward work counts for its forward op),
// communication and copies by name, idle time by cause. The rows add up to the duration of the
// steps.
#include <stdlib.h>
#include <string.h>

#include "analysis/idle/idle_sums.h"
#include "analysis/report/memo.h"
#include "analysis/report/partial_sums.h"
#include "analysis/report/report.h"
#include "analysis/report/selection_parts.h"
#include "analysis/report/stats.h"
#include "analysis/sums/work_text.h"
#include "base/parallel.h"
#include "base/scratch.h"

enum cost_kind { COST_COMPUTE, COST_COMM, COST_COPY, COST_IDLE, COST_EDGES };
static const char *const kind_names[] = {"compute", "comm", "copy", "idle", "edges"};

struct cost_row {
    const char *name, *known_as; // known_as: name that matches the row in another profile
    enum cost_kind kind;
    uint32_t node;  // COST_COMPUTE: node of the op tree
    uint32_t cause; // COST_IDLE: enum idle_cause
    string_id work; // COST_COMM, COST_COPY: name of the work in the selection's name form
    int64_t time_ns, backward_ns;
    int64_t step_ns;   // total of all rows
    int64_t spread_ns; // median absolute deviation over the steps, per GPU, or UNKNOWN
};

static const struct cost_row *costs_of(const void *row)
{
    return row;
}

static struct value get_name(const void *row)
{
    return value_text(costs_of(row)->name);
}

static struct value get_kind(const void *row)
{
    return value_text(kind_names[costs_of(row)->kind]);
}

static struct value get_time(const void *row)
{
    return value_integer(costs_of(row)->time_ns);
}

static struct value get_backward(const void *row)
{
    return costs_of(row)->backward_ns ? value_integer(costs_of(row)->backward_ns) : value_none();
}

static struct value get_share(const void *row)
{
    return value_share(costs_of(row)->time_ns, costs_of(row)->step_ns);
}

static struct value get_spread(const void *row)
{
    return value_integer(costs_of(row)->spread_ns);
}

static const struct column columns[] = {
    {"place", "Place or Cause", "place", UNIT_TEXT, get_name,
     "Computing: the op or range that launched it, of backward work its forward op, by the names "
     "from the root. Communication and copies: the kernel or copy. Idle time: its cause.",
     COLUMN_NAME},
    {"kind", "Kind", "kind", UNIT_TEXT, get_kind,
     "compute, comm, copy, idle, or edges: work that the steps launched and that ran outside of "
     "their time, taken off, and that of others that ran inside.",
     0},
    {"step", "Share of the Step (%)", "%step", UNIT_PERCENT, get_share,
     "Time of the row over that of all rows.", COLUMN_SHARE},
    {"time", "Time (ns)", "time", UNIT_NS, get_time,
     "Exclusive GPU time, or idle time. The rows add up to the steps by the GPU's clock.",
     COLUMN_BAR | COLUMN_SUM},
    {"bwd", "Backward GPU Time (ns)", "bwd", UNIT_NS, get_backward,
     "Part of it in the backward work of these ops.", COLUMN_SUM},
    {"spread", "Spread over Steps (ns)", "spread", UNIT_NS, get_spread,
     "Median absolute deviation of what the row takes in each step, per GPU. Unknown for a single "
     "step, and for very many rows and steps.",
     COLUMN_WIDE | COLUMN_TIMED},
};

// ---- rows ---------------------------------------------------------------------------------------

struct costs {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct cost_row *rows;
    size_t count, capacity;
};

static uint32_t row_add(struct costs *costs, enum cost_kind kind, const char *name, int64_t time_ns)
{
    ARENA_PUSH(costs->arena, costs->rows, costs->count, costs->capacity) =
        (struct cost_row){.name = name,
                          .known_as = name,
                          .kind = kind,
                          .node = ROW_NONE,
                          .time_ns = time_ns,
                          .spread_ns = UNKNOWN};
    return (uint32_t)costs->count - 1;
}

// ---- sums of work per step ----------------------------------------------------------------------

enum { CELL_TIME_NS, CELL_BACKWARD_NS, CELL_COLUMNS };

struct cost_sums {
    size_t count;
    struct cost_row *rows;       // in order of their first work; times are not set
    struct partial_sums partial; // groups are indexes of `rows`
};

struct cost_sums_builder {
    struct costs costs;
    struct cost_sums *step_sums;
};

static uint32_t row_of(struct costs *costs, uint32_t work, struct id_map *map)
{
    const struct profile *profile = costs->profile;
    const struct selection *selection = costs->selection;
    uint32_t function = AT(profile->work.function, work);
    enum work_class class = profile->functions[function].class;
    enum cost_kind kind = class == CLASS_COMM   ? COST_COMM
                          : class == CLASS_COPY ? COST_COPY
                                                : COST_COMPUTE;
    uint32_t place = kind == COST_COMPUTE ? selection_layer_node(profile, selection, work)
                                          : selection_name(profile, selection, function);
    uint32_t *slot = id_map_slot(map, (struct id_key){place, kind, 0});
    if (*slot)
        return *slot - 1;
    const struct op_tree *tree = selection_tree(profile, selection);
    const char *name = kind == COST_COMPUTE ? node_path_text(profile, tree, place, costs->arena)
                                            : profile_text(profile, place);
    uint32_t row = row_add(costs, kind, name, 0);
    if (kind == COST_COMPUTE) {
        costs->rows[row].node = place;
        costs->rows[row].known_as = node_path_in_step(profile, tree, place, name);
    } else {
        costs->rows[row].work = place;
    }
    *slot = row + 1;
    return row;
}

struct cost_adding {
    const struct costs *costs;
    const uint32_t *row; // row index by work
};

static void add_work(struct partial_sums_builder *partial, const void *context, uint32_t work)
{
    const struct cost_adding *adding = context;
    const struct costs *costs = adding->costs;
    uint32_t row = adding->row[work];
    int64_t ns = AT(costs->profile->work.exclusive, work);
    bool is_backward = costs->rows[row].kind == COST_COMPUTE &&
                       selection_forward_node(costs->profile, costs->selection, work) != ROW_NONE;
    partial_sums_add(partial, row, CELL_TIME_NS, ns);
    partial_sums_add(partial, row, CELL_BACKWARD_NS, is_backward ? ns : 0);
}

static void cost_sums_body(void *context, struct arena *scratch)
{
    struct cost_sums_builder *builder = context;
    struct costs *costs = &builder->costs;
    struct cost_sums *step_sums = builder->step_sums;
    const struct profile *profile = costs->profile;
    struct id_map map = {.arena = scratch};
    uint32_t *row = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++)
        if (selection_has_work(profile, costs->selection, w))
            row[w] = row_of(costs, w, &map);
    step_sums->rows = costs->rows;
    step_sums->count = costs->count;
    step_sums->partial = (struct partial_sums){
        .groups = (uint32_t)step_sums->count, .columns = CELL_COLUMNS, .sums = CELL_COLUMNS};
    partial_sums_of_work(&step_sums->partial, profile, costs->selection, add_work,
                         &(struct cost_adding){costs, row}, costs->arena, scratch);
}

static void *build_cost_sums(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    struct cost_sums_builder builder = {
        {.profile = profile, .selection = selection, .arena = arena},
        ARENA_NEW(arena, struct cost_sums)};
    scratch_run(arena, cost_sums_body, &builder);
    return builder.step_sums;
}

// Returns the sums of every step, selected or not. Wide selections share them through the memo.
static const struct cost_sums *cost_sums_of(const struct profile *profile,
                                            const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.fields = MEMO_PROCESS | MEMO_DEVICE | MEMO_FOLDED |
                                                    MEMO_ADOPTION | MEMO_NAMES,
                                          .make = build_cost_sums};
    struct selection all_steps = *selection;
    all_steps.iterations = NULL;
    return selection_is_unfiltered(selection) ? memo_require(&kind, profile, selection, arena)
                                              : build_cost_sums(profile, &all_steps, arena);
}

static void add_work_rows(struct costs *costs, const struct cost_sums *step_sums)
{
    int64_t *sums = ARENA_ARRAY(costs->arena, int64_t, step_sums->count * CELL_COLUMNS + 1);
    partial_sums_total(&step_sums->partial, costs->selection, sums, costs->arena);
    for (size_t r = 0; r < step_sums->count; r++) {
        uint32_t row = row_add(costs, step_sums->rows[r].kind, step_sums->rows[r].name, 0);
        costs->rows[row] = step_sums->rows[r];
        costs->rows[row].time_ns = sums[r * CELL_COLUMNS + CELL_TIME_NS];
        costs->rows[row].backward_ns = sums[r * CELL_COLUMNS + CELL_BACKWARD_NS];
    }
}

// ---- idle time and edges ------------------------------------------------------------------------

// Adds the rows of time that no work of the steps covers: idle time by cause, and the edges of
// steps. Sets *first_idle to the row of the first cause.
static void add_idle_and_edges(struct costs *costs, uint32_t *first_idle)
{
    const struct profile *profile = costs->profile;
    const struct breakdown *devices =
        breakdown_devices(profile, costs->selection, &breakdown_gpu, costs->arena);
    const struct idle_sum *idle = idle_devices(profile, costs->selection, costs->arena);
    int64_t edges_ns = 0, cause_ns[IDLE_CAUSES] = {0}, idle_ns = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        sum_add(&edges_ns, breakdown_busy_ns(&devices[d]));
        idle_ns += devices[d].ns[GPU_IDLE];
        for (int c = 0; c < IDLE_CAUSES; c++)
            cause_ns[c] += idle[d].ns[c];
    }
    for (size_t r = 0; r < costs->count; r++)
        edges_ns -= costs->rows[r].time_ns;
    for (int c = 0; c < IDLE_CAUSES; c++)
        idle_ns -= cause_ns[c];
    cause_ns[IDLE_UNKNOWN] += idle_ns; // the remainder is 0, which a test checks
    *first_idle = (uint32_t)costs->count;
    for (uint32_t c = 0; c < IDLE_CAUSES; c++) {
        const char *name = arena_format(costs->arena, "idle: %s", idle_causes[c].title);
        uint32_t row = row_add(costs, COST_IDLE, name, cause_ns[c]);
        costs->rows[row].cause = c;
    }
    row_add(
        costs, COST_EDGES,
        arena_format(costs->arena, "across %s edges", split_words_of(costs->selection->split)->one),
        edges_ns);
}

// ---- spread over the steps ----------------------------------------------------------------------

struct cost_spreads {
    struct costs *costs;
    const struct cost_sums *step_sums;
    uint32_t first_idle;

    const struct idle_sum *idle; // by iteration
    const uint32_t *steps;       // selected iterations
    size_t count, jobs;          // number of steps and of jobs
    int64_t *ns;                 // [row * count + step]
    int64_t *row_sums;           // [job * step_sums->count + row]: of one step at a time
};

// Returns the median absolute deviation. For an even number of values it uses the upper median, as
// the spread of the steps does.
static int64_t spread_of(int64_t *ns, size_t count)
{
    int64_t median = stats_kth_smallest(ns, count, count / 2);
    for (size_t i = 0; i < count; i++)
        ns[i] = llabs(ns[i] - median);
    return stats_kth_smallest(ns, count, count / 2);
}

// Computes the times of all rows in the steps of one job.
static void fill_job(void *context, size_t job)
{
    const struct cost_spreads *spreads = context;
    size_t rows = spreads->step_sums->count, count = spreads->count;
    int64_t *row_sums = &spreads->row_sums[job * rows];
    size_t end = parallel_first(count, job + 1, spreads->jobs);
    for (size_t step = parallel_first(count, job, spreads->jobs); step < end; step++) {
        memset(row_sums, 0, rows * sizeof *row_sums);
        partial_sums_add_step(&spreads->step_sums->partial, spreads->steps[step], CELL_TIME_NS,
                              row_sums);
        int64_t gpus = selection_step_gpus(spreads->costs->profile, spreads->costs->selection,
                                           spreads->steps[step]);
        for (size_t r = 0; r < rows && gpus; r++)
            spreads->ns[r * count + step] = row_sums[r] / gpus;
        for (size_t c = 0; c < IDLE_CAUSES; c++)
            spreads->ns[(spreads->first_idle + c) * count + step] =
                spreads->idle[spreads->steps[step]].ns[c];
    }
}

static void spread_job(void *context, size_t row)
{
    const struct cost_spreads *spreads = context;
    struct cost_row *cost = &spreads->costs->rows[row];
    if (cost->kind != COST_EDGES)
        cost->spread_ns = spread_of(spreads->ns + row * spreads->count, spreads->count);
}

static void spreads_body(void *context, struct arena *scratch)
{
    struct cost_spreads *spreads = context;
    struct costs *costs = spreads->costs;
    const struct selection *selection = costs->selection;
    unsigned threads = costs->profile->workers;
    const struct breakdown *breakdowns =
        breakdown_iterations(costs->profile, selection, &breakdown_gpu, scratch);
    spreads->idle = idle_iterations(costs->profile, selection, breakdowns, scratch);
    uint32_t *steps =
        ARENA_ARRAY(scratch, uint32_t, (size_t)selection_iteration_count(selection) + 1);
    for (uint32_t i = 0; i < selection->split->count; i++)
        if (selection_has_iteration(selection, i))
            steps[spreads->count++] = i;
    spreads->steps = steps;
    size_t figures = costs->count * spreads->count;
    spreads->ns = ARENA_ARRAY(scratch, int64_t, figures + 1);
    spreads->jobs = parallel_parts(figures);
    spreads->row_sums =
        ARENA_ARRAY(scratch, int64_t, spreads->jobs * spreads->step_sums->count + 1);
    parallel_run(threads, spreads->jobs, fill_job, spreads);
    parallel_run(spreads->jobs > 1 ? threads : 1, costs->count, spread_job, spreads);
}

// ---- the report ---------------------------------------------------------------------------------

// Drops rows without time and sets the total of all rows in the others.
static void rows_finish(struct costs *costs)
{
    size_t kept_count = 0;
    int64_t step_ns = 0;
    for (size_t r = 0; r < costs->count; r++) {
        sum_add(&step_ns, costs->rows[r].time_ns);
        if (costs->rows[r].time_ns != 0)
            costs->rows[kept_count++] = costs->rows[r];
    }
    costs->count = kept_count;
    for (size_t r = 0; r < kept_count; r++)
        costs->rows[r].step_ns = step_ns;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    enum { SPREAD_CELLS = 1 << 21 };
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    struct costs costs = {.profile = profile, .selection = selection, .arena = arena};
    struct cost_spreads spreads = {.costs = &costs,
                                   .step_sums = cost_sums_of(profile, selection, arena)};
    add_work_rows(&costs, spreads.step_sums);
    const struct split *split = selection->split;
    size_t steps = selection_iteration_count(selection);
    bool has_idle = selection_is_unfiltered(selection) && !profile->lacks_times;
    if (has_idle)
        add_idle_and_edges(&costs, &spreads.first_idle);
    if (has_idle && split->method != SPLIT_NONE && steps > 1 && costs.count * steps <= SPREAD_CELLS)
        scratch_run(arena, spreads_body, &spreads);
    rows_finish(&costs);
    return (struct rows){
        .items = costs.rows,
        .count = costs.count,
        .caption =
            arena_format(arena, "What %s costs",
                         split->method == SPLIT_NONE ? "the capture" : split_words_of(split)->each),
        .empty = costs.count ? NULL : work_empty_text(profile),
    };
}

static uint64_t row_id(const void *row)
{
    const struct cost_row *r = row;
    if (r->kind == COST_COMPUTE)
        return r->node;
    if (r->work != STRING_NONE)
        return (uint64_t)r->kind << 32 | r->work;
    return text_id(r->kind, r->name);
}

static struct row_match row_match(const void *row)
{
    const struct cost_row *r = row;
    return (struct row_match){{r->kind == COST_EDGES ? "" : r->known_as, kind_names[r->kind]}};
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    const struct cost_row *r = row;
    if (r->kind == COST_COMPUTE) {
        selection->node = r->node;
        // so that the kernels add up to this row and the rows below it
        selection->with_backward = true;
        return "kernels";
    }
    selection->name = r->work;
    if (r->kind == COST_IDLE) {
        selection->idle_cause = r->cause;
        return "idle_gaps";
    }
    return r->work != STRING_NONE ? "launches" : NULL;
}

const struct report report_costs = {
    .name = "costs",
    .title = "What a step costs",
    .doc = "What the steps are made of, place by place: computing, communication and copies that "
           "nothing hides, idle time by cause. The rows add up to the steps.",
    .row_size = sizeof(struct cost_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .build = build,
    .sort = "-time",
    .id = row_id,
    .narrow = row_narrow,
    .match = row_match,
    .whole = "time",
    .spread = "spread",
};
