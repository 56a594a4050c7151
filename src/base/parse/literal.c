// SPDX-License-Identifier: Apache-2.0
// A state machine: reader->state tells which tokens may come next, reader->stack has the open
// brackets. Nesting is limited by the size of the stack, so recursion is not needed.
#include "base/parse/literal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

// The tokens that may come next.
enum literal_state {
    STATE_START,          // a value or the end
    STATE_VALUE,          // the value of a key
    STATE_VALUE_OR_CLOSE, // in a list or tuple, after its bracket or a comma
    STATE_KEY_OR_CLOSE,   // in a dict, after its bracket or a comma
    STATE_COMMA_OR_CLOSE, // after a value in a container
    STATE_DONE,           // after the outermost value
    STATE_FAILED,
};

enum { MAX_NUMBER_LENGTH = 400 }; // longer numbers are rejected

void literal_open(struct literal_reader *reader, const char *text, size_t length)
{
    *reader = (struct literal_reader){
        .text = "",
        .start = text,
        .end = length ? text + length : text,
        .state = STATE_START,
    };
}

static const char *position(const struct literal_reader *reader)
{
    return reader->offset ? reader->start + reader->offset : reader->start;
}

static enum literal_kind fail(struct literal_reader *reader)
{
    reader->state = STATE_FAILED;
    return LITERAL_ERROR;
}

static void skip_blanks(struct literal_reader *reader)
{
    const char *at = position(reader);
    while (at < reader->end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    reader->offset = (size_t)(at - reader->start);
}

static void value_done(struct literal_reader *reader)
{
    reader->state = reader->depth ? STATE_COMMA_OR_CLOSE : STATE_DONE;
}

// Reads a quoted text; `at` is its opening quote.
static bool read_quoted(struct literal_reader *reader, const char *at)
{
    char quote = *at++;
    const char *first = at;
    while (at < reader->end && *at != quote)
        at += *at == '\\' && reader->end - at > 1 ? 2 : 1;
    if (at >= reader->end)
        return false;
    reader->text = first;
    reader->length = (size_t)(at - first);
    reader->offset = (size_t)(at + 1 - reader->start);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

static enum literal_kind read_number(struct literal_reader *reader, const char *at)
{
    const char *first = at, *end = reader->end;
    if (*at == '-' || *at == '+')
        at++;
    const char *digits = at;
    at = skip_digits(at, end);
    size_t digit_count = (size_t)(at - digits);
    bool is_real = false;
    if (at < end && *at == '.') {
        is_real = true;
        const char *fraction = at + 1;
        at = skip_digits(fraction, end);
        digit_count += (size_t)(at - fraction);
    }
    if (digit_count == 0 || at - first > MAX_NUMBER_LENGTH)
        return fail(reader);
    if (at < end && (*at == 'e' || *at == 'E')) {
        is_real = true;
        at++;
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        const char *exponent = at;
        at = skip_digits(at, end);
        if (at == exponent || at - exponent > 8)
            return fail(reader);
    }
    size_t length = (size_t)(at - first);
    if (!is_real && at < end && *at == 'L') // a Python 2 long
        at++;
    if (at < end && (is_word(*at) || *at == '.'))
        return fail(reader);
    char copy[MAX_NUMBER_LENGTH + 16];
    memcpy(copy, first, length);
    copy[length] = '\0';
    reader->real = strtod(copy, NULL);
    reader->integer = is_real ? 0 : strtoll(copy, NULL, 10); // saturates
    reader->text = first;
    reader->length = length;
    reader->offset = (size_t)(at - reader->start);
    value_done(reader);
    return is_real ? LITERAL_REAL : LITERAL_INTEGER;
}

static const struct literal_word {
    const char *text;
    enum literal_kind kind;
    int64_t integer;
    double real;
} words[] = {
    {"True", LITERAL_BOOL, 1, 1},         {"False", LITERAL_BOOL, 0, 0},
    {"None", LITERAL_NULL, 0, 0},         {"true", LITERAL_BOOL, 1, 1},
    {"false", LITERAL_BOOL, 0, 0},        {"null", LITERAL_NULL, 0, 0},
    {"nan", LITERAL_REAL, 0, NAN},        {"NaN", LITERAL_REAL, 0, NAN},
    {"inf", LITERAL_REAL, 0, INFINITY},   {"Infinity", LITERAL_REAL, 0, INFINITY},
    {"-inf", LITERAL_REAL, 0, -INFINITY}, {"-Infinity", LITERAL_REAL, 0, -INFINITY},
    {"-nan", LITERAL_REAL, 0, NAN},       {"+inf", LITERAL_REAL, 0, INFINITY},
};

static enum literal_kind read_word(struct literal_reader *reader, const char *at)
{
    const char *first = at;
    if (*at == '-' || *at == '+')
        at++;
    while (at < reader->end && is_word(*at))
        at++;
    size_t length = (size_t)(at - first);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].text) != length || memcmp(words[i].text, first, length) != 0)
            continue;
        reader->integer = words[i].integer;
        reader->real = words[i].real;
        reader->text = first;
        reader->length = length;
        reader->offset = (size_t)(at - reader->start);
        value_done(reader);
        return words[i].kind;
    }
    return fail(reader);
}

static enum literal_kind open_container(struct literal_reader *reader, char bracket)
{
    if (reader->depth >= LITERAL_DEPTH)
        return fail(reader);
    reader->stack[reader->depth++] = bracket;
    reader->offset++;
    reader->state = bracket == '{' ? STATE_KEY_OR_CLOSE : STATE_VALUE_OR_CLOSE;
    return bracket == '{' ? LITERAL_DICT : bracket == '[' ? LITERAL_LIST : LITERAL_TUPLE;
}

// Returns the opening quote at `at`, or after the prefix of u'' or b''; NULL if there is none.
static const char *quote_at(const struct literal_reader *reader, const char *at)
{
    if ((*at == 'u' || *at == 'b') && reader->end - at > 1)
        at++;
    return *at == '"' || *at == '\'' ? at : NULL;
}

static enum literal_kind read_value(struct literal_reader *reader)
{
    const char *at = position(reader);
    const char *quote = quote_at(reader, at);
    if (*at == '{' || *at == '[' || *at == '(')
        return open_container(reader, *at);
    if (quote) {
        if (!read_quoted(reader, quote))
            return fail(reader);
        value_done(reader);
        return LITERAL_STRING;
    }
    bool has_sign = (*at == '-' || *at == '+') && reader->end - at > 1;
    char lead = has_sign ? at[1] : *at;
    return is_digit(lead) || lead == '.' ? read_number(reader, at) : read_word(reader, at);
}

static bool closes(const struct literal_reader *reader, char bracket)
{
    char open = reader->depth ? reader->stack[reader->depth - 1] : '\0';
    return (open == '{' && bracket == '}') || (open == '[' && bracket == ']') ||
           (open == '(' && bracket == ')');
}

static enum literal_kind close_container(struct literal_reader *reader)
{
    reader->depth--;
    reader->offset++;
    value_done(reader);
    return LITERAL_CLOSE;
}

// Reads a key and its colon. A key that is not a text ({1: 2}) yields its digits as written.
static enum literal_kind read_key(struct literal_reader *reader)
{
    const char *at = position(reader);
    if (*at == '{' || *at == '[' || *at == '(')
        return fail(reader);
    if (read_value(reader) == LITERAL_ERROR)
        return LITERAL_ERROR;
    skip_blanks(reader);
    at = position(reader);
    if (at >= reader->end || *at != ':')
        return fail(reader);
    reader->offset++;
    reader->state = STATE_VALUE;
    return LITERAL_KEY;
}

enum literal_kind literal_next(struct literal_reader *reader)
{
    if (reader->state == STATE_FAILED)
        return LITERAL_ERROR;
    skip_blanks(reader);
    const char *at = position(reader);
    if (at >= reader->end) {
        if (reader->state == STATE_START || reader->state == STATE_DONE)
            return LITERAL_END;
        return fail(reader);
    }
    switch ((enum literal_state)reader->state) {
    case STATE_START:
    case STATE_VALUE:
        return read_value(reader);
    case STATE_COMMA_OR_CLOSE:
        if (closes(reader, *at))
            return close_container(reader);
        if (*at != ',')
            return fail(reader);
        reader->offset++;
        reader->state =
            reader->stack[reader->depth - 1] == '{' ? STATE_KEY_OR_CLOSE : STATE_VALUE_OR_CLOSE;
        return literal_next(reader); // recurses once: this state never follows a comma
    case STATE_KEY_OR_CLOSE:
        return closes(reader, *at) ? close_container(reader) : read_key(reader);
    case STATE_VALUE_OR_CLOSE:
        return closes(reader, *at) ? close_container(reader) : read_value(reader);
    case STATE_DONE:
    case STATE_FAILED:
        break;
    }
    return fail(reader); // something follows the outermost value
}

bool literal_skip(struct literal_reader *reader, enum literal_kind kind)
{
    if (kind == LITERAL_KEY)
        kind = literal_next(reader);
    if (kind == LITERAL_END || kind == LITERAL_ERROR || kind == LITERAL_CLOSE)
        return false;
    if (kind != LITERAL_DICT && kind != LITERAL_LIST && kind != LITERAL_TUPLE)
        return true;
    int outside = reader->depth - 1;
    while (reader->depth > outside) {
        if (literal_next(reader) == LITERAL_ERROR)
            return false;
    }
    return true;
}

bool literal_is(const struct literal_reader *reader, const char *text)
{
    size_t length = strlen(text);
    return length == reader->length && memcmp(text, reader->text, length) == 0;
}

// Reads `digits` hexadecimal digits as a code point. Returns false if there are fewer.
static bool read_hex(const char *text, size_t length, size_t digits, uint32_t *code)
{
    if (length < digits)
        return false;
    *code = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = text[i];
        int digit = is_digit(c)            ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *code = *code << 4 | (uint32_t)digit;
    }
    return true;
}

// Decodes the escape at text[0] == '\\'. Returns the number of bytes consumed, 0 if it is invalid.
static size_t read_escape(const char *text, size_t length, uint32_t *code)
{
    static const char letters[] = "ntrbf'\"\\/", meanings[] = "\n\t\r\b\f'\"\\/";
    if (length < 2 || text[1] == '\0')
        return 0;
    const char *letter = strchr(letters, text[1]);
    if (letter) {
        *code = (unsigned char)meanings[letter - letters];
        return 2;
    }
    size_t digits = text[1] == 'x' ? 2 : text[1] == 'u' ? 4 : text[1] == 'U' ? 8 : 0;
    if (digits == 0 || !read_hex(text + 2, length - 2, digits, code))
        return 0;
    size_t consumed = 2 + digits;
    uint32_t low;
    if (digits == 4 && *code >= 0xD800 && *code < 0xDC00 && length - consumed >= 6 &&
        text[consumed] == '\\' && text[consumed + 1] == 'u' &&
        read_hex(text + consumed + 2, length - consumed - 2, 4, &low) && low >= 0xDC00 &&
        low < 0xE000) {
        *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
        consumed += 6;
    }
    return consumed;
}

size_t literal_unescape(const char *text, size_t length, char *out, size_t size)
{
    size_t written = 0;
    if (size == 0)
        return 0;
    for (size_t at = 0; at < length;) {
        char bytes[4] = {text[at]};
        size_t count = 1, consumed = 1;
        uint32_t code;
        if (text[at] == '\\') {
            size_t escape = read_escape(text + at, length - at, &code);
            if (escape) {
                consumed = escape;
                count = text_encode(code, bytes);
            }
        }
        if (count > size - 1 - written)
            break;
        memcpy(out + written, bytes, count);
        written += count;
        at += consumed;
    }
    out[written] = '\0';
    return written;
}
