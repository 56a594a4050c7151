// SPDX-License-Identifier: Apache-2.0
// Rows that no exporter writes, in a valid SQLite file: the bytes are a program of small changes
// to the tables of a seed. What loads passes through reports, formats and views, all of them over
// many inputs. fuzz_nsys_bytes covers reading of the file.
//
// Aims at: model/*/load_nsys_ca* model/*/load_nsys_device* model/*/load_nsys_excerpt* model/*/load_nsys_gpus*
// Aims at: model/*/load_nsys_m* model/*/load_nsys_ranges* model/*/load_nsys_small* model/*/load_nsys_steps*
// Aims at: model/*/load_nsys_streams* model/*/range_suffix* model/*/load_nsys_t* model/*/load_nsys_work*
// Aims at: model/*/load_dldb* model/*/load_nvprof* model/*/classify* model/*/copy_kinds*
// Aims at: model/*/graph_capture* model/*/launch_index* model/*/memory_pairs* model/*/range_walk*
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_screen.h"
#include "profile_seed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TABLES = 32, MAX_COLUMNS = 32, MAX_CHANGES = 48 };

struct table {
    char name[64];
    size_t column_count;
    char columns[MAX_COLUMNS][32];
};

struct schema {
    size_t count;
    struct table tables[MAX_TABLES];
};

struct input {
    const uint8_t *at, *end;
};

static unsigned take_byte(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static uint64_t take_bytes(struct input *input, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | take_byte(input);
    return value;
}

static const struct schema *schema_of(sqlite3 *db, unsigned seed)
{
    static struct schema known[SEEDS];
    struct schema *schema = &known[seed];
    sqlite3_stmt *row = NULL;
    if (schema->count)
        return schema;
    sqlite3_prepare_v2(db,
                       "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c"
                       " WHERE m.type = 'table' ORDER BY m.name, c.cid",
                       -1, &row, NULL);
    while (sqlite3_step(row) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        struct table *table = &schema->tables[schema->count ? schema->count - 1 : 0];
        if (!schema->count || strcmp(table->name, name) != 0) {
            if (schema->count == MAX_TABLES)
                break;
            table = &schema->tables[schema->count++];
            snprintf(table->name, sizeof table->name, "%s", name);
        }
        if (table->column_count < MAX_COLUMNS)
            snprintf(table->columns[table->column_count++], sizeof table->columns[0], "%s",
                     (const char *)sqlite3_column_text(row, 1));
    }
    sqlite3_finalize(row);
    return schema;
}

// ---- values -------------------------------------------------------------------------------------

static const int64_t extremes[] = {
    INT64_MIN,
    INT64_MIN + 1,
    INT64_MAX,
    INT64_MAX - 1,
    INT64_C(1) << 61,
    -(INT64_C(1) << 61),
    INT64_C(1) << 52,
    (INT64_C(1) << 52) + 1,
    INT64_C(1) << 48,
    INT32_MAX,
    INT32_MIN,
    UINT32_MAX,
    0,
    -1,
};

static const char *const texts[] = {
    "\x1b[31;5mred\x1b]0;title\x07",
    "%s%n%x%",
    "\xff\xc3(\xe2\x82",
    "tab\tline\nreturn\r",
    "\xe2\x80\xae"
    "gnp.exe",
    "",
    "layer:",
    "layer:a.b.c",
    "layer::: ",
    "step 1",
    "step 18446744073709551616",
    "step -3",
    "aten::mm, seq = 99999999999999999999, op_id = -1",
    "aten::mm, seq = 3, op_id = 4, sizes = [[1, 9223372036854775807], [2",
    "backward",
    "global_step",
    "{'mod': 'torch', 'op': 'mm', 'args': [",
    "{'traceMarker': ['a:1'], 'funcStack': 5}",
    "{'traceMarker': ['a.py:1', 'b.py:2'], 'funcStack': '/Net::a/Linear::b/relu'}",
    "{'mod': 'Tensor', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': "
    "(9223372036854775807, "
    "9223372036854775807), 'dtype': 'float32'}]}",
    "{'Module': 'x', 'Inputs': [[1,2]]}",
    "FSDP::all_gather",
    "void f<g<h<((({{{lambda()#1}::operator()(",
    "ncclDevKernel_AllReduce",
    "DataLoader.__next__",
    "ExecutionContext::enqueue",
    "NCCL",
    "TensorRT",
    "TSL",
    "tensorflow-core",
    "MatMul:MatMul#a=b#",
    "## Call CompiledFxGraph abc ##",
    "=cmd()|',;\"\\",
    "cudaDeviceSynchronize",
    "cudaMalloc",
    "read",
    "9223372036854775808",
    "12abc",
    "CUDA_EVENT_TRACE",
    "true",
    "Hostname",
    "NVIDIA_NSIGHT:RANK=3",
    "RANK=3",
    "NvDriverVersion",
    "CudaDriverVersion",
    "5154304",
    "515.43.04",
    "SMs Active",
    "EXPORT_PRODUCT_VERSION",
    "Intel(R) Graphics",
    "0123456789abcdef",
    "Send",
    ", seq = 0",
    ", seq = 18446744073709551615, op_id = 00, sizes = [",
};

static void bind_value(struct input *input, sqlite3_stmt *statement, int at)
{
    unsigned kind = take_byte(input);
    switch (kind % 10) {
    case 0:
        sqlite3_bind_null(statement, at);
        break;
    case 1:
        sqlite3_bind_int64(statement, at, (int8_t)take_byte(input));
        break;
    case 2:
    case 3:
        sqlite3_bind_int64(statement, at, (int64_t)take_bytes(input, 2));
        break;
    case 4:
        sqlite3_bind_int64(statement, at, (int64_t)take_bytes(input, 8));
        break;
    case 5:
        sqlite3_bind_int64(statement, at,
                           extremes[take_byte(input) % (sizeof extremes / sizeof *extremes)]);
        break;
    case 6: {
        static const double reals[] = {1e300 * 1e10, -1e300, 1.5, 9.3e18, 1e-300, -0.0};
        sqlite3_bind_double(statement, at,
                            reals[take_byte(input) % (sizeof reals / sizeof *reals)]);
        break;
    }
    case 7: {
        const char *text = texts[take_byte(input) % (sizeof texts / sizeof *texts)];
        sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
        break;
    }
    default: { // bytes of the input, as text or as a blob
        size_t length = take_byte(input) % 64, left = (size_t)(input->end - input->at);
        length = length < left ? length : left;
        if (kind % 10 == 8)
            sqlite3_bind_text(statement, at, (const char *)input->at, (int)length, SQLITE_STATIC);
        else
            sqlite3_bind_blob(statement, at, input->at, (int)length, SQLITE_STATIC);
        input->at += length;
    }
    }
}

// ---- changes ------------------------------------------------------------------------------------

struct change {
    sqlite3 *db;
    struct input *input;
    const struct table *table;
};

// Runs SQL; impossible changes (a NULL in a key) are skipped.
static void run(const struct change *change, int values, char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sql && sqlite3_prepare_v2(change->db, sql, -1, &statement, NULL) == SQLITE_OK) {
        for (int i = 0; i < values; i++)
            bind_value(change->input, statement, i + 1);
        sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    sqlite3_free(sql);
}

static const char *column(const struct change *change)
{
    return change->table->columns[take_byte(change->input) % change->table->column_count];
}

static void change_cell(const struct change *change)
{
    const char *name = column(change);
    run(change, 1,
        sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = ?1 WHERE _rowid_ = %u", change->table->name,
                        name, take_byte(change->input)));
}

static void change_column(const struct change *change)
{
    const char *name = column(change);
    run(change, 1,
        sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = ?1 WHERE _rowid_ %% %u = 0",
                        change->table->name, name, take_byte(change->input) % 8 + 1));
}

static void shift_values(const struct change *change)
{
    const char *name = column(change);
    run(change, 1,
        sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = \"%w\" + ?1 WHERE _rowid_ > %u",
                        change->table->name, name, name, take_byte(change->input)));
}

static void swap_columns(const struct change *change)
{
    const char *a = column(change), *b = column(change);
    run(change, 0,
        sqlite3_mprintf(
            "UPDATE \"%w\" SET \"%w\" = \"%w\", \"%w\" = \"%w\" WHERE _rowid_ %% 3 = %u",
            change->table->name, a, b, b, a, take_byte(change->input) % 3));
}

static void remove_rows(const struct change *change)
{
    unsigned number = take_byte(change->input);
    run(change, 0,
        sqlite3_mprintf("DELETE FROM \"%w\" WHERE _rowid_ %% %u = 0", change->table->name,
                        number % 16 + 1));
}

static void duplicate_rows(const struct change *change)
{
    run(change, 0,
        sqlite3_mprintf("INSERT OR IGNORE INTO \"%w\" SELECT * FROM \"%w\" WHERE _rowid_ < %u",
                        change->table->name, change->table->name, take_byte(change->input) % 64));
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Removes a column by renaming it in the stored definition only: SQLite's own ways to rename or
// drop a column read all definitions several times, and took as long as all other changes
// together.
static void rename_column(const struct change *change, const char *name)
{
    sqlite3_stmt *row = NULL;
    char *sql = NULL;
    sqlite3_prepare_v2(change->db, "SELECT sql FROM sqlite_master WHERE name = ?1", -1, &row, NULL);
    sqlite3_bind_text(row, 1, change->table->name, -1, SQLITE_STATIC);
    if (sqlite3_step(row) == SQLITE_ROW)
        sql = sqlite3_mprintf("%s", sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    for (char *at = sql ? strchr(sql, '(') : NULL; at && (at = strstr(at, name)); at++)
        if (!is_name_char(at[-1]) && !is_name_char(at[strlen(name)])) {
            *at = 'z';
            break;
        }
    sqlite3_prepare_v2(change->db, "UPDATE sqlite_master SET sql = ?1 WHERE name = ?2", -1, &row,
                       NULL);
    sqlite3_bind_text(row, 1, sql, -1, sqlite3_free);
    sqlite3_bind_text(row, 2, change->table->name, -1, SQLITE_STATIC);
    if (sql)
        sqlite3_step(row);
    sqlite3_finalize(row);
}

static void drop_table_or_column(const struct change *change)
{
    if (take_byte(change->input) % 2)
        run(change, 0, sqlite3_mprintf("DROP TABLE \"%w\"", change->table->name));
    else
        rename_column(change, column(change));
}

static void nest_ranges(const struct change *change)
{
    unsigned depth = take_byte(change->input), step = take_byte(change->input) % 4;
    depth = depth < 250 ? depth / 8 : depth * 2; // deep nesting costs quadratic time
    run(change, 1,
        sqlite3_mprintf(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %u)"
            " INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid) SELECT i * %u,"
            " 30000 - i * %u, 59, ?1 || i %% 7, (SELECT globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME)"
            " FROM n",
            depth, step, step));
}

static void lengthen_text(const struct change *change)
{
    unsigned times = take_byte(change->input);
    run(change, 1,
        sqlite3_mprintf("UPDATE StringIds SET value = replace(hex(zeroblob(%u)), '00', ?1)"
                        " WHERE id = %u",
                        times < 250 ? times / 4 : times * 4, take_byte(change->input) % 18));
}

static void change_row_id(const struct change *change)
{
    run(change, 1,
        sqlite3_mprintf("UPDATE \"%w\" SET _rowid_ = ?1 WHERE _rowid_ = %u", change->table->name,
                        take_byte(change->input)));
}

static void (*const changes[])(const struct change *change) = {
    change_cell,   change_cell,   change_cell,    change_column,        shift_values,
    swap_columns,  remove_rows,   duplicate_rows, drop_table_or_column, nest_ranges,
    lengthen_text, change_row_id, change_column,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    struct input input = {data, data + size};
    unsigned seed = take_byte(&input), choices = take_byte(&input), mode = take_byte(&input);
    sqlite3 *db = seed_database(seed);
    const struct schema *schema = schema_of(db, seed_of(seed));
    sqlite3_exec(db, "PRAGMA writable_schema = ON; BEGIN", NULL, NULL, NULL);
    for (int i = 0; i < MAX_CHANGES && input.at < input.end; i++) {
        unsigned number = take_byte(&input);
        struct change change = {db, &input, &schema->tables[take_byte(&input) % schema->count]};
        changes[number % (sizeof changes / sizeof *changes)](&change);
    }
    sqlite3_int64 length = 0;
    unsigned char *bytes = sqlite3_serialize(db, "main", &length, 0);
    if (!bytes)
        abort();
    seed_write(bytes, (size_t)length);
    sqlite3_free(bytes);
    if (sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK)
        abort();
    bool is_part = mode / MODE_COUNT / 2 % 4 == 3;
    struct profile *profile =
        is_part ? seed_load_part(choices) : seed_load((enum mode)(mode % MODE_COUNT));
    bool goes_on = profile && seed_goes_on(size);
    // Only one of the two, so that an input needs half the time.
    if (goes_on && mode / MODE_COUNT % 4 == 1)
        screen_exercise(profile, choices);
    else if (goes_on)
        profile_exercise(profile, choices);
    profile_free(profile);
    return 0;
}
