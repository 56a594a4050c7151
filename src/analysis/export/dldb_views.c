// SPDX-License-Identifier: Apache-2.0
// Views of a DLProf database, which its viewer queries: each column is a path along references.
#include <string.h>

#include "analysis/export/dldb_schema.h"
#include "base/text/bytes.h"

#define VIEW(of, from, ...)                                     \
    .name = of, .table = from, .columns = (const char *const[]) \
    {                                                           \
        __VA_ARGS__, NULL                                       \
    }

// A column is a path, "name = path", or an expression with paths in braces. A path is a list of
// columns separated by dots; each but the last references another table. "table(a,b)" joins the row
// of that table with equal columns a and b.
struct dldb_view {
    const char *name;
    enum dldb_table_id table;
    const char *const *columns;
    bool is_distinct;
    const char *order;
};

#define DOMAIN     "domain_name = domain_id.domain_name_id.string"
#define OP_DOMAIN  "domain_name = read_only_ops_id.domain_id.domain_name_id.string"
#define OP         "read_only_ops_id."
#define KERNEL     "read_only_kernel_id."
#define TIMES      "node_time_metrics_id."
#define TYPE_TIMES "op_type_metrics_id."
#define GROUP      "group_op_time_metrics_id."
#define ITERATION  "iteration_list(aggr_id,iter_value)."
#define STATS      "kernel_iteration_stats(aggr_id,iter_value)."
#define MEMORY     "memory_summary_metrics(aggr_id,domain_id).memory_time_id."
#define BLOCK(id)  "{" KERNEL id ".x} || ', ' || {" KERNEL id ".y} || ', ' || {" KERNEL id ".z}"
#define LAUNCHED                                                                 \
    "kernel_name = " KERNEL "name_id.string", "device_id = " KERNEL "device_id", \
        "kernel_timestamp = " KERNEL "api_start",                                \
        "kernel_duration = {" KERNEL "gpu_stop} - {" KERNEL "gpu_start}",        \
        "uses_tc = " KERNEL "uses_tc", "grid = " BLOCK("grid_id"), "block = " BLOCK("block_id")
#define FOUR(kind, metric)                                                            \
    kind "_sum = " TYPE_TIMES metric ".sum", kind "_avg = " TYPE_TIMES metric ".avg", \
        kind "_min = " TYPE_TIMES metric ".min", kind "_max = " TYPE_TIMES metric ".max"
#define CATEGORY_OF(name) name "_gpu_time = " name "_id.gpu_time", name "_count = " name "_id.count"
#define SHARES                                                                                  \
    "tc_duration_pct", "non_tc_duration_pct", "memory_duration_pct", "dataloader_duration_pct", \
        "io_duration_pct", "cpu_duration_pct", "other_duration_pct"
// The last part of a name; names of groups end in a slash.
#define NAME          "{group_op_full_name_id.string}"
#define WITHOUT_SLASH "CASE {row_type} WHEN 1 THEN rtrim(" NAME ", '/') ELSE " NAME " END"
#define TRIMMED                                                                    \
    "row_trimmed_name = substr(" WITHOUT_SLASH ", 1 + length(rtrim(" WITHOUT_SLASH \
    ", replace(" NAME ", '/', ''))))"

static const struct dldb_view views[] = {
    {VIEW("view_gpu_names", TABLE_GPU_INFOS, "gpu_name"), .order = "gpu_name"},
    {VIEW("view_system_config", TABLE_SYSTEM_CONFIG, "is_valid", "num_gpus", "cpu_model",
          "driver_version", "framework", "cuda_version", "cudnn_version", "nsys_version",
          "dlprof_version", "dlprof_build", "profile_name", "mode_string", "original_command")},
    {VIEW("view_db_version", TABLE_VERSION, "current_version", "original_version")},
    {VIEW("view_domains", TABLE_DOMAINS, "domain_name = domain_name_id.string")},
    {VIEW("view_aggregations", TABLE_MODEL_SUMMARY, "aggr_id", "iter_start", "iter_stop",
          "iter_aggregated", "key_node_name = key_node_id.string",
          "user_name = aggr_id.server_user_name", "host_name = aggr_id.server_host_name",
          "aggr_start = aggr_id.start_timestamp", "aggr_end = aggr_id.end_timestamp"),
     .is_distinct = true},
    {VIEW("view_expert_systems", TABLE_EXPERT_SYSTEMS_FEEDBACK, "aggr_id", "problem",
          "recommendation", "javascript_function", "javascript_args")},
    {VIEW("view_iterations_all", TABLE_ITERATION_LIST, "aggr_id", "iter_value", "start_time",
          "stop_time", "duration = {stop_time} - {start_time}")},
    {VIEW("view_iterations_profiled", TABLE_ITERATION_AGGREGATION_LIST, "aggr_id",
          "domain_name = " STATS "domain_id.domain_name_id.string", "iter_value",
          "start_time = " ITERATION "start_time",
          "duration = {" ITERATION "stop_time} - {" ITERATION "start_time}",
          "total_kernel_count = " STATS "total_count",
          "using_tc_kernel_count = " STATS "uses_tc_count", "tc_duration", "non_tc_duration",
          "memory_duration", "dataloader_duration", "io_duration", "cpu_duration",
          "other_duration"),
     .order = "iter_value"},
    {VIEW("view_iteration_kernels", TABLE_KERNEL_ITERATION_NODE, "aggr_id", DOMAIN, "iter_value",
          "op_node_name = " OP "op_name", LAUNCHED)},
    {VIEW("view_iteration_op_kernels", TABLE_KERNEL_ITERATION_NODE, "aggr_id", DOMAIN, "iter_value",
          "op_node_id = " OP "op_id", LAUNCHED)},
    {VIEW("view_iteration_ops", TABLE_KERNEL_ITERATION_NODE, "aggr_id", DOMAIN, "iter_value",
          "op_node_name = " OP "op_name", "direction = " OP "direction_id.string",
          "op_node_type = " OP "op_type_id.string", "total_count", "tc_count = uses_tc_count",
          "total_gpu_time", "tc_gpu_time", "data_type = " OP "data_type_id.string",
          "stack_trace = " OP "stack_trace", "op_node_id = " OP "op_id"),
     .is_distinct = true},
    {VIEW("view_key_op_name", TABLE_ITERATION_KEY, "aggr_id", "key_op = key_node_id.string")},
    {VIEW("view_domain_model_gpu_utilization", TABLE_MODEL_SUMMARY, "aggr_id", DOMAIN,
          "gpu_utilization")},
    {VIEW("view_tc_utilization", TABLE_MODEL_SUMMARY, "aggr_id", DOMAIN, "tc_utilization")},
    {VIEW("view_performance_summary", TABLE_MODEL_SUMMARY, "aggr_id", DOMAIN,
          "wall_clock_time = wall_time", "tc_utilization", "gpu_utilization",
          "total_iterations = iter_total", "profiled_iterations = iter_aggregated", "iter_start",
          "iter_stop", "iter_avg = avg_iteration_time", "key_node = key_node_id.string")},
    {VIEW("view_op_summary", TABLE_MODEL_SUMMARY, "aggr_id", DOMAIN, CATEGORY_OF("nodes_total"),
          CATEGORY_OF("nodes_using_tc"), CATEGORY_OF("nodes_tc_eligible"),
          CATEGORY_OF("nodes_other"))},
    {VIEW("view_kernel_summary", TABLE_KERNEL_SUMMARY_METRICS, "aggr_id", DOMAIN,
          "total_gpu_time = {kernels_total_id.gpu_time} + {" MEMORY "gpu_time}",
          "total_count = {kernels_total_id.count} + {" MEMORY "count}",
          "using_tc_gpu_time = kernels_using_tc_id.gpu_time",
          "using_tc_count = kernels_using_tc_id.count", "memory_gpu_time = " MEMORY "gpu_time",
          "memory_count = " MEMORY "count", "other_gpu_time = kernels_non_tc_id.gpu_time",
          "other_count = kernels_non_tc_id.count")},
    {VIEW("view_resource_usage_breakdown", TABLE_MODEL_SUMMARY, "aggr_id", DOMAIN, SHARES)},
    {VIEW("view_gpu_devices", TABLE_DEVICE_GPU_UTILIZATIONS, "aggr_id", DOMAIN,
          "device_id = gpu_info_id.device_id", "gpu_name = gpu_info_id.gpu_name",
          "cuda_major = gpu_info_id.compute_capability_major",
          "cuda_minor = gpu_info_id.compute_capability_minor", "sm_count = gpu_info_id.sm_count",
          "device_gpu_utilization = gpu_utilization")},
    {VIEW("view_op_nodes", TABLE_OP_NODES, "aggr_id", OP_DOMAIN,
          "gpu_time = " TIMES "gpu_time_metric_id.sum",
          "cpu_time = " TIMES "cpu_time_metric_id.sum", "op_node_name = " OP "op_name",
          "direction = " OP "direction_id.string", "op_node_type = " OP "op_type_id.string",
          "num_calls", "tc_eligible", "using_tc", "kernel_calls", "is_bad_data_type",
          "data_type = " OP "data_type_id.string", "stack_trace = " OP "stack_trace",
          "op_node_id = " OP "op_id")},
    {VIEW("view_group_ops", TABLE_GROUP_OPS, "aggr_id", DOMAIN, "row_type",
          "row_full_id = group_op_full_id_id.string",
          "row_full_name = group_op_full_name_id.string", TRIMMED, "level", "num_op_instances",
          "num_supported_leaf_ops", "num_tc_leaf_ops",
          "cpu_time_sum = " GROUP "cpu_time_metric_id.sum",
          "gpu_time_sum = " GROUP "gpu_time_metric_id.sum",
          "cpu_overhead_sum = " GROUP "cpu_overhead_time_metric_id.sum",
          "gpu_idle_sum = " GROUP "gpu_idle_time_metric_id.sum")},
    {VIEW("view_kernel_summaries", TABLE_KERNEL_SUMMARIES, "aggr_id", DOMAIN,
          "op_node_id = read_only_ops_id.op_id", "kernel_name = kernel_name_id.string", "uses_tc",
          "calls = gpu_time_metric_id.count", "gpu_time = gpu_time_metric_id.sum",
          "avg = gpu_time_metric_id.avg", "min = gpu_time_metric_id.min",
          "max = gpu_time_metric_id.max")},
    {VIEW("view_op_type_summary", TABLE_OP_TYPE_METRICS, "aggr_id", DOMAIN,
          "op_node_type = op_node_type_id.string", "num_nodes", "num_calls",
          FOUR("cpu_time", "cpu_time_metric_id"), FOUR("gpu_time", "gpu_time_metric_id"),
          FOUR("cpu_overhead", "cpu_overhead_time_metric_id"),
          FOUR("gpu_idle", "gpu_idle_time_metric_id"))},
};

size_t dldb_view_count(void)
{
    return sizeof views / sizeof *views;
}

struct view_join {    // a table that a view joins; t0 is the view's own
    const char *path; // path to the table, up to its last dot
    size_t length;
    const char *table;
};

struct view_sql {
    struct arena *arena;
    size_t join_count, capacity;
    struct view_join *joins;
    struct bytes from;
};

// Joins the next table to table `from` by "column" or "table(a,b)" and returns the table's name.
static const char *add_condition(struct view_sql *sql, size_t from, const char *step, size_t length)
{
    size_t n = sql->join_count, name = strcspn(step, "(.");
    if (name < length) {
        const char *table = arena_copy(sql->arena, step, name);
        bytes_format(&sql->from, " LEFT JOIN %s t%zu ON ", table, n);
        for (const char *at = step + name; *at == '(' || *at == ',';) {
            const char *and = *at++ == ',' ? " AND " : "";
            int column = (int)strcspn(at, ",)");
            bytes_format(&sql->from, "%st%zu.%.*s = t%zu.%.*s", and, n, column, at, from, column,
                         at);
            at += column;
        }
        return table;
    }
    struct dldb_reference target = dldb_reference(sql->joins[from].table, step, length);
    bytes_format(&sql->from, " LEFT JOIN %s t%zu ON t%zu.%s = t%zu.%.*s", target.table, n, n,
                 target.key, from, (int)length, step);
    return target.table;
}

// Returns the table of a path up to and including `step`, which is joined if it is not yet. A step
// ends at a dot.
static size_t add_join(struct view_sql *sql, size_t from, const char *path, const char *step,
                       size_t length)
{
    size_t path_length = (size_t)(step - path) + length;
    for (size_t i = 1; i < sql->join_count; i++)
        if (sql->joins[i].length == path_length &&
            memcmp(sql->joins[i].path, path, path_length) == 0)
            return i;
    struct view_join join = {path, path_length, add_condition(sql, from, step, length)};
    ARENA_PUSH(sql->arena, sql->joins, sql->join_count, sql->capacity) = join;
    return sql->join_count - 1;
}

static void put_path(struct view_sql *sql, struct bytes *out, const char *path, size_t length)
{
    size_t table = 0;
    const char *step = path, *end = path + length, *dot;
    while ((dot = memchr(step, '.', (size_t)(end - step)))) {
        table = add_join(sql, table, path, step, (size_t)(dot - step));
        step = dot + 1;
    }
    bytes_format(out, "t%zu.%.*s", table, (int)(end - step), step);
}

static void put_column(struct view_sql *sql, struct bytes *out, const char *column)
{
    static const char is[] = " = ";
    const char *sign = strstr(column, is), *from = sign ? sign + sizeof is - 1 : column;
    int name = sign ? (int)(sign - column) : (int)strlen(column);
    if (!strchr(from, '{'))
        put_path(sql, out, from, strlen(from));
    else
        while (*from) {
            size_t length = strcspn(from, "{");
            bytes_add(out, from, length);
            from += length;
            if (!*from)
                break;
            length = strcspn(++from, "}");
            put_path(sql, out, from, length);
            from += length + 1;
        }
    bytes_format(out, " AS %.*s", name, column);
}

const char *dldb_create_view(size_t i, struct arena *arena)
{
    const struct dldb_view *view = &views[i];
    struct view_sql sql = {.arena = arena, .from = {.arena = arena}};
    struct bytes out = {.arena = arena};
    ARENA_PUSH(arena, sql.joins, sql.join_count, sql.capacity) =
        (struct view_join){"", 0, dldb_table_name(view->table)};
    bytes_format(&out, "CREATE VIEW %s AS SELECT %s", view->name,
                 view->is_distinct ? "DISTINCT " : "");
    for (const char *const *at = view->columns; *at; at++) {
        bytes_text(&out, at == view->columns ? "" : ", ");
        put_column(&sql, &out, *at);
    }
    bytes_format(&out, " FROM %s t0", dldb_table_name(view->table));
    bytes_add(&out, sql.from.items, sql.from.count);
    if (view->order)
        bytes_format(&out, " ORDER BY %s", view->order);
    bytes_char(&out, '\0');
    return out.items;
}
