// SPDX-License-Identifier: Apache-2.0
// DLProf's detector for calls that allocate in every step. Only its purpose is known; rule and
// texts are ours.
#include <string.h>

#include "analysis/detect/finding.h"
#include "analysis/report/memo.h"
#include "analysis/sums/op_metrics.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(slow_api);

// True for calls that stop the host or the GPU if made in every step. Launches and waits are
// excluded: their length is due to a full queue, or to work that has to be waited for.
static bool is_slow_call(const char *name)
{
    static const char *const names[] = {
        "cudaMalloc", "cudaFree",  "cudaHostAlloc",    "cudaMallocHost", "cudaFreeHost",
        "cuMemAlloc", "cuMemFree", "cudaHostRegister", "cuModuleLoad",
    };
    if (strstr(name, "Async") || strstr(name, "FromPool"))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

struct slow_calls { // by step
    int64_t *ns;
    uint32_t *count;
};

static void *slow_calls_make(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    const struct split *split = selection->split;
    const struct api_calls *api = &profile->api;
    struct slow_calls *calls = ARENA_NEW(arena, struct slow_calls);
    calls->ns = ARENA_ARRAY(arena, int64_t, (size_t)split->count + 1);
    calls->count = ARENA_ARRAY(arena, uint32_t, (size_t)split->count + 1);
    bool *is_slow = ARENA_ARRAY(arena, bool, (size_t)strings_count(profile->strings) + 1);
    for (uint32_t id = 1; id < strings_count(profile->strings); id++)
        is_slow[id] = is_slow_call(profile_text(profile, id));
    int64_t covered = INT64_MIN;
    for (uint32_t i = 0; i < api->count; i++) {
        if (i == 0 || AT(api->thread, i) != AT(api->thread, i - 1))
            covered = INT64_MIN;
        // A driver call inside a runtime call is the same call.
        if (AT(api->start, i) < covered || !is_slow[AT(api->name, i)] ||
            !selection_has_api(profile, selection, i))
            continue;
        uint32_t iteration =
            split_at(split, profile->threads[AT(api->thread, i)].process, AT(api->start, i));
        if (iteration >= split->count)
            continue;
        covered = AT(api->end, i);
        calls->count[iteration]++;
        calls->ns[iteration] += AT(api->end, i) - AT(api->start, i);
    }
    return calls;
}

static const struct memo_kind slow_calls_memo = {
    .fields = MEMO_PROCESS | MEMO_DEVICE | MEMO_ADOPTION, .make = slow_calls_make};

static void slow_api(const struct profile *profile, const struct selection *selection,
                     struct finding_list *findings)
{
    const struct split *split = selection->split;
    struct arena *arena = findings->arena;
    uint32_t count = selection_iteration_count(selection), hit = 0;
    // In a single step such calls are start-up, which every program has.
    if (!split_has_steps(split) || count < expert_threshold("slow_api.minimum"))
        return;
    const struct slow_calls *slow = selection_is_unfiltered(selection)
                                        ? memo_require(&slow_calls_memo, profile, selection, arena)
                                        : slow_calls_make(profile, selection, arena);
    int64_t calls = 0, total = 0;
    for (uint32_t i = 0; i < split->count; i++) {
        if (!selection_has_iteration(selection, i))
            continue;
        hit += slow->count[i] > 0;
        calls += slow->count[i];
        total += slow->ns[i];
    }
    int64_t wall = selection_wall_ns(profile, selection);
    if (hit <= expert_threshold("slow_api.steps") * count || wall <= 0 ||
        (double)total <= expert_threshold("slow_api.share") * (double)wall)
        return;
    struct finding *finding = finding_add(findings, &detect_slow_api, SEVERITY_WARNING);
    finding->problem = arena_format(
        arena,
        "%.1f%% of the profiled time is spent in %lld calls that allocate or free memory or load "
        "code",
        100 * (double)total / (double)wall, (long long)calls);
    finding->recommendation =
        "Allocate and load once before the training loop, or allocate through "
        "a caching or stream-ordered allocator";
    finding->why = arena_format(arena, "They occur in %u of %u iterations", hit, count);
    finding->opens = "api";
}

const struct detector detect_slow_api = {
    .id = "slow_api_detector",
    .title = "slow API calls",
    .doc = "Calls that allocate or free memory or load modules occur in more than "
           "slow_api.steps of at least slow_api.minimum selected iterations and take more than "
           "slow_api.share of the wall clock.",
    .is_dlprof = true,
    .detect = slow_api,
};
