-- SPDX-License-Identifier: Apache-2.0
-- Why a GPU is idle: a gap for each cause, some gaps with several. One GPU, one thread that launches,
-- every piece of work takes 10; all times below are in microseconds, the rows are in nanoseconds.
--
--   work            runs         launched     the gap before it
--   gemm            10..20       0..5
--   gemm            100..110     90..95       20..90 host-bound, 90..100 launch latency
--   gemm            212..222     200..205     110..130 synchronisation: the call 96..116 was waiting when
--                                             the GPU ran dry, and stood for 20; 130..200 host-bound,
--                                             200..212 launch latency
--   gemm            300..310     290..295     222..230 host-bound, 230..280 allocator (cudaMalloc),
--                                             280..290 host-bound, 290..300 launch latency
--   relu, its first 390..400     380..385     310..320 compile: before its code is loaded (inferred),
--                                             320..370 compile (cuModuleLoadData), 370..380 host-bound,
--                                             380..390 launch latency
--   gemm            495..505     480..485     400..405 host-bound, 405..470 data loading, the range;
--                                             470..480 host-bound, 480..495 launch latency
--   HtoD, pageable  540..550     510..560     505..510 host-bound, 510..540 blocking copy: the call itself
--   gemm            590..600     580..585     550..580 blocking copy: the thread stood in it for 50;
--                                             580..590 launch latency
--   HtoD, pinned    920..930     910..915     600..620 host-bound, 620..900 data loading: an OS call before
--                                             the first copy after kernels (inferred), 900..910 host-bound,
--                                             910..920 launch latency
--   gemm, stream 8  965..975     925..928     930..965 dependency: its stream waits for an event, 922..924
--   gemm            1010..1020   970..972     975..1010 unknown: launched, no event, later than 20
--   gemm            1100..1110   1090..1095   1020..1030 host-bound, 1030..1080 profiler, 1080..1090
--                                             host-bound, 1090..1100 launch latency
--   graph 9, node 1 1120..1130   1105..1108   1110..1120 launch latency
--   graph 9, node 2 1135..1145                1130..1135 inside graph
--   gemm            4210..4220   4200..4205   1145..4200 unknown: no call for more than 1000 and no range;
--                                             4200..4210 launch latency
--   gemm            4240..4250   no row       4220..4240 unknown
--   gemm            7000..7010   6990..6995   4250..4260 unknown, 4260..6990 host-bound: in `forward`,
--                                             6990..7000 launch latency
--
-- host-bound 70 + 70 + 18 + 10 + 15 + 5 + 30 + 20 + 2730 = 2968 in 13 stretches
-- launch latency 10 + 12 + 10 + 10 + 15 + 10 + 10 + 10 + 10 + 10 + 10 = 117 in 11
-- unknown 35 + 3055 + 20 + 10 = 3120 in 4    data loading 65 + 280 = 345 in 2    compile 60 in 2
-- blocking copy 60 in 2    allocator 50    profiler 50    dependency 35    synchronisation 20    graph 5
-- Inferred: 280 of 345 data loading (81.2 %), 10 of 60 compile (16.7 %).
-- All: 6830 = 7000 (10..7010) - 17 pieces of work of 10.
CREATE TABLE PROFILER_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER,
    overheadType INTEGER);
CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, globalPid INTEGER,
    contextId INTEGER, streamId INTEGER, correlationId INTEGER, syncType INTEGER);
INSERT INTO StringIds VALUES
    (20, 'cudaMalloc_v3020'),
    (21, 'cuModuleLoadData'),
    (22, 'cudaStreamWaitEvent_v3020'),
    (23, 'pthread_cond_timedwait'),
    (24, 'CUPTI: Buffer flush');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (405000, 470000, 59, 'DataLoader.__next__', 0x01000001),
    (4260000, 7000000, 59, 'forward', 0x01000001);
INSERT INTO PROFILER_OVERHEAD VALUES (1030000, 1080000, 0x01000001, 24, 3);
INSERT INTO OSRT_API VALUES (620000, 900000, 0x01000001, 23);
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES
    (96000, 116000, 0x01000000, 0, 7, 3, 3),
    (922000, 924000, 0x01000000, 0, 8, 13, 3);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (0, 5000, 0x01000001, 1, 1),
    (90000, 95000, 0x01000001, 2, 1),
    (96000, 116000, 0x01000001, 3, 5),
    (200000, 205000, 0x01000001, 4, 1),
    (230000, 280000, 0x01000001, 5, 20),
    (290000, 295000, 0x01000001, 6, 1),
    (320000, 370000, 0x01000001, 7, 21),
    (380000, 385000, 0x01000001, 8, 1),
    (480000, 485000, 0x01000001, 9, 1),
    (510000, 560000, 0x01000001, 10, 2),
    (580000, 585000, 0x01000001, 11, 1),
    (910000, 915000, 0x01000001, 12, 2),
    (922000, 924000, 0x01000001, 13, 22),
    (925000, 928000, 0x01000001, 14, 1),
    (970000, 972000, 0x01000001, 15, 1),
    (1090000, 1095000, 0x01000001, 16, 1),
    (1105000, 1108000, 0x01000001, 17, 3),
    (4200000, 4205000, 0x01000001, 18, 1),
    (6990000, 6995000, 0x01000001, 20, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (10000, 20000, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (100000, 110000, 0x01000000, 0, 7, 2, 10, 11, NULL, NULL),
    (212000, 222000, 0x01000000, 0, 7, 4, 10, 11, NULL, NULL),
    (300000, 310000, 0x01000000, 0, 7, 6, 10, 11, NULL, NULL),
    (390000, 400000, 0x01000000, 0, 7, 8, 12, 13, NULL, NULL),
    (495000, 505000, 0x01000000, 0, 7, 9, 10, 11, NULL, NULL),
    (590000, 600000, 0x01000000, 0, 7, 11, 10, 11, NULL, NULL),
    (965000, 975000, 0x01000000, 0, 8, 14, 10, 11, NULL, NULL),
    (1010000, 1020000, 0x01000000, 0, 7, 15, 10, 11, NULL, NULL),
    (1100000, 1110000, 0x01000000, 0, 7, 16, 10, 11, NULL, NULL),
    (1120000, 1130000, 0x01000000, 0, 7, 17, 10, 11, 1, 9),
    (1135000, 1145000, 0x01000000, 0, 7, 17, 10, 11, 2, 9),
    (4210000, 4220000, 0x01000000, 0, 7, 18, 10, 11, NULL, NULL),
    (4240000, 4250000, 0x01000000, 0, 7, 19, 10, 11, NULL, NULL),
    (7000000, 7010000, 0x01000000, 0, 7, 20, 10, 11, NULL, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
    (540000, 550000, 0x01000000, 0, 7, 10, 1, 0, 2, 4000),
    (920000, 930000, 0x01000000, 0, 7, 12, 1, 1, 2, 4000);
