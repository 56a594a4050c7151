// SPDX-License-Identifier: Apache-2.0
// SQL of a small nsys export with rows in every table.
#include "profile_rows.h"

#include <stdio.h>

#include "nsys_fixture.h"

// Thread 1 of process 1 is 0x1000001000001, the process is 0x1000001000000.
static const char rows[] =
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0x1000001000001, 1, 1),"
    " (200, 210, 0x1000001000001, 2, 1), (300, 310, 0x1000001000001, 3, 4),"
    " (400, 410, 0x1000001000002, 4, 6);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
    " (1000, 1100, 0, 1, 7, 1, 0x1000001000000, 590, 3, 32, 1, 1, 1, 1, 1, 1, 0, 0, NULL),"
    " (1100, 1300, 0, 1, 7, 2, 0x1000001000000, 7, 8, 32, 1, 1, 1, 1, 1, 1, 0, 0, 51);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
    " (1300, 1400, 0, 1, 7, 3, 0x1000001000000, 64, 1, 1, 2);"
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId) VALUES"
    " (0, 500, 59, 'step 1', 0x1000001000001, NULL, NULL),"
    " (50, 150, 59, 'aten::mm, seq = 3', 0x1000001000001, NULL, NULL),"
    " (160, 250, 59, NULL, 0x1000001000001, 5, NULL),"
    " (0, 0, 75, 'library', 0x1000001000001, NULL, 4);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, streamId, correlationId,"
    " globalPid, bytes);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1500, 1600, 0, 7, 9, 0x1000001000000, 32);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, streamId, correlationId,"
    " globalPid, graphId, graphExecId);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
    " (1700, 1800, 0, 7, 10, 0x1000001000000, 1, 2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, globalPid, contextId, streamId,"
    " correlationId, syncType);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
    " (400, 410, 0x1000001000000, 1, 7, 4, 3);"
    "CREATE TABLE OSRT_API (start, end, globalTid, nameId);"
    "INSERT INTO OSRT_API VALUES (5, 6, 0x1000001000001, 5);"
    "CREATE TABLE PROFILER_OVERHEAD (start, end, globalTid, nameId);"
    "INSERT INTO PROFILER_OVERHEAD VALUES (7, 8, 0x1000001000001, 5);"
    "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, globalTid, graphNodeId);"
    "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (60, 0x1000001000001, 51);"
    "CREATE TABLE PROCESSES (globalPid, name);"
    "INSERT INTO PROCESSES VALUES (0x1000001000000, 'python');"
    "CREATE TABLE ThreadNames (globalTid, nameId);"
    "INSERT INTO ThreadNames VALUES (0x1000001000001, 5);"
    "CREATE TABLE TARGET_INFO_GPU (id, name, uuid, busLocation, smCount);"
    "INSERT INTO TARGET_INFO_GPU VALUES (0, 'Card', 'u', '0000:01:00.0', 108);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
    "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1);"
    "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (processId, contextId, nullStreamId);"
    "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (1, 1, 7);"
    "CREATE TABLE META_DATA_EXPORT (name, value);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1');"
    "CREATE TABLE META_DATA_CAPTURE (name, value);"
    "INSERT INTO META_DATA_CAPTURE VALUES ('CAPTURE_EVENT_TYPE', 'Cuda');"
    "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);"
    "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('CpuDescription', 'A processor');"
    "CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value);"
    "INSERT INTO GPU_METRICS VALUES (1000, 256, 1, 1980), (1200, 256, 1, 1500), (1200, 256, 2, 50);"
    "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, metricId, metricName);"
    "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256, 1, 'GPC Clock Frequency [MHz]'),"
    " (256, 2, 'SMs Active [Throughput %]');"
    "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN callchainId;"
    "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 1;"
    "CREATE TABLE CUDA_CALLCHAINS (id, symbol, module, stackDepth);"
    "INSERT INTO CUDA_CALLCHAINS VALUES (1, 5, 3, 0), (1, 3, 5, 1);"
    "CREATE TABLE DIAGNOSTIC_EVENT (severity, text);"
    "INSERT INTO DIAGNOSTIC_EVENT VALUES (2, 'events were lost');";

// More rows than fit into a page, so that a read error can also occur in the middle of a table.
static const char more_rows[] =
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499)"
    " INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
    " SELECT 2000 + i * 10, 2005 + i * 10, 59, 'many ' || i % 7, 0x1000001000001 FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499)"
    " INSERT INTO StringIds SELECT 100 + i, 'text ' || i FROM n;";

const char *profile_rows_sql(void)
{
    static char sql[16000];
    snprintf(sql, sizeof sql, "%s%s%s", nsys_tables, rows, more_rows);
    return sql;
}
