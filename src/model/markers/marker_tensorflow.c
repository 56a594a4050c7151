// SPDX-License-Identifier: Apache-2.0
// TensorFlow: one range for each run of a node.
//
//     MatMul: dense/MatMul                                  in NVIDIA's builds ("tensorflow-core")
//     {"op": "MatMul", "name": "dense/MatMul", ...}         the same, detailed
//     dense/MatMul:MatMul#shape=(float[32,784];float[784,10])#      in the domain TSL
//
// Node names have no leading slash: `replica_1/dense/MatMul`, `cluster_3_1/xla_run`. Other ranges
// of TSL are calls of the runtime. Not verified with a real capture.
#include "model/markers/marker_dialects.h"

#include <string.h>
#include <strings.h>

#include "base/parse/literal.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_type(const char *text, size_t length)
{
    if (!length || length > 100)
        return false;
    if (!((text[0] >= 'A' && text[0] <= 'Z') || text[0] == '_'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_letter(text[i]) && !(text[i] >= '0' && text[i] <= '9') && text[i] != '_')
            return false;
    return true;
}

static void set_op(const struct marker_text *text, struct marker *marker, struct text_span type,
                   struct text_span name)
{
    marker->kind = MARKER_OP;
    marker->dialect = DIALECT_TENSORFLOW;
    marker->type = marker_intern(text, type.text, type.length);
    marker->title = marker_intern(text, name.text, name.length);
    const char *slash = memrchr(name.text, '/', name.length);
    if (slash)
        marker->path = marker_intern(text, name.text, (size_t)(slash - name.text));
}

// ---- shape=(float[32,784];half[784,10];) -------------------------------------------------------

// Translates TensorFlow's name of a data type to the common one.
static string_id type_name(const struct marker_text *text, const char *name, size_t length)
{
    static const char *const names[][2] = {
        {"float", "float32"}, {"half", "float16"}, {"double", "float64"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i][0]) == length && memcmp(names[i][0], name, length) == 0)
            return strings_intern_text(text->strings, names[i][1]);
    return marker_intern(text, name, length);
}

// Reads `float[32,784]`: a tensor if each dimension is a number. Returns the text after it.
static const char *read_tensor(const struct marker_text *text, const char *from, const char *end,
                               struct marker_argument *argument)
{
    const char *at = from;
    while (at < end && (is_letter(*at) || (*at >= '0' && *at <= '9') || *at == '_'))
        at++;
    *argument = (struct marker_argument){0};
    if (at == from || at == end || *at != '[')
        return at;
    argument->dtype = type_name(text, from, (size_t)(at - from));
    int64_t dims[RANK_LIMIT];
    size_t rank = 0;
    bool is_known = true;
    for (at++; at < end && *at != ']'; at++) {
        if (*at == ',')
            continue;
        int64_t dim = 0;
        const char *digit = at;
        for (; digit < end && *digit >= '0' && *digit <= '9' && digit - at < 18; digit++)
            dim = dim * 10 + (*digit - '0');
        is_known = is_known && digit > at && rank < RANK_LIMIT && digit < end &&
                   (*digit == ',' || *digit == ']');
        if (!is_known)
            continue;
        dims[rank++] = dim;
        at = digit - 1;
    }
    if (at == end || !is_known || !rank)
        return at;
    argument->is_tensor = true;
    argument->rank = (uint8_t)rank;
    argument->dims = ARENA_ARRAY(text->arena, int64_t, rank);
    memcpy(argument->dims, dims, rank * sizeof *dims);
    return at;
}

static void read_shapes(const struct marker_text *text, struct marker *marker)
{
    struct text_span shapes;
    if (!marker_annotation(text, "shape", &shapes) || !shapes.length || shapes.text[0] != '(')
        return;
    const char *end = shapes.text + shapes.length;
    size_t count = 0, capacity = 0;
    struct marker_argument *arguments = NULL;
    for (const char *at = shapes.text + 1; at < end && count < ARGUMENT_LIMIT; at++) {
        struct marker_argument argument;
        at = read_tensor(text, at, end, &argument);
        ARENA_PUSH(text->arena, arguments, count, capacity) = argument;
        while (at < end && *at != ';')
            at++;
    }
    marker->arguments = arguments;
    marker->argument_count = (uint32_t)count;
}

// ---- the three forms ---------------------------------------------------------------------------

static bool read_detailed(const struct marker_text *text, struct marker *marker)
{
    struct literal_reader reader;
    literal_open(&reader, text->text, text->length);
    struct text_span type = {"", 0}, name = {"", 0};
    enum literal_kind kind = literal_next(&reader);
    if (kind != LITERAL_DICT)
        return false;
    while ((kind = literal_next(&reader)) == LITERAL_KEY) {
        struct text_span *field = literal_is(&reader, "op")     ? &type
                                  : literal_is(&reader, "name") ? &name
                                                                : NULL;
        kind = literal_next(&reader);
        if (field && kind == LITERAL_STRING)
            *field = (struct text_span){reader.text, reader.length};
        if (!literal_skip(&reader, kind))
            return false;
    }
    if (kind != LITERAL_CLOSE || !name.length || !is_type(type.text, type.length))
        return false;
    set_op(text, marker, type, name);
    return true;
}

// Reads `MatMul: dense/MatMul` or `dense/MatMul:MatMul` from the first `length` bytes of the text.
static bool read_pair(const struct marker_text *text, size_t length, bool type_may_lead,
                      struct marker *marker)
{
    const char *colon = memchr(text->text, ':', length);
    if (!colon)
        return false;
    struct text_span before = {text->text, (size_t)(colon - text->text)};
    struct text_span after = {colon + 1, length - before.length - 1};
    if (type_may_lead && after.length > 1 && after.text[0] == ' ' &&
        is_type(before.text, before.length)) {
        set_op(text, marker, before, (struct text_span){after.text + 1, after.length - 1});
        return true;
    }
    if (!before.length || !is_type(after.text, after.length))
        return false;
    set_op(text, marker, after, before);
    return true;
}

bool marker_tensorflow(const struct marker_text *text, struct marker *marker)
{
    bool is_tsl = strcasecmp(text->domain, "TSL") == 0;
    bool is_tensorflow = strncasecmp(text->domain, "tensorflow", 10) == 0;
    if (!is_tsl && !is_tensorflow)
        return false;
    if (is_tensorflow && read_detailed(text, marker))
        return true;
    const char *hash = memchr(text->text, '#', text->length);
    size_t length = hash ? (size_t)(hash - text->text) : text->length;
    if (read_pair(text, length, is_tensorflow, marker)) {
        read_shapes(text, marker);
        return true;
    }
    if (!is_tsl)
        return true;
    marker->kind = MARKER_LIBRARY;
    marker->module = strings_intern_text(text->strings, "TSL");
    if (length && text->text[length - 1] == ':' && hash) // `XlaCompile:#module=...#`
        length--;
    if (hash && length)
        marker->title = marker_intern(text, text->text, length);
    return true;
}
