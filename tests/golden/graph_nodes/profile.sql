-- SPDX-License-Identifier: Apache-2.0
-- A CUDA graph traced node by node: the replay owns the time, the capture names the layer.
--
-- Thread 1, `build` 0..1000: node 51 is made at 150 inside attn (100..400), node 52 at 650 inside
-- mlp (600..900). Instantiating clones them: 61 of 51 and 62 of 52 at 1500, outside every range.
-- `replay` 2000..3000 and 4000..5000 launch the graph once each, with calls of 100:
--   first   61 gemm 3000..4000 (1000)   62 relu 4000..4100 (100)   70 gemm 4100..4200 (100)
--   second  61 gemm 5000..5800  (800)   62 relu 5900..6000 (100)   70 gemm 6000..6100 (100)
-- Node 70 was made before the capture began: it is known by its graph, 9, alone.
--
-- ops: replay 2200 in two calls, range time 2000, overhead 2000 - 200 = 1800; below it
-- (captured under) > build > attn 1800 (81.8 %) and mlp 200 (9.1 %), and [graph 9] > gemm 200.
-- build, attn and mlp as ranges launched nothing themselves.
-- Idle time: attn 4200..5000 = 800, before the second replay; mlp 5800..5900 = 100. Within calls: replay
-- 0 + (6100 - 5000 - 1000 = 100) = 100.
-- ranges: replay projects 3000..4200 = 1200 and 5000..6100 = 1100: 2300, mean and median 1150,
-- deviation sqrt(2 * 50 * 50) = 70.7; one launch with GPU work per call.
-- api: two launches of graphs, 100 each, both with GPU work.
CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER,
    graphNodeId INTEGER, originalGraphNodeId INTEGER);
INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES
    (150, 160, 0x01000001, 51, NULL),
    (650, 660, 0x01000001, 52, NULL),
    (1500, 1510, 0x01000001, 61, 51),
    (1520, 1530, 0x01000001, 62, 52);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 1000, 59, 'build', 0x01000001),
    (100, 400, 59, 'attn', 0x01000001),
    (600, 900, 59, 'mlp', 0x01000001),
    (2000, 3000, 59, 'replay', 0x01000001),
    (4000, 5000, 59, 'replay', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (2100, 2200, 0x01000001, 1, 3),
    (4100, 4200, 0x01000001, 2, 3);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (3000, 4000, 0x01000000, 0, 7, 1, 10, 11, 61, 9),
    (4000, 4100, 0x01000000, 0, 7, 1, 12, 13, 62, 9),
    (4100, 4200, 0x01000000, 0, 7, 1, 10, 11, 70, 9),
    (5000, 5800, 0x01000000, 0, 7, 2, 10, 11, 61, 9),
    (5900, 6000, 0x01000000, 0, 7, 2, 12, 13, 62, 9),
    (6000, 6100, 0x01000000, 0, 7, 2, 10, 11, 70, 9);
