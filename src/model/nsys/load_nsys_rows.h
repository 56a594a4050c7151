// SPDX-License-Identifier: Apache-2.0 Raw rows of the formats with CUPTI's records (nsys, nvprof,
// DLProf). A loader fills raw columns and the tables that they refer to. load_nsys_work.c,
// load_nsys_calls.c and load_nsys_ranges.c sort them and copy them to the profile.
#ifndef MODEL_NSYS_LOAD_NSYS_ROWS_H
#define MODEL_NSYS_LOAD_NSYS_ROWS_H

#include "model/nsys/nsys_tables.h"

// Each word of a key contains two 32-bit numbers.
enum { SHAPE_NUMBERS = 9, SHAPE_KEY = (SHAPE_NUMBERS + 1) / 2 };

struct raw_work {
    int64_t *start, *end, *bytes, *graph_node, *graph;
    // rows of work_tables once all slices are merged
    uint32_t *function, *place, *correlation, *shape;
};

struct work_tables {         // merged from all slices
    struct tuples functions; // kind, full, brief, DLProf's Tensor Core flag (enum tristate)
    struct tuples places;    // global pid, ordinal, context, stream
    struct tuples shapes;    // grid, block, registers, shared memory, packed by work_shape_key()
    struct tuples copies;    // copy kind, source kind, destination kind
};
void work_tables_open(struct nsys *nsys, struct work_tables *all);
void work_shape_key(const int32_t numbers[SHAPE_NUMBERS], int64_t key[SHAPE_KEY]);
void raw_work_open(struct nsys *nsys, const struct table_slices *slices, struct raw_work *raw);
// Fills the profile's work and the tables it refers to. stream_of[place] is the stream row of a
// place. Returns the raw row of each row of the profile's work.
uint32_t *work_arrange(struct nsys *nsys, struct raw_work *raw, const struct work_tables *all,
                       const uint32_t *stream_of, uint32_t count);

struct raw_calls {
    bool has_table, has_results;
    int64_t *start, *end;
    // `name` and `thread` are local until the slices are merged
    uint32_t *name, *thread, *correlation, *callchain;
    uint32_t *result;
};
void raw_calls_open(struct nsys *nsys, const struct table_slices *slices, struct raw_calls *raw);
void calls_arrange(struct nsys *nsys, struct raw_calls *raw, uint32_t count);

struct raw_ranges {
    // seq and op_id are set where the label has one; NULL: no label has
    int64_t *start, *end, *seq, *op_id;
    int64_t *id;     // reader's own id of the range; untouched if unused
    uint32_t *label; // local until the slices are merged
};
// Fills the profile's ranges; their labels must exist. Returns the raw row of each row of the
// profile's ranges.
uint32_t *ranges_arrange(struct nsys *nsys, struct raw_ranges *raw, uint32_t count);

#endif
