// SPDX-License-Identifier: Apache-2.0
// Megatron-Core, NeMo and Transformer Engine: ranges named by module and function, some followed by
// the part of the function that runs.
//
//     megatron.core.transformer.transformer_layer._forward_attention.self_attention
//     megatron.core.tensor_parallel.layers.backward
//     transformer_engine._Linear.backward.dgrad_gemm
//
// Dots separate packages, not layers: a range is one node of the op tree, titled by its text
// without the common package prefix. Based on their source code; not verified with a real capture.
#include "model/markers/marker_dialects.h"

#include <string.h>

// Package prefixes that add no information to the rest of the name.
static const char *const packages[] = {
    "megatron.core.transformer.",
    "megatron.core.models.",
    "megatron.core.",
    "megatron.training.",
    "megatron.bridge.",
    "megatron.",
    "nemo.collections.",
    "nemo.lightning.",
    "nemo.",
    "transformer_engine.pytorch.module.",
    "transformer_engine.pytorch.",
    "transformer_engine.",
};

static bool is_dotted_name(const char *text, size_t length)
{
    if (!length || text[0] == '.' || text[length - 1] == '.')
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       strchr("_-<>", c);
        if (!is_word && (c != '.' || text[i + 1] == '.'))
            return false;
    }
    return true;
}

static bool has_part(const char *text, size_t length, const char *part)
{
    size_t size = strlen(part);
    for (size_t from = 0; from < length;) {
        const char *dot = memchr(text + from, '.', length - from);
        size_t end = dot ? (size_t)(dot - text) : length;
        if (end - from == size && memcmp(text + from, part, size) == 0)
            return true;
        from = end + 1;
    }
    return false;
}

bool marker_megatron(const struct marker_text *text, struct marker *marker)
{
    size_t cut = 0;
    for (size_t i = 0; !cut && i < sizeof packages / sizeof *packages; i++)
        if (marker_text_begins(text, packages[i]))
            cut = strlen(packages[i]);
    const char *name = text->text + cut;
    size_t length = text->length - cut;
    if (!cut || !is_dotted_name(name, length))
        return false;
    marker->dialect = DIALECT_MEGATRON;
    marker->title = marker_intern(text, name, length);
    marker->is_backward = has_part(name, length, "backward");
    return true;
}
