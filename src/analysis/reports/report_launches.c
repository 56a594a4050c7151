// SPDX-License-Identifier: Apache-2.0
// Lists single launches with everything recorded of a kernel, copy, memset or graph replay. A row
// takes 16 bytes; its accessors look the rest up in the profile.
#include "analysis/breakdown/launch_queue.h"
#include "analysis/report/report.h"
#include "analysis/sums/launch_texts.h"
#include "analysis/sums/selected_work.h"
#include "analysis/sums/work_text.h"
#include "base/sort.h"
#include "base/text/format.h"

struct launch_row {
    const struct launch_texts *texts;
    uint32_t work;
};

static const struct launch_texts *texts_of(const void *row)
{
    return ((const struct launch_row *)row)->texts;
}

static const struct profile *profile_of(const void *row)
{
    return texts_of(row)->profile;
}

static const struct gpu_work *work_of(const void *row)
{
    return &profile_of(row)->work;
}

static uint32_t index_of(const void *row)
{
    return ((const struct launch_row *)row)->work;
}

static const struct function *function_of(const void *row)
{
    return &profile_of(row)->functions[AT(work_of(row)->function, index_of(row))];
}

static uint32_t api_of(const void *row)
{
    return HAS(work_of(row)->launch) ? AT(work_of(row)->launch, index_of(row)) : ROW_NONE;
}

static const struct launch_shape *shape_of(const void *row)
{
    return work_launch_shape(profile_of(row), index_of(row));
}

static struct value text_value(const void *row, string_id text)
{
    return text == STRING_NONE ? value_none() : value_text(profile_text(profile_of(row), text));
}

static struct value not_negative(int64_t value)
{
    return value < 0 ? value_none() : value_integer(value);
}

static struct value get_name(const void *row)
{
    const struct launch_texts *texts = texts_of(row);
    uint32_t function = AT(texts->profile->work.function, index_of(row));
    return text_value(row, selection_name(texts->profile, texts->selection, function));
}

static struct value get_full(const void *row)
{
    return text_value(row, function_of(row)->full);
}

static struct value get_start(const void *row)
{
    return value_integer(AT(work_of(row)->start, index_of(row)));
}

static struct value get_duration(const void *row)
{
    return value_integer(AT(work_of(row)->end, index_of(row)) -
                         AT(work_of(row)->start, index_of(row)));
}

static struct value get_exclusive(const void *row)
{
    struct column64 exclusive = work_of(row)->exclusive;
    return HAS(exclusive) ? value_integer(AT(exclusive, index_of(row))) : value_none();
}

static struct value get_device(const void *row)
{
    return value_integer(
        device_number(profile_of(row), work_device(profile_of(row), index_of(row))));
}

static struct value get_stream(const void *row)
{
    const struct launch_texts *texts = texts_of(row);
    return value_text(texts->streams[AT(work_of(row)->stream, index_of(row))]);
}

static struct value get_process(const void *row)
{
    const struct profile *profile = profile_of(row);
    uint32_t process = work_process(profile, index_of(row));
    return process < profile->process_count ? value_integer(profile->processes[process].pid)
                                            : value_none();
}

static struct value shape_text(const void *row, const char *const *texts)
{
    return shape_of(row) ? value_text(texts[AT(work_of(row)->shape, index_of(row))]) : value_none();
}

static struct value get_grid(const void *row)
{
    return shape_text(row, texts_of(row)->grids);
}

static struct value get_block(const void *row)
{
    return shape_text(row, texts_of(row)->blocks);
}

static struct value get_registers(const void *row)
{
    const struct launch_shape *shape = shape_of(row);
    return shape ? not_negative(shape->registers) : value_none();
}

static struct value get_static_shared(const void *row)
{
    const struct launch_shape *shape = shape_of(row);
    return shape ? not_negative(shape->static_shared) : value_none();
}

static struct value get_dynamic_shared(const void *row)
{
    const struct launch_shape *shape = shape_of(row);
    return shape ? not_negative(shape->dynamic_shared) : value_none();
}

static struct value get_api(const void *row)
{
    return api_of(row) == ROW_NONE ? value_none()
                                   : text_value(row, AT(profile_of(row)->api.name, api_of(row)));
}

static struct value get_api_start(const void *row)
{
    return api_of(row) == ROW_NONE ? value_none()
                                   : value_integer(AT(profile_of(row)->api.start, api_of(row)));
}

static struct value get_api_duration(const void *row)
{
    const struct api_calls *api = &profile_of(row)->api;
    uint32_t call = api_of(row);
    return call == ROW_NONE ? value_none()
                            : value_integer(AT(api->end, call) - AT(api->start, call));
}

static struct value get_delay(const void *row)
{
    uint32_t call = api_of(row);
    return call == ROW_NONE ? value_none()
                            : value_integer(AT(work_of(row)->start, index_of(row)) -
                                            AT(profile_of(row)->api.end, call));
}

// Returns words for the ways in which a launch is out of line. Bit 0: shorter than its call; bit 1:
// slow call; bit 2: late start.
static struct value get_flags(const void *row)
{
    static const char *const words[] = {
        NULL,   "short",       "slow call",       "short, slow call",
        "late", "short, late", "slow call, late", "short, slow call, late"};
    const struct profile *profile = profile_of(row);
    uint32_t call = api_of(row), w = index_of(row);
    if (!work_is_launched(profile, w))
        return value_none();
    int64_t call_ns = AT(profile->api.end, call) - AT(profile->api.start, call);
    unsigned flags =
        (work_duration(profile, w) < call_ns ? 1u : 0) | (call_ns > LAUNCH_CALL_NS ? 2u : 0) |
        (AT(profile->work.start, w) - AT(profile->api.end, call) > LAUNCH_DELAY_NS ? 4u : 0);
    return flags ? value_text(words[flags]) : value_none();
}

static struct value get_thread(const void *row)
{
    return call_thread(profile_of(row), api_of(row));
}

static struct value get_place(const void *row)
{
    const struct launch_texts *texts = texts_of(row);
    if (!texts->places)
        return value_none();
    return value_text(
        texts->places[selection_work_node(texts->profile, texts->selection, index_of(row))]);
}

static struct value get_forward(const void *row)
{
    const struct launch_texts *texts = texts_of(row);
    uint32_t forward = selection_forward_node(texts->profile, texts->selection, index_of(row));
    return texts->places && forward != ROW_NONE ? value_text(texts->places[forward]) : value_none();
}

static struct value get_range(const void *row)
{
    const struct profile *profile = profile_of(row);
    uint32_t range = api_of(row) == ROW_NONE || !HAS(profile->api.range)
                         ? ROW_NONE
                         : AT(profile->api.range, api_of(row));
    return range == ROW_NONE ? value_none() : text_value(row, range_name(&profile->ranges, range));
}

static struct value get_line(const void *row)
{
    const char *place = call_place(profile_of(row), api_of(row));
    return place ? value_text(place) : value_none();
}

static struct value get_callers(const void *row)
{
    const struct api_calls *api = &profile_of(row)->api;
    return api_of(row) == ROW_NONE || !HAS(api->route)
               ? value_none()
               : text_value(row, api_route(api, api_of(row)).callers);
}

static struct value get_owner(const void *row)
{
    unsigned flags = HAS(work_of(row)->flags) ? AT(work_of(row)->flags, index_of(row)) : 0;
    if (flags & WORK_CAPTURED)
        return value_text("captured");
    if (flags & WORK_ADOPTED && texts_of(row)->selection->adoption)
        return value_text("adopted");
    return value_text("launch");
}

static struct value get_iteration(const void *row)
{
    const struct split *split = texts_of(row)->selection->split;
    uint32_t iteration = split->of_work ? split->of_work[index_of(row)] : ROW_NONE;
    return iteration < split->count ? value_integer(split->number[iteration]) : value_none();
}

static struct value get_kind(const void *row)
{
    return value_text(work_kind_names[function_of(row)->kind]);
}

static struct value get_class(const void *row)
{
    return value_text(work_class_names[function_of(row)->class]);
}

static bool is_copy(const void *row)
{
    enum work_kind kind = function_of(row)->kind;
    return kind == WORK_MEMCPY || kind == WORK_MEMSET;
}

static struct value get_tensor_core(const void *row)
{
    enum work_kind kind = function_of(row)->kind;
    return kind == WORK_MEMCPY || kind == WORK_MEMSET ? value_none()
                                                      : value_state(function_of(row)->tensor_core);
}

static struct value get_bytes(const void *row)
{
    return is_copy(row) ? value_integer(work_bytes(profile_of(row), index_of(row))) : value_none();
}

static struct value get_rate(const void *row)
{
    int64_t rate = work_rate(profile_of(row), index_of(row));
    return rate == UNKNOWN ? value_none() : value_real((double)rate);
}

static struct value get_graph(const void *row)
{
    struct column64 graph = work_of(row)->graph;
    int64_t id = HAS(graph) ? AT(graph, index_of(row)) : 0;
    return id ? value_integer(id) : value_none();
}

static struct value get_graph_node(const void *row)
{
    struct column64 node = work_of(row)->graph_node;
    int64_t id = HAS(node) ? AT(node, index_of(row)) : 0;
    return id ? value_integer(id) : value_none();
}

static struct value get_correlation(const void *row)
{
    struct column32 correlation = work_of(row)->correlation;
    uint32_t id = HAS(correlation) ? AT(correlation, index_of(row)) : 0;
    return id ? value_integer(id) : value_none();
}

static const struct column columns[] = {
    {"start", "Start (ns)", "start", UNIT_TIME, get_start, "When it began on the GPU.", 0},
    {"gpu", "GPU Time (ns)", "GPU", UNIT_NS, get_duration, "How long it ran on the GPU.",
     COLUMN_BAR},
    {"exclusive", "Exclusive GPU Time (ns)", "exclusive", UNIT_NS, get_exclusive,
     "Time in which it alone keeps its GPU from being idle: of communication what nothing hides.",
     COLUMN_TIMED},
    {"kernel", "Kernel Name", "kernel", UNIT_TEXT, get_name,
     "Name in the form chosen: family, short or full.", COLUMN_NAME},
    {"delay", "Queue Delay (ns)", "delay", UNIT_NS, get_delay,
     "From the end of the launching call to the start on the GPU; below 0 when it began before "
     "the call returned. Unknown without a launch row.",
     COLUMN_TIMED},
    {"device", "GPU", "gpu", UNIT_ID, get_device, "Number of the GPU, as in the devices report.",
     0},
    {"stream", "Stream", "stream", UNIT_TEXT, get_stream, "CUDA stream and its role.", 0},
    {"grid", "Grid", "grid", UNIT_TEXT, get_grid, "Blocks in x, y and z.", COLUMN_WIDE},
    {"block", "Block", "block", UNIT_TEXT, get_block, "Threads of a block in x, y and z.",
     COLUMN_WIDE},
    {"bytes", "Bytes", "bytes", UNIT_BYTES, get_bytes, "Bytes that a copy or memset moved.", 0},
    {"rate", "Throughput (B/s)", "rate", UNIT_RATE, get_rate,
     "Bytes over GPU time; as the file tells it, where it does.", COLUMN_WIDE},
    {"place", "Launched By", "launched by", UNIT_TEXT, get_place,
     "Place in the op tree that owns it: names from the root, joined by \" > \".", 0},
    {"forward", "Backward Of", "backward of", UNIT_TEXT, get_forward,
     "Place of the forward op whose backward this is.", COLUMN_DETAIL},
    {"owner", "Owner By", "owner by", UNIT_TEXT, get_owner,
     "How the place was found: by the launch, adopted (the range's thread was blocked), or "
     "captured (where the CUDA graph was made).",
     COLUMN_DETAIL},
    {"range", "Innermost Range", "range", UNIT_TEXT, get_range,
     "The NVTX range closest around the launching call.", COLUMN_DETAIL},
    {"source_line", "Source Line", "line", UNIT_TEXT, get_line,
     "Line of the program that made the launching call: the innermost frame that is of no library "
     "(frames.yaml) of its call chain, else of the call stack in the marker around it or around "
     "its op (a backward has its forward's).",
     COLUMN_DETAIL},
    {"callers", "Called From", "called from", UNIT_TEXT, get_callers,
     "The program's lines that led there, innermost first.", COLUMN_DETAIL},
    {"iteration", "Iteration", "iter", UNIT_ID, get_iteration,
     "Iteration in which it was launched; unknown outside every iteration.", COLUMN_WIDE},
    {"api", "Launch API", "API", UNIT_TEXT, get_api, "The call that launched it.", COLUMN_WIDE},
    {"api_start", "Launch Start (ns)", "launched", UNIT_TIME, get_api_start,
     "When that call began on the host.", COLUMN_DETAIL},
    {"api_time", "Launch Time (ns)", "API time", UNIT_NS, get_api_duration,
     "How long that call took on the host.", COLUMN_DETAIL | COLUMN_TIMED},
    {"flags", "Flags", "flags", UNIT_TEXT, get_flags,
     "What is out of line. short: it ran shorter than the call that launched it; slow call: that "
     "took "
     "longer than 50 us; late: it began more than 100 us after the call had ended. See "
     "`launch_times`.",
     COLUMN_DETAIL | COLUMN_MARK | COLUMN_TIMED},
    {"process", "Process", "pid", UNIT_ID, get_process, "Process that launched it.", COLUMN_DETAIL},
    {"thread", "Thread", "tid", UNIT_ID, get_thread, "Thread that launched it.", COLUMN_DETAIL},
    {"registers", "Registers per Thread", "regs", UNIT_COUNT, get_registers,
     "Registers of each thread.", COLUMN_DETAIL},
    {"static_shared", "Static Shared Memory", "smem", UNIT_BYTES, get_static_shared,
     "Shared memory of a block fixed by the code.", COLUMN_DETAIL},
    {"dynamic_shared", "Dynamic Shared Memory", "dyn smem", UNIT_BYTES, get_dynamic_shared,
     "Shared memory of a block asked for by the launch.", COLUMN_DETAIL},
    {"tc", "Uses TC", "TC", UNIT_STATE, get_tensor_core,
     "Whether it runs on Tensor Cores, by name.", COLUMN_WIDE},
    {"kind", "Kind", "kind", UNIT_TEXT, get_kind, "kernel, memcpy, memset or graph.",
     COLUMN_DETAIL},
    {"class", "Class", "class", UNIT_TEXT, get_class, "compute, comm, copy or graph.",
     COLUMN_DETAIL},
    {"graph", "CUDA Graph", "graph", UNIT_ID, get_graph, "The CUDA graph that it is part of.",
     COLUMN_DETAIL},
    {"graph_node", "Graph Node", "node", UNIT_ID, get_graph_node, "Its node in that graph.",
     COLUMN_DETAIL},
    {"correlation", "Correlation ID", "corr", UNIT_ID, get_correlation,
     "Number that ties it to its launching call within the process.", COLUMN_DETAIL},
    {"full", "Full Name", "full name", UNIT_TEXT, get_full, "Full name of the function.",
     COLUMN_DETAIL},
};

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const struct gpu_work *work = &profile->work;
    struct launch_texts *texts = launch_texts_new(profile, selection, arena);
    struct work_list list = selected_work(profile, selection, arena);
    int64_t *starts = ARENA_ARRAY(arena, int64_t, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        starts[i] = AT(work->start, list.rows[i]);
        launch_texts_add(texts, list.rows[i], arena);
    }
    if (list.count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    const uint32_t *order = sort_by_time(arena, starts, NULL, list.count);
    struct launch_row *rows = ARENA_ARRAY(arena, struct launch_row, list.count);
    for (uint32_t i = 0; i < list.count; i++)
        rows[i] = (struct launch_row){.texts = texts, .work = list.rows[order[i]]};
    char text[FORMAT_SIZE];
    return (struct rows){
        .items = rows,
        .count = list.count,
        .caption = arena_format(arena, "%s", format_counted(text, list.count, "launch")),
    };
}

static uint64_t row_id(const void *row)
{
    return index_of(row);
}

const struct report report_launches = {
    .name = "launches",
    .title = "Single launches",
    .doc = "Kernels, copies, memsets and graph replays one by one, in order of their start.",
    .row_size = sizeof(struct launch_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_work = true,
    .build = build,
    .id = row_id,
    .work = index_of,
};
