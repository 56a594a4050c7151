// SPDX-License-Identifier: Apache-2.0
// Sums over allocations and frees, see memory_use.h. The events are read once, in order of time,
// with the current live level of every report row.
#include "analysis/memory/memory_use.h"

#include "analysis/report/memo.h"
#include "analysis/report/selected_intervals.h"
#include "analysis/report/stats.h"
#include "base/scratch.h"
#include "model/profile/copy_kinds.h"
#include "model/profile/recorder.h"

_Static_assert((MEMORY_KIND_COUNT + 1) * 2 <= MEMORY_GROUPS, "a group for each kind");

uint32_t memory_owner(const struct profile *profile, uint32_t event)
{
    const struct memory_events *memory = &profile->memory;
    return memory->is_free[event] && memory->ends[event] != ROW_NONE ? memory->ends[event] : event;
}

uint32_t memory_group(const struct profile *profile, uint32_t event)
{
    const struct memory_events *memory = &profile->memory;
    uint32_t owner = memory_owner(profile, event);
    return memory->kind[owner] * 2u + (memory->pool && memory->pool[owner] != 0);
}

const char *memory_group_name(uint32_t group)
{
    static const char *const pooled[] = {
        [MEMORY_PAGEABLE] = "pageable, pool",
        [MEMORY_PINNED] = "pinned, pool",
        [MEMORY_DEVICE] = "device, pool",
        [MEMORY_ARRAY] = "array, pool",
        [MEMORY_MANAGED] = "managed, pool",
        [MEMORY_DEVICE_STATIC] = "device static, pool",
        [MEMORY_MANAGED_STATIC] = "managed static, pool",
        [MEMORY_KIND_COUNT] = "unknown, pool",
    };
    uint32_t kind = group / 2;
    if (group % 2)
        return pooled[kind];
    return kind < MEMORY_KIND_COUNT ? memory_kind_names[kind] : "unknown";
}

bool memory_group_is_on_gpu(uint32_t group)
{
    uint32_t kind = group / 2;
    return group == MEMORY_ALL_ON_GPU || kind == MEMORY_DEVICE || kind == MEMORY_ARRAY ||
           kind == MEMORY_DEVICE_STATIC;
}

uint32_t memory_iteration(const struct profile *profile, const struct split *split, uint32_t event)
{
    const struct memory_events *memory = &profile->memory;
    uint32_t call = memory->api[event];
    return split_at(split, memory->process[event],
                    call != ROW_NONE ? AT(profile->api.start, call) : AT(memory->start, event));
}

static void *make_event_steps(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    uint32_t *iterations = ARENA_ARRAY(arena, uint32_t, profile->memory.count);
    for (uint32_t i = 0; i < profile->memory.count; i++)
        iterations[i] = memory_iteration(profile, selection->split, i);
    return iterations;
}

static const struct memo_kind event_steps_memo = {.make = make_event_steps};

enum memory_part memory_part_of(const struct profile *profile, uint32_t event)
{
    uint32_t owner = memory_owner(profile, event);
    if (profile->memory.is_free[owner])
        return MEMORY_ALLOCATED_BEFORE;
    return profile->memory.api[owner] == ROW_NONE ? MEMORY_CALL_UNKNOWN : MEMORY_CALLED;
}

const char *memory_choice_text(uint32_t choice, struct arena *arena)
{
    static const char *const parts[] = {
        [MEMORY_ANY] = "",
        [MEMORY_CALLED] = "",
        [MEMORY_CALL_UNKNOWN] = ", by calls that are not in the file",
        [MEMORY_ALLOCATED_BEFORE] = ", allocated before the capture",
    };
    uint32_t group = choice / MEMORY_PARTS;
    if (group == MEMORY_ALL_ON_GPU)
        return "all memory on the GPU";
    if (group == MEMORY_OF_HOST)
        return "memory of the host";
    return arena_format(arena, "%s memory%s", memory_group_name(group),
                        parts[choice % MEMORY_PARTS]);
}

static bool matches_choice(const struct profile *profile, uint32_t choice, uint32_t event)
{
    uint32_t own = memory_group(profile, event), group = choice / MEMORY_PARTS;
    uint32_t part = choice % MEMORY_PARTS;
    return (group == MEMORY_ALL_ON_GPU ? memory_group_is_on_gpu(own) : own == group) &&
           (part == MEMORY_ANY || memory_part_of(profile, event) == part);
}

bool selection_has_memory_of(const struct profile *profile, const struct selection *selection,
                             uint32_t event)
{
    const struct memory_events *memory = &profile->memory;
    uint32_t owner = memory_owner(profile, event);
    if (!process_is_selected(profile, selection->process, memory->process[owner]))
        return false;
    if (selection->device != ROW_NONE && memory->device[owner] != selection->device)
        return false;
    if (selection->memory != ROW_NONE && !matches_choice(profile, selection->memory, event))
        return false;
    bool needs_call = selection->node != ROW_NONE || selection->op != ROW_NONE ||
                      selection->op_type != STRING_NONE || selection->line != STRING_NONE ||
                      selection->api_name != STRING_NONE || selection->thread != ROW_NONE;
    if (!needs_call)
        return true;
    uint32_t call = memory->api[owner];
    // At any time, for any GPU: the event itself was already tested for these.
    struct selection any = *selection;
    any.iterations = NULL;
    any.device = any.process = ROW_NONE;
    return call != ROW_NONE && selection_has_api(profile, &any, call);
}

bool selection_has_memory(const struct profile *profile, const struct selection *selection,
                          uint32_t event)
{
    return (!selection->iterations ||
            selection_has_iteration(selection,
                                    memory_iteration(profile, selection->split, event))) &&
           selection_has_memory_of(profile, selection, event);
}

const char *memory_empty_text(const struct profile *profile)
{
    if (profile->memory.count)
        return "Nothing is allocated, freed or live in what is selected.";
    if (profile->stage < STAGE_READY)
        return "Allocations are not known yet: the profile is being read.";
    return recorder_lack_text(profile, LACKS_ALLOCATIONS);
}

// ---- live memory ------------------------------------------------------------------------------

struct live_level { // live bytes of a row since `event`
    int64_t bytes, since;
    uint32_t event;
};

// Updates `use` with the level of a row between its last event and `until`: the end of the selected
// time and the peak.
static void level_end(const struct selected_intervals *selected, const struct live_level *level,
                      struct memory_use *use, int64_t until)
{
    if (level->event == ROW_NONE)
        return;
    int64_t last = selected->count ? selected->stop[selected->count - 1] : INT64_MIN;
    if (level->since < last)
        use->live = level->bytes;
    if (level->bytes <= use->peak)
        return;
    int64_t seen = selected_intervals_meet(selected, level->since, until);
    if (seen == INT64_MAX)
        return;
    use->peak = level->bytes;
    use->peak_ns = seen;
    use->peak_event = level->event;
}

static void level_add(const struct selected_intervals *selected, struct live_level *level,
                      struct memory_use *use, uint32_t event, int64_t time, int64_t bytes)
{
    if (bytes == 0)
        return;
    level_end(selected, level, use, time);
    level->bytes += bytes;
    level->since = time;
    level->event = event;
}

static void count_allocation(struct memory_use *use, uint32_t event, int64_t bytes)
{
    use->allocations++;
    sum_add(&use->allocated, bytes == UNKNOWN ? 0 : bytes);
    if (use->largest_event != ROW_NONE && bytes <= use->largest)
        return;
    use->largest = bytes;
    use->largest_event = event;
}

static void count_free(struct memory_use *use, int64_t bytes)
{
    use->frees++;
    sum_add(&use->freed, bytes == UNKNOWN ? 0 : bytes);
}

struct memory_sweep_state {
    const struct profile *profile;
    const struct selection *selection;
    const uint32_t *row_of;
    size_t count;
    struct memory_use *uses;
    const uint32_t *iterations; // [event] its step; NULL: all are selected
};

static bool event_is_in_selected_step(const struct memory_sweep_state *sweep, uint32_t event)
{
    return !sweep->iterations ||
           selection_has_iteration(sweep->selection, sweep->iterations[event]);
}

// Reads all events in order of time and updates the row that each belongs to.
static void sweep_events(void *context, struct arena *scratch)
{
    const struct memory_sweep_state *sweep = context;
    const struct memory_events *memory = &sweep->profile->memory;
    struct selected_intervals selected = selected_intervals_of(sweep->selection, scratch);
    struct live_level *levels = ARENA_ARRAY(scratch, struct live_level, sweep->count);
    for (size_t r = 0; r < sweep->count; r++)
        levels[r].event = ROW_NONE;
    for (uint32_t i = 0; i < memory->count; i++) {
        uint32_t row = sweep->row_of[i], ends = memory->ends[i];
        uint32_t row_of_freed = ends != ROW_NONE ? sweep->row_of[ends] : ROW_NONE;
        bool is_counted =
            (row != ROW_NONE || row_of_freed != ROW_NONE) && event_is_in_selected_step(sweep, i);
        if (row_of_freed != ROW_NONE) {
            level_add(&selected, &levels[row_of_freed], &sweep->uses[row_of_freed], i,
                      AT(memory->start, i),
                      memory->bytes[ends] == UNKNOWN ? 0 : -memory->bytes[ends]);
            if (is_counted)
                count_free(&sweep->uses[row_of_freed], memory->bytes[ends]);
        }
        if (row != ROW_NONE && !memory->is_free[i]) {
            level_add(&selected, &levels[row], &sweep->uses[row], i, AT(memory->start, i),
                      memory->bytes[i] == UNKNOWN ? 0 : memory->bytes[i]);
            if (is_counted)
                count_allocation(&sweep->uses[row], i, memory->bytes[i]);
        } else if (row != ROW_NONE && ends == ROW_NONE && is_counted) {
            count_free(&sweep->uses[row], memory->bytes[i]);
        }
    }
    for (size_t r = 0; r < sweep->count; r++)
        level_end(&selected, &levels[r], &sweep->uses[r], INT64_MAX);
}

struct memory_use *memory_use_sums(const struct profile *profile, const struct selection *selection,
                                   const uint32_t *row_of, size_t count, struct arena *arena)
{
    struct memory_sweep_state sweep = {
        .profile = profile,
        .selection = selection,
        .row_of = row_of,
        .count = count,
        .uses = ARENA_ARRAY(arena, struct memory_use, count),
        .iterations = selection->iterations
                          ? memo_require(&event_steps_memo, profile, selection, arena)
                          : NULL,
    };
    for (size_t r = 0; r < count; r++) {
        sweep.uses[r].largest_event = sweep.uses[r].peak_event = ROW_NONE;
        sweep.uses[r].peak_ns = sweep.uses[r].largest = UNKNOWN;
    }
    scratch_run(arena, sweep_events, &sweep);
    return sweep.uses;
}
