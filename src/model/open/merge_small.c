// SPDX-License-Identifier: Apache-2.0
// Merges the small tables of several parts (merge.h): processes, threads, GPUs, streams, names,
// labels. For each table it stores which merged row each row of a part has become
// (profile_merger.places).
#include "model/open/merge_small.h"

#include <string.h>

#include "base/text/format.h"
#include "base/tuples.h"
#include "model/profile/loader.h"

#define FOR_PARTS(merger, p, part)                 \
    for (uint32_t p = 0; p < (merger)->count; p++) \
        for (const struct profile *part = (merger)->parts[p].profile; part; part = NULL)

static void set_merged_rows(struct profile_merger *merger, uint32_t part, enum reference reference,
                            struct merged_rows rows)
{
    merger->places[part].of[reference] = rows;
}

static string_id text_of(const struct profile_merger *merger, uint32_t part, string_id id)
{
    return merged_row(merger, part, REFERS_TEXT, id);
}

static void merge_texts(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    FOR_PARTS (merger, p, part) {
        uint32_t count = strings_count(part->strings);
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, count);
        for (string_id id = 1; id < count; id++)
            map[id] = strings_intern(merged->strings, strings_text(part->strings, id),
                                     strings_length(part->strings, id));
        set_merged_rows(merger, p, REFERS_TEXT, (struct merged_rows){.count = count, .map = map});
    }
}

// ---- sources, processes, threads ---------------------------------------------------------------

#define COUNT_ROWS(merger, reference, counted)                                           \
    do {                                                                                 \
        uint32_t base = 0;                                                               \
        FOR_PARTS (merger, p, part) {                                                    \
            set_merged_rows(merger, p, reference,                                        \
                            (struct merged_rows){.base = base, .count = part->counted}); \
            base += part->counted;                                                       \
        }                                                                                \
        (merger)->merged->counted = base;                                                \
    } while (0)

static void merge_sources(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    merged->sources = ARENA_ARRAY(merged->arena, struct source, merger->count);
    FOR_PARTS (merger, p, part) {
        struct source *source = &merged->sources[merged->source_count++];
        *source = part->sources[0];
        source->path = arena_text(merged->arena, source->path);
        source->format = arena_text(merged->arena, source->format);
        source->version = arena_text(merged->arena, source->version);
        source->schema = arena_text(merged->arena, source->schema);
        source->roles.word = arena_text(merged->arena, source->roles.word);
    }
}

// Finds rows that a later part of a process has in common with an earlier one, by their keys.
struct merged_keys {
    struct tuples keys;
    uint32_t *rows; // per key
};

static struct merged_keys merged_keys_open(struct arena *arena, uint32_t width, size_t max)
{
    struct merged_keys known = {.rows = ARENA_ARRAY(arena, uint32_t, max)};
    tuples_open(&known.keys, arena, width);
    return known;
}

// Returns the merged row that an earlier part has added for the key, or `next` for a new row. Rows
// from `base` on are of the same part and therefore distinct, even if their keys are equal.
static uint32_t merged_keys_row(struct merged_keys *known, const int64_t *key, uint32_t base,
                                uint32_t next)
{
    uint32_t count = known->keys.count, at = tuples_put(&known->keys, key);
    if (at < count)
        return known->rows[at] < base ? known->rows[at] : next;
    return known->rows[at] = next;
}

static void merge_processes(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    size_t max = 1;
    FOR_PARTS (merger, p, part)
        max += part->process_count;
    merged->processes = ARENA_ARRAY(merged->arena, struct process, max);
    struct merged_keys known = merged_keys_open(merged->arena, 2, max);
    FOR_PARTS (merger, p, part) {
        uint32_t base = merged->process_count;
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, part->process_count + 1);
        for (uint32_t i = 0; i < part->process_count; i++) {
            const int64_t key[2] = {part_first(merger, p), part->processes[i].global_pid};
            map[i] = merged_keys_row(&known, key, base, merged->process_count);
            if (map[i] < merged->process_count)
                continue;
            merged->process_count++;
            struct process *process = &merged->processes[map[i]];
            *process = part->processes[i];
            process->name = text_of(merger, p, process->name);
            process->source = p;
        }
        set_merged_rows(merger, p, REFERS_PROCESS,
                        (struct merged_rows){.count = part->process_count, .map = map});
    }
}

// Shifts the correlation ids of later parts of a process beyond those of earlier parts. The ids of
// different parts may be equal, but must not link work to a call of another part. `highest` is the
// highest shifted id of a process so far.
static void shift_correlations(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    uint32_t *highest = ARENA_ARRAY(merged->arena, uint32_t, (size_t)merger->count + 1);
    merger->correlation_shift = ARENA_ARRAY(merged->arena, uint32_t, (size_t)merger->count + 1);
    uint32_t crowded_files = 0;
    FOR_PARTS (merger, p, part) {
        uint32_t min = UINT32_MAX, max = 0, *last = &highest[part_first(merger, p)];
        for (uint32_t w = 0; w < part->work.count; w++) {
            uint32_t id = AT(part->work.correlation, w);
            min = id && id < min ? id : min;
            max = id > max ? id : max;
        }
        for (uint32_t c = 0; c < part->api.count; c++) {
            uint32_t id = AT(part->api.correlation, c);
            min = id && id < min ? id : min;
            max = id > max ? id : max;
        }
        uint32_t shift_by = *last >= min ? *last - min + 1 : 0;
        bool is_exhausted = max > UINT32_MAX - shift_by;
        merger->correlation_shift[p] = is_exhausted ? 0 : shift_by;
        *last =
            *last > max + merger->correlation_shift[p] ? *last : max + merger->correlation_shift[p];
        crowded_files += is_exhausted;
    }
    char files[FORMAT_SIZE];
    if (crowded_files)
        profile_note(merged, NOTE_WARNING, "correlations_crowded", crowded_files, NULL,
                     "correlation ids of %s do not fit behind those of earlier files of the same "
                     "process: GPU work may be tied to a call of another file",
                     format_counted(files, crowded_files, "file"));
}

static void shift(const struct profile_merger *merger, uint32_t part, enum reference of,
                  uint32_t *first, uint32_t *end)
{
    *first = merged_row(merger, part, of, *first);
    *end = merged_row(merger, part, of, *end);
}

// Tables whose rows are grouped by thread, and the members of a thread that delimit its rows.
static const struct thread_table {
    enum reference rows;
    size_t first, end;
} thread_tables[] = {
    {REFERS_RANGE, offsetof(struct thread, first_range), offsetof(struct thread, end_range)},
    {REFERS_CALL, offsetof(struct thread, first_api), offsetof(struct thread, end_api)},
    {REFERS_OS_CALL, offsetof(struct thread, first_osrt), offsetof(struct thread, end_osrt)},
};

static uint32_t *thread_row(const struct thread *thread, size_t at)
{
    return (uint32_t *)((char *)(uintptr_t)thread + at);
}

// Numbers the rows of a table thread by thread, and within a thread part by part. This is necessary
// if a thread occurs in several parts.
static void gather_by_thread(struct profile_merger *merger, const struct thread_table *table)
{
    struct profile *merged = merger->merged;
    uint32_t *next = ARENA_ARRAY(merged->arena, uint32_t, (size_t)merged->thread_count + 1);
    FOR_PARTS (merger, p, part)
        for (uint32_t i = 0; i < part->thread_count; i++)
            next[merged_row(merger, p, REFERS_THREAD, i)] +=
                *thread_row(&part->threads[i], table->end) -
                *thread_row(&part->threads[i], table->first);
    for (uint32_t t = 0, at = 0; t < merged->thread_count; t++) {
        uint32_t count = next[t];
        *thread_row(&merged->threads[t], table->first) = next[t] = at;
        at += count;
        *thread_row(&merged->threads[t], table->end) = at;
    }
    FOR_PARTS (merger, p, part) {
        uint32_t count = merger->places[p].of[table->rows].count;
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, (size_t)count + 1);
        for (uint32_t i = 0; i < part->thread_count; i++) {
            const struct thread *thread = &part->threads[i];
            uint32_t *at = &next[merged_row(merger, p, REFERS_THREAD, i)];
            for (uint32_t row = *thread_row(thread, table->first);
                 row < *thread_row(thread, table->end); row++)
                map[row] = (*at)++;
        }
        set_merged_rows(merger, p, table->rows, (struct merged_rows){.count = count, .map = map});
    }
}

static void merge_threads(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    uint32_t overheads = 0; // rows without a thread come after all others
    bool is_continued = false;
    size_t max = 1;
    FOR_PARTS (merger, p, part)
        max += part->thread_count;
    merged->threads = ARENA_ARRAY(merged->arena, struct thread, max);
    struct merged_keys known = merged_keys_open(merged->arena, 2, max);
    FOR_PARTS (merger, p, part) {
        uint32_t base = merged->thread_count;
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, (size_t)part->thread_count + 1);
        is_continued |= merger->parts[p].continues != 0;
        for (uint32_t i = 0; i < part->thread_count; i++) {
            const int64_t key[2] = {part_first(merger, p), part->threads[i].global_tid};
            map[i] = merged_keys_row(&known, key, base, merged->thread_count);
            if (map[i] < merged->thread_count)
                continue;
            merged->thread_count++;
            struct thread *thread = &merged->threads[map[i]];
            *thread = part->threads[i];
            thread->process = merged_row(merger, p, REFERS_PROCESS, thread->process);
            thread->name = text_of(merger, p, thread->name);
            for (size_t t = 0; t < sizeof thread_tables / sizeof *thread_tables; t++)
                shift(merger, p, thread_tables[t].rows, thread_row(thread, thread_tables[t].first),
                      thread_row(thread, thread_tables[t].end));
            thread->first_overhead += overheads;
            thread->end_overhead += overheads;
        }
        set_merged_rows(merger, p, REFERS_THREAD,
                        (struct merged_rows){.count = part->thread_count, .map = map});
        overheads += part->overheads.first_without_thread;
    }
    for (size_t t = 0; is_continued && t < sizeof thread_tables / sizeof *thread_tables; t++)
        gather_by_thread(merger, &thread_tables[t]);
}

// ---- GPUs and streams --------------------------------------------------------------------------

// Returns whether two captures of one machine saw the same GPU.
static bool is_same_gpu(const struct profile *merged, const struct device *a,
                        const struct device *b)
{
    uint64_t host = merged->sources[a->source].host;
    if (a->uuid && b->uuid) // UUIDs are unique
        return a->uuid == b->uuid;
    return a->bus && a->bus == b->bus && host && host == merged->sources[b->source].host;
}

// Returns whether two GPUs with the same identity may be different ones: if each process sees only
// one GPU, each calls it 0.
static bool may_be_two(const struct device *a, const struct device *b)
{
    return a->has_work && b->has_work && (a->is_by_ordinal || b->is_by_ordinal);
}

// Returns whether two parts of one process have the same GPU: its number is the same in all parts.
static bool is_continued_gpu(const struct profile_merger *merger, const struct device *a,
                             const struct device *b)
{
    return a->source != b->source && parts_share_process(merger, a->source, b->source) &&
           a->ordinal == b->ordinal && a->gpu_id == b->gpu_id;
}

static uint32_t device_put(const struct profile_merger *merger, const struct device *device,
                           uint32_t *assumed)
{
    struct profile *merged = merger->merged;
    bool is_ambiguous = false;
    for (uint32_t d = 0; d < merged->device_count; d++) {
        struct device *known = &merged->devices[d];
        bool is_continued = is_continued_gpu(merger, known, device);
        if (known->source == device->source ||
            (!is_continued && !is_same_gpu(merged, known, device)))
            continue;
        if (!is_continued && may_be_two(known, device)) {
            *assumed += known->is_assumed ? 1 : 2;
            known->is_assumed = is_ambiguous = true;
            continue;
        }
        known->has_work |= device->has_work;
        known->has_kernels |= device->has_kernels;
        known->is_by_ordinal |= device->is_by_ordinal;
        return d;
    }
    struct device *added = &merged->devices[merged->device_count];
    *added = *device;
    if (is_ambiguous) {
        added->is_assumed = true;
        added->gpu_id = ROW_NONE;
        added->uuid = added->bus = STRING_NONE;
    }
    return merged->device_count++;
}

// Returns whether a GPU can be distinguished from the GPUs of other files.
static bool has_identity(const struct profile *part, const struct device *device)
{
    return device->uuid || (device->bus && part->sources[0].host);
}

static bool has_working_gpu(const struct profile *part, bool with_identity_too)
{
    bool has = false;
    for (uint32_t d = 0; d < part->device_count; d++)
        has |= part->devices[d].has_work &&
               (with_identity_too || !has_identity(part, &part->devices[d]));
    return has;
}

// Returns whether an idle GPU of a part may be a GPU that runs work in another file, and is left
// out. This requires that other GPUs of the part run work, and that this GPU or
// (`is_any_ambiguous`) some GPU with work has no identity.
static bool may_run_elsewhere(const struct profile *part, const struct device *device,
                              bool is_any_ambiguous)
{
    return !device->has_work && (is_any_ambiguous || !has_identity(part, device)) &&
           has_working_gpu(part, true);
}

static void merge_devices(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    uint32_t max = 0, assumed = 0;
    bool is_any_ambiguous = false;
    FOR_PARTS (merger, p, part) {
        max += part->device_count;
        is_any_ambiguous |= has_working_gpu(part, false);
    }
    merged->devices = ARENA_ARRAY(merged->arena, struct device, max + 1);
    FOR_PARTS (merger, p, part) {
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, part->device_count + 1);
        for (uint32_t d = 0; d < part->device_count; d++) {
            struct device device = part->devices[d];
            map[d] = ROW_NONE;
            if (may_run_elsewhere(part, &device, is_any_ambiguous))
                continue;
            device.name = text_of(merger, p, device.name);
            device.uuid = text_of(merger, p, device.uuid);
            device.bus = text_of(merger, p, device.bus);
            device.source = p;
            map[d] = device_put(merger, &device, &assumed);
        }
        set_merged_rows(merger, p, REFERS_DEVICE,
                        (struct merged_rows){.count = part->device_count, .map = map});
    }
    profile_number_devices(merged);
    if (assumed)
        profile_note(merged, NOTE_WARNING, "devices_assumed", assumed, NULL,
                     "processes of several files use the same device number and the files do not "
                     "tell which GPU each means: %u of them are kept apart as GPUs of their own",
                     assumed);
}

static void merge_streams(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    size_t max = 1;
    FOR_PARTS (merger, p, part)
        max += part->stream_count;
    merged->streams = ARENA_ARRAY(merged->arena, struct stream, max);
    struct merged_keys known = merged_keys_open(merged->arena, 4, max);
    FOR_PARTS (merger, p, part) {
        uint32_t base = merged->stream_count;
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, part->stream_count + 1);
        for (uint32_t i = 0; i < part->stream_count; i++) {
            struct stream stream = part->streams[i];
            stream.process = merged_row(merger, p, REFERS_PROCESS, stream.process);
            stream.device = merged_row(merger, p, REFERS_DEVICE, stream.device);
            const int64_t key[4] = {stream.process, stream.device, stream.context,
                                    stream.stream_id};
            map[i] = stream.stream_id == UNKNOWN // has a name instead, or is the only one
                         ? merged->stream_count
                         : merged_keys_row(&known, key, base, merged->stream_count);
            if (map[i] == merged->stream_count)
                merged->streams[merged->stream_count++] = stream;
        }
        set_merged_rows(merger, p, REFERS_STREAM,
                        (struct merged_rows){.count = part->stream_count, .map = map});
    }
}

// ---- functions, shapes, copies, domains, labels ------------------------------------------------

enum { MAX_KEY = 11 };

struct distinct_table { // a table in which several parts may have the same row
    size_t rows, count; // offsets in struct profile
    size_t row_size;    // bytes
    uint32_t width;     // length of a key
    enum reference reference;
    // Writes a part's row as it is in the merged profile, and its key.
    void (*put)(const struct profile_merger *merger, uint32_t part, uint32_t i, void *row,
                int64_t *key);
};

static void put_function(const struct profile_merger *merger, uint32_t part, uint32_t i, void *row,
                         int64_t *key)
{
    struct function *function = row;
    *function = merger->parts[part].profile->functions[i];
    function->full = text_of(merger, part, function->full);
    function->brief = text_of(merger, part, function->brief);
    function->family = text_of(merger, part, function->family);
    function->alike = text_of(merger, part, function->alike);
    key[0] = function->kind;
    key[1] = function->full;
    key[2] = function->brief;
}

static void put_shape(const struct profile_merger *merger, uint32_t part, uint32_t i, void *row,
                      int64_t *key)
{
    struct launch_shape *shape = row;
    *shape = merger->parts[part].profile->shapes[i];
    for (size_t axis = 0; axis < 3; axis++) {
        key[axis] = shape->grid[axis];
        key[3 + axis] = shape->block[axis];
    }
    key[6] = shape->registers;
    key[7] = shape->static_shared;
    key[8] = shape->dynamic_shared;
    key[9] = shape->micro_blocks_per_sm;
    key[10] = shape->micro_occupancy;
}

static void put_copy(const struct profile_merger *merger, uint32_t part, uint32_t i, void *row,
                     int64_t *key)
{
    struct copy *copy = row;
    *copy = merger->parts[part].profile->copies[i];
    key[0] = copy->copy_kind;
    key[1] = copy->src_kind;
    key[2] = copy->dst_kind;
}

static void put_domain(const struct profile_merger *merger, uint32_t part, uint32_t i, void *row,
                       int64_t *key)
{
    struct domain *domain = row;
    domain->name = text_of(merger, part, merger->parts[part].profile->domains[i].name);
    key[0] = i == 0 ? -1 : (int64_t)domain->name; // row 0 is the default domain in each part
}

#define DISTINCT(member, member_count, width, reference, put)                     \
    {                                                                             \
        offsetof(struct profile, member), offsetof(struct profile, member_count), \
            sizeof *((struct profile *)NULL)->member, width, reference, put       \
    }

static const struct distinct_table distincts[] = {
    DISTINCT(functions, function_count, 3, REFERS_FUNCTION, put_function),
    DISTINCT(shapes, shape_count, MAX_KEY, REFERS_SHAPE, put_shape),
    DISTINCT(copies, copy_count, 3, REFERS_COPY, put_copy),
    DISTINCT(domains, domain_count, 1, REFERS_DOMAIN, put_domain),
};

static uint32_t *count_at(const struct profile *profile, const struct distinct_table *table)
{
    return (uint32_t *)((char *)(uintptr_t)profile + table->count);
}

static void merge_distinct(struct profile_merger *merger, const struct distinct_table *table)
{
    struct profile *merged = merger->merged;
    struct tuples known;
    tuples_open(&known, merged->arena, table->width);
    size_t max = 1;
    uint32_t count = 0;
    FOR_PARTS (merger, p, part)
        max += *count_at(part, table);
    char *rows = arena_alloc(merged->arena, max, table->row_size);
    FOR_PARTS (merger, p, part) {
        uint32_t row_count = *count_at(part, table);
        uint32_t *map = ARENA_ARRAY(merged->arena, uint32_t, row_count + 1);
        for (uint32_t i = 0; i < row_count; i++) {
            int64_t key[MAX_KEY];
            table->put(merger, p, i, rows + count * table->row_size, key);
            map[i] = tuples_put(&known, key);
            count += map[i] == count;
        }
        set_merged_rows(merger, p, table->reference,
                        (struct merged_rows){.count = row_count, .map = map});
    }
    memcpy((char *)merged + table->rows, &rows, sizeof rows);
    *count_at(merged, table) = count;
}

static void merge_labels(struct profile_merger *merger)
{
    struct profile *merged = merger->merged;
    COUNT_ROWS(merger, REFERS_LABEL, ranges.label_count);
    merged->ranges.labels =
        ARENA_ARRAY(merged->arena, struct range_label, merged->ranges.label_count + 1);
    FOR_PARTS (merger, p, part) {
        for (uint32_t i = 0; i < part->ranges.label_count; i++) {
            struct range_label *label =
                &merged->ranges.labels[merged_row(merger, p, REFERS_LABEL, i)];
            *label = part->ranges.labels[i];
            label->name = text_of(merger, p, label->name);
            label->sizes = text_of(merger, p, label->sizes);
            label->domain = merged_row(merger, p, REFERS_DOMAIN, label->domain);
            label->thread = merged_row(merger, p, REFERS_THREAD, label->thread);
            label->chain = merged_row(merger, p, REFERS_CHAIN, label->chain);
        }
    }
}

// Renumbers the ids of call chains consecutively, since each file numbers its own.
static void merge_chains(struct profile_merger *merger)
{
    uint32_t base = 0;
    FOR_PARTS (merger, p, part) {
        const struct frames *frames = &part->frames;
        uint32_t *ids = ARENA_ARRAY(merger->merged->arena, uint32_t, frames->count + 1), count = 0;
        for (uint32_t i = 0; i < frames->count; i++)
            if (i == 0 || frames->chain[i] != frames->chain[i - 1])
                ids[count++] = frames->chain[i];
        set_merged_rows(merger, p, REFERS_CHAIN,
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

void merge_small(struct profile_merger *merger)
{
    merge_texts(merger);
    merge_sources(merger);
    merge_processes(merger);
    merge_threads(merger);
    merge_devices(merger);
    merge_streams(merger);
    shift_correlations(merger);
    for (size_t i = 0; i < sizeof distincts / sizeof *distincts; i++)
        merge_distinct(merger, &distincts[i]);
    merge_chains(merger);
    merge_labels(merger);
    merge_recorded_ops(merger);
}
