// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"

void json_open(struct json_writer *json, FILE *file, bool compact)
{
    *json = (struct json_writer){.file = file, .compact = compact};
}

static void line_break(struct json_writer *json)
{
    if (json->compact)
        return;
    putc_unlocked('\n', json->file);
    for (int i = 0; i < json->depth; i++)
        fputs_unlocked("  ", json->file);
}

// What stands between the item before and the next one.
static void item_begin(struct json_writer *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0)
        return;
    if (json->has_item[json->depth - 1])
        putc_unlocked(',', json->file);
    json->has_item[json->depth - 1] = true;
    line_break(json);
}

static void begin(struct json_writer *json, char bracket)
{
    if (json->depth == JSON_DEPTH)
        abort(); // depth comes from the code, never from the data
    item_begin(json);
    putc_unlocked(bracket, json->file);
    json->has_item[json->depth++] = false;
}

void json_begin_object(struct json_writer *json)
{
    begin(json, '{');
}

void json_begin_array(struct json_writer *json)
{
    begin(json, '[');
}

void json_end(struct json_writer *json, char bracket)
{
    if (json->depth == 0)
        abort();
    json->depth--;
    if (json->has_item[json->depth])
        line_break(json);
    putc_unlocked(bracket, json->file);
    if (json->depth == 0 && !json->compact)
        putc_unlocked('\n', json->file);
}

static void escape(FILE *file, uint32_t code)
{
    if (code == '\n')
        fputs_unlocked("\\n", file);
    else if (code == '\t')
        fputs_unlocked("\\t", file);
    else if (code < 0x10000)
        fprintf(file, "\\u%04x", (unsigned)code);
    else
        fprintf(file, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (code >> 10)),
                (unsigned)(0xDC00 + (code & 0x3FF)));
}

static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

// What is unsafe on a terminal is escaped too: JSON is read there as well.
static void quoted(FILE *file, const char *text)
{
    size_t length = strlen(text);
    putc_unlocked('"', file);
    for (size_t at = 0; at < length;) {
        size_t plain = at;
        while (plain < length && is_plain(text[plain]))
            plain++;
        if (plain > at) {
            fwrite_unlocked(text + at, 1, plain - at, file);
            at = plain;
            continue;
        }
        uint32_t code;
        size_t taken = text_decode(text + at, length - at, &code);
        char bytes[4];
        if (code == '"' || code == '\\') {
            putc_unlocked('\\', file);
            putc_unlocked((int)code, file);
        } else if (text_is_unsafe(code)) {
            escape(file, code);
        } else {
            size_t size = text_encode(code, bytes);
            fwrite(bytes, 1, size, file);
        }
        at += taken;
    }
    putc_unlocked('"', file);
}

void json_key(struct json_writer *json, const char *key)
{
    item_begin(json);
    quoted(json->file, key);
    fputs_unlocked(json->compact ? ":" : ": ", json->file);
    json->after_key = true;
}

void json_string(struct json_writer *json, const char *text)
{
    item_begin(json);
    if (text)
        quoted(json->file, text);
    else
        fputs_unlocked("null", json->file);
}

void json_integer(struct json_writer *json, int64_t value)
{
    item_begin(json);
    fprintf(json->file, "%lld", (long long)value);
}

void json_real(struct json_writer *json, double value)
{
    item_begin(json);
    if (!isfinite(value)) {
        fputs_unlocked("null", json->file);
        return;
    }
    char text[FORMAT_SIZE];
    fputs_unlocked(format_exact(text, value), json->file);
}

void json_bool(struct json_writer *json, bool value)
{
    item_begin(json);
    fputs_unlocked(value ? "true" : "false", json->file);
}

void json_null(struct json_writer *json)
{
    item_begin(json);
    fputs_unlocked("null", json->file);
}
