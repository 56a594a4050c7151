-- SPDX-License-Identifier: Apache-2.0
-- A training step of JAX, as XLA's GPU executable marks it in the domain TSL, five times.
--
-- One turn, a second turn 1000 later, and so on; each launch is 10 long and its kernel starts 20
-- after it:
--
--   XlaModule jit_train_step                0..900
--     Thunk layers_0/dot_general/gemm_...   10..100    launches at 20: gemm  60 at 40..100
--     Thunk layers_1/dot_general/gemm_...   100..200   launches at 110: gemm  70 at 130..200
--     Thunk while (control flow)            200..500
--       Thunk while/body/add/loop_add_...   210..300   launches at 220: relu  50 at 240..290
--       Thunk while/body/add/loop_add_...   300..400   launches at 310: relu  50 at 330..380
--     Thunk transpose(jvp(...))/layers_1    500..600   launches at 510: gemm 140 at 530..670
--     Thunk fusion.7, no name               600..700   launches at 610, 620: relu 30 each, 670..700..730
--   XlaModule jit_convert                   920..990   launches at 930: relu  10 at 950..960
--
-- Steps: the module that lies around nearly all work, eight launches a turn, marks five. GPU time of a step 60 + 70 + 50 +
-- 50 + 140 + 60 = 430, and 10 of jit_convert; over five steps 2200.
-- layers_0 and layers_1 have 300 and 350, the backward 700, the loop 500, what has no name 300.
CREATE TEMP TABLE turn (n INTEGER);
INSERT INTO turn VALUES (0), (1), (2), (3), (4);
CREATE TEMP TABLE marked (at INTEGER, till INTEGER, text TEXT);
INSERT INTO marked VALUES
    (0, 900, 'XlaModule:#prefix=jit(train_step)/jit(main),hlo_module=jit_train_step,program_id=9#'),
    (10, 100, 'Thunk:#name=layers_0/dot_general[dimension_numbers=(((1,), (0,)), ((), ())) precision=None],hlo_op=gemm_fusion_dot.5#'),
    (100, 200, 'Thunk:#name=layers_1/dot_general[dimension_numbers=(((1,), (0,)), ((), ())) precision=None],hlo_op=gemm_fusion_dot.6#'),
    (200, 500, 'Thunk:#name=while,hlo_op=while.3#'),
    (210, 300, 'Thunk:#name=while/body/add,hlo_op=loop_add_fusion#'),
    (300, 400, 'Thunk:#name=while/body/add,hlo_op=loop_add_fusion#'),
    (500, 600, 'Thunk:#name=jit(train_step)/jit(main)/transpose(jvp(Net))/layers_1/dot_general,hlo_op=gemm_fusion_dot.7.remat#'),
    (600, 700, 'Thunk:#hlo_op=fusion.7#'),
    (920, 990, 'XlaModule:#hlo_module=jit_convert,program_id=12#');
CREATE TEMP TABLE launched (at INTEGER, from_ns INTEGER, till INTEGER, short_name INTEGER);
INSERT INTO launched VALUES
    (20, 40, 100, 10), (110, 130, 200, 10), (220, 240, 290, 12), (310, 330, 380, 12),
    (510, 530, 670, 10), (610, 670, 700, 12), (620, 700, 730, 12), (930, 950, 960, 12);
INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'TSL', 0x01000001, NULL, 1, NULL);
INSERT INTO NVTX_EVENTS
    SELECT 1000 * n + at, 1000 * n + till, 59, text, 0x01000001, NULL, 1, NULL FROM turn, marked;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
    SELECT 1000 * n + at, 1000 * n + at + 10, 0x01000001, 1000 * n + at, 1 FROM turn, launched;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    SELECT 1000 * n + from_ns, 1000 * n + till, 0x01000000, 0, 7, 1000 * n + at, short_name,
           short_name + 1, NULL, NULL
    FROM turn, launched;
