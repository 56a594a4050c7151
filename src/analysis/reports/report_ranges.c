// SPDX-License-Identifier: Apache-2.0
// Projects NVTX ranges onto the GPU, by name, with the figures of nsys's nvtx_gpu_proj_sum, and
// lists the ranges that launched nothing as well. Adoption is not taken into account.
#include "analysis/breakdown/projection.h"
#include "analysis/place/row_place_find.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "base/tuples.h"
#include "model/markers/markers.h"
#include "model/profile/recorder.h"

// A range is projected to the time from the first to the last GPU work that it launched. A profile
// may have millions of names: most have no GPU work, and most of the others have it in a single
// range. To save memory, such a name has a projected_range; a name with several has a
// projected_name.
struct projected_name {
    struct stats gpu;
    int64_t range_ns;
    uint64_t ops, levels, children; // sums over the ranges
};

struct projected_range {
    int64_t ns, range_ns;
    uint32_t ops, level, children;
};

struct range_row {
    const char *name;
    union {
        struct projected_name *often;
        struct projected_range *once;
    } projected;
    int64_t range_ns;
    uint32_t range;                                                // the first range of this name
    uint32_t calls;                                                // selected ranges of this name
    enum { PROJECTED_NEVER, PROJECTED_ONCE, PROJECTED_OFTEN } has; // ranges with GPU work
    bool is_start_end;
    bool is_step; // "step 12": a range that marks a step
};

static const struct range_row *row_of(const void *row)
{
    return row;
}

static struct projected_name projection_of(const void *row)
{
    const struct range_row *r = row;
    if (r->has == PROJECTED_OFTEN)
        return *r->projected.often;
    if (r->has == PROJECTED_NEVER)
        return (struct projected_name){0};
    const struct projected_range *once = r->projected.once;
    return (struct projected_name){
        .gpu = {1, once->ns, once->ns, once->ns, (double)once->ns, (double)once->ns, 0},
        .range_ns = once->range_ns,
        .ops = once->ops,
        .levels = once->level,
        .children = once->children,
    };
}

static struct value per_call(const struct projected_name *projected, uint64_t sum)
{
    size_t calls = projected->gpu.count;
    return calls ? value_real((double)sum / (double)calls) : value_none();
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static bool has_work(const void *row)
{
    return row_of(row)->has != PROJECTED_NEVER;
}

#define GPU_GETTER(function, kind, field)                                                 \
    static struct value function(const void *row)                                         \
    {                                                                                     \
        return has_work(row) ? value_##kind(projection_of(row).gpu.field) : value_none(); \
    }
GPU_GETTER(get_gpu_total, integer, total)
GPU_GETTER(get_gpu_avg, real, mean)
GPU_GETTER(get_gpu_med, real, median)
GPU_GETTER(get_gpu_min, integer, min)
GPU_GETTER(get_gpu_max, integer, max)
GPU_GETTER(get_gpu_std, real, deviation)

static struct value get_calls(const void *row)
{
    return value_integer(has_work(row) ? (int64_t)projection_of(row).gpu.count
                                       : row_of(row)->calls);
}

static struct value get_all_calls(const void *row)
{
    return value_integer(row_of(row)->calls);
}

static struct value get_range_time(const void *row)
{
    return value_integer(has_work(row) ? projection_of(row).range_ns : row_of(row)->range_ns);
}

static struct value get_all_range_time(const void *row)
{
    return value_integer(row_of(row)->range_ns);
}

static struct value get_ops(const void *row)
{
    return value_integer((int64_t)projection_of(row).ops);
}

static struct value get_average_ops(const void *row)
{
    struct projected_name projected = projection_of(row);
    return per_call(&projected, projected.ops);
}

static struct value get_level(const void *row)
{
    struct projected_name projected = projection_of(row);
    return per_call(&projected, projected.levels);
}

static struct value get_children(const void *row)
{
    struct projected_name projected = projection_of(row);
    return per_call(&projected, projected.children);
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
     COLUMN_NOT_ADDITIVE | COLUMN_HOST},
    {"gpu_total", "Projected GPU Time (ns)", "GPU", UNIT_NS, get_gpu_total,
     "From the start of the first to the end of the last GPU work launched in a range, gaps "
     "included, summed over calls. Unknown where nothing was launched.",
     COLUMN_BAR | COLUMN_NOT_ADDITIVE | COLUMN_HOST | COLUMN_TIMED},
    {"gpu_avg", "Avg Projected GPU Time (ns)", "avg", UNIT_NS, get_gpu_avg, "Mean over the calls.",
     COLUMN_TIMED},
    {"gpu_med", "Med Projected GPU Time (ns)", "median", UNIT_NS, get_gpu_med,
     "Median over the calls.", COLUMN_WIDE | COLUMN_TIMED},
    {"gpu_min", "Min Projected GPU Time (ns)", "min", UNIT_NS, get_gpu_min,
     "The least of the calls.", COLUMN_WIDE | COLUMN_TIMED},
    {"gpu_max", "Max Projected GPU Time (ns)", "max", UNIT_NS, get_gpu_max,
     "The most of the calls.", COLUMN_WIDE | COLUMN_TIMED},
    {"gpu_std", "StdDev Projected GPU Time (ns)", "stddev", UNIT_NS, get_gpu_std,
     "Standard deviation of a sample (n - 1).", COLUMN_WIDE | COLUMN_TIMED},
    {"range_total", "Total Range Time (ns)", "range time", UNIT_NS, get_range_time,
     "Length of the counted ranges on the host, summed.", COLUMN_TIMED},
    {"ops_avg", "Avg GPU Ops", "ops/call", UNIT_REAL, get_average_ops, "GPU ops per call.",
     COLUMN_WIDE},
    {"level", "Avg Range Level", "level", UNIT_REAL, get_level,
     "Mean depth: 0 where no range of the thread is around it.", COLUMN_WIDE},
    {"children", "Avg Children", "children", UNIT_REAL, get_children,
     "Mean number of ranges with GPU work directly inside.", COLUMN_WIDE},
    {"all_calls", "All Calls", "all calls", UNIT_COUNT, get_all_calls,
     "Ranges of this name, those without GPU work too.",
     COLUMN_WIDE | COLUMN_NOT_ADDITIVE | COLUMN_HOST},
    {"all_range_total", "All Range Time (ns)", "all time", UNIT_NS, get_all_range_time,
     "Their length on the host, summed.",
     COLUMN_WIDE | COLUMN_NOT_ADDITIVE | COLUMN_HOST | COLUMN_TIMED},
};

// ---- one row per text and style -----------------------------------------------------------------

enum { NAME_NUMBERS = 4 }; // numbers that identify a text

struct name_index {
    const struct profile *profile;
    bool is_bare; // ignores seq, op_id and sizes, which differ between runs
    struct tuples texts;
    uint32_t *first; // first range of each name
    size_t count;
};

static string_id domain_of(const struct profile *profile, uint32_t range)
{
    uint32_t domain = range_label(&profile->ranges, range)->domain;
    return domain < profile->domain_count ? profile->domains[domain].name : STRING_NONE;
}

static uint32_t name_find(struct name_index *index, uint32_t range)
{
    const struct ranges *ranges = &index->profile->ranges;
    bool is_bare = index->is_bare;
    const struct range_label *label = range_label(ranges, range);
    const int64_t text[NAME_NUMBERS] = {
        (int64_t)label->name << 32 | domain_of(index->profile, range),
        (int64_t)(is_bare ? STRING_NONE : label->sizes) << 32 | label->style,
        is_bare ? SEQ_NONE : range_seq(ranges, range),
        is_bare ? SEQ_NONE : range_op_id(ranges, range),
    };
    uint32_t index_of_text = tuples_put(&index->texts, text);
    if (index_of_text == index->count)
        index->first[index->count++] = range;
    return index_of_text;
}

// ---- building -----------------------------------------------------------------------------------

struct projected_ranges { // by range
    int64_t *ns;          // valid if ops is not 0
    uint32_t *ops, *level, *children;
};

static struct projected_ranges project_all(const struct profile *profile,
                                           const struct selection *selection, struct arena *arena,
                                           struct arena *temp)
{
    const struct ranges *ranges = &profile->ranges;
    const struct projector *projectors = projectors_new(profile, selection, temp);
    struct projected_ranges projected = {
        .ns = ARENA_ARRAY(arena, int64_t, ranges->count),
        .ops = ARENA_ARRAY(arena, uint32_t, ranges->count),
        .level = ARENA_ARRAY(arena, uint32_t, ranges->count),
        .children = ARENA_ARRAY(arena, uint32_t, ranges->count),
    };
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t parent = HAS(ranges->parent) ? AT(ranges->parent, r) : ROW_NONE;
        if (parent != ROW_NONE) // parents precede their children
            projected.level[r] = projected.level[parent] + 1;
        if (range_is_cross_thread(ranges, r))
            continue;
        struct projection projection = projector_find(&projectors[range_thread(ranges, r)],
                                                      AT(ranges->start, r), AT(ranges->end, r));
        projected.ops[r] = projection.ops;
        projected.ns[r] = projection.end - projection.start;
        if (projection.ops && parent != ROW_NONE)
            projected.children[parent]++;
    }
    return projected;
}

// Returns the position of each name in the report. Names with GPU work come first, by projected
// time as in nsys; the others follow by their time on the host.
static uint32_t *name_positions(const struct profile *profile,
                                const struct projected_ranges *projected, const uint32_t *name_of,
                                size_t names, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    int64_t *projected_ns = ARENA_ARRAY(arena, int64_t, names);
    int64_t *host_ns = ARENA_ARRAY(arena, int64_t, names);
    int64_t *group = ARENA_ARRAY(arena, int64_t, names); // -1 for names with GPU work
    for (uint32_t r = 0; r < ranges->count; r++) {
        if (name_of[r] == ROW_NONE)
            continue;
        sum_add(&host_ns[name_of[r]], AT(ranges->end, r) - AT(ranges->start, r));
        if (projected->ops[r] > 0) {
            sum_add(&projected_ns[name_of[r]], projected->ns[r]);
            group[name_of[r]] = -1;
        }
    }
    for (size_t i = 0; i < names; i++)
        host_ns[i] = group[i] ? -projected_ns[i] : -host_ns[i];
    uint32_t *order = sort_by_time(arena, group, host_ns, names);
    uint32_t *positions = ARENA_ARRAY(arena, uint32_t, names);
    for (size_t i = 0; i < names; i++)
        positions[order[i]] = (uint32_t)i;
    return positions;
}

static void row_add(struct range_row *row, const struct ranges *ranges,
                    const struct projected_ranges *projections, uint32_t range)
{
    int64_t ns = AT(ranges->end, range) - AT(ranges->start, range);
    row->calls++;
    sum_add(&row->range_ns, ns);
    if (projections->ops[range] == 0)
        return;
    if (row->has == PROJECTED_ONCE) {
        *row->projected.once =
            (struct projected_range){projections->ns[range], ns, projections->ops[range],
                                     projections->level[range], projections->children[range]};
        return;
    }
    struct projected_name *projected = row->projected.often;
    sum_add(&projected->range_ns, ns);
    projected->ops += projections->ops[range];
    projected->levels += projections->level[range];
    projected->children += projections->children[range];
}

// Returns the domain and name of a range, without its numbers and sizes.
static const char *bare_text(const struct profile *profile, uint32_t range, struct arena *arena)
{
    const char *name = profile_text(profile, range_name(&profile->ranges, range));
    const char *domain = profile_text(profile, domain_of(profile, range));
    return *domain ? arena_format(arena, "%s:%s", domain, name) : name;
}

struct ranges_builder {
    const struct profile *profile;
    const struct selection *selection;
    bool is_bare;
    struct arena *arena; // holds the rows
    struct projected_ranges all;
    // by range: its row, or ROW_NONE if it is not selected. Until make_rows(), the index of its
    // name.
    uint32_t *row_of_range;
    uint32_t *first;        // by name: its first range
    size_t names, selected; // numbers of names and of selected ranges
    struct range_row *rows;
};

static void find_names(struct ranges_builder *builder, struct arena *scratch, struct arena *temp)
{
    const struct profile *profile = builder->profile;
    const struct ranges *ranges = &profile->ranges;
    struct name_index index = {.profile = profile,
                               .is_bare = builder->is_bare,
                               .first = ARENA_ARRAY(scratch, uint32_t, ranges->count)};
    tuples_open(&index.texts, temp, NAME_NUMBERS);
    builder->row_of_range = ARENA_ARRAY(scratch, uint32_t, ranges->count);
    for (uint32_t r = 0; r < ranges->count; r++) {
        // nsys leaves out ranges without text; the trust report counts them.
        bool is_selected = (range_name(ranges, r) != STRING_NONE &&
                            strings_length(profile->strings, range_name(ranges, r)) > 0) &&
                           selection_has_range(profile, builder->selection, r);
        builder->row_of_range[r] = is_selected ? name_find(&index, r) : ROW_NONE;
        builder->selected += is_selected;
    }
    builder->first = index.first;
    builder->names = index.count;
}

static void make_rows(struct ranges_builder *builder, struct arena *temp)
{
    const struct profile *profile = builder->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *row_of_range = builder->row_of_range;
    const uint32_t *positions =
        name_positions(profile, &builder->all, row_of_range, builder->names, temp);
    builder->rows = ARENA_ARRAY(builder->arena, struct range_row, builder->names);
    for (size_t i = 0; i < builder->names; i++) {
        struct range_row *row = &builder->rows[positions[i]];
        row->range = builder->first[i];
        row->is_step = profile->markers &&
                       range_label(ranges, row->range)->marker < profile->marker_count &&
                       range_marker(profile, row->range)->kind == MARKER_STEP;
        row->is_start_end = range_label(ranges, row->range)->style == RANGE_START_END;
    }
    for (uint32_t r = 0; r < ranges->count; r++)
        if (row_of_range[r] != ROW_NONE)
            row_of_range[r] = positions[row_of_range[r]];
}

// Fills the sums of the rows. Names with GPU work precede all others.
static void project_rows(struct ranges_builder *builder, struct arena *temp)
{
    const struct ranges *ranges = &builder->profile->ranges;
    const uint32_t *row_of_range = builder->row_of_range;
    uint32_t *counts = ARENA_ARRAY(temp, uint32_t, builder->names);
    for (uint32_t r = 0; r < ranges->count; r++)
        if (row_of_range[r] != ROW_NONE && builder->all.ops[r])
            counts[row_of_range[r]]++;
    size_t projected = 0, often = 0;
    for (; projected < builder->names && counts[projected]; projected++)
        often += counts[projected] > 1;
    struct projected_name *sums = ARENA_ARRAY(builder->arena, struct projected_name, often + 1);
    struct projected_range *ones =
        ARENA_ARRAY(builder->arena, struct projected_range, projected - often + 1);
    for (size_t i = 0; i < projected; i++) {
        struct range_row *row = &builder->rows[i];
        row->has = counts[i] > 1 ? PROJECTED_OFTEN : PROJECTED_ONCE;
        if (row->has == PROJECTED_OFTEN)
            row->projected.often = sums++;
        else
            row->projected.once = ones++;
        counts[i] = row->has == PROJECTED_OFTEN ? counts[i] : 0;
    }
    struct figure_groups groups = groups_begin(counts, projected, temp);
    for (uint32_t r = 0; r < ranges->count; r++) {
        if (row_of_range[r] == ROW_NONE)
            continue;
        struct range_row *row = &builder->rows[row_of_range[r]];
        row_add(row, ranges, &builder->all, r);
        if (builder->all.ops[r] && row->has == PROJECTED_OFTEN)
            groups_add(&groups, row_of_range[r], builder->all.ns[r]);
    }
    for (size_t i = 0; i < projected; i++)
        if (builder->rows[i].has == PROJECTED_OFTEN)
            builder->rows[i].projected.often->gpu = groups_stats(&groups, i);
}

// Formats the names. Most texts take several steps, so temporaries are freed every ROWS_PER_RESET
// rows.
static void name_rows(struct ranges_builder *builder, struct arena *temp)
{
    enum { ROWS_PER_RESET = 1024 };
    for (size_t i = 0; i < builder->names; i++) {
        struct range_row *row = &builder->rows[i];
        size_t before = arena_bytes(temp);
        const char *text = builder->is_bare ? bare_text(builder->profile, row->range, temp)
                                            : range_text(builder->profile, row->range, temp);
        row->name = arena_bytes(temp) > before ? arena_text(builder->arena, text) : text;
        if (i % ROWS_PER_RESET == ROWS_PER_RESET - 1)
            arena_reset(temp);
    }
}

// Resets `temp` after each phase, since temporary data is many times the size of the rows.
static void build_body(void *context, struct arena *scratch, struct arena *temp)
{
    struct ranges_builder *builder = context;
    builder->all = project_all(builder->profile, builder->selection, scratch, temp);
    arena_reset(temp);
    find_names(builder, scratch, temp);
    arena_reset(temp);
    if (builder->selected == 0)
        return;
    make_rows(builder, temp);
    arena_reset(temp);
    project_rows(builder, temp);
    arena_reset(temp);
    name_rows(builder, temp);
}

static struct rows build_rows(const struct profile *profile, const struct selection *selection,
                              bool is_bare, struct arena *arena)
{
    if (profile->ranges.count == 0)
        return (struct rows){.empty = profile->has_ranges
                                          ? "The profile has no NVTX ranges."
                                          : recorder_lack_text(profile, LACKS_RANGES)};
    struct ranges_builder builder = {
        .profile = profile, .selection = selection, .is_bare = is_bare, .arena = arena};
    scratch_run_two(arena, build_body, &builder);
    if (builder.selected == 0)
        return (struct rows){.empty = "No NVTX range is in what is selected."};
    char names[FORMAT_SIZE], count[FORMAT_SIZE];
    return (struct rows){
        .items = builder.rows,
        .count = builder.names,
        .caption = arena_format(arena, "%s of %s", format_counted(count, builder.selected, "range"),
                                format_counted(names, builder.names, "name")),
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

// A range that marks one step matches nothing, since no other step contains it.
static struct row_match row_match(const void *row)
{
    if (row_of(row)->is_step)
        return (struct row_match){0};
    return (struct row_match){{row_of(row)->name, row_of(row)->is_start_end ? "StartEnd" : NULL}};
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)arena;
    return place_of_range_name(profile, selection, range_name(&profile->ranges, row_of(row)->range),
                               place);
}

#define RANGES_REPORT                                                                             \
    .name = "ranges", .title = "NVTX ranges",                                                     \
    .doc = "NVTX ranges by their whole text, projected onto the GPU as nsys's nvtx_gpu_proj_sum " \
           "does: work belongs to a range when its API call lies wholly inside, on the same "     \
           "thread. Replays of CUDA graphs traced as a whole count too. Ranges that launched "    \
           "nothing follow.",                                                                     \
    .row_size = sizeof(struct range_row), .column_count = sizeof columns / sizeof *columns,       \
    .columns = columns, .sort = "-gpu_total", .id = row_id, .narrow = row_narrow,                 \
    .place = row_place, .match = row_match, .apart = "nest"

// Comparisons use this report instead of `ranges`.
const struct report report_range_names = {RANGES_REPORT, .build = build_bare};
const struct report report_ranges = {RANGES_REPORT, .build = build,
                                     .comparison_report = &report_range_names};
