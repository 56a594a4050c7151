-- SPDX-License-Identifier: Apache-2.0
-- A checkpoint that is not reentrant runs its forward again within the node that asks first for what was not
-- kept. The engine's threads count numbers of their own, here those of the forward again. Kernels by number:
--
-- Process 1, emit_nvtx. Thread 1, forward: layer `up` with a linear layer of numbers 10 and 11, mul 12 and a function of
-- Python's, 13, which is a checkpoint; head 14.
--    1    linear, 2 x 8 x 16 x 32 = 8192 FLOPs
--    2    mul
--    3    the function, which names no op
--    4    mm
-- Thread 2, the engine's
--    5    MmBackward0, 14
--    6    MaskBackward, 13: `up` runs again, 10 to 13, so the linear layer ...
--    7    ... mul ...
--    8    ... and the function: all recompute; the ops are in the layer in which they run
--    9    what MaskBackward does itself has no number: bprop of 3
--   10    MulBackward0, 12, of 2 and not of 7, the latest of that number
--   11    AddmmBackward0, 11, of 1 in `up` and not of 6
--
-- Process 2, a backward that makes a graph: what its nodes do has numbers, and is bprop.
--   12    mul, 20, and 13 gelu, 21
--   14    GeluBackward0, 21: gelu_backward, 30
--   15    MulBackward0, 20: an op of its own name, 31, and none behind it
--   16    ... one without a number is before it: zeros are made
--   17    MulBackward0, 31: bprop of 15
--   18    GeluBackwardBackward0, 30, is of 14, gelu_backward, and not of the later mul in that
--
-- Process 3, our own markers. An op's number stands in it, what a node does itself is not seen.
--   19    mul in layer `drop`, 1; 20 a function `Sine`, 2
--   21    MulBackward0, 1, runs again: layers Net and up, linear 3
--   22    ... layer drop, mul 4; below the node's layers, but not in them
--   23    what the node does itself
--   24    SineBackward, 2, of Python's, makes a graph: mul, 5
INSERT INTO StringIds VALUES
    (20, 'elementwise_kernel'), (21, 'void at::native::elementwise_kernel<4, at::native::add>(int)');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 2950, 59, 'layer:up', 0x01000001),
    (10, 990, 59, 'aten::linear, seq = 10, sizes = [[8, 16], [32, 16], [32]]', 0x01000001),
    (20, 40, 59, 'aten::t, seq = 10, sizes = [[32, 16]]', 0x01000001),
    (50, 980, 59, 'aten::addmm, seq = 11, sizes = [[32], [8, 16], [16, 32], [], []]', 0x01000001),
    (1000, 1900, 59, 'aten::mul, seq = 12, sizes = [[8, 32], [8, 32]]', 0x01000001),
    (2000, 2900, 59, 'Mask, seq = 13', 0x01000001),
    (3000, 3900, 59, 'aten::mm, seq = 14, sizes = [[8, 32], [32, 4]]', 0x01000001),

    (10000, 10900, 59, 'autograd::engine::evaluate_function: MmBackward0', 0x01000002),
    (10010, 10890, 59, 'MmBackward0, seq = 14', 0x01000002),
    (10020, 10880, 59, 'aten::mm, sizes = [[32, 8], [8, 4]]', 0x01000002),
    (11000, 14900, 59, 'autograd::engine::evaluate_function: MaskBackward', 0x01000002),
    (11010, 14890, 59, 'MaskBackward, seq = 13', 0x01000002),
    (11020, 13950, 59, 'layer:up', 0x01000002),
    (11030, 11900, 59, 'aten::linear, seq = 10, sizes = [[8, 16], [32, 16], [32]]', 0x01000002),
    (11040, 11060, 59, 'aten::t, seq = 10, sizes = [[32, 16]]', 0x01000002),
    (11070, 11890, 59, 'aten::addmm, seq = 11, sizes = [[32], [8, 16], [16, 32], [], []]', 0x01000002),
    (12000, 12900, 59, 'aten::mul, seq = 12, sizes = [[8, 32], [8, 32]]', 0x01000002),
    (13000, 13900, 59, 'Mask, seq = 13', 0x01000002),
    (14000, 14800, 59, 'aten::mul, sizes = [[8, 32], [8, 32]]', 0x01000002),
    (15000, 15900, 59, 'autograd::engine::evaluate_function: MulBackward0', 0x01000002),
    (15010, 15890, 59, 'MulBackward0, seq = 12', 0x01000002),
    (15020, 15880, 59, 'aten::mul, sizes = [[8, 32], [8, 32]]', 0x01000002),
    (16000, 16900, 59, 'autograd::engine::evaluate_function: AddmmBackward0', 0x01000002),
    (16010, 16890, 59, 'AddmmBackward0, seq = 11', 0x01000002),
    (16020, 16880, 59, 'aten::mm, sizes = [[16, 8], [8, 32]]', 0x01000002),

    (0, 900, 59, 'aten::mul, seq = 20', 0x02000001),
    (1000, 1900, 59, 'aten::gelu, seq = 21', 0x02000001),
    (10000, 10900, 59, 'GeluBackward0, seq = 21', 0x02000002),
    (10010, 10890, 59, 'aten::gelu_backward, seq = 30', 0x02000002),
    (10700, 10800, 59, 'aten::mul, seq = 30', 0x02000002),
    (11000, 12900, 59, 'MulBackward0, seq = 20', 0x02000002),
    (11010, 11100, 59, 'aten::zeros', 0x02000002),
    (11110, 12890, 59, 'aten::mul, seq = 31', 0x02000002),
    (13000, 13900, 59, 'MulBackward0, seq = 31', 0x02000002),
    (13010, 13890, 59, 'aten::mul', 0x02000002),
    (14000, 14900, 59, 'GeluBackwardBackward0, seq = 30', 0x02000002),
    (14010, 14890, 59, 'aten::mul', 0x02000002),

    (0, 2900, 59, 'layer:Net', 0x03000001),
    (10, 990, 59, 'layer:drop', 0x03000001),
    (20, 980, 59, '{''traceMarker'': [''train.py:10'']}', 0x03000001),
    (30, 970, 59, '{''mod'': ''Tensor'', ''op'': ''mul'', ''args'': []}', 0x03000001),
    (900, 910, 59, 'aten::mul, seq = 1', 0x03000001),
    (1000, 1900, 59, '{''mod'': ''Sine'', ''op'': ''apply'', ''args'': []}', 0x03000001),
    (1800, 1810, 59, 'aten::sine, seq = 2', 0x03000001),
    (10000, 13900, 59, 'layer:Net', 0x03000002),
    (10010, 13890, 59, 'layer:drop', 0x03000002),
    (10020, 13880, 59, 'MulBackward0, seq = 1', 0x03000002),
    (10030, 12990, 59, 'layer:Net', 0x03000002),
    (10040, 11900, 59, 'layer:up', 0x03000002),
    (10050, 11890, 59, '{''traceMarker'': [''train.py:9'']}', 0x03000002),
    (10060, 11880, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (8, 16), ''dtype'': ''float16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (32, 16), ''dtype'': ''float16''}]}', 0x03000002),
    (11800, 11810, 59, 'aten::addmm, seq = 3', 0x03000002),
    (12000, 12900, 59, 'layer:drop', 0x03000002),
    (12010, 12890, 59, '{''traceMarker'': [''train.py:10'']}', 0x03000002),
    (12020, 12880, 59, '{''mod'': ''Tensor'', ''op'': ''mul'', ''args'': []}', 0x03000002),
    (12100, 12110, 59, 'aten::mul, seq = 4', 0x03000002),
    (14000, 14900, 59, 'SineBackward, seq = 2', 0x03000002),
    (14010, 14890, 59, '{''mod'': ''Tensor'', ''op'': ''mul'', ''args'': []}', 0x03000002),
    (14800, 14810, 59, 'aten::mul, seq = 5', 0x03000002);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1), (1100, 1200, 0x01000001, 2, 1), (2100, 2200, 0x01000001, 3, 1),
    (3100, 3200, 0x01000001, 4, 1), (10100, 10200, 0x01000002, 5, 1), (11100, 11200, 0x01000002, 6, 1),
    (12100, 12200, 0x01000002, 7, 1), (13100, 13200, 0x01000002, 8, 1), (14100, 14200, 0x01000002, 9, 1),
    (15100, 15200, 0x01000002, 10, 1), (16100, 16200, 0x01000002, 11, 1),
    (100, 200, 0x02000001, 12, 1), (1100, 1200, 0x02000001, 13, 1), (10100, 10200, 0x02000002, 14, 1),
    (11120, 11200, 0x02000002, 15, 1), (11020, 11080, 0x02000002, 16, 1), (13100, 13200, 0x02000002, 17, 1),
    (14100, 14200, 0x02000002, 18, 1),
    (100, 200, 0x03000001, 19, 1), (1100, 1200, 0x03000001, 20, 1), (10100, 10200, 0x03000002, 21, 1),
    (12200, 12300, 0x03000002, 22, 1), (13100, 13200, 0x03000002, 23, 1), (14100, 14200, 0x03000002, 24, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (20100, 20190, 0x01000000, 0, 7, 1, 16, 16, NULL, NULL),
    (20200, 20290, 0x01000000, 0, 7, 2, 20, 21, NULL, NULL),
    (20300, 20390, 0x01000000, 0, 7, 3, 20, 21, NULL, NULL),
    (20400, 20490, 0x01000000, 0, 7, 4, 16, 16, NULL, NULL),
    (20500, 20590, 0x01000000, 0, 7, 5, 16, 16, NULL, NULL),
    (20600, 20690, 0x01000000, 0, 7, 6, 16, 16, NULL, NULL),
    (20700, 20790, 0x01000000, 0, 7, 7, 20, 21, NULL, NULL),
    (20800, 20890, 0x01000000, 0, 7, 8, 20, 21, NULL, NULL),
    (20900, 20990, 0x01000000, 0, 7, 9, 20, 21, NULL, NULL),
    (21000, 21090, 0x01000000, 0, 7, 10, 20, 21, NULL, NULL),
    (21100, 21190, 0x01000000, 0, 7, 11, 16, 16, NULL, NULL),
    (21200, 21290, 0x02000000, 0, 7, 12, 20, 21, NULL, NULL),
    (21300, 21390, 0x02000000, 0, 7, 13, 20, 21, NULL, NULL),
    (21400, 21490, 0x02000000, 0, 7, 14, 20, 21, NULL, NULL),
    (21500, 21590, 0x02000000, 0, 7, 15, 20, 21, NULL, NULL),
    (21600, 21690, 0x02000000, 0, 7, 16, 20, 21, NULL, NULL),
    (21700, 21790, 0x02000000, 0, 7, 17, 20, 21, NULL, NULL),
    (21800, 21890, 0x02000000, 0, 7, 18, 20, 21, NULL, NULL),
    (21900, 21990, 0x03000000, 0, 7, 19, 20, 21, NULL, NULL),
    (22000, 22090, 0x03000000, 0, 7, 20, 20, 21, NULL, NULL),
    (22100, 22190, 0x03000000, 0, 7, 21, 16, 16, NULL, NULL),
    (22200, 22290, 0x03000000, 0, 7, 22, 20, 21, NULL, NULL),
    (22300, 22390, 0x03000000, 0, 7, 23, 20, 21, NULL, NULL),
    (22400, 22490, 0x03000000, 0, 7, 24, 20, 21, NULL, NULL);
