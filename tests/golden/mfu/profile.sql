-- SPDX-License-Identifier: Apache-2.0
-- What share of the GPU's peak the model needs, of three steps on a card of 312 TFLOP/s in BF16 and 19.5 in FP32.
--   step 1  3000000 ns, from its first work to that of step 2
--           linear, BF16, (4096, 4096) x (4096, 4096): 2 x 4096^3 = 137438953472 FLOPs, in its backward one product
--           more: 274877906944
--           causal attention over 4 x 16 heads of 1024 x 64: 4 x 64 x 1024 x 1024 x 64 = 17179869184 over all pairs,
--           of which half is the model's and run: 8589934592; its backward is five products, half of 2.5 times:
--           21474836480 are run, of which one product in five is worked out anew: 17179869184 are the model's
--           model 300647710720 FLOPs, at 312 TFLOP/s 963614.5 ns: 32.1 %; run 304942678016: 977380.4 ns, 32.6 %
--   step 2  2000000 ns
--           the linear layer runs again for a checkpoint: 440509.5 ns of hardware, and none of the model
--           linear, FP32 without Tensor Cores, 1024^3: 2147483648 FLOPs at 19.5 TFLOP/s, 110127.4 ns: 5.5 %; with
--           the former 27.5 %
--           a product of which nothing is told takes 200000 of 1000000 ns: 80 % is known, so that it is at least that
--   step 3  1000000 ns; of 600000 of 1000000 ns nothing is told: 40 % is known, and nothing is said
-- Of all three 2900000 of 3700000 ns are known, 78.4 %, and of 6000000 ns 1080625 are the model's: at least 18.0 %.
-- mfu.csv: --iters=all
-- A person may say it: 3e11 FLOPs a step are 961538.5 ns in BF16, which takes most of their time: 32.1, 48.1 and 96.2 %.
-- mfu.stated.csv: --iters=all --flops-per-step=1e11*3 --items-per-step=tokens:2*1024
-- 4e14 are more than the card can do: no share is more than all.
-- mfu.more.csv: --iters=all --flops-per-step=4e14
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT, uuid TEXT, memoryBandwidth INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA A100-SXM4-80GB', '0000:01:00.0', NULL, 2000000000000);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1);
INSERT INTO StringIds VALUES
    (24, 'flash_fwd_kernel'), (25, 'flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel'),
    (26, 'void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t> >()'),
    (27, 'void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<bfloat16_t>()');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 90000, 59, 'step 1', 0x01000001),
    (10, 9000, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''bfloat16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''bfloat16''}]}', 0x01000001),
    (20, 8900, 59, 'aten::addmm, seq = 4', 0x01000001),
    (20010, 29000, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''scaled_dot_product_attention'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 16, 1024, 64), ''dtype'': ''bfloat16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4, 16, 1024, 64), ''dtype'': ''bfloat16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4, 16, 1024, 64), ''dtype'': ''bfloat16''}, {''name'': ''is_causal'', ''type'': ''bool'', ''value'': True}]}', 0x01000001),
    (20020, 28900, 59, 'aten::scaled_dot_product_attention, seq = 5', 0x01000001),
    (30000, 39000, 59, 'autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0', 0x01000002),
    (30010, 38900, 59, 'ScaledDotProductFlashAttentionBackward0, seq = 5', 0x01000002),
    (40000, 49000, 59, 'autograd::engine::evaluate_function: AddmmBackward0', 0x01000002),
    (40010, 48900, 59, 'AddmmBackward0, seq = 4', 0x01000002),
    (100000, 190000, 59, 'step 2', 0x01000001),
    (110000, 119000, 59, 'CheckpointFunctionBackward, seq = 10', 0x01000002),
    (110010, 118900, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''bfloat16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''bfloat16''}]}', 0x01000002),
    (110020, 118800, 59, 'aten::addmm, seq = 12', 0x01000002),
    (120000, 129000, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 1024), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 1024), ''dtype'': ''float32''}]}', 0x01000001),
    (130000, 139000, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': []}', 0x01000001),
    (200000, 290000, 59, 'step 3', 0x01000001),
    (210000, 219000, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': []}', 0x01000001),
    (220000, 229000, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 1024), ''dtype'': ''bfloat16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 1024), ''dtype'': ''bfloat16''}]}', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1),
    (20100, 20200, 0x01000001, 2, 1),
    (30100, 30200, 0x01000002, 3, 1),
    (40100, 40200, 0x01000002, 4, 1),
    (110100, 110200, 0x01000002, 5, 1),
    (120100, 120200, 0x01000001, 6, 1),
    (130100, 130200, 0x01000001, 7, 1),
    (210100, 210200, 0x01000001, 8, 1),
    (220100, 220200, 0x01000001, 9, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000000, 2000000, 0x01000000, 0, 7, 1, 15, 15, NULL, NULL),
    (2000000, 2500000, 0x01000000, 0, 7, 4, 15, 15, NULL, NULL),
    (2500000, 2600000, 0x01000000, 0, 7, 2, 24, 26, NULL, NULL),
    (2600000, 2700000, 0x01000000, 0, 7, 3, 25, 27, NULL, NULL),
    (4000000, 4500000, 0x01000000, 0, 7, 5, 15, 15, NULL, NULL),
    (4500000, 4800000, 0x01000000, 0, 7, 6, 16, 16, NULL, NULL),
    (4800000, 5000000, 0x01000000, 0, 7, 7, 16, 16, NULL, NULL),
    (6000000, 6600000, 0x01000000, 0, 7, 8, 16, 16, NULL, NULL),
    (6600000, 7000000, 0x01000000, 0, 7, 9, 15, 15, NULL, NULL);
