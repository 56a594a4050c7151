// SPDX-License-Identifier: Apache-2.0
// Helpers that the dialects share: prefixes, annotations and sizes of a text.
#include <string.h>

#include "base/parse/literal.h"
#include "model/markers/marker_dialects.h"

bool marker_text_begins(const struct marker_text *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return text->length >= length && memcmp(text->text, prefix, length) == 0;
}

string_id marker_intern(const struct marker_text *text, const char *start, size_t length)
{
    return strings_intern(text->strings, start, length);
}

static bool key_is(const char *from, const char *to, const char *key)
{
    const char *equals = memchr(from, '=', (size_t)(to - from));
    return equals && (size_t)(equals - from) == strlen(key) && memcmp(from, key, strlen(key)) == 0;
}

bool marker_annotation(const struct marker_text *text, const char *key, struct text_span *value)
{
    const char *end = text->text + text->length;
    const char *from = memchr(text->text, '#', text->length);
    if (!from)
        return false;
    if (end > from + 1 && end[-1] == '#')
        end--;
    for (from++; from < end; from++) {
        const char *to = from;
        for (int depth = 0; to < end && (*to != ',' || depth > 0); to++) {
            depth += *to == '(' || *to == '[' || *to == '{';
            depth -= (*to == ')' || *to == ']' || *to == '}') && depth > 0;
        }
        if (key_is(from, to, key)) {
            from += strlen(key) + 1;
            *value = (struct text_span){from, (size_t)(to - from)};
            return true;
        }
        from = to;
    }
    return false;
}

// Reads one item of a sizes list. Returns false if the text is not such a list.
static bool read_size(struct literal_reader *reader, enum literal_kind kind, int64_t *dims,
                      size_t *rank, bool *is_tensor)
{
    *rank = 0;
    *is_tensor = false;
    if (kind != LITERAL_LIST && kind != LITERAL_TUPLE)
        return literal_skip(reader, kind);
    bool all_numbers = true;
    for (;;) {
        kind = literal_next(reader);
        if (kind == LITERAL_CLOSE)
            break;
        if (kind == LITERAL_ERROR || kind == LITERAL_END)
            return false;
        if (kind == LITERAL_INTEGER && *rank < RANK_LIMIT)
            dims[(*rank)++] = reader->integer;
        else
            all_numbers = false;
        if (!literal_skip(reader, kind))
            return false;
    }
    *is_tensor = all_numbers && *rank > 0;
    return true;
}

bool marker_read_sizes(const struct marker_text *text, const char *sizes, size_t length,
                       struct marker *marker)
{
    struct literal_reader reader;
    literal_open(&reader, sizes, length);
    if (literal_next(&reader) != LITERAL_LIST)
        return false;
    size_t count = 0, capacity = 0;
    struct marker_argument *arguments = NULL;
    enum literal_kind kind;
    while ((kind = literal_next(&reader)) != LITERAL_CLOSE) {
        int64_t dims[RANK_LIMIT];
        size_t rank;
        bool is_tensor;
        if (kind == LITERAL_ERROR || kind == LITERAL_END ||
            !read_size(&reader, kind, dims, &rank, &is_tensor))
            return false;
        if (count == ARGUMENT_LIMIT)
            continue;
        struct marker_argument argument = {.is_tensor = is_tensor};
        if (is_tensor) {
            argument.rank = (uint8_t)rank;
            argument.dims = ARENA_ARRAY(text->arena, int64_t, rank);
            memcpy(argument.dims, dims, rank * sizeof *dims);
        }
        ARENA_PUSH(text->arena, arguments, count, capacity) = argument;
    }
    marker->arguments = arguments;
    marker->argument_count = (uint32_t)count;
    return true;
}
