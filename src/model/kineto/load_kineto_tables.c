// SPDX-License-Identifier: Apache-2.0
// Converts the records of a trace to the tables of a profile.
#include <string.h>

#include "base/sort.h"
#include "model/derive/derive.h"
#include "model/kineto/load_kineto.h"
#include "model/profile/records.h"
#include "model/profile/sync_types.h"

// ---- processes, threads ------------------------------------------------------------------------

static string_id name_of(const struct kineto *kineto, bool is_thread, int64_t pid, int64_t tid)
{
    uint32_t row = tuples_find(&kineto->named, (int64_t[3]){is_thread, pid, tid});
    return row == UINT32_MAX ? kineto_text_of_id(is_thread ? tid : pid) : kineto->names[row];
}

// Returns the number of an id, or the one at the end of its text; 0: the text has none. *before is
// set to the length of the text before the number.
static uint32_t number_of(const struct kineto *kineto, int64_t id, size_t *before)
{
    string_id text = kineto_text_of_id(id);
    if (text == STRING_NONE)
        return (uint32_t)id;
    const char *from = strings_text(kineto->profile->strings, text);
    int64_t number = kineto_number_at_end(from, strlen(from), before);
    return number == UNKNOWN ? 0 : (uint32_t)number;
}

// Returns a unique number of an id: the id itself or, if it is a word, a number from 2^31 up, which
// no process or thread has.
static uint32_t unique_of(int64_t id)
{
    return kineto_text_of_id(id) == STRING_NONE ? (uint32_t)id
                                                : UINT32_C(1) << 31 | kineto_text_of_id(id);
}

// Returns the name of a process. A text before its number ("[TP00] 4711") is a label and precedes
// the name.
static string_id process_name(const struct kineto *kineto, int64_t pid, size_t label)
{
    string_id name = name_of(kineto, false, pid, 0), text = kineto_text_of_id(pid);
    struct strings *strings = kineto->profile->strings;
    if (!label || name == text)
        return name;
    const char *words = strings_text(strings, text), *named = strings_text(strings, name);
    if (strncmp(named, words, label) == 0)
        return name;
    return strings_intern_text(strings,
                               arena_format(kineto->scratch, "%.*s %s", (int)label, words, named));
}

static void make_threads(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    profile->process_count = kineto->processes.count;
    profile->processes =
        ARENA_ARRAY(profile->arena, struct process, (size_t)profile->process_count + 1);
    for (uint32_t i = 0; i < profile->process_count; i++) {
        int64_t pid = *tuples_key(&kineto->processes, i);
        size_t before = 0;
        profile->processes[i] = (struct process){
            .global_pid = (int64_t)((uint64_t)unique_of(pid) << 32),
            .pid = number_of(kineto, pid, &before),
            .name = process_name(kineto, pid, before),
        };
    }
    profile->thread_count = kineto->threads.count;
    profile->threads =
        ARENA_ARRAY(profile->arena, struct thread, (size_t)profile->thread_count + 1);
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        const int64_t *key = tuples_key(&kineto->threads, i);
        int64_t pid = *tuples_key(&kineto->processes, (uint32_t)key[0]);
        profile->threads[i] = (struct thread){
            .global_tid = (int64_t)((uint64_t)unique_of(pid) << 32 | unique_of(key[1])),
            .tid = number_of(kineto, key[1], &(size_t){0}),
            .process = (uint32_t)key[0],
            .name = name_of(kineto, true, pid, key[1]),
        };
    }
}

// ---- ids ---------------------------------------------------------------------------------------

static bool is_long(const struct kineto *kineto, uint32_t id)
{
    return id > UINT32_MAX - kineto->long_ids.count;
}

static uint32_t max_short_id(const struct kineto *kineto, uint32_t most, uint32_t id)
{
    return id > most && !is_long(kineto, id) ? id : most;
}

// Long ids (kineto.long_ids) are stored as numbers down from UINT32_MAX while the file is read.
// They are renumbered from the highest short id upwards, so that a later file of the process can
// use the ids above them (merge_small.c).
static void renumber_long_id(const struct kineto *kineto, uint32_t most, uint32_t *id)
{
    if (is_long(kineto, *id))
        *id = most + 1 + (UINT32_MAX - *id);
}

static void number_long_ids(struct kineto *kineto)
{
    uint32_t most = 0;
    if (kineto->long_ids.count == 0)
        return;
    for (size_t i = 0; i < kineto->work_count; i++) {
        most = max_short_id(kineto, most, kineto->work[i].correlation);
        most = max_short_id(kineto, most, kineto->work[i].external);
    }
    for (size_t i = 0; i < kineto->calls_count; i++)
        most = max_short_id(kineto, most, kineto->calls[i].correlation);
    for (size_t i = 0; i < kineto->ranges_count; i++)
        most = max_short_id(kineto, most, kineto->ranges[i].external);
    for (size_t i = 0; i < kineto->work_count; i++) {
        renumber_long_id(kineto, most, &kineto->work[i].correlation);
        renumber_long_id(kineto, most, &kineto->work[i].external);
    }
    for (size_t i = 0; i < kineto->calls_count; i++)
        renumber_long_id(kineto, most, &kineto->calls[i].correlation);
    for (size_t i = 0; i < kineto->ranges_count; i++)
        renumber_long_id(kineto, most, &kineto->ranges[i].external);
    for (size_t i = 0; i < kineto->syncs_count; i++)
        renumber_long_id(kineto, most, &kineto->syncs[i].correlation);
}

// ---- GPUs --------------------------------------------------------------------------------------

static const struct kineto_gpu *gpu_of(const struct kineto *kineto, int64_t id)
{
    for (size_t i = 0; i < kineto->gpus_count; i++)
        if (kineto->gpus[i].id == id)
            return &kineto->gpus[i];
    // Some files list a single GPU regardless of its number.
    return kineto->gpus_count == 1 ? &kineto->gpus[0] : NULL;
}

static struct device device_of(const struct kineto *kineto, int64_t id)
{
    const struct kineto_gpu *gpu = gpu_of(kineto, id);
    struct device device = device_unknown;
    device.gpu_id = device.ordinal = (uint32_t)id;
    if (!gpu)
        return device;
    device.name = gpu->name;
    device.memory_bytes = gpu->memory_bytes;
    device.sm_count = gpu->sm_count;
    device.compute_major = gpu->compute_major;
    device.compute_minor = gpu->compute_minor;
    return device;
}

// Places that differ only in their track are one stream. Replaces the place of work and syncs by
// the row of their stream.
static void make_streams(struct kineto *kineto, const uint32_t *device_rows)
{
    struct profile *profile = kineto->profile;
    uint32_t count = kineto->places.count;
    uint32_t *stream_of = ARENA_ARRAY(kineto->scratch, uint32_t, (size_t)count + 1);
    struct tuples known;
    tuples_open(&known, kineto->scratch, 4);
    profile->streams = ARENA_ARRAY(profile->arena, struct stream, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t *key = tuples_key(&kineto->places, i);
        struct stream stream = {
            .process = kineto->place_owners[i],
            .device = device_rows[kineto->place_devices[i]],
            .context = (uint32_t)key[1],
            .stream_id = kineto_text_of_id(key[2]) == STRING_NONE ? key[2] : UNKNOWN,
        };
        stream_of[i] =
            tuples_put(&known, (int64_t[4]){stream.process, stream.device, stream.context, key[2]});
        profile->streams[stream_of[i]] = stream;
    }
    profile->stream_count = known.count;
    for (size_t i = 0; i < kineto->work_count; i++)
        kineto->work[i].place = stream_of[kineto->work[i].place];
    for (size_t i = 0; i < kineto->syncs_count; i++)
        if (kineto->syncs[i].place != ROW_NONE)
            kineto->syncs[i].place = stream_of[kineto->syncs[i].place];
}

// Devices are in order of their numbers; equal numbers are in order of their owners.
static void make_devices(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    struct arena *scratch = kineto->scratch;
    const struct tuples *ids = &kineto->devices;
    uint32_t count = ids->count < MAX_DEVICES ? ids->count : MAX_DEVICES;
    int64_t *number = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1);
    int64_t *owner = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        number[i] = tuples_key(ids, i)[0];
        owner[i] = tuples_key(ids, i)[1];
    }
    const uint32_t *order = sort_by_time(scratch, number, owner, count);
    uint32_t *row_of = ARENA_ARRAY(scratch, uint32_t, (size_t)ids->count + 1);
    profile->device_count = count;
    profile->devices = ARENA_ARRAY(profile->arena, struct device, (size_t)count + 1);
    for (uint32_t i = 0; i < ids->count; i++)
        row_of[i] = count ? count - 1 : 0; // devices above the limit share the last row
    for (uint32_t i = 0; i < count; i++) {
        row_of[order[i]] = i;
        profile->devices[i] = device_of(kineto, number[order[i]]);
        profile->devices[i].is_by_ordinal = true;
    }
    for (uint32_t i = 0; i < kineto->homes.count; i++)
        kineto->home_devices[i] = row_of[kineto->home_devices[i]];
    profile_number_devices(profile);
    make_streams(kineto, row_of);
    for (size_t i = 0; i < kineto->work_count; i++) {
        struct device *device = &profile->devices[profile->streams[kineto->work[i].place].device];
        const int64_t *function = tuples_key(&kineto->functions, kineto->work[i].function);
        device->has_work = true;
        device->has_kernels |= function[0] == WORK_KERNEL;
    }
}

// ---- what ran ----------------------------------------------------------------------------------

static void make_functions(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    struct arena *arena = profile->arena;
    profile->function_count = kineto->functions.count;
    profile->functions = ARENA_ARRAY(arena, struct function, (size_t)kineto->functions.count + 1);
    for (uint32_t i = 0; i < kineto->functions.count; i++) {
        const int64_t *key = tuples_key(&kineto->functions, i);
        profile->functions[i] = (struct function){
            .kind = (enum work_kind)key[0], .full = (string_id)key[1], .brief = (string_id)key[2]};
    }
    profile->shape_count = kineto->shapes.count;
    profile->shapes = ARENA_ARRAY(arena, struct launch_shape, (size_t)kineto->shapes.count + 1);
    for (uint32_t i = 0; i < kineto->shapes.count; i++) {
        const int64_t *key = tuples_key(&kineto->shapes, i);
        struct launch_shape *shape = &profile->shapes[i];
        for (int axis = 0; axis < 3; axis++) {
            shape->grid[axis] = (int32_t)key[axis];
            shape->block[axis] = (int32_t)key[axis + 3];
        }
        shape->registers = (int32_t)key[6];
        shape->static_shared = key[7] >= 0 ? 0 : -1; // the file holds the sum of static and dynamic
        shape->dynamic_shared = (int32_t)key[7];
        shape->micro_blocks_per_sm = key[8];
        shape->micro_occupancy = key[9];
    }
    profile->copy_count = kineto->copies.count;
    profile->copies = ARENA_ARRAY(arena, struct copy, (size_t)kineto->copies.count + 1);
    for (uint32_t i = 0; i < kineto->copies.count; i++) {
        const int64_t *key = tuples_key(&kineto->copies, i);
        profile->copies[i] = (struct copy){(int32_t)key[0], (int32_t)key[1], (int32_t)key[2]};
    }
}

// Returns the rows grouped by `group`, in order of start within a group. Ties are ordered by
// length: longest first if `longer_first`, else shortest first.
static uint32_t *order_rows(struct kineto *kineto, const void *rows, size_t row_size,
                            uint32_t count, const uint32_t *group, uint32_t groups,
                            bool longer_first, uint32_t *first)
{
    struct arena *scratch = kineto->scratch;
    int64_t *start = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1);
    int64_t *end = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t *times = (const void *)((const char *)rows + i * row_size);
        start[i] = times[0];
        end[i] = longer_first ? -times[1] : times[1];
    }
    uint32_t *order = records_group(scratch, group, count, groups, first);
    for (uint32_t g = 0; g < groups; g++)
        sort_ids_by_time(order + first[g], first[g + 1] - first[g], start, end, scratch);
    ARENA_RELEASE(scratch, start, count + 1);
    ARENA_RELEASE(scratch, end, count + 1);
    return order;
}

static void make_work(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    struct gpu_work *work = &profile->work;
    struct arena *scratch = kineto->scratch;
    uint32_t count = (uint32_t)kineto->work_count, graphs = 0;
    uint32_t *device = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->device_count + 1);
    for (uint32_t i = 0; i < count; i++) {
        device[i] = profile->streams[kineto->work[i].place].device;
        graphs += (kineto->work[i].flags & WORK_IN_GRAPH) != 0;
    }
    uint32_t *order = order_rows(kineto, kineto->work, sizeof *kineto->work, count, device,
                                 profile->device_count, false, first);
    struct records rows = {profile, scratch, kineto->work, sizeof *kineto->work, count, order};
    work->count = count;
    work->start = RECORDS64(&rows, struct kineto_work, start);
    work->end = RECORDS64(&rows, struct kineto_work, end);
    work->function = RECORDS32(&rows, struct kineto_work, function);
    work->stream = RECORDS32(&rows, struct kineto_work, place);
    work->correlation = RECORDS32(&rows, struct kineto_work, correlation);
    work->shape = RECORDS32(&rows, struct kineto_work, shape);
    work->flags = RECORDS32(&rows, struct kineto_work, flags);
    if (kineto->collectives.count)
        work->collective = RECORDS32(&rows, struct kineto_work, collective);
    if (kineto->has_bytes)
        work->bytes = RECORDS64(&rows, struct kineto_work, bytes);
    if (kineto->has_rates)
        work->rate = RECORDS64(&rows, struct kineto_work, rate);
    if (graphs) {
        work->graph = RECORDS64(&rows, struct kineto_work, graph);
        work->graph_node = RECORDS64(&rows, struct kineto_work, graph_node);
    }
    for (uint32_t d = 0; d < profile->device_count; d++) {
        profile->devices[d].first_work = first[d];
        profile->devices[d].end_work = first[d + 1];
    }
    kineto_save_external_ids(kineto, order);
    ARENA_RELEASE(scratch, device, count + 1);
    ARENA_RELEASE(scratch, order, count + 1);
    ARENA_RELEASE(scratch, kineto->work, kineto->work_capacity);
    kineto->work = NULL;
}

static uint32_t *order_calls(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    struct arena *scratch = kineto->scratch;
    uint32_t count = (uint32_t)kineto->calls_count;
    uint32_t *thread = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->thread_count + 1);
    for (uint32_t i = 0; i < count; i++)
        thread[i] = kineto->calls[i].thread;
    uint32_t *order = order_rows(kineto, kineto->calls, sizeof *kineto->calls, count, thread,
                                 profile->thread_count, false, first);
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        profile->threads[t].first_api = first[t];
        profile->threads[t].end_api = first[t + 1];
    }
    ARENA_RELEASE(scratch, thread, count + 1);
    return order;
}

static void make_calls(struct kineto *kineto, const uint32_t *order)
{
    struct api_calls *api = &kineto->profile->api;
    struct records rows = {kineto->profile,
                           kineto->scratch,
                           kineto->calls,
                           sizeof *kineto->calls,
                           (uint32_t)kineto->calls_count,
                           order};
    api->count = rows.count;
    api->start = RECORDS64(&rows, struct kineto_call, start);
    api->end = RECORDS64(&rows, struct kineto_call, end);
    api->name = RECORDS32(&rows, struct kineto_call, name);
    api->thread = RECORDS32(&rows, struct kineto_call, thread);
    api->correlation = RECORDS32(&rows, struct kineto_call, correlation);
    bool has_chains = false;
    for (size_t i = 0; i < kineto->calls_count; i++)
        has_chains |= kineto->calls[i].chain != 0;
    if (has_chains)
        api->callchain = RECORDS32(&rows, struct kineto_call, chain);
}

// ---- ranges ------------------------------------------------------------------------------------

static uint32_t *order_ranges(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    struct arena *scratch = kineto->scratch;
    uint32_t count = (uint32_t)kineto->ranges_count;
    uint32_t *thread = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->thread_count + 1);
    for (uint32_t i = 0; i < count; i++)
        thread[i] = (uint32_t)tuples_key(&kineto->drafts, kineto->ranges[i].draft)[2];
    uint32_t *order = order_rows(kineto, kineto->ranges, sizeof *kineto->ranges, count, thread,
                                 profile->thread_count, true, first);
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        profile->threads[t].first_range = first[t];
        profile->threads[t].end_range = first[t + 1];
    }
    ARENA_RELEASE(scratch, thread, count + 1);
    return order;
}

static void make_labels(struct kineto *kineto)
{
    struct ranges *ranges = &kineto->profile->ranges;
    for (size_t i = 0; i < kineto->ranges_count; i++) {
        struct kineto_range *range = &kineto->ranges[i];
        range->draft = tuples_put(&kineto->labels, (int64_t[2]){range->draft, range->chain});
    }
    ranges->label_count = kineto->labels.count;
    ranges->labels =
        ARENA_ARRAY(kineto->profile->arena, struct range_label, (size_t)kineto->labels.count + 1);
    for (uint32_t i = 0; i < kineto->labels.count; i++) {
        const int64_t *label = tuples_key(&kineto->labels, i);
        const int64_t *key = tuples_key(&kineto->drafts, (uint32_t)label[0]);
        ranges->labels[i] = (struct range_label){
            .name = (string_id)key[0],
            .sizes = (string_id)key[1],
            .marker = ROW_NONE,
            .thread = (uint32_t)key[2],
            .style = RANGE_PUSH_POP,
            .ending = RANGE_CLOSED,
            .said = (uint8_t)(key[3] >> 1 & 0x7f),
            .has_seq = key[3] & 1,
            .chain = (uint32_t)label[1],
            .module = (uint32_t)(key[3] >> 8),
        };
    }
}

static void make_ranges(struct kineto *kineto, const uint32_t *order)
{
    struct profile *profile = kineto->profile;
    struct ranges *ranges = &profile->ranges;
    profile->domain_count = 1;
    profile->domains = ARENA_NEW(profile->arena, struct domain);
    make_labels(kineto);
    struct records rows = {profile,
                           kineto->scratch,
                           kineto->ranges,
                           sizeof *kineto->ranges,
                           (uint32_t)kineto->ranges_count,
                           order};
    ranges->count = rows.count;
    ranges->start = RECORDS64(&rows, struct kineto_range, start);
    ranges->end = RECORDS64(&rows, struct kineto_range, end);
    ranges->label = RECORDS32(&rows, struct kineto_range, draft);
    ranges->seq = RECORDS64(&rows, struct kineto_range, seq);
    if (kineto->collectives.count)
        ranges->collective = RECORDS32(&rows, struct kineto_range, collective);
}

// ---- small tables -------------------------------------------------------------------------------

static void make_syncs(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    struct syncs *syncs = &profile->syncs;
    struct arena *arena = profile->arena;
    uint32_t count = syncs->count = (uint32_t)kineto->syncs_count;
    syncs->start = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    syncs->end = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    syncs->type = ARENA_ARRAY(arena, uint8_t, (size_t)count + 1);
    syncs->stream = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    syncs->api = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    uint32_t *correlation = ARENA_ARRAY(kineto->scratch, uint32_t, (size_t)count + 1);
    uint32_t *process = ARENA_ARRAY(kineto->scratch, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct kineto_sync *sync = &kineto->syncs[i];
        syncs->start[i] = sync->start;
        syncs->end[i] = sync->end;
        syncs->type[i] = sync->type;
        syncs->stream[i] = sync->place;
        correlation[i] = sync->correlation;
        process[i] = sync->process;
    }
    profile_join(profile, process, correlation, count, syncs->api);
    for (uint32_t i = 0; i < count; i++)
        if (syncs->api[i] != ROW_NONE)
            syncs->type[i] = sync_type_of_call(
                profile_text(profile, AT(profile->api.name, syncs->api[i])), syncs->type[i]);
}

static void make_overheads(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    struct overheads *overheads = &profile->overheads;
    uint32_t count = (uint32_t)kineto->overheads_count, first[2];
    uint32_t *one = ARENA_ARRAY(kineto->scratch, uint32_t, (size_t)count + 1);
    struct records rows = {profile,
                           kineto->scratch,
                           kineto->overheads,
                           sizeof *kineto->overheads,
                           count,
                           order_rows(kineto, kineto->overheads, sizeof *kineto->overheads, count,
                                      one, 1, false, first)};
    overheads->count = count;
    overheads->first_without_thread = 0;
    overheads->start = RECORDS64(&rows, struct kineto_overhead, start);
    overheads->end = RECORDS64(&rows, struct kineto_overhead, end);
    overheads->name = ARENA_ARRAY(profile->arena, string_id, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        overheads->name[i] = kineto->overheads[rows.order[i]].name;
    profile->sources[0].end_without_thread = count;
}

static void make_allocations(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    struct arena *scratch = kineto->scratch;
    struct allocations *allocations = &profile->allocations;
    uint32_t count = (uint32_t)kineto->allocations_count;
    int64_t *time = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1);
    bool has_address = false, has_allocated = false, has_reserved = false;
    for (uint32_t i = 0; i < count; i++) {
        struct kineto_allocation *row = &kineto->allocations[i];
        time[i] = row->time;
        row->home = row->home == ROW_NONE ? ROW_NONE : kineto->home_devices[row->home];
        has_address |= row->address != 0;
        has_allocated |= row->allocated != UNKNOWN;
        has_reserved |= row->reserved != UNKNOWN;
    }
    struct records rows = {profile,
                           scratch,
                           kineto->allocations,
                           sizeof *kineto->allocations,
                           count,
                           sort_by_time(scratch, time, NULL, count)};
    ARENA_RELEASE(scratch, time, count + 1);
    allocations->count = count;
    allocations->time = RECORDS64(&rows, struct kineto_allocation, time);
    allocations->bytes = RECORDS64(&rows, struct kineto_allocation, bytes);
    if (has_address)
        allocations->address = RECORDS64(&rows, struct kineto_allocation, address);
    if (has_allocated)
        allocations->allocated = RECORDS64(&rows, struct kineto_allocation, allocated);
    if (has_reserved)
        allocations->reserved = RECORDS64(&rows, struct kineto_allocation, reserved);
    allocations->thread = RECORDS32(&rows, struct kineto_allocation, thread);
    allocations->device = RECORDS32(&rows, struct kineto_allocation, home);
    ARENA_RELEASE(scratch, kineto->allocations, kineto->allocations_capacity);
    kineto->allocations = NULL;
}

static string_id *collective_texts(struct kineto *kineto, enum collective_part part)
{
    uint32_t count = kineto->collectives.count;
    string_id *texts = ARENA_ARRAY(kineto->profile->arena, string_id, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        texts[i] = (string_id)tuples_key(&kineto->collectives, i)[part];
    return texts;
}

static int64_t *collective_numbers(struct kineto *kineto, enum collective_part part)
{
    uint32_t count = kineto->collectives.count;
    int64_t *numbers = ARENA_ARRAY(kineto->profile->arena, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = tuples_key(&kineto->collectives, i)[part];
    return numbers;
}

static void make_collectives(struct kineto *kineto)
{
    if (!kineto->collectives.count)
        return;
    kineto->profile->told_collectives = (struct told_collectives){
        .count = kineto->collectives.count,
        .name = collective_texts(kineto, COLLECTIVE_NAME),
        .data_type = collective_texts(kineto, COLLECTIVE_TYPE),
        .group = collective_texts(kineto, COLLECTIVE_GROUP),
        .description = collective_texts(kineto, COLLECTIVE_DESCRIPTION),
        .ranks = collective_texts(kineto, COLLECTIVE_RANKS),
        .communicator = collective_texts(kineto, COLLECTIVE_COMMUNICATOR),
        .elements_in = collective_numbers(kineto, COLLECTIVE_IN),
        .elements_out = collective_numbers(kineto, COLLECTIVE_OUT),
        .group_size = collective_numbers(kineto, COLLECTIVE_SIZE),
        .rank = collective_numbers(kineto, COLLECTIVE_RANK),
        .sequence = collective_numbers(kineto, COLLECTIVE_SEQUENCE),
    };
}

static void extend_extent(struct profile *profile, const struct column64 *start,
                          const struct column64 *end, uint32_t count)
{
    if (!count)
        return;
    int64_t first = column64_min(start, count), last = column64_max(end, count);
    profile->first_ns = first < profile->first_ns ? first : profile->first_ns;
    profile->last_ns = last > profile->last_ns ? last : profile->last_ns;
}

static void find_extent(struct profile *profile)
{
    profile->first_ns = INT64_MAX;
    profile->last_ns = INT64_MIN;
    extend_extent(profile, &profile->work.start, &profile->work.end, profile->work.count);
    extend_extent(profile, &profile->api.start, &profile->api.end, profile->api.count);
    extend_extent(profile, &profile->ranges.start, &profile->ranges.end, profile->ranges.count);
    if (profile->first_ns > profile->last_ns)
        profile->first_ns = profile->last_ns = 0;
}

void kineto_make_tables(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    kineto_add_modules(kineto);
    kineto_set_clock(kineto);
    number_long_ids(kineto);
    kineto_find_owners(kineto);
    make_devices(kineto);
    make_functions(kineto);
    make_threads(kineto);
    make_work(kineto);
    make_allocations(kineto);
    make_collectives(kineto);
    uint32_t *calls = order_calls(kineto), *ranges = order_ranges(kineto);
    kineto_make_stacks(kineto, calls, ranges);
    make_calls(kineto, calls);
    make_ranges(kineto, ranges);
    kineto_link_work(kineto, ranges);
    kineto_match_graphs(kineto, calls);
    kineto_make_frames(kineto);
    ARENA_RELEASE(kineto->scratch, kineto->calls, kineto->calls_capacity);
    ARENA_RELEASE(kineto->scratch, kineto->ranges, kineto->ranges_capacity);
    make_syncs(kineto);
    make_overheads(kineto);
    profile_set_aside(profile);
    find_extent(profile);
    profile->has_kernels = kineto->seen[KINETO_KERNEL] > 0;
    profile->has_api = kineto->seen[KINETO_CALL] > 0;
    profile->has_ranges = profile->ranges.count > 0;
    profile->has_syncs = kineto->seen[KINETO_SYNC] > 0;
    profile->has_allocations = profile->allocations.count > 0;
    profile->has_overhead = kineto->seen[KINETO_OVERHEAD] > 0;
}
