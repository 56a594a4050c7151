// SPDX-License-Identifier: Apache-2.0
// The GPU is idle because a synchronising call let it run dry.
#include <string.h>

#include "analysis/detect_list.h"
#include "analysis/lead.h"
#include "analysis/work_text.h"
#include "base/text.h"
#include "model/copy_kinds.h"
#include "model/id_map.h"

// Whether the thread waited for what was queued before: of copies those to the host (HOST_SYNC) are
// sure to, and those by a call that is not asynchronous.
static bool is_drain(const struct profile *profile, const struct host_wait *wait)
{
    return wait->activity == HOST_SYNC ||
           (wait->activity == HOST_COPY &&
            !strstr(profile_text(profile, profile->api.name[wait->call]), "Async"));
}

struct drain_group { // of one place in the tree and one kind of call
    uint32_t node;
    string_id name;
    int64_t idle_ns; // from where the GPU ran dry in the call to the next launch
    int64_t ns;      // idle that goes away without the calls
    uint32_t drains, steps;
    uint32_t last; // window + 1 of the latest drain
};

struct drain {
    uint32_t call, group, window;
    int64_t idle_ns;
};

struct drains {
    struct step *step;
    struct id_map map;
    size_t group_count, group_capacity;
    struct drain_group *groups;
    size_t count, capacity;
    struct drain *items;
    uint32_t *joined; // by name: the group that all of that name are told with, plus 1
};

// The call on the launching thread that was waiting when the GPU ran dry.
static uint32_t find_drain(const struct drains *drains, uint32_t thread, int64_t dry)
{
    const struct host_line *line = lead_line(drains->step, thread);
    const struct host_wait *wait = line ? host_line_wait(line, dry) : NULL;
    return wait && is_drain(drains->step->profile, wait) ? wait->call : ROW_NONE;
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
        *slot = (uint32_t)drains->group_count + 1;
        ARENA_PUSH(drains->step->scratch, drains->groups, drains->group_count,
                   drains->group_capacity) =
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

static void find_drains(struct drains *drains)
{
    enum { WORTH_NS = 25000 }; // a shorter drain is the latency of any launch
    struct step *step = drains->step;
    const struct profile *profile = step->profile;
    for (size_t s = 1; s < step->count; s++) {
        const struct stretch *idle = &step->stretches[s];
        if (idle->work != ROW_NONE || profile->work.launch[idle->next] == ROW_NONE ||
            idle->to - idle->from < WORTH_NS || is_copy_in(profile, step->stretches[s - 1].work))
            continue;
        uint32_t launch = profile->work.launch[idle->next];
        if (profile->api.start[launch] <= idle->from || idle->to < profile->api.start[launch])
            continue;
        uint32_t call = find_drain(drains, profile->api.thread[launch], idle->from);
        if (call != ROW_NONE)
            ARENA_PUSH(step->scratch, drains->items, drains->count, drains->capacity) =
                (struct drain){call, drain_group(drains, call), idle->window,
                               profile->api.start[launch] - idle->from};
    }
}

static uint32_t root_of(const struct drains *drains, uint32_t group)
{
    uint32_t joined = drains->joined[drains->groups[group].name];
    return joined ? joined - 1 : group;
}

static void count_drains(struct drains *drains)
{
    for (size_t g = 0; g < drains->group_count; g++) {
        struct drain_group *group = &drains->groups[g];
        group->idle_ns = 0;
        group->drains = group->steps = group->last = 0;
    }
    for (size_t i = 0; i < drains->count; i++) {
        const struct drain *drain = &drains->items[i];
        struct drain_group *group = &drains->groups[root_of(drains, drain->group)];
        group->drains++;
        group->steps += group->last != drain->window + 1;
        group->last = drain->window + 1;
        group->idle_ns += drain->idle_ns;
    }
}

static bool recurs(const struct step *step, const struct drain_group *group)
{
    return step->has_steps
               ? group->steps > expert_threshold("sync_drain.steps") * step->window_count
               : group->drains >= expert_threshold("sync_drain.drains");
}

// One habit at many places, such as a wait after each layer, is one problem: told once, at the
// place that holds them all.
static void join_places(struct drains *drains)
{
    const struct step *step = drains->step;
    size_t names = strings_count(step->profile->strings);
    uint32_t *places = ARENA_ARRAY(step->scratch, uint32_t, names + 1);
    for (size_t g = 0; g < drains->group_count; g++)
        places[drains->groups[g].name] += recurs(step, &drains->groups[g]);
    for (size_t g = drains->group_count; g-- > 0;)
        if (places[drains->groups[g].name] >= expert_threshold("sync_drain.places"))
            drains->joined[drains->groups[g].name] = (uint32_t)g + 1;
}

// The innermost place that holds all of a group.
static uint32_t group_node(const struct drains *drains, uint32_t root)
{
    int64_t *sums = step_node_sums(drains->step);
    for (size_t i = 0; i < drains->count; i++) {
        const struct drain *drain = &drains->items[i];
        uint32_t node = drains->groups[drain->group].node;
        if (root_of(drains, drain->group) == root && node != ROW_NONE)
            sums[node] += drain->idle_ns;
    }
    return step_place(drains->step, sums);
}

// Without the calls the host would be ahead by what it waited in them, and by no more. Those of a
// place in which the GPU did not run dry go with the others.
static void want_drains(struct drains *drains)
{
    struct step *step = drains->step;
    struct lead lead = {.step = step};
    for (uint32_t t = 0; t < step->profile->thread_count && drains->count; t++) {
        const struct host_line *line = lead_line(step, t);
        for (size_t i = 0; line && i < line->wait_count; i++) {
            const struct host_wait *wait = &line->waits[i];
            if (is_drain(step->profile, wait))
                lead_spend(&lead, wait->start, wait->end,
                           root_of(drains, drain_group(drains, wait->call)));
        }
    }
    lead_want(&lead);
    claims_measure(&step->claims);
    for (size_t i = 0; i < step->claims.count; i++)
        drains->groups[step->claims.items[i].group].ns += step->claims.items[i].free_ns;
}

static const char *drain_why(const struct step *step, const struct drain_group *group)
{
    const char *often =
        step->has_steps
            ? arena_format(step->arena, "%u times, in %u of %u %s", group->drains, group->steps,
                           step->window_count, split_words_of(step->selection->split)->several)
            : arena_format(step->arena, "%u times", group->drains);
    return arena_format(
        step->arena,
        "The call was waiting when the GPU ran dry, %s: idle for %s until its thread launches "
        "again. The bound also holds what is idle later and would not be if the host launched "
        "earlier by what it waits in the call, up to where it waits for the GPU elsewhere",
        often, step_duration(step, group->idle_ns));
}

static void sync_drain(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    if (step->hides_work || profile->api.count == 0)
        return;
    struct drains drains = {.step = step, .map = {.arena = step->scratch}};
    size_t names = strings_count(profile->strings);
    drains.joined = ARENA_ARRAY(step->scratch, uint32_t, names + 1);
    find_drains(&drains);
    count_drains(&drains);
    join_places(&drains);
    count_drains(&drains);
    want_drains(&drains);
    bool *keep = ARENA_ARRAY(step->scratch, bool, drains.group_count + 1);
    for (uint32_t g = 0; g < drains.group_count; g++) {
        const struct drain_group *group = &drains.groups[g];
        if (root_of(&drains, g) != g || !recurs(step, group) ||
            step_share(step, group->idle_ns) <= expert_threshold("sync_drain.share"))
            continue;
        struct finding *finding =
            step_finding(step, findings, &detect_sync_drain, group->ns, step_host_certainty(step));
        if (!finding)
            continue;
        keep[g] = true;
        const char *name = profile_text(profile, group->name);
        const char *call = arena_copy(step->arena, name, api_name_length(name));
        call = text_safe(step->arena, call, strlen(call), true);
        uint32_t node = group_node(&drains, g);
        finding->place = step_node_text(step, node);
        finding->key = arena_format(step->arena, "%s@%s", call,
                                    finding->place ? finding->place : "outside ranges");
        finding->problem = arena_format(
            step->arena, "%s drains the GPU's queue%s: idle for %s %s until new work arrives", call,
            step->has_steps && group->drains > 2 * step->window_count
                ? arena_format(step->arena, " many times %s", step_unit(step))
                : "",
            step_duration(step, group->ns), step_unit(step));
        finding->recommendation =
            "Do not read results on the host in the step: keep .item(), .cpu(), print and "
            "comparisons of tensors out of it or do them every n-th step, after work for the GPU "
            "has been queued; copy to pinned memory with non_blocking=True and read later";
        finding->why = drain_why(step, group);
        finding->opens = "api";
        finding->evidence.api_name = group->name;
        if (finding->place)
            finding->evidence.node = node;
    }
    claims_take(&step->claims, keep);
}

const struct detector detect_sync_drain = {
    .id = "sync_drain",
    .title = "a synchronising call drains the queue",
    .doc = "A synchronising call or blocking copy was waiting when the GPU ran dry, in more than "
           "sync_drain.steps of the steps (no steps found: sync_drain.drains times) and for more "
           "than sync_drain.share of the step. A call that does so at sync_drain.places places or "
           "more is one finding. Bound: the idle time from there on that goes away when the host "
           "launches earlier by the time in the call.",
    .claim = sync_drain,
};
