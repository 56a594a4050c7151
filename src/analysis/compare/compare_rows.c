// SPDX-License-Identifier: Apache-2.0
// Builds the rows of a comparison: per-step sums of each side, matched pairs, and the rows for the
// whole step and its idle time.
//
// Terms of this file:
//   sum        a column that adds up (compare_layout.sums). The main sum is the one compared.
//   divisor    the number by which a total is divided, such as steps x GPUs
//   part       a total of a row divided by its divisor: its share of one step of one GPU
//   own total  the total of a row minus the totals of the rows below it
#include "analysis/compare/compare_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare_match.h"
#include "analysis/report/value.h"
#include "base/scratch.h"
#include "base/sort.h"

static bool cell_is_known(const struct compare_layout *layout, const struct column *column,
                          int side)
{
    const char *busy = layout->base->busy;
    return !layout->lacks_times[side] || !column_is_timed(column) ||
           (busy && strcmp(column->key, busy) == 0);
}

struct value compare_value(const struct compare_layout *layout, const struct column *column,
                           int side, const void *row)
{
    return cell_is_known(layout, column, side) ? column->get(row) : value_none();
}

// ---- sums of one side ---------------------------------------------------------------------------

struct side_sums {
    double *part;        // [row * sum_count + sum]: the part of a row; NAN if unknown
    double *total_part;  // by sum: the part of all outer rows together
    __int128 main_total; // the main sum of all outer rows together, not divided
};

struct sums_call {
    const struct compare_layout *layout;
    int side;                     // SIDE_A or SIDE_B
    const struct side *side_data; // compared.side[side]
    const struct side_rows *rows;
    struct side_sums *sums;
};

// Returns true for a column of whole ns or bytes. Its parts are rounded so that they add up.
static bool is_exact(const struct column *column)
{
    return column->unit == UNIT_NS || column->unit == UNIT_BYTES;
}

static int64_t divisor_of(const struct side *side, const struct column *column)
{
    if (column->flags & COLUMN_ONE_STEP)
        return column->flags & COLUMN_ALL_GPUS
                   ? selection_device_count(side->profile, &side->selection)
                   : 1;
    if (column->flags & COLUMN_ALL_GPUS)
        return side->gpu;
    if (column->flags & COLUMN_HOST)
        return side->host;
    return column->flags & COLUMN_NOT_ADDITIVE ? side->each : side->gpu;
}

// Computes one sum for all rows. A COLUMN_SELF column has own totals, others have totals. before[r]
// is the sum of the own totals of all rows before r, so the total of a row is the difference of two
// values of `before`: at the end of its subtree and at the row. To get the part, both are divided
// and rounded first; the parts of adjacent rows then add up exactly.
static void compute_sum(const struct sums_call *call, int sum, struct arena *scratch)
{
    const struct compare_layout *layout = call->layout;
    const struct column *column = layout->sums[sum];
    const struct side_rows *rows = call->rows;
    size_t count = rows->rows.count;
    int64_t *total = ARENA_ARRAY(scratch, int64_t, count + 1);
    __int128 *before = ARENA_ARRAY(scratch, __int128, count + 1);
    bool is_known = count == 0;
    bool is_own_total = column->flags & COLUMN_SELF,
         is_not_additive = column->flags & COLUMN_NOT_ADDITIVE;
    // By row: its nearest ancestor with a known total, or ROW_NONE.
    uint32_t *known_parent = ARENA_ARRAY(scratch, uint32_t, count + 1);
    for (size_t r = 0; r < count; r++) {
        struct value value =
            compare_value(layout, column, call->side, report_row(layout->base, &rows->rows, r));
        total[r] = value.kind == VALUE_INTEGER ? value.integer : UNKNOWN;
        before[r + 1] += total[r] == UNKNOWN ? 0 : total[r];
        is_known |= total[r] != UNKNOWN;
        uint32_t parent = rows->within[r];
        if (parent != ROW_NONE && total[parent] == UNKNOWN)
            parent = known_parent[parent];
        known_parent[r] = parent;
        if (parent != ROW_NONE && total[r] != UNKNOWN && !is_own_total)
            before[parent + 1] -= total[r];
    }
    for (size_t r = 0; r < count; r++)
        before[r + 1] += before[r];
    int64_t divisor = divisor_of(call->side_data, column);
    for (uint32_t r = 0; r < count; r++) {
        double *part = &call->sums->part[r * layout->sum_count + (size_t)sum];
        if (total[r] == UNKNOWN)
            *part = NAN;
        else if (is_exact(column) && is_not_additive)
            *part = (double)rounded_part(total[r], divisor);
        else if (is_exact(column))
            *part = (double)(rounded_part(before[is_own_total ? r + 1 : rows->subtree_end[r]],
                                          divisor) -
                             rounded_part(before[r], divisor));
        else if (side_unwraps_row(rows, r) && !is_own_total)
            *part = (double)(before[r + 1] - before[r]) / (double)divisor;
        else
            *part = (double)total[r] / (double)divisor;
    }
    call->sums->total_part[sum] = !cell_is_known(layout, column, call->side) || !is_known ? NAN
                                  : is_exact(column) ? (double)rounded_part(before[count], divisor)
                                                     : (double)before[count] / (double)divisor;
    if (sum == layout->main)
        call->sums->main_total = before[count];
}

static void sums_body(void *context, struct arena *scratch)
{
    const struct sums_call *call = context;
    for (size_t sum = 0; sum < call->layout->sum_count; sum++) {
        compute_sum(call, (int)sum, scratch);
        arena_reset(scratch);
    }
}

static struct side_sums side_sums_make(const struct compare_layout *layout, int side,
                                       const struct side *side_data, const struct side_rows *rows,
                                       struct arena *arena)
{
    struct side_sums sums = {
        .part = ARENA_ARRAY(arena, double, (rows->rows.count + 1) * layout->sum_count),
        .total_part = ARENA_ARRAY(arena, double, layout->sum_count),
    };
    struct sums_call call = {layout, side, side_data, rows, &sums};
    scratch_run(arena, sums_body, &call);
    return sums;
}

// ---- rows ---------------------------------------------------------------------------------------

double compare_delta(const struct compare_row *row, int sum)
{
    double a = row->sums[sum * SIDES + SIDE_A], b = row->sums[sum * SIDES + SIDE_B];
    if (row->what == STATUS_NEW)
        return b;
    return row->what == STATUS_GONE ? -a : b - a;
}

// Returns the absolute value; -1 if unknown, so that it sorts last.
static double magnitude(double x)
{
    return isnan(x) ? -1 : fabs(x);
}

// Returns the absolute change of a row; -1 if unknown, 0 for 1 ns, which may come from rounding.
static double absolute_change(const struct compare_row *row, int sum)
{
    double delta = compare_delta(row, sum);
    bool is_rounding = row->layout->sums[sum]->unit == UNIT_NS && fabs(delta) <= 1;
    return is_rounding ? 0 : magnitude(delta);
}

struct compare_build {
    const struct compare_layout *layout;
    const struct compared *compared;
    const struct side_rows *rows;
    const struct side_sums *sums;
    struct compare_row *items;
    size_t count;
    struct arena *arena;
};

static struct compare_row *row_add(struct compare_build *build)
{
    struct compare_row *row = &build->items[build->count++];
    size_t sum_count = build->layout->sum_count;
    *row = (struct compare_row){
        .layout = build->layout,
        .sums = ARENA_ARRAY(build->arena, double, sum_count *SIDES),
    };
    for (size_t i = 0; i < sum_count * SIDES; i++)
        row->sums[i] = NAN;
    return row;
}

// Row ids are the report's, with one of these bits for added rows, such as "(step)", and for rows
// that exist on side A only.
enum { SUM_BIT = 62, GONE_BIT = 63 };

// Returns true if the main sums differ by no more than the spread of both sides together.
static bool is_noise(const struct compare_build *build, const struct compare_row *row)
{
    const struct compare_layout *layout = build->layout;
    const struct report *base = layout->base;
    const struct column *spread = base->spread ? report_column(base, base->spread) : NULL;
    double delta = absolute_change(row, layout->main), sum = 0;
    if (base->is_steps)
        return delta > 0 && delta <= (double)compare_noise_ns(build->compared);
    for (int s = 0; s < SIDES; s++) {
        struct value value = spread ? compare_value(layout, spread, s, row->side[s]) : value_none();
        if (value.kind != VALUE_INTEGER)
            return false;
        sum += (double)value.integer;
    }
    return delta > 0 && delta <= sum;
}

static const char *cell_text(const struct column *column, const void *row, struct arena *arena)
{
    struct value value = column->get(row);
    if (value.kind == VALUE_INTEGER || value.kind == VALUE_REAL)
        return value_display_text(column, value, true, arena);
    return value.kind == VALUE_TEXT ? value.text : "-";
}

// Sets the texts of FACE_CHANGE columns: "a -> b" if the sides differ, else the text of both.
static void changes_add(struct compare_build *build, struct compare_row *row)
{
    const struct compare_layout *layout = build->layout;
    const void *a_row = row->side[SIDE_A] ? row->side[SIDE_A] : row->side[SIDE_B];
    const void *b_row = row->side[SIDE_B] ? row->side[SIDE_B] : row->side[SIDE_A];
    row->changes = ARENA_ARRAY(build->arena, const char *, layout->change_count);
    for (size_t c = 0; c < layout->count; c++) {
        const struct compare_column *column = &layout->columns[c];
        if (column->face != FACE_CHANGE)
            continue;
        if (column->base->get(a_row).kind == VALUE_NONE &&
            column->base->get(b_row).kind == VALUE_NONE)
            continue;
        const char *a = cell_text(column->base, a_row, build->arena);
        const char *b = cell_text(column->base, b_row, build->arena);
        row->changes[column->change] =
            strcmp(a, b) == 0 ? b : arena_format(build->arena, "%s -> %s", a, b);
    }
}

static bool is_renamed(struct compare_build *build, const struct compare_row *row)
{
    const struct column *name = build->layout->columns[0].base;
    return strcmp(cell_text(name, row->side[SIDE_A], build->arena),
                  cell_text(name, row->side[SIDE_B], build->arena)) != 0;
}

// Returns true if a side has no row, or one whose figures are unknown.
static bool lacks_figures(const struct compare_build *build, struct row_pair pair, int side)
{
    const struct report *base = build->layout->base;
    return pair.row[side] == ROW_NONE ||
           (base->is_unknown &&
            base->is_unknown(report_row(base, &build->rows[side].rows, pair.row[side])));
}

static void pair_add(struct compare_build *build, struct row_pair pair)
{
    const struct report *base = build->layout->base;
    size_t sum_count = build->layout->sum_count;
    bool lacks_a = lacks_figures(build, pair, SIDE_A);
    bool lacks_b = lacks_figures(build, pair, SIDE_B);
    if (lacks_a && lacks_b)
        return; // no figures on either side
    struct compare_row *row = row_add(build);
    for (int s = 0; s < SIDES; s++) {
        if (pair.row[s] == ROW_NONE)
            continue;
        row->side[s] = report_row(base, &build->rows[s].rows, pair.row[s]);
        for (size_t i = 0; i < sum_count; i++)
            row->sums[i * SIDES + (size_t)s] = build->sums[s].part[pair.row[s] * sum_count + i];
    }
    bool is_gone = !row->side[SIDE_B];
    int side = is_gone ? SIDE_A : SIDE_B;
    const void *known = row->side[side];
    row->what = is_gone ? STATUS_GONE : row->side[SIDE_A] ? STATUS_MATCHED : STATUS_NEW;
    if (row->what == STATUS_MATCHED && (lacks_a || lacks_b))
        row->what = STATUS_UNKNOWN;
    else if (row->what == STATUS_MATCHED && is_noise(build, row))
        row->what = STATUS_NOISE;
    if (pair.is_loose && is_renamed(build, row))
        row->what = STATUS_RENAMED;
    else if (pair.is_loose && !base->apart) // rows of such reports have no launch shape
        row->what = STATUS_RESHAPED;
    if (build->layout->change_count)
        changes_add(build, row);
    row->id = base->id ? base->id(known) : pair.row[side];
    row->id |= is_gone ? UINT64_C(1) << GONE_BIT : 0;
    row->depth =
        base->depth ? base->depth(known) - build->rows[side].depth_shift[pair.row[side]] : 0;
}

// Adds a row for time that belongs to no row of the report, such as idle time. Only its main sum is
// set, in ns per step.
static void time_add(struct compare_build *build, const char *name, const int64_t ns[SIDES])
{
    size_t main = (size_t)build->layout->main;
    struct compare_row *row = row_add(build);
    row->name = name;
    row->id = (UINT64_C(1) << SUM_BIT) + build->count;
    for (int s = 0; s < SIDES; s++)
        row->sums[main * SIDES + (size_t)s] = (double)ns[s];
}

// Adds the first row, with the sums of all rows, and the rows for the rest of the step: idle time,
// and time of work that runs across the edges of steps.
static void sums_add(struct compare_build *build)
{
    const struct compared *compared = build->compared;
    const struct compare_layout *layout = build->layout;
    // The rest of the step is known only if the length of the step is.
    bool is_step = layout->base->busy && side_step_ns(&compared->side[SIDE_A]) != UNKNOWN &&
                   side_step_ns(&compared->side[SIDE_B]) != UNKNOWN;
    int64_t idle[SIDES], edges[SIDES];
    for (int s = 0; s < SIDES && is_step; s++) {
        const struct side *side = &compared->side[s];
        idle[s] = side_idle_ns(side);
        edges[s] = rounded_part(side->time.busy_ns, side->gpu) -
                   rounded_part(build->sums[s].main_total, side->gpu);
    }
    struct compare_row *total = row_add(build);
    const char *unit = compared->unit ? compared->unit : "capture";
    bool is_whole = is_step || layout->base->whole;
    total->name = is_whole                 ? arena_format(build->arena, "(%s)", unit)
                  : layout->base->is_steps ? arena_format(build->arena, "(all %ss)", unit)
                                           : "(all rows)";
    total->id = UINT64_C(1) << SUM_BIT;
    for (size_t i = 0; i < layout->sum_count; i++)
        for (size_t s = 0; s < SIDES; s++)
            total->sums[i * SIDES + s] = build->sums[s].total_part[i];
    // The times of a capture without GPU work are unknown, not 0. The total then has the status of
    // its rows: new or gone.
    for (int s = 0; s < SIDES; s++) {
        if (build->rows[s].rows.count > 0 || compared->side[s].profile->work.count > 0)
            continue;
        total->what = s == SIDE_A ? STATUS_NEW : STATUS_GONE;
        for (size_t i = 0; i < layout->sum_count; i++)
            total->sums[i * SIDES + (size_t)s] = NAN;
    }
    for (size_t s = 0; s < SIDES && is_step; s++)
        total->sums[(size_t)layout->main * SIDES + s] = (double)side_step_ns(&compared->side[s]);
    double noise = (double)compare_noise_ns(compared);
    double delta = absolute_change(total, layout->main);
    if (is_whole && total->what == STATUS_MATCHED && delta > 0 && delta <= noise)
        total->what = STATUS_NOISE;
    if (!is_step)
        return;
    time_add(build, "(idle)", idle);
    if (edges[SIDE_A] || edges[SIDE_B])
        time_add(build, arena_format(build->arena, "(across %s edges)", unit), edges);
}

// Sorts by the amount of change, then by size, both descending.
static int compare_changes(const void *context, uint32_t a, uint32_t b)
{
    const struct compare_build *build = context;
    const struct compare_row *x = &build->items[a], *y = &build->items[b];
    int main = build->layout->main;
    double order = absolute_change(x, main) - absolute_change(y, main);
    for (int s = SIDE_B; s >= SIDE_A && order == 0; s--)
        order = magnitude(x->sums[main * SIDES + s]) - magnitude(y->sums[main * SIDES + s]);
    return order > 0 ? -1 : order < 0;
}

static void rows_sort(struct compare_build *build)
{
    size_t count = build->count;
    uint32_t *order = ARENA_ARRAY(build->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    size_t first = count > 0 && build->items[0].name; // the row with the sums of all rows stays
    sort_ids(order + first, count - first, compare_changes, build, build->arena);
    struct compare_row *sorted = ARENA_ARRAY(build->arena, struct compare_row, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = build->items[order[i]];
    build->items = sorted;
}

// Drops rows without a match key if the rows are compared one by one (report.apart).
static struct rows rows_with_key(const struct report *base, struct rows rows, struct arena *arena)
{
    if (!base->apart || !base->match)
        return rows;
    char *items = arena_alloc(arena, rows.count + 1, base->row_size);
    size_t count = 0;
    for (size_t r = 0; r < rows.count; r++)
        if (base->match(report_row(base, &rows, r)).text[0])
            memcpy(items + count++ * base->row_size, report_row(base, &rows, r), base->row_size);
    rows.items = items;
    rows.count = count;
    rows.empty = rows.empty ? rows.empty : "Nothing in what is selected can be compared.";
    return rows;
}

struct rows compare_rows(const struct report *base, const struct profile *profile,
                         const struct selection *selection, struct arena *arena)
{
    struct compare_layout *layout = ARENA_NEW(arena, struct compare_layout);
    struct compared *compared = ARENA_NEW(arena, struct compared);
    compare_layout_init(layout, base);
    compare_init(compared, profile, selection, arena);
    for (int s = 0; s < SIDES; s++)
        layout->lacks_times[s] = compared->side[s].profile->lacks_times;
    if (base->is_timed && (layout->lacks_times[SIDE_A] || layout->lacks_times[SIDE_B]))
        return (struct rows){.empty = report_no_times_text};
    struct side_rows rows[SIDES];
    struct side_sums sums[SIDES];
    for (int s = 0; s < SIDES; s++) {
        const struct side *side = &compared->side[s];
        struct rows report_rows = {0};
        if (side->is_there)
            report_rows =
                rows_with_key(base, base->build(side->profile, &side->selection, arena), arena);
        rows[s] = side_rows_build(base, report_rows, arena);
    }
    rows_find_steps(base, rows, arena);
    for (int s = 0; s < SIDES; s++)
        sums[s] = side_sums_make(layout, s, &compared->side[s], &rows[s], arena);
    if (rows[SIDE_A].rows.count + rows[SIDE_B].rows.count == 0)
        return rows[SIDE_B].rows; // its `empty` has the reason
    size_t count;
    struct row_pair *pairs = match_rows(base, rows, &count, arena);
    struct compare_build build = {
        .layout = layout,
        .compared = compared,
        .rows = rows,
        .sums = sums,
        .items = ARENA_ARRAY(arena, struct compare_row, count + 3),
        .arena = arena,
    };
    if (!base->apart)
        sums_add(&build);
    for (size_t i = 0; i < count; i++)
        pair_add(&build, pairs[i]);
    for (size_t i = 0; base->depth && i + 1 < build.count; i++)
        build.items[i].has_children = build.items[i + 1].depth > build.items[i].depth;
    if (!base->depth && !base->is_steps)
        rows_sort(&build);
    return (struct rows){.items = build.items,
                         .count = build.count,
                         .caption = compare_text(compared, false, arena)};
}
