// SPDX-License-Identifier: Apache-2.0
// Marker text as a literal: reading ends, stays inside the text and keeps its brackets balanced.
#include <stdint.h>
#include <stdlib.h>

#include "base/parse/literal.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

static bool opens(enum literal_kind kind)
{
    return kind == LITERAL_DICT || kind == LITERAL_LIST || kind == LITERAL_TUPLE;
}

static void check_text(const struct literal_reader *reader, const char *text, size_t size)
{
    CHECK(reader->text >= text && reader->text + reader->length <= text + size);
    char out[64];
    size_t room = reader->length % sizeof out + 1;
    CHECK(literal_unescape(reader->text, reader->length, out, room) < room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct literal_reader reader;
    literal_open(&reader, text, size);
    int depth = 0;
    size_t values = 0;
    for (enum literal_kind kind; (kind = literal_next(&reader)) != LITERAL_END;) {
        CHECK(reader.offset <= size);
        if (kind == LITERAL_ERROR) {
            CHECK(literal_next(&reader) == LITERAL_ERROR);
            break;
        }
        CHECK(values++ < size);
        depth += opens(kind);
        depth -= kind == LITERAL_CLOSE;
        CHECK(depth == reader.depth && depth >= 0 && depth <= LITERAL_DEPTH);
        if (kind == LITERAL_KEY || kind == LITERAL_STRING)
            check_text(&reader, text, size);
    }
    // Skipping the outermost value succeeds if and only if reading it does.
    literal_open(&reader, text, size);
    enum literal_kind first = literal_next(&reader);
    if (literal_skip(&reader, first))
        CHECK(reader.depth == 0);
    return 0;
}
