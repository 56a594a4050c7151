-- SPDX-License-Identifier: Apache-2.0
-- Ranges inside ranges: work belongs to the innermost range around its launch, and times add up.
--
--   range            host time    its launches          on the GPU
--   train            0..10000     relu                  8200..8300    100
--     encoder        1000..4000
--       attention    1100..2000   gemm                  2000..3000   1000
--       mlp          2100..3000   gemm                  3000..3600    600
--                                 relu                  3600..3700    100
--     head           5000..6000   gemm                  6000..6200    200
--
-- GPU time: attention 1000 (50 %), mlp 700 (35 %), encoder 1700, head 200 (10 %), train itself 100,
-- train 2000. Each launch call takes 100: overhead is range time less 100 a launch (train
-- 10000 - 500). Idle time: head 3700..6000 = 2300 and train itself 6200..8200 = 2000, with head 4300.
-- Within calls, from the first to the last work less the work: train 8300 - 2000 - 2000 = 4300.
-- Projected: attention 1000, mlp 3000..3700 = 700, encoder 2000..3700 = 1700, head 200,
-- train 2000..8300 = 6300. Levels 0 1 2 2 1; train has two children with work, encoder two.
-- gemm: 1000 600 200, sum 1800 (90 %), mean and median 600, deviations 400 0 400:
-- sqrt(320000 / 2) = 400; longest over median 1.667. relu: 100 100.
-- detail: a range as an op has its own work and its self time on the host: train 10000 - 3000 -
-- 1000 = 6000, encoder 3000 - 900 - 900 = 1200.
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 10000, 59, 'train', 0x01000001),
    (1000, 4000, 59, 'encoder', 0x01000001),
    (1100, 2000, 59, 'attention', 0x01000001),
    (2100, 3000, 59, 'mlp', 0x01000001),
    (5000, 6000, 59, 'head', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (1200, 1300, 0x01000001, 1, 1),
    (2200, 2300, 0x01000001, 2, 1),
    (2400, 2500, 0x01000001, 3, 1),
    (5200, 5300, 0x01000001, 4, 1),
    (8000, 8100, 0x01000001, 5, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (2000, 3000, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (3000, 3600, 0x01000000, 0, 7, 2, 10, 11, NULL, NULL),
    (3600, 3700, 0x01000000, 0, 7, 3, 12, 13, NULL, NULL),
    (6000, 6200, 0x01000000, 0, 7, 4, 10, 11, NULL, NULL),
    (8200, 8300, 0x01000000, 0, 7, 5, 12, 13, NULL, NULL);
