// SPDX-License-Identifier: Apache-2.0
//
// Writes the metadata tables of an export, in the form that each version of Nsight Systems has.
#include "meta.h"

#include "chains.h"

#include <stdlib.h>

#define VM_ID        281474976710656LL
#define START_UTC_NS 1795183331000000000LL
#define START_UTC    "2026-11-20T14:02:11"

typedef struct {
    const char *name, *chip;
    int sm_count, major, minor;
    int64_t memory, bandwidth, clock, l2;
    int shared_per_sm, shared_per_block;
} GpuInfo;

static const GpuInfo hopper = {
    "NVIDIA H100 80GB HBM3", "GH100",    132,      9,      0,     85031714816,
    3352320000000,           1980000000, 52428800, 233472, 232448};
static const GpuInfo ampere = {
    "NVIDIA A100-SXM4-80GB", "GA100",    108,      8,      0,     85031714816,
    2039040000000,           1410000000, 41943040, 167936, 166912};

static const int buses[] = {0x1b, 0x43, 0x52, 0x61, 0x9d, 0xc3, 0xd1, 0xdf};

void meta_ranges(World *world)
{
    if (world->options.markers == MARKERS_NONE)
        return;
    for (int i = 0; i < world->rank_count; i++) {
        const Rank *rank = &world->ranks[i];
        int64_t *row =
            writer_add(world->writer, TABLE_NVTX, 300 * MS + i * US, ROW_NULL, "MainThread");
        row[ROW_CLASS_ID] = 39;
        row[ROW_ID] = rank->main.global_tid;
    }
    for (int i = 0; i < world->process_count && world->rank_count > 1; i++) {
        const Rank *rank = &world->ranks[(size_t)i * (size_t)world->options.gpus_per_process];
        int64_t *row = writer_add(world->writer, TABLE_NVTX, 301 * MS + i * US, ROW_NULL, "NCCL");
        row[ROW_CLASS_ID] = 75;
        row[ROW_ID] = rank->main.global_tid;
        row[ROW_DOMAIN] = 1;
    }
}

static void pair(Writer *writer, const char *table, const char *name, const char *value)
{
    writer_sql(writer, "INSERT INTO %s VALUES(%Q,%Q)", table, name, value);
}

static void export_write(World *world)
{
    Writer *writer = world->writer;
    const SchemaInfo *info = &schema_infos[world->options.schema];
    if (!info->schema)
        return;
    const char *table =
        world->options.schema >= SCHEMA_2023_4 ? "META_DATA_EXPORT" : "EXPORT_META_DATA";
    writer_sql(writer, "CREATE TABLE %s (name TEXT NOT NULL, value TEXT)", table);
    char *end;
    long major = strtol(info->schema, &end, 10), minor = strtol(end + 1, &end, 10),
         micro = strtol(end + 1, NULL, 10);
    pair(writer, table, "EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems");
    pair(writer, table, "EXPORT_PRODUCT_VERSION", info->product);
    pair(writer, table, "EXPORT_SCHEMA_VERSION", info->schema);
    writer_sql(writer,
               "INSERT INTO %s VALUES('EXPORT_SCHEMA_VERSION_MAJOR','%ld'),"
               "('EXPORT_SCHEMA_VERSION_MINOR','%ld'),('EXPORT_SCHEMA_VERSION_MICRO','%ld')",
               table, major, minor, micro);
    pair(writer, table, "EXPORT_PLATFORM", "linux-desktop");
    pair(writer, table, "EXPORT_ARCH", "x64");
    pair(writer, table, "EXPORT_TIME_UTC", START_UTC);
    pair(writer, table, "EXPORT_PARAM_LAZY", "true");
}

static void capture_write(World *world)
{
    Writer *writer = world->writer;
    if (world->options.schema < SCHEMA_2023_4)
        return;
    writer_sql(writer, "CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT)");
    for (int i = 0; i < world->process_count; i++) {
        writer_sql(
            writer,
            "INSERT INTO META_DATA_CAPTURE VALUES('PROCESS_%d:COMMAND','python3'),"
            "('PROCESS_%d:COLLECT_CUDA_TRACE','true'),('PROCESS_%d:COLLECT_NVTX_TRACE','true'),"
            "('PROCESS_%d:CUDA_GRAPH_TRACE_OPTIONS:MODE','%s')",
            i, i, i, i, world->options.graphs == GRAPHS_GRAPH ? "Graph" : "Node");
    }
    pair(writer, "META_DATA_CAPTURE", "COLLECT_GPU_CTX_SW_TRACE", "false");
}

static void gpus_write(World *world)
{
    Writer *writer = world->writer;
    SchemaVersion version = world->options.schema;
    const GpuInfo *gpu = world->scenario->old_kernels ? &ampere : &hopper;
    int count = world->rank_count;
    if (version == SCHEMA_2020_3) {
        writer_sql(writer,
                   "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, deviceId INTEGER NOT NULL,"
                   " name TEXT, busLocation TEXT, isDiscrete INTEGER)");
        writer_sql(
            writer,
            "CREATE TABLE TARGET_INFO_CUDA_GPU (vmId INTEGER NOT NULL, name TEXT NOT NULL, "
            "pciBusId TEXT, globalMemoryBandwidth INTEGER NOT NULL, globalMemorySize INTEGER NOT "
            "NULL, l2CacheSize INTEGER NOT NULL, numThreadsPerWarp INTEGER NOT NULL, coreClockRate "
            "INTEGER NOT NULL, numMultiprocessors INTEGER NOT NULL, computeCapabilityMajor INTEGER "
            "NOT NULL, computeCapabilityMinor INTEGER NOT NULL, deviceId INTEGER NOT NULL, pid "
            "INTEGER, maxSharedMemoryPerMultiprocessor INTEGER, maxRegistersPerMultiprocessor "
            "INTEGER)");
        for (int i = 0; i < count; i++) {
            const Rank *rank = &world->ranks[i];
            writer_sql(writer, "INSERT INTO TARGET_INFO_GPU VALUES(%lld,%d,%Q,'0000:%02x:00.0',1)",
                       VM_ID, i, gpu->name, buses[i % 8]);
            writer_sql(writer,
                       "INSERT INTO TARGET_INFO_CUDA_GPU VALUES(%lld,%Q,'0000:%02x:00.0',%lld,%lld,"
                       "%lld,32,%lld,%d,%d,%d,%d,%d,%d,65536)",
                       VM_ID, gpu->name, buses[i % 8], gpu->bandwidth, gpu->memory, gpu->l2,
                       gpu->clock / 1000, gpu->sm_count, gpu->major, gpu->minor,
                       rank->device.ordinal, rank->process->pid, gpu->shared_per_sm);
        }
        return;
    }
    writer_sql(
        writer,
        "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "
        "busLocation TEXT, isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, "
        "memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, pwGpuId INTEGER, uuid TEXT, "
        "luid INTEGER, chipName TEXT, cuDevice INTEGER, ctxswDevPath TEXT, ctrlDevPath TEXT, "
        "revision INTEGER, nodeMask INTEGER, constantMemory INTEGER, maxIPC INTEGER, "
        "maxRegistersPerBlock INTEGER, maxShmemPerBlock INTEGER, maxShmemPerBlockOptin INTEGER, "
        "maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, asyncEngines "
        "INTEGER, maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, maxThreadsPerBlock INTEGER, "
        "maxBlockDimX INTEGER, maxBlockDimY INTEGER, maxBlockDimZ INTEGER, maxGridDimX INTEGER, "
        "maxGridDimY INTEGER, maxGridDimZ INTEGER, computeMajor INTEGER, computeMinor INTEGER, "
        "smMajor INTEGER, smMinor INTEGER)");
    for (int k = 0; k < count; k++) {
        int i = count - 1 - k; // ids are unordered in real exports, too
        writer_sql(
            writer,
            "INSERT INTO TARGET_INFO_GPU "
            "VALUES(%lld,%d,%Q,'0000:%02x:00.0',1,%lld,%lld,%lld,%lld,%d,"
            "%d,'0f3c5a70-90de-4b1c-8e2f-7a4400c1%02x%02x',0,%Q,%d,'','',161,0,65536,4,65536,49152,"
            "%d,%d,65536,32,3,64,32,1024,1024,1024,64,2147483647,65535,65535,%d,%d,%d,%d)",
            VM_ID, i, gpu->name, buses[i % 8], gpu->l2, gpu->memory, gpu->bandwidth, gpu->clock,
            gpu->sm_count, i, 0xd0 + i, buses[i % 8], gpu->chip, i, gpu->shared_per_block,
            gpu->shared_per_sm, gpu->major, gpu->minor, gpu->major, gpu->minor);
    }
    if (version < SCHEMA_2025_1)
        return;
    bool more = version >= SCHEMA_2026_2;
    writer_sql(writer,
               "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL, pid "
               "INTEGER NOT NULL%s)",
               more ? ", uuid TEXT, numMultiprocessors INTEGER" : "");
    for (int i = 0; i < count; i++) {
        const Rank *rank = &world->ranks[i];
        writer_sql(writer, "INSERT INTO TARGET_INFO_CUDA_DEVICE(gpuId,cudaId,pid) VALUES(%d,%d,%d)",
                   i, rank->device.ordinal, rank->process->pid);
        if (more)
            writer_sql(writer,
                       "UPDATE TARGET_INFO_CUDA_DEVICE SET numMultiprocessors=%d, "
                       "uuid='0f3c5a70-90de-4b1c-8e2f-7a4400c1%02x%02x' WHERE gpuId=%d",
                       gpu->sm_count, 0xd0 + i, buses[i % 8], i);
    }
}

static void streams_write(World *world)
{
    Writer *writer = world->writer;
    bool contexts = world->options.schema >= SCHEMA_2023_4;
    if (contexts)
        writer_sql(
            writer,
            "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (nullStreamId INTEGER NOT NULL, hwId "
            "INTEGER NOT NULL, vmId INTEGER NOT NULL, processId INTEGER NOT NULL, deviceId "
            "INTEGER NOT NULL, contextId INTEGER NOT NULL, parentContextId INTEGER, "
            "isGreenContext INTEGER)");
    else
        writer_sql(writer,
                   "CREATE TABLE TARGET_INFO_CUDA_NULL_STREAM (streamId INTEGER NOT NULL, hwId "
                   "INTEGER NOT NULL, vmId INTEGER NOT NULL, processId INTEGER NOT NULL, deviceId "
                   "INTEGER NOT NULL, contextId INTEGER NOT NULL)");
    writer_sql(
        writer,
        "CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId INTEGER NOT NULL, hwId INTEGER NOT "
        "NULL, vmId INTEGER NOT NULL, processId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
        "priority INTEGER NOT NULL, flag INTEGER NOT NULL)");
    for (int i = 0; i < world->rank_count; i++) {
        const Rank *rank = &world->ranks[i];
        const Device *device = &rank->device;
        writer_sql(writer, "INSERT INTO %s VALUES(%d,0,1,%d,%d,%d%s)",
                   contexts ? "TARGET_INFO_CUDA_CONTEXT_INFO" : "TARGET_INFO_CUDA_NULL_STREAM",
                   device->compute.id, rank->process->pid, device->ordinal, device->context,
                   contexts ? ",0,0" : "");
        writer_sql(
            writer,
            "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES(%d,0,1,%d,%d,0,2),(%d,0,1,%d,%d,-5,2)",
            device->copy.id, rank->process->pid, device->context, device->comm.id,
            rank->process->pid, device->context);
    }
}

static void process_row(World *world, int64_t global_tid, const char *process, const char *thread)
{
    Writer *writer = world->writer;
    int64_t name = writer_intern(writer, thread), pid = global_tid >> 24 & 0xffffff;
    writer_sql(writer, "INSERT INTO ThreadNames VALUES(%lld,20,%lld)", name, global_tid);
    if (process && world->options.schema >= SCHEMA_2022_1)
        writer_sql(writer, "INSERT INTO PROCESSES VALUES(%lld,%lld,%Q)", global_tid & ~0xffffffLL,
                   pid, process);
}

static void processes_write(World *world)
{
    Writer *writer = world->writer;
    writer_sql(writer,
               "CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid "
               "INTEGER)");
    if (world->options.schema >= SCHEMA_2022_1)
        writer_sql(writer, "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT)");
    // The host runs other processes.
    process_row(world, VM_ID | 1LL << 24 | 1, "systemd", "systemd");
    process_row(world, VM_ID | 977LL << 24 | 977, "sshd", "sshd");
    for (int i = 0; i < world->rank_count; i++) {
        const Rank *rank = &world->ranks[i];
        process_row(world, rank->main.global_tid, rank->device.ordinal == 0 ? "python3" : NULL,
                    "python3");
        process_row(world, rank->autograd.global_tid, NULL, "pt_autograd_0");
        process_row(world, rank->pin.global_tid, NULL, "pt_pin_memory");
        for (int k = 0; k < 4 && world->scenario->loader_workers; k++) {
            int64_t pid = rank->process->pid + 10 + k;
            process_row(world, VM_ID | pid << 24 | pid, "python3", "pt_data_worker");
        }
    }
}

typedef struct {
    int id;
    const char *name, *label;
} EnumRow;

static void enum_write(Writer *writer, const char *table, const EnumRow *rows, size_t count)
{
    writer_sql(writer, "CREATE TABLE %s (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)",
               table);
    for (size_t i = 0; i < count; i++)
        writer_sql(writer, "INSERT INTO %s VALUES(%d,%Q,%Q)", table, rows[i].id, rows[i].name,
                   rows[i].label);
}

static void enums_write(World *world)
{
    static const EnumRow copies[] = {{0, "CUDA_MEMCPY_KIND_UNKNOWN", "Unknown"},
                                     {1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"},
                                     {2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"},
                                     {8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"},
                                     {10, "CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"}};
    static const EnumRow memories[] = {{0, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"},
                                       {1, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned"},
                                       {2, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"}};
    static const EnumRow syncs[] = {
        {0, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN", "Unknown"},
        {1, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE", "Event sync"},
        {2, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT", "Stream wait sync"},
        {3, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE", "Stream sync"},
        {4, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE", "Context sync"}};
    static const EnumRow launches[] = {{0, "CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN", "Unknown"},
                                       {1, "CUDA_KERNEL_LAUNCH_TYPE_REGULAR", "Regular"}};
    static const EnumRow events[] = {{33, "NvtxCategory", "NvtxCategory"},
                                     {34, "NvtxMark", "NvtxMark"},
                                     {39, "NvtxThread", "NvtxThread"},
                                     {59, "NvtxPushPopRange", "NvtxPushPopRange"},
                                     {60, "NvtxStartEndRange", "NvtxStartEndRange"},
                                     {75, "NvtxDomainCreate", "NvtxDomainCreate"},
                                     {76, "NvtxDomainDestroy", "NvtxDomainDestroy"}};
    static const EnumRow overheads[] = {
        {8, "OVERHEAD_COMMAND_BUFFER_FULL", "Command buffer full (CUDA)"}};
    Writer *writer = world->writer;
    if (world->options.schema < SCHEMA_2023_4)
        return;
#define ENUM(table, rows) enum_write(writer, table, rows, sizeof rows / sizeof rows[0])
    ENUM("ENUM_CUDA_MEMCPY_OPER", copies);
    ENUM("ENUM_CUDA_MEM_KIND", memories);
    ENUM("ENUM_CUPTI_SYNC_TYPE", syncs);
    ENUM("ENUM_CUDA_KERNEL_LAUNCH_TYPE", launches);
    ENUM("ENUM_NSYS_EVENT_TYPE", events);
    if (world->options.schema >= SCHEMA_2026_2)
        ENUM("ENUM_CUPTI_OVERHEAD_TYPE", overheads);
#undef ENUM
}

static void system_write(World *world, int64_t last_ns)
{
    static const struct {
        int id;
        const char *name, *value;
    } facts[] = {{1, "CpuCores", "112"},
                 {13, "CpuDescription", "Intel(R) Xeon(R) Platinum 8480C"},
                 {205, "NvDriverVersion", "570.86.15"},
                 {600, "HardwarePlatform", "x86_64"},
                 {605, "OsDescription", "Ubuntu 24.04.2 LTS"},
                 {611, "CudaDriverVersion", "12080"},
                 {619, "Hostname", "gpu-node-17"}};
    Writer *writer = world->writer;
    SchemaVersion version = world->options.schema;
    if (version == SCHEMA_2020_3)
        return;
    writer_sql(
        writer,
        "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT NOT NULL, "
        "name TEXT NOT NULL, nameEnum INTEGER NOT NULL, value TEXT NOT NULL)");
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        writer_sql(writer, "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(%lld,'Local (CLI)',%Q,%d,%Q)",
                   VM_ID, facts[i].name, facts[i].id, facts[i].value);
    bool clock = version >= SCHEMA_2026_2;
    writer_sql(writer,
               "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, "
               "localTime TEXT%s)",
               clock ? ", systemClockNs INTEGER" : "");
    writer_sql(writer, "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(%lld,'%s','%s'%s)",
               START_UTC_NS, START_UTC, START_UTC, clock ? ",35255823190" : "");
    writer_sql(writer,
               "CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER NOT NULL, duration INTEGER NOT "
               "NULL, startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL)");
    writer_sql(writer, "INSERT INTO ANALYSIS_DETAILS VALUES(%lld,%lld,%lld,%lld)", VM_ID,
               last_ns - 295 * MS, 295 * MS, last_ns);
    if (version < SCHEMA_2024_2)
        return;
    writer_sql(writer,
               "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER NOT NULL, timestampType INTEGER "
               "NOT NULL, source INTEGER NOT NULL, severity INTEGER NOT NULL, text TEXT NOT NULL, "
               "globalPid INTEGER)");
    writer_sql(writer,
               "INSERT INTO DIAGNOSTIC_EVENT VALUES(%lld,1,2,1,'Collection started.',%lld),"
               "(%lld,1,2,1,'Collection stopped.',%lld)",
               295 * MS, VM_ID, last_ns, VM_ID);
}

void meta_write(World *world, int64_t last_ns)
{
    export_write(world);
    capture_write(world);
    gpus_write(world);
    streams_write(world);
    processes_write(world);
    enums_write(world);
    system_write(world, last_ns);
    chains_write(world);
}
