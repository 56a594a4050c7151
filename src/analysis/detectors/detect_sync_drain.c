// SPDX-License-Identifier: Apache-2.0
// Detects synchronising calls that let the GPU run dry: the host waits for the GPU, so that nothing
// is queued when the GPU finishes its work.
//
// A drain is one such event: an idle interval during which the thread that launches next was still
// waiting in a call. Drains by one kind of call, from one node of the tree and one source line,
// form a group. Groups of one kind of call at many nodes or lines are reported as one finding, that
// of their root group.
#include <string.h>

#include "analysis/detect/cause_time.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "analysis/report/stats.h"
#include "analysis/sums/work_text.h"
#include "base/id_map.h"
#include "base/text/text.h"
#include "model/profile/api_name.h"
#include "model/profile/copy_kinds.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(sync_drain);

// Returns true if a call waits for earlier GPU work: synchronising calls and copies to the host
// (HOST_SYNC), and copies by a call that is not asynchronous.
static bool waits_for_gpu(const struct profile *profile, const struct host_wait *wait)
{
    return wait->activity == HOST_SYNC ||
           (wait->activity == HOST_COPY &&
            !strstr(profile_text(profile, AT(profile->api.name, wait->call)), "Async"));
}

struct drain_group {
    uint32_t node;
    string_id name;         // name of the call
    string_id line;         // source line; STRING_NONE: unknown
    bool is_one_of_several; // other groups differ only in the source line
    uint32_t drains, steps; // numbers of drains, and of windows with a drain
    uint32_t last_window;   // window + 1 of the latest drain
    uint32_t root;          // the group whose finding includes this one; usually itself
};

// The groups of a line. scan->names has, by group, the idle time from each drain to the next
// launch.
struct drains {
    struct scan *scan;
    struct id_map map;
    size_t group_count, group_capacity;
    struct drain_group *groups;
};

// Returns the call in which `thread` was waiting at time `dry`, when the GPU ran dry, or ROW_NONE.
static uint32_t find_drain(const struct drains *drains, uint32_t thread, int64_t dry)
{
    struct step_line *line = drains->scan->line;
    const struct host_line *host = driving_line(line, thread);
    const struct host_wait *wait = host ? host_line_wait(host, dry) : NULL;
    return wait && waits_for_gpu(line->profile, wait) ? wait->call : ROW_NONE;
}

static uint32_t drain_group(struct drains *drains, uint32_t call)
{
    const struct step_line *line = drains->scan->line;
    const struct profile *profile = line->profile;
    uint32_t range = range_tree_owner(profile, AT(profile->api.range, call));
    uint32_t node = selection_range_node(profile, line->selection, range);
    string_id name = AT(profile->api.name, call);
    string_id source = api_route(&profile->api, call).place;
    uint32_t *slot = id_map_slot(&drains->map, (struct id_key){name, node, source});
    if (*slot)
        return *slot - 1;
    uint32_t group = (uint32_t)drains->group_count;
    *slot = group + 1;
    ARENA_PUSH(line->scratch, drains->groups, drains->group_count, drains->group_capacity) =
        (struct drain_group){.node = node, .name = name, .line = source, .root = group};
    slot = id_map_slot(&drains->map, (struct id_key){name, node, UINT32_MAX});
    if (*slot)
        drains->groups[group].is_one_of_several = drains->groups[*slot - 1].is_one_of_several =
            true;
    *slot = group + 1;
    return group;
}

// Returns true for a copy from host to GPU. Waiting for one is no drain: the host loads a model or
// a batch and delays no other work.
static bool is_copy_in(const struct profile *profile, uint32_t work)
{
    const struct copy *copy = work != ROW_NONE ? work_copy(profile, work) : NULL;
    return copy && copy->copy_kind == COPY_HTOD;
}

// Returns the end of the idle time that an interval begins: the next step's window may begin in it.
// INT64_MIN: the interval continues such time.
static int64_t idle_until(const struct step_line *line, size_t s)
{
    const struct line_interval *idle = &line->intervals[s];
    int64_t to = idle->to;
    if (idle[-1].work == ROW_NONE && idle[-1].next == idle->next)
        return INT64_MIN;
    for (size_t n = s + 1; n < line->count && line->intervals[n].work == ROW_NONE &&
                           line->intervals[n].next == idle->next;
         n++)
        to = line->intervals[n].to;
    return to;
}

static void find_drains(struct drains *drains)
{
    enum { MIN_DRAIN_NS = 25000 }; // a shorter drain is ordinary launch latency
    struct step_line *line = drains->scan->line;
    const struct profile *profile = line->profile;
    for (size_t s = 1; s < line->count; s++) {
        const struct line_interval *idle = &line->intervals[s];
        if (idle->work != ROW_NONE || line_next_launch(line, idle) == ROW_NONE)
            continue;
        int64_t until = idle_until(line, s);
        if (until < idle->from || until - idle->from < MIN_DRAIN_NS ||
            is_copy_in(profile, line->intervals[s - 1].work))
            continue;
        uint32_t launch = line_next_launch(line, idle);
        if (AT(profile->api.start, launch) <= idle->from || until < AT(profile->api.start, launch))
            continue;
        uint32_t call = find_drain(drains, AT(profile->api.thread, launch), idle->from);
        if (call == ROW_NONE)
            continue;
        uint32_t g = drain_group(drains, call);
        struct drain_group *group = &drains->groups[g];
        group->drains++;
        group->steps += group->last_window != idle->window + 1;
        group->last_window = idle->window + 1;
        scan_list_add(drains->scan, &drains->scan->names, idle->window, g,
                      AT(profile->api.start, launch) - idle->from);
    }
}

static bool is_frequent(bool has_steps, uint32_t windows, uint32_t steps, uint32_t drains)
{
    return has_steps ? steps > expert_threshold("sync_drain.steps") * windows
                     : drains >= expert_threshold("sync_drain.drains");
}

// Gives the groups of one call a common root if the call drains the queue at many nodes or source
// lines, such as a wait after each layer. They are one problem and become one finding.
static void join_groups_of_call(struct drains *drains)
{
    const struct step_line *line = drains->scan->line;
    size_t names = strings_count(line->profile->strings);
    uint32_t *group_counts = ARENA_ARRAY(line->scratch, uint32_t, names + 1);
    uint32_t *root_of_call = ARENA_ARRAY(line->scratch, uint32_t, names + 1);
    for (size_t g = 0; g < drains->group_count; g++) {
        const struct drain_group *group = &drains->groups[g];
        group_counts[group->name] +=
            is_frequent(line->has_steps, line->window_count, group->steps, group->drains);
    }
    for (size_t g = 0; g < drains->group_count; g++) {
        struct drain_group *group = &drains->groups[g];
        if (group_counts[group->name] < expert_threshold("sync_drain.places"))
            continue;
        if (!root_of_call[group->name])
            root_of_call[group->name] = (uint32_t)g + 1;
        group->root = root_of_call[group->name] - 1;
    }
}

// Requests the idle time that would be saved without the calls: the host would launch earlier by at
// most the time it waited in them. Includes calls of a group that caused no drain.
static void request_drains(struct drains *drains)
{
    struct step_line *line = drains->scan->line;
    struct host_slack slack = {.scan = drains->scan, .is_waiting = true};
    for (uint32_t t = 0; t < line->profile->thread_count && drains->group_count; t++) {
        const struct host_line *host = driving_line(line, t);
        for (size_t i = 0; host && i < host->wait_count; i++) {
            const struct host_wait *wait = &host->waits[i];
            if (waits_for_gpu(line->profile, wait))
                slack_add(&slack, wait->start, wait->end, drain_group(drains, wait->call));
        }
    }
    join_groups_of_call(drains); // no groups are added below
    for (size_t i = 0; i < slack.count; i++)
        slack.spans[i].group = drains->groups[slack.spans[i].group].root;
    slack_request(&slack);
}

static void sync_drain_scan(struct scan *scan)
{
    struct drains *drains = scan->own = ARENA_NEW(scan->arena, struct drains);
    struct step_line *line = scan->line;
    if (line->has_untraced_work || line->profile->api.count == 0)
        return;
    struct drains found_drains = {.scan = scan, .map = {.arena = line->scratch}};
    find_drains(&found_drains);
    request_drains(&found_drains);
    drains->group_count = found_drains.group_count;
    drains->groups = ARENA_ARRAY(scan->arena, struct drain_group, found_drains.group_count + 1);
    for (size_t g = 0; g < found_drains.group_count; g++)
        drains->groups[g] = found_drains.groups[g];
}

struct drain_sum { // totals of a root group over the chosen steps
    int64_t idle_ns;
    uint32_t drains, steps;
    uint32_t last_window; // window + 1 of the latest drain
};

static struct drain_sum *sum_root_groups(const struct step *step, const struct scan *scan)
{
    const struct drains *drains = scan->own;
    struct drain_sum *sums = ARENA_ARRAY(step->scratch, struct drain_sum, drains->group_count + 1);
    for (uint32_t i = 0; scan->names.count && i < step->window_count; i++) {
        uint32_t window = step->windows[i];
        for (size_t e = scan->names.first[window]; e < scan->names.first[window + 1]; e++) {
            const struct scan_entry *entry = &scan->names.items[e];
            struct drain_sum *sum = &sums[drains->groups[entry->id].root];
            sum_add(&sum->idle_ns, entry->ns);
            sum->drains += entry->count;
            sum->steps += sum->last_window != window + 1;
            sum->last_window = window + 1;
        }
    }
    return sums;
}

// Returns the innermost node with most of the idle time of a root group.
static uint32_t group_node(const struct step *step, const struct scan *scan, uint32_t root)
{
    const struct drains *drains = scan->own;
    int64_t *sums = step_node_sums(step);
    const int64_t *ns = step_list(step, &scan->names);
    for (uint32_t g = 0; g < scan->names.ids; g++)
        if (drains->groups[g].root == root && drains->groups[g].node != ROW_NONE)
            sum_add(&sums[drains->groups[g].node], ns[g]);
    return step_place_of(step, sums);
}

// Returns the source line with more than half of the idle time of a root group, or NULL.
static const char *group_line(const struct step *step, const struct scan *scan, uint32_t root)
{
    const struct drains *drains = scan->own;
    const int64_t *ns = step_list(step, &scan->names);
    int64_t *lines = ARENA_ARRAY(step->scratch, int64_t, strings_count(step->profile->strings) + 1);
    int64_t total = 0;
    string_id best = STRING_NONE;
    for (uint32_t g = 0; g < scan->names.ids; g++) {
        const struct drain_group *group = &drains->groups[g];
        if (group->root != root)
            continue;
        sum_add(&total, ns[g]);
        sum_add(&lines[group->line], ns[g]);
        best = lines[group->line] > lines[best] ? group->line : best;
    }
    return best != STRING_NONE && lines[best] > total / 2 ? profile_text(step->profile, best)
                                                          : NULL;
}

static const char *drain_why(const struct step *step, const struct drain_sum *group)
{
    const char *often = step->has_steps ? arena_format(step->arena, "%u times, %s", group->drains,
                                                       step_hits_text(step, group->steps))
                                        : arena_format(step->arena, "%u times", group->drains);
    return arena_format(
        step->arena,
        "The call was waiting when the GPU ran dry, %s; until its thread launched again the GPU "
        "was idle for %s %s. The bound is the idle time, then and later, that goes away when "
        "the host launches earlier by what it waits in the call, up to where it waits for the GPU "
        "elsewhere",
        often, step_duration(step, group->idle_ns), step_unit(step));
}

// A wait for the whole GPU is usually deliberate, to measure time; a wait for a stream reads a
// result.
static const char *advice(const char *call)
{
    if (strstr(call, "DeviceSynchronize") || strstr(call, "CtxSynchronize"))
        return "Leave the call (torch.cuda.synchronize()) out of the step, or make it in every "
               "n-th only: to take times record CUDA events (torch.cuda.Event(enable_timing=True)) "
               "and read them later; who reads a result waits for it anyway";
    return "Do not read results on the host in the step: keep .item(), .cpu(), print and "
           "comparisons of tensors out of it or do them every n-th step, after work for the GPU "
           "has been queued; copy to pinned memory with non_blocking=True and read later";
}

static void sync_drain(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    const struct drains *drains = scan->own;
    if (drains->group_count == 0)
        return;
    const struct drain_sum *sums = sum_root_groups(step, scan);
    grants_measure(&step->grants);
    bool *keep = ARENA_ARRAY(step->scratch, bool, drains->group_count + 1);
    for (uint32_t g = 0; g < drains->group_count; g++) {
        const struct drain_sum *group = &sums[g];
        if (group->drains == 0 ||
            !is_frequent(step->has_steps, step->window_count, group->steps, group->drains) ||
            step_share(step, group->idle_ns) <= expert_threshold("sync_drain.share"))
            continue;
        int64_t gain = grants_free_in_group(&step->grants, g);
        struct finding *finding =
            step_finding(step, findings, &detect_sync_drain, gain, step_host_certainty(step));
        if (!finding)
            continue;
        keep[g] = true;
        const char *name = profile_text(profile, drains->groups[g].name);
        const char *call = arena_copy(step->arena, name, api_name_length(name));
        call = text_safe(step->arena, call, strlen(call), true);
        uint32_t node = group_node(step, scan, g);
        finding->place = step_node_text(step, node);
        finding->source = group_line(step, scan, g);
        finding->key = arena_format(step->arena, "%s@%s", call,
                                    finding->place ? finding->place : "outside ranges");
        if (drains->groups[g].is_one_of_several && drains->groups[g].line != STRING_NONE)
            finding->key = arena_format(step->arena, "%s@%s", finding->key,
                                        profile_text(profile, drains->groups[g].line));
        finding->problem = arena_format(
            step->arena, "%s drains the GPU's queue%s: idle for %s %s because of it", call,
            step->has_steps && group->drains > 2 * step->window_count
                ? arena_format(step->arena, " many times %s", step_unit(step))
                : "",
            step_duration(step, gain), step_unit(step));
        finding->recommendation = advice(call);
        finding->why = drain_why(step, group);
        finding_set_idle_evidence(finding, "cause:sync|copy");
        if (finding->place)
            finding->evidence.node = node;
    }
    grants_take(&step->grants, keep);
}

const struct detector detect_sync_drain = {
    .id = "sync_drain",
    .title = "a synchronising call drains the queue",
    .doc = "A synchronising call or blocking copy was waiting when the GPU ran dry, in more than "
           "sync_drain.steps of the steps (no steps found: sync_drain.drains times) and for more "
           "than sync_drain.share of the step. A call that does so at sync_drain.places places or "
           "more is one finding. Bound: the idle time from there on that goes away when the host "
           "launches earlier by the time in the call.",
    .needs_all_work = true,
    .scan = sync_drain_scan,
    .judge = sync_drain,
};
