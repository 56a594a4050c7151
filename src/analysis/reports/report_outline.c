// SPDX-License-Identifier: Apache-2.0
// Shows the course of a step: modules, data loaders, backward passes, optimizers and ranges of the
// program in order. These are parts; the ops between two parts share one row. With a baseline the
// report replaces the Diff view of the PyTorch Profiler's plugin.
#include <string.h>

#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/tree_sums/tree_sums.h"
#include "base/text/format.h"
#include "model/markers/markers.h"

struct outline_row {
    const char *name, *kind;
    // name that matches the row in another profile: for a data loader or optimizer without its
    // class
    const char *known_as;
    const char *which; // class of a data loader or optimizer, or NULL
    // for a row of ops, the name of the part before it, "" if there is none; NULL for a part
    const char *after;
    const char *last;     // for a row of ops, the name of the last op
    uint32_t node;        // for a row of ops, the first node
    uint32_t opened_node; // node that Enter opens
    unsigned depth;
    bool has_children;
    uint32_t ops; // number of nodes in a row of ops
    int64_t gpu_ns, host_ns, calls, work;
};

static const struct outline_row *row_of(const void *row)
{
    return row;
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static struct value get_which(const void *row)
{
    return value_text(row_of(row)->which);
}

static struct value get_kind(const void *row)
{
    return value_text(row_of(row)->kind);
}

static struct value get_time(const void *row)
{
    const struct outline_row *r = row;
    return value_integer(r->gpu_ns ? r->gpu_ns : r->host_ns);
}

static struct value get_gpu(const void *row)
{
    return value_integer(row_of(row)->gpu_ns);
}

static struct value get_host(const void *row)
{
    return value_integer(row_of(row)->host_ns);
}

static struct value get_calls(const void *row)
{
    return value_integer(row_of(row)->calls);
}

static struct value get_work(const void *row)
{
    return value_integer(row_of(row)->work);
}

static const struct column columns[] = {
    {"name", "Name", "name", UNIT_TEXT, get_name,
     "A part of the step, or the ops between two of them. Numbered siblings are one row until "
     "unfolded.",
     COLUMN_NAME},
    {"kind", "Kind", "kind", UNIT_TEXT, get_kind,
     "step, module, data loader, optimizer, backward, range, or ops: what lies between others.", 0},
    {"which", "Which", "which", UNIT_TEXT, get_which,
     "Of a data loader or an optimizer its class, which a comparison does not go by.",
     COLUMN_WIDE | COLUMN_IDENTIFIES},
    {"time", "Time (ns)", "time", UNIT_NS, get_time,
     "GPU time; of what launches nothing, host time. Rows nest.",
     COLUMN_BAR | COLUMN_NOT_ADDITIVE | COLUMN_HOST},
    {"gpu", "Exclusive GPU Time (ns)", "GPU", UNIT_NS, get_gpu,
     "Time in which work launched here alone keeps its GPU from being idle, as in `ops`.",
     COLUMN_NOT_ADDITIVE | COLUMN_ALL_GPUS},
    {"host", "Host Time (ns)", "host", UNIT_NS, get_host,
     "Length of the host ranges, waiting included, accumulated over calls.",
     COLUMN_NOT_ADDITIVE | COLUMN_HOST | COLUMN_TIMED},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls, "Number of host ranges.",
     COLUMN_NOT_ADDITIVE | COLUMN_HOST | COLUMN_SELF},
    {"work", "GPU Ops", "GPU ops", UNIT_COUNT, get_work,
     "Kernels, copies, memsets and graph replays launched here.",
     COLUMN_NOT_ADDITIVE | COLUMN_ALL_GPUS},
};

// ---- parts --------------------------------------------------------------------------------------

static const char data_loader[] = "data loader", optimizer[] = "optimizer";

// Returns the kind of a part, or NULL for an op, which is not a part by itself.
static const char *part_kind(const struct profile *profile, const struct op_tree *tree,
                             uint32_t node)
{
    const struct marker *marker =
        tree->marker[node] == ROW_NONE ? NULL : &profile->markers[tree->marker[node]];
    switch (tree->kind[node]) {
    case NODE_STEP:
        return "step";
    case NODE_OP:
        return NULL;
    case NODE_BACKWARD:
        return "backward";
    case NODE_LAYER:
        return "module";
    case NODE_OUTSIDE:
        return "outside";
    default:
        break;
    }
    if (marker && marker->kind == MARKER_DATALOADER)
        return data_loader;
    if (marker && marker->kind == MARKER_OPTIMIZER)
        return optimizer;
    return marker && marker->kind == MARKER_LAYER ? "module" : "range";
}

// Returns false for ops, nodes of the backward graph, optimizers and data loaders, whose insides
// are not shown.
static bool shows_children(const struct profile *profile, const struct op_tree *tree, uint32_t node)
{
    const struct marker *marker =
        tree->marker[node] == ROW_NONE ? NULL : &profile->markers[tree->marker[node]];
    return tree->kind[node] != NODE_OP && tree->kind[node] != NODE_BACKWARD &&
           !(marker && (marker->kind == MARKER_DATALOADER || marker->kind == MARKER_OPTIMIZER));
}

struct outline_build {
    const struct profile *profile;
    const struct op_tree *tree;
    const struct tree_sum *sums;
    unsigned base;
    struct outline_row *rows;
    size_t count;
    uint32_t *ops_row; // by node: row + 1 of the current row of ops among its children
    const char **part; // by node: name of its latest part
    bool *has_parts;   // by node: true if any child is a part
    struct arena *arena;
};

static void row_add_sums(struct outline_row *row, const struct tree_sum *sum)
{
    sum_add(&row->gpu_ns, sum->exclusive_ns);
    sum_add(&row->host_ns, sum->cpu_ns);
    row->calls += sum->calls;
    row->work += sum->work_count;
}

static struct outline_row *row_add(struct outline_build *outline, uint32_t node, const char *kind)
{
    struct outline_row *row = &outline->rows[outline->count++];
    *row = (struct outline_row){
        .name = profile_text(outline->profile, outline->tree->name[node]),
        .kind = kind,
        .node = node,
        .opened_node = node,
        .depth = outline->tree->depth[node] - outline->base,
    };
    if (outline->count > 1 && row->depth > row[-1].depth)
        row[-1].has_children = true;
    return row;
}

static void add_op(struct outline_build *outline, uint32_t node)
{
    uint32_t parent = outline->tree->parent[node];
    if (!outline->has_parts[parent])
        return; // the row of the parent includes these ops
    if (!outline->ops_row[parent]) {
        struct outline_row *row = row_add(outline, node, "ops");
        row->after = outline->part[parent] ? outline->part[parent] : "";
        row->opened_node = parent;
        outline->ops_row[parent] = (uint32_t)outline->count;
    }
    struct outline_row *row = &outline->rows[outline->ops_row[parent] - 1];
    row->ops++;
    row->last = profile_text(outline->profile, outline->tree->name[node]);
    row_add_sums(row, &outline->sums[node]);
}

static void add_part(struct outline_build *outline, uint32_t node, const char *kind)
{
    uint32_t parent = outline->tree->parent[node];
    struct outline_row *row = row_add(outline, node, kind);
    row_add_sums(row, &outline->sums[node]);
    uint32_t members = outline->tree->member_count ? outline->tree->member_count[node] : 1;
    row->known_as = row->name;
    const char *sign = kind == data_loader || kind == optimizer ? strchr(row->name, '#') : NULL;
    // "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "Optimizer.step#SGD.step"
    if (sign) {
        row->which = sign + 1;
        row->known_as = arena_format(outline->arena, "%.*s", (int)(sign - row->name), row->name);
    }
    outline->part[parent] = row->known_as;
    outline->ops_row[parent] = 0;
    if (members > 1)
        row->name = arena_format(outline->arena, "%s x%u", row->name, members);
}

static void name_ops_rows(struct outline_build *outline)
{
    char count[FORMAT_SIZE];
    for (size_t r = 0; r < outline->count; r++) {
        struct outline_row *row = &outline->rows[r];
        if (!row->after)
            continue;
        if (row->ops == 1)
            row->opened_node = row->node;
        else
            row->name = arena_format(outline->arena, "(%s: %s ... %s)",
                                     format_counted(count, row->ops, "op"), row->name, row->last);
    }
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    const struct op_tree *tree = selection_tree(profile, selection);
    uint32_t first = selection->node == ROW_NONE ? 1 : selection->node;
    uint32_t end = selection->node == ROW_NONE ? tree->count : tree->subtree_end[selection->node];
    struct outline_build outline = {
        .profile = profile,
        .tree = tree,
        .sums = tree_sums(profile, selection, arena),
        .base = first < tree->count ? tree->depth[first] : 0,
        .rows = ARENA_ARRAY(arena, struct outline_row, tree->count + 1),
        .ops_row = ARENA_ARRAY(arena, uint32_t, tree->count + 1),
        .part = ARENA_ARRAY(arena, const char *, tree->count + 1),
        .has_parts = ARENA_ARRAY(arena, bool, tree->count + 1),
        .arena = arena,
    };
    outline.has_parts[0] = true;
    for (uint32_t n = first; n < end; n++)
        outline.has_parts[tree->parent[n]] |=
            outline.sums[n].below > 0 && part_kind(profile, tree, n) != NULL;
    for (uint32_t n = first; n < end;) {
        const char *kind = part_kind(profile, tree, n);
        if (outline.sums[n].below > 0 && kind)
            add_part(&outline, n, kind);
        else if (outline.sums[n].below > 0)
            add_op(&outline, n);
        n = outline.sums[n].below > 0 && shows_children(profile, tree, n) ? n + 1
                                                                          : tree->subtree_end[n];
    }
    name_ops_rows(&outline);
    return (struct rows){
        .items = outline.rows,
        .count = outline.count,
        .empty = outline.count ? NULL : "Nothing of this selection has GPU work or ranges.",
    };
}

// ---- the report ---------------------------------------------------------------------------------

static struct row_match row_match(const void *row)
{
    const struct outline_row *r = row;
    return r->after ? (struct row_match){{"ops", r->after}}
                    : (struct row_match){{r->kind, r->known_as}};
}

static bool row_is_step(const void *row)
{
    return strcmp(row_of(row)->kind, "step") == 0;
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->node;
}

static unsigned row_depth(const void *row)
{
    return row_of(row)->depth;
}

static bool row_has_children(const void *row)
{
    return row_of(row)->has_children;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->node = row_of(row)->opened_node;
    selection->with_backward = false;
    return "operators";
}

const struct report report_outline = {
    .name = "outline",
    .title = "What happens in a step",
    .doc =
        "Modules, data loaders, backward passes, optimizers and ranges in the order in which they "
        "come first, and what lies between them. With a baseline it is what the Diff view of the "
        "PyTorch Profiler's plugin told: parts of a kind and name match in order, what lies "
        "between them matches as a whole; one goes from a part to its operators, of both sides.",
    .row_size = sizeof(struct outline_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .build = build,
    .id = row_id,
    .match = row_match,
    .is_step = row_is_step,
    .apart = "nest",
    .depth = row_depth,
    .has_children = row_has_children,
    .narrow = row_narrow,
};
