// SPDX-License-Identifier: Apache-2.0
// Between load_nsys_ranges.c, which makes ranges of what a slice has read of NVTX, and those who read
// it: nsys has a row for a range, nvprof (load_nvprof_ranges.c) one for each of its ends.
#ifndef MODEL_LOAD_NSYS_RANGES_H
#define MODEL_LOAD_NSYS_RANGES_H

#include "model/nsys/load_nsys_rows.h"

struct range_text {
    string_id name, sizes;
    int64_t seq, op_id;
};

struct ranges_local { // of a slice
    struct tuples threads;
    struct tuples domains; // global pid, domain id of the ranges
    struct tuples named;   // global pid, domain id of those that have a name
    size_t title_capacity;
    string_id *titles; // of named
    struct tuples registered;
    size_t parsed_capacity;
    struct range_text *parsed; // of registered
    struct tuples labels;      // as keys, see load_nsys_ranges.c
    bool has_open;
    int64_t latest; // start or end of any range
    void *own;      // of who reads
};

struct range_seen {
    int64_t start, end; // INT64_MAX: it has none; until the latest time of all is known
    int64_t thread;     // global tid
    int64_t domain;     // id
    struct range_text text;
    enum range_style style;
    enum range_end ending;
};

void ranges_begin(struct nsys_slice *slice);
// The text of an id, which is cut once; no name: the id leads nowhere.
struct range_text range_text_by_id(struct nsys_slice *slice, sqlite3_value **row, int column);
// False: there is no room for it, which is counted. `at` is the raw row that it has.
bool range_put(struct nsys_slice *slice, const struct range_seen *seen, uint32_t *at);
int64_t range_tid(const struct nsys_slice *slice, uint32_t at); // of a raw row: its global tid
// Once all are read: how a raw row ended.
void range_end_as(struct nsys_slice *slice, uint32_t at, enum range_end as);
// The first name of a domain counts; STRING_NONE is none.
void range_name_domain(struct nsys_slice *slice, int64_t thread, int64_t domain, string_id name);

#endif
