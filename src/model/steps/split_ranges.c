// SPDX-License-Identifier: Apache-2.0
// Splits by a family of ranges: makes a window per process of each of its ranges.
//
// Terms:
// - mark: a range of the family that may be a window (is_mark());
// - slot: the index of a window; the marks of one step in different processes share a slot, either
//   since they have the same number, or else the same position in their process;
// - main thread of a process: the one with most marks; its marks are the windows of the process.
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "model/markers/markers.h"
#include "model/steps/split_build.h"
#include "model/steps/step_plan.h"

static uint32_t range_process(const struct profile *profile, uint32_t range)
{
    return profile->threads[range_thread(&profile->ranges, range)].process;
}

static int compare_by_process(const void *context, uint32_t a, uint32_t b)
{
    const struct profile *profile = context;
    uint32_t p = range_process(profile, a), q = range_process(profile, b);
    if (p != q)
        return p < q ? -1 : 1;
    int64_t x = AT(profile->ranges.start, a), y = AT(profile->ranges.start, b);
    return (x > y) - (x < y);
}

// Returns whether a range is a mark. A range that may cross threads is none, since it is not in the
// order of any thread.
static bool is_mark(const struct range_family *family, uint32_t range)
{
    const struct ranges *ranges = &family->profile->ranges;
    return family->is_member[range_label(ranges, range)->marker] &&
           !range_is_cross_thread(ranges, range);
}

void family_collect(struct range_family *family)
{
    const struct profile *profile = family->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *in_thread = ARENA_ARRAY(family->scratch, uint32_t, profile->thread_count);
    uint32_t *best = ARENA_ARRAY(family->scratch, uint32_t, profile->process_count);
    family->in_thread = in_thread;
    family->best = best;
    family->rows = ARENA_ARRAY(family->scratch, uint32_t, ranges->count);
    family->count = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        in_thread[range_thread(ranges, i)] += is_mark(family, i);
    for (uint32_t p = 0; p < profile->process_count; p++)
        best[p] = ROW_NONE;
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        uint32_t *best_thread = &best[profile->threads[t].process];
        if (in_thread[t] && (*best_thread == ROW_NONE || in_thread[t] > in_thread[*best_thread]))
            *best_thread = t;
    }
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        if (best[thread->process] != t)
            continue;
        int64_t until = INT64_MIN;
        for (uint32_t i = thread->first_range; i < thread->end_range; i++) {
            if (!is_mark(family, i) || AT(ranges->start, i) < until)
                continue;
            family->rows[family->count++] = i;
            until = AT(ranges->end, i);
        }
    }
    sort_ids(family->rows, family->count, compare_by_process, profile, family->scratch);
}

// Returns whether the numbers of the marks tell the step of each in every process
// (step_numbers.h). Only then they identify windows across processes.
static bool numbers_grow(const struct range_family *family)
{
    const struct profile *profile = family->profile;
    int64_t *number = ARENA_ARRAY(family->scratch, int64_t, family->count);
    size_t first = 0;
    for (size_t i = 0; i < family->count; i++) {
        uint32_t process = range_process(profile, family->rows[i]);
        number[i] = family->number[range_label(&profile->ranges, family->rows[i])->marker];
        if (i + 1 < family->count && range_process(profile, family->rows[i + 1]) == process)
            continue;
        if (!step_numbers_identify(number + first, (uint32_t)(i + 1 - first)))
            return false;
        first = i + 1;
    }
    return true;
}

struct range_slots {
    uint32_t *of_row; // slot of each row in family->rows
    int64_t *number;  // per slot, increasing
    uint32_t count;
    bool by_number; // false: by position in each process
};

static int compare_numbers(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *number = context;
    return (number[a] > number[b]) - (number[a] < number[b]);
}

static struct range_slots find_slots(const struct range_family *family)
{
    const struct profile *profile = family->profile;
    struct range_slots slots = {0};
    slots.of_row = ARENA_ARRAY(family->scratch, uint32_t, family->count);
    slots.number = ARENA_ARRAY(family->scratch, int64_t, family->count);
    slots.by_number = numbers_grow(family);
    if (!slots.by_number) {
        uint32_t n = 0;
        for (size_t i = 0; i < family->count; i++) {
            if (i && range_process(profile, family->rows[i]) !=
                         range_process(profile, family->rows[i - 1]))
                n = 0;
            slots.of_row[i] = n;
            slots.number[n] = n;
            slots.count = ++n > slots.count ? n : slots.count;
        }
        return slots;
    }
    int64_t *number = ARENA_ARRAY(family->scratch, int64_t, family->count);
    uint32_t *order = ARENA_ARRAY(family->scratch, uint32_t, family->count);
    for (uint32_t i = 0; i < family->count; i++) {
        order[i] = i;
        number[i] = family->number[range_label(&profile->ranges, family->rows[i])->marker];
    }
    sort_ids(order, family->count, compare_numbers, number, family->scratch);
    for (uint32_t i = 0; i < family->count; i++) {
        if (i == 0 || number[order[i]] != number[order[i - 1]])
            slots.number[slots.count++] = number[order[i]];
        slots.of_row[order[i]] = slots.count - 1;
    }
    return slots;
}

// Returns whether the last window is only a remainder, since the profiler stopped after the last
// complete step: it is less than 1/MIN_PART as long as every other window. Applies only without
// GPU work; with it, split_cut.c recognizes such a window.
static bool is_remainder(const struct profile *profile, const struct split *split)
{
    enum { MIN_PART = 20 };
    if (split->count < 3 || profile->work.count > 0)
        return false;
    uint32_t last_window = split->count - 1;
    bool is_short = true;
    int64_t length = split->stop[last_window] - split->start[last_window];
    for (uint32_t i = 0; i < last_window && is_short; i++)
        is_short = length < (split->stop[i] - split->start[i]) / MIN_PART;
    return is_short;
}

// ---- other threads with marks ------------------------------------------------------------------

// Returns the slot with a number, or slots->count if there is none.
static uint32_t slot_of_number(const struct range_slots *slots, int64_t number)
{
    uint32_t slot = search_from(slots->number, 0, slots->count, number);
    return slot < slots->count && slots->number[slot] == number ? slot : slots->count;
}

// Assigns the work that a thread launches to windows by the marks of this thread instead of the
// process's windows: a process that drives several GPUs by several threads marks the steps on each
// of them.
static void assign_by_own_marks(const struct range_family *family, const struct range_slots *slots,
                                uint32_t t, struct split *split)
{
    const struct profile *profile = family->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct api_calls *api = &profile->api;
    const struct thread *thread = &profile->threads[t];
    uint32_t call = thread->first_api, order = 0;
    int64_t until = INT64_MIN;
    for (uint32_t i = thread->first_api; i < thread->end_api; i++) {
        struct row_span span = api_work(api, i);
        for (uint32_t n = span.first; n < span.end; n++)
            split->of_work[AT(api->work_rows, n)] = ROW_NONE;
    }
    for (uint32_t i = thread->first_range; i < thread->end_range; i++) {
        uint32_t slot = order;
        if (!is_mark(family, i) || AT(ranges->start, i) < until)
            continue;
        until = AT(ranges->end, i);
        order++;
        if (slots->by_number)
            slot = slot_of_number(slots, family->number[range_label(ranges, i)->marker]);
        for (; call < thread->end_api && AT(api->start, call) < until; call++) {
            struct row_span span = api_work(api, call);
            for (uint32_t n = span.first; n < span.end; n++)
                if (AT(api->start, call) >= AT(ranges->start, i) && slot < slots->count)
                    split->of_work[AT(api->work_rows, n)] = slot;
        }
    }
}

static void assign_other_threads(const struct range_family *family, const struct range_slots *slots,
                                 struct split *split)
{
    const struct profile *profile = family->profile;
    for (uint32_t t = 0; t < profile->thread_count; t++)
        if (family->in_thread[t] > 1 && family->best[profile->threads[t].process] != t)
            assign_by_own_marks(family, slots, t, split);
}

// ---- from ranges to windows --------------------------------------------------------------------

// Returns the number of micro-steps per window of the first process that has any.
static uint32_t find_inner(const struct range_family *family, const struct split *split)
{
    struct step_families families;
    const char *text;
    uint32_t process = range_process(family->profile, family->rows[0]);
    size_t first = split->process_start ? (size_t)process * split->count : 0;
    if (split->count < 2)
        return 0;
    step_families_by_text(&families, family->profile, family->scratch);
    return step_inner_find(&families, process,
                           (split->process_start ? split->process_start : split->start) + first,
                           (split->process_stop ? split->process_stop : split->stop) + first,
                           split->count, &text, family->scratch);
}

static struct split *make_split(const struct range_family *family, const struct range_slots *slots,
                                const char *key, const char *sure, struct arena *arena)
{
    const struct profile *profile = family->profile;
    const struct ranges *ranges = &profile->ranges;
    struct split *split = split_new_by_ranges(arena, slots->count);
    size_t cell_count = (size_t)profile->process_count * slots->count;
    split->process_start = ARENA_ARRAY(arena, int64_t, cell_count);
    split->process_stop = ARENA_ARRAY(arena, int64_t, cell_count);
    for (size_t i = 0; i < cell_count; i++)
        split->process_start[i] = split->process_stop[i] = UNKNOWN;
    for (uint32_t i = 0; i < slots->count; i++) {
        split->number[i] = slots->number[i];
        split->start[i] = INT64_MAX;
        split->stop[i] = INT64_MIN;
    }
    uint32_t marked_processes = 0; // number of processes that have windows of their own
    for (size_t i = 0; i < family->count; i++) {
        uint32_t row = family->rows[i], slot = slots->of_row[i];
        int64_t start = AT(ranges->start, row), stop = AT(ranges->end, row);
        uint32_t process = range_process(profile, row);
        marked_processes += i == 0 || process != range_process(profile, family->rows[i - 1]);
        size_t cell = (size_t)process * slots->count + slot;
        if (split->process_start[cell] == UNKNOWN)
            split->process_start[cell] = start; // later ranges of the step are behind it
        split->process_stop[cell] = stop;
        split->start[slot] = start < split->start[slot] ? start : split->start[slot];
        split->stop[slot] = stop > split->stop[slot] ? stop : split->stop[slot];
        split->is_cut[slot] |= range_label(ranges, row)->ending == RANGE_OPEN;
    }
    if (is_remainder(profile, split))
        split->is_cut[slots->count - 1] = true;
    const struct file_window *file_window = profile->file_window;
    split->is_of_excerpt = file_window != NULL;
    for (uint32_t i = 0; file_window && i < slots->count; i++)
        split->is_cut[i] |= split->start[i] < file_window->from ||
                            split->stop[i] > file_window->to ||
                            file_window_is_neighbour(file_window, split->number[i]);
    split_fill_gaps(split, profile->process_count);
    if (profile->process_count == 1)
        split->process_start = split->process_stop = NULL;
    split->key = arena_text(arena, key);
    split->key_found = true;
    split_fill_content(profile, family->rows, slots->of_row, family->count, split, arena);
    split->inner = find_inner(family, split);
    char out[FORMAT_SIZE];
    split->text = arena_format(
        arena, "%s by range \"%s\"%s%s%s%s", format_counted(out, slots->count, "iteration"), key,
        sure, marked_processes > 1 ? ", per process" : "", split_inner_text(split->inner, arena),
        split_kinds_text(split, arena));
    split_fill_rows(profile, split, arena);
    assign_other_threads(family, slots, split);
    split_settle(profile, split, false, arena);
    return split;
}

struct split *split_by_family(const struct range_family *family, const char *key, const char *sure,
                              struct arena *arena, size_t *excess)
{
    *excess = 0;
    if (!family->count)
        return NULL;
    struct range_slots slots = find_slots(family);
    if (!split_exceeds(family->profile, slots.count))
        return make_split(family, &slots, key, sure, arena);
    *excess = slots.count;
    return NULL;
}
