-- SPDX-License-Identifier: Apache-2.0
-- Which run of which op launched a kernel, by PyProf's columns. Kernels by number:
--
-- Thread 1, forward
--    1 2  layers Net and Fc, traced train.py:10 (the library's line is left out): a linear layer, numbers 3
--         and 4; 4 is that of the backward. Its second kernel adds the bias.
--    3    attention, which is a shell: the linear layer in it is the op; number 5.
--    4 5  relu has number 6, mul 7.
--    6    mm, number 8, within the optimizer's step: it has a backward, so that a closure ran the model.
--    7 8  the step itself: number 9, which nothing is the backward of, and _foreach_add_.
--    9    a range of one's own names no op: column op shows it, column why says so.
-- Thread 2, the engine's: nothing numbered runs there but below nodes
--   10    AddmmBackward0, 4: the linear layer of 1, with its layers and lines
--   11    the sum behind it, for the bias: the same run
--   12    ReluBackward0 has number 7, as MulBackward0 of 13: mul's name fits that, so that relu is the one before
--   13
--   14    MmBackward0, 8
--   15    AccumulateGrad: an addition that is the backward of nothing
--   16    a checkpoint's backward runs a linear layer again, 12 ...
--   17    ... and its backward, whose forward is 16
--   18    the engine adds up gradients behind it: not the node's
--   19    no range is around it, but on this thread all is backward
--   20    has no launch
-- PyProf's forms: of the width 60 columns idx, dir, op, tc and sil take 39, and the name of the kernel has 21.
-- pyprof.quoted.pyprof-csv: --columns=idx,dir,mod,op,kernel,tc,sil
-- pyprof.spaced.pyprof-space: --columns=idx,dir,altseq,layer,op,kernel,sil
-- pyprof.width.pyprof-columns: -c idx,dir,op,kernel,tc,sil -w 60
-- Product kernels: 1 runs on Tensor Cores (tc 1), the other gemm do not (0).
-- Of 1 the shapes are told, (8, 16) x (32, 16): 2 x 8 x 16 x 32 = 8192 FLOPs, 2 x (128 + 512 + 256) = 1792 bytes;
-- its bias adds 256 numbers, read and written: 1024. The backward of it has the same once, as there is
-- one product in 10, with M = 16 and K = 32. Of the others nothing is told but the op.
INSERT INTO StringIds VALUES
    (20, 'elementwise_kernel'), (21, 'void at::native::elementwise_kernel<4, at::native::add>(int)'),
    (22, 'reduce_kernel'), (23, 'void at::native::<unnamed>::reduce_kernel<512>(int)');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 900, 59, 'layer:Net', 0x01000001),
    (10, 890, 59, 'layer:Fc', 0x01000001),
    (20, 880, 59, '{''traceMarker'': [''train.py:10'', ''/lib/torch/nn/modules/linear.py:87'']}', 0x01000001),
    (30, 870, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (8, 16), ''dtype'': ''float16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (32, 16), ''dtype'': ''float16''}]}', 0x01000001),
    (40, 860, 59, 'aten::linear, seq = 3', 0x01000001),
    (50, 850, 59, 'aten::addmm, seq = 4', 0x01000001),
    (1000, 1900, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''multi_head_attention_forward'', ''args'': []}', 0x01000001),
    (1010, 1890, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': []}', 0x01000001),
    (1020, 1880, 59, 'aten::linear, seq = 5', 0x01000001),
    (2000, 2900, 59, 'aten::relu, seq = 6', 0x01000001),
    (3000, 3900, 59, 'aten::mul, seq = 7', 0x01000001),
    (4000, 6900, 59, 'Optimizer.step#LBFGS.step', 0x01000001),
    (4100, 4900, 59, 'aten::mm, seq = 8', 0x01000001),
    (5000, 5900, 59, 'aten::add_, seq = 9', 0x01000001),
    (6000, 6800, 59, 'aten::_foreach_add_', 0x01000001),
    (7000, 7900, 59, 'mine', 0x01000001),
    (10000, 11900, 59, 'autograd::engine::evaluate_function: AddmmBackward0', 0x01000002),
    (10010, 10900, 59, 'AddmmBackward0, seq = 4', 0x01000002),
    (10020, 10890, 59, 'aten::mm', 0x01000002),
    (11000, 11800, 59, 'aten::sum', 0x01000002),
    (12000, 12900, 59, 'ReluBackward0, seq = 7', 0x01000002),
    (13000, 13900, 59, 'MulBackward0, seq = 7', 0x01000002),
    (14000, 14900, 59, 'MmBackward0, seq = 8', 0x01000002),
    (15000, 15900, 59, 'torch::autograd::AccumulateGrad', 0x01000002),
    (15010, 15890, 59, 'aten::add_', 0x01000002),
    (16000, 17900, 59, 'CheckpointFunctionBackward, seq = 10', 0x01000002),
    (16010, 16900, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': []}', 0x01000002),
    (16020, 16890, 59, 'aten::addmm, seq = 12', 0x01000002),
    (17000, 17800, 59, 'AddmmBackward0, seq = 12', 0x01000002),
    (18000, 18900, 59, 'aten::add', 0x01000002);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1), (300, 400, 0x01000001, 2, 1), (1100, 1200, 0x01000001, 3, 1),
    (2100, 2200, 0x01000001, 4, 1), (3100, 3200, 0x01000001, 5, 1), (4200, 4300, 0x01000001, 6, 1),
    (5100, 5200, 0x01000001, 7, 1), (6100, 6200, 0x01000001, 8, 1), (7100, 7200, 0x01000001, 9, 1),
    (10100, 10200, 0x01000002, 10, 1), (11100, 11200, 0x01000002, 11, 1), (12100, 12200, 0x01000002, 12, 1),
    (13100, 13200, 0x01000002, 13, 1), (14100, 14200, 0x01000002, 14, 1), (15100, 15200, 0x01000002, 15, 1),
    (16100, 16200, 0x01000002, 16, 1), (17100, 17200, 0x01000002, 17, 1), (18100, 18200, 0x01000002, 18, 1),
    (19100, 19200, 0x01000002, 19, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (20100, 20190, 0x01000000, 0, 7, 1, 15, 15, NULL, NULL),
    (20200, 20290, 0x01000000, 0, 7, 2, 20, 21, NULL, NULL),
    (20300, 20390, 0x01000000, 0, 7, 3, 16, 16, NULL, NULL),
    (20400, 20490, 0x01000000, 0, 7, 4, 20, 21, NULL, NULL),
    (20500, 20590, 0x01000000, 0, 7, 5, 20, 21, NULL, NULL),
    (20600, 20690, 0x01000000, 0, 7, 6, 16, 16, NULL, NULL),
    (20700, 20790, 0x01000000, 0, 7, 7, 20, 21, NULL, NULL),
    (20800, 20890, 0x01000000, 0, 7, 8, 20, 21, NULL, NULL),
    (20900, 20990, 0x01000000, 0, 7, 9, 20, 21, NULL, NULL),
    (21000, 21090, 0x01000000, 0, 7, 10, 16, 16, NULL, NULL),
    (21100, 21190, 0x01000000, 0, 7, 11, 22, 23, NULL, NULL),
    (21200, 21290, 0x01000000, 0, 7, 12, 20, 21, NULL, NULL),
    (21300, 21390, 0x01000000, 0, 7, 13, 20, 21, NULL, NULL),
    (21400, 21490, 0x01000000, 0, 7, 14, 16, 16, NULL, NULL),
    (21500, 21590, 0x01000000, 0, 7, 15, 20, 21, NULL, NULL),
    (21600, 21690, 0x01000000, 0, 7, 16, 16, 16, NULL, NULL),
    (21700, 21790, 0x01000000, 0, 7, 17, 16, 16, NULL, NULL),
    (21800, 21890, 0x01000000, 0, 7, 18, 20, 21, NULL, NULL),
    (21900, 21990, 0x01000000, 0, 7, 19, 20, 21, NULL, NULL),
    (22000, 22090, 0x01000000, 0, 7, 99, 16, 16, NULL, NULL);
