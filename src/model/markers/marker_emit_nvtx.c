// SPDX-License-Identifier: Apache-2.0
// PyTorch's own ranges (torch.autograd.profiler.emit_nvtx, nsys --pytorch=autograd-nvtx).
//
//     up to 1.5     `conv2d, seq = 12`, `MmBackward, seq = 114`, `torch::autograd::CopyBackwards`
//     1.6 to 1.10   `aten::linear, seq = 11`, `AddmmBackward, seq = 12` inside
//                   `autograd::engine::evaluate_function: AddmmBackward`
//     today         `aten::add, seq = 46175, op_id = 993407`, `AddmmBackward0`
//     a Function    `FlashAttnFunc, seq = 12, op_id = 9, sizes = [[2, 8], ...]`,
//                   `FlashAttnFuncBackward`
//     all versions  `Optimizer.step#AdamW.step`, `enumerate(DataLoader)#...__next__`
#include "model/markers/marker_dialects.h"

#include <string.h>

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_identifier(const char *text, size_t length)
{
    if (!length || (text[0] >= '0' && text[0] <= '9'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_word(text[i]))
            return false;
    return true;
}

// Returns the length of `ns::ns::` before the last name, or 0.
static size_t namespace_length(const struct marker_text *text)
{
    size_t length = 0;
    for (size_t i = 0; i + 1 < text->length; i++) {
        if (text->text[i] == ':' && text->text[i + 1] == ':') {
            length = i + 2;
            i++;
        } else if (!is_word(text->text[i])) {
            break;
        }
    }
    return length;
}

// Returns whether the text is a node of the backward graph: `MmBackward0`, `CopyBackwards`,
// `AccumulateGrad`. A user's range may be called `XBackward`, too, so the text must also show that
// PyTorch wrote it.
static bool is_backward_node(const struct marker_text *text)
{
    size_t prefix = namespace_length(text);
    const char *name = text->text + prefix;
    size_t length = text->length - prefix;
    bool is_autograd = marker_text_begins(text, "torch::autograd::");
    if (length == 14 && memcmp(name, "AccumulateGrad", 14) == 0)
        return true;
    if (!is_identifier(name, length) || name[0] < 'A' || name[0] > 'Z')
        return false;
    size_t stem = length;
    while (stem && name[stem - 1] >= '0' && name[stem - 1] <= '9')
        stem--;
    bool has_number = stem < length;
    if (stem && name[stem - 1] == 's')
        stem--;
    if (stem <= 8 || memcmp(name + stem - 8, "Backward", 8) != 0)
        return false;
    return has_number || is_autograd || text->has_seq || text->has_op_id;
}

// Sets the marker of a backward node, also of a Python function: `MyFnBackward`.
static bool set_backward(const struct marker_text *text, struct marker *marker)
{
    if (!is_backward_node(text))
        return false;
    size_t prefix = marker_text_begins(text, "torch::autograd::") ? 17 : 0;
    marker->kind = MARKER_BACKWARD;
    marker->title = marker_intern(text, text->text + prefix, text->length - prefix);
    marker->is_backward = true;
    return true;
}

static bool set_op(const struct marker_text *text, struct marker *marker)
{
    size_t prefix = namespace_length(text);
    if (prefix) {
        bool is_aten = marker_text_begins(text, "aten::");
        bool is_known =
            is_aten || marker_text_begins(text, "c10d::") || marker_text_begins(text, "prims::") ||
            marker_text_begins(text, "quantized::") || marker_text_begins(text, "torchvision::");
        if ((!is_known && !text->has_seq && !text->has_op_id && text->said != SAID_OP) ||
            !is_identifier(text->text + prefix, text->length - prefix))
            return false;
        size_t cut = is_aten ? 6 : 0;
        marker->type = marker_intern(text, text->text + cut, text->length - cut);
    } else if (text->said == SAID_OP && (text->has_seq || text->sizes) && text->length) {
        // An op without a namespace, which the file records as an op with inputs.
        marker->type = marker->title;
    } else {
        // Names without a namespace, as PyTorch wrote them up to 1.5, always have a sequence number
        // and never an op id. A Python Function has the name of its class, which only its sizes
        // distinguish from a user's range.
        bool is_class = text->length && text->text[0] >= 'A' && text->text[0] <= 'Z';
        if (!text->has_seq || !is_identifier(text->text, text->length) ||
            (is_class ? !text->sizes : text->has_op_id))
            return false;
        marker->type = marker->title;
    }
    marker->kind = MARKER_OP;
    return true;
}

bool marker_emit_nvtx(const struct marker_text *text, struct marker *marker)
{
    static const char engine[] = "autograd::engine::";
    if (marker_text_begins(text, "autograd::engine::evaluate_function")) {
        marker->kind = MARKER_ENGINE;
        marker->title =
            marker_intern(text, text->text + sizeof engine - 1, text->length - (sizeof engine - 1));
        marker->is_backward = true;
    } else if (marker_text_begins(text, "Optimizer.") && memchr(text->text, '#', text->length)) {
        marker->kind = MARKER_OPTIMIZER;
    } else if (marker_text_begins(text, "enumerate(DataLoader)#") ||
               marker_text_begins(text, "enumerate(DataPipe)#")) {
        marker->kind = MARKER_DATALOADER;
    } else if (!set_backward(text, marker) && !set_op(text, marker)) {
        return false;
    }
    marker->dialect = DIALECT_EMIT_NVTX;
    return true;
}
