-- SPDX-License-Identifier: Apache-2.0
-- Times before the beginning of the capture, and rows that cannot be.
--
--   early  -2000..-1000  gemm -1500..-500 (1000), launched at -1800
--   across  -500..500    relu     0..100   (100), launched at -400
--   never ended  600..   relu  1000..1200  (200), launched at 700: lasts to 5000, the latest end
--   late   4000..5000    launches nothing
--   a kernel of 300 without a launch, 2000..2300, and a launch at 3000 without a kernel
--   a kernel that ends before it starts: left out, and said so
--
-- Window of the GPU's work: -1500..2300 = 3800, busy 1000 + 100 + 200 + 300 = 1600 = 42.1 %.
-- ops: early 1000 (62.5 %), across 100, never ended 200 (12.5 %) with a range time of 4400 of which two
-- calls take 200; outside 300 (18.75 %).
-- late lies in `never ended`.
-- Idle time 3800 - 1600 = 2200: across -500..0 = 500, never ended 100..1000 = 900, outside 1200..2000 = 800.
-- trust: 5 rows of kernels read, 1 of them not usable; 1 without a launch; 1 range without an end; 2
-- ranges and 3 of calls and work (-1800, -400 and -1500) begin before the capture. Union of the
-- GPU 1600 = exclusive time of all tables. The last of the 4 launches, 3000..3100, is that of the kernel that
-- is not usable. The names of its kernels tell nothing of Tensor Cores.
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (-2000, -1000, 59, 'early', 0x01000001),
    (-500, 500, 59, 'across', 0x01000001),
    (600, NULL, 59, 'never ended', 0x01000001),
    (4000, 5000, 59, 'late', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (-1800, -1700, 0x01000001, 1, 1),
    (-400, -300, 0x01000001, 2, 1),
    (700, 800, 0x01000001, 3, 1),
    (3000, 3100, 0x01000001, 4, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (-1500, -500, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (0, 100, 0x01000000, 0, 7, 2, 12, 13, NULL, NULL),
    (1000, 1200, 0x01000000, 0, 7, 3, 12, 13, NULL, NULL),
    (2000, 2300, 0x01000000, 0, 7, 99, 10, 11, NULL, NULL),
    (4000, 3000, 0x01000000, 0, 7, 4, 10, 11, NULL, NULL);
