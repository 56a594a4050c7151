// SPDX-License-Identifier: Apache-2.0
// The scanner: texts, words, brackets, and the repair of what is not JSON. The current position in
// the file is input->at; input->place says what precedes it in the innermost container.
#include <string.h>

#include "base/parse/json_window.h"
#include "base/text/text.h"

enum {
    MAX_BLANKS = 1 << 12, // blanks that a look ahead skips; more count as the end of the look
    MAX_WORD = 1 << 16,   // bytes of a word or number
};

static void count_repair(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    if (!scan->repair_count++)
        scan->first_repair_offset = input->before + input->at;
}

// The kind of each byte outside of texts. WORD_BYTE is 0, so that it is the kind of all bytes that
// are not listed.
enum byte_kind { WORD_BYTE, BLANK, COMMA, COLON, OPEN, CLOSE, QUOTE };
static const uint8_t byte_kinds[256] = {
    [' '] = BLANK, ['\n'] = BLANK, ['\r'] = BLANK, ['\t'] = BLANK, [','] = COMMA, [':'] = COLON,
    ['{'] = OPEN,  ['['] = OPEN,   ['}'] = CLOSE,  [']'] = CLOSE,  ['"'] = QUOTE,
};

static bool is_blank(int c)
{
    return c >= 0 && byte_kinds[c] == BLANK;
}

// ---- texts -------------------------------------------------------------------------------------

// Returns the position of the first quote, backslash or control character at or after `at`, or
// `count`. Tests eight bytes at a time.
static size_t find_special(const char *window, size_t at, size_t count)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    for (; at + 8 <= count; at += 8) {
        uint64_t word;
        memcpy(&word, window + at, 8);
        uint64_t quotes = word ^ ones * '"', escapes = word ^ ones * '\\';
        if (((quotes - ones) & ~quotes & highs) | ((escapes - ones) & ~escapes & highs) |
            ((word - ones * ' ') & ~word & highs))
            break;
    }
    while (at < count && window[at] != '"' && window[at] != '\\' &&
           (unsigned char)window[at] >= ' ')
        at++;
    return at;
}

// Returns the first byte that is no blank, from *ahead on, and moves *ahead to it. After MAX_BLANKS
// blanks it gives up and returns a blank.
static int look_at_nonblank(struct json_scan *scan, size_t *ahead)
{
    size_t limit = *ahead + MAX_BLANKS;
    int c = json_look(scan, *ahead);
    while (is_blank(c) && *ahead < limit)
        c = json_look(scan, ++*ahead);
    return c;
}

static bool is_in_object(const struct json_scan *scan)
{
    return scan->depth > 0 && scan->in->is_object[scan->depth - 1];
}

// Returns true if the quote at the current position ends its text: the bytes after it must be able
// to follow a text. In an object, a comma must be followed by a key.
static bool ends_text(struct json_scan *scan, bool is_key)
{
    size_t ahead = 1;
    int c = look_at_nonblank(scan, &ahead);
    if (c == -1)
        return true;
    if (is_key)
        return c == ':';
    if (c != ',' || !is_in_object(scan))
        return c == ',' || c == '}' || c == ']' || is_blank(c) || scan->depth == 0;
    ahead++;
    c = look_at_nonblank(scan, &ahead);
    return c == '"' || c == '}' || c == ',' || c == -1 || is_blank(c);
}

static void append_decoded(struct json_file *input, const char *bytes, size_t count)
{
    memmove(input->window + input->text_end, bytes, count);
    input->text_end += count;
}

// Appends the next bytes unchanged.
static void append_bytes(struct json_file *input, size_t count)
{
    if (input->text_end == input->at)
        input->text_end += count;
    else
        append_decoded(input, input->window + input->at, count);
    input->at += count;
}

static int hex_digits(struct json_scan *scan, size_t ahead)
{
    int code = 0;
    for (size_t i = 0; i < 4; i++) {
        int c = json_look(scan, ahead + i);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        code = code << 4 | digit;
    }
    return code;
}

// Decodes `\uXXXX`, or two of them that form a surrogate pair. Returns the number of bytes
// consumed, 0 if the escape is invalid.
static size_t append_unicode(struct json_scan *scan)
{
    int code = hex_digits(scan, 2);
    size_t consumed = 6;
    if (code < 0)
        return 0;
    uint32_t code_point = (uint32_t)code;
    if (code >= 0xD800 && code < 0xDC00 && json_look(scan, 6) == '\\' &&
        json_look(scan, 7) == 'u') {
        int low = hex_digits(scan, 8);
        if (low >= 0xDC00 && low < 0xE000) {
            code_point = 0x10000 + ((uint32_t)(code - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
            consumed = 12;
        }
    }
    if (code_point == 0 || (code_point >= 0xD800 && code_point < 0xE000))
        code_point = 0xFFFD;
    char bytes[4];
    size_t size = text_encode(code_point, bytes);
    append_decoded(scan->in, bytes, size);
    return consumed;
}

// Resolves the escape at the current position, which is a backslash, and moves past it.
static void take_escape(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    int c = json_look(scan, 1);
    const char *escape_letter = c > 0 ? strchr(letters, c) : NULL;
    size_t consumed = 2;
    if (input->is_raw) {
        append_bytes(input, c < 0 ? 1 : 2);
        return;
    }
    if (escape_letter) {
        append_decoded(input, &meanings[escape_letter - letters], 1);
    } else if (c != 'u' || !(consumed = append_unicode(scan))) {
        count_repair(scan);
        append_decoded(input, "\\", 1);
        consumed = 1;
    }
    input->at += consumed;
}

// Drops the part of a text that exceeds MAX_JSON_TEXT. All bytes of the window belong to the text.
static void cut_text(struct json_file *input)
{
    input->text_end = input->token + 1 + MAX_JSON_TEXT;
    input->before += input->at - input->text_end;
    input->at = input->count = input->text_end;
}

// Reads a text from its first byte on, in place: an escape is replaced by its shorter meaning, and
// the bytes after it move to the left.
static void read_text(struct json_scan *scan, bool is_key)
{
    struct json_file *input = scan->in;
    bool is_long = false;
    input->text_end = input->at;
    for (;;) {
        append_bytes(input, find_special(input->window, input->at, input->count) - input->at);
        if (input->at >= input->count) {
            if (input->text_end - input->token - 1 > MAX_JSON_TEXT) {
                is_long = true;
                cut_text(input);
            }
            if (!json_more(scan))
                break;
            continue;
        }
        char c = input->window[input->at];
        if (c == '\\') {
            take_escape(scan);
        } else if (c == '"' && ends_text(scan, is_key)) {
            break;
        } else { // a quote within the text, or a line break
            count_repair(scan);
            append_bytes(input, 1);
        }
    }
    scan->text = input->window + input->token + 1;
    scan->length = input->text_end - input->token - 1;
    if (scan->length > MAX_JSON_TEXT) {
        scan->length = MAX_JSON_TEXT;
        is_long = true;
    }
    if (is_long)
        count_repair(scan);
    scan->offset = input->token + 1 - (input->held != SIZE_MAX ? input->held : 0);
    if (input->at < input->count)
        input->at++; // skips the quote
}

// ---- tokens ------------------------------------------------------------------------------------

static bool is_word_byte(int c)
{
    return c >= 0 && byte_kinds[c] == WORD_BYTE;
}

// Sets the text to the bytes from the token up to the next byte.
static void set_text(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    scan->text = input->window + input->token;
    scan->length = input->at - input->token;
    scan->offset = input->token - (input->held != SIZE_MAX ? input->held : 0);
}

static bool is_known_word(const char *text, size_t length)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(text, words[i], length) == 0)
            return true;
    return false;
}

static enum json_token read_word(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    bool is_number = true;
    int c;
    for (size_t length = 0; length < MAX_WORD && is_word_byte(c = json_look(scan, 0)); length++) {
        is_number &=
            (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
        input->at++;
    }
    set_text(scan);
    int first = (unsigned char)scan->text[0];
    is_number &= first == '-' ? scan->length > 1 : first >= '0' && first <= '9';
    if (is_number)
        return JSON_NUMBER;
    if (!is_known_word(scan->text, scan->length))
        count_repair(scan);
    return JSON_WORD;
}

// Returns an empty WORD for a value that is missing or skipped.
static enum json_token empty_word(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    count_repair(scan);
    input->token = input->at;
    input->place = AFTER_VALUE;
    set_text(scan);
    return JSON_WORD;
}

// Skips a value that is nested too deeply.
static enum json_token skip_deep_value(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    uint64_t open = 0;
    bool was_raw = input->is_raw;
    input->is_raw = true;
    int c;
    while ((c = json_look(scan, 0)) != -1) {
        input->token = input->at++;
        if (c == '"')
            read_text(scan, false);
        else if (c == '{' || c == '[')
            open++;
        else if ((c == '}' || c == ']') && --open == 0)
            break;
    }
    input->is_raw = was_raw;
    return empty_word(scan);
}

// Returns how many open containers would be closed together with the innermost object (or array); 0
// if none is open.
static unsigned count_closed(const struct json_scan *scan, bool is_object)
{
    for (unsigned depth = scan->depth; depth > 0; depth--)
        if (scan->in->is_object[depth - 1] == is_object)
            return scan->depth - depth + 1;
    return 0;
}

// Decides about a closing bracket that does not match the innermost container. Returns true if the
// bracket is superfluous, because that container continues after it: an object with a key, an array
// with anything else. Otherwise brackets are missing before it.
static bool is_extra_bracket(struct json_scan *scan)
{
    size_t ahead = 1;
    if (look_at_nonblank(scan, &ahead) != ',')
        return false;
    ahead++;
    return (look_at_nonblank(scan, &ahead) == '"') == is_in_object(scan);
}

// Reads a closing bracket. Returns false if it closes no container.
static bool close_value(struct json_scan *scan, bool is_object)
{
    struct json_file *input = scan->in;
    unsigned closed = count_closed(scan, is_object);
    if (closed != 1 || input->place == AFTER_COMMA)
        count_repair(scan);
    if (closed > 1 && is_extra_bracket(scan))
        closed = 0;
    input->at++;
    input->place = AFTER_VALUE;
    scan->depth -= closed;
    return closed > 0;
}

static void take_comma(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    if (input->place != AFTER_VALUE)
        count_repair(scan);
    input->at++;
    input->place = AFTER_COMMA;
}

static void take_colon(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    if (input->place != AFTER_VALUE || !is_in_object(scan))
        count_repair(scan);
    input->at++;
    input->place = AFTER_COLON;
}

// Closes the previous item of a list if its bracket is missing: an object that begins where a key
// of an object is expected. Returns true if it closed one.
static bool close_unclosed_item(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    unsigned closed = count_closed(scan, false);
    if (!is_in_object(scan) || input->place == AFTER_COLON || !closed)
        return false;
    count_repair(scan);
    scan->depth -= closed - 1;
    return true;
}

static enum json_token begin_value(struct json_scan *scan, int c)
{
    struct json_file *input = scan->in;
    bool is_open = c == '{' || c == '[', is_behind_colon = input->place == AFTER_COLON;
    bool is_key = c == '"' && !is_behind_colon && is_in_object(scan);
    if (c == '{' && close_unclosed_item(scan))
        return JSON_CLOSE;
    if (scan->depth &&
        (input->place == AFTER_VALUE || (is_in_object(scan) && !is_key && !is_behind_colon)))
        count_repair(scan); // a comma or a key is missing before it
    if (is_open && scan->depth == MAX_JSON_DEPTH)
        return skip_deep_value(scan);
    input->place = is_open ? AT_START : AFTER_VALUE;
    if (c == '"') {
        input->at++;
        read_text(scan, is_key);
        return is_key ? JSON_KEY : JSON_STRING;
    }
    if (!is_open)
        return read_word(scan);
    input->at++;
    input->is_object[scan->depth++] = c == '{';
    return c == '{' ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token end_of_input(struct json_scan *scan)
{
    scan->is_cut |= scan->depth > 0;
    scan->depth = 0;
    return JSON_END;
}

// Fills the window for at least input->ahead bytes after the current one, if the file has so many.
// Most tokens then end within the window.
static void fill_window(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    input->token = input->at;
    while (input->at + input->ahead > input->count && json_more(scan))
        ;
}

static bool is_byte_order_mark(struct json_scan *scan)
{
    return scan->in->before + scan->in->at == 0 && json_look(scan, 0) == 0xEF &&
           json_look(scan, 1) == 0xBB && json_look(scan, 2) == 0xBF;
}

// Skips blanks and returns the next byte, or -1 at the end of the file.
static int next_byte(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    do {
        if (input->at + input->ahead > input->count && !input->has_ended)
            fill_window(scan);
        while (input->at < input->count && is_blank((unsigned char)input->window[input->at]))
            input->at++;
    } while (input->at >= input->count && !input->has_ended);
    input->token = input->at;
    return input->at < input->count ? (unsigned char)input->window[input->at] : -1;
}

enum json_token json_scan_next(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    int c;
    while ((c = next_byte(scan)) >= 0) {
        enum byte_kind kind = byte_kinds[c];
        if (input->place == AFTER_COLON && (kind == COMMA || kind == CLOSE))
            return empty_word(scan);
        if (kind == COMMA)
            take_comma(scan);
        else if (kind == COLON)
            take_colon(scan);
        else if (kind != CLOSE && !(c == 0xEF && is_byte_order_mark(scan)))
            return begin_value(scan, c);
        else if (kind != CLOSE)
            input->at += 3;
        else if (close_value(scan, c == '}'))
            return JSON_CLOSE;
    }
    return end_of_input(scan);
}

void json_scan_skip(struct json_scan *scan, enum json_token token)
{
    struct json_file *input = scan->in;
    bool was_raw = input->is_raw;
    input->is_raw = true;
    if (token == JSON_KEY)
        token = json_scan_next(scan);
    if (token == JSON_OBJECT || token == JSON_ARRAY) {
        unsigned outside = scan->depth - 1;
        while (scan->depth > outside && json_scan_next(scan) != JSON_END)
            ;
    }
    input->is_raw = was_raw;
}

void json_scan_raw(struct json_scan *scan, enum json_token token)
{
    struct json_file *input = scan->in;
    if (token != JSON_OBJECT && token != JSON_ARRAY)
        return;
    size_t first_byte = input->token, outer_held = input->held;
    if (outer_held == SIZE_MAX)
        input->held = first_byte;
    size_t first_offset = first_byte - input->held;
    json_scan_skip(scan, token);
    scan->text = input->window + input->held + first_offset;
    scan->length = input->at - input->held - first_offset;
    scan->offset = first_offset;
    if (outer_held == SIZE_MAX)
        input->held = SIZE_MAX;
}

void json_scan_hold(struct json_scan *scan)
{
    scan->in->held = scan->in->token;
}

void json_scan_release(struct json_scan *scan)
{
    scan->in->held = SIZE_MAX;
}

const char *json_scan_held(const struct json_scan *scan)
{
    return scan->in->window + scan->in->held;
}
