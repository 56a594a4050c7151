-- SPDX-License-Identifier: Apache-2.0
-- Three processes that use the same correlation ids and all call their GPU device 0: TARGET_INFO
-- says that 1 and 2 are on GPU 0 of the machine, and 3 on GPU 1.
--
-- Every process has one range 0..1000 with one launch, correlation id 1:
--   process 1  one    gemm  1000..2000 on GPU 0   1000
--   process 2  two    relu  1500..3500 on GPU 0   2000, of which 500 beside process 1
--   process 3  three  gemm  1000..1300 on GPU 1    300
-- Joined by the id alone, a range would have the work of all.
-- ops (exclusive; the one that began first has the overlap): one 1000, two 1500, three 300: in all
-- 2800, and the GPUs are busy 2500 and 300. Sums: 1000, 2000, 300.
-- devices: GPU 0 busy 2500, 2 kernels of 3000, two processes; GPU 1 busy 300. Without iterations
-- the window of a GPU by its own clock is that of its own work: 1000..3500 and 1000..1300.
-- kernels: gemm 1000 + 300 = 1300, mean and median 650, deviation sqrt(2 * 350 * 350) = 495.0;
-- exclusive 1300; relu 2000, exclusive 1500. Shares of 3300: 39.4 % and 60.6 %.
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT, uuid TEXT);
INSERT INTO TARGET_INFO_GPU VALUES
    (0, 'Card', '0000:01:00.0', NULL),
    (1, 'Card', '0000:02:00.0', NULL);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1), (0, 0, 2), (1, 0, 3);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 1000, 59, 'one', 0x01000001),
    (0, 1000, 59, 'two', 0x02000001),
    (0, 1000, 59, 'three', 0x03000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1),
    (100, 200, 0x02000001, 1, 1),
    (100, 200, 0x03000001, 1, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000, 2000, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (1500, 3500, 0x02000000, 0, 7, 1, 12, 13, NULL, NULL),
    (1000, 1300, 0x03000000, 0, 7, 1, 10, 11, NULL, NULL);
