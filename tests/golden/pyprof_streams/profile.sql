-- SPDX-License-Identifier: Apache-2.0
-- PyProf's mistake 5.9: after a kernel it forgets the ranges that ended before the launch of that, so that a
-- kernel which is launched before and begins behind it, on another stream, has lost its ranges.
--
-- Launched are 1 on stream 7, 2 on 7, 3 on 8; 2 waits for 1, and the GPU begins with 1, 3, 2:
--
--   thread 1     layer:a mm (4, 8) x (8, 2), 1 |  layer:b mm (4, 8) x (8, 16), 2 |  layer:c relu (4, 16), 3
--   stream 7     [ 1 ........................................ ][ 2 ]
--   stream 8                                                [ 3 ]
--
-- So PyProf has 2 without op, layer and number, with na=na, and 0 FLOPs. Its ranges are around its launch as those of
-- the others are around theirs: it is the mm of b. 1: 2 x 4 x 8 x 2 = 128 FLOPs, 4 x (8 + 32 + 16) = 224 bytes;
-- 2: 2 x 4 x 8 x 16 = 1024 FLOPs, 4 x (64 + 32 + 128) = 896 bytes; 3: 64 FLOPs, 2 x 4 x 64 = 512 bytes.
-- pyprof.all.csv: --iters=all --columns=idx,seq,layer,dir,sub,mod,op,kernel,params,tc,flops,bytes
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 900, 59, 'layer:a', 0x01000001),
    (10, 890, 59, '{''mod'': ''torch'', ''op'': ''mm'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 8), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (8, 2), ''dtype'': ''float32''}]}', 0x01000001),
    (20, 880, 59, 'mm, seq = 1', 0x01000001),
    (1000, 1900, 59, 'layer:b', 0x01000001),
    (1010, 1890, 59, '{''mod'': ''torch'', ''op'': ''mm'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 8), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (8, 16), ''dtype'': ''float32''}]}', 0x01000001),
    (1020, 1880, 59, 'mm, seq = 2', 0x01000001),
    (2000, 2900, 59, 'layer:c', 0x01000001),
    (2010, 2890, 59, '{''mod'': ''torch'', ''op'': ''relu'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 16), ''dtype'': ''float32''}]}', 0x01000001),
    (2020, 2880, 59, 'relu, seq = 3', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1),
    (1100, 1200, 0x01000001, 2, 1),
    (2100, 2200, 0x01000001, 3, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (300, 3000, 0x01000000, 0, 7, 1, 16, 16, NULL, NULL),
    (3000, 3100, 0x01000000, 0, 7, 2, 16, 16, NULL, NULL),
    (2300, 2400, 0x01000000, 0, 8, 3, 12, 13, NULL, NULL);
