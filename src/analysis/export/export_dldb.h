// SPDX-License-Identifier: Apache-2.0
// Inside of the writer of DLProf databases: what export_dldb*.c share. Nobody else includes this.
//
//      export_dldb.c        a whole file: small tables, dictionary, metrics
//      export_dldb_raw.c    what was measured: ops, runs, kernels, copies, calls
//      export_dldb_sums.c   one aggregation of it, from the figures of the reports
//      export_dldb_file.c   rows into a file; the only one that knows SQLite
#ifndef ANALYSIS_EXPORT_DLDB_H
#define ANALYSIS_EXPORT_DLDB_H

#include "analysis/export/dldb_schema.h"
#include "analysis/sums/op_metrics.h"
#include "base/strings.h"
#include "base/tuples.h"

struct dldb_file;

enum { DLDB_AGGREGATION = 1, DLDB_DOMAIN = 1 }; // the only rows of theirs: what others name

struct dldb_out {
    const struct profile *profile;
    const struct selection *selection; // that is aggregated
    struct arena *arena;
    struct dldb_file *file;
    int64_t rows[DLDB_TABLES]; // so far: the id of the last one
    struct strings *texts;     // of the dictionary; their ids are its ids
    string_id *text_of;        // by text of the profile, STRING_NONE: not asked for yet
    struct tuples metrics;     // (count, max, min, sum): equal ones are one row
    struct tuples grids;       // the same of (x, y, z)
    int64_t *device_of;        // device_id by row of devices
    int64_t *op_of;            // id of read_only_ops by row of ops
    uint32_t *kernel_of;       // id of read_only_kernels by row of work, 0: none
};

// Adds a row and returns its id, of as many values as the table has columns but the id. Once one
// failed, nothing more happens.
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

// Id of a text, of a profile's text (STRING_NONE: of the empty one).
struct value dldb_text(struct dldb_out *out, const char *text);
struct value dldb_name(struct dldb_out *out, string_id text);
struct value dldb_metric(struct dldb_out *out, const struct metric *metric, int64_t count);
struct value dldb_real(double value); // with 6 decimals, as DLProf keeps them

void dldb_put_ops(struct dldb_out *out);    // and their runs
void dldb_put_events(struct dldb_out *out); // and how kernels were launched
void dldb_put_sums(struct dldb_out *out);

// ---- export_dldb_file.c ------------------------------------------------------------------------

// A new database in an empty file, on behalf of an arena. NULL: it says why.
struct dldb_file *dldb_file_open(const char *path, const struct arena *arena, char *why,
                                 size_t size);
bool dldb_file_begin(struct dldb_file *file, struct arena *arena); // makes the tables
void dldb_file_row(struct dldb_file *file, enum dldb_table_id table, int64_t id,
                   const struct value *values, size_t count);
// Indexes, views, and all of it on the disk. False: that failed, or something before.
bool dldb_file_finish(struct dldb_file *file, struct arena *arena);
// Releases it. What failed first, "": nothing.
void dldb_file_close(struct dldb_file *file, char *why, size_t size);

#endif
