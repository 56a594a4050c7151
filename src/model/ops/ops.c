// SPDX-License-Identifier: Apache-2.0
// Builds ops and instances (runs of ops) from drafts (ops_draft.h):
// 1. chooses the dialect whose ranges are ops; its method adds a draft for each instance;
// 2. assigns each API call to the draft of its innermost enclosing range. In DLProf's mode calls of
//    autograd threads, which have no such ranges, belong to the `backward` that runs meanwhile;
// 3. adds a draft per replay of ops that were captured in a CUDA graph;
// 4. adds drafts for the calls and the GPU work that still have none ("unassociated");
// 5. sorts the drafts by time, as instances, and stores them in packed columns.
#include "model/ops/ops.h"

#include <string.h>

#include "base/id_map.h"
#include "base/intervals.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "model/ops/ops_draft.h"
#include "model/ops/ops_identity.h"
#include "model/profile/recorded_ops.h"

const char *const direction_names[3] = {"", "fprop", "bprop"};

uint32_t op_draft_add(struct op_drafts *drafts, struct op_draft draft)
{
    ARENA_PUSH(drafts->scratch, drafts->items, drafts->count, drafts->capacity) = draft;
    return (uint32_t)drafts->count - 1;
}

// ---- choice of method --------------------------------------------------------------------------

struct op_counts { // number of ranges whose markers are ops, by dialect
    uint32_t of[DIALECT_COUNT];
};

static struct op_counts count_ops(const struct profile *profile)
{
    struct op_counts counts = {{0}};
    uint32_t recorded = profile->told ? profile->told->marker_count : 0;
    for (uint32_t i = recorded; i < profile->marker_count; i++)
        if (profile->markers[i].kind == MARKER_OP)
            counts.of[profile->markers[i].dialect] += profile->markers[i].range_count;
    return counts;
}

static const struct {
    enum marker_dialect dialect;
    const char *title, *what;
} mode_methods[MODE_COUNT] = {
    [MODE_PYTORCH] = {DIALECT_DLPROF, "PyTorch", "DLProf op markers"},
    [MODE_TENSORFLOW1] = {DIALECT_TENSORFLOW, "TensorFlow 1", "TensorFlow op ranges"},
    [MODE_TENSORFLOW2] = {DIALECT_TENSORFLOW, "TensorFlow 2", "TensorFlow op ranges"},
    [MODE_TENSORRT] = {DIALECT_TENSORRT, "TensorRT", "TensorRT layer ranges"},
};

static bool has_title(const struct profile *profile, const char *title)
{
    for (uint32_t i = 0; i < profile->marker_count; i++)
        if (profile->markers[i].kind == MARKER_OP &&
            strcmp(profile_text(profile, profile->markers[i].title), title) == 0)
            return true;
    return false;
}

// Sets profile->mode and profile->mode_reason. Returns the dialect whose markers make the ops, or
// DIALECT_PLAIN if ops are made of ranges.
static enum marker_dialect choose_mode(struct profile *profile, enum mode requested)
{
    struct op_counts counts = count_ops(profile);
    enum mode mode = requested;
    if (requested == MODE_AUTO)
        mode = counts.of[DIALECT_TENSORFLOW]
                   ? (has_title(profile, "global_step") ? MODE_TENSORFLOW1 : MODE_TENSORFLOW2)
               : counts.of[DIALECT_TENSORRT] ? MODE_TENSORRT
               : counts.of[DIALECT_DLPROF]   ? MODE_PYTORCH
                                             : MODE_RANGES;
    profile->mode = mode;
    enum marker_dialect dialect = mode_methods[mode].dialect;
    const char *title = mode_methods[mode].title;
    const char *request_text = requested == MODE_AUTO ? "" : "asked for, ";
    if (mode == MODE_SIMPLE) {
        profile->mode_reason = "simple: asked for";
    } else if (title && counts.of[dialect]) {
        profile->mode_reason =
            arena_format(profile->arena, "%s: %s%u %s found", title, request_text,
                         counts.of[dialect], mode_methods[mode].what);
    } else {
        char count[FORMAT_SIZE], ours[FORMAT_SIZE];
        const char *what = format_counted(count, profile->ranges.count, "range");
        if (counts.of[DIALECT_EMIT_NVTX])
            what = arena_format(profile->arena, "%s, %s of them PyTorch's own op ranges", what,
                                format_count(ours, counts.of[DIALECT_EMIT_NVTX]));
        if (counts.of[DIALECT_XLA])
            what = arena_format(profile->arena, "%s, %s of them XLA's instructions", what,
                                format_count(ours, counts.of[DIALECT_XLA]));
        profile->mode_is_missing = title != NULL;
        if (title)
            profile->mode_reason =
                arena_format(profile->arena, "%s: asked for, but no %s found; ops from %s", title,
                             mode_methods[mode].what, what);
        else
            profile->mode_reason = arena_format(
                profile->arena, "ranges: %sno op markers of DLProf, TensorFlow or TensorRT; %s",
                request_text, what);
        dialect = DIALECT_PLAIN;
    }
    return dialect;
}

// ---- calls of each draft -----------------------------------------------------------------------

// Returns whether a range that has begun is open at `time`. An empty range is open at its start.
static bool is_open_at(const struct ranges *ranges, uint32_t range, int64_t time)
{
    return AT(ranges->end, range) > time ||
           (AT(ranges->end, range) == time && AT(ranges->start, range) == time);
}

// ---- work of autograd threads ------------------------------------------------------------------

struct backward_runs { // drafts of type `backward`, sorted by (process, start)
    uint32_t *items;
    uint32_t count;
    uint32_t *first;              // per process: its first item; one more for the end
    struct intervals *of_process; // per process: intervals of its items
};

static int compare_runs(const void *context, uint32_t a, uint32_t b)
{
    const struct op_draft *items = context, *x = &items[a], *y = &items[b];
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static struct backward_runs find_backward_runs(const struct op_drafts *drafts)
{
    struct arena *scratch = drafts->scratch;
    uint32_t processes = drafts->profile->process_count;
    struct backward_runs runs = {
        .items = ARENA_ARRAY(scratch, uint32_t, drafts->count),
        .first = ARENA_ARRAY(scratch, uint32_t, (size_t)processes + 1),
        .of_process = ARENA_ARRAY(scratch, struct intervals, processes),
    };
    for (uint32_t i = 0; i < drafts->count; i++) {
        const struct op_draft *draft = &drafts->items[i];
        if (draft->forward != ROW_NONE || draft->direction != DIRECTION_BPROP)
            continue;
        runs.items[runs.count++] = i;
        runs.first[draft->process + 1]++;
    }
    sort_ids(runs.items, runs.count, compare_runs, drafts->items, scratch);
    int64_t *start = ARENA_ARRAY(scratch, int64_t, runs.count);
    int64_t *end = ARENA_ARRAY(scratch, int64_t, runs.count);
    for (uint32_t i = 0; i < runs.count; i++) {
        start[i] = drafts->items[runs.items[i]].start;
        end[i] = drafts->items[runs.items[i]].end;
    }
    for (uint32_t p = 0; p < processes; p++) {
        uint32_t first = runs.first[p], count = runs.first[p + 1];
        runs.first[p + 1] += first;
        intervals_build(&runs.of_process[p], scratch, start + first, end + first, count);
    }
    return runs;
}

// Returns the innermost `backward` that runs at a time in a process, or ROW_NONE.
static uint32_t backward_at(const struct backward_runs *runs, uint32_t process, int64_t time)
{
    // Ends are exclusive: the interval contains the instant up to the next one.
    uint32_t item = intervals_innermost(&runs->of_process[process], time, time + 1);
    return item == UINT32_MAX ? ROW_NONE : runs->items[runs->first[process] + item];
}

struct assign_job {
    const struct op_drafts *drafts;
    const struct backward_runs *runs;
    uint32_t *open;     // ranges; a thread uses [first_range, end_range)
    uint32_t *draft_of; // per call
};

// Assigns each API call of a thread to the draft of the innermost range (greatest start) that is
// open when the call begins.
static void assign_calls(const struct assign_job *assignment, const struct thread *thread)
{
    const struct op_drafts *drafts = assignment->drafts;
    const struct profile *profile = drafts->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *open = assignment->open + thread->first_range;
    uint32_t next = thread->first_range;
    size_t depth = 0;
    for (uint32_t call = thread->first_api; call < thread->end_api; call++) {
        int64_t time = AT(profile->api.start, call);
        for (; next < thread->end_range && AT(ranges->start, next) <= time; next++)
            if (drafts->own[next] != ROW_NONE)
                open[depth++] = next;
        while (depth && !is_open_at(ranges, open[depth - 1], time))
            depth--;
        assignment->draft_of[call] = depth ? drafts->own[open[depth - 1]] : ROW_NONE;
    }
}

// Returns whether a thread probably belongs to autograd: it has ranges of the backward graph's
// nodes, or it launches kernels and has no op ranges.
static bool is_autograd_thread(const struct op_drafts *drafts, const struct thread *thread)
{
    const struct profile *profile = drafts->profile;
    bool has_ops = false, has_nodes = false, launches = false;
    for (uint32_t i = thread->first_range; i < thread->end_range && !has_nodes; i++) {
        const struct marker *marker = range_marker(profile, i);
        has_nodes = marker->kind == MARKER_ENGINE || marker->kind == MARKER_BACKWARD;
        has_ops |= marker->kind == MARKER_OP && marker->dialect == DIALECT_DLPROF;
    }
    for (uint32_t i = thread->first_api; i < thread->end_api && !launches; i++)
        launches = profile->api.kind[i] == API_KERNEL;
    return has_nodes || (!has_ops && launches);
}

static void assign_autograd(const struct assign_job *assignment, const struct thread *thread)
{
    const struct profile *profile = assignment->drafts->profile;
    uint32_t *draft_of = assignment->draft_of;
    if (!assignment->runs->count || !is_autograd_thread(assignment->drafts, thread))
        return;
    for (uint32_t i = thread->first_api; i < thread->end_api; i++)
        if (draft_of[i] == ROW_NONE)
            draft_of[i] = backward_at(assignment->runs, thread->process, AT(profile->api.start, i));
}

static void assign_thread(void *context, size_t i)
{
    const struct assign_job *assignment = context;
    const struct profile *profile = assignment->drafts->profile;
    const struct thread *thread = &profile->threads[i];
    if (profile->told && thread_has_recorded_ops(profile, (uint32_t)i))
        return;
    assign_calls(assignment, thread);
    assign_autograd(assignment, thread);
}

static void assign_all_calls(const struct op_drafts *drafts, bool has_autograd, uint32_t *draft_of)
{
    const struct profile *profile = drafts->profile;
    struct backward_runs runs = {.count = 0};
    if (has_autograd)
        runs = find_backward_runs(drafts);
    struct assign_job assignment = {
        drafts, &runs, ARENA_ARRAY(drafts->scratch, uint32_t, profile->ranges.count), draft_of};
    parallel_run(profile->workers, profile->thread_count, assign_thread, &assignment);
    ARENA_RELEASE(drafts->scratch, assignment.open, profile->ranges.count);
}

// ---- replays of CUDA graphs --------------------------------------------------------------------

// Returns the draft of the range or of its nearest ancestor that has one, or ROW_NONE.
static uint32_t enclosing_draft(const struct op_drafts *drafts, uint32_t range)
{
    while (range != ROW_NONE && drafts->own[range] == ROW_NONE)
        range = AT(drafts->profile->ranges.parent, range);
    return range == ROW_NONE ? ROW_NONE : drafts->own[range];
}

// Adds one draft per captured op and launch of its graph. The draft has length 0 and begins with
// the launch, since the host does not execute the op again.
static void add_replays(struct op_drafts *drafts, uint32_t *draft_of_work)
{
    const struct profile *profile = drafts->profile;
    const struct api_calls *api = &profile->api;
    struct id_map runs = {.arena = drafts->scratch}; // (launch, captured draft) -> draft
    for (uint32_t i = 0; HAS(profile->work.origin) && i < profile->work.count; i++) {
        uint32_t launch = AT(profile->work.launch, i);
        uint32_t captured = enclosing_draft(drafts, work_origin(profile, i));
        if (launch == ROW_NONE || captured == ROW_NONE)
            continue;
        uint32_t *slot = id_map_slot(&runs, (struct id_key){.a = launch, .b = captured});
        if (!*slot) {
            struct op_draft draft = drafts->items[captured];
            draft.start = draft.end = AT(api->start, launch);
            draft.self_ns = 0;
            draft.thread = AT(api->thread, launch);
            draft.captured = captured + 1;
            *slot = op_draft_add(drafts, draft) + 1;
        }
        draft_of_work[i] = *slot - 1;
    }
}

// ---- calls and work outside all drafts ---------------------------------------------------------

struct leftovers {
    struct op_drafts *drafts;
    struct id_map names; // text -> "unassociated_" + text
};

static uint32_t add_unassociated(struct leftovers *leftovers, string_id type, struct op_draft draft)
{
    struct strings *strings = leftovers->drafts->profile->strings;
    // In this mode all have the same type, since DLProf gives them none.
    if (leftovers->drafts->profile->mode == MODE_SIMPLE)
        type = strings_intern_text(strings, "call");
    uint32_t *slot = id_map_slot(&leftovers->names, (struct id_key){.a = type});
    if (!*slot) {
        char *name = arena_format(leftovers->drafts->scratch, "unassociated_%s",
                                  strings_text(strings, type));
        *slot = strings_intern_text(strings, name) + 1;
    }
    draft.name = *slot - 1;
    draft.type = type;
    draft.marker = draft.trace = draft.forward = draft.backward = ROW_NONE;
    draft.is_unassociated = true;
    return op_draft_add(leftovers->drafts, draft);
}

static void add_leftovers(struct op_drafts *drafts, uint32_t *draft_of, uint32_t *draft_of_work)
{
    const struct profile *profile = drafts->profile;
    const struct api_calls *api = &profile->api;
    const struct gpu_work *work = &profile->work;
    struct leftovers leftovers = {.drafts = drafts, .names = {.arena = drafts->scratch}};
    for (uint32_t i = 0; i < api->count; i++) {
        if (draft_of[i] != ROW_NONE)
            continue;
        string_id type = AT(api->name, i);
        if (api->kind[i] == API_KERNEL &&
            AT(api->first_work, i + 1) - AT(api->first_work, i) == 1) {
            uint32_t row = AT(api->work_rows, AT(api->first_work, i));
            type = profile->functions[AT(work->function, row)].brief;
        }
        draft_of[i] = add_unassociated(
            &leftovers, type,
            (struct op_draft){.start = AT(api->start, i),
                              .end = AT(api->end, i),
                              .self_ns = AT(api->end, i) - AT(api->start, i),
                              .thread = AT(api->thread, i),
                              .process = profile->threads[AT(api->thread, i)].process});
    }
    for (uint32_t i = 0; i < work->count; i++) {
        if (work_origin(profile, i) != ROW_NONE && draft_of_work[i] != ROW_NONE)
            continue; // add_replays() has assigned it
        if (AT(work->launch, i) != ROW_NONE) {
            draft_of_work[i] = draft_of[AT(work->launch, i)];
            continue;
        }
        if (draft_of_work[i] == ROW_NONE)
            draft_of_work[i] = enclosing_draft(drafts, work_range(profile, i));
        if (draft_of_work[i] != ROW_NONE)
            continue;
        const struct function *function = &profile->functions[AT(work->function, i)];
        // Its host time is unknown: the draft has length 0 at the start on the GPU.
        draft_of_work[i] =
            add_unassociated(&leftovers, function->brief ? function->brief : function->full,
                             (struct op_draft){.start = AT(work->start, i),
                                               .end = AT(work->start, i),
                                               .thread = ROW_NONE,
                                               .process = work_process(profile, i)});
    }
}

// ---- drafts to columns -------------------------------------------------------------------------

// Rows grouped by a key below `key_count`. Rows of one key keep their order.
struct row_groups {
    uint32_t key_count, row_count;
    const uint32_t *key_of; // per row
    uint32_t *first;        // per key; one more for the end, and one for rows whose key is ROW_NONE
    uint32_t *rows;
};

static struct row_groups groups_new(struct arena *arena, const uint32_t *key_of, uint32_t row_count,
                                    uint32_t key_count)
{
    return (struct row_groups){key_count, row_count, key_of,
                               ARENA_ARRAY(arena, uint32_t, (size_t)key_count + 2),
                               ARENA_ARRAY(arena, uint32_t, row_count)};
}

// `order` is the order of the rows; NULL: by number.
static void groups_fill(struct row_groups *groups, const uint32_t *order)
{
    uint32_t *first = groups->first;
    for (uint32_t i = 0; i < groups->row_count; i++)
        first[groups->key_of[i] + 2]++;
    for (uint32_t i = 2; i < groups->key_count + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < groups->row_count; i++) {
        uint32_t row = order ? order[i] : i;
        groups->rows[first[groups->key_of[row] + 1]++] = row;
    }
}

static void groups_release(struct row_groups *groups, struct arena *arena)
{
    ARENA_RELEASE(arena, groups->first, groups->key_count + 2);
    ARENA_RELEASE(arena, groups->rows, groups->row_count);
}

struct instance_contents { // the API calls and the GPU work, grouped by instance
    const struct profile *profile;
    struct row_groups calls, work;
};

static int compare_calls(const void *context, uint32_t a, uint32_t b)
{
    const struct api_calls *api = context;
    int64_t x = AT(api->start, a), y = AT(api->start, b);
    return (x > y) - (x < y);
}

// Fills the calls of each instance. They are in order of time, except that an instance with calls
// of several threads has them thread by thread: these are sorted.
static void fill_calls(const struct instance_contents *contents, struct row_groups *calls,
                       struct arena *scratch)
{
    const struct api_calls *api = &contents->profile->api;
    groups_fill(calls, NULL);
    for (uint32_t key = 0; key < calls->key_count; key++) {
        uint32_t *rows = calls->rows + calls->first[key];
        size_t count = calls->first[key + 1] - calls->first[key];
        if (count > 1 && AT(api->thread, rows[0]) != AT(api->thread, rows[count - 1]))
            sort_ids(rows, count, compare_calls, api, scratch);
    }
}

static void fill_contents(void *context, size_t i, struct arena *scratch)
{
    struct instance_contents *contents = context;
    if (i == 0) {
        fill_calls(contents, &contents->calls, scratch);
        return;
    }
    const struct gpu_work *work = &contents->profile->work;
    int64_t *start = column64_unpack(scratch, work->start, work->count);
    groups_fill(&contents->work, sort_by_time(scratch, start, NULL, work->count));
}

static void store_contents(const struct op_drafts *drafts, const uint32_t *instance_of_call,
                           const uint32_t *instance_of_work, struct ops *ops)
{
    struct profile *profile = drafts->profile;
    struct arena *scratch = drafts->scratch;
    uint32_t count = (uint32_t)drafts->count;
    struct instance_contents contents = {
        .profile = profile,
        .calls = groups_new(scratch, instance_of_call, profile->api.count, count),
        .work = groups_new(scratch, instance_of_work, profile->work.count, count),
    };
    scratch_jobs(scratch, profile->workers, 2, fill_contents, &contents);
    ops->first_api = profile_pack32(profile, contents.calls.first, (size_t)count + 1);
    ops->api_rows = profile_pack32(profile, contents.calls.rows, profile->api.count);
    groups_release(&contents.calls, scratch);
    ops->first_work = profile_pack32(profile, contents.work.first, (size_t)count + 1);
    ops->work_rows = profile_pack32(profile, contents.work.rows, profile->work.count);
    groups_release(&contents.work, scratch);
}

enum { MAP_ROWS = 1 << 16 }; // rows per job

struct map_rows_job {
    uint32_t *rows;
    uint32_t count;
    const uint32_t *map;
};

static void map_job(void *context, size_t job)
{
    const struct map_rows_job *mapping = context;
    uint32_t first = (uint32_t)job * MAP_ROWS, rest = mapping->count - first;
    for (uint32_t i = first; i < first + (rest < MAP_ROWS ? rest : MAP_ROWS); i++)
        if (mapping->rows[i] != ROW_NONE)
            mapping->rows[i] = mapping->map[mapping->rows[i]];
}

// Replaces row numbers by map[row].
static void map_rows(const struct profile *profile, uint32_t *rows, uint32_t count,
                     const uint32_t *map)
{
    struct map_rows_job mapping = {rows, count, map};
    parallel_run(profile->workers, ((size_t)count + MAP_ROWS - 1) / MAP_ROWS, map_job, &mapping);
}

enum draft_time { DRAFT_START, DRAFT_END, DRAFT_SELF };

static struct column64 draft_times(const struct op_drafts *drafts, const uint32_t *order,
                                   enum draft_time which, int64_t *times)
{
    for (size_t i = 0; i < drafts->count; i++) {
        const struct op_draft *draft = &drafts->items[order[i]];
        int64_t self = draft->self_ns > 0 ? draft->self_ns : 0;
        times[i] = which == DRAFT_START ? draft->start : which == DRAFT_END ? draft->end : self;
    }
    return profile_pack64(drafts->profile, times, drafts->count);
}

static void make_instances(const struct op_drafts *drafts, struct ops *ops, const uint32_t *order,
                           const uint32_t *op_of)
{
    uint32_t count = (uint32_t)drafts->count;
    ops->instance_count = count;
    int64_t *times = ARENA_ARRAY(drafts->scratch, int64_t, count);
    ops->start = draft_times(drafts, order, DRAFT_START, times);
    ops->end = draft_times(drafts, order, DRAFT_END, times);
    bool is_all_cpu_time = true; // every instance has as much CPU time as it is long
    for (uint32_t i = 0; i < count && is_all_cpu_time; i++)
        is_all_cpu_time = drafts->items[i].self_ns == drafts->items[i].end - drafts->items[i].start;
    if (!is_all_cpu_time)
        ops->self_ns = draft_times(drafts, order, DRAFT_SELF, times);
    ARENA_RELEASE(drafts->scratch, times, count);
    uint32_t *ids = ARENA_ARRAY(drafts->scratch, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = drafts->items[order[i]].thread;
    ops->thread = profile_pack32(drafts->profile, ids, count);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = drafts->items[order[i]].marker;
    ops->marker = profile_pack32(drafts->profile, ids, count);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = op_of[order[i]];
    ops->op = profile_pack32(drafts->profile, ids, count);
    struct row_groups by_op = groups_new(drafts->scratch, ids, count, ops->count);
    groups_fill(&by_op, NULL);
    ops->by_op = profile_pack32(drafts->profile, by_op.rows, count);
    for (uint32_t i = 0; i < ops->count; i++) {
        ops->items[i].first_instance = by_op.first[i];
        ops->items[i].instance_count = by_op.first[i + 1] - by_op.first[i];
    }
    groups_release(&by_op, drafts->scratch);
    ARENA_RELEASE(drafts->scratch, ids, count);
}

struct ops_job {
    struct profile *profile;
    enum mode mode;
};

// Returns `count` rows that are all ROW_NONE.
static uint32_t *rows_of_none(struct arena *scratch, uint32_t count)
{
    uint32_t *rows = ARENA_ARRAY(scratch, uint32_t, count);
    if (count)
        memset(rows, 0xff, count * sizeof *rows);
    return rows;
}

static void find_drafts(struct op_drafts *drafts, enum mode mode, uint32_t *draft_of_call)
{
    struct profile *profile = drafts->profile;
    enum mode recorded_mode = profile->mode;
    const char *recorded_reason = profile->mode_reason;
    enum marker_dialect dialect = choose_mode(profile, mode);
    if (profile->told) {
        profile->mode_reason = arena_format(profile->arena, "%s; files that are not DLProf's, %s",
                                            recorded_reason, profile->mode_reason);
        if (profile->mode == MODE_RANGES)
            profile->mode = recorded_mode;
    }
    if (profile->mode == MODE_SIMPLE)
        ; // no ops
    else if (dialect == DIALECT_DLPROF)
        ops_find_dict(drafts);
    else if (dialect != DIALECT_PLAIN)
        ops_find_named(drafts, dialect);
    else
        ops_find_ranges(drafts);
    assign_all_calls(drafts, dialect == DIALECT_DLPROF, draft_of_call);
}

// Adds the recorded instances as the first drafts, in their order.
static void add_recorded_drafts(struct op_drafts *drafts, uint32_t *draft_of_call,
                                uint32_t *draft_of_work)
{
    const struct profile *profile = drafts->profile;
    const struct recorded_ops *recorded = profile->told;
    for (uint32_t i = 0; i < recorded->instance_count; i++) {
        const struct recorded_instance *instance = &recorded->instances[i];
        const struct op *op = &recorded->ops[instance->op];
        uint32_t draft =
            op_draft_add(drafts, (struct op_draft){
                                     .start = instance->start,
                                     .end = instance->end,
                                     .self_ns = instance->end - instance->start,
                                     .thread = instance->thread,
                                     .process = profile->threads[instance->thread].process,
                                     .marker = instance->marker,
                                     .trace = ROW_NONE,
                                     .forward = ROW_NONE,
                                     .backward = ROW_NONE,
                                     .name = op->name,
                                     .type = op->type,
                                     .direction = op->direction,
                                     .is_unassociated = op->is_unassociated,
                                     .recorded = op,
                                 });
        if (instance->range != ROW_NONE)
            drafts->own[instance->range] = draft;
    }
    for (uint32_t i = 0; HAS(profile->api.told) && i < profile->api.count; i++)
        draft_of_call[i] = AT(profile->api.told, i);
    for (uint32_t i = 0; HAS(profile->work.told) && i < profile->work.count; i++)
        draft_of_work[i] = AT(profile->work.told, i);
}

static bool has_only_recorded_ops(const struct profile *profile)
{
    bool all = profile->told != NULL;
    for (uint32_t s = 0; s < profile->source_count; s++)
        all &= profile->sources[s].has_recorded_ops;
    return all;
}

static void build_ops(void *context, struct arena *scratch)
{
    struct ops_job *job = context;
    struct profile *profile = job->profile;
    struct op_drafts drafts = {.profile = profile, .scratch = scratch};
    drafts.own = rows_of_none(scratch, profile->ranges.count);
    uint32_t *instance_of_call = rows_of_none(scratch, profile->api.count);
    uint32_t *instance_of_work = rows_of_none(scratch, profile->work.count);
    if (profile->told)
        add_recorded_drafts(&drafts, instance_of_call, instance_of_work);
    if (!has_only_recorded_ops(profile))
        find_drafts(&drafts, job->mode, instance_of_call);
    add_replays(&drafts, instance_of_work);
    add_leftovers(&drafts, instance_of_call, instance_of_work);

    // From drafts to instances, sorted by time.
    uint32_t count = (uint32_t)drafts.count;
    int64_t *start = ARENA_ARRAY(scratch, int64_t, count);
    int64_t *end = ARENA_ARRAY(scratch, int64_t, count);
    for (uint32_t i = 0; i < count; i++) {
        start[i] = drafts.items[i].start;
        end[i] = drafts.items[i].end;
    }
    uint32_t *order = sort_by_time(scratch, start, end, count);
    ARENA_RELEASE(scratch, start, count);
    ARENA_RELEASE(scratch, end, count);
    uint32_t *instance_of = ARENA_ARRAY(scratch, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        instance_of[order[i]] = i;
    map_rows(profile, instance_of_call, profile->api.count, instance_of);
    map_rows(profile, instance_of_work, profile->work.count, instance_of);
    map_rows(profile, drafts.own, profile->ranges.count, instance_of);
    profile->ranges.instance = profile_pack32(profile, drafts.own, profile->ranges.count);
    profile->api.instance = profile_pack32(profile, instance_of_call, profile->api.count);
    profile->work.instance = profile_pack32(profile, instance_of_work, profile->work.count);
    ARENA_RELEASE(scratch, drafts.own, profile->ranges.count);
    ARENA_RELEASE(scratch, instance_of, count);

    struct ops *ops = ARENA_NEW(profile->arena, struct ops);
    ops->wrappers = drafts.wrappers;
    uint32_t *op_of = ops_identify(&drafts, order, ops);
    make_instances(&drafts, ops, order, op_of);
    ARENA_RELEASE(scratch, drafts.items, drafts.capacity);
    store_contents(&drafts, instance_of_call, instance_of_work, ops);
    profile->ops = ops;
}

void ops_build(struct profile *profile, enum mode mode)
{
    struct ops_job job = {profile, mode};
    scratch_run(profile->arena, build_ops, &job);
}

static void link_recorded(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    const struct recorded_ops *recorded = profile->told;
    uint32_t count = profile->api.count;
    uint32_t *range = column32_unpack(scratch, profile->api.range, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = AT(profile->api.told, i);
        if (row == ROW_NONE)
            continue;
        const struct recorded_instance *owner = &recorded->instances[row];
        int64_t start = AT(profile->api.start, i);
        if (owner->range != ROW_NONE && owner->thread == AT(profile->api.thread, i) &&
            owner->start <= start && start < owner->end)
            range[i] = owner->range;
    }
    profile->api.range = profile_pack32(profile, range, count);
}

void ops_link_recorded(struct profile *profile)
{
    if (profile->told && HAS(profile->api.told))
        scratch_run(profile->arena, link_recorded, profile);
}
