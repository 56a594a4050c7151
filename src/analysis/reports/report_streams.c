// SPDX-License-Identifier: Apache-2.0
// Shows CUDA streams with their roles and how busy each was.
#include <inttypes.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/cover.h"
#include "analysis/breakdown/gpu_windows.h"
#include "analysis/breakdown/launch_queue.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/sums/work_text.h"

// Reasons why a stream is idle between two pieces of work, by HTA's classes.
enum stream_gap {
    GAP_HOST,   // the next work was launched after the previous had ended
    GAP_KERNEL, // the next work was launched in time and began within GAP_KERNEL_NS
    GAP_OTHER,  // the next work waited longer, for example for another stream; or unknown launch
    GAPS
};
enum { GAP_KERNEL_NS = 30000 };

struct stream_row {
    const struct profile *profile;
    uint32_t stream;
    const char *name;
    const char *gpu;  // its number as text
    const char *sole; // "" if all rows are of one GPU, else NULL
    int64_t kernels, copies, graphs;
    int64_t sum_ns, busy_ns, exclusive_ns;
    int64_t sized, bytes; // number of copies with known bytes, and these
    int64_t first_ns, last_ns;
    int64_t window_ns; // of the selected steps on its GPU; 0 if unknown
    int64_t within_ns; // union of its work in that window, in whichever step it was launched
    int64_t within_to; // end of that union so far
    int64_t gap_ns[GAPS];
    bool has_before;    // true once any work has run on the stream, selected or not
    int64_t before_end; // latest end of that work
    // Of the queue: number of changes, lengths in launches, time at full length in ns.
    int64_t changes, length_sum, longest, full_ns, full_since;
};

static const struct stream_row *row_of(const void *row)
{
    return row;
}

static const struct stream *stream_of(const void *row)
{
    return &row_of(row)->profile->streams[row_of(row)->stream];
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static struct value get_role(const void *row)
{
    return value_text(stream_role_names[stream_of(row)->role]);
}

static struct value get_device(const void *row)
{
    return value_integer(device_number(row_of(row)->profile, stream_of(row)->device));
}

static struct value get_process(const void *row)
{
    uint32_t process = stream_of(row)->process;
    const struct profile *profile = row_of(row)->profile;
    return process < profile->process_count ? value_integer(profile->processes[process].pid)
                                            : value_none();
}

static struct value get_context(const void *row)
{
    return value_integer(stream_of(row)->context);
}

static struct value get_number(const void *row)
{
    return value_integer(stream_of(row)->stream_id);
}

static struct value get_default(const void *row)
{
    return value_state(stream_of(row)->is_null ? STATE_YES : STATE_NO);
}

static struct value get_kernels(const void *row)
{
    return value_integer(row_of(row)->kernels);
}

static struct value get_copies(const void *row)
{
    return value_integer(row_of(row)->copies);
}

static struct value get_graphs(const void *row)
{
    return value_integer(row_of(row)->graphs);
}

static struct value get_busy(const void *row)
{
    return value_integer(row_of(row)->busy_ns);
}

static struct value get_busy_share(const void *row)
{
    const struct stream_row *r = row;
    return value_share(r->busy_ns, r->last_ns - r->first_ns);
}

static struct value get_step_share(const void *row)
{
    const struct stream_row *r = row;
    return r->window_ns > 0 ? value_share(r->within_ns, r->window_ns) : value_none();
}

static struct value get_sum(const void *row)
{
    return value_integer(row_of(row)->sum_ns);
}

static struct value get_exclusive(const void *row)
{
    return value_integer(row_of(row)->exclusive_ns);
}

static struct value get_bytes(const void *row)
{
    const struct stream_row *r = row;
    bool is_told = r->copies ? r->sized > 0 : HAS(r->profile->work.bytes);
    return is_told ? value_integer(r->bytes) : value_none();
}

static struct value get_first(const void *row)
{
    return value_integer(row_of(row)->first_ns);
}

static struct value get_last(const void *row)
{
    return value_integer(row_of(row)->last_ns);
}

static struct value get_gap_host(const void *row)
{
    return value_integer(row_of(row)->gap_ns[GAP_HOST]);
}

static struct value get_gap_kernel(const void *row)
{
    return value_integer(row_of(row)->gap_ns[GAP_KERNEL]);
}

static struct value get_gap_other(const void *row)
{
    return value_integer(row_of(row)->gap_ns[GAP_OTHER]);
}

static bool has_queue(const void *row)
{
    return row_of(row)->changes > 0;
}

static struct value get_queue_longest(const void *row)
{
    return has_queue(row) ? value_integer(row_of(row)->longest) : value_none();
}

static struct value get_queue_mean(const void *row)
{
    const struct stream_row *r = row;
    return has_queue(row) ? value_real((double)r->length_sum / (double)r->changes) : value_none();
}

static struct value get_queue_full(const void *row)
{
    return has_queue(row) ? value_integer(row_of(row)->full_ns) : value_none();
}

static const struct column columns[] = {
    {"stream", "Stream", "stream", UNIT_TEXT, get_name, "Number of the stream and its role.",
     COLUMN_NAME},
    {"role", "Role", "role", UNIT_TEXT, get_role,
     "What it is for: compute or comm (communication) by time where at least a tenth of its work "
     "are kernels, else H2D or D2H copies by time; side: other copies and memsets, or computing "
     "under a tenth of the GPU's busiest compute stream.",
     COLUMN_WIDE},
    {"device", "GPU", "gpu", UNIT_ID, get_device, "Number of the GPU, as in the devices report.",
     COLUMN_IDENTIFIES},
    {"process", "Process", "pid", UNIT_ID, get_process, "Process that owns it.", 0},
    {"busy_ns", "Busy Time (ns)", "busy", UNIT_NS, get_busy, "Union of the work on the stream.",
     COLUMN_BAR | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"of_step", "Share of the Step (%)", "%step", UNIT_PERCENT, get_step_share,
     "Union of its work within the window of the selected iterations by the GPU's clock, over that "
     "window; without steps, from the GPU's first work to its last.",
     COLUMN_TIMED},
    {"exclusive", "Exclusive GPU Time (ns)", "exclusive", UNIT_NS, get_exclusive,
     "Time in which its work alone keeps the GPU from being idle: of communication what nothing "
     "hides.",
     COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"busy", "Busy (%)", "%busy", UNIT_PERCENT, get_busy_share,
     "Busy time over the time from the first to the last work of the stream in the selection.",
     COLUMN_WIDE | COLUMN_TIMED},
    {"sum", "Summed GPU Time (ns)", "sum", UNIT_NS, get_sum, "Sum of the durations.",
     COLUMN_WIDE | COLUMN_NOT_ADDITIVE},
    {"kernels", "Kernels", "kernels", UNIT_COUNT, get_kernels, "Kernels that ran on it.",
     COLUMN_NOT_ADDITIVE},
    {"copies", "Copies", "copies", UNIT_COUNT, get_copies, "Copies and memsets.",
     COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"bytes", "Bytes", "bytes", UNIT_BYTES, get_bytes, "Bytes of these, as far as the file tells.",
     COLUMN_WIDE | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"graphs", "Graph Replays", "graphs", UNIT_COUNT, get_graphs,
     "Replays of CUDA graphs traced as a whole.", COLUMN_WIDE | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"host_wait", "Idle for the Host (ns)", "host wait", UNIT_NS, get_gap_host,
     "Gaps between two works of the stream of which the second was launched only after the first "
     "had "
     "ended: HTA's host_wait.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"kernel_wait", "Idle between Kernels (ns)", "kernel wait", UNIT_NS, get_gap_kernel,
     "Of the other gaps those shorter than 30,000 ns: what going from one to the next costs, HTA's "
     "kernel_wait.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"other_wait", "Idle for Others (ns)", "other wait", UNIT_NS, get_gap_other,
     "The longer ones: the work was there and waited, for another stream for example; and those "
     "before "
     "work whose launch the file does not tell.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"queue_longest", "Longest Queue", "queue", UNIT_COUNT, get_queue_longest,
     "The most launches of the stream that waited at once: launched, not begun. See "
     "`queue_lengths`.",
     COLUMN_DETAIL | COLUMN_TIMED},
    {"queue_mean", "Mean Queue", "mean queue", UNIT_REAL, get_queue_mean,
     "How many waited, mean over the moments when one was launched or began.",
     COLUMN_DETAIL | COLUMN_TIMED},
    {"queue_full", "Queue Full (ns)", "queue full", UNIT_NS, get_queue_full,
     "Time in which 1,024 or more waited: the next call stands until one begins.",
     COLUMN_DETAIL | COLUMN_NOT_ADDITIVE | COLUMN_TIMED},
    {"default", "Default Stream", "default", UNIT_STATE, get_default,
     "Whether it is the default stream, which waits for others.", COLUMN_WIDE},
    {"number", "Stream ID", "id", UNIT_ID, get_number, "Number of the stream in the file.",
     COLUMN_DETAIL},
    {"context", "Context", "context", UNIT_ID, get_context, "CUDA context.", COLUMN_DETAIL},
    {"first", "First Start (ns)", "first", UNIT_TIME, get_first, "Start of its first work.",
     COLUMN_DETAIL},
    {"last", "Last End (ns)", "last", UNIT_TIME, get_last, "End of its last work.", COLUMN_DETAIL},
};

// Adds selected work. Work is sorted by start on each device, so the union only grows at its end.
static void row_add(struct stream_row *row, const struct profile *profile, uint32_t w)
{
    const struct gpu_work *work = &profile->work;
    int64_t start = AT(work->start, w), end = AT(work->end, w);
    enum work_kind kind = profile->functions[AT(work->function, w)].kind;
    bool is_first = row->kernels + row->copies + row->graphs == 0;
    row->kernels += kind == WORK_KERNEL;
    row->graphs += kind == WORK_GRAPH;
    row->copies += kind == WORK_MEMCPY || kind == WORK_MEMSET;
    sum_add(&row->sum_ns, end - start);
    row->exclusive_ns += HAS(work->exclusive) ? AT(work->exclusive, w) : 0;
    if ((kind == WORK_MEMCPY || kind == WORK_MEMSET) && work_bytes(profile, w) != UNKNOWN) {
        row->sized++;
        sum_add(&row->bytes, work_bytes(profile, w));
    }
    if (is_first) {
        row->first_ns = start;
        row->last_ns = INT64_MIN;
    }
    sum_add(&row->busy_ns, interval_union_add(&row->last_ns, start, end));
}

// Adds the gap before work `w`. A gap counts if the work that ends it is selected.
static void gap_add(struct stream_row *row, const struct profile *profile, uint32_t w,
                    bool is_selected)
{
    const struct gpu_work *work = &profile->work;
    int64_t end = row->before_end, gap_ns = AT(work->start, w) - end;
    uint32_t launch = HAS(work->launch) ? AT(work->launch, w) : ROW_NONE;
    if (is_selected && row->has_before && gap_ns > 0) {
        bool is_late = launch != ROW_NONE && AT(profile->api.start, launch) > end;
        enum stream_gap gap = is_late                                        ? GAP_HOST
                              : launch != ROW_NONE && gap_ns < GAP_KERNEL_NS ? GAP_KERNEL
                                                                             : GAP_OTHER;
        sum_add(&row->gap_ns[gap], gap_ns);
    }
    if (!row->has_before || AT(work->end, w) > end)
        row->before_end = AT(work->end, w);
    row->has_before = true;
}

struct queue_filling {
    struct stream_row *rows; // by stream
    const struct profile *profile;
};

static void queue_add(void *context, const struct queue_change *change)
{
    struct queue_filling *queue = context;
    struct stream_row *row = &queue->rows[AT(queue->profile->work.stream, change->work)];
    if (!change->begins && change->length == MAX_QUEUED_LAUNCHES)
        row->full_since = change->time;
    if (!change->is_selected)
        return;
    row->changes++;
    row->length_sum += change->length;
    row->longest = change->length > row->longest ? change->length : row->longest;
    if (change->begins && change->length == MAX_QUEUED_LAUNCHES - 1)
        sum_add(&row->full_ns, change->time - row->full_since);
}

struct gpu_window_list { // windows of one GPU, in order
    struct arena *arena;
    struct window *items;
    size_t count, capacity;
};

static void window_add(void *context, uint32_t iteration, struct window window)
{
    struct gpu_window_list *windows = context;
    (void)iteration;
    ARENA_PUSH(windows->arena, windows->items, windows->count, windows->capacity) = window;
}

static void within_add(struct stream_row *row, const struct gpu_window_list *windows, int64_t start,
                       int64_t end)
{
    size_t low = 0, high = windows->count;
    while (low < high) { // find the first window that ends after the start
        size_t middle = low + (high - low) / 2;
        if (windows->items[middle].to <= start)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < windows->count && windows->items[low].from < end; low++) {
        const struct window *window = &windows->items[low];
        sum_add(&row->within_ns,
                interval_union_add(&row->within_to, start > window->from ? start : window->from,
                                   end < window->to ? end : window->to));
    }
}

// Adds the work inside the windows of the selected steps. It is counted by time, since a step may
// launch work that runs in the next step.
static void add_within(struct stream_row *rows, const struct profile *profile,
                       const struct selection *selection, struct arena *arena)
{
    struct selection all_steps = *selection;
    all_steps.iterations = NULL;
    for (uint32_t s = 0; s < profile->stream_count; s++)
        rows[s].within_to = INT64_MIN;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        struct gpu_window_list windows = {.arena = arena};
        if (!gpu_counts(profile, selection, d))
            continue;
        gpu_windows(profile, selection, d, window_add, &windows);
        for (uint32_t w = device->first_work; windows.count && w < device->end_work; w++)
            if (selection_has_work(profile, &all_steps, w))
                within_add(&rows[AT(profile->work.stream, w)], &windows, AT(profile->work.start, w),
                           AT(profile->work.end, w));
    }
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct stream_row *rows = ARENA_ARRAY(arena, struct stream_row, profile->stream_count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        struct stream_row *row = &rows[AT(profile->work.stream, w)];
        bool is_selected = selection_has_work(profile, selection, w);
        gap_add(row, profile, w, is_selected);
        if (is_selected)
            row_add(row, profile, w);
    }
    launch_queue_walk(profile, selection, queue_add, &(struct queue_filling){rows, profile}, arena);
    const struct breakdown *gpus =
        profile->work.count && profile->stage >= STAGE_READY
            ? breakdown_devices(profile, selection, &breakdown_gpu, arena)
            : NULL;
    size_t count = 0;
    if (gpus)
        add_within(rows, profile, selection, arena);
    for (uint32_t s = 0; s < profile->stream_count; s++) {
        struct stream_row row = rows[s];
        if (row.kernels + row.copies + row.graphs == 0)
            continue;
        row.profile = profile;
        row.stream = s;
        row.name = stream_text(profile, s, arena);
        row.gpu =
            arena_format(arena, "%" PRId64, device_number(profile, profile->streams[s].device));
        row.window_ns = gpus ? gpus[profile->streams[s].device].window_ns : 0;
        if (!HAS(profile->work.exclusive))
            row.exclusive_ns = UNKNOWN;
        rows[count++] = row;
    }
    if (count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    bool is_sole = true;
    for (size_t i = 1; i < count; i++)
        is_sole &= stream_of(&rows[i])->device == stream_of(&rows[0])->device;
    for (size_t i = 0; i < count; i++)
        rows[i].sole = is_sole ? "" : NULL;
    return (struct rows){.items = rows, .count = count};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->stream;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->device = stream_of(row)->device;
    selection->process = stream_of(row)->process;
    return "kernels";
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->name, row_of(row)->gpu}};
}

// Matches streams by role, as stream numbers differ between runs.
static struct row_match role_match(const void *row)
{
    return (struct row_match){{get_role(row).text, row_of(row)->gpu}};
}

// Matches the only GPU of one profile with the only GPU of the other.
static struct row_match sole_match(const void *row)
{
    return (struct row_match){{row_of(row)->sole, row_of(row)->name}};
}

static struct row_match sole_role_match(const void *row)
{
    return (struct row_match){{row_of(row)->sole, get_role(row).text}};
}

static struct row_match (*const matches[])(const void *row) = {role_match, sole_match,
                                                               sole_role_match, NULL};

const struct report report_streams = {
    .name = "streams",
    .title = "Streams",
    .doc = "CUDA streams with work, their roles and how busy they were.",
    .row_size = sizeof(struct stream_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .sort = "-busy_ns",
    .id = row_id,
    .narrow = row_narrow,
    .match = row_match,
    .fallback_matches = matches,
    .is_aggregate = true,
    .apart = "overlap",
};
