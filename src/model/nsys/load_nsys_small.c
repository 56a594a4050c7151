// SPDX-License-Identifier: Apache-2.0
// Reads the smaller tables: OS calls, the profiler's own overhead, nodes of CUDA graphs, call
// chains.
#include <string.h>

#include "base/sort.h"
#include "base/text/format.h"
#include "model/nsys/nsys_tables.h"

// ---- named spans: OSRT_API, PROFILER_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD ---------------------

struct raw_spans {
    int64_t *start, *end;
    uint32_t *name, *thread; // local until the slices are merged
};

enum { SPAN_START, SPAN_END, SPAN_THREAD, SPAN_NAME, SPAN_KIND };
static const char *const span_columns[] = {"start",  "end",          "globalTid",
                                           "nameId", "overheadType", NULL};

static void spans_begin(struct table_slice *slice)
{
    struct tuples *threads = ARENA_NEW(slice->arena, struct tuples);
    tuples_open(threads, slice->arena, 1);
    slice->local = threads;
}

static string_id overhead_name(struct table_slice *slice, sqlite3_value **row)
{
    static const char *const kinds[] = {
        [2] = "driver compiler",     [3] = "buffer flush",   [4] = "instrumentation",
        [5] = "resource creation",   [6] = "module loading", [7] = "lazy function loading",
        [8] = "command buffer full",
    };
    int64_t kind = cell_integer_or(row, SPAN_KIND, 0);
    if (kind >= 2 && kind < (int64_t)(sizeof kinds / sizeof *kinds))
        return strings_intern_text(slice->strings, kinds[kind]);
    return strings_intern_text(slice->strings, "overhead");
}

static bool span_row(struct table_slice *slice, sqlite3_value **row, uint32_t *at)
{
    struct raw_spans *raw = slice->target;
    int64_t start, end;
    if (!slice_times(slice, row, SPAN_START, &start, &end) || !slice_room(slice, at))
        return false;
    int64_t thread;
    if (!cell_thread(slice->nsys, row[SPAN_THREAD], &thread))
        thread = 0;
    raw->start[*at] = start;
    raw->end[*at] = end;
    raw->thread[*at] = tuples_put(slice->local, &thread);
    raw->name[*at] = slice_text_by_id(slice, row, SPAN_NAME);
    return true;
}

static void osrt_row(struct table_slice *slice, sqlite3_value **row)
{
    uint32_t at;
    span_row(slice, row, &at);
}

static void overhead_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_spans *raw = slice->target;
    uint32_t at;
    if (span_row(slice, row, &at) && !raw->name[at])
        raw->name[at] = overhead_name(slice, row);
}

static const struct table_reader osrt_reader = {"OSRT_API", span_columns, spans_begin, osrt_row,
                                                EXTENT_SPANS};
static const struct table_reader overhead_readers[] = {
    {"PROFILER_OVERHEAD", span_columns, spans_begin, overhead_row, EXTENT_SPANS},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", span_columns, spans_begin, overhead_row, EXTENT_SPANS},
};

// Reads all of `slices` and sets *count to the number of rows. With `keep_threads` new threads get
// a row in the profile; else the thread of a row is ROW_NONE if it has no row yet.
static bool read_spans(struct nsys *nsys, struct table_slices *slices, struct raw_spans *raw,
                       const char *doing, bool keep_threads, uint32_t *count, struct error *error)
{
    raw->start = nsys_raw_column(nsys, slices, sizeof *raw->start);
    raw->end = nsys_raw_column(nsys, slices, sizeof *raw->end);
    raw->name = nsys_raw_column(nsys, slices, sizeof *raw->name);
    raw->thread = nsys_raw_column(nsys, slices, sizeof *raw->thread);
    if (!nsys_slices_read(nsys, slices, doing, error))
        return false;
    nsys_slices_merge(nsys, slices);
    for (size_t s = 0; s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        const struct tuples *threads = slice->local;
        uint32_t *thread = ARENA_ARRAY(nsys->scratch, uint32_t, threads->count);
        for (uint32_t i = 0; i < threads->count; i++) {
            const int64_t *id = tuples_key(threads, i);
            thread[i] =
                keep_threads ? nsys_thread_row(nsys, *id) : tuples_find(&nsys->threads_seen, id);
        }
        for (uint32_t i = slice->base; i < slice->base + slice->count; i++) {
            raw->thread[i] = thread[raw->thread[i]];
            raw->name[i] = slice->names[raw->name[i]];
        }
    }
    *count = nsys_slices_compact(nsys, slices);
    times_limit_total(nsys->profile, nsys->request->part_of, raw->start, raw->end, *count,
                      keep_threads ? "OS calls" : "overheads");
    nsys_slices_close(nsys, slices);
    return true;
}

static bool read_osrt(struct nsys *nsys, struct error *error)
{
    struct profile *profile = nsys->profile;
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    struct raw_spans raw;
    const struct sqlite_table *table = sqlite_table(nsys, osrt_reader.table);
    uint32_t count;
    profile->has_osrt = table != NULL;
    nsys_slices_add(nsys, slices, &osrt_reader, table, &raw);
    if (!read_spans(nsys, slices, &raw, "reading OS calls", true, &count, error))
        return false;
    nsys_name_threads(nsys);
    nsys_publish_threads(nsys);
    uint32_t threads = profile->thread_count;
    uint32_t *first = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)threads + 1);
    uint32_t *order = nsys_order(nsys, raw.thread, NULL, threads, raw.start, NULL, count, first);
    for (uint32_t i = 0; i < threads; i++) {
        profile->threads[i].first_osrt = first[i];
        profile->threads[i].end_osrt = first[i + 1];
    }
    struct os_calls *osrt = &profile->osrt;
    osrt->count = count;
    osrt->start = nsys_gather64(nsys, raw.start, order, count);
    osrt->end = nsys_gather64(nsys, raw.end, order, count);
    osrt->name = nsys_gather32(nsys, raw.name, order, count);
    osrt->thread = nsys_gather32(nsys, raw.thread, order, count);
    return true;
}

static bool read_overheads(struct nsys *nsys, struct error *error)
{
    struct profile *profile = nsys->profile;
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    struct raw_spans raw;
    uint32_t count;
    for (size_t i = 0; i < sizeof overhead_readers / sizeof *overhead_readers; i++) {
        const struct sqlite_table *table = sqlite_table(nsys, overhead_readers[i].table);
        profile->has_overhead |= table != NULL;
        nsys_slices_add(nsys, slices, &overhead_readers[i], table, &raw);
    }
    if (!read_spans(nsys, slices, &raw, "reading overheads", false, &count, error))
        return false;
    uint32_t threads = profile->thread_count;
    for (uint32_t i = 0; i < count; i++)
        raw.thread[i] = raw.thread[i] < threads ? raw.thread[i] : threads;
    uint32_t *first = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)threads + 2);
    uint32_t *order =
        nsys_order(nsys, raw.thread, NULL, threads + 1, raw.start, NULL, count, first);
    for (uint32_t i = 0; i < threads; i++) {
        profile->threads[i].first_overhead = first[i];
        profile->threads[i].end_overhead = first[i + 1];
    }
    struct overheads *overheads = &profile->overheads;
    overheads->count = count;
    overheads->first_without_thread = first[threads];
    overheads->start = nsys_gather64(nsys, raw.start, order, count);
    overheads->end = nsys_gather64(nsys, raw.end, order, count);
    overheads->name = nsys_gather(nsys, raw.name, order, count, sizeof *overheads->name);
    nsys_raw_free(nsys, raw.thread);
    int64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        if (__builtin_add_overflow(total, AT(overheads->end, i) - AT(overheads->start, i), &total))
            total = INT64_MAX;
    char spans[FORMAT_SIZE], time[FORMAT_SIZE];
    if (count)
        profile_note(profile, NOTE_INFO, "overhead", count, NULL,
                     "overhead of the profiler: %s, %s together",
                     format_counted(spans, count, "span"), format_duration(time, total, true));
    return true;
}

// ---- nodes of CUDA graphs ----------------------------------------------------------------------

struct raw_nodes {
    int64_t *node, *original, *start;
    uint32_t *thread;
};

enum { GRAPH_NODE_ID, NODE_ORIGINAL, NODE_START, NODE_THREAD };
static const char *const node_columns[] = {"graphNodeId", "originalGraphNodeId", "start",
                                           "globalTid", NULL};

static void node_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_nodes *raw = slice->target;
    int64_t node, start = cell_integer_or(row, NODE_START, UNKNOWN);
    uint32_t at;
    if (!cell_integer(row, GRAPH_NODE_ID, &node) || node == 0 || !slice_room(slice, &at))
        return;
    if (!nsys_is_plausible_time(slice->nsys, start))
        start = UNKNOWN;
    int64_t thread = cell_integer_or(row, NODE_THREAD, -1);
    raw->node[at] = node;
    raw->original[at] = cell_integer_or(row, NODE_ORIGINAL, 0);
    raw->start[at] = start;
    raw->thread[at] = tuples_put(slice->local, &thread);
}

// Up to 2023 the table of nodes had the name that the table of graphs has since then.
static const struct table_reader node_readers[] = {
    {"CUDA_GRAPH_NODE_EVENTS", node_columns, spans_begin, node_row, EXTENT_ALL},
    {"CUDA_GRAPH_EVENTS", node_columns, spans_begin, node_row, EXTENT_ALL},
};

bool nsys_read_graph_nodes(struct nsys *nsys, struct error *error)
{
    struct profile *profile = nsys->profile;
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    struct raw_nodes raw;
    for (size_t i = 0; i < sizeof node_readers / sizeof *node_readers; i++) {
        const struct sqlite_table *table = sqlite_table(nsys, node_readers[i].table);
        if (table && nsys_has_column(table, "graphNodeId"))
            nsys_slices_add(nsys, slices, &node_readers[i], table, &raw);
    }
    if (!slices->rows)
        return true;
    raw.node = nsys_raw_column(nsys, slices, sizeof *raw.node);
    raw.original = nsys_raw_column(nsys, slices, sizeof *raw.original);
    raw.start = nsys_raw_column(nsys, slices, sizeof *raw.start);
    raw.thread = nsys_raw_column(nsys, slices, sizeof *raw.thread);
    if (!nsys_slices_read(nsys, slices, "reading graph nodes", error))
        return false;
    nsys_slices_merge(nsys, slices);
    for (size_t s = 0; s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        for (uint32_t i = slice->base; i < slice->base + slice->count; i++) {
            const int64_t *thread = tuples_key(slice->local, raw.thread[i]);
            uint32_t known = tuples_find(&nsys->threads_seen, thread);
            raw.thread[i] = known == UINT32_MAX ? ROW_NONE : known;
        }
    }
    uint32_t count = nsys_slices_compact(nsys, slices);
    nsys_slices_close(nsys, slices);
    uint32_t *order = sort_by_time(nsys->scratch, raw.node, raw.start, count);
    struct graph_nodes *nodes = &profile->graph_nodes;
    nodes->count = count;
    nodes->node = nsys_gather(nsys, raw.node, order, count, sizeof *nodes->node);
    nodes->original = nsys_gather(nsys, raw.original, order, count, sizeof *nodes->original);
    nodes->start = nsys_gather(nsys, raw.start, order, count, sizeof *nodes->start);
    nodes->thread = nsys_gather(nsys, raw.thread, order, count, sizeof *nodes->thread);
    return true;
}

// ---- call chains -------------------------------------------------------------------------------

struct raw_frames {
    int64_t *chain, *depth;
    uint32_t *symbol, *module;
};

enum { FRAME_CHAIN, FRAME_SYMBOL, FRAME_MODULE, FRAME_DEPTH };
static const char *const frame_columns[] = {"id", "symbol", "module", "stackDepth", NULL};

static void frame_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_frames *raw = slice->target;
    int64_t chain;
    uint32_t at;
    if (!cell_integer(row, FRAME_CHAIN, &chain) || chain <= 0 || chain >= UINT32_MAX ||
        !slice_room(slice, &at))
        return;
    raw->chain[at] = chain;
    raw->depth[at] = cell_integer_or(row, FRAME_DEPTH, 0);
    raw->symbol[at] = slice_text_by_id(slice, row, FRAME_SYMBOL);
    raw->module[at] = slice_text_by_id(slice, row, FRAME_MODULE);
}

static const struct table_reader frame_reader = {"CUDA_CALLCHAINS", frame_columns, NULL, frame_row,
                                                 EXTENT_ALL};

static bool read_frames(struct nsys *nsys, struct error *error)
{
    struct profile *profile = nsys->profile;
    const struct sqlite_table *table = sqlite_table(nsys, frame_reader.table);
    if (!table || !HAS(profile->api.callchain))
        return true;
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    struct raw_frames raw;
    nsys_slices_add(nsys, slices, &frame_reader, table, &raw);
    raw.chain = nsys_raw_column(nsys, slices, sizeof *raw.chain);
    raw.depth = nsys_raw_column(nsys, slices, sizeof *raw.depth);
    raw.symbol = nsys_raw_column(nsys, slices, sizeof *raw.symbol);
    raw.module = nsys_raw_column(nsys, slices, sizeof *raw.module);
    if (!nsys_slices_read(nsys, slices, "reading call chains", error))
        return false;
    nsys_slices_merge(nsys, slices);
    for (size_t s = 0; s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        for (uint32_t i = slice->base; i < slice->base + slice->count; i++) {
            raw.symbol[i] = slice->names[raw.symbol[i]];
            raw.module[i] = slice->names[raw.module[i]];
        }
    }
    uint32_t count = nsys_slices_compact(nsys, slices);
    nsys_slices_close(nsys, slices);
    uint32_t *order = sort_by_time(nsys->scratch, raw.chain, raw.depth, count);
    struct frames *frames = &profile->frames;
    frames->count = count;
    frames->chain = ARENA_ARRAY(nsys->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        frames->chain[i] = (uint32_t)raw.chain[order[i]];
    nsys_raw_free(nsys, raw.chain);
    nsys_raw_free(nsys, raw.depth);
    frames->symbol = nsys_gather(nsys, raw.symbol, order, count, sizeof *frames->symbol);
    frames->module = nsys_gather(nsys, raw.module, order, count, sizeof *frames->module);
    return true;
}

bool nsys_read_small_tables(struct nsys *nsys, struct error *error)
{
    return nsys_read_memory(nsys, error) && read_osrt(nsys, error) && read_overheads(nsys, error) &&
           read_frames(nsys, error) && nsys_read_metrics(nsys, error);
}
