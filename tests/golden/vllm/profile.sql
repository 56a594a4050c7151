-- SPDX-License-Identifier: Apache-2.0
-- Six steps of a vLLM worker with layer-wise ranges: one prefill, then five decodes.
--
-- The name of a step holds how many requests and tokens it has, which differ every time. One step is
-- 1000 long; launches are 10 long, their kernels start 20 after them:
--
--   execute_context_C(T)_generation_G(G)         0..900
--     gpu_model_runner: forward                 10..700
--       {'Module': 'model', ...}                20..690
--         {'Module': 'model.layers.0.mlp', ..}  50..250    at 60, 100, 140: gemm 30 each
--         {'Module': 'model.layers.1.mlp', ..} 250..450    at 260, 300, 340: gemm 30 each
--     gpu_model_runner: sample                 700..800    at 710, 740: relu 20 each
--
-- A step has 220; the prefill and the decodes are two rows of the tree, 220 and 1100. The layers nest by
-- their paths, and have the shapes of their inputs. Iterations: all six; the text gives
-- the kind, requests (C + G) and tokens (T + G) of each. The last one ends with its range, at 5900.
CREATE TEMP TABLE turn (n INTEGER, name TEXT, tokens INTEGER);
INSERT INTO turn VALUES
    (0, 'execute_context_2(512)_generation_0(0)', 512),
    (1, 'execute_context_0(0)_generation_2(2)', 2),
    (2, 'execute_context_0(0)_generation_3(3)', 3),
    (3, 'execute_context_0(0)_generation_3(3)', 3),
    (4, 'execute_context_0(0)_generation_12(12)', 12),
    (5, 'execute_context_0(0)_generation_4(4)', 4);
CREATE TEMP TABLE marked (at INTEGER, till INTEGER, text TEXT); -- with the number of tokens for %d
INSERT INTO marked VALUES
    (10, 700, 'gpu_model_runner: forward'),
    (20, 690, '{''Module'': ''model'', ''Inputs'': [[%d]]}'),
    (50, 250, '{''Module'': ''model.layers.0.mlp'', ''TrainableParams'': {}, ''Inputs'': [[%d, 4096]]}'),
    (250, 450, '{''Module'': ''model.layers.1.mlp'', ''TrainableParams'': {}, ''Inputs'': [[%d, 4096]]}'),
    (700, 800, 'gpu_model_runner: sample');
CREATE TEMP TABLE launched (at INTEGER, ns INTEGER, short_name INTEGER);
INSERT INTO launched VALUES
    (60, 30, 10), (100, 30, 10), (140, 30, 10), (260, 30, 10), (300, 30, 10), (340, 30, 10),
    (710, 20, 12), (740, 20, 12);
INSERT INTO NVTX_EVENTS
    SELECT 1000 * n, 1000 * n + 900, 59, name, 0x01000001, NULL, NULL, NULL FROM turn;
INSERT INTO NVTX_EVENTS
    SELECT 1000 * n + at, 1000 * n + till, 59, printf(text, tokens), 0x01000001, NULL, NULL, NULL
    FROM turn, marked;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
    SELECT 1000 * n + at, 1000 * n + at + 10, 0x01000001, 1000 * n + at, 1 FROM turn, launched;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    SELECT 1000 * n + at + 20, 1000 * n + at + 20 + ns, 0x01000000, 0, 7, 1000 * n + at, short_name,
           short_name + 1, NULL, NULL
    FROM turn, launched;
