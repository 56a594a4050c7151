-- SPDX-License-Identifier: Apache-2.0
-- Backward belongs to forward by (process, sequence number), whichever thread runs it.
--
-- Process 1, thread 1                     thread 2 (autograd)
--   layer1  0..1000                         ReluBackward0, seq = 8   5000..5500   relu  200
--     aten::mm, seq = 7     bf16 1000       MmBackward0, seq = 7     6000..6500   sgemm 300
--   layer2  2000..3000                                                            sgemm 100
--     aten::relu, seq = 8   relu  100
-- Process 2: thread 1 has aten::mm, seq = 7 in `other`, sgemm 500 on a GPU of its own, without a
-- backward: the same number in another process is another thing.
--
-- Backward time: layer1 300 + 100 = 400, layer2 200, other none. Nothing on thread 1 is open
-- while the nodes run: nobody adopts them, they are roots of the tree.
-- Exclusive: layer1 1000 (45.5 %), layer2 100 (4.5 %), other 500 (22.7 %), ReluBackward0 200 (9.1 %),
-- MmBackward0 400 (18.2 %); in all 2200.
-- Tensor Cores: mm could use them and does in layer1 (1000, 100 %), not in other (500, 0 %);
-- MmBackward0 could, by its forward op, and does not (400, 0 %); relu could not.
-- Idle within MmBackward0: 7000..7300 and 7400..7500, the gap of 100. Each call takes 100.
-- detail: the nodes are the bprop of their forward ops. mm of layer1 has 400 in one call, range 500,
-- overhead 500 - 200 = 300; layer1 itself has the 200 of its range that aten::mm leaves.
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 1000, 59, 'layer1', 0x01000001),
    (100, 900, 59, 'aten::mm, seq = 7', 0x01000001),
    (2000, 3000, 59, 'layer2', 0x01000001),
    (2100, 2900, 59, 'aten::relu, seq = 8', 0x01000001),
    (0, 1000, 59, 'other', 0x02000001),
    (100, 900, 59, 'aten::mm, seq = 7', 0x02000001),
    (5000, 5500, 59, 'ReluBackward0, seq = 8', 0x01000002),
    (6000, 6500, 59, 'MmBackward0, seq = 7', 0x01000002);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (200, 300, 0x01000001, 1, 1),
    (2200, 2300, 0x01000001, 2, 1),
    (200, 300, 0x02000001, 1, 1),
    (5100, 5200, 0x01000002, 3, 1),
    (6100, 6200, 0x01000002, 4, 1),
    (6300, 6400, 0x01000002, 5, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000, 2000, 0x01000000, 0, 7, 1, 15, 15, NULL, NULL),
    (3000, 3100, 0x01000000, 0, 7, 2, 12, 13, NULL, NULL),
    (1000, 1500, 0x02000000, 0, 7, 1, 16, 16, NULL, NULL),
    (6000, 6200, 0x01000000, 0, 7, 3, 12, 13, NULL, NULL),
    (7000, 7300, 0x01000000, 0, 7, 4, 16, 16, NULL, NULL),
    (7400, 7500, 0x01000000, 0, 7, 5, 16, 16, NULL, NULL);
