// SPDX-License-Identifier: Apache-2.0
// Sums idle time by cause. The rows add up to the idle time of the selection.
#include "analysis/idle/idle_groups.h"
#include "analysis/idle/idle_text.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/sums/work_text.h"
#include "analysis/tree_sums/tree_sums.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "base/text/format.h"

struct idle_row {
    enum idle_cause cause;
    int64_t ns, inferred_ns, longest_ns;
    int64_t parts;              // number of idle intervals with this cause
    int64_t window_ns, idle_ns; // wholes of the two shares
    const char *place, *evidence;
};

static const struct idle_row *row_of(const void *row)
{
    return row;
}

static struct value get_cause(const void *row)
{
    return value_text(idle_causes[row_of(row)->cause].title);
}

static struct value get_time(const void *row)
{
    return value_integer(row_of(row)->ns);
}

static struct value get_share(const void *row)
{
    return value_share(row_of(row)->ns, row_of(row)->window_ns);
}

static struct value get_idle_share(const void *row)
{
    return value_share(row_of(row)->ns, row_of(row)->idle_ns);
}

static struct value get_parts(const void *row)
{
    return value_integer(row_of(row)->parts);
}

static struct value get_longest(const void *row)
{
    return value_integer(row_of(row)->longest_ns);
}

static struct value get_place(const void *row)
{
    return value_text(row_of(row)->place);
}

static struct value get_evidence(const void *row)
{
    return value_text(row_of(row)->evidence);
}

static struct value get_inferred(const void *row)
{
    return value_share(row_of(row)->inferred_ns, row_of(row)->ns);
}

static struct value get_key(const void *row)
{
    return value_text(idle_causes[row_of(row)->cause].key);
}

static struct value get_doc(const void *row)
{
    return value_text(idle_causes[row_of(row)->cause].doc);
}

static const struct column columns[] = {
    {"cause", "Cause", "cause", UNIT_TEXT, get_cause,
     "Why nothing runs on the GPU. Each instant has one cause, the first in a fixed order.",
     COLUMN_NAME},
    {"idle", "Idle Time (ns)", "idle", UNIT_NS, get_time,
     "Idle time with this cause. All rows together are the GPU's idle time.",
     COLUMN_BAR | COLUMN_SUM},
    {"share", "Share of Step (%)", "%step", UNIT_PERCENT, get_share,
     "Of the selected iterations by the GPU's clock; without steps, of the time from the first "
     "GPU work to the last.",
     COLUMN_SHARE},
    {"idle_share", "Share of Idle (%)", "%idle", UNIT_PERCENT, get_idle_share,
     "Of all idle time in the selection.", COLUMN_WIDE},
    {"parts", "Stretches", "parts", UNIT_COUNT, get_parts,
     "Stretches of idle time with this cause; a gap may have several.", COLUMN_SUM | COLUMN_WIDE},
    {"longest", "Longest (ns)", "longest", UNIT_NS, get_longest, "The longest stretch.",
     COLUMN_WIDE},
    {"evidence", "Evidence", "evidence", UNIT_TEXT, get_evidence,
     "What shows half of it or more: the call, range, OS call or overhead that the thread was in, "
     "or the "
     "work that was waited for. A host that comes late is shown by the launch that ended the gap.",
     0},
    {"place", "Place", "where", UNIT_TEXT, get_place,
     "The place in the op tree that holds four fifths of it or more.", 0},
    {"inferred", "Inferred (%)", "inferred", UNIT_PERCENT, get_inferred,
     "Share of it that follows from what usually is so, not from a row that says it.",
     COLUMN_DETAIL},
    {"key", "Key", "key", UNIT_TEXT, get_key, "Stable name of the cause.", COLUMN_DETAIL},
    {"rule", "Rule", "rule", UNIT_TEXT, get_doc, "When an instant has this cause.",
     COLUMN_DETAIL | COLUMN_QUOTED},
};

// ---- building ----------------------------------------------------------------------------------

struct idle_cause_sums { // of one cause
    struct idle_row row;
    int64_t *node_ns; // by node of the selection's tree; NULL before the first group
    int64_t best_ns;  // of the evidence with the largest total
    enum evidence_kind best_kind;
    string_id best_name;
};

struct idle_builder {
    const struct profile *profile;
    const struct selection *selection;
    const struct op_tree *tree;
    struct arena *arena, *scratch;
    struct idle_cause_sums causes[IDLE_CAUSES];
    struct id_map names; // (name, kind, cause) -> index of name_ns + 1
    size_t name_count, name_capacity;
    int64_t *name_ns;
    struct idle_row *rows;
    size_t row_count;
    int64_t idle_ns;
};

static void add_evidence(struct idle_builder *builder, struct idle_cause_sums *sums,
                         const struct idle_group *group)
{
    if (group->name == STRING_NONE)
        return;
    uint32_t *slot =
        id_map_slot(&builder->names, (struct id_key){group->name, group->kind, group->cause});
    if (!*slot) {
        *slot = (uint32_t)builder->name_count + 1;
        ARENA_PUSH(builder->scratch, builder->name_ns, builder->name_count,
                   builder->name_capacity) = 0;
    }
    int64_t *sum = &builder->name_ns[*slot - 1];
    sum_add(sum, group->figures[IDLE_NS]);
    if (*sum <= sums->best_ns)
        return;
    sums->best_ns = *sum;
    sums->best_kind = (enum evidence_kind)group->kind;
    sums->best_name = group->name;
}

static void add_group(struct idle_builder *builder, const struct idle_group *group)
{
    struct idle_cause_sums *sums = &builder->causes[group->cause];
    if (!sums->node_ns)
        sums->node_ns = ARENA_ARRAY(builder->scratch, int64_t, (size_t)builder->tree->count + 1);
    sum_add(&sums->row.ns, group->figures[IDLE_NS]);
    sum_add(&sums->row.inferred_ns, group->figures[IDLE_INFERRED_NS]);
    sum_add(&sums->row.parts, group->figures[IDLE_PARTS]);
    sum_add(&sums->node_ns[group->node], group->figures[IDLE_NS]);
    sum_add(&builder->idle_ns, group->figures[IDLE_NS]);
    add_evidence(builder, sums, group);
}

static void finish(struct idle_builder *builder, struct idle_cause_sums *sums)
{
    const struct profile *profile = builder->profile;
    struct idle_row row = sums->row;
    uint32_t node = tree_dominant_node(builder->tree, sums->node_ns);
    if (node != ROW_NONE && node != 0)
        row.place = node_path_text(profile, builder->tree, node, builder->arena);
    if (sums->best_ns >= row.ns - sums->best_ns)
        row.evidence =
            idle_evidence_text(profile, sums->best_kind, sums->best_name, builder->arena);
    builder->rows[builder->row_count++] = row;
}

static void build_body(void *context, struct arena *scratch)
{
    struct idle_builder *builder = context;
    const struct profile *profile = builder->profile;
    const struct selection *selection = builder->selection;
    builder->scratch = scratch;
    builder->names.arena = scratch;
    int64_t window_ns = 0;
    const struct idle_sum *devices = idle_devices(profile, selection, scratch);
    for (uint32_t d = 0; d < profile->device_count; d++)
        sum_add(&window_ns, devices[d].window_ns);
    struct idle_groups groups = idle_groups_of(profile, selection, scratch);
    for (uint32_t g = 0; g < groups.count; g++)
        add_group(builder, &groups.items[g]);
    builder->rows = ARENA_ARRAY(builder->arena, struct idle_row, IDLE_CAUSES);
    for (int c = 0; c < IDLE_CAUSES; c++) {
        struct idle_cause_sums *sums = &builder->causes[c];
        sums->row.cause = (enum idle_cause)c;
        sums->row.window_ns = window_ns;
        sums->row.longest_ns = groups.longest_ns[c];
        if (sums->row.ns > 0)
            finish(builder, sums);
    }
    for (size_t i = 0; i < builder->row_count; i++)
        builder->rows[i].idle_ns = builder->idle_ns;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->stage < STAGE_READY || profile->work.count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    const char *outside = idle_outside_text(profile, selection, arena);
    if (outside)
        return (struct rows){.empty = outside};
    struct idle_builder builder = {.profile = profile,
                                   .selection = selection,
                                   .tree = selection_tree(profile, selection),
                                   .arena = arena};
    scratch_run(arena, build_body, &builder);
    if (builder.row_count == 0)
        return (struct rows){.empty = "No GPU is idle in what is selected."};
    char text[FORMAT_SIZE];
    return (struct rows){
        .items = builder.rows,
        .count = builder.row_count,
        .caption = arena_format(arena, "%s, which add up to the GPU's idle time",
                                format_counted(text, builder.row_count, "cause")),
    };
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->cause;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->idle_cause = row_of(row)->cause;
    return "idle_gaps";
}

const struct report report_idle = {
    .name = "idle",
    .title = "Idle by cause",
    .doc = "Why the GPUs are idle: every instant with nothing on a GPU has one cause.",
    .row_size = sizeof(struct idle_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .is_timed = true,
    .build = build,
    .sort = "-idle",
    .id = row_id,
    .narrow = row_narrow,
};
