// SPDX-License-Identifier: Apache-2.0
// Compares reports with HTA's figures for the traces of the corpus, cell by cell: temporal
// breakdown, overlap, kernel types, kernel breakdown, idle time of streams, launch statistics,
// queue lengths and memory bandwidth.
//
// HTA cuts times to whole microseconds, leaves out the last ProfilerStep and knows calls by a list
// of names; the compared profile is changed accordingly. Each other difference has a rule with its
// reason. Skips with a message without the corpus.
#include "analysis/report/dlprof_rules.h"
#include "analysis/reports/report_list.h"
#include "corpus_index.h"
#include "property.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/breakdown/launch_queue.h"
#include "analysis/report/report.h"
#include "analysis/sums/op_metrics.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "file_text.h"
#include "model/open/open.h"
#include "model/ops/ops.h"
#include "paths.h"
#include "trace_events.h"

enum { MAX_WORKERS = 16, KINDS = 8, US = 1000, PATH = 4000 };

struct hta {
    const char *name, *folder; // of the case
    struct profile *loaded[MAX_WORKERS], profiles[MAX_WORKERS];
    struct split *splits[MAX_WORKERS];
    struct selection selections[MAX_WORKERS];
    unsigned workers;
    struct arena *arena;
    unsigned compared, differing, corrected;
    unsigned ops_with_stream;
};

// ---- corrections -------------------------------------------------------------------------------

// HTA regards every event with a stream among its arguments as a kernel. Ops of Triton have one, so
// each of their kernels counts twice.
static bool has_ops_with_stream(const struct hta *hta)
{
    return hta->ops_with_stream > 0;
}

// Copies and memsets shorter than a microsecond may end before they start after HTA has cut their
// times.
static bool has_backward_copies(const struct hta *hta)
{
    for (unsigned w = 0; w < hta->workers; w++) {
        const struct gpu_work *work = &hta->profiles[w].work;
        for (uint32_t i = 0; i < work->count; i++)
            if (AT(work->end, i) < AT(work->start, i) && !work_is_kernel(&hta->profiles[w], i))
                return true;
    }
    return false;
}

// Before work whose launch is not in the file HTA reports host wait; here the cause is unknown.
static bool has_work_without_launch(const struct hta *hta)
{
    for (unsigned w = 0; w < hta->workers; w++)
        for (uint32_t i = 0; i < hta->profiles[w].work.count; i++)
            if (AT(hta->profiles[w].work.launch, i) == ROW_NONE)
                return true;
    return false;
}

// HTA adds up the bandwidths of copies of one kind that overlap, if only by a cut end, and may
// subtract a copy without length before it adds it. Here each copy has its own figure.
static bool has_copies_at_once(const struct hta *hta)
{
    for (unsigned w = 0; w < hta->workers; w++) {
        const struct profile *profile = &hta->profiles[w];
        const struct gpu_work *work = &profile->work;
        int64_t *end = ARENA_ARRAY(hta->arena, int64_t, (size_t)profile->function_count + 1);
        for (uint32_t i = 0; i < work->count; i++) {
            uint32_t function = AT(work->function, i);
            if (work_is_kernel(profile, i))
                continue;
            if (AT(work->end, i) <= AT(work->start, i) ||
                (end[function] && AT(work->start, i) <= end[function]))
                return true;
            end[function] = AT(work->end, i) > end[function] ? AT(work->end, i) : end[function];
        }
    }
    return false;
}

static const struct {
    const char *figure;
    bool (*holds)(const struct hta *hta);
} corrections[] = {
    {"temporal_breakdown", has_ops_with_stream}, {"kernel_type", has_ops_with_stream},
    {"kernel_breakdown", has_ops_with_stream},   {"temporal_breakdown", has_backward_copies},
    {"idle_time", has_work_without_launch},      {"memory_bw", has_copies_at_once},
};

static bool is_corrected(const struct hta *hta, const char *figure)
{
    for (size_t i = 0; i < sizeof corrections / sizeof *corrections; i++)
        if (strcmp(corrections[i].figure, figure) == 0 && corrections[i].holds(hta))
            return true;
    return false;
}

static void compare(struct hta *hta, const char *figure, const char *what, double ours,
                    double theirs, double within)
{
    double size = fmax(fabs(ours), fabs(theirs));
    hta->compared++;
    if (isnan(ours) == isnan(theirs) &&
        (isnan(ours) || fabs(ours - theirs) <= within + 1e-9 * size))
        return;
    if (is_corrected(hta, figure)) {
        hta->corrected++;
        return;
    }
    if (hta->differing++ < 40)
        print_message("# %s: %s: %s: %.9g, HTA has %.9g\n", hta->name, figure, what, ours, theirs);
}

// ---- the profile as HTA sees it ----------------------------------------------------------------

// Starts are rounded up and ends down to whole microseconds. Files without a base time have times
// of 19 digits; HTA reads them as doubles, which keep 16.
struct hta_clock {
    int64_t origin; // profile time 0, in ns
    bool is_double;
};

static int64_t begin_of(const struct hta_clock *clock, int64_t time)
{
    int64_t ns = time + clock->origin;
    double us = us_of_ns(ns);
    int64_t up = clock->is_double ? (int64_t)ceil(us) : (ns + US - 1) / US;
    return up * US - clock->origin;
}

static int64_t end_of(const struct hta_clock *clock, int64_t start, int64_t end)
{
    double us = us_of_ns(start + clock->origin) + (double)(end - start) / US;
    int64_t down = clock->is_double ? (int64_t)floor(us) : (end + clock->origin) / US;
    return down * US - clock->origin;
}

static void cut_times(struct profile *profile, const struct hta_clock *clock,
                      struct column64 *start, struct column64 *end, uint32_t count)
{
    int64_t *starts = ARENA_ARRAY(profile->arena, int64_t, (size_t)count + 1);
    int64_t *ends = ARENA_ARRAY(profile->arena, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        starts[i] = begin_of(clock, AT(*start, i));
        ends[i] = end_of(clock, AT(*start, i), AT(*end, i));
    }
    *start = profile_pack64(profile, starts, count);
    *end = profile_pack64(profile, ends, count);
}

static void count_stream(void *context, const struct kineto_event *event)
{
    unsigned *count = context;
    *count += kineto_classify(event) == KINETO_OP && kineto_has(event, KEY_STREAM);
}

// Removes the launches of work whose call is not in a list, or that HTA leaves out.
static struct column32 known_launches(struct profile *profile, const struct split *split,
                                      const char *const *known)
{
    const struct gpu_work *work = &profile->work;
    uint32_t *values = ARENA_ARRAY(profile->arena, uint32_t, (size_t)work->count + 1);
    for (uint32_t w = 0; w < work->count; w++) {
        uint32_t launch = AT(work->launch, w);
        bool is_known = false;
        for (size_t i = 0; launch != ROW_NONE && known[i]; i++)
            is_known |= strcmp(profile_text(profile, AT(profile->api.name, launch)), known[i]) == 0;
        values[w] = is_known && !split->of_work[w] ? launch : ROW_NONE;
    }
    return profile_pack32(profile, values, work->count);
}

// Returns the start of the last step; INT64_MAX if there is at most one.
static int64_t last_step(const struct profile *profile)
{
    const struct ranges *ranges = &profile->ranges;
    int64_t last = INT64_MIN;
    unsigned steps = 0;
    for (uint32_t r = 0; r < ranges->count; r++) {
        if (strncmp(profile_text(profile, range_name(ranges, r)), "ProfilerStep", 12) != 0)
            continue;
        steps++;
        last = AT(ranges->start, r) > last ? AT(ranges->start, r) : last;
    }
    return steps > 1 ? last : INT64_MAX;
}

// Two iterations: work launched before the last step, and the rest.
static struct split *split_of(const struct profile *profile, struct arena *arena)
{
    int64_t last = last_step(profile);
    struct split *split = ARENA_NEW(arena, struct split);
    *split = (struct split){.method = SPLIT_RANGES,
                            .key = "",
                            .text = "as HTA",
                            .unit = "iteration",
                            .count = 2,
                            .number = ARENA_ARRAY(arena, int64_t, 2),
                            .start = ARENA_ARRAY(arena, int64_t, 2),
                            .stop = ARENA_ARRAY(arena, int64_t, 2),
                            .is_cut = ARENA_ARRAY(arena, bool, 2)};
    split->gpu_start = ARENA_ARRAY(arena, int64_t, 2 * (size_t)profile->device_count + 1);
    split->gpu_stop = ARENA_ARRAY(arena, int64_t, 2 * (size_t)profile->device_count + 1);
    split->of_work = ARENA_ARRAY(arena, uint32_t, (size_t)profile->work.count + 1);
    split->of_instance = ARENA_ARRAY(arena, uint32_t, (size_t)profile->ops->instance_count + 1);
    split->number[1] = 1;
    split->start[0] = profile->first_ns;
    split->stop[0] = split->start[1] = last;
    split->stop[1] = INT64_MAX;
    for (uint32_t d = 0; d < 2 * profile->device_count; d++)
        split->gpu_start[d] = split->gpu_stop[d] = UNKNOWN;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        uint32_t launch = AT(profile->work.launch, w);
        bool is_before =
            last == INT64_MAX || (launch != ROW_NONE && AT(profile->api.start, launch) < last);
        split->of_work[w] = !is_before;
        if (!is_before)
            continue;
        size_t at = 2 * (size_t)work_device(profile, w);
        if (split->gpu_start[at] == UNKNOWN)
            split->gpu_start[at] = AT(profile->work.start, w);
        if (split->gpu_stop[at] == UNKNOWN || AT(profile->work.end, w) > split->gpu_stop[at])
            split->gpu_stop[at] = AT(profile->work.end, w);
    }
    return split;
}

static void worker_open(struct hta *hta, const char *path)
{
    unsigned i = hta->workers++;
    struct load_request request = {.path = path};
    struct error error = {0};
    hta->loaded[i] = profile_load(&request, &error);
    if (!hta->loaded[i])
        fail_msg("%s", error.message);
    struct profile *profile = &hta->profiles[i];
    *profile = *hta->loaded[i];
    int64_t origin = profile->capture.utc_epoch_ns;
    bool has_base = trace_events_walk(path, count_stream, &hta->ops_with_stream) != 0;
    struct hta_clock clock = {origin, !has_base};
    cut_times(profile, &clock, &profile->work.start, &profile->work.end, profile->work.count);
    cut_times(profile, &clock, &profile->api.start, &profile->api.end, profile->api.count);
    cut_times(profile, &clock, &profile->ranges.start, &profile->ranges.end, profile->ranges.count);
    hta->splits[i] = split_of(profile, hta->arena);
    hta->selections[i] = selection_all(hta->splits[i]);
    hta->selections[i].names = NAME_FULL;
    static const bool first[2] = {true, false};
    hta->selections[i].iterations = first;
}

// ---- reports -----------------------------------------------------------------------------------

static double number_of(struct value value)
{
    return value.kind == VALUE_INTEGER ? (double)value.integer
           : value.kind == VALUE_REAL  ? value.real
                                       : NAN;
}

static double cell(const struct report *report, const void *row, const char *key)
{
    const struct column *column = report_column(report, key);
    assert_non_null(column);
    return column ? number_of(column->get(row)) : NAN;
}

static const char *text_cell(const struct report *report, const void *row, const char *key)
{
    const struct column *column = report_column(report, key);
    assert_non_null(column);
    struct value value = column ? column->get(row) : value_none();
    return value.kind == VALUE_TEXT ? value.text : "";
}

static struct rows rows_of(struct hta *hta, unsigned worker, const struct report *report)
{
    return report_rows(report, &hta->profiles[worker], &hta->selections[worker], hta->arena);
}

// Parses a field of HTA's file; NAN if it is empty.
static double field_number(const char *text)
{
    return *text ? strtod(text, NULL) : NAN;
}

struct csv {
    char *text, *at;
};

static bool csv_open(const struct hta *hta, const char *file, struct csv *csv)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/golden/hta/%s", hta->folder, file);
    if (access(path, R_OK) != 0)
        return false;
    csv->text = file_read(path);
    csv->at = csv->text + strcspn(csv->text, "\n") + 1;
    return true;
}

// ---- figures -----------------------------------------------------------------------------------

// Returns the row of the only device of a worker that has work.
static const void *device_row(struct hta *hta, unsigned worker, const struct report *report)
{
    struct rows rows = rows_of(hta, worker, report);
    for (size_t i = 0; i < rows.count; i++)
        if (!isnan(cell(report, report_row(report, &rows, i), "window")))
            return report_row(report, &rows, i);
    return NULL;
}

static void check_breakdown(struct hta *hta)
{
    const struct report *report = report_find("devices");
    const char *field[8];
    struct csv csv;
    if (!csv_open(hta, "temporal_breakdown.csv", &csv))
        return;
    while (*csv.at && (csv.at = csv_line(csv.at, field, 8))) {
        const void *row = device_row(hta, (unsigned)atoi(field[0]), report);
        assert_non_null(row);
        double window = cell(report, row, "window");
        const char *figure = "temporal_breakdown";
        compare(hta, figure, "idle", cell(report, row, "idle"), US * field_number(field[1]), 0);
        compare(hta, figure, "compute", cell(report, row, "computing"), US * field_number(field[2]),
                0);
        compare(hta, figure, "non-compute", cell(report, row, "not_computing"),
                US * field_number(field[3]), 0);
        compare(hta, figure, "kernel time", window, US * field_number(field[4]), 0);
        static const char *const parts[] = {"idle", "computing", "not_computing"};
        for (int i = 0; i < 3; i++)
            compare(hta, figure, "share", 100 * cell(report, row, parts[i]) / window,
                    field_number(field[5 + i]), 0.0051);
    }
    free(csv.text);
}

static void check_overlap(struct hta *hta)
{
    const struct report *report = report_find("devices");
    const char *field[2];
    struct csv csv;
    if (!csv_open(hta, "comm_comp_overlap.csv", &csv))
        return;
    while (*csv.at && (csv.at = csv_line(csv.at, field, 2))) {
        const void *row = device_row(hta, (unsigned)atoi(field[0]), report);
        compare(hta, "comm_comp_overlap", "overlap",
                row ? 100 * cell(report, row, "comm_overlap") : NAN, field_number(field[1]),
                0.0051);
    }
    free(csv.text);
}

// Compares the kernel types of all workers together.
static void check_types(struct hta *hta)
{
    static const char *const names[][2] = {
        {"COMPUTATION", "compute"},
        {"COMMUNICATION", "comm"},
        {"MEMORY", "copy"},
        {"COMPUTATION overlapping COMMUNICATION", "compute + comm"},
        {"COMPUTATION overlapping MEMORY", "compute + copy"},
        {"COMMUNICATION overlapping MEMORY", "comm + copy"},
        {"COMPUTATION overlapping COMMUNICATION overlapping MEMORY", "compute + comm + copy"}};
    const struct report *report = report_find("work_kinds");
    const char *field[3];
    struct csv csv;
    if (!csv_open(hta, "kernel_type.csv", &csv))
        return;
    while (*csv.at && (csv.at = csv_line(csv.at, field, 3))) {
        double sum = 0, all = 0;
        const char *ours = NULL;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            ours = strcmp(names[i][0], field[0]) == 0 ? names[i][1] : ours;
        if (!ours) {
            fail_msg("%s: unknown type %s", hta->name, field[0]);
            return;
        }
        for (unsigned w = 0; w < hta->workers; w++) {
            struct rows rows = rows_of(hta, w, report);
            for (size_t i = 0; i < rows.count; i++) {
                const void *row = report_row(report, &rows, i);
                double time = cell(report, row, "time");
                all += time;
                sum += strcmp(text_cell(report, row, "kinds"), ours) == 0 ? time : 0;
            }
        }
        compare(hta, "kernel_type", field[0], sum, US * field_number(field[1]), 0);
        compare(hta, "kernel_type", "share", 100 * sum / all, field_number(field[2]), 0.051);
    }
    free(csv.text);
}

static void compare_stats(struct hta *hta, const struct report *report, const void *row,
                          const char *const *field)
{
    static const struct {
        const char *key;
        int field;
    } cells[] = {{"gpu_total", 1}, {"gpu_max", 2}, {"gpu_min", 3}, {"gpu_std", 4}, {"gpu_avg", 5}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells;
         i++) // HTA has no deviation for a single one
        compare(hta, "kernel_breakdown", field[0], row ? cell(report, row, cells[i].key) : NAN,
                US * field_number(field[cells[i].field]), 1e-4);
}

static const char *base_name(const char *name, char *out, size_t size)
{
    size_t length = 0;
    for (; *name && length + 1 < size; name++) // "void f<int>(...)"; the use of blanks varies
        if (*name != ' ')
            out[length++] = *name;
    out[length] = '\0';
    return out;
}

static void check_kernels(struct hta *hta)
{
    const struct report *report = report_find("kernels");
    const char *field[8];
    static char theirs[20000], ours[20000];
    struct csv csv;
    if (!csv_open(hta, "kernel_breakdown.csv", &csv))
        return;
    while (*csv.at && (csv.at = csv_line(csv.at, field, 8))) {
        if (strcmp(field[6], "MEMORY") == 0)
            continue; // check_bandwidth() compares copies
        struct rows rows = rows_of(hta, (unsigned)atoi(field[7]), report);
        const void *found = NULL;
        base_name(field[0], theirs, sizeof theirs);
        for (size_t i = 0; i < rows.count && !found; i++) {
            const void *row = report_row(report, &rows, i);
            if (strcmp(base_name(text_cell(report, row, "kernel"), ours, sizeof ours), theirs) == 0)
                found = row;
        }
        compare_stats(hta, report, found, field);
    }
    free(csv.text);
}

static const void *stream_row(struct hta *hta, unsigned worker, int64_t stream)
{
    const struct report *report = report_find("streams");
    struct rows rows = rows_of(hta, worker, report);
    for (size_t i = 0; i < rows.count; i++)
        if ((int64_t)cell(report, report_row(report, &rows, i), "number") == stream)
            return report_row(report, &rows, i);
    return NULL;
}

static void check_idle(struct hta *hta)
{
    const struct report *report = report_find("streams");
    static const char *const keys[] = {"host_wait", "kernel_wait", "other_wait"};
    const char *field[5];
    struct csv csv;
    if (!csv_open(hta, "idle_time.csv", &csv))
        return;
    while (*csv.at && (csv.at = csv_line(csv.at, field, 5))) {
        unsigned w = (unsigned)atoi(field[0]);
        const void *row = stream_row(hta, w, atoll(field[1]));
        const char *key = field[2][0] == 'h' ? keys[0] : field[2][0] == 'k' ? keys[1] : keys[2];
        double all = 0;
        for (int i = 0; row && i < 3; i++)
            all += cell(report, row, keys[i]);
        compare(hta, "idle_time", field[2], row ? cell(report, row, key) : NAN,
                US * field_number(field[3]), 0);
        compare(hta, "idle_time", "share", row && all > 0 ? cell(report, row, key) / all : NAN,
                field_number(field[4]), 0.0051);
    }
    free(csv.text);
}

static void check_launches(struct hta *hta)
{
    // HTA does not know Triton's driver calls and HIP's calls here.
    static const char *const known[] = {"cudaLaunchKernel", "cudaLaunchKernelExC",
                                        "cudaMemcpyAsync", "cudaMemsetAsync", NULL};
    static const char *const measures[] = {"launching call", "GPU time", "launch delay"};
    static const char *const keys[][2] = {{"count", "launches"},
                                          {"mean", "avg"},
                                          {"std", "std"},
                                          {"min", "min"},
                                          {"25%", "quarter"},
                                          {"50%", "med"},
                                          {"75%", "three_quarters"},
                                          {"max", "max"}};
    const struct report *report = report_find("launch_times");
    for (unsigned w = 0; w < hta->workers; w++) {
        const char *field[5];
        char file[100];
        struct csv csv;
        snprintf(file, sizeof file, "launch_stats_rank%u.csv", w);
        if (!csv_open(hta, file, &csv))
            continue;
        struct column32 launches = hta->profiles[w].work.launch;
        hta->profiles[w].work.launch = known_launches(&hta->profiles[w], hta->splits[w], known);
        struct rows rows = rows_of(hta, w, report);
        while (*csv.at && (csv.at = csv_line(csv.at, field, 5)))
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
                for (int m = 0; strcmp(field[0], keys[k][0]) == 0 && m < 3; m++) {
                    double ours = k == 0 ? 0 : NAN;
                    for (size_t i = 0; i < rows.count; i++) {
                        const void *row = report_row(report, &rows, i);
                        if (strcmp(text_cell(report, row, "measure"), measures[m]) == 0)
                            ours = cell(report, row, keys[k][1]);
                    }
                    compare(hta, "launch_stats", measures[m], ours,
                            (k ? US : 1) * field_number(field[2 + m]), 1e-4);
                }
        hta->profiles[w].work.launch = launches;
        free(csv.text);
    }
}

struct lengths {
    const struct profile *profile;
    int64_t stream;
    int64_t *values;
    size_t count, ties; // changes at the same time as another
    int64_t last;
};

static void length_add(void *context, const struct queue_change *change)
{
    struct lengths *lengths = context;
    const struct stream *stream =
        &lengths->profile->streams[AT(lengths->profile->work.stream, change->work)];
    if (stream->stream_id != lengths->stream || !change->is_selected)
        return;
    lengths->ties += change->time == lengths->last;
    lengths->last = change->time;
    lengths->values[lengths->count++] = change->length;
}

static double quantile(const int64_t *values, size_t count, double part)
{
    double at = (double)(count - 1) * part;
    size_t low = (size_t)at;
    double above = low + 1 < count ? (double)values[low + 1] : (double)values[low];
    return (double)values[low] + (above - (double)values[low]) * (at - (double)low);
}

// HTA's sort leaves changes at one instant in an arbitrary order, so each may make one later length
// larger or smaller by one.
static void check_stream_queue(struct hta *hta, unsigned w, int64_t stream, const char **field)
{
    struct profile *profile = &hta->profiles[w];
    struct lengths lengths = {.profile = profile, .stream = stream, .last = INT64_MIN};
    lengths.values = ARENA_ARRAY(hta->arena, int64_t, 2 * (size_t)profile->work.count + 1);
    launch_queue_walk(profile, &hta->selections[w], length_add, &lengths, hta->arena);
    size_t count = lengths.count;
    double sum = 0, squares = 0, tie = count ? (double)lengths.ties / (double)count : 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)lengths.values[i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += ((double)lengths.values[i] - mean) * ((double)lengths.values[i] - mean);
    sort_values(lengths.values, count);
    compare(hta, "queue_length", "count", (double)count, field_number(field[0]), 0);
    compare(hta, "queue_length", "mean", mean, field_number(field[1]), 2 * tie);
    compare(hta, "queue_length", "deviation", sqrt(squares / (double)(count - 1)),
            field_number(field[2]), 8 * tie);
    compare(hta, "queue_length", "least", (double)lengths.values[0], field_number(field[3]), 0);
    for (int q = 1; q < 4; q++)
        compare(hta, "queue_length", "quartile", quantile(lengths.values, count, q / 4.0),
                field_number(field[3 + q]), tie > 0);
    compare(hta, "queue_length", "most", (double)lengths.values[count - 1], field_number(field[7]),
            0);
    hta->corrected +=
        lengths.ties > 0; // counts mean and deviation of a stream with ties as corrected
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void check_queues(struct hta *hta)
{
    static const char *const known[] = {
        "cudaLaunchKernel", "cudaLaunchKernelExC",      "cudaMemcpyAsync",     "cudaMemsetAsync",
        "cuLaunchKernel",   "hipLaunchKernel",          "hipMemcpyAsync",      "hipMemsetAsync",
        "cuLaunchKernelEx", "hipExtModuleLaunchKernel", "hipMemcpyWithStream", NULL};
    const struct report *report = report_find("streams");
    const char *field[8];
    struct csv csv;
    if (!csv_open(hta, "queue_length.csv", &csv))
        return;
    csv.at += strcspn(csv.at, "\n") + 1; // the file has two title lines
    for (unsigned w = 0; w < hta->workers; w++) {
        hta->profiles[w].work.launch = known_launches(&hta->profiles[w], hta->splits[w], known);
        struct rows rows = rows_of(hta, w, report);
        int64_t *streams = ARENA_ARRAY(hta->arena, int64_t, rows.count + 1);
        size_t count = 0;
        for (size_t i = 0; i < rows.count; i++)
            if (!isnan(cell(report, report_row(report, &rows, i), "queue_longest")))
                streams[count++] = (int64_t)cell(report, report_row(report, &rows, i), "number");
        qsort(streams, count, sizeof *streams, compare_numbers);
        for (size_t i = 0; i < count && *csv.at && (csv.at = csv_line(csv.at, field, 8)); i++)
            check_stream_queue(hta, w, streams[i], field);
    }
    compare(hta, "queue_length", "lines left", *csv.at ? 1 : 0, 0, 0);
    free(csv.text);
}

static void check_bandwidth(struct hta *hta)
{
    static const char *const operations[] = {"[CUDA memcpy Device-to-Device]",
                                             "[CUDA memcpy Device-to-Host]",
                                             "[CUDA memcpy Host-to-Device]", "[CUDA memset]"};
    static const char *const keys[] = {"", "rate_avg", "rate_std", "rate_min",
                                       "", "rate_med", "",         "rate_max"};
    const struct report *report = report_find("memory");
    const char *field[8];
    struct csv csv;
    if (!csv_open(hta, "memory_bw.csv", &csv))
        return;
    csv.at += strcspn(csv.at, "\n") + 1;
    for (unsigned w = 0; w < hta->workers; w++) {
        struct rows rows = rows_of(hta, w, report);
        for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
            const void *found = NULL;
            for (size_t i = rows.count; i-- > 0;) // the first row of an operation is its total
                if (strcmp(text_cell(report, report_row(report, &rows, i), "operation"),
                           operations[o]) == 0)
                    found = report_row(report, &rows, i);
            if (!found || isnan(cell(report, found, "rate_avg")) ||
                cell(report, found, "bytes") <= 0 || !*csv.at)
                continue;
            csv.at = csv_line(csv.at, field, 8);
            for (int k = 0; csv.at && k < 8; k++)
                if (*keys[k])
                    compare(hta, "memory_bw", operations[o],
                            k == 2 && strcmp(field[0], "1.0") == 0 ? NAN
                                                                   : cell(report, found, keys[k]),
                            1e9 * field_number(field[k]), 1);
        }
    }
    compare(hta, "memory_bw", "lines left", *csv.at ? 1 : 0, 0, 0);
    free(csv.text);
}

// ---- the corpus --------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b)
{
    return text_compare_natural(*(char *const *)a, *(char *const *)b);
}

static void open_workers(struct hta *hta)
{
    char *names[MAX_WORKERS], path[PATH];
    size_t count = 0;
    DIR *folder = opendir(hta->folder);
    assert_non_null(folder);
    for (struct dirent *entry; folder && (entry = readdir(folder)) && count < MAX_WORKERS;)
        if (strstr(entry->d_name, ".json"))
            names[count++] = strdup(entry->d_name);
    if (folder)
        closedir(folder);
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", hta->folder, names[i]);
        worker_open(hta, path);
        free(names[i]);
    }
}

static unsigned check_case(const char *root, const char *name)
{
    char folder[PATH];
    snprintf(folder, sizeof folder, "%s/%s", root, name);
    struct hta *hta = calloc(1, sizeof *hta);
    assert_non_null(hta);
    if (!hta)
        return 1;
    hta->name = name;
    hta->folder = folder;
    hta->arena = arena_new(0);
    open_workers(hta);
    check_breakdown(hta);
    check_overlap(hta);
    check_types(hta);
    check_kernels(hta);
    check_bandwidth(hta);
    check_idle(hta);
    check_launches(hta);
    check_queues(hta);
    print_message("# %s: %u values compared, %u differ, %u corrected\n", name, hta->compared,
                  hta->differing, hta->corrected);
    unsigned differing = hta->differing;
    for (unsigned w = 0; w < hta->workers; w++)
        profile_free(hta->loaded[w]);
    arena_free(hta->arena);
    free(hta);
    return differing;
}

static void test_corpus(void **state)
{
    const char *corpus = getenv("DLPROF_CORPUS");
    char root[PATH / 2], path[PATH];
    char *names[1000];
    size_t count = 0;
    unsigned differing = 0;
    (void)state;
    snprintf(root, sizeof root, "%s/kineto", corpus ? corpus : source_path("/../shared/corpus"));
    DIR *cases = opendir(root);
    if (!cases) {
        print_message("# skipped: no corpus of traces at %s\n", root);
        skip();
        return;
    }
    for (struct dirent *entry; (entry = readdir(cases)) && count < 1000;) {
        snprintf(path, sizeof path, "%s/%s/golden/hta", root, entry->d_name);
        if (entry->d_name[0] != '.' && access(path, R_OK) == 0 &&
            corpus_index_has(root, entry->d_name, GOLDEN_HTA))
            names[count++] = strdup(entry->d_name);
    }
    closedir(cases);
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++) {
        differing += check_case(root, names[i]);
        free(names[i]);
    }
    assert_true(count > 0);
    assert_int_equal(differing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
    return run_is_quick() ? 77 : cmocka_run_group_tests_name("kineto_hta", tests, NULL, NULL);
}
