// SPDX-License-Identifier: Apache-2.0
// Loader of Nsight Systems exports in SQLite, of all versions since 2020: recognises the file and
// runs the stages in order.
#include "model/derive/derive.h"
#include "model/nsys/nsys_tables.h"

#include <stdlib.h>
#include <string.h>

#define HOW_TO_CAPTURE \
    "Capture one with\n  " HOW_TO_PROFILE "\nor export a report with\n  " HOW_TO_EXPORT

// ---- recognition and empty files ----------------------------------------------------------------

bool nsys_has_object(const struct nsys *nsys, const char *name, bool is_prefix)
{
    for (size_t i = 0; i < nsys->object_count; i++) {
        const char *object = nsys->objects[i].name;
        if (is_prefix ? strncasecmp(object, name, strlen(name)) == 0
                      : strcasecmp(object, name) == 0)
            return true;
    }
    return false;
}

static bool looks_like_nsys(const struct nsys *nsys)
{
    return nsys_has_object(nsys, "StringIds", false) ||
           nsys_has_object(nsys, "NVTX_EVENTS", true) ||
           nsys_has_object(nsys, "TARGET_INFO_", true) ||
           nsys_has_object(nsys, "EXPORT_META_DATA", false) ||
           nsys_has_object(nsys, "META_DATA_EXPORT", false);
}

const char *nsys_list_tables(struct nsys *nsys)
{
    const char *list = "";
    size_t shown = 0;
    for (size_t i = 0; i < nsys->object_count && shown < 8; i++) {
        if (strncasecmp(nsys->objects[i].name, "ENUM_", 5) == 0)
            continue;
        list =
            arena_format(nsys->scratch, "%s%s%s", list, shown++ ? ", " : "", nsys->objects[i].name);
    }
    if (shown == 8)
        list = arena_format(nsys->scratch, "%s, ...", list);
    return *list ? list : "none";
}

static bool refuse_other(struct nsys *nsys, struct error *error)
{
    return error_set(
        error, ERROR_DATA,
        "%s is an SQLite database but no export of Nsight Systems, nor one of nvprof or DLProf.\n"
        "Found the tables: %s.\n"
        "Missing: StringIds, TARGET_INFO_GPU, NVTX_EVENTS.\n" HOW_TO_CAPTURE,
        nsys->request->path, nsys_list_tables(nsys));
}

static bool refuse_empty(struct nsys *nsys, struct error *error)
{
    const struct nsys_dialect *dialect = nsys->dialect;
    for (size_t i = 0; nsys_work_table(i); i++)
        if (nsys_has_rows(nsys, sqlite_table(nsys, nsys_work_table(i)), ""))
            return true;
    for (size_t i = 0; nsys_call_table(i); i++)
        if (nsys_has_rows(nsys, sqlite_table(nsys, nsys_call_table(i)), ""))
            return true;
    const struct sqlite_table *nvtx = sqlite_table(nsys, dialect->ranges->table);
    if (nsys_has_column(nvtx, dialect->range_column) &&
        nsys_has_rows(nsys, nvtx, dialect->range_rows))
        return true;
    return error_set(error, ERROR_DATA,
                     "%s is %s without anything to show: no row of GPU "
                     "work, CUDA calls or NVTX ranges (one of them is enough).\n"
                     "Found the tables: %s.\n" HOW_TO_CAPTURE "\nand see that the program runs on "
                     "the GPU inside the captured window.",
                     nsys->request->path, dialect->what, nsys_list_tables(nsys));
}

// ---- StringIds ---------------------------------------------------------------------------------

static void string_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    (void)context;
    int64_t id;
    const char *text = (const char *)sqlite3_value_text(row[1]);
    uint32_t known = nsys->loaded_ids.count;
    if (!text || !cell_integer(row, 0, &id) || tuples_put(&nsys->loaded_ids, &id) != known)
        return;
    size_t count = known;
    ARENA_PUSH(nsys->arena, nsys->loaded_texts, count, nsys->loaded_capacity) =
        arena_text(nsys->arena, text);
}

// Texts are looked up on demand, because files can hold millions of ids of which few are used. If
// the id is not the rowid, each look-up would be a search, so all texts are read up front.
void nsys_open_strings(struct nsys *nsys, const char *table, const char *text_column)
{
    const char *const columns[] = {"id", text_column, NULL};
    nsys->strings = sqlite_table(nsys, table);
    nsys->text_column = text_column;
    if (!nsys->strings || !nsys_has_column(nsys->strings, text_column) ||
        !nsys_has_column(nsys->strings, "id")) {
        nsys->strings = NULL;
        return;
    }
    if (nsys->strings->key && strcasecmp(nsys->strings->key, nsys->dialect->string_key) == 0)
        return;
    ((struct sqlite_table *)nsys->strings)->key = NULL;
    tuples_open(&nsys->loaded_ids, nsys->arena, 1);
    nsys_each_row(nsys, table, columns, string_row, NULL);
}

// ---- the time of the profile --------------------------------------------------------------------

void nsys_extend_extent(struct nsys *nsys, const struct column64 *start, const struct column64 *end,
                        uint32_t count)
{
    struct profile *profile = nsys->profile;
    if (!count)
        return;
    int64_t from = column64_min(start, count), to = column64_max(end, count);
    const struct nsys_excerpt *file_window = &nsys->file_window;
    if (file_window->is_on) { // clamped to the window: rows around it do not extend the profile
        from = from > file_window->launches_from ? from : file_window->launches_from;
        int64_t most =
            profile->last_ns > file_window->work_until ? profile->last_ns : file_window->work_until;
        to = nsys->has_extent && to > most ? most : to;
    }
    profile->first_ns = !nsys->has_extent || from < profile->first_ns ? from : profile->first_ns;
    profile->last_ns = !nsys->has_extent || to > profile->last_ns ? to : profile->last_ns;
    nsys->has_extent = true;
}

// What the window of the file and exclusive times were made of may contain rows that are set aside.
static void set_work_aside(struct nsys *nsys)
{
    struct profile *profile = nsys->profile;
    if (!profile_set_aside(profile))
        return;
    if (!nsys->request->part_of)
        profile_link_work(profile);
    nsys->has_extent = false;
    nsys_extend_extent(nsys, &profile->work.start, &profile->work.end, profile->work.count);
}

// ---- loading -----------------------------------------------------------------------------------

bool nsys_open(struct nsys *nsys, struct error *error)
{
    atomic_store(&nsys->progress->doing, "opening");
    tuples_open(&nsys->processes, nsys->arena, 1);
    tuples_open(&nsys->threads_seen, nsys->arena, 1);
    tuples_open(&nsys->device_keys, nsys->arena, 2);
    if (!nsys_check_file(nsys, error))
        return false;
    nsys->uri = nsys_uri(nsys);
    nsys->db = nsys_connect(nsys, error);
    if (!nsys->db)
        return false;
    return nsys_schema(nsys, error) ||
           error_set(error, ERROR_DATA, "%s is damaged: %s.\n%s", nsys->request->path,
                     sqlite3_errmsg(nsys->db), nsys->dialect->again);
}

static bool open_export(struct nsys *nsys, struct error *error)
{
    static const struct nsys_time_column times[] = {
        {"CUPTI_ACTIVITY_KIND_KERNEL", "start"},
        {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "start"},
        {"CUPTI_ACTIVITY_KIND_RUNTIME", "start"},
        {"CUPTI_ACTIVITY_KIND_DRIVER", "start"},
        {"NVTX_EVENTS", "start"}};
    struct profile *profile = nsys->profile;
    if (!nsys_open(nsys, error))
        return false;
    if (nsys->dialect->is_own && !nsys->dialect->is_own(nsys))
        return refuse_other(nsys, error);
    if (!refuse_empty(nsys, error) || !nsys_is_readable(nsys, error))
        return false;
    nsys_find_origin(nsys, times, sizeof times / sizeof *times);
    if (nsys->dialect->open)
        nsys->dialect->open(nsys);
    nsys_open_strings(nsys, "StringIds", "value");
    profile->sources = ARENA_NEW(nsys->arena, struct source);
    profile->source_count = 1;
    profile->sources[0] = source_new(arena_text(nsys->arena, nsys->shown), nsys->dialect->format);
    // For an exported report, uses the size of the report, which the user named.
    struct stat status;
    bool is_other = nsys->shown != nsys->request->path && stat(nsys->shown, &status) == 0;
    profile->sources[0].bytes = is_other ? (int64_t)status.st_size : nsys->bytes;
    nsys->dialect->read_capture(nsys);
    return nsys_excerpt_open(nsys, error);
}

bool nsys_publish(struct nsys *nsys, enum profile_stage stage, struct error *error)
{
    struct load_progress *progress = nsys->request->progress;
    if (!nsys_is_readable(nsys, error))
        return false;
    if (!nsys->request->part_of)
        return profile_publish(nsys->profile, stage, progress, error);
    return !progress || !atomic_load(&progress->cancel) ||
           error_set(error, ERROR_CANCELLED, "cancelled");
}

static bool read_stages(struct nsys *nsys, struct error *error)
{
    struct profile *profile = nsys->profile;
    if (!open_export(nsys, error))
        return false;
    if (!nsys_read_work(nsys, error))
        return false;
    profile_classify(profile);
    if (!nsys->request->part_of)
        profile_link_work(profile);
    nsys_extend_extent(nsys, &profile->work.start, &profile->work.end, profile->work.count);
    if (!nsys_publish(nsys, STAGE_WORK, error))
        return false;
    arena_reset(nsys->scratch);
    if (!nsys_read_calls(nsys, error))
        return false;
    set_work_aside(nsys);
    if (!nsys->request->part_of)
        profile_link_calls(profile);
    nsys_extend_extent(nsys, &profile->api.start, &profile->api.end, profile->api.count);
    if (!nsys_publish(nsys, STAGE_CALLS, error))
        return false;
    arena_reset(nsys->scratch);
    if (!nsys_read_ranges(nsys, error))
        return false;
    if (!nsys->request->part_of)
        profile_link_ranges(profile);
    nsys_extend_extent(nsys, &profile->ranges.start, &profile->ranges.end, profile->ranges.count);
    if (!nsys_excerpt_check(nsys, error))
        return false;
    arena_reset(nsys->scratch);
    if (!nsys_read_graph_nodes(nsys, error) || !nsys_read_small_tables(nsys, error))
        return false;
    arena_reset(nsys->scratch);
    if (!nsys_is_readable(nsys, error))
        return false;
    // Noted before profile_build() adds its notes, so that the order is the same as in a digest.
    nsys_note_lacks(nsys);
    nsys_note_damage(nsys);
    if (!nsys->request->part_of) {
        if (!profile_build(profile, nsys->request, error))
            return false;
        profile_note_chains(profile);
    }
    return nsys_publish(nsys, STAGE_READY, error);
}

struct guarded_load {
    struct nsys *nsys;
    bool (*read)(struct nsys *nsys, struct error *error);
};

// If the disk failed or the file is not what it seemed, that is reported as the error, because
// other errors follow from it.
static bool read_reasoned(void *context, struct error *error)
{
    struct guarded_load *guarded = context;
    bool done = guarded->read(guarded->nsys, error);
    return nsys_is_readable(guarded->nsys, error) && done;
}

static bool read_guarded(void *context, struct error *error)
{
    struct guarded_load *guarded = context;
    return arena_run(guarded->nsys->scratch, read_reasoned, guarded, error);
}

static void nsys_close(struct nsys *nsys)
{
    nsys_slices_abandon(nsys);
    for (size_t i = 0; i < NSYS_RAW; i++)
        arena_free(nsys->raw[i].arena);
    for (size_t i = 0; i < nsys->pool_count; i++)
        sqlite3_close(nsys->pool[i]);
    // Finalizes statements of the main connection that remain after a failed allocation.
    sqlite3_stmt *statement;
    while (nsys->db && (statement = sqlite3_next_stmt(nsys->db, NULL)))
        sqlite3_finalize(statement);
    sqlite3_close(nsys->db);
    arena_free(nsys->scratch);
    pthread_mutex_destroy(&nsys->lock);
}

bool nsys_load_with_reader(const struct nsys_dialect *dialect, const struct load_request *request,
                           const char *shown, struct profile *profile,
                           bool (*read)(struct nsys *nsys, struct error *error),
                           struct error *error)
{
    struct nsys *nsys = calloc(1, sizeof *nsys);
    if (!nsys)
        return error_set(error, ERROR_MEMORY, "out of memory");
    nsys->dialect = dialect;
    nsys->request = request;
    nsys->shown = shown;
    nsys->profile = profile;
    nsys->arena = profile->arena;
    nsys->no_progress.wake_fd = -1;
    nsys->progress = request->progress ? request->progress : &nsys->no_progress;
    nsys->threads = profile->workers = request->threads ? request->threads : parallel_cores();
    nsys->scratch = arena_new(0);
    pthread_mutex_init(&nsys->lock, NULL);
    struct guarded_load guarded = {nsys, read};
    bool done = nsys->scratch ? arena_run(nsys->arena, read_guarded, &guarded, error)
                              : error_set(error, ERROR_MEMORY, "out of memory");
    nsys_close(nsys);
    free(nsys);
    return done;
}

bool nsys_load(const struct nsys_dialect *dialect, const struct load_request *request,
               const char *shown, struct profile *profile, struct error *error)
{
    return nsys_load_with_reader(dialect, request, shown, profile, read_stages, error);
}

static bool load(const struct load_request *request, struct profile *profile, struct error *error)
{
    return nsys_load(&nsys_dialect, request, request->path, profile, error);
}

static int probe(const char *path, const unsigned char *head, size_t head_size, struct error *error)
{
    (void)path, (void)error;
    // Accepts any SQLite file with a low score; load() then reports what the file holds if it is
    // not from nsys.
    return nsys_is_sqlite(head, head_size) ? 50 : 0;
}

const struct nsys_dialect nsys_dialect = {
    .format = "nsys",
    .tool = "Nsight Systems",
    .what = "an export of Nsight Systems",
    .again = "Copy or export it again: " HOW_TO_EXPORT,
    .string_key = "id",
    .tid_bits = 24,
    .is_own = looks_like_nsys,
    .ranges = &nsys_range_reader,
    .range_column = "eventType",
    .range_rows = "WHERE eventType IN (59, 60, 70, 71)",
    .read_capture = nsys_read_capture,
    .read_names = nsys_read_names,
    .spans = nsys_excerpt_spans,
};

const struct loader nsys_loader = {
    .name = "nsys",
    .doc = "Nsight Systems export in SQLite (nsys export --type=sqlite)",
    .probe = probe,
    .load = load,
    .can_read_window = true,
};
