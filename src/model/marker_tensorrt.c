// SPDX-License-Identifier: Apache-2.0
// TensorRT: one range per layer in the domain "TensorRT", named by the layer or, with detailed
// ranges, JSON with "Name" and "LayerType". `ExecutionContext::execute` lies around them.
#include "model/marker_dialects.h"

#include <string.h>

#include "base/literal.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The kind of layer as the name tells it: of each part between ` + ` the last component without
// its number. `/l1/conv1/Conv + /l1/relu/Relu` gives `Conv+Relu`, `onnx::Conv_193` gives `Conv`.
static string_id layer_type(const struct marker_text *text, const char *name, size_t length)
{
    static const char reformat[] = "Reformatting CopyNode";
    if (length >= sizeof reformat - 1 && memcmp(name, reformat, sizeof reformat - 1) == 0)
        return marker_intern(text, "Reformat", 8);
    char type[256];
    size_t used = 0;
    for (size_t i = 0; i <= length;) {
        const char *plus = memmem(name + i, length - i, " + ", 3);
        size_t end = plus ? (size_t)(plus - name) : length;
        size_t from = end;
        while (from > i && name[from - 1] != '/' && name[from - 1] != ':')
            from--;
        size_t stop = end;
        const char *clone = memmem(name + from, stop - from, "_clone_", 7);
        if (clone)
            stop = (size_t)(clone - name);
        while (stop > from && is_digit(name[stop - 1]))
            stop--;
        if (stop > from && stop < end && name[stop - 1] == '_')
            stop--;
        if (stop > from && used + (stop - from) + 2 < sizeof type) {
            if (used)
                type[used++] = '+';
            memcpy(type + used, name + from, stop - from);
            used += stop - from;
        }
        i = plus ? end + 3 : length + 1;
    }
    return used ? marker_intern(text, type, used) : marker_intern(text, "layer", 5);
}

bool marker_tensorrt(const struct marker_text *text, struct marker *marker)
{
    if (strcmp(text->domain, "TensorRT") != 0)
        return false;
    marker->dialect = DIALECT_TENSORRT;
    if (text_begins(text, "ExecutionContext::") || text_begins(text, "IExecutionContext") ||
        !text->length)
        return true;
    marker->kind = MARKER_OP;
    const char *name = text->text;
    size_t length = text->length;
    if (name[0] == '{') {
        struct literal_reader reader;
        literal_open(&reader, name, length);
        enum literal_kind kind = literal_next(&reader);
        while (kind == LITERAL_DICT && literal_next(&reader) == LITERAL_KEY) {
            bool is_name = literal_is(&reader, "Name"), is_type = literal_is(&reader, "LayerType");
            enum literal_kind value = literal_next(&reader);
            if (value == LITERAL_STRING && reader.length) {
                if (is_name) {
                    name = reader.text;
                    length = reader.length;
                } else if (is_type) {
                    marker->type = marker_intern(text, reader.text, reader.length);
                }
            }
            if (!literal_skip(&reader, value))
                break;
        }
    }
    marker->title = marker_intern(text, name, length);
    if (!marker->type)
        marker->type = layer_type(text, name, length);
    return true;
}
