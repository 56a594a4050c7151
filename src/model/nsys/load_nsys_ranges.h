// SPDX-License-Identifier: Apache-2.0
// Interface between load_nsys_ranges.c, which builds the profile's ranges, and the readers of NVTX
// tables: nsys has one row per range, nvprof (load_nvprof_ranges.c) one row per end of a range.
#ifndef MODEL_NSYS_LOAD_NSYS_RANGES_H
#define MODEL_NSYS_LOAD_NSYS_RANGES_H

#include "model/nsys/load_nsys_rows.h"

struct range_text {
    string_id name, sizes;
    int64_t seq, op_id;
};

struct ranges_local { // state of a slice
    struct tuples threads;
    struct tuples domains; // (global pid, domain id) of the ranges
    struct tuples named;   // (global pid, domain id) of the domains that have a name
    size_t title_capacity;
    string_id *titles; // names, by index in `named`
    struct tuples registered;
    size_t parsed_capacity;
    struct range_text *parsed; // by index in `registered`
    struct tuples labels;      // label_key() in load_nsys_ranges.c
    bool has_open;
    int64_t latest; // latest start or end of any range
    void *own;      // state of the reader
};

struct parsed_range {
    int64_t start, end; // INT64_MAX: open; replaced by `latest` of all slices when these are merged
    int64_t thread;     // global tid
    int64_t domain;     // id
    struct range_text text;
    enum range_style style;
    enum range_end ending;
};

void ranges_begin(struct table_slice *slice);
// Returns the parsed text of an id; each id is parsed once. `name` is STRING_NONE if the id has no
// text.
struct range_text range_text_by_id(struct table_slice *slice, sqlite3_value **row, int column);
// Adds a range. Returns false if the table is full, which is counted as skipped; else `at` is its
// raw row.
bool range_record(struct table_slice *slice, const struct parsed_range *seen, uint32_t *at);
int64_t range_tid(const struct table_slice *slice, uint32_t at); // the global tid of a raw row
// Sets how the range in a raw row ended. Called after all rows are read.
void range_set_ending(struct table_slice *slice, uint32_t at, enum range_end as);
// Names a domain. The first name counts; STRING_NONE is ignored.
void range_name_domain(struct table_slice *slice, int64_t thread, int64_t domain, string_id name);

#endif
