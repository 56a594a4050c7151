// SPDX-License-Identifier: Apache-2.0
// Parses a line of PyProf's output: a Python dict that describes one kernel. The line is parsed as
// literals and never evaluated.
#include <string.h>

#include "base/parse/literal.h"
#include "model/dict/load_dict.h"
#include "model/markers/range_suffix.h"
#include "model/profile/time_limits.h"

struct dict_line_parser {
    struct literal_reader reader;
    const char *text; // the line
    struct strings *strings;
    struct bytes *buffer;
    struct dict_line *line;
    const char *why;
    uint32_t counts[DICT_KINDS];            // number of texts by kind
    struct dict_text texts[MAX_DICT_TEXTS]; // in the order of the line
};

static bool set_failure(struct dict_line_parser *parser, const char *why)
{
    parser->why = parser->why ? parser->why : why;
    return false;
}

static enum literal_kind next_token(struct dict_line_parser *parser)
{
    enum literal_kind kind = literal_next(&parser->reader);
    if (kind == LITERAL_ERROR)
        set_failure(parser, "is no Python literal");
    return kind;
}

// ---- texts -------------------------------------------------------------------------------------

// Appends the current text to the buffer.
static void append_text(struct dict_line_parser *parser)
{
    struct bytes *buffer = parser->buffer;
    size_t length = parser->reader.length;
    buffer->count += literal_unescape(parser->reader.text, length,
                                      bytes_reserve(buffer, length + 1), length + 1);
}

static bool is_node(const char *name, size_t length)
{
    static const char word[] = "ackward";
    return memmem(name, length, word, sizeof word - 1) != NULL;
}

// Adds the text in the buffer to the line.
static bool add_text(struct dict_line_parser *parser, enum dict_kind kind)
{
    const struct bytes *buffer = parser->buffer;
    if (parser->line->count == MAX_DICT_TEXTS)
        return set_failure(parser, "has more than 256 ranges around a launch");
    struct range_suffix suffix = range_suffix_cut(buffer->items, buffer->count);
    if (kind == DICT_SEQ && is_node(buffer->items, suffix.length))
        kind = DICT_NODE;
    parser->texts[parser->line->count++] = (struct dict_text){
        .kind = kind,
        .name = strings_intern(parser->strings, buffer->items, suffix.length),
        .sizes = suffix.sizes ? strings_intern(parser->strings, suffix.sizes, suffix.sizes_length)
                              : STRING_NONE,
        .seq = suffix.seq,
        .op_id = suffix.op_id,
    };
    parser->counts[kind]++;
    return true;
}

static bool read_texts(struct dict_line_parser *parser, enum dict_kind kind)
{
    enum literal_kind value = next_token(parser);
    if (value != LITERAL_LIST && value != LITERAL_TUPLE)
        return set_failure(parser, "has no list where texts are");
    while ((value = next_token(parser)) == LITERAL_STRING) {
        parser->buffer->count = 0;
        bytes_text(parser->buffer, kind == DICT_LAYER ? "layer:" : "");
        append_text(parser);
        if (!parser->buffer->count)
            continue;
        if (!add_text(parser, kind))
            return false;
    }
    return value == LITERAL_CLOSE || set_failure(parser, "has something else in a list of texts");
}

// Rebuilds the marker that the list was taken from, in the same notation.
static bool read_trace(struct dict_line_parser *parser)
{
    if (next_token(parser) != LITERAL_LIST)
        return set_failure(parser, "has no list of lines of the program");
    size_t from = parser->reader.offset - 1, count = 0;
    enum literal_kind value;
    while ((value = next_token(parser)) == LITERAL_STRING)
        count++;
    if (value != LITERAL_CLOSE)
        return set_failure(parser, "has something else in the lines of the program");
    parser->buffer->count = 0;
    bytes_text(parser->buffer, "{'traceMarker': ");
    bytes_add(parser->buffer, parser->text + from, parser->reader.offset - from);
    bytes_char(parser->buffer, '}');
    return count == 0 || add_text(parser, DICT_TRACE);
}

static bool read_name(struct dict_line_parser *parser, string_id *name)
{
    if (next_token(parser) != LITERAL_STRING)
        return set_failure(parser, "has no text where a name is");
    parser->buffer->count = 0;
    bytes_reserve(parser->buffer, 1);
    append_text(parser);
    *name = parser->buffer->count
                ? strings_intern(parser->strings, parser->buffer->items, parser->buffer->count)
                : STRING_NONE;
    return true;
}

// ---- numbers -----------------------------------------------------------------------------------

static bool read_number(struct dict_line_parser *parser, int64_t limit, int64_t *number)
{
    enum literal_kind kind = next_token(parser);
    *number = parser->reader.integer;
    return (kind == LITERAL_INTEGER && *number >= 0 && *number <= limit) ||
           set_failure(parser, "has no number that can be");
}

static bool read_triple(struct dict_line_parser *parser, int32_t *dims)
{
    enum literal_kind kind = next_token(parser);
    if (kind != LITERAL_TUPLE && kind != LITERAL_LIST)
        return set_failure(parser, "has no three numbers of a launch");
    for (int i = 0; i < 3; i++) {
        int64_t number;
        if (!read_number(parser, INT32_MAX, &number))
            return false;
        dims[i] = (int32_t)number;
    }
    return next_token(parser) == LITERAL_CLOSE ||
           set_failure(parser, "has more than three of a launch");
}

// ---- whole lines --------------------------------------------------------------------------------

static bool read_member(struct dict_line_parser *parser)
{
    static const struct {
        const char *key;
        enum dict_kind kind;
    } lists[] = {{"layer", DICT_LAYER},
                 {"reprMarkers", DICT_REPR},
                 {"marker", DICT_ARGUMENTS},
                 {"seqMarker", DICT_SEQ},
                 {"op", DICT_OP}};
    struct literal_reader *reader = &parser->reader;
    struct dict_line *line = parser->line;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (literal_is(reader, lists[i].key))
            return read_texts(parser, lists[i].kind);
    if (literal_is(reader, "trace"))
        return read_trace(parser);
    if (literal_is(reader, "kShortName"))
        return read_name(parser, &line->brief);
    if (literal_is(reader, "kLongName"))
        return read_name(parser, &line->full);
    if (literal_is(reader, "kDuration"))
        return read_number(parser, DURATION_LIMIT, &line->duration_ns);
    if (literal_is(reader, "tid"))
        return read_number(parser, UINT32_MAX, &line->tid);
    if (literal_is(reader, "device"))
        return read_number(parser, MAX_DEVICES - 2, &line->device);
    if (literal_is(reader, "stream"))
        return read_number(parser, UINT32_MAX, &line->stream);
    if (literal_is(reader, "subSeqId"))
        return read_number(parser, UINT32_MAX, &line->sub);
    if (literal_is(reader, "grid"))
        return read_triple(parser, line->shape);
    if (literal_is(reader, "block"))
        return read_triple(parser, line->shape + 3);
    return literal_skip(reader, LITERAL_KEY) || set_failure(parser, "is no Python literal");
}

// Sorts the texts from the outermost to the innermost. The op name of the line is a range text only
// if the line has neither arguments nor numbered ranges.
static void order_texts(struct dict_line_parser *parser)
{
    struct dict_line *line = parser->line;
    bool is_op_known =
        parser->counts[DICT_ARGUMENTS] || parser->counts[DICT_NODE] || parser->counts[DICT_SEQ];
    uint32_t read = line->count;
    line->count = 0;
    for (int kind = 0; kind < (is_op_known ? (int)DICT_OP : (int)DICT_KINDS); kind++)
        for (uint32_t i = 0; i < read && parser->counts[kind]; i++)
            if ((int)parser->texts[i].kind == kind)
                line->texts[line->count++] = parser->texts[i];
    line->layers = parser->counts[DICT_LAYER];
}

static bool read_dict(struct dict_line_parser *parser)
{
    struct dict_line *line = parser->line;
    if (next_token(parser) != LITERAL_DICT)
        return set_failure(parser, "is no dict of PyProf's parser");
    enum literal_kind kind;
    while ((kind = next_token(parser)) == LITERAL_KEY)
        if (!read_member(parser))
            return false;
    if (kind != LITERAL_CLOSE || next_token(parser) != LITERAL_END)
        return set_failure(parser, "is no Python literal");
    if (!line->brief && !line->full)
        return set_failure(parser, "names no kernel");
    line->brief = line->brief ? line->brief : line->full;
    line->full = line->full ? line->full : line->brief;
    return line->duration_ns >= 0 || set_failure(parser, "has no kDuration");
}

bool dict_read_line(const char *text, size_t length, struct strings *strings, struct bytes *buffer,
                    struct dict_line *line, const char **why, size_t *at)
{
    struct dict_line_parser parser = {
        .text = text, .strings = strings, .buffer = buffer, .line = line};
    line->brief = line->full = STRING_NONE;
    line->duration_ns = -1;
    line->tid = line->device = line->stream = line->sub = 0;
    line->count = line->layers = 0;
    for (int i = 0; i < 6; i++)
        line->shape[i] = -1;
    literal_open(&parser.reader, text, length);
    bool is_read = read_dict(&parser);
    *why = parser.why;
    *at = parser.reader.offset + 1;
    if (is_read)
        order_texts(&parser);
    return is_read;
}
