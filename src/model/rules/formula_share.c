// SPDX-License-Identifier: Apache-2.0
// Assigns the kernels of a run to the parts of a row, by role, launch order and duration.
#include "model/rules/formula_share.h"

#include <math.h>

// ---- gradients of a convolution ----------------------------------------------------------------

static bool is_of_convolution(const struct formula_assignment *sharing, uint32_t kernel)
{
    uint32_t function = sharing->question->functions[kernel];
    return (formula_roles(sharing->desk, function) & sharing->desk->rules->convolution) &&
           !formula_is_helper(sharing->desk, function);
}

// Returns whether there are more kernels than parts because several algorithms were tried, and not
// because the groups of a convolution share the work.
static bool has_trials(const struct formula_assignment *sharing, const struct formula_case *c)
{
    uint32_t kernels = 0, parts = 0;
    for (uint32_t k = 0; k < sharing->question->kernel_count; k++)
        kernels += is_of_convolution(sharing, k);
    for (size_t p = 0; p < sharing->part_count; p++) {
        const struct formula_part *part = &sharing->parts[p];
        if (part->split && formula_evaluate(part->split, &c->scope) > 1)
            return false;
        parts += !part->is_beside;
    }
    return kernels > parts;
}

static bool has_part_of_weights(const struct formula_assignment *sharing)
{
    for (size_t p = 0; p < sharing->part_count; p++)
        if (sharing->parts[p].role >= 0 &&
            sharing->desk->rules->wgrad >> sharing->parts[p].role & 1)
            return true;
    return false;
}

// Finds where the kernels of the weights' gradient begin. The gradient of the input is computed
// first, then that of the weights, each after its algorithms are tried, so the first kernel named
// after the weights separates the two. A helper may bear such a name when the kernel it helps does
// not. When no algorithms were tried, the name of a helper applies only to the kernel that it
// helps.
static void find_weights(struct formula_assignment *sharing, const struct formula_case *c)
{
    const struct formula_rules *rules = sharing->desk->rules;
    const struct formula_query *question = sharing->question;
    uint32_t count = question->kernel_count;
    uint32_t work = count; // the last kernel that is no helper; count: none yet
    sharing->weights_from = sharing->weights_to = count;
    if (!has_part_of_weights(sharing))
        return;
    bool tried = has_trials(sharing, c);
    for (uint32_t k = 0; k < count && sharing->weights_from == count; k++) {
        uint32_t roles = formula_roles(sharing->desk, question->functions[k]);
        bool is_work = is_of_convolution(sharing, k);
        if (roles & rules->wgrad && (tried || !is_work))
            sharing->weights_from = roles & rules->closing && work < count ? work : k;
        work = is_work ? k : work;
    }
    if (tried && sharing->weights_from < count)
        sharing->input_to = sharing->weights_from;
    if (tried || sharing->weights_from == count)
        return; // up to the last kernel, or none
    while (sharing->weights_from < count && !is_of_convolution(sharing, sharing->weights_from))
        sharing->weights_from++;
    sharing->weights_to = sharing->weights_from < count ? sharing->weights_from + 1 : count;
}

// Returns the roles by name, or for an unnamed convolution kernel by its position.
static uint32_t roles_of(const struct formula_assignment *sharing, uint32_t kernel)
{
    const struct formula_rules *rules = sharing->desk->rules;
    uint32_t roles = formula_roles(sharing->desk, sharing->question->functions[kernel]);
    bool is_unnamed = (roles & rules->convolution) == rules->conv;
    if (!is_unnamed)
        return roles;
    bool is_of_weights = kernel >= sharing->weights_from && kernel < sharing->weights_to;
    return roles | (is_of_weights ? rules->wgrad : kernel < sharing->input_to ? rules->dgrad : 0);
}

// ---- who has which part ------------------------------------------------------------------------

static bool has_role(const struct formula_assignment *sharing, uint32_t kernel, int role)
{
    uint32_t function = sharing->question->functions[kernel];
    uint32_t roles = roles_of(sharing, kernel);
    uint32_t matching = role == ROLE_ANY ? 0 : roles & 1U << role;
    if (formula_is_helper(sharing->desk, function))
        return (matching & sharing->desk->rules->columns) != 0;
    return role == ROLE_ANY || matching != 0;
}

// Returns whether another part has this kernel's role as its first choice.
static bool is_wanted_elsewhere(const struct formula_assignment *sharing, uint32_t kernel, int role)
{
    for (size_t p = 0; p < sharing->part_count; p++)
        if (sharing->parts[p].role != ROLE_ANY && sharing->parts[p].role != role &&
            has_role(sharing, kernel, sharing->parts[p].role))
            return true;
    return false;
}

// Keeps the `wanted` kernels that take longest, in launch order; ties go to the earlier kernel.
static void keep_longest(const struct formula_assignment *sharing, uint32_t *kernels,
                         uint32_t count, uint32_t wanted)
{
    const double *durations = sharing->question->durations;
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
static uint32_t drop_auxiliary(const struct formula_assignment *sharing, uint32_t *kernels,
                               uint32_t count)
{
    uint32_t aside = sharing->desk->rules->aside, left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!(formula_roles(sharing->desk, sharing->question->functions[kernels[i]]) & aside))
            kernels[left++] = kernels[i];
    return left > 0 ? left : count;
}

// Lists the unassigned kernels that have the role, in launch order.
static uint32_t candidates(const struct formula_assignment *sharing, int role, bool is_second,
                           uint32_t *kernels)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < sharing->question->kernel_count; k++)
        if (sharing->part_of[k] == FORMULA_NO_PART && has_role(sharing, k, role) &&
            !(is_second && is_wanted_elsewhere(sharing, k, role)))
            kernels[count++] = k;
    return role == ROLE_ANY ? drop_auxiliary(sharing, kernels, count) : count;
}

// Assigns kernels to the parts that have none yet and want this role (`is_second`: as their other
// role). When there are more kernels than parts, a role whose algorithms are tried takes those
// launched last, since the earlier ones were trials; other roles take those that take longest. A
// part with `split` (groups of a convolution) takes that many kernels.
static void share_role(struct formula_assignment *sharing, const struct formula_case *c, int role,
                       bool is_second, uint32_t *kernels)
{
    size_t parts[FORMULA_PARTS], part_count = 0;
    for (size_t p = 0; p < sharing->part_count; p++) {
        const struct formula_part *part = &sharing->parts[p];
        if (sharing->assigned[p] == 0 && (is_second ? part->other_role : part->role) == role)
            parts[part_count++] = p;
    }
    uint32_t count = candidates(sharing, role, is_second, kernels);
    if (part_count == 0 || count == 0)
        return;
    const struct formula_part *first = &sharing->parts[parts[0]];
    double split = first->split ? formula_evaluate(first->split, &c->scope) : (double)NAN;
    uint32_t each = 1;
    if (part_count == 1 && split > 1 && split <= count && fmod(count, split) == 0)
        each = (uint32_t)split;
    if (part_count == 1 && split == 0) // all kernels
        each = count;
    uint32_t wanted = (uint32_t)part_count * each;
    bool is_tried = role != ROLE_ANY && (sharing->desk->rules->tried >> role & 1);
    uint32_t from = (is_tried || first->is_beside) && count > wanted ? count - wanted : 0;
    sharing->is_autotuned |= from > 0 && !first->is_beside;
    if (from == 0)
        keep_longest(sharing, kernels, count, wanted);
    for (size_t p = 0; is_second && count < part_count && p < part_count; p++)
        sharing->unsure |= 1U << parts[p];
    for (uint32_t i = 0; i < wanted && from + i < count; i++) {
        size_t p = parts[i / each];
        sharing->part_of[kernels[from + i]] = (int)p;
        sharing->assigned[p]++;
    }
}

static bool takes_any(const struct formula_assignment *sharing)
{
    for (size_t p = 0; p < sharing->part_count; p++)
        if (sharing->assigned[p] > 0)
            return true;
    return false;
}

// No rule knows the names: assigns the kernels that take longest among those that are no helpers.
static void share_unknown(struct formula_assignment *sharing, uint32_t *kernels)
{
    uint32_t count = candidates(sharing, ROLE_ANY, false, kernels), wanted = 0;
    while (wanted < sharing->part_count && !sharing->parts[wanted].is_beside)
        wanted++;
    keep_longest(sharing, kernels, count, wanted);
    for (uint32_t i = 0; i < count && i < wanted; i++) {
        sharing->part_of[kernels[i]] = (int)i;
        sharing->assigned[i]++;
    }
}

void formula_assign_kernels(struct formula_assignment *sharing, const struct formula_case *c)
{
    uint32_t *kernels = ARENA_ARRAY(c->arena, uint32_t, sharing->question->kernel_count + 1);
    find_weights(sharing, c);
    for (int second = 0; second < 2; second++)
        for (size_t p = 0; p < sharing->part_count; p++) {
            int role = second ? sharing->parts[p].other_role : sharing->parts[p].role;
            if (role != ROLE_ANY)
                share_role(sharing, c, role, second, kernels);
        }
    share_role(sharing, c, ROLE_ANY, false, kernels);
    if (!takes_any(sharing))
        share_unknown(sharing, kernels);
}
