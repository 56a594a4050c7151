-- SPDX-License-Identifier: Apache-2.0
-- What an autograd thread launches belongs to the range in which the main thread waits.
--
-- Thread 1: forward 0..1000 launches gemm 1000; Backward 1000..4000 launches nothing: it waits.
-- Thread 2 has no ranges: it launches gemm 700 at 1500, relu 100 at 2500, and relu 200 at 6000,
-- when nothing is open any more.
-- Thread 3 has `loader` 2000..3000 open and copies at 2400 (50) and 2600 (50): it is busy, so at
-- 2500, with two ranges open, the one that waits adopts.
--
-- ops: forward 1000, Backward 800 of thread 2 and calls 1, loader 100, outside 200; in all 2100.
-- The copies at 6000..6050 and 6100..6150 run while no kernel does, so they are exclusive.
-- ranges never adopts: Backward has launched nothing there.
-- Idle time: Backward 2000..5000 = 3000; loader 5800..6000 and 6050..6100 = 250; outside 6150..7000 =
-- 850. Within calls: Backward 5000..5700 and 5700..5800, none; loader 6150 - 6000 - 100 = 50.
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 1000, 59, 'forward', 0x01000001),
    (1000, 4000, 59, 'Backward', 0x01000001),
    (2000, 3000, 59, 'loader', 0x01000003);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1),
    (1500, 1600, 0x01000002, 2, 1),
    (2400, 2450, 0x01000003, 3, 2),
    (2500, 2550, 0x01000002, 4, 1),
    (2600, 2650, 0x01000003, 5, 2),
    (6000, 6100, 0x01000002, 6, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000, 2000, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (5000, 5700, 0x01000000, 0, 7, 2, 10, 11, NULL, NULL),
    (5700, 5800, 0x01000000, 0, 7, 4, 12, 13, NULL, NULL),
    (7000, 7200, 0x01000000, 0, 7, 6, 12, 13, NULL, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
    (6000, 6050, 0x01000000, 0, 13, 3, 1, 1, 2, 1000),
    (6100, 6150, 0x01000000, 0, 13, 5, 1, 1, 2, 1000);
