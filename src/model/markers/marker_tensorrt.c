// SPDX-License-Identifier: Apache-2.0
// TensorRT: one range per layer in the domain "TensorRT", inside an `ExecutionContext::execute`
// range. Its text is the name of the layer or, if the engine was built with detailed profiling
// verbosity, JSON as trtexec's --exportLayerInfo writes it: "Name", "LayerType", "Inputs" ...
#include "model/markers/marker_dialects.h"

#include <ctype.h>
#include <string.h>

#include "base/parse/literal.h"

// Returns the next part of a layer's name and moves `at` after it. TensorRT fuses layers: `a + b`
// has the parts a and b; Myelin's `{ForeignNode[a...z]}` has two parts, its first and last layer.
static struct text_span next_part(const char **at, const char *end)
{
    static const char foreign[] = "{ForeignNode[";
    size_t left = (size_t)(end - *at);
    if (left > sizeof foreign && memcmp(*at, foreign, sizeof foreign - 1) == 0)
        *at += sizeof foreign - 1;
    const char *stop = *at;
    while (end - stop >= 3 && memcmp(stop, " + ", 3) != 0 && memcmp(stop, "...", 3) != 0)
        stop++;
    bool is_last = end - stop < 3;
    struct text_span part = {*at, (size_t)((is_last ? end : stop) - *at)};
    *at = is_last ? end : stop + 3;
    while (part.length && strchr("]}", part.text[part.length - 1]))
        part.length--;
    return part;
}

// Derives the layer type from the name: the last component of each part without its number.
// `/l1/conv1/Conv + /l1/relu/Relu` gives `Conv+Relu`, `onnx::Conv_193` gives `Conv`.
static string_id layer_type(const struct marker_text *text, const struct text_span *name)
{
    static const char reformat[] = "Reformatting CopyNode";
    if (name->length >= sizeof reformat - 1 &&
        memcmp(name->text, reformat, sizeof reformat - 1) == 0)
        return strings_intern_text(text->strings, "Reformat");
    if (name->text[0] == '{')
        return strings_intern_text(text->strings, "ForeignNode");
    char type[256];
    size_t used = 0;
    for (const char *at = name->text, *end = at + name->length; at < end;) {
        struct text_span part = next_part(&at, end);
        size_t from = part.length;
        while (from && part.text[from - 1] != '/' && part.text[from - 1] != ':')
            from--;
        const char *last = part.text + from;
        size_t length = part.length - from;
        const char *clone = memmem(last, length, "_clone_", 7);
        if (clone)
            length = (size_t)(clone - last);
        size_t whole = length;
        while (length && isdigit((unsigned char)last[length - 1]))
            length--;
        if (length && length < whole && last[length - 1] == '_')
            length--;
        if (!length || used + length + 2 >= sizeof type)
            continue;
        if (used)
            type[used++] = '+';
        memcpy(type + used, last, length);
        used += length;
    }
    return used ? marker_intern(text, type, used) : strings_intern_text(text->strings, "layer");
}

// Returns the scopes common to all parts: `/l1` of `/l1/conv1/Conv + /l1/relu/Relu`.
static string_id layer_scopes(const struct marker_text *text, const struct text_span *name)
{
    const char *at = name->text, *end = at + name->length;
    struct text_span shared = next_part(&at, end);
    if (!shared.length || shared.text[0] != '/') // written by an exporter without scopes
        return STRING_NONE;
    for (struct text_span part = shared;; part = next_part(&at, end)) {
        size_t same = 0, scopes = 0;
        for (; same < shared.length && same < part.length && shared.text[same] == part.text[same];
             same++)
            if (part.text[same] == '/')
                scopes = same;
        if (same == shared.length && same < part.length && part.text[same] == '/')
            scopes = same;
        shared.length = scopes;
        if (at >= end || !scopes)
            return scopes ? marker_intern(text, shared.text, scopes) : (string_id)STRING_NONE;
    }
}

// ---- JSON --------------------------------------------------------------------------------------

// Returns the data type in a format such as `Row major linear FP16 format`.
static string_id format_type(const struct marker_text *text, const struct text_span *format)
{
    static const char *const types[][2] = {
        {"FP32", "float32"}, {"TF32", "tf32"},   {"BF16", "bfloat16"}, {"FP16", "float16"},
        {"Half", "float16"}, {"FP8", "float8"},  {"FP4", "float4"},    {"INT8", "int8"},
        {"INT32", "int32"},  {"INT64", "int64"}, {"BOOL", "bool"},     {"Float", "float32"},
        {"Int8", "int8"},    {"Int32", "int32"}, {"Bool", "bool"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (memmem(format->text, format->length, types[i][0], strlen(types[i][0])))
            return strings_intern_text(text->strings, types[i][1]);
    return STRING_NONE;
}

// Reads `{"Name": "x", "Dimensions": [1,3,224,224], "Format/Datatype": "..."}` after the opening
// brace, which has been read.
static bool read_tensor(const struct marker_text *text, struct literal_reader *reader,
                        struct marker_argument *argument)
{
    int64_t dims[RANK_LIMIT];
    size_t rank = 0;
    enum literal_kind kind;
    *argument = (struct marker_argument){0};
    while ((kind = literal_next(reader)) == LITERAL_KEY) {
        bool is_dims = literal_is(reader, "Dimensions"),
             is_format = literal_is(reader, "Format/Datatype");
        kind = literal_next(reader);
        if (is_format && kind == LITERAL_STRING) {
            struct text_span format = {reader->text, reader->length};
            argument->dtype = format_type(text, &format);
        } else if (is_dims && kind == LITERAL_LIST) {
            while ((kind = literal_next(reader)) == LITERAL_INTEGER)
                if (rank < RANK_LIMIT)
                    dims[rank++] = reader->integer;
            if (kind != LITERAL_CLOSE)
                return false;
        } else if (!literal_skip(reader, kind)) {
            return false;
        }
    }
    argument->is_tensor = rank > 0;
    argument->rank = (uint8_t)rank;
    argument->dims = ARENA_ARRAY(text->arena, int64_t, rank);
    if (rank)
        memcpy(argument->dims, dims, rank * sizeof *dims);
    return kind == LITERAL_CLOSE;
}

// Reads a list of tensors after the opening bracket, which has been read.
static bool read_tensors(const struct marker_text *text, struct literal_reader *reader,
                         struct marker *marker)
{
    size_t count = 0, capacity = 0;
    struct marker_argument *arguments = NULL;
    enum literal_kind kind;
    while ((kind = literal_next(reader)) == LITERAL_DICT) {
        struct marker_argument argument;
        if (!read_tensor(text, reader, &argument))
            return false;
        if (count < ARGUMENT_LIMIT)
            ARENA_PUSH(text->arena, arguments, count, capacity) = argument;
    }
    marker->arguments = arguments;
    marker->argument_count = (uint32_t)count;
    return kind == LITERAL_CLOSE;
}

// Fills type and arguments, and the name that the range gets. Returns false if the text is not such
// JSON.
static bool read_json(const struct marker_text *text, struct text_span *name, struct marker *marker)
{
    struct literal_reader reader;
    struct marker read = *marker;
    struct text_span found = {"", 0};
    literal_open(&reader, text->text, text->length);
    enum literal_kind kind = literal_next(&reader);
    if (kind != LITERAL_DICT)
        return false;
    while ((kind = literal_next(&reader)) == LITERAL_KEY) {
        bool is_name = literal_is(&reader, "Name"), is_type = literal_is(&reader, "LayerType"),
             is_inputs = literal_is(&reader, "Inputs");
        kind = literal_next(&reader);
        if (is_name && kind == LITERAL_STRING)
            found = (struct text_span){reader.text, reader.length};
        if (is_type && kind == LITERAL_STRING && reader.length)
            read.type = marker_intern(text, reader.text, reader.length);
        bool is_read = is_inputs && kind == LITERAL_LIST ? read_tensors(text, &reader, &read)
                                                         : literal_skip(&reader, kind);
        if (!is_read)
            return false;
    }
    if (kind != LITERAL_CLOSE || !found.length)
        return false;
    *name = found;
    *marker = read;
    return true;
}

bool marker_tensorrt(const struct marker_text *text, struct marker *marker)
{
    if (strcmp(text->domain, "TensorRT") != 0)
        return false;
    marker->dialect = DIALECT_TENSORRT;
    if (marker_text_begins(text, "ExecutionContext::") ||
        marker_text_begins(text, "IExecutionContext") || !text->length)
        return true;
    struct text_span name = {text->text, text->length};
    read_json(text, &name, marker);
    marker->kind = MARKER_OP;
    marker->title = marker_intern(text, name.text, name.length);
    marker->path = layer_scopes(text, &name);
    if (!marker->type)
        marker->type = layer_type(text, &name);
    return true;
}
