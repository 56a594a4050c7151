// SPDX-License-Identifier: Apache-2.0
// The runs of ops of a DLProf database as ranges, and markers that say what DLProf says of them.
#include <string.h>

#include "base/id_map.h"
#include "model/dldb/load_dldb.h"
#include "model/markers/marker_dialects.h"
#include "model/profile/recorded_ops.h"

// Whether Python writes the name of a frame in angle brackets, which DLProf leaves out.
static bool is_bracketed(const char *part, size_t length, bool is_first)
{
    static const char *const names[] = {"module",  "lambda",   "listcomp",
                                        "genexpr", "dictcomp", "setcomp"};
    for (size_t i = is_first ? 0 : 1; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], part, length) == 0)
            return true;
    return false;
}

// DLProf's text of a place in PyTorch back to that of the funcStack, so that trees agree with those of
// an export: "/module/f/lambda[2]" was "/<module>/f/<lambda>(2)".
static string_id place_of(struct dldb *dldb, string_id name)
{
    const struct profile *profile = dldb->nsys->profile;
    if (profile->mode != MODE_PYTORCH)
        return name;
    const char *text = profile_text(profile, name);
    size_t length = strings_length(profile->strings, name), used = 0;
    char *path = arena_alloc(dldb->nsys->scratch, 2 * length + 1, 1); // brackets come between "/"
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

// ---- what many ops and runs have in common -------------------------------------------------------

struct tensors { // of a list of shapes
    uint32_t count;
    struct marker_argument *items;
};

// Texts of a file may be long, and thousands of rows may name them: what follows from one is made once.
struct making {
    struct tuples markers, labels;
    size_t marker_capacity, label_capacity;
    struct id_map places, backwards; // name of an op -> place_of(), "... (bprop)"
    struct id_map shapes;            // (list, labels of dims) -> as DLProf prints it
    struct id_map lists;             // (list, data type) -> row of tensors
    size_t tensors_count, tensors_capacity;
    struct tensors *tensors;
};

static string_id place_once(struct dldb *dldb, struct making *making, string_id name)
{
    uint32_t *place = id_map_slot(&making->places, (struct id_key){.a = name});
    if (!*place)
        *place = place_of(dldb, name) + 1;
    return *place - 1;
}

static string_id backward_once(struct dldb *dldb, struct making *making, string_id name)
{
    struct strings *strings = dldb->nsys->profile->strings;
    uint32_t *backward = id_map_slot(&making->backwards, (struct id_key){.a = name});
    if (!*backward)
        *backward = strings_intern_text(strings, arena_format(dldb->nsys->scratch, "%s (bprop)",
                                                              strings_text(strings, name))) +
                    1;
    return *backward - 1;
}

static struct tensors read_tensors(struct dldb *dldb, string_id list)
{
    struct profile *profile = dldb->nsys->profile;
    const struct marker_text text = {.strings = profile->strings, .arena = profile->arena};
    struct marker read = {.argument_count = 0};
    marker_read_sizes(&text, profile_text(profile, list), strings_length(profile->strings, list),
                      &read);
    return (struct tensors){read.argument_count, read.arguments};
}

// The first one has the data type: it is the only one that DLProf keeps.
static struct tensors with_data_type(struct tensors tensors, string_id data_type,
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
    return (struct tensors){tensors.count, items};
}

static struct tensors tensors_once(struct dldb *dldb, struct making *making, string_id list,
                                   string_id data_type)
{
    struct id_key key = {.a = list, .b = data_type};
    uint32_t row = id_map_get(&making->lists, key);
    if (row != UINT32_MAX)
        return making->tensors[row];
    struct tensors tensors = data_type
                                 ? with_data_type(tensors_once(dldb, making, list, STRING_NONE),
                                                  data_type, dldb->nsys->profile->arena)
                                 : read_tensors(dldb, list);
    ARENA_PUSH(dldb->nsys->scratch, making->tensors, making->tensors_count,
               making->tensors_capacity) = tensors;
    *id_map_slot(&making->lists, key) = (uint32_t)making->tensors_count; // its row, + 1
    return tensors;
}

static string_id shape_once(struct dldb *dldb, struct making *making, string_id list,
                            string_id labels)
{
    struct strings *strings = dldb->nsys->profile->strings;
    struct tensors tensors = tensors_once(dldb, making, list, STRING_NONE);
    uint32_t *shape = id_map_slot(&making->shapes, (struct id_key){.a = list, .b = labels});
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

static struct marker make_marker(struct dldb *dldb, struct making *making, uint32_t op_row,
                                 const string_id *shapes)
{
    const struct op *op = &dldb->told.ops[dldb->op_of[op_row]];
    struct tensors inputs = tensors_once(dldb, making, shapes[SHAPE_INPUT], op->data_type);
    struct marker marker = {
        .kind = MARKER_OP,
        .dialect = DIALECT_DLPROF,
        .text = op->name,
        .title = op->type,
        .type = op->type,
        .path = place_once(dldb, making, op->name),
        .stack = op->stack,
        .argument_count = inputs.count,
        .arguments = inputs.items,
        .number = UNKNOWN,
        .is_backward = op->direction == DIRECTION_BPROP &&
                       strcmp(profile_text(dldb->nsys->profile, op->type), "backward") != 0,
    };
    for (int part = 0; part < SHAPE_PARTS; part++)
        marker.shapes[part] =
            shape_once(dldb, making, shapes[part], dldb->ops.texts[OP_TEXT_LABELS + part][op_row]);
    return marker;
}

static uint32_t marker_of(struct dldb *dldb, struct making *making, uint32_t run)
{
    struct profile *profile = dldb->nsys->profile;
    const struct raw_instances *runs = &dldb->runs;
    uint32_t op_row = tuples_find(&dldb->op_ids, &runs->op_id[run]);
    const string_id shapes[SHAPE_PARTS] = {runs->shapes[SHAPE_INPUT][run],
                                           runs->shapes[SHAPE_OUTPUT][run],
                                           runs->shapes[SHAPE_PARAMETERS][run]};
    const int64_t key[] = {op_row, shapes[0], shapes[1], shapes[2]};
    size_t count = making->markers.count;
    uint32_t row = tuples_put(&making->markers, key);
    if (row == count) {
        struct marker marker = make_marker(dldb, making, op_row, shapes);
        ARENA_PUSH(profile->arena, profile->markers, count, making->marker_capacity) = marker;
        profile->marker_count = (uint32_t)count;
    }
    return row;
}

static uint32_t label_of(struct dldb *dldb, struct making *making, uint32_t marker, uint32_t thread)
{
    struct profile *profile = dldb->nsys->profile;
    struct ranges *ranges = &profile->ranges;
    size_t count = making->labels.count;
    uint32_t row = tuples_put(&making->labels, (int64_t[2]){marker, thread});
    if (row < count)
        return row;
    const struct marker *said = &profile->markers[marker];
    string_id name = said->is_backward ? backward_once(dldb, making, said->text) : said->text;
    ARENA_PUSH(profile->arena, ranges->labels, count, making->label_capacity) =
        (struct range_label){.name = name, .marker = marker, .thread = thread};
    ranges->label_count = (uint32_t)count;
    return row;
}

void dldb_make_ranges(struct dldb *dldb)
{
    struct nsys *nsys = dldb->nsys;
    struct profile *profile = nsys->profile;
    struct recorded_ops *told = &dldb->told;
    struct making making = {.places = {.arena = nsys->scratch},
                            .backwards = {.arena = nsys->scratch},
                            .shapes = {.arena = nsys->scratch},
                            .lists = {.arena = nsys->scratch}};
    struct nsys_slices made = {.rows = told->instance_count}; // rows that are not read
    struct raw_ranges raw = {
        .start = nsys_column(nsys, &made, sizeof *raw.start),
        .end = nsys_column(nsys, &made, sizeof *raw.end),
        .label = nsys_column(nsys, &made, sizeof *raw.label),
    };
    uint32_t *instances = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)told->instance_count + 1);
    uint32_t count = 0;
    tuples_open(&making.markers, nsys->scratch, 4);
    tuples_open(&making.labels, nsys->scratch, 2);
    profile->domains = ARENA_NEW(nsys->arena, struct domain);
    profile->domain_count = 1;
    for (uint32_t run = 0; run < dldb->run_rows; run++) {
        uint32_t row = dldb->instance_of[run];
        struct recorded_instance *instance = row < DLDB_OTHER ? &told->instances[row] : NULL;
        if (!instance || told->ops[instance->op].is_unassociated)
            continue;
        instance->marker = marker_of(dldb, &making, run);
        raw.start[count] = instance->start;
        raw.end[count] = instance->end;
        raw.label[count] = label_of(dldb, &making, instance->marker, instance->thread);
        instances[count++] = row;
    }
    const uint32_t *order = ranges_arrange(nsys, &raw, count);
    for (uint32_t i = 0; i < count; i++)
        told->instances[instances[order[i]]].range = i;
    profile->has_ranges = count > 0;
}
