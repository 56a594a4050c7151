// SPDX-License-Identifier: Apache-2.0
// The folded tree: layers.0 ... layers.79 are one node, layers.* x80.
//
// Terms:
// - raw node: a node of the tree that is folded;
// - pattern: a name in which one number is replaced by `*`;
// - group: the raw nodes with one name among the children of a folded node;
// - shape: a hash of the kind of a group and the names of its children;
// - leader: the first of the groups that have the same pattern and shape.
//
// At least MIN_MEMBERS groups with the same leader become one folded node. Their children become
// siblings, to which the rule is applied again. Each raw node is visited twice: once as a child and
// once to compute the shape of its parent.
#include <string.h>

#include "base/text/text.h"
#include "model/ops/tree_build.h"

enum {
    MIN_MEMBERS = 3,
    FIELDS = 4,   // numbers of a name that are tried
    RUN = FIELDS, // index of the pattern of DLProf's run number: `Block::forward(2)`, `relu(2)`
    PATTERNS = FIELDS + 1,
    NAME_LIMIT = 1000, // longer names are not folded
};

struct fold_group {
    string_id name;
    uint32_t first, last; // raw nodes: ends of a list linked by tree_folder.next
    string_id pattern;    // the one by which it may fold, or STRING_NONE
    uint32_t leader;      // row of its leader, possibly its own row
    uint32_t members;     // of a leader: number of groups that have it
};

struct tree_folder {
    struct profile *profile;
    struct arena *scratch;
    const struct op_tree *tree;
    struct tree_nodes nodes;   // the folded tree in creation order
    uint32_t *next;            // per raw node: next one of the same folded node or group
    uint32_t *first, *last;    // per folded node: ends of the list of its raw nodes
    uint32_t *members;         // per folded node: number of groups that it consists of
    uint32_t *folded;          // per raw node: its folded node, in creation order
    struct fold_group *groups; // of the current folded node
    size_t group_count, group_capacity;
    struct id_map patterns; // name -> row of PATTERNS pattern_ids
    string_id *pattern_ids;
    size_t pattern_count, pattern_capacity;
    // Maps of one folded node or group; `round` is part of their keys, so that they need not be
    // cleared.
    struct id_map by_name, by_pattern, by_shape, seen;
    uint32_t round;
    uint32_t *ran, turn; // per process: the last turn, a look at an op, in which it has run the op
};

// ---- names without their numbers ---------------------------------------------------------------

// Returns the name with its n-th number replaced by `*`; STRING_NONE when it has no such number.
static string_id replace_number(const struct tree_folder *folding, string_id name, size_t n)
{
    struct strings *strings = folding->profile->strings;
    const char *text = strings_text(strings, name);
    size_t length = strings_length(strings, name), start, end;
    if (length > NAME_LIMIT || !text_number_field(text, length, n, &start, &end))
        return STRING_NONE;
    char pattern[NAME_LIMIT + 1];
    memcpy(pattern, text, start);
    pattern[start] = '*';
    memcpy(pattern + start + 1, text + end, length - end);
    return strings_intern(strings, pattern, length - (end - start) + 1);
}

// Returns the name with `(*)` for the run number at its end; the first run has no number.
static string_id replace_run(const struct tree_folder *folding, string_id name)
{
    struct strings *strings = folding->profile->strings;
    const char *text = strings_text(strings, name);
    size_t length = strings_length(strings, name), end = length;
    if (length > NAME_LIMIT - 3)
        return STRING_NONE;
    if (end && text[end - 1] == ')') {
        end--;
        while (end && text[end - 1] >= '0' && text[end - 1] <= '9')
            end--;
        end = end && text[end - 1] == '(' && end + 1 < length ? end - 1 : length;
    }
    char pattern[NAME_LIMIT + 1];
    memcpy(pattern, text, end);
    memcpy(pattern + end, "(*)", 3);
    return strings_intern(strings, pattern, end + 3);
}

static const string_id *patterns_of(struct tree_folder *folding, string_id name)
{
    uint32_t *slot = id_map_slot(&folding->patterns, (struct id_key){.a = name});
    if (!*slot) {
        *slot = (uint32_t)folding->pattern_count + 1;
        string_id pattern = name;
        for (size_t n = 0; n < PATTERNS; n++) {
            if (n == RUN)
                pattern = replace_run(folding, name);
            else if (pattern)
                pattern = replace_number(folding, name, n);
            ARENA_PUSH(folding->scratch, folding->pattern_ids, folding->pattern_count,
                       folding->pattern_capacity) = pattern;
        }
        return &folding->pattern_ids[folding->pattern_count - PATTERNS];
    }
    return &folding->pattern_ids[*slot - 1];
}

// Returns an order-independent hash of the kind of a group and the distinct names of its children,
// without numbers.
static uint64_t shape_of(struct tree_folder *folding, const struct fold_group *group)
{
    const struct op_tree *tree = folding->tree;
    uint64_t sum = tree->kind[group->first];
    folding->round++;
    for (uint32_t raw = group->first; raw != ROW_NONE; raw = folding->next[raw]) {
        for (uint32_t child = raw + 1; child < tree->subtree_end[raw];
             child = tree->subtree_end[child]) {
            string_id pattern = patterns_of(folding, tree->name[child])[0];
            string_id name = pattern ? pattern : tree->name[child];
            uint32_t *slot =
                id_map_slot(&folding->seen, (struct id_key){.a = name, .b = folding->round});
            if (*slot)
                continue;
            *slot = 1;
            uint64_t mixed = ((uint64_t)name + 1) * 0x9E3779B97F4A7C15u;
            sum += (mixed ^ mixed >> 29) << 8;
        }
    }
    return sum;
}

// ---- the children of one folded node -----------------------------------------------------------

static void group_children(struct tree_folder *folding, uint32_t node)
{
    const struct op_tree *tree = folding->tree;
    folding->group_count = 0;
    folding->round++;
    for (uint32_t raw = folding->first[node]; raw != ROW_NONE; raw = folding->next[raw]) {
        for (uint32_t child = raw + 1; child < tree->subtree_end[raw];
             child = tree->subtree_end[child]) {
            struct id_key key = {.a = tree->name[child], .b = folding->round};
            uint32_t *slot = id_map_slot(&folding->by_name, key);
            if (!*slot) {
                *slot = (uint32_t)folding->group_count + 1;
                struct fold_group group = {.name = tree->name[child],
                                           .first = child,
                                           .last = child,
                                           .leader = (uint32_t)folding->group_count};
                ARENA_PUSH(folding->scratch, folding->groups, folding->group_count,
                           folding->group_capacity) = group;
                continue;
            }
            struct fold_group *group = &folding->groups[*slot - 1];
            folding->next[group->last] = child;
            group->last = child;
        }
    }
}

// Returns whether an op may fold with those of other run numbers. Ops of one step with different
// numbers are different ops, and each runs once per step. Where nothing marks the steps of a loop,
// every turn has numbers of its own, and each of these ops runs once in a process.
static bool runs_once(struct tree_folder *folding, uint32_t node)
{
    const struct profile *profile = folding->profile;
    const struct ops *ops = profile->ops;
    uint32_t marker = folding->tree->marker[node], op = folding->tree->op[node];
    if (!ops || marker == ROW_NONE || op == ROW_NONE || ops->step_bounds == 1 ||
        profile->markers[marker].dialect != DIALECT_DLPROF ||
        ops->items[op].instance_count > profile->process_count)
        return false;
    folding->turn++;
    for (uint32_t n = 0; n < ops->items[op].instance_count; n++) {
        uint32_t instance = AT(ops->by_op, ops->items[op].first_instance + n);
        uint32_t thread = AT(ops->thread, instance);
        if (thread == ROW_NONE)
            continue;
        uint32_t *ran = &folding->ran[profile->threads[thread].process];
        if (*ran == folding->turn)
            return false;
        *ran = folding->turn;
    }
    return true;
}

// Returns whether the group may fold by its n-th pattern. A run number folds only layers, and ops
// that run once.
static bool may_fold_by(struct tree_folder *folding, const struct fold_group *group, size_t n,
                        const string_id *patterns)
{
    return patterns[n] && (n != RUN || folding->tree->kind[group->first] == NODE_LAYER ||
                           runs_once(folding, group->first));
}

// Finds the leader of each group.
static void match_groups(struct tree_folder *folding)
{
    if (folding->group_count < MIN_MEMBERS)
        return;
    uint32_t round = ++folding->round;
    for (size_t i = 0; i < folding->group_count; i++) {
        const string_id *patterns = patterns_of(folding, folding->groups[i].name);
        for (size_t n = 0; n < PATTERNS; n++)
            if (may_fold_by(folding, &folding->groups[i], n, patterns))
                ++*id_map_slot(&folding->by_pattern, (struct id_key){.a = patterns[n], .b = round});
    }
    for (size_t i = 0; i < folding->group_count; i++) {
        struct fold_group *group = &folding->groups[i];
        const string_id *patterns = patterns_of(folding, group->name);
        uint32_t largest = MIN_MEMBERS - 1;
        for (size_t n = 0; n < PATTERNS; n++) {
            if (!may_fold_by(folding, group, n, patterns))
                continue;
            uint32_t count =
                *id_map_slot(&folding->by_pattern, (struct id_key){.a = patterns[n], .b = round});
            if (count > largest) {
                largest = count;
                group->pattern = patterns[n];
            }
        }
        if (!group->pattern)
            continue;
        uint64_t shape = shape_of(folding, group);
        struct id_key key = {.a = shape, .b = group->pattern, .c = round};
        uint32_t *slot = id_map_slot(&folding->by_shape, key);
        if (!*slot)
            *slot = (uint32_t)i + 1;
        group->leader = *slot - 1;
        folding->groups[group->leader].members++;
    }
}

static void join(struct tree_folder *folding, uint32_t node, const struct fold_group *group)
{
    for (uint32_t raw = group->first; raw != ROW_NONE; raw = folding->next[raw])
        folding->folded[raw] = node;
    if (folding->first[node] == ROW_NONE)
        folding->first[node] = group->first;
    else
        folding->next[folding->last[node]] = group->first;
    folding->last[node] = group->last;
    folding->members[node]++;
}

static uint32_t add_node(struct tree_folder *folding, uint32_t parent, string_id name, uint32_t raw)
{
    const struct op_tree *tree = folding->tree;
    struct tree_nodes *nodes = &folding->nodes;
    size_t before = nodes->count;
    uint32_t node =
        tree_child(nodes, parent, name, (enum node_kind)tree->kind[raw], tree->marker[raw]);
    if (nodes->count > before)
        folding->first[node] = ROW_NONE;
    return node;
}

// Returns the name of the folded node of a leader: its pattern, or its own name if it is an op
// without a run number. If siblings with another shape were folded under the same pattern before, a
// number is appended.
static string_id fold_name(struct tree_folder *folding, uint32_t parent,
                           const struct fold_group *leader)
{
    const struct strings *strings = folding->profile->strings;
    string_id pattern = leader->pattern;
    bool is_op = folding->tree->kind[leader->first] != NODE_LAYER;
    if (is_op && pattern == patterns_of(folding, leader->name)[RUN] &&
        strings_length(strings, pattern) > strings_length(strings, leader->name))
        return leader->name;
    struct id_key key = {.a = pattern, .b = parent, .c = 1};
    uint32_t *slot = id_map_slot(&folding->by_pattern, key);
    if (++*slot == 1)
        return pattern;
    char *name =
        arena_format(folding->scratch, "%s(%u)", profile_text(folding->profile, pattern), *slot);
    return strings_intern_text(folding->profile->strings, name);
}

static void fold_children(struct tree_folder *folding, uint32_t node)
{
    group_children(folding, node);
    match_groups(folding);
    for (size_t i = 0; i < folding->group_count; i++) {
        struct fold_group *group = &folding->groups[i];
        const struct fold_group *leader = &folding->groups[group->leader];
        bool is_folded = leader->members >= MIN_MEMBERS;
        if (is_folded && leader != group) {
            // The leader precedes the group, so its folded node exists.
            join(folding, folding->folded[leader->first], group);
            continue;
        }
        string_id name = is_folded ? fold_name(folding, node, group) : group->name;
        join(folding, add_node(folding, node, name, group->first), group);
    }
}

// ---- the whole tree ----------------------------------------------------------------------------

// Copies the properties on which the raw nodes of a folded node agree.
static void merge_properties(struct tree_folder *folding)
{
    const struct op_tree *tree = folding->tree;
    for (uint32_t raw = 0; raw < tree->count; raw++) {
        struct tree_node *node = &folding->nodes.items[folding->folded[raw]];
        if (tree->op[raw] != ROW_NONE) {
            if (node->op != ROW_NONE && node->op != tree->op[raw])
                node->has_several_ops = true;
            node->op = tree->op[raw];
        }
        if (!node->adopted_tid)
            node->adopted_tid = tree->adopted_tid[raw];
    }
    for (size_t i = 0; i < folding->nodes.count; i++)
        if (folding->nodes.items[i].has_several_ops)
            folding->nodes.items[i].op = ROW_NONE;
}

struct op_tree *tree_fold(struct profile *profile, struct op_tree *tree, struct arena *scratch)
{
    struct tree_folder folding = {.profile = profile, .scratch = scratch, .tree = tree};
    struct tree_nodes *nodes = &folding.nodes;
    nodes->profile = profile;
    nodes->limit = tree->count; // each raw node makes one node or joins one
    nodes->scratch = nodes->by_name.arena = nodes->by_range.arena = scratch;
    folding.patterns.arena = folding.by_name.arena = folding.by_pattern.arena = scratch;
    folding.by_shape.arena = folding.seen.arena = scratch;
    // The folded tree has at most as many nodes as the other one.
    folding.next = ARENA_ARRAY(scratch, uint32_t, tree->count);
    folding.first = ARENA_ARRAY(scratch, uint32_t, tree->count);
    folding.last = ARENA_ARRAY(scratch, uint32_t, tree->count);
    folding.members = ARENA_ARRAY(scratch, uint32_t, tree->count);
    folding.folded = ARENA_ARRAY(scratch, uint32_t, tree->count);
    folding.ran = ARENA_ARRAY(scratch, uint32_t, profile->process_count);
    memset(folding.next, 0xff, tree->count * sizeof(uint32_t));

    struct tree_node root = {.parent = ROW_NONE,
                             .kind = NODE_ROOT,
                             .name = tree->name[0],
                             .marker = tree->marker[0],
                             .op = ROW_NONE};
    ARENA_PUSH(scratch, nodes->items, nodes->count, nodes->capacity) = root;
    folding.first[0] = folding.last[0] = 0;
    folding.members[0] = 1;
    for (uint32_t node = 0; node < nodes->count; node++) // nodes->count grows in the loop
        fold_children(&folding, node);
    merge_properties(&folding);

    uint32_t *number_of = ARENA_ARRAY(scratch, uint32_t, nodes->count);
    struct op_tree *folded = tree_finish(nodes, profile->arena, number_of);
    for (uint32_t i = 0; i < nodes->count; i++)
        folded->member_count[number_of[i]] = folding.members[i];
    tree->folded = ARENA_ARRAY(profile->arena, uint32_t, tree->count);
    for (uint32_t raw = 0; raw < tree->count; raw++)
        tree->folded[raw] = number_of[folding.folded[raw]];
    return folded;
}
