// SPDX-License-Identifier: Apache-2.0
// Reads GPU work of an nsys export (kernels, copies, memsets, whole graphs) and arranges the work
// of all loaders that fill raw_work.
#include <string.h>

#include "base/parse/demangle.h"
#include "model/nsys/load_nsys_rows.h"
#include "model/profile/copy_kinds.h"
#include "model/rules/kernel_name.h"

struct work_name {
    string_id full, brief;
};

struct work_local {
    // (kind, and up to three numbers that identify the function within its kind) -> index in `name`
    struct tuples names;
    size_t name_capacity;
    struct work_name *name;
    struct tuples places;        // global pid, ordinal, context, stream
    struct tuples shapes;        // grid, block, registers, shared memory
    struct tuples copies;        // copy kind, source kind, destination kind
    struct demangler *demangler; // NULL until a name needs it
};

// The first columns of every table below.
#define PLACE_COLUMNS \
    "start", "end", "globalPid", "deviceId", "contextId", "streamId", "correlationId", "graphNodeId"
enum {
    AT_START,
    AT_END,
    AT_PID,
    AT_DEVICE,
    AT_CONTEXT,
    AT_STREAM,
    AT_CORRELATION,
    AT_NODE,
    AT_OWN
};

static void work_begin(struct table_slice *slice)
{
    struct work_local *local = ARENA_NEW(slice->arena, struct work_local);
    tuples_open(&local->names, slice->arena, 4);
    tuples_open(&local->places, slice->arena, 4);
    tuples_open(&local->shapes, slice->arena, SHAPE_KEY);
    tuples_open(&local->copies, slice->arena, 3);
    slice->local = local;
}

static bool work_row(struct table_slice *slice, sqlite3_value **row, uint32_t *at)
{
    struct raw_work *raw = slice->target;
    struct work_local *local = slice->local;
    int64_t start, end;
    if (!slice_times(slice, row, AT_START, &start, &end))
        return false;
    int64_t correlation = cell_integer_or(row, AT_CORRELATION, 0);
    int64_t place[4] = {
        nsys_pid(slice->nsys, cell_integer_or(row, AT_PID, 0)),
        cell_integer_or(row, AT_DEVICE, 0),
        cell_integer_or(row, AT_CONTEXT, 0),
        cell_integer_or(row, AT_STREAM, 0),
    };
    if (!nsys_excerpt_has_work(slice->nsys, place[0], correlation, start) || !slice_room(slice, at))
        return false;
    int64_t node = cell_integer_or(row, AT_NODE, 0);
    raw->start[*at] = start;
    raw->end[*at] = end;
    raw->place[*at] = tuples_put(&local->places, place);
    raw->correlation[*at] = correlation < 0 || correlation > UINT32_MAX ? 0 : (uint32_t)correlation;
    raw->shape[*at] = ROW_NONE;
    if (node) // untouched pages of a column take no memory
        raw->graph_node[*at] = node;
    return true;
}

// Returns the local function of a key. If *is_new, the caller must name it.
static uint32_t work_function(struct table_slice *slice, const int64_t key[4], bool *is_new)
{
    struct work_local *local = slice->local;
    uint32_t known = local->names.count;
    uint32_t index = tuples_put(&local->names, key);
    *is_new = index == known;
    return index;
}

static void name_function(struct table_slice *slice, string_id full, string_id brief)
{
    struct work_local *local = slice->local;
    size_t count = local->names.count - 1;
    ARENA_PUSH(slice->arena, local->name, count, local->name_capacity) =
        (struct work_name){full, brief};
}

static void name_plain(struct table_slice *slice, const char *name)
{
    string_id id = strings_intern_text(slice->strings, name);
    name_function(slice, id, id);
}

// ---- kernels -----------------------------------------------------------------------------------

static void name_by_base(struct table_slice *slice, string_id name)
{
    const char *base;
    size_t length = kernel_name_base(strings_text(slice->strings, name),
                                     strings_length(slice->strings, name), &base);
    name_function(slice, name, length ? strings_intern(slice->strings, base, length) : name);
}

// Sets the names of a kernel for which the file contains only the mangled symbol.
static void name_mangled(struct table_slice *slice, string_id symbol)
{
    struct work_local *local = slice->local;
    struct demangled name;
    if (!local->demangler)
        local->demangler = ARENA_NEW(slice->arena, struct demangler);
    if (!symbol)
        name_plain(slice, "[unknown kernel]");
    else if (demangle(local->demangler, strings_text(slice->strings, symbol),
                      strings_length(slice->strings, symbol), &name))
        name_function(slice, strings_intern_text(slice->strings, name.full),
                      strings_intern_text(slice->strings, name.base));
    else
        name_by_base(slice, symbol);
}

enum {
    KERNEL_FULL = AT_OWN,
    KERNEL_BRIEF,
    KERNEL_MANGLED,
    KERNEL_SHAPE,
    KERNEL_GRAPH = KERNEL_SHAPE + SHAPE_NUMBERS
};
static const char *const kernel_columns[] = {
    PLACE_COLUMNS,
    "demangledName",
    "shortName",
    "mangledName",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
    "registersPerThread",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "graphExecId|graphId",
    NULL,
};

static void kernel_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_work *raw = slice->target;
    struct work_local *local = slice->local;
    uint32_t at;
    if (!work_row(slice, row, &at))
        return;
    int32_t numbers[SHAPE_NUMBERS];
    int64_t shape[SHAPE_KEY];
    for (int i = 0; i < SHAPE_NUMBERS; i++)
        numbers[i] = cell_small(row, KERNEL_SHAPE + i);
    work_shape_key(numbers, shape);
    raw->shape[at] = tuples_put(&local->shapes, shape);
    int64_t graph = cell_integer_or(row, KERNEL_GRAPH, 0);
    if (graph)
        raw->graph[at] = graph;
    int64_t key[4] = {WORK_KERNEL, cell_integer_or(row, KERNEL_FULL, -1),
                      cell_integer_or(row, KERNEL_BRIEF, -1), -1};
    if (key[1] < 0 && key[2] < 0)
        key[3] = cell_integer_or(row, KERNEL_MANGLED, -1);
    bool is_new;
    raw->function[at] = work_function(slice, key, &is_new);
    if (!is_new)
        return;
    string_id full = slice_text_by_id(slice, row, KERNEL_FULL);
    string_id brief = slice_text_by_id(slice, row, KERNEL_BRIEF);
    if (!full && !brief) {
        name_mangled(slice, slice_text_by_id(slice, row, KERNEL_MANGLED));
        return;
    }
    name_function(slice, full ? full : brief, brief ? brief : full);
}

// ---- copies and memsets ------------------------------------------------------------------------

enum { COPY_BYTES = AT_OWN, COPY_KIND, COPY_SOURCE, COPY_DESTINATION };
static const char *const copy_columns[] = {PLACE_COLUMNS, "bytes",   "copyKind",
                                           "srcKind",     "dstKind", NULL};

static void copy_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_work *raw = slice->target;
    struct work_local *local = slice->local;
    uint32_t at;
    if (!work_row(slice, row, &at))
        return;
    raw->bytes[at] = believed_bytes(cell_integer_or(row, COPY_BYTES, UNKNOWN));
    int64_t kinds[3] = {cell_small(row, COPY_KIND), cell_small(row, COPY_SOURCE),
                        cell_small(row, COPY_DESTINATION)};
    raw->shape[at] = tuples_put(&local->copies, kinds);
    int64_t key[4] = {WORK_MEMCPY, kinds[0], kinds[1], kinds[2]};
    bool is_new;
    raw->function[at] = work_function(slice, key, &is_new);
    if (is_new)
        name_plain(slice, copy_name(slice->arena, kinds[0], kinds[1], kinds[2]));
}

enum { SET_BYTES = AT_OWN, SET_KIND };
static const char *const set_columns[] = {PLACE_COLUMNS, "bytes", "memKind", NULL};

static void set_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_work *raw = slice->target;
    struct work_local *local = slice->local;
    uint32_t at;
    if (!work_row(slice, row, &at))
        return;
    raw->bytes[at] = believed_bytes(cell_integer_or(row, SET_BYTES, UNKNOWN));
    int64_t kinds[3] = {-1, -1, cell_small(row, SET_KIND)};
    raw->shape[at] = tuples_put(&local->copies, kinds);
    bool is_new;
    raw->function[at] = work_function(slice, (int64_t[4]){WORK_MEMSET, 0, 0, 0}, &is_new);
    if (is_new)
        name_plain(slice, "[memset]");
}

// ---- graphs that the capture traced as a whole --------------------------------------------------

enum { GRAPH_EXEC = AT_OWN, GRAPH_ID };
static const char *const graph_columns[] = {PLACE_COLUMNS, "graphExecId", "graphId", NULL};

static void graph_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_work *raw = slice->target;
    uint32_t at;
    if (!work_row(slice, row, &at))
        return;
    int64_t graph = cell_integer_or(row, GRAPH_EXEC, 0);
    if (!graph)
        graph = cell_integer_or(row, GRAPH_ID, 0);
    raw->graph[at] = graph;
    bool is_new;
    raw->function[at] = work_function(slice, (int64_t[4]){WORK_GRAPH, graph, 0, 0}, &is_new);
    if (is_new)
        name_plain(slice, graph ? arena_format(slice->arena, "[graph %lld]", (long long)graph)
                                : "[graph]");
}

static const struct table_reader readers[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", kernel_columns, work_begin, kernel_row, EXTENT_WORK},
    {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", kernel_columns, work_begin, kernel_row, // nvprof
     EXTENT_WORK},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", copy_columns, work_begin, copy_row, EXTENT_WORK},
    // nvprof: copies between GPUs
    {"CUPTI_ACTIVITY_KIND_MEMCPY2", copy_columns, work_begin, copy_row, EXTENT_WORK},
    {"CUPTI_ACTIVITY_KIND_MEMSET", set_columns, work_begin, set_row, EXTENT_WORK},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graph_columns, work_begin, graph_row, EXTENT_WORK},
};
enum { READER_COUNT = sizeof readers / sizeof *readers };
_Static_assert((int)READER_COUNT == (int)NSYS_WORK_TABLES, "as many tables as readers");

const char *nsys_work_table(size_t i)
{
    return i < READER_COUNT ? readers[i].table : NULL;
}

// ---- merging -----------------------------------------------------------------------------------

void work_tables_open(struct nsys *nsys, struct work_tables *all)
{
    tuples_open(&all->functions, nsys->scratch, 4);
    tuples_open(&all->places, nsys->scratch, 4);
    tuples_open(&all->shapes, nsys->scratch, SHAPE_KEY);
    tuples_open(&all->copies, nsys->scratch, 3);
}

void work_shape_key(const int32_t numbers[SHAPE_NUMBERS], int64_t key[SHAPE_KEY])
{
    int32_t padded[2 * SHAPE_KEY] = {0};
    memcpy(padded, numbers, SHAPE_NUMBERS * sizeof *numbers);
    memcpy(key, padded, sizeof padded);
}

void raw_work_open(struct nsys *nsys, const struct table_slices *slices, struct raw_work *raw)
{
    raw->start = nsys_raw_column(nsys, slices, sizeof *raw->start);
    raw->end = nsys_raw_column(nsys, slices, sizeof *raw->end);
    raw->bytes = nsys_raw_column(nsys, slices, sizeof *raw->bytes);
    raw->graph_node = nsys_raw_column(nsys, slices, sizeof *raw->graph_node);
    raw->graph = nsys_raw_column(nsys, slices, sizeof *raw->graph);
    raw->function = nsys_raw_column(nsys, slices, sizeof *raw->function);
    raw->place = nsys_raw_column(nsys, slices, sizeof *raw->place);
    raw->correlation = nsys_raw_column(nsys, slices, sizeof *raw->correlation);
    raw->shape = nsys_raw_column(nsys, slices, sizeof *raw->shape);
}

static void merge_slice(struct nsys *nsys, struct work_tables *all, const struct table_slice *slice)
{
    const struct work_local *local = slice->local;
    struct raw_work *raw = slice->target;
    uint32_t *function = ARENA_ARRAY(nsys->scratch, uint32_t, local->names.count);
    uint32_t *place = ARENA_ARRAY(nsys->scratch, uint32_t, local->places.count);
    uint32_t shape_count = local->shapes.count + local->copies.count; // one of the two is empty
    uint32_t *shape = ARENA_ARRAY(nsys->scratch, uint32_t, shape_count);
    for (uint32_t i = 0; i < local->names.count; i++)
        function[i] = tuples_put(&all->functions,
                                 (int64_t[4]){tuples_key(&local->names, i)[0],
                                              slice->names[local->name[i].full],
                                              slice->names[local->name[i].brief], STATE_UNKNOWN});
    for (uint32_t i = 0; i < local->places.count; i++)
        place[i] = tuples_put(&all->places, tuples_key(&local->places, i));
    for (uint32_t i = 0; i < local->shapes.count; i++)
        shape[i] = tuples_put(&all->shapes, tuples_key(&local->shapes, i));
    for (uint32_t i = 0; i < local->copies.count; i++)
        shape[i] = tuples_put(&all->copies, tuples_key(&local->copies, i));
    for (uint32_t i = slice->base; i < slice->base + slice->count; i++) {
        raw->function[i] = function[raw->function[i]];
        raw->place[i] = place[raw->place[i]];
        if (raw->shape[i] != ROW_NONE)
            raw->shape[i] = shape[raw->shape[i]];
    }
}

static void fill_tables(struct nsys *nsys, const struct work_tables *all)
{
    struct profile *profile = nsys->profile;
    profile->function_count = all->functions.count;
    profile->functions = ARENA_ARRAY(nsys->arena, struct function, all->functions.count);
    for (uint32_t i = 0; i < all->functions.count; i++) {
        const int64_t *key = tuples_key(&all->functions, i);
        profile->functions[i] = (struct function){
            .kind = (enum work_kind)key[0],
            .full = (string_id)key[1],
            .brief = (string_id)key[2],
            .dlprof_tensor_core = key[3] == STATE_YES,
            .dlprof_is_recorded = key[3] != STATE_UNKNOWN,
        };
    }
    profile->shape_count = all->shapes.count;
    profile->shapes = ARENA_ARRAY(nsys->arena, struct launch_shape, all->shapes.count);
    for (uint32_t i = 0; i < all->shapes.count; i++) {
        int32_t numbers[2 * SHAPE_KEY];
        struct launch_shape *shape = &profile->shapes[i];
        memcpy(numbers, tuples_key(&all->shapes, i), sizeof numbers);
        for (int axis = 0; axis < 3; axis++) {
            shape->grid[axis] = numbers[axis];
            shape->block[axis] = numbers[3 + axis];
        }
        shape->registers = numbers[6];
        shape->static_shared = numbers[7];
        shape->dynamic_shared = numbers[8];
        shape->micro_blocks_per_sm = shape->micro_occupancy = -1;
    }
    profile->copy_count = all->copies.count;
    profile->copies = ARENA_ARRAY(nsys->arena, struct copy, all->copies.count);
    for (uint32_t i = 0; i < all->copies.count; i++) {
        const int64_t *key = tuples_key(&all->copies, i);
        profile->copies[i] = (struct copy){(int32_t)key[0], (int32_t)key[1], (int32_t)key[2]};
    }
}

static void mark_devices(struct profile *profile, const uint32_t *first)
{
    for (uint32_t i = 0; i < profile->device_count; i++) {
        struct device *device = &profile->devices[i];
        device->first_work = first[i];
        device->end_work = first[i + 1];
        device->has_work = first[i] < first[i + 1];
        for (uint32_t row = first[i]; row < first[i + 1] && !device->has_kernels; row++)
            device->has_kernels =
                profile->functions[AT(profile->work.function, row)].kind == WORK_KERNEL;
    }
}

static bool any_set(const int64_t *column, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (column[i])
            return true;
    return false;
}

// Returns an absent column if no row has a value.
static struct column64 take_if_any(struct nsys *nsys, int64_t *raw, const uint32_t *order,
                                   uint32_t count)
{
    if (any_set(raw, count))
        return nsys_gather64(nsys, raw, order, count);
    nsys_raw_free(nsys, raw);
    return (struct column64){0};
}

// Takes the bytes of copies; an absent column if no copy's are told.
static struct column64 take_bytes(struct nsys *nsys, int64_t *raw, const uint32_t *functions,
                                  const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        enum work_kind kind = nsys->profile->functions[functions[i]].kind;
        if ((kind == WORK_MEMCPY || kind == WORK_MEMSET) && raw[i] != UNKNOWN)
            return nsys_gather64(nsys, raw, order, count);
    }
    nsys_raw_free(nsys, raw);
    return (struct column64){0};
}

uint32_t *work_arrange(struct nsys *nsys, struct raw_work *raw, const struct work_tables *all,
                       const uint32_t *stream_of, uint32_t count)
{
    struct profile *profile = nsys->profile;
    struct gpu_work *work = &profile->work;
    fill_tables(nsys, all);
    for (uint32_t i = 0; i < count; i++)
        raw->place[i] = stream_of[raw->place[i]];
    uint32_t *device_of = ARENA_ARRAY(nsys->scratch, uint32_t, profile->stream_count);
    for (uint32_t i = 0; i < profile->stream_count; i++)
        device_of[i] = profile->streams[i].device;
    uint32_t *first = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)profile->device_count + 1);
    uint32_t *order = nsys_order(nsys, raw->place, device_of, profile->device_count, raw->start,
                                 raw->end, count, first);
    work->count = count;
    work->start = nsys_gather64(nsys, raw->start, order, count);
    work->end = nsys_gather64(nsys, raw->end, order, count);
    work->bytes = take_bytes(nsys, raw->bytes, raw->function, order, count);
    work->function = nsys_gather32(nsys, raw->function, order, count);
    work->stream = nsys_gather32(nsys, raw->place, order, count);
    work->correlation = nsys_gather32(nsys, raw->correlation, order, count);
    work->shape = nsys_gather32(nsys, raw->shape, order, count);
    work->graph_node = take_if_any(nsys, raw->graph_node, order, count);
    work->graph = take_if_any(nsys, raw->graph, order, count);
    uint32_t *flags = nsys_raw_alloc(nsys, count, sizeof *flags);
    for (uint32_t i = 0; HAS(work->graph_node) && i < count; i++)
        if (AT(work->graph_node, i))
            flags[i] |= WORK_IN_GRAPH;
    work->flags = nsys_gather32(nsys, flags, NULL, count);
    mark_devices(profile, first);
    return order;
}

// Marks the calls outside the window that launched work in it. Must run before calls are read.
static void want_launches(struct nsys *nsys, const struct table_slices *slices,
                          const struct raw_work *raw)
{
    for (size_t s = 0; nsys->file_window.apart.count && s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        const struct work_local *local = slice->local;
        for (uint32_t i = slice->base; i < slice->base + slice->count; i++)
            nsys_excerpt_mark_launch(nsys, tuples_key(&local->places, raw->place[i])[0],
                                     raw->correlation[i]);
    }
}

bool nsys_read_work(struct nsys *nsys, struct error *error)
{
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    struct raw_work raw;
    const struct sqlite_table *tables[READER_COUNT];
    for (size_t i = 0; i < READER_COUNT; i++) {
        tables[i] = sqlite_table(nsys, readers[i].table);
        nsys_slices_add(nsys, slices, &readers[i], tables[i], &raw);
    }
    nsys->profile->has_kernels = tables[0] || tables[1];
    raw_work_open(nsys, slices, &raw);
    if (!nsys_slices_read(nsys, slices, "reading GPU work", error))
        return false;
    want_launches(nsys, slices, &raw);
    nsys_begin_calls(nsys);
    nsys_slices_merge(nsys, slices);
    struct work_tables all;
    work_tables_open(nsys, &all);
    for (size_t i = 0; i < slices->count; i++)
        merge_slice(nsys, &all, &slices->items[i]);
    uint32_t count = nsys_slices_compact(nsys, slices);
    times_limit_total(nsys->profile, nsys->request->part_of, raw.start, raw.end, count,
                      "rows of GPU work");
    nsys_slices_close(nsys, slices);
    work_arrange(nsys, &raw, &all, nsys_add_streams(nsys, &all.places), count);
    return true;
}
