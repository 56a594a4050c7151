// SPDX-License-Identifier: Apache-2.0
// Loader of DLProf databases (dlprof_dldb.sqlite), versions 1.3 to 1.8: recognises the file and
// runs the stages in order.
#include "model/dldb/load_dldb.h"
#include "model/derive/derive.h"
#include "model/profile/recorded_ops.h"

static const char *const row_tables[] = {DLDB_OP_INSTANCES, DLDB_KERNELS,    DLDB_MEMCPYS,
                                         DLDB_MEMSETS,      DLDB_CUDA_SYNCS, DLDB_CUDA_CALLS};

// In old versions only some table names are the same.
static bool looks_like_dldb(const struct nsys *nsys)
{
    return nsys_has_object(nsys, DLDB_OPS, false) ||
           (nsys_has_object(nsys, DLDB_VERSION, false) &&
            (nsys_has_object(nsys, DLDB_AGGREGATIONS, false) ||
             nsys_has_object(nsys, DLDB_DICTIONARY, false)));
}

// DLProf's tables share only the packing of thread numbers with nsys.
static const struct nsys_dialect dldb_dialect = {
    .format = "dldb",
    .tool = "DLProf",
    .what = "a database of DLProf",
    .again = "Copy it again.",
    .string_key = "id",
    .tid_bits = DLDB_TID_BITS,
    .read_names = nsys_read_names,
    .spans = nsys_excerpt_spans,
};

static bool refuse_empty(struct nsys *nsys, struct error *error)
{
    for (size_t i = 0; i < sizeof row_tables / sizeof *row_tables; i++)
        if (nsys_has_rows(nsys, sqlite_table(nsys, row_tables[i]), ""))
            return true;
    return error_set(
        error, ERROR_DATA,
        "%s is a database of DLProf without anything to show: no op ran, no CUDA call "
        "was made.\nProfile again, or open what it was made from: nsys_profile.sqlite, "
        "which dlprof leaves beside it.",
        nsys->request->path);
}

static bool open_database(struct dldb *dldb, struct error *error)
{
    static const struct nsys_time_column times[] = {{DLDB_OP_INSTANCES, "cpu_start"},
                                                    {DLDB_KERNELS, "api_start"},
                                                    {DLDB_CUDA_CALLS, "api_start"}};
    struct nsys *nsys = dldb->nsys;
    struct profile *profile = nsys->profile;
    if (!nsys_open(nsys, error))
        return false;
    nsys_open_strings(nsys, DLDB_DICTIONARY, "string");
    profile->sources = ARENA_NEW(nsys->arena, struct source);
    profile->source_count = 1;
    profile->sources[0] = source_new(arena_text(nsys->arena, nsys->shown), "dldb");
    profile->sources[0].bytes = nsys->bytes;
    if (!dldb_read_version(dldb, error) || !refuse_empty(nsys, error) ||
        !nsys_is_readable(nsys, error) || !dldb_read_domain(dldb, error))
        return false;
    nsys_find_origin(nsys, times, sizeof times / sizeof *times);
    dldb_read_facts(dldb);
    return true;
}

static void publish_recorded_ops(struct dldb *dldb)
{
    struct profile *profile = dldb->nsys->profile;
    profile->told = ARENA_NEW(profile->arena, struct recorded_ops);
    *profile->told = dldb->told;
    profile->told->marker_count = profile->marker_count;
    profile->sources[0].has_recorded_ops = true;
}

static void note_rows(struct dldb *dldb)
{
    if (!dldb->nsys->profile->work.count)
        profile_note(dldb->nsys->profile, NOTE_WARNING, "no_gpu_work", 0, NULL,
                     "the file holds no GPU work: no kernel, copy or memset");
    if (dldb->dangling)
        profile_note(dldb->nsys->profile, NOTE_WARNING, "rows_dangling", dldb->dangling, NULL,
                     "%lld rows name an op, or a run of one, that is not in the file: what they "
                     "launched is shown as unassociated",
                     (long long)dldb->dangling);
}

static bool read_database(struct nsys *nsys, struct error *error)
{
    struct profile *profile = nsys->profile;
    struct dldb *dldb = ARENA_NEW(nsys->scratch, struct dldb);
    dldb->nsys = nsys;
    if (!open_database(dldb, error) || !dldb_read_ops(dldb, error) ||
        !dldb_read_events(dldb, error))
        return false;
    bool is_whole = !nsys->request->part_of;
    dldb_make_work(dldb);
    profile_classify(profile);
    if (is_whole)
        profile_link_work(profile);
    nsys_extend_extent(nsys, &profile->work.start, &profile->work.end, profile->work.count);
    if (!nsys_publish(nsys, STAGE_WORK, error))
        return false;
    dldb_make_calls(dldb);
    if (is_whole)
        profile_link_calls(profile);
    nsys_extend_extent(nsys, &profile->api.start, &profile->api.end, profile->api.count);
    if (!nsys_publish(nsys, STAGE_CALLS, error))
        return false;
    dldb_make_ranges(dldb);
    if (nsys->request->mode != MODE_SIMPLE) // simple mode has neither ops nor iterations
        publish_recorded_ops(dldb);
    if (is_whole) {
        profile_link_ranges(profile);
        ops_link_recorded(profile);
    }
    nsys_extend_extent(nsys, &profile->ranges.start, &profile->ranges.end, profile->ranges.count);
    if (profile->told && is_whole)
        dldb_read_aggregations(dldb);
    note_rows(dldb);
    if (!nsys_is_readable(nsys, error))
        return false;
    if (is_whole && !profile_build(profile, nsys->request, error))
        return false;
    nsys_note_damage(nsys);
    return nsys_publish(nsys, STAGE_READY, error);
}

static bool load(const struct load_request *request, struct profile *profile, struct error *error)
{
    return nsys_load_with_reader(&dldb_dialect, request, request->path, profile, read_database,
                                 error);
}

// ---- recognition --------------------------------------------------------------------------------

struct probe_request {
    const struct load_request *request;
    struct arena *arena;
};

static bool look(struct nsys *nsys, struct error *error)
{
    if (!nsys_open(nsys, error))
        return false;
    return looks_like_dldb(nsys) || error_set(error, ERROR_DATA, "another database");
}

static bool probe_body(void *context, struct error *error)
{
    struct probe_request *job = context;
    struct profile *none = ARENA_NEW(job->arena, struct profile);
    none->arena = job->arena;
    none->strings = strings_new(job->arena);
    return nsys_load_with_reader(&dldb_dialect, job->request, job->request->path, none, look,
                                 error);
}

// Opens the file as the loader would, so that failures of the machine are reported here. Faults of
// the file are left to the loader that reads it.
static int probe(const char *path, const unsigned char *head, size_t head_size, struct error *error)
{
    struct load_request request = {.path = path, .ignore_journal = true, .threads = 1};
    if (!nsys_is_sqlite(head, head_size))
        return 0;
    struct probe_request job = {&request, arena_new(0)};
    bool is_dldb = job.arena ? arena_run(job.arena, probe_body, &job, error)
                             : error_set(error, ERROR_MEMORY, "out of memory");
    arena_free(job.arena);
    if (error->kind == ERROR_DATA)
        *error = (struct error){0};
    return is_dldb ? 60 : 0;
}

const struct loader dldb_loader = {
    .name = "dldb",
    .doc = "database of DLProf 1.3 to 1.8 (dlprof_dldb.sqlite)",
    .probe = probe,
    .load = load,
    .has_domains = true,
    .no_digest_reason = "a database of DLProf is opened as it is, alone or with others",
};
