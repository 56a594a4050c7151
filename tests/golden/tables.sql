-- SPDX-License-Identifier: Apache-2.0
-- The tables of an nsys export, with the columns that the profiles of this folder fill, and the
-- names that they share. Ids are packed as nsys does it: 0x01000002 is thread 2 of process 1, and
-- 0x01000000 that process. All times are in nanoseconds.
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES
    (1, 'cudaLaunchKernel_v7000'),
    (2, 'cudaMemcpyAsync_v3020'),
    (3, 'cudaGraphLaunch_v10000'),
    (4, 'cudaMemsetAsync_v3020'),
    (5, 'cudaStreamSynchronize_v3020'),
    (10, 'gemm'), (11, 'void gemm<float>(int)'),
    (12, 'relu'), (13, 'void relu<float>(int)'),
    (14, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'),
    (15, 'ampere_bf16_s16816gemm_bf16_128x64_nn'), -- on Tensor Cores, by its name
    (16, 'ampere_sgemm_128x64_nn');                -- not
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
    globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
    globalPid INTEGER, deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    shortName INTEGER NOT NULL, demangledName INTEGER NOT NULL, graphNodeId INTEGER,
    graphId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,
    globalPid INTEGER, deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER, bytes INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER NOT NULL, end INTEGER NOT NULL,
    globalPid INTEGER, deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    memKind INTEGER, bytes INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
    text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER, endGlobalTid INTEGER);
