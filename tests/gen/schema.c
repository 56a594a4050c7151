// SPDX-License-Identifier: Apache-2.0
//
// The columns of each event table, with the versions that have them. PLACE are the first columns,
// which all tables of GPU work share.
#include "schema.h"

const SchemaInfo schema_infos[SCHEMA_COUNT] = {
    [SCHEMA_2020_3] = {"2020.3", "2020.3.2.6", NULL},
    [SCHEMA_2022_1] = {"2022.1", "2022.1.3.3", "2.9.1"},
    [SCHEMA_2023_4] = {"2023.4", "2023.4.4.54", "3.7.2"},
    [SCHEMA_2024_2] = {"2024.2", "2024.2.3.38", "3.11.1"},
    [SCHEMA_2025_1] = {"2025.1", "2025.1.3.140", "3.17.2"},
    [SCHEMA_2026_2] = {"2026.2", "2026.2.1.210", "3.25.0"},
};

#define INT    "INTEGER"
#define INT_NN "INTEGER NOT NULL"
#define FIRST  SCHEMA_2020_3
#define LAST   SCHEMA_2026_2

#define MEMBER(name, type, member)                           \
    {                                                        \
        name, type, FIRST, LAST, COLUMN_MEMBER, member, NULL \
    }
#define MEMBER_IN(name, type, from, until, member)           \
    {                                                        \
        name, type, from, until, COLUMN_MEMBER, member, NULL \
    }
#define CONSTANT(name, type, text)                        \
    {                                                     \
        name, type, FIRST, LAST, COLUMN_CONSTANT, 0, text \
    }
#define CONSTANT_IN(name, type, from, until, text)        \
    {                                                     \
        name, type, from, until, COLUMN_CONSTANT, 0, text \
    }
#define EMPTY(name, type)                             \
    {                                                 \
        name, type, FIRST, LAST, COLUMN_NULL, 0, NULL \
    }
#define EMPTY_IN(name, type, from, until)             \
    {                                                 \
        name, type, from, until, COLUMN_NULL, 0, NULL \
    }

#define GREEN_CONTEXT CONSTANT_IN("greenContextId", INT, SCHEMA_2023_4, LAST, "0")
#define PLACE                                                                             \
    MEMBER("start", INT_NN, ROW_START), MEMBER("end", INT_NN, ROW_END),                   \
        MEMBER("deviceId", INT_NN, ROW_DEVICE), MEMBER("contextId", INT_NN, ROW_CONTEXT), \
        GREEN_CONTEXT, MEMBER("streamId", INT_NN, ROW_STREAM),                            \
        MEMBER("correlationId", INT, ROW_CORRELATION), MEMBER("globalPid", INT, ROW_ID)

static const SchemaColumn kernel_columns[] = {
    PLACE,
    MEMBER("demangledName", INT_NN, ROW_NAME),
    MEMBER("shortName", INT_NN, ROW_SHORT),
    MEMBER_IN("mangledName", INT, SCHEMA_2022_1, LAST, ROW_MANGLED),
    CONSTANT("launchType", INT, "1"),
    CONSTANT("cacheConfig", INT, "1"),
    MEMBER("registersPerThread", INT_NN, ROW_REGISTERS),
    MEMBER("gridX", INT_NN, ROW_GRID_X),
    MEMBER("gridY", INT_NN, ROW_GRID_Y),
    CONSTANT("gridZ", INT_NN, "1"),
    MEMBER("blockX", INT_NN, ROW_BLOCK),
    CONSTANT("blockY", INT_NN, "1"),
    CONSTANT("blockZ", INT_NN, "1"),
    MEMBER("staticSharedMemory", INT_NN, ROW_STATIC_SMEM),
    MEMBER("dynamicSharedMemory", INT_NN, ROW_DYNAMIC_SMEM),
    CONSTANT("localMemoryPerThread", INT_NN, "0"),
    CONSTANT("localMemoryTotal", INT_NN, "0"),
    MEMBER("gridId", INT_NN, ROW_GRID_ID),
    CONSTANT("sharedMemoryExecuted", INT, "233472"),
    MEMBER("graphNodeId", INT, ROW_GRAPH_NODE),
    CONSTANT_IN("sharedMemoryLimitConfig", INT, SCHEMA_2022_1, LAST, "0"),
    EMPTY_IN("qmdBulkReleaseDone", INT, SCHEMA_2026_2, LAST),
    EMPTY_IN("qmdPreexitDone", INT, SCHEMA_2026_2, LAST),
    EMPTY_IN("qmdLastCtaDone", INT, SCHEMA_2026_2, LAST),
    MEMBER_IN("graphId", INT, SCHEMA_2026_2, LAST, ROW_GRAPH),
    MEMBER_IN("clusterX", INT, SCHEMA_2026_2, LAST, ROW_CLUSTER),
    CONSTANT_IN("clusterY", INT, SCHEMA_2026_2, LAST, "0"),
    CONSTANT_IN("clusterZ", INT, SCHEMA_2026_2, LAST, "0"),
    CONSTANT_IN("clusterSchedulingPolicy", INT, SCHEMA_2026_2, LAST, "1"),
    CONSTANT_IN("maxPotentialClusterSize", INT, SCHEMA_2026_2, LAST, "0"),
    CONSTANT_IN("maxActiveClusters", INT, SCHEMA_2026_2, LAST, "0"),
    EMPTY_IN("sharedMemoryRequestedPercentage", INT, SCHEMA_2026_2, LAST),
    CONSTANT_IN("tensorSizeMinusOneElements", "TEXT NOT NULL", SCHEMA_2026_2, LAST, "'[]'"),
};

static const SchemaColumn runtime_columns[] = {
    MEMBER("start", INT_NN, ROW_START),
    MEMBER("end", INT_NN, ROW_END),
    MEMBER("eventClass", INT_NN, ROW_CLASS_ID),
    MEMBER("globalTid", INT, ROW_ID),
    MEMBER("correlationId", INT, ROW_CORRELATION),
    MEMBER("nameId", INT_NN, ROW_NAME),
    CONSTANT("returnValue", INT_NN, "0"),
    MEMBER_IN("callchainId", INT, SCHEMA_2022_1, LAST, ROW_CHAIN),
};

static const SchemaColumn memcpy_columns[] = {
    PLACE,
    MEMBER("bytes", INT_NN, ROW_BYTES),
    MEMBER("copyKind", INT_NN, ROW_KIND),
    EMPTY("deprecatedSrcId", INT),
    MEMBER("srcKind", INT, ROW_SRC_KIND),
    MEMBER("dstKind", INT, ROW_DST_KIND),
    EMPTY("srcDeviceId", INT),
    EMPTY("srcContextId", INT),
    EMPTY("dstDeviceId", INT),
    EMPTY("dstContextId", INT),
    EMPTY_IN("migrationCause", INT, SCHEMA_2022_1, LAST),
    MEMBER("graphNodeId", INT, ROW_GRAPH_NODE),
    EMPTY_IN("virtualAddress", INT, SCHEMA_2022_1, LAST),
    EMPTY_IN("copyCount", INT, SCHEMA_2025_1, LAST),
};

static const SchemaColumn memset_columns[] = {
    PLACE,
    CONSTANT("value", INT_NN, "0"),
    MEMBER("bytes", INT_NN, ROW_BYTES),
    MEMBER("graphNodeId", INT, ROW_GRAPH_NODE),
    CONSTANT("memKind", INT, "2"),
};

static const SchemaColumn sync_columns[] = {
    PLACE,
    MEMBER_IN("deprecatedSyncType", INT, SCHEMA_2025_1, LAST, ROW_OLD_SYNC_TYPE),
    MEMBER("syncType", INT_NN, ROW_SYNC_TYPE),
    MEMBER("eventId", INT_NN, ROW_EVENT),
    EMPTY_IN("eventSyncId", INT, SCHEMA_2025_1, LAST),
};

static const SchemaColumn nvtx_columns[] = {
    MEMBER("start", INT_NN, ROW_START),
    MEMBER("end", INT, ROW_END),
    MEMBER("eventType", INT_NN, ROW_CLASS_ID),
    EMPTY("rangeId", INT),
    EMPTY("category", INT),
    EMPTY("color", INT),
    {"text", "TEXT", FIRST, LAST, COLUMN_TEXT, ROW_TEXT, NULL},
    MEMBER("globalTid", INT, ROW_ID),
    EMPTY("endGlobalTid", INT),
    MEMBER("textId", INT, ROW_TEXT_ID),
    MEMBER("domainId", INT, ROW_DOMAIN),
    EMPTY("uint64Value", INT),
    EMPTY("int64Value", INT),
    EMPTY("doubleValue", "REAL"),
    EMPTY("uint32Value", INT),
    EMPTY("int32Value", INT),
    EMPTY("floatValue", "REAL"),
    EMPTY("jsonTextId", INT),
    EMPTY("jsonText", "TEXT"),
    EMPTY_IN("binaryData", "TEXT", SCHEMA_2025_1, LAST),
};

static const SchemaColumn osrt_columns[] = {
    MEMBER("start", INT_NN, ROW_START),
    MEMBER("end", INT_NN, ROW_END),
    CONSTANT("eventClass", INT_NN, "27"),
    MEMBER("globalTid", INT, ROW_ID),
    EMPTY_IN("correlationId", INT, SCHEMA_2020_3, SCHEMA_2020_3),
    MEMBER("nameId", INT_NN, ROW_NAME),
    MEMBER("returnValue", INT_NN, ROW_RETURN),
    EMPTY("nestingLevel", INT),
    CONSTANT("callchainId", INT_NN, "0"),
};

static const SchemaColumn graph_node_columns[] = {
    MEMBER("start", INT_NN, ROW_START),
    MEMBER("end", INT_NN, ROW_END),
    MEMBER("nameId", INT_NN, ROW_NAME),
    MEMBER("globalTid", INT, ROW_ID),
    CONSTANT("eventClass", INT_NN, "77"),
    MEMBER("graphNodeId", INT_NN, ROW_GRAPH_NODE),
    MEMBER("originalGraphNodeId", INT, ROW_ORIGINAL),
};

static const SchemaColumn graph_columns[] = {
    MEMBER("start", INT_NN, ROW_START),           MEMBER("end", INT_NN, ROW_END),
    MEMBER("nameId", INT_NN, ROW_NAME),           MEMBER("globalTid", INT, ROW_ID),
    MEMBER("eventClass", INT_NN, ROW_CLASS_ID),   MEMBER("graphId", INT, ROW_GRAPH),
    MEMBER("originalGraphId", INT, ROW_ORIGINAL), MEMBER("graphExecId", INT, ROW_GRAPH_EXEC),
};

static const SchemaColumn graph_trace_columns[] = {
    PLACE,
    MEMBER("graphId", INT_NN, ROW_GRAPH),
    MEMBER("graphExecId", INT_NN, ROW_GRAPH_EXEC),
};

static const SchemaColumn overhead_columns[] = {
    MEMBER("start", INT_NN, ROW_START),
    MEMBER("end", INT_NN, ROW_END),
    CONSTANT("eventClass", INT_NN, "103"),
    MEMBER("globalTid", INT, ROW_ID),
    MEMBER("correlationId", INT, ROW_CORRELATION),
    MEMBER("nameId", INT_NN, ROW_NAME),
    MEMBER("overheadType", INT_NN, ROW_CLASS_ID),
};

// Kinds of calls and pools are recorded since memory pools are traced.
static const SchemaColumn memory_columns[] = {
    MEMBER("start", INT_NN, ROW_START),
    MEMBER("globalPid", INT_NN, ROW_ID),
    MEMBER("deviceId", INT_NN, ROW_DEVICE),
    MEMBER("contextId", INT_NN, ROW_CONTEXT),
    MEMBER("address", INT_NN, ROW_ADDRESS),
    CONSTANT("pc", INT_NN, "0"),
    MEMBER("bytes", INT_NN, ROW_BYTES),
    MEMBER("memKind", INT_NN, ROW_KIND),
    MEMBER("memoryOperationType", INT_NN, ROW_OPERATION),
    {"name", "TEXT", FIRST, LAST, COLUMN_TEXT, ROW_TEXT, NULL},
    MEMBER_IN("correlationId", INT, SCHEMA_2022_1, LAST, ROW_CORRELATION),
    MEMBER_IN("streamId", INT, SCHEMA_2022_1, LAST, ROW_STREAM),
    MEMBER_IN("localMemoryPoolAddress", INT, SCHEMA_2022_1, LAST, ROW_POOL),
    EMPTY_IN("localMemoryPoolReleaseThreshold", INT, SCHEMA_2022_1, LAST),
    EMPTY_IN("localMemoryPoolSize", INT, SCHEMA_2022_1, LAST),
    EMPTY_IN("localMemoryPoolUtilizedSize", INT, SCHEMA_2022_1, LAST),
    EMPTY_IN("importedMemoryPoolAddress", INT, SCHEMA_2022_1, LAST),
    EMPTY_IN("importedMemoryPoolProcessId", INT, SCHEMA_2022_1, LAST),
};

#define COLUMNS(array) array, sizeof array / sizeof array[0]
#define NEVER          NULL, FIRST

const SchemaTable schema_tables[TABLE_COUNT] = {
    [TABLE_KERNEL] = {"CUPTI_ACTIVITY_KIND_KERNEL", NEVER, FIRST, COLUMNS(kernel_columns)},
    [TABLE_RUNTIME] = {"CUPTI_ACTIVITY_KIND_RUNTIME", NEVER, FIRST, COLUMNS(runtime_columns)},
    [TABLE_MEMCPY] = {"CUPTI_ACTIVITY_KIND_MEMCPY", NEVER, FIRST, COLUMNS(memcpy_columns)},
    [TABLE_MEMSET] = {"CUPTI_ACTIVITY_KIND_MEMSET", NEVER, FIRST, COLUMNS(memset_columns)},
    [TABLE_SYNC] = {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", NEVER, FIRST, COLUMNS(sync_columns)},
    [TABLE_NVTX] = {"NVTX_EVENTS", NEVER, FIRST, COLUMNS(nvtx_columns)},
    [TABLE_OSRT] = {"OSRT_API", NEVER, FIRST, COLUMNS(osrt_columns)},
    // This name meant node creation at first and whole graphs later.
    [TABLE_GRAPH_NODE] = {"CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS", SCHEMA_2024_2, FIRST,
                          COLUMNS(graph_node_columns)},
    [TABLE_GRAPH] = {"CUDA_GRAPH_EVENTS", NULL, FIRST, SCHEMA_2024_2, COLUMNS(graph_columns)},
    [TABLE_GRAPH_TRACE] = {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NULL, FIRST, SCHEMA_2023_4,
                           COLUMNS(graph_trace_columns)},
    [TABLE_OVERHEAD] = {"CUPTI_ACTIVITY_KIND_OVERHEAD", NULL, FIRST, SCHEMA_2026_2,
                        COLUMNS(overhead_columns)},
    [TABLE_MEMORY] = {"CUDA_GPU_MEMORY_USAGE_EVENTS", NEVER, FIRST, COLUMNS(memory_columns)},
};
