// SPDX-License-Identifier: Apache-2.0
//
// Export formats of Nsight Systems by version. One table of columns per event table has the name,
// the declaration, the first and last version, and the member of a row that fills it; DDL, INSERT
// and binding follow from it.
#ifndef DLPROF_GEN_SCHEMA_H
#define DLPROF_GEN_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    SCHEMA_2020_3,
    SCHEMA_2022_1,
    SCHEMA_2023_4,
    SCHEMA_2024_2,
    SCHEMA_2025_1,
    SCHEMA_2026_2,
    SCHEMA_COUNT
} SchemaVersion;

typedef struct {
    const char *key;     // value of --schema
    const char *product; // full product version
    const char *schema;  // schema version; NULL if the export does not state it
} SchemaInfo;

extern const SchemaInfo schema_infos[SCHEMA_COUNT];

typedef enum {
    TABLE_KERNEL,
    TABLE_RUNTIME,
    TABLE_MEMCPY,
    TABLE_MEMSET,
    TABLE_SYNC,
    TABLE_NVTX,
    TABLE_OSRT,
    TABLE_GRAPH_NODE,
    TABLE_GRAPH,
    TABLE_GRAPH_TRACE,
    TABLE_OVERHEAD,
    TABLE_MEMORY,
    TABLE_COUNT
} TableId;

// Members of a row, shared by all tables: a row is an array of 64-bit numbers. ROW_TEXT holds an
// offset into the text of its table. Members after ROW_HIDDEN are not written; they are for
// --truth.
enum {
    ROW_START,
    ROW_END,
    ROW_ID, // globalTid of host rows, globalPid of GPU rows
    ROW_CORRELATION,
    ROW_DEVICE,
    ROW_CONTEXT,
    ROW_STREAM,
    ROW_NAME,
    ROW_SHORT,
    ROW_MANGLED,
    ROW_REGISTERS,
    ROW_GRID_X,
    ROW_GRID_Y,
    ROW_BLOCK,
    ROW_STATIC_SMEM,
    ROW_DYNAMIC_SMEM,
    ROW_GRID_ID,
    ROW_GRAPH_NODE,
    ROW_GRAPH,
    ROW_CLUSTER,
    ROW_HIDDEN,
    ROW_LAYER = ROW_HIDDEN,
    ROW_STEP,
    ROW_GPU,
    ROW_CLASS,
    ROW_WIDTH,
    // Other tables reuse members that only kernels need.
    ROW_BYTES = ROW_REGISTERS,
    ROW_KIND = ROW_GRID_X,
    ROW_SRC_KIND = ROW_GRID_Y,
    ROW_DST_KIND = ROW_BLOCK,
    ROW_SYNC_TYPE = ROW_GRID_X,
    ROW_OLD_SYNC_TYPE = ROW_GRID_Y,
    ROW_EVENT = ROW_BLOCK,
    ROW_CLASS_ID = ROW_SHORT, // eventClass or eventType
    ROW_TEXT = ROW_MANGLED,
    ROW_DOMAIN = ROW_DEVICE,
    ROW_TEXT_ID = ROW_NAME,
    ROW_ORIGINAL = ROW_CLUSTER, // original node or graph
    ROW_GRAPH_EXEC = ROW_GRID_ID,
    ROW_RETURN = ROW_GRID_X,
    ROW_ADDRESS = ROW_GRID_Y,
    ROW_OPERATION = ROW_BLOCK,
    ROW_POOL = ROW_GRAPH,
    ROW_CHAIN = ROW_BLOCK
};

#define ROW_NULL INT64_MIN

typedef enum { COLUMN_MEMBER, COLUMN_TEXT, COLUMN_CONSTANT, COLUMN_NULL } ColumnKind;

typedef struct {
    const char *name;
    const char *type; // including NOT NULL
    SchemaVersion from, until;
    ColumnKind kind;
    int member;           // COLUMN_MEMBER, COLUMN_TEXT
    const char *constant; // COLUMN_CONSTANT: an SQL literal
} SchemaColumn;

typedef struct {
    const char *name;
    const char *old_name; // name in versions before renamed_in; NULL: never renamed
    SchemaVersion renamed_in;
    SchemaVersion from; // first version with rows of this table
    const SchemaColumn *columns;
    size_t count;
} SchemaTable;

extern const SchemaTable schema_tables[TABLE_COUNT];

#endif
