// SPDX-License-Identifier: Apache-2.0
// Tells wrappers from ops: by the formulas of the rules and by what ranges enclose.
#include "model/ops/wrappers.h"

#include <string.h>

#include "base/id_map.h"
#include "model/markers/markers.h"
#include "model/rules/formula.h"

// Returns whether DLProf takes a marker for an op whatever is in it.
static bool is_always_op(const char *module, const char *type)
{
    static const char *const types[] = {"backward", "step", "zero_grad"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return strcasestr(type, "dataloader") || strcasestr(module, "dataloader");
}

uint8_t *wrapper_roles(const struct profile *profile, struct arena *arena)
{
    uint8_t *roles = ARENA_ARRAY(arena, uint8_t, (size_t)profile->marker_count + 1);
    struct id_map known = {.arena = arena}; // (module, type) -> role
    const struct formula_evaluator *formulas = NULL;
    for (uint32_t i = 0; i < profile->marker_count; i++) {
        const struct marker *marker = &profile->markers[i];
        if (marker->kind != MARKER_OP || marker->dialect != DIALECT_DLPROF || marker->is_backward)
            continue;
        struct id_key key = {.a = marker->module, .b = marker->type};
        uint32_t *slot = id_map_slot(&known, key);
        if (!*slot) {
            const char *module = profile_text(profile, marker->module);
            const char *type = profile_text(profile, marker->type);
            if (!formulas)
                formulas = formula_evaluator_new(profile, arena);
            *slot = 1 + (is_always_op(module, type)                ? WRAPPER_NEVER
                         : formula_has_row(formulas, module, type) ? WRAPPER_FORMULA
                                                                   : WRAPPER_MAYBE);
        }
        roles[i] = (uint8_t)(*slot - 1);
    }
    return roles;
}

bool *wrappers_find(const struct profile *profile, const uint8_t *roles, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    bool *is_wrapper = ARENA_ARRAY(arena, bool, ranges->count);
    bool *has_formula = ARENA_ARRAY(arena, bool, ranges->count); // it, or one inside it
    // A range follows the ranges around it, so that backwards those inside it come first.
    for (uint32_t i = ranges->count; i-- > 0;) {
        uint32_t parent = AT(ranges->parent, i);
        uint8_t role = roles[range_label(ranges, i)->marker];
        is_wrapper[i] = role == WRAPPER_MAYBE && has_formula[i];
        has_formula[i] |= role == WRAPPER_FORMULA;
        if (has_formula[i] && parent != ROW_NONE)
            has_formula[parent] = true;
    }
    return is_wrapper;
}
