// SPDX-License-Identifier: Apache-2.0
// The schema of a DLProf 1.8 database as data: its tables, the references between them, and its
// views, each column of which is a path along references.
//
//      read_only_kernels --read_only_ops_id--> read_only_ops --op_type_id--> dictionary.string
//      op_nodes --node_time_metrics_id--> node_time_metrics --gpu_time_metric_id--> metric.sum
//
// It does not depend on SQLite: export_dldb_file.c runs the statements made here.
#ifndef ANALYSIS_EXPORT_DLDB_SCHEMA_H
#define ANALYSIS_EXPORT_DLDB_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum dldb_table_id {
    // Measurements, from which everything else can be computed.
    // texts: a column ending in _id that references no other table references this one
    TABLE_DICTIONARY,
    TABLE_GRID_BLOCK,
    TABLE_MODEL_INFO,
    TABLE_GPU_INFOS,
    TABLE_GPU_MEMORIES,
    TABLE_SYSTEM_CONFIG,
    TABLE_VERSION,
    TABLE_MODEL_CONFIG,
    TABLE_DOMAINS,
    TABLE_OPS,
    TABLE_SUB_OPS, // empty in all known databases
    TABLE_OP_INSTANCES,
    TABLE_KERNELS,
    TABLE_MEMSETS,
    TABLE_MEMCPYS,
    TABLE_CUDA_SYNCS,
    TABLE_CUDA_CALLS,
    // One aggregation: the figures of the reports.
    TABLE_AGGREGATIONS,
    TABLE_CATEGORY_SUMMARY,
    TABLE_METRIC,
    TABLE_NODE_TIME_METRICS,
    TABLE_KERNEL_TIME_METRICS,
    TABLE_EXPERT_SYSTEMS_FEEDBACK,
    TABLE_ITERATION_KEY,
    TABLE_ITERATION_LIST,
    TABLE_ITERATION_AGGREGATION_LIST,
    TABLE_MODEL_SUMMARY,
    TABLE_DEVICE_GPU_UTILIZATIONS,
    TABLE_OP_NODES,
    TABLE_GROUP_OPS,
    TABLE_KERNEL_SUMMARIES,
    TABLE_KERNEL_ITERATION_NODE,
    TABLE_KERNEL_ITERATION_STATS,
    TABLE_KERNEL_SUMMARY_METRICS,
    TABLE_MEMORY_SUMMARY_METRICS,
    TABLE_OP_TYPE_METRICS,
    DLDB_TABLES
};

// Target of a column's reference; NULLs without one.
struct dldb_reference {
    const char *table, *key;
};
struct dldb_reference dldb_reference(const char *table, const char *column, size_t length);
const char *dldb_table_name(enum dldb_table_id table);

// Statements, in `arena`. An insertion has one parameter per column, the id first.
const char *dldb_create_table(enum dldb_table_id table, struct arena *arena);
const char *dldb_insert(enum dldb_table_id table, struct arena *arena);
// Returns the statement for the table's index, or NULL if it has none. DLProf's indexes are unique;
// ours are unless rows are equal.
const char *dldb_create_index(enum dldb_table_id table, bool is_unique, struct arena *arena);

size_t dldb_view_count(void); // dldb_views.c
const char *dldb_create_view(size_t view, struct arena *arena);

#endif
