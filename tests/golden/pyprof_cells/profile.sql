-- SPDX-License-Identifier: Apache-2.0
-- PyProf's mistake 5.16, of recurrent cells: which product a kernel of the backward is it finds by the name and by
-- the width of the result; where input and state are as wide each is "recur", names since Turing have no FLOPs. Of a
-- cell whose gates are not one kernel each third kernel is taken for the product of the input. RNNCell has no class.
--
-- Here the number of a node tells which of its forward's products it is of. 4 sequences, thread 1:
--
--   LSTMCell   8 wide, state 8   mm, 1 (layer)    mm, 3 (recur)    fused gates, 4             kernels 1-3
--   GRUCell    2 wide, state 8   mm, 11 (layer)   mm, 13 (recur)   sigmoid, 14   mul, 15      kernels 4-7
--   RNNCell    2 wide, state 8   mm, 21 (layer)   mm, 23 (recur)   tanh, 24                   kernels 8-10
--
-- and their backwards on thread 2, from kernel 11, the last op first. A product has 2 m H B W FLOPs, where W is the width
-- of what goes in and m the number of gates: LSTM 2 x 4 x 8 x 4 x 8 = 2048, GRU 2 x 3 x 8 x 4 x 2 = 384 and 1536,
-- RNN 128 and 512; and 4 (m H W + W B + m H B) bytes: 1664; 608 and 1280; 224 and 512. Once for each kernel of a
-- backward (of the input, of the weights), whatever it is called: also nvjet. The fused gates move 4 x 11 x 8 x 4 = 1408.
-- What is no product has no FLOPs of one (11, 15, 16, 20), and how much it moves is not known.
-- pyprof.all.csv: --iters=all --columns=idx,seq,layer,dir,sub,mod,op,kernel,params,tc,flops,bytes
INSERT INTO StringIds VALUES
    (20, 'turing_sgemm_128x64_tn'),
    (21, 'turing_sgemm_128x64_nn'),
    (22, 'ampere_sgemm_128x64_nt'),
    (23, 'lstm_cell_forward'),
    (24, 'lstm_cell_backward'),
    (25, 'elementwise_kernel'),
    (26, 'nvjet_tst_128x64_64x4_1x2_h_bz_NNT'),
    (27, 'CatArrayBatchedCopy'),
    (28, 'reduce_kernel');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES
    (0, 900, 59, '{''mod'': ''LSTMCell'', ''op'': ''forward'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 8), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4, 8), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4, 8), ''dtype'': ''float32''}]}', 0x01000001),
    (10, 100, 59, 'mm, seq = 1', 0x01000001),
    (110, 200, 59, 'mm, seq = 3', 0x01000001),
    (210, 300, 59, '_thnn_fused_lstm_cell, seq = 4', 0x01000001),
    (1000, 1900, 59, '{''mod'': ''GRUCell'', ''op'': ''forward'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 2), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4, 8), ''dtype'': ''float32''}]}', 0x01000001),
    (1010, 1100, 59, 'mm, seq = 11', 0x01000001),
    (1110, 1200, 59, 'mm, seq = 13', 0x01000001),
    (1210, 1300, 59, 'sigmoid, seq = 14', 0x01000001),
    (1310, 1400, 59, 'mul, seq = 15', 0x01000001),
    (2000, 2900, 59, '{''mod'': ''RNNCell'', ''op'': ''forward'', ''args'': [{''name'': '''', ''type'': ''tensor'', ''shape'': (4, 2), ''dtype'': ''float32''}, {''name'': '''', ''type'': ''tensor'', ''shape'': (4, 8), ''dtype'': ''float32''}]}', 0x01000001),
    (2010, 2100, 59, 'mm, seq = 21', 0x01000001),
    (2110, 2200, 59, 'mm, seq = 23', 0x01000001),
    (2210, 2300, 59, 'tanh, seq = 24', 0x01000001),
    (10000, 10090, 59, 'TanhBackward, seq = 24', 0x01000002),
    (10100, 10190, 59, 'MmBackward, seq = 23', 0x01000002),
    (10200, 10290, 59, 'MmBackward, seq = 21', 0x01000002),
    (10300, 10390, 59, 'MulBackward0, seq = 15', 0x01000002),
    (10400, 10490, 59, 'SigmoidBackward, seq = 14', 0x01000002),
    (10500, 10590, 59, 'MmBackward, seq = 13', 0x01000002),
    (10600, 10690, 59, 'MmBackward, seq = 11', 0x01000002),
    (10700, 10790, 59, 'ThnnFusedLstmCellBackward, seq = 4', 0x01000002),
    (10800, 10890, 59, 'MmBackward, seq = 3', 0x01000002),
    (10900, 10990, 59, 'MmBackward, seq = 1', 0x01000002);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (20, 30, 0x01000001, 1, 1),
    (120, 130, 0x01000001, 2, 1),
    (220, 230, 0x01000001, 3, 1),
    (1020, 1030, 0x01000001, 4, 1),
    (1120, 1130, 0x01000001, 5, 1),
    (1220, 1230, 0x01000001, 6, 1),
    (1320, 1330, 0x01000001, 7, 1),
    (2020, 2030, 0x01000001, 8, 1),
    (2120, 2130, 0x01000001, 9, 1),
    (2220, 2230, 0x01000001, 10, 1),
    (10010, 10020, 0x01000002, 11, 1),
    (10110, 10120, 0x01000002, 12, 1),
    (10130, 10140, 0x01000002, 13, 1),
    (10210, 10220, 0x01000002, 14, 1),
    (10310, 10320, 0x01000002, 15, 1),
    (10410, 10420, 0x01000002, 16, 1),
    (10510, 10520, 0x01000002, 17, 1),
    (10530, 10540, 0x01000002, 18, 1),
    (10610, 10620, 0x01000002, 19, 1),
    (10630, 10640, 0x01000002, 20, 1),
    (10710, 10720, 0x01000002, 21, 1),
    (10810, 10820, 0x01000002, 22, 1),
    (10830, 10840, 0x01000002, 23, 1),
    (10910, 10920, 0x01000002, 24, 1),
    (10930, 10940, 0x01000002, 25, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (20100, 20140, 0x01000000, 0, 7, 1, 20, 20, NULL, NULL),
    (20200, 20240, 0x01000000, 0, 7, 2, 20, 20, NULL, NULL),
    (20300, 20340, 0x01000000, 0, 7, 3, 23, 23, NULL, NULL),
    (20400, 20440, 0x01000000, 0, 7, 4, 20, 20, NULL, NULL),
    (20500, 20540, 0x01000000, 0, 7, 5, 20, 20, NULL, NULL),
    (20600, 20640, 0x01000000, 0, 7, 6, 25, 25, NULL, NULL),
    (20700, 20740, 0x01000000, 0, 7, 7, 25, 25, NULL, NULL),
    (20800, 20840, 0x01000000, 0, 7, 8, 20, 20, NULL, NULL),
    (20900, 20940, 0x01000000, 0, 7, 9, 20, 20, NULL, NULL),
    (21000, 21040, 0x01000000, 0, 7, 10, 25, 25, NULL, NULL),
    (21100, 21140, 0x01000000, 0, 7, 11, 25, 25, NULL, NULL),
    (21200, 21240, 0x01000000, 0, 7, 12, 21, 21, NULL, NULL),
    (21300, 21340, 0x01000000, 0, 7, 13, 22, 22, NULL, NULL),
    (21400, 21440, 0x01000000, 0, 7, 14, 22, 22, NULL, NULL),
    (21500, 21540, 0x01000000, 0, 7, 15, 27, 27, NULL, NULL),
    (21600, 21640, 0x01000000, 0, 7, 16, 25, 25, NULL, NULL),
    (21700, 21740, 0x01000000, 0, 7, 17, 26, 26, NULL, NULL),
    (21800, 21840, 0x01000000, 0, 7, 18, 26, 26, NULL, NULL),
    (21900, 21940, 0x01000000, 0, 7, 19, 22, 22, NULL, NULL),
    (22000, 22040, 0x01000000, 0, 7, 20, 28, 28, NULL, NULL),
    (22100, 22140, 0x01000000, 0, 7, 21, 24, 24, NULL, NULL),
    (22200, 22240, 0x01000000, 0, 7, 22, 21, 21, NULL, NULL),
    (22300, 22340, 0x01000000, 0, 7, 23, 22, 22, NULL, NULL),
    (22400, 22440, 0x01000000, 0, 7, 24, 21, 21, NULL, NULL),
    (22500, 22540, 0x01000000, 0, 7, 25, 22, 22, NULL, NULL);
