-- SPDX-License-Identifier: Apache-2.0
-- Streams that overlap: sum, union and exclusive time are three figures.
--
--   stream 7   gemm    1000..2000   1000   launched by `model`
--   stream 8   nccl    1500..2800   1300   launched by `model`, too
--   stream 9   copy    1900..3000   1100   launched by `load`
--
-- Sum 3400, union 1000..3000 = 2000, the difference 1400 overlaps.
-- Exclusive: compute has its 1000; communication what is left of it, 2000..2800 = 800; the copy what
-- is left of both, 2800..3000 = 200. 1000 + 800 + 200 = 2000.
-- breakdown gpu: other kernels 1000 (50 %), exposed communication 800 (40 %), exposed copies 200 (10 %),
-- no idle in the window of the GPU's work, 1000..3000.
-- breakdown dlprof, of 0..3000: kernels 1000..2800 = 1800 (60 %), copies 2800..3000 = 200 (6.7 %), ranges
-- on the host while the GPU does nothing 0..600 = 600 (20 %), other 600..1000 = 400 (13.3 %).
-- trust: the op `model` has its union, 1000..2800 = 1800, `load` 1100: all ops 2900. All kernels, copies
-- among them as DLProf has it, are 3400: 500 overlap within `model`. The GPU's union is 2000:
-- 1400 overlap on the GPU.
-- Whether a kernel uses Tensor Cores is known of nccl only, 1300 of 2300 (56.5 %).
-- detail: model 1800 on the GPU, 400 - 100 = 300 overhead; load 1100, 200 - 50 = 150.
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 400, 59, 'model', 0x01000001),
    (400, 600, 59, 'load', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 150, 0x01000001, 1, 1),
    (300, 350, 0x01000001, 2, 1),
    (500, 550, 0x01000001, 3, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000, 2000, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (1500, 2800, 0x01000000, 0, 8, 2, 14, 14, NULL, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
    (1900, 3000, 0x01000000, 0, 9, 3, 1, 1, 2, 1100);
