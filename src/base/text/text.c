// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum { REPLACEMENT = 0xFFFD };

size_t text_decode(const char *text, size_t length, uint32_t *code)
{
    *code = REPLACEMENT;
    if (length == 0)
        return 0;
    unsigned char lead = (unsigned char)text[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    size_t size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (size == 0 || size > length)
        return 1;
    uint32_t value = lead & (0xFFu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xC0) != 0x80)
            return 1;
        value = value << 6 | (next & 0x3Fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < least[size] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return 1;
    *code = value;
    return size;
}

size_t text_encode(uint32_t code, char out[4])
{
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        code = REPLACEMENT;
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    static const unsigned lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[size] | code);
    return size;
}

static const struct code_range {
    uint32_t first, last;
} unsafe_ranges[] = {
    {0x0000, 0x001F},   // C0
    {0x007F, 0x009F},   // DEL, C1
    {0x00AD, 0x00AD},   // soft hyphen
    {0x034F, 0x034F},   // combining grapheme joiner
    {0x061C, 0x061C},   // Arabic letter mark
    {0x115F, 0x1160},   // Hangul fillers
    {0x17B4, 0x17B5},   // invisible Khmer vowels
    {0x180B, 0x180F},   // Mongolian selectors and separator
    {0x200B, 0x200F},   // zero-width space and joiners, direction marks
    {0x2028, 0x202E},   // line and paragraph separators, bidirectional overrides
    {0x2060, 0x206F},   // invisible operators, isolates
    {0x3164, 0x3164},   // Hangul filler
    {0xD800, 0xDFFF},   // surrogates
    {0xFDD0, 0xFDEF},   // noncharacters
    {0xFEFF, 0xFEFF},   // BOM
    {0xFFA0, 0xFFA0},   // halfwidth Hangul filler
    {0xFFF0, 0xFFFB},   // interlinear annotation
    {0x1BCA0, 0x1BCA3}, // shorthand format controls
    {0x1D173, 0x1D17A}, // musical format controls
    {0xE0000, 0xE0FFF}, // tags, variation selectors
};

bool text_is_unsafe(uint32_t code)
{
    if (code >= 0x20 && code < 0x7F)
        return false;
    if ((code & 0xFFFE) == 0xFFFE || code > 0x10FFFF)
        return true;
    for (size_t i = 0; i < sizeof unsafe_ranges / sizeof *unsafe_ranges; i++) {
        if (code <= unsafe_ranges[i].last)
            return code >= unsafe_ranges[i].first;
    }
    return false;
}

int text_code_width(uint32_t code)
{
    if (code >= 0x20 && code < 0x7F)
        return 1;
    int width = wcwidth((wchar_t)code);
    return width < 0 ? 1 : width > 2 ? 2 : width;
}

static int width_of(const char *text, size_t length)
{
    int width = 0;
    for (size_t at = 0; at < length && width < INT32_MAX - 2;) {
        uint32_t code;
        at += text_decode(text + at, length - at, &code);
        width += text_code_width(code);
    }
    return width;
}

int text_width(const char *text)
{
    return width_of(text, strlen(text));
}

// Tests eight bytes at a time for printable ASCII. A byte fails if it is below 0x20, is 0x7F or has
// its high bit set. Adding 1 carries 0x7F into the high bit; subtracting 0x20 sets it for bytes
// below 0x20. A carry only reaches a byte next to one that fails, so it does no harm.
static bool are_printable_ascii(const char *text)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return (((word - ones * 0x20) | (word + ones) | word) & ones * 0x80) == 0;
}

size_t text_plain_length(const char *text, size_t length)
{
    size_t at = 0;
    while (length - at >= sizeof(uint64_t) && are_printable_ascii(text + at))
        at += sizeof(uint64_t);
    while (at < length && text[at] >= 0x20 && text[at] < 0x7F)
        at++;
    return at;
}

enum { SAFE_SIZE = 16 };

// Writes the visible form of the first character of text[0..length). Returns the number of bytes
// consumed.
static size_t safe_piece(const char *text, size_t length, bool one_line, char out[SAFE_SIZE],
                         size_t *out_length)
{
    uint32_t code;
    size_t consumed = text_decode(text, length, &code);
    if (code == REPLACEMENT && consumed == 1) {
        *out_length = (size_t)snprintf(out, SAFE_SIZE, "\\x%02X", (unsigned char)*text);
    } else if (code == '\n' || code == '\t') {
        out[0] = one_line ? ' ' : (char)code;
        *out_length = 1;
    } else if (code < 0x20 || code == 0x7F) {
        out[0] = '^';
        out[1] = (char)(code ^ 0x40);
        *out_length = 2;
    } else if (text_is_unsafe(code)) {
        *out_length = (size_t)snprintf(out, SAFE_SIZE, "<U+%04X>", (unsigned)code);
    } else {
        memcpy(out, text, consumed);
        *out_length = consumed;
    }
    return consumed;
}

static size_t safe_length(const char *text, size_t length, bool one_line)
{
    char piece[SAFE_SIZE];
    size_t plain = text_plain_length(text, length), total = plain, piece_length;
    for (size_t at = plain; at < length; total += piece_length)
        at += safe_piece(text + at, length - at, one_line, piece, &piece_length);
    return total;
}

void text_put_safe(struct bytes *out, const char *text, size_t length, bool one_line)
{
    size_t plain = text_plain_length(text, length);
    bytes_add(out, text, plain);
    for (size_t at = plain; at < length;) {
        char piece[SAFE_SIZE];
        size_t piece_length;
        at += safe_piece(text + at, length - at, one_line, piece, &piece_length);
        bytes_add(out, piece, piece_length);
    }
}

char *text_safe(struct arena *arena, const char *text, size_t length, bool one_line)
{
    struct bytes safe = {.arena = arena};
    bytes_reserve(&safe, safe_length(text, length, one_line) + 1);
    text_put_safe(&safe, text, length, one_line);
    bytes_char(&safe, '\0');
    return safe.items;
}

// Returns true if the "us" at `at` is a unit after a number.
static bool is_microseconds(const char *text, const char *at)
{
    return at - text >= 2 && at[-1] == ' ' && isdigit((unsigned char)at[-2]) &&
           !isalnum((unsigned char)at[2]) && at[2] != '_';
}

const char *text_display_units(struct arena *arena, const char *text, bool ascii)
{
    struct bytes out = {.arena = arena};
    const char *rest = text;
    for (const char *at = text; !ascii && (at = strstr(at, "us")); at += 2) {
        if (!is_microseconds(text, at))
            continue;
        bytes_add(&out, rest, (size_t)(at - rest));
        bytes_text(&out, "\xC2\xB5s");
        rest = at + 2;
    }
    if (rest == text)
        return text;
    bytes_text(&out, rest);
    return arena_copy(arena, out.items, out.count);
}

// Returns the length in bytes of the longest beginning that fits into `columns`, including
// combining marks.
static size_t head_bytes(const char *text, size_t length, int columns)
{
    size_t at = 0;
    while (at < length) {
        uint32_t code;
        size_t consumed = text_decode(text + at, length - at, &code);
        columns -= text_code_width(code);
        if (columns < 0)
            break;
        at += consumed;
    }
    return at;
}

// Returns the start of the longest end that fits into `columns`; `width` is the width of the text.
static size_t tail_start(const char *text, size_t length, int width, int columns)
{
    size_t at = 0;
    while (at < length) {
        uint32_t code;
        size_t consumed = text_decode(text + at, length - at, &code);
        int code_width = text_code_width(code);
        if (width <= columns && code_width > 0)
            break;
        width -= code_width;
        at += consumed;
    }
    return at;
}

char *text_cut(struct arena *arena, const char *text, int columns, bool middle, bool ascii)
{
    size_t length = strlen(text);
    if (columns <= 0)
        return arena_copy(arena, "", 0);
    int width = width_of(text, length);
    if (width <= columns)
        return arena_copy(arena, text, length);
    const char *mark = ascii ? "~" : "\xE2\x80\xA6";
    size_t mark_length = strlen(mark);
    columns -= 1;
    int tail_columns = middle ? columns / 2 : 0;
    size_t head = head_bytes(text, length, columns - tail_columns);
    size_t tail = tail_columns ? tail_start(text, length, width, tail_columns) : length;
    char *cut = ARENA_ARRAY(arena, char, head + mark_length + (length - tail) + 1);
    memcpy(cut, text, head);
    memcpy(cut + head, mark, mark_length);
    memcpy(cut + head + mark_length, text + tail, length - tail);
    return cut;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int compare_digits(const char **a, const char **b)
{
    while (**a == '0')
        (*a)++;
    while (**b == '0')
        (*b)++;
    size_t a_length = 0, b_length = 0;
    while (is_digit((*a)[a_length]))
        a_length++;
    while (is_digit((*b)[b_length]))
        b_length++;
    if (a_length != b_length)
        return a_length < b_length ? -1 : 1;
    int order = memcmp(*a, *b, a_length);
    *a += a_length;
    *b += b_length;
    return order;
}

int text_compare_natural(const char *a, const char *b)
{
    const char *a_start = a, *b_start = b;
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            int order = compare_digits(&a, &b);
            if (order)
                return order;
        } else {
            if (*a != *b)
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
        }
    }
    if (*a || *b)
        return *a ? 1 : -1;
    return strcmp(a_start, b_start); // "01" sorts next to "1", but is not equal
}

static bool is_field_edge(char c)
{
    return c != '\0' && strchr("._-/ :#[]", c) != NULL;
}

bool text_path_ends(const char *path, const char *end)
{
    size_t length = strlen(path), end_length = strlen(end);
    if (end_length == 0 || end_length > length || strcmp(path + length - end_length, end) != 0)
        return false;
    return end_length == length || end[0] == '/' || path[length - end_length - 1] == '/';
}

const char *text_display_path(const char *path)
{
    bool is_number = strncmp(path, TEXT_OPEN_FILES, sizeof TEXT_OPEN_FILES - 1) == 0;
    return is_number ? "standard input" : path;
}

const char *text_file_name(const char *path, const char *other_path)
{
    path = text_display_path(path);
    const char *name = path + strlen(path);
    bool is_ambiguous = true; // all names so far are equal, and the files differ
    other_path = other_path && strcmp(path, other_path) == 0 ? NULL : other_path;
    while (is_ambiguous && name > path) {
        while (name > path && name[-1] == '/')
            name--;
        while (name > path && name[-1] != '/')
            name--;
        is_ambiguous = other_path && text_path_ends(other_path, name);
    }
    return name;
}

bool text_number_field(const char *text, size_t length, size_t n, size_t *start, size_t *end)
{
    for (size_t at = 0; at < length;) {
        if (!is_digit(text[at])) {
            at++;
            continue;
        }
        size_t first = at;
        while (at < length && is_digit(text[at]))
            at++;
        bool is_field = (first == 0 || is_field_edge(text[first - 1])) &&
                        (at == length || is_field_edge(text[at]));
        if (!is_field || n-- > 0)
            continue;
        *start = first;
        *end = at;
        return true;
    }
    return false;
}
