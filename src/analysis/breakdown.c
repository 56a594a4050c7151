// SPDX-License-Identifier: Apache-2.0
#include "analysis/breakdown.h"

#include <stdbool.h>

#include "analysis/breakdown_scheme.h"
#include "analysis/memo.h"
#include "base/cells.h"
#include "base/sums.h"
#include "model/scratch.h"

static const struct scheme_rules *rules_of(const struct breakdown_scheme *scheme)
{
    return scheme == &breakdown_dlprof ? &breakdown_dlprof_rules : &breakdown_gpu_rules;
}

static void breakdown_add(struct breakdown *sum, const struct breakdown *part)
{
    sum->window_ns = sum_capped(sum->window_ns, part->window_ns);
    for (int c = 0; c < BREAKDOWN_MAX; c++)
        sum->ns[c] = sum_capped(sum->ns[c], part->ns[c]);
}

static void breakdown_window(const struct breakdown_scheme *scheme, const struct cover *cover,
                             struct window window, struct breakdown *sum)
{
    if (window.to <= window.from)
        return;
    struct breakdown part = {.window_ns = window.to - window.from};
    cover_add(cover, window.from, window.to, part.ns);
    int64_t left = part.window_ns;
    for (size_t c = 0; c + 1 < scheme->count; c++)
        left -= part.ns[c];
    part.ns[scheme->count - 1] = left;
    breakdown_add(sum, &part);
}

// Rounds every category down and gives the rest to the last, so that the parts still add up.
static struct breakdown breakdown_mean(const struct breakdown_scheme *scheme,
                                       const struct breakdown *sum, int64_t count)
{
    struct breakdown mean = {0};
    if (count == 0)
        return mean;
    mean.window_ns = sum->window_ns / count;
    int64_t left = mean.window_ns;
    for (size_t c = 0; c + 1 < scheme->count; c++) {
        mean.ns[c] = sum->ns[c] / count;
        left -= mean.ns[c];
    }
    mean.ns[scheme->count - 1] = left;
    return mean;
}

// ---- the devices -------------------------------------------------------------------------------

struct device_parts {
    bool counts;
    struct breakdown all; // of everything, iterations or not; no window: it is made of these
    struct breakdown *iterations; // split->count
};

// Time lines are large: they live in `scratch`.
static struct device_parts device_measure(const struct profile *profile,
                                          const struct selection *selection,
                                          const struct scheme_rules *rules, uint32_t device,
                                          const void *shared, struct arena *arena,
                                          struct arena *scratch)
{
    struct device_parts parts = {.counts = rules->counts(profile, selection, device)};
    uint32_t count = selection->split->count;
    if (!parts.counts)
        return parts;
    struct cover cover = rules->cover(profile, selection, device, shared, scratch);
    parts.iterations = ARENA_ARRAY(arena, struct breakdown, (size_t)count + 1);
    breakdown_window(rules->scheme, &cover, rules->window(profile, selection, device, ROW_NONE),
                     &parts.all);
    for (uint32_t i = 0; i < count; i++)
        breakdown_window(rules->scheme, &cover, rules->window(profile, selection, device, i),
                         &parts.iterations[i]);
    return parts;
}

// One sweep over all devices, one time line at a time.
struct sweep {
    const struct profile *profile;
    const struct selection *selection;
    const struct scheme_rules *rules;
    const void *shared;           // by all devices, as the rules have it
    struct device_parts *parts;   // by device: of each; NULL: the sums below are made
    struct arena *arena;          // of parts and of what is shared
    struct breakdown *devices;    // by device, or NULL
    struct breakdown *iterations; // sums over devices, or NULL
    int64_t *iteration_devices;   // how many of them
    struct breakdown total;       // sum over devices
    int64_t total_devices;
};

// Before devices are measured, not where what is kept is added up.
static void sweep_share(struct sweep *sweep)
{
    if (sweep->rules->shared)
        sweep->shared = sweep->rules->shared(sweep->profile, sweep->arena);
}

// A file that lists no device still has a host: it stands as one device without work.
static uint32_t stand_count(const struct profile *profile)
{
    return profile->device_count ? profile->device_count : 1;
}

static uint32_t stand_device(const struct profile *profile, uint32_t stand)
{
    return stand < profile->device_count ? stand : ROW_NONE;
}

static void keep_body(void *context, struct arena *scratch)
{
    struct sweep *sweep = context;
    sweep_share(sweep);
    for (uint32_t k = 0; k < stand_count(sweep->profile); k++) {
        sweep->parts[k] =
            device_measure(sweep->profile, sweep->selection, sweep->rules,
                           stand_device(sweep->profile, k), sweep->shared, sweep->arena, scratch);
        arena_reset(scratch);
    }
}

static void *keep(const struct profile *profile, const struct selection *selection,
                  const struct scheme_rules *rules, struct arena *arena)
{
    struct sweep sweep = {
        .profile = profile, .selection = selection, .rules = rules, .arena = arena};
    sweep.parts = ARENA_ARRAY(arena, struct device_parts, stand_count(profile));
    scratch_run(arena, keep_body, &sweep);
    return sweep.parts;
}

static void *keep_gpu(const struct profile *profile, const struct selection *selection,
                      struct arena *arena)
{
    return keep(profile, selection, &breakdown_gpu_rules, arena);
}

static void *keep_dlprof(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    return keep(profile, selection, &breakdown_dlprof_rules, arena);
}

static const struct memo_kind kept_gpu = {.fields = MEMO_PROCESS, .make = keep_gpu};
static const struct memo_kind kept_dlprof = {.fields = MEMO_PROCESS, .make = keep_dlprof};

static struct breakdown device_total(const struct sweep *sweep, const struct device_parts *parts)
{
    const struct selection *selection = sweep->selection;
    struct breakdown sum = {0};
    if (!selection->iterations && parts->all.window_ns > 0)
        return parts->all;
    for (uint32_t i = 0; i < selection->split->count; i++)
        if (selection_has_iteration(selection, i))
            breakdown_add(&sum, &parts->iterations[i]);
    return sum;
}

static void device_add(struct sweep *sweep, const struct device_parts *parts, uint32_t device)
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

static void sweep_body(void *context, struct arena *scratch)
{
    struct sweep *sweep = context;
    const struct selection *selection = sweep->selection;
    const struct memo_kind *kind =
        sweep->rules == &breakdown_dlprof_rules ? &kept_dlprof : &kept_gpu;
    const struct device_parts *kept = memo_get(kind, sweep->profile, selection, scratch);
    if (!kept)
        sweep_share(sweep);
    for (uint32_t k = 0; k < stand_count(sweep->profile); k++) {
        uint32_t device = stand_device(sweep->profile, k);
        if (selection->device != ROW_NONE && device != selection->device)
            continue;
        struct device_parts own = kept ? kept[k]
                                       : device_measure(sweep->profile, selection, sweep->rules,
                                                        device, sweep->shared, scratch, scratch);
        if (own.counts)
            device_add(sweep, &own, device);
        if (!kept)
            arena_reset(scratch);
    }
}

// ---- the contract ------------------------------------------------------------------------------

struct breakdown *breakdown_devices(const struct profile *profile,
                                    const struct selection *selection,
                                    const struct breakdown_scheme *scheme, struct arena *arena)
{
    struct sweep sweep = {
        .profile = profile, .selection = selection, .rules = rules_of(scheme), .arena = arena};
    sweep.devices = ARENA_ARRAY(arena, struct breakdown, (size_t)profile->device_count + 1);
    scratch_run(arena, sweep_body, &sweep);
    return sweep.devices;
}

struct breakdown breakdown_total(const struct profile *profile, const struct selection *selection,
                                 const struct breakdown_scheme *scheme, struct arena *arena)
{
    struct sweep sweep = {
        .profile = profile, .selection = selection, .rules = rules_of(scheme), .arena = arena};
    scratch_run(arena, sweep_body, &sweep);
    return breakdown_mean(scheme, &sweep.total, sweep.total_devices);
}

struct breakdown *breakdown_iterations(const struct profile *profile,
                                       const struct selection *selection,
                                       const struct breakdown_scheme *scheme, struct arena *arena)
{
    uint32_t count = selection->split->count;
    struct sweep sweep = {
        .profile = profile, .selection = selection, .rules = rules_of(scheme), .arena = arena};
    sweep.iterations = ARENA_ARRAY(arena, struct breakdown, (size_t)count + 1);
    sweep.iteration_devices = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    scratch_run(arena, sweep_body, &sweep);
    for (uint32_t i = 0; i < count; i++)
        sweep.iterations[i] =
            breakdown_mean(scheme, &sweep.iterations[i], sweep.iteration_devices[i]);
    return sweep.iterations;
}

// ---- cells --------------------------------------------------------------------------------------

void breakdown_cells(const struct breakdown *breakdown, size_t categories, unsigned width,
                     unsigned *cells)
{
    struct cell_share shares[BREAKDOWN_MAX];
    for (size_t c = 0; c < categories; c++)
        shares[c].ns = breakdown->ns[c];
    cells_share(shares, categories, breakdown->window_ns, width);
    for (size_t c = 0; c < categories; c++)
        cells[c] = shares[c].cells;
}
