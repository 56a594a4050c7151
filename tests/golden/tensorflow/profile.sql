-- SPDX-License-Identifier: Apache-2.0
-- TensorFlow 1 on two GPUs: ranges of NVIDIA's builds on the executor's threads, NCCL's beside them.
--
-- One turn of session.run, three of them, 1000 apart; each launch is 10 long:
--
--   thread 1   MatMul: layer_0/dense/MatMul              0..100    launches at 10: gemm 100 at 100..200
--              Relu: layer_0/Relu                      100..200    launches at 110: relu 50 at 200..250
--              {"op": "_XlaRun", ...cluster_3_1/xla_run} 200..400  launches at 210, 220: relu 20 each at
--                                                                  250..270, 270..290
--              VariableV2: global_step                 900..950    launches nothing
--   thread 2   MatMul: replica_1/layer_0/dense/MatMul    0..120    launches at 10: gemm 80 on GPU 1
--              replica_1/layer_0/Relu:Relu             120..200    of the domain TSL, with shapes, nothing
--   thread 3   ncclAllReduce of the domain NCCL        300..400    launches at 310: nccl 100 at 400..500
--
-- Ops by DLProf's rule: the node's name, no leading slash, no direction. NCCL's call is the op
-- NCCL/ncclAllReduce of type NCCL. The mode is TensorFlow 1, since there is a global_step, which ends the
-- iterations of DLProf's reports: at 950, 1950 and 2950, so three and the rest, in which nothing ran.
-- GPU time of a turn: 100 + 50 + 40 on GPU 0, 80 on GPU 1, 100 of NCCL: 1110 in all.
-- Tree, of the two turns whose windows a key op both begins and ends: layer_0 holds dense/MatMul and Relu
-- (300), replica_1 the other GPU's (160), cluster_3_1 80. What runs on the executor's threads is in
-- nothing of another of them, so that NCCL's 200 stand beside cluster_3_1, which is open meanwhile.
CREATE TEMP TABLE turn (n INTEGER);
INSERT INTO turn VALUES (0), (1), (2);
CREATE TEMP TABLE marked (thread INTEGER, at INTEGER, till INTEGER, domain INTEGER, text TEXT);
INSERT INTO marked VALUES
    (1, 0, 100, 1, 'MatMul: layer_0/dense/MatMul'),
    (1, 100, 200, 1, 'Relu: layer_0/Relu'),
    (1, 200, 400, 1, '{"op": "_XlaRun", "name": "cluster_3_1/xla_run", "attributes": {}}'),
    (1, 900, 950, 1, 'VariableV2: global_step'),
    (2, 0, 120, 1, 'MatMul: replica_1/layer_0/dense/MatMul'),
    (2, 120, 200, 2, 'replica_1/layer_0/Relu:Relu#shape=(half[32,10])#'),
    (3, 300, 400, 3, 'ncclAllReduce');
CREATE TEMP TABLE launched (thread INTEGER, at INTEGER, from_ns INTEGER, till INTEGER, gpu INTEGER,
    short_name INTEGER, name INTEGER);
INSERT INTO launched VALUES
    (1, 10, 100, 200, 0, 10, 11), (1, 110, 200, 250, 0, 12, 13), (1, 210, 250, 270, 0, 12, 13),
    (1, 220, 270, 290, 0, 12, 13), (2, 10, 100, 180, 1, 10, 11), (3, 310, 400, 500, 0, 14, 14);
INSERT INTO NVTX_EVENTS VALUES
    (0, NULL, 75, 'tensorflow-core', 0x01000001, NULL, 1, NULL),
    (0, NULL, 75, 'TSL', 0x01000001, NULL, 2, NULL),
    (0, NULL, 75, 'NCCL', 0x01000001, NULL, 3, NULL);
INSERT INTO NVTX_EVENTS
    SELECT 1000 * n + at, 1000 * n + till, 59, text, 0x01000000 + thread, NULL, domain, NULL
    FROM turn, marked;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
    SELECT 1000 * n + at, 1000 * n + at + 10, 0x01000000 + thread, 10000 * thread + 1000 * n + at, 1
    FROM turn, launched;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    SELECT 1000 * n + from_ns, 1000 * n + till, 0x01000000, gpu, 7, 10000 * thread + 1000 * n + at,
           short_name, name, NULL, NULL
    FROM turn, launched;
