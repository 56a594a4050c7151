-- SPDX-License-Identifier: Apache-2.0
-- Copies by direction and kind of memory: 0 pageable, 1 pinned, 2 device, 4 managed.
--
--   HtoD from pinned    1000..2000  1000 ns  4000 B     and 2000..4000  2000 ns  8000 B
--   HtoD from pageable  4000..8000  4000 ns  4000 B
--   DtoH to pinned      8000..8500   500 ns  1000 B
--   unified memory HtoD 9000..9300   300 ns   600 B, DtoH 9300..9500  200 ns  400 B: pages that
--     moved by themselves, without an API call
--   memset of device    9500..10000  500 ns  2000 B
--   a kernel            3500..4500  hides 500 of the second copy and 500 of the third
--
-- Time of all: 1000 + 2000 + 4000 + 500 + 300 + 200 + 500 = 8500. Bytes 20000.
-- HtoD: 7000 ns, 3 copies, 16000 B: mean 2333.3, median 2000; bytes mean 5333.3, median 4000.
--   deviations of 1000 2000 4000 from 2333.3: sqrt((1333.3^2 + 333.3^2 + 1666.7^2) / 2) = 1527.5
--   of 4000 8000 4000 from 5333.3: sqrt((2 * 1333.3^2 + 2666.7^2) / 2) = 2309.4
--   throughput 16000 B / 7000 ns = 2.2857e9 B/s
--   pinned: 3000 ns, 12000 B, 4e9 B/s, deviations 707.1 ns and 2828.4 B; pageable: 4000 ns, 1e9 B/s.
-- DtoH 2e9 B/s, unified 2e9 B/s both, memset 4e9 B/s.
-- Exclusive: pinned 3000 - 500, pageable 4000 - 500, the others all.
-- api: cudaMemcpyAsync 4 calls of 100, cudaMemsetAsync 1, cudaLaunchKernel 1, and a wait of 500 that
-- launches nothing. kernels has the unified copies, too: nothing is lost for want of a launch.
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 2),
    (200, 300, 0x01000001, 2, 2),
    (300, 400, 0x01000001, 3, 2),
    (400, 500, 0x01000001, 4, 2),
    (500, 600, 0x01000001, 5, 4),
    (600, 700, 0x01000001, 6, 1),
    (9500, 10000, 0x01000001, 7, 5);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
    (1000, 2000, 0x01000000, 0, 7, 1, 1, 1, 2, 4000),
    (2000, 4000, 0x01000000, 0, 7, 2, 1, 1, 2, 8000),
    (4000, 8000, 0x01000000, 0, 7, 3, 1, 0, 2, 4000),
    (8000, 8500, 0x01000000, 0, 7, 4, 2, 2, 1, 1000),
    (9000, 9300, 0x01000000, 0, 0, 0, 11, 4, 4, 600),
    (9300, 9500, 0x01000000, 0, 0, 0, 12, 4, 4, 400);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES
    (9500, 10000, 0x01000000, 0, 7, 5, 2, 2000);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (3500, 4500, 0x01000000, 0, 8, 6, 10, 11, NULL, NULL);
