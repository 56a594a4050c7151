-- SPDX-License-Identifier: Apache-2.0
-- Iterations: by the ranges `step N`, and by DLProf's rule for a key op.
-- kernels.1-2.csv: --iter_start=1 --iter_stop=2
-- iterations.key.csv: --key_op=/optimizer
-- kernels.key.csv: --key_op=/optimizer --iter_start=1 --iter_stop=1
-- iteration.key.csv: --key_op=/optimizer
-- kernels.before.csv: --baseline-iters=0 --iters=1-2
-- costs.before.csv: --baseline-iters=0 --iters=1-2
-- kernels.set.csv: --baseline-iters=1-2 --iters=3
--
--   step 0   0..1000      gemm  500 at 300..800      optimizer 800..900   relu 100 at 900..1000
--   step 1   1000..2000   gemm  400 at 1300..1700    optimizer 1800..1900 relu 100 at 1900..2000
--   step 2   2000..3000   gemm  400 at 2300..2700    optimizer 2800..2900 relu 100 at 2900..3000
--   step 3   3000..5000   gemm 1000 at 3300..4300    optimizer 4800..4900 relu 100 at 4900..5000
--
-- By the steps there are 4 iterations; the work of each ends when the next begins on the host, so the GPU
-- periods are the host's: 1000 each, and the last, 3000..5000, 2000. Busy 600, 500, 500, 1100; idle
-- 400, 500, 500, 900: 60 %, 50 %, 50 %, 55 %.
-- Steps 1 and 2 together: gemm 2 calls of 800 (80 %), relu 2 calls of 200 (20 %).
-- Ops of the ranges: numbers of steps are cut off, so that all four are `/step N`.
-- By the key op, whose four runs stop at 900, 1900, 2900 and 4900, there are five windows: 0..899,
-- 900..1899, 1900..2899, 2900..4899 and 4900 to the end, 5000. Work goes with its launch: gemm 500 and
-- relu (launched at 850) are in 0, and so on; the fifth launches nothing. A period is from the beginning
-- of one to that of the next: 900, 1000, 1000, 2000.
-- Before and after: step 0 against steps 1 and 2: gemm 500 -> 400, idle 400 -> 500, the step stays
-- 1000. Steps 1 and 2 against step 3: gemm 400 -> 1000, idle 500 -> 900, the step 1000 -> 2000.
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 1000, 59, 'step 0', 0x01000001),
    (800, 900, 59, 'optimizer', 0x01000002),
    (1000, 2000, 59, 'step 1', 0x01000001),
    (1800, 1900, 59, 'optimizer', 0x01000002),
    (2000, 3000, 59, 'step 2', 0x01000001),
    (2800, 2900, 59, 'optimizer', 0x01000002),
    (3000, 5000, 59, 'step 3', 0x01000001),
    (4800, 4900, 59, 'optimizer', 0x01000002);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (200, 250, 0x01000001, 1, 1), (850, 890, 0x01000002, 2, 1),
    (1200, 1250, 0x01000001, 3, 1), (1850, 1890, 0x01000002, 4, 1),
    (2200, 2250, 0x01000001, 5, 1), (2850, 2890, 0x01000002, 6, 1),
    (3200, 3250, 0x01000001, 7, 1), (4850, 4890, 0x01000002, 8, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (300, 800, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (900, 1000, 0x01000000, 0, 7, 2, 12, 13, NULL, NULL),
    (1300, 1700, 0x01000000, 0, 7, 3, 10, 11, NULL, NULL),
    (1900, 2000, 0x01000000, 0, 7, 4, 12, 13, NULL, NULL),
    (2300, 2700, 0x01000000, 0, 7, 5, 10, 11, NULL, NULL),
    (2900, 3000, 0x01000000, 0, 7, 6, 12, 13, NULL, NULL),
    (3300, 4300, 0x01000000, 0, 7, 7, 10, 11, NULL, NULL),
    (4900, 5000, 0x01000000, 0, 7, 8, 12, 13, NULL, NULL);
