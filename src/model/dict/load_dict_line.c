// SPDX-License-Identifier: Apache-2.0
// A line of what PyProf's parser prints: a Python dict that tells all of one kernel. It is read, never
// evaluated.
#include <string.h>

#include "base/parse/literal.h"
#include "model/dict/load_dict.h"
#include "model/markers/range_suffix.h"
#include "model/profile/times.h"

struct dict_reading {
    struct literal_reader reader;
    const char *text; // the line
    struct strings *strings;
    struct bytes *buffer;
    struct dict_line *line;
    const char *why;
    uint32_t counts[DICT_KINDS];             // of texts
    struct dict_text texts[DICT_TEXTS_MOST]; // in the order of the line
};

static bool fail(struct dict_reading *reading, const char *why)
{
    reading->why = reading->why ? reading->why : why;
    return false;
}

static enum literal_kind next(struct dict_reading *reading)
{
    enum literal_kind kind = literal_next(&reading->reader);
    if (kind == LITERAL_ERROR)
        fail(reading, "is no Python literal");
    return kind;
}

// ---- texts -------------------------------------------------------------------------------------

// Puts the text at hand behind what the buffer holds.
static void put_plain(struct dict_reading *reading)
{
    struct bytes *buffer = reading->buffer;
    size_t length = reading->reader.length;
    buffer->count +=
        literal_unescape(reading->reader.text, length, bytes_room(buffer, length + 1), length + 1);
}

static bool is_node(const char *name, size_t length)
{
    static const char word[] = "ackward";
    return memmem(name, length, word, sizeof word - 1) != NULL;
}

// Adds the text that the buffer holds.
static bool add_text(struct dict_reading *reading, enum dict_kind kind)
{
    const struct bytes *buffer = reading->buffer;
    if (reading->line->count == DICT_TEXTS_MOST)
        return fail(reading, "has more than 256 ranges around a launch");
    struct range_suffix suffix = range_suffix_cut(buffer->items, buffer->count);
    if (kind == DICT_SEQ && is_node(buffer->items, suffix.length))
        kind = DICT_NODE;
    reading->texts[reading->line->count++] = (struct dict_text){
        .kind = kind,
        .name = strings_intern(reading->strings, buffer->items, suffix.length),
        .sizes = suffix.sizes ? strings_intern(reading->strings, suffix.sizes, suffix.sizes_length)
                              : STRING_NONE,
        .seq = suffix.seq,
        .op_id = suffix.op_id,
    };
    reading->counts[kind]++;
    return true;
}

static bool read_texts(struct dict_reading *reading, enum dict_kind kind)
{
    enum literal_kind value = next(reading);
    if (value != LITERAL_LIST && value != LITERAL_TUPLE)
        return fail(reading, "has no list where texts are");
    while ((value = next(reading)) == LITERAL_STRING) {
        reading->buffer->count = 0;
        bytes_text(reading->buffer, kind == DICT_LAYER ? "layer:" : "");
        put_plain(reading);
        if (!reading->buffer->count)
            continue;
        if (!add_text(reading, kind))
            return false;
    }
    return value == LITERAL_CLOSE || fail(reading, "has something else in a list of texts");
}

// The list becomes again the marker that it was taken of, as it is written.
static bool read_trace(struct dict_reading *reading)
{
    if (next(reading) != LITERAL_LIST)
        return fail(reading, "has no list of lines of the program");
    size_t from = reading->reader.offset - 1, count = 0;
    enum literal_kind value;
    while ((value = next(reading)) == LITERAL_STRING)
        count++;
    if (value != LITERAL_CLOSE)
        return fail(reading, "has something else in the lines of the program");
    reading->buffer->count = 0;
    bytes_text(reading->buffer, "{'traceMarker': ");
    bytes_add(reading->buffer, reading->text + from, reading->reader.offset - from);
    bytes_char(reading->buffer, '}');
    return count == 0 || add_text(reading, DICT_TRACE);
}

static bool read_name(struct dict_reading *reading, string_id *name)
{
    if (next(reading) != LITERAL_STRING)
        return fail(reading, "has no text where a name is");
    reading->buffer->count = 0;
    bytes_room(reading->buffer, 1);
    put_plain(reading);
    *name = reading->buffer->count
                ? strings_intern(reading->strings, reading->buffer->items, reading->buffer->count)
                : STRING_NONE;
    return true;
}

// ---- numbers -----------------------------------------------------------------------------------

static bool read_number(struct dict_reading *reading, int64_t most, int64_t *number)
{
    enum literal_kind kind = next(reading);
    *number = reading->reader.integer;
    return (kind == LITERAL_INTEGER && *number >= 0 && *number <= most) ||
           fail(reading, "has no number that can be");
}

static bool read_triple(struct dict_reading *reading, int32_t *dims)
{
    enum literal_kind kind = next(reading);
    if (kind != LITERAL_TUPLE && kind != LITERAL_LIST)
        return fail(reading, "has no three numbers of a launch");
    for (int i = 0; i < 3; i++) {
        int64_t number;
        if (!read_number(reading, INT32_MAX, &number))
            return false;
        dims[i] = (int32_t)number;
    }
    return next(reading) == LITERAL_CLOSE || fail(reading, "has more than three of a launch");
}

// ---- the line ----------------------------------------------------------------------------------

static bool read_member(struct dict_reading *reading)
{
    static const struct {
        const char *key;
        enum dict_kind kind;
    } lists[] = {{"layer", DICT_LAYER},
                 {"reprMarkers", DICT_REPR},
                 {"marker", DICT_ARGUMENTS},
                 {"seqMarker", DICT_SEQ},
                 {"op", DICT_OP}};
    struct literal_reader *reader = &reading->reader;
    struct dict_line *line = reading->line;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (literal_is(reader, lists[i].key))
            return read_texts(reading, lists[i].kind);
    if (literal_is(reader, "trace"))
        return read_trace(reading);
    if (literal_is(reader, "kShortName"))
        return read_name(reading, &line->brief);
    if (literal_is(reader, "kLongName"))
        return read_name(reading, &line->full);
    if (literal_is(reader, "kDuration"))
        return read_number(reading, DURATION_LIMIT, &line->duration_ns);
    if (literal_is(reader, "tid"))
        return read_number(reading, UINT32_MAX, &line->tid);
    if (literal_is(reader, "device"))
        return read_number(reading, DEVICES_MOST - 2, &line->device);
    if (literal_is(reader, "stream"))
        return read_number(reading, UINT32_MAX, &line->stream);
    if (literal_is(reader, "subSeqId"))
        return read_number(reading, UINT32_MAX, &line->sub);
    if (literal_is(reader, "grid"))
        return read_triple(reading, line->shape);
    if (literal_is(reader, "block"))
        return read_triple(reading, line->shape + 3);
    return literal_skip(reader, LITERAL_KEY) || fail(reading, "is no Python literal");
}

// Brings the texts into the order in which they stand around each other. What the line calls its op is
// the text of a range only where neither arguments nor numbers are told.
static void order_texts(struct dict_reading *reading)
{
    struct dict_line *line = reading->line;
    bool is_op_known =
        reading->counts[DICT_ARGUMENTS] || reading->counts[DICT_NODE] || reading->counts[DICT_SEQ];
    uint32_t read = line->count;
    line->count = 0;
    for (int kind = 0; kind < (is_op_known ? (int)DICT_OP : (int)DICT_KINDS); kind++)
        for (uint32_t i = 0; i < read && reading->counts[kind]; i++)
            if ((int)reading->texts[i].kind == kind)
                line->texts[line->count++] = reading->texts[i];
    line->layers = reading->counts[DICT_LAYER];
}

static bool read_dict(struct dict_reading *reading)
{
    struct dict_line *line = reading->line;
    if (next(reading) != LITERAL_DICT)
        return fail(reading, "is no dict of PyProf's parser");
    enum literal_kind kind;
    while ((kind = next(reading)) == LITERAL_KEY)
        if (!read_member(reading))
            return false;
    if (kind != LITERAL_CLOSE || next(reading) != LITERAL_END)
        return fail(reading, "is no Python literal");
    if (!line->brief && !line->full)
        return fail(reading, "names no kernel");
    line->brief = line->brief ? line->brief : line->full;
    line->full = line->full ? line->full : line->brief;
    return line->duration_ns >= 0 || fail(reading, "has no kDuration");
}

bool dict_read_line(const char *text, size_t length, struct strings *strings, struct bytes *buffer,
                    struct dict_line *line, const char **why, size_t *at)
{
    struct dict_reading reading = {
        .text = text, .strings = strings, .buffer = buffer, .line = line};
    line->brief = line->full = STRING_NONE;
    line->duration_ns = -1;
    line->tid = line->device = line->stream = line->sub = 0;
    line->count = line->layers = 0;
    for (int i = 0; i < 6; i++)
        line->shape[i] = -1;
    literal_open(&reading.reader, text, length);
    bool is_read = read_dict(&reading);
    *why = reading.why;
    *at = reading.reader.offset + 1;
    if (is_read)
        order_texts(&reading);
    return is_read;
}
