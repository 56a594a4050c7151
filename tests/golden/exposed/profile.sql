-- SPDX-License-Identifier: Apache-2.0
-- Exposed communication: waiting for the GPU that comes last, transfer, and sends apart. Two GPUs of
-- one process, stream 7 computes and stream 8 communicates; times in microseconds.
--
--              GPU 0                        GPU 1
--   gemm       0..100                       0..300
--   reduce     100..400                     300..400     the second comes last, at 300
--   reduce     500..800                     520..800     the second comes last, at 520
--   gemm       550..600 hides 50 of it      -
--   send       900..950                     -
--
-- The ends of each reduce agree, so waiting can be told from transfer:
-- GPU 0: waits 100..300 = 200 and 500..520 = 20: 220; transfer 300..400 = 100 and 520..800 less 50 =
--   230: 330; the send 50, apart. Exposed 220 + 330 + 50 = 600, of 300 + 300 + 50 = 650 in all.
-- GPU 1: waits for nobody; transfer 100 + 280 = 380, all of it exposed.
-- Idle: GPU 0 400..500 and 800..900 = 200 of 950, busy 750 (78.9 %); GPU 1 400..520 = 120 of 800, busy
--   680 (85.0 %). The launches lie long before: nothing tells why, unknown.
INSERT INTO StringIds VALUES (20, 'ncclDevKernel_SendRecv');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (-90000, -89000, 0x01000001, 1, 1),
    (-80000, -79000, 0x01000001, 2, 1),
    (-70000, -69000, 0x01000001, 3, 1),
    (-60000, -59000, 0x01000001, 4, 1),
    (-50000, -49000, 0x01000001, 5, 1),
    (-40000, -39000, 0x01000001, 6, 1),
    (-30000, -29000, 0x01000001, 7, 1),
    (-20000, -19000, 0x01000001, 8, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (0, 100000, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (100000, 400000, 0x01000000, 0, 8, 2, 14, 14, NULL, NULL),
    (500000, 800000, 0x01000000, 0, 8, 3, 14, 14, NULL, NULL),
    (550000, 600000, 0x01000000, 0, 7, 4, 10, 11, NULL, NULL),
    (900000, 950000, 0x01000000, 0, 8, 5, 20, 20, NULL, NULL),
    (0, 300000, 0x01000000, 1, 7, 6, 10, 11, NULL, NULL),
    (300000, 400000, 0x01000000, 1, 8, 7, 14, 14, NULL, NULL),
    (520000, 800000, 0x01000000, 1, 8, 8, 14, 14, NULL, NULL);
