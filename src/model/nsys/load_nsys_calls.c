// SPDX-License-Identifier: Apache-2.0
// Reads API calls and synchronisations of an nsys export.
#include <string.h>

#include "model/derive/derive.h"
#include "model/nsys/load_nsys_rows.h"
#include "model/profile/sync_types.h"

// ---- API calls ---------------------------------------------------------------------------------

enum { CALL_START, CALL_END, CALL_THREAD, CALL_CORRELATION, CALL_NAME, CALL_CHAIN, CALL_RESULT };
static const char *const call_columns[] = {"start",  "end",         "globalTid",   "correlationId",
                                           "nameId", "callchainId", "returnValue", NULL};

struct calls_local {
    struct tuples threads;
    int64_t open; // number of calls without an end
};

static void calls_begin(struct table_slice *slice)
{
    struct calls_local *local = ARENA_NEW(slice->arena, struct calls_local);
    tuples_open(&local->threads, slice->arena, 1);
    slice->local = local;
}

static void call_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_calls *raw = slice->target;
    struct calls_local *local = slice->local;
    int64_t start, end;
    uint32_t at;
    // A call without an end was still running when the capture ended. It is kept with length 0
    // because its GPU work exists.
    bool is_open = sqlite3_value_type(row[CALL_END]) == SQLITE_NULL &&
                   cell_integer(row, CALL_START, &start) &&
                   nsys_is_plausible_time(slice->nsys, start);
    if (is_open)
        end = start;
    else if (!slice_times(slice, row, CALL_START, &start, &end))
        return;
    int64_t thread = cell_integer_or(row, CALL_THREAD, 0);
    int64_t correlation = cell_integer_or(row, CALL_CORRELATION, 0);
    if (!nsys_excerpt_has_call(slice->nsys, start, is_open ? INT64_MAX : end, thread,
                               correlation) ||
        !slice_room(slice, &at))
        return;
    local->open += is_open;
    int64_t chain = cell_integer_or(row, CALL_CHAIN, 0);
    raw->start[at] = start;
    raw->end[at] = end;
    raw->thread[at] = tuples_put(&local->threads, &thread);
    raw->correlation[at] = correlation < 0 || correlation > UINT32_MAX ? 0 : (uint32_t)correlation;
    raw->name[at] = slice_text_by_id(slice, row, CALL_NAME);
    if (chain > 0 && chain < UINT32_MAX)
        raw->callchain[at] = (uint32_t)chain;
    int64_t result = cell_integer_or(row, CALL_RESULT, 0);
    if (result != 0) // not written if 0, so that the column of a run without errors takes no memory
        raw->result[at] = result > 0 && result <= INT32_MAX ? (uint32_t)result : UINT32_MAX;
}

static const struct table_reader call_readers[] = {
    {"CUPTI_ACTIVITY_KIND_RUNTIME", call_columns, calls_begin, call_row, EXTENT_CALLS},
    {"CUPTI_ACTIVITY_KIND_DRIVER", call_columns, calls_begin, call_row, EXTENT_CALLS}, // nvprof
};
enum { READER_COUNT = sizeof call_readers / sizeof *call_readers };
_Static_assert((int)READER_COUNT == (int)NSYS_CALL_TABLES, "as many tables as readers");

const char *nsys_call_table(size_t i)
{
    return i < READER_COUNT ? call_readers[i].table : NULL;
}

static int64_t merge_calls(struct nsys *nsys, const struct table_slices *slices,
                           struct raw_calls *raw)
{
    int64_t open = 0;
    for (size_t s = 0; s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        const struct calls_local *local = slice->local;
        uint32_t *thread = ARENA_ARRAY(nsys->scratch, uint32_t, local->threads.count);
        for (uint32_t i = 0; i < local->threads.count; i++)
            thread[i] = nsys_thread_row(nsys, *tuples_key(&local->threads, i));
        for (uint32_t i = slice->base; i < slice->base + slice->count; i++) {
            raw->thread[i] = thread[raw->thread[i]];
            raw->name[i] = slice->names[raw->name[i]];
        }
        open += local->open;
    }
    return open;
}

void raw_calls_open(struct nsys *nsys, const struct table_slices *slices, struct raw_calls *raw)
{
    raw->start = nsys_raw_column(nsys, slices, sizeof *raw->start);
    raw->end = nsys_raw_column(nsys, slices, sizeof *raw->end);
    raw->name = nsys_raw_column(nsys, slices, sizeof *raw->name);
    raw->thread = nsys_raw_column(nsys, slices, sizeof *raw->thread);
    raw->correlation = nsys_raw_column(nsys, slices, sizeof *raw->correlation);
    raw->callchain = nsys_raw_column(nsys, slices, sizeof *raw->callchain);
    raw->result = nsys_raw_column(nsys, slices, sizeof *raw->result);
}

void calls_arrange(struct nsys *nsys, struct raw_calls *raw, uint32_t count)
{
    struct profile *profile = nsys->profile;
    struct api_calls *api = &profile->api;
    nsys_name_threads(nsys);
    nsys_publish_threads(nsys);
    uint32_t threads = profile->thread_count;
    uint32_t *first = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)threads + 1);
    uint32_t *order =
        nsys_order_outer(nsys, raw->thread, NULL, threads, raw->start, raw->end, count, first);
    for (uint32_t i = 0; i < threads; i++) {
        profile->threads[i].first_api = nsys->thread_items[i].first_api = first[i];
        profile->threads[i].end_api = nsys->thread_items[i].end_api = first[i + 1];
    }
    api->count = count;
    api->start = nsys_gather64(nsys, raw->start, order, count);
    api->end = nsys_gather64(nsys, raw->end, order, count);
    api->name = nsys_gather32(nsys, raw->name, order, count);
    api->thread = nsys_gather32(nsys, raw->thread, order, count);
    api->correlation = nsys_gather32(nsys, raw->correlation, order, count);
    bool has_chains = false, has_results = false;
    for (uint32_t i = 0; i < count; i++) {
        has_chains |= raw->callchain[i] != 0;
        has_results |= raw->result[i] != 0;
    }
    if (has_chains)
        api->callchain = nsys_gather32(nsys, raw->callchain, order, count);
    else
        nsys_raw_free(nsys, raw->callchain);
    if (has_results)
        api->result = nsys_gather32(nsys, raw->result, order, count);
    else
        nsys_raw_free(nsys, raw->result);
}

// Returns the number of rows that start before their predecessor in the same table. nsys writes
// rows in order of time, so such rows make sums over time suspect.
static int64_t count_unsorted(const struct table_slices *slices, const int64_t *start)
{
    int64_t unsorted = 0;
    const struct sqlite_table *table = NULL;
    for (size_t s = 0; s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        for (uint32_t i = 0; i < slice->count; i++, start++)
            unsorted += (i || table == slice->table) && start[0] < start[-1];
        if (slice->count)
            table = slice->table;
    }
    return unsorted;
}

// ---- synchronisations --------------------------------------------------------------------------

struct raw_syncs {
    int64_t *start, *end;
    uint8_t *type;
    uint32_t *place, *correlation; // `place` is a local index until the slices are merged
};

enum {
    SYNC_START,
    SYNC_END,
    SYNC_PID,
    SYNC_CONTEXT,
    SYNC_STREAM,
    SYNC_CORRELATION,
    SYNC_TYPE,
    SYNC_OLD_TYPE
};
static const char *const sync_columns[] = {
    "start",         "end",      "globalPid",          "contextId", "streamId",
    "correlationId", "syncType", "deprecatedSyncType", NULL};

static void syncs_begin(struct table_slice *slice)
{
    struct tuples *places = ARENA_NEW(slice->arena, struct tuples);
    tuples_open(places, slice->arena, 3);
    slice->local = places;
}

// syncType has had three numberings: nsys's own (context, event, stream) from 1; the same from 0 in
// deprecatedSyncType; and CUPTI's in syncType where deprecatedSyncType exists.
static uint8_t sync_type(const struct table_slice *slice, sqlite3_value **row)
{
    int64_t type = cell_integer_or(row, SYNC_TYPE, 0);
    if (nsys_has_column(slice->table, "deprecatedSyncType")) {
        int64_t old = cell_integer_or(row, SYNC_OLD_TYPE, -1);
        if (type > 0 && type <= 4)
            return (uint8_t)type;
        return old >= 0 && old < 3 ? sync_type_of_nsys(old + 1) : 0;
    }
    return sync_type_of_nsys(type);
}

static void sync_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_syncs *raw = slice->target;
    int64_t start, end;
    uint32_t at;
    if (!slice_times(slice, row, SYNC_START, &start, &end) || !slice_room(slice, &at))
        return;
    // The device is not part of the key: in these rows it is always 0.
    int64_t place[3] = {nsys_pid(slice->nsys, cell_integer_or(row, SYNC_PID, 0)),
                        cell_integer_or(row, SYNC_CONTEXT, 0),
                        cell_integer_or(row, SYNC_STREAM, 0)};
    int64_t correlation = cell_integer_or(row, SYNC_CORRELATION, 0);
    raw->start[at] = start;
    raw->end[at] = end;
    raw->type[at] = sync_type(slice, row);
    raw->place[at] = tuples_put(slice->local, place);
    raw->correlation[at] = correlation < 0 || correlation > UINT32_MAX ? 0 : (uint32_t)correlation;
}

static const struct table_reader sync_reader = {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", sync_columns,
                                                syncs_begin, sync_row, EXTENT_SPANS};

static void arrange_syncs(struct nsys *nsys, const struct table_slices *slices,
                          struct raw_syncs *raw)
{
    struct profile *profile = nsys->profile;
    struct syncs *syncs = &profile->syncs;
    uint32_t *process = nsys_raw_column(nsys, slices, sizeof *process);
    struct tuples known; // (process, context, stream) -> index in `rows`
    tuples_open(&known, nsys->scratch, 3);
    uint32_t *rows = ARENA_ARRAY(nsys->scratch, uint32_t, profile->stream_count);
    for (uint32_t i = 0; i < profile->stream_count; i++) {
        const struct stream *entry = &profile->streams[i];
        rows[tuples_put(&known, (int64_t[3]){entry->process, entry->context, entry->stream_id})] =
            i;
    }
    for (size_t s = 0; s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        const struct tuples *places = slice->local;
        uint32_t *stream = ARENA_ARRAY(nsys->scratch, uint32_t, places->count);
        uint32_t *owner = ARENA_ARRAY(nsys->scratch, uint32_t, places->count);
        for (uint32_t i = 0; i < places->count; i++) {
            const int64_t *place = tuples_key(places, i);
            owner[i] = nsys_process_row(nsys, place[0]);
            uint32_t at = tuples_find(&known, (int64_t[3]){owner[i], place[1], place[2]});
            stream[i] = at == UINT32_MAX ? ROW_NONE : rows[at];
        }
        for (uint32_t i = slice->base; i < slice->base + slice->count; i++) {
            process[i] = owner[raw->place[i]];
            raw->place[i] = stream[raw->place[i]];
        }
    }
    uint32_t count = nsys_slices_compact(nsys, slices);
    times_limit_total(nsys->profile, nsys->request->part_of, raw->start, raw->end, count,
                      "synchronisations");
    syncs->count = count;
    syncs->start = nsys_gather(nsys, raw->start, NULL, count, sizeof *syncs->start);
    syncs->end = nsys_gather(nsys, raw->end, NULL, count, sizeof *syncs->end);
    syncs->stream = nsys_gather(nsys, raw->place, NULL, count, sizeof *syncs->stream);
    syncs->type = nsys_gather(nsys, raw->type, NULL, count, sizeof *syncs->type);
    syncs->api = ARENA_ARRAY(nsys->arena, uint32_t, count);
    profile_join(profile, process, raw->correlation, count, syncs->api);
    for (uint32_t i = 0; i < count; i++)
        if (syncs->api[i] != ROW_NONE)
            syncs->type[i] = sync_type_of_call(
                profile_text(profile, AT(profile->api.name, syncs->api[i])), syncs->type[i]);
    nsys_raw_free(nsys, process);
    nsys_raw_free(nsys, raw->correlation);
}

static bool read_syncs(struct nsys *nsys, struct error *error)
{
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    struct raw_syncs raw;
    const struct sqlite_table *table = sqlite_table(nsys, sync_reader.table);
    nsys->profile->has_syncs = table != NULL;
    nsys_slices_add(nsys, slices, &sync_reader, table, &raw);
    raw.start = nsys_raw_column(nsys, slices, sizeof *raw.start);
    raw.end = nsys_raw_column(nsys, slices, sizeof *raw.end);
    raw.type = nsys_raw_column(nsys, slices, sizeof *raw.type);
    raw.place = nsys_raw_column(nsys, slices, sizeof *raw.place);
    raw.correlation = nsys_raw_column(nsys, slices, sizeof *raw.correlation);
    if (!nsys_slices_read(nsys, slices, "reading synchronisations", error))
        return false;
    nsys_slices_merge(nsys, slices);
    arrange_syncs(nsys, slices, &raw);
    nsys_slices_close(nsys, slices);
    return true;
}

// ---- entry points -------------------------------------------------------------------------------

void nsys_begin_calls(struct nsys *nsys)
{
    struct table_slices *slices = ARENA_NEW(nsys->arena, struct table_slices);
    struct raw_calls *raw = ARENA_NEW(nsys->arena, struct raw_calls);
    for (size_t i = 0; i < READER_COUNT; i++) {
        const struct sqlite_table *table = sqlite_table(nsys, call_readers[i].table);
        raw->has_table |= table != NULL;
        raw->has_results |= nsys_has_column(table, "returnValue");
        nsys_slices_add(nsys, slices, &call_readers[i], table, raw);
    }
    raw_calls_open(nsys, slices, raw);
    slices->raw = raw;
    nsys->calls = slices;
    nsys_slices_read_ahead(nsys, slices);
}

// Records calls outside the window that launched work in it. Must run before ranges are read,
// because ranges around such calls belong to the window, too.
static void find_early(struct nsys *nsys, const struct table_slices *slices,
                       const struct raw_calls *raw)
{
    for (size_t s = 0; nsys->file_window.is_on && s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        const struct calls_local *local = slice->local;
        for (uint32_t i = slice->base; i < slice->base + slice->count; i++)
            nsys_excerpt_add_early_call(nsys, *tuples_key(&local->threads, raw->thread[i]),
                                        raw->start[i], raw->end[i]);
    }
    nsys_excerpt_sort_early_calls(nsys);
}

bool nsys_read_calls(struct nsys *nsys, struct error *error)
{
    struct table_slices *slices = nsys->calls;
    struct raw_calls *raw = slices->raw;
    nsys->profile->has_api = raw->has_table;
    nsys->profile->has_api_results = raw->has_results;
    if (!nsys_slices_read(nsys, slices, "reading API calls", error))
        return false;
    find_early(nsys, slices, raw);
    nsys_begin_ranges(nsys);
    nsys_slices_merge(nsys, slices);
    int64_t open = merge_calls(nsys, slices, raw);
    uint32_t count = nsys_slices_compact(nsys, slices);
    times_limit_total(nsys->profile, nsys->request->part_of, raw->start, raw->end, count,
                      "CUDA calls");
    nsys_slices_close(nsys, slices);
    int64_t unsorted = count_unsorted(slices, raw->start); // the raw columns are packed
    calls_arrange(nsys, raw, count);
    if (unsorted)
        profile_note(nsys->profile, NOTE_INFO, "rows_unsorted", unsorted, NULL,
                     "%lld API calls do not stand in order of their start; they were sorted",
                     (long long)unsorted);
    if (open)
        profile_note(nsys->profile, NOTE_INFO, "api_without_end", open, NULL,
                     "%lld API calls have no end; they count with length 0", (long long)open);
    return read_syncs(nsys, error);
}
