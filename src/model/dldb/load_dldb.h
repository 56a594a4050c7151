// SPDX-License-Identifier: Apache-2.0
// Internal interface of the loader of DLProf databases, shared by load_dldb*.c.
//
// All reports can be computed from the raw tables of a database. Its aggregated tables are not
// read, except for how they cut the run into iterations.
//
//     kernels, memcpys, memsets, syncs, calls --(op, index of its run)--> op instances ----> ops
//     (each row is an API call with the GPU work that it launched)
//
// A database contains the same work once per domain, with the ops of that domain. Only one domain
// is read.
#ifndef MODEL_DLDB_LOAD_DLDB_H
#define MODEL_DLDB_LOAD_DLDB_H

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
    OP_TEXT_LABELS, // labels of the dimensions of inputs, outputs, parameters (SHAPE_PARTS texts)
    OP_TEXTS = OP_TEXT_LABELS + SHAPE_PARTS
};

struct raw_ops { // table read_only_ops
    int64_t *id, *domain, *status;
    uint32_t *texts[OP_TEXTS];
};

struct raw_instances { // table read_only_op_instances; a row with end < start is invalid
    int64_t *start, *end, *op_id;
    uint32_t *thread; // local until the slices are merged
    uint32_t *shapes[SHAPE_PARTS];
};

struct raw_events {       // the five tables of API calls and the work they launched
    int64_t *start, *end; // of the call; end < start: the call is not recorded
    int64_t *gpu_start, *gpu_end, *bytes, *op_id;
    uint32_t *owner; // index of the op's run; later a row of recorded_ops.instances
    uint32_t *name, *thread, *place, *function; // local until the slices are merged
    uint32_t *shape; // kernels and copies: local until merged; syncs: their type
    uint8_t *kind;   // enum api_kind
};

#define DLDB_OTHER_DOMAIN (ROW_NONE - 1) // belongs to a domain that is not read

struct dldb {
    struct nsys *nsys;
    int64_t domain;          // id of the domain that is read; UNKNOWN: the file has no domain ids
    const char *domain_name; // "" if the file has no domains
    // read_only_ops, and their mapping to ops of the profile
    struct raw_ops ops;
    uint32_t op_rows;
    struct tuples op_ids; // id -> row
    uint32_t *op_of;      // row -> index in recorded_ops.ops, ROW_NONE or DLDB_OTHER_DOMAIN
    // read_only_op_instances
    struct raw_instances runs;
    uint32_t run_rows;
    // runs of op row n: runs_of[first_run[n]] to runs_of[first_run[n + 1] - 1]
    uint32_t *first_run, *runs_of;
    uint32_t *instance_of; // row -> index in recorded_ops.instances, or ROW_NONE
    struct recorded_ops told;
    struct raw_events events;
    uint32_t event_count;
    struct work_tables work;
    struct raw_calls calls;
    struct dldb_calls { // distinct API calls, in order of their first row
        uint32_t count;
        uint32_t *of_event; // index + 1; 0: event of another domain or without a call
        uint32_t *owner;    // row of recorded_ops.instances, or ROW_NONE
    } found;
    int64_t dangling; // number of rows with the id of an op or run that does not exist
};

// Packs process and thread of a row into one number. Thread numbers of nvprof are 32 bits of a
// pointer.
enum { DLDB_TID_BITS = 32 };
static inline int64_t dldb_thread(sqlite3_value **row, int pid_column, int tid_column)
{
    return (cell_integer_or(row, pid_column, 0) & INT32_MAX) << DLDB_TID_BITS |
           (cell_integer_or(row, tid_column, 0) & UINT32_MAX);
}

// ---- load_dldb_ops.c ----------------------------------------------------------------------------

bool dldb_read_ops(struct dldb *dldb, struct error *error); // reads ops and their runs
// Returns the row of recorded_ops.instances for a run of an op, ROW_NONE if it is missing, or
// DLDB_OTHER_DOMAIN.
uint32_t dldb_instance(struct dldb *dldb, int64_t op_id, uint32_t run);

// ---- load_dldb_events.c -------------------------------------------------------------------------

bool dldb_read_events(struct dldb *dldb, struct error *error);
void dldb_make_work(struct dldb *dldb);
void dldb_make_calls(struct dldb *dldb); // also makes the synchronisations

// ---- load_dldb_facts.c --------------------------------------------------------------------------

// Rejects the versions that DLProf itself rejects. dldb_read_domain() selects the domain.
bool dldb_read_version(struct dldb *dldb, struct error *error);
bool dldb_read_domain(struct dldb *dldb, struct error *error);
void dldb_read_facts(struct dldb *dldb); // machine, mode, model configuration

// ---- other files --------------------------------------------------------------------------------

// Creates the profile's devices from the file's list and from the places. Returns the stream row of
// each place.
uint32_t *dldb_streams(struct dldb *dldb, const struct tuples *places); // load_dldb_places.c
void dldb_read_aggregations(struct dldb *dldb);                         // load_dldb_aggregations.c
void dldb_make_ranges(struct dldb *dldb); // load_dldb_ranges.c; makes a range of each run of an op

#endif
