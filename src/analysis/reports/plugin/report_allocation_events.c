// SPDX-License-Identifier: Apache-2.0
// Lists single allocations and frees with the bytes that are live after each.
#include "analysis/memory/memory_place.h"
#include "analysis/report/report.h"
#include "analysis/sums/work_text.h"
#include "base/text/format.h"
#include "model/profile/api_name.h"

struct allocation_event_texts { // shared by all rows
    const struct profile *profile;
    const struct selection *selection; // a copy owned by the rows
    const char **places;               // path by node of the tree; NULL until a row needs it
    const char **names;                // API name without its version, by string id
};

struct event_row {
    const struct allocation_event_texts *texts;
    uint32_t event;
    int64_t live;
};

static const struct event_row *row_of(const void *row)
{
    return row;
}

static const struct profile *profile_of(const void *row)
{
    return row_of(row)->texts->profile;
}

static const struct memory_events *memory_of(const void *row)
{
    return &profile_of(row)->memory;
}

static uint32_t event_of(const void *row)
{
    return row_of(row)->event;
}

static uint32_t call_of(const void *row)
{
    return memory_of(row)->api[event_of(row)];
}

static struct value get_start(const void *row)
{
    return value_integer(AT(memory_of(row)->start, event_of(row)));
}

static struct value get_operation(const void *row)
{
    return value_text(memory_of(row)->is_free[event_of(row)] ? "free" : "allocate");
}

static struct value get_bytes(const void *row)
{
    return value_integer(memory_of(row)->bytes[event_of(row)]);
}

static struct value get_live(const void *row)
{
    return value_integer(row_of(row)->live);
}

static struct value get_kind(const void *row)
{
    return value_text(memory_group_name(memory_group(profile_of(row), event_of(row))));
}

static struct value get_device(const void *row)
{
    uint32_t device = memory_of(row)->device[event_of(row)];
    return device == ROW_NONE ? value_none()
                              : value_integer(device_number(profile_of(row), device));
}

static struct value get_held(const void *row)
{
    const struct memory_events *memory = memory_of(row);
    uint32_t event = event_of(row);
    uint32_t from = memory->is_free[event] ? memory->ends[event] : event;
    uint32_t to = memory->is_free[event] ? event : memory->ended[event];
    return from == ROW_NONE || to == ROW_NONE
               ? value_none()
               : value_integer(AT(memory->start, to) - AT(memory->start, from));
}

static struct value get_other(const void *row)
{
    const struct memory_events *memory = memory_of(row);
    uint32_t event = event_of(row);
    uint32_t other = memory->is_free[event] ? memory->ends[event] : memory->ended[event];
    return other == ROW_NONE ? value_none() : value_integer(AT(memory->start, other));
}

static struct value get_place(const void *row)
{
    const struct allocation_event_texts *texts = row_of(row)->texts;
    if (call_of(row) == ROW_NONE)
        return value_none();
    return value_text(
        texts->places[selection_api_node(texts->profile, texts->selection, call_of(row))]);
}

static struct value get_api(const void *row)
{
    uint32_t call = call_of(row);
    return call == ROW_NONE
               ? value_none()
               : value_text(row_of(row)->texts->names[AT(profile_of(row)->api.name, call)]);
}

static struct value get_line(const void *row)
{
    return value_text(call_place(profile_of(row), call_of(row)));
}

static struct value get_iteration(const void *row)
{
    const struct split *split = row_of(row)->texts->selection->split;
    uint32_t iteration = memory_iteration(profile_of(row), split, event_of(row));
    return split->method != SPLIT_NONE && iteration < split->count
               ? value_integer(split->number[iteration])
               : value_none();
}

static struct value get_name(const void *row)
{
    const struct memory_events *memory = memory_of(row);
    string_id name = memory->name ? memory->name[event_of(row)] : (string_id)STRING_NONE;
    return name == STRING_NONE ? value_none() : value_text(profile_text(profile_of(row), name));
}

static struct value get_process(const void *row)
{
    uint32_t process = memory_of(row)->process[event_of(row)];
    return value_integer(profile_of(row)->processes[process].pid);
}

static struct value get_thread(const void *row)
{
    return call_thread(profile_of(row), call_of(row));
}

// Addresses are unsigned in the file and shown as whole numbers.
static struct value get_address(const void *row)
{
    int64_t address = memory_of(row)->address[event_of(row)];
    return address == 0 ? value_none() : value_integer(address);
}

static struct value get_pool(const void *row)
{
    const int64_t *pool = memory_of(row)->pool;
    return pool && pool[event_of(row)] != 0 ? value_integer(pool[event_of(row)]) : value_none();
}

static const struct column columns[] = {
    {"start", "Start (ns)", "start", UNIT_TIME, get_start, "When it came, by the host's clock.", 0},
    {"operation", "Operation", "operation", UNIT_TEXT, get_operation, "allocate or free.", 0},
    {"bytes", "Bytes", "bytes", UNIT_BYTES, get_bytes,
     "Its size; of a free that of its allocation. Unknown where the file tells none that can be.",
     COLUMN_BAR},
    {"live", "Live After (B)", "live", UNIT_BYTES, get_live,
     "What is live of the same kind of memory of the same GPU after it: allocated since the "
     "capture began and not freed.",
     0},
    {"place", "Called By", "called by", UNIT_TEXT, get_place,
     "Place in the op tree of the call: names from the root, joined by \" > \".", COLUMN_NAME},
    {"kind", "Memory", "memory", UNIT_TEXT, get_kind, "Kind of memory.", 0},
    {"device", "GPU", "gpu", UNIT_ID, get_device, "Number of the GPU.", 0},
    {"iteration", "Iteration", "iter", UNIT_ID, get_iteration,
     "Iteration in which its call began; unknown outside every iteration.", 0},
    {"held", "Held (ns)", "held", UNIT_NS, get_held,
     "From the allocation to its end; unknown where one of them is not in the file.", COLUMN_WIDE},
    {"api", "API Name", "API", UNIT_TEXT, get_api, "The call that did it.", COLUMN_WIDE},
    {"other", "Other End (ns)", "other end", UNIT_TIME, get_other,
     "When it is freed; of a free when it was allocated.", COLUMN_DETAIL},
    {"source_line", "Source Line", "line", UNIT_TEXT, get_line, "Line of the program that called.",
     COLUMN_DETAIL},
    {"name", "Variable", "variable", UNIT_TEXT, get_name, "Variable that it is, of static memory.",
     COLUMN_DETAIL},
    {"address", "Address", "address", UNIT_ID, get_address, "Where it lies.", COLUMN_DETAIL},
    {"pool", "Pool", "pool", UNIT_ID, get_pool, "Address of the pool that it is taken from.",
     COLUMN_DETAIL},
    {"thread", "Thread", "tid", UNIT_ID, get_thread, "Thread that called.", COLUMN_DETAIL},
    {"process", "Process", "pid", UNIT_ID, get_process, "Its process.", COLUMN_DETAIL},
};

// Returns, for each event, the bytes live after it in the memory of its GPU and group.
static int64_t *find_live(const struct profile *profile, struct arena *arena)
{
    const struct memory_events *memory = &profile->memory;
    size_t places = ((size_t)profile->device_count + 1) * MEMORY_GROUPS;
    int64_t *levels = ARENA_ARRAY(arena, int64_t, places);
    int64_t *live = ARENA_ARRAY(arena, int64_t, memory->count);
    for (uint32_t i = 0; i < memory->count; i++) {
        uint32_t ends = memory->ends[i];
        if (ends != ROW_NONE && memory->bytes[ends] != UNKNOWN)
            levels[memory_place_of(profile, ends)] -= memory->bytes[ends];
        uint32_t at = memory_place_of(profile, memory_owner(profile, i));
        if (!memory->is_free[i] && memory->bytes[i] != UNKNOWN)
            levels[at] += memory->bytes[i];
        live[i] = levels[at];
    }
    return live;
}

static void find_texts(const struct allocation_event_texts *texts, uint32_t event,
                       struct arena *arena)
{
    uint32_t call = texts->profile->memory.api[event];
    if (call == ROW_NONE)
        return;
    const char **name = &texts->names[AT(texts->profile->api.name, call)];
    if (!*name) {
        const char *text = profile_text(texts->profile, AT(texts->profile->api.name, call));
        *name = arena_copy(arena, text, api_name_length(text));
    }
    uint32_t node = selection_api_node(texts->profile, texts->selection, call);
    if (!texts->places[node])
        texts->places[node] = node_path_text(
            texts->profile, selection_tree(texts->profile, texts->selection), node, arena);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const struct memory_events *memory = &profile->memory;
    if (memory->count == 0 || !profile->tree)
        return (struct rows){.empty = memory_empty_text(profile)};
    struct selection *copy = ARENA_NEW(arena, struct selection);
    struct allocation_event_texts *texts = ARENA_NEW(arena, struct allocation_event_texts);
    *copy = *selection;
    *texts = (struct allocation_event_texts){
        .profile = profile,
        .selection = copy,
        .places = ARENA_ARRAY(arena, const char *, selection_tree(profile, selection)->count),
        .names = ARENA_ARRAY(arena, const char *, strings_count(profile->strings)),
    };
    const int64_t *live = find_live(profile, arena);
    struct event_row *rows = ARENA_ARRAY(arena, struct event_row, memory->count);
    size_t count = 0;
    for (uint32_t i = 0; i < memory->count; i++) {
        if (!selection_has_memory(profile, selection, i))
            continue;
        rows[count++] = (struct event_row){.texts = texts, .event = i, .live = live[i]};
        find_texts(texts, i, arena);
    }
    if (count == 0)
        return (struct rows){.empty = memory_empty_text(profile)};
    char text[FORMAT_SIZE];
    return (struct rows){
        .items = rows,
        .count = count,
        .caption =
            arena_format(arena, "%s: allocations and frees", format_counted(text, count, "row")),
    };
}

static uint64_t row_id(const void *row)
{
    return event_of(row);
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)selection, (void)arena;
    return memory_place(profile, event_of(row), MEMORY_AT_CALL, place);
}

const struct report report_allocation_events = {
    .name = "allocation_events",
    .title = "Single allocations",
    .doc = "Allocations and frees one by one, in order of time, with what is live after each.",
    .row_size = sizeof(struct event_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .place = row_place,
};
