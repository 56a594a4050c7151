-- SPDX-License-Identifier: Apache-2.0
-- Memory that is allocated through the driver: what, where, and how much is live when.
-- gpu_memory.set.csv: --iters=1
-- allocations.set.csv: --iters=1
--
-- Steps by NVTX: step 0 is 1000..3000, step 1 3000..5000, step 2 5000..7000; in each of them a range
-- load for the first 500 ns. All calls take 100 ns; events lie in their call. Kind 2 is device,
-- 1 pinned, 5 device static.
--
--    time  what                          bytes   place           device live  pool live
--     550  cudaMalloc, A                  1000   outside         1000
--     650  a static variable "table"       100   no call
--    1150  cudaMalloc, B                   500   step 0 > load   1500
--    1250  cudaHostAlloc, H (pinned)      4000   step 0 > load
--    1750  cudaMallocAsync, P              300   step 0          1500         300
--    2750  cudaFreeAsync, P                300   step 0          1500         0
--    3150  cudaFree, B (no size told)      500   step 1 > load   1000
--    3250  cudaMalloc, C                   200   step 1 > load   1200
--    3350  cudaFree, of before the capture  64   step 1 > load
--    5150  cudaMalloc, C again: its free is
--          missing, 200 of it are over     700   step 2 > load   1700
--
-- gpu_memory: device peak 1700 since 5150 (step 2), live 1700; allocated 1000 + 500 + 200 + 700 =
-- 2400, freed 500 + 64 + 200 = 764 with 3 frees, one of them of the C that is over. pool peak 300
-- since 1750. All on the GPU: 1000 + 100 at 650, 1600 at 1150, 1900 at 1750, 1600 at 2750, 1100,
-- 1300, 1800 at 5150: peak 1900 since 1750 in step 0; allocated 2400 + 300 + 100, freed 764 + 300.
--   of step 1 alone: device 1500 at its beginning, 3000, until 3150; live at its end 1200; allocated
--   200, freed 564. Pinned 4000 and static 100 are held all the time. The pool holds nothing.
--   All on the GPU 1600 at 3000, at the end 1300.
-- allocations: B is freed in step 1, and counts where it was allocated: step 0 > load. Peaks: what
-- each place holds itself: step 2 > load 700, step 1 > load 200 until 5150.
-- Steps fold: load of all three is one place, step N > load: allocated 500 + 200 + 700 = 1400,
-- freed 500 + 200 = 700, live 700; 500 from 1150, 0 at 3150, 200 at 3250, 700 at 5150: peak 700.
--   of step 1 alone: allocated 200, freed 500 (B), peak 500 at its beginning, live 200.
INSERT INTO StringIds VALUES (20, 'cudaMalloc_v3020'), (21, 'cudaFree_v3020'),
    (22, 'cudaHostAlloc_v3020'), (23, 'cudaMallocAsync_v11020'), (24, 'cudaFreeAsync_v11020');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (1000, 3000, 59, 'step 0', 0x01000001), (1000, 1500, 59, 'load', 0x01000001),
    (3000, 5000, 59, 'step 1', 0x01000001), (3000, 3500, 59, 'load', 0x01000001),
    (5000, 7000, 59, 'step 2', 0x01000001), (5000, 5500, 59, 'load', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (500, 600, 0x01000001, 1, 20),
    (1100, 1200, 0x01000001, 2, 20),
    (1200, 1300, 0x01000001, 3, 22),
    (1700, 1800, 0x01000001, 4, 23),
    (1900, 2000, 0x01000001, 5, 1),
    (2700, 2800, 0x01000001, 6, 24),
    (3100, 3200, 0x01000001, 7, 21),
    (3200, 3300, 0x01000001, 8, 20),
    (3300, 3400, 0x01000001, 9, 21),
    (3900, 4000, 0x01000001, 10, 1),
    (5100, 5200, 0x01000001, 11, 20),
    (5900, 6000, 0x01000001, 12, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (2000, 2500, 0x01000000, 0, 7, 5, 10, 11, NULL, NULL),
    (4000, 4500, 0x01000000, 0, 7, 10, 10, 11, NULL, NULL),
    (6000, 6500, 0x01000000, 0, 7, 12, 10, 11, NULL, NULL);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL,
    deviceId INTEGER NOT NULL, address INTEGER NOT NULL, bytes INTEGER NOT NULL,
    memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, name TEXT,
    correlationId INTEGER, localMemoryPoolAddress INTEGER);
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES
    (550, 0x01000000, 0, 0xA000, 1000, 2, 0, NULL, 1, NULL),
    (650, 0x01000000, 0, 0x7000, 100, 5, 0, 'table', 0, NULL),
    (1150, 0x01000000, 0, 0xB000, 500, 2, 0, NULL, 2, NULL),
    (1250, 0x01000000, 0, 0xF000, 4000, 1, 0, NULL, 3, NULL),
    (1750, 0x01000000, 0, 0x9000, 300, 2, 0, NULL, 4, 0x5000),
    (2750, 0x01000000, 0, 0x9000, 300, 2, 1, NULL, 6, 0x5000),
    (3150, 0x01000000, 0, 0xB000, 0, 2, 1, NULL, 7, NULL),
    (3250, 0x01000000, 0, 0xC000, 200, 2, 0, NULL, 8, NULL),
    (3350, 0x01000000, 0, 0xE000, 64, 2, 1, NULL, 9, NULL),
    (5150, 0x01000000, 0, 0xC000, 700, 2, 0, NULL, 11, NULL);
