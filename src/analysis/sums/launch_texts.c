// SPDX-License-Identifier: Apache-2.0
// Caches texts of launches, see launch_texts.h.
#include "analysis/sums/launch_texts.h"

#include "analysis/sums/work_text.h"

static void add_node_text(const struct launch_texts *texts, uint32_t node, struct arena *arena)
{
    const struct op_tree *tree = selection_tree(texts->profile, texts->selection);
    if (!texts->places[node])
        texts->places[node] = node_path_text(texts->profile, tree, node, arena);
}

void launch_texts_add(struct launch_texts *texts, uint32_t work, struct arena *arena)
{
    const struct profile *profile = texts->profile;
    const struct gpu_work *rows = &profile->work;
    uint32_t stream = AT(rows->stream, work);
    if (!texts->streams[stream])
        texts->streams[stream] = stream_text(profile, stream, arena);
    const struct launch_shape *shape = work_launch_shape(profile, work);
    if (shape && !texts->grids[AT(rows->shape, work)]) {
        texts->grids[AT(rows->shape, work)] = dims_text(shape->grid, arena);
        texts->blocks[AT(rows->shape, work)] = dims_text(shape->block, arena);
    }
    if (!texts->places)
        return;
    add_node_text(texts, selection_work_node(profile, texts->selection, work), arena);
    uint32_t forward = selection_forward_node(profile, texts->selection, work);
    if (forward != ROW_NONE)
        add_node_text(texts, forward, arena);
}

struct launch_texts *launch_texts_new(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena)
{
    struct launch_texts *texts = ARENA_NEW(arena, struct launch_texts);
    // the caller's selection may change
    struct selection *copy = ARENA_NEW(arena, struct selection);
    *copy = *selection;
    *texts = (struct launch_texts){
        .profile = profile,
        .selection = copy,
        .streams = ARENA_ARRAY(arena, const char *, profile->stream_count + 1),
        .grids = ARENA_ARRAY(arena, const char *, profile->shape_count + 1),
        .blocks = ARENA_ARRAY(arena, const char *, profile->shape_count + 1),
    };
    if (profile->tree && HAS(profile->work.node))
        texts->places =
            ARENA_ARRAY(arena, const char *, selection_tree(profile, selection)->count + 1);
    return texts;
}
