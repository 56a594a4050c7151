-- SPDX-License-Identifier: Apache-2.0
-- Launch shapes: the same kernels in two steps, launched otherwise.
-- shapes.1.csv: --iters=1
-- shapes.before.csv: --baseline-iters=0 --iters=1
--
--   step 0   0..1000      gemm  grid 16  500 at 100..600    relu 32 registers 100 at 600..700
--                         sgemm grid 4    50 at 700..750    sgemm grid 8       50 at 750..800
--   step 1   1000..2000   gemm  grid 132 100 at 1100..1200  relu 40 registers 100 at 1200..1300
--                         sgemm grid 4    60 at 1300..1360  sgemm grid 12     40 at 1360..1400
--
-- By the GPU's clock step 0 is 0..1000, with 700 busy and 300 idle; step 1 is 1000..2000, with 300 busy
-- and 700 idle. gemm is launched with more blocks, 500 -> 100; relu was compiled anew, and its grid
-- and block are the same; sgemm with grid 4 is the same row, 50 -> 60, so that grid 8 and grid 12 are
-- left, one on each side: 50 -> 40. Together 700 -> 300, and idle 300 -> 700.
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN gridX INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN gridY INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN gridZ INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN blockX INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN blockY INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN blockZ INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN registersPerThread INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN staticSharedMemory INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN dynamicSharedMemory INTEGER;
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 1000, 59, 'step 0', 0x01000001),
    (1000, 2000, 59, 'step 1', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (10, 20, 0x01000001, 1, 1), (20, 30, 0x01000001, 2, 1),
    (30, 40, 0x01000001, 3, 1), (40, 50, 0x01000001, 4, 1),
    (1010, 1020, 0x01000001, 5, 1), (1020, 1030, 0x01000001, 6, 1),
    (1030, 1040, 0x01000001, 7, 1), (1040, 1050, 0x01000001, 8, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (100, 600, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL, 16, 1, 1, 256, 1, 1, 64, 0, 1024),
    (600, 700, 0x01000000, 0, 7, 2, 12, 13, NULL, NULL, 8, 1, 1, 128, 1, 1, 32, 0, 0),
    (700, 750, 0x01000000, 0, 7, 3, 16, 16, NULL, NULL, 4, 1, 1, 128, 1, 1, 90, 0, 0),
    (750, 800, 0x01000000, 0, 7, 4, 16, 16, NULL, NULL, 8, 1, 1, 128, 1, 1, 90, 0, 0),
    (1100, 1200, 0x01000000, 0, 7, 5, 10, 11, NULL, NULL, 132, 1, 1, 256, 1, 1, 64, 0, 1024),
    (1200, 1300, 0x01000000, 0, 7, 6, 12, 13, NULL, NULL, 8, 1, 1, 128, 1, 1, 40, 0, 0),
    (1300, 1360, 0x01000000, 0, 7, 7, 16, 16, NULL, NULL, 4, 1, 1, 128, 1, 1, 90, 0, 0),
    (1360, 1400, 0x01000000, 0, 7, 8, 16, 16, NULL, NULL, 12, 1, 1, 128, 1, 1, 90, 0, 0);
