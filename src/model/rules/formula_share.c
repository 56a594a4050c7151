// SPDX-License-Identifier: Apache-2.0
// Assigns the kernels that one op run launches to the parts of its formula.
//
// Terms:
// - part: one operation of a formula, which one kernel computes, such as the gradient of the input;
// - role: what a kernel computes, as the rules recognize it by the words of its name;
// - helper: a kernel that only prepares data for another one; no part is assigned to it;
// - trial: a kernel launched only to find the fastest algorithm (autotuning).
//
// A part has a role and possibly another one as second choice. First each part gets kernels with
// its role, then the parts without a kernel get kernels with their other role, then parts for any
// role get the rest. Of too many kernels the last ones (if the role has trials) or the longest ones
// are used.
#include "model/rules/formula_share.h"

#include <math.h>

// ---- gradients of a convolution ----------------------------------------------------------------

static bool is_of_convolution(const struct formula_assignment *assignment, uint32_t kernel)
{
    uint32_t function = assignment->question->functions[kernel];
    return (formula_roles(assignment->desk, function) & assignment->desk->rules->convolution) &&
           !formula_is_helper(assignment->desk, function);
}

// Returns whether some kernels of a convolution are trials: there are more kernels than parts, and
// no part is computed by several kernels, one per group of channels (part.split).
static bool has_trials(const struct formula_assignment *assignment, const struct formula_case *c)
{
    uint32_t kernels = 0, parts = 0;
    for (uint32_t k = 0; k < assignment->question->kernel_count; k++)
        kernels += is_of_convolution(assignment, k);
    for (size_t p = 0; p < assignment->part_count; p++) {
        const struct formula_part *part = &assignment->parts[p];
        if (part->split && formula_evaluate(part->split, &c->scope) > 1)
            return false;
        parts += !part->is_side_work;
    }
    return kernels > parts;
}

static bool has_part_of_weights(const struct formula_assignment *assignment)
{
    for (size_t p = 0; p < assignment->part_count; p++)
        if (assignment->parts[p].role >= 0 &&
            assignment->desk->rules->wgrad >> assignment->parts[p].role & 1)
            return true;
    return false;
}

// Finds which kernels compute the gradient of the weights. Backward computes the gradient of the
// input first, then the gradient of the weights, each after its trials. With trials, the first
// kernel whose name says "weights" therefore separates the two; it may be a helper of a kernel
// without such a name. Without trials, only the kernel of this helper computes the weights.
static void find_weights(struct formula_assignment *assignment, const struct formula_case *c)
{
    const struct formula_rules *rules = assignment->desk->rules;
    const struct formula_query *question = assignment->question;
    uint32_t count = question->kernel_count;
    uint32_t work = count; // the last kernel that is no helper; count: none yet
    assignment->weights_from = assignment->weights_to = count;
    if (!has_part_of_weights(assignment))
        return;
    bool autotuned = has_trials(assignment, c);
    for (uint32_t k = 0; k < count && assignment->weights_from == count; k++) {
        uint32_t roles = formula_roles(assignment->desk, question->functions[k]);
        bool is_work = is_of_convolution(assignment, k);
        if (roles & rules->wgrad && (autotuned || !is_work))
            assignment->weights_from = roles & rules->closing && work < count ? work : k;
        work = is_work ? k : work;
    }
    if (autotuned && assignment->weights_from < count)
        assignment->input_to = assignment->weights_from;
    if (autotuned || assignment->weights_from == count)
        return; // up to the last kernel, or none
    while (assignment->weights_from < count &&
           !is_of_convolution(assignment, assignment->weights_from))
        assignment->weights_from++;
    assignment->weights_to =
        assignment->weights_from < count ? assignment->weights_from + 1 : count;
}

// Returns the roles by name, or for an unnamed convolution kernel by its position.
static uint32_t roles_of(const struct formula_assignment *assignment, uint32_t kernel)
{
    const struct formula_rules *rules = assignment->desk->rules;
    uint32_t roles = formula_roles(assignment->desk, assignment->question->functions[kernel]);
    bool is_unnamed = (roles & rules->convolution) == rules->conv;
    if (!is_unnamed)
        return roles;
    bool is_of_weights = kernel >= assignment->weights_from && kernel < assignment->weights_to;
    return roles | (is_of_weights                   ? rules->wgrad
                    : kernel < assignment->input_to ? rules->dgrad
                                                    : 0);
}

// ---- kernels and parts -------------------------------------------------------------------------

// Returns whether a kernel can be assigned to a part with the role. A helper can only if the role
// is one of rules->columns.
static bool has_role(const struct formula_assignment *assignment, uint32_t kernel, int role)
{
    uint32_t function = assignment->question->functions[kernel];
    uint32_t roles = roles_of(assignment, kernel);
    uint32_t matching = role == ROLE_ANY ? 0 : roles & 1U << role;
    if (formula_is_helper(assignment->desk, function))
        return (matching & assignment->desk->rules->columns) != 0;
    return role == ROLE_ANY || matching != 0;
}

// Returns whether another part has this kernel's role as its first choice.
static bool is_wanted_elsewhere(const struct formula_assignment *assignment, uint32_t kernel,
                                int role)
{
    for (size_t p = 0; p < assignment->part_count; p++)
        if (assignment->parts[p].role != ROLE_ANY && assignment->parts[p].role != role &&
            has_role(assignment, kernel, assignment->parts[p].role))
            return true;
    return false;
}

// Keeps the `wanted` kernels with the longest durations, in launch order. Of two equal ones the
// earlier is kept.
static void select_longest(const struct formula_assignment *assignment, uint32_t *kernels,
                           uint32_t count, uint32_t wanted)
{
    const double *durations = assignment->question->durations;
    uint32_t chosen[FORMULA_PARTS] = {0}; // indices, ascending
    if (!durations || count <= wanted || wanted > FORMULA_PARTS)
        return;
    for (uint32_t found = 0; found < wanted; found++) {
        uint32_t longest = count, at = found, passed = 0;
        for (uint32_t i = 0; i < count; i++) {
            bool is_chosen = passed < found && chosen[passed] == i;
            passed += is_chosen;
            if (!is_chosen &&
                (longest == count || durations[kernels[i]] > durations[kernels[longest]]))
                longest = i;
        }
        for (; at > 0 && chosen[at - 1] > longest; at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = longest;
    }
    for (uint32_t i = 0; i < wanted; i++)
        kernels[i] = kernels[chosen[i]];
}

// Drops kernels that clear, copy or sort, unless there are no others. Returns the number kept.
static uint32_t without_auxiliary(const struct formula_assignment *assignment, uint32_t *kernels,
                                  uint32_t count)
{
    uint32_t auxiliary = assignment->desk->rules->aside, left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!(formula_roles(assignment->desk, assignment->question->functions[kernels[i]]) &
              auxiliary))
            kernels[left++] = kernels[i];
    return left > 0 ? left : count;
}

// Lists the unassigned kernels that have the role, in launch order.
static uint32_t candidates(const struct formula_assignment *assignment, int role, bool is_second,
                           uint32_t *kernels)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < assignment->question->kernel_count; k++)
        if (assignment->part_of[k] == FORMULA_NO_PART && has_role(assignment, k, role) &&
            !(is_second && is_wanted_elsewhere(assignment, k, role)))
            kernels[count++] = k;
    return role == ROLE_ANY ? without_auxiliary(assignment, kernels, count) : count;
}

// Assigns kernels with a role to the parts without kernels whose role (`is_second`: other_role) it
// is. If there are more kernels than parts need, the last ones are assigned if the role has trials,
// since the trials precede them, and otherwise the longest ones. A part needs one kernel, or as
// many as its `split` says (one per group of a convolution; 0: all).
static void assign_role(struct formula_assignment *assignment, const struct formula_case *c,
                        int role, bool is_second, uint32_t *kernels)
{
    size_t parts[FORMULA_PARTS], part_count = 0;
    for (size_t p = 0; p < assignment->part_count; p++) {
        const struct formula_part *part = &assignment->parts[p];
        if (assignment->assigned[p] == 0 && (is_second ? part->other_role : part->role) == role)
            parts[part_count++] = p;
    }
    uint32_t count = candidates(assignment, role, is_second, kernels);
    if (part_count == 0 || count == 0)
        return;
    const struct formula_part *first = &assignment->parts[parts[0]];
    double split = first->split ? formula_evaluate(first->split, &c->scope) : (double)NAN;
    uint32_t kernels_per_part = 1;
    if (part_count == 1 && split > 1 && split <= count && fmod(count, split) == 0)
        kernels_per_part = (uint32_t)split;
    if (part_count == 1 && split == 0) // all kernels
        kernels_per_part = count;
    uint32_t wanted = (uint32_t)part_count * kernels_per_part;
    bool is_tried = role != ROLE_ANY && (assignment->desk->rules->tried >> role & 1);
    uint32_t from = (is_tried || first->is_side_work) && count > wanted ? count - wanted : 0;
    assignment->is_autotuned |= from > 0 && !first->is_side_work;
    if (from == 0)
        select_longest(assignment, kernels, count, wanted);
    for (size_t p = 0; is_second && count < part_count && p < part_count; p++)
        assignment->unsure |= 1U << parts[p];
    for (uint32_t i = 0; i < wanted && from + i < count; i++) {
        size_t p = parts[i / kernels_per_part];
        assignment->part_of[kernels[from + i]] = (int)p;
        assignment->assigned[p]++;
    }
}

static bool has_any(const struct formula_assignment *assignment)
{
    for (size_t p = 0; p < assignment->part_count; p++)
        if (assignment->assigned[p] > 0)
            return true;
    return false;
}

// Used if no kernel has a role: assigns the longest kernels that are no helpers.
static void assign_by_duration(struct formula_assignment *assignment, uint32_t *kernels)
{
    uint32_t count = candidates(assignment, ROLE_ANY, false, kernels), wanted = 0;
    while (wanted < assignment->part_count && !assignment->parts[wanted].is_side_work)
        wanted++;
    select_longest(assignment, kernels, count, wanted);
    for (uint32_t i = 0; i < count && i < wanted; i++) {
        assignment->part_of[kernels[i]] = (int)i;
        assignment->assigned[i]++;
    }
}

void formula_assign_kernels(struct formula_assignment *assignment, const struct formula_case *c)
{
    uint32_t *kernels = ARENA_ARRAY(c->arena, uint32_t, assignment->question->kernel_count + 1);
    find_weights(assignment, c);
    for (int pass = 0; pass < 2; pass++)
        for (size_t p = 0; p < assignment->part_count; p++) {
            int role = pass ? assignment->parts[p].other_role : assignment->parts[p].role;
            if (role != ROLE_ANY)
                assign_role(assignment, c, role, pass, kernels);
        }
    assign_role(assignment, c, ROLE_ANY, false, kernels);
    if (!has_any(assignment))
        assign_by_duration(assignment, kernels);
}
