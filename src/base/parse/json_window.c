// SPDX-License-Identifier: Apache-2.0
// The window moves forward through the file: bytes before the current token, or before the first
// held byte, are dropped to make room, and the window doubles if a single token does not fit.
#include "base/parse/json_window.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text/text.h"

enum { WINDOW_BYTES = 1 << 18 };

static size_t window_bytes;

void json_scan_window(size_t bytes)
{
    window_bytes = bytes;
}

static void move_window(struct json_file *input, size_t bytes)
{
    memmove(input->window, input->window + bytes, input->count - bytes);
    input->count -= bytes;
    input->at -= bytes;
    input->token -= bytes;
    input->text_end -= input->text_end >= bytes ? bytes : input->text_end;
    if (input->held != SIZE_MAX)
        input->held -= bytes;
    input->before += bytes;
}

static bool grow_window(struct json_file *input)
{
    size_t limit = input->held != SIZE_MAX ? MAX_JSON_HELD : (size_t)2 * MAX_JSON_TEXT;
    size_t capacity = input->capacity * 2;
    if (input->capacity >= limit)
        return false;
    char *window = ARENA_ARRAY(input->arena, char, capacity);
    memcpy(window, input->window, input->count);
    arena_release(input->arena, input->window, input->capacity);
    input->window = window;
    input->capacity = capacity;
    return true;
}

static bool end_window(struct json_file *input)
{
    input->has_ended = true;
    return false;
}

bool json_more(struct json_scan *scan)
{
    struct json_file *input = scan->in;
    if (input->has_ended)
        return false;
    size_t keep = input->held < input->token ? input->held : input->token;
    if (keep > 0)
        move_window(input, keep);
    if (input->count == input->capacity && !grow_window(input)) {
        scan->is_too_large = true;
        return end_window(input);
    }
    errno = 0;
    int got = gzread(input->file, input->window + input->count,
                     (unsigned)(input->capacity - input->count));
    if (got > 0) {
        input->count += (size_t)got;
        return true;
    }
    int code = Z_OK;
    gzerror(input->file, &code);
    if (code == Z_ERRNO)
        input->failure = errno ? errno : EIO;
    scan->is_damaged = code == Z_DATA_ERROR || code == Z_BUF_ERROR;
    return end_window(input);
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
    struct json_file *input = scan->in = ARENA_NEW(arena, struct json_file);
    input->arena = arena;
    input->path = arena_text(arena, path);
    input->held = SIZE_MAX;
    input->capacity = window_bytes ? window_bytes : WINDOW_BYTES;
    input->ahead = input->capacity / 64 + 1;
    input->window = ARENA_ARRAY(arena, char, input->capacity);
    struct stat status;
    int number = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (number < 0 || fstat(number, &status) != 0 || !(input->file = gzdopen(number, "rb"))) {
        error_set(error, ERROR_IO, "%s: %s", text_display_path(path), strerror(errno));
        if (number >= 0)
            close(number);
        return NULL;
    }
    input->size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    gzbuffer(input->file, (unsigned)(input->capacity > 64 ? input->capacity : 64));
    return scan;
}

bool json_scan_close(struct json_scan *scan, struct error *error)
{
    struct json_file *input = scan->in;
    if (input->file)
        gzclose(input->file);
    input->file = NULL;
    return !input->failure || error_set(error, ERROR_IO, "%s: %s", text_display_path(input->path),
                                        strerror(input->failure));
}

size_t json_scan_head(const unsigned char *head, size_t size, unsigned char *out, size_t out_size)
{
    enum { ANY_HEADER = 32 + MAX_WBITS }; // accepts the header of gzip or zlib
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
