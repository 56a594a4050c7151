// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/parse/json_window.h"
#include "base/text/text.h"

enum {
    MAX_BLANKS = 1 << 12, // skipped at most when looking ahead
    MAX_WORD = 1 << 16,
};

static void count_repair(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    if (!scan->repair_count++)
        scan->first_repair_offset = in->before + in->at;
}

// Meaning of each byte outside of texts; 0 is part of a word.
enum byte_kind { OF_WORD, BLANK, COMMA, COLON, OPEN, CLOSE, QUOTE };
static const uint8_t byte_kinds[256] = {
    [' '] = BLANK, ['\n'] = BLANK, ['\r'] = BLANK, ['\t'] = BLANK, [','] = COMMA, [':'] = COLON,
    ['{'] = OPEN,  ['['] = OPEN,   ['}'] = CLOSE,  [']'] = CLOSE,  ['"'] = QUOTE,
};

static bool is_blank(int c)
{
    return c >= 0 && byte_kinds[c] == BLANK;
}

// ---- texts -------------------------------------------------------------------------------------

// Returns the position of the first quote, backslash or control character at or behind `at`, or
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

// Returns the first byte behind blanks from `ahead` on. After BLANKS_MOST blanks it gives up and
// returns a blank.
static int look_past_blanks(struct json_scan *scan, size_t *ahead)
{
    size_t most = *ahead + MAX_BLANKS;
    int c = json_look(scan, *ahead);
    while (is_blank(c) && *ahead < most)
        c = json_look(scan, ++*ahead);
    return c;
}

static bool is_in_object(const struct json_scan *scan)
{
    return scan->depth > 0 && scan->in->is_object[scan->depth - 1];
}

// Returns true if the quote at the current position ends its text: the bytes behind it can follow a
// text. In an object a comma must be followed by a key.
static bool ends_text(struct json_scan *scan, bool is_key)
{
    size_t ahead = 1;
    int c = look_past_blanks(scan, &ahead);
    if (c == -1)
        return true;
    if (is_key)
        return c == ':';
    if (c != ',' || !is_in_object(scan))
        return c == ',' || c == '}' || c == ']' || is_blank(c) || scan->depth == 0;
    ahead++;
    c = look_past_blanks(scan, &ahead);
    return c == '"' || c == '}' || c == ',' || c == -1 || is_blank(c);
}

static void put_bytes(struct json_file *in, const char *bytes, size_t count)
{
    memmove(in->window + in->text_end, bytes, count);
    in->text_end += count;
}

// Appends the next bytes unchanged.
static void take_bytes(struct json_file *in, size_t count)
{
    if (in->text_end == in->at)
        in->text_end += count;
    else
        put_bytes(in, in->window + in->at, count);
    in->at += count;
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

// Decodes `\uXXXX`, and a surrogate pair of two. Returns the bytes taken, 0 if it is invalid.
static size_t put_unicode(struct json_scan *scan)
{
    int code = hex_digits(scan, 2);
    size_t taken = 6;
    if (code < 0)
        return 0;
    uint32_t whole = (uint32_t)code;
    if (code >= 0xD800 && code < 0xDC00 && json_look(scan, 6) == '\\' &&
        json_look(scan, 7) == 'u') {
        int low = hex_digits(scan, 8);
        if (low >= 0xDC00 && low < 0xE000) {
            whole = 0x10000 + ((uint32_t)(code - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
            taken = 12;
        }
    }
    if (whole == 0 || (whole >= 0xD800 && whole < 0xE000))
        whole = 0xFFFD;
    char bytes[4];
    size_t size = text_encode(whole, bytes);
    put_bytes(scan->in, bytes, size);
    return taken;
}

// Resolves the escape at the backslash and moves behind it.
static void take_escape(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = json_look(scan, 1);
    const char *escape_letter = c > 0 ? strchr(from, c) : NULL;
    size_t taken = 2;
    if (in->is_raw) {
        take_bytes(in, c < 0 ? 1 : 2);
        return;
    }
    if (escape_letter) {
        put_bytes(in, &to[escape_letter - from], 1);
    } else if (c != 'u' || !(taken = put_unicode(scan))) {
        count_repair(scan);
        put_bytes(in, "\\", 1);
        taken = 1;
    }
    in->at += taken;
}

// Drops the part of a text that exceeds MAX_JSON_TEXT. Everything in the window has been taken.
static void cut_text(struct json_file *in)
{
    in->text_end = in->token + 1 + MAX_JSON_TEXT;
    in->before += in->at - in->text_end;
    in->at = in->count = in->text_end;
}

// Reads a text from its first byte on. Its bytes are moved together if there are escapes.
static void read_text(struct json_scan *scan, bool is_key)
{
    struct json_file *in = scan->in;
    bool is_long = false;
    in->text_end = in->at;
    for (;;) {
        take_bytes(in, find_special(in->window, in->at, in->count) - in->at);
        if (in->at >= in->count) {
            if (in->text_end - in->token - 1 > MAX_JSON_TEXT) {
                is_long = true;
                cut_text(in);
            }
            if (!json_more(scan))
                break;
            continue;
        }
        char c = in->window[in->at];
        if (c == '\\') {
            take_escape(scan);
        } else if (c == '"' && ends_text(scan, is_key)) {
            break;
        } else { // a quote within the text, or a line break
            count_repair(scan);
            take_bytes(in, 1);
        }
    }
    scan->text = in->window + in->token + 1;
    scan->length = in->text_end - in->token - 1;
    if (scan->length > MAX_JSON_TEXT) {
        scan->length = MAX_JSON_TEXT;
        is_long = true;
    }
    if (is_long)
        count_repair(scan);
    scan->offset = in->token + 1 - (in->held != SIZE_MAX ? in->held : 0);
    if (in->at < in->count)
        in->at++; // skips the quote
}

// ---- tokens ------------------------------------------------------------------------------------

static bool is_word_byte(int c)
{
    return c >= 0 && byte_kinds[c] == OF_WORD;
}

// Sets the text to the bytes from the token up to the next byte.
static void set_text(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    scan->text = in->window + in->token;
    scan->length = in->at - in->token;
    scan->offset = in->token - (in->held != SIZE_MAX ? in->held : 0);
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
    struct json_file *in = scan->in;
    bool is_number = true;
    int c;
    for (size_t length = 0; length < MAX_WORD && is_word_byte(c = json_look(scan, 0)); length++) {
        is_number &=
            (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
        in->at++;
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
    struct json_file *in = scan->in;
    count_repair(scan);
    in->token = in->at;
    in->place = BEHIND_VALUE;
    set_text(scan);
    return JSON_WORD;
}

// Skips a value that is nested too deeply.
static enum json_token skip_deep_value(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    uint64_t open = 0;
    bool was_raw = in->is_raw;
    in->is_raw = true;
    int c;
    while ((c = json_look(scan, 0)) != -1) {
        in->token = in->at++;
        if (c == '"')
            read_text(scan, false);
        else if (c == '{' || c == '[')
            open++;
        else if ((c == '}' || c == ']') && --open == 0)
            break;
    }
    in->is_raw = was_raw;
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

// A closing bracket that does not match the innermost container is an extra one if that container
// continues behind it: an object with a key, an array with something else. Otherwise brackets are
// missing before it.
static bool is_stray(struct json_scan *scan)
{
    size_t ahead = 1;
    if (look_past_blanks(scan, &ahead) != ',')
        return false;
    ahead++;
    return (look_past_blanks(scan, &ahead) == '"') == is_in_object(scan);
}

// Returns false if there is nothing open that the bracket could close.
static bool close_value(struct json_scan *scan, bool is_object)
{
    struct json_file *in = scan->in;
    unsigned closed = count_closed(scan, is_object);
    if (closed != 1 || in->place == BEHIND_COMMA)
        count_repair(scan);
    if (closed > 1 && is_stray(scan))
        closed = 0;
    in->at++;
    in->place = BEHIND_VALUE;
    scan->depth -= closed;
    return closed > 0;
}

static void take_comma(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    if (in->place != BEHIND_VALUE)
        count_repair(scan);
    in->at++;
    in->place = BEHIND_COMMA;
}

static void take_colon(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    if (in->place != BEHIND_VALUE || !is_in_object(scan))
        count_repair(scan);
    in->at++;
    in->place = BEHIND_COLON;
}

// An object in place of an object's key means that the previous item of the list was never closed.
static bool leave_unclosed(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    unsigned closed = count_closed(scan, false);
    if (!is_in_object(scan) || in->place == BEHIND_COLON || !closed)
        return false;
    count_repair(scan);
    scan->depth -= closed - 1;
    return true;
}

static enum json_token begin_value(struct json_scan *scan, int c)
{
    struct json_file *in = scan->in;
    bool is_open = c == '{' || c == '[', is_behind_colon = in->place == BEHIND_COLON;
    bool is_key = c == '"' && !is_behind_colon && is_in_object(scan);
    if (c == '{' && leave_unclosed(scan))
        return JSON_CLOSE;
    if (scan->depth &&
        (in->place == BEHIND_VALUE || (is_in_object(scan) && !is_key && !is_behind_colon)))
        count_repair(scan); // a comma or a key is missing before it
    if (is_open && scan->depth == MAX_JSON_DEPTH)
        return skip_deep_value(scan);
    in->place = is_open ? AT_START : BEHIND_VALUE;
    if (c == '"') {
        in->at++;
        read_text(scan, is_key);
        return is_key ? JSON_KEY : JSON_STRING;
    }
    if (!is_open)
        return read_word(scan);
    in->at++;
    in->is_object[scan->depth++] = c == '{';
    return c == '{' ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token end_of_file(struct json_scan *scan)
{
    scan->is_cut |= scan->depth > 0;
    scan->depth = 0;
    return JSON_END;
}

// Fills the window some way ahead if the file has that much: most tokens then end within it.
static void look_ahead(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    in->token = in->at;
    while (in->at + in->ahead > in->count && json_more(scan))
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
    struct json_file *in = scan->in;
    do {
        if (in->at + in->ahead > in->count && !in->has_ended)
            look_ahead(scan);
        while (in->at < in->count && is_blank((unsigned char)in->window[in->at]))
            in->at++;
    } while (in->at >= in->count && !in->has_ended);
    in->token = in->at;
    return in->at < in->count ? (unsigned char)in->window[in->at] : -1;
}

enum json_token json_scan_next(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    int c;
    while ((c = next_byte(scan)) >= 0) {
        enum byte_kind kind = byte_kinds[c];
        if (in->place == BEHIND_COLON && (kind == COMMA || kind == CLOSE))
            return empty_word(scan);
        if (kind == COMMA)
            take_comma(scan);
        else if (kind == COLON)
            take_colon(scan);
        else if (kind != CLOSE && !(c == 0xEF && is_byte_order_mark(scan)))
            return begin_value(scan, c);
        else if (kind != CLOSE)
            in->at += 3;
        else if (close_value(scan, c == '}'))
            return JSON_CLOSE;
    }
    return end_of_file(scan);
}

void json_scan_skip(struct json_scan *scan, enum json_token token)
{
    struct json_file *in = scan->in;
    bool was_raw = in->is_raw;
    in->is_raw = true;
    if (token == JSON_KEY)
        token = json_scan_next(scan);
    if (token == JSON_OBJECT || token == JSON_ARRAY) {
        unsigned outside = scan->depth - 1;
        while (scan->depth > outside && json_scan_next(scan) != JSON_END)
            ;
    }
    in->is_raw = was_raw;
}

void json_scan_raw(struct json_scan *scan, enum json_token token)
{
    struct json_file *in = scan->in;
    if (token != JSON_OBJECT && token != JSON_ARRAY)
        return;
    size_t own = in->token, outer = in->held;
    if (outer == SIZE_MAX)
        in->held = own;
    size_t from = own - in->held;
    json_scan_skip(scan, token);
    scan->text = in->window + in->held + from;
    scan->length = in->at - in->held - from;
    scan->offset = from;
    if (outer == SIZE_MAX)
        in->held = SIZE_MAX;
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
