// SPDX-License-Identifier: Apache-2.0
// Reads the ops of a DLProf database and their runs, and numbers the ops within their name.
#include <string.h>
#include <strings.h>

#include "base/id_map.h"
#include "base/sort.h"
#include "model/dldb/load_dldb.h"
#include "model/profile/recorded_ops.h"

// Returns a text of the row, which the table contains either itself or as an id.
static string_id text_of(struct table_slice *slice, sqlite3_value **row, int column, int id_column)
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

static void op_row(struct table_slice *slice, sqlite3_value **row)
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

static const struct table_reader op_reader = {DLDB_OPS, op_columns, NULL, op_row, EXTENT_ALL};

static void name_rows(const struct table_slice *slice, uint32_t *column)
{
    for (uint32_t i = slice->base; i < slice->base + slice->count; i++)
        column[i] = slice->names[column[i]];
}

static bool read_op_rows(struct dldb *dldb, struct error *error)
{
    struct nsys *nsys = dldb->nsys;
    struct raw_ops *raw = &dldb->ops;
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    nsys_slices_add(nsys, slices, &op_reader, sqlite_table(nsys, op_reader.table), dldb);
    raw->id = nsys_raw_column(nsys, slices, sizeof *raw->id);
    raw->domain = nsys_raw_column(nsys, slices, sizeof *raw->domain);
    raw->status = nsys_raw_column(nsys, slices, sizeof *raw->status);
    for (int text = 0; text < OP_TEXTS; text++)
        raw->texts[text] = nsys_raw_column(nsys, slices, sizeof *raw->texts[text]);
    if (!nsys_slices_read(nsys, slices, "reading ops", error))
        return false;
    nsys_slices_merge(nsys, slices);
    for (size_t s = 0; s < slices->count; s++)
        for (int text = 0; text < OP_TEXTS; text++)
            name_rows(&slices->items[s], raw->texts[text]);
    dldb->op_rows = nsys_slices_compact(nsys, slices);
    nsys_slices_close(nsys, slices);
    tuples_open(&dldb->op_ids, nsys->scratch, 1);
    dldb->op_of = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)dldb->op_rows + 1);
    // If several rows have the same id, all runs with it belong to the first of them.
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
        dldb->op_of[count++] = is_other ? DLDB_OTHER_DOMAIN : ROW_NONE;
    }
    dldb->op_rows = count;
    return true;
}

// ---- read_only_op_instances --------------------------------------------------------------------

enum { RUN_OP, RUN_START, RUN_STOP, RUN_PID, RUN_TID, RUN_SHAPES };
static const char *const run_columns[] = {
    "read_only_ops_id", DLDB_CPU_TIMES,  DLDB_THREAD, "input_shapes_id",
    "output_shapes_id", "parameters_id", NULL};

static void threads_begin(struct table_slice *slice)
{
    struct tuples *threads = ARENA_NEW(slice->arena, struct tuples);
    tuples_open(threads, slice->arena, 1);
    slice->local = threads;
}

// Keeps invalid rows, marked by an end before the start, because other tables refer to the runs of
// an op by their index.
static void run_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_instances *raw = &((struct dldb *)slice->target)->runs;
    int64_t start, end;
    uint32_t at;
    if (!slice_room(slice, &at))
        return;
    bool is_valid = slice_times(slice, row, RUN_START, &start, &end);
    int64_t thread = dldb_thread(row, RUN_PID, RUN_TID);
    raw->start[at] = is_valid ? start : 0;
    raw->end[at] = is_valid ? end : -1;
    raw->op_id[at] = cell_integer_or(row, RUN_OP, UNKNOWN);
    raw->thread[at] = tuples_put(slice->local, &thread);
    for (int part = 0; part < SHAPE_PARTS; part++)
        raw->shapes[part][at] = slice_text_by_id(slice, row, RUN_SHAPES + part);
}

static const struct table_reader run_reader = {DLDB_OP_INSTANCES, run_columns, threads_begin,
                                               run_row, EXTENT_ALL};

static bool read_run_rows(struct dldb *dldb, struct error *error)
{
    struct nsys *nsys = dldb->nsys;
    struct raw_instances *raw = &dldb->runs;
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    nsys_slices_add(nsys, slices, &run_reader, sqlite_table(nsys, run_reader.table), dldb);
    raw->start = nsys_raw_column(nsys, slices, sizeof *raw->start);
    raw->end = nsys_raw_column(nsys, slices, sizeof *raw->end);
    raw->op_id = nsys_raw_column(nsys, slices, sizeof *raw->op_id);
    raw->thread = nsys_raw_column(nsys, slices, sizeof *raw->thread);
    for (int part = 0; part < SHAPE_PARTS; part++)
        raw->shapes[part] = nsys_raw_column(nsys, slices, sizeof *raw->shapes[part]);
    if (!nsys_slices_read(nsys, slices, "reading runs of ops", error))
        return false;
    nsys_slices_merge(nsys, slices);
    for (size_t s = 0; s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        for (int part = 0; part < SHAPE_PARTS; part++)
            name_rows(slice, raw->shapes[part]);
        for (uint32_t i = slice->base; i < slice->base + slice->count; i++)
            raw->thread[i] = nsys_thread_row(nsys, *tuples_key(slice->local, raw->thread[i]));
    }
    dldb->run_rows = nsys_slices_compact(nsys, slices);
    nsys_slices_close(nsys, slices);
    times_limit_total(nsys->profile, nsys->request->part_of, raw->start, raw->end, dldb->run_rows,
                      "runs of ops");
    return true;
}

// ---- ops and runs of the profile ----------------------------------------------------------------

// Groups the rows of runs by op row, in table order.
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

static bool is_valid(const struct dldb *dldb, uint32_t run)
{
    return dldb->runs.end[run] >= dldb->runs.start[run];
}

// Returns the ops that ran, as rows of read_only_ops in order of their first run.
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
            if (!is_valid(dldb, run))
                continue;
            if (!ran || dldb->runs.start[run] < first[op])
                first[op] = dldb->runs.start[run];
            ran = true;
        }
        if (ran && dldb->op_of[op] != DLDB_OTHER_DOMAIN)
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

// Caches the answer per text, since many ops may share one long name.
static bool is_dataloader_text(const struct profile *profile, struct id_map *cache, string_id text)
{
    enum { NO = 1, YES };
    uint32_t *answer = id_map_slot(cache, (struct id_key){.a = text});
    if (!*answer)
        *answer = strcasestr(profile_text(profile, text), "dataloader") ? YES : NO;
    return *answer == YES;
}

static struct op op_of_row(struct dldb *dldb, uint32_t row, struct id_map *loaders)
{
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
        .tensor_core_eligible = status == DLDB_ELIGIBLE ? STATE_YES
                                : status == DLDB_UNASSOCIATED || status == DLDB_NOT_ELIGIBLE
                                    ? STATE_NO
                                    : STATE_UNKNOWN,
        .is_unassociated = status == DLDB_UNASSOCIATED ||
                           strncmp(profile_text(profile, name), prefix, sizeof prefix - 1) == 0,
        .is_told = true,
        .data_type = *data_type ? texts[OP_TEXT_DATA_TYPE][row] : (string_id)STRING_NONE,
        .stack = *stack ? texts[OP_TEXT_STACK][row] : (string_id)STRING_NONE,
    };
    op.is_dataloader = !op.is_unassociated && (is_dataloader_text(profile, loaders, op.type) ||
                                               is_dataloader_text(profile, loaders, op.name));
    return op;
}

static void make_ops(struct dldb *dldb)
{
    struct nsys *nsys = dldb->nsys;
    struct recorded_ops *recorded = &dldb->told;
    uint32_t *rows = order_ops(dldb, &recorded->op_count);
    struct id_map loaders = {.arena = nsys->scratch};
    struct tuples names; // (name, direction) -> index in `occurrences`, the number of ops so far
    tuples_open(&names, nsys->scratch, 2);
    uint32_t *occurrences = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)recorded->op_count + 1);
    recorded->ops = ARENA_ARRAY(nsys->arena, struct op, (size_t)recorded->op_count + 1);
    for (uint32_t i = 0; i < recorded->op_count; i++) {
        struct op op = op_of_row(dldb, rows[i], &loaders);
        const int64_t key[] = {op.name, op.direction};
        op.occurrence = occurrences[tuples_put(&names, key)]++;
        recorded->ops[i] = op;
        dldb->op_of[rows[i]] = i;
    }
    // Backward ops run in reverse order. If a name has as many backward as forward ops, the
    // backward occurrences are reversed so that pairs have the same number.
    for (uint32_t i = 0; i < recorded->op_count; i++) {
        struct op *op = &recorded->ops[i];
        uint32_t forward = tuples_find(&names, (const int64_t[]){op->name, DIRECTION_FPROP});
        uint32_t same_direction = tuples_find(&names, (const int64_t[]){op->name, op->direction});
        if (op->direction == DIRECTION_BPROP && forward != UINT32_MAX &&
            occurrences[forward] == occurrences[same_direction])
            op->occurrence = occurrences[same_direction] - 1 - op->occurrence;
    }
}

static void make_instances(struct dldb *dldb, const uint32_t *op_row_of)
{
    struct nsys *nsys = dldb->nsys;
    struct recorded_ops *recorded = &dldb->told;
    dldb->instance_of = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)dldb->run_rows + 1);
    recorded->instances =
        ARENA_ARRAY(nsys->arena, struct recorded_instance, (size_t)dldb->run_rows + 1);
    for (uint32_t i = 0; i < dldb->run_rows; i++) {
        uint32_t op = op_row_of[i] == UINT32_MAX ? ROW_NONE : dldb->op_of[op_row_of[i]];
        dldb->instance_of[i] = op == DLDB_OTHER_DOMAIN ? DLDB_OTHER_DOMAIN : ROW_NONE;
        if (op >= DLDB_OTHER_DOMAIN || !is_valid(dldb, i))
            continue;
        dldb->instance_of[i] = recorded->instance_count;
        recorded->instances[recorded->instance_count++] = (struct recorded_instance){
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
    if (dldb->op_of[op] == DLDB_OTHER_DOMAIN)
        return DLDB_OTHER_DOMAIN;
    uint32_t count = dldb->first_run[op + 1] - dldb->first_run[op];
    return run < count ? dldb->instance_of[dldb->runs_of[dldb->first_run[op] + run]] : ROW_NONE;
}
