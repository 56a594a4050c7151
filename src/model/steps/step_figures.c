// SPDX-License-Identifier: Apache-2.0
// Measures the figures by which plans (possible splits of the run into windows) are compared:
// - period: time from the start of a window to the start of the next one;
// - launches: number of launches in a period;
// - jitter: median deviation of the periods from their median, divided by the median, each the
//   upper of the middle two;
// - coverage: share of the GPU time that is launched inside the windows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "model/steps/step_idle.h"
#include "model/steps/step_plan.h"

enum { ALIKE_PART = 50 }; // launch counts within 1/50 are alike

// Returns the upper of the middle two of an even count: a number of launches is that of a period,
// and few periods that vary are not called steady.
static int64_t upper_median(int64_t *values, size_t count)
{
    sort_values(values, count);
    return values[count / 2];
}

struct mark_lengths {     // per mark
    int64_t *period_ns;   // to the next mark of its process, or UNKNOWN
    int64_t *launches;    // until the next mark, or UNKNOWN
    int64_t *length_ns;   // length of its bar
    int64_t exclusive_ns; // sum over all marks
};

static struct mark_lengths measure(struct step_finder *finder, const struct split_marks *marks)
{
    const struct gpu_work *work = &finder->profile->work;
    struct mark_lengths lengths;
    lengths.period_ns = ARENA_ARRAY(finder->arena, int64_t, marks->count + 1);
    lengths.launches = ARENA_ARRAY(finder->arena, int64_t, marks->count + 1);
    lengths.length_ns = ARENA_ARRAY(finder->arena, int64_t, marks->count + 1);
    lengths.exclusive_ns = 0;
    int64_t next_gpu = UNKNOWN;
    for (size_t i = marks->count; i-- > 0;) {
        const struct split_mark *mark = &marks->items[i];
        const struct launch_order *order = launch_order_of(&finder->launches, mark->process);
        struct launch_span span = launches_within(order, mark->start, mark->stop);
        bool has_next = i + 1 < marks->count && marks->items[i + 1].process == mark->process;
        bool has_work = span.end > span.first;
        int64_t gpu = has_work ? AT(work->start, order->work[span.first]) : UNKNOWN;
        int64_t gpu_end = has_work ? AT(work->end, order->work[span.end - 1]) : UNKNOWN;
        lengths.exclusive_ns += launches_exclusive(order, span);
        lengths.period_ns[i] = lengths.launches[i] = UNKNOWN;
        if (has_next) {
            const struct split_mark *next = &marks->items[i + 1];
            bool by_gpu = !marks->by_gpu && has_work && next_gpu != UNKNOWN && next_gpu > gpu;
            struct launch_span period = launches_within(order, mark->start, next->start);
            lengths.launches[i] = (int64_t)(period.end - period.first);
            lengths.period_ns[i] = by_gpu ? next_gpu - gpu : next->start - mark->start;
        }
        bool ends_with_own_work = marks->has_own_ends || !has_next;
        lengths.length_ns[i] = !ends_with_own_work         ? lengths.period_ns[i]
                               : marks->by_gpu             ? mark->stop - mark->start
                               : has_work && gpu_end > gpu ? gpu_end - gpu
                                                           : mark->stop - mark->start;
        next_gpu = gpu;
    }
    return lengths;
}

// Computes the figures of the periods. Windows cut by the capture do not count.
static void fill_periods(struct step_finder *finder, const struct split_marks *marks,
                         const struct mark_lengths *lengths, struct step_figures *figures)
{
    int64_t *values = ARENA_ARRAY(finder->arena, int64_t, marks->count + 1);
    size_t known = 0;
    for (size_t i = 0; i < marks->count; i++)
        if (lengths->period_ns[i] != UNKNOWN && !marks->items[i].is_cut)
            values[known++] = lengths->period_ns[i];
    figures->period_ns = figures->launches = UNKNOWN;
    figures->jitter = figures->alike = NAN;
    if (!known)
        return;
    int64_t upper_ns = upper_median(values, known);
    figures->period_ns = sorted_median(values, known);
    for (size_t i = 0; i < known; i++)
        values[i] = llabs(values[i] - upper_ns);
    figures->jitter = upper_ns > 0 ? (double)upper_median(values, known) / (double)upper_ns : NAN;
    known = 0;
    for (size_t i = 0; i < marks->count; i++)
        if (lengths->launches[i] != UNKNOWN && !marks->items[i].is_cut)
            values[known++] = lengths->launches[i];
    int64_t usual = figures->launches = upper_median(values, known);
    size_t alike_count = 0;
    for (size_t i = 0; i < known; i++)
        alike_count += llabs(values[i] - usual) <= 1 + usual / ALIKE_PART;
    if (usual > 0)
        figures->alike = (double)alike_count / (double)known;
}

static void fill_bars(const struct split_marks *marks, const struct mark_lengths *lengths,
                      struct step_figures *figures)
{
    size_t count = 0;
    while (count < marks->count && marks->items[count].process == marks->items[0].process)
        count++;
    figures->bar_count = (uint32_t)(count < CANDIDATE_BARS ? count : CANDIDATE_BARS);
    for (size_t i = 0; i < count; i++) {
        int64_t *bar = &figures->bars[i * figures->bar_count / count];
        *bar = lengths->length_ns[i] > *bar ? lengths->length_ns[i] : *bar;
    }
}

void step_figures_fill(struct step_finder *finder, struct step_plan *plan)
{
    const struct split_marks *marks = &plan->marks;
    struct step_figures *figures = &plan->figures;
    *figures =
        (struct step_figures){.turns = marks->slot_count, .is_equal = true, .first_ns = INT64_MAX};
    struct mark_lengths lengths = measure(finder, marks);
    size_t first = 0, marks_per_process = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct split_mark *mark = &marks->items[i];
        figures->first_ns = mark->start < figures->first_ns ? mark->start : figures->first_ns;
        if (i + 1 < marks->count && marks->items[i + 1].process == mark->process)
            continue;
        figures->is_equal &= marks_per_process == 0 || marks_per_process == i + 1 - first;
        marks_per_process = i + 1 - first;
        first = i + 1;
    }
    fill_periods(finder, marks, &lengths, figures);
    fill_bars(marks, &lengths, figures);
    const struct launch_order *all = &finder->launches.all;
    int64_t total = all->exclusive[all->count];
    if (marks->by_gpu) // windows by GPU time contain all work
        lengths.exclusive_ns = total;
    bool is_known = total > 0 && (marks->by_gpu || !finder->launches.is_by_start);
    figures->coverage = is_known ? (double)lengths.exclusive_ns / (double)total : NAN;
}

// Joins successive marks of one process with one slot.
static void join_marks(struct split_marks *marks)
{
    size_t kept = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct split_mark *mark = &marks->items[i];
        struct split_mark *last = kept ? &marks->items[kept - 1] : NULL;
        if (last && last->process == mark->process && last->slot == mark->slot) {
            last->stop = mark->stop;
            last->is_cut |= mark->is_cut;
        } else {
            marks->items[kept++] = *mark;
        }
    }
    marks->count = kept;
}

// Assigns slots by the numbers of steps if these identify them in every process, as a split by them
// does (split_ranges.c); otherwise by position.
static void number_slots(struct step_finder *finder, const struct step_family *family,
                         const uint32_t *rows, struct split_marks *marks)
{
    int64_t *number = ARENA_ARRAY(finder->arena, int64_t, marks->count + 1);
    int64_t *sorted = ARENA_ARRAY(finder->arena, int64_t, marks->count + 1);
    uint32_t count = (uint32_t)marks->count, distinct = 0;
    for (uint32_t i = 0, first = 0; i < count; i++) {
        number[i] = sorted[i] = step_family_number(&finder->families, family, rows[i]);
        if (i + 1 < count && marks->items[i + 1].process == marks->items[i].process)
            continue;
        if (!step_numbers_identify(number + first, i + 1 - first))
            return;
        first = i + 1;
    }
    sort_values(sorted, count);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            sorted[distinct++] = sorted[i];
    for (uint32_t i = 0; i < count; i++)
        marks->items[i].slot = search_from(sorted, 0, distinct, number[i]);
    marks->slot_count = distinct;
    join_marks(marks);
}

struct split_marks family_marks(struct step_finder *finder, const struct step_family *family,
                                bool *launches)
{
    const struct ranges *ranges = &finder->profile->ranges;
    struct split_marks marks = {0};
    size_t capacity = (size_t)family->count + 1;
    uint32_t *rows = ARENA_ARRAY(finder->arena, uint32_t, capacity);
    const struct step_part *parts = &finder->families.parts[family->first_part];
    const uint32_t *turns = family->parts ? finder->families.rows + parts->first : NULL;
    // The parts of a family are one after the other.
    struct turns_launching found =
        turns_launching(finder->profile, turns, family->count, &finder->launches,
                        finder->launch_calls_before, finder->arena);
    marks.items = ARENA_ARRAY(finder->arena, struct split_mark, capacity);
    for (uint32_t p = 0, turn = 0; p < family->parts; p++)
        for (uint32_t i = 0, slot = 0; i < parts[p].count; i++, turn++) {
            uint32_t row = turns[turn];
            if (found.are_few && !found.launches[turn])
                continue;
            rows[marks.count] = row;
            marks.items[marks.count++] = (struct split_mark){
                parts[p].process, slot++, AT(ranges->start, row), AT(ranges->end, row),
                range_label(ranges, row)->ending == RANGE_OPEN};
            marks.slot_count = slot > marks.slot_count ? slot : marks.slot_count;
        }
    *launches = found.with_work * UINT64_C(10) >= marks.count * UINT64_C(8);
    if (!family->is_place)
        number_slots(finder, family, rows, &marks);
    return marks;
}
