// SPDX-License-Identifier: Apache-2.0
// TensorFlow: `MatMul: dense/MatMul` in the domains of NVIDIA's builds ("tensorflow-core"),
// `dense/MatMul:MatMul#...#` in the domain TSL; XLA's modules are `XlaModule:#hlo_module=jit_step,
// program_id=9#`. Node names come without a leading slash. No real capture pins this.
#include "model/marker_dialects.h"

#include <string.h>
#include <strings.h>

static bool is_type(const char *text, size_t length)
{
    if (!length || length > 100)
        return false;
    if (!((text[0] >= 'A' && text[0] <= 'Z') || text[0] == '_'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
              (text[i] >= '0' && text[i] <= '9') || text[i] == '_'))
            return false;
    return true;
}

static void set_op(const struct marker_text *text, struct marker *marker, const char *type,
                   size_t type_length, const char *name, size_t name_length)
{
    marker->kind = MARKER_OP;
    marker->dialect = DIALECT_TENSORFLOW;
    marker->type = marker_intern(text, type, type_length);
    marker->title = marker_intern(text, name, name_length);
}

// `XlaModule:#hlo_module=jit_step,program_id=9#`: the number changes from run to run.
static bool set_xla(const struct marker_text *text, struct marker *marker)
{
    static const char key[] = "hlo_module=";
    const char *module = memmem(text->text, text->length, key, sizeof key - 1);
    if (!text_begins(text, "XlaModule:") || !module)
        return false;
    module += sizeof key - 1;
    size_t length = 0, left = (size_t)(text->text + text->length - module);
    while (length < left && module[length] != ',' && module[length] != '#')
        length++;
    char *title =
        arena_format(text->arena, "XlaModule %.*s", (int)(length < 200 ? length : 200), module);
    marker->title = strings_intern_text(text->strings, title);
    marker->dialect = DIALECT_PLAIN;
    return true;
}

bool marker_tensorflow(const struct marker_text *text, struct marker *marker)
{
    bool is_tsl = strcasecmp(text->domain, "TSL") == 0;
    bool is_tensorflow = strncasecmp(text->domain, "tensorflow", 10) == 0;
    if (!is_tsl && !is_tensorflow)
        return false;
    if (set_xla(text, marker))
        return true;
    const char *colon = memchr(text->text, ':', text->length);
    const char *hash = memchr(text->text, '#', text->length);
    size_t length = hash ? (size_t)(hash - text->text) : text->length;
    if (colon && colon < text->text + length) {
        size_t before = (size_t)(colon - text->text);
        const char *after = colon + 1;
        size_t after_length = length - before - 1;
        if (is_tensorflow && after_length > 1 && after[0] == ' ' && is_type(text->text, before)) {
            set_op(text, marker, text->text, before, after + 1, after_length - 1);
            return true;
        }
        if (before && is_type(after, after_length)) {
            set_op(text, marker, after, after_length, text->text, before);
            return true;
        }
    }
    if (is_tsl) { // the run time's own ranges
        marker->kind = MARKER_LIBRARY;
        if (hash && length)
            marker->title = marker_intern(text, text->text, length);
    }
    return true;
}
