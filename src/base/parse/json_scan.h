// SPDX-License-Identifier: Apache-2.0
// A pull reader of JSON files of any size, plain or compressed (gzip), that keeps no tree and takes what
// is broken as far as it can be understood: traces are written by jobs that are killed, and by writers
// that forget to escape.
//
// Accepted beside JSON: a byte order mark; raw control characters and bytes that are no UTF-8 in texts;
// backslashes that begin no escape (`C:\path`); quotes within a text, where what follows cannot follow a
// text's end; words such as N/A, inf, nan; commas too many or missing; keys without a value; brackets that
// are missing, or one too many; a file that ends early. What was mended is counted, but for bytes that are
// no UTF-8, which are handed over as they are. So are numbers, as they are written: none loses a digit.
//
// Whatever the file holds: behind a KEY comes its value (a WORD of no length where there is none) or END,
// and `depth` is that of JSON. A bracket that is missing may close several values at once, so that who
// goes through a value goes on while `depth` is above where it was before.
//
//     struct json_scan *scan = json_scan_open(path, arena, error);
//     while ((token = json_scan_next(scan)) != JSON_END) ...
//     bool done = json_scan_close(scan, error);
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum {
    JSON_NESTING = 512,            // deeper values are passed over, as WORDs of no length
    JSON_TEXT_MOST = 16 * 1048576, // bytes of a text, the rest is passed over; of a word 64 kB
    JSON_HELD_MOST = 8 * JSON_TEXT_MOST,
};

enum json_token {
    JSON_END, // of the file, or of what could be read of it
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_CLOSE, // of the innermost of these, and of what lies in it and was never closed
    JSON_KEY,   // its value is next
    JSON_STRING,
    JSON_NUMBER,
    JSON_WORD, // true, null, N/A
};

struct json_scan {
    // Of KEY, STRING: its text, escapes resolved; of NUMBER, WORD as written. Until the next token;
    // while the scanner holds (json_scan_hold()) `offset` says where it stands from there on.
    const char *text;
    size_t length, offset;
    unsigned depth;
    uint64_t mended;      // places that are no JSON
    uint64_t first_at;    // byte of the unpacked file that the first of them is at
    bool is_cut;          // the file ends before its first value does
    bool is_damaged;      // what is packed cannot be unpacked further
    bool is_too_large;    // it is not read further: more would have to be held than may be
    struct json_file *in; // private
};

// NULL: the file cannot be opened, *error says why.
struct json_scan *json_scan_open(const char *path, struct arena *arena, struct error *error);
enum json_token json_scan_next(struct json_scan *scan);
// After a token: passes over the value that it began (to its CLOSE, after a KEY its value).
void json_scan_skip(struct json_scan *scan, enum json_token token);
// The same; `text` and `length` are what stands in the file, brackets and all.
void json_scan_raw(struct json_scan *scan, enum json_token token);
// From the token that was read last on all bytes stay in json_scan_held(), until json_scan_release().
// They move with each further token, so that places are kept as offsets.
void json_scan_hold(struct json_scan *scan);
void json_scan_release(struct json_scan *scan);
const char *json_scan_held(const struct json_scan *scan);
uint64_t json_scan_bytes(const struct json_scan *scan); // of the unpacked file, up to here
// Of the file as it lies on the disk: read so far, and all.
uint64_t json_scan_done(const struct json_scan *scan);
uint64_t json_scan_size(const struct json_scan *scan);
// What failed on the way, once JSON_END came: false, if the machine did not let it read on.
bool json_scan_close(struct json_scan *scan, struct error *error);

void json_scan_window(size_t bytes); // for tests: of files opened from now on, 0: as usual

// The first bytes of a file as a scanner sees them, of those that lie on the disk; returns how many.
size_t json_scan_head(const unsigned char *head, size_t size, unsigned char *out, size_t out_size);

#endif
