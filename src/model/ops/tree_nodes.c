// SPDX-License-Identifier: Apache-2.0
// Creates nodes of the op tree from the paths of ranges, and numbers them in pre-order.
//
// A path is split into parts: `model.layers.3` into model, layers.3. Each part becomes a node below
// the previous one, without the leading parts that the node of the enclosing range already
// represents.
#include <stdio.h>
#include <string.h>

#include "model/ops/tree_build.h"

enum {
    DEPTH_LIMIT = 8000, // deeper ranges belong to the node at this depth
    PART_LIMIT = 256,   // components of one path
};

uint32_t tree_child(struct tree_nodes *nodes, uint32_t parent, string_id name, enum node_kind kind,
                    uint32_t marker)
{
    const struct tree_node *parent_node = &nodes->items[parent];
    if (parent_node->depth >= DEPTH_LIMIT)
        return parent;
    struct id_key key = {.a = parent, .b = name};
    if (tree_is_full(nodes)) {
        uint32_t known = id_map_get(&nodes->by_name, key);
        nodes->left_out += known == ROW_NONE;
        return known == ROW_NONE ? parent : known;
    }
    uint32_t *slot = id_map_slot(&nodes->by_name, key);
    if (*slot)
        return *slot - 1;
    struct tree_node node = {
        .parent = parent,
        .depth = (uint16_t)(parent_node->depth + 1),
        .kind = kind,
        .name = name,
        .marker = marker,
        .op = ROW_NONE,
        .layers = parent_node->layers,
        .layer_path = parent_node->layer_path,
        .func_path = parent_node->func_path,
    };
    *slot = (uint32_t)nodes->count + 1;
    ARENA_PUSH(nodes->scratch, nodes->items, nodes->count, nodes->capacity) = node;
    return (uint32_t)nodes->count - 1;
}

// ---- paths -------------------------------------------------------------------------------------

struct path_part {
    const char *text;
    size_t length;
};

struct path_parts {
    struct path_part items[PART_LIMIT];
    size_t count;
};

static void parts_add(struct path_parts *parts, const char *text, size_t length)
{
    if (!length)
        return;
    if (parts->count == PART_LIMIT) { // the remaining components stay together
        struct path_part *last = &parts->items[PART_LIMIT - 1];
        last->length = (size_t)(text + length - last->text);
        return;
    }
    parts->items[parts->count++] = (struct path_part){text, length};
}

static bool is_number(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return length > 0;
}

// Splits `model.layers.3.mlp` into model, layers.3, mlp: a number stays with its component.
static void split_module(struct path_parts *parts, const char *path)
{
    size_t from = 0;
    for (size_t i = 0;; i++) {
        if (path[i] && path[i] != '.')
            continue;
        bool joins =
            is_number(path + from, i - from) && parts->count &&
            parts->items[parts->count - 1].text + parts->items[parts->count - 1].length + 1 ==
                path + from;
        if (joins)
            parts->items[parts->count - 1].length += 1 + i - from;
        else
            parts_add(parts, path + from, i - from);
        if (!path[i])
            return;
        from = i + 1;
    }
}

static void split_stack(struct path_parts *parts, const char *path)
{
    size_t from = 0;
    for (size_t i = 0;; i++) {
        if (path[i] && path[i] != '/')
            continue;
        parts_add(parts, path + from, i - from);
        if (!path[i])
            return;
        from = i + 1;
    }
}

// Returns the number of equal leading parts; at least one part of `inner` remains.
static size_t shared_parts(const struct path_parts *outer, const struct path_parts *inner)
{
    size_t n = 0;
    while (n < outer->count && n + 1 < inner->count &&
           outer->items[n].length == inner->items[n].length &&
           memcmp(outer->items[n].text, inner->items[n].text, inner->items[n].length) == 0)
        n++;
    return n;
}

static string_id part_name(struct tree_nodes *nodes, const struct path_part *part)
{
    return strings_intern(nodes->profile->strings, part->text, part->length);
}

static bool same_part(const struct path_part *a, const struct path_part *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

uint32_t tree_module_node(struct tree_nodes *nodes, uint32_t parent, uint32_t row)
{
    const struct profile *profile = nodes->profile;
    const struct marker *marker = &profile->markers[row];
    struct path_parts inner = {.count = 0}, outer = {.count = 0};
    split_module(&inner, profile_text(profile, marker->path));
    split_module(&outer, profile_text(profile, nodes->items[parent].layer_path));
    size_t from = shared_parts(&outer, &inner);
    // A range with more text than the path (FSDP::pre_forward) may be a child of the module's own
    // node.
    bool has_more_text = marker->title != marker->path;
    if (has_more_text && inner.count && from + 1 == inner.count && outer.count == inner.count &&
        same_part(&outer.items[from], &inner.items[from]))
        from++;
    uint32_t node = parent;
    for (size_t i = from; i < inner.count; i++)
        node = tree_child(nodes, node, part_name(nodes, &inner.items[i]), NODE_LAYER, row);
    if (node != parent)
        nodes->items[node].layer_path = marker->path;
    return node;
}

static uint32_t layer_node(struct tree_nodes *nodes, uint32_t parent, uint32_t row)
{
    const struct marker *marker = &nodes->profile->markers[row];
    uint32_t node = tree_module_node(nodes, parent, row);
    if (node != parent)
        nodes->items[node].layers = nodes->items[parent].layers + 1;
    if (marker->title != marker->path || node == parent)
        node = tree_child(nodes, node, marker->title, NODE_RANGE, row);
    return node;
}

static string_id numbered(struct tree_nodes *nodes, string_id name, uint32_t occurrence)
{
    if (!occurrence)
        return name;
    char *text =
        arena_format(nodes->scratch, "%s(%u)", profile_text(nodes->profile, name), occurrence + 1);
    return strings_intern_text(nodes->profile->strings, text);
}

// Returns whether a component of a funcStack is the op itself: `relu` or `relu(2)`.
static bool is_op_part(const struct path_part *part, const char *op)
{
    size_t length = strlen(op);
    return part->length >= length && memcmp(part->text, op, length) == 0 &&
           (part->length == length || part->text[length] == '(');
}

// Returns whether a component of a funcStack is that function, of any class: `Conv2d::forward(2)`.
static bool is_function(const struct path_part *part, const char *name)
{
    size_t from = part->length;
    while (from && part->text[from - 1] != ':')
        from--;
    const struct path_part function = {part->text + from, part->length - from};
    return is_op_part(&function, name);
}

// Returns how many leading parts of a funcStack belong to the enclosing layers, which have nodes
// already. Each layer consists of a part `_call_impl` and possibly a part `forward` after it. At
// least the last part, the op, remains.
static size_t parts_above_layers(const struct path_parts *stack, uint32_t layers)
{
    size_t layer_part_count = 0;
    for (size_t i = 0; layers && i + 1 < stack->count; i++) {
        if (!is_function(&stack->items[i], "_call_impl"))
            continue;
        if (i + 2 < stack->count && is_function(&stack->items[i + 1], "forward"))
            i++;
        layer_part_count = i + 1;
        layers--;
    }
    return layer_part_count;
}

static uint32_t dict_node(struct tree_nodes *nodes, uint32_t parent, uint32_t row, uint32_t trace,
                          uint32_t occurrence)
{
    const struct profile *profile = nodes->profile;
    const struct marker *marker = &profile->markers[row];
    string_id path = profile->markers[trace != ROW_NONE ? trace : row].path;
    struct path_parts inner = {.count = 0}, outer = {.count = 0};
    split_stack(&inner, profile_text(profile, path));
    split_stack(&outer, profile_text(profile, nodes->items[parent].func_path));
    size_t from = shared_parts(&outer, &inner);
    if (from < outer.count && outer.count) // the paths differ: only the last part gets a node
        from = inner.count ? inner.count - 1 : 0;
    size_t layer_parts = parts_above_layers(&inner, nodes->items[parent].layers);
    if (from < layer_parts)
        from = layer_parts;
    size_t path_length = inner.count;
    if (path_length &&
        is_op_part(&inner.items[path_length - 1], profile_text(profile, marker->type)))
        path_length--;
    uint32_t node = parent;
    for (size_t i = from; i < path_length; i++)
        node = tree_child(nodes, node, part_name(nodes, &inner.items[i]), NODE_LAYER, ROW_NONE);
    string_id name =
        path_length < inner.count ? part_name(nodes, &inner.items[path_length]) : marker->type;
    // A backward that is recorded as an op has the name of its forward, as in DLProf.
    bool is_twin = marker->is_backward;
    if (is_twin)
        name = strings_intern_text(profile->strings, arena_format(nodes->scratch, "%s (bprop)",
                                                                  profile_text(profile, name)));
    node = tree_child(nodes, node, numbered(nodes, name, occurrence),
                      is_twin ? NODE_BACKWARD : NODE_OP, row);
    if (path)
        nodes->items[node].func_path = path;
    return node;
}

static enum node_kind kind_of(enum marker_kind kind)
{
    switch (kind) {
    case MARKER_STEP:
        return NODE_STEP;
    case MARKER_OP:
        return NODE_OP;
    case MARKER_ENGINE:
    case MARKER_BACKWARD:
        return NODE_BACKWARD;
    default:
        return NODE_RANGE;
    }
}

// Returns the title without the scopes: `dense/MatMul` becomes `MatMul`, and
// `/l1/conv/Conv + /l1/relu/Relu` becomes `conv/Conv + relu/Relu`.
static string_id title_in(struct tree_nodes *nodes, const struct marker *marker)
{
    struct profile *profile = nodes->profile;
    const char *title = profile_text(profile, marker->title);
    const char *scopes = profile_text(profile, marker->path);
    enum { MAX_TITLE = 4096 }; // a longer title stays whole
    char rest[MAX_TITLE];
    size_t length = strlen(title), skipped = strlen(scopes), used = 0;
    if (length > MAX_TITLE)
        return marker->title;
    for (size_t i = 0; i < length;) {
        bool begins = i == 0 || strchr(" [.", title[i - 1]);
        if (begins && length - i > skipped && memcmp(title + i, scopes, skipped) == 0 &&
            title[i + skipped] == '/')
            i += skipped + 1;
        else
            rest[used++] = title[i++];
    }
    return used ? strings_intern(profile->strings, rest, used) : marker->title;
}

// Returns the node of a range that names its scopes. Scopes that the enclosing ranges have named
// already get no second node.
static uint32_t scoped_node(struct tree_nodes *nodes, uint32_t parent, uint32_t row,
                            uint32_t occurrence)
{
    const struct profile *profile = nodes->profile;
    const struct marker *marker = &profile->markers[row];
    struct path_parts inner = {.count = 0}, outer = {.count = 0};
    split_stack(&inner, profile_text(profile, marker->path));
    split_stack(&outer, profile_text(profile, nodes->items[parent].func_path));
    size_t from = 0;
    while (from < outer.count && from < inner.count &&
           same_part(&outer.items[from], &inner.items[from]))
        from++;
    if (from < outer.count) // the scopes are not inside those of the enclosing ranges
        from = 0;
    uint32_t node = parent;
    for (size_t i = from; i < inner.count; i++)
        node = tree_child(nodes, node, part_name(nodes, &inner.items[i]), NODE_LAYER, ROW_NONE);
    node = tree_child(nodes, node, numbered(nodes, title_in(nodes, marker), occurrence),
                      kind_of(marker->kind), row);
    nodes->items[node].func_path = marker->path;
    return node;
}

uint32_t tree_range_node(struct tree_nodes *nodes, uint32_t parent, uint32_t row, uint32_t trace,
                         uint32_t occurrence)
{
    struct id_key key = {.a = (uint64_t)parent << 32 | row, .b = trace, .c = occurrence};
    uint32_t known = id_map_get(&nodes->by_range, key);
    if (known != ROW_NONE)
        return known;
    const struct marker *marker = &nodes->profile->markers[row];
    uint32_t node;
    if (marker->kind == MARKER_LAYER)
        node = layer_node(nodes, parent, row);
    else if (marker->kind == MARKER_OP && marker->dialect == DIALECT_DLPROF)
        node = dict_node(nodes, parent, row, trace, occurrence);
    else if (marker->path)
        node = scoped_node(nodes, parent, row, occurrence);
    else
        node = tree_child(nodes, parent, numbered(nodes, marker->title, occurrence),
                          kind_of(marker->kind), row);
    *id_map_slot(&nodes->by_range, key) = node + 1;
    return node;
}

// ---- pre-order ---------------------------------------------------------------------------------

struct op_tree *tree_finish(const struct tree_nodes *nodes, struct arena *arena,
                            uint32_t *number_of)
{
    uint32_t count = (uint32_t)nodes->count;
    uint32_t *first = ARENA_ARRAY(nodes->scratch, uint32_t, count);
    uint32_t *next = ARENA_ARRAY(nodes->scratch, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        first[i] = next[i] = ROW_NONE;
    for (int outside = 1; outside >= 0; outside--) {
        for (uint32_t i = count; i-- > 1;) {
            if ((nodes->items[i].kind == NODE_OUTSIDE) != outside)
                continue;
            next[i] = first[nodes->items[i].parent];
            first[nodes->items[i].parent] = i;
        }
    }
    struct op_tree *tree = ARENA_NEW(arena, struct op_tree);
    tree->count = count;
    tree->parent = ARENA_ARRAY(arena, uint32_t, count);
    tree->subtree_end = ARENA_ARRAY(arena, uint32_t, count);
    tree->depth = ARENA_ARRAY(arena, uint16_t, count);
    tree->name = ARENA_ARRAY(arena, string_id, count);
    tree->kind = ARENA_ARRAY(arena, uint8_t, count);
    tree->op = ARENA_ARRAY(arena, uint32_t, count);
    tree->marker = ARENA_ARRAY(arena, uint32_t, count);
    tree->adopted_tid = ARENA_ARRAY(arena, uint32_t, count);
    tree->member_count = ARENA_ARRAY(arena, uint32_t, count);
    uint32_t at = 0;
    for (uint32_t row = 0, number = 0; number < count; number++) {
        const struct tree_node *node = &nodes->items[row];
        number_of[row] = at = number;
        tree->parent[at] = row ? number_of[node->parent] : ROW_NONE;
        tree->subtree_end[at] = at + 1;
        tree->depth[at] = node->depth;
        tree->name[at] = node->name;
        tree->kind[at] = (uint8_t)node->kind;
        tree->op[at] = node->op;
        tree->marker[at] = node->marker;
        tree->adopted_tid[at] = node->adopted_tid;
        tree->member_count[at] = 1;
        if (node->kind == NODE_OUTSIDE)
            tree->outside = at;
        if (first[row] != ROW_NONE) {
            row = first[row];
            continue;
        }
        while (row && next[row] == ROW_NONE)
            row = nodes->items[row].parent;
        row = row ? next[row] : 0;
    }
    for (uint32_t i = count; i-- > 1;)
        if (tree->subtree_end[tree->parent[i]] < tree->subtree_end[i])
            tree->subtree_end[tree->parent[i]] = tree->subtree_end[i];
    return tree;
}
