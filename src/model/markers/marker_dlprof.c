// SPDX-License-Identifier: Apache-2.0
// DLProf and PyProf: Python dicts around each wrapped call, distinguished by their keys.
//
//     {'traceMarker': ['file.py:12', ...], 'funcStack': '/<module>/f/conv2d'}   the call stack
//     {'mod': 'LSTMCell', 'strRepr': '512, 512'}                                extra_repr
//     {'mod': 'torch', 'op': 'mm', 'args': [{'name', 'type', 'shape', 'dtype'}]} the op
//     {"model_config": {"emit_nvtx": true}}                                     JSON, once
//
// Old versions of PyProf omit funcStack. Arguments that are not tensors have 'value'.
#include "model/markers/marker_dialects.h"

#include <string.h>

#include "base/parse/literal.h"

// Interns a text of the marker with its escapes resolved.
static string_id intern_unescaped(const struct marker_text *text,
                                  const struct literal_reader *reader)
{
    if (!memchr(reader->text, '\\', reader->length))
        return marker_intern(text, reader->text, reader->length);
    char *plain = ARENA_ARRAY(text->arena, char, reader->length * 2 + 1);
    size_t length = literal_unescape(reader->text, reader->length, plain, reader->length * 2 + 1);
    return marker_intern(text, plain, length);
}

// Reads a list of texts as one text with lines.
static bool read_lines(const struct marker_text *text, struct literal_reader *reader,
                       string_id *lines)
{
    enum literal_kind kind = literal_next(reader);
    if (kind == LITERAL_STRING) {
        *lines = intern_unescaped(text, reader);
        return true;
    }
    if (kind != LITERAL_LIST && kind != LITERAL_TUPLE)
        return literal_skip(reader, kind);
    char *joined = ARENA_ARRAY(text->arena, char, text->length * 2 + 2);
    size_t length = 0;
    while ((kind = literal_next(reader)) != LITERAL_CLOSE) {
        if (kind == LITERAL_ERROR || kind == LITERAL_END)
            return false;
        if (kind != LITERAL_STRING) {
            if (!literal_skip(reader, kind))
                return false;
            continue;
        }
        if (length)
            joined[length++] = '\n';
        length += literal_unescape(reader->text, reader->length, joined + length,
                                   text->length * 2 + 2 - length);
    }
    *lines = marker_intern(text, joined, length);
    return true;
}

static bool read_shape(const struct marker_text *text, struct literal_reader *reader,
                       struct marker_argument *argument)
{
    enum literal_kind kind = literal_next(reader);
    if (kind != LITERAL_LIST && kind != LITERAL_TUPLE)
        return literal_skip(reader, kind);
    int64_t dims[RANK_LIMIT] = {0};
    size_t rank = 0;
    while ((kind = literal_next(reader)) != LITERAL_CLOSE) {
        if (kind == LITERAL_ERROR || kind == LITERAL_END || !literal_skip(reader, kind))
            return false;
        if (kind == LITERAL_INTEGER && rank < RANK_LIMIT)
            dims[rank++] = reader->integer;
    }
    argument->rank = (uint8_t)rank;
    argument->dims = ARENA_ARRAY(text->arena, int64_t, rank);
    memcpy(argument->dims, dims, rank * sizeof *dims);
    return true;
}

// Reads any value as text, in the form it has in the marker.
static bool read_value(const struct marker_text *text, struct literal_reader *reader,
                       string_id *value)
{
    enum literal_kind kind = literal_next(reader);
    if (kind == LITERAL_STRING || kind == LITERAL_INTEGER || kind == LITERAL_REAL) {
        *value = intern_unescaped(text, reader);
        return true;
    }
    if (kind == LITERAL_BOOL || kind == LITERAL_NULL) {
        const char *word = kind == LITERAL_NULL ? "None" : reader->integer ? "True" : "False";
        *value = marker_intern(text, word, strlen(word));
        return true;
    }
    size_t from = reader->offset ? reader->offset - 1 : 0;
    if (!literal_skip(reader, kind) || reader->offset < from)
        return false;
    *value = marker_intern(text, text->text + from, reader->offset - from);
    return true;
}

static bool read_argument(const struct marker_text *text, struct literal_reader *reader,
                          struct marker_argument *argument)
{
    *argument = (struct marker_argument){0};
    enum literal_kind kind;
    while ((kind = literal_next(reader)) == LITERAL_KEY) {
        bool is_name = literal_is(reader, "name"), is_type = literal_is(reader, "type"),
             is_dtype = literal_is(reader, "dtype");
        if (is_name || is_type || is_dtype) {
            string_id *field = is_name   ? &argument->name
                               : is_type ? &argument->type
                                         : &argument->dtype;
            kind = literal_next(reader);
            if (kind == LITERAL_STRING)
                *field = reader->length ? intern_unescaped(text, reader) : (string_id)STRING_NONE;
            else if (!literal_skip(reader, kind))
                return false;
        } else if (literal_is(reader, "shape")) {
            if (!read_shape(text, reader, argument))
                return false;
        } else if (literal_is(reader, "value")) {
            if (!read_value(text, reader, &argument->value))
                return false;
        } else if (!literal_skip(reader, kind)) {
            return false;
        }
    }
    const char *type = strings_text(text->strings, argument->type);
    argument->is_tensor =
        argument->dims && (strcmp(type, "tensor") == 0 || strcmp(type, "ndarray") == 0);
    return kind == LITERAL_CLOSE;
}

static bool read_arguments(const struct marker_text *text, struct literal_reader *reader,
                           struct marker *marker)
{
    enum literal_kind kind = literal_next(reader);
    if (kind != LITERAL_LIST && kind != LITERAL_TUPLE)
        return false;
    size_t count = 0, capacity = 0;
    struct marker_argument *arguments = NULL;
    while ((kind = literal_next(reader)) != LITERAL_CLOSE) {
        if (kind == LITERAL_ERROR || kind == LITERAL_END)
            return false;
        if (kind != LITERAL_DICT) {
            if (!literal_skip(reader, kind))
                return false;
            continue;
        }
        struct marker_argument argument;
        if (!read_argument(text, reader, &argument))
            return false;
        if (count < ARGUMENT_LIMIT)
            ARENA_PUSH(text->arena, arguments, count, capacity) = argument;
    }
    marker->arguments = arguments;
    marker->argument_count = (uint32_t)count;
    return true;
}

bool marker_dlprof(const struct marker_text *text, struct marker *marker)
{
    if (text->length < 2 || text->text[0] != '{')
        return false;
    struct literal_reader reader;
    literal_open(&reader, text->text, text->length);
    if (literal_next(&reader) != LITERAL_DICT)
        return false;
    struct marker read = *marker;
    string_id repr = STRING_NONE;
    bool has_trace = false, has_arguments = false, has_config = false;
    enum literal_kind kind;
    while ((kind = literal_next(&reader)) == LITERAL_KEY) {
        bool is_mod = literal_is(&reader, "mod"), is_op = literal_is(&reader, "op");
        bool is_repr = literal_is(&reader, "strRepr");
        bool is_stack = literal_is(&reader, "funcStack");
        if (is_mod || is_op || is_repr || is_stack) {
            if (literal_next(&reader) != LITERAL_STRING)
                return false;
            string_id value = intern_unescaped(text, &reader);
            *(is_mod ? &read.module : is_op ? &read.type : is_repr ? &repr : &read.path) = value;
        } else if (literal_is(&reader, "traceMarker") && !has_trace) {
            has_trace = true;
            if (!read_lines(text, &reader, &read.stack))
                return false;
        } else if (literal_is(&reader, "args") && !has_arguments) {
            has_arguments = true;
            if (!read_arguments(text, &reader, &read))
                return false;
        } else {
            has_config |= literal_is(&reader, "model_config");
            if (!literal_skip(&reader, kind))
                return false;
        }
    }
    if (kind != LITERAL_CLOSE || literal_next(&reader) != LITERAL_END)
        return false;
    if (read.module && read.type && has_arguments) {
        read.kind = MARKER_OP;
        read.title = read.type;
    } else if (read.module && repr) {
        read.kind = MARKER_REPR;
        read.title = repr;
        read.type = STRING_NONE;
    } else if (has_trace || read.path) {
        read.kind = MARKER_TRACE;
        if (read.path)
            read.title = read.path;
        read.type = STRING_NONE;
    } else if (has_config) {
        read.kind = MARKER_CONFIG;
    } else {
        return false;
    }
    read.dialect = DIALECT_DLPROF;
    *marker = read;
    return true;
}

// ---- model_config ------------------------------------------------------------------------------

bool marker_read_config(const char *text, size_t length, struct model_config *config)
{
    struct {
        const char *key;
        int64_t *value;
    } fields[] = {
        {"num_workers", &config->num_workers},
        {"pin_memory", &config->pin_memory},
        {"cudnn_benchmark_disabled", &config->cudnn_benchmark_disabled},
        {"detect_anomaly", &config->detect_anomaly},
        {"autograd_set_detect_anomaly", &config->detect_anomaly},
        {"gradcheck", &config->gradcheck},
        {"gradgradcheck", &config->gradgradcheck},
        {"autograd_profile", &config->autograd_profile},
        {"emit_nvtx", &config->emit_nvtx},
        {"amp_enabled", &config->amp_enabled},
    };
    struct literal_reader reader;
    literal_open(&reader, text, length);
    if (literal_next(&reader) != LITERAL_DICT)
        return false;
    enum literal_kind kind;
    while ((kind = literal_next(&reader)) != LITERAL_END) {
        if (kind == LITERAL_ERROR)
            return false;
        if (kind != LITERAL_KEY)
            continue;
        if (literal_is(&reader, "model_config")) {
            config->is_told = true;
            continue;
        }
        int64_t *value = NULL;
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            if (literal_is(&reader, fields[i].key))
                value = fields[i].value;
        kind = literal_next(&reader);
        if (value && (kind == LITERAL_INTEGER || kind == LITERAL_BOOL))
            *value = reader.integer;
        else if (!literal_skip(&reader, kind))
            return false;
    }
    return true;
}
