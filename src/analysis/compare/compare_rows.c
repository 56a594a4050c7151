// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/compare_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare_match.h"
#include "analysis/report/value.h"
#include "base/scratch.h"
#include "base/sort.h"

static bool is_told(const struct compare_layout *layout, const struct column *column, int side)
{
    const char *busy = layout->base->busy;
    return !layout->lacks_times[side] || !column_is_timed(column) ||
           (busy && strcmp(column->key, busy) == 0);
}

struct value compare_value(const struct compare_layout *layout, const struct column *column,
                           int side, const void *row)
{
    return is_told(layout, column, side) ? column->get(row) : value_none();
}

// ---- sums of one side --------------------------------------------------------------------------

struct side_sums {
    double *part;  // [row * sum_count + sum]: of one step; NAN: not known
    double *all;   // by sum: of the outer rows together
    __int128 main; // the main sum of the outer rows together, as a total
};

struct sums_call {
    const struct compare_layout *layout;
    int side;
    const struct side *of; // that one
    const struct side_rows *rows;
    struct side_sums *sums;
};

static bool is_exact(const struct column *column) // rounded to whole ns or bytes
{
    return column->unit == UNIT_NS || column->unit == UNIT_BYTES;
}

// Of how many a sum of rows is.
static int64_t parts_of_sum(const struct side *side, const struct column *column)
{
    if (column->flags & COLUMN_EACH)
        return column->flags & COLUMN_GPUS ? selection_device_count(side->profile, &side->selection)
                                           : 1;
    if (column->flags & COLUMN_GPUS)
        return side->gpu;
    if (column->flags & COLUMN_HOST)
        return side->host;
    return column->flags & COLUMN_APART ? side->each : side->gpu;
}

// A row's total without those of the rows below it is its own, unless the column has own ones only;
// before[r]: own ones before row r.
// Parts are differences of rounded sums, so that those of any rows side by side add up.
static void sum_one(const struct sums_call *call, int sum, struct arena *scratch)
{
    const struct compare_layout *layout = call->layout;
    const struct column *column = layout->sums[sum];
    const struct side_rows *rows = call->rows;
    size_t count = rows->rows.count;
    int64_t *total = ARENA_ARRAY(scratch, int64_t, count + 1);
    __int128 *before = ARENA_ARRAY(scratch, __int128, count + 1);
    bool is_known = count == 0;
    bool is_own = column->flags & COLUMN_OWN, is_apart = column->flags & COLUMN_APART;
    uint32_t *around =
        ARENA_ARRAY(scratch, uint32_t, count + 1); // the next row whose total is known
    for (size_t r = 0; r < count; r++) {
        struct value value =
            compare_value(layout, column, call->side, report_row(layout->base, &rows->rows, r));
        total[r] = value.kind == VALUE_INTEGER ? value.integer : UNKNOWN;
        before[r + 1] += total[r] == UNKNOWN ? 0 : total[r];
        is_known |= total[r] != UNKNOWN;
        uint32_t up = rows->within[r];
        if (up != ROW_NONE && total[up] == UNKNOWN)
            up = around[up];
        around[r] = up;
        if (up != ROW_NONE && total[r] != UNKNOWN && !is_own)
            before[up + 1] -= total[r];
    }
    for (size_t r = 0; r < count; r++)
        before[r + 1] += before[r];
    int64_t parts = parts_of_sum(call->of, column);
    for (uint32_t r = 0; r < count; r++) {
        double *part = &call->sums->part[r * layout->sum_count + (size_t)sum];
        if (total[r] == UNKNOWN)
            *part = NAN;
        else if (is_exact(column) && is_apart)
            *part = (double)part_of_total(total[r], parts);
        else if (is_exact(column))
            *part = (double)(part_of_total(before[is_own ? r + 1 : rows->subtree_end[r]], parts) -
                             part_of_total(before[r], parts));
        else if (side_sees_through(rows, r) && !is_own)
            *part = (double)(before[r + 1] - before[r]) / (double)parts;
        else
            *part = (double)total[r] / (double)parts;
    }
    call->sums->all[sum] = !is_told(layout, column, call->side) || !is_known ? NAN
                           : is_exact(column) ? (double)part_of_total(before[count], parts)
                                              : (double)before[count] / (double)parts;
    if (sum == layout->main)
        call->sums->main = before[count];
}

static void sums_body(void *context, struct arena *scratch)
{
    const struct sums_call *call = context;
    for (size_t sum = 0; sum < call->layout->sum_count; sum++) {
        sum_one(call, (int)sum, scratch);
        arena_reset(scratch);
    }
}

static struct side_sums side_sums_make(const struct compare_layout *layout, int side,
                                       const struct side *of, const struct side_rows *rows,
                                       struct arena *arena)
{
    struct side_sums sums = {
        .part = ARENA_ARRAY(arena, double, (rows->rows.count + 1) * layout->sum_count),
        .all = ARENA_ARRAY(arena, double, layout->sum_count),
    };
    struct sums_call call = {layout, side, of, rows, &sums};
    scratch_run(arena, sums_body, &call);
    return sums;
}

// ---- the rows ----------------------------------------------------------------------------------

double compare_delta(const struct compare_row *row, int sum)
{
    double a = row->sums[sum * SIDES + SIDE_A], b = row->sums[sum * SIDES + SIDE_B];
    if (row->what == WHAT_NEW)
        return b;
    return row->what == WHAT_GONE ? -a : b - a;
}

static double size_of(double x)
{
    return isnan(x) ? -1 : fabs(x);
}

// By how much a row moved; 1 ns is rounding.
static double moved_by(const struct compare_row *row, int sum)
{
    double delta = compare_delta(row, sum);
    bool is_rounding = row->layout->sums[sum]->unit == UNIT_NS && fabs(delta) <= 1;
    return is_rounding ? 0 : size_of(delta);
}

struct building {
    const struct compare_layout *layout;
    const struct compared *compared;
    const struct side_rows *rows;
    const struct side_sums *sums;
    struct compare_row *items;
    size_t count;
    struct arena *arena;
};

static struct compare_row *row_add(struct building *building)
{
    struct compare_row *row = &building->items[building->count++];
    size_t sum_count = building->layout->sum_count;
    *row = (struct compare_row){
        .layout = building->layout,
        .sums = ARENA_ARRAY(building->arena, double, sum_count *SIDES),
    };
    for (size_t i = 0; i < sum_count * SIDES; i++)
        row->sums[i] = NAN;
    return row;
}

// Ids of rows that no side has begin here, those of rows that are gone at the next bit.
enum { SUM_BIT = 62, GONE_BIT = 63 };

// Whether a row differs by no more than it varies from step to step on the two sides together.
static bool is_noise(const struct building *building, const struct compare_row *row)
{
    const struct compare_layout *layout = building->layout;
    const struct report *base = layout->base;
    const struct column *spread = base->spread ? report_column(base, base->spread) : NULL;
    double delta = moved_by(row, layout->main), sum = 0;
    if (base->is_steps)
        return delta > 0 && delta <= (double)compare_noise_ns(building->compared);
    for (int s = 0; s < SIDES; s++) {
        struct value value = spread ? compare_value(layout, spread, s, row->side[s]) : value_none();
        if (value.kind != VALUE_INTEGER)
            return false;
        sum += (double)value.integer;
    }
    return delta > 0 && delta <= sum;
}

static const char *text_of(const struct column *column, const void *row, struct arena *arena)
{
    struct value value = column->get(row);
    if (value.kind == VALUE_INTEGER || value.kind == VALUE_REAL)
        return value_for_people(column, value, true, arena);
    return value.kind == VALUE_TEXT ? value.text : "-";
}

// What the columns that tell a row from others say of it, and where the sides differ in these.
static void changes_add(struct building *building, struct compare_row *row)
{
    const struct compare_layout *layout = building->layout;
    const void *a_row = row->side[SIDE_A] ? row->side[SIDE_A] : row->side[SIDE_B];
    const void *b_row = row->side[SIDE_B] ? row->side[SIDE_B] : row->side[SIDE_A];
    row->changes = ARENA_ARRAY(building->arena, const char *, layout->change_count);
    for (size_t c = 0; c < layout->count; c++) {
        const struct compare_column *column = &layout->columns[c];
        if (column->face != FACE_CHANGE)
            continue;
        if (column->base->get(a_row).kind == VALUE_NONE &&
            column->base->get(b_row).kind == VALUE_NONE)
            continue;
        const char *a = text_of(column->base, a_row, building->arena);
        const char *b = text_of(column->base, b_row, building->arena);
        row->changes[column->change] =
            strcmp(a, b) == 0 ? b : arena_format(building->arena, "%s -> %s", a, b);
    }
}

static bool is_renamed(struct building *building, const struct compare_row *row)
{
    const struct column *name = building->layout->columns[0].base;
    return strcmp(text_of(name, row->side[SIDE_A], building->arena),
                  text_of(name, row->side[SIDE_B], building->arena)) != 0;
}

// Whether a side has no row, or one of which nothing is known.
static bool says_nothing(const struct building *building, struct row_pair pair, int side)
{
    const struct report *base = building->layout->base;
    return pair.row[side] == ROW_NONE ||
           (base->is_unknown &&
            base->is_unknown(report_row(base, &building->rows[side].rows, pair.row[side])));
}

static void pair_add(struct building *building, struct row_pair pair)
{
    const struct report *base = building->layout->base;
    size_t sum_count = building->layout->sum_count;
    bool lacks_a = says_nothing(building, pair, SIDE_A);
    bool lacks_b = says_nothing(building, pair, SIDE_B);
    if (lacks_a && lacks_b)
        return; // neither new nor gone
    struct compare_row *row = row_add(building);
    for (int s = 0; s < SIDES; s++) {
        if (pair.row[s] == ROW_NONE)
            continue;
        row->side[s] = report_row(base, &building->rows[s].rows, pair.row[s]);
        for (size_t i = 0; i < sum_count; i++)
            row->sums[i * SIDES + (size_t)s] = building->sums[s].part[pair.row[s] * sum_count + i];
    }
    bool is_gone = !row->side[SIDE_B];
    int side = is_gone ? SIDE_A : SIDE_B;
    const void *known = row->side[side];
    row->what = is_gone ? WHAT_GONE : row->side[SIDE_A] ? WHAT_BOTH : WHAT_NEW;
    if (row->what == WHAT_BOTH && (lacks_a || lacks_b))
        row->what = WHAT_UNKNOWN;
    else if (row->what == WHAT_BOTH && is_noise(building, row))
        row->what = WHAT_NOISE;
    if (pair.is_loose && is_renamed(building, row))
        row->what = WHAT_RENAMED;
    else if (pair.is_loose && !base->apart) // what is apart has no launch shape
        row->what = WHAT_RESHAPED;
    if (building->layout->change_count)
        changes_add(building, row);
    row->id = base->id ? base->id(known) : pair.row[side];
    row->id |= is_gone ? UINT64_C(1) << GONE_BIT : 0;
    row->depth = base->depth ? base->depth(known) - building->rows[side].lifted[pair.row[side]] : 0;
}

// The main sum of a row that stands for what no row of the report has; in ns of one step.
static void time_add(struct building *building, const char *name, const int64_t ns[SIDES])
{
    size_t main = (size_t)building->layout->main;
    struct compare_row *row = row_add(building);
    row->name = name;
    row->id = (UINT64_C(1) << SUM_BIT) + building->count;
    for (int s = 0; s < SIDES; s++)
        row->sums[main * SIDES + (size_t)s] = (double)ns[s];
}

// All rows together, first of all; then what is in the step beside them.
static void sums_add(struct building *building)
{
    const struct compared *compared = building->compared;
    const struct compare_layout *layout = building->layout;
    // What the rows lack of the step is known where the steps are.
    bool is_step = layout->base->busy && side_step_ns(&compared->side[SIDE_A]) != UNKNOWN &&
                   side_step_ns(&compared->side[SIDE_B]) != UNKNOWN;
    int64_t idle[SIDES], edges[SIDES];
    for (int s = 0; s < SIDES && is_step; s++) {
        const struct side *side = &compared->side[s];
        idle[s] = side_idle_ns(side);
        edges[s] = part_of_total(side->time.busy_ns, side->gpu) -
                   part_of_total(building->sums[s].main, side->gpu);
    }
    struct compare_row *all = row_add(building);
    const char *unit = compared->unit ? compared->unit : "capture";
    bool is_whole = is_step || layout->base->whole;
    all->name = is_whole                 ? arena_format(building->arena, "(%s)", unit)
                : layout->base->is_steps ? arena_format(building->arena, "(all %ss)", unit)
                                         : "(all rows)";
    all->id = UINT64_C(1) << SUM_BIT;
    for (size_t i = 0; i < layout->sum_count; i++)
        for (size_t s = 0; s < SIDES; s++)
            all->sums[i * SIDES + s] = building->sums[s].all[i];
    // Of a capture without GPU work it is not known that it takes no time: all there is is new, as
    // its rows are.
    for (int s = 0; s < SIDES; s++) {
        if (building->rows[s].rows.count > 0 || compared->side[s].profile->work.count > 0)
            continue;
        all->what = s == SIDE_A ? WHAT_NEW : WHAT_GONE;
        for (size_t i = 0; i < layout->sum_count; i++)
            all->sums[i * SIDES + (size_t)s] = NAN;
    }
    for (size_t s = 0; s < SIDES && is_step; s++)
        all->sums[(size_t)layout->main * SIDES + s] = (double)side_step_ns(&compared->side[s]);
    double noise = (double)compare_noise_ns(compared);
    double delta = moved_by(all, layout->main);
    if (is_whole && all->what == WHAT_BOTH && delta > 0 && delta <= noise)
        all->what = WHAT_NOISE;
    if (!is_step)
        return;
    time_add(building, "(idle)", idle);
    if (edges[SIDE_A] || edges[SIDE_B])
        time_add(building, arena_format(building->arena, "(across %s edges)", unit), edges);
}

// What moved most first; of what moved alike, what is larger.
static int compare_moved(const void *context, uint32_t a, uint32_t b)
{
    const struct building *building = context;
    const struct compare_row *x = &building->items[a], *y = &building->items[b];
    int main = building->layout->main;
    double by = moved_by(x, main) - moved_by(y, main);
    for (int s = SIDE_B; s >= SIDE_A && by == 0; s--)
        by = size_of(x->sums[main * SIDES + s]) - size_of(y->sums[main * SIDES + s]);
    return by > 0 ? -1 : by < 0;
}

static void rows_sort(struct building *building)
{
    size_t count = building->count;
    uint32_t *order = ARENA_ARRAY(building->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    size_t first = count > 0 && building->items[0].name; // all together stays at the top
    sort_ids(order + first, count - first, compare_moved, building, building->arena);
    struct compare_row *sorted = ARENA_ARRAY(building->arena, struct compare_row, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = building->items[order[i]];
    building->items = sorted;
}

// Of rows that are compared one by one those that anything tells from the others.
static struct rows rows_known(const struct report *base, struct rows rows, struct arena *arena)
{
    if (!base->apart || !base->match)
        return rows;
    char *kept = arena_alloc(arena, rows.count + 1, base->row_size);
    size_t count = 0;
    for (size_t r = 0; r < rows.count; r++)
        if (base->match(report_row(base, &rows, r)).text[0])
            memcpy(kept + count++ * base->row_size, report_row(base, &rows, r), base->row_size);
    rows.items = kept;
    rows.count = count;
    rows.empty = rows.empty ? rows.empty : "Nothing in what is selected can be compared.";
    return rows;
}

struct rows compare_rows(const struct report *base, const struct profile *profile,
                         const struct selection *selection, struct arena *arena)
{
    struct compare_layout *layout = ARENA_NEW(arena, struct compare_layout);
    struct compared *compared = ARENA_NEW(arena, struct compared);
    compare_layout_make(layout, base);
    compare_make(compared, profile, selection, arena);
    for (int s = 0; s < SIDES; s++)
        layout->lacks_times[s] = compared->side[s].profile->lacks_times;
    if (base->is_timed && (layout->lacks_times[SIDE_A] || layout->lacks_times[SIDE_B]))
        return (struct rows){.empty = report_lacks_times};
    struct side_rows rows[SIDES];
    struct side_sums sums[SIDES];
    for (int s = 0; s < SIDES; s++) {
        const struct side *side = &compared->side[s];
        struct rows made = {0};
        if (side->is_there)
            made = rows_known(base, base->build(side->profile, &side->selection, arena), arena);
        rows[s] = side_rows_make(base, made, arena);
    }
    rows_find_steps(base, rows, arena);
    for (int s = 0; s < SIDES; s++)
        sums[s] = side_sums_make(layout, s, &compared->side[s], &rows[s], arena);
    if (rows[SIDE_A].rows.count + rows[SIDE_B].rows.count == 0)
        return rows[SIDE_B].rows; // with the reason
    size_t count;
    struct row_pair *pairs = rows_match(base, rows, &count, arena);
    struct building building = {
        .layout = layout,
        .compared = compared,
        .rows = rows,
        .sums = sums,
        .items = ARENA_ARRAY(arena, struct compare_row, count + 3),
        .arena = arena,
    };
    if (!base->apart)
        sums_add(&building);
    for (size_t i = 0; i < count; i++)
        pair_add(&building, pairs[i]);
    for (size_t i = 0; base->depth && i + 1 < building.count; i++)
        building.items[i].has_children = building.items[i + 1].depth > building.items[i].depth;
    if (!base->depth && !base->is_steps)
        rows_sort(&building);
    return (struct rows){.items = building.items,
                         .count = building.count,
                         .caption = compare_text(compared, false, arena)};
}
