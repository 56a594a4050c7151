-- SPDX-License-Identifier: Apache-2.0
-- CUDA graphs traced whole: each replay is one piece of GPU work, neither Tensor Core nor other.
--
-- Thread 1: decode 0..1000 replays graph 12 for 2000 (1000..3000) and launches relu 100 (3000..3100);
--           decode 4000..5000 replays graph 12 for 1000 (5000..6000);
--           prefill 6000..7000 replays graph 13 for 900 (7000..7900).
-- kernels: [graph 12] 2 calls, 3000 (75 %), mean and median 1500, deviation sqrt(2 * 500 * 500) =
-- 707.1; [graph 13] 900 (22.5 %); relu 100 (2.5 %).
-- ops: decode 3100 (77.5 %) in two calls, prefill 900 (22.5 %); in all 4000. Calls of 100: overhead of
-- decode 2000 - 300, of prefill 1000 - 100.
-- layers: the same; whether Tensor Cores were used is not known of what ran inside the graphs.
-- devices: 3 replays of 3900, 1 kernel of 100; the window is 1000..7900 = 6900, busy 4000 = 58.0 %.
-- ranges: decode projects 1000..3100 = 2100 and 5000..6000 = 1000: 3100, mean and median 1550,
-- deviation sqrt(2 * 550 * 550) = 777.8, three launches, 1.5 a call; prefill 900.
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL,
    globalPid INTEGER, deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES
    (1000, 3000, 0x01000000, 0, 7, 1, 2, 12),
    (5000, 6000, 0x01000000, 0, 7, 3, 2, 12),
    (7000, 7900, 0x01000000, 0, 7, 4, 3, 13);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 1000, 59, 'decode', 0x01000001),
    (4000, 5000, 59, 'decode', 0x01000001),
    (6000, 7000, 59, 'prefill', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 3),
    (300, 400, 0x01000001, 2, 1),
    (4100, 4200, 0x01000001, 3, 3),
    (6100, 6200, 0x01000001, 4, 3);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (3000, 3100, 0x01000000, 0, 7, 2, 12, 13, NULL, NULL);
