// SPDX-License-Identifier: Apache-2.0
// NVTX ranges by name, projected onto the GPU: the figures of nsys's nvtx_gpu_proj_sum, and the
// ranges that launched nothing beside them. Adoption plays no part here.
#include "analysis/place.h"
#include "analysis/projection.h"
#include "analysis/report_list.h"
#include "analysis/stats_getters.h"
#include "base/format.h"
#include "base/sort.h"
#include "model/markers.h"
#include "model/tuples.h"

struct range_row {
    const char *name;
    uint32_t range; // the first of them
    bool is_start_end;
    bool is_step;       // "step 12": one of the steps itself
    uint32_t calls;     // selected ranges of this name
    uint32_t projected; // of them with GPU work
    int64_t range_ns, projected_range_ns;
    struct stats gpu;               // of the projected ones
    uint64_t ops, levels, children; // sums over the projected ones
};

static const struct range_row *row_of(const void *row)
{
    return row;
}

static struct value per_call(const void *row, uint64_t sum)
{
    const struct range_row *r = row;
    return r->projected ? value_real((double)sum / (double)r->projected) : value_none();
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static bool has_work(const void *row)
{
    return row_of(row)->projected > 0;
}

STATS_GETTERS(gpu, range_row, gpu)

static struct value get_calls(const void *row)
{
    return value_integer(has_work(row) ? row_of(row)->projected : row_of(row)->calls);
}

static struct value get_all_calls(const void *row)
{
    return value_integer(row_of(row)->calls);
}

static struct value get_range_time(const void *row)
{
    return value_integer(has_work(row) ? row_of(row)->projected_range_ns : row_of(row)->range_ns);
}

static struct value get_all_range_time(const void *row)
{
    return value_integer(row_of(row)->range_ns);
}

static struct value get_ops(const void *row)
{
    return value_integer((int64_t)row_of(row)->ops);
}

static struct value get_average_ops(const void *row)
{
    return per_call(row, row_of(row)->ops);
}

static struct value get_level(const void *row)
{
    return per_call(row, row_of(row)->levels);
}

static struct value get_children(const void *row)
{
    return per_call(row, row_of(row)->children);
}

static struct value get_style(const void *row)
{
    return value_text(row_of(row)->is_start_end ? "StartEnd" : "PushPop");
}

static const struct column columns[] = {
    {"range", "Range", "range", UNIT_TEXT, get_name,
     "The whole text of the range with its domain before it; in a comparison without seq, op_id "
     "and "
     "sizes.",
     COLUMN_NAME},
    {"style", "Style", "style", UNIT_TEXT, get_style,
     "PushPop (nested, of one thread) or StartEnd.", COLUMN_WIDE},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls,
     "Ranges of this name that launched GPU work, as nsys counts; for a name that never did, all "
     "of them.",
     0},
    {"ops", "GPU Ops", "GPU ops", UNIT_COUNT, get_ops,
     "API calls inside these ranges that launched kernels, copies, memsets or a graph; the launch "
     "of a whole graph is one.",
     COLUMN_APART | COLUMN_HOST},
    {"gpu_total", "Projected GPU Time (ns)", "GPU", UNIT_NS, get_gpu_total,
     "From the start of the first to the end of the last GPU work launched in a range, gaps "
     "included, summed over calls. Unknown where nothing was launched.",
     COLUMN_BAR | COLUMN_APART | COLUMN_HOST},
    {"gpu_avg", "Avg Projected GPU Time (ns)", "avg", UNIT_NS, get_gpu_avg, "Mean over the calls.",
     0},
    {"gpu_med", "Med Projected GPU Time (ns)", "median", UNIT_NS, get_gpu_med,
     "Median over the calls.", COLUMN_WIDE},
    {"gpu_min", "Min Projected GPU Time (ns)", "min", UNIT_NS, get_gpu_min,
     "The least of the calls.", COLUMN_WIDE},
    {"gpu_max", "Max Projected GPU Time (ns)", "max", UNIT_NS, get_gpu_max,
     "The most of the calls.", COLUMN_WIDE},
    {"gpu_std", "StdDev Projected GPU Time (ns)", "stddev", UNIT_NS, get_gpu_std,
     "Standard deviation of a sample (n - 1).", COLUMN_WIDE},
    {"range_total", "Total Range Time (ns)", "range time", UNIT_NS, get_range_time,
     "Length of the counted ranges on the host, summed.", 0},
    {"ops_avg", "Avg GPU Ops", "ops/call", UNIT_REAL, get_average_ops, "GPU ops per call.",
     COLUMN_WIDE},
    {"level", "Avg Range Level", "level", UNIT_REAL, get_level,
     "Mean depth: 0 where no range of the thread is around it.", COLUMN_WIDE},
    {"children", "Avg Children", "children", UNIT_REAL, get_children,
     "Mean number of ranges with GPU work directly inside.", COLUMN_WIDE},
    {"all_calls", "All Calls", "all calls", UNIT_COUNT, get_all_calls,
     "Ranges of this name, those without GPU work too.", COLUMN_WIDE | COLUMN_APART | COLUMN_HOST},
    {"all_range_total", "All Range Time (ns)", "all time", UNIT_NS, get_all_range_time,
     "Their length on the host, summed.", COLUMN_WIDE | COLUMN_APART | COLUMN_HOST},
};

// ---- one row per text and style ----------------------------------------------------------------

struct name_index {
    const struct profile *profile;
    bool is_bare; // seq, op_id and sizes, other ones in each run, tell nothing apart
    struct tuples texts;
    uint32_t *first; // range that has it first
    size_t count, capacity;
};

static string_id domain_of(const struct profile *profile, uint32_t range)
{
    uint32_t domain = range_label(&profile->ranges, range)->domain;
    return domain < profile->domain_count ? profile->domains[domain].name : STRING_NONE;
}

static uint32_t name_find(struct name_index *index, uint32_t range, struct arena *arena)
{
    const struct ranges *ranges = &index->profile->ranges;
    bool is_bare = index->is_bare;
    const int64_t text[] = {
        range_name(ranges, range),
        range_label(ranges, range)->style,
        domain_of(index->profile, range),
        is_bare ? SEQ_NONE : range_seq(ranges, range),
        is_bare ? SEQ_NONE : range_op_id(ranges, range),
        is_bare ? STRING_NONE : range_label(ranges, range)->sizes,
    };
    if (!index->texts.arena)
        tuples_open(&index->texts, arena, sizeof text / sizeof *text);
    uint32_t found = tuples_put(&index->texts, text);
    if (found == index->count)
        ARENA_PUSH(arena, index->first, index->count, index->capacity) = range;
    return found;
}

// ---- building ----------------------------------------------------------------------------------

struct projected { // by range
    int64_t *ns;   // meaningful where ops is not 0
    uint32_t *ops, *level, *children;
};

static struct projected project_all(const struct profile *profile,
                                    const struct selection *selection, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    const struct projector *projectors = projectors_new(profile, selection, arena);
    struct projected all = {
        .ns = ARENA_ARRAY(arena, int64_t, ranges->count),
        .ops = ARENA_ARRAY(arena, uint32_t, ranges->count),
        .level = ARENA_ARRAY(arena, uint32_t, ranges->count),
        .children = ARENA_ARRAY(arena, uint32_t, ranges->count),
    };
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t parent = ranges->parent ? ranges->parent[r] : ROW_NONE;
        if (parent != ROW_NONE) // a parent comes before its children
            all.level[r] = all.level[parent] + 1;
        if (range_is_away(ranges, r))
            continue;
        struct projection found =
            projector_find(&projectors[ranges->thread[r]], ranges->start[r], ranges->end[r]);
        all.ops[r] = found.ops;
        all.ns[r] = found.end - found.start;
        if (found.ops && parent != ROW_NONE)
            all.children[parent]++;
    }
    return all;
}

// The place of each name: by projected time as nsys has it, then what launched nothing, by its time
// on the host.
static uint32_t *name_places(const struct profile *profile, const struct projected *all,
                             const uint32_t *name_of, size_t names, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    int64_t *projected_ns = ARENA_ARRAY(arena, int64_t, names);
    int64_t *host_ns = ARENA_ARRAY(arena, int64_t, names);
    bool *has_ops = ARENA_ARRAY(arena, bool, names);
    for (uint32_t r = 0; r < ranges->count; r++) {
        if (name_of[r] == ROW_NONE)
            continue;
        sum_add(&host_ns[name_of[r]], ranges->end[r] - ranges->start[r]);
        if (all->ops[r] > 0) {
            sum_add(&projected_ns[name_of[r]], all->ns[r]);
            has_ops[name_of[r]] = true;
        }
    }
    const int64_t apart = INT64_MAX / 2; // far longer than any profile
    for (size_t i = 0; i < names; i++)
        host_ns[i] = has_ops[i] ? -apart - projected_ns[i] : -host_ns[i];
    uint32_t *order = sort_by_time(arena, host_ns, NULL, names);
    uint32_t *places = ARENA_ARRAY(arena, uint32_t, names);
    for (size_t i = 0; i < names; i++)
        places[order[i]] = (uint32_t)i;
    return places;
}

static void row_add(struct range_row *row, const struct ranges *ranges, const struct projected *all,
                    uint32_t range)
{
    int64_t ns = ranges->end[range] - ranges->start[range];
    row->calls++;
    sum_add(&row->range_ns, ns);
    if (all->ops[range] == 0)
        return;
    row->projected++;
    sum_add(&row->projected_range_ns, ns);
    row->ops += all->ops[range];
    row->levels += all->level[range];
    row->children += all->children[range];
}

static void fill_spread(struct range_row *rows, size_t count, const uint32_t *row_of_range,
                        const struct projected *all, uint32_t ranges, struct arena *arena)
{
    uint32_t *counts = ARENA_ARRAY(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        counts[i] = rows[i].projected;
    struct groups groups = groups_begin(counts, count, arena);
    for (uint32_t r = 0; r < ranges; r++)
        if (row_of_range[r] != ROW_NONE && all->ops[r])
            groups_add(&groups, row_of_range[r], all->ns[r]);
    for (size_t i = 0; i < count; i++)
        rows[i].gpu = groups_stats(&groups, i);
}

// The text of its domain and name alone.
static const char *bare_text(const struct profile *profile, uint32_t range, struct arena *arena)
{
    const char *name = profile_text(profile, range_name(&profile->ranges, range));
    const char *domain = profile_text(profile, domain_of(profile, range));
    return *domain ? arena_format(arena, "%s:%s", domain, name) : name;
}

static struct rows build_rows(const struct profile *profile, const struct selection *selection,
                              bool is_bare, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    if (ranges->count == 0)
        return (struct rows){.empty = profile->has_ranges ? "The profile has no NVTX ranges."
                                                          : "NVTX was not captured: nsys profile "
                                                            "--trace=cuda,nvtx records it."};
    struct projected all = project_all(profile, selection, arena);
    struct name_index index = {.profile = profile, .is_bare = is_bare};
    uint32_t *row_of_range = ARENA_ARRAY(arena, uint32_t, ranges->count);
    uint32_t selected = 0;
    for (uint32_t r = 0; r < ranges->count; r++) {
        // nsys leaves ranges without a text out; the trust report counts them.
        bool is_selected = (range_name(ranges, r) != STRING_NONE &&
                            strings_length(profile->strings, range_name(ranges, r)) > 0) &&
                           selection_has_range(profile, selection, r);
        row_of_range[r] = is_selected ? name_find(&index, r, arena) : ROW_NONE;
        selected += is_selected;
    }
    if (selected == 0)
        return (struct rows){.empty = "No NVTX range is in what is selected."};
    const uint32_t *places = name_places(profile, &all, row_of_range, index.count, arena);
    struct range_row *rows = ARENA_ARRAY(arena, struct range_row, index.count);
    for (size_t i = 0; i < index.count; i++) {
        struct range_row *row = &rows[places[i]];
        row->range = index.first[i];
        row->name = is_bare ? bare_text(profile, row->range, arena)
                            : range_text(profile, row->range, arena);
        row->is_step = profile->markers &&
                       range_label(ranges, row->range)->marker < profile->marker_count &&
                       range_marker(profile, row->range)->kind == MARKER_STEP;
        row->is_start_end = range_label(ranges, row->range)->style == RANGE_START_END;
    }
    for (uint32_t r = 0; r < ranges->count; r++) {
        if (row_of_range[r] == ROW_NONE)
            continue;
        row_of_range[r] = places[row_of_range[r]];
        row_add(&rows[row_of_range[r]], ranges, &all, r);
    }
    fill_spread(rows, index.count, row_of_range, &all, ranges->count, arena);
    char names[FORMAT_SIZE], count[FORMAT_SIZE];
    return (struct rows){
        .items = rows,
        .count = index.count,
        .caption = arena_format(arena, "%s of %s", format_counted(count, selected, "range"),
                                format_counted(names, index.count, "name")),
    };
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    return build_rows(profile, selection, false, arena);
}

static struct rows build_bare(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    return build_rows(profile, selection, true, arena);
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->range;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    if (!profile->tree)
        return NULL;
    uint32_t node = selection_range_node(profile, selection, row_of(row)->range);
    if (node == ROW_NONE)
        return NULL;
    selection->node = node;
    return "kernels";
}

// A step of a number is a part of no other step: there is nothing to compare it with.
static struct row_match row_match(const void *row)
{
    if (row_of(row)->is_step)
        return (struct row_match){0};
    return (struct row_match){{row_of(row)->name, row_of(row)->is_start_end ? "StartEnd" : NULL}};
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct place *place, struct arena *arena)
{
    (void)arena;
    return place_of_range_name(profile, selection, range_name(&profile->ranges, row_of(row)->range),
                               place);
}

#define RANGES                                                                                    \
    .name = "ranges", .title = "NVTX ranges",                                                     \
    .doc = "NVTX ranges by their whole text, projected onto the GPU as nsys's nvtx_gpu_proj_sum " \
           "does: work belongs to a range when its API call lies wholly inside, on the same "     \
           "thread. Replays of CUDA graphs traced as a whole count too. Ranges that launched "    \
           "nothing follow.",                                                                     \
    .row_size = sizeof(struct range_row), .column_count = sizeof columns / sizeof *columns,       \
    .columns = columns, .sort = "-gpu_total", .id = row_id, .narrow = row_narrow,                 \
    .place = row_place, .match = row_match, .apart = "nest"

// What is compared instead.
const struct report report_range_names = {RANGES, .build = build_bare};
const struct report report_ranges = {RANGES, .build = build, .stand_in = &report_range_names};
