// SPDX-License-Identifier: Apache-2.0
// Communication of the workers of a job, see distributed.h for the terms. The steps are: gather
// calls and their parts from host ranges, assign kernels to the calls, pair equal calls of
// different workers, and sum up per step.
#include "analysis/plugin/distributed.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "analysis/breakdown/cover.h"
#include "analysis/idle/collectives.h"
#include "analysis/plugin/plugin_roles.h"
#include "analysis/report/memo.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "base/sums.h"
#include "base/text/text.h"
#include "base/tuples.h"
#include "model/markers/markers.h"
#include "model/profile/data_types.h"
#include "model/profile/records.h"

// ---- kinds by name -----------------------------------------------------------------------------

static const char *const collective_kinds[] = {
    "allreduce", "reducescatter", "allgather", "alltoall", "broadcast",
    "sendrecv",  "send",          "recv",      "reduce",   NULL};

// Returns the index in collective_kinds of a name: "nccl:all_reduce" and
// "ncclKernel_AllReduce_RING_LL_Sum_float" have the same. An unknown kind has the index of the
// final NULL.
static int kind_of(const char *name)
{
    char letters[100];
    size_t length = 0;
    for (; *name && length + 1 < sizeof letters; name++)
        if (isalpha((unsigned char)*name))
            letters[length++] = (char)tolower((unsigned char)*name);
    letters[length] = '\0';
    int kind = 0;
    while (collective_kinds[kind] && !strstr(letters, collective_kinds[kind]))
        kind++;
    return kind;
}

// ---- gathering ---------------------------------------------------------------------------------

struct comm_gathering {
    const struct profile *profile;
    const struct selection *selection;
    const struct plugin_steps *steps;
    const uint8_t *roles;
    uint32_t *worker_of; // [process] index in steps->workers; ROW_NONE
    uint32_t *call_of;   // [range] the call it is part of; ROW_NONE
    struct comm_call *calls;
    struct comm_part *parts;
    size_t call_count, call_capacity, part_count, part_capacity;
    struct arena *arena;
};

static uint32_t collective_record(struct column32 column, uint32_t row)
{
    return HAS(column) ? AT(column, row) : ROW_NONE;
}

static void comm_part_add(struct comm_gathering *gathering, uint32_t call, int64_t start,
                          int64_t end, bool is_op)
{
    if (!gathering->calls)
        return; // never true: `call` is a row of them
    struct comm_call *of = &gathering->calls[call];
    of->start = start < of->start ? start : of->start;
    ARENA_PUSH(gathering->arena, gathering->parts, gathering->part_count,
               gathering->part_capacity) = (struct comm_part){call, start, end, end, is_op};
}

static uint32_t comm_call_add(struct comm_gathering *gathering, uint32_t worker, string_id name,
                              uint32_t record)
{
    ARENA_PUSH(gathering->arena, gathering->calls, gathering->call_count,
               gathering->call_capacity) = (struct comm_call){.worker = worker,
                                                              .step = ROW_NONE,
                                                              .name = name,
                                                              .told = record,
                                                              .start = INT64_MAX,
                                                              .bytes = UNKNOWN};
    return (uint32_t)gathering->call_count - 1;
}

// Returns the size of a data type by its name: "c10::BFloat16", "long int"; or UNKNOWN.
static int64_t element_bytes(const char *type)
{
    char word[32];
    const char *colons = strrchr(type, ':');
    size_t length = 0;
    for (type = colons ? colons + 1 : type; type[length] && length + 1 < sizeof word; length++)
        word[length] = (char)tolower((unsigned char)type[length]);
    word[length] = '\0';
    if (strcmp(word, "long int") == 0)
        word[4] = '\0';
    const struct data_type *known =
        data_type_find(strcmp(word, "unsigned char") == 0 ? "byte" : word);
    return known && known->bytes >= 1 ? (int64_t)known->bytes : UNKNOWN;
}

static int64_t product(int64_t a, int64_t b)
{
    int64_t result;
    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

// Returns the size of the input according to the record of a call, or UNKNOWN.
static int64_t recorded_bytes(const struct profile *profile, uint32_t record)
{
    const struct told_collectives *records = &profile->told_collectives;
    if (record == ROW_NONE || records->elements_in[record] == UNKNOWN ||
        records->elements_in[record] < 0)
        return UNKNOWN;
    int64_t bytes_per_element = element_bytes(profile_text(profile, records->data_type[record]));
    return bytes_per_element == UNKNOWN ? UNKNOWN
                                        : product(records->elements_in[record], bytes_per_element);
}

// Returns the size of all tensors among the arguments of a range, or UNKNOWN.
static int64_t argument_bytes(const struct profile *profile, uint32_t range)
{
    const struct marker *marker = range_marker(profile, range);
    int64_t sum = UNKNOWN;
    for (uint32_t i = 0; i < marker->argument_count; i++) {
        const struct marker_argument *argument = &marker->arguments[i];
        int64_t bytes = element_bytes(profile_text(profile, argument->dtype));
        if (bytes == UNKNOWN || !argument->is_tensor)
            continue;
        for (uint8_t d = 0; d < argument->rank; d++)
            bytes = product(bytes, argument->dims[d] > 0 ? argument->dims[d] : 0);
        sum = sum == UNKNOWN ? bytes : add_saturating(sum, bytes);
    }
    return sum;
}

// Returns true for a record of the host waiting for earlier collectives. It looks like a record of
// theirs, but moves no data.
static bool is_wait(const struct profile *profile, uint32_t record)
{
    return record != ROW_NONE &&
           strcmp(profile_text(profile, profile->told_collectives.name[record]), "wait") == 0;
}

// Adds a range: the outermost communicating range is a new call; a range inside one may complete
// the call by a record, a name or the size of the input.
static void add_range(struct comm_gathering *gathering, uint32_t worker, uint32_t range)
{
    const struct profile *profile = gathering->profile;
    bool is_named = gathering->roles[AT(profile->ranges.label, range)] == RANGE_IS_COMMUNICATION;
    uint32_t record = collective_record(profile->ranges.collective, range);
    uint32_t parent = AT(profile->ranges.parent, range);
    uint32_t call = parent < range ? gathering->call_of[parent] : ROW_NONE;
    if (call == ROW_NONE && (is_named || (record != ROW_NONE && !is_wait(profile, record)))) {
        string_id name =
            is_named ? range_name(&profile->ranges, range) : profile->told_collectives.name[record];
        call = comm_call_add(gathering, worker, name, record);
        comm_part_add(gathering, call, AT(profile->ranges.start, range),
                      AT(profile->ranges.end, range), true);
    }
    gathering->call_of[range] = call;
    if (call == ROW_NONE || !gathering->calls)
        return;
    struct comm_call *of = &gathering->calls[call];
    if (is_named)
        of->name = range_name(&profile->ranges, range);
    of->told = of->told == ROW_NONE ? record : of->told;
    int64_t bytes = recorded_bytes(profile, record);
    if (of->bytes == UNKNOWN)
        of->bytes = bytes != UNKNOWN ? bytes : argument_bytes(profile, range);
}

static void add_ranges(struct comm_gathering *gathering)
{
    const struct profile *profile = gathering->profile;
    gathering->call_of = ARENA_ARRAY(gathering->arena, uint32_t, (size_t)profile->ranges.count + 1);
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        uint32_t worker = gathering->worker_of[thread->process];
        for (uint32_t r = thread->first_range; r < thread->end_range; r++)
            if (worker == ROW_NONE)
                gathering->call_of[r] = ROW_NONE;
            else
                add_range(gathering, worker, r);
    }
}

// A key that identifies the same call in all workers: group, ranks and their number, sequence
// number, name and index among equal calls.
enum { KEY_WORKER, KEY_GROUP, KEY_RANKS, KEY_SIZE, KEY_SEQUENCE, KEY_NAME, KEY_NTH, KEY_WIDTH };

// Sends and receives are between two ranks, each with its own count, so neither number nor order
// says which calls of several workers belong together.
static bool is_point_to_point(const struct comm_gathering *gathering, const struct comm_call *call)
{
    const struct profile *profile = gathering->profile;
    string_id name =
        call->told == ROW_NONE ? call->name : profile->told_collectives.name[call->told];
    const char *kind = collective_kinds[kind_of(profile_text(profile, name))];
    return kind && (strncmp(kind, "send", 4) == 0 || strcmp(kind, "recv") == 0);
}

// Fills the key of a call, except for KEY_SIZE and KEY_NTH.
static void call_key(const struct comm_gathering *gathering, const struct comm_call *call,
                     int64_t key[KEY_WIDTH])
{
    const struct told_collectives *records = &gathering->profile->told_collectives;
    bool has_record = call->told != ROW_NONE;
    bool is_numbered = has_record && records->sequence[call->told] != UNKNOWN;
    key[KEY_WORKER] = call->worker;
    key[KEY_GROUP] = has_record ? records->group[call->told] : STRING_NONE;
    key[KEY_RANKS] = has_record ? records->ranks[call->told] : STRING_NONE;
    key[KEY_SIZE] = 0;
    key[KEY_SEQUENCE] = has_record ? records->sequence[call->told] : UNKNOWN;
    key[KEY_NAME] = !is_numbered                         ? call->name
                    : is_point_to_point(gathering, call) ? records->name[call->told]
                                                         : (string_id)STRING_NONE;
    key[KEY_NTH] = 0;
}

// Returns the call of the range that launched a kernel, or ROW_NONE.
static uint32_t call_of_launch(const struct comm_gathering *gathering, uint32_t work)
{
    const struct profile *profile = gathering->profile;
    uint32_t range = work_range(profile, work);
    return range == ROW_NONE ? ROW_NONE : gathering->call_of[range];
}

// Finds the call of a kernel whose launch is not inside one: the call with its sequence number or,
// if it has none, the next call of the same worker and kind.
struct kernel_queue {
    struct tuples keys; // (worker, kind)
    // a list of calls per key, in order of time: first[key], next[call]; ROW_NONE ends it
    uint32_t *first, *next;
    struct tuples records;    // call_key() of calls with a sequence number
    uint32_t *numbered_calls; // by row of `records`: the call
};

static struct kernel_queue queue_calls(const struct comm_gathering *gathering,
                                       struct arena *scratch)
{
    size_t count = gathering->call_count;
    struct kernel_queue queue = {.first = ARENA_ARRAY(scratch, uint32_t, count + 1),
                                 .next = ARENA_ARRAY(scratch, uint32_t, count + 1),
                                 .numbered_calls = ARENA_ARRAY(scratch, uint32_t, count + 1)};
    tuples_open(&queue.keys, scratch, 2);
    tuples_open(&queue.records, scratch, KEY_WIDTH);
    int64_t *starts = ARENA_ARRAY(scratch, int64_t, count + 1);
    for (size_t i = 0; i < count; i++)
        starts[i] = gathering->calls[i].start;
    const uint32_t *order = sort_by_time(scratch, starts, NULL, count);
    for (size_t i = count; i-- > 0;) { // in reverse, so that the first call is at the head
        const struct comm_call *call = &gathering->calls[order[i]];
        const char *name = profile_text(gathering->profile, call->name);
        uint32_t known = queue.keys.count;
        uint32_t key = tuples_put(&queue.keys, (int64_t[2]){call->worker, kind_of(name)});
        queue.next[order[i]] = key == known ? ROW_NONE : queue.first[key];
        queue.first[key] = order[i];
        int64_t identity[KEY_WIDTH];
        call_key(gathering, call, identity);
        if (identity[KEY_SEQUENCE] != UNKNOWN)
            queue.numbered_calls[tuples_put(&queue.records, identity)] = order[i];
    }
    return queue;
}

// Returns the call that a kernel belongs to, or ROW_NONE, and takes it from its list. `like` has
// the worker and the record of the kernel.
static uint32_t take_next_call(const struct comm_gathering *gathering, struct kernel_queue *queue,
                               const struct comm_call *like, const char *name)
{
    int64_t identity[KEY_WIDTH];
    call_key(gathering, like, identity);
    uint32_t row = tuples_find(&queue->records, identity);
    if (identity[KEY_SEQUENCE] != UNKNOWN)
        return row == UINT32_MAX ? ROW_NONE : queue->numbered_calls[row];
    uint32_t key = tuples_find(&queue->keys, (int64_t[2]){like->worker, kind_of(name)});
    uint32_t call = key == UINT32_MAX ? ROW_NONE : queue->first[key];
    if (call != ROW_NONE)
        queue->first[key] = queue->next[call];
    return call;
}

// Adds each communication kernel to its call, or as a call of its own.
static void add_kernels(struct comm_gathering *gathering, struct arena *scratch)
{
    const struct profile *profile = gathering->profile;
    const struct gpu_work *work = &profile->work;
    struct kernel_queue queue = queue_calls(gathering, scratch);
    for (uint32_t w = 0; w < work->count; w++) {
        const struct function *function = &profile->functions[AT(work->function, w)];
        uint32_t worker = gathering->worker_of[work_process(profile, w)];
        uint32_t device = gathering->selection->device;
        if (worker == ROW_NONE || function->kind != WORK_KERNEL ||
            (device != ROW_NONE && work_device(profile, w) != device) ||
            !work_communicates(profile, gathering->roles, w))
            continue;
        struct comm_call like = {.worker = worker, .told = collective_record(work->collective, w)};
        like.name =
            like.told == ROW_NONE ? function->family : profile->told_collectives.name[like.told];
        uint32_t call = call_of_launch(gathering, w);
        bool is_launched = HAS(work->launch) && AT(work->launch, w) != ROW_NONE;
        if (call == ROW_NONE && (!is_launched || like.told != ROW_NONE))
            call = take_next_call(gathering, &queue, &like, profile_text(profile, function->full));
        if (call == ROW_NONE)
            call = comm_call_add(gathering, worker, like.name, like.told);
        if (gathering->calls && gathering->calls[call].bytes == UNKNOWN)
            gathering->calls[call].bytes = recorded_bytes(profile, like.told);
        comm_part_add(gathering, call, AT(work->start, w), AT(work->end, w), false);
    }
}

// ---- pairs -------------------------------------------------------------------------------------

struct comm_pair {
    int64_t shortest; // duration of its shortest part, ns
    uint32_t members; // number of parts
};

// Returns the number of ranks in the group, or UNKNOWN.
static int64_t recorded_size(const struct comm_gathering *gathering, const struct comm_call *call)
{
    const struct told_collectives *records = &gathering->profile->told_collectives;
    return call->told == ROW_NONE ? UNKNOWN : records->group_size[call->told];
}

// If more calls match than the group has ranks, some belong to another group of the same name.
static bool pair_is_valid(const struct comm_gathering *gathering, const struct comm_call *call,
                          const struct comm_pair *pair)
{
    int64_t size = recorded_size(gathering, call);
    return pair->members >= 2 && (size < 1 || pair->members <= size) &&
           !is_point_to_point(gathering, call);
}

// Returns the keys of all calls, numbering equal calls of a worker in order of time.
static int64_t (*number_calls(const struct comm_gathering *gathering,
                              struct arena *scratch))[KEY_WIDTH]
{
    size_t count = gathering->call_count;
    int64_t(*keys)[KEY_WIDTH] = arena_alloc(scratch, count + 1, sizeof *keys);
    int64_t *starts = ARENA_ARRAY(scratch, int64_t, count + 1);
    uint32_t *seen = ARENA_ARRAY(scratch, uint32_t, count + 1);
    struct tuples alike;
    tuples_open(&alike, scratch, KEY_WIDTH);
    for (size_t i = 0; i < count; i++)
        starts[i] = gathering->calls[i].start;
    const uint32_t *order = sort_by_time(scratch, starts, NULL, count);
    for (size_t i = 0; i < count; i++) {
        int64_t *key = keys[order[i]];
        call_key(gathering, &gathering->calls[order[i]], key);
        key[KEY_SIZE] = recorded_size(gathering, &gathering->calls[order[i]]);
        key[KEY_NTH] = seen[tuples_put(&alike, key)]++;
        key[KEY_WORKER] = 0;
    }
    return keys;
}

// Sets the transfer of each part that has a pair.
static void pair_parts(struct comm_gathering *gathering, struct arena *scratch)
{
    size_t count = gathering->part_count;
    int64_t(*keys)[KEY_WIDTH] = number_calls(gathering, scratch);
    // `calls` numbers the distinct keys: equal calls of all workers have one number. `places`
    // numbers the pairs: (number of the call, index of the part within the call).
    struct tuples calls, places;
    struct comm_pair *pairs = ARENA_ARRAY(scratch, struct comm_pair, count + 1);
    uint32_t *pair_of_part = ARENA_ARRAY(scratch, uint32_t, count + 1);
    uint32_t *parts_of = ARENA_ARRAY(scratch, uint32_t, gathering->call_count + 1);
    tuples_open(&calls, scratch, KEY_WIDTH);
    tuples_open(&places, scratch, 2);
    // The parts of a call are its op, then its kernels in order.
    for (size_t i = 0; i < count; i++) {
        const struct comm_part *part = &gathering->parts[i];
        uint32_t call = tuples_put(&calls, keys[part->call]);
        uint32_t pair = pair_of_part[i] =
            tuples_put(&places, (int64_t[2]){call, part->is_op ? 0 : ++parts_of[part->call]});
        int64_t length = part->end - part->start;
        if (!pairs[pair].members++ || length < pairs[pair].shortest)
            pairs[pair].shortest = length;
    }
    for (size_t i = 0; i < count; i++) {
        struct comm_part *part = &gathering->parts[i];
        if (!pair_is_valid(gathering, &gathering->calls[part->call], &pairs[pair_of_part[i]]))
            continue;
        gathering->calls[part->call].is_paired = true;
        part->transfer = part->end - pairs[pair_of_part[i]].shortest;
    }
}

// ---- sums --------------------------------------------------------------------------------------

struct comm_intervals {
    int64_t *start, *end;
    size_t count, start_capacity, end_capacity;
};

static void interval_add(struct comm_intervals *times, int64_t start, int64_t end,
                         struct arena *arena)
{
    size_t count = times->count;
    ARENA_PUSH(arena, times->start, times->count, times->start_capacity) = start;
    ARENA_PUSH(arena, times->end, count, times->end_capacity) = end;
}

static int64_t union_length(const struct comm_intervals *times, struct arena *scratch)
{
    const uint32_t *order = sort_by_time(scratch, times->start, NULL, times->count);
    int64_t covered = INT64_MIN, sum = 0;
    for (size_t i = 0; i < times->count; i++)
        sum = add_saturating(
            sum, interval_union_add(&covered, times->start[order[i]], times->end[order[i]]));
    return sum;
}

struct comm_time *comm_times_of(const struct distributed *distributed, const uint32_t *group_of,
                                uint32_t groups, struct arena *arena)
{
    size_t count = distributed->part_count;
    struct comm_time *times = ARENA_ARRAY(arena, struct comm_time, (size_t)groups + 1);
    uint32_t *group = ARENA_ARRAY(arena, uint32_t, count + 1);
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, (size_t)groups + 2);
    for (size_t i = 0; i < count; i++) {
        uint32_t of = group_of[distributed->parts[i].call];
        group[i] = of == ROW_NONE ? groups : of;
    }
    const uint32_t *rows = records_group(arena, group, (uint32_t)count, groups + 1, first);
    for (uint32_t g = 0; g < groups; g++) {
        struct comm_intervals all = {0}, transfers = {0};
        for (uint32_t i = first[g]; i < first[g + 1]; i++) {
            const struct comm_part *part = &distributed->parts[rows[i]];
            interval_add(&all, part->start, part->end, arena);
            interval_add(&transfers, part->transfer, part->end, arena);
        }
        times[g] = (struct comm_time){union_length(&all, arena), union_length(&transfers, arena)};
    }
    return times;
}

static struct cover cover_of(const struct comm_intervals *first,
                             const struct comm_intervals *second, struct arena *arena)
{
    const struct comm_intervals *both[] = {first, second};
    struct cover_source sources[2];
    for (int i = 0; i < 2; i++) {
        sources[i] = cover_source_of(both[i]->start, both[i]->end, both[i]->count, arena);
        sources[i].rows = sort_by_time(arena, both[i]->start, NULL, both[i]->count);
    }
    return cover_build(sources, 2, arena);
}

// Rows of worker w: rows[first[w] .. first[w + 1]).
struct rows_by_worker {
    uint32_t *rows, *first;
};

static struct rows_by_worker work_by_worker(const struct comm_gathering *gathering,
                                            struct arena *scratch)
{
    const struct profile *profile = gathering->profile;
    uint32_t workers = gathering->steps->count;
    uint32_t *worker = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    struct rows_by_worker by = {.first = ARENA_ARRAY(scratch, uint32_t, (size_t)workers + 2)};
    for (uint32_t w = 0; w < profile->work.count; w++) {
        uint32_t of = gathering->worker_of[work_process(profile, w)];
        worker[w] = of == ROW_NONE ? workers : of;
    }
    by.rows = records_group(scratch, worker, profile->work.count, workers + 1, by.first);
    return by;
}

static struct rows_by_worker parts_by_worker(const struct distributed *distributed,
                                             struct arena *scratch)
{
    uint32_t count = (uint32_t)distributed->part_count, workers = distributed->steps->count;
    uint32_t *worker = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    struct rows_by_worker by = {.first = ARENA_ARRAY(scratch, uint32_t, (size_t)workers + 1)};
    for (uint32_t i = 0; i < count; i++)
        worker[i] = distributed->calls[distributed->parts[i].call].worker;
    by.rows = records_group(scratch, worker, count, workers, by.first);
    return by;
}

// Collects the computing time of a worker: its kernels or, without kernels on a GPU, its ops.
static void gather_computing(const struct comm_gathering *gathering,
                             const struct rows_by_worker *work, uint32_t worker,
                             struct comm_intervals *times, struct arena *scratch)
{
    const struct profile *profile = gathering->profile;
    bool has_kernels = false;
    for (uint32_t i = work->first[worker]; i < work->first[worker + 1]; i++) {
        uint32_t w = work->rows[i];
        enum work_kind kind = profile->functions[AT(profile->work.function, w)].kind;
        if (kind != WORK_KERNEL && kind != WORK_GRAPH)
            continue;
        has_kernels = true;
        if (!work_communicates(profile, gathering->roles, w))
            interval_add(times, AT(profile->work.start, w), AT(profile->work.end, w), scratch);
    }
    for (uint32_t t = 0; !has_kernels && t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        if (gathering->worker_of[thread->process] != worker)
            continue;
        for (uint32_t r = thread->first_range; r < thread->end_range; r++)
            if (gathering->roles[AT(profile->ranges.label, r)] == RANGE_IS_CPU)
                interval_add(times, AT(profile->ranges.start, r), AT(profile->ranges.end, r),
                             scratch);
    }
}

static void fill_step(struct distributed_step *sums, const struct plugin_step *step,
                      const struct cover *computing_first, const struct cover *communication_first)
{
    int64_t a[2] = {0}, b[2] = {0};
    cover_add(computing_first, step->start, step->stop, a);
    cover_add(communication_first, step->start, step->stop, b);
    sums->total_ns = step->stop - step->start;
    sums->computing_ns = b[1];
    sums->communication_ns = a[1];
    sums->overlap_ns = a[0] - b[1];
    sums->other_ns = sums->total_ns - a[0] - a[1];
}

// Computes the figures of all steps of a worker, except for transfer and synchronising.
static void fill_worker(const struct comm_gathering *gathering,
                        const struct distributed *distributed, const struct rows_by_worker *work,
                        const struct rows_by_worker *parts, uint32_t w, struct arena *scratch)
{
    const struct plugin_worker *worker = &gathering->steps->workers[w];
    struct comm_intervals computing = {0}, communication = {0};
    gather_computing(gathering, work, w, &computing, scratch);
    for (uint32_t i = parts->first[w]; i < parts->first[w + 1]; i++) {
        const struct comm_part *part = &distributed->parts[parts->rows[i]];
        interval_add(&communication, part->start, part->end, scratch);
    }
    struct cover computing_first = cover_of(&computing, &communication, scratch);
    struct cover communication_first = cover_of(&communication, &computing, scratch);
    for (uint32_t s = 0; s < worker->count; s++)
        fill_step(&distributed->parts_of[w][s], &worker->steps[s], &computing_first,
                  &communication_first);
}

// Sums, per step and worker, the time of the calls that begin in the step.
static void fill_calls(const struct distributed *distributed, struct arena *scratch)
{
    const struct plugin_steps *steps = distributed->steps;
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, (size_t)steps->count + 1), all = 0;
    uint32_t *step_of = ARENA_ARRAY(scratch, uint32_t, distributed->call_count + 1);
    for (uint32_t w = 0; w < steps->count; w++) {
        first[w] = all;
        all += steps->workers[w].count;
    }
    for (size_t c = 0; c < distributed->call_count; c++) {
        const struct comm_call *call = &distributed->calls[c];
        step_of[c] = call->step == ROW_NONE ? ROW_NONE : first[call->worker] + call->step;
        if (call->step != ROW_NONE)
            distributed->parts_of[call->worker][call->step].is_paired |= call->is_paired;
    }
    const struct comm_time *times = comm_times_of(distributed, step_of, all, scratch);
    for (uint32_t w = 0; w < steps->count; w++)
        for (uint32_t s = 0; s < steps->workers[w].count; s++) {
            struct comm_time time = times[first[w] + s];
            distributed->parts_of[w][s].transfer_ns = time.transfer_ns;
            distributed->parts_of[w][s].synchronizing_ns = time.total_ns - time.transfer_ns;
        }
}

// ---- the whole view ----------------------------------------------------------------------------

struct distributed_build {
    struct distributed *distributed;
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
};

// Returns the step that contains `time`, or ROW_NONE. A step begins no earlier than the previous
// one ends.
static uint32_t step_at(const struct plugin_worker *worker, int64_t time)
{
    uint32_t low = 0, high = worker->count; // steps before `low` begin at or before `time`
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (worker->steps[middle].start <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low && time < worker->steps[low - 1].stop ? low - 1 : ROW_NONE;
}

static void find_steps(struct comm_gathering *gathering)
{
    for (size_t c = 0; c < gathering->call_count; c++) {
        struct comm_call *call = &gathering->calls[c];
        call->step = step_at(&gathering->steps->workers[call->worker], call->start);
    }
}

static void build_distributed(void *context, struct arena *scratch)
{
    struct distributed_build *build = context;
    const struct profile *profile = build->profile;
    const struct plugin_steps *steps = build->distributed->steps;
    struct comm_gathering gathering = {
        .profile = profile,
        .selection = build->selection,
        .steps = steps,
        .roles = range_roles(profile, scratch),
        .worker_of = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->process_count + 1),
        .arena = build->arena};
    for (uint32_t p = 0; p < profile->process_count; p++) {
        gathering.worker_of[p] = ROW_NONE;
        for (uint32_t w = 0; w < steps->count; w++)
            if (steps->worker_of[p] == steps->workers[w].process)
                gathering.worker_of[p] = w;
    }
    add_ranges(&gathering);
    add_kernels(&gathering, scratch);
    pair_parts(&gathering, scratch);
    find_steps(&gathering);
    struct distributed *distributed = build->distributed;
    distributed->calls = gathering.calls;
    distributed->call_count = gathering.call_count;
    distributed->parts = gathering.parts;
    distributed->part_count = gathering.part_count;
    struct rows_by_worker work = work_by_worker(&gathering, scratch);
    struct rows_by_worker parts = parts_by_worker(distributed, scratch);
    for (uint32_t w = 0; w < steps->count; w++)
        fill_worker(&gathering, distributed, &work, &parts, w, scratch);
    fill_calls(distributed, scratch);
}

static void *make_distributed(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    struct distributed *distributed = ARENA_NEW(arena, struct distributed);
    const struct plugin_steps *steps = plugin_steps_of(profile, selection, arena);
    distributed->steps = steps;
    distributed->parts_of = ARENA_ARRAY(arena, struct distributed_step *, (size_t)steps->count + 1);
    for (uint32_t w = 0; w < steps->count; w++)
        distributed->parts_of[w] =
            ARENA_ARRAY(arena, struct distributed_step, (size_t)steps->workers[w].count + 1);
    struct distributed_build build = {distributed, profile, selection, arena};
    scratch_run(arena, build_distributed, &build);
    return distributed;
}

static const struct memo_kind distributed_memo = {MEMO_PROCESS | MEMO_DEVICE, make_distributed};

const struct distributed *distributed_of(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    return memo_require(&distributed_memo, profile, selection, arena);
}

const char *worker_text(const struct profile *profile, const struct plugin_worker *worker,
                        struct arena *arena)
{
    const struct process *process = &profile->processes[worker->process];
    const struct source *source = &profile->sources[process->source];
    if (source->rank != UNKNOWN && !process->has_gpu_sibling)
        return arena_format(arena, "rank %" PRId64, source->rank);
    if (profile->source_count == 1 || process->has_gpu_sibling)
        return arena_format(arena, "pid %u", process->pid);
    const char *slash = strrchr(source->path, '/');
    const char *name = slash ? slash + 1 : source->path;
    return arena_copy(arena, name, strcspn(name, "."));
}

const char *worker_compare_name(const struct profile *profile,
                                const struct distributed *distributed, uint32_t worker,
                                struct arena *arena)
{
    const struct plugin_worker *row = &distributed->steps->workers[worker];
    const struct source *source = &profile->sources[profile->processes[row->process].source];
    return distributed->steps->count == 1 && source->rank == UNKNOWN
               ? ""
               : worker_text(profile, row, arena);
}
