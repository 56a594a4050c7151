// SPDX-License-Identifier: Apache-2.0
// Measures the two sides of a comparison: finds B's selection in the other profile, and the time of
// both.
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

// ---- lookup in the other profile ----------------------------------------------------------------

struct baseline_lookup {
    const struct profile *from, *to;
    bool is_there;
};

static string_id find_text(struct baseline_lookup *lookup, string_id id)
{
    if (id == STRING_NONE)
        return STRING_NONE;
    string_id found = strings_find(lookup->to->strings, profile_text(lookup->from, id));
    lookup->is_there &= found != STRING_NONE;
    return found;
}

// Finds an API call by name; either file may add a version to it.
static string_id find_api(struct baseline_lookup *lookup, string_id id)
{
    const char *name = profile_text(lookup->from, id);
    size_t length = api_name_unversioned_length(name);
    if (id == STRING_NONE || strings_find(lookup->to->strings, name) != STRING_NONE)
        return find_text(lookup, id);
    for (string_id other = STRING_NONE + 1; other < strings_count(lookup->to->strings); other++) {
        const char *text = profile_text(lookup->to, other);
        if (strncmp(text, name, length) == 0 && api_name_unversioned_length(text) == length)
            return other;
    }
    lookup->is_there = false;
    return STRING_NONE;
}

static uint32_t child_named(const struct op_tree *tree, uint32_t parent, string_id name)
{
    for (uint32_t n = parent + 1; n < tree->subtree_end[parent]; n = tree->subtree_end[n])
        if (tree->name[n] == name)
            return n;
    return ROW_NONE;
}

static uint32_t step_child(const struct op_tree *tree, uint32_t parent)
{
    for (uint32_t n = parent + 1; n < tree->subtree_end[parent]; n = tree->subtree_end[n])
        if (tree->kind[n] == NODE_STEP)
            return n;
    return ROW_NONE;
}

// Finds a child by name. A step may have another name on side A, or exist on one side only; in the
// latter case its children are looked up among its siblings.
static uint32_t find_child(const struct op_tree *tree, uint32_t parent, string_id name,
                           bool is_step)
{
    uint32_t found = name == STRING_NONE ? ROW_NONE : child_named(tree, parent, name);
    uint32_t step = step_child(tree, parent);
    if (found != ROW_NONE)
        return found;
    if (is_step)
        return step != ROW_NONE ? step : parent;
    return step != ROW_NONE && name != STRING_NONE ? child_named(tree, step, name) : ROW_NONE;
}

// Finds a node by the names on its path from the root.
static uint32_t find_node(struct baseline_lookup *lookup, const struct selection *selection,
                          uint32_t node)
{
    const struct op_tree *from = selection_tree(lookup->from, selection);
    const struct op_tree *to = selection_tree(lookup->to, selection);
    uint32_t found = 0;
    for (unsigned depth = 1; to && depth <= from->depth[node] && found != ROW_NONE; depth++) {
        uint32_t step = node;
        while (from->depth[step] > depth)
            step = from->parent[step];
        string_id name =
            strings_find(lookup->to->strings, profile_text(lookup->from, from->name[step]));
        found = find_child(to, found, name, from->kind[step] == NODE_STEP);
    }
    lookup->is_there &= to && found != ROW_NONE;
    return found;
}

static uint32_t find_function(struct baseline_lookup *lookup, uint32_t function)
{
    const struct function *function_of_b = &lookup->from->functions[function];
    string_id full =
        strings_find(lookup->to->strings, profile_text(lookup->from, function_of_b->full));
    string_id alike =
        strings_find(lookup->to->strings, profile_text(lookup->from, function_of_b->alike));
    uint32_t alike_function = ROW_NONE;
    for (uint32_t f = 0; alike != STRING_NONE && f < lookup->to->function_count; f++) {
        const struct function *other = &lookup->to->functions[f];
        if (other->kind != function_of_b->kind || other->alike != alike)
            continue;
        if (other->full == full)
            return f;
        alike_function = alike_function == ROW_NONE ? f : alike_function;
    }
    lookup->is_there &= alike_function != ROW_NONE;
    return alike_function;
}

// A full name may be spelled differently by another tool.
static string_id find_name(struct baseline_lookup *lookup, string_id name, enum name_form form)
{
    if (name == STRING_NONE || form != NAME_FULL ||
        strings_find(lookup->to->strings, profile_text(lookup->from, name)) != STRING_NONE)
        return find_text(lookup, name);
    for (uint32_t f = 0; f < lookup->from->function_count; f++)
        if (lookup->from->functions[f].full == name) {
            uint32_t found = find_function(lookup, f);
            return found == ROW_NONE ? STRING_NONE : lookup->to->functions[found].full;
        }
    return find_text(lookup, name);
}

static bool is_alike_shape(const struct launch_shape *a, const struct launch_shape *b)
{
    return memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 && a->registers == b->registers &&
           shape_shared_bytes(a) == shape_shared_bytes(b);
}

static bool is_equal_shape(const struct launch_shape *a, const struct launch_shape *b)
{
    return is_alike_shape(a, b) && a->static_shared == b->static_shared &&
           a->dynamic_shared == b->dynamic_shared &&
           a->micro_blocks_per_sm == b->micro_blocks_per_sm &&
           a->micro_occupancy == b->micro_occupancy;
}

static uint32_t find_shape(struct baseline_lookup *lookup, uint32_t shape)
{
    const struct launch_shape *shape_of_b = &lookup->from->shapes[shape];
    uint32_t alike_shape = ROW_NONE;
    for (uint32_t s = 0; s < lookup->to->shape_count; s++) {
        if (is_equal_shape(shape_of_b, &lookup->to->shapes[s]))
            return s;
        if (alike_shape == ROW_NONE && is_alike_shape(shape_of_b, &lookup->to->shapes[s]))
            alike_shape = s;
    }
    lookup->is_there &= alike_shape != ROW_NONE;
    return alike_shape;
}

static uint32_t find_op(struct baseline_lookup *lookup, uint32_t op)
{
    string_id id = find_text(lookup, lookup->from->ops->items[op].id);
    for (uint32_t o = 0; lookup->to->ops && o < lookup->to->ops->count; o++)
        if (lookup->to->ops->items[o].id == id)
            return o;
    lookup->is_there = false;
    return ROW_NONE;
}

static uint32_t find_device(struct baseline_lookup *lookup, uint32_t device)
{
    uint32_t found = profile_find_device(lookup->to, device_number(lookup->from, device));
    lookup->is_there &= found != ROW_NONE;
    return found;
}

// Finds a process by its ordinal among processes with GPU work, since pids differ between runs.
static uint32_t find_process(struct baseline_lookup *lookup, uint32_t process)
{
    uint32_t place = 0;
    if (process >= lookup->from->process_count) {
        char label[PROCESS_LABEL_SIZE];
        uint32_t group =
            profile_find_group(lookup->to, process_label(lookup->from, process, label));
        lookup->is_there &= group != ROW_NONE;
        return group;
    }
    if (lookup->from->processes[process].gpus == PROCESS_NO_GPU)
        lookup->is_there = false; // without a GPU nothing identifies it
    for (uint32_t p = 0; p < process; p++)
        place += lookup->from->processes[p].gpus != PROCESS_NO_GPU;
    for (uint32_t p = 0; p < lookup->to->process_count && lookup->is_there; p++)
        if (lookup->to->processes[p].gpus != PROCESS_NO_GPU && place-- == 0)
            return p;
    lookup->is_there = false;
    return ROW_NONE;
}

// Finds the GPU and process of a selection in the other profile.
static void find_scope(struct baseline_lookup *lookup, const struct selection *wanted,
                       struct selection *found)
{
    bool is_same = lookup->from == lookup->to;
    if (wanted->device != ROW_NONE)
        found->device = is_same ? wanted->device : find_device(lookup, wanted->device);
    if (wanted->process != ROW_NONE)
        found->process = is_same ? wanted->process : find_process(lookup, wanted->process);
}

bool baseline_has_scope(const struct baseline *baseline, const struct profile *profile,
                        const struct selection *scope)
{
    struct baseline_lookup lookup = {profile, baseline->profile, true};
    struct selection found = baseline->selection;
    if (baseline->follows_scope)
        find_scope(&lookup, scope, &found);
    return lookup.is_there;
}

// ---- one function for each field that SELECTION_FIELDS marks FIND -------------------------------

static uint32_t carry_node(struct baseline_lookup *lookup, const struct selection *wanted)
{
    return find_node(lookup, wanted, wanted->node);
}

static string_id carry_name(struct baseline_lookup *lookup, const struct selection *wanted)
{
    return find_name(lookup, wanted->name, wanted->names);
}

static uint32_t carry_function(struct baseline_lookup *lookup, const struct selection *wanted)
{
    return find_function(lookup, wanted->function);
}

static uint32_t carry_shape(struct baseline_lookup *lookup, const struct selection *wanted)
{
    return find_shape(lookup, wanted->shape);
}

static uint32_t carry_op(struct baseline_lookup *lookup, const struct selection *wanted)
{
    return find_op(lookup, wanted->op);
}

static string_id carry_api_name(struct baseline_lookup *lookup, const struct selection *wanted)
{
    return find_api(lookup, wanted->api_name);
}

static uint32_t carry_by_operator(struct baseline_lookup *lookup, const struct selection *wanted)
{
    uint32_t found =
        operator_find_alike(lookup->from, lookup->to, wanted->by_operator, wanted->operator_key);
    lookup->is_there &= found != ROW_NONE;
    return found;
}

static uint32_t carry_thread(struct baseline_lookup *lookup, const struct selection *wanted)
{
    lookup->is_there = false; // threads of another run do not match
    return wanted->thread;
}

#define CARRY_OWN(field, all)
#define CARRY_SAME(field, all) found.field = wanted->field;
#define CARRY_TEXT(field, all) \
    found.field =              \
        is_same || wanted->field == (all) ? wanted->field : find_text(&lookup, wanted->field);
#define CARRY_FIND(field, all) \
    found.field =              \
        is_same || wanted->field == (all) ? wanted->field : carry_##field(&lookup, wanted);
#define CARRY(type, field, all, carry) CARRY_##carry(field, all)

// Builds side A: B's selection in A's profile, with A's steps.
static void side_find(struct side *a, const struct side *b, const struct baseline *baseline)
{
    const struct selection *wanted = &b->selection;
    struct baseline_lookup lookup = {b->profile, baseline->profile, true};
    struct selection found = baseline->selection;
    bool is_same = lookup.from == lookup.to;
    if (is_same && found.split == wanted->split)
        found.memo = wanted->memo;
    SELECTION_FIELDS(CARRY)
    if (baseline->follows_scope)
        find_scope(&lookup, wanted, &found);
    *a = (struct side){.profile = lookup.to, .selection = found, .is_there = lookup.is_there};
}

// ---- time ---------------------------------------------------------------------------------------

static void side_measure(struct side *side, struct arena *arena)
{
    const struct profile *profile = side->profile;
    const struct selection *selection = &side->selection;
    side->is_whole = side->is_there && selection_is_unfiltered(selection) && !profile->lacks_times;
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

void compare_init(struct compared *compared, const struct profile *profile,
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
        struct sum_parts parts = selection_parts(side->profile, &side->selection);
        // If steps are no common unit, sums are per capture: the divisors exclude the steps.
        double steps = 1, captures = 1;
        if (side->selection.split->method != SPLIT_NONE)
            steps = fmax(selection_iteration_count(&side->selection), 1);
        if (!compared->unit)
            captures = steps;
        side->gpu = (int64_t)ceil(parts.gpu / captures);
        side->host = (int64_t)ceil(parts.host / captures);
        side->each = compared->unit ? (int64_t)steps : 1;
        side_measure(side, arena);
    }
}

// ---- figures ------------------------------------------------------------------------------------

int64_t rounded_part(__int128 total, int64_t parts)
{
    parts = parts > 0 ? parts : 1;
    __int128 doubled = 2 * total + parts, whole = (__int128)2 * parts;
    return (int64_t)((doubled - ((doubled % whole) + whole) % whole) / whole); // floor division
}

int64_t side_step_ns(const struct side *side)
{
    return side->is_whole && side->time.step_ns > 0 ? rounded_part(side->time.step_ns, side->gpu)
                                                    : UNKNOWN;
}

int64_t side_idle_ns(const struct side *side)
{
    if (side_step_ns(side) == UNKNOWN)
        return UNKNOWN;
    return side_step_ns(side) - rounded_part(side->time.busy_ns, side->gpu);
}

int64_t compare_noise_ns(const struct compared *compared)
{
    const struct step_statistics *a = &compared->side[SIDE_A].steps;
    const struct step_statistics *b = &compared->side[SIDE_B].steps;
    if (!compared->unit || a->count < 2 || b->count < 2)
        return 0;
    return add_saturating(a->mad_ns, b->mad_ns);
}
