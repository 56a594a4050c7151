// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/parse/json_window.h"
#include "base/text.h"

enum {
    BLANKS_MOST = 1 << 12, // that are passed over to see what follows
    WORD_MOST = 1 << 16,
};

static void mend(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    if (!scan->mended++)
        scan->first_at = in->before + in->at;
}

// What bytes are outside of texts; 0: of a word.
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

// Where the first quote, backslash or control character at or behind `at` is, or the end: eight bytes at
// once.
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

// The first byte behind blanks, from `ahead` on. Of very many it is one of them.
static int look_past_blanks(struct json_scan *scan, size_t *ahead)
{
    size_t most = *ahead + BLANKS_MOST;
    int c = json_look(scan, *ahead);
    while (is_blank(c) && *ahead < most)
        c = json_look(scan, ++*ahead);
    return c;
}

static bool is_in_object(const struct json_scan *scan)
{
    return scan->depth > 0 && scan->in->is_object[scan->depth - 1];
}

// Whether a quote ends the text that it stands in: what follows can follow a text. In an object a comma
// must have a key behind it.
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

static void put(struct json_file *in, const char *bytes, size_t count)
{
    memmove(in->window + in->text_end, bytes, count);
    in->text_end += count;
}

// The next bytes, as they are.
static void take(struct json_file *in, size_t count)
{
    if (in->text_end == in->at)
        in->text_end += count;
    else
        put(in, in->window + in->at, count);
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

// `\uXXXX`, of two where they are the halves of one character. Returns the bytes taken, 0: it is none.
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
    put(scan->in, bytes, size);
    return taken;
}

// At a backslash: resolves what it begins and passes over it.
static void take_escape(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = json_look(scan, 1);
    const char *known = c > 0 ? strchr(from, c) : NULL;
    size_t taken = 2;
    if (in->is_raw) {
        take(in, c < 0 ? 1 : 2);
        return;
    }
    if (known) {
        put(in, &to[known - from], 1);
    } else if (c != 'u' || !(taken = put_unicode(scan))) {
        mend(scan);
        put(in, "\\", 1);
        taken = 1;
    }
    in->at += taken;
}

// All that is there of a text has been taken, and it is longer than is kept: what is too much goes.
static void cut_text(struct json_file *in)
{
    in->text_end = in->token + 1 + JSON_TEXT_MOST;
    in->before += in->at - in->text_end;
    in->at = in->count = in->text_end;
}

// In front of the first byte of a text. Its bytes are moved together where there are escapes.
static void read_text(struct json_scan *scan, bool is_key)
{
    struct json_file *in = scan->in;
    bool is_long = false;
    in->text_end = in->at;
    for (;;) {
        take(in, find_special(in->window, in->at, in->count) - in->at);
        if (in->at >= in->count) {
            if (in->text_end - in->token - 1 > JSON_TEXT_MOST) {
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
        } else { // a quote within it, or a line break
            mend(scan);
            take(in, 1);
        }
    }
    scan->text = in->window + in->token + 1;
    scan->length = in->text_end - in->token - 1;
    if (scan->length > JSON_TEXT_MOST) {
        scan->length = JSON_TEXT_MOST;
        is_long = true;
    }
    if (is_long)
        mend(scan);
    scan->offset = in->token + 1 - (in->held != SIZE_MAX ? in->held : 0);
    if (in->at < in->count)
        in->at++; // the quote
}

// ---- tokens ------------------------------------------------------------------------------------

static bool is_within(int c)
{
    return c >= 0 && byte_kinds[c] == OF_WORD;
}

// What is written from the token on, up to the next byte.
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
    for (size_t length = 0; length < WORD_MOST && is_within(c = json_look(scan, 0)); length++) {
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
        mend(scan);
    return JSON_WORD;
}

// In the place of a value that is missing, or is passed over.
static enum json_token no_value(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    mend(scan);
    in->token = in->at;
    in->place = BEHIND_VALUE;
    set_text(scan);
    return JSON_WORD;
}

// A value that lies too deep to be told apart.
static enum json_token pass_over(struct json_scan *scan)
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
    return no_value(scan);
}

// How many of the values that are open would be closed with the innermost object, or array; 0: there is
// none.
static unsigned count_closed(const struct json_scan *scan, bool is_object)
{
    for (unsigned depth = scan->depth; depth > 0; depth--)
        if (scan->in->is_object[depth - 1] == is_object)
            return scan->depth - depth + 1;
    return 0;
}

// A bracket that closes not what is innermost is one too many where that goes on behind it: with a key, or
// with something that is none. Else brackets are missing before it.
static bool is_stray(struct json_scan *scan)
{
    size_t ahead = 1;
    if (look_past_blanks(scan, &ahead) != ',')
        return false;
    ahead++;
    return (look_past_blanks(scan, &ahead) == '"') == is_in_object(scan);
}

// False: nothing that it could close is open.
static bool close_value(struct json_scan *scan, bool is_object)
{
    struct json_file *in = scan->in;
    unsigned closed = count_closed(scan, is_object);
    if (closed != 1 || in->place == BEHIND_COMMA)
        mend(scan);
    if (closed > 1 && is_stray(scan))
        closed = 0;
    in->at++;
    in->place = BEHIND_VALUE;
    scan->depth -= closed;
    return closed > 0;
}

static void pass_comma(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    if (in->place != BEHIND_VALUE)
        mend(scan);
    in->at++;
    in->place = BEHIND_COMMA;
}

static void pass_colon(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    if (in->place != BEHIND_VALUE || !is_in_object(scan))
        mend(scan);
    in->at++;
    in->place = BEHIND_COLON;
}

// An object where an object's key should be: the one before it in a list was never closed.
static bool leave_unclosed(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    unsigned closed = count_closed(scan, false);
    if (!is_in_object(scan) || in->place == BEHIND_COLON || !closed)
        return false;
    mend(scan);
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
        mend(scan); // no comma before it, or no key
    if (is_open && scan->depth == JSON_NESTING)
        return pass_over(scan);
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

// The window reaches some way behind the next byte, if the file does: most tokens end within it.
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

// Passes over blanks. -1: the file has no byte more.
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
            return no_value(scan);
        if (kind == COMMA)
            pass_comma(scan);
        else if (kind == COLON)
            pass_colon(scan);
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
