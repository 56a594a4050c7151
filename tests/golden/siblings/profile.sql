-- SPDX-License-Identifier: Apache-2.0
-- Numbered siblings are one row: at least three, with the same children.
--
--   model  0..10000
--     layers.0  1000..2000    attn gemm 100, mlp relu  50     150
--     layers.1  2000..3000    attn gemm 200, mlp relu  50     250
--     layers.2  3000..4000    attn gemm 600, mlp relu  50     650
--     layers.9  4000..5000    gemm  50, without attn and mlp   50
--     head.0    5000..6000    gemm  60
--     head.1    6000..7000    gemm  40, but two are too few
--
-- layers.* x3: 150 + 250 + 650 = 1050 of 1200 (87.5 %), median member 250, worst layers.2 with 650; range
-- time 3000 in three calls; its attn 900 (75 %) and mlp 150 (12.5 %), three calls each of 300. Each
-- attn and each mlp has a launch of 50: overhead 250 a range, of a layer 1000 - 100 = 900. layers.9 and
-- both heads stand alone, 1000 - 50 = 950 of overhead each.
-- model: 1200, overhead 10000 - 9 * 50 = 9550.
-- Kernels run one after the other without a gap in a layer; of model, the work begins at 10000 and ends
-- at 15100: 5100 - 1200 = 3900 idle, all of it within the call. Idle time is before the first work of:
-- layers.1 and layers.2 1600, layers.9 350, head.0 950, head.1 1000; together 3900.
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 10000, 59, 'model', 0x01000001),
    (1000, 2000, 59, 'layers.0', 0x01000001),
    (1100, 1400, 59, 'attn', 0x01000001), (1500, 1800, 59, 'mlp', 0x01000001),
    (2000, 3000, 59, 'layers.1', 0x01000001),
    (2100, 2400, 59, 'attn', 0x01000001), (2500, 2800, 59, 'mlp', 0x01000001),
    (3000, 4000, 59, 'layers.2', 0x01000001),
    (3100, 3400, 59, 'attn', 0x01000001), (3500, 3800, 59, 'mlp', 0x01000001),
    (4000, 5000, 59, 'layers.9', 0x01000001),
    (5000, 6000, 59, 'head.0', 0x01000001),
    (6000, 7000, 59, 'head.1', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (1200, 1250, 0x01000001, 1, 1), (1600, 1650, 0x01000001, 2, 1),
    (2200, 2250, 0x01000001, 3, 1), (2600, 2650, 0x01000001, 4, 1),
    (3200, 3250, 0x01000001, 5, 1), (3600, 3650, 0x01000001, 6, 1),
    (4200, 4250, 0x01000001, 7, 1), (5200, 5250, 0x01000001, 8, 1),
    (6200, 6250, 0x01000001, 9, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (10000, 10100, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (10100, 10150, 0x01000000, 0, 7, 2, 12, 13, NULL, NULL),
    (11000, 11200, 0x01000000, 0, 7, 3, 10, 11, NULL, NULL),
    (11200, 11250, 0x01000000, 0, 7, 4, 12, 13, NULL, NULL),
    (12000, 12600, 0x01000000, 0, 7, 5, 10, 11, NULL, NULL),
    (12600, 12650, 0x01000000, 0, 7, 6, 12, 13, NULL, NULL),
    (13000, 13050, 0x01000000, 0, 7, 7, 10, 11, NULL, NULL),
    (14000, 14060, 0x01000000, 0, 7, 8, 10, 11, NULL, NULL),
    (15060, 15100, 0x01000000, 0, 7, 9, 10, 11, NULL, NULL);
