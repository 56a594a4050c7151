// SPDX-License-Identifier: Apache-2.0
// Pairs each node of the backward graph with its forward range. Candidates are the forward ranges
// of the same process that have the node's sequence number, or that number less 1. In a first pass
// a node gets the latest candidate before it whose name fits; the rest is paired by number alone.
#include "analysis/op_runs/forward_runs.h"

#include "base/id_map.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/markers/markers.h"
#include "model/ops/backward_pairs.h"

enum { MAX_CANDIDATES = 16 }; // forward ranges with the same number whose names are compared

struct forward_candidates {
    const struct profile *profile;
    struct id_map keys; // (sequence number, process) -> row of `first`
    uint32_t *ranges;   // sorted by key, then by start
    int64_t *starts;    // [i] start of ranges[i]
    uint32_t *first;    // [key] index of its first range; has key_count + 1 entries
    uint32_t key_count;
};

static struct id_key key_of(const struct profile *profile, uint32_t range, int64_t seq)
{
    uint32_t thread = range_thread(&profile->ranges, range);
    return (struct id_key){.a = (uint64_t)seq, .b = profile->threads[thread].process};
}

static void add_key(struct forward_candidates *candidates, struct id_key key)
{
    uint32_t *slot = id_map_slot(&candidates->keys, key);
    if (!*slot)
        *slot = ++candidates->key_count;
}

// Collects the forward ranges with one of the keys, sorted by key and start.
static void collect_candidates(struct forward_candidates *candidates,
                               bool (*is_forward)(void *context, uint32_t range), void *context,
                               struct arena *scratch)
{
    const struct profile *profile = candidates->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *rows = NULL;
    int64_t *keys = NULL, *starts = NULL;
    size_t count = 0, row_capacity = 0, key_capacity = 0, start_capacity = 0;
    uint32_t *sizes = ARENA_ARRAY(scratch, uint32_t, candidates->key_count + 1);
    for (uint32_t row = 0; row < ranges->count; row++) {
        const struct range_label *label = range_label(ranges, row);
        if (!label->has_seq || label->ending == RANGE_CROSS_THREAD)
            continue;
        uint32_t key = id_map_get(&candidates->keys, key_of(profile, row, AT(ranges->seq, row)));
        if (key == UINT32_MAX || !is_forward(context, row))
            continue;
        size_t same = count;
        ARENA_PUSH(scratch, keys, same, key_capacity) = key;
        same = count;
        ARENA_PUSH(scratch, starts, same, start_capacity) = AT(ranges->start, row);
        ARENA_PUSH(scratch, rows, count, row_capacity) = row;
        sizes[key]++;
    }
    uint32_t *order = sort_by_time(scratch, keys, starts, count);
    candidates->ranges = ARENA_ARRAY(scratch, uint32_t, count + 1);
    candidates->starts = ARENA_ARRAY(scratch, int64_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        candidates->ranges[i] = rows[order[i]];
        candidates->starts[i] = starts[order[i]];
    }
    candidates->first = ARENA_ARRAY(scratch, uint32_t, candidates->key_count + 1);
    for (uint32_t key = 0; key < candidates->key_count; key++)
        candidates->first[key + 1] = candidates->first[key] + sizes[key];
}

// Finds the candidates of `seq` that start before the node: indices from *first to the returned
// index, exclusive.
static uint32_t candidates_before(const struct forward_candidates *candidates, uint32_t node,
                                  int64_t seq, uint32_t *first)
{
    const struct profile *profile = candidates->profile;
    uint32_t key = id_map_get(&candidates->keys, key_of(profile, node, seq));
    *first = candidates->first[key];
    return search_from(candidates->starts, *first, candidates->first[key + 1],
                       AT(profile->ranges.start, node));
}

// Returns the latest candidate of `seq` before the node whose name fits, or ROW_NONE.
static uint32_t find_by_name(const struct forward_candidates *candidates, uint32_t node,
                             int64_t seq)
{
    const struct profile *profile = candidates->profile;
    uint32_t first, end = candidates_before(candidates, node, seq, &first);
    for (uint32_t n = 0; n < MAX_CANDIDATES && end - n > first; n++) {
        uint32_t range = candidates->ranges[end - n - 1];
        if (backward_name_fits(profile, range_marker(profile, node), range_marker(profile, range)))
            return range;
    }
    return ROW_NONE;
}

// Returns the forward of a node for which no name fits: the latest candidate of its number. If all
// of these have a node already, the numbers may be off by one, so a candidate of seq - 1 whose name
// fits is preferred. Returns ROW_NONE if there is no candidate.
static uint32_t find_by_number(const struct forward_candidates *candidates, uint32_t node,
                               const uint8_t *has_node)
{
    int64_t seq = range_seq(&candidates->profile->ranges, node);
    if (seq == 0)
        return ROW_NONE;
    uint32_t first, end = candidates_before(candidates, node, seq, &first);
    bool has_free_candidate = end > first;
    for (uint32_t n = 0; n < MAX_CANDIDATES && end - n > first; n++)
        has_free_candidate = has_free_candidate && !has_node[candidates->ranges[end - n - 1]];
    uint32_t before = has_free_candidate ? ROW_NONE : find_by_name(candidates, node, seq - 1);
    return before != ROW_NONE ? before : end > first ? candidates->ranges[end - 1] : ROW_NONE;
}

void forward_runs_find(const struct profile *profile, const uint32_t *nodes, size_t count,
                       bool (*is_forward)(void *context, uint32_t range), void *context,
                       uint32_t *forward, struct arena *scratch)
{
    struct forward_candidates candidates = {.profile = profile, .keys = {.arena = scratch}};
    for (size_t i = 0; i < count; i++) {
        int64_t seq = range_seq(&profile->ranges, nodes[i]);
        add_key(&candidates, key_of(profile, nodes[i], seq));
        if (seq > 0)
            add_key(&candidates, key_of(profile, nodes[i], seq - 1));
    }
    collect_candidates(&candidates, is_forward, context, scratch);
    uint8_t *has_node = ARENA_ARRAY(scratch, uint8_t, profile->ranges.count);
    for (size_t i = 0; i < count; i++) {
        uint32_t range = find_by_name(&candidates, nodes[i], range_seq(&profile->ranges, nodes[i]));
        forward[nodes[i]] = range + 1;
        if (range != ROW_NONE)
            has_node[range] = 1;
    }
    for (size_t i = 0; i < count; i++)
        if (!forward[nodes[i]])
            forward[nodes[i]] = find_by_number(&candidates, nodes[i], has_node) + 1;
}
