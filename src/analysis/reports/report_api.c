// SPDX-License-Identifier: Apache-2.0
// Sums CUDA API calls by name, with the figures of nsys's cuda_api_sum.
#include <string.h>

#include "analysis/report/report.h"
#include "analysis/report/stats_getters.h"
#include "analysis/sums/api_times.h"
#include "analysis/sums/work_text.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "base/text/format.h"
#include "model/profile/api_name.h"

struct api_row {
    const char *name;     // name without the version suffix that CUPTI adds
    const char *known_as; // name without any version, which matches the row in another profile
    string_id first;      // name of the first call as recorded
    struct stats time;
    int64_t all_ns;           // total of all rows, the whole of the share
    int64_t self_ns, wait_ns; // see api_times.h; wait_ns is UNKNOWN without synchronisation records
    uint32_t calls, launches; // launches: calls that launched GPU work
    // failed: number of calls with an error; thread: of the call added last
    uint32_t failed, thread;
    bool has_threads; // true if several threads made the calls
    string_id line;   // source line with the largest total; STRING_NONE if unknown
    const struct profile *profile;
};

static const struct api_row *row_of(const void *row)
{
    return row;
}

static struct value get_name(const void *row)
{
    return value_text(*row_of(row)->name ? row_of(row)->name : "(no name)");
}

static struct value get_share(const void *row)
{
    const struct api_row *r = row;
    return value_share(r->time.total, r->all_ns);
}

static struct value get_calls(const void *row)
{
    return value_integer((int64_t)row_of(row)->time.count);
}

STATS_GETTERS(time, api_row, time)

static struct value get_launches(const void *row)
{
    return value_integer(row_of(row)->launches);
}

static struct value get_self(const void *row)
{
    return value_integer(row_of(row)->self_ns);
}

static struct value get_wait(const void *row)
{
    return value_integer(row_of(row)->wait_ns);
}

static struct value get_failed(const void *row)
{
    return row_of(row)->profile->has_api_results ? value_integer(row_of(row)->failed)
                                                 : value_none();
}

static struct value get_line(const void *row)
{
    const struct api_row *r = row;
    return r->line == STRING_NONE ? value_none() : value_text(profile_text(r->profile, r->line));
}

static const struct column columns[] = {
    {"api", "API Name", "API", UNIT_TEXT, get_name,
     "Name of the runtime or driver call, without the four-digit version that the tracer adds.",
     COLUMN_NAME},
    {"time", "Share of API Time (%)", "%API", UNIT_PERCENT, get_share,
     "Total time of the row over that of all rows. Waiting counts: a call that blocks while the "
     "GPU works is no cost by itself.",
     COLUMN_SHARE},
    {"total", "Total API Time (ns)", "time", UNIT_NS, get_time_total,
     "Sum of the durations on the host. A call that waits while the GPU works costs nothing: what "
     "waiting costs the GPU is its idle time, which `idle` shows by cause.",
     COLUMN_BAR | COLUMN_SUM | COLUMN_HOST},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls, "Number of calls.",
     COLUMN_SUM | COLUMN_HOST},
    {"self", "Self Time (ns)", "self", UNIT_NS, get_self,
     "Sum of the durations less those of calls inside them: a runtime call that calls the driver.",
     COLUMN_SUM | COLUMN_HOST | COLUMN_WIDE},
    {"wait", "Waiting (ns)", "waiting", UNIT_NS, get_wait,
     "Of it in a synchronisation that the file tells of the call (table "
     "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION); unknown where it has none. Copies that wait are not "
     "told there.",
     COLUMN_SUM | COLUMN_HOST | COLUMN_WIDE},
    {"avg", "Avg API Time (ns)", "avg", UNIT_NS, get_time_avg, "Mean duration.", 0},
    {"med", "Med API Time (ns)", "median", UNIT_NS, get_time_med, "Median duration.", 0},
    {"min", "Min API Time (ns)", "min", UNIT_NS, get_time_min, "The shortest.", COLUMN_WIDE},
    {"max", "Max API Time (ns)", "max", UNIT_NS, get_time_max, "The longest.", 0},
    {"std", "StdDev API Time (ns)", "stddev", UNIT_NS, get_time_std,
     "Standard deviation of a sample (n - 1).", COLUMN_WIDE},
    {"launches", "Calls with GPU Work", "launches", UNIT_COUNT, get_launches,
     "Calls that launched a kernel, copy, memset or graph seen in the profile.",
     COLUMN_WIDE | COLUMN_SUM | COLUMN_HOST},
    {"failed", "Errors", "errors", UNIT_COUNT, get_failed,
     "Calls that returned an error: a number other than 0 and, as queries do while they have to "
     "wait, 600. Unknown where the file does not tell.",
     COLUMN_SUM | COLUMN_HOST | COLUMN_WIDE},
    {"source_line", "Source Line", "line", UNIT_TEXT, get_line,
     "Line of the program that most of its time comes from: the innermost frame of the call chain, "
     "else of the call stack in the marker around the call, that is of no library (frames.yaml).",
     COLUMN_DETAIL},
};

struct api_index {
    const struct profile *profile;
    uint32_t *by_name;     // row + 1 by name id
    struct strings *names; // names without version; id is row + 1
    size_t count, capacity;
    struct api_row *rows;
};

// Returns the row of a call name. Names that differ only in their version share a row.
static uint32_t row_find(struct api_index *index, string_id name, struct arena *arena)
{
    if (index->by_name[name])
        return index->by_name[name] - 1;
    const char *text = profile_text(index->profile, name);
    uint32_t row = strings_intern(index->names, text, api_name_length(text)) - 1;
    if (row == index->count)
        ARENA_PUSH(arena, index->rows, index->count, index->capacity) = (struct api_row){
            .name = strings_text(index->names, row + 1),
            .known_as = arena_format(arena, "%.*s", (int)api_name_unversioned_length(text), text),
            .first = name,
            .profile = index->profile};
    index->by_name[name] = row + 1;
    return row;
}

struct line_sum { // time of a row's calls from one source line
    uint32_t row;
    string_id line;
    int64_t ns;
};

// Sets the line of each row to the known source line with the largest total time.
static void find_lines(const struct profile *profile, const uint32_t *row_of_call,
                       struct api_row *rows, size_t count, struct arena *arena)
{
    const struct api_calls *api = &profile->api;
    struct id_map map = {.arena = arena};
    size_t sum_count = 0, capacity = 16;
    if (!HAS(api->route))
        return;
    struct line_sum *sums = ARENA_ARRAY(arena, struct line_sum, capacity);
    for (uint32_t i = 0; i < api->count; i++) {
        string_id place = api_route(api, i).place;
        if (row_of_call[i] == ROW_NONE || place == STRING_NONE)
            continue;
        uint32_t *slot = id_map_slot(&map, (struct id_key){row_of_call[i], place, 0});
        if (!*slot) {
            *slot = (uint32_t)sum_count + 1;
            ARENA_PUSH(arena, sums, sum_count, capacity) =
                (struct line_sum){row_of_call[i], place, 0};
        }
        sum_add(&sums[*slot - 1].ns, AT(api->end, i) - AT(api->start, i));
    }
    int64_t *longest_ns = ARENA_ARRAY(arena, int64_t, count + 1);
    for (size_t i = 0; i < sum_count; i++) {
        struct api_row *row = &rows[sums[i].row];
        if (row->line != STRING_NONE && sums[i].ns <= longest_ns[sums[i].row])
            continue;
        row->line = sums[i].line;
        longest_ns[sums[i].row] = sums[i].ns;
    }
}

struct api_build {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena; // holds the rows
    struct api_index index;
    uint32_t *row_of_call;
    int64_t all_ns;
    uint64_t calls;
};

static void count_calls(struct api_build *api_build, struct arena *scratch)
{
    const struct profile *profile = api_build->profile;
    const struct api_calls *api = &profile->api;
    const struct api_times times = api_times_of(profile, scratch);
    api_build->row_of_call = ARENA_ARRAY(scratch, uint32_t, api->count);
    for (uint32_t i = 0; i < api->count; i++) {
        api_build->row_of_call[i] = ROW_NONE;
        if (!selection_has_api(profile, api_build->selection, i))
            continue;
        uint32_t row = row_find(&api_build->index, AT(api->name, i), api_build->arena);
        struct api_row *r = &api_build->index.rows[row];
        api_build->row_of_call[i] = row;
        api_build->calls++;
        r->has_threads |= r->calls > 0 && r->thread != AT(api->thread, i);
        r->thread = AT(api->thread, i);
        r->failed += api_has_failed(profile, i);
        r->calls++;
        sum_add(&r->self_ns, times.self[i]);
        sum_add(&r->wait_ns, times.wait ? times.wait[i] : 0);
        r->launches += HAS(api->first_work) && AT(api->first_work, i + 1) > AT(api->first_work, i);
        sum_add(&api_build->all_ns, AT(api->end, i) - AT(api->start, i));
    }
    for (size_t i = 0; i < api_build->index.count; i++)
        api_build->index.rows[i].wait_ns = times.wait ? api_build->index.rows[i].wait_ns : UNKNOWN;
}

static void build_body(void *context, struct arena *scratch)
{
    struct api_build *api_build = context;
    const struct api_calls *api = &api_build->profile->api;
    struct api_index *index = &api_build->index;
    *index = (struct api_index){
        .profile = api_build->profile,
        .by_name = ARENA_ARRAY(scratch, uint32_t, strings_count(api_build->profile->strings)),
        .names = strings_new(api_build->arena),
        .capacity = 16,
    };
    index->rows = ARENA_ARRAY(api_build->arena, struct api_row, index->capacity);
    count_calls(api_build, scratch);
    if (index->count == 0)
        return;
    uint32_t *counts = ARENA_ARRAY(scratch, uint32_t, index->count);
    for (size_t i = 0; i < index->count; i++)
        counts[i] = index->rows[i].calls;
    struct figure_groups groups = groups_begin(counts, index->count, scratch);
    for (uint32_t i = 0; i < api->count; i++)
        if (api_build->row_of_call[i] != ROW_NONE)
            groups_add(&groups, api_build->row_of_call[i], AT(api->end, i) - AT(api->start, i));
    for (size_t i = 0; i < index->count; i++) {
        index->rows[i].time = groups_stats(&groups, i);
        index->rows[i].all_ns = api_build->all_ns;
    }
    find_lines(api_build->profile, api_build->row_of_call, index->rows, index->count, scratch);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct api_build api_build = {.profile = profile, .selection = selection, .arena = arena};
    if (profile->api.count > 0)
        scratch_run(arena, build_body, &api_build);
    if (api_build.calls == 0)
        return (struct rows){.empty = api_empty_text(profile)};
    char text[FORMAT_SIZE];
    return (struct rows){
        .items = api_build.index.rows,
        .count = api_build.index.count,
        .caption = arena_format(arena, "%s, time of the host",
                                format_counted(text, api_build.calls, "call")),
    };
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->known_as}};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->first;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->api_name = row_of(row)->first;
    return row_of(row)->has_threads ? "api_threads" : "calls";
}

const struct report report_api = {
    .name = "api",
    .title = "CUDA API calls",
    .doc = "CUDA runtime and driver calls by name, as nsys's cuda_api_sum.",
    .row_size = sizeof(struct api_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .is_timed = true,
    .build = build,
    .sort = "-total",
    .id = row_id,
    .match = row_match,
    .narrow = row_narrow,
};
