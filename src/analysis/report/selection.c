// SPDX-License-Identifier: Apache-2.0
// Tests whether rows of a profile belong to a selection.
#include "analysis/report/selection.h"

#include <string.h>

#include "analysis/report/copy_ends.h"
#include "analysis/report/stats.h"
#include "model/ops/ops.h"
#include "model/profile/api_name.h"

const char *const name_form_names[NAME_FORM_COUNT] = {"family", "short", "full"};

struct selection selection_all(const struct split *split)
{
#define SELECTION_ALL(type, field, all, carry) .field = all,
    return (struct selection){.split = split, SELECTION_FIELDS(SELECTION_ALL)};
#undef SELECTION_ALL
}

bool selection_equal(const struct selection *a, const struct selection *b)
{
#define SELECTION_EQUAL(type, field, all, carry) &&a->field == b->field
    return a->split == b->split SELECTION_FIELDS(SELECTION_EQUAL) && a->baseline == b->baseline &&
           step_size_equal(&a->step_size, &b->step_size) && !a->iterations == !b->iterations &&
           (!a->iterations ||
            memcmp(a->iterations, b->iterations, a->split->count * sizeof(bool)) == 0);
#undef SELECTION_EQUAL
}

bool selection_has_iteration(const struct selection *selection, uint32_t iteration)
{
    if (!selection->iterations)
        return true;
    return iteration < selection->split->count && selection->iterations[iteration];
}

bool selection_span_iterations(const struct split *split, int64_t start, int64_t stop,
                               bool *members, struct error *error)
{
    int64_t first = split->count ? split->number[0] : 0;
    int64_t last = split->count ? split->number[split->count - 1] : -1;
    bool any = false;
    for (uint32_t i = 0; i < split->count; i++) {
        members[i] = (start == UNKNOWN || split->number[i] >= start) &&
                     (stop == UNKNOWN || split->number[i] <= stop);
        any |= members[i];
    }
    bool is_valid_start = start == UNKNOWN || (start >= first && start <= last);
    bool is_valid_stop = stop == UNKNOWN || (stop >= first && stop <= last);
    if (any && is_valid_start && is_valid_stop)
        return true;
    return error_set(error, ERROR_USAGE, "--iter_%s: no iteration %lld; there are %u, %lld to %lld",
                     is_valid_start && !is_valid_stop ? "stop" : "start",
                     (long long)(is_valid_start && !is_valid_stop ? stop : start), split->count,
                     (long long)first, (long long)last);
}

uint32_t selection_iteration_count(const struct selection *selection)
{
    if (!selection->iterations)
        return selection->split->count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < selection->split->count; i++)
        count += selection->iterations[i];
    return count;
}

uint32_t selection_first_iteration(const struct selection *selection)
{
    for (uint32_t i = 0; i < selection->split->count; i++)
        if (selection_has_iteration(selection, i))
            return i;
    return ROW_NONE;
}

uint32_t selection_last_iteration(const struct selection *selection)
{
    for (uint32_t i = selection->split->count; i-- > 0;)
        if (selection_has_iteration(selection, i))
            return i;
    return ROW_NONE;
}

const struct op_tree *selection_tree(const struct profile *profile,
                                     const struct selection *selection)
{
    return selection->is_folded ? profile->folded_tree : profile->tree;
}

// Rows refer to nodes of the unfolded tree. Returns the node in the tree of the selection.
static uint32_t node_in_tree(const struct profile *profile, const struct selection *selection,
                             uint32_t node)
{
    if (node == ROW_NONE || !selection->is_folded)
        return node;
    return profile->tree->folded[node];
}

uint32_t selection_work_node(const struct profile *profile, const struct selection *selection,
                             uint32_t work)
{
    uint32_t node = AT(profile->work.node, work);
    if (!selection->adoption && AT(profile->work.flags, work) & WORK_ADOPTED)
        node = profile->tree->outside;
    return node_in_tree(profile, selection, node);
}

uint32_t selection_range_node(const struct profile *profile, const struct selection *selection,
                              uint32_t range)
{
    return range == ROW_NONE ? ROW_NONE
                             : node_in_tree(profile, selection, AT(profile->ranges.node, range));
}

uint32_t selection_forward_node(const struct profile *profile, const struct selection *selection,
                                uint32_t work)
{
    struct column32 forward = profile->work.forward_node;
    return HAS(forward) ? node_in_tree(profile, selection, AT(forward, work)) : ROW_NONE;
}

uint32_t selection_layer_node(const struct profile *profile, const struct selection *selection,
                              uint32_t work)
{
    uint32_t forward = selection_forward_node(profile, selection, work);
    return forward != ROW_NONE ? forward : selection_work_node(profile, selection, work);
}

uint32_t range_tree_owner(const struct profile *profile, uint32_t range)
{
    while (range != ROW_NONE && AT(profile->ranges.node, range) == ROW_NONE)
        range = AT(profile->ranges.parent, range);
    return range;
}

uint32_t selection_api_node(const struct profile *profile, const struct selection *selection,
                            uint32_t api)
{
    const struct api_calls *calls = &profile->api;
    uint32_t first = HAS(calls->first_work) ? AT(calls->first_work, api) : 0;
    uint32_t work = HAS(calls->first_work) && first < AT(calls->first_work, api + 1)
                        ? AT(calls->work_rows, first)
                        : ROW_NONE;
    bool is_adopted = work != ROW_NONE && AT(profile->work.flags, work) & WORK_ADOPTED;
    uint32_t range = range_tree_owner(profile, AT(calls->range, api));
    if (is_adopted && (range == ROW_NONE || !selection->adoption))
        return selection_work_node(profile, selection, work);
    return range != ROW_NONE ? selection_range_node(profile, selection, range)
                             : node_in_tree(profile, selection, profile->tree->outside);
}

string_id selection_name(const struct profile *profile, const struct selection *selection,
                         uint32_t function)
{
    const struct function *f = &profile->functions[function];
    switch (selection->names) {
    case NAME_SHORT:
        return f->brief != STRING_NONE ? f->brief : f->full;
    case NAME_FULL:
        return f->full;
    default:
        return f->family;
    }
}

static bool node_is_selected(const struct profile *profile, const struct selection *selection,
                             uint32_t node)
{
    if (selection->node == ROW_NONE)
        return true;
    const struct op_tree *tree = selection_tree(profile, selection);
    return node != ROW_NONE && node >= selection->node && node < tree->subtree_end[selection->node];
}

static bool op_is_selected(const struct profile *profile, const struct selection *selection,
                           uint32_t op)
{
    return (selection->op == ROW_NONE || op == selection->op) &&
           (selection->op_type == STRING_NONE ||
            profile->ops->items[op].type == selection->op_type);
}

static bool selects_ops(const struct selection *selection)
{
    return selection->op != ROW_NONE || selection->op_type != STRING_NONE;
}

static bool call_is_of_line(const struct profile *profile, const struct selection *selection,
                            uint32_t call)
{
    return HAS(profile->api.route) && call != ROW_NONE &&
           api_route(&profile->api, call).place == selection->line;
}

// `range` is the operator that launched the row, or ROW_NONE.
static bool operator_is_selected(const struct profile *profile, const struct selection *selection,
                                 uint32_t range)
{
    return range != ROW_NONE && operators_alike(profile, AT(profile->ranges.label, range),
                                                selection->by_operator, selection->operator_key);
}

// Returns true if the call that launched the work is selected by thread and name.
static bool launch_is_selected(const struct profile *profile, const struct selection *selection,
                               uint32_t work)
{
    const struct api_calls *calls = &profile->api;
    uint32_t call = HAS(profile->work.launch) ? AT(profile->work.launch, work) : ROW_NONE;
    return call != ROW_NONE &&
           (selection->thread == ROW_NONE || AT(calls->thread, call) == selection->thread) &&
           (selection->api_name == STRING_NONE ||
            api_names_equal(profile, AT(calls->name, call), selection->api_name));
}

bool selection_has_work(const struct profile *profile, const struct selection *selection,
                        uint32_t work)
{
    const struct gpu_work *rows = &profile->work;
    if (selection->iterations &&
        !selection_has_iteration(selection, selection->split->of_work[work]))
        return false;
    // tested first, because a name excludes most rows
    if (selection->name != STRING_NONE &&
        selection_name(profile, selection, AT(rows->function, work)) != selection->name)
        return false;
    if (selection->function != ROW_NONE && AT(rows->function, work) != selection->function)
        return false;
    if (selection->process != ROW_NONE &&
        !process_is_selected(profile, selection->process, work_process(profile, work)))
        return false;
    if (selection->device != ROW_NONE && work_device(profile, work) != selection->device)
        return false;
    if (selection->shape != ROW_NONE &&
        work_launch_shape(profile, work) != &profile->shapes[selection->shape])
        return false;
    if (selects_ops(selection) &&
        (!HAS(rows->instance) ||
         !op_is_selected(profile, selection, AT(profile->ops->op, AT(rows->instance, work)))))
        return false;
    if (selection->line != STRING_NONE &&
        (!HAS(rows->launch) || !call_is_of_line(profile, selection, AT(rows->launch, work))))
        return false;
    if (selection->by_operator != ROW_NONE &&
        !operator_is_selected(profile, selection, operator_of_work(profile, work)))
        return false;
    if (selection->copies != ROW_NONE && !copy_part_matches(profile, work, selection->copies))
        return false;
    if ((selection->thread != ROW_NONE || selection->api_name != STRING_NONE) &&
        !launch_is_selected(profile, selection, work))
        return false;
    if (selection->node == ROW_NONE)
        return true;
    return node_is_selected(profile, selection,
                            selection->with_backward
                                ? selection_layer_node(profile, selection, work)
                                : selection_work_node(profile, selection, work));
}

int64_t selection_backward_ns(const struct profile *profile, const struct selection *selection)
{
    struct selection with = *selection, without = *selection;
    const struct gpu_work *work = &profile->work;
    int64_t sum = 0;
    with.with_backward = true;
    without.with_backward = false;
    for (uint32_t w = 0; selection->node != ROW_NONE && HAS(work->forward_node) && w < work->count;
         w++)
        if (AT(work->forward_node, w) != ROW_NONE && selection_has_work(profile, &with, w) &&
            !selection_has_work(profile, &without, w))
            sum_add(&sum, work_duration(profile, w));
    return sum;
}

static bool thread_is_selected(const struct profile *profile, const struct selection *selection,
                               uint32_t thread)
{
    return selection->process == ROW_NONE ||
           (thread != ROW_NONE &&
            process_is_selected(profile, selection->process, profile->threads[thread].process));
}

// The host's time counts for the GPUs that its process works on.
static bool thread_serves_device(const struct profile *profile, const struct selection *selection,
                                 uint32_t thread)
{
    if (selection->device == ROW_NONE || thread == ROW_NONE)
        return selection->device == ROW_NONE;
    const struct process *process = &profile->processes[profile->threads[thread].process];
    return process->gpus > PROCESS_ONE_GPU ||
           (process->gpus == PROCESS_ONE_GPU && process->device == selection->device);
}

// In a process with several GPUs, a call that launched work counts for the GPUs of that work.
static bool api_serves_device(const struct profile *profile, const struct selection *selection,
                              uint32_t api)
{
    const struct api_calls *calls = &profile->api;
    if (!thread_serves_device(profile, selection, AT(calls->thread, api)))
        return false;
    if (selection->device == ROW_NONE || !HAS(calls->first_work))
        return true;
    uint32_t i = AT(calls->first_work, api), end = AT(calls->first_work, api + 1);
    bool has_work = i < end;
    for (; i < end; i++)
        if (work_device(profile, AT(calls->work_rows, i)) == selection->device)
            return true;
    return !has_work;
}

bool selection_has_instance(const struct profile *profile, const struct selection *selection,
                            uint32_t instance)
{
    const struct ops *ops = profile->ops;
    if (selection->iterations &&
        !selection_has_iteration(selection, selection->split->of_instance[instance]))
        return false;
    if (!op_is_selected(profile, selection, AT(ops->op, instance)))
        return false;
    if (!thread_is_selected(profile, selection, AT(ops->thread, instance)))
        return false;
    if (selection->device == ROW_NONE)
        return true;
    // Host work counts for a GPU if the op run launched something there.
    struct row_span span = op_work(ops, instance);
    for (uint32_t i = span.first; i < span.end; i++)
        if (work_device(profile, AT(ops->work_rows, i)) == selection->device)
            return true;
    return false;
}

bool selection_has_range(const struct profile *profile, const struct selection *selection,
                         uint32_t range)
{
    const struct ranges *ranges = &profile->ranges;
    uint32_t thread = range_thread(ranges, range);
    if (!thread_is_selected(profile, selection, thread) ||
        !thread_serves_device(profile, selection, thread))
        return false;
    if (selection->iterations &&
        !selection_has_iteration(
            selection,
            split_at(selection->split, profile->threads[thread].process, AT(ranges->start, range))))
        return false;
    if (selection->range_name != STRING_NONE && range_name(ranges, range) != selection->range_name)
        return false;
    return selection->node == ROW_NONE ||
           node_is_selected(profile, selection, selection_range_node(profile, selection, range));
}

bool selection_has_api(const struct profile *profile, const struct selection *selection,
                       uint32_t api)
{
    const struct api_calls *calls = &profile->api;
    uint32_t thread = AT(calls->thread, api);
    if (!thread_is_selected(profile, selection, thread) ||
        !api_serves_device(profile, selection, api))
        return false;
    if (selection->iterations &&
        !selection_has_iteration(
            selection,
            split_at(selection->split, profile->threads[thread].process, AT(calls->start, api))))
        return false;
    if (selection->thread != ROW_NONE && thread != selection->thread)
        return false;
    if (selection->line != STRING_NONE && !call_is_of_line(profile, selection, api))
        return false;
    if (selection->by_operator != ROW_NONE &&
        !operator_is_selected(profile, selection, operator_of_call(profile, api)))
        return false;
    if (selection->api_name != STRING_NONE &&
        !api_names_equal(profile, AT(calls->name, api), selection->api_name))
        return false;
    if (selects_ops(selection) &&
        (!HAS(calls->instance) ||
         !op_is_selected(profile, selection, AT(profile->ops->op, AT(calls->instance, api)))))
        return false;
    return selection->node == ROW_NONE ||
           node_is_selected(profile, selection, selection_api_node(profile, selection, api));
}
