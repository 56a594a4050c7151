// SPDX-License-Identifier: Apache-2.0
// Makes a range of each run of an op of a DLProf database, and markers with what DLProf recorded
// about it.
#include <string.h>

#include "base/id_map.h"
#include "model/dldb/load_dldb.h"
#include "model/markers/marker_dialects.h"
#include "model/profile/recorded_ops.h"

// Returns true if Python writes the name of a frame in angle brackets, which DLProf omits.
static bool is_bracketed(const char *part, size_t length, bool is_first)
{
    static const char *const names[] = {"module",  "lambda",   "listcomp",
                                        "genexpr", "dictcomp", "setcomp"};
    for (size_t i = is_first ? 0 : 1; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], part, length) == 0)
            return true;
    return false;
}

// Converts DLProf's text of a place in PyTorch back to the text of the funcStack, so that op trees
// agree with those of an export: "/module/f/lambda[2]" was "/<module>/f/<lambda>(2)".
static string_id python_place(struct dldb *dldb, string_id name)
{
    const struct profile *profile = dldb->nsys->profile;
    if (profile->mode != MODE_PYTORCH)
        return name;
    const char *text = profile_text(profile, name);
    size_t length = strings_length(profile->strings, name), used = 0;
    // Brackets are added only to names after a "/", so that the text at most doubles.
    char *path = arena_alloc(dldb->nsys->scratch, 2 * length + 1, 1);
    for (size_t from = 0; from < length;) {
        size_t part = strcspn(text + from, "/[");
        bool begins = from > 0 && text[from - 1] == '/';
        bool has_brackets = begins && is_bracketed(text + from, part, from == 1);
        if (has_brackets)
            path[used++] = '<';
        memcpy(path + used, text + from, part);
        used += part;
        if (has_brackets)
            path[used++] = '>';
        for (from += part; from < length && text[from] != '/'; from++)
            path[used++] = text[from] == '[' ? '(' : text[from] == ']' ? ')' : text[from];
        if (from < length)
            path[used++] = text[from++];
    }
    return strings_intern(profile->strings, path, used);
}

// ---- values shared by many ops and runs ---------------------------------------------------------

struct shape_tensors { // parsed list of shapes
    uint32_t count;
    struct marker_argument *items;
};

// Caches derived values per text, because texts may be long and thousands of rows may share one.
struct dlprof_range_build {
    struct tuples markers, labels;
    size_t marker_capacity, label_capacity;
    struct id_map places, backwards; // op name -> place_of(), "... (bprop)"
    struct id_map shapes;            // (list, labels of dimensions) -> text as DLProf prints it
    struct id_map lists;             // (list, data type) -> row of `tensors`
    size_t tensors_count, tensors_capacity;
    struct shape_tensors *tensors;
};

static string_id cached_place(struct dldb *dldb, struct dlprof_range_build *build, string_id name)
{
    uint32_t *place = id_map_slot(&build->places, (struct id_key){.a = name});
    if (!*place)
        *place = python_place(dldb, name) + 1;
    return *place - 1;
}

static string_id cached_backward_name(struct dldb *dldb, struct dlprof_range_build *build,
                                      string_id name)
{
    struct strings *strings = dldb->nsys->profile->strings;
    uint32_t *backward = id_map_slot(&build->backwards, (struct id_key){.a = name});
    if (!*backward)
        *backward = strings_intern_text(strings, arena_format(dldb->nsys->scratch, "%s (bprop)",
                                                              strings_text(strings, name))) +
                    1;
    return *backward - 1;
}

static struct shape_tensors read_tensors(struct dldb *dldb, string_id list)
{
    struct profile *profile = dldb->nsys->profile;
    const struct marker_text text = {.strings = profile->strings, .arena = profile->arena};
    struct marker read = {.argument_count = 0};
    marker_read_sizes(&text, profile_text(profile, list), strings_length(profile->strings, list),
                      &read);
    return (struct shape_tensors){read.argument_count, read.arguments};
}

// Sets the data type of the first tensor; DLProf keeps only that one.
static struct shape_tensors with_data_type(struct shape_tensors tensors, string_id data_type,
                                           struct arena *arena)
{
    uint32_t first = 0;
    while (first < tensors.count && !tensors.items[first].is_tensor)
        first++;
    if (first == tensors.count)
        return tensors;
    struct marker_argument *items = ARENA_ARRAY(arena, struct marker_argument, tensors.count);
    memcpy(items, tensors.items, tensors.count * sizeof *items);
    items[first].dtype = data_type;
    return (struct shape_tensors){tensors.count, items};
}

static struct shape_tensors cached_tensors(struct dldb *dldb, struct dlprof_range_build *build,
                                           string_id list, string_id data_type)
{
    struct id_key key = {.a = list, .b = data_type};
    uint32_t row = id_map_get(&build->lists, key);
    if (row != UINT32_MAX)
        return build->tensors[row];
    struct shape_tensors tensors =
        data_type ? with_data_type(cached_tensors(dldb, build, list, STRING_NONE), data_type,
                                   dldb->nsys->profile->arena)
                  : read_tensors(dldb, list);
    ARENA_PUSH(dldb->nsys->scratch, build->tensors, build->tensors_count, build->tensors_capacity) =
        tensors;
    *id_map_slot(&build->lists, key) = (uint32_t)build->tensors_count; // index + 1
    return tensors;
}

static string_id cached_shape(struct dldb *dldb, struct dlprof_range_build *build, string_id list,
                              string_id labels)
{
    struct strings *strings = dldb->nsys->profile->strings;
    struct shape_tensors tensors = cached_tensors(dldb, build, list, STRING_NONE);
    uint32_t *shape = id_map_slot(&build->shapes, (struct id_key){.a = list, .b = labels});
    if (!*shape) {
        const struct marker marker = {.argument_count = tensors.count, .arguments = tensors.items};
        *shape =
            strings_intern_text(strings, op_shape_labelled(&marker, strings_text(strings, labels),
                                                           dldb->nsys->scratch)) +
            1;
    }
    return *shape - 1;
}

// ---- markers and ranges ------------------------------------------------------------------------

static struct marker make_marker(struct dldb *dldb, struct dlprof_range_build *build,
                                 uint32_t op_row, const string_id *shapes)
{
    const struct op *op = &dldb->told.ops[dldb->op_of[op_row]];
    struct shape_tensors inputs = cached_tensors(dldb, build, shapes[SHAPE_INPUT], op->data_type);
    struct marker marker = {
        .kind = MARKER_OP,
        .dialect = DIALECT_DLPROF,
        .text = op->name,
        .title = op->type,
        .type = op->type,
        .path = cached_place(dldb, build, op->name),
        .stack = op->stack,
        .argument_count = inputs.count,
        .arguments = inputs.items,
        .number = UNKNOWN,
        .is_backward = op->direction == DIRECTION_BPROP &&
                       strcmp(profile_text(dldb->nsys->profile, op->type), "backward") != 0,
    };
    for (int part = 0; part < SHAPE_PARTS; part++)
        marker.shapes[part] =
            cached_shape(dldb, build, shapes[part], dldb->ops.texts[OP_TEXT_LABELS + part][op_row]);
    return marker;
}

static uint32_t marker_of(struct dldb *dldb, struct dlprof_range_build *build, uint32_t run)
{
    struct profile *profile = dldb->nsys->profile;
    const struct raw_instances *runs = &dldb->runs;
    uint32_t op_row = tuples_find(&dldb->op_ids, &runs->op_id[run]);
    const string_id shapes[SHAPE_PARTS] = {runs->shapes[SHAPE_INPUT][run],
                                           runs->shapes[SHAPE_OUTPUT][run],
                                           runs->shapes[SHAPE_PARAMETERS][run]};
    const int64_t key[] = {op_row, shapes[0], shapes[1], shapes[2]};
    size_t count = build->markers.count;
    uint32_t row = tuples_put(&build->markers, key);
    if (row == count) {
        struct marker marker = make_marker(dldb, build, op_row, shapes);
        ARENA_PUSH(profile->arena, profile->markers, count, build->marker_capacity) = marker;
        profile->marker_count = (uint32_t)count;
    }
    return row;
}

static uint32_t label_of(struct dldb *dldb, struct dlprof_range_build *build, uint32_t marker,
                         uint32_t thread)
{
    struct profile *profile = dldb->nsys->profile;
    struct ranges *ranges = &profile->ranges;
    size_t count = build->labels.count;
    uint32_t row = tuples_put(&build->labels, (int64_t[2]){marker, thread});
    if (row < count)
        return row;
    const struct marker *parsed = &profile->markers[marker];
    string_id name =
        parsed->is_backward ? cached_backward_name(dldb, build, parsed->text) : parsed->text;
    ARENA_PUSH(profile->arena, ranges->labels, count, build->label_capacity) =
        (struct range_label){.name = name, .marker = marker, .thread = thread};
    ranges->label_count = (uint32_t)count;
    return row;
}

void dldb_make_ranges(struct dldb *dldb)
{
    struct nsys *nsys = dldb->nsys;
    struct profile *profile = nsys->profile;
    struct recorded_ops *recorded = &dldb->told;
    struct dlprof_range_build build = {.places = {.arena = nsys->scratch},
                                       .backwards = {.arena = nsys->scratch},
                                       .shapes = {.arena = nsys->scratch},
                                       .lists = {.arena = nsys->scratch}};
    // gives the raw columns their size; no table is read
    struct table_slices run_rows_only = {.rows = recorded->instance_count};
    struct raw_ranges raw = {
        .start = nsys_raw_column(nsys, &run_rows_only, sizeof *raw.start),
        .end = nsys_raw_column(nsys, &run_rows_only, sizeof *raw.end),
        .label = nsys_raw_column(nsys, &run_rows_only, sizeof *raw.label),
    };
    uint32_t *instances =
        ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)recorded->instance_count + 1);
    uint32_t count = 0;
    tuples_open(&build.markers, nsys->scratch, 4);
    tuples_open(&build.labels, nsys->scratch, 2);
    profile->domains = ARENA_NEW(nsys->arena, struct domain);
    profile->domain_count = 1;
    for (uint32_t run = 0; run < dldb->run_rows; run++) {
        uint32_t row = dldb->instance_of[run];
        struct recorded_instance *instance =
            row < DLDB_OTHER_DOMAIN ? &recorded->instances[row] : NULL;
        if (!instance || recorded->ops[instance->op].is_unassociated)
            continue;
        instance->marker = marker_of(dldb, &build, run);
        raw.start[count] = instance->start;
        raw.end[count] = instance->end;
        raw.label[count] = label_of(dldb, &build, instance->marker, instance->thread);
        instances[count++] = row;
    }
    const uint32_t *order = ranges_arrange(nsys, &raw, count);
    for (uint32_t i = 0; i < count; i++)
        recorded->instances[instances[order[i]]].range = i;
    profile->has_ranges = count > 0;
}
