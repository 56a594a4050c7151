// SPDX-License-Identifier: Apache-2.0
// Tables of a DLProf database as data, and the SQL statements made from them.
#include "analysis/export/dldb_schema.h"

#include <string.h>

#include "base/text/bytes.h"
#include "model/dldb/dldb_names.h"

// ---- tables -------------------------------------------------------------------------------------

// A column is "name", "name TYPE" or "name table", where the column references that table; UNIQUE
// may follow. Integers have no type. Every table begins with an id, and no column is NULL. DLProf
// writes STRING, to which SQLite gives numeric affinity; TEXT is written instead, since an op may
// be called 007.
struct table_schema {
    const char *name;
    const char *const *columns; // NULL-terminated
    const char *index;          // columns of its index, or NULL
};

#define COLUMNS(...)      \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }
#define AS_TEXT(x)   x " TEXT",
#define AS_COUNT(x)  #x " INTEGER",
#define AS_SWITCH(x) #x " BOOLEAN",

// clang-format off
static const char *const config_columns[] = {
    DLDB_CONFIG_COUNTS(AS_COUNT)
    DLDB_CONFIG_SWITCHES(AS_SWITCH)
    DLDB_SET_DETECT_ANOMALY " BOOLEAN",
    DLDB_CONFIG_LAST(AS_SWITCH)
    NULL,
};
// clang-format on

static const struct table_schema tables[DLDB_TABLES] = {
    [TABLE_DICTIONARY] = {DLDB_DICTIONARY, COLUMNS("string TEXT UNIQUE"), NULL},
    [TABLE_GRID_BLOCK] = {DLDB_GRID_BLOCK, COLUMNS(DLDB_GRID_AXES), NULL},
    [TABLE_MODEL_INFO] = {"read_only_model_info",
                          COLUMNS("domain_id", "domain_name TEXT", "profile_name TEXT"), NULL},
    [TABLE_GPU_INFOS] = {DLDB_GPU_INFOS,
                         COLUMNS("device_id INTEGER UNIQUE", "gpu_name TEXT", DLDB_GPU_COUNTS),
                         NULL},
    [TABLE_GPU_MEMORIES] = {DLDB_GPU_MEMORIES, COLUMNS(DLDB_MEMORY), NULL},
    [TABLE_SYSTEM_CONFIG] = {DLDB_SYSTEM_CONFIG,
                             COLUMNS("is_valid BOOLEAN", "num_gpus TEXT",
                                     DLDB_SYSTEM_TEXTS(AS_TEXT) "mode_enum", "mode_string TEXT",
                                     "original_command TEXT"),
                             NULL},
    [TABLE_VERSION] = {DLDB_VERSION, COLUMNS("current_version TEXT", "original_version TEXT"),
                       NULL},
    [TABLE_MODEL_CONFIG] = {DLDB_MODEL_CONFIG, config_columns, NULL},
    [TABLE_DOMAINS] = {DLDB_DOMAINS, COLUMNS("domain_name_id dictionary"), NULL},
    [TABLE_OPS] = {DLDB_OPS,
                   COLUMNS("domain_id", "op_id_id dictionary", "op_id TEXT", "op_name TEXT",
                           "op_type_id dictionary", "device_id dictionary", "tc_support_status",
                           "data_type_id dictionary", "data_format_id dictionary",
                           "output_format_id dictionary", "parameters_format_id dictionary",
                           "direction_id dictionary", "stack_trace TEXT"),
                   "domain_id, op_id_id"},
    [TABLE_SUB_OPS] = {"read_only_sub_ops",
                       COLUMNS("op_id read_only_ops", "start_time", "stop_time"), NULL},
    [TABLE_OP_INSTANCES] = {DLDB_OP_INSTANCES,
                            COLUMNS("read_only_ops_id", DLDB_CPU_TIMES, DLDB_THREAD,
                                    "input_names_id dictionary", "input_shapes_id dictionary",
                                    "output_names_id dictionary", "output_shapes_id dictionary",
                                    "parameters_id dictionary"),
                            NULL},
    [TABLE_KERNELS] = {DLDB_KERNELS,
                       COLUMNS(DLDB_OWNER, "name_id", "long_name_id dictionary", "uses_tc BOOLEAN",
                               DLDB_API_TIMES, DLDB_GPU_TIMES, "grid_id read_only_grid_block",
                               "block_id read_only_grid_block", "device_id", DLDB_THREAD),
                       "api_start, gpu_start, thread_id, read_only_ops_id"},
    [TABLE_MEMSETS] = {DLDB_MEMSETS,
                       COLUMNS(DLDB_OWNER, "name_id", DLDB_API_TIMES, DLDB_GPU_TIMES, "num_bytes",
                               "device_id", DLDB_THREAD),
                       NULL},
    [TABLE_MEMCPYS] = {DLDB_MEMCPYS,
                       COLUMNS(DLDB_OWNER, "name_id", DLDB_API_TIMES, DLDB_GPU_TIMES, "num_bytes",
                               "copy_kind", "device_id", DLDB_THREAD),
                       NULL},
    [TABLE_CUDA_SYNCS] = {DLDB_CUDA_SYNCS,
                          COLUMNS(DLDB_OWNER, "name_id", DLDB_API_TIMES, DLDB_GPU_TIMES,
                                  "sync_type", "event_id", "device_id", DLDB_THREAD),
                          NULL},
    [TABLE_CUDA_CALLS] = {DLDB_CUDA_CALLS,
                          COLUMNS(DLDB_OWNER, "name_id", DLDB_API_TIMES, DLDB_THREAD), NULL},
    [TABLE_AGGREGATIONS] = {DLDB_AGGREGATIONS,
                            COLUMNS("server_user_name TEXT", "server_host_name TEXT",
                                    "start_timestamp", "end_timestamp"),
                            NULL},
    [TABLE_CATEGORY_SUMMARY] = {"category_summary",
                                COLUMNS("cpu_time", "gpu_time", "cpu_overhead", "gpu_idle",
                                        "count"),
                                NULL},
    [TABLE_METRIC] = {"metric", COLUMNS("count", "max", "min", "sum", "avg REAL"), NULL},
    [TABLE_NODE_TIME_METRICS] = {"node_time_metrics",
                                 COLUMNS("cpu_time_metric_id metric", "gpu_time_metric_id metric",
                                         "api_time_metric_id metric",
                                         "cpu_overhead_time_metric_id metric",
                                         "gpu_idle_time_metric_id metric"),
                                 NULL},
    [TABLE_KERNEL_TIME_METRICS] = {"kernel_time_metrics",
                                   COLUMNS("api_time_metric_id metric",
                                           "gpu_time_metric_id metric"),
                                   NULL},
    [TABLE_EXPERT_SYSTEMS_FEEDBACK] = {"expert_systems_feedback",
                                       COLUMNS("aggr_id", "exp_sys_id TEXT", "problem TEXT",
                                               "recommendation TEXT", "javascript_function TEXT",
                                               "javascript_args TEXT"),
                                       NULL},
    [TABLE_ITERATION_KEY] = {"iteration_key",
                             COLUMNS("aggr_id aggregations UNIQUE", "key_node_id dictionary"),
                             NULL},
    [TABLE_ITERATION_LIST] = {DLDB_ITERATION_LIST, COLUMNS(DLDB_WINDOW), "aggr_id, iter_value"},
    [TABLE_ITERATION_AGGREGATION_LIST] = {"iteration_aggregation_list",
                                          COLUMNS("aggr_id", "iter_value", "gpu_utilization REAL",
                                                  "tc_duration", "non_tc_duration",
                                                  "memory_duration", "dataloader_duration",
                                                  "io_duration", "cpu_duration", "other_duration"),
                                          NULL},
    [TABLE_MODEL_SUMMARY] =
        {DLDB_MODEL_SUMMARY,
         COLUMNS("aggr_id", "domain_id", "is_custom_domain BOOLEAN", "wall_time",
                 "nodes_total_id category_summary", "nodes_tc_eligible_id category_summary",
                 "nodes_using_tc_id category_summary", "nodes_other_id category_summary",
                 "gpu_utilization REAL", "tc_utilization REAL", "tc_duration_pct REAL",
                 "non_tc_duration_pct REAL", "memory_duration_pct REAL",
                 "dataloader_duration_pct REAL", "io_duration_pct REAL", "cpu_duration_pct REAL",
                 "other_duration_pct REAL", "avg_iteration_time REAL",
                 "iteration_time_std_dev REAL", "iter_total", "iter_aggregated", "iter_start",
                 "iter_stop", "key_node_id dictionary"),
         "aggr_id, domain_id"},
    [TABLE_DEVICE_GPU_UTILIZATIONS] = {"device_gpu_utilizations",
                                       COLUMNS("aggr_id", "domain_id",
                                               "gpu_info_id read_only_gpu_infos",
                                               "gpu_utilization REAL"),
                                       "aggr_id, domain_id, gpu_info_id"},
    [TABLE_OP_NODES] = {"op_nodes",
                        COLUMNS("aggr_id", "read_only_ops_id",
                                "node_time_metrics_id node_time_metrics",
                                "kernel_time_metrics_id kernel_time_metrics", "num_calls",
                                "kernel_calls", "tc_eligible BOOLEAN", "using_tc BOOLEAN",
                                "is_bad_data_type BOOLEAN"),
                        NULL},
    [TABLE_GROUP_OPS] = {"group_ops",
                         COLUMNS("aggr_id", "domain_id", "row_type",
                                 "group_op_full_id_id dictionary",
                                 "group_op_full_name_id dictionary", "level", "num_op_instances",
                                 "num_supported_leaf_ops", "num_tc_leaf_ops",
                                 "group_op_time_metrics_id node_time_metrics"),
                         "aggr_id, domain_id, group_op_full_id_id, group_op_full_name_id"},
    [TABLE_KERNEL_SUMMARIES] = {"kernel_summaries",
                                COLUMNS("aggr_id", "domain_id", "read_only_ops_id",
                                        "kernel_name_id dictionary", "api_time_metric_id metric",
                                        "gpu_time_metric_id metric", "uses_tc BOOLEAN"),
                                "aggr_id, domain_id, read_only_ops_id, kernel_name_id"},
    [TABLE_KERNEL_ITERATION_NODE] = {"kernel_iteration_node",
                                     COLUMNS("aggr_id", "domain_id", "read_only_ops_id",
                                             "read_only_kernel_id read_only_kernels", "iter_value",
                                             "total_count", "uses_tc_count", "total_gpu_time",
                                             "tc_gpu_time"),
                                     "aggr_id, domain_id, read_only_ops_id, read_only_kernel_id, "
                                     "iter_value"},
    [TABLE_KERNEL_ITERATION_STATS] = {"kernel_iteration_stats",
                                      COLUMNS("aggr_id", "domain_id", "iter_value", "total_count",
                                              "uses_tc_count", "total_gpu_time", "tc_gpu_time"),
                                      "aggr_id, domain_id, iter_value"},
    [TABLE_KERNEL_SUMMARY_METRICS] = {"kernel_summary_metrics",
                                      COLUMNS("aggr_id", "domain_id",
                                              "kernels_total_id category_summary",
                                              "kernels_using_tc_id category_summary",
                                              "kernels_non_tc_id category_summary"),
                                      "aggr_id, domain_id"},
    [TABLE_MEMORY_SUMMARY_METRICS] = {"memory_summary_metrics",
                                      COLUMNS("aggr_id", "domain_id",
                                              "memory_time_id category_summary"),
                                      "aggr_id, domain_id"},
    [TABLE_OP_TYPE_METRICS] = {"op_type_metrics",
                               COLUMNS("aggr_id", "domain_id", "op_node_type_id dictionary",
                                       "op_type_metrics_id node_time_metrics", "num_nodes",
                                       "num_calls"),
                               "aggr_id, domain_id, op_node_type_id"},
};

// References of columns with these names in every table, except read_only_ops.device_id.
static const struct {
    const char *column, *table, *key;
} known_references[] = {
    {"aggr_id", DLDB_AGGREGATIONS, "id"},       {"domain_id", DLDB_DOMAINS, "id"},
    {"read_only_ops_id", DLDB_OPS, "id"},       {"name_id", DLDB_DICTIONARY, "id"},
    {"device_id", DLDB_GPU_INFOS, "device_id"},
};

// ---- columns ------------------------------------------------------------------------------------

struct column_name {
    const char *name;
    int length;
    const char *type, *table, *key; // a type, or a reference: key of that table
    bool is_unique;
};

static const struct table_schema *find_table(const char *name, size_t length)
{
    for (size_t i = 0; i < DLDB_TABLES; i++)
        if (strlen(tables[i].name) == length && memcmp(tables[i].name, name, length) == 0)
            return &tables[i];
    return NULL;
}

static struct column_name column_of(const char *text)
{
    struct column_name column = {.name = text, .length = (int)strcspn(text, " ")};
    const char *type = text + column.length;
    type += strspn(type, " ");
    size_t length = strcspn(type, " ");
    const struct table_schema *table = find_table(type, length);
    column.is_unique = strcmp(type + length, " UNIQUE") == 0;
    column.type = "INTEGER";
    if (table) {
        column.table = table->name;
        column.key = "id";
        return column;
    }
    if (length)
        column.type = strncmp(type, "TEXT", length) == 0      ? "TEXT"
                      : strncmp(type, "REAL", length) == 0    ? "REAL"
                      : strncmp(type, "BOOLEAN", length) == 0 ? "BOOLEAN"
                                                              : "INTEGER";
    for (size_t i = 0; i < sizeof known_references / sizeof *known_references && !length; i++)
        if (strcmp(known_references[i].column, text) == 0) {
            column.table = known_references[i].table;
            column.key = known_references[i].key;
        }
    return column;
}

const char *dldb_table_name(enum dldb_table_id table)
{
    return tables[table].name;
}

struct dldb_reference dldb_reference(const char *from, const char *name, size_t length)
{
    const struct table_schema *table = find_table(from, strlen(from));
    for (const char *const *at = table ? table->columns : NULL; at && *at; at++) {
        struct column_name column = column_of(*at);
        if ((size_t)column.length == length && memcmp(column.name, name, length) == 0)
            return (struct dldb_reference){column.table, column.key};
    }
    return (struct dldb_reference){NULL, NULL};
}

// ---- statements ---------------------------------------------------------------------------------

static const char *statement(struct bytes *sql)
{
    bytes_char(sql, '\0');
    return sql->items;
}

// Rows are never deleted, so ids need no AUTOINCREMENT.
const char *dldb_create_table(enum dldb_table_id id, struct arena *arena)
{
    struct bytes sql = {.arena = arena};
    bytes_format(&sql, "CREATE TABLE %s (id INTEGER PRIMARY KEY", tables[id].name);
    for (const char *const *at = tables[id].columns; *at; at++) {
        struct column_name column = column_of(*at);
        bytes_format(&sql, ", %.*s %s NOT NULL%s", column.length, column.name, column.type,
                     column.is_unique ? " UNIQUE" : "");
        if (column.table)
            bytes_format(&sql, " REFERENCES %s(%s) ON UPDATE CASCADE ON DELETE CASCADE",
                         column.table, column.key);
    }
    bytes_char(&sql, ')');
    return statement(&sql);
}

const char *dldb_insert(enum dldb_table_id id, struct arena *arena)
{
    struct bytes sql = {.arena = arena};
    bytes_format(&sql, "INSERT INTO %s VALUES (?", tables[id].name);
    for (const char *const *at = tables[id].columns; *at; at++)
        bytes_text(&sql, ",?");
    bytes_char(&sql, ')');
    return statement(&sql);
}

const char *dldb_create_index(enum dldb_table_id id, bool is_unique, struct arena *arena)
{
    const struct table_schema *table = &tables[id];
    return table->index
               ? arena_format(arena, "CREATE %sINDEX unique_%s ON %s (%s)",
                              is_unique ? "UNIQUE " : "", table->name, table->name, table->index)
               : NULL;
}
