-- SPDX-License-Identifier: Apache-2.0
-- Peaks of data types and of Tensor Cores (gpus.yaml): one product, 4096 x 4096 x 4096, 2 x 4096^3 =
-- 137438953472 FLOPs, in each of them. GPU 0 is an A100 (9.7 TFLOP/s of FP64, 19.5 on Tensor Cores, 624 TOP/s of
-- INT8, 2039 GB/s), GPU 1 a B200 (9000 TFLOP/s of FP4, 8000 GB/s), GPU 2 a card whose FP64 on Tensor Cores is not known.
--   Double  FP64 by a kernel of Tensor Cores (d884): at 19.5 TFLOP/s 7048151.46 ns of the 10000000 that it took;
--           3 x 4096^2 x 8 = 402653184 bytes take 197475.8 ns at 2039 GB/s: compute.
--   Plain   FP64 without them: at 9.7 TFLOP/s 14168964.27 of 20000000 ns.
--   Int8    at 624 TOP/s 220254.73 of 400000 ns; 50331648 bytes. A splitKreduce_kernel helps for 1000 ns more: by
--           itself it has the ideal 0, no limit, and no share of one.
--   Fp4     (4096, 2048) x (2048, 4096) of float4_e2m1fn_x2, two numbers each: at 9000 TFLOP/s 15270.99 of
--           20000 ns; 2 x 4096 x 2048 + 4096^2 = 33554432 elements of a byte take 4194.3 ns: compute.
--   Untold  Double on GPU 2: FLOPs and bytes are known, and no ideal.
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT, uuid TEXT, memoryBandwidth INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES
    (0, 'NVIDIA A100-SXM4-80GB', '0000:01:00.0', NULL, NULL),
    (1, 'NVIDIA B200', '0000:02:00.0', NULL, NULL),
    (2, 'NVIDIA GeForce RTX 4090', '0000:03:00.0', NULL, NULL);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1), (1, 1, 1), (2, 2, 1);
INSERT INTO StringIds VALUES
    (20, 'volta_d884gemm_128x64_nn'),
    (21, 'volta_dgemm_128x64_nn'),
    (22, 'ampere_int8_i16832gemm_int8_128x64_tn'),
    (24, 'void splitKreduce_kernel<int>(int)'),
    (23, 'cutlass3x_sm100_bstensorop_gemm_block_scaled_ue4m3xe2m1_ue4m3xe2m1_f32_bf16');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 900, 59, 'layer:Double', 0x01000001),
    (10, 890, 59, '{''mod'': ''Tensor'', ''op'': ''mm'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''float64''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''float64''}]}', 0x01000001),
    (1000, 1900, 59, 'layer:Plain', 0x01000001),
    (1010, 1890, 59, '{''mod'': ''Tensor'', ''op'': ''mm'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''float64''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''float64''}]}', 0x01000001),
    (2000, 2900, 59, 'layer:Int8', 0x01000001),
    (2010, 2890, 59, '{''mod'': ''torch'', ''op'': ''_int_mm'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''int8''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''int8''}]}', 0x01000001),
    (3000, 3900, 59, 'layer:Fp4', 0x01000001),
    (3010, 3890, 59, '{''mod'': ''torch'', ''op'': ''_scaled_mm'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 2048), ''dtype'': ''float4_e2m1fn_x2''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (2048, 4096), ''dtype'': ''float4_e2m1fn_x2''}]}', 0x01000001),
    (4000, 4900, 59, 'layer:Untold', 0x01000001),
    (4010, 4890, 59, '{''mod'': ''Tensor'', ''op'': ''mm'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''float64''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''float64''}]}', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1), (1100, 1200, 0x01000001, 2, 1), (2100, 2200, 0x01000001, 3, 1),
    (2300, 2400, 0x01000001, 6, 1), (3100, 3200, 0x01000001, 4, 1), (4100, 4200, 0x01000001, 5, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000000, 11000000, 0x01000000, 0, 7, 1, 20, 20, NULL, NULL),
    (11000000, 31000000, 0x01000000, 0, 7, 2, 21, 21, NULL, NULL),
    (31000000, 31400000, 0x01000000, 0, 7, 3, 22, 22, NULL, NULL),
    (31400000, 31420000, 0x01000000, 1, 7, 4, 23, 23, NULL, NULL),
    (31420000, 121420000, 0x01000000, 2, 7, 5, 20, 20, NULL, NULL),
    (200000000, 200001000, 0x01000000, 0, 7, 6, 24, 24, NULL, NULL);
