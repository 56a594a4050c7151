-- SPDX-License-Identifier: Apache-2.0
-- Where the name of a range comes from, and its two styles.
--
-- 59 and 70 are push/pop, 60 and 71 start/end; a text may be registered (textId); 75 names a domain
-- of its process. Each launch is 10 long and starts a gemm of 100 on an idle GPU.
--
--   name              from                      launches at   work
--   plain             text, 59      0..1000     100           1000..1100
--   registered        textId, 59    1000..2000  1100          2000..2100
--   registered        textId, 70    2000..3000  2100          3000..3100
--   both              textId, text  3000..4000  3100          4000..4100   the id wins
--   NCCL:gather       domain 1      4000..5000  4100          5000..5100
--   async             60            4050..5500  (4100, 5100)  5000..5100, 6000..6100
--   async             71            7000..8000  none
--   (no text)         59            8000..9000  8100          9000..9100
--   away              60, ends on thread 2, around all of it
--
-- ranges: registered has two calls, 200 in all. async overlaps what does not nest in it: its
-- projection is 5000..6100 = 1100, two launches, one call with work, of two in all: 1450 and
-- 2450 of range time. plain, both and NCCL:gather have 100 each. A range without a text is not in
-- the report, and one that ends on another thread owns no work.
-- ops: of two ranges that overlap, each call is in the one that began last: `async` has both launches,
-- 200, and gather none. Idle within async: 6100 - 5000 - 200 = 900. `away` is no place in the tree.
-- Idle time: seven works in 1000..9100 leave 7400: registered 900 + 900, both 900, async 900 + 900,
-- (no text) 2900.
INSERT INTO StringIds VALUES (20, 'registered'), (21, 'both'), (22, 'NCCL');
INSERT INTO NVTX_EVENTS VALUES
    (0, 1000, 59, 'plain', 0x01000001, NULL, NULL, NULL),
    (1000, 2000, 59, NULL, 0x01000001, 20, NULL, NULL),
    (2000, 3000, 70, NULL, 0x01000001, 20, NULL, NULL),
    (3000, 4000, 59, 'not this', 0x01000001, 21, NULL, NULL),
    (0, NULL, 75, NULL, 0x01000001, 22, 1, NULL),
    (4000, 5000, 59, 'gather', 0x01000001, NULL, 1, NULL),
    (4050, 5500, 60, 'async', 0x01000001, NULL, NULL, NULL),
    (7000, 8000, 71, 'async', 0x01000001, NULL, NULL, NULL),
    (8000, 9000, 59, NULL, 0x01000001, NULL, NULL, NULL),
    (0, 9500, 60, 'away', 0x01000001, NULL, NULL, 0x01000002);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (100, 110, 0x01000001, 1, 1),
    (1100, 1110, 0x01000001, 2, 1),
    (2100, 2110, 0x01000001, 3, 1),
    (3100, 3110, 0x01000001, 4, 1),
    (4100, 4110, 0x01000001, 5, 1),
    (5100, 5110, 0x01000001, 6, 1),
    (8100, 8110, 0x01000001, 7, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000, 1100, 0x01000000, 0, 7, 1, 10, 11, NULL, NULL),
    (2000, 2100, 0x01000000, 0, 7, 2, 10, 11, NULL, NULL),
    (3000, 3100, 0x01000000, 0, 7, 3, 10, 11, NULL, NULL),
    (4000, 4100, 0x01000000, 0, 7, 4, 10, 11, NULL, NULL),
    (5000, 5100, 0x01000000, 0, 7, 5, 10, 11, NULL, NULL),
    (6000, 6100, 0x01000000, 0, 7, 6, 10, 11, NULL, NULL),
    (9000, 9100, 0x01000000, 0, 7, 7, 10, 11, NULL, NULL);
