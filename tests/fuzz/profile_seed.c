// SPDX-License-Identifier: Apache-2.0
#include "profile_seed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/open/open.h"
#include "nsys_ids.h"

// Pages are small, so that a seed has many of them and a byte of the input hits something.
static const char schema[] =
    "PRAGMA page_size = 512; PRAGMA journal_mode = OFF;"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER,"
    " deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
    " globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER,"
    " registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER,"
    " blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER,"
    " graphNodeId INTEGER, graphId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    " bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER, graphNodeId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    " bytes INTEGER, memKind INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,"
    " correlationId INTEGER, nameId INTEGER, callchainId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER,"
    " globalPid INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER,"
    " syncType INTEGER);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
    " globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);"
    "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);"
    "CREATE TABLE PROFILER_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER,"
    " nameId INTEGER, overheadType INTEGER);"
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER,"
    " deviceId INTEGER, address INTEGER, bytes INTEGER, memKind INTEGER,"
    " memoryOperationType INTEGER, name TEXT, correlationId INTEGER,"
    " localMemoryPoolAddress INTEGER);"
    "CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER,"
    " stackDepth INTEGER);"
    "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, uuid TEXT, busLocation TEXT,"
    " smCount INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER,"
    " computeMajor INTEGER, computeMinor INTEGER, cuDevice INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
    "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (processId INTEGER, contextId INTEGER,"
    " nullStreamId INTEGER);"
    "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
    "CREATE TABLE ThreadNames (globalTid INTEGER, nameId INTEGER);"
    "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
    "CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT);"
    "INSERT INTO TARGET_INFO_GPU VALUES"
    " (0, 'NVIDIA H100', 'u0', '0000:18:00.0', 132, 85899345920, 3352320000000, 1980000000, 9, 0,"
    "  0),"
    " (1, 'NVIDIA H100', 'u1', '0000:2a:00.0', 132, 85899345920, 3352320000000, 1980000000, 9, 0,"
    "  1);"
    "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 10), (1, 0, 20);"
    "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (10, 1, 7), (20, 1, 7);"
    "INSERT INTO PROCESSES VALUES (pid(10), 10, 'python'), (pid(20), 20, 'python');"
    "INSERT INTO ThreadNames VALUES (tid(10, 11), 12), (tid(10, 12), 13);"
    "INSERT INTO META_DATA_CAPTURE VALUES ('CAPTURE_EVENT_TYPE', 'Cuda'),"
    " ('CUDA_GRAPH_TRACE_OPTIONS:MODE', 'node');"
    "INSERT INTO DIAGNOSTIC_EVENT VALUES (2, 'CUDA events were lost');";

#define STRINGS                                                                               \
    "(0, '[Unknown]'), (1, 'cudaLaunchKernel_v7000'),"                                        \
    " (2, 'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64'),"                    \
    " (3, 'void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>,'" \
    "|| ' at::detail::Array<char*, 3>>(int, float)'), (4, 'vectorized_elementwise_kernel'),"  \
    " (5, 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)'),"                         \
    " (6, 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL'), (7, 'cudaMemcpyAsync_v3020'),"         \
    " (8, 'cudaStreamSynchronize_v3020'), (9, 'cudaGraphLaunch_v10000'), (10, 'read'),"       \
    " (11, 'pthread_cond_wait'), (12, 'python'), (13, 'pt_autograd_0'), (14, 'registered'),"  \
    " (15, 'frame'), (16, 'libtorch.so'), (17, 'cudaMemsetAsync_v3020')"

static const char strings[] =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES " STRINGS ";";

// Steps of 10 us, with a launch every 1 us on two ranks, and its work 2 us later.
static const char rows[] =
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 47)"
    " INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000 * i, 1000 * i + 400,"
    " iif(i % 2, tid(20, 21), iif(i % 10 > 5, tid(10, 12), tid(10, 11))), 100 + i,"
    " iif(i % 10 = 9, 8, iif(i % 10 = 8, 7, 1)), iif(i % 8, NULL, 1) FROM n;"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 2000, start + 2900, 0, 1,"
    " iif(correlationId % 7, 7, 13), correlationId, globalTid & ~16777215,"
    " iif(correlationId % 3, 2, iif(correlationId % 4, 3, 5)),"
    " iif(correlationId % 3, 2, iif(correlationId % 4, 4, 6)), NULL, 32, 8, 4, 1, 128, 1, 1,"
    " 1024, 0, NULL, NULL FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId = 1;"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT start + 2000, start + 2500, 0, 1, 14,"
    " correlationId, globalTid & ~16777215, 4096, 1, 0, 2, NULL FROM CUPTI_ACTIVITY_KIND_RUNTIME"
    " WHERE nameId = 7;"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (500, 700, 0, 1, 7, 0, pid(10), 64, 2);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT start, end, globalTid & ~16777215, 1,"
    " 7, correlationId, 3 FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId = 8;"
    "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS SELECT start + 100, globalTid & ~16777215, 0,"
    " 4096 * (correlationId / 2), 4096, 2, correlationId % 2,"
    " NULL, correlationId, iif(correlationId % 3, NULL, 64)"
    " FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
    "INSERT INTO OSRT_API VALUES (100, 900, tid(10, 12), 11), (9000, 9500, tid(10, 11), 10);"
    "INSERT INTO PROFILER_OVERHEAD VALUES (50, 60, tid(10, 11), NULL, 3);"
    "INSERT INTO CUDA_CALLCHAINS VALUES (1, 15, 16, 0), (1, 15, 16, 1);"
    "INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'NCCL', tid(10, 11), NULL, NULL, 5),"
    " (6200, 6800, 59, 'ncclAllReduce', tid(10, 12), NULL, NULL, 5),"
    " (200, 30000, 60, NULL, tid(10, 11), tid(10, 12), 14, 0),"
    " (100, NULL, 59, 'train', tid(10, 11), NULL, NULL, 0);";

static const char emit_ranges[] =
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3),"
    " t(tid) AS (VALUES (tid(10, 11)), (tid(20, 21)))"
    " INSERT INTO NVTX_EVENTS SELECT i * 10000, i * 10000 + 9990, 59, 'step ' || i, tid, NULL,"
    " NULL, 0 FROM n, t UNION ALL SELECT i * 10000 + 10, i * 10000 + 4990, 59, 'forward', tid,"
    " NULL, NULL, 0 FROM n, t UNION ALL SELECT i * 10000 + 20, i * 10000 + 1990, 59,"
    " 'layer:model.layers.' || i || '.mlp', tid, NULL, NULL, 0 FROM n, t UNION ALL"
    " SELECT i * 10000 + 30, i * 10000 + 1900, 59, 'aten::linear, seq = ' || (10 + i) ||"
    " ', op_id = ' || (100 + i) || ', sizes = [[8, 16], [16, 16]]', tid, NULL, NULL, 0 FROM n, t"
    " UNION ALL SELECT i * 10000 + 5000, i * 10000 + 8990, 59, 'backward', tid, NULL, NULL, 0"
    " FROM n, t UNION ALL SELECT i * 10000 + 5900, i * 10000 + 7900, 59,"
    " 'autograd::engine::evaluate_function: AddmmBackward0, seq = ' || (10 + i), tid(10, 12),"
    " NULL, NULL, 0 FROM n;";

static const char dict_ranges[] =
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 15),"
    " t(tid) AS (VALUES (tid(10, 11)), (tid(20, 21)))"
    " INSERT INTO NVTX_EVENTS SELECT i * 1000, i * 1000 + 900, 59,"
    " '{''traceMarker'': [''train.py:' || i || '''], ''funcStack'': ''/<module>/train/Net::net/"
    "Linear::fc' || (i % 3) || '/linear''}', tid, NULL, NULL, 0 FROM n, t UNION ALL"
    " SELECT i * 1000 + 10, i * 1000 + 890, 59, '{''mod'': ''torch.nn.functional'', ''op'':"
    " ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (8, ' || i ||"
    " '), ''dtype'': ''float16''}, {''name'': ''p'', ''type'': ''float'', ''value'': 0.5}]}', tid,"
    " NULL, NULL, 0 FROM n, t UNION ALL SELECT i * 1000 + 20, i * 1000 + 880, 59,"
    " 'LinearBackward, seq = ' || i, tid, NULL, NULL, 0 FROM n, t;";

// Markers of other frameworks and libraries that enclose the same work; parameters of a
// convolution.
static const char dialects[] =
    "INSERT INTO NVTX_EVENTS SELECT 0, NULL, 75, column1, globalTid, NULL, NULL, column2"
    " FROM (VALUES ('tensorflow-core', 6), ('TSL', 7), ('TensorRT', 8)),"
    " (SELECT globalTid FROM ThreadNames LIMIT 1);"
    "WITH r AS (SELECT rowid AS n, * FROM NVTX_EVENTS WHERE text LIKE '%funcStack%')"
    " INSERT INTO NVTX_EVENTS"
    " SELECT start + 2, end - 2, 59, 'MatMul: dense/MatMul', globalTid, NULL, NULL, 6"
    " FROM r WHERE n % 5 = 1 UNION ALL"
    " SELECT start + 2, end - 2, 59, 'dense/Relu:Relu#shape=(8,16)#', globalTid, NULL, NULL, 7"
    " FROM r WHERE n % 5 = 2 UNION ALL"
    " SELECT start + 2, end - 2, 59, 'ExecutionContext::enqueue', globalTid, NULL, NULL, 8"
    " FROM r WHERE n % 5 = 3 UNION ALL"
    " SELECT start + 5, end - 5, 59, 'conv1 + relu', globalTid, NULL, NULL, 8"
    " FROM r WHERE n % 5 = 3 UNION ALL"
    " SELECT start + 5, end - 5, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''conv2d'','"
    " || ' ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (8, 3, 32, 32),'"
    " || ' ''dtype'': ''float16''}, {''name'': '''', ''type'': ''tensor'','"
    " || ' ''shape'': (16, 3, 3, 3), ''dtype'': ''float16''}, {''name'': ''stride'','"
    " || ' ''type'': ''tuple'', ''value'': (2, 2)}, {''name'': ''padding'', ''type'': ''int'','"
    " || ' ''value'': 1}, {''name'': ''groups'', ''type'': ''int'', ''value'': 1}]}', globalTid,"
    " NULL, NULL, 0 FROM r WHERE n % 5 = 4;";

static const char graphs[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    " graphId INTEGER, graphExecId INTEGER);"
    "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INTEGER, end INTEGER, nameId INTEGER,"
    " globalTid INTEGER, eventClass INTEGER, graphNodeId INTEGER, originalGraphNodeId INTEGER);"
    "CREATE TABLE CUDA_GRAPH_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER,"
    " graphId INTEGER, originalGraphId INTEGER, graphExecId INTEGER);"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9)"
    " INSERT INTO CUDA_GRAPH_NODE_EVENTS SELECT 1000 * i + 40, 1000 * i + 50, 1, tid(10, 11),"
    " 0, 500 + i, iif(i < 5, NULL, 495 + i) FROM n;"
    "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET graphNodeId = 505 + rowid % 5, correlationId = 139,"
    " graphId = 3 WHERE start > 20000;"
    "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = 9 WHERE correlationId = 139;"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (41000, 42000, 0, 1, 7, 130, pid(10), 3,"
    " 4), (43000, 44000, 0, 1, 7, 132, pid(10), 3, 4);";

// Steps without numbers, so that they must be searched for.
static const char loops[] =
    "INSERT INTO NVTX_EVENTS SELECT start + 9000, start + 9900, 59, 'Optimizer.step#Adam.step',"
    " globalTid, NULL, NULL, 0 FROM NVTX_EVENTS WHERE text LIKE 'step %';"
    "UPDATE NVTX_EVENTS SET text = 'loop' WHERE text LIKE 'step %';";

// A thousand times as long, so that findings are reported; products in FP32.
static const char longer[] =
    "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start * 1000, end = end * 1000;"
    "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = start * 1000, end = end * 1000;"
    "UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = start * 1000, end = end * 1000;"
    "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start * 1000, end = end * 1000;"
    "UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET start = start * 1000, end = end * 1000;"
    "UPDATE NVTX_EVENTS SET start = start * 1000, end = end * 1000;"
    "UPDATE OSRT_API SET start = start * 1000, end = end * 1000;"
    "UPDATE PROFILER_OVERHEAD SET start = start * 1000, end = end * 1000;"
    "UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET start = start * 1000;"
    "UPDATE StringIds SET value = 'ampere_sgemm_128x64_tn' WHERE id = 2;";

// Keys that are no rowids, a table without keys, a second version of a table, a hidden rowid.
static const char odd_strings[] = "CREATE TABLE StringIds (id INT, value TEXT);"
                                  "INSERT INTO StringIds VALUES " STRINGS ";";
static const char odd_tables[] =
    "DROP TABLE TARGET_INFO_CUDA_DEVICE; DROP TABLE TARGET_INFO_GPU;"
    "CREATE TABLE TARGET_INFO_CUDA_GPU (pid INTEGER, deviceId INTEGER, name TEXT, pciBusId TEXT,"
    " numMultiprocessors INTEGER, coreClockRate INTEGER, computeCapabilityMajor INTEGER,"
    " computeCapabilityMinor INTEGER);"
    "INSERT INTO TARGET_INFO_CUDA_GPU VALUES (10, 0, 'V100', 'b0', 80, 1530000, 7, 0);"
    "ALTER TABLE NVTX_EVENTS RENAME TO NVTX_EVENTS_V2;"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER);"
    "ALTER TABLE OSRT_API RENAME TO o;"
    "CREATE TABLE OSRT_API (rowid TEXT, start INTEGER, end INTEGER, globalTid INTEGER,"
    " nameId INTEGER); INSERT INTO OSRT_API SELECT 'x', * FROM o; DROP TABLE o;"
    "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET rowid = rowid * 1000000007;";

// Metric types carry the GPU in the low byte; a call chain with frames of the program.
static const char metrics[] =
    "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value REAL);"
    "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT,"
    " metricId INTEGER, metricName TEXT);"
    "WITH g(t) AS (VALUES (256), (257)) INSERT INTO TARGET_INFO_GPU_METRICS"
    " SELECT t, 1, 'H100', 1, 'GPC Clock Frequency [MHz]' FROM g UNION ALL"
    " SELECT t, 1, 'H100', 2, 'SMs Active [Throughput %]' FROM g UNION ALL"
    " SELECT t, 1, 'H100', 3, 'Tensor Active [Throughput %]' FROM g UNION ALL"
    " SELECT t, 1, 'H100', 4, 'DRAM Read Bandwidth [Throughput %]' FROM g;"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)"
    " INSERT INTO GPU_METRICS SELECT i * 500000, typeId, metricId,"
    " iif(metricId = 1, 1980 - i * 8, i) FROM n, TARGET_INFO_GPU_METRICS;"
    "INSERT INTO CUDA_CALLCHAINS VALUES (1, 10, 14, 2), (1, 14, 10, 3);";

// Machine and version; collectives in which ranks wait for each other.
static const char machine[] =
    "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2024.5.1'),"
    " ('EXPORT_SCHEMA_VERSION', '3.14.1');"
    "INSERT INTO META_DATA_CAPTURE VALUES ('CUDA_EVENT_TRACE', 'true');"
    "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
    "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('CpuDescription', 'AMD EPYC'),"
    " ('NvDriverVersion', '5154304'), ('CudaDriverVersion', '12040');"
    "CREATE TABLE SystemInfo (cpuModel TEXT, driverVersion TEXT, cudaVersion TEXT,"
    " cudnnVersion TEXT, framework TEXT, nsysVersion TEXT);"
    "INSERT INTO SystemInfo VALUES ('', '550.54', '', '9.1', 'PyTorch', NULL);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, localTime TEXT);"
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000,"
    " '2023-11-14T22:13:20');"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7)"
    " INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 6000 * i + 2950, 6000 * i + 2990,"
    " globalPid + pid + 1, 200 + 2 * i + pid / 20, 1, NULL FROM n, PROCESSES;"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + iif(correlationId % 2, 400, 100),"
    " start + 1200, 0, 1, 20, correlationId, globalTid & ~16777215, 5, 6, NULL, 32, 8, 1, 1, 512,"
    " 1, 1, 1024, 0, NULL, NULL FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId >= 200;";

static const char *const seeds[SEED_COUNT][7] = {
    {schema, strings, rows, emit_ranges, NULL},
    {schema, strings, rows, dict_ranges, dialects, longer},
    {schema, strings, rows, emit_ranges, graphs, loops},
    {schema, odd_strings, rows, emit_ranges, odd_tables},
    {schema, strings, rows, emit_ranges, metrics, machine, longer},
};

static void die(const char *why)
{
    fprintf(stderr, "seed: %s\n", why);
    abort();
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        die(message);
}

static void run_file(sqlite3 *db, const char *name)
{
    static char sql[1 << 16];
    const char *source = getenv("SOURCE_DIR"); // without it, the folder that it runs in
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/golden/%s", source ? source : ".", name);
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(sql, 1, sizeof sql - 1, file) : 0;
    if (!length || length == sizeof sql - 1 || fclose(file) != 0)
        die(name);
    sql[length] = '\0';
    run_sql(db, sql);
}

static void make_seed(sqlite3 *db, unsigned which)
{
    static const char *const files[SEEDS][2] = {
        [SEED_DLDB] = {"dldb/tables.sql", "dldb/profile.sql"},
        [SEED_NVPROF] = {"nvprof/tables.sql", "nvprof/profile.sql"},
    };
    if (files[which][0]) {
        run_sql(db, "PRAGMA page_size = 512; PRAGMA journal_mode = OFF;");
        run_file(db, files[which][0]);
        run_file(db, files[which][1]);
        return;
    }
    for (size_t i = 0; i < sizeof seeds[0] / sizeof *seeds[0]; i++)
        if (seeds[which][i])
            run_sql(db, seeds[which][i]);
}

static sqlite3 *database_of(unsigned which)
{
    static sqlite3 *databases[SEEDS];
    if (!databases[which]) {
        // Memory statistics would take a lock.
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
        if (sqlite3_open(":memory:", &databases[which]) != SQLITE_OK)
            die("no database");
        nsys_ids(databases[which]);
        make_seed(databases[which], which);
        run_sql(databases[which], "PRAGMA journal_mode = MEMORY");
    }
    return databases[which];
}

sqlite3 *seed_database(unsigned which)
{
    return database_of(seed_of(which));
}

const unsigned char *seed_bytes(unsigned which, size_t *size)
{
    static unsigned char *images[SEEDS];
    static sqlite3_int64 sizes[SEEDS];
    which = seed_of(which);
    if (!images[which])
        images[which] = sqlite3_serialize(database_of(which), "main", &sizes[which], 0);
    if (!images[which])
        die("no bytes");
    *size = (size_t)sizes[which];
    return images[which];
}

static char path[64], whole_path[80];

static void remove_files(void)
{
    unlink(path);
    if (*whole_path)
        unlink(whole_path);
}

const char *seed_path(void)
{
    if (!*path) {
        const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(path, sizeof path, "%s/dlprof-fuzz-%ld.sqlite", folder, (long)getpid());
        atexit(remove_files);
    }
    return path;
}

static void file_write(const char *to, const void *bytes, size_t size)
{
    FILE *file = fopen(to, "wb");
    if (!file || (size && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0)
        die("cannot write");
}

void seed_write(const void *bytes, size_t size)
{
    file_write(seed_path(), bytes, size);
}

const char *seed_whole_path(void)
{
    if (!*whole_path) {
        size_t size;
        const unsigned char *bytes = seed_bytes(SEED_COUNT - 1, &size);
        snprintf(whole_path, sizeof whole_path, "%s.whole", seed_path());
        file_write(whole_path, bytes, size);
    }
    return whole_path;
}

static struct profile *load_as(enum mode mode, const struct file_window *file_window)
{
    struct load_request request = {.path = seed_path(),
                                   .mode = mode,
                                   .file_window = file_window,
                                   .ignore_journal = true,
                                   .threads = 1};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile && (error.kind == ERROR_NONE || !*error.message))
        die("refused without a reason");
    return profile;
}

struct profile *seed_load(enum mode mode)
{
    return load_as(mode, NULL);
}

struct profile *seed_load_part(unsigned which)
{
    static const struct file_window excerpts[] = {
        {INT64_MIN, INT64_MAX, 0, 0},
        {INT64_MIN, INT64_MAX, 1, 2},
        {INT64_MIN, 400000000, UNKNOWN, UNKNOWN},
        {350000000, 500000000, UNKNOWN, UNKNOWN},
        {INT64_C(-9200000000000000000), INT64_C(9200000000000000000), UNKNOWN, UNKNOWN},
    };
    return load_as(MODE_AUTO, &excerpts[which % (sizeof excerpts / sizeof *excerpts)]);
}

static struct profile *profiles[SEEDS];

static void free_profiles(void)
{
    for (size_t i = 0; i < SEEDS; i++)
        profile_free(profiles[i]);
}

const struct profile *seed_profile(unsigned which)
{
    unsigned byte = which;
    which = seed_of(which);
    if (!profiles[which]) {
        size_t size;
        const unsigned char *bytes = seed_bytes(byte, &size);
        seed_write(bytes, size);
        profiles[which] = seed_load(MODE_AUTO);
        if (!profiles[which])
            die("refused as it is made");
        static bool is_first = true;
        if (is_first)
            atexit(free_profiles);
        is_first = false;
    }
    return profiles[which];
}
