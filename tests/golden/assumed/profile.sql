-- SPDX-License-Identifier: Apache-2.0
-- Two processes that both say device 0, and nothing in the file that tells which GPU each means: two
-- GPUs, marked as assumed. One GPU would have been 150 % busy by the sum.
--
--   process 1   gemm  1000..2000 and 2000..3000   2000, busy 100 % of 1000..3000
--   process 2   relu  1000..1500 and 2500..3000   1000, busy  50 % of 1000..3000
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 200, 0x01000001, 1, 1), (200, 300, 0x01000001, 2, 1),
    (100, 200, 0x02000001, 1, 1), (200, 300, 0x02000001, 2, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000, 2000, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (2000, 3000, 0x01000000, 0, 7, 2, 10, 11, NULL, NULL),
    (1000, 1500, 0x02000000, 0, 7, 1, 12, 13, NULL, NULL),
    (2500, 3000, 0x02000000, 0, 7, 2, 12, 13, NULL, NULL);
