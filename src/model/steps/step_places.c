// SPDX-License-Identifier: Apache-2.0
// Finds the families of ranges at one place in the op tree, that is, with one path of enclosing
// ranges, for texts that occur at several places.
#include <string.h>

#include "model/markers/markers.h"
#include "model/ops/op_tree.h"
#include "model/steps/step_families.h"

enum {
    MAX_PLACE_DEPTH = 6,
    MAX_PLACE_NAME = 200, // bytes of each name on the path; places with longer names are skipped
    // Limit of families by place. The ranges of a loop precede most ranges inside it, so that the
    // limit does not drop the loop.
    MAX_PLACES = 1 << 14,
};

// Returns a node of the folded tree with its ancestors: "evaluate > forward", for an outermost node
// "> forward"; NULL when it would be too long.
static const char *place_text(const struct profile *profile, uint32_t node, struct arena *arena)
{
    const struct op_tree *tree = profile->folded_tree;
    const char *text = profile_text(profile, tree->name[node]);
    for (uint32_t n = node; n != ROW_NONE && tree->kind[n] != NODE_ROOT; n = tree->parent[n])
        if (strnlen(profile_text(profile, tree->name[n]), MAX_PLACE_NAME + 1) > MAX_PLACE_NAME)
            return NULL;
    if (tree->depth[node] <= 1) // distinguishes it from all ranges of that text
        return arena_format(arena, "> %s", text);
    for (node = tree->parent[node]; node != ROW_NONE && tree->kind[node] != NODE_ROOT;
         node = tree->parent[node])
        text = arena_format(arena, "%s > %s", profile_text(profile, tree->name[node]), text);
    return text;
}

static uint32_t folded_node(const struct profile *profile, uint32_t range)
{
    uint32_t node = HAS(profile->ranges.node) ? AT(profile->ranges.node, range) : ROW_NONE;
    return node == ROW_NONE || !profile->tree->folded ? node : profile->tree->folded[node];
}

uint32_t *step_places_find(struct step_families *families, const uint32_t *text_of)
{
    const struct profile *profile = families->profile;
    const struct op_tree *tree = profile->folded_tree;
    struct arena *arena = families->arena;
    uint32_t *of_range = ARENA_ARRAY(arena, uint32_t, (size_t)profile->ranges.count + 1);
    uint32_t *of_node = ARENA_ARRAY(arena, uint32_t, (size_t)tree->count + 1);
    // Per text: its first node + 1, and whether it has other nodes.
    uint32_t *first_node = ARENA_ARRAY(arena, uint32_t, families->count + 1);
    bool *has_several = ARENA_ARRAY(arena, bool, families->count + 1);
    for (uint32_t i = 0; i < profile->ranges.count; i++) {
        uint32_t node = folded_node(profile, i), text = text_of[i];
        if (!text || node >= tree->count)
            continue;
        has_several[text] |= first_node[text] && first_node[text] != node + 1;
        first_node[text] = first_node[text] ? first_node[text] : node + 1;
    }
    uint32_t places = 0;
    for (uint32_t i = 0; i < profile->ranges.count; i++) {
        uint32_t node = folded_node(profile, i), text = text_of[i];
        if (!text || node >= tree->count || !has_several[text] ||
            tree->depth[node] > MAX_PLACE_DEPTH || families->items[text - 1].is_steps)
            continue;
        if (!of_node[node] && places < MAX_PLACES) {
            struct step_family family = {.is_place = true,
                                         .text = place_text(profile, node, arena)};
            if (!family.text)
                continue;
            places++;
            family.is_numbered = families->items[text - 1].is_numbered;
            family.role = step_role_of(family.text);
            if (family.role != ROLE_NOT_STEP)
                family.role = families->items[text - 1].role;
            ARENA_PUSH(arena, families->items, families->count, families->capacity) = family;
            of_node[node] = (uint32_t)families->count;
        }
        of_range[i] = of_node[node];
    }
    return of_range;
}
