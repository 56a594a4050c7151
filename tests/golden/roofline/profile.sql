-- SPDX-License-Identifier: Apache-2.0
-- Is it slow, or just big: each layer's kernels against the limits of the GPU that ran them. GPU 0 is a card
-- that gpus.yaml knows (312 TFLOP/s of FP16 and BF16, 19.5 of FP32); its bandwidth is the file's, 2000 GB/s.
-- GPU 1 is a card that it does not know.
--   Big    linear, BF16, (4096, 4096) x (4096, 4096): 2 x 4096^3 = 137438953472 FLOPs, at 312 TFLOP/s
--          440509.47 ns; 2 x 3 x 4096^2 = 100663296 bytes, at 2000 GB/s 50331.6 ns: compute. It took 1000000;
--          its backward, on another thread, has one product, the same, and took 500000. Ideal 2 x 440509, each in
--          whole ns (58.7 % of 1500000), above it 618982; 274877906944 FLOPs in 1500000 ns are 183.25 TFLOP/s.
--   Relu   1024 x 1024 numbers of FP32, read and written: 8388608 bytes, 4194.3 ns; 1048576 FLOPs at 19.5 TFLOP/s
--          are 53.8 ns: memory. The first took 10000, 5805.7 above; the second 1000, out of a cache: its
--          ideal is what it took, and the row says over. Ideal 5194 of 11000, above it 5806.
--   Odd    linear of which nothing is told: 90 ns without an ideal, and no FLOPs.
--   Far    the linear layer of Big on GPU 1: FLOPs and bytes are known, 2000 ns without an ideal.
-- Of 1513090 ns 1511000 have an ideal, 99.9 %. Of Odd and Far time above the ideal is unknown, and not 0.
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT, uuid TEXT, memoryBandwidth INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES
    (0, 'NVIDIA A100-SXM4-80GB', '0000:01:00.0', NULL, 2000000000000),
    (1, 'Card', '0000:02:00.0', NULL, NULL);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1), (1, 1, 1);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 900, 59, 'layer:Big', 0x01000001),
    (30, 870, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''bfloat16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''bfloat16''}]}', 0x01000001),
    (50, 850, 59, 'aten::addmm, seq = 4', 0x01000001),
    (1000, 1900, 59, 'layer:Relu', 0x01000001),
    (1010, 1400, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''relu'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 1024), ''dtype'': ''float32''}]}', 0x01000001),
    (1500, 1890, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''relu'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 1024), ''dtype'': ''float32''}]}', 0x01000001),
    (2000, 2900, 59, 'layer:Odd', 0x01000001),
    (2010, 2890, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': []}', 0x01000001),
    (3000, 3900, 59, 'layer:Far', 0x01000001),
    (3010, 3890, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''bfloat16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4096, 4096), ''dtype'': ''bfloat16''}]}', 0x01000001),
    (10000, 11900, 59, 'autograd::engine::evaluate_function: AddmmBackward0', 0x01000002),
    (10010, 10900, 59, 'AddmmBackward0, seq = 4', 0x01000002);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1), (1100, 1200, 0x01000001, 2, 1), (1600, 1700, 0x01000001, 3, 1),
    (2100, 2200, 0x01000001, 4, 1), (3100, 3200, 0x01000001, 5, 1), (10100, 10200, 0x01000002, 6, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000000, 2000000, 0x01000000, 0, 7, 1, 15, 15, NULL, NULL),
    (2000000, 2010000, 0x01000000, 0, 7, 2, 12, 13, NULL, NULL),
    (2010000, 2011000, 0x01000000, 0, 7, 3, 12, 13, NULL, NULL),
    (2011000, 2011090, 0x01000000, 0, 7, 4, 16, 16, NULL, NULL),
    (2000000, 2002000, 0x01000000, 1, 7, 5, 15, 15, NULL, NULL),
    (2020000, 2520000, 0x01000000, 0, 7, 6, 15, 15, NULL, NULL);
