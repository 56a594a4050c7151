// SPDX-License-Identifier: Apache-2.0
// Layers named by users: `layer:encoder.0`, `model.layers.3.mlp`, `F:layers.3.attn:Attention`.
#include "model/markers/marker_dialects.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Returns whether the text is a dotted path of names and numbers that contains a number or begins
// with a usual first word of modules. `Optimizer.step` and `torch.cuda.sync` are none.
static bool is_module_path(const char *text, size_t length)
{
    static const char *const roots[] = {"model",       "module",   "encoder", "decoder", "layers",
                                        "transformer", "backbone", "blocks",  "network"};
    size_t parts = 0, first_length = 0;
    bool has_number = false;
    for (size_t i = 0; i < length;) {
        size_t from = i;
        bool is_number = is_digit(text[i]);
        if (!is_number && !is_word_start(text[i]))
            return false;
        for (; i < length && text[i] != '.'; i++)
            if (is_number ? !is_digit(text[i]) : !is_word_start(text[i]) && !is_digit(text[i]))
                return false;
        if (is_number && parts == 0)
            return false;
        has_number |= is_number;
        if (parts++ == 0)
            first_length = i - from;
        if (i < length && ++i == length)
            return false; // a dot at the end
    }
    if (parts < 2)
        return false;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (strlen(roots[i]) == first_length && memcmp(text, roots[i], first_length) == 0)
            return true;
    return has_number;
}

static void set_layer(const struct marker_text *text, struct marker *marker, const char *path,
                      size_t length)
{
    marker->kind = MARKER_LAYER;
    marker->dialect = DIALECT_LAYER;
    marker->path = marker_intern(text, path, length);
    marker->title = marker->path;
}

bool marker_layer(const struct marker_text *text, struct marker *marker)
{
    static const char module[] = "nn.Module: ";
    if (text->said == SAID_MODULE) { // a module call, recorded by a trace with stacks
        size_t prefix = marker_text_begins(text, module) ? sizeof module - 1 : 0;
        set_layer(text, marker, text->text + prefix, text->length - prefix);
        return true;
    }
    if (marker_text_begins(text, "layer:") && text->length > 6) {
        // The name ends at the next colon.
        const char *name = text->text + 6;
        const char *colon = memchr(name, ':', text->length - 6);
        size_t length = colon ? (size_t)(colon - name) : text->length - 6;
        if (!length)
            return false;
        set_layer(text, marker, name, length);
        return true;
    }
    if (text->length > 4 && (marker_text_begins(text, "F:") || marker_text_begins(text, "B:"))) {
        const char *path = text->text + 2;
        const char *colon = memchr(path, ':', text->length - 2);
        size_t length = colon ? (size_t)(colon - path) : text->length - 2;
        if (!colon && !is_module_path(path, length))
            return false;
        if (!length)
            return false;
        set_layer(text, marker, path, length);
        marker->is_backward = text->text[0] == 'B';
        if (colon)
            marker->module = marker_intern(text, colon + 1, text->length - 3 - length);
        return true;
    }
    if (text->length <= 1000 && is_module_path(text->text, text->length)) {
        set_layer(text, marker, text->text, text->length);
        return true;
    }
    return false;
}
