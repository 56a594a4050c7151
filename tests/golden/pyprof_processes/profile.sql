-- SPDX-License-Identifier: Apache-2.0
-- PyProf's mistake 5.8: it has one last number for all processes, and looks for the forward of a backward in all of
-- them. Two ranks number their ops alike, and their GPUs take turns:
--
--   rank 1   mm (4, 8) x (8, 2) of layer a, 1     relu, 2     ReluBackward, 2     MmBackward, 1
--   rank 2   mm (4, 8) x (8, 16) of layer b, 1    relu, 2     ReluBackward, 2     MmBackward, 1
--
-- To PyProf the mm of rank 2, which has the same op and number as the kernel before it, is that one's second kernel
-- (sub 1), and MmBackward of rank 1 is the backward of the last forward of number 1, that of rank 2: its layer is b,
-- its N and K are those of b. Each kernel is the first of its run, and each backward has layer and shapes of its
-- own process. mm of a: 2 x 4 x 8 x 2 = 128 FLOPs, 4 x (8 + 32 + 16) = 224 bytes, of b 1024 and 4 x (64 + 32 + 128)
-- = 896; relu of (4, 2): 8 and 4 x 2 x 8 = 64, of (4, 16) 64 and 512, backwards half as much again: 96 and 768.
-- pyprof.all.csv: --iters=all --columns=idx,seq,layer,dir,sub,mod,op,kernel,params,tc,flops,bytes
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 900, 59, 'layer:a', 0x01000001),
    (10, 890, 59, '{''mod'': ''torch'', ''op'': ''mm'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 8), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (8, 2), ''dtype'': ''float32''}]}', 0x01000001),
    (20, 880, 59, 'mm, seq = 1', 0x01000001),
    (1000, 1900, 59, 'layer:a', 0x01000001),
    (1010, 1890, 59, '{''mod'': ''torch'', ''op'': ''relu'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 2), ''dtype'': ''float32''}]}', 0x01000001),
    (1020, 1880, 59, 'relu, seq = 2', 0x01000001),
    (3000, 3900, 59, 'ReluBackward, seq = 2', 0x01000002),
    (4000, 4900, 59, 'MmBackward, seq = 1', 0x01000002),
    (0, 900, 59, 'layer:b', 0x02000001),
    (10, 890, 59, '{''mod'': ''torch'', ''op'': ''mm'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 8), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (8, 16), ''dtype'': ''float32''}]}', 0x02000001),
    (20, 880, 59, 'mm, seq = 1', 0x02000001),
    (1000, 1900, 59, 'layer:b', 0x02000001),
    (1010, 1890, 59, '{''mod'': ''torch'', ''op'': ''relu'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 16), ''dtype'': ''float32''}]}', 0x02000001),
    (1020, 1880, 59, 'relu, seq = 2', 0x02000001),
    (3000, 3900, 59, 'ReluBackward, seq = 2', 0x02000002),
    (4000, 4900, 59, 'MmBackward, seq = 1', 0x02000002);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1),
    (1100, 1200, 0x01000001, 2, 1),
    (3100, 3200, 0x01000002, 3, 1),
    (4100, 4200, 0x01000002, 4, 1),
    (100, 200, 0x02000001, 1, 1),
    (1100, 1200, 0x02000001, 2, 1),
    (3100, 3200, 0x02000002, 3, 1),
    (4100, 4200, 0x02000002, 4, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (300, 340, 0x01000000, 0, 7, 1, 16, 16, NULL, NULL),
    (1300, 1340, 0x01000000, 0, 7, 2, 12, 13, NULL, NULL),
    (3300, 3340, 0x01000000, 0, 7, 3, 12, 13, NULL, NULL),
    (4300, 4340, 0x01000000, 0, 7, 4, 16, 16, NULL, NULL),
    (350, 390, 0x02000000, 1, 7, 1, 16, 16, NULL, NULL),
    (1350, 1390, 0x02000000, 1, 7, 2, 12, 13, NULL, NULL),
    (3350, 3390, 0x02000000, 1, 7, 3, 12, 13, NULL, NULL),
    (4350, 4390, 0x02000000, 1, 7, 4, 16, 16, NULL, NULL);
