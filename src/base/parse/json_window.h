// SPDX-License-Identifier: Apache-2.0
// Internal to json_scan: the part of the file that is in memory. Positions in it are kept only as
// offsets in struct json_file, because json_more() moves the window.
#ifndef BASE_PARSE_JSON_WINDOW_H
#define BASE_PARSE_JSON_WINDOW_H

#include "base/parse/json_scan.h"

// The item that precedes the next byte in the innermost container.
enum json_place { AT_START, AFTER_VALUE, AFTER_COMMA, AFTER_COLON };

struct json_file {
    struct arena *arena;
    const char *path;
    struct gzFile_s *file; // a gzFile
    uint64_t size;
    char *window;
    size_t capacity, count; // of the window
    size_t at;              // next byte
    size_t token;           // first byte of the current token
    size_t held;            // first byte that json_scan_hold() keeps; SIZE_MAX: none
    size_t text_end;        // end of the decoded part of the current text; `at` until an escape
    size_t ahead;           // bytes that the window should have after the start of a token
    uint64_t before;        // offset of the window in the file
    bool has_ended, is_raw;
    int failure; // errno
    enum json_place place;
    bool is_object[MAX_JSON_DEPTH];
};

// Reads more of the file into the window. Returns false at its end or if a value is too large.
bool json_more(struct json_scan *scan);

// Returns the byte `ahead` positions after the next one, or -1 if the file ends before it.
static inline int json_look(struct json_scan *scan, size_t ahead)
{
    struct json_file *input = scan->in;
    while (input->at + ahead >= input->count)
        if (!json_more(scan))
            return -1;
    return (unsigned char)input->window[input->at + ahead];
}

#endif
