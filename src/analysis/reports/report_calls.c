// SPDX-License-Identifier: Apache-2.0
// Lists single CUDA API calls with their results and the work that they launched.
#include "analysis/place/row_place_find.h"
#include "analysis/report/report.h"
#include "analysis/sums/api_times.h"
#include "analysis/sums/work_text.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "model/profile/api_name.h"

struct call_texts { // shared by all rows
    const struct profile *profile;
    const struct selection *selection; // a copy owned by the rows
    const char **names; // name without the version suffix that CUPTI adds, by string id
    struct api_times times;
};

struct call_row {
    const struct call_texts *texts;
    uint32_t call;
};

static uint32_t call_of(const void *row)
{
    return ((const struct call_row *)row)->call;
}

static const struct call_texts *texts_of(const void *row)
{
    return ((const struct call_row *)row)->texts;
}

static const struct profile *profile_of(const void *row)
{
    return texts_of(row)->profile;
}

static const struct api_calls *api_of(const void *row)
{
    return &profile_of(row)->api;
}

static struct value text_value(const void *row, string_id text)
{
    return text == STRING_NONE ? value_none() : value_text(profile_text(profile_of(row), text));
}

static struct value get_start(const void *row)
{
    return value_integer(AT(api_of(row)->start, call_of(row)));
}

static struct value get_time(const void *row)
{
    return value_integer(AT(api_of(row)->end, call_of(row)) - AT(api_of(row)->start, call_of(row)));
}

static struct value get_name(const void *row)
{
    const char *name = texts_of(row)->names[AT(api_of(row)->name, call_of(row))];
    return value_text(*name ? name : "(no name)");
}

static struct value get_self(const void *row)
{
    return value_integer(texts_of(row)->times.self[call_of(row)]);
}

static struct value get_wait(const void *row)
{
    const int64_t *wait = texts_of(row)->times.wait;
    return wait ? value_integer(wait[call_of(row)]) : value_none();
}

static const struct thread *thread_of(const void *row)
{
    uint32_t thread = AT(api_of(row)->thread, call_of(row));
    return thread < profile_of(row)->thread_count ? &profile_of(row)->threads[thread] : NULL;
}

static struct value get_thread(const void *row)
{
    return thread_of(row) ? value_integer(thread_of(row)->tid) : value_none();
}

static struct value get_process(const void *row)
{
    const struct thread *thread = thread_of(row);
    return thread ? value_integer(profile_of(row)->processes[thread->process].pid) : value_none();
}

static struct value get_result(const void *row)
{
    return profile_of(row)->has_api_results ? value_integer(api_result(api_of(row), call_of(row)))
                                            : value_none();
}

static struct value get_failed(const void *row)
{
    return value_state(!profile_of(row)->has_api_results               ? STATE_UNKNOWN
                       : api_has_failed(profile_of(row), call_of(row)) ? STATE_YES
                                                                       : STATE_NO);
}

static struct value get_work(const void *row)
{
    struct column32 first = api_of(row)->first_work;
    uint32_t call = call_of(row);
    return HAS(first) ? value_integer(AT(first, call + 1) - AT(first, call)) : value_none();
}

// Returns the first piece of work that the call launched, or ROW_NONE.
static uint32_t work_of(const void *row)
{
    const struct api_calls *api = api_of(row);
    uint32_t call = call_of(row);
    return HAS(api->first_work) && AT(api->first_work, call) < AT(api->first_work, call + 1)
               ? AT(api->work_rows, AT(api->first_work, call))
               : ROW_NONE;
}

static struct value get_kernel(const void *row)
{
    const struct profile *profile = profile_of(row);
    uint32_t work = work_of(row);
    return work == ROW_NONE ? value_none()
                            : text_value(row, selection_name(profile, texts_of(row)->selection,
                                                             AT(profile->work.function, work)));
}

static struct value get_range(const void *row)
{
    uint32_t range = HAS(api_of(row)->range) ? AT(api_of(row)->range, call_of(row)) : ROW_NONE;
    return range == ROW_NONE ? value_none()
                             : text_value(row, range_name(&profile_of(row)->ranges, range));
}

static struct value get_line(const void *row)
{
    return value_text(call_place(profile_of(row), call_of(row)));
}

static struct value get_callers(const void *row)
{
    return HAS(api_of(row)->route) ? text_value(row, api_route(api_of(row), call_of(row)).callers)
                                   : value_none();
}

static struct value get_iteration(const void *row)
{
    const struct thread *thread = thread_of(row);
    const struct split *split = texts_of(row)->selection->split;
    uint32_t iteration =
        thread ? split_at(split, thread->process, AT(api_of(row)->start, call_of(row))) : ROW_NONE;
    return iteration < split->count ? value_integer(split->number[iteration]) : value_none();
}

static struct value get_correlation(const void *row)
{
    return value_integer(AT(api_of(row)->correlation, call_of(row)));
}

static const struct column columns[] = {
    {"start", "Start (ns)", "start", UNIT_TIME, get_start, "When it began on the host.", 0},
    {"time", "API Time (ns)", "time", UNIT_NS, get_time, "How long it took.", COLUMN_BAR},
    {"api", "API Name", "API", UNIT_TEXT, get_name,
     "Name of the call, without the version that the tracer adds.", COLUMN_NAME},
    {"wait", "Waiting (ns)", "waiting", UNIT_NS, get_wait,
     "Of it in a synchronisation that the file tells of it; unknown where it has none.", 0},
    {"self", "Self Time (ns)", "self", UNIT_NS, get_self, "Its time less that of calls inside it.",
     COLUMN_WIDE},
    {"thread", "Thread", "tid", UNIT_ID, get_thread, "Thread that made it.", 0},
    {"kernel", "Launched", "launched", UNIT_TEXT, get_kernel,
     "The first kernel, copy or graph that it launched.", 0},
    {"work", "GPU Work", "work", UNIT_COUNT, get_work,
     "Kernels, copies, memsets and graphs that it launched.", COLUMN_WIDE},
    {"iteration", "Iteration", "iter", UNIT_ID, get_iteration,
     "Iteration in which it began; unknown outside every iteration.", COLUMN_WIDE},
    {"error", "Error", "error", UNIT_STATE, get_failed,
     "Whether it returned an error; unknown where the file does not tell.", COLUMN_WIDE},
    {"result", "Returned", "returned", UNIT_ID, get_result,
     "What it returned: 0 is no error, 600 (not ready) an answer.", COLUMN_DETAIL},
    {"range", "Innermost Range", "range", UNIT_TEXT, get_range, "The NVTX range closest around it.",
     COLUMN_DETAIL},
    {"source_line", "Source Line", "line", UNIT_TEXT, get_line,
     "Line of the program that made it, as in the launches report.", COLUMN_DETAIL},
    {"callers", "Called From", "called from", UNIT_TEXT, get_callers,
     "The program's lines that led there, innermost first.", COLUMN_DETAIL},
    {"process", "Process", "pid", UNIT_ID, get_process, "Process that made it.", COLUMN_DETAIL},
    {"correlation", "Correlation ID", "corr", UNIT_ID, get_correlation,
     "Number that ties it to its GPU work within the process.", COLUMN_DETAIL},
};

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const struct api_calls *api = &profile->api;
    if (api->count == 0)
        return (struct rows){.empty = api_empty_text(profile)};
    struct call_texts *texts = ARENA_NEW(arena, struct call_texts);
    // the caller may change its own later
    struct selection *copy = ARENA_NEW(arena, struct selection);
    *copy = *selection;
    *texts = (struct call_texts){
        .profile = profile,
        .selection = copy,
        .names = ARENA_ARRAY(arena, const char *, (size_t)strings_count(profile->strings) + 1),
        .times = api_times_of(profile, arena),
    };
    uint32_t *selected = ARENA_ARRAY(arena, uint32_t, (size_t)api->count + 1);
    int64_t *starts = ARENA_ARRAY(arena, int64_t, (size_t)api->count + 1);
    size_t count = 0;
    for (uint32_t i = 0; i < api->count; i++) {
        if (!selection_has_api(profile, selection, i))
            continue;
        starts[count] = AT(api->start, i);
        selected[count++] = i;
        const char **name = &texts->names[AT(api->name, i)];
        if (!*name) {
            const char *text = profile_text(profile, AT(api->name, i));
            *name = arena_copy(arena, text, api_name_length(text));
        }
    }
    if (count == 0)
        return (struct rows){.empty = api_empty_text(profile)};
    const uint32_t *order = sort_by_time(arena, starts, NULL, count);
    struct call_row *rows = ARENA_ARRAY(arena, struct call_row, count);
    for (size_t i = 0; i < count; i++)
        rows[i] = (struct call_row){.texts = texts, .call = selected[order[i]]};
    char text[FORMAT_SIZE];
    return (struct rows){
        .items = rows,
        .count = count,
        .caption = arena_format(arena, "%s", format_counted(text, count, "call")),
    };
}

static uint64_t row_id(const void *row)
{
    return call_of(row);
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)profile, (void)selection, (void)arena;
    *place = (struct row_place){.kind = PLACE_CALL, .row = call_of(row), .of = 1};
    return true;
}

// Opens the launches of the first work's function; a call without work opens nothing.
static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    uint32_t work = work_of(row);
    if (work == ROW_NONE)
        return NULL;
    selection->function = AT(profile->work.function, work);
    return "launches";
}

const struct report report_calls = {
    .name = "calls",
    .title = "Single API calls",
    .doc = "CUDA runtime and driver calls one by one, in order of their start.",
    .row_size = sizeof(struct call_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_timed = true,
    .build = build,
    .id = row_id,
    .place = row_place,
    .narrow = row_narrow,
};
