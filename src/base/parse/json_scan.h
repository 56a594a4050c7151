// SPDX-License-Identifier: Apache-2.0
// A tolerant pull reader for JSON files of any size, plain or gzip-compressed. It builds no tree
// and interprets broken input as far as possible, because traces come from jobs that are killed and
// from writers that forget to escape.
//
// Accepted in addition to JSON: a byte order mark; raw control characters and bytes that are not
// UTF-8 in texts; backslashes that start no escape (`C:\path`); quotes within a text, if the bytes
// after them cannot follow the end of a text; words such as N/A, inf, nan; missing or extra
// commas; keys without a value; missing brackets and single extra ones; a truncated file. Repairs
// are counted, except for bytes that are not UTF-8, which are passed through. Numbers are returned
// as written, so that no digit is lost.
//
// For every input, a KEY is followed by its value (a WORD of length 0 if it is missing)
// or by END, and `depth` is the nesting of JSON containers. A missing bracket may close several
// values at once, so code that walks a value must loop while `depth` is above its former level.
//
//     struct json_scan *scan = json_scan_open(path, arena, error);
//     while ((token = json_scan_next(scan)) != JSON_END) ...
//     bool done = json_scan_close(scan, error);
#ifndef BASE_PARSE_JSON_SCAN_H
#define BASE_PARSE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum {
    MAX_JSON_DEPTH = 512,         // deeper values are skipped and returned as WORDs of length 0
    MAX_JSON_TEXT = 16 * 1048576, // bytes of a text; the rest is skipped. A word may have 64 kB
    MAX_JSON_HELD = 8 * MAX_JSON_TEXT,
};

enum json_token {
    JSON_END, // end of the file, or of its readable part
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_CLOSE, // closes the innermost container, and the unclosed ones in it
    JSON_KEY,   // its value is next
    JSON_STRING,
    JSON_NUMBER,
    JSON_WORD, // true, null, N/A ...
};

struct json_scan {
    // The text of a KEY or STRING with escapes resolved, or a NUMBER or WORD as written. Valid
    // until the next token. While bytes are held (json_scan_hold()) `offset` is its position in
    // them.
    const char *text;
    size_t length, offset;
    unsigned depth;
    uint64_t repair_count;        // number of places that are not JSON
    uint64_t first_repair_offset; // offset of the first such place in the uncompressed file
    bool is_cut;                  // the file ends before its first value does
    bool is_damaged;              // decompression failed
    bool is_too_large;    // reading stopped because a value or the held bytes exceed their limit
    struct json_file *in; // private
};

// Opens a file. Returns NULL and sets *error on failure.
struct json_scan *json_scan_open(const char *path, struct arena *arena, struct error *error);
enum json_token json_scan_next(struct json_scan *scan);
// Skips the value that `token` began: a container to its CLOSE, a KEY its value.
void json_scan_skip(struct json_scan *scan, enum json_token token);
// The same, but sets `text` and `length` to the bytes of the value as they are in the file,
// brackets included.
void json_scan_raw(struct json_scan *scan, enum json_token token);
// Keeps all bytes from the current token on available in json_scan_held() until
// json_scan_release(). They move when further tokens are read, so positions must be kept as
// offsets.
void json_scan_hold(struct json_scan *scan);
void json_scan_release(struct json_scan *scan);
const char *json_scan_held(const struct json_scan *scan);
// Offset of the next byte in the uncompressed file.
uint64_t json_scan_bytes(const struct json_scan *scan);
// Bytes of the file on disk: read so far, and in total.
uint64_t json_scan_done(const struct json_scan *scan);
uint64_t json_scan_size(const struct json_scan *scan);
// Closes the file. Returns false and sets *error if reading failed with an I/O error.
bool json_scan_close(struct json_scan *scan, struct error *error);

// For tests: sets the window size of files opened from now on; 0: default.
void json_scan_window(size_t bytes);

// Decompresses the beginning of a file from its first bytes on disk; returns the number of bytes.
size_t json_scan_head(const unsigned char *head, size_t size, unsigned char *out, size_t out_size);

#endif
