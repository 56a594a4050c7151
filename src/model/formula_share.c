// SPDX-License-Identifier: Apache-2.0
#include "model/formula_share.h"

#include <math.h>

static bool has_role(const struct formula_sharing *sharing, uint32_t kernel, int role)
{
    uint32_t function = sharing->question->functions[kernel];
    if (formula_is_helper(sharing->desk, function))
        return false;
    return role == ROLE_ANY || (formula_roles(sharing->desk, function) & 1U << role) != 0;
}

// Whether another part is of this kernel, by what that one asks for first.
static bool is_wanted_elsewhere(const struct formula_sharing *sharing, uint32_t kernel, int role)
{
    for (size_t p = 0; p < sharing->part_count; p++)
        if (sharing->parts[p].role != ROLE_ANY && sharing->parts[p].role != role &&
            has_role(sharing, kernel, sharing->parts[p].role))
            return true;
    return false;
}

// Kernels that are free and have a role, in order of launch.
static uint32_t candidates(const struct formula_sharing *sharing, int role, bool is_second,
                           uint32_t *kernels)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < sharing->question->kernel_count; k++)
        if (sharing->part_of[k] == FORMULA_NO_PART && has_role(sharing, k, role) &&
            !(is_second && is_wanted_elsewhere(sharing, k, role)))
            kernels[count++] = k;
    return count;
}

// Gives kernels to the parts that have none yet and ask for this role (`is_second`: as the other
// one). Of more kernels than parts those launched last: what came before was tried. Parts that share
// out their work (groups of a convolution) take as many as they say.
static void share_role(struct formula_sharing *sharing, const struct formula_case *c, int role,
                       bool is_second, uint32_t *kernels)
{
    size_t parts[FORMULA_PARTS], part_count = 0;
    for (size_t p = 0; p < sharing->part_count; p++) {
        const struct formula_part *part = &sharing->parts[p];
        if (sharing->taken[p] == 0 && (is_second ? part->other_role : part->role) == role)
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
    if (part_count == 1 && split == 0) // all of them
        each = count;
    uint32_t wanted = (uint32_t)part_count * each;
    uint32_t from = role != ROLE_ANY && count > wanted ? count - wanted : 0;
    sharing->is_autotuned |= from > 0 && !first->is_beside;
    for (uint32_t i = 0; i < wanted && from + i < count; i++) {
        size_t p = parts[i / each];
        sharing->part_of[kernels[from + i]] = (int)p;
        sharing->taken[p]++;
    }
}

static bool takes_any(const struct formula_sharing *sharing)
{
    for (size_t p = 0; p < sharing->part_count; p++)
        if (sharing->taken[p] > 0)
            return true;
    return false;
}

// Names that no rule knows: what does more than help, from the first on.
static void share_unknown(struct formula_sharing *sharing, uint32_t *kernels)
{
    uint32_t count = candidates(sharing, ROLE_ANY, false, kernels);
    for (uint32_t i = 0; i < count && i < sharing->part_count; i++) {
        if (sharing->parts[i].is_beside)
            break;
        sharing->part_of[kernels[i]] = (int)i;
        sharing->taken[i]++;
    }
}

void formula_share_out(struct formula_sharing *sharing, const struct formula_case *c)
{
    uint32_t *kernels = ARENA_ARRAY(c->arena, uint32_t, sharing->question->kernel_count + 1);
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
