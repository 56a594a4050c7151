// SPDX-License-Identifier: Apache-2.0
// Measures the windows of each device by a scheme, and averages over devices and steps.
#include "analysis/breakdown/breakdown.h"

#include <stdbool.h>

#include "analysis/breakdown/breakdown_scheme.h"
#include "analysis/report/memo.h"
#include "base/scratch.h"
#include "base/sums.h"
#include "base/text/cells.h"

static const struct scheme_rules *rules_of(const struct breakdown_scheme *scheme)
{
    return scheme == &breakdown_dlprof ? &breakdown_dlprof_rules : &breakdown_gpu_rules;
}

static void breakdown_add(struct breakdown *sum, const struct breakdown *part)
{
    sum->window_ns = add_saturating(sum->window_ns, part->window_ns);
    for (int c = 0; c < MAX_BREAKDOWN_CATEGORIES; c++)
        sum->ns[c] = add_saturating(sum->ns[c], part->ns[c]);
}

// Adds the categories of a window. Without times a window consists of its work only; the rest is an
// artefact of the loader.
static void breakdown_window(const struct breakdown_scheme *scheme, const struct cover *cover,
                             struct window window, bool lacks_times, struct breakdown *sum)
{
    if (window.to <= window.from)
        return;
    struct breakdown part = {.window_ns = window.to - window.from};
    cover_add(cover, window.from, window.to, part.ns);
    int64_t rest_ns = part.window_ns;
    for (size_t c = 0; c + 1 < scheme->count; c++)
        rest_ns -= part.ns[c];
    if (lacks_times)
        part.window_ns -= rest_ns;
    else
        part.ns[scheme->count - 1] = rest_ns;
    breakdown_add(sum, &part);
}

// Returns the mean. Every category is rounded down and the last one gets the rest, so that the
// parts still add up.
static struct breakdown breakdown_mean(const struct breakdown_scheme *scheme,
                                       const struct breakdown *sum, int64_t count)
{
    struct breakdown mean = {0};
    if (count == 0)
        return mean;
    mean.window_ns = sum->window_ns / count;
    int64_t rest_ns = mean.window_ns;
    for (size_t c = 0; c + 1 < scheme->count; c++) {
        mean.ns[c] = sum->ns[c] / count;
        rest_ns -= mean.ns[c];
    }
    mean.ns[scheme->count - 1] = rest_ns;
    return mean;
}

// ---- devices ------------------------------------------------------------------------------------

struct device_breakdowns {
    bool counts;
    // all time, inside iterations or not; without a window it is the sum of the iterations
    struct breakdown whole;
    struct breakdown *iterations; // split->count
};

struct measure_context {
    const struct profile *profile;
    const struct selection *selection;
    const struct scheme_rules *rules;
    const void *shared; // result of rules->shared()
    struct device_breakdowns *parts;
};

// Number of slots that are measured: one per device, or one empty slot for a file without devices,
// which still has a host.
static uint32_t slot_count(const struct profile *profile)
{
    return profile->device_count ? profile->device_count : 1;
}

static uint32_t slot_device(const struct profile *profile, uint32_t slot)
{
    return slot < profile->device_count ? slot : ROW_NONE;
}

// Measures one slot. The activity line is large, so it is allocated in `scratch`.
static void measure_slot(void *context, size_t slot, struct arena *scratch)
{
    const struct measure_context *measuring = context;
    const struct profile *profile = measuring->profile;
    const struct selection *selection = measuring->selection;
    const struct scheme_rules *rules = measuring->rules;
    struct device_breakdowns *parts = &measuring->parts[slot];
    uint32_t device = slot_device(profile, (uint32_t)slot);
    if (!parts->counts)
        return;
    struct cover cover = rules->cover(profile, selection, device, measuring->shared, scratch);
    breakdown_window(rules->scheme, &cover, rules->window(profile, selection, device, ROW_NONE),
                     profile->lacks_times, &parts->whole);
    for (uint32_t i = 0; i < selection->split->count; i++)
        breakdown_window(rules->scheme, &cover, rules->window(profile, selection, device, i),
                         profile->lacks_times, &parts->iterations[i]);
}

// Measures all selected devices.
static struct device_breakdowns *measure(const struct profile *profile,
                                         const struct selection *selection,
                                         const struct scheme_rules *rules, struct arena *arena)
{
    uint32_t count = slot_count(profile);
    struct measure_context measuring = {.profile = profile, .selection = selection, .rules = rules};
    measuring.parts = ARENA_ARRAY(arena, struct device_breakdowns, count);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t device = slot_device(profile, k);
        struct device_breakdowns *parts = &measuring.parts[k];
        parts->counts = (selection->device == ROW_NONE || selection->device == device) &&
                        rules->counts(profile, selection, device);
        if (parts->counts)
            parts->iterations =
                ARENA_ARRAY(arena, struct breakdown, (size_t)selection->split->count + 1);
    }
    if (rules->shared)
        measuring.shared = rules->shared(profile, arena);
    scratch_jobs(arena, profile->workers, count, measure_slot, &measuring);
    return measuring.parts;
}

static void *make_gpu(const struct profile *profile, const struct selection *selection,
                      struct arena *arena)
{
    return measure(profile, selection, &breakdown_gpu_rules, arena);
}

static void *make_dlprof(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    return measure(profile, selection, &breakdown_dlprof_rules, arena);
}

static const struct memo_kind gpu_memo = {.fields = MEMO_PROCESS, .make = make_gpu};
static const struct memo_kind dlprof_memo = {.fields = MEMO_PROCESS, .make = make_dlprof};

// Sums of the measured devices.
struct device_sweep {
    const struct profile *profile;
    const struct selection *selection;
    const struct scheme_rules *rules;
    struct breakdown *devices;    // by device, or NULL
    struct breakdown *iterations; // sums over devices by iteration, or NULL
    int64_t *iteration_devices;   // number of devices in each sum
    struct breakdown total;       // sum over devices
    int64_t total_devices;
};

static struct breakdown device_total(const struct device_sweep *sweep,
                                     const struct device_breakdowns *parts)
{
    const struct selection *selection = sweep->selection;
    struct breakdown sum = {0};
    if (!selection->iterations && parts->whole.window_ns > 0)
        return parts->whole;
    for (uint32_t i = 0; i < selection->split->count; i++)
        if (selection_has_iteration(selection, i))
            breakdown_add(&sum, &parts->iterations[i]);
    return sum;
}

static void device_add(struct device_sweep *sweep, const struct device_breakdowns *parts,
                       uint32_t device)
{
    for (uint32_t i = 0; sweep->iterations && i < sweep->selection->split->count; i++) {
        sweep->iteration_devices[i] += parts->iterations[i].window_ns > 0;
        breakdown_add(&sweep->iterations[i], &parts->iterations[i]);
    }
    if (sweep->iterations)
        return;
    struct breakdown part = device_total(sweep, parts);
    sweep->total_devices += part.window_ns > 0;
    breakdown_add(&sweep->total, &part);
    if (sweep->devices && device != ROW_NONE)
        sweep->devices[device] = part;
}

// Adds the measured slots of the selected devices, from the memo or measured now.
static void add_slots(void *context, struct arena *scratch)
{
    struct device_sweep *sweep = context;
    const struct selection *selection = sweep->selection;
    const struct memo_kind *kind =
        sweep->rules == &breakdown_dlprof_rules ? &dlprof_memo : &gpu_memo;
    const struct device_breakdowns *parts = memo_get(kind, sweep->profile, selection, scratch);
    if (!parts)
        parts = measure(sweep->profile, selection, sweep->rules, scratch);
    for (uint32_t k = 0; k < slot_count(sweep->profile); k++) {
        uint32_t device = slot_device(sweep->profile, k);
        if (parts[k].counts && (selection->device == ROW_NONE || device == selection->device))
            device_add(sweep, &parts[k], device);
    }
}

// ---- public functions ---------------------------------------------------------------------------

struct breakdown *breakdown_devices(const struct profile *profile,
                                    const struct selection *selection,
                                    const struct breakdown_scheme *scheme, struct arena *arena)
{
    struct device_sweep sweep = {
        .profile = profile, .selection = selection, .rules = rules_of(scheme)};
    sweep.devices = ARENA_ARRAY(arena, struct breakdown, (size_t)profile->device_count + 1);
    scratch_run(arena, add_slots, &sweep);
    return sweep.devices;
}

struct breakdown breakdown_total(const struct profile *profile, const struct selection *selection,
                                 const struct breakdown_scheme *scheme, struct arena *arena)
{
    struct device_sweep sweep = {
        .profile = profile, .selection = selection, .rules = rules_of(scheme)};
    scratch_run(arena, add_slots, &sweep);
    return breakdown_mean(scheme, &sweep.total, sweep.total_devices);
}

struct breakdown *breakdown_iterations(const struct profile *profile,
                                       const struct selection *selection,
                                       const struct breakdown_scheme *scheme, struct arena *arena)
{
    uint32_t count = selection->split->count;
    struct device_sweep sweep = {
        .profile = profile, .selection = selection, .rules = rules_of(scheme)};
    sweep.iterations = ARENA_ARRAY(arena, struct breakdown, (size_t)count + 1);
    sweep.iteration_devices = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    scratch_run(arena, add_slots, &sweep);
    for (uint32_t i = 0; i < count; i++)
        sweep.iterations[i] =
            breakdown_mean(scheme, &sweep.iterations[i], sweep.iteration_devices[i]);
    return sweep.iterations;
}

// ---- widths in characters -----------------------------------------------------------------------

void breakdown_cells(const struct breakdown *breakdown, size_t categories, unsigned width,
                     unsigned *cells)
{
    struct cell_share shares[MAX_BREAKDOWN_CATEGORIES];
    for (size_t c = 0; c < categories; c++)
        shares[c].ns = breakdown->ns[c];
    cells_distribute(shares, categories, breakdown->window_ns, width);
    for (size_t c = 0; c < categories; c++)
        cells[c] = shares[c].cells;
}
