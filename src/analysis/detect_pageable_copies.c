// SPDX-License-Identifier: Apache-2.0
// Copies from pageable memory in the step: their calls block the host until they are done.
#include "analysis/detect_list.h"
#include "analysis/detect_tools.h"
#include "analysis/step.h"
#include "base/format.h"
#include "model/copy_kinds.h"
#include "model/id_map.h"

enum {
    LATENCY_NS = 20000,  // of a launch, at most
    STAGED_NS = 100000,  // a call ends when the last piece lies in the driver's own memory
    STAGED_BYTES = 65536 // up to here the driver keeps a copy of its own and does not wait
};

enum group { GROUP_COPY, GROUP_IDLE, GROUP_COUNT };

struct blocking {
    struct step *step;
    int64_t *per_node;
    int64_t first_kernel; // of the GPU
    struct id_map later;  // sizes of copies after it
    int64_t called_ns;    // in the calls of the copies
    int64_t loading_ns;   // of copies before the first kernel
    uint32_t count, last; // copies; the latest one
    uint32_t function;    // of most of them
    int64_t bytes;
};

static struct id_key size_key(const struct profile *profile, uint32_t work)
{
    return (struct id_key){(uint64_t)profile->work.bytes[work], 0, 0};
}

// The call that waited for a copy from pageable memory, or ROW_NONE.
static uint32_t blocking_call(const struct profile *profile, uint32_t work)
{
    const struct copy *copy = detect_upload(profile, work);
    uint32_t call = copy ? profile->work.launch[work] : ROW_NONE;
    if (call == ROW_NONE || copy->src_kind != MEMORY_PAGEABLE ||
        (profile->work.bytes && profile->work.bytes[work] <= STAGED_BYTES))
        return ROW_NONE;
    return profile->api.end[call] >= profile->work.end[work] - STAGED_NS ? call : ROW_NONE;
}

// Where the GPU computes for the first time, and the sizes of what is copied later.
static void find_later(struct blocking *blocking)
{
    const struct profile *profile = blocking->step->profile;
    const struct device *device = &profile->devices[blocking->step->device];
    blocking->first_kernel = INT64_MAX;
    blocking->later.arena = blocking->step->scratch;
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        if (blocking->first_kernel == INT64_MAX &&
            profile->functions[profile->work.function[w]].class == CLASS_COMPUTE)
            blocking->first_kernel = profile->work.start[w];
        if (profile->work.start[w] > blocking->first_kernel && profile->work.bytes &&
            blocking_call(profile, w) != ROW_NONE)
            *id_map_slot(&blocking->later, size_key(profile, w)) = 1;
    }
}

// Whether a copy loads, once, what the program works on. What comes again is none.
static bool is_loading(const struct blocking *blocking, uint32_t work)
{
    const struct profile *profile = blocking->step->profile;
    return !blocking->step->has_steps && profile->work.start[work] < blocking->first_kernel &&
           (!profile->work.bytes ||
            id_map_get(&blocking->later, size_key(profile, work)) == UINT32_MAX);
}

static void want_copy(struct blocking *blocking, const struct stretch *stretch, uint32_t call)
{
    struct step *step = blocking->step;
    const struct profile *profile = step->profile;
    const struct gpu_work *work = &profile->work;
    if (is_loading(blocking, stretch->work)) {
        blocking->loading_ns += stretch->to - stretch->from;
        return;
    }
    if (stretch->work != blocking->last) {
        blocking->called_ns += profile->api.end[call] - profile->api.start[call];
        blocking->count++;
        int64_t bytes = work->bytes ? work->bytes[stretch->work] : 0;
        if (__builtin_add_overflow(blocking->bytes, bytes, &blocking->bytes))
            blocking->bytes = INT64_MAX;
    }
    blocking->last = stretch->work;
    blocking->function = work->function[stretch->work];
    uint32_t node = selection_layer_node(profile, step->selection, stretch->work);
    blocking->per_node[node] += stretch->to - stretch->from;
    claims_want(&step->claims, stretch->from, stretch->to, GROUP_COPY, stretch->window);
}

// Wants the copies that nothing hides, and the idle time after them in which the host is late: it
// would be ahead by what it waited.
static void want_blocking(struct blocking *blocking)
{
    struct step *step = blocking->step;
    const struct profile *profile = step->profile;
    const struct api_calls *api = &profile->api;
    uint32_t window = ROW_NONE; // that held up the host
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        uint32_t row = stretch->work == ROW_NONE ? stretch->next : stretch->work;
        uint32_t call = blocking_call(profile, row), launch = profile->work.launch[row];
        if (stretch->work != ROW_NONE) {
            if (call != ROW_NONE) {
                want_copy(blocking, stretch, call);
                window = blocking->last != ROW_NONE ? stretch->window : window;
            }
            continue;
        }
        if (launch == ROW_NONE || stretch->window != window || api->start[launch] < stretch->from)
            continue;
        int64_t latency = stretch->to - api->start[launch];
        latency = latency < LATENCY_NS ? latency : LATENCY_NS;
        if (latency >= 0)
            claims_want(&step->claims, stretch->from, stretch->to - latency, GROUP_IDLE,
                        stretch->window);
    }
}

// Without the calls the host is ahead by what it waited in them, and by no more.
static int64_t limit_idle(struct blocking *blocking)
{
    struct claims *claims = &blocking->step->claims;
    int64_t sums[GROUP_COUNT] = {0};
    claims_measure(claims);
    for (size_t i = 0; i < claims->count; i++)
        sums[claims->items[i].group] += claims->items[i].free_ns;
    int64_t room = blocking->called_ns - sums[GROUP_COPY];
    double parts[GROUP_COUNT] = {1, 1};
    if (sums[GROUP_IDLE] > room)
        parts[GROUP_IDLE] = room > 0 ? (double)room / (double)sums[GROUP_IDLE] : 0;
    claims_scale(claims, parts);
    return claims_measure(claims);
}

static void note_loading(struct blocking *blocking, struct finding_list *findings)
{
    struct step *step = blocking->step;
    if (step_share(step, blocking->loading_ns) <= expert_threshold("pageable_copies.loading"))
        return;
    struct finding *note = finding_add(findings, &detect_pageable_copies, SEVERITY_NOTE);
    note->problem = arena_format(
        step->arena,
        "Before the first kernel, %s (%.1f%%) go into copies from pageable memory: the "
        "program loads what it works on",
        step_duration(step, blocking->loading_ns), 100 * step_share(step, blocking->loading_ns));
    note->recommendation = "Leave the loading out of what is captured and judged "
                           "(--capture-range=cudaProfilerApi); it happens once";
    note->opens = "memory";
    note->evidence = *step->selection;
}

static void pageable_copies(struct step *step, struct finding_list *findings)
{
    struct blocking blocking = {.step = step, .per_node = step_node_sums(step), .last = ROW_NONE};
    find_later(&blocking);
    want_blocking(&blocking);
    int64_t gain = limit_idle(&blocking), copying = 0;
    for (size_t i = 0; i < step->claims.count; i++)
        if (step->claims.items[i].group == GROUP_COPY)
            copying += step->claims.items[i].free_ns;
    bool recurs = step->has_steps || blocking.count >= expert_threshold("pageable_copies.copies");
    bool speaks = recurs && step_share(step, gain) > expert_threshold("pageable_copies.share");
    struct finding *finding =
        speaks ? step_finding(step, findings, &detect_pageable_copies, gain,
                              step->has_steps ? CERTAINTY_CERTAIN : CERTAINTY_LIKELY)
               : NULL;
    claims_take(&step->claims, (bool[GROUP_COUNT]){finding != NULL, finding != NULL});
    note_loading(&blocking, findings);
    if (!finding)
        return;
    char size[FORMAT_SIZE];
    finding->place = step_node_text(step, step_place(step, blocking.per_node));
    finding->problem = arena_format(
        step->arena, "Copies from pageable memory block the host: %s %s of copying and of waiting",
        step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Copy from pinned memory and without blocking (pin_memory=True in the loader, "
        ".to(device, non_blocking=True)), on a stream of its own one batch ahead: then kernels run "
        "beside it and the host goes on launching";
    finding->why = arena_format(
        step->arena,
        "%u copies, %s in all, of memory that is not pinned: each call lasts until its copy is "
        "done, %s %s in all. Counted: %s of copies with no kernel beside them, and %s with an "
        "empty queue after them, both together at most the time in the calls: without them the "
        "host is ahead by that",
        blocking.count, format_bytes(size, blocking.bytes), step_duration(step, blocking.called_ns),
        step_unit(step), step_duration(step, copying), step_duration(step, gain - copying));
    finding->opens = "launches";
    finding->evidence.function = blocking.function;
    finding->evidence.device = step->device;
}

const struct detector detect_pageable_copies = {
    .id = "pageable_copies",
    .title = "copies from pageable memory block the host",
    .doc = "Copies of more than 64 KiB from pageable memory to the GPU whose calls last until they "
           "are done take more than pageable_copies.share of the step: with no kernel beside them, "
           "or with the GPU idle afterwards in the same step because the host is late. Where no "
           "steps are found there must be pageable_copies.copies of them; those before the first "
           "kernel whose sizes do not come again are the loading of the program, above "
           "pageable_copies.loading a note. Bound: that time, at most the time in the calls.",
    .claim = pageable_copies,
};
