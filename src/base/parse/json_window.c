// SPDX-License-Identifier: Apache-2.0
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
    size_t most = in->held != SIZE_MAX ? MAX_JSON_HELD : (size_t)2 * MAX_JSON_TEXT;
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

static bool end_window(struct json_file *in)
{
    in->has_ended = true;
    return false;
}

bool json_more(struct json_scan *scan)
{
    struct json_file *in = scan->in;
    if (in->has_ended)
        return false;
    size_t keep = in->held < in->token ? in->held : in->token;
    if (keep > 0)
        move_window(in, keep);
    if (in->count == in->capacity && !grow_window(in)) {
        scan->is_too_large = true;
        return end_window(in);
    }
    errno = 0;
    int got = gzread(in->file, in->window + in->count, (unsigned)(in->capacity - in->count));
    if (got > 0) {
        in->count += (size_t)got;
        return true;
    }
    int code = Z_OK;
    gzerror(in->file, &code);
    if (code == Z_ERRNO)
        in->failure = errno ? errno : EIO;
    scan->is_damaged = code == Z_DATA_ERROR || code == Z_BUF_ERROR;
    return end_window(in);
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
    in->capacity = window_bytes ? window_bytes : WINDOW_BYTES;
    in->ahead = in->capacity / 64 + 1;
    in->window = ARENA_ARRAY(arena, char, in->capacity);
    struct stat status;
    int number = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (number < 0 || fstat(number, &status) != 0 || !(in->file = gzdopen(number, "rb"))) {
        error_set(error, ERROR_IO, "%s: %s", text_display_path(path), strerror(errno));
        if (number >= 0)
            close(number);
        return NULL;
    }
    in->size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    gzbuffer(in->file, (unsigned)(in->capacity > 64 ? in->capacity : 64));
    return scan;
}

bool json_scan_close(struct json_scan *scan, struct error *error)
{
    struct json_file *in = scan->in;
    if (in->file)
        gzclose(in->file);
    in->file = NULL;
    return !in->failure ||
           error_set(error, ERROR_IO, "%s: %s", text_display_path(in->path), strerror(in->failure));
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
