-- SPDX-License-Identifier: Apache-2.0
-- Layers of one name are told apart by as much of their paths as that takes.
--
--   range          host time      its launches          on the GPU
--   warm-up        0..4000
--     forward      100..1000      gemm                  2000..3000   1000
--     backward     1100..2000     gemm                  3000..5000   2000
--   run            5000..9000     relu                  9000..9100    100
--     forward      5100..6000     gemm                  6000..6500    500
--   forward        10000..11000   gemm                  11000..11300  300
--
-- Busy: 3900. Only `backward` has a name of its own: backward 2000 (51.3 %), warm-up > forward 1000
-- (25.6 %), run > forward 500 (12.8 %), forward, which lies in nothing, 300 (7.7 %), rest of run 100
-- (2.6 %). Whether these kernels use Tensor Cores, their names do not tell.
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 4000, 59, 'warm-up', 0x01000001),
    (100, 1000, 59, 'forward', 0x01000001),
    (1100, 2000, 59, 'backward', 0x01000001),
    (5000, 9000, 59, 'run', 0x01000001),
    (5100, 6000, 59, 'forward', 0x01000001),
    (10000, 11000, 59, 'forward', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (200, 300, 0x01000001, 1, 1),
    (1200, 1300, 0x01000001, 2, 1),
    (5200, 5300, 0x01000001, 3, 1),
    (7000, 7100, 0x01000001, 4, 1),
    (10200, 10300, 0x01000001, 5, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (2000, 3000, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (3000, 5000, 0x01000000, 0, 7, 2, 10, 11, NULL, NULL),
    (6000, 6500, 0x01000000, 0, 7, 3, 10, 11, NULL, NULL),
    (9000, 9100, 0x01000000, 0, 7, 4, 12, 13, NULL, NULL),
    (11000, 11300, 0x01000000, 0, 7, 5, 10, 11, NULL, NULL);
