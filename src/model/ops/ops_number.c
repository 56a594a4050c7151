// SPDX-License-Identifier: Apache-2.0
// Numbers the ops of one name within each step: finds the beginnings of steps, then the step of
// each draft, then counts.
#include "model/ops/ops_number.h"

#include "base/id_map.h"
#include "base/sort.h"
#include "model/ops/step_marks.h"

// ---- where a step begins ----------------------------------------------------------------------

// Where a step of a process ends and the next one begins: at the end of a `backward` or of the key
// op that the user names, and where a numbered step begins.
struct count_bounds { // sorted by (process, time)
    uint32_t *process;
    int64_t *time;
    size_t count;
};

static int compare_bounds(const void *context, uint32_t a, uint32_t b)
{
    const struct count_bounds *bounds = context;
    if (bounds->process[a] != bounds->process[b])
        return bounds->process[a] < bounds->process[b] ? -1 : 1;
    return (bounds->time[a] > bounds->time[b]) - (bounds->time[a] < bounds->time[b]);
}

static struct count_bounds find_step_bounds(const struct op_drafts *drafts)
{
    struct arena *scratch = drafts->scratch;
    struct profile *profile = drafts->profile;
    struct step_marks marks = step_marks_find(profile, scratch);
    string_id key = profile->key_op ? strings_intern_text(profile->strings, profile->key_op) : 0;
    size_t limit = drafts->count + marks.count;
    struct count_bounds found = {.process = ARENA_ARRAY(scratch, uint32_t, limit),
                                 .time = ARENA_ARRAY(scratch, int64_t, limit)};
    for (uint32_t i = 0; i < drafts->count; i++) {
        const struct op_draft *draft = &drafts->items[i];
        bool is_backward = draft->direction == DIRECTION_BPROP && draft->forward == ROW_NONE;
        if ((!is_backward && (!key || draft->name != key)) || draft->captured)
            continue;
        found.process[found.count] = draft->process;
        found.time[found.count++] = draft->end;
    }
    for (size_t i = 0; i < marks.count; i++) {
        found.process[found.count] = marks.items[i].process;
        found.time[found.count++] = marks.items[i].start;
    }
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, found.count);
    for (uint32_t i = 0; i < found.count; i++)
        order[i] = i;
    sort_ids(order, found.count, compare_bounds, &found, scratch);
    struct count_bounds bounds = {.process = ARENA_ARRAY(scratch, uint32_t, found.count),
                                  .time = ARENA_ARRAY(scratch, int64_t, found.count),
                                  .count = found.count};
    for (size_t i = 0; i < found.count; i++) {
        bounds.process[i] = found.process[order[i]];
        bounds.time[i] = found.time[order[i]];
    }
    return bounds;
}

// Returns a number that is equal for two times in a process if and only if they are in the same
// step: the number of bounds up to it, including all those of processes with lower numbers.
static uint32_t step_at(const struct count_bounds *bounds, uint32_t process, int64_t time)
{
    size_t low = 0, high = bounds->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bounds->process[middle] < process ||
            (bounds->process[middle] == process && bounds->time[middle] <= time))
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static size_t most_of_a_process(const struct count_bounds *bounds)
{
    size_t most = 0, first = 0;
    for (size_t i = 0; i < bounds->count; i++) {
        if (bounds->process[i] != bounds->process[first])
            first = i;
        most = i - first + 1 > most ? i - first + 1 : most;
    }
    return most;
}

// ---- counting ----------------------------------------------------------------------------------

struct name_run { // state of a name in a process: its step and the occurrences in it
    uint32_t step, count;
};

struct op_counter {
    const struct op_drafts *drafts;
    uint32_t *step;      // per draft
    struct id_map loops; // (name, direction, process, step) -> runs, for long steps only
    struct id_map rows;  // (name, direction, process) -> runs
    struct name_run *runs;
    size_t run_count, run_capacity;
};

static bool is_counted(const struct op_draft *draft)
{
    return !draft->captured && !draft->recorded && draft->forward == ROW_NONE;
}

static struct id_key name_key(const struct op_draft *draft, uint32_t step)
{
    return (struct id_key){
        .a = (uint64_t)draft->name << 8 | draft->direction, .b = draft->process, .c = step};
}

// Sets the step of each draft. Counts the names of those steps that are long enough for a loop.
static void find_steps(struct op_counter *counter, const struct count_bounds *bounds)
{
    const struct op_drafts *drafts = counter->drafts;
    uint32_t *count = ARENA_ARRAY(drafts->scratch, uint32_t, bounds->count + 1);
    for (size_t i = 0; i < drafts->count; i++) {
        const struct op_draft *draft = &drafts->items[i];
        if (!is_counted(draft))
            continue;
        counter->step[i] = step_at(bounds, draft->process, draft->start);
        count[counter->step[i]]++;
    }
    for (size_t i = 0; i < drafts->count; i++) {
        const struct op_draft *draft = &drafts->items[i];
        if (is_counted(draft) && count[counter->step[i]] > LOOP_RUNS)
            ++*id_map_slot(&counter->loops, name_key(draft, counter->step[i]));
    }
}

static uint32_t next_number(struct op_counter *counter, uint32_t row)
{
    const struct op_draft *draft = &counter->drafts->items[row];
    uint32_t step = counter->step[row];
    uint32_t *slot = id_map_slot(&counter->rows, name_key(draft, 0));
    if (!counter->runs || !*slot) { // a slot in use has a run, so that `runs` is not NULL then
        *slot = (uint32_t)counter->run_count + 1;
        ARENA_PUSH(counter->drafts->scratch, counter->runs, counter->run_count,
                   counter->run_capacity) = (struct name_run){step, 0};
    }
    struct name_run *run = &counter->runs[*slot - 1];
    if (run->step != step)
        *run = (struct name_run){step, 0};
    return run->count++;
}

// Returns whether a name runs so often in a step that it must be a loop.
static bool is_loop(const struct op_counter *counter, uint32_t row)
{
    if (!counter->loops.capacity)
        return false;
    uint32_t runs =
        id_map_get(&counter->loops, name_key(&counter->drafts->items[row], counter->step[row]));
    return runs != UINT32_MAX && runs >= LOOP_RUNS; // one less than counted
}

uint32_t *ops_number(const struct op_drafts *drafts, const uint32_t *order, size_t *bounds)
{
    struct arena *scratch = drafts->scratch;
    struct count_bounds found = find_step_bounds(drafts);
    struct op_counter counter = {.drafts = drafts,
                                 .step = ARENA_ARRAY(scratch, uint32_t, drafts->count),
                                 .loops = {.arena = scratch},
                                 .rows = {.arena = scratch}};
    uint32_t *numbers = ARENA_ARRAY(scratch, uint32_t, drafts->count);
    find_steps(&counter, &found);
    for (size_t i = 0; i < drafts->count; i++)
        if (is_counted(&drafts->items[order[i]]) && !is_loop(&counter, order[i]))
            numbers[order[i]] = next_number(&counter, order[i]);
    *bounds = most_of_a_process(&found);
    return numbers;
}
