// SPDX-License-Identifier: Apache-2.0
// Inside of json_scan: one window of the file is in memory. Places in it are kept as offsets in struct
// json_file, and nowhere else, since the window moves on (json_more()).
#ifndef BASE_JSON_WINDOW_H
#define BASE_JSON_WINDOW_H

#include "base/parse/json_scan.h"

// What stands before the next byte, in the value that is open.
enum json_place { AT_START, BEHIND_VALUE, BEHIND_COMMA, BEHIND_COLON };

struct json_file {
    struct arena *arena;
    const char *path;
    struct gzFile_s *file; // a gzFile
    uint64_t size;
    char *window;
    size_t capacity, count; // of the window
    size_t at;              // next byte
    size_t token;           // first byte of what is read
    size_t held;            // SIZE_MAX: nothing is
    size_t text_end;        // of a text: where its next byte goes, `at` unless it had escapes
    size_t ahead;    // bytes behind a token that are there when it is begun, if the file has them
    uint64_t before; // bytes of the file that went through the window before it
    bool has_ended, is_raw;
    int failure; // errno
    enum json_place place;
    bool is_object[JSON_NESTING];
};

// Brings more of the file behind what is there. False: it has no more, or one value is too large.
bool json_more(struct json_scan *scan);

// The byte `ahead` of the next one, -1: the file ends before it.
static inline int json_look(struct json_scan *scan, size_t ahead)
{
    struct json_file *in = scan->in;
    while (in->at + ahead >= in->count)
        if (!json_more(scan))
            return -1;
    return (unsigned char)in->window[in->at + ahead];
}

#endif
