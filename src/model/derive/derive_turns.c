// SPDX-License-Identifier: Apache-2.0
// Correlation ids have 32 bits and come round in very long captures: after 2^32 calls, which takes
// more than an hour at a microsecond each. Work then belongs to the latest call with its id that
// began before it. The clocks of GPU and host may differ by less than half a turn.
#include "model/derive/derive_turns.h"
#include "base/sort.h"

#define TURN_NS (INT64_C(3600) * 1000000000)

struct turn_search {
    int64_t *keys, *starts; // by call
    uint32_t *order;        // of the calls with an id, by key and start
    uint32_t count;
};

static int64_t turn_key(uint32_t process, uint32_t correlation)
{
    return (int64_t)((uint64_t)process << 32 | correlation);
}

// Returns the first place in the order whose key is at least `key`.
static uint32_t find_key(const struct turn_search *search, int64_t key)
{
    uint32_t low = 0, high = search->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (search->keys[search->order[middle]] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Returns the latest place in [first, end) whose call begins at `time` or earlier; `first` if none.
static uint32_t find_time(const struct turn_search *search, uint32_t first, uint32_t end,
                          int64_t time)
{
    uint32_t low = first + 1, high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (search->starts[search->order[middle]] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

// Returns the call of work that begins at `time`, of those with its key. Calls that begin less than
// TURN_NS apart are of one turn, in which the first one owns the work.
static uint32_t find_call(const struct turn_search *search, int64_t key, int64_t time)
{
    uint32_t first = find_key(search, key), end = find_key(search, key + 1);
    uint32_t at = find_time(search, first, end, time + TURN_NS / 2);
    int64_t before = search->starts[search->order[at]] - TURN_NS;
    uint32_t earlier = find_time(search, first, at + 1, before);
    bool is_other_turn = search->starts[search->order[earlier]] <= before;
    return search->order[is_other_turn ? earlier + 1 : earlier];
}

int64_t launches_follow_turns(const struct profile *profile, const uint32_t *process,
                              const uint32_t *correlation, uint32_t *launch, struct arena *scratch)
{
    const struct api_calls *api = &profile->api;
    int64_t corrected = 0;
    if (column64_max(&api->start, api->count) - column64_min(&api->start, api->count) < TURN_NS)
        return 0;
    struct turn_search search = {
        .keys = ARENA_ARRAY(scratch, int64_t, api->count),
        .starts = column64_unpack(scratch, api->start, api->count),
        .order = ARENA_ARRAY(scratch, uint32_t, api->count),
    };
    for (uint32_t i = 0; i < api->count; i++) {
        uint32_t id = AT(api->correlation, i);
        search.keys[i] = turn_key(profile->threads[AT(api->thread, i)].process, id);
        if (id)
            search.order[search.count++] = i;
    }
    sort_ids_by_time(search.order, search.count, search.keys, search.starts, scratch);
    for (uint32_t i = 0; i < profile->work.count; i++) {
        if (launch[i] == ROW_NONE)
            continue;
        uint32_t call =
            find_call(&search, turn_key(process[i], correlation[i]), AT(profile->work.start, i));
        corrected += call != launch[i];
        launch[i] = call;
    }
    return corrected;
}
