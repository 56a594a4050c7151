// SPDX-License-Identifier: Apache-2.0
// Reads several files in parallel, orders them by rank, leaves out duplicates, aligns their clocks
// and merges them.
//
// Each file becomes a part (merge.h). A part continues an earlier one if both files were written by
// the same process, one after the other: the PyTorch Profiler writes a file per profiled window of
// a worker.
#include "model/open/load_many.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parallel.h"
#include "base/scratch.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/derive/derive.h"
#include "model/open/clocks.h"
#include "model/open/merge.h"
#include "model/open/repeated_work.h"
#include "model/open/same_work.h"
#include "model/profile/ranks.h"
#include "model/profile/recorder.h"
#include "model/profile/roles.h"
#include "model/profile/span_name.h"

struct part_file {
    const char *path;
    int64_t rank; // by its file name
    struct profile *profile;
    struct error error;
};

struct many_job {
    const struct load_request *request;
    load_one *load;
    uint32_t count;
    unsigned threads, threads_per_file; // in total; for each file
    struct part_file *files;
    atomic_bool has_failed; // a file failed: the others need not be read
    struct arena *arena;    // of the merged profile
    struct profile *merged;
};

// ---- reading -----------------------------------------------------------------------------------

static void read_file(void *context, size_t i)
{
    struct many_job *many = context;
    struct part_file *part = &many->files[i];
    if (atomic_load(&many->has_failed))
        return;
    struct load_request request = load_request_of(many->request, part->path);
    request.threads = many->threads_per_file;
    request.part_of = many->count;
    part->profile = many->load(&request, &part->error);
    if (!part->profile)
        atomic_store(&many->has_failed, true);
}

// Returns a path that names the same file as an earlier path, or NULL. The rows of such a file
// would count twice.
static const char *find_repeated_path(const struct load_request *request, struct stat *files)
{
    for (size_t i = 0; i < request->path_count; i++) {
        if (stat(request->paths[i], &files[i]) != 0)
            files[i] = (struct stat){0}; // opening it will report the error
        for (size_t j = 0; files[i].st_ino && j < i; j++)
            if (files[i].st_dev == files[j].st_dev && files[i].st_ino == files[j].st_ino)
                return request->paths[i];
    }
    return NULL;
}

static const struct error *first_failure(const struct many_job *many)
{
    for (uint32_t i = 0; i < many->count; i++)
        if (many->files[i].error.kind != ERROR_NONE)
            return &many->files[i].error;
    return NULL;
}

// Sorts by rank; files without a rank are last, by name.
static int compare_files(const void *left, const void *right)
{
    const struct part_file *a = left, *b = right;
    int64_t x = a->profile->sources[0].rank, y = b->profile->sources[0].rank;
    x = x == UNKNOWN ? INT64_MAX : x;
    y = y == UNKNOWN ? INT64_MAX : y;
    return x != y ? (x > y) - (x < y) : text_compare_natural(a->path, b->path);
}

// Returns whether each file states its rank, and only files that continue one another share one.
static bool has_all_ranks(const struct many_job *many)
{
    for (uint32_t i = 0; i < many->count; i++) {
        int64_t rank = many->files[i].profile->sources[0].rank;
        if (rank == UNKNOWN)
            return false;
        for (uint32_t j = 0; j < i; j++)
            if (many->files[j].profile->sources[0].rank == rank &&
                !span_name_is_continued(many->files[i].path, many->files[j].path))
                return false;
    }
    return true;
}

// Sorts the files by the ranks that they state, or by the ranks in their names if these are not
// known for all files or not distinct.
static void sort_by_rank(struct many_job *many)
{
    if (!has_all_ranks(many))
        for (uint32_t i = 0; i < many->count; i++)
            many->files[i].profile->sources[0].rank = many->files[i].rank;
    qsort(many->files, many->count, sizeof *many->files, compare_files);
}

// Finds the ranks in the names of the files.
static void find_named_ranks(struct many_job *many)
{
    const char **paths = ARENA_ARRAY(many->arena, const char *, many->count);
    int64_t *ranks = ARENA_ARRAY(many->arena, int64_t, many->count);
    for (uint32_t i = 0; i < many->count; i++)
        paths[i] = many->files[i].path;
    ranks_of_files(paths, many->count, ranks);
    for (uint32_t i = 0; i < many->count; i++)
        many->files[i].rank = ranks[i];
}

static void assign_roles(struct many_job *many)
{
    const char **paths = ARENA_ARRAY(many->arena, const char *, many->count);
    struct roles **roles = ARENA_ARRAY(many->arena, struct roles *, many->count);
    for (uint32_t s = 0; s < many->count; s++) {
        paths[s] = many->merged->sources[s].path;
        roles[s] = &many->merged->sources[s].roles;
    }
    roles_of_files(paths, many->count, roles);
}

// ---- clocks ------------------------------------------------------------------------------------

struct clocks_context {
    struct many_job *many;
    struct part *parts;
    struct clock *results;
};

static void align_body(void *context, struct arena *scratch)
{
    struct clocks_context *clocks = context;
    uint32_t count = clocks->many->count;
    const struct profile **profiles = ARENA_ARRAY(scratch, const struct profile *, count);
    uint32_t *continues = ARENA_ARRAY(scratch, uint32_t, count);
    struct part_clock *clock = ARENA_ARRAY(scratch, struct part_clock, count);
    for (uint32_t p = 0; p < count; p++) {
        profiles[p] = clocks->parts[p].profile;
        continues[p] = clocks->parts[p].continues;
    }
    clocks_align(profiles, continues, count, clock, clocks->results, scratch);
    for (uint32_t p = 0; p < count; p++)
        clocks->parts[p].clock = clock[p];
}

static void note_clocks(struct profile *profile, const struct part *parts)
{
    int64_t by_wall = 0, unaligned = 0, worst = 0, spread = 0, file_count = 0;
    for (uint32_t s = 1; s < profile->source_count; s++) {
        const struct clock *clock = &profile->sources[s].clock;
        if (parts[s].continues)
            continue;
        file_count++;
        by_wall += clock->is_aligned && clock->spread == UNKNOWN;
        unaligned += !clock->is_aligned;
        worst = llabs(clock->offset) > worst ? llabs(clock->offset) : worst;
        spread = clock->spread != UNKNOWN && clock->spread > spread ? clock->spread : spread;
    }
    char offset_text[FORMAT_SIZE], spread_text[FORMAT_SIZE], files[FORMAT_SIZE];
    int64_t aligned = file_count - by_wall - unaligned;
    if (aligned)
        profile_note(profile, NOTE_INFO, "clocks_aligned", aligned, NULL,
                     "clocks of the files agree by collectives that end together: wall clocks were "
                     "up to %s apart, half of the ends of a rank lie within %s",
                     format_duration(offset_text, worst, true),
                     format_duration(spread_text, spread, true));
    if (by_wall)
        profile_note(profile, NOTE_WARNING, "clocks_by_wall", by_wall, NULL,
                     "times of %s are by the wall clock of the machine, which may be milliseconds "
                     "off: no collectives in common with others that tell",
                     format_counted(files, (uint64_t)by_wall, "file"));
    if (unaligned)
        profile_note(
            profile, NOTE_WARNING, "clocks_unaligned", unaligned, NULL,
            "nothing tells how the clocks of %s go with that of the first: times of different "
            "ranks cannot be compared",
            format_counted(files, (uint64_t)unaligned, "file"));
}

static uint32_t first_part(const struct part *parts, uint32_t part)
{
    return parts[part].continues ? parts[part].continues - 1 : part;
}

// Returns whether both parts belong to one process, which was recorded with pauses.
static bool parts_continue(const struct part *parts, uint32_t a, uint32_t b)
{
    return first_part(parts, a) == first_part(parts, b);
}

static bool is_before_or_after(const struct part *part, int64_t from, int64_t to)
{
    return part_time(&part->clock, part->profile->last_ns) <= from ||
           part_time(&part->clock, part->profile->first_ns) >= to;
}

// Warns of captures that overlap no other capture. Captures of one job do overlap, so these are
// probably from another run.
static void note_isolated(struct profile *profile, const struct part *parts, uint32_t count)
{
    int64_t isolated = 0;
    for (uint32_t p = 0; p < count; p++) {
        int64_t from = part_time(&parts[p].clock, parts[p].profile->first_ns);
        int64_t to = part_time(&parts[p].clock, parts[p].profile->last_ns);
        bool is_alone = profile->sources[p].clock.is_aligned;
        for (uint32_t o = 0; o < count && is_alone; o++)
            is_alone =
                o == p || (!parts_continue(parts, o, p) && is_before_or_after(&parts[o], from, to));
        isolated += is_alone;
    }
    if (isolated && count > 1) // one may be left of several
        profile_note(profile, NOTE_WARNING, "files_apart", isolated, NULL,
                     "%lld of %u files were captured at another time than all others: files "
                     "named together are ranks of one job; to compare two runs: --baseline=OLDER "
                     "NEWER",
                     (long long)isolated, count);
}

// ---- the same work in two files ----------------------------------------------------------------

struct same_search {
    const struct profile *a, *b;
    bool is_same;
};

static void compare_work_body(void *context, struct arena *scratch)
{
    struct same_search *search = context;
    search->is_same = is_same_work(search->a, search->b, scratch);
}

// Chooses which of two files with the same work to leave out: the one with less GPU work, or else
// the PyTorch trace, which records less of the host.
static uint32_t file_to_leave_out(const struct many_job *many, uint32_t i, uint32_t j)
{
    uint32_t count_i = many->files[i].profile->work.count;
    uint32_t count_j = many->files[j].profile->work.count;
    if (count_i != count_j)
        return count_i < count_j ? i : j;
    return profile_is_trace(many->files[i].profile) ? i : j;
}

static void note_left_out(const struct many_job *many, const struct part_file *left,
                          const struct part_file *kept)
{
    const char *name = text_file_name(left->path, NULL);
    profile_note(many->merged, NOTE_WARNING, "same_work", left->profile->work.count, NULL,
                 "%s is left out: %s holds the same GPU work, kernel by kernel, which would count "
                 "twice. Alone it shows what it tells of the ops; --baseline=%s compares the two",
                 name, text_file_name(kept->path, NULL), name);
}

static void remove_left_out(struct many_job *many, const bool *is_left_out)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < many->count; i++) {
        if (is_left_out[i])
            profile_free(many->files[i].profile);
        else
            many->files[kept_count++] = many->files[i];
    }
    for (uint32_t i = kept_count; i < many->count; i++)
        many->files[i] = (struct part_file){0};
    many->count = kept_count;
}

// Leaves out files whose rows others of the same tool hold as well. Done while the ranks are those
// that the files state: names may tell two ranks of two copies.
static void leave_out_repeated(struct many_job *many)
{
    bool *is_left_out = ARENA_ARRAY(many->arena, bool, many->count);
    const struct profile **parts = ARENA_ARRAY(many->arena, const struct profile *, many->count);
    for (uint32_t i = 0; i < many->count; i++)
        parts[i] = many->files[i].profile;
    repeated_work_find(parts, many->count, is_left_out, many->merged);
    remove_left_out(many, is_left_out);
    find_named_ranks(many);
}

// Leaves out one of two files in which two tools have recorded the same work.
static void leave_out_same_work(struct many_job *many)
{
    bool *is_left_out = ARENA_ARRAY(many->arena, bool, many->count);
    for (uint32_t i = 1; i < many->count; i++)
        for (uint32_t j = 0; j < i && !is_left_out[i]; j++) {
            if (is_left_out[j] || profile_is_trace(many->files[i].profile) ==
                                      profile_is_trace(many->files[j].profile))
                continue;
            struct same_search search = {many->files[i].profile, many->files[j].profile, false};
            scratch_run(many->arena, compare_work_body, &search);
            if (!search.is_same)
                continue;
            uint32_t left = file_to_leave_out(many, i, j);
            is_left_out[left] = true;
            note_left_out(many, &many->files[left], &many->files[i + j - left]);
        }
    remove_left_out(many, is_left_out);
}

// ---- one profile -------------------------------------------------------------------------------

// Sets the window of the merged profile: from the earliest start to the latest end of the parts'
// windows. These contain the same steps, but each part has other times.
static void merge_windows(struct profile *merged, const struct part *parts, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) {
        const struct file_window *window = parts[p].profile->file_window;
        if (!window)
            continue;
        struct file_window moved = *window;
        moved.from = part_time(&parts[p].clock, window->from);
        if (window->to != INT64_MAX)
            moved.to = part_time(&parts[p].clock, window->to);
        if (!merged->file_window) {
            merged->file_window = ARENA_NEW(merged->arena, struct file_window);
            *merged->file_window = moved;
        }
        if (moved.from < merged->file_window->from)
            merged->file_window->from = moved.from;
        if (moved.to > merged->file_window->to)
            merged->file_window->to = moved.to;
    }
}

// Finds by the file names which parts continue an earlier one.
static void find_spans(const struct many_job *many, struct part *parts)
{
    for (uint32_t p = 1; p < many->count; p++)
        for (uint32_t q = 0; q < p && !parts[p].continues; q++)
            if (profile_is_trace(many->files[p].profile) &&
                profile_is_trace(many->files[q].profile) &&
                span_name_is_continued(many->files[p].path, many->files[q].path))
                parts[p].continues = q + 1;
}

// Undoes find_spans() for a part that does not start after the earlier ones, for instance because
// its clock is unknown: it becomes a process of its own.
static void check_spans(const struct clocks_context *clocks, uint32_t count)
{
    struct part *parts = clocks->parts;
    for (uint32_t p = 1; p < count; p++) {
        int64_t from = part_time(&parts[p].clock, parts[p].profile->first_ns);
        bool is_after = clocks->results[p].is_aligned;
        for (uint32_t q = 0; q < p && parts[p].continues; q++)
            if (parts_continue(parts, q, p))
                is_after &= part_time(&parts[q].clock, parts[q].profile->last_ns) <= from;
        if (!is_after)
            parts[p].continues = 0;
    }
}

static int compare_pauses(const void *left, const void *right)
{
    const struct pause *a = left, *b = right;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->to > b->to) - (a->to < b->to);
}

// Finds the times between the earliest and the latest part that no part covers.
static void find_pauses(struct profile *merged, const struct part *parts, uint32_t count)
{
    struct pause *windows = ARENA_ARRAY(merged->arena, struct pause, count);
    bool is_continued = false;
    for (uint32_t p = 0; p < count; p++) {
        const struct profile *part = parts[p].profile;
        windows[p] = (struct pause){part_time(&parts[p].clock, part->first_ns),
                                    part_time(&parts[p].clock, part->last_ns)};
        is_continued |= parts[p].continues != 0;
    }
    if (!is_continued)
        return;
    qsort(windows, count, sizeof *windows, compare_pauses);
    merged->pauses = ARENA_ARRAY(merged->arena, struct pause, count);
    int64_t end = windows[0].to;
    for (uint32_t p = 1; p < count; p++) {
        if (windows[p].from > end)
            merged->pauses[merged->pause_count++] = (struct pause){end, windows[p].from};
        end = windows[p].to > end ? windows[p].to : end;
    }
}

static bool merge(struct many_job *many, struct error *error)
{
    struct profile *merged = many->merged;
    leave_out_same_work(many);
    struct part *parts = ARENA_ARRAY(many->arena, struct part, many->count);
    struct clock *results = ARENA_ARRAY(many->arena, struct clock, many->count);
    for (uint32_t p = 0; p < many->count; p++)
        parts[p].profile = many->files[p].profile;
    find_spans(many, parts);
    struct clocks_context clocks = {many, parts, results};
    scratch_run(many->arena, align_body, &clocks);
    check_spans(&clocks, many->count);
    if (!profile_merge(merged, parts, many->count, error))
        return false;
    for (uint32_t p = 0; p < many->count; p++)
        merged->sources[p].clock = results[p];
    note_isolated(merged, parts, many->count);
    find_pauses(merged, parts, many->count);
    merge_windows(merged, parts, many->count);
    for (uint32_t p = 0; p < many->count; p++) {
        profile_free(many->files[p].profile);
        many->files[p].profile = NULL;
    }
    hosts_assign_rows(merged);
    assign_roles(many);
    process_groups_build(merged);
    note_clocks(merged, parts);
    return true;
}

static bool report_progress(const struct many_job *many, const char *doing, struct error *error)
{
    struct load_progress *progress = many->request->progress;
    if (!progress)
        return true;
    atomic_store(&progress->doing, doing);
    return !atomic_load(&progress->cancel) || error_set(error, ERROR_CANCELLED, "cancelled");
}

static bool many_body(void *context, struct error *error)
{
    struct many_job *many = context;
    many->merged = profile_empty(many->request, many->arena);
    many->merged->workers = many->threads;
    leave_out_repeated(many);
    sort_by_rank(many);
    return merge(many, error) && profile_derive(many->merged, many->request, error);
}

// Errors of single files are reported before anything is merged.
static struct profile *merge_all(struct many_job *many, struct error *error)
{
    const struct error *failure = first_failure(many);
    if (failure) {
        *error = *failure;
        return NULL;
    }
    if (!report_progress(many, "putting the files together", error))
        return NULL;
    many->arena = arena_new(0);
    if (!many->arena) {
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    if (arena_run(many->arena, many_body, many, error))
        return many->merged;
    bool was_shown = many->request->progress && atomic_load(&many->request->progress->stage);
    if (!was_shown)
        arena_free(many->arena); // if it was shown, another thread may be reading it
    return NULL;
}

struct profile *load_many(const struct load_request *request, load_one *load, struct error *error)
{
    uint32_t count = (uint32_t)request->path_count;
    if (request->file_window && !file_window_has_steps(request->file_window)) {
        error_set(
            error, ERROR_USAGE,
            "--window is of one file, since each has a clock of its own; --steps reads the same "
            "steps of several");
        return NULL;
    }
    unsigned threads = request->threads ? request->threads : parallel_cores();
    struct many_job many = {
        .request = request,
        .load = load,
        .count = count,
        .threads = threads,
        .threads_per_file = threads > count ? threads / count : 1,
        .files = calloc(count, sizeof *many.files),
    };
    struct stat *files = calloc(count, sizeof *files);
    struct profile *profile = NULL;
    const char *twice = files ? find_repeated_path(request, files) : NULL;
    if (twice) {
        error_set(error, ERROR_USAGE, "%s is named twice", twice);
    } else if (many.files && files) {
        for (uint32_t i = 0; i < count; i++)
            many.files[i].path = request->paths[i];
        parallel_run(threads, count, read_file, &many);
        profile = merge_all(&many, error);
    } else {
        error_set(error, ERROR_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; many.files && i < count; i++)
        profile_free(many.files[i].profile);
    free(many.files);
    free(files);
    return profile;
}
