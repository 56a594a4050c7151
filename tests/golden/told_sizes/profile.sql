-- SPDX-License-Identifier: Apache-2.0
-- Ranges of emit_nvtx(record_shapes=True) do not tell the size of a convolution's result, nor that of a
-- pooling. Its backward takes the gradient of the result, which has that size; what is known of a forward
-- must not hide what the backward itself tells.
--
--   1     forward, (2, 3, 8, 8) x (4, 3, 3, 3): the result (2, 4, 6, 6) is told by 11 alone.
--         2 x 288 x 27 = 15552 FLOPs, 4 x (384 + 108 + 288) = 3120 bytes. Autograd numbers aten::convolution,
--         and the op is what that calls.
--   2     max_pool2d of (2, 4, 6, 6): result (2, 4, 3, 3), with 8 bytes for each place: the window is not
--         told, and with it the FLOPs. 4 x 288 + 12 x 72 = 2016 bytes
--   3     a convolution that has no backward: nothing is told of its result
--   4     adaptive_avg_pool2d of (2, 4, 6, 6) to (2, 4, 1, 1): 288 FLOPs, 4 x (288 + 8) = 1184 bytes
--   5     nll_loss: its targets are int64, whatever the op's type is
--   11 12 dgrad and wgrad: each as the forward; the sum of the bias in it (13) gets 288 and 1152.
--   14    of the pooling: 1 for each gradient, 72, and the same bytes
--   15    of the adaptive one
--   16    of a convolution whose forward is not in the file: as 11, by itself
--   17    as PyTorch 1.10 wrote it, input before gradient: as 11
--   18    ... and its forward: as 1
--   19 20 an average pooling's backward that launches something beside what tells its sizes (20): what is told
--         is not all it runs, and tells nothing
INSERT INTO StringIds VALUES
    (20, 'implicit_convolve_sgemm'), (21, 'void implicit_convolve_sgemm<float, float>(int)'),
    (22, 'max_pool_forward_nchw'), (23, 'void at::native::max_pool_forward_nchw<float, float>(int)'),
    (24, 'reduce_kernel'), (25, 'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(int)'),
    (26, 'nll_loss_forward'), (27, 'void at::native::nll_loss_forward<float, float, long>(int)'),
    (30, 'dgrad_engine'), (31, 'void cudnn::cnn::dgrad_engine<float, 512>(int)'),
    (32, 'wgrad_alg0_engine'), (33, 'void cudnn::cnn::wgrad_alg0_engine<float, 512>(int)'),
    (34, 'max_pool_backward_nchw'), (35, 'void at::native::max_pool_backward_nchw<float, float>(int)'),
    (36, 'elementwise_kernel'), (37, 'void at::native::elementwise_kernel<128, 2, float>(int)');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 900, 59, 'aten::conv2d, seq = 1, sizes = [[2, 3, 8, 8], [4, 3, 3, 3], [4], [], [], [], []]', 0x01000001),
    (10, 890, 59, 'aten::convolution, seq = 1, sizes = [[2, 3, 8, 8], [4, 3, 3, 3], [4], [], [], [], [], [], []]', 0x01000001),
    (20, 880, 59, 'aten::_convolution, sizes = [[2, 3, 8, 8], [4, 3, 3, 3], [4], [], [], [], [], [], []]', 0x01000001),
    (30, 870, 59, 'aten::cudnn_convolution, sizes = [[2, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], [], [], []]', 0x01000001),
    (1000, 1900, 59, 'aten::max_pool2d, seq = 2, sizes = [[2, 4, 6, 6], [], [], [], [], []]', 0x01000001),
    (1010, 1890, 59, 'aten::max_pool2d_with_indices, seq = 2, sizes = [[2, 4, 6, 6], [], [], [], [], []]', 0x01000001),
    (2000, 2900, 59, 'aten::convolution, seq = 3, sizes = [[2, 3, 8, 8], [4, 3, 3, 3], [4], [], [], [], [], [], []]', 0x01000001),
    (3000, 3900, 59, 'aten::_adaptive_avg_pool2d, seq = 4, sizes = [[2, 4, 6, 6], []]', 0x01000001),
    (4000, 4900, 59, 'aten::nll_loss_forward, seq = 5, sizes = [[32, 100], [32], [], [], []]', 0x01000001),
    (5000, 5900, 59, 'aten::cudnn_convolution, seq = 7, sizes = [[2, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], [], [], []]', 0x01000001),
    (10000, 11900, 59, 'autograd::engine::evaluate_function: ConvolutionBackward0', 0x01000002),
    (10010, 11890, 59, 'ConvolutionBackward0, seq = 1, sizes = [[2, 4, 6, 6]]', 0x01000002),
    (10020, 11880, 59, 'aten::convolution_backward, sizes = [[2, 4, 6, 6], [2, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], [], [], [], []]', 0x01000002),
    (11200, 11800, 59, 'aten::sum, sizes = [[2, 4, 6, 6], [], [], []]', 0x01000002),
    (12000, 12900, 59, 'MaxPool2DWithIndicesBackward0, seq = 2', 0x01000002),
    (12010, 12890, 59, 'aten::max_pool2d_with_indices_backward, sizes = [[2, 4, 3, 3], [2, 4, 6, 6], [], [], [], [], [], [2, 4, 3, 3]]', 0x01000002),
    (13000, 13900, 59, 'AdaptiveAvgPool2DBackward0, seq = 4', 0x01000002),
    (13010, 13890, 59, 'aten::_adaptive_avg_pool2d_backward, sizes = [[2, 4, 1, 1], [2, 4, 6, 6]]', 0x01000002),
    (14000, 14900, 59, 'ConvolutionBackward0, seq = 99', 0x01000002),
    (14010, 14890, 59, 'aten::convolution_backward, sizes = [[2, 4, 6, 6], [2, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], [], [], [], []]', 0x01000002),
    (15000, 15900, 59, 'CudnnConvolutionBackward0, seq = 7', 0x01000002),
    (15010, 15890, 59, 'aten::cudnn_convolution_backward, sizes = [[2, 3, 8, 8], [2, 4, 6, 6], [4, 3, 3, 3], [], [], [], [], [], [], []]', 0x01000002),
    (6000, 6900, 59, 'aten::avg_pool2d, seq = 8, sizes = [[2, 4, 6, 6], [], [], [], [], [], []]', 0x01000001),
    (16000, 16900, 59, 'AvgPool2DBackward0, seq = 8', 0x01000002),
    (16500, 16600, 59, 'aten::sum, sizes = [[512, 1024], []]', 0x01000002);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 110, 0x01000001, 1, 1), (1100, 1110, 0x01000001, 2, 1), (2100, 2110, 0x01000001, 3, 1),
    (3100, 3110, 0x01000001, 4, 1), (4100, 4110, 0x01000001, 5, 1), (5100, 5110, 0x01000001, 18, 1),
    (10100, 10110, 0x01000002, 11, 1), (10200, 10210, 0x01000002, 12, 1), (11300, 11310, 0x01000002, 13, 1),
    (12100, 12110, 0x01000002, 14, 1), (13100, 13110, 0x01000002, 15, 1), (14100, 14110, 0x01000002, 16, 1),
    (15100, 15110, 0x01000002, 17, 1),
    (6100, 6110, 0x01000001, 21, 1), (16100, 16110, 0x01000002, 19, 1), (16510, 16520, 0x01000002, 20, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (200, 300, 0x01000000, 0, 7, 1, 20, 21, NULL, NULL), (1200, 1300, 0x01000000, 0, 7, 2, 22, 23, NULL, NULL),
    (2200, 2300, 0x01000000, 0, 7, 3, 20, 21, NULL, NULL), (3200, 3300, 0x01000000, 0, 7, 4, 24, 25, NULL, NULL),
    (4200, 4300, 0x01000000, 0, 7, 5, 26, 27, NULL, NULL), (5200, 5300, 0x01000000, 0, 7, 18, 20, 21, NULL, NULL),
    (10300, 10400, 0x01000000, 0, 7, 11, 30, 31, NULL, NULL),
    (10500, 10600, 0x01000000, 0, 7, 12, 32, 33, NULL, NULL),
    (11400, 11500, 0x01000000, 0, 7, 13, 24, 25, NULL, NULL),
    (12200, 12300, 0x01000000, 0, 7, 14, 34, 35, NULL, NULL),
    (13200, 13300, 0x01000000, 0, 7, 15, 36, 37, NULL, NULL),
    (14200, 14300, 0x01000000, 0, 7, 16, 30, 31, NULL, NULL),
    (15200, 15300, 0x01000000, 0, 7, 17, 30, 31, NULL, NULL),
    (6200, 6300, 0x01000000, 0, 7, 21, 24, 25, NULL, NULL),
    (16200, 16300, 0x01000000, 0, 7, 19, 36, 37, NULL, NULL),
    (16600, 16700, 0x01000000, 0, 7, 20, 24, 25, NULL, NULL);
