// SPDX-License-Identifier: Apache-2.0
// Shows whether the figures can be trusted: which tables were read, which are missing, and which
// totals agree. Covers the whole profile, independent of the selection.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/breakdown/cover.h"
#include "analysis/report/dlprof_rules.h"
#include "analysis/report/report.h"
#include "analysis/sums/op_metrics.h"
#include "analysis/trust/trust.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/profile/recorder.h"
#include "model/profile/roles.h"

struct trust_row {
    const char *subject, *fact, *flag;
    int64_t value; // UNKNOWN for a fact without a number
    enum trust_state state;
};

static const struct trust_row *row_of(const void *row)
{
    return row;
}

static struct value get_subject(const void *row)
{
    return value_text(row_of(row)->subject);
}

static struct value get_fact(const void *row)
{
    return value_text(row_of(row)->fact);
}

static struct value get_value(const void *row)
{
    return value_integer(row_of(row)->value);
}

static struct value get_state(const void *row)
{
    return value_text(trust_state_names[row_of(row)->state]);
}

static struct value get_flag(const void *row)
{
    return value_text(row_of(row)->flag);
}

static const struct column columns[] = {
    {.key = "subject",
     .title = "Subject",
     .head = "subject",
     .unit = UNIT_TEXT,
     .get = get_subject,
     .doc = "What the fact is about."},
    {.key = "fact",
     .title = "Fact",
     .head = "fact",
     .unit = UNIT_TEXT,
     .get = get_fact,
     .doc = "What was found; (ns) where the value is a time.",
     .flags = COLUMN_NAME | COLUMN_QUOTED | COLUMN_SENTENCE},
    {.key = "value",
     .title = "Value",
     .head = "value",
     .unit = UNIT_COUNT,
     .get = get_value,
     .doc = "Count or nanoseconds."},
    {.key = "state",
     .title = "State",
     .head = "state",
     .unit = UNIT_TEXT,
     .get = get_state,
     .doc = "ok; info or warning: something is missing or does not agree; unknown: the file does "
            "not tell."},
    {.key = "flag",
     .title = "Option",
     .head = "option",
     .unit = UNIT_TEXT,
     .get = get_flag,
     .doc = "What would capture it: an option of nsys, or an argument of the PyTorch Profiler."},
};

struct trust {
    const struct profile *profile;
    struct arena *arena;
    struct trust_row *rows;
    size_t count, capacity;
    size_t warnings;
};

static struct trust_row *trust_add(struct trust *trust, enum trust_state state, const char *subject,
                                   int64_t value, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static struct trust_row *trust_add(struct trust *trust, enum trust_state state, const char *subject,
                                   int64_t value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = ARENA_ARRAY(trust->arena, char, (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    struct trust_row *row = &ARENA_PUSH(trust->arena, trust->rows, trust->count, trust->capacity);
    *row = (struct trust_row){.subject = subject, .fact = text, .value = value, .state = state};
    trust->warnings += state == TRUST_WARNING;
    return row;
}

// ---- files and tables ---------------------------------------------------------------------------

// Adds one row per file with its rank, host and clock correction.
static void add_clocks(struct trust *trust)
{
    const struct profile *profile = trust->profile;
    for (uint32_t i = 0; profile->source_count > 1 && i < profile->source_count; i++) {
        const struct source *source = &profile->sources[i];
        const struct clock *clock = &source->clock;
        const char *role = roles_text(&source->roles, trust->arena);
        char rank[40] = "no rank told", host[40] = "", spread[FORMAT_SIZE];
        if (source->rank != UNKNOWN)
            snprintf(rank, sizeof rank, "rank %" PRId64, source->rank);
        if (source->host_row != ROW_NONE)
            snprintf(host, sizeof host, " on host %u", source->host_row + 1);
        const char *alignment = !clock->is_aligned ? "clock not aligned"
                                : i == 0           ? "its clock is that of all"
                                : clock->spread == UNKNOWN
                                    ? "by its wall clock"
                                    : arena_format(trust->arena, "by collectives, half within %s",
                                                   format_duration(spread, clock->spread, true));
        trust_add(trust, clock->is_aligned ? TRUST_INFO : TRUST_WARNING, "clock",
                  clock->is_aligned ? clock->offset : UNKNOWN,
                  "%s%s%s%s: correction of its wall clock (ns), %s", rank, host, role ? ", " : "",
                  role ? role : "", alignment);
    }
}

static void add_sources(struct trust *trust)
{
    const struct profile *profile = trust->profile;
    for (uint32_t i = 0; i < profile->source_count; i++) {
        const struct source *source = &profile->sources[i];
        trust_add(trust, TRUST_INFO, "file", source->bytes, "%s (bytes): %s%s%s%s%s",
                  text_file_name(source->path, NULL), source->format,
                  source->version && *source->version ? " " : "",
                  source->version ? source->version : "",
                  source->schema && *source->schema ? ", schema " : "",
                  source->schema ? source->schema : "");
    }
    if (profile->file_window)
        trust_add(trust, TRUST_INFO, "file", UNKNOWN,
                  "a part of it was read, %s: counts and totals are of this part",
                  file_window_text(profile->file_window, trust->arena));
    add_clocks(trust);
    if (profile->mode_reason)
        trust_add(trust, TRUST_INFO, "mode", UNKNOWN, "%s", profile->mode_reason);
    for (size_t i = 0; i < profile->table_count; i++) {
        const struct table_count *table = &profile->tables[i];
        trust_add(trust, TRUST_OK, "rows", table->rows, "rows of %s", table->table);
    }
}

static bool is_noted(const struct profile *profile, const char *flag)
{
    for (size_t i = 0; i < profile->note_count; i++)
        if (profile->notes[i].flag && strcmp(profile->notes[i].flag, flag) == 0)
            return true;
    return false;
}

static void add_missing_tables(struct trust *trust)
{
    const struct profile *profile = trust->profile;
    const char *ranges = recorder_of(profile) == RECORDER_NSYS ? "NVTX ranges" : "ops";
    const struct {
        bool is_there;
        const char *what, *flag;
    } tables[] = {
        {profile->has_kernels, "kernels", "-t cuda"},
        {profile->has_api, "CUDA API calls", "-t cuda"},
        {profile->has_ranges, ranges, "-t nvtx"},
        {profile->has_osrt, "calls of the operating system", "-t osrt"},
        {profile->has_gpu_metrics, "GPU metrics", "--gpu-metrics-devices=cuda-visible"},
        {profile->has_memory_events || profile->has_allocations, "allocations",
         "--cuda-memory-usage=true"},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const char *option = recorder_option(profile, tables[i].flag);
        if (tables[i].is_there || !option || is_noted(profile, option))
            continue; // a note has details, or the profiler never records it
        trust_add(trust, TRUST_INFO, "missing", UNKNOWN, "the file holds no %s", tables[i].what)
            ->flag = option;
    }
}

static void add_capture(struct trust *trust)
{
    const struct profile *profile = trust->profile;
    const struct capture *capture = &profile->capture;
    if (capture->graph_mode && *capture->graph_mode)
        trust_add(trust, strcmp(capture->graph_mode, "node") == 0 ? TRUST_OK : TRUST_INFO,
                  "capture", UNKNOWN, "CUDA graphs are traced by %s", capture->graph_mode);
    if (capture->trace_options && *capture->trace_options)
        trust_add(trust, TRUST_INFO, "capture", UNKNOWN, "traced: %s", capture->trace_options);
    int64_t overhead = 0;
    for (uint32_t i = 0; i < profile->overheads.count; i++)
        overhead += AT(profile->overheads.end, i) - AT(profile->overheads.start, i);
    if (profile->has_overhead)
        trust_add(trust, TRUST_INFO, "capture", overhead,
                  "the profiler's own time (ns), all threads");
}

// ---- owners of GPU work -------------------------------------------------------------------------

// The state of a count of odd rows; unknown where the file has nothing to hold them against.
static enum trust_state owner_state(int64_t count, bool is_told)
{
    return !is_told ? TRUST_UNKNOWN : count ? TRUST_INFO : TRUST_OK;
}

static void add_owners(struct trust *trust)
{
    const struct profile *profile = trust->profile;
    const struct gpu_work *work = &profile->work;
    int64_t kernels = 0, no_launch = 0, no_range = 0, adopted = 0, captured = 0;
    for (uint32_t w = 0; w < work->count; w++) {
        uint32_t launch = AT(work->launch, w);
        bool is_adopted = HAS(work->flags) && AT(work->flags, w) & WORK_ADOPTED;
        kernels += profile->functions[AT(work->function, w)].kind == WORK_KERNEL;
        no_launch += launch == ROW_NONE;
        no_range += launch != ROW_NONE && HAS(profile->api.range) &&
                    AT(profile->api.range, launch) == ROW_NONE;
        adopted += is_adopted;
        captured += HAS(work->flags) && AT(work->flags, w) & WORK_CAPTURED;
    }
    char count[FORMAT_SIZE];
    trust_add(trust, TRUST_OK, "owners", work->count, "GPU work in all, %s",
              format_counted(count, (uint64_t)kernels, "kernel"));
    bool has_calls = profile->api.count > 0, has_ranges = profile->ranges.count > 0;
    if (!profile->lacks_times)
        trust_add(trust, owner_state(no_launch, has_calls), "owners", no_launch,
                  "GPU work without a launching call in the file");
    trust_add(trust, owner_state(no_range, has_ranges), "owners", no_range,
              "GPU work launched outside its thread's ranges");
    if (!profile->lacks_times)
        trust_add(trust, owner_state(adopted, has_ranges), "owners", adopted,
                  "GPU work adopted by a blocked thread's range");
    if (captured)
        trust_add(trust, TRUST_INFO, "owners", captured, "graph replays, placed where captured");
}

static void add_notes(struct trust *trust)
{
    const struct profile *profile = trust->profile;
    for (size_t i = 0; i < profile->note_count; i++) {
        const struct note *note = &profile->notes[i];
        struct trust_row *row =
            trust_add(trust, note->level == NOTE_WARNING ? TRUST_WARNING : TRUST_INFO, "note",
                      note->count, "%s", note->text);
        row->flag = note->flag && *note->flag ? note->flag : NULL;
    }
}

// ---- totals -------------------------------------------------------------------------------------

// Returns the length of the union of all work of a device. Rows are sorted by start.
static int64_t device_busy(const struct profile *profile, const struct device *device)
{
    int64_t busy = 0, covered = INT64_MIN;
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        busy += interval_union_add(&covered, AT(profile->work.start, w), AT(profile->work.end, w));
    return busy;
}

static void add_agreement(struct trust *trust, const char *subject, int64_t value, int64_t expected,
                          const char *what)
{
    if (value == expected)
        trust_add(trust, TRUST_OK, subject, value, "%s: agrees", what);
    else
        trust_add(trust, TRUST_WARNING, subject, value, "%s: differs, %" PRId64 " is due", what,
                  expected);
}

static void add_exclusive(struct trust *trust, int64_t busy)
{
    const struct profile *profile = trust->profile;
    const struct gpu_work *work = &profile->work;
    if (!HAS(work->exclusive))
        return;
    int64_t *by_function = ARENA_ARRAY(trust->arena, int64_t, (size_t)profile->function_count + 1);
    for (uint32_t w = 0; w < work->count; w++)
        by_function[AT(work->function, w)] += AT(work->exclusive, w);
    int64_t kernels = 0;
    for (uint32_t f = 0; f < profile->function_count; f++)
        kernels += by_function[f];
    bool lacks_times = profile->lacks_times; // without times nothing is known to overlap
    add_agreement(trust, "totals", kernels, busy,
                  lacks_times ? "kernel table, durations (ns)"
                              : "kernel table, exclusive time (ns)");
    const struct op_tree *tree = profile->tree;
    if (!tree || !HAS(work->node))
        return;
    int64_t *by_node = ARENA_ARRAY(trust->arena, int64_t, (size_t)tree->count + 1);
    for (uint32_t w = 0; w < work->count; w++)
        if (AT(work->node, w) < tree->count)
            by_node[AT(work->node, w)] += AT(work->exclusive, w);
    // Parents precede their children.
    for (uint32_t n = tree->count; n-- > 1;)
        if (tree->parent[n] < n)
            by_node[tree->parent[n]] += by_node[n];
    add_agreement(trust, "totals", tree->count ? by_node[0] : 0, busy,
                  lacks_times ? "op tree, durations (ns)" : "op tree, exclusive time (ns)");
}

// Adds the sums of durations. Kernels are summed and ops are unions per call; the difference is
// overlap. The facts fit into 80 columns, so that the column of values stays visible.
static void add_sums(struct trust *trust, const struct split *split, int64_t busy)
{
    const struct profile *profile = trust->profile;
    int64_t kernels = 0, memory = 0;
    for (uint32_t w = 0; w < profile->work.count; w++)
        *(work_is_kernel(profile, w) ? &kernels : &memory) += work_duration(profile, w);
    int64_t sum = kernels + memory;
    trust_add(trust, TRUST_INFO, "totals", sum, "all kernels: sum of durations (ns)");
    trust_add(trust, TRUST_INFO, "totals", memory, "of these copies and memsets (ns)");
    if (profile->lacks_times)
        return; // the overlap is unknown
    struct selection all = selection_all(split);
    struct op_metrics_list list = op_metrics_build(profile, &all, trust->arena);
    if (profile->ops) {
        int64_t ops = 0, overlap = 0;
        for (uint32_t i = 0; i < list.count; i++) {
            ops += list.items[i].times.metric[TIME_GPU].total;
            overlap += list.items[i].overlap_ns;
        }
        trust_add(trust, TRUST_INFO, "totals", ops, "all ops: unions per call, accumulated (ns)");
        add_agreement(trust, "totals", overlap, sum - ops, "overlap within calls (ns)");
    }
    trust_add(trust, TRUST_INFO, "totals", sum - busy, "overlap on the GPUs (ns): sum less union");
}

// Returns the rows with warnings first, otherwise in their order.
static struct trust_row *warnings_first(const struct trust *trust)
{
    struct trust_row *rows = ARENA_ARRAY(trust->arena, struct trust_row, trust->count + 1);
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < trust->count; i++)
            if ((trust->rows[i].state == TRUST_WARNING) == (pass == 0))
                rows[count++] = trust->rows[i];
    return rows;
}

static const char *caption_text(const struct trust *trust, const struct trust_checks *checks)
{
    char warnings[FORMAT_SIZE];
    const char *unknown = trust_names_text(checks, TRUST_UNKNOWN, trust->arena);
    return arena_format(trust->arena, "%s%s%zu of %zu checks ok%s%s",
                        trust->warnings ? format_counted(warnings, trust->warnings, "warning")
                                        : "all totals agree",
                        trust->warnings ? "; " : ", ", checks->counts[TRUST_OK], checks->count,
                        unknown ? "; not known: " : "", unknown ? unknown : "");
}

static struct rows trust_build(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    struct trust trust = {.profile = profile, .arena = arena};
    const struct trust_checks *checks = trust_checks_of(profile, selection, arena);
    for (size_t i = 0; i < checks->count; i++) {
        const struct trust_check *check = &checks->items[i];
        if (check->state != TRUST_WARNING) // its note tells it
            trust_add(&trust, check->state, "check", UNKNOWN, "%s: %s", check->name, check->text);
    }
    add_sources(&trust);
    add_missing_tables(&trust);
    add_capture(&trust);
    add_owners(&trust);
    add_notes(&trust);
    int64_t busy = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        int64_t own = device_busy(profile, &profile->devices[d]);
        busy += own;
        if (profile->devices[d].has_work)
            trust_add(&trust, TRUST_INFO, "totals", own, "GPU %" PRId64 ": %s of its work (ns)",
                      device_number(profile, d), profile->lacks_times ? "durations" : "union");
    }
    add_exclusive(&trust, busy);
    add_sums(&trust, selection->split, busy);
    trust_add(&trust, TRUST_INFO, "iterations", selection->split->count, "%s",
              selection->split->text ? selection->split->text : "");
    return (struct rows){
        .items = warnings_first(&trust),
        .count = trust.count,
        .caption = caption_text(&trust, checks),
    };
}

static uint64_t trust_id(const void *row)
{
    // Subject and fact do not depend on the selection.
    return text_id(text_id(0, row_of(row)->subject), row_of(row)->fact);
}

const struct report report_trust = {
    .name = "trust",
    .title = "Can it be trusted",
    .doc = "What was read and skipped, what has no launch or no range, how it was captured, and "
           "which totals agree.",
    .row_size = sizeof(struct trust_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = trust_build,
    .id = trust_id,
};
