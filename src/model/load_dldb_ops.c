// SPDX-License-Identifier: Apache-2.0
// Ops of a DLProf database, their runs, and the ranges that these were.
#include <string.h>
#include <strings.h>

#include "base/sort.h"
#include "model/load_dldb.h"
#include "model/marker_dialects.h"

// A text in the table itself, else by its id in the dictionary.
static string_id text_of(struct nsys_slice *slice, sqlite3_value **row, int column, int id_column)
{
    string_id text = slice_text(slice, row, column);
    return text ? text : slice_text_by_id(slice, row, id_column);
}

// ---- read_only_ops -----------------------------------------------------------------------------

enum {
    OP_ROW_ID,
    OP_ROW_DOMAIN,
    OP_ROW_STATUS,
    OP_ROW_OP_ID,
    OP_ROW_OP_ID_ID,
    OP_ROW_NAME,
    OP_ROW_NAME_ID,
    OP_ROW_TYPE,
    OP_ROW_DATA_TYPE,
    OP_ROW_DIRECTION,
    OP_ROW_STACK,
    OP_ROW_STACK_ID,
    OP_ROW_LABELS
};
static const char *const op_columns[] = {"id",
                                         "domain_id",
                                         "tc_support_status",
                                         "op_id",
                                         "op_id_id",
                                         "op_name",
                                         "op_name_id",
                                         "op_type_id",
                                         "data_type_id",
                                         "direction_id",
                                         "stack_trace",
                                         "stack_trace_id",
                                         "data_format_id",
                                         "output_format_id",
                                         "parameters_format_id",
                                         NULL};

static void op_row(struct nsys_slice *slice, sqlite3_value **row)
{
    struct raw_ops *raw = &((struct dldb *)slice->target)->ops;
    int64_t id;
    uint32_t at;
    if (!cell_integer(row, OP_ROW_ID, &id) || !slice_room(slice, &at))
        return;
    raw->id[at] = id;
    raw->domain[at] = cell_integer_or(row, OP_ROW_DOMAIN, UNKNOWN);
    raw->status[at] = cell_integer_or(row, OP_ROW_STATUS, UNKNOWN);
    raw->texts[OP_TEXT_ID][at] = text_of(slice, row, OP_ROW_OP_ID, OP_ROW_OP_ID_ID);
    raw->texts[OP_TEXT_NAME][at] = text_of(slice, row, OP_ROW_NAME, OP_ROW_NAME_ID);
    raw->texts[OP_TEXT_TYPE][at] = slice_text_by_id(slice, row, OP_ROW_TYPE);
    raw->texts[OP_TEXT_DATA_TYPE][at] = slice_text_by_id(slice, row, OP_ROW_DATA_TYPE);
    raw->texts[OP_TEXT_DIRECTION][at] = slice_text_by_id(slice, row, OP_ROW_DIRECTION);
    raw->texts[OP_TEXT_STACK][at] = text_of(slice, row, OP_ROW_STACK, OP_ROW_STACK_ID);
    for (int part = 0; part < SHAPE_PARTS; part++)
        raw->texts[OP_TEXT_LABELS + part][at] = slice_text_by_id(slice, row, OP_ROW_LABELS + part);
}

static const struct nsys_reader op_reader = {"read_only_ops", op_columns, NULL, op_row};

static void name_rows(const struct nsys_slice *slice, uint32_t *column)
{
    for (uint32_t i = slice->base; i < slice->base + slice->count; i++)
        column[i] = slice->names[column[i]];
}

static bool read_op_rows(struct dldb *dldb, struct error *error)
{
    struct nsys *nsys = dldb->nsys;
    struct raw_ops *raw = &dldb->ops;
    struct nsys_slices *slices = ARENA_NEW(nsys->scratch, struct nsys_slices);
    nsys_slices_add(nsys, slices, &op_reader, nsys_table(nsys, op_reader.table), dldb);
    raw->id = nsys_column(nsys, slices, sizeof *raw->id);
    raw->domain = nsys_column(nsys, slices, sizeof *raw->domain);
    raw->status = nsys_column(nsys, slices, sizeof *raw->status);
    for (int text = 0; text < OP_TEXTS; text++)
        raw->texts[text] = nsys_column(nsys, slices, sizeof *raw->texts[text]);
    if (!nsys_slices_read(nsys, slices, "reading ops", error))
        return false;
    nsys_slices_merge(nsys, slices);
    for (size_t s = 0; s < slices->count; s++)
        for (int text = 0; text < OP_TEXTS; text++)
            name_rows(&slices->items[s], raw->texts[text]);
    dldb->op_rows = nsys_slices_pack(nsys, slices);
    nsys_slices_close(nsys, slices);
    tuples_open(&dldb->op_ids, nsys->scratch, 1);
    dldb->op_of = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)dldb->op_rows + 1);
    // Of ids that stand twice the first row has it; the others have no runs.
    uint32_t count = 0;
    for (uint32_t i = 0; i < dldb->op_rows; i++) {
        if (tuples_put(&dldb->op_ids, &raw->id[i]) != count)
            continue;
        raw->id[count] = raw->id[i];
        raw->domain[count] = raw->domain[i];
        raw->status[count] = raw->status[i];
        for (int text = 0; text < OP_TEXTS; text++)
            raw->texts[text][count] = raw->texts[text][i];
        bool is_other = dldb->domain != UNKNOWN && raw->domain[i] != dldb->domain;
        dldb->op_of[count++] = is_other ? DLDB_OTHER : ROW_NONE;
    }
    dldb->op_rows = count;
    return true;
}

// ---- read_only_op_instances --------------------------------------------------------------------

enum { RUN_OP, RUN_START, RUN_STOP, RUN_PID, RUN_TID, RUN_SHAPES };
static const char *const run_columns[] = {"read_only_ops_id", "cpu_start",     "cpu_stop",
                                          "process_id",       "thread_id",     "input_shapes_id",
                                          "output_shapes_id", "parameters_id", NULL};

static void threads_begin(struct nsys_slice *slice)
{
    struct tuples *threads = ARENA_NEW(slice->arena, struct tuples);
    tuples_open(threads, slice->arena, 1);
    slice->local = threads;
}

// A row that is of no use counts all the same: others say of which run of an op they are.
static void run_row(struct nsys_slice *slice, sqlite3_value **row)
{
    struct raw_instances *raw = &((struct dldb *)slice->target)->runs;
    int64_t start, end;
    uint32_t at;
    if (!slice_room(slice, &at))
        return;
    bool is_sound = slice_times(slice, row, RUN_START, &start, &end);
    int64_t thread = (cell_integer_or(row, RUN_PID, 0) & 0xFFFFFF) << 24 |
                     (cell_integer_or(row, RUN_TID, 0) & 0xFFFFFF);
    raw->start[at] = is_sound ? start : 0;
    raw->end[at] = is_sound ? end : -1;
    raw->op_id[at] = cell_integer_or(row, RUN_OP, UNKNOWN);
    raw->thread[at] = tuples_put(slice->local, &thread);
    for (int part = 0; part < SHAPE_PARTS; part++)
        raw->shapes[part][at] = slice_text_by_id(slice, row, RUN_SHAPES + part);
}

static const struct nsys_reader run_reader = {"read_only_op_instances", run_columns, threads_begin,
                                              run_row};

static bool read_run_rows(struct dldb *dldb, struct error *error)
{
    struct nsys *nsys = dldb->nsys;
    struct raw_instances *raw = &dldb->runs;
    struct nsys_slices *slices = ARENA_NEW(nsys->scratch, struct nsys_slices);
    nsys_slices_add(nsys, slices, &run_reader, nsys_table(nsys, run_reader.table), dldb);
    raw->start = nsys_column(nsys, slices, sizeof *raw->start);
    raw->end = nsys_column(nsys, slices, sizeof *raw->end);
    raw->op_id = nsys_column(nsys, slices, sizeof *raw->op_id);
    raw->thread = nsys_column(nsys, slices, sizeof *raw->thread);
    for (int part = 0; part < SHAPE_PARTS; part++)
        raw->shapes[part] = nsys_column(nsys, slices, sizeof *raw->shapes[part]);
    if (!nsys_slices_read(nsys, slices, "reading runs of ops", error))
        return false;
    nsys_slices_merge(nsys, slices);
    for (size_t s = 0; s < slices->count; s++) {
        const struct nsys_slice *slice = &slices->items[s];
        for (int part = 0; part < SHAPE_PARTS; part++)
            name_rows(slice, raw->shapes[part]);
        for (uint32_t i = slice->base; i < slice->base + slice->count; i++)
            raw->thread[i] = nsys_thread(nsys, *tuples_key(slice->local, raw->thread[i]));
    }
    dldb->run_rows = nsys_slices_pack(nsys, slices);
    nsys_slices_close(nsys, slices);
    nsys_limit_total(nsys, raw->start, raw->end, dldb->run_rows, "runs of ops");
    return true;
}

// ---- which ops and runs there are --------------------------------------------------------------

// The rows of each op's runs, in the order of the table.
static void group_runs(struct dldb *dldb, uint32_t *op_row_of)
{
    struct arena *scratch = dldb->nsys->scratch;
    dldb->first_run = ARENA_ARRAY(scratch, uint32_t, (size_t)dldb->op_rows + 2);
    dldb->runs_of = ARENA_ARRAY(scratch, uint32_t, (size_t)dldb->run_rows + 1);
    for (uint32_t i = 0; i < dldb->run_rows; i++) {
        op_row_of[i] = tuples_find(&dldb->op_ids, &dldb->runs.op_id[i]);
        if (op_row_of[i] != UINT32_MAX)
            dldb->first_run[op_row_of[i] + 2]++;
        else
            dldb->dangling++;
    }
    for (uint32_t i = 2; i < dldb->op_rows + 2; i++)
        dldb->first_run[i] += dldb->first_run[i - 1];
    for (uint32_t i = 0; i < dldb->run_rows; i++)
        if (op_row_of[i] != UINT32_MAX)
            dldb->runs_of[dldb->first_run[op_row_of[i] + 1]++] = i;
}

static bool is_sound(const struct dldb *dldb, uint32_t run)
{
    return dldb->runs.end[run] >= dldb->runs.start[run];
}

// Ops that ran, in order of their first run: rows of read_only_ops.
static uint32_t *order_ops(struct dldb *dldb, uint32_t *count)
{
    struct arena *scratch = dldb->nsys->scratch;
    uint32_t *rows = ARENA_ARRAY(scratch, uint32_t, (size_t)dldb->op_rows + 1);
    int64_t *first = ARENA_ARRAY(scratch, int64_t, (size_t)dldb->op_rows + 1);
    *count = 0;
    for (uint32_t op = 0; op < dldb->op_rows; op++) {
        bool ran = false;
        for (uint32_t n = dldb->first_run[op]; n < dldb->first_run[op + 1]; n++) {
            uint32_t run = dldb->runs_of[n];
            if (!is_sound(dldb, run))
                continue;
            if (!ran || dldb->runs.start[run] < first[op])
                first[op] = dldb->runs.start[run];
            ran = true;
        }
        if (ran && dldb->op_of[op] != DLDB_OTHER)
            rows[(*count)++] = op;
    }
    sort_ids_by_time(rows, *count, first, NULL, scratch);
    return rows;
}

static enum direction direction_of(const char *text)
{
    return strcmp(text, "fprop") == 0   ? DIRECTION_FPROP
           : strcmp(text, "bprop") == 0 ? DIRECTION_BPROP
                                        : DIRECTION_NONE;
}

// DLProf's numbers: 0 could use Tensor Cores, 2 is no op of the program, 3 could not; 1 is not known.
static struct op op_of_row(struct dldb *dldb, uint32_t row)
{
    enum { ELIGIBLE, UNASSOCIATED = 2, NOT_ELIGIBLE };
    static const char prefix[] = "unassociated_";
    const struct profile *profile = dldb->nsys->profile;
    uint32_t *const *texts = dldb->ops.texts;
    int64_t status = dldb->ops.status[row];
    string_id name = texts[OP_TEXT_NAME][row], type = texts[OP_TEXT_TYPE][row];
    const char *data_type = profile_text(profile, texts[OP_TEXT_DATA_TYPE][row]);
    const char *stack = profile_text(profile, texts[OP_TEXT_STACK][row]);
    struct op op = {
        .id = texts[OP_TEXT_ID][row],
        .name = name ? name : strings_intern_text(profile->strings, "(no name)"),
        .type = type ? type : strings_intern_text(profile->strings, ""),
        .direction = direction_of(profile_text(profile, texts[OP_TEXT_DIRECTION][row])),
        .tensor_core_eligible = status == ELIGIBLE                                 ? STATE_YES
                                : status == UNASSOCIATED || status == NOT_ELIGIBLE ? STATE_NO
                                                                                   : STATE_UNKNOWN,
        .is_unassociated = status == UNASSOCIATED ||
                           strncmp(profile_text(profile, name), prefix, sizeof prefix - 1) == 0,
        .is_told = true,
        .data_type = *data_type ? texts[OP_TEXT_DATA_TYPE][row] : (string_id)STRING_NONE,
        .stack = *stack ? texts[OP_TEXT_STACK][row] : (string_id)STRING_NONE,
    };
    op.is_dataloader =
        !op.is_unassociated && (strcasestr(profile_text(profile, op.type), "dataloader") ||
                                strcasestr(profile_text(profile, op.name), "dataloader"));
    return op;
}

static void make_ops(struct dldb *dldb)
{
    struct nsys *nsys = dldb->nsys;
    struct told_ops *told = &dldb->told;
    uint32_t *rows = order_ops(dldb, &told->op_count);
    struct tuples names; // (name, direction) -> how many ops so far
    tuples_open(&names, nsys->scratch, 2);
    uint32_t *occurrences = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)told->op_count + 1);
    told->ops = ARENA_ARRAY(nsys->arena, struct op, (size_t)told->op_count + 1);
    for (uint32_t i = 0; i < told->op_count; i++) {
        struct op op = op_of_row(dldb, rows[i]);
        const int64_t key[] = {op.name, op.direction};
        op.occurrence = occurrences[tuples_put(&names, key)]++;
        told->ops[i] = op;
        dldb->op_of[rows[i]] = i;
    }
}

static void make_instances(struct dldb *dldb, const uint32_t *op_row_of)
{
    struct nsys *nsys = dldb->nsys;
    struct told_ops *told = &dldb->told;
    dldb->instance_of = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)dldb->run_rows + 1);
    told->instances = ARENA_ARRAY(nsys->scratch, struct told_instance, (size_t)dldb->run_rows + 1);
    for (uint32_t i = 0; i < dldb->run_rows; i++) {
        uint32_t op = op_row_of[i] == UINT32_MAX ? ROW_NONE : dldb->op_of[op_row_of[i]];
        dldb->instance_of[i] = op == DLDB_OTHER ? DLDB_OTHER : ROW_NONE;
        if (op >= DLDB_OTHER || !is_sound(dldb, i))
            continue;
        dldb->instance_of[i] = told->instance_count;
        told->instances[told->instance_count++] = (struct told_instance){
            .start = dldb->runs.start[i],
            .end = dldb->runs.end[i],
            .op = op,
            .thread = dldb->runs.thread[i],
            .marker = ROW_NONE,
            .range = ROW_NONE,
        };
    }
}

bool dldb_read_ops(struct dldb *dldb, struct error *error)
{
    if (!read_op_rows(dldb, error) || !read_run_rows(dldb, error))
        return false;
    uint32_t *op_row_of = ARENA_ARRAY(dldb->nsys->scratch, uint32_t, (size_t)dldb->run_rows + 1);
    group_runs(dldb, op_row_of);
    make_ops(dldb);
    make_instances(dldb, op_row_of);
    return true;
}

uint32_t dldb_instance(struct dldb *dldb, int64_t op_id, uint32_t run)
{
    uint32_t op = tuples_find(&dldb->op_ids, &op_id);
    if (op == UINT32_MAX)
        return ROW_NONE;
    if (dldb->op_of[op] == DLDB_OTHER)
        return DLDB_OTHER;
    uint32_t count = dldb->first_run[op + 1] - dldb->first_run[op];
    return run < count ? dldb->instance_of[dldb->runs_of[dldb->first_run[op] + run]] : ROW_NONE;
}

// ---- markers and ranges ------------------------------------------------------------------------

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

// The tensors of a list of shapes, as arguments of `marker`.
static void read_shapes(struct dldb *dldb, string_id lists, struct marker *marker)
{
    struct profile *profile = dldb->nsys->profile;
    const struct marker_text text = {.strings = profile->strings, .arena = profile->arena};
    marker_read_sizes(&text, profile_text(profile, lists), strings_length(profile->strings, lists),
                      marker);
}

static struct marker make_marker(struct dldb *dldb, uint32_t op_row, const string_id *shapes)
{
    struct profile *profile = dldb->nsys->profile;
    const struct op *op = &dldb->told.ops[dldb->op_of[op_row]];
    struct marker marker = {
        .kind = MARKER_OP,
        .dialect = DIALECT_DLPROF,
        .text = op->name,
        .title = op->type,
        .type = op->type,
        .path = place_of(dldb, op->name),
        .stack = op->stack,
        .number = UNKNOWN,
        .is_backward = op->direction == DIRECTION_BPROP &&
                       strcmp(profile_text(profile, op->type), "backward") != 0,
    };
    for (int part = 0; part < SHAPE_PARTS; part++) {
        struct marker tensors = {.argument_count = 0};
        read_shapes(dldb, shapes[part], &tensors);
        const char *labels = profile_text(profile, dldb->ops.texts[OP_TEXT_LABELS + part][op_row]);
        marker.shapes[part] = strings_intern_text(
            profile->strings, op_shape_labelled(&tensors, labels, dldb->nsys->scratch));
        if (part != SHAPE_INPUT)
            continue;
        marker.argument_count = tensors.argument_count;
        marker.arguments = tensors.arguments;
        for (uint32_t i = 0; i < tensors.argument_count && op->data_type; i++)
            if (tensors.arguments[i].is_tensor) {
                tensors.arguments[i].dtype = op->data_type; // the only one that is kept
                break;
            }
    }
    return marker;
}

struct making { // of ranges
    struct tuples markers, labels;
    size_t marker_capacity, label_capacity;
};

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
        struct marker marker = make_marker(dldb, op_row, shapes);
        ARENA_PUSH(profile->arena, profile->markers, count, making->marker_capacity) = marker;
        profile->marker_count = (uint32_t)count;
    }
    profile->markers[row].range_count++;
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
    string_id name = said->text;
    if (said->is_backward)
        name = strings_intern_text(profile->strings, arena_format(dldb->nsys->scratch, "%s (bprop)",
                                                                  profile_text(profile, name)));
    ARENA_PUSH(profile->arena, ranges->labels, count, making->label_capacity) =
        (struct range_label){.name = name, .marker = marker, .thread = thread};
    ranges->label_count = (uint32_t)count;
    return row;
}

void dldb_make_ranges(struct dldb *dldb)
{
    struct nsys *nsys = dldb->nsys;
    struct profile *profile = nsys->profile;
    struct told_ops *told = &dldb->told;
    struct making making = {.marker_capacity = 0};
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
        struct told_instance *instance = row < DLDB_OTHER ? &told->instances[row] : NULL;
        if (!instance || told->ops[instance->op].is_unassociated)
            continue;
        instance->marker = marker_of(dldb, &making, run);
        raw.start[count] = instance->start;
        raw.end[count] = instance->end;
        raw.label[count] = label_of(dldb, &making, instance->marker, instance->thread);
        instances[count++] = row;
    }
    uint32_t *rows_of = ARENA_ARRAY(nsys->scratch, uint32_t, profile->ranges.label_count);
    const uint32_t *order = ranges_arrange(nsys, &raw, count, rows_of);
    for (uint32_t i = 0; i < count; i++)
        told->instances[instances[order[i]]].range = i;
    profile->has_ranges = count > 0;
}
