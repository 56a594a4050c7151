-- SPDX-License-Identifier: Apache-2.0
-- A database of DLProf: two GPUs, each fed by a thread of one process, a backward on a third; two
-- aggregations and two domains. Times in ns; a step is the same 1,000 later, a third one has a conv2d
-- alone:
--
--   thread 100  [20,60] cudaMalloc  [100,200] conv2d   [300,500] backward, synchronises [430,490]
--   thread 101                      [200,260] relu
--   thread 102                                         [320,420] conv2d, bprop
--   GPU 0       sgemm [150,250] (step 1: h884 [1150,1230], a Tensor Core kernel; step 2: sgemm
--               [1730,1770]), copy [255,265] of 4,096 bytes in step 0, dgrad [360,440]
--   GPU 1       relu_kernel [260,300], memset [300,305] of 1,024 bytes in step 0
--
-- Aggregation 1 did not find a key op: one iteration [0,1770]. Aggregation 2 is by RELU_1, whose ends
-- 260 and 1260 cut, and of all three. Aggregation 3 is by the backward op, whose ends 500 and 1500 cut:
-- [0,499], [500,1499], [1500,1770], and is of 0 and 1. That is what is shown unless another is asked
-- for: wall clock 499 + 999 = 1,498. Their periods, from one beginning to the next: 500 and 1000.
-- The GPUs work 190 and 45 in 0, 160 and 40 in 1; their medians 117 (a half is cut off) and 100 are 73
-- and 60 below GPU 0. By RELU_1 it is 110 and 45 in 0: 33.
--   conv2d fprop  CPU 100 + 100, GPU 110 + 80, launches 20 + 5 + event 2 and 20: overhead 73 and 80,
--                 idle 265 - 150 - 110 = 5 and 0
--   relu          CPU 60 + 60, GPU 45 + 40, calls 10 + 5 and 10: overhead 45 and 50
--   backward      CPU 200 + 200, no GPU; synchronises 60: overhead 140 each
--   conv2d bprop  CPU 100 + 100, GPU 80 + 80, launch 20: overhead 80 each
--   cudaMalloc    CPU 40, unassociated
-- GPU utilization of [0,499] and [500,1499]: GPU 0 (100 + 80 + 80 + 80) / 1498, GPU 1 (40 + 40) /
-- 1498; their mean is 14.0 %. Of the eligible ops' kernel time 340 the Tensor Core kernel has 80: 23.5 %.
-- Memory: 23.6 % of the busier GPU is used: 23 %.
--
-- By RELU_1, as an aggregation or as a key op, iteration 0 is [0,259], 1 [260,1259] and 2 [1260,1770]:
-- all ops count, conv2d with three runs. The domain `custom` has the op `forward` [90,290] alone, with
-- the kernel, the copy and the event of the first conv2d: GPU 110, overhead 200 - 20 - 5 - 2 = 173,
-- idle 5.
--
-- detail.relu.csv: --key_op=aggregation:2
-- iterations.relu.csv: --key_op=aggregation:2
-- iterations.key.csv: --key_op=RELU_1
-- kernels.2.csv: --iters=2
-- detail.custom.csv: --domain=custom
INSERT INTO dictionary (id, string) VALUES
    (1, 'default-domain'), (2, 'custom'), (3, ''), (4, 'fprop'), (5, 'bprop'), (6, 'float32'),
    (7, 'conv2d'), (8, 'relu'), (9, 'backward'), (10, 'cudaMalloc_v3020'), (11, 'forward'),
    (12, 'N,C,H,W;K,C,R,S'), (13, 'N,K,P,Q'), (14, 'SH,SW;PH,PW;DH,DW;G'),
    (15, '[[8,3,16,16],[4,3,5,5],[4]]' || char(10)), (16, '[[8,4,12,12]]' || char(10)),
    (17, 'null' || char(10)), (18, '[[1,1],[0,0],[1,1],[1]]' || char(10)),
    (19, '[[8,4,12,12]]' || char(10) || char(10)),
    (20, 'sgemm'), (21, 'void sgemm<float>(int)'), (22, 'h884gemm'),
    (23, 'void h884gemm<half>(int)'), (24, 'relu_kernel'), (25, 'void relu_kernel<float>(int)'),
    (26, 'dgrad'), (27, 'void dgrad<float>(int)'), (28, 'cudaMemcpyAsync_v3020'),
    (29, 'cudaMemsetAsync_v3020'), (30, 'cudaStreamSynchronize_v3020'),
    (31, 'cudaEventRecord_v3020'), (32, 'CONV2D_1'), (33, 'RELU_1'), (34, 'BACKWARD_1'),
    (35, 'CONV2D_2'), (36, 'CUDAMALLOC_V3020_1'), (37, 'FORWARD_1'),
    (38, '/module/train/backward');
INSERT INTO db_version VALUES (1, '1.8.0', '1.8.0');
INSERT INTO read_only_domains VALUES (1, 1), (2, 2);
INSERT INTO read_only_gpu_infos VALUES (1, 1, 'NVIDIA B', 8, 0, 108), (2, 0, 'NVIDIA A', 7, 0, 80);
INSERT INTO gpu_memories VALUES (1, 1000, 236), (2, 1000, 100);
INSERT INTO read_only_system_config VALUES (1, 1, '2', 'A CPU', '470.57.02', 'PyTorch 1.10',
    '11.4', '8.2', '2021.3', 'v1.8.0', '29839685', 'a name', 4, 'pytorch', 'dlprof python train.py');
INSERT INTO read_only_model_config VALUES (1, 2, 1, 1, 0, 0, 0, 0, 0, 1, 0);
INSERT INTO read_only_ops VALUES
    (1, 1, 32, 'CONV2D_1', '/module/train/conv2d', 7, 3, 0, 6, 12, 13, 14, 4, 'train.py:10'),
    (2, 1, 35, 'CONV2D_2', '/module/train/conv2d', 7, 3, 0, 6, 12, 13, 14, 5, 'train.py:10'),
    (3, 1, 34, 'BACKWARD_1', '/module/train/backward', 9, 3, 3, 3, 3, 3, 3, 5, 'train.py:12'),
    (4, 1, 33, 'RELU_1', '/module/train/relu[2]', 8, 3, 3, 6, 3, 3, 3, 4,
     'train.py:10' || char(10) || 'net.py:5'),
    (5, 1, 36, 'CUDAMALLOC_V3020_1', 'unassociated_cudaMalloc_v3020', 10, 3, 2, 3, 3, 3, 3, 3, ''),
    (6, 2, 37, 'FORWARD_1', 'forward', 11, 3, 3, 3, 3, 3, 3, 4, '');
INSERT INTO read_only_op_instances VALUES
    (1, 1, 100, 200, 7, 100, 17, 15, 17, 16, 18), (2, 1, 1100, 1200, 7, 100, 17, 15, 17, 16, 18),
    (3, 1, 1700, 1760, 7, 100, 17, 15, 17, 16, 18),
    (4, 2, 320, 420, 7, 102, 17, 15, 17, 16, 17), (5, 2, 1320, 1420, 7, 102, 17, 15, 17, 16, 17),
    (6, 3, 300, 500, 7, 100, 17, 17, 17, 17, 17), (7, 3, 1300, 1500, 7, 100, 17, 17, 17, 17, 17),
    (8, 4, 200, 260, 7, 101, 17, 19, 17, 17, 17), (9, 4, 1200, 1260, 7, 101, 17, 19, 17, 17, 17),
    (10, 5, 20, 60, 7, 100, 17, 17, 17, 17, 17), (11, 6, 90, 290, 7, 100, 17, 17, 17, 17, 17);
INSERT INTO read_only_grid_block VALUES (1, 8, 2, 1), (2, 128, 1, 1);
INSERT INTO read_only_kernels VALUES
    (1, 1, 0, 20, 21, 0, 110, 130, 150, 250, 1, 2, 0, 7, 100),
    (2, 1, 1, 22, 23, 1, 1110, 1130, 1150, 1230, 1, 2, 0, 7, 100),
    (3, 1, 2, 20, 21, 0, 1710, 1720, 1730, 1770, 1, 2, 0, 7, 100),
    (4, 2, 0, 26, 27, 0, 330, 350, 360, 440, 1, 2, 0, 7, 102),
    (5, 2, 1, 26, 27, 0, 1330, 1350, 1360, 1440, 1, 2, 0, 7, 102),
    (6, 4, 0, 24, 25, 0, 210, 220, 260, 300, 2, 2, 1, 7, 101),
    (7, 4, 1, 24, 25, 0, 1210, 1220, 1260, 1300, 2, 2, 1, 7, 101),
    (8, 6, 0, 20, 21, 0, 110, 130, 150, 250, 1, 2, 0, 7, 100);
INSERT INTO read_only_memcpys VALUES
    (1, 1, 0, 28, 140, 145, 255, 265, 4096, 1, 0, 7, 100),
    (2, 6, 0, 28, 140, 145, 255, 265, 4096, 1, 0, 7, 100);
INSERT INTO read_only_memsets VALUES (1, 4, 0, 29, 225, 230, 300, 305, 1024, 1, 7, 101);
INSERT INTO read_only_cuda_syncs VALUES
    (1, 3, 0, 30, 430, 490, 0, 0, 3, 4294967295, 0, 7, 100),
    (2, 3, 1, 30, 1430, 1490, 0, 0, 3, 4294967295, 0, 7, 100);
INSERT INTO read_only_cuda_calls VALUES
    (1, 5, 0, 10, 20, 60, 7, 100), (2, 1, 0, 31, 132, 134, 7, 100), (3, 6, 0, 31, 132, 134, 7, 100);
INSERT INTO aggregations VALUES
    (1, 'u', 'h', '2023-01-25 16:19:05', '0'), (2, 'u', 'h', '2023-01-25 17:00:00', '0'),
    (3, 'u', 'h', '2023-01-25 18:00:00', '0');
INSERT INTO model_summary VALUES
    (1, 1, 1, 1770, 1, 1, 0, 0, 3), (2, 1, 2, 1770, 1, 1, 0, 0, 3),
    (3, 2, 1, 1768, 3, 3, 0, 2, 33), (4, 2, 2, 1768, 3, 3, 0, 2, 33),
    (5, 3, 1, 1498, 3, 2, 0, 1, 38), (6, 3, 2, 1498, 3, 2, 0, 1, 38);
INSERT INTO iteration_list VALUES
    (1, 1, 0, 0, 1770), (2, 2, 0, 0, 259), (3, 2, 1, 260, 1259), (4, 2, 2, 1260, 1770),
    (5, 3, 0, 0, 499), (6, 3, 1, 500, 1499), (7, 3, 2, 1500, 1770);
