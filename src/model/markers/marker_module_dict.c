// SPDX-License-Identifier: Apache-2.0
// Layer-wise dicts of vLLM, SGLang and NVIDIA's PytHooks: Python dicts like DLProf's, with other
// keys.
//
//     {'Module': 'model.layers.3.mlp', 'TrainableParams': {...}, 'Inputs': [[1, 4096]],
//      'StaticParams': {...}}
#include "model/markers/marker_dialects.h"

#include <string.h>

#include "base/parse/literal.h"

bool marker_module_dict(const struct marker_text *text, struct marker *marker)
{
    if (text->length < 2 || text->text[0] != '{')
        return false;
    struct literal_reader reader;
    literal_open(&reader, text->text, text->length);
    if (literal_next(&reader) != LITERAL_DICT)
        return false;
    struct marker read = *marker;
    size_t inputs_at = 0, inputs_end = 0;
    enum literal_kind kind;
    while ((kind = literal_next(&reader)) == LITERAL_KEY) {
        bool is_module = literal_is(&reader, "Module");
        bool is_inputs = literal_is(&reader, "Inputs");
        kind = literal_next(&reader);
        if (is_module && kind == LITERAL_STRING && reader.length)
            read.path = marker_intern(text, reader.text, reader.length);
        if (is_inputs && kind == LITERAL_LIST)
            inputs_at = reader.offset - 1;
        if (!literal_skip(&reader, kind))
            return false;
        if (is_inputs && inputs_at)
            inputs_end = reader.offset;
    }
    if (kind != LITERAL_CLOSE || literal_next(&reader) != LITERAL_END || !read.path)
        return false;
    read.kind = MARKER_LAYER;
    read.dialect = DIALECT_MODULE_DICT;
    read.title = read.path;
    if (inputs_end)
        marker_read_sizes(text, text->text + inputs_at, inputs_end - inputs_at, &read);
    *marker = read;
    return true;
}
