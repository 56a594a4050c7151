// SPDX-License-Identifier: Apache-2.0
#include "analysis/breakdown.h"

#include <stdbool.h>

#include "analysis/breakdown_scheme.h"
#include "model/scratch.h"

static const struct scheme_rules *rules_of(const struct breakdown_scheme *scheme)
{
    return scheme == &breakdown_dlprof ? &breakdown_dlprof_rules : &breakdown_gpu_rules;
}

static void breakdown_add(struct breakdown *sum, const struct breakdown *part)
{
    sum->window_ns += part->window_ns;
    for (int c = 0; c < BREAKDOWN_MAX; c++)
        sum->ns[c] += part->ns[c];
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

// One sweep over all devices; time lines are large and live in scratch, one at a time.
struct sweep {
    const struct profile *profile;
    const struct selection *selection;
    const struct scheme_rules *rules;
    struct breakdown *devices;    // by device, or NULL
    struct breakdown *iterations; // sums over devices, or NULL
    int64_t *iteration_devices;   // how many of them
    struct breakdown total;       // sum over devices
    int64_t total_devices;
};

static bool device_counts(const struct sweep *sweep, uint32_t device)
{
    return (sweep->selection->device == ROW_NONE || device == sweep->selection->device) &&
           sweep->rules->counts(sweep->profile, sweep->selection, device);
}

static struct breakdown device_total(const struct sweep *sweep, const struct cover *cover,
                                     uint32_t device)
{
    const struct selection *selection = sweep->selection;
    const struct scheme_rules *rules = sweep->rules;
    struct breakdown sum = {0};
    if (!selection->iterations) {
        struct window all = rules->window(sweep->profile, selection, device, ROW_NONE);
        breakdown_window(rules->scheme, cover, all, &sum);
        if (all.to > all.from)
            return sum;
    }
    for (uint32_t i = 0; i < selection->split->count; i++)
        if (selection_has_iteration(selection, i))
            breakdown_window(rules->scheme, cover,
                             rules->window(sweep->profile, selection, device, i), &sum);
    return sum;
}

static void device_iterations(struct sweep *sweep, const struct cover *cover, uint32_t device)
{
    for (uint32_t i = 0; i < sweep->selection->split->count; i++) {
        struct breakdown part = {0};
        breakdown_window(sweep->rules->scheme, cover,
                         sweep->rules->window(sweep->profile, sweep->selection, device, i), &part);
        sweep->iteration_devices[i] += part.window_ns > 0;
        breakdown_add(&sweep->iterations[i], &part);
    }
}

static void sweep_body(void *context, struct arena *scratch)
{
    struct sweep *sweep = context;
    uint32_t count = sweep->profile->device_count;
    // A file that lists no device still has a host: it stands as one device without work.
    for (uint32_t k = 0; k < (count ? count : 1); k++) {
        uint32_t device = k < count ? k : ROW_NONE;
        if (!device_counts(sweep, device))
            continue;
        struct cover cover = sweep->rules->cover(sweep->profile, sweep->selection, device, scratch);
        if (sweep->iterations) {
            device_iterations(sweep, &cover, device);
        } else {
            struct breakdown part = device_total(sweep, &cover, device);
            sweep->total_devices += part.window_ns > 0;
            breakdown_add(&sweep->total, &part);
            if (sweep->devices && device != ROW_NONE)
                sweep->devices[device] = part;
        }
        arena_reset(scratch);
    }
}

// ---- the contract ------------------------------------------------------------------------------

struct breakdown *breakdown_devices(const struct profile *profile,
                                    const struct selection *selection,
                                    const struct breakdown_scheme *scheme, struct arena *arena)
{
    struct sweep sweep = {.profile = profile, .selection = selection, .rules = rules_of(scheme)};
    sweep.devices = ARENA_ARRAY(arena, struct breakdown, (size_t)profile->device_count + 1);
    scratch_run(arena, sweep_body, &sweep);
    return sweep.devices;
}

struct breakdown breakdown_total(const struct profile *profile, const struct selection *selection,
                                 const struct breakdown_scheme *scheme, struct arena *arena)
{
    struct sweep sweep = {.profile = profile, .selection = selection, .rules = rules_of(scheme)};
    scratch_run(arena, sweep_body, &sweep);
    return breakdown_mean(scheme, &sweep.total, sweep.total_devices);
}

struct breakdown *breakdown_iterations(const struct profile *profile,
                                       const struct selection *selection,
                                       const struct breakdown_scheme *scheme, struct arena *arena)
{
    uint32_t count = selection->split->count;
    struct sweep sweep = {.profile = profile, .selection = selection, .rules = rules_of(scheme)};
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
    double rest[BREAKDOWN_MAX] = {0};
    unsigned used = 0;
    for (size_t c = 0; c < categories; c++) {
        double exact = breakdown_share(breakdown, breakdown->ns[c]) * width;
        cells[c] = (unsigned)exact;
        rest[c] = exact - cells[c];
        used += cells[c];
    }
    // Nothing to share out: all of it is what is left.
    if (breakdown->window_ns <= 0 && categories)
        rest[categories - 1] = 1;
    for (; used < width && categories; used++) {
        size_t most = 0;
        for (size_t c = 1; c < categories; c++)
            if (rest[c] > rest[most])
                most = c;
        cells[most]++;
        if (breakdown->window_ns > 0)
            rest[most] = -1;
    }
}
