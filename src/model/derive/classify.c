// SPDX-License-Identifier: Apache-2.0
// Classifies GPU work by names and times: class, family and Tensor Core use of functions, and the
// role of each stream.
#include <string.h>

#include "base/id_map.h"
#include "base/scratch.h"
#include "model/derive/derive.h"
#include "model/ops/ops.h"
#include "model/profile/copy_kinds.h"
#include "model/profile/ranks.h"
#include "model/rules/kernel_canonical.h"
#include "model/rules/rules.h"

// Two limits that are equal: a stream runs kernels if at least this share of its rows are kernels;
// a compute stream is a side stream if it computes for less than this share of the time of the
// busiest compute stream of its device.
static const double side_share = 0.1;

static void classify_others(const struct profile *profile, struct function *function)
{
    function->family = function->full != STRING_NONE ? function->full : function->brief;
    function->dlprof_tensor_core = false;
    if (function->kind == WORK_GRAPH) { // its content is not recorded
        function->class = CLASS_GRAPH;
        function->tensor_core = STATE_UNKNOWN;
        return;
    }
    function->tensor_core = STATE_NO;
    // Copies between GPUs are made by copy engines for collectives and pipelines.
    bool is_peer = strstr(profile_text(profile, function->full), "PtoP") != NULL;
    function->class = is_peer ? CLASS_COMM : CLASS_COPY;
}

static void set_alike_name(struct profile *profile, struct function *function)
{
    char alike[KERNEL_CANONICAL_SIZE];
    const struct strings *strings = profile->strings;
    size_t length =
        kernel_name_canonical(strings_text(strings, function->full),
                              strings_length(strings, function->full), alike, sizeof alike);
    function->alike = strings_intern(profile->strings, alike, length);
}

static void classify_functions(struct profile *profile)
{
    rules_classify_all(rules_get(), profile);
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct function *function = &profile->functions[i];
        const char *name = profile_text(profile, function->full);
        function->is_paired =
            function->kind != WORK_KERNEL || strstr(name, "Send") || strstr(name, "Recv");
        function->alike = function->full;
        if (function->kind == WORK_KERNEL)
            set_alike_name(profile, function);
        else
            classify_others(profile, function);
        if (function->family == STRING_NONE)
            function->family = strings_intern_text(profile->strings, "(no name)");
    }
    for (uint32_t w = 0; HAS(profile->work.collective) && w < profile->work.count; w++)
        if (AT(profile->work.collective, w) != ROW_NONE)
            profile->functions[AT(profile->work.function, w)].class = CLASS_COMM;
}

static enum stream_role work_role(const struct profile *profile, uint32_t work)
{
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    if (function->class == CLASS_COMM)
        return ROLE_COMM;
    if (function->kind != WORK_MEMCPY)
        return function->kind == WORK_MEMSET ? ROLE_SIDE : ROLE_COMPUTE;
    const struct copy *copy = work_copy(profile, work);
    switch (copy ? copy->copy_kind : COPY_UNKNOWN) {
    case COPY_HTOD:
    case COPY_UNIFIED_HTOD:
        return ROLE_H2D;
    case COPY_DTOH:
    case COPY_UNIFIED_DTOH:
        return ROLE_D2H;
    case COPY_PTOP:
        return ROLE_COMM;
    default:
        return ROLE_SIDE;
    }
}

struct stream_use {
    double ns[ROLE_COUNT];
    uint32_t rows, kernel_rows; // kernels and graphs, including communication
};

// Returns the role by what the stream mostly runs. If it runs kernels, its copies do not matter,
// however long they take.
static enum stream_role main_role(const struct stream_use *use)
{
    bool is_for_kernels =
        use->kernel_rows > 0 && (double)use->kernel_rows >= side_share * (double)use->rows;
    enum stream_role role = is_for_kernels ? ROLE_COMPUTE : ROLE_SIDE;
    for (int other = 0; other < ROLE_COUNT; other++) {
        bool is_kernel_role = other == ROLE_COMPUTE || other == ROLE_COMM;
        if ((is_kernel_role || !is_for_kernels) && use->ns[other] > use->ns[role])
            role = (enum stream_role)other;
    }
    return role;
}

static void classify_streams(struct profile *profile)
{
    uint32_t count = profile->stream_count;
    struct stream_use *uses = ARENA_ARRAY(profile->arena, struct stream_use, count + 1);
    for (uint32_t i = 0; i < profile->work.count; i++) {
        struct stream_use *use = &uses[AT(profile->work.stream, i)];
        enum work_kind kind = profile->functions[AT(profile->work.function, i)].kind;
        double ns = (double)(AT(profile->work.end, i) - AT(profile->work.start, i));
        use->ns[work_role(profile, i)] += ns;
        use->rows++;
        use->kernel_rows += kind == WORK_KERNEL || kind == WORK_GRAPH;
    }
    // Compute time of the busiest compute stream of each device.
    double *busiest = ARENA_ARRAY(profile->arena, double, profile->device_count + 1);
    for (uint32_t s = 0; s < count; s++) {
        double *most = &busiest[profile->streams[s].device];
        if (uses[s].ns[ROLE_COMPUTE] > *most)
            *most = uses[s].ns[ROLE_COMPUTE];
    }
    for (uint32_t s = 0; s < count; s++) {
        struct stream *stream = &profile->streams[s];
        stream->role = main_role(&uses[s]);
        double share = busiest[stream->device] * side_share;
        if (stream->role == ROLE_COMPUTE && uses[s].ns[ROLE_COMPUTE] < share)
            stream->role = ROLE_SIDE;
    }
}

static void classify_processes(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    struct id_map seen = {.arena = scratch}; // (process, device)
    uint32_t *gpus = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->process_count + 1);
    for (uint32_t s = 0; s < profile->stream_count; s++) {
        const struct stream *stream = &profile->streams[s];
        uint32_t *slot = id_map_slot(&seen, (struct id_key){stream->process, stream->device, 0});
        gpus[stream->process] += !*slot;
        *slot = 1;
        profile->processes[stream->process].device = stream->device;
    }
    for (uint32_t p = 0; p < profile->process_count; p++)
        profile->processes[p].gpus = gpus[p];
    processes_prepare_labels(profile, scratch);
}

void profile_classify(struct profile *profile)
{
    classify_functions(profile);
    classify_streams(profile);
    scratch_run(profile->arena, classify_processes, profile);
}

static void *copied(struct arena *arena, const void *rows, size_t count, size_t size)
{
    void *copy = arena_alloc(arena, count + 1, size);
    return count ? memcpy(copy, rows, count * size) : copy;
}

// Repeats what depends on rules: functions, and with them streams and exclusive times; places of
// calls; which ops are eligible for Tensor Cores.
struct profile *profile_reclassify(const struct profile *profile, struct arena *arena)
{
    struct profile *reclassified = ARENA_NEW(arena, struct profile);
    *reclassified = *profile;
    reclassified->functions =
        copied(arena, profile->functions, profile->function_count, sizeof *profile->functions);
    reclassified->streams =
        copied(arena, profile->streams, profile->stream_count, sizeof *profile->streams);
    profile_classify(reclassified);
    reclassified->arena =
        arena; // exclusive times are large and last until the next change of rules
    profile_link_work(reclassified);
    profile_place_calls(reclassified);
    reclassified->arena = profile->arena;
    if (!profile->ops)
        return reclassified;
    struct ops *ops = ARENA_NEW(arena, struct ops);
    *ops = *profile->ops;
    ops->items = copied(arena, ops->items, ops->count, sizeof *ops->items);
    for (uint32_t i = 0; i < ops->count; i++)
        if (!ops->items[i].is_unassociated && !ops->items[i].is_told)
            ops->items[i].tensor_core_eligible =
                rules_op_eligible(rules_get(), profile_text(profile, ops->items[i].type));
    reclassified->ops = ops;
    return reclassified;
}
