// SPDX-License-Identifier: Apache-2.0
// The two sides of a comparison: what is looked at, found again in the other profile, and its time.
#include <math.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/compare/compare.h"
#include "analysis/report/memo.h"
#include "analysis/report/stats.h"
#include "analysis/sums/work_text.h"
#include "model/ops/ops.h"
#include "model/profile/api_name.h"
#include "model/profile/ranks.h"

// ---- the same thing in another profile ---------------------------------------------------------

struct finding_again {
    const struct profile *from, *to;
    bool is_there;
};

static string_id text_again(struct finding_again *again, string_id id)
{
    if (id == STRING_NONE)
        return STRING_NONE;
    string_id found = strings_find(again->to->strings, profile_text(again->from, id));
    again->is_there &= found != STRING_NONE;
    return found;
}

// Of a call that either file may tell with a version.
static string_id api_again(struct finding_again *again, string_id id)
{
    const char *name = profile_text(again->from, id);
    size_t length = api_name_bare_length(name);
    if (id == STRING_NONE || strings_find(again->to->strings, name) != STRING_NONE)
        return text_again(again, id);
    for (string_id other = STRING_NONE + 1; other < strings_count(again->to->strings); other++) {
        const char *text = profile_text(again->to, other);
        if (strncmp(text, name, length) == 0 && api_name_bare_length(text) == length)
            return other;
    }
    again->is_there = false;
    return STRING_NONE;
}

static uint32_t child_named(const struct op_tree *tree, uint32_t parent, string_id name)
{
    for (uint32_t n = parent + 1; n < tree->subtree_end[parent]; n = tree->subtree_end[n])
        if (tree->name[n] == name)
            return n;
    return ROW_NONE;
}

static uint32_t child_step(const struct op_tree *tree, uint32_t parent)
{
    for (uint32_t n = parent + 1; n < tree->subtree_end[parent]; n = tree->subtree_end[n])
        if (tree->kind[n] == NODE_STEP)
            return n;
    return ROW_NONE;
}

// A step may be called otherwise there, or be there or here alone: what is in it is then looked for
// as if it lay beside it.
static uint32_t child_again(const struct op_tree *tree, uint32_t parent, string_id name,
                            bool is_step)
{
    uint32_t found = name == STRING_NONE ? ROW_NONE : child_named(tree, parent, name);
    uint32_t step = child_step(tree, parent);
    if (found != ROW_NONE)
        return found;
    if (is_step)
        return step != ROW_NONE ? step : parent;
    return step != ROW_NONE && name != STRING_NONE ? child_named(tree, step, name) : ROW_NONE;
}

// By the names from the root on.
static uint32_t node_again(struct finding_again *again, const struct selection *selection,
                           uint32_t node)
{
    const struct op_tree *from = selection_tree(again->from, selection);
    const struct op_tree *to = selection_tree(again->to, selection);
    uint32_t found = 0;
    for (unsigned depth = 1; to && depth <= from->depth[node] && found != ROW_NONE; depth++) {
        uint32_t step = node;
        while (from->depth[step] > depth)
            step = from->parent[step];
        string_id name =
            strings_find(again->to->strings, profile_text(again->from, from->name[step]));
        found = child_again(to, found, name, from->kind[step] == NODE_STEP);
    }
    again->is_there &= to && found != ROW_NONE;
    return found;
}

static uint32_t function_again(struct finding_again *again, uint32_t function)
{
    const struct function *wanted = &again->from->functions[function];
    string_id full = strings_find(again->to->strings, profile_text(again->from, wanted->full));
    string_id alike = strings_find(again->to->strings, profile_text(again->from, wanted->alike));
    uint32_t found = ROW_NONE;
    for (uint32_t f = 0; alike != STRING_NONE && f < again->to->function_count; f++) {
        const struct function *other = &again->to->functions[f];
        if (other->kind != wanted->kind || other->alike != alike)
            continue;
        if (other->full == full)
            return f;
        found = found == ROW_NONE ? f : found;
    }
    again->is_there &= found != ROW_NONE;
    return found;
}

// In the form of full names another tool spells it differently.
static string_id name_again(struct finding_again *again, string_id name, enum name_form form)
{
    if (name == STRING_NONE || form != NAME_FULL ||
        strings_find(again->to->strings, profile_text(again->from, name)) != STRING_NONE)
        return text_again(again, name);
    for (uint32_t f = 0; f < again->from->function_count; f++)
        if (again->from->functions[f].full == name) {
            uint32_t found = function_again(again, f);
            return found == ROW_NONE ? STRING_NONE : again->to->functions[found].full;
        }
    return text_again(again, name);
}

static bool is_alike(const struct launch_shape *a, const struct launch_shape *b)
{
    return memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 && a->registers == b->registers &&
           shape_shared_bytes(a) == shape_shared_bytes(b);
}

static bool is_equal(const struct launch_shape *a, const struct launch_shape *b)
{
    return is_alike(a, b) && a->static_shared == b->static_shared &&
           a->dynamic_shared == b->dynamic_shared &&
           a->micro_blocks_per_sm == b->micro_blocks_per_sm &&
           a->micro_occupancy == b->micro_occupancy;
}

static uint32_t shape_again(struct finding_again *again, uint32_t shape)
{
    const struct launch_shape *wanted = &again->from->shapes[shape];
    uint32_t found = ROW_NONE;
    for (uint32_t s = 0; s < again->to->shape_count; s++) {
        if (is_equal(wanted, &again->to->shapes[s]))
            return s;
        if (found == ROW_NONE && is_alike(wanted, &again->to->shapes[s]))
            found = s;
    }
    again->is_there &= found != ROW_NONE;
    return found;
}

static uint32_t op_again(struct finding_again *again, uint32_t op)
{
    string_id id = text_again(again, again->from->ops->items[op].id);
    for (uint32_t o = 0; again->to->ops && o < again->to->ops->count; o++)
        if (again->to->ops->items[o].id == id)
            return o;
    again->is_there = false;
    return ROW_NONE;
}

static uint32_t device_again(struct finding_again *again, uint32_t device)
{
    uint32_t found = profile_find_device(again->to, device_number(again->from, device));
    again->is_there &= found != ROW_NONE;
    return found;
}

// Process ids tell nothing of another run: the n-th process with GPU work is the n-th there.
static uint32_t process_again(struct finding_again *again, uint32_t process)
{
    uint32_t place = 0;
    if (process >= again->from->process_count) {
        char label[PROCESS_LABEL_SIZE];
        uint32_t group = profile_find_group(again->to, process_label(again->from, process, label));
        again->is_there &= group != ROW_NONE;
        return group;
    }
    if (again->from->processes[process].gpus == PROCESS_NO_GPU)
        again->is_there = false; // nothing tells which it would be
    for (uint32_t p = 0; p < process; p++)
        place += again->from->processes[p].gpus != PROCESS_NO_GPU;
    for (uint32_t p = 0; p < again->to->process_count && again->is_there; p++)
        if (again->to->processes[p].gpus != PROCESS_NO_GPU && place-- == 0)
            return p;
    again->is_there = false;
    return ROW_NONE;
}

// GPU and process of a selection, in the other profile.
static void scope_again(struct finding_again *again, const struct selection *wanted,
                        struct selection *found)
{
    bool is_same = again->from == again->to;
    if (wanted->device != ROW_NONE)
        found->device = is_same ? wanted->device : device_again(again, wanted->device);
    if (wanted->process != ROW_NONE)
        found->process = is_same ? wanted->process : process_again(again, wanted->process);
}

bool baseline_has_scope(const struct baseline *baseline, const struct profile *profile,
                        const struct selection *scope)
{
    struct finding_again again = {profile, baseline->profile, true};
    struct selection found = baseline->selection;
    if (baseline->follows_scope)
        scope_again(&again, scope, &found);
    return again.is_there;
}

// What side B looks at in its profile, with the steps of side A.
static void side_find(struct side *a, const struct side *b, const struct baseline *baseline)
{
    const struct selection *wanted = &b->selection;
    struct finding_again again = {b->profile, baseline->profile, true};
    struct selection found = baseline->selection;
    bool is_same = again.from == again.to;
    if (is_same && found.split == wanted->split)
        found.memo = wanted->memo;
    found.with_backward = wanted->with_backward;
    found.is_folded = wanted->is_folded;
    found.adoption = wanted->adoption;
    found.names = wanted->names;
    found.name = is_same ? wanted->name : name_again(&again, wanted->name, wanted->names);
    found.op_type = is_same ? wanted->op_type : text_again(&again, wanted->op_type);
    found.api_name = is_same ? wanted->api_name : api_again(&again, wanted->api_name);
    found.range_name = is_same ? wanted->range_name : text_again(&again, wanted->range_name);
    found.line = is_same ? wanted->line : text_again(&again, wanted->line);
    found.copies = wanted->copies;
    found.memory = wanted->memory;
    found.thread = wanted->thread;
    again.is_there &= is_same || wanted->thread == ROW_NONE; // another run has other threads
    found.idle_cause = wanted->idle_cause;
    found.node = wanted->node;
    found.function = wanted->function;
    found.shape = wanted->shape;
    found.op = wanted->op;
    if (!is_same && wanted->node != ROW_NONE)
        found.node = node_again(&again, wanted, wanted->node);
    if (!is_same && wanted->function != ROW_NONE)
        found.function = function_again(&again, wanted->function);
    if (!is_same && wanted->shape != ROW_NONE)
        found.shape = shape_again(&again, wanted->shape);
    if (!is_same && wanted->op != ROW_NONE)
        found.op = op_again(&again, wanted->op);
    found.operator_key = wanted->operator_key;
    found.by_operator = wanted->by_operator;
    if (!is_same && wanted->by_operator != ROW_NONE) {
        found.by_operator =
            operator_again(again.from, again.to, wanted->by_operator, wanted->operator_key);
        again.is_there &= found.by_operator != ROW_NONE;
    }
    if (baseline->follows_scope)
        scope_again(&again, wanted, &found);
    *a = (struct side){.profile = again.to, .selection = found, .is_there = again.is_there};
}

// ---- its time ----------------------------------------------------------------------------------

static void side_measure(struct side *side, struct arena *arena)
{
    const struct profile *profile = side->profile;
    const struct selection *selection = &side->selection;
    side->is_whole = side->is_there && selection_is_wide(selection) && !profile->lacks_times;
    if (!side->is_whole)
        return;
    const struct breakdown *devices = breakdown_devices(profile, selection, &breakdown_gpu, arena);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        sum_add(&side->time.step_ns, devices[d].window_ns);
        sum_add(&side->time.busy_ns, breakdown_busy_ns(&devices[d]));
    }
    if (selection->split->method == SPLIT_NONE)
        return;
    const struct breakdown *steps = breakdown_iterations(profile, selection, &breakdown_gpu, arena);
    side->steps = step_statistics_of(step_durations(selection->split, steps, arena),
                                     selection->iterations, selection->split->count, arena);
}

const char *compare_unit(const struct split *a, const struct split *b)
{
    if (a->method == SPLIT_NONE || b->method == SPLIT_NONE)
        return NULL;
    const char *one = split_words_of(b)->one;
    return strcmp(one, split_words_of(a)->one) == 0 ? one : "iteration";
}

void compare_make(struct compared *compared, const struct profile *profile,
                  const struct selection *selection, struct arena *arena)
{
    struct side *a = &compared->side[SIDE_A], *b = &compared->side[SIDE_B];
    *compared = (struct compared){0};
    *b = (struct side){.profile = profile, .selection = *selection, .is_there = true};
    b->selection.baseline = NULL;
    side_find(a, b, selection->baseline);
    compared->unit = compare_unit(a->selection.split, b->selection.split);
    for (int s = 0; s < SIDES; s++) {
        struct side *side = &compared->side[s];
        struct parts parts = selection_parts(side->profile, &side->selection);
        double steps = 1, captures = 1; // of what sums are the whole, where steps are no unit
        if (side->selection.split->method != SPLIT_NONE)
            steps = fmax(selection_count(&side->selection), 1);
        if (!compared->unit)
            captures = steps;
        side->gpu = (int64_t)(parts.gpu / captures);
        side->host = (int64_t)(parts.host / captures);
        side->each = compared->unit ? (int64_t)steps : 1;
        side_measure(side, arena);
    }
}

// ---- its figures -------------------------------------------------------------------------------

int64_t part_of_total(__int128 total, int64_t parts)
{
    parts = parts > 0 ? parts : 1;
    __int128 doubled = 2 * total + parts, whole = (__int128)2 * parts;
    return (int64_t)((doubled - ((doubled % whole) + whole) % whole) / whole); // rounded down
}

int64_t side_step_ns(const struct side *side)
{
    return side->is_whole && side->time.step_ns > 0 ? part_of_total(side->time.step_ns, side->gpu)
                                                    : UNKNOWN;
}

int64_t side_idle_ns(const struct side *side)
{
    if (side_step_ns(side) == UNKNOWN)
        return UNKNOWN;
    return side_step_ns(side) - part_of_total(side->time.busy_ns, side->gpu);
}

int64_t compare_noise_ns(const struct compared *compared)
{
    const struct step_statistics *a = &compared->side[SIDE_A].steps;
    const struct step_statistics *b = &compared->side[SIDE_B].steps;
    if (!compared->unit || a->count < 2 || b->count < 2)
        return 0;
    return sum_capped(a->mad_ns, b->mad_ns);
}
