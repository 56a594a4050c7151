// SPDX-License-Identifier: Apache-2.0
// One window of the file is in memory. Places in it are kept as offsets in struct json_file, and nowhere
// else, since the window moves on (more()).
#include "base/json_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text.h"

enum {
    WINDOW = 1 << 18,
    AHEAD = 1 << 12, // bytes behind a token that are there when it is begun, if the file has them
};

struct json_file {
    struct arena *arena;
    const char *path;
    gzFile file;
    uint64_t size;
    char *window;
    size_t capacity, count; // of the window
    size_t at;              // next byte
    size_t token;           // first byte of what is read
    size_t held;            // SIZE_MAX: nothing is
    size_t text_end;        // of a text with escapes: where its next byte goes
    uint64_t before;        // bytes of the file that went through the window before it
    bool has_ended, is_raw, has_escapes;
    int failure; // errno
    bool is_object[JSON_NESTING];
    bool wants_value;  // behind a colon: in an object any other text is a key
    uint64_t too_deep; // values that are open beyond JSON_NESTING
};

// ---- the window --------------------------------------------------------------------------------

static void move_window(struct json_file *in, size_t by)
{
    memmove(in->window, in->window + by, in->count - by);
    in->count -= by;
    in->at -= by;
    in->token -= by;
    in->text_end -= in->text_end >= by ? by : in->text_end;
    if (in->held != SIZE_MAX)
        in->held -= by;
    in->before += by;
}

static bool grow_window(struct json_file *in)
{
    size_t most = in->held != SIZE_MAX ? (size_t)8 * JSON_TEXT_MOST : (size_t)JSON_TEXT_MOST;
    size_t capacity = in->capacity * 2;
    if (in->capacity >= most)
        return false;
    char *window = ARENA_ARRAY(in->arena, char, capacity);
    memcpy(window, in->window, in->count);
    arena_release(in->arena, in->window, in->capacity);
    in->window = window;
    in->capacity = capacity;
    return true;
}

// Brings more of the file behind what is there. False: it has no more, or one value is too large.
static bool more(struct json_file *in)
{
    if (in->has_ended)
        return false;
    size_t keep = in->held < in->token ? in->held : in->token;
    if (keep > 0)
        move_window(in, keep);
    if (in->count == in->capacity && !grow_window(in)) {
        in->has_ended = true;
        return false;
    }
    size_t room = in->capacity - in->count;
    int got = gzread(in->file, in->window + in->count, (unsigned)(room > 1 << 30 ? 1 << 30 : room));
    if (got <= 0) {
        int code = Z_OK;
        if (got < 0 || !gzeof(in->file)) {
            gzerror(in->file, &code);
            if (code == Z_ERRNO)
                in->failure = errno ? errno : EIO;
        }
        in->has_ended = true;
        return false;
    }
    in->count += (size_t)got;
    return true;
}

// The byte `ahead` of the next one, -1: the file ends before it.
static inline int look(struct json_file *in, size_t ahead)
{
    while (in->at + ahead >= in->count)
        if (!more(in))
            return -1;
    return (unsigned char)in->window[in->at + ahead];
}

static void mend(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    if (!scan->mended++)
        scan->first_at = in->before + in->at;
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// ---- texts -------------------------------------------------------------------------------------

// Where the first quote or backslash at or behind `at` is, or the end: eight bytes at once.
static size_t find_special(const char *window, size_t at, size_t count)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    for (; at + 8 <= count; at += 8) {
        uint64_t word;
        memcpy(&word, window + at, 8);
        uint64_t quotes = word ^ ones * '"', escapes = word ^ ones * '\\';
        if (((quotes - ones) & ~quotes & highs) | ((escapes - ones) & ~escapes & highs))
            break;
    }
    while (at < count && window[at] != '"' && window[at] != '\\')
        at++;
    return at;
}

// The first byte behind blanks, from `ahead` on.
static int look_past_blanks(struct json_file *in, size_t *ahead)
{
    int c = look(in, *ahead);
    while (is_blank(c))
        c = look(in, ++*ahead);
    return c;
}

// Whether a quote ends the text that it stands in: what follows can follow a text. In an object a comma
// must have a key behind it.
static bool ends_text(struct json_scan *scan, bool is_key)
{
    struct json_file *in = scan->in;
    size_t ahead = 1;
    int c = look_past_blanks(in, &ahead);
    if (is_key)
        return c == ':' || c == -1;
    if (c != ',')
        return c == '}' || c == ']' || c == -1 || scan->depth == 0;
    if (!in->is_object[scan->depth - 1])
        return true;
    ahead++;
    c = look_past_blanks(in, &ahead);
    return c == '"' || c == '}' || c == ',' || c == -1;
}

static void put(struct json_file *in, const char *bytes, size_t count)
{
    memmove(in->window + in->text_end, bytes, count);
    in->text_end += count;
}

static int hex_digits(struct json_file *in, size_t ahead)
{
    int code = 0;
    for (size_t i = 0; i < 4; i++) {
        int c = look(in, ahead + i);
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
static size_t put_unicode(struct json_file *in)
{
    int code = hex_digits(in, 2);
    size_t taken = 6;
    if (code < 0)
        return 0;
    uint32_t whole = (uint32_t)code;
    if (code >= 0xD800 && code < 0xDC00 && look(in, 6) == '\\' && look(in, 7) == 'u') {
        int low = hex_digits(in, 8);
        if (low >= 0xDC00 && low < 0xE000) {
            whole = 0x10000 + ((uint32_t)(code - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
            taken = 12;
        }
    }
    if (whole == 0 || (whole >= 0xD800 && whole < 0xE000))
        whole = 0xFFFD;
    char bytes[4];
    put(in, bytes, text_encode(whole, bytes));
    return taken;
}

// At a backslash: resolves what it begins and passes over it.
static void take_escape(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = look(in, 1);
    const char *known = c > 0 ? strchr(from, c) : NULL;
    size_t taken = 2;
    if (in->is_raw) {
        taken = c < 0 ? 1 : 2;
        in->text_end = in->at + taken;
    } else if (known) {
        put(in, &to[known - from], 1);
    } else if (c != 'u' || !(taken = put_unicode(in))) {
        mend(scan);
        put(in, "\\", 1);
        taken = 1;
    }
    in->at += taken;
}

// In front of the first byte of a text. Its bytes are moved together where there are escapes.
static void read_text(struct json_scan *scan, bool is_key)
{
    struct json_file *in = scan->in;
    in->has_escapes = false;
    in->text_end = in->at;
    for (;;) {
        size_t stop = find_special(in->window, in->at, in->count), count = stop - in->at;
        if (in->has_escapes && !in->is_raw)
            put(in, in->window + in->at, count);
        else
            in->text_end = stop;
        in->at = stop;
        if (in->at >= in->count) {
            if (!more(in))
                break;
            continue;
        }
        if (in->window[in->at] == '\\') {
            in->has_escapes = true;
            take_escape(scan);
        } else if (ends_text(scan, is_key)) {
            break;
        } else { // a quote within it
            mend(scan);
            if (in->has_escapes && !in->is_raw)
                put(in, "\"", 1);
            else
                in->text_end = in->at + 1;
            in->at++;
        }
    }
    scan->text = in->window + in->token + 1;
    scan->length = in->text_end - in->token - 1;
    scan->offset = in->token + 1 - (in->held != SIZE_MAX ? in->held : 0);
    if (in->at < in->count)
        in->at++; // the quote
}

// ---- tokens ------------------------------------------------------------------------------------

static bool is_within(int c)
{
    return c == 0 || (c > 0 && !is_blank(c) && !strchr(",:{}[]\"", c));
}

static enum json_token read_word(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    bool is_number = true;
    int c;
    while (is_within(c = look(in, 0))) {
        is_number &=
            (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
        in->at++;
    }
    scan->text = in->window + in->token;
    scan->length = in->at - in->token;
    scan->offset = in->token - (in->held != SIZE_MAX ? in->held : 0);
    int first = (unsigned char)scan->text[0];
    is_number &= first == '-' ? scan->length > 1 : first >= '0' && first <= '9';
    if (is_number)
        return JSON_NUMBER;
    static const char *const words[] = {"true", "false", "null"};
    bool is_known = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_known |=
            strlen(words[i]) == scan->length && memcmp(scan->text, words[i], scan->length) == 0;
    if (!is_known)
        mend(scan);
    return JSON_WORD;
}

// False: it lies too deep to be told apart.
static bool open_value(struct json_scan *scan, bool is_object)
{
    struct json_file *in = scan->in;
    in->at++;
    in->wants_value = false;
    if (scan->depth == JSON_NESTING) {
        mend(scan);
        in->too_deep++;
        return false;
    }
    in->is_object[scan->depth++] = is_object;
    return true;
}

// False: nothing that it could close is open.
static bool close_value(struct json_scan *scan, bool is_object)
{
    struct json_file *in = scan->in;
    in->at++;
    in->wants_value = false;
    if (in->too_deep) {
        in->too_deep--;
        return false;
    }
    if (!scan->depth || in->is_object[scan->depth - 1] != is_object)
        mend(scan);
    if (!scan->depth)
        return false;
    scan->depth--;
    return true;
}

static enum json_token end_of_file(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    scan->is_cut |= scan->depth > 0;
    int code = Z_OK;
    gzerror(in->file, &code);
    scan->is_damaged = code != Z_OK && code != Z_ERRNO && code != Z_STREAM_END;
    scan->depth = 0;
    return JSON_END;
}

// The window reaches some way behind the next byte, if the file does: most tokens end within it.
static void look_ahead(struct json_file *in)
{
    in->token = in->at;
    while (in->at + AHEAD > in->count && more(in))
        ;
}

enum json_token json_scan_next(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    for (;;) {
        if (in->at + AHEAD > in->count && !in->has_ended)
            look_ahead(in);
        if (in->at >= in->count)
            return end_of_file(scan);
        in->token = in->at;
        int c = (unsigned char)in->window[in->at];
        if (is_blank(c)) {
            in->at++;
        } else if (c == ',' || c == ':') {
            in->at++;
            in->wants_value = c == ':';
        } else if (c == '{' || c == '[') {
            if (open_value(scan, c == '{'))
                return c == '{' ? JSON_OBJECT : JSON_ARRAY;
        } else if (c == '}' || c == ']') {
            if (close_value(scan, c == '}'))
                return JSON_CLOSE;
        } else if (c == '"') {
            bool is_key = scan->depth > 0 && in->is_object[scan->depth - 1] && !in->wants_value;
            in->at++;
            read_text(scan, is_key);
            in->wants_value = false;
            return is_key ? JSON_KEY : JSON_STRING;
        } else if (c == 0xEF && look(in, 1) == 0xBB && look(in, 2) == 0xBF) {
            in->at += 3; // a byte order mark
        } else {
            in->wants_value = false;
            return read_word(scan);
        }
    }
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

// ---- files -------------------------------------------------------------------------------------

uint64_t json_scan_bytes(const struct json_scan *scan)
{
    return scan->in->before + scan->in->at;
}

uint64_t json_scan_done(const struct json_scan *scan)
{
    z_off_t at = gzoffset(scan->in->file);
    return at > 0 ? (uint64_t)at : 0;
}

uint64_t json_scan_size(const struct json_scan *scan)
{
    return scan->in->size;
}

struct json_scan *json_scan_open(const char *path, struct arena *arena, struct error *error)
{
    struct json_scan *scan = ARENA_NEW(arena, struct json_scan);
    struct json_file *in = scan->in = ARENA_NEW(arena, struct json_file);
    in->arena = arena;
    in->path = arena_text(arena, path);
    in->held = SIZE_MAX;
    in->capacity = WINDOW;
    in->window = ARENA_ARRAY(arena, char, in->capacity);
    struct stat status;
    int number = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (number < 0 || fstat(number, &status) != 0 || !(in->file = gzdopen(number, "rb"))) {
        error_set(error, ERROR_IO, "%s: %s", text_path_shown(path), strerror(errno));
        if (number >= 0)
            close(number);
        return NULL;
    }
    in->size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    gzbuffer(in->file, WINDOW);
    return scan;
}

bool json_scan_close(struct json_scan *scan, struct error *error)
{
    struct json_file *in = scan->in;
    if (in->file)
        gzclose(in->file);
    in->file = NULL;
    return !in->failure ||
           error_set(error, ERROR_IO, "%s: %s", text_path_shown(in->path), strerror(in->failure));
}

size_t json_scan_head(const unsigned char *head, size_t size, unsigned char *out, size_t out_size)
{
    enum { ANY_HEADER = 32 + MAX_WBITS }; // gzip's or zlib's
    if (size < 2 || head[0] != 0x1F || head[1] != 0x8B) {
        size = size < out_size ? size : out_size;
        memcpy(out, head, size);
        return size;
    }
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)head,
                       .avail_in = (unsigned)size,
                       .next_out = out,
                       .avail_out = (unsigned)out_size};
    if (inflateInit2(&stream, ANY_HEADER) != Z_OK)
        return 0;
    inflate(&stream, Z_SYNC_FLUSH);
    inflateEnd(&stream);
    return out_size - stream.avail_out;
}
