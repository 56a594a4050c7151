// SPDX-License-Identifier: Apache-2.0
// Adds ranges, API time and gaps to the sums over the op tree.
#include "analysis/tree_sums/tree_host.h"

#include "analysis/breakdown/cover.h"
#include "analysis/report/stats.h"

// Returns for each range the outermost range that encloses it, or the range itself.
static uint32_t *range_roots(const struct ranges *ranges, struct arena *arena)
{
    uint32_t *roots = ARENA_ARRAY(arena, uint32_t, (size_t)ranges->count + 1);
    for (uint32_t r = 0; r < ranges->count; r++) // parents come before their children
        roots[r] = AT(ranges->parent, r) == ROW_NONE ? r : roots[AT(ranges->parent, r)];
    return roots;
}

struct tree_host tree_host_open(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    return (struct tree_host){
        .profile = profile,
        .selection = selection,
        .tree = selection_tree(profile, selection),
        .roots = HAS(ranges->adopter) ? range_roots(ranges, arena) : NULL,
    };
}

static void add_ranges(const struct tree_host *host, struct tree_sum *sums)
{
    const struct ranges *ranges = &host->profile->ranges;
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t node = selection_range_node(host->profile, host->selection, r);
        if (node == ROW_NONE || !selection_has_range(host->profile, host->selection, r))
            continue;
        sums[node].calls++;
        sums[node].below++;
        sums[node].cpu_ns += AT(ranges->end, r) - AT(ranges->start, r);
    }
}

struct call_places tree_host_call(const struct tree_host *host, uint32_t api)
{
    const struct profile *profile = host->profile;
    struct call_places places = {ROW_NONE, ROW_NONE};
    // only the innermost node is charged; tree_sums() adds up the parents
    uint32_t range = range_tree_owner(profile, AT(profile->api.range, api));
    if (range == ROW_NONE)
        return places;
    uint32_t node = places.node = selection_range_node(profile, host->selection, range);
    // Time in calls of an adopted range is no time of the thread that waits for it, so it is
    // subtracted at the range that adopted it.
    uint32_t adopter = host->roots ? range_adopter(&profile->ranges, host->roots[range]) : ROW_NONE;
    if (adopter == ROW_NONE)
        return places;
    uint32_t waits = selection_range_node(profile, host->selection, adopter);
    if (waits != ROW_NONE && node > waits && node < host->tree->subtree_end[waits])
        places.waits = waits;
    return places;
}

// Adds the time in API calls. Calls of a thread may nest (a runtime call makes a driver call): each
// moment counts once, for the range of the outermost call. Calls are in order of (thread, start).
static void add_api(const struct tree_host *host, struct tree_sum *sums)
{
    const struct api_calls *api = &host->profile->api;
    int64_t covered_to = INT64_MIN;
    for (uint32_t a = 0; a < api->count; a++) {
        if (a == 0 || AT(api->thread, a) != AT(api->thread, a - 1))
            covered_to = INT64_MIN;
        if (!selection_has_api(host->profile, host->selection, a))
            continue;
        int64_t exclusive_ns = interval_union_add(&covered_to, AT(api->start, a), AT(api->end, a));
        struct call_places places = tree_host_call(host, a);
        if (places.node != ROW_NONE)
            sums[places.node].api_ns += exclusive_ns;
        if (places.waits != ROW_NONE)
            sums[places.waits].api_ns -= exclusive_ns;
    }
}

struct range_coverage { // how far the GPU work of a range read so far covers the current device
    int64_t covered_to; // latest end of the work
    uint32_t device;
};

uint32_t tree_host_parent(const struct tree_host *host, uint32_t range)
{
    const struct ranges *ranges = &host->profile->ranges;
    uint32_t parent = AT(ranges->parent, range);
    if (parent == ROW_NONE && host->selection->adoption)
        parent = range_adopter(ranges, range);
    return parent;
}

uint32_t tree_host_range(const struct tree_host *host, uint32_t work)
{
    const struct profile *profile = host->profile;
    uint32_t call = AT(profile->work.launch, work);
    if (call == ROW_NONE)
        return ROW_NONE;
    uint32_t range = AT(profile->api.range, call);
    if (range == ROW_NONE && host->selection->adoption)
        range = api_adopter(&profile->api, call);
    return range;
}

void tree_host_idle(const struct tree_host *host, struct tree_sum *sums, struct arena *arena)
{
    const struct profile *profile = host->profile;
    const struct selection *selection = host->selection;
    const struct gpu_work *work = &profile->work;
    const struct ranges *ranges = &profile->ranges;
    if (!ranges->count)
        return;
    struct range_coverage *covers = ARENA_ARRAY(arena, struct range_coverage, ranges->count);
    // by range: it encloses work at more than MAX_CLIMB levels of nesting
    bool *is_too_deep = ARENA_ARRAY(arena, bool, ranges->count);
    for (uint32_t r = 0; r < ranges->count; r++)
        covers[r].device = ROW_NONE;
    for (uint32_t w = 0; w < work->count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        uint32_t device = work_device(profile, w);
        uint32_t range = tree_host_range(host, w);
        for (int levels = 0; range != ROW_NONE && levels < MAX_CLIMB; levels++) {
            struct range_coverage *cover = &covers[range];
            if (cover->device != device) {
                *cover = (struct range_coverage){AT(work->start, w), device};
            } else if (AT(work->start, w) > cover->covered_to) {
                uint32_t node = selection_range_node(profile, selection, range);
                if (node != ROW_NONE)
                    sum_add(&sums[node].idle_ns, AT(work->start, w) - cover->covered_to);
            }
            if (AT(work->end, w) > cover->covered_to)
                cover->covered_to = AT(work->end, w);
            range = tree_host_parent(host, range);
        }
        for (; range != ROW_NONE && !is_too_deep[range]; range = tree_host_parent(host, range))
            is_too_deep[range] = true;
    }
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t node = is_too_deep[r] ? selection_range_node(profile, selection, r) : ROW_NONE;
        if (node != ROW_NONE)
            sums[node].idle_ns = UNKNOWN;
    }
}

void tree_host_add(const struct profile *profile, const struct selection *selection,
                   struct tree_sum *sums, struct arena *arena)
{
    if (tree_host_sums_add(profile, selection, sums, arena))
        return;
    struct tree_host host = tree_host_open(profile, selection, arena);
    add_ranges(&host, sums);
    add_api(&host, sums);
    tree_host_idle(&host, sums, arena);
}
