// SPDX-License-Identifier: Apache-2.0
// Rows on their way into the profile, whatever the format that they were read from: a loader fills raw
// columns and what these refer to, load_nsys_work.c, load_nsys_calls.c and load_nsys_ranges.c put them
// in the profile's order.
#ifndef MODEL_NSYS_LOAD_NSYS_ROWS_H
#define MODEL_NSYS_LOAD_NSYS_ROWS_H

#include "model/nsys/load_nsys.h"

enum { SHAPE_NUMBERS = 9, SHAPE_KEY = (SHAPE_NUMBERS + 1) / 2 }; // two of 32 bits in one of a key

struct raw_work {
    int64_t *start, *end, *bytes, *graph_node, *graph;
    uint32_t *function, *place, *correlation, *shape; // rows of work_tables once all are merged
};

struct work_tables {         // of all slices together
    struct tuples functions; // kind, full, brief, enum tristate: DLProf's word on Tensor Cores
    struct tuples places;    // global pid, ordinal, context, stream
    struct tuples shapes;    // grid, block, registers, shared memory: work_shape_key()
    struct tuples copies;    // copy kind, source kind, destination kind
};
void work_tables_open(struct nsys *nsys, struct work_tables *all);
void work_shape_key(const int32_t numbers[SHAPE_NUMBERS], int64_t key[SHAPE_KEY]);
void raw_work_open(struct nsys *nsys, const struct nsys_slices *slices, struct raw_work *raw);
// Fills the profile's work and what it refers to. Of each place `stream_of` has the stream. Returns
// the row in `raw` of each.
uint32_t *work_arrange(struct nsys *nsys, struct raw_work *raw, const struct work_tables *all,
                       const uint32_t *stream_of, uint32_t count);

struct raw_calls {
    bool has_table, has_results;
    int64_t *start, *end;
    uint32_t *name, *thread, *correlation, *callchain; // name, thread: local until merged
    uint32_t *result;
};
void raw_calls_open(struct nsys *nsys, const struct nsys_slices *slices, struct raw_calls *raw);
void calls_arrange(struct nsys *nsys, struct raw_calls *raw, uint32_t count);

struct raw_ranges {
    int64_t *start, *end, *seq, *op_id; // seq, op_id: where the label has one, NULL: none has
    int64_t *id;                        // by which who reads knows it again; else untouched
    uint32_t *label;                    // local until merged
};
// Fills the profile's ranges, whose labels are there. Returns the row in `raw` of each.
uint32_t *ranges_arrange(struct nsys *nsys, struct raw_ranges *raw, uint32_t count);

#endif
