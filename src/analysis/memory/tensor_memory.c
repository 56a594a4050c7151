// SPDX-License-Identifier: Apache-2.0
// Memory handed out by a framework's allocator, see tensor_memory.h. A home is where memory is: a
// device of the profile, or profile.device_count for the host.
#include "analysis/memory/tensor_memory.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/memory/memory_use.h"
#include "analysis/report/selected_intervals.h"
#include "analysis/report/stats.h"
#include "base/tuples.h"
#include "model/profile/recorder.h"

// ---- operators ------------------------------------------------------------------------------

struct op_places op_places_build(const struct profile *profile, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    bool *is_op = ARENA_ARRAY(arena, bool, (size_t)ranges->label_count + 1);
    for (uint32_t l = 0; l < ranges->label_count; l++)
        is_op[l] = operator_role(profile, &ranges->labels[l]) == RANGE_ROLE_OPERATOR;
    return (struct op_places){.owners = operator_owners(profile, arena), .is_op = is_op};
}

uint32_t allocation_owner(const struct profile *profile, const struct op_places *places,
                          uint32_t row)
{
    uint32_t range = AT(profile->allocations.range, row);
    return range == ROW_NONE ? ROW_NONE : places->owners[range];
}

// Returns the text of a step or module as recorded, with its number.
static const char *recorded_name(const struct profile *profile, const struct op_places *places,
                                 uint32_t range)
{
    const struct range_label *label = range_label(&profile->ranges, range);
    return profile_text(profile, op_places_has_op(profile, places, range)
                                     ? operator_name(profile, label)
                                     : label->name);
}

// An empty tensor is allocated on behalf of another operator, so the enclosing one is shown too.
const char *allocation_op_text(const struct profile *profile, const struct op_places *places,
                               uint32_t row, struct arena *arena)
{
    static const char empty[] = "aten::empty";
    uint32_t op = allocation_owner(profile, places, row);
    if (!op_places_has_op(profile, places, op))
        return NULL;
    const char *name = recorded_name(profile, places, op);
    uint32_t outer_range = operator_outer(profile, places->owners, op);
    if (strncmp(name, empty, sizeof empty - 1) != 0 || outer_range == ROW_NONE)
        return name;
    return arena_format(arena, "%s (%s)", recorded_name(profile, places, outer_range), name);
}

// ---- selection ------------------------------------------------------------------------------

const char *tensor_home_text(const struct profile *profile, uint32_t device, struct arena *arena)
{
    return device == ROW_NONE ? "CPU"
                              : arena_format(arena, "GPU %" PRId64, device_number(profile, device));
}

bool selection_has_home(const struct selection *selection, uint32_t device)
{
    return (selection->device == ROW_NONE || selection->device == device) &&
           (selection->memory != memory_choice(MEMORY_OF_HOST, MEMORY_ANY) || device == ROW_NONE);
}

bool selection_has_allocation(const struct profile *profile, const struct selection *selection,
                              const struct op_places *places, uint32_t row)
{
    const struct allocations *allocations = &profile->allocations;
    uint32_t thread = AT(allocations->thread, row);
    if (!selection_has_home(selection, AT(allocations->device, row)) ||
        !process_is_selected(profile, selection->process, profile->threads[thread].process) ||
        (selection->thread != ROW_NONE && selection->thread != thread))
        return false;
    if (selection->node == ROW_NONE && selection->range_name == STRING_NONE)
        return true;
    // The range is not tested for step, GPU and process: the allocation was already tested.
    struct selection unlimited = *selection;
    unlimited.iterations = NULL;
    unlimited.device = unlimited.process = ROW_NONE;
    uint32_t range = AT(allocations->range, row);
    range = selection->range_name == STRING_NONE ? range_tree_owner(profile, range)
                                                 : allocation_owner(profile, places, row);
    return range != ROW_NONE && selection_has_range(profile, &unlimited, range);
}

uint32_t allocation_iteration(const struct profile *profile, const struct split *split,
                              uint32_t row)
{
    const struct allocations *allocations = &profile->allocations;
    return split_at(split, profile->threads[AT(allocations->thread, row)].process,
                    AT(allocations->time, row));
}

const char *tensor_memory_empty_text(const struct profile *profile)
{
    if (profile->allocations.count)
        return "Nothing is allocated or freed in what is selected.";
    for (uint32_t s = 0; s < profile->source_count; s++)
        if (source_is_trace(&profile->sources[s]))
            return "The trace holds no allocations: torch.profiler.profile(profile_memory=True) "
                   "records them.";
    return "Allocations of tensors are told by traces of the PyTorch Profiler alone, where "
           "profile_memory=True was given.";
}

bool allocation_place(const struct profile *profile, uint32_t row, struct row_place *place)
{
    uint32_t range = row == ROW_NONE ? ROW_NONE : AT(profile->allocations.range, row);
    if (range == ROW_NONE)
        return false;
    *place = (struct row_place){.kind = PLACE_RANGE, .row = range, .of = 1};
    return true;
}

// ---- how much is allocated ------------------------------------------------------------------

struct allocator_levels { // of the allocator of a process, for one device
    int64_t allocated, reserved;
};

struct series_build {
    const struct profile *profile;
    struct memory_series *series;
    struct tuples allocators;      // (process, device)
    struct allocator_levels *now;  // [allocator]
    struct allocator_levels *sums; // [device]
};

static void level_set(int64_t *level, int64_t *sum, int64_t to)
{
    if (to == UNKNOWN)
        return;
    sum_add(sum, to - *level);
    *level = to;
}

// Adds an event to the series of its home: the levels after it, summed over allocators.
static void add_row(struct series_build *build, uint32_t row, uint32_t home)
{
    const struct allocations *allocations = &build->profile->allocations;
    struct memory_series *series = &build->series[home];
    uint32_t process = build->profile->threads[AT(allocations->thread, row)].process;
    uint32_t allocator = tuples_put(&build->allocators, (int64_t[2]){process, home});
    struct allocator_levels *now = &build->now[allocator], *sum = &build->sums[home];
    if (series->is_counted)
        sum_add(&sum->allocated, allocation_bytes(allocations, row));
    else
        level_set(&now->allocated, &sum->allocated, AT(allocations->allocated, row));
    if (series->reserved) {
        level_set(&now->reserved, &sum->reserved, AT(allocations->reserved, row));
        series->reserved[series->count] = sum->reserved;
    }
    series->rows[series->count] = row;
    series->allocated[series->count++] = sum->allocated;
}

// Allocates the series of each device that has events; `is_recorded` says whether its file records
// totals.
static void series_alloc(const struct profile *profile, struct memory_series *series,
                         const uint32_t *counts, const bool *is_recorded, struct arena *arena)
{
    for (uint32_t d = 0; d <= profile->device_count; d++) {
        if (!counts[d])
            continue;
        series[d].rows = ARENA_ARRAY(arena, uint32_t, counts[d]);
        series[d].allocated = ARENA_ARRAY(arena, int64_t, counts[d]);
        series[d].is_counted = !is_recorded[d];
        if (is_recorded[d] && HAS(profile->allocations.reserved))
            series[d].reserved = ARENA_ARRAY(arena, int64_t, counts[d]);
    }
}

struct memory_series *memory_series_build(const struct profile *profile,
                                          const struct selection *selection, struct arena *arena)
{
    const struct allocations *allocations = &profile->allocations;
    uint32_t devices = profile->device_count + 1, count = allocations->count;
    struct memory_series *series = ARENA_ARRAY(arena, struct memory_series, devices);
    uint32_t *counts = ARENA_ARRAY(arena, uint32_t, devices);
    uint32_t *home_of = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    bool *is_recorded = ARENA_ARRAY(arena, bool, devices);
    struct series_build build = {.profile = profile, .series = series};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t device = AT(allocations->device, i);
        uint32_t process = profile->threads[AT(allocations->thread, i)].process;
        home_of[i] = device == ROW_NONE ? profile->device_count : device;
        if (!selection_has_home(selection, device) ||
            !process_is_selected(profile, selection->process, process)) {
            home_of[i] = ROW_NONE;
            continue;
        }
        counts[home_of[i]]++;
        is_recorded[home_of[i]] |=
            HAS(allocations->allocated) && AT(allocations->allocated, i) != UNKNOWN;
    }
    series_alloc(profile, series, counts, is_recorded, arena);
    tuples_open(&build.allocators, arena, 2);
    build.now =
        ARENA_ARRAY(arena, struct allocator_levels, (size_t)devices * (profile->process_count + 1));
    build.sums = ARENA_ARRAY(arena, struct allocator_levels, devices);
    for (uint32_t i = 0; i < count; i++)
        if (home_of[i] != ROW_NONE)
            add_row(&build, i, home_of[i]);
    ARENA_RELEASE(arena, home_of, (size_t)count + 1);
    return series;
}

static void raise_peak(int64_t *peak_value, int64_t *peak_ns, int64_t level, int64_t at)
{
    if (*peak_value != UNKNOWN && level <= *peak_value)
        return;
    *peak_value = level;
    *peak_ns = at;
}

struct memory_peak memory_peak_find(const struct profile *profile,
                                    const struct selection *selection,
                                    const struct memory_series *series, struct arena *arena)
{
    struct memory_peak peak = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, ROW_NONE,
                               UNKNOWN, UNKNOWN, 0,       0};
    struct selected_intervals selected = selected_intervals_of(selection, arena);
    const struct column64 *time = &profile->allocations.time;
    for (uint32_t i = 0; i < series->count; i++) {
        int64_t from = column64_at(time, series->rows[i]);
        int64_t to = i + 1 < series->count ? column64_at(time, series->rows[i + 1]) : INT64_MAX;
        int64_t selected_from = selected_intervals_meet(&selected, from, to);
        int64_t bytes = allocation_bytes(&profile->allocations, series->rows[i]);
        if (selected_from == from && bytes > 0) {
            sum_add(&peak.bytes, bytes);
            peak.allocations++;
        }
        if (selected_from == INT64_MAX || (selected_from >= to && from < to))
            continue;
        if (peak.before == UNKNOWN)
            peak.before = series->allocated[i];
        peak.after = series->allocated[i];
        if (peak.allocated == UNKNOWN || series->allocated[i] > peak.allocated)
            peak.row = series->rows[i];
        raise_peak(&peak.allocated, &peak.allocated_ns, series->allocated[i], selected_from);
        if (series->reserved)
            raise_peak(&peak.reserved, &peak.reserved_ns, series->reserved[i], selected_from);
    }
    return peak;
}
