// SPDX-License-Identifier: Apache-2.0
// The GPU is idle because a synchronising call let it run dry.
#include <string.h>

#include "analysis/detect_list.h"
#include "analysis/step.h"
#include "analysis/work_text.h"
#include "base/text.h"
#include "model/copy_kinds.h"
#include "model/id_map.h"

enum call_kind { CALL_OTHER, CALL_SYNC, CALL_COPY, CALL_COPY_ASYNC };

// By name: the numbers of the synchronisation table changed their meaning between versions.
static enum call_kind call_kind(const char *name)
{
    static const char *const syncs[] = {"StreamSynchronize", "DeviceSynchronize",
                                        "EventSynchronize", "CtxSynchronize", "ThreadSynchronize"};
    if (strncmp(name, "cu", 2) != 0)
        return CALL_OTHER;
    const char *rest = name + (strncmp(name, "cuda", 4) == 0 ? 4 : 2);
    for (size_t i = 0; i < sizeof syncs / sizeof *syncs; i++)
        if (strncmp(rest, syncs[i], strlen(syncs[i])) == 0)
            return CALL_SYNC;
    if (strncmp(rest, "Memcpy", 6) != 0)
        return CALL_OTHER;
    return strstr(rest, "Async") ? CALL_COPY_ASYNC : CALL_COPY;
}

// Whether a call waited for its copies. An asynchronous one does where the host's memory is
// pageable; of those only copies to the host are sure to wait for the work before them.
static bool copy_waited(const struct profile *profile, uint32_t call, enum call_kind kind)
{
    const struct api_calls *api = &profile->api;
    for (uint32_t i = api->first_work[call]; i < api->first_work[call + 1]; i++) {
        uint32_t work = api->work_rows[i];
        const struct copy *copy = work_copy(profile, work);
        bool to_host = copy && copy->copy_kind == COPY_DTOH;
        if (profile->work.end[work] <= api->end[call] && (kind == CALL_COPY || to_host))
            return true;
    }
    return false;
}

struct drain_group { // of one place in the tree and one kind of call
    uint32_t node;
    string_id name;
    int64_t ns;         // idle
    int64_t blocked_ns; // in the calls: the host cannot be ahead by more than that
    uint32_t drains, steps;
    uint32_t last; // window + 1 of the latest drain
};

struct drains {
    struct step *step;
    enum call_kind *kinds; // by name
    struct id_map map;
    size_t count, capacity;
    struct drain_group *groups;
};

// The call on the launching thread that was waiting when the GPU ran dry, before `launch`.
static uint32_t find_drain(const struct drains *drains, uint32_t launch, int64_t dry)
{
    enum { CLOCKS_NS = 1000 }; // how well the two clocks agree
    const struct profile *profile = drains->step->profile;
    const struct api_calls *api = &profile->api;
    const struct thread *thread = &profile->threads[api->thread[launch]];
    for (uint32_t call = launch; call-- > thread->first_api;) {
        if (api->end[call] < dry - CLOCKS_NS)
            break;
        enum call_kind kind = drains->kinds[api->name[call]];
        if (kind == CALL_OTHER || api->start[call] > dry + CLOCKS_NS)
            continue;
        if (kind == CALL_SYNC || copy_waited(profile, call, kind))
            return call;
    }
    return ROW_NONE;
}

static uint32_t drain_group(struct drains *drains, uint32_t call)
{
    const struct profile *profile = drains->step->profile;
    const struct selection *selection = drains->step->selection;
    uint32_t range = range_host(profile, profile->api.range[call]);
    uint32_t node = range != ROW_NONE ? selection_range_node(profile, selection, range) : ROW_NONE;
    struct id_key key = {profile->api.name[call], node, 0};
    uint32_t *slot = id_map_slot(&drains->map, key);
    if (!*slot) {
        *slot = (uint32_t)drains->count + 1;
        ARENA_PUSH(drains->step->scratch, drains->groups, drains->count, drains->capacity) =
            (struct drain_group){.node = node, .name = profile->api.name[call]};
    }
    return *slot - 1;
}

// Data on its way to the GPU: the host that waits for that loads a model or a batch and keeps
// nothing else waiting.
static bool is_copy_in(const struct profile *profile, uint32_t work)
{
    const struct copy *copy = work != ROW_NONE ? work_copy(profile, work) : NULL;
    return copy && copy->copy_kind == COPY_HTOD;
}

static void want_drains(struct drains *drains)
{
    enum { LATENCY_NS = 20000 }; // of a launch, at most
    struct step *step = drains->step;
    const struct profile *profile = step->profile;
    for (size_t s = 1; s < step->count; s++) {
        const struct stretch *idle = &step->stretches[s];
        if (idle->work != ROW_NONE || profile->work.launch[idle->next] == ROW_NONE ||
            is_copy_in(profile, step->stretches[s - 1].work))
            continue;
        uint32_t launch = profile->work.launch[idle->next];
        int64_t launched = profile->api.start[launch], latency = idle->to - launched;
        if (launched <= idle->from || latency < 0)
            continue;
        uint32_t call = find_drain(drains, launch, idle->from);
        if (call == ROW_NONE)
            continue;
        latency = latency < LATENCY_NS ? latency : LATENCY_NS;
        uint32_t group = drain_group(drains, call);
        drains->groups[group].blocked_ns += profile->api.end[call] - profile->api.start[call];
        claims_want(&step->claims, idle->from, idle->to - latency, group, idle->window);
    }
}

static void sum_drains(struct drains *drains)
{
    enum { WORTH_NS = 5000 }; // a shorter drain is the latency of any launch
    struct claims *claims = &drains->step->claims;
    claims_measure(claims);
    if (!drains->groups)
        return; // no group, no claim
    for (size_t g = 0; g < drains->count; g++) {
        struct drain_group *group = &drains->groups[g];
        group->ns = 0;
        group->drains = group->steps = group->last = 0;
    }
    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *claim = &claims->items[i];
        struct drain_group *group = &drains->groups[claim->group];
        if (claim->free_ns < WORTH_NS)
            continue;
        group->ns += claim->free_ns;
        group->drains++;
        group->steps += group->last != claim->window + 1;
        group->last = claim->window + 1;
    }
}

// Without the call the host would be ahead by what it waited in it, and by no more: where it is
// the host's own work that keeps the GPU waiting, that is all there is to gain.
static void limit_drains(struct drains *drains)
{
    double *parts = ARENA_ARRAY(drains->step->scratch, double, drains->count + 1);
    for (size_t g = 0; g < drains->count; g++) {
        const struct drain_group *group = &drains->groups[g];
        parts[g] = group->ns > 0 ? (double)group->blocked_ns / (double)group->ns : 1;
    }
    claims_scale(&drains->step->claims, parts);
}

static const char *drain_why(const struct step *step, const struct drain_group *group)
{
    const char *often = step->has_steps
                            ? arena_format(step->arena, "%u times, in %u of %u steps",
                                           group->drains, group->steps, step->window_count)
                            : arena_format(step->arena, "%u times", group->drains);
    return arena_format(
        step->arena,
        "The call was waiting when the GPU ran dry, %s. Counted is the idle time from there to the "
        "next work that its thread launches, less the latency of the launch, at most the %s in the "
        "call: the host cannot get further ahead by leaving it out",
        often, step_duration(step, group->blocked_ns));
}

static void sync_drain(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    if (step->hides_work || profile->api.count == 0)
        return;
    struct drains drains = {.step = step, .map = {.arena = step->scratch}};
    drains.kinds =
        ARENA_ARRAY(step->scratch, enum call_kind, (size_t)strings_count(profile->strings) + 1);
    for (uint32_t i = 0; i < profile->api.count; i++)
        drains.kinds[profile->api.name[i]] = CALL_SYNC;
    for (uint32_t id = 0; id < strings_count(profile->strings); id++)
        if (drains.kinds[id] != CALL_OTHER)
            drains.kinds[id] = call_kind(profile_text(profile, id));
    want_drains(&drains);
    sum_drains(&drains);
    limit_drains(&drains);
    sum_drains(&drains);
    bool *keep = ARENA_ARRAY(step->scratch, bool, drains.count + 1);
    for (size_t g = 0; g < drains.count; g++) {
        const struct drain_group *group = &drains.groups[g];
        bool recurs = step->has_steps
                          ? group->steps > expert_threshold("sync_drain.steps") * step->window_count
                          : group->drains >= expert_threshold("sync_drain.drains");
        if (!recurs || step_share(step, group->ns) <= expert_threshold("sync_drain.share"))
            continue;
        struct finding *finding =
            step_finding(step, findings, &detect_sync_drain, group->ns, step_host_certainty(step));
        if (!finding)
            continue;
        keep[g] = true;
        const char *name = profile_text(profile, group->name);
        const char *call = arena_copy(step->arena, name, api_name_length(name));
        call = text_safe(step->arena, call, strlen(call), true);
        finding->place = step_node_text(step, group->node);
        finding->problem = arena_format(
            step->arena, "%s drains the GPU's queue%s: idle for %s %s until new work arrives", call,
            step->has_steps && group->drains > 2 * step->window_count ? " many times a step" : "",
            step_duration(step, group->ns), step_unit(step));
        finding->recommendation =
            "Do not read results on the host in the step: keep .item(), .cpu(), print and "
            "comparisons of tensors out of it or do them every n-th step, after work for the GPU "
            "has been queued; copy to pinned memory with non_blocking=True and read later";
        finding->why = drain_why(step, group);
        finding->opens = "api";
        finding->evidence.api_name = group->name;
        if (finding->place)
            finding->evidence.node = group->node;
    }
    claims_take(&step->claims, keep);
}

const struct detector detect_sync_drain = {
    .id = "sync_drain",
    .title = "a synchronising call drains the queue",
    .doc = "A synchronising call or blocking copy was waiting when the GPU ran dry, in more than "
           "sync_drain.steps of the steps (no steps found: sync_drain.drains times) and for more "
           "than sync_drain.share of the step. Bound: the idle time until the next work of that "
           "thread, less the latency of its launch, at most the time in the call.",
    .claim = sync_drain,
};
