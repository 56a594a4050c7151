-- SPDX-License-Identifier: Apache-2.0
-- A card that gpus.yaml has no figures of: peaks are multiprocessors x clock x what one does in a clock, by its
-- compute capability (7.5, a GeForce RTX): 40 x 1.785 GHz x 128 = 9.1392 TFLOP/s in FP32, x 512 = 36.5568 in 16
-- bit. Bandwidth is the file's, 448 GB/s.
-- roofline.csv:
--   Single  linear, FP32, (1024, 1024) x (1024, 1024): 2 x 1024^3 = 2147483648 FLOPs are 234975.0 ns at 9.1392; it
--           took 500000. In 16 bit 58743.8 ns, more than half of the bytes' (3 x 1024^2 x 4 = 12582912 at 448 GB/s
--           are 28086.9 ns).
--   Mask    attention of 4 x 16 heads of 1024 x 64, FP16, causal: 4 x 64 x 1024 x 1024 x 64 = 17179869184 FLOPs, of
--           which half is run: 234975.0 ns at 36.5568; it took 400000. 8589934592 FLOPs in that are 21.47 TFLOP/s.
--   Tried   convolution of 32 x 64 x 56 x 56 by 64 x 64 x 1 x 1, FP32: 2 x 32 x 64 x 56 x 56 x 64 = 822083584 FLOPs,
--           89951.4 ns; 51396608 bytes are 114724.6 ns: memory; in 16 bit half of that, 57362.3. Two kernels were
--           tried: the last, 200000 ns, has the figures; the first, 150000, none, and is above the ideal as a whole.
--   Pair    product of complex numbers, 1024 x 1024: four products of FP32, 8589934592 FLOPs, 939899.8 ns of 1000000.
-- pyprof.csv: -c op,flops,run_flops,bytes,formula,note
-- devices.csv: -c name,fp32_peak,fp16_peak,peaks_from
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT, uuid TEXT, memoryBandwidth INTEGER,
    smCount INTEGER, clockRate INTEGER, computeMajor INTEGER, computeMinor INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES
    (0, 'NVIDIA GeForce RTX 2070 SUPER', '0000:01:00.0', NULL, 448000000000, 40, 1785000000, 7, 5);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1);
INSERT INTO StringIds VALUES
    (24, 'flash_fwd_kernel'), (25, 'void flash_fwd_kernel<cutlass::half_t>(int)'),
    (26, 'implicit_convolve_sgemm'), (27, 'void cudnn::detail::implicit_convolve_sgemm<float>(int)'),
    (28, 'volta_scudnn_128x64_relu_interior_nn_v1'), (29, 'volta_cgemm_64x32_nn');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 900, 59, 'layer:Single', 0x01000001),
    (10, 890, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''linear'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 1024), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 1024), ''dtype'': ''float32''}]}', 0x01000001),
    (1000, 1900, 59, 'layer:Mask', 0x01000001),
    (1010, 1890, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''scaled_dot_product_attention'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 16, 1024, 64), ''dtype'': ''float16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4, 16, 1024, 64), ''dtype'': ''float16''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4, 16, 1024, 64), ''dtype'': ''float16''}, {''name'': ''is_causal'', ''type'': ''bool'', ''value'': True}]}', 0x01000001),
    (2000, 2900, 59, 'layer:Tried', 0x01000001),
    (2010, 2890, 59, '{''mod'': ''torch.nn.functional'', ''op'': ''conv2d'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (32, 64, 56, 56), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (64, 64, 1, 1), ''dtype'': ''float32''}]}', 0x01000001),
    (3000, 3900, 59, 'layer:Pair', 0x01000001),
    (3010, 3890, 59, '{''mod'': ''torch'', ''op'': ''mm'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 1024), ''dtype'': ''complex64''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (1024, 1024), ''dtype'': ''complex64''}]}', 0x01000001);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1), (1100, 1200, 0x01000001, 2, 1), (2100, 2200, 0x01000001, 3, 1),
    (2300, 2400, 0x01000001, 4, 1), (3100, 3200, 0x01000001, 5, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000000, 1500000, 0x01000000, 0, 7, 1, 16, 16, NULL, NULL),
    (1500000, 1900000, 0x01000000, 0, 7, 2, 24, 25, NULL, NULL),
    (2000000, 2150000, 0x01000000, 0, 7, 3, 28, 28, NULL, NULL),
    (2150000, 2350000, 0x01000000, 0, 7, 4, 26, 27, NULL, NULL),
    (3000000, 4000000, 0x01000000, 0, 7, 5, 29, 29, NULL, NULL);
