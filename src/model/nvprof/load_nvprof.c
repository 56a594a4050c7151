// SPDX-License-Identifier: Apache-2.0
// Loader of databases of nvprof and the Visual Profiler (.nvvp, .nvprof, .sql, or any name),
// versions 8 to 18. They hold the same CUPTI records as nsys exports under other names, so the
// readers of model/nsys read them; this file holds the dialect: names and what else differs.
#include "model/nvprof/load_nvprof.h"

#include <string.h>
#include <time.h>

// ---- names -------------------------------------------------------------------------------------

// The file has numbers (cbid) instead of names of API calls. They are mapped to text ids that no
// table uses: -1 - cbid for the runtime and -1 - (DRIVER_CALLS + cbid) for the driver.
#define DRIVER_CALLS (INT64_C(1) << 32)

static const struct nsys_alias aliases[] = {
    {"StringIds", NULL, "StringTable", NULL},
    {"StringIds", "id", "\"_id_\"", "_id_"},
    {"NVTX_EVENTS", NULL, "CUPTI_ACTIVITY_KIND_MARKER", NULL},
    {"NVTX_EVENTS", "start", "\"timestamp\" - ?3", "timestamp"},
    {"TARGET_INFO_GPU", NULL, "CUPTI_ACTIVITY_KIND_DEVICE", NULL},
    {"TARGET_INFO_GPU", "name",
     "(SELECT s.\"value\" FROM \"StringTable\" s WHERE s.\"_id_\" = \"name\")", "name"},
    {"TARGET_INFO_GPU", "smCount", "\"numMultiprocessors\"", "numMultiprocessors"},
    {"TARGET_INFO_GPU", "totalMemory", "\"globalMemorySize\"", "globalMemorySize"},
    {"TARGET_INFO_GPU", "memoryBandwidth", "\"globalMemoryBandwidth\" * 1000",
     "globalMemoryBandwidth"},
    {"TARGET_INFO_GPU", "clockRate", "\"coreClockRate\" * 1000", "coreClockRate"},
    {"TARGET_INFO_GPU", "computeMajor", "\"computeCapabilityMajor\"", "computeCapabilityMajor"},
    {"TARGET_INFO_GPU", "computeMinor", "\"computeCapabilityMinor\"", "computeCapabilityMinor"},
    {"TARGET_INFO_GPU", "cuDevice", "\"id\"", "id"},
    {"TARGET_INFO_CUDA_CONTEXT_INFO", NULL, "CUPTI_ACTIVITY_KIND_CONTEXT", NULL},
    {"TARGET_INFO_CUDA_CONTEXT_INFO", "processId", "?4 >> 32", NULL},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "nameId", "-1 - \"cbid\"", "cbid"},
    {"CUPTI_ACTIVITY_KIND_DRIVER", "nameId", "-4294967297 - \"cbid\"", "cbid"},
    // CUPTI: 1 event, 2 stream waits for an event, 3 stream, 4 context. nsys once used 1 context, 2
    // event, 3 stream. A stream wait is recognised by its API call.
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "syncType",
     "CASE \"type\" WHEN 1 THEN 2 WHEN 3 THEN 3 WHEN 4 THEN 1 END", "type"},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", "overheadType",
     "CASE \"overheadKind\" WHEN 1 THEN 2 WHEN 65536 THEN 3 WHEN 131072 THEN 4 "
     "WHEN 196608 THEN 5 WHEN 262144 THEN 6 WHEN 327680 THEN 7 END",
     "overheadKind"},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", "globalTid", "\"objectId\"", "objectId"},
    {NULL, "start", "\"start\" - ?3", "start"},
    {NULL, "end", "\"end\" - ?3", "end"},
    {NULL, "globalPid", "?4", NULL},
    {NULL, "globalTid", "\"processId\" << 32 | (\"threadId\" & 4294967295)", "processId threadId"},
    {NULL, "mangledName", "\"name\"", "name"},
    // Kinds of memory count from 1 here and from 0 in nsys.
    {NULL, "srcKind", "\"srcKind\" - 1", "srcKind"},
    {NULL, "dstKind", "\"dstKind\" - 1", "dstKind"},
    {NULL, "memKind", "\"memoryKind\" - 1", "memoryKind"},
    {NULL, NULL, NULL, NULL},
};

static const char *text_by_number(int64_t id, struct arena *arena)
{
    int64_t number = -1 - id;
    bool is_driver = number >= DRIVER_CALLS;
    return nvprof_call_name(is_driver, is_driver ? number - DRIVER_CALLS : number, arena);
}

// ---- opening ------------------------------------------------------------------------------------

struct database_extent {
    bool has_time, has_process;
    int64_t first;       // earliest time, ns
    int64_t least, most; // lowest and highest process id
};

// Extends `extent` by the earliest plausible time of a table and the processes that it names.
static void extent_add_table(struct nsys *nsys, const char *base, const char *time,
                             struct database_extent *extent)
{
    const struct sqlite_table *table = sqlite_table(nsys, base);
    if (!table || !nsys_has_column(table, "start"))
        return;
    bool has_process = nsys_has_column(table, "processId");
    const char *sql = arena_format(nsys->scratch,
                                   "SELECT min(\"%s\"), min(%s), max(%s) FROM \"%s\" "
                                   "WHERE \"%s\" BETWEEN %lld AND %lld",
                                   time, has_process ? "\"processId\"" : "NULL",
                                   has_process ? "\"processId\"" : "NULL", table->name, time,
                                   (long long)(nsys->origin - SPAN_LIMIT),
                                   (long long)(nsys->origin + SPAN_LIMIT));
    sqlite3_stmt *row = nsys_prepare(nsys, nsys->db, sql);
    if (row && nsys_step(nsys, row) == SQLITE_ROW) {
        sqlite3_value *cells[] = {sqlite3_column_value(row, 0), sqlite3_column_value(row, 1),
                                  sqlite3_column_value(row, 2)};
        int64_t first, least, most;
        if (cell_integer(cells, 0, &first) && (!extent->has_time || first < extent->first)) {
            extent->first = first;
            extent->has_time = true;
        }
        if (cell_integer(cells, 1, &least) && cell_integer(cells, 2, &most)) {
            bool is_first = !extent->has_process;
            extent->least = is_first || least < extent->least ? least : extent->least;
            extent->most = is_first || most > extent->most ? most : extent->most;
            extent->has_process = true;
        }
    }
    sqlite3_finalize(row);
}

static int64_t first_of_markers(struct nsys *nsys)
{
    static const char *const columns[] = {"objectId", NULL};
    const struct sqlite_table *table = sqlite_table(nsys, "NVTX_EVENTS");
    sqlite3_stmt *row = table ? nsys_select(nsys, table, columns) : NULL;
    int64_t thread = 0;
    if (row && nsys_step(nsys, row) == SQLITE_ROW &&
        !cell_thread(nsys, sqlite3_column_value(row, 0), &thread))
        thread = 0;
    sqlite3_finalize(row);
    return nsys_pid(nsys, thread);
}

static const char *start_time_text(struct nsys *nsys)
{
    enum { NS_PER_S = 1000000000, YEAR_2001 = 1000000000 };
    time_t seconds = (time_t)(nsys->epoch / NS_PER_S);
    struct tm parts;
    char text[40];
    if (seconds < YEAR_2001 || !gmtime_r(&seconds, &parts) ||
        !strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts))
        return ""; // not a wall-clock time
    return arena_text(nsys->arena, text);
}

// Times are on the wall clock; the profile's 0 is the earliest time of any activity. GPU work names
// no process, so it is assigned to the process of the calls.
static void open_database(struct nsys *nsys)
{
    static const char *const tables[] = {
        "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER",
        "CUPTI_ACTIVITY_KIND_KERNEL",  "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
        "CUPTI_ACTIVITY_KIND_MEMCPY",  "CUPTI_ACTIVITY_KIND_MEMCPY2",
        "CUPTI_ACTIVITY_KIND_MEMSET",
    };
    struct database_extent extent = {.has_time = false};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        extent_add_table(nsys, tables[i], "start", &extent);
    extent_add_table(nsys, "NVTX_EVENTS", "timestamp", &extent);
    nsys->epoch = extent.has_time ? extent.first : 0;
    nsys->origin -= nsys->epoch;
    nsys->pid =
        extent.has_process ? (int64_t)((uint64_t)extent.least << 32) : first_of_markers(nsys);
    if (extent.has_process && extent.least != extent.most)
        profile_note(nsys->profile, NOTE_WARNING, "work_process_unknown", 1, NULL,
                     "the file has calls of several processes and does not tell whose its GPU "
                     "work is: all counts to process %lld",
                     (long long)extent.least);
}

// ---- metadata of the capture --------------------------------------------------------------------

static const char *const version_columns[] = {"version", NULL};

static void version_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    ((struct source *)context)->schema = cell_copy(row, 0, 20, nsys->arena);
}

static void note_unread(struct nsys *nsys)
{
    static const char *const unread[][2] = {
        {"CUPTI_ACTIVITY_KIND_CDP_KERNEL", "kernels that other kernels launched"},
        {"CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER", "copies and faults of unified memory"},
    };
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (nsys_has_rows(nsys, sqlite_table(nsys, unread[i][0]), ""))
            profile_note(nsys->profile, NOTE_WARNING, "table_unread", 1, NULL,
                         "the file has %s (%s), which are not read", unread[i][1], unread[i][0]);
}

static void read_capture(struct nsys *nsys)
{
    struct profile *profile = nsys->profile;
    struct capture *capture = &profile->capture;
    nsys_each_row(nsys, "Version", version_columns, version_row, &profile->sources[0]);
    capture->trace_options =
        nsys_has_rows(nsys, sqlite_table(nsys, "NVTX_EVENTS"), "") ? "cuda,nvtx" : "cuda";
    note_unread(nsys);
    capture->started = start_time_text(nsys);
    if (*capture->started)
        capture->utc_epoch_ns = nsys->epoch;
}

enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };
static const char *const name_columns[] = {"objectKind", "objectId", "name", NULL};

static void name_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    (void)context;
    struct profile *profile = nsys->profile;
    int64_t kind = cell_integer_or(row, 0, 0), object, id;
    const char *text;
    if (!cell_thread(nsys, row[1], &object) || !cell_integer(row, 2, &id) ||
        !nsys_text(nsys, id, &text) || strcmp(text, NVPROF_NO_TEXT) == 0)
        return;
    int64_t pid = nsys_pid(nsys, object); // the thread field of a process is unused
    uint32_t process = tuples_find(&nsys->processes, &pid);
    uint32_t thread = tuples_find(&nsys->threads_seen, &object);
    string_id *name = NULL;
    if (kind == OBJECT_PROCESS && process != UINT32_MAX)
        name = &profile->processes[process].name;
    else if (kind == OBJECT_THREAD && thread != UINT32_MAX)
        name = &nsys->thread_items[thread].name;
    if (name && !*name)
        *name = strings_intern_text(profile->strings, text);
}

static void read_names(struct nsys *nsys)
{
    nsys_each_row(nsys, "CUPTI_ACTIVITY_KIND_NAME", name_columns, name_row, NULL);
}

// ---- the format --------------------------------------------------------------------------------

static const struct nsys_dialect nvprof_dialect = {
    .format = "nvprof",
    .tool = "nvprof",
    .what = "a database of nvprof",
    .again = "Copy it again.",
    .string_key = "_id_",
    .tid_bits = 32,
    .aliases = aliases,
    .ranges = &nvprof_range_reader,
    .range_column = "flags",
    .range_rows = "WHERE flags & 2",
    .end_ranges = nvprof_end_ranges,
    .open = open_database,
    .read_capture = read_capture,
    .read_names = read_names,
    .text = text_by_number,
    .spans = nsys_excerpt_spans,
};

static bool load(const struct load_request *request, struct profile *profile, struct error *error)
{
    return nsys_load(&nvprof_dialect, request, request->path, profile, error);
}

static int probe(const char *path, const unsigned char *head, size_t head_size, struct error *error)
{
    static const char *const tables[] = {"StringTable", "CUPTI_ACTIVITY_KIND_", NULL};
    return nsys_is_sqlite(head, head_size) && nsys_has_tables(path, tables, error) ? 90 : 0;
}

const struct loader nvprof_loader = {
    .name = "nvprof",
    .doc = "database of nvprof or the Visual Profiler, whatever its name",
    .probe = probe,
    .load = load,
};
