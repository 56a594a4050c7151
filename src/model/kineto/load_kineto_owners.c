// SPDX-License-Identifier: Apache-2.0
// Determines the process and the GPU of GPU work.
//
// A trace normally contains one process, to which all work belongs. A file that merges the traces
// of several ranks contains several processes, each with its own GPUs. All work of a stream belongs
// to one process, which made the calls that launched it. Several ranks may have calls with the same
// correlation id, since each counts up from a low number. Therefore each piece of work votes for
// every process with such a call, and the majority decides per stream. Work also votes, with less
// weight, for the process of the host events before it in the file, since merged traces are written
// one after another. Where the events of several ranks are mixed, that may give a rank nothing: it
// then gets a GPU that has no more votes by id for its owner, which has others.
//
// A place is a stream (kineto.places); a subject is what is voted on: a place or a GPU.
#include <string.h>

#include "base/sort.h"
#include "base/tuples.h"
#include "model/kineto/load_kineto.h"

enum {
    // If more processes have a call with the id, only the process before the work gets a vote.
    MAX_CALLERS = 64
};

struct vote_count {
    uint64_t all, by_id; // weights
};

// The votes for each (subject, process).
struct owner_votes {
    struct tuples keys;
    struct arena *scratch;
    KINETO_LIST(struct vote_count, counts);
};

enum { BY_ID = 4, BY_PLACE = 1 }; // weights of a vote

struct owner_search {
    struct kineto *kineto;
    uint32_t count;  // number of calls that have an id and can launch work
    int64_t *keys;   // of these calls in ascending order: id and process
    int64_t *starts; // start of these calls
    struct tuples gpus;
    uint32_t *gpu_of; // row of places -> row of gpus
};

static uint32_t process_of_call(const struct kineto *kineto, size_t call)
{
    return (uint32_t)tuples_key(&kineto->threads, kineto->calls[call].thread)[0];
}

static void votes_add(struct owner_votes *votes, uint32_t subject, uint32_t process,
                      uint32_t weight)
{
    uint32_t row = tuples_put(&votes->keys, (int64_t[2]){subject, process});
    if (row == votes->counts_count)
        ARENA_PUSH(votes->scratch, votes->counts, votes->counts_count, votes->counts_capacity) =
            (struct vote_count){0};
    votes->counts[row].all += weight;
    votes->counts[row].by_id += weight == BY_ID ? weight : 0;
}

// Sets winners[i] to the process with the most votes for i; without votes it stays unchanged.
static void votes_find_winners(const struct owner_votes *votes, uint32_t *winners, uint32_t count)
{
    uint64_t *most_votes = ARENA_ARRAY(votes->scratch, uint64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < votes->keys.count; i++) {
        const int64_t *key = tuples_key(&votes->keys, i);
        if (votes->counts[i].all <= most_votes[key[0]])
            continue;
        most_votes[key[0]] = votes->counts[i].all;
        winners[key[0]] = (uint32_t)key[1];
    }
}

// Sets `owner` to the process with most calls, and of equal ones with most ranges. Data loaders and
// helper processes have neither. Returns whether several processes make calls.
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

// Returns true if calls of that name can put work on a GPU, like cudaLaunchKernel,
// hipMemcpyWithStream, urEnqueueUSMFill. Other calls have correlation ids as well; since ids count
// up, a call with any given id exists in some process.
static bool can_launch(const struct kineto *kineto, string_id name)
{
    static const char *const parts[] = {"launch", "memcpy", "memset", "copy", "fill", "enqueue"};
    const char *text = strings_text(kineto->profile->strings, name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(text, parts[i]))
            return true;
    return false;
}

// Returns, by string id, whether calls of that name can launch work.
static bool *find_launchers(const struct kineto *kineto)
{
    uint32_t count = strings_count(kineto->profile->strings);
    bool *is_checked = ARENA_ARRAY(kineto->scratch, bool, (size_t)count + 1);
    bool *launches = ARENA_ARRAY(kineto->scratch, bool, (size_t)count + 1);
    for (size_t i = 0; i < kineto->calls_count; i++) {
        string_id name = kineto->calls[i].name;
        if (!is_checked[name])
            launches[name] = can_launch(kineto, name);
        is_checked[name] = true;
    }
    return launches;
}

static void sort_calls(struct owner_search *search)
{
    struct kineto *kineto = search->kineto;
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
    search->keys = ARENA_ARRAY(scratch, int64_t, room);
    search->starts = ARENA_ARRAY(scratch, int64_t, room);
    for (size_t i = 0; i < count; i++) {
        uint32_t call = order[i];
        // If two calls of a process have the same id, the earlier one counts, as in derive_links.c.
        if (search->count && search->keys[search->count - 1] == keys[call])
            continue;
        search->keys[search->count] = keys[call];
        search->starts[search->count++] = starts[call];
    }
    ARENA_RELEASE(scratch, keys, room);
    ARENA_RELEASE(scratch, starts, room);
}

// Returns the index in `keys` of the first call with at least (id, process).
static uint32_t first_call(const struct owner_search *search, uint32_t correlation,
                           uint32_t process)
{
    int64_t target = call_key(correlation, process);
    uint32_t low = 0, high = search->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (search->keys[middle] < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_vote(const struct owner_search *search, const struct kineto_work *work,
                     struct owner_votes *places, struct owner_votes *gpus, uint32_t process,
                     uint32_t weight)
{
    votes_add(places, work->place, process, weight);
    votes_add(gpus, search->gpu_of[work->place], process, weight);
}

// Votes for each process that made a call with the id before the work began, and with less weight
// for the process of the host events before the work in the file.
static void vote_for_callers(const struct owner_search *search, const struct kineto_work *work,
                             struct owner_votes *places, struct owner_votes *gpus)
{
    uint32_t first = 0, end = 0;
    if (work->before != ROW_NONE)
        add_vote(search, work, places, gpus, work->before, BY_PLACE);
    if (work->correlation) {
        first = first_call(search, work->correlation, 0);
        end = first_call(search, work->correlation, UINT32_MAX);
    }
    if (end - first > MAX_CALLERS) {
        first = first_call(search, work->correlation, work->before);
        end = first < end && (uint32_t)search->keys[first] == work->before ? first + 1 : first;
    }
    for (uint32_t i = first; i < end; i++)
        if (search->starts[i] <= work->start)
            add_vote(search, work, places, gpus, (uint32_t)search->keys[i], BY_ID);
}

static void number_gpus(struct owner_search *search)
{
    struct kineto *kineto = search->kineto;
    tuples_open(&search->gpus, kineto->scratch, 2);
    search->gpu_of = ARENA_ARRAY(kineto->scratch, uint32_t, (size_t)kineto->places.count + 1);
    for (uint32_t i = 0; i < kineto->places.count; i++) {
        const int64_t *place = tuples_key(&kineto->places, i);
        search->gpu_of[i] = tuples_put(&search->gpus, (int64_t[2]){place[0], place[3]});
    }
}

static void vote_all(struct owner_search *search, struct owner_votes *places,
                     struct owner_votes *gpus)
{
    struct kineto *kineto = search->kineto;
    tuples_open(&places->keys, kineto->scratch, 2);
    tuples_open(&gpus->keys, kineto->scratch, 2);
    for (size_t i = 0; i < kineto->work_count; i++)
        vote_for_callers(search, &kineto->work[i], places, gpus);
}

// Returns whether ids tell no more for the owner of a subject than for a process.
static bool is_tie(const struct owner_votes *votes, uint32_t subject, uint32_t process,
                   uint32_t owner)
{
    uint32_t own = tuples_find(&votes->keys, (int64_t[2]){subject, owner});
    uint32_t other = tuples_find(&votes->keys, (int64_t[2]){subject, process});
    return other < votes->counts_count && votes->counts[other].by_id &&
           (own >= votes->counts_count || votes->counts[other].by_id >= votes->counts[own].by_id);
}

// Gives processes without a GPU one of those that ids give them as well, if its owner has others.
// Both are numbered in one order as a rule: a process before the owner gets the first such GPU, one
// behind it the last. Sets is_given[] of these GPUs.
static void give_gpus(struct owner_search *search, const struct owner_votes *gpus,
                      uint32_t *gpu_owners, bool *is_given)
{
    uint32_t *owned =
        ARENA_ARRAY(search->kineto->scratch, uint32_t, (size_t)search->kineto->processes.count + 1);
    for (uint32_t i = 0; i < search->gpus.count; i++)
        owned[gpu_owners[i]]++;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < gpus->keys.count; i++) {
            const int64_t *key = tuples_key(&gpus->keys, pass ? gpus->keys.count - 1 - i : i);
            uint32_t gpu = (uint32_t)key[0], process = (uint32_t)key[1], owner = gpu_owners[gpu];
            if (owned[process] || owned[owner] < 2 || (process > owner) != (pass == 1) ||
                !is_tie(gpus, gpu, process, owner))
                continue;
            gpu_owners[gpu] = process;
            is_given[gpu] = true;
            owned[process]++;
            owned[owner]--;
        }
}

// ---- GPUs --------------------------------------------------------------------------------------

// GPU number -> first device with it.
struct gpu_numbers {
    struct tuples known;
    uint32_t *devices;
};

static uint32_t device_put(struct kineto *kineto, struct gpu_numbers *numbers, int64_t number,
                           int64_t process)
{
    uint32_t device = tuples_put(&kineto->devices, (int64_t[2]){number, process});
    uint32_t known = numbers->known.count, at = tuples_put(&numbers->known, &number);
    if (at == known)
        numbers->devices[at] = device;
    return device;
}

// Returns the process's own GPU of that number, else the first GPU of that number.
static uint32_t device_of(struct kineto *kineto, struct gpu_numbers *numbers, int64_t number,
                          int64_t process)
{
    uint32_t device = tuples_find(&kineto->devices, (int64_t[2]){number, process});
    uint32_t known = tuples_find(&numbers->known, &number);
    if (device != UINT32_MAX)
        return device;
    return known != UINT32_MAX ? numbers->devices[known]
                               : device_put(kineto, numbers, number, kineto->owner);
}

// Creates the devices: GPUs that ran work, GPUs with memory events and, unless exactly one GPU was
// used, all listed GPUs. If two ranks each have a GPU 0 on tracks of their own, it is two devices.
static void number_devices(struct kineto *kineto, const struct owner_search *search,
                           const uint32_t *gpu_owners)
{
    struct arena *scratch = kineto->scratch;
    size_t capacity = (size_t)kineto->places.count + kineto->homes.count + kineto->gpus_count + 1;
    struct gpu_numbers numbers = {.devices = ARENA_ARRAY(scratch, uint32_t, capacity)};
    tuples_open(&kineto->devices, scratch, 2);
    tuples_open(&numbers.known, scratch, 1);
    kineto->place_devices = ARENA_ARRAY(scratch, uint32_t, (size_t)kineto->places.count + 1);
    kineto->home_devices = ARENA_ARRAY(scratch, uint32_t, (size_t)kineto->homes.count + 1);
    for (uint32_t i = 0; i < kineto->places.count; i++)
        kineto->place_devices[i] = device_put(kineto, &numbers, tuples_key(&kineto->places, i)[0],
                                              gpu_owners[search->gpu_of[i]]);
    for (uint32_t i = 0; i < kineto->homes.count; i++) {
        const int64_t *home = tuples_key(&kineto->homes, i);
        kineto->home_devices[i] = device_of(kineto, &numbers, home[0], home[1]);
    }
    uint32_t used = kineto->devices.count;
    for (size_t i = 0; used != 1 && i < kineto->gpus_count; i++)
        device_of(kineto, &numbers, kineto->gpus[i].id, kineto->owner);
}

// Sets the process of each sync: by its stream, or by its GPU if it has no stream.
static void find_syncs(struct kineto *kineto, const struct owner_search *search,
                       const uint32_t *gpu_owners)
{
    for (size_t i = 0; i < kineto->syncs_count; i++) {
        struct kineto_sync *sync = &kineto->syncs[i];
        uint32_t gpu = tuples_find(&search->gpus, (int64_t[2]){sync->gpu, sync->track});
        sync->process = sync->place != ROW_NONE ? kineto->place_owners[sync->place]
                        : gpu != UINT32_MAX     ? gpu_owners[gpu]
                                                : kineto->owner;
    }
}

void kineto_find_owners(struct kineto *kineto)
{
    struct arena *scratch = kineto->scratch;
    struct owner_search search = {.kineto = kineto};
    struct owner_votes places = {.scratch = scratch}, gpus = {.scratch = scratch};
    bool has_several_callers = kineto->has_several_callers = find_owner(kineto);
    number_gpus(&search);
    uint32_t *gpu_owners = ARENA_ARRAY(scratch, uint32_t, (size_t)search.gpus.count + 1);
    bool *is_given = ARENA_ARRAY(scratch, bool, (size_t)search.gpus.count + 1);
    for (uint32_t i = 0; i < search.gpus.count; i++)
        gpu_owners[i] = kineto->owner;
    if (has_several_callers) {
        sort_calls(&search);
        vote_all(&search, &places, &gpus);
        votes_find_winners(&gpus, gpu_owners, search.gpus.count);
        give_gpus(&search, &gpus, gpu_owners, is_given);
    }
    kineto->place_owners = ARENA_ARRAY(scratch, uint32_t, (size_t)kineto->places.count + 1);
    for (uint32_t i = 0; i < kineto->places.count; i++)
        kineto->place_owners[i] = gpu_owners[search.gpu_of[i]];
    if (has_several_callers)
        votes_find_winners(&places, kineto->place_owners, kineto->places.count);
    for (uint32_t i = 0; has_several_callers && i < kineto->places.count; i++) {
        uint32_t gpu = search.gpu_of[i];
        if (is_given[gpu] && is_tie(&places, i, gpu_owners[gpu], kineto->place_owners[i]))
            kineto->place_owners[i] = gpu_owners[gpu];
    }
    for (uint32_t i = 0; i < kineto->places.count; i++)
        kineto->has_several_owners |= kineto->place_owners[i] != kineto->place_owners[0];
    number_devices(kineto, &search, gpu_owners);
    find_syncs(kineto, &search, gpu_owners);
    ARENA_RELEASE(scratch, search.keys, kineto->calls_count + 1);
    ARENA_RELEASE(scratch, search.starts, kineto->calls_count + 1);
}
