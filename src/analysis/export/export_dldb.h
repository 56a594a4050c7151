// SPDX-License-Identifier: Apache-2.0
// Internals of the writer of DLProf databases, shared by export_dldb*.c only.
//
//      export_dldb.c        the file: small tables, dictionary, metrics
//      export_dldb_raw.c    measurements: ops, runs, kernels, copies, calls
//      export_dldb_sums.c   one aggregation, from the figures of the reports
//      export_dldb_file.c   rows into a file; the only one that uses SQLite
#ifndef ANALYSIS_EXPORT_EXPORT_DLDB_H
#define ANALYSIS_EXPORT_EXPORT_DLDB_H

#include "analysis/export/dldb_schema.h"
#include "analysis/sums/op_metrics.h"
#include "base/strings.h"
#include "base/tuples.h"

struct dldb_file;

// ids of the only rows of these tables, which other rows reference
enum { DLDB_AGGREGATION = 1, DLDB_DOMAIN = 1 };

struct dldb_out {
    const struct profile *profile;
    const struct selection *selection; // the selection that is aggregated
    struct arena *arena;
    struct dldb_file *file;
    int64_t rows[DLDB_TABLES]; // by table: number of rows, which is the id of the last
    struct strings *texts;     // the dictionary, with the same ids
    string_id *text_of;        // by string id of the profile; STRING_NONE until used
    struct tuples metrics;     // (count, max, min, sum); equal metrics share a row
    struct tuples grids;       // (x, y, z); equal grids share a row
    int64_t *device_of;        // by device: device_id
    int64_t *op_of;            // by op: id in read_only_ops
    uint32_t *kernel_of;       // by work: id in read_only_kernels, or 0
};

// Adds a row and returns its id. There are as many values as the table has columns besides the id.
// Does nothing after a failure.
int64_t dldb_put(struct dldb_out *out, enum dldb_table_id table, const struct value *values,
                 size_t count);
#define DLDB_PUT(out, table, ...)                             \
    dldb_put(out, table, (const struct value[]){__VA_ARGS__}, \
             sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))
#define DLDB_INT(x) value_integer((int64_t)(x))
static inline struct value dldb_plain(const char *text)
{
    return value_text(text ? text : "");
}

// Returns the dictionary id of a text, or of a text of the profile (STRING_NONE: of the empty
// text).
struct value dldb_text(struct dldb_out *out, const char *text);
struct value dldb_name(struct dldb_out *out, string_id text);
struct value dldb_metric(struct dldb_out *out, const struct time_metric *metric, int64_t count);
struct value dldb_real(double value); // rounded to 6 decimals, as in DLProf

void dldb_put_ops(struct dldb_out *out);    // ops and their runs
void dldb_put_events(struct dldb_out *out); // calls and GPU work
void dldb_put_sums(struct dldb_out *out);

// ---- export_dldb_file.c -------------------------------------------------------------------------

// Opens a new database in the existing empty file `path`. Writing stops with `arena`. Returns NULL
// with the reason in `why`.
struct dldb_file *dldb_file_open(const char *path, const struct arena *arena, char *why,
                                 size_t size);
bool dldb_file_begin(struct dldb_file *file, struct arena *arena); // creates the tables
void dldb_file_row(struct dldb_file *file, enum dldb_table_id table, int64_t id,
                   const struct value *values, size_t count);
// Creates indexes and views and commits. Returns false if this or anything before failed.
bool dldb_file_finish(struct dldb_file *file, struct arena *arena);
// Closes and frees it. `why` receives the first failure, or "".
void dldb_file_close(struct dldb_file *file, char *why, size_t size);

#endif
