// SPDX-License-Identifier: Apache-2.0
// Sums CUDA API calls by thread: of all names, or of one name when opened from a row of `api`.
#include <inttypes.h>

#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/sums/api_times.h"
#include "base/text/format.h"

struct thread_row {
    const struct profile *profile;
    uint32_t thread;     // ROW_NONE if the thread of the calls is unknown
    const char *process; // ordinal of the process among those with rows
    uint32_t calls, failed;
    // wait_ns is UNKNOWN without synchronisation records
    int64_t total_ns, self_ns, wait_ns, max_ns, all_ns;
};

static const struct thread_row *row_of(const void *row)
{
    return row;
}

static const struct thread *thread_of(const void *row)
{
    uint32_t thread = row_of(row)->thread;
    return thread == ROW_NONE ? NULL : &row_of(row)->profile->threads[thread];
}

static struct value get_thread(const void *row)
{
    return thread_of(row) ? value_integer(thread_of(row)->tid) : value_none();
}

static struct value get_process(const void *row)
{
    const struct thread *thread = thread_of(row);
    return thread ? value_integer(row_of(row)->profile->processes[thread->process].pid)
                  : value_none();
}

static struct value get_name(const void *row)
{
    const struct thread *thread = thread_of(row);
    return thread && thread->name != STRING_NONE
               ? value_text(profile_text(row_of(row)->profile, thread->name))
               : value_text("(no name)");
}

static struct value get_share(const void *row)
{
    return value_share(row_of(row)->total_ns, row_of(row)->all_ns);
}

static struct value get_total(const void *row)
{
    return value_integer(row_of(row)->total_ns);
}

static struct value get_self(const void *row)
{
    return value_integer(row_of(row)->self_ns);
}

static struct value get_wait(const void *row)
{
    return value_integer(row_of(row)->wait_ns);
}

static struct value get_max(const void *row)
{
    return value_integer(row_of(row)->max_ns);
}

static struct value get_calls(const void *row)
{
    return value_integer(row_of(row)->calls);
}

static struct value get_failed(const void *row)
{
    return row_of(row)->profile->has_api_results ? value_integer(row_of(row)->failed)
                                                 : value_none();
}

static const struct column columns[] = {
    {"thread", "Thread", "tid", UNIT_ID, get_thread, "Id of the thread.", COLUMN_IDENTIFIES},
    {"name", "Thread Name", "name", UNIT_TEXT, get_name, "As the capture tells it.", COLUMN_NAME},
    {"process", "Process", "pid", UNIT_ID, get_process, "Process that it belongs to.",
     COLUMN_IDENTIFIES},
    {"time", "Share of API Time (%)", "%API", UNIT_PERCENT, get_share,
     "Total time of the row over that of all rows.", COLUMN_SHARE},
    {"total", "Total API Time (ns)", "time", UNIT_NS, get_total,
     "Sum of the durations on the host.", COLUMN_BAR | COLUMN_NOT_ADDITIVE},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls, "Number of calls.", COLUMN_NOT_ADDITIVE},
    {"self", "Self Time (ns)", "self", UNIT_NS, get_self,
     "Sum of the durations less those of calls inside them.", COLUMN_NOT_ADDITIVE},
    {"wait", "Waiting (ns)", "waiting", UNIT_NS, get_wait,
     "Of it in a synchronisation that the file tells of the call; unknown where it has none.",
     COLUMN_NOT_ADDITIVE},
    {"max", "Max API Time (ns)", "max", UNIT_NS, get_max, "The longest.", 0},
    {"failed", "Errors", "errors", UNIT_COUNT, get_failed,
     "Calls that returned an error; unknown where the file does not tell.", COLUMN_NOT_ADDITIVE},
};

// Returns, by process, its ordinal among the processes with calls as text ("0", "1"), or NULL
// without calls.
static const char **process_ordinals(const struct profile *profile, const struct thread_row *rows,
                                     struct arena *arena)
{
    const char **ordinal = ARENA_ARRAY(arena, const char *, (size_t)profile->process_count + 1);
    uint32_t count = 0;
    for (uint32_t t = 0; t < profile->thread_count; t++)
        if (rows[t].calls > 0)
            ordinal[profile->threads[t].process] = "";
    for (uint32_t p = 0; p < profile->process_count; p++)
        if (ordinal[p])
            ordinal[p] = arena_format(arena, "%" PRIu32, count++);
    return ordinal;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const struct api_calls *api = &profile->api;
    if (api->count == 0)
        return (struct rows){.empty = api_empty_text(profile)};
    const struct api_times times = api_times_of(profile, arena);
    struct thread_row *rows =
        ARENA_ARRAY(arena, struct thread_row, (size_t)profile->thread_count + 1);
    int64_t all_ns = 0;
    uint32_t calls = 0;
    for (uint32_t i = 0; i < api->count; i++) {
        if (!selection_has_api(profile, selection, i))
            continue;
        uint32_t thread = AT(api->thread, i);
        struct thread_row *row = &rows[thread == ROW_NONE ? profile->thread_count : thread];
        int64_t ns = AT(api->end, i) - AT(api->start, i);
        row->thread = thread;
        row->calls++;
        row->failed += api_has_failed(profile, i);
        sum_add(&row->total_ns, ns);
        sum_add(&row->self_ns, times.self[i]);
        sum_add(&row->wait_ns, times.wait ? times.wait[i] : 0);
        sum_add(&all_ns, ns);
        row->max_ns = ns > row->max_ns ? ns : row->max_ns;
        calls++;
    }
    const char **ordinal = process_ordinals(profile, rows, arena);
    size_t count = 0;
    for (size_t t = 0; t <= profile->thread_count; t++) {
        if (rows[t].calls == 0)
            continue;
        rows[count] = rows[t];
        rows[count].profile = profile;
        rows[count].process =
            t < profile->thread_count ? ordinal[profile->threads[t].process] : NULL;
        rows[count].wait_ns = times.wait ? rows[count].wait_ns : UNKNOWN;
        rows[count++].all_ns = all_ns;
    }
    char text[FORMAT_SIZE], by[FORMAT_SIZE];
    if (count == 0)
        return (struct rows){.empty = api_empty_text(profile)};
    return (struct rows){.items = rows,
                         .count = count,
                         .caption =
                             arena_format(arena, "%s of %s", format_counted(text, calls, "call"),
                                          format_counted(by, count, "thread"))};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->thread;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    if (row_of(row)->thread == ROW_NONE)
        return NULL;
    selection->thread = row_of(row)->thread;
    return "calls";
}

// Thread ids differ between runs. A thread matches by role, and a process by its ordinal, as in the
// scope of a baseline.
static const char *role_of(const void *row)
{
    const struct thread *thread = thread_of(row);
    bool is_main = thread && thread->tid == row_of(row)->profile->processes[thread->process].pid;
    return is_main ? "main" : "other";
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{get_name(row).text, role_of(row), row_of(row)->process}};
}

static struct row_match role_match(const void *row)
{
    return (struct row_match){{role_of(row), row_of(row)->process}};
}

static struct row_match (*const fallback_matches[])(const void *row) = {role_match, NULL};

const struct report report_api_threads = {
    .name = "api_threads",
    .title = "CUDA API calls by thread",
    .doc = "CUDA runtime and driver calls by the thread that makes them.",
    .row_size = sizeof(struct thread_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_timed = true,
    .build = build,
    .sort = "-total",
    .id = row_id,
    .match = row_match,
    .fallback_matches = fallback_matches,
    .is_aggregate = true,
    .apart = "overlap",
    .narrow = row_narrow,
};
