-- SPDX-License-Identifier: Apache-2.0
-- Inferences of TensorRT as trtexec runs them: layers in the domain TensorRT, their names registered
-- (textId), the last with what --profilingVerbosity=detailed makes of it, JSON.
--
-- One inference, eight launches of 10, five of them 1000 apart; kernels start 20 after their launch:
--
--   ExecutionContext::enqueue            0..900
--     Reformatting CopyNode ...          0..100     at 10: relu 20 at 30..50
--     /l1/conv1/Conv + /l1/relu/Relu     100..200   at 110: gemm 100 at 130..230
--     /l1/conv2/Conv + /l1/Add           200..300   at 210: gemm 60 at 240..300
--     {ForeignNode[/l2/attn/MatMul.../l2/attn/Softmax]}   300..500   at 310, 320, 330: relu 20 each at
--                                                   330..350, 350..370, 370..390
--     /fc/Gemm                           500..600   at 510, 520: gemm 40 each at 530..570, 570..610
--
-- Layers by their scopes: l1 160 a turn, l2/attn 60, fc 80, the reformat 20: 320, of five turns 1600. The
-- op keeps the whole name of the layer, its type is what the name or LayerType says.
-- Iterations: the range around all work, five of them.
CREATE TEMP TABLE turn (n INTEGER);
INSERT INTO turn VALUES (0), (1), (2), (3), (4);
CREATE TEMP TABLE marked (at INTEGER, till INTEGER, text INTEGER);
INSERT INTO StringIds VALUES
    (20, 'ExecutionContext::enqueue'),
    (21, 'Reformatting CopyNode for Input Tensor 0 to /l1/conv1/Conv + /l1/relu/Relu'),
    (22, '/l1/conv1/Conv + /l1/relu/Relu'),
    (23, '/l1/conv2/Conv + /l1/Add'),
    (24, '{ForeignNode[/l2/attn/MatMul.../l2/attn/Softmax]}'),
    (25, '{"Name": "/fc/Gemm", "LayerType": "CaskGemmConvolution", "Inputs": [{"Name": "x", "Location": "Device", "Dimensions": [1,512], "Format/Datatype": "Row major linear FP16 format"}], "Outputs": [{"Name": "y", "Location": "Device", "Dimensions": [1,1000], "Format/Datatype": "Row major linear FP16 format"}], "TacticName": "sm80_xmma_gemm", "StreamId": 0, "Metadata": "[ONNX Layer: /fc/Gemm]"}');
INSERT INTO marked VALUES
    (0, 900, 20), (0, 100, 21), (100, 200, 22), (200, 300, 23), (300, 500, 24), (500, 600, 25);
CREATE TEMP TABLE launched (at INTEGER, from_ns INTEGER, till INTEGER, short_name INTEGER);
INSERT INTO launched VALUES
    (10, 30, 50, 12), (110, 130, 230, 10), (210, 240, 300, 10), (310, 330, 350, 12),
    (320, 350, 370, 12), (330, 370, 390, 12), (510, 530, 570, 10), (520, 570, 610, 10);
INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'TensorRT', 0x01000001, NULL, 1, NULL);
INSERT INTO NVTX_EVENTS
    SELECT 1000 * n + at, 1000 * n + till, 59, NULL, 0x01000001, text, 1, NULL FROM turn, marked;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
    SELECT 1000 * n + at, 1000 * n + at + 10, 0x01000001, 1000 * n + at, 1 FROM turn, launched;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    SELECT 1000 * n + from_ns, 1000 * n + till, 0x01000000, 0, 7, 1000 * n + at, short_name,
           short_name + 1, NULL, NULL
    FROM turn, launched;
