// SPDX-License-Identifier: Apache-2.0
// Inside of the loader of nsys's exports, and what the loaders of nvprof's and DLProf's databases, which
// hold the same records, share with it. Nobody else includes this.
#ifndef MODEL_NSYS_LOAD_NSYS_H
#define MODEL_NSYS_LOAD_NSYS_H

#include "model/derive/derive.h"
#include "model/sqlite/sqlite_file.h"

extern const struct nsys_dialect nsys_dialect;
extern const struct nsys_reader nsys_range_reader;

// ---- load_nsys_excerpt.c: the part of a file that is asked for -----------------------------------

// Finds out what is to be read; without an excerpt everything. False: it cannot be.
bool nsys_excerpt_open(struct nsys *nsys, struct error *error);
// load_nsys_steps.c: the time of the steps. *is_found false: nothing that is numbered tells it.
bool nsys_excerpt_steps(struct nsys *nsys, struct excerpt *excerpt, bool *is_found,
                        struct error *error);
// The rows of a table that are read, in their order, and what a slice of them is asked for.
size_t nsys_excerpt_spans(struct nsys *nsys, const struct nsys_reader *reader,
                          const struct nsys_table *table, struct nsys_span spans[NSYS_SPANS],
                          struct nsys_slice *slice);
// Whether a row that was read is in it; always without an excerpt. `process` and `thread` as the file
// names them.
bool nsys_excerpt_has_work(const struct nsys *nsys, int64_t process, int64_t correlation,
                           int64_t start);
bool nsys_excerpt_has_call(const struct nsys *nsys, int64_t start, int64_t end, int64_t thread,
                           int64_t correlation);
bool nsys_excerpt_has_range(const struct nsys *nsys, int64_t start, int64_t end, int64_t thread);
// All work is read: this much of it has that process and correlation id.
void nsys_excerpt_want(struct nsys *nsys, int64_t process, int64_t correlation);
// All calls are read: this one launched something that is in it.
void nsys_excerpt_early(struct nsys *nsys, int64_t thread, int64_t start, int64_t end);
void nsys_excerpt_sort(struct nsys *nsys);                       // those
bool nsys_excerpt_check(struct nsys *nsys, struct error *error); // false: there is nothing in it

// ---- what there is to read ----------------------------------------------------------------------

uint32_t nsys_process(struct nsys *nsys, int64_t global_id);
uint32_t nsys_thread(struct nsys *nsys, int64_t global_tid);
void nsys_threads_share(struct nsys *nsys); // a fresh copy of the threads into the profile

bool nsys_read_work(struct nsys *nsys, struct error *error); // load_nsys_work.c; begins the calls
// Names of the tables that these read, NULL behind the last.
enum { NSYS_WORK_TABLES = 6, NSYS_CALL_TABLES = 2 };
const char *nsys_work_table(size_t i);
const char *nsys_call_table(size_t i); // load_nsys_calls.c
// ---- for what reads a file ----------------------------------------------------------------------

// Stretches what the profile covers by a table that has just been read.
void nsys_widen(struct nsys *nsys, const struct column64 *start, const struct column64 *end,
                uint32_t count);
// Hands a stage over; never what the disk kept back.
bool nsys_publish(struct nsys *nsys, enum profile_stage stage, struct error *error);

// Devices and streams from the distinct (global pid, ordinal, context, stream): stream rows.
uint32_t *nsys_streams(struct nsys *nsys, const struct tuples *places); // load_nsys_streams.c
// The profile's devices; settles each pair's. load_nsys_device.c
struct nsys_pair { // a process and an ordinal that it ran work on
    uint32_t process;
    int64_t ordinal;
    uint32_t gpu; // of the file's list, ROW_NONE
    bool is_by_ordinal, is_assumed;
    uint32_t device; // row of the profile's devices
};
void nsys_devices(struct nsys *nsys, struct nsys_pair *pairs, size_t count);
void nsys_begin_calls(struct nsys *nsys);                     // load_nsys_calls.c
bool nsys_read_calls(struct nsys *nsys, struct error *error); // begins the ranges
void nsys_begin_ranges(struct nsys *nsys);                    // load_nsys_ranges.c
bool nsys_read_ranges(struct nsys *nsys, struct error *error);
bool nsys_read_graph_nodes(struct nsys *nsys, struct error *error); // load_nsys_small.c
bool nsys_read_rest(struct nsys *nsys, struct error *error);
bool nsys_read_metrics(struct nsys *nsys, struct error *error); // load_nsys_metrics.c
bool nsys_read_memory(struct nsys *nsys, struct error *error);  // load_nsys_memory.c
void nsys_read_capture(struct nsys *nsys);                      // load_nsys_capture.c
void nsys_name_threads(struct nsys *nsys);                      // load_nsys_threads.c
void nsys_read_names(struct nsys *nsys);                        // ... as nsys tells them
// Runs what reads a file, with all that it needs; `shown` as below.
bool nsys_load_by(const struct nsys_dialect *dialect, const struct load_request *request,
                  const char *shown, struct profile *profile,
                  bool (*read)(struct nsys *nsys, struct error *error), struct error *error);
// `shown` is what the user calls the file, where that is not request->path.
bool nsys_load(const struct nsys_dialect *dialect, const struct load_request *request,
               const char *shown, struct profile *profile, struct error *error);

#endif
