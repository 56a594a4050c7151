// SPDX-License-Identifier: Apache-2.0
// Reads API calls of a DLProf database with the GPU work that they launched, one table per kind of
// call.
#include <string.h>

#include "model/dldb/load_dldb.h"
#include "model/profile/copy_kinds.h"
#include "model/profile/sync_types.h"

// ---- rows --------------------------------------------------------------------------------------

struct event_local {
    struct tuples threads, places, functions, shapes, copies;
};

#define EVENT_COLUMNS DLDB_OWNER, DLDB_THREAD, "name_id", DLDB_API_TIMES
#define WORK_COLUMNS  EVENT_COLUMNS, DLDB_GPU_TIMES, "device_id"
enum {
    AT_OP,
    AT_RUN,
    AT_PID,
    AT_TID,
    AT_NAME,
    AT_START,
    AT_STOP,
    AT_GPU_START,
    AT_GPU_STOP,
    AT_DEVICE,
    AT_OWN,
    AT_OWN_OF_CALL = AT_GPU_START
};

static void event_begin(struct table_slice *slice)
{
    struct event_local *local = ARENA_NEW(slice->arena, struct event_local);
    tuples_open(&local->threads, slice->arena, 1);
    tuples_open(&local->places, slice->arena, 4);
    tuples_open(&local->functions, slice->arena, 4);
    tuples_open(&local->shapes, slice->arena, 2);
    tuples_open(&local->copies, slice->arena, 3);
    slice->local = local;
}

static bool event_row(struct table_slice *slice, sqlite3_value **row, enum api_kind kind,
                      uint32_t *at)
{
    struct raw_events *raw = &((struct dldb *)slice->target)->events;
    struct event_local *local = slice->local;
    if (!slice_room(slice, at))
        return false;
    int64_t thread = dldb_thread(row, AT_PID, AT_TID);
    int64_t run = cell_integer_or(row, AT_RUN, -1);
    raw->op_id[*at] = cell_integer_or(row, AT_OP, UNKNOWN);
    raw->owner[*at] = run < 0 || run >= DLDB_OTHER_DOMAIN ? ROW_NONE : (uint32_t)run;
    raw->thread[*at] = tuples_put(&local->threads, &thread);
    raw->name[*at] = slice_text_by_id(slice, row, AT_NAME);
    raw->kind[*at] = (uint8_t)kind;
    raw->shape[*at] = ROW_NONE;
    return true;
}

static bool call_row(struct table_slice *slice, sqlite3_value **row, enum api_kind kind,
                     uint32_t *at)
{
    struct raw_events *raw = &((struct dldb *)slice->target)->events;
    int64_t start, end;
    if (!slice_times(slice, row, AT_START, &start, &end) || !event_row(slice, row, kind, at))
        return false;
    raw->start[*at] = start;
    raw->end[*at] = end;
    return true;
}

// Reads a row: an API call with its GPU work. The work is kept even if its call is not recorded.
static bool work_row(struct table_slice *slice, sqlite3_value **row, enum api_kind kind,
                     uint32_t *at)
{
    struct raw_events *raw = &((struct dldb *)slice->target)->events;
    struct event_local *local = slice->local;
    int64_t start, end, gpu_start, gpu_end;
    if (!slice_times(slice, row, AT_GPU_START, &gpu_start, &gpu_end) ||
        !event_row(slice, row, kind, at))
        return false;
    bool has_call = cell_integer(row, AT_START, &start) && cell_integer(row, AT_STOP, &end) &&
                    nsys_is_plausible_time(slice->nsys, start) &&
                    nsys_is_plausible_time(slice->nsys, end) && end >= start &&
                    end - start <= DURATION_LIMIT;
    raw->start[*at] = has_call ? start : 0;
    raw->end[*at] = has_call ? end : -1;
    raw->gpu_start[*at] = gpu_start;
    raw->gpu_end[*at] = gpu_end;
    int64_t place[4] = {nsys_pid(slice->nsys, dldb_thread(row, AT_PID, AT_TID)),
                        cell_integer_or(row, AT_DEVICE, 0), 0, 0};
    raw->place[*at] = tuples_put(&local->places, place);
    return true;
}

static uint32_t local_function(struct table_slice *slice, enum work_kind kind, string_id full,
                               string_id brief, enum tristate tensor_core)
{
    struct event_local *local = slice->local;
    return tuples_put(&local->functions, (int64_t[4]){kind, full, brief, tensor_core});
}

enum { KERNEL_LONG = AT_OWN, KERNEL_TC, KERNEL_GRID, KERNEL_BLOCK };
static const char *const kernel_columns[] = {WORK_COLUMNS, "long_name_id", "uses_tc",
                                             "grid_id",    "block_id",     NULL};

static void kernel_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_events *raw = &((struct dldb *)slice->target)->events;
    struct event_local *local = slice->local;
    uint32_t at;
    if (!work_row(slice, row, API_KERNEL, &at))
        return;
    string_id brief = raw->name[at], full = slice_text_by_id(slice, row, KERNEL_LONG);
    int64_t uses_tc = cell_integer_or(row, KERNEL_TC, -1);
    if (!full && !brief)
        full = strings_intern_text(slice->strings, "[unknown kernel]");
    raw->name[at] = STRING_NONE;
    raw->function[at] =
        local_function(slice, WORK_KERNEL, full ? full : brief, brief ? brief : full,
                       uses_tc < 0 ? STATE_UNKNOWN
                       : uses_tc   ? STATE_YES
                                   : STATE_NO);
    int64_t shape[2] = {cell_integer_or(row, KERNEL_GRID, UNKNOWN),
                        cell_integer_or(row, KERNEL_BLOCK, UNKNOWN)};
    raw->shape[at] = tuples_put(&local->shapes, shape);
}

enum { COPY_BYTES = AT_OWN, COPY_KIND };
static const char *const copy_columns[] = {WORK_COLUMNS, "num_bytes", "copy_kind", NULL};

static void copy_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_events *raw = &((struct dldb *)slice->target)->events;
    struct event_local *local = slice->local;
    uint32_t at;
    if (!work_row(slice, row, API_MEMCPY, &at))
        return;
    int64_t kinds[3] = {cell_small(row, COPY_KIND), -1, -1};
    string_id name = strings_intern_text(slice->strings, copy_name(slice->arena, kinds[0], -1, -1));
    raw->bytes[at] = believed_bytes(cell_integer_or(row, COPY_BYTES, UNKNOWN));
    raw->shape[at] = tuples_put(&local->copies, kinds);
    raw->function[at] = local_function(slice, WORK_MEMCPY, name, name, STATE_UNKNOWN);
}

static const char *const set_columns[] = {WORK_COLUMNS, "num_bytes", NULL};

static void set_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_events *raw = &((struct dldb *)slice->target)->events;
    uint32_t at;
    if (!work_row(slice, row, API_MEMSET, &at))
        return;
    string_id name = strings_intern_text(slice->strings, "[memset]");
    raw->bytes[at] = believed_bytes(cell_integer_or(row, COPY_BYTES, UNKNOWN));
    raw->function[at] = local_function(slice, WORK_MEMSET, name, name, STATE_UNKNOWN);
}

static const char *const sync_columns[] = {EVENT_COLUMNS, "sync_type", NULL};

static void sync_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_events *raw = &((struct dldb *)slice->target)->events;
    uint32_t at;
    if (call_row(slice, row, API_SYNC, &at))
        raw->shape[at] = sync_type_of_nsys(cell_integer_or(row, AT_OWN_OF_CALL, 0));
}

static const char *const plain_columns[] = {EVENT_COLUMNS, NULL};

static void plain_row(struct table_slice *slice, sqlite3_value **row)
{
    uint32_t at;
    call_row(slice, row, API_PLAIN, &at);
}

static const struct table_reader readers[] = {
    {DLDB_KERNELS, kernel_columns, event_begin, kernel_row, EXTENT_ALL},
    {DLDB_MEMCPYS, copy_columns, event_begin, copy_row, EXTENT_ALL},
    {DLDB_MEMSETS, set_columns, event_begin, set_row, EXTENT_ALL},
    {DLDB_CUDA_SYNCS, sync_columns, event_begin, sync_row, EXTENT_ALL},
    {DLDB_CUDA_CALLS, plain_columns, event_begin, plain_row, EXTENT_ALL},
};
enum { READER_COUNT = sizeof readers / sizeof *readers };
enum { KERNELS_TABLE, SYNCS_TABLE = 3 };

// ---- merging -----------------------------------------------------------------------------------

struct grid_block_dims {
    int32_t dims[3];
};

struct grid_block_list { // read_only_grid_block by id
    struct tuples ids;
    size_t capacity;
    struct grid_block_dims *items;
};

static void grid_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct grid_block_list *grids = context;
    int64_t id;
    size_t count = grids->ids.count;
    if (!cell_integer(row, 0, &id) || tuples_put(&grids->ids, &id) != count)
        return;
    ARENA_PUSH(nsys->scratch, grids->items, count, grids->capacity) =
        (struct grid_block_dims){{cell_small(row, 1), cell_small(row, 2), cell_small(row, 3)}};
}

static void put_dims(const struct grid_block_list *grids, int64_t id, int32_t *dims)
{
    uint32_t at = tuples_find(&grids->ids, &id);
    const int32_t *found = at == UINT32_MAX ? NULL : grids->items[at].dims;
    bool is_launch = found && (found[0] || found[1] || found[2]); // no launch has a size of 0
    for (int axis = 0; axis < 3; axis++)
        dims[axis] = is_launch ? found[axis] : -1;
}

static uint32_t put_shape(struct work_tables *work, const struct grid_block_list *grids,
                          const int64_t *ids)
{
    int32_t numbers[SHAPE_NUMBERS];
    int64_t key[SHAPE_KEY];
    // sets all to -1: registers and shared memory are unknown
    memset(numbers, 0xff, sizeof numbers);
    put_dims(grids, ids[0], numbers);
    put_dims(grids, ids[1], numbers + 3);
    work_shape_key(numbers, key);
    return tuples_put(&work->shapes, key);
}

static void merge_slice(struct dldb *dldb, const struct grid_block_list *grids,
                        const struct table_slice *slice)
{
    struct arena *scratch = dldb->nsys->scratch;
    const struct event_local *local = slice->local;
    struct raw_events *raw = &dldb->events;
    struct work_tables *work = &dldb->work;
    uint32_t *thread = ARENA_ARRAY(scratch, uint32_t, local->threads.count);
    uint32_t *place = ARENA_ARRAY(scratch, uint32_t, local->places.count);
    uint32_t *function = ARENA_ARRAY(scratch, uint32_t, local->functions.count);
    uint32_t shapes = local->shapes.count + local->copies.count; // one of the two is empty
    uint32_t *shape = ARENA_ARRAY(scratch, uint32_t, shapes);
    for (uint32_t i = 0; i < local->threads.count; i++)
        thread[i] = nsys_thread_row(dldb->nsys, *tuples_key(&local->threads, i));
    for (uint32_t i = 0; i < local->places.count; i++)
        place[i] = tuples_put(&work->places, tuples_key(&local->places, i));
    for (uint32_t i = 0; i < local->functions.count; i++) {
        const int64_t *key = tuples_key(&local->functions, i);
        function[i] = tuples_put(&work->functions, (int64_t[4]){key[0], slice->names[key[1]],
                                                                slice->names[key[2]], key[3]});
    }
    for (uint32_t i = 0; i < local->shapes.count; i++)
        shape[i] = put_shape(work, grids, tuples_key(&local->shapes, i));
    for (uint32_t i = 0; i < local->copies.count; i++)
        shape[i] = tuples_put(&work->copies, tuples_key(&local->copies, i));
    for (uint32_t i = slice->base; i < slice->base + slice->count; i++) {
        bool is_work = raw->kind[i] != API_SYNC && raw->kind[i] != API_PLAIN;
        raw->thread[i] = thread[raw->thread[i]];
        raw->name[i] = slice->names[raw->name[i]];
        raw->place[i] = is_work ? place[raw->place[i]] : ROW_NONE;
        raw->function[i] = is_work ? function[raw->function[i]] : ROW_NONE;
        if (is_work && raw->shape[i] != ROW_NONE)
            raw->shape[i] = shape[raw->shape[i]];
    }
}

static void raw_events_open(struct nsys *nsys, const struct table_slices *slices,
                            struct raw_events *raw)
{
    raw->start = nsys_raw_column(nsys, slices, sizeof *raw->start);
    raw->end = nsys_raw_column(nsys, slices, sizeof *raw->end);
    raw->gpu_start = nsys_raw_column(nsys, slices, sizeof *raw->gpu_start);
    raw->gpu_end = nsys_raw_column(nsys, slices, sizeof *raw->gpu_end);
    raw->bytes = nsys_raw_column(nsys, slices, sizeof *raw->bytes);
    raw->op_id = nsys_raw_column(nsys, slices, sizeof *raw->op_id);
    raw->owner = nsys_raw_column(nsys, slices, sizeof *raw->owner);
    raw->name = nsys_raw_column(nsys, slices, sizeof *raw->name);
    raw->thread = nsys_raw_column(nsys, slices, sizeof *raw->thread);
    raw->place = nsys_raw_column(nsys, slices, sizeof *raw->place);
    raw->function = nsys_raw_column(nsys, slices, sizeof *raw->function);
    raw->shape = nsys_raw_column(nsys, slices, sizeof *raw->shape);
    raw->kind = nsys_raw_column(nsys, slices, sizeof *raw->kind);
}

static void find_owners(struct dldb *dldb)
{
    struct raw_events *raw = &dldb->events;
    for (uint32_t i = 0; i < dldb->event_count; i++) {
        raw->owner[i] = dldb_instance(dldb, raw->op_id[i], raw->owner[i]);
        dldb->dangling += raw->owner[i] == ROW_NONE;
    }
    nsys_raw_free(dldb->nsys, raw->op_id);
}

bool dldb_read_events(struct dldb *dldb, struct error *error)
{
    static const char *const grid_columns[] = {"id", DLDB_GRID_AXES, NULL};
    struct nsys *nsys = dldb->nsys;
    struct profile *profile = nsys->profile;
    struct raw_events *raw = &dldb->events;
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    const struct sqlite_table *tables[READER_COUNT];
    for (size_t i = 0; i < READER_COUNT; i++) {
        tables[i] = sqlite_table(nsys, readers[i].table);
        profile->has_api |= tables[i] != NULL;
        nsys_slices_add(nsys, slices, &readers[i], tables[i], dldb);
    }
    profile->has_kernels = tables[KERNELS_TABLE] != NULL;
    profile->has_syncs = tables[SYNCS_TABLE] != NULL;
    raw_events_open(nsys, slices, raw);
    if (!nsys_slices_read(nsys, slices, "reading GPU work and calls", error))
        return false;
    nsys_slices_merge(nsys, slices);
    struct grid_block_list grids = {.capacity = 0};
    tuples_open(&grids.ids, nsys->scratch, 1);
    nsys_each_row(nsys, DLDB_GRID_BLOCK, grid_columns, grid_row, &grids);
    work_tables_open(nsys, &dldb->work);
    for (size_t s = 0; s < slices->count; s++)
        merge_slice(dldb, &grids, &slices->items[s]);
    dldb->event_count = nsys_slices_compact(nsys, slices);
    nsys_slices_close(nsys, slices);
    find_owners(dldb);
    return true;
}

// ---- API calls ----------------------------------------------------------------------------------

static bool is_other(const struct dldb *dldb, uint32_t event)
{
    return dldb->events.owner[event] == DLDB_OTHER_DOMAIN;
}

static struct dldb_calls find_calls(struct dldb *dldb, struct raw_calls *made_calls)
{
    struct nsys *nsys = dldb->nsys;
    const struct raw_events *raw = &dldb->events;
    size_t rows = (size_t)dldb->event_count + 1;
    struct dldb_calls calls = {.of_event = ARENA_ARRAY(nsys->scratch, uint32_t, rows),
                               .owner = ARENA_ARRAY(nsys->scratch, uint32_t, rows)};
    string_id launch = strings_intern_text(nsys->profile->strings, LAUNCH_NAME);
    struct tuples seen;
    tuples_open(&seen, nsys->scratch, 4);
    for (uint32_t i = 0; i < dldb->event_count; i++) {
        if (is_other(dldb, i) || raw->end[i] < raw->start[i])
            continue;
        const int64_t key[] = {raw->thread[i], raw->start[i], raw->end[i], raw->owner[i]};
        uint32_t at = tuples_put(&seen, key);
        if (at == calls.count) {
            made_calls->start[at] = raw->start[i];
            made_calls->end[at] = raw->end[i];
            made_calls->thread[at] = raw->thread[i];
            made_calls->name[at] = launch;
            made_calls->correlation[at] = at + 1;
            calls.owner[calls.count++] = raw->owner[i];
        }
        if (raw->name[i])
            made_calls->name[at] = raw->name[i];
        calls.of_event[i] = at + 1;
    }
    return calls;
}

static void make_syncs(struct dldb *dldb, const struct dldb_calls *calls, const uint32_t *row_of)
{
    struct profile *profile = dldb->nsys->profile;
    const struct raw_events *raw = &dldb->events;
    struct syncs *syncs = &profile->syncs;
    uint32_t count = 0;
    for (uint32_t i = 0; i < dldb->event_count; i++)
        count += raw->kind[i] == API_SYNC && calls->of_event[i];
    syncs->start = ARENA_ARRAY(profile->arena, int64_t, count);
    syncs->end = ARENA_ARRAY(profile->arena, int64_t, count);
    syncs->type = ARENA_ARRAY(profile->arena, uint8_t, count);
    syncs->stream = ARENA_ARRAY(profile->arena, uint32_t, count);
    syncs->api = ARENA_ARRAY(profile->arena, uint32_t, count);
    for (uint32_t i = 0; i < dldb->event_count; i++) {
        if (raw->kind[i] != API_SYNC || !calls->of_event[i])
            continue;
        uint32_t at = syncs->count++, row = row_of[calls->of_event[i] - 1];
        syncs->api[at] = row;
        // the file has no GPU times of synchronisations
        syncs->start[at] = AT(profile->api.start, row);
        syncs->end[at] = AT(profile->api.end, row);
        syncs->type[at] = sync_type_of_call(profile_text(profile, AT(profile->api.name, row)),
                                            (uint8_t)raw->shape[i]);
        syncs->stream[at] = ROW_NONE;
    }
}

void dldb_make_calls(struct dldb *dldb)
{
    struct nsys *nsys = dldb->nsys;
    struct profile *profile = nsys->profile;
    calls_arrange(nsys, &dldb->calls, dldb->found.count);
    uint32_t count = profile->api.count;
    uint32_t *row_of = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)count + 1);
    uint32_t *recorded = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)count + 1);
    for (uint32_t row = 0; row < count; row++) {
        uint32_t call = AT(profile->api.correlation, row) - 1;
        row_of[call] = row;
        recorded[row] = dldb->found.owner[call];
    }
    profile->api.told = profile_pack32(profile, recorded, count);
    make_syncs(dldb, &dldb->found, row_of);
}

// ---- GPU work ----------------------------------------------------------------------------------

void dldb_make_work(struct dldb *dldb)
{
    struct nsys *nsys = dldb->nsys;
    const struct raw_events *raw = &dldb->events;
    // gives the raw columns their size; no table is read
    struct table_slices made_calls = {.rows = dldb->event_count};
    raw_calls_open(nsys, &made_calls, &dldb->calls);
    dldb->found = find_calls(dldb, &dldb->calls);
    times_limit_total(nsys->profile, nsys->request->part_of, dldb->calls.start, dldb->calls.end,
                      dldb->found.count, "CUDA calls");
    struct raw_work work;
    raw_work_open(nsys, &made_calls, &work);
    uint32_t count = 0;
    uint32_t *owners = nsys_raw_alloc(nsys, dldb->event_count, sizeof *owners);
    for (uint32_t i = 0; i < dldb->event_count; i++) {
        if (raw->function[i] == ROW_NONE || is_other(dldb, i))
            continue;
        work.start[count] = raw->gpu_start[i];
        work.end[count] = raw->gpu_end[i];
        work.bytes[count] = raw->bytes[i];
        work.function[count] = raw->function[i];
        work.place[count] = raw->place[i];
        work.shape[count] = raw->shape[i];
        work.correlation[count] = dldb->found.of_event[i];
        owners[count++] = raw->owner[i];
    }
    times_limit_total(nsys->profile, nsys->request->part_of, work.start, work.end, count,
                      "rows of GPU work");
    uint32_t *order =
        work_arrange(nsys, &work, &dldb->work, dldb_streams(dldb, &dldb->work.places), count);
    nsys->profile->work.told =
        column32_pack(nsys->arena, nsys->profile->workers, owners, order, count);
    nsys_raw_free(nsys, owners);
}
