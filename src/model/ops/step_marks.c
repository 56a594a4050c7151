// SPDX-License-Identifier: Apache-2.0
// Finds where numbered steps begin. The cost is one look at each range if any text is a step, and
// nothing otherwise; calls are counted by searching for the ends of the steps.
#include "model/ops/step_marks.h"

#include "base/id_map.h"
#include "base/search.h"
#include "model/markers/markers.h"

struct thread_steps { // the steps of one thread
    uint32_t thread;
    size_t first, count; // of search.rows: all of them
    size_t mark, marks;  // of search.marks: the outermost ones
    uint64_t calls;      // API calls of the thread inside them
};

struct mark_search {
    const struct profile *profile;
    struct arena *arena;
    uint32_t *rows; // ranges that are steps, in order
    size_t row_count, row_capacity;
    struct thread_steps *threads;
    size_t thread_count, thread_capacity;
    struct step_mark *marks;
    size_t mark_count, mark_capacity;
};

static void find_steps(struct mark_search *search)
{
    const struct profile *profile = search->profile;
    const struct ranges *ranges = &profile->ranges;
    bool *is_step = ARENA_ARRAY(search->arena, bool, (size_t)ranges->label_count + 1);
    bool any = false;
    for (uint32_t i = 0; i < ranges->label_count; i++) {
        const struct range_label *label = &ranges->labels[i];
        is_step[i] = label->marker != ROW_NONE && label->ending != RANGE_CROSS_THREAD &&
                     profile->markers[label->marker].kind == MARKER_STEP;
        any |= is_step[i];
    }
    for (uint32_t i = 0; any && i < ranges->count; i++) {
        if (!is_step[AT(ranges->label, i)])
            continue;
        uint32_t thread = range_thread(ranges, i);
        if (!search->thread_count || search->threads[search->thread_count - 1].thread != thread)
            ARENA_PUSH(search->arena, search->threads, search->thread_count,
                       search->thread_capacity) =
                (struct thread_steps){.thread = thread, .first = search->row_count};
        search->threads[search->thread_count - 1].count++;
        ARENA_PUSH(search->arena, search->rows, search->row_count, search->row_capacity) = i;
    }
}

static uint32_t calls_in(const struct profile *profile, uint32_t range)
{
    const struct thread *thread = &profile->threads[range_thread(&profile->ranges, range)];
    uint32_t first = column_from(profile->api.start, thread->first_api, thread->end_api,
                                 AT(profile->ranges.start, range));
    return column_from(profile->api.start, first, thread->end_api, AT(profile->ranges.end, range)) -
           first;
}

// Returns whether the i-th step of a thread is the only one of its title and encloses other steps.
static bool is_whole_loop(const struct mark_search *search, const struct thread_steps *steps,
                          const struct id_map *counts, size_t i)
{
    const struct ranges *ranges = &search->profile->ranges;
    const uint32_t *rows = search->rows + steps->first;
    struct id_key key = {.a = range_marker(search->profile, rows[i])->title};
    return id_map_get(counts, key) == 0 && // one less than is counted
           i + 1 < steps->count && AT(ranges->start, rows[i + 1]) < AT(ranges->end, rows[i]);
}

static void find_outermost(struct mark_search *search, struct thread_steps *steps)
{
    const struct profile *profile = search->profile;
    const struct ranges *ranges = &profile->ranges;
    const uint32_t *rows = search->rows + steps->first;
    struct id_map counts = {.arena = search->arena}; // title -> ranges
    for (size_t i = 0; i < steps->count; i++)
        ++*id_map_slot(&counts, (struct id_key){.a = range_marker(profile, rows[i])->title});
    int64_t last_end = INT64_MIN;
    steps->mark = search->mark_count;
    for (size_t i = 0; i < steps->count; i++) {
        int64_t start = AT(ranges->start, rows[i]);
        if (start < last_end || is_whole_loop(search, steps, &counts, i))
            continue;
        last_end = AT(ranges->end, rows[i]);
        steps->calls += calls_in(profile, rows[i]);
        ARENA_PUSH(search->arena, search->marks, search->mark_count, search->mark_capacity) =
            (struct step_mark){profile->threads[steps->thread].process, start};
    }
    steps->marks = search->mark_count - steps->mark;
}

struct step_marks step_marks_find(const struct profile *profile, struct arena *arena)
{
    struct mark_search search = {.profile = profile, .arena = arena};
    struct step_marks found = {.count = 0};
    find_steps(&search);
    if (!search.thread_count)
        return found;
    // Per process: its thread with most calls inside steps + 1.
    uint32_t *best = ARENA_ARRAY(arena, uint32_t, profile->process_count);
    for (size_t i = 0; i < search.thread_count; i++) {
        struct thread_steps *steps = &search.threads[i];
        find_outermost(&search, steps);
        uint32_t *chosen = &best[profile->threads[steps->thread].process];
        if (!*chosen || steps->calls > search.threads[*chosen - 1].calls)
            *chosen = (uint32_t)i + 1;
    }
    found.items = ARENA_ARRAY(arena, struct step_mark, search.mark_count);
    for (uint32_t p = 0; p < profile->process_count; p++) {
        const struct thread_steps *steps = best[p] ? &search.threads[best[p] - 1] : NULL;
        for (size_t i = 0; steps && i < steps->marks; i++)
            found.items[found.count++] = search.marks[steps->mark + i];
    }
    return found;
}
