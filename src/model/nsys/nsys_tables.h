// SPDX-License-Identifier: Apache-2.0
// Internal interface of the loader of nsys exports, shared with the loaders of nvprof's and
// DLProf's databases, which hold the same records. Other rooms include model/profile/loader.h
// instead.
#ifndef MODEL_NSYS_NSYS_TABLES_H
#define MODEL_NSYS_NSYS_TABLES_H

#include "model/derive/derive.h"
#include "model/sqlite/sqlite_file.h"

extern const struct nsys_dialect nsys_dialect;
extern const struct table_reader nsys_range_reader;

// ---- the file and its schema --------------------------------------------------------------------

// Returns whether the file has a table or view of that name, or with that prefix.
bool nsys_has_object(const struct nsys *nsys, const char *name, bool is_prefix);
// Returns the names of the first tables, for messages.
const char *nsys_list_tables(struct nsys *nsys);
// Sets the table of texts by id, for slice_text_by_id() and nsys_text().
void nsys_open_strings(struct nsys *nsys, const char *table, const char *text_column);
// Opens the file and reads its schema.
bool nsys_open(struct nsys *nsys, struct error *error);
// Looks up a text by id on the main connection, cut to 1,000 bytes. False: there is none, or it is
// empty.
bool nsys_text(struct nsys *nsys, int64_t id, const char **text);

// ---- load_nsys_excerpt.c: the window of a file --------------------------------------------------

// Determines the window that is read; without a requested excerpt it is the whole file. Returns
// false with `error` if the window cannot be read.
bool nsys_excerpt_open(struct nsys *nsys, struct error *error);
// Defined in load_nsys_steps.c: sets the window to the time of the requested steps. *is_found is
// false if no numbered ranges give the time of steps.
bool nsys_excerpt_steps(struct nsys *nsys, struct file_window *file_window, bool *is_found,
                        struct error *error);
// Fills `spans` with the rows of `table` to read, in table order, and sets the bounds that the
// statements of `slice` bind. Returns the number of spans.
size_t nsys_excerpt_spans(struct nsys *nsys, const struct table_reader *reader,
                          const struct sqlite_table *table, struct slice_span spans[NSYS_SPANS],
                          struct table_slice *slice);
// These return true if a row belongs to the window, and always without a window. `process` and
// `thread` are ids as in the file.
bool nsys_excerpt_has_work(const struct nsys *nsys, int64_t process, int64_t correlation,
                           int64_t start);
bool nsys_excerpt_has_call(const struct nsys *nsys, int64_t start, int64_t end, int64_t thread,
                           int64_t correlation);
bool nsys_excerpt_has_range(const struct nsys *nsys, int64_t start, int64_t end, int64_t thread);
// Called for each row of GPU work, before calls are read: marks the call with that process and
// correlation id as one whose work is in the window.
void nsys_excerpt_mark_launch(struct nsys *nsys, int64_t process, int64_t correlation);
// Called for each call that was read: records a call outside the window that launched work in it.
void nsys_excerpt_add_early_call(struct nsys *nsys, int64_t thread, int64_t start, int64_t end);
void nsys_excerpt_sort_early_calls(struct nsys *nsys);           // sorts the recorded calls
bool nsys_excerpt_check(struct nsys *nsys, struct error *error); // false: the window is empty

// ---- readers of the tables ----------------------------------------------------------------------

uint32_t nsys_process_row(struct nsys *nsys, int64_t global_id);
uint32_t nsys_thread_row(struct nsys *nsys, int64_t global_tid);
void nsys_publish_threads(
    struct nsys *nsys); // publishes a fresh copy of the threads in the profile

// load_nsys_work.c; begins to read the calls
bool nsys_read_work(struct nsys *nsys, struct error *error);
// Names of the tables that these readers read; NULL past the last one.
enum { NSYS_WORK_TABLES = 6, NSYS_CALL_TABLES = 2 };
const char *nsys_work_table(size_t i);
const char *nsys_call_table(size_t i); // load_nsys_calls.c
// ---- for the functions that read a file ---------------------------------------------------------

// Extends the time span of the profile by a table that has just been read.
void nsys_extend_extent(struct nsys *nsys, const struct column64 *start, const struct column64 *end,
                        uint32_t count);
// Publishes a stage to the UI. Fails if the disk or memory failed, so that incomplete data is never
// shown.
bool nsys_publish(struct nsys *nsys, enum profile_stage stage, struct error *error);
void nsys_note_lacks(struct nsys *nsys); // notes what the capture lacks, when all tables are read

// Creates devices and streams for the distinct `places` (global pid, ordinal, context, stream).
// Returns the stream row of each place.
uint32_t *nsys_add_streams(struct nsys *nsys, const struct tuples *places); // load_nsys_streams.c
// Defined in load_nsys_device.c: creates the profile's devices and sets `device` of each pair.
struct nsys_gpu_pair { // a process and the ordinal of a GPU that it ran work on
    uint32_t process;
    int64_t ordinal;
    uint32_t gpu; // index in the file's list of GPUs, or ROW_NONE
    bool is_by_ordinal, is_assumed;
    uint32_t device; // row in the profile's devices
};
void nsys_resolve_devices(struct nsys *nsys, struct nsys_gpu_pair *pairs, size_t count);
void nsys_begin_calls(struct nsys *nsys); // load_nsys_calls.c
// load_nsys_calls.c; begins to read the ranges
bool nsys_read_calls(struct nsys *nsys, struct error *error);
void nsys_begin_ranges(struct nsys *nsys); // load_nsys_ranges.c
bool nsys_read_ranges(struct nsys *nsys, struct error *error);
bool nsys_read_graph_nodes(struct nsys *nsys, struct error *error); // load_nsys_small.c
bool nsys_read_small_tables(struct nsys *nsys, struct error *error);
bool nsys_read_metrics(struct nsys *nsys, struct error *error); // load_nsys_metrics.c
bool nsys_read_memory(struct nsys *nsys, struct error *error);  // load_nsys_memory.c
void nsys_read_capture(struct nsys *nsys);                      // load_nsys_capture.c
void nsys_name_threads(struct nsys *nsys);                      // load_nsys_threads.c
void nsys_read_names(struct nsys *nsys); // reads the names as nsys stores them
// Sets up a struct nsys, calls `read` with it and releases everything. `shown` as for nsys_load().
bool nsys_load_with_reader(const struct nsys_dialect *dialect, const struct load_request *request,
                           const char *shown, struct profile *profile,
                           bool (*read)(struct nsys *nsys, struct error *error),
                           struct error *error);
// `shown` is the name of the file in messages; it differs from request->path for an exported
// report.
bool nsys_load(const struct nsys_dialect *dialect, const struct load_request *request,
               const char *shown, struct profile *profile, struct error *error);

#endif
