-- SPDX-License-Identifier: Apache-2.0
-- Ops by the other names that they have: of torch.ops, of the package flash_attn, of ATen's own convolutions, of
-- images. One kernel each; numbers are rows of `runs`, < > tensors of float32. FLOPs and bytes by hand:
--
-- torch.ops, as a marker names library, op and overload
--    1 2   (4, 8) x (8, 5): 2 x 160 = 320; 4 x (20 + 32 + 40) = 368
--    3     32 numbers, each read and written: 32, 256
--    4     (4, 8) + (8): 32; 4 x (32 + 8 + 32) = 288
--    5     weights come first, as ATen has them: 3 rows of 4 numbers, read and written, 3 indices: 0, 96 + 24
--    6     of two numbers of 4 bits to an element: 2 x 320; 20 + 32 + 40 bytes
-- flash_attn: 2 sequences, 3 heads of width 8; of 16 queries and keys 2 x 6 x 16 x 16 x (8 + 8) = 49152, of 4 queries 12288
--    7     causal, by its place: half of it is run, 24576; 4 x 4 x 768 = 12288 bytes
--    8     causal, 4 queries on 16 keys of one head: they miss 3 + 2 + 1 keys or so, 4 / 32 of it: 10752 are run;
--          4 x (192 + 256 + 256 + 192) = 3584
--    9     version 3 has causal as its fifth: as 7
--   10     in one tensor, and not causal: 49152 are run; 4 x 2304 for it, 3072 for the result
--   11     keys and values in one: as 8, all of it run
--   12     lengths are in memory, but one sequence is as long as all: 2 x 3 x 16 x 16 x 16 = 24576; 4 x 4 x 384 = 6144
--   13     two, of 32 together and 16 at most: as 7, not causal
--   14     two, of 20 together and 16 at most: what is run nobody tells; 4 x 4 x 480 = 7680
--   15     13 in one tensor
--   16     a cache of 64 keys, of which 32 are there, for one query, which sees all of them: 2 x 6 x 32 x 16 = 6144;
--          4 x (48 + 48 + 2 x 32 x 16) = 4480
--   17     ... of which a tensor tells how many
--   18     the package's Function as PyTorch's own range, half precision by the kernel's name: as 7, and it may be
--          causal, so that half is run; 2 x 4 x 768 = 6144
--   50     its backward: 2.5 times as much; 2 x 6144 + 2 x 768 = 13824
-- Attention's backward by itself, 4 queries on 16 keys: 2.5 x 12288 = 30720, of which half is run where the mask may
-- be causal; 2 bytes of q 192, k 768, v 768, o 192: twice 3840 and o once more, 8064
--   51-56  flash, efficient (a bias before out), cuDNN, overrideable; then (batch, position, head, width)
-- Images
--   19     (2, 4, 4) to (2, 8, 8) of 4 neighbours each: 8 x 128 = 1024; 4 x (32 + 128) = 640
--   20     the nearest is moved: 0, 640
--   21 57  the size is told by the gradient that the backward takes: as 19, both
--   58     a backward without its forward: 128 are added; to how many nobody tells
--   22     9 points of 2 channels, 4 neighbours: 8 x 18 = 144; 4 x (32 + 18 + 18) = 272
--   23     ... where nobody tells how: bytes
--   24     its backward, of both gradients: 288; 4 x (18 + 2 x 50) = 472
--   25     4 windows of 2 x 3 x 3: 72 numbers moved, 4 x (32 + 72) = 416
--   26     ... and added up: 72, 416
--   27     (7, 7) to (3, 3): windows overlap, 7 + 3 - 1 = 9 in a row: 2 x 81 = 162; 4 x (98 + 18) = 464
--   28     of 6 results 4 x 5 products with one input, 5 with the other: 2 x 6 x 5 x 5 = 300; 4 x (12 + 15 + 40 + 6) = 292
--   29     2 of (3, 4) x (4, 5): 240; 4 x 2 x (15 + 20 + 12) = 376
-- Convolutions by those who do them
--   30 31  padded to (3, 5, 5): 2 x 75 x 18 = 2700; 4 x (50 + 54 + 75) = 716
--   32     each channel by itself, strides 2, (4, 2, 2): 2 x 16 x 9 = 288; 4 x (100 + 36 + 16) = 608
--   33     (3, 3, 3): 2 x 27 x 18 = 972; 4 x (50 + 54 + 27) = 524
--   34     a transposed one, strides 2, to (3, 6, 6): each of 18 meets 3 x 4: 432; 4 x (18 + 24 + 108) = 600
CREATE TEMP TABLE runs (row INTEGER PRIMARY KEY, module TEXT, op TEXT, takes TEXT, kernel TEXT);
INSERT INTO runs VALUES
    (1, 'torch._ops.aten', 'mm.default', '<4, 8>, <8, 5>', 'gemm'),
    (2, 'torch._ops.aten.addmm', 'default', '<5,>, <4, 8>, <8, 5>', 'gemm'),
    (3, 'torch.ops.aten', 'relu_', '<4, 8>', 'relu'),
    (4, 'torch._ops', 'aten::add.Tensor', '<4, 8>, <8,>', 'add'),
    (5, 'torch._ops.aten', 'embedding.default', '<10, 4>, {"type": "tensor", "shape": (3,), "dtype": "int64"}', 'indexSelect'),
    (6, 'torch._ops.aten', 'mm.default', '{"type": "tensor", "shape": (4, 8), "dtype": "float4_e2m1fn_x2"}, {"type": "tensor", "shape": (8, 5), "dtype": "float4_e2m1fn_x2"}', 'gemm'),
    (7, 'torch._ops.flash_attn', '_flash_attn_forward.default', '<2, 16, 3, 8>, <2, 16, 3, 8>, <2, 16, 3, 8>, {"type": "float", "value": 0.0}, {"type": "float", "value": 0.35}, {"type": "bool", "value": True}', 'flash_fwd'),
    (8, 'flash_attn.flash_attn_interface', 'flash_attn_func', '<2, 4, 3, 8>, <2, 16, 1, 8>, <2, 16, 1, 8>, {"name": "causal", "type": "bool", "value": True}', 'flash_fwd'),
    (9, 'flash_attn_interface', 'flash_attn_func', '<2, 16, 3, 8>, <2, 16, 3, 8>, <2, 16, 3, 8>, {"type": "NoneType", "value": None}, {"type": "bool", "value": True}', 'flash_fwd'),
    (10, 'flash_attn', 'flash_attn_qkvpacked_func', '<2, 16, 3, 3, 8>', 'flash_fwd'),
    (11, 'flash_attn', 'flash_attn_kvpacked_func', '<2, 4, 3, 8>, <2, 16, 2, 1, 8>', 'flash_fwd'),
    (12, 'flash_attn', 'flash_attn_varlen_func', '<16, 3, 8>, <16, 3, 8>, <16, 3, 8>, <2,>, <2,>, {"type": "int", "value": 16}, {"type": "int", "value": 16}', 'flash_fwd'),
    (13, 'flash_attn', 'flash_attn_varlen_func', '<32, 3, 8>, <32, 3, 8>, <32, 3, 8>, <3,>, <3,>, {"type": "int", "value": 16}, {"type": "int", "value": 16}', 'flash_fwd'),
    (14, 'flash_attn', 'flash_attn_varlen_func', '<20, 3, 8>, <20, 3, 8>, <20, 3, 8>, <3,>, <3,>, {"type": "int", "value": 16}, {"type": "int", "value": 16}', 'flash_fwd'),
    (15, 'flash_attn', 'flash_attn_varlen_qkvpacked_func', '<32, 3, 3, 8>, <3,>, {"type": "int", "value": 16}', 'flash_fwd'),
    (16, 'flash_attn', 'flash_attn_with_kvcache', '<2, 1, 3, 8>, <2, 64, 1, 8>, <2, 64, 1, 8>, {"name": "cache_seqlens", "type": "int", "value": 32}, {"name": "causal", "type": "bool", "value": True}', 'flash_fwd'),
    (17, 'flash_attn', 'flash_attn_with_kvcache', '<2, 1, 3, 8>, <2, 64, 1, 8>, <2, 64, 1, 8>, {"name": "cache_seqlens", "type": "tensor", "shape": (2,), "dtype": "int32"}', 'flash_fwd'),
    (18, NULL, 'FlashAttnFunc, seq = 50, op_id = 9', '[2, 16, 3, 8], [2, 16, 3, 8], [2, 16, 3, 8], [], [], []', 'flash_fwd'),
    (19, 'torch.nn.functional', 'interpolate', '<1, 2, 4, 4>, {"name": "size", "type": "int", "value": 8}, {"name": "mode", "type": "str", "value": "bilinear"}', 'upsample'),
    (20, 'torch.nn.functional', 'interpolate', '<1, 2, 4, 4>, {"name": "scale_factor", "type": "float", "value": 2.0}', 'upsample'),
    (21, NULL, 'aten::upsample_bilinear2d, seq = 57', '[1, 2, 4, 4], [], [], [], []', 'upsample'),
    (22, 'torch.nn.functional', 'grid_sample', '<1, 2, 4, 4>, <1, 3, 3, 2>', 'grid_sampler'),
    (23, NULL, 'aten::grid_sampler_2d, seq = 22', '[1, 2, 4, 4], [1, 3, 3, 2], [], [], []', 'grid_sampler'),
    (24, 'torch._ops.aten', 'grid_sampler_2d_backward.default', '<1, 2, 3, 3>, <1, 2, 4, 4>, <1, 3, 3, 2>, {"type": "int", "value": 0}', 'grid_sampler'),
    (25, 'torch.nn.functional', 'unfold', '<1, 2, 4, 4>, {"type": "int", "value": 3}', 'im2col'),
    (26, 'torch.nn.functional', 'fold', '<1, 18, 4>, {"type": "tuple", "value": (4, 4)}, {"type": "int", "value": 3}', 'im2col'),
    (27, 'torch.nn.functional', 'adaptive_avg_pool2d', '<1, 2, 7, 7>, {"type": "int", "value": 3}', 'pool'),
    (28, 'torch.nn.functional', 'bilinear', '<3, 4>, <3, 5>, <2, 4, 5>', 'gemm'),
    (29, 'torch', 'baddbmm', '<2, 3, 5>, <2, 3, 4>, <2, 4, 5>', 'gemm'),
    (30, 'torch._ops.aten', '_slow_conv2d_forward.default', '<1, 2, 5, 5>, <3, 2, 3, 3>, {"type": "list", "value": [3, 3]}, {"type": "NoneType", "value": None}, {"type": "list", "value": [1, 1]}, {"type": "list", "value": [1, 1]}', 'gemm'),
    (31, 'torch._ops.aten', 'thnn_conv2d', '<1, 2, 5, 5>, <3, 2, 3, 3>, {"type": "int", "value": 3}, {"name": "padding", "type": "int", "value": 1}, {"name": "stride", "type": "int", "value": 1}', 'gemm'),
    (32, 'torch._ops.aten', '_conv_depthwise2d.default', '<1, 4, 5, 5>, <4, 1, 3, 3>, {"type": "list", "value": [3, 3]}, {"type": "NoneType", "value": None}, {"type": "list", "value": [2, 2]}, {"type": "list", "value": [0, 0]}, {"type": "list", "value": [1, 1]}', 'depthwise'),
    (33, 'torch._ops.aten', 'mkldnn_convolution', '<1, 2, 5, 5>, <3, 2, 3, 3>, {"type": "NoneType", "value": None}, {"type": "list", "value": [0, 0]}, {"type": "list", "value": [1, 1]}, {"type": "list", "value": [1, 1]}, {"type": "int", "value": 1}', 'gemm'),
    (34, 'torch._ops.aten', 'slow_conv_transpose2d', '<1, 2, 3, 3>, <2, 3, 2, 2>, {"type": "list", "value": [2, 2]}, {"type": "NoneType", "value": None}, {"type": "list", "value": [2, 2]}', 'gemm'),
    -- Nodes of the backward's graph, and what each runs.
    (50, 'FlashAttnFuncBackward', NULL, '[2, 16, 3, 8]', 'flash_bwd'),
    (51, 'ScaledDotProductFlashAttentionBackward0', 'aten::_scaled_dot_product_flash_attention_backward', '[2, 3, 4, 8], [2, 3, 4, 8], [2, 3, 16, 8], [2, 3, 16, 8], [2, 3, 4, 8], [2, 3, 4], [], [], [], [], [], [], [], [], []', 'flash_bwd'),
    (52, 'ScaledDotProductEfficientAttentionBackward0', 'aten::_scaled_dot_product_efficient_attention_backward', '[2, 3, 4, 8], [2, 3, 4, 8], [2, 3, 16, 8], [2, 3, 16, 8], [2, 3, 4, 16], [2, 3, 4, 8], [2, 3, 4], [], [], [], [], [], []', 'flash_bwd'),
    (53, 'ScaledDotProductCudnnAttentionBackward0', 'aten::_scaled_dot_product_cudnn_attention_backward', '[2, 3, 4, 8], [2, 3, 4, 8], [2, 3, 16, 8], [2, 3, 16, 8], [2, 3, 4, 8], [2, 3, 4, 1], [], [], [], [], [], [], [], [], [], []', 'flash_bwd'),
    (54, 'ScaledDotProductFusedAttentionOverrideableBackward0', 'aten::_scaled_dot_product_fused_attention_overrideable_backward', '[2, 3, 4, 8], [2, 3, 4, 8], [2, 3, 16, 8], [2, 3, 16, 8], [], [], [2, 3, 4, 8], [2, 3, 4], [], [], [], [], [], []', 'flash_bwd'),
    (55, 'FlashAttentionBackward0', 'aten::_flash_attention_backward', '[2, 4, 3, 8], [2, 4, 3, 8], [2, 16, 3, 8], [2, 16, 3, 8], [2, 4, 3, 8], [2, 3, 4], [], [], [], [], [], []', 'flash_bwd'),
    (56, 'EfficientAttentionBackward0', 'aten::_efficient_attention_backward', '[2, 4, 3, 8], [2, 4, 3, 8], [2, 16, 3, 8], [2, 16, 3, 8], [], [2, 4, 3, 8], [], [], [], [], [2, 3, 4], [], []', 'flash_bwd'),
    (57, 'UpsampleBilinear2DBackward0', 'aten::upsample_bilinear2d_backward', '[1, 2, 8, 8], [], [], [], [], []', 'upsample'),
    (58, 'UpsampleNearest2DBackward0', 'aten::upsample_nearest2d_backward', '[1, 2, 8, 8], [], [], [], []', 'upsample');
CREATE TEMP TABLE kernels (id INTEGER PRIMARY KEY, name TEXT, full TEXT);
INSERT INTO kernels (name, full) VALUES
    ('gemm', 'ampere_sgemm_128x64_nn'), ('relu', 'void relu<float>(int)'), ('add', 'void add<float>(int)'),
    ('indexSelect', 'void indexSelectSmallIndex<float, long>(int)'), ('flash_fwd', 'void flash_fwd_kernel<cutlass::half_t>()'),
    ('flash_bwd', 'void flash_bwd_dq_dk_dv_loop_kernel<cutlass::half_t>()'),
    ('upsample', 'void upsample_bilinear2d_out_frame<float, float>(int)'), ('pool', 'void adaptive_average_pool<float>(int)'),
    ('grid_sampler', 'void grid_sampler_2d_kernel<float, int>(int)'), ('im2col', 'void im2col_kernel<float>(int)'),
    ('depthwise', 'void conv_depthwise2d_forward_kernel<3, float>(int)');
INSERT INTO StringIds SELECT 100 + id, name FROM kernels UNION ALL SELECT 200 + id, full FROM kernels;
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)
    SELECT row * 1000, row * 1000 + 900, 59, '{"mod": "' || module || '", "op": "' || op || '", "args": [' ||
        replace(replace(takes, '<', '{"type": "tensor", "dtype": "float32", "shape": ('), '>', ')}') || ']}', 0x01000001
    FROM runs WHERE row < 50 AND module NOT NULL
    UNION ALL SELECT row * 1000, row * 1000 + 900, 59, op || ', sizes = [' || takes || ']', 0x01000001
    FROM runs WHERE row < 50 AND module IS NULL
    UNION ALL SELECT row * 1000, row * 1000 + 900, 59, module || ', seq = ' || row, 0x01000002 FROM runs WHERE row >= 50
    UNION ALL SELECT row * 1000 + 10, row * 1000 + 890, 59, op || ', sizes = [' || takes || ']', 0x01000002
    FROM runs WHERE row >= 50 AND op NOT NULL;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
    SELECT row * 1000 + 100, row * 1000 + 110, iif(row < 50, 0x01000001, 0x01000002), row, 1 FROM runs;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    SELECT row * 1000 + 200, row * 1000 + 300, 0x01000000, 0, 7, row, 100 + id, 200 + id, NULL, NULL
    FROM runs JOIN kernels ON name = kernel;
