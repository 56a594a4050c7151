// SPDX-License-Identifier: Apache-2.0
#include "base/parse/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

void json_open(struct json_writer *json, struct bytes *out, bool compact)
{
    *json = (struct json_writer){.out = out, .compact = compact};
}

static void line_break(struct json_writer *json)
{
    if (json->compact)
        return;
    bytes_char(json->out, '\n');
    for (int i = 0; i < json->depth; i++)
        bytes_text(json->out, "  ");
}

// Writes the separator before an item: comma and line break.
static void item_begin(struct json_writer *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0)
        return;
    if (json->has_item[json->depth - 1])
        bytes_char(json->out, ',');
    json->has_item[json->depth - 1] = true;
    line_break(json);
}

static void begin_container(struct json_writer *json, char bracket)
{
    if (json->depth == JSON_DEPTH)
        abort(); // a bug of the caller: the depth does not depend on data
    item_begin(json);
    bytes_char(json->out, bracket);
    json->has_item[json->depth++] = false;
}

void json_begin_object(struct json_writer *json)
{
    begin_container(json, '{');
}

void json_begin_array(struct json_writer *json)
{
    begin_container(json, '[');
}

void json_end(struct json_writer *json, char bracket)
{
    if (json->depth == 0)
        abort();
    json->depth--;
    if (json->has_item[json->depth])
        line_break(json);
    bytes_char(json->out, bracket);
    if (json->depth == 0 && !json->compact)
        bytes_char(json->out, '\n');
}

static void write_escape(struct bytes *out, uint32_t code)
{
    if (code == '\n')
        bytes_text(out, "\\n");
    else if (code == '\t')
        bytes_text(out, "\\t");
    else if (code < 0x10000)
        bytes_format(out, "\\u%04x", (unsigned)code);
    else
        bytes_format(out, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (code >> 10)),
                     (unsigned)(0xDC00 + (code & 0x3FF)));
}

static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

// Characters that are unsafe on a terminal are escaped as well, because JSON is also read there.
static void write_quoted(struct bytes *out, const char *text)
{
    size_t length = strlen(text);
    bytes_char(out, '"');
    for (size_t at = 0; at < length;) {
        size_t plain = at;
        while (plain < length && is_plain(text[plain]))
            plain++;
        if (plain > at) {
            bytes_add(out, text + at, plain - at);
            at = plain;
            continue;
        }
        uint32_t code;
        size_t consumed = text_decode(text + at, length - at, &code);
        char utf8[4];
        if (code == '"' || code == '\\') {
            bytes_char(out, '\\');
            bytes_char(out, (char)code);
        } else if (text_is_unsafe(code)) {
            write_escape(out, code);
        } else {
            size_t size = text_encode(code, utf8);
            bytes_add(out, utf8, size);
        }
        at += consumed;
    }
    bytes_char(out, '"');
}

void json_key(struct json_writer *json, const char *key)
{
    item_begin(json);
    write_quoted(json->out, key);
    bytes_text(json->out, json->compact ? ":" : ": ");
    json->after_key = true;
}

void json_string(struct json_writer *json, const char *text)
{
    item_begin(json);
    if (text)
        write_quoted(json->out, text);
    else
        bytes_text(json->out, "null");
}

void json_integer(struct json_writer *json, int64_t value)
{
    item_begin(json);
    bytes_integer(json->out, value);
}

void json_real(struct json_writer *json, double value)
{
    item_begin(json);
    if (isfinite(value))
        bytes_exact(json->out, value);
    else
        bytes_text(json->out, "null");
}

void json_bool(struct json_writer *json, bool value)
{
    item_begin(json);
    bytes_text(json->out, value ? "true" : "false");
}

void json_null(struct json_writer *json)
{
    item_begin(json);
    bytes_text(json->out, "null");
}
