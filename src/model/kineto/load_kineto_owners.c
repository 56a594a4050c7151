// SPDX-License-Identifier: Apache-2.0
// Whose GPU work it is. A trace is of one process as a rule, and all is its own; ranks whose traces were
// put together into one file are several, and each has its GPUs: where the calls are that launched the
// work of a stream, there it belongs. Ids of several ranks meet (each counts up from a low number), so
// streams are decided by the many, not work by itself; where that leaves a choice, by what stands beside
// them in the file, since traces are put together one behind the other.
#include <string.h>

#include "base/sort.h"
#include "base/tuples.h"
#include "model/kineto/load_kineto.h"

enum {
    ASKED_MOST = 64
}; // processes with a call of one id: of more only the one beside it is asked

// One for each (what, process): how many rows of its work a call of the process can have launched.
struct votes {
    struct tuples keys;
    struct arena *scratch;
    KINETO_LIST(uint64_t, counts);
};

struct owners {
    struct kineto *kineto;
    uint32_t count;  // calls that have an id and can launch
    int64_t *keys;   // of calls, in order: id, process
    int64_t *starts; // of the same
    struct tuples gpus;
    uint32_t *gpu_of; // of places: row of gpus
};

static uint32_t process_of_call(const struct kineto *kineto, size_t call)
{
    return (uint32_t)tuples_key(&kineto->threads, kineto->calls[call].thread)[0];
}

static void votes_add(struct votes *votes, uint32_t what, uint32_t process, uint32_t weight)
{
    uint32_t row = tuples_put(&votes->keys, (int64_t[2]){what, process});
    if (row == votes->counts_count)
        ARENA_PUSH(votes->scratch, votes->counts, votes->counts_count, votes->counts_capacity) = 0;
    votes->counts[row] += weight;
}

// The process with the most votes for each of so many; nobody voted: what stands there.
static void votes_count(const struct votes *votes, uint32_t *winners, uint32_t count)
{
    uint64_t *most = ARENA_ARRAY(votes->scratch, uint64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < votes->keys.count; i++) {
        const int64_t *key = tuples_key(&votes->keys, i);
        if (votes->counts[i] <= most[key[0]])
            continue;
        most[key[0]] = votes->counts[i];
        winners[key[0]] = (uint32_t)key[1];
    }
}

// The process of a file that is of one: the one that makes most calls, or runs most ops (workers and
// helpers that have a number of their own do neither). Returns whether others call, too.
static bool find_owner(struct kineto *kineto)
{
    if (!kineto->processes.count)
        tuples_put(&kineto->processes, &(int64_t){0});
    uint32_t *calls = ARENA_ARRAY(kineto->scratch, uint32_t, kineto->processes.count);
    uint32_t *ranges = ARENA_ARRAY(kineto->scratch, uint32_t, kineto->processes.count);
    for (size_t i = 0; i < kineto->calls_count; i++)
        calls[process_of_call(kineto, i)]++;
    for (size_t i = 0; i < kineto->ranges_count; i++) {
        const int64_t *draft = tuples_key(&kineto->drafts, kineto->ranges[i].draft);
        ranges[tuples_key(&kineto->threads, (uint32_t)draft[2])[0]]++;
    }
    uint32_t best = 0, callers = 0;
    for (uint32_t p = 0; p < kineto->processes.count; p++) {
        callers += calls[p] > 0;
        if (calls[p] > calls[best] || (calls[p] == calls[best] && ranges[p] > ranges[best]))
            best = p;
    }
    kineto->owner = best;
    return callers > 1;
}

static int64_t call_key(uint32_t correlation, uint32_t process)
{
    return (int64_t)((uint64_t)correlation << 32 | process);
}

// Whether calls of a name put work on a GPU: cudaLaunchKernel, hipMemcpyWithStream, urEnqueueUSMFill. Others
// have ids as well, and with ids that are counted up some process has any.
static bool can_launch(const struct kineto *kineto, string_id name)
{
    static const char *const parts[] = {"launch", "memcpy", "memset", "copy", "fill", "enqueue"};
    const char *text = strings_text(kineto->profile->strings, name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(text, parts[i]))
            return true;
    return false;
}

// By the number of a name.
static bool *find_launchers(const struct kineto *kineto)
{
    uint32_t count = strings_count(kineto->profile->strings);
    bool *is_asked = ARENA_ARRAY(kineto->scratch, bool, (size_t)count + 1);
    bool *launches = ARENA_ARRAY(kineto->scratch, bool, (size_t)count + 1);
    for (size_t i = 0; i < kineto->calls_count; i++) {
        string_id name = kineto->calls[i].name;
        if (!is_asked[name])
            launches[name] = can_launch(kineto, name);
        is_asked[name] = true;
    }
    return launches;
}

static void sort_calls(struct owners *owners)
{
    struct kineto *kineto = owners->kineto;
    struct arena *scratch = kineto->scratch;
    const bool *launches = find_launchers(kineto);
    size_t count = 0, room = kineto->calls_count + 1;
    int64_t *keys = ARENA_ARRAY(scratch, int64_t, room);
    int64_t *starts = ARENA_ARRAY(scratch, int64_t, room);
    for (size_t i = 0; i < kineto->calls_count; i++) {
        if (!kineto->calls[i].correlation || !launches[kineto->calls[i].name])
            continue;
        keys[count] = call_key(kineto->calls[i].correlation, process_of_call(kineto, i));
        starts[count++] = kineto->calls[i].start;
    }
    const uint32_t *order = sort_by_time(scratch, keys, starts, count);
    owners->keys = ARENA_ARRAY(scratch, int64_t, room);
    owners->starts = ARENA_ARRAY(scratch, int64_t, room);
    for (size_t i = 0; i < count; i++) {
        uint32_t call = order[i];
        // Of calls of one process with one id the first is the launch, as everywhere.
        if (owners->count && owners->keys[owners->count - 1] == keys[call])
            continue;
        owners->keys[owners->count] = keys[call];
        owners->starts[owners->count++] = starts[call];
    }
    ARENA_RELEASE(scratch, keys, room);
    ARENA_RELEASE(scratch, starts, room);
}

// The first call that is not before (id, process).
static uint32_t first_call(const struct owners *owners, uint32_t correlation, uint32_t process)
{
    int64_t wanted = call_key(correlation, process);
    uint32_t low = 0, high = owners->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (owners->keys[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void vote_for(const struct owners *owners, const struct kineto_work *work,
                     struct votes *places, struct votes *gpus, uint32_t process, uint32_t weight)
{
    votes_add(places, work->place, process, weight);
    votes_add(gpus, owners->gpu_of[work->place], process, weight);
}

// For each process that made a call of the id before the work began, and for the one beside it in the file.
static void vote(const struct owners *owners, const struct kineto_work *work, struct votes *places,
                 struct votes *gpus)
{
    enum { BY_ID = 4, BY_PLACE = 1 };
    uint32_t first = 0, end = 0;
    if (work->before != ROW_NONE)
        vote_for(owners, work, places, gpus, work->before, BY_PLACE);
    if (work->correlation) {
        first = first_call(owners, work->correlation, 0);
        end = first_call(owners, work->correlation, UINT32_MAX);
    }
    if (end - first > ASKED_MOST) {
        first = first_call(owners, work->correlation, work->before);
        end = first < end && (uint32_t)owners->keys[first] == work->before ? first + 1 : first;
    }
    for (uint32_t i = first; i < end; i++)
        if (owners->starts[i] <= work->start)
            vote_for(owners, work, places, gpus, (uint32_t)owners->keys[i], BY_ID);
}

static void number_gpus(struct owners *owners)
{
    struct kineto *kineto = owners->kineto;
    tuples_open(&owners->gpus, kineto->scratch, 2);
    owners->gpu_of = ARENA_ARRAY(kineto->scratch, uint32_t, (size_t)kineto->places.count + 1);
    for (uint32_t i = 0; i < kineto->places.count; i++) {
        const int64_t *place = tuples_key(&kineto->places, i);
        owners->gpu_of[i] = tuples_put(&owners->gpus, (int64_t[2]){place[0], place[3]});
    }
}

static void vote_all(struct owners *owners, struct votes *places, struct votes *gpus)
{
    struct kineto *kineto = owners->kineto;
    tuples_open(&places->keys, kineto->scratch, 2);
    tuples_open(&gpus->keys, kineto->scratch, 2);
    for (size_t i = 0; i < kineto->work_count; i++)
        vote(owners, &kineto->work[i], places, gpus);
}

// ---- GPUs --------------------------------------------------------------------------------------

// The first GPU of each number.
struct numbers {
    struct tuples known;
    uint32_t *devices;
};

static uint32_t device_put(struct kineto *kineto, struct numbers *numbers, int64_t number,
                           int64_t process)
{
    uint32_t device = tuples_put(&kineto->devices, (int64_t[2]){number, process});
    uint32_t known = numbers->known.count, at = tuples_put(&numbers->known, &number);
    if (at == known)
        numbers->devices[at] = device;
    return device;
}

// The GPU of a number that is the process's own, else the first of that number.
static uint32_t device_of(struct kineto *kineto, struct numbers *numbers, int64_t number,
                          int64_t process)
{
    uint32_t device = tuples_find(&kineto->devices, (int64_t[2]){number, process});
    uint32_t known = tuples_find(&numbers->known, &number);
    if (device != UINT32_MAX)
        return device;
    return known != UINT32_MAX ? numbers->devices[known]
                               : device_put(kineto, numbers, number, kineto->owner);
}

// GPUs that ran something, those that memory is of, and those that are listed where not one alone is
// used. Two ranks with a GPU 0 each, on tracks of their own, have two.
static void number_devices(struct kineto *kineto, const struct owners *owners,
                           const uint32_t *of_gpu)
{
    struct arena *scratch = kineto->scratch;
    size_t most = (size_t)kineto->places.count + kineto->homes.count + kineto->gpus_count + 1;
    struct numbers numbers = {.devices = ARENA_ARRAY(scratch, uint32_t, most)};
    tuples_open(&kineto->devices, scratch, 2);
    tuples_open(&numbers.known, scratch, 1);
    kineto->place_devices = ARENA_ARRAY(scratch, uint32_t, (size_t)kineto->places.count + 1);
    kineto->home_devices = ARENA_ARRAY(scratch, uint32_t, (size_t)kineto->homes.count + 1);
    for (uint32_t i = 0; i < kineto->places.count; i++)
        kineto->place_devices[i] = device_put(kineto, &numbers, tuples_key(&kineto->places, i)[0],
                                              of_gpu[owners->gpu_of[i]]);
    for (uint32_t i = 0; i < kineto->homes.count; i++) {
        const int64_t *home = tuples_key(&kineto->homes, i);
        kineto->home_devices[i] = device_of(kineto, &numbers, home[0], home[1]);
    }
    uint32_t used = kineto->devices.count;
    for (size_t i = 0; used != 1 && i < kineto->gpus_count; i++)
        device_of(kineto, &numbers, kineto->gpus[i].id, kineto->owner);
}

// Of those that say no stream by the GPU.
static void find_syncs(struct kineto *kineto, const struct owners *owners, const uint32_t *of_gpu)
{
    for (size_t i = 0; i < kineto->syncs_count; i++) {
        struct kineto_sync *sync = &kineto->syncs[i];
        uint32_t gpu = tuples_find(&owners->gpus, (int64_t[2]){sync->gpu, sync->track});
        sync->process = sync->place != ROW_NONE ? kineto->place_owners[sync->place]
                        : gpu != UINT32_MAX     ? of_gpu[gpu]
                                                : kineto->owner;
    }
}

void kineto_find_owners(struct kineto *kineto)
{
    struct arena *scratch = kineto->scratch;
    struct owners owners = {.kineto = kineto};
    struct votes places = {.scratch = scratch}, gpus = {.scratch = scratch};
    bool is_of_several = kineto->is_of_several = find_owner(kineto);
    number_gpus(&owners);
    uint32_t *of_gpu = ARENA_ARRAY(scratch, uint32_t, (size_t)owners.gpus.count + 1);
    for (uint32_t i = 0; i < owners.gpus.count; i++)
        of_gpu[i] = kineto->owner;
    if (is_of_several) {
        sort_calls(&owners);
        vote_all(&owners, &places, &gpus);
        votes_count(&gpus, of_gpu, owners.gpus.count);
    }
    kineto->place_owners = ARENA_ARRAY(scratch, uint32_t, (size_t)kineto->places.count + 1);
    for (uint32_t i = 0; i < kineto->places.count; i++)
        kineto->place_owners[i] = of_gpu[owners.gpu_of[i]];
    if (is_of_several)
        votes_count(&places, kineto->place_owners, kineto->places.count);
    number_devices(kineto, &owners, of_gpu);
    find_syncs(kineto, &owners, of_gpu);
    ARENA_RELEASE(scratch, owners.keys, kineto->calls_count + 1);
    ARENA_RELEASE(scratch, owners.starts, kineto->calls_count + 1);
}
