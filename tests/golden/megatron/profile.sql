-- SPDX-License-Identifier: Apache-2.0
-- A training step of Megatron-Core with --nvtx-ranges and Transformer Engine, five times.
--
-- Nothing numbers the steps. One turn, 1000 long; launches are 10 long, their kernels start 20 after
-- them:
--
--   thread 1   forward-compute                                              0..300
--                ...transformer_layer._forward_attention.self_attention    10..150   at 20, 80: gemm 40 each
--                ...transformer_layer._forward_mlp.mlp                    150..290
--                  ...mlp.forward.linear_fc1                              160..220
--                    transformer_engine._Linear.forward.gemm              165..215
--                      nvte_cublas_gemm                                   166..214   at 170: gemm 50
--                  ...mlp.forward.activation                              220..280   at 230: relu 30
--              backward-compute                                           300..700   calls nothing
--              optimizer                                                  700..900   at 710, 730: relu 20 each
--   thread 2   transformer_engine._Linear.backward.dgrad_gemm             350..450   at 360: gemm 60
--              transformer_engine._Linear.backward.wgrad_gemm             450..550   at 460: gemm 80
--
-- Thread 2 is autograd's: its root ranges lie in backward-compute, which waits for it meanwhile.
-- GPU time of a turn: self_attention 80, linear_fc1 50, activation 30, backward 140, optimizer 40 = 340;
-- of five 1700. Iterations: what comes once in every turn before the optimizer's end, five.
CREATE TEMP TABLE turn (n INTEGER);
INSERT INTO turn VALUES (0), (1), (2), (3), (4);
CREATE TEMP TABLE marked (thread INTEGER, at INTEGER, till INTEGER, text TEXT);
INSERT INTO marked VALUES
    (1, 0, 300, 'forward-compute'),
    (1, 10, 150, 'megatron.core.transformer.transformer_layer._forward_attention.self_attention'),
    (1, 150, 290, 'megatron.core.transformer.transformer_layer._forward_mlp.mlp'),
    (1, 160, 220, 'megatron.core.transformer.mlp.forward.linear_fc1'),
    (1, 165, 215, 'transformer_engine._Linear.forward.gemm'),
    (1, 166, 214, 'nvte_cublas_gemm'),
    (1, 220, 280, 'megatron.core.transformer.mlp.forward.activation'),
    (1, 300, 700, 'backward-compute'),
    (1, 700, 900, 'optimizer'),
    (2, 350, 450, 'transformer_engine._Linear.backward.dgrad_gemm'),
    (2, 450, 550, 'transformer_engine._Linear.backward.wgrad_gemm');
CREATE TEMP TABLE launched (thread INTEGER, at INTEGER, ns INTEGER, short_name INTEGER);
INSERT INTO launched VALUES
    (1, 20, 40, 10), (1, 80, 40, 10), (1, 170, 50, 10), (1, 230, 30, 12), (2, 360, 60, 10),
    (2, 460, 80, 10), (1, 710, 20, 12), (1, 730, 20, 12);
INSERT INTO NVTX_EVENTS
    SELECT 1000 * n + at, 1000 * n + till, 59, text, 0x01000000 + thread, NULL, NULL, NULL
    FROM turn, marked;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
    SELECT 1000 * n + at, 1000 * n + at + 10, 0x01000000 + thread, 1000 * n + at, 1
    FROM turn, launched;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    SELECT 1000 * n + at + 20, 1000 * n + at + 20 + ns, 0x01000000, 0, 7, 1000 * n + at, short_name,
           short_name + 1, NULL, NULL
    FROM turn, launched;
