-- SPDX-License-Identifier: Apache-2.0
-- Operators and modules, as the PyTorch Profiler's plugin adds them up, of ranges around layers and of
-- emit_nvtx.
--
--   layer:model           0..1000
--     layer:model.block   100..600
--       aten::linear      150..550   with nothing but
--         aten::linear    200..500   call 300..350, kernel 400: one call of 400
--     aten::add           700..900   call 750..800, kernel 100
--   layer:model.block     1100..1500, outside of the model
--     aten::linear        1200..1400 of [[8, 4], [4]], call 1250..1300, kernel 300
--
-- operators: linear 400 + 200 on the host, itself 350 + 150, on the GPU 700 (87.5 %); add 200, 150, 100.
-- modules: model itself 1000 - 500 - 200 = 300, on the GPU 500, of its own operator 100; the block in it
-- 500 - 400 = 100 and 400; the one outside 400 - 200 = 200 and 300. Of 800 these are 62.5, 50 and 37.5 %.
-- operator_kernels: each by its operator; linear and add launch the same kernel.
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 1000, 59, 'layer:model', 0x01000001),
    (100, 600, 59, 'layer:model.block', 0x01000001),
    (150, 550, 59, 'aten::linear, seq = 1', 0x01000001),
    (200, 500, 59, 'aten::linear, seq = 1', 0x01000001),
    (700, 900, 59, 'aten::add, seq = 2', 0x01000001),
    (1100, 1500, 59, 'layer:model.block', 0x01000001),
    (1200, 1400, 59, 'aten::linear, seq = 3, sizes = [[8, 4], [4]]', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (300, 350, 0x01000001, 1, 1),
    (750, 800, 0x01000001, 2, 1),
    (1250, 1300, 0x01000001, 3, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000, 1400, 0x01000000, 0, 7, 1, 15, 15, NULL, NULL),
    (2000, 2100, 0x01000000, 0, 7, 2, 12, 13, NULL, NULL),
    (3000, 3300, 0x01000000, 0, 7, 3, 12, 13, NULL, NULL);
