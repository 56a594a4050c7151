// SPDX-License-Identifier: Apache-2.0
// Finds ops where no tool has marked them: each path of ranges is an op that owns its direct
// contents, and an op range (aten::...) owns all its contents.
//
// The name of an op is the path of its enclosing ranges and itself, with a leading "/". A node of
// the backward graph that is paired with a forward range becomes the backward of its op; other
// nodes are ops like other ranges.
#include <string.h>

#include "base/id_map.h"
#include "model/ops/backward_pairs.h"
#include "model/ops/ops_draft.h"

enum { NAME_LIMIT = 4096 }; // bytes; a longer name loses its middle

struct range_path {   // a path of ranges, as a node of a tree of names
    string_id name;   // the whole path
    string_id module; // module path of the layers so far, or STRING_NONE
    string_id scopes; // scopes of the innermost range that has any, or STRING_NONE
    uint32_t anchor;  // ancestor whose name is kept when a name is shortened
};

struct range_paths {
    struct profile *profile;
    struct arena *arena;
    struct id_map by_step; // (parent, title) -> row
    struct range_path *items;
    size_t count, capacity;
};

// Returns the text of a range within a path.
static string_id path_title(const struct marker *marker)
{
    return marker->kind == MARKER_LAYER && marker->dialect == DIALECT_FSDP ? marker->text
                                                                           : marker->title;
}

// Returns the part of a name below `above`: `mlp` for `model.layers.3.mlp` in `model.layers.3`.
static const char *part_below(const char *name, const char *above, char separator)
{
    size_t length = strlen(above);
    bool is_below = length && strncmp(name, above, length) == 0 && name[length] == separator;
    return is_below && name[length + 1] ? name + length + 1 : name;
}

static uint32_t path_get(struct range_paths *paths, uint32_t parent, const struct marker *marker)
{
    string_id title = path_title(marker);
    bool is_layer = marker->kind == MARKER_LAYER && title == marker->path;
    struct id_key key = {.a = parent, .b = title, .c = is_layer};
    uint32_t *slot = id_map_slot(&paths->by_step, key);
    if (*slot)
        return *slot - 1;
    struct strings *strings = paths->profile->strings;
    struct range_path path = {.anchor = (uint32_t)paths->count};
    const char *last = strings_text(strings, title);
    const char *before = "", *dots = "";
    if (parent != ROW_NONE) {
        const struct range_path *around = &paths->items[parent];
        if (is_layer)
            last = part_below(last, strings_text(strings, around->module), '.');
        else
            last = part_below(last, strings_text(strings, around->scopes), '/');
        path.module = around->module;
        path.scopes = around->scopes;
        size_t length = strings_length(strings, around->name) + strlen(last);
        if (length > NAME_LIMIT / 4)
            path.anchor = around->anchor;
        if (length > NAME_LIMIT)
            dots = "/...";
        before = strings_text(strings, length > NAME_LIMIT ? paths->items[around->anchor].name
                                                           : around->name);
    }
    char *name = arena_format(paths->arena, "%s%s/%.*s", before, dots, NAME_LIMIT, last);
    path.name = strings_intern_text(strings, name);
    if (is_layer)
        path.module = title;
    else if (marker->path && marker->kind != MARKER_LAYER)
        path.scopes = marker->path;
    *slot = (uint32_t)paths->count + 1;
    ARENA_PUSH(paths->arena, paths->items, paths->count, paths->capacity) = path;
    return (uint32_t)paths->count - 1;
}

static bool owns_all(enum marker_kind kind)
{
    return kind == MARKER_OP || kind == MARKER_ENGINE || kind == MARKER_BACKWARD;
}

struct path_walk {
    struct op_drafts *drafts;
    struct range_paths paths;
    uint32_t *pairs;  // NULL: none
    uint32_t *around; // per range: the draft that owns its contents
    uint32_t *path;   // per draft
    size_t path_count, path_capacity;
    bool *is_closed; // per range: it is inside a range that owns all its contents
    bool *closes;    // per range: it is such a range, or inside one
};

static void add_range(struct path_walk *walk, uint32_t row, uint32_t outer)
{
    struct op_drafts *drafts = walk->drafts;
    const struct profile *profile = drafts->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct range_label *label = range_label(ranges, row);
    const struct marker *marker = &profile->markers[label->marker];
    int64_t start = AT(ranges->start, row), end = AT(ranges->end, row);
    uint32_t above = outer != ROW_NONE && outer < walk->path_count ? walk->path[outer] : ROW_NONE;
    uint32_t path = path_get(&walk->paths, above, marker);
    enum direction direction = marker->is_backward                           ? DIRECTION_BPROP
                               : marker->kind == MARKER_OP && label->has_seq ? DIRECTION_FPROP
                                                                             : DIRECTION_NONE;
    drafts->own[row] =
        op_draft_add(drafts, (struct op_draft){
                                 .start = start,
                                 .end = end,
                                 .self_ns = end - start,
                                 .thread = label->thread,
                                 .process = profile->threads[label->thread].process,
                                 .marker = label->marker,
                                 .trace = ROW_NONE,
                                 .forward = ROW_NONE,
                                 .backward = ROW_NONE,
                                 .name = walk->paths.items[path].name,
                                 .type = marker->type ? marker->type : path_title(marker),
                                 .direction = direction,
                             });
    ARENA_PUSH(drafts->scratch, walk->path, walk->path_count, walk->path_capacity) = path;
    walk->around[row] = drafts->own[row];
}

void ops_find_ranges(struct op_drafts *drafts)
{
    const struct profile *profile = drafts->profile;
    const struct ranges *ranges = &profile->ranges;
    struct path_walk walk = {.drafts = drafts};
    walk.paths = (struct range_paths){.profile = drafts->profile, .arena = drafts->scratch};
    walk.paths.by_step.arena = drafts->scratch;
    walk.pairs = backward_pairs(profile, true, drafts->scratch);
    walk.around = ARENA_ARRAY(drafts->scratch, uint32_t, ranges->count);
    walk.is_closed = ARENA_ARRAY(drafts->scratch, bool, ranges->count);
    walk.closes = ARENA_ARRAY(drafts->scratch, bool, ranges->count);
    if (walk.pairs)
        backward_pair_engines(profile, walk.pairs);
    for (size_t i = 0; i < drafts->count; i++) // recorded ops have no path here
        ARENA_PUSH(drafts->scratch, walk.path, walk.path_count, walk.path_capacity) = ROW_NONE;
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t parent = AT(ranges->parent, i);
        uint32_t outer = parent != ROW_NONE ? walk.around[parent] : ROW_NONE;
        const struct range_label *label = &ranges->labels[AT(ranges->label, i)];
        enum marker_kind kind = profile->markers[label->marker].kind;
        walk.around[i] = outer;
        walk.is_closed[i] = parent != ROW_NONE && walk.closes[parent];
        walk.closes[i] = walk.is_closed[i] || owns_all(kind);
        if (walk.is_closed[i] || label->ending == RANGE_CROSS_THREAD || !marker_is_place(kind) ||
            drafts->own[i] != ROW_NONE)
            continue;
        if (walk.pairs && walk.pairs[i])
            continue; // handled below, when all forward ops are known
        add_range(&walk, i, outer);
    }
    size_t forward_count = drafts->count;
    for (uint32_t i = 0; walk.pairs && i < ranges->count; i++) {
        if (!walk.pairs[i] || walk.is_closed[i] || range_is_cross_thread(ranges, i))
            continue;
        uint32_t forward = walk.around[walk.pairs[i] - 1];
        uint32_t parent = AT(ranges->parent, i);
        if (forward == ROW_NONE || forward >= forward_count ||
            drafts->items[forward].direction == DIRECTION_BPROP)
            add_range(&walk, i, parent != ROW_NONE ? walk.around[parent] : ROW_NONE);
        else
            op_draft_add_backward(drafts, forward, i);
    }
    // The direct contents of a range exclude the contents of the ranges inside it.
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t parent = AT(ranges->parent, i);
        uint32_t outer = parent != ROW_NONE ? walk.around[parent] : ROW_NONE;
        if (drafts->own[i] != ROW_NONE && outer != ROW_NONE && outer != drafts->own[i])
            drafts->items[outer].self_ns -= AT(ranges->end, i) - AT(ranges->start, i);
    }
    ARENA_RELEASE(drafts->scratch, walk.around, ranges->count);
    ARENA_RELEASE(drafts->scratch, walk.is_closed, ranges->count);
    ARENA_RELEASE(drafts->scratch, walk.closes, ranges->count);
    ARENA_RELEASE(drafts->scratch, walk.pairs, ranges->count);
}
