// SPDX-License-Identifier: Apache-2.0
// Inside of the loader of DLProf's databases: what load_dldb*.c share. Nobody else includes this.
//
// The raw tables of a database are enough to make every report again; what it has aggregated is not
// read, but for how that was split into iterations.
//
//      kernels, memcpys, memsets, syncs, calls --(op, its n-th run)--> op instances ----> ops
//      (each row is an API call, with the GPU work that it launched)
//
// A database has the same work once for each of its domains, with the ops of that domain: one of
// them is read.
#ifndef MODEL_LOAD_DLDB_H
#define MODEL_LOAD_DLDB_H

#include "model/dldb/dldb_names.h"
#include "model/nsys/load_nsys_rows.h"
#include "model/ops/ops.h"
#include "model/profile/recorded_ops.h"

enum dldb_op_text {
    OP_TEXT_ID,
    OP_TEXT_NAME,
    OP_TEXT_TYPE,
    OP_TEXT_DATA_TYPE,
    OP_TEXT_DIRECTION,
    OP_TEXT_STACK,
    OP_TEXT_LABELS, // of the dims of inputs, outputs, parameters: SHAPE_PARTS of them
    OP_TEXTS = OP_TEXT_LABELS + SHAPE_PARTS
};

struct raw_ops { // read_only_ops
    int64_t *id, *domain, *status;
    uint32_t *texts[OP_TEXTS];
};

struct raw_instances { // read_only_op_instances; an end before the start: of no use
    int64_t *start, *end, *op_id;
    uint32_t *thread; // local until merged
    uint32_t *shapes[SHAPE_PARTS];
};

struct raw_events {       // the five tables of API calls and what they launched
    int64_t *start, *end; // of the call; an end before the start: it is not told
    int64_t *gpu_start, *gpu_end, *bytes, *op_id;
    uint32_t *owner; // which run of the op; then row of recorded_ops.instances
    uint32_t *name, *thread, *place, *function; // local until merged
    uint32_t *shape; // kernels, copies: local until merged; syncs: their type
    uint8_t *kind;   // enum api_kind
};

#define DLDB_OTHER (ROW_NONE - 1) // of another domain than the one that is read

struct dldb {
    struct nsys *nsys;
    int64_t domain;          // id of the domain that is read; UNKNOWN: rows tell none
    const char *domain_name; // "" where the file tells none
    // read_only_ops, and which of them are ops of the profile
    struct raw_ops ops;
    uint32_t op_rows;
    struct tuples op_ids; // id -> row
    uint32_t *op_of;      // row -> recorded_ops.ops, ROW_NONE, DLDB_OTHER
    // read_only_op_instances
    struct raw_instances runs;
    uint32_t run_rows;
    uint32_t *first_run, *runs_of; // rows of the n-th op row: runs_of[first_run[n] ...
    uint32_t *instance_of;         // row -> recorded_ops.instances, ROW_NONE
    struct recorded_ops told;
    struct raw_events events;
    uint32_t event_count;
    struct work_tables work;
    struct raw_calls calls;
    struct dldb_calls { // each once, whatever it launched: in order of its first row
        uint32_t count;
        uint32_t *of_event; // + 1, 0: of an event of another domain, or without a call
        uint32_t *owner;    // row of recorded_ops.instances, ROW_NONE
    } found;
    int64_t dangling; // rows that name an op or a run that is not there
};

// The thread of a row, its process above it; nvprof's threads are 32 bits of a pointer.
enum { DLDB_TID_BITS = 32 };
static inline int64_t dldb_thread(sqlite3_value **row, int pid_column, int tid_column)
{
    return (cell_integer_or(row, pid_column, 0) & INT32_MAX) << DLDB_TID_BITS |
           (cell_integer_or(row, tid_column, 0) & UINT32_MAX);
}

// ---- load_dldb_ops.c -----------------------------------------------------------------------------

bool dldb_read_ops(struct dldb *dldb, struct error *error); // ops and their runs
// The run of an op that a row names: row of recorded_ops.instances, ROW_NONE, DLDB_OTHER.
uint32_t dldb_instance(struct dldb *dldb, int64_t op_id, uint32_t run);

// ---- load_dldb_events.c --------------------------------------------------------------------------

bool dldb_read_events(struct dldb *dldb, struct error *error);
void dldb_make_work(struct dldb *dldb);
void dldb_make_calls(struct dldb *dldb); // and synchronisations

// ---- load_dldb_facts.c ---------------------------------------------------------------------------

// Refuses versions that DLProf itself refuses; chooses the domain.
bool dldb_read_version(struct dldb *dldb, struct error *error);
bool dldb_read_domain(struct dldb *dldb, struct error *error);
void dldb_read_facts(struct dldb *dldb); // machine, mode, the model's configuration

// ---- the rest ------------------------------------------------------------------------------------

// The profile's devices from the file's list and those that work names; of each place its stream.
uint32_t *dldb_streams(struct dldb *dldb, const struct tuples *places); // load_dldb_places.c
void dldb_read_aggregations(struct dldb *dldb);                         // load_dldb_aggregations.c
void dldb_make_ranges(struct dldb *dldb); // each run of an op is one. load_dldb_ranges.c

#endif
