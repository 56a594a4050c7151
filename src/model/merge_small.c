// SPDX-License-Identifier: Apache-2.0
// Processes, threads, GPUs, streams, names and labels of several parts.
#include "model/merge_small.h"

#include <string.h>

#include "model/tuples.h"

#define FOR_PARTS(merging, p, part)                 \
    for (uint32_t p = 0; p < (merging)->count; p++) \
        for (const struct profile *part = (merging)->parts[p].profile; part; part = NULL)

static void place_put(struct merging *merging, uint32_t part, enum reference reference,
                      struct merged_rows rows)
{
    merging->places[part].of[reference] = rows;
}

static string_id text_of(const struct merging *merging, uint32_t part, string_id id)
{
    return merged_row(merging, part, REFERS_TEXT, id);
}

static void merge_texts(struct merging *merging)
{
    struct profile *merged = merging->merged;
    FOR_PARTS (merging, p, part) {
        uint32_t count = strings_count(part->strings);
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, count);
        for (string_id id = 1; id < count; id++)
            map[id] = strings_intern(merged->strings, strings_text(part->strings, id),
                                     strings_length(part->strings, id));
        place_put(merging, p, REFERS_TEXT, (struct merged_rows){.count = count, .map = map});
    }
}

// ---- who ran -------------------------------------------------------------------------------------

#define COUNT_ROWS(merging, reference, counted)                                    \
    do {                                                                           \
        uint32_t base = 0;                                                         \
        FOR_PARTS (merging, p, part) {                                             \
            place_put(merging, p, reference,                                       \
                      (struct merged_rows){.base = base, .count = part->counted}); \
            base += part->counted;                                                 \
        }                                                                          \
        (merging)->merged->counted = base;                                         \
    } while (0)

static void merge_sources(struct merging *merging)
{
    struct profile *merged = merging->merged;
    merged->sources = ARENA_ARRAY(merged->arena, struct source, merging->count);
    FOR_PARTS (merging, p, part) {
        struct source *source = &merged->sources[merged->source_count++];
        *source = part->sources[0];
        source->path = arena_text(merged->arena, source->path);
        source->version = arena_text(merged->arena, source->version);
        source->schema = arena_text(merged->arena, source->schema);
    }
}

static void merge_processes(struct merging *merging)
{
    struct profile *merged = merging->merged;
    COUNT_ROWS(merging, REFERS_PROCESS, process_count);
    merged->processes = ARENA_ARRAY(merged->arena, struct process, merged->process_count + 1);
    FOR_PARTS (merging, p, part) {
        for (uint32_t i = 0; i < part->process_count; i++) {
            struct process *process = &merged->processes[merged_row(merging, p, REFERS_PROCESS, i)];
            *process = part->processes[i];
            process->name = text_of(merging, p, process->name);
            process->source = p;
        }
    }
}

static void shift(const struct merging *merging, uint32_t part, enum reference of, uint32_t *first,
                  uint32_t *end)
{
    *first = merged_row(merging, part, of, *first);
    *end = merged_row(merging, part, of, *end);
}

static void merge_threads(struct merging *merging)
{
    struct profile *merged = merging->merged;
    COUNT_ROWS(merging, REFERS_THREAD, thread_count);
    merged->threads = ARENA_ARRAY(merged->arena, struct thread, merged->thread_count + 1);
    uint32_t overheads = 0; // those of no thread come behind all others
    FOR_PARTS (merging, p, part) {
        for (uint32_t i = 0; i < part->thread_count; i++) {
            struct thread *thread = &merged->threads[merged_row(merging, p, REFERS_THREAD, i)];
            *thread = part->threads[i];
            thread->process = merged_row(merging, p, REFERS_PROCESS, thread->process);
            thread->name = text_of(merging, p, thread->name);
            shift(merging, p, REFERS_RANGE, &thread->first_range, &thread->end_range);
            shift(merging, p, REFERS_CALL, &thread->first_api, &thread->end_api);
            shift(merging, p, REFERS_OS_CALL, &thread->first_osrt, &thread->end_osrt);
            thread->first_overhead += overheads;
            thread->end_overhead += overheads;
        }
        overheads += part->overheads.first_unowned;
    }
}

// ---- GPUs and streams ----------------------------------------------------------------------------

// The same GPU as seen by two captures of one machine.
static bool is_same_gpu(const struct profile *merged, const struct device *a,
                        const struct device *b)
{
    uint64_t host = merged->sources[a->source].host;
    if (a->uuid && b->uuid) // no two GPUs of the world have the same
        return a->uuid == b->uuid;
    return a->bus && a->bus == b->bus && host && host == merged->sources[b->source].host;
}

// Two processes that see one GPU each call it 0, whichever that is: nothing tells that it is one.
static bool may_be_two(const struct device *a, const struct device *b)
{
    return a->has_work && b->has_work && (a->is_by_ordinal || b->is_by_ordinal);
}

static uint32_t device_put(struct profile *merged, const struct device *device, uint32_t *assumed)
{
    bool is_loose = false;
    for (uint32_t d = 0; d < merged->device_count; d++) {
        struct device *known = &merged->devices[d];
        if (known->source == device->source || !is_same_gpu(merged, known, device))
            continue;
        if (may_be_two(known, device)) {
            *assumed += known->is_assumed ? 1 : 2;
            known->is_assumed = is_loose = true;
            continue;
        }
        known->has_work |= device->has_work;
        known->has_kernels |= device->has_kernels;
        known->is_by_ordinal |= device->is_by_ordinal;
        return d;
    }
    struct device *added = &merged->devices[merged->device_count];
    *added = *device;
    if (is_loose) {
        added->is_assumed = true;
        added->gpu_id = ROW_NONE;
        added->uuid = added->bus = STRING_NONE;
    }
    return merged->device_count++;
}

// Each machine counts its own from 0 on: where two have a number all are numbered through.
static void number_devices(struct profile *merged)
{
    bool is_twice = false;
    for (uint32_t d = 0; d < merged->device_count; d++)
        is_twice |= profile_find_device(merged, device_number(merged, d)) != d;
    for (uint32_t d = 0; is_twice && d < merged->device_count; d++)
        merged->devices[d].gpu_id = d;
}

static void merge_devices(struct merging *merging)
{
    struct profile *merged = merging->merged;
    uint32_t most = 0, assumed = 0;
    FOR_PARTS (merging, p, part)
        most += part->device_count;
    merged->devices = ARENA_ARRAY(merged->arena, struct device, most + 1);
    FOR_PARTS (merging, p, part) {
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, part->device_count + 1);
        for (uint32_t d = 0; d < part->device_count; d++) {
            struct device device = part->devices[d];
            device.name = text_of(merging, p, device.name);
            device.uuid = text_of(merging, p, device.uuid);
            device.bus = text_of(merging, p, device.bus);
            device.source = p;
            map[d] = device_put(merged, &device, &assumed);
        }
        place_put(merging, p, REFERS_DEVICE,
                  (struct merged_rows){.count = part->device_count, .map = map});
    }
    number_devices(merged);
    if (assumed)
        profile_note(merged, NOTE_WARNING, "devices_assumed", assumed, NULL,
                     "processes of several files use the same device number and the files do not "
                     "tell which GPU each means: %u of them are kept apart as GPUs of their own",
                     assumed);
}

static void merge_streams(struct merging *merging)
{
    struct profile *merged = merging->merged;
    COUNT_ROWS(merging, REFERS_STREAM, stream_count);
    merged->streams = ARENA_ARRAY(merged->arena, struct stream, merged->stream_count + 1);
    FOR_PARTS (merging, p, part) {
        for (uint32_t i = 0; i < part->stream_count; i++) {
            struct stream *stream = &merged->streams[merged_row(merging, p, REFERS_STREAM, i)];
            *stream = part->streams[i];
            stream->process = merged_row(merging, p, REFERS_PROCESS, stream->process);
            stream->device = merged_row(merging, p, REFERS_DEVICE, stream->device);
        }
    }
}

// ---- what ran, once each -------------------------------------------------------------------------

static void merge_functions(struct merging *merging)
{
    struct profile *merged = merging->merged;
    struct tuples known;
    size_t capacity = 0;
    tuples_open(&known, merged->arena, 3);
    FOR_PARTS (merging, p, part) {
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, part->function_count + 1);
        for (uint32_t i = 0; i < part->function_count; i++) {
            struct function function = part->functions[i];
            function.full = text_of(merging, p, function.full);
            function.brief = text_of(merging, p, function.brief);
            function.family = text_of(merging, p, function.family);
            map[i] = tuples_put(&known, (int64_t[3]){function.kind, function.full, function.brief});
            size_t count = merged->function_count;
            if (map[i] == count)
                ARENA_PUSH(merged->arena, merged->functions, count, capacity) = function;
            merged->function_count = (uint32_t)count;
        }
        place_put(merging, p, REFERS_FUNCTION,
                  (struct merged_rows){.count = part->function_count, .map = map});
    }
}

static void merge_shapes(struct merging *merging)
{
    enum { WIDTH = 9 };
    struct profile *merged = merging->merged;
    struct tuples known;
    size_t capacity = 0;
    tuples_open(&known, merged->arena, WIDTH);
    FOR_PARTS (merging, p, part) {
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, part->shape_count + 1);
        for (uint32_t i = 0; i < part->shape_count; i++) {
            const struct launch_shape *shape = &part->shapes[i];
            int64_t key[WIDTH] = {shape->grid[0],   shape->grid[1],       shape->grid[2],
                                  shape->block[0],  shape->block[1],      shape->block[2],
                                  shape->registers, shape->static_shared, shape->dynamic_shared};
            map[i] = tuples_put(&known, key);
            size_t count = merged->shape_count;
            if (map[i] == count)
                ARENA_PUSH(merged->arena, merged->shapes, count, capacity) = *shape;
            merged->shape_count = (uint32_t)count;
        }
        place_put(merging, p, REFERS_SHAPE,
                  (struct merged_rows){.count = part->shape_count, .map = map});
    }
}

static void merge_copies(struct merging *merging)
{
    struct profile *merged = merging->merged;
    struct tuples known;
    size_t capacity = 0;
    tuples_open(&known, merged->arena, 3);
    FOR_PARTS (merging, p, part) {
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, part->copy_count + 1);
        for (uint32_t i = 0; i < part->copy_count; i++) {
            const struct copy *copy = &part->copies[i];
            map[i] =
                tuples_put(&known, (int64_t[3]){copy->copy_kind, copy->src_kind, copy->dst_kind});
            size_t count = merged->copy_count;
            if (map[i] == count)
                ARENA_PUSH(merged->arena, merged->copies, count, capacity) = *copy;
            merged->copy_count = (uint32_t)count;
        }
        place_put(merging, p, REFERS_COPY,
                  (struct merged_rows){.count = part->copy_count, .map = map});
    }
}

// Row 0 is the default domain, in each part.
static void merge_domains(struct merging *merging)
{
    struct profile *merged = merging->merged;
    struct tuples known;
    size_t capacity = 0;
    tuples_open(&known, merged->arena, 1);
    FOR_PARTS (merging, p, part) {
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, part->domain_count + 1);
        for (uint32_t i = 0; i < part->domain_count; i++) {
            struct domain domain = {text_of(merging, p, part->domains[i].name)};
            map[i] = tuples_put(&known, (int64_t[1]){i == 0 ? -1 : (int64_t)domain.name});
            size_t count = merged->domain_count;
            if (map[i] == count)
                ARENA_PUSH(merged->arena, merged->domains, count, capacity) = domain;
            merged->domain_count = (uint32_t)count;
        }
        place_put(merging, p, REFERS_DOMAIN,
                  (struct merged_rows){.count = part->domain_count, .map = map});
    }
}

static void merge_labels(struct merging *merging)
{
    struct profile *merged = merging->merged;
    COUNT_ROWS(merging, REFERS_LABEL, ranges.label_count);
    merged->ranges.labels =
        ARENA_ARRAY(merged->arena, struct range_label, merged->ranges.label_count + 1);
    FOR_PARTS (merging, p, part) {
        for (uint32_t i = 0; i < part->ranges.label_count; i++) {
            struct range_label *label =
                &merged->ranges.labels[merged_row(merging, p, REFERS_LABEL, i)];
            *label = part->ranges.labels[i];
            label->name = text_of(merging, p, label->name);
            label->sizes = text_of(merging, p, label->sizes);
            label->domain = merged_row(merging, p, REFERS_DOMAIN, label->domain);
            label->thread = merged_row(merging, p, REFERS_THREAD, label->thread);
        }
    }
}

// Ids of chains are each file's own: they are counted through.
static void merge_chains(struct merging *merging)
{
    uint32_t base = 0;
    FOR_PARTS (merging, p, part) {
        const struct frames *frames = &part->frames;
        uint32_t *ids = ARENA_ARRAY(merging->merged->arena, uint32_t, frames->count + 1), count = 0;
        for (uint32_t i = 0; i < frames->count; i++)
            if (i == 0 || frames->chain[i] != frames->chain[i - 1])
                ids[count++] = frames->chain[i];
        place_put(merging, p, REFERS_CHAIN,
                  (struct merged_rows){.base = base, .count = count, .map = ids});
        base += count;
    }
}

uint32_t merged_chain(const struct merged_rows *rows, int64_t id)
{
    uint32_t low = 0, high = rows->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows->map[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rows->count && rows->map[low] == id ? rows->base + low + 1 : 0;
}

void merge_small(struct merging *merging)
{
    merge_texts(merging);
    merge_sources(merging);
    merge_processes(merging);
    merge_threads(merging);
    merge_devices(merging);
    merge_streams(merging);
    merge_functions(merging);
    merge_shapes(merging);
    merge_copies(merging);
    merge_domains(merging);
    merge_labels(merging);
    merge_chains(merging);
}
