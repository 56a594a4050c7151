// SPDX-License-Identifier: Apache-2.0
// Writes reports as bytes: aligned text, CSV, TSV, JSON, Markdown, PyProf's formats, and DLProf's
// own files.
//
// To add a format: export_x.c and one line in export_list.c.
#ifndef ANALYSIS_EXPORT_EXPORT_H
#define ANALYSIS_EXPORT_EXPORT_H

#include <stdio.h>

#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"

// A share of another total than the column's own (COLUMN_SHARE), as chosen on the screen.
struct export_share {
    const char *title, *head, *key; // for example "Share of the Step (%)", "%step", "busy_of_step"
    struct value (*get)(const void *context, const void *row);
    const void *context;
};

// A table to write: the rows of a report, with their order and columns.
struct export_table {
    const struct report *report;
    struct rows rows;
    const uint32_t *order; // row numbers in the order to write; NULL: all rows as built
    size_t count;          // length of `order`, if that is set
    const struct profile *profile;
    const struct selection *selection;
    struct sum_parts parts; // zeroes for totals; DLProf's files always have totals
    // Columns in the order to write. NULL: all columns of the report, but in text for people not
    // the columns of the detail pane. DLProf's files ignore it.
    const uint16_t *columns;
    size_t column_count;
    // true if chosen by key; DLProf's tables are then not written in its own format
    bool has_chosen_columns;
    int width;                        // of pyprof-columns, without the separators; 0: the default
    const struct export_share *share; // NULL: as the columns define it
    unsigned threads;                 // threads that format rows; 0: one per core
};

struct export_format {
    const char *name;      // "csv"
    const char *extension; // "csv"
    const char *doc;
    // Returns false if writing failed, with errno set. Must run inside arena_run().
    bool (*write)(const struct export_table *table, FILE *file, struct arena *arena);
};
// A file that names one format declares it: EXPORT_DECLARE(csv);
#define EXPORT_DECLARE(name) extern const struct export_format export_##name

extern const struct export_format *const export_formats[];
extern const size_t export_format_count;
const struct export_format *export_format_find(const char *name);
const struct export_format *export_format_of_file(const char *path); // by extension; NULL if none

// Returns the smallest width at which pyprof-columns has room for all fixed columns.
int export_min_width(const struct export_table *table, struct arena *arena);

// Writes to a temporary file in the folder of `path` and renames it, so that the file is complete
// or absent. An existing file is replaced only with `force`.
bool export_file(const char *path, bool force, const struct export_table *table,
                 const struct export_format *format, struct arena *arena, struct error *error);

// Checks that `path` is not the file `read` (NULL: none), however both are spelled, since an input
// is never replaced, even with `force`. `what` names the input in the error: "profile".
bool export_check_not_input(const char *path, const char *read, const char *what,
                            struct error *error);

// DLProf's exact CSV of one of its reports (is_dlprof); the JSON has objects keyed by the CSV
// headers.
bool export_dlprof_csv(const struct export_table *table, FILE *file, struct arena *arena);
bool export_dlprof_json(const struct export_table *table, FILE *file, struct arena *arena);

// Writes the files of --reports (up to eight), --dump_model_data and --dldb. Unless `force`, checks
// first that none exists.
struct export_dlprof_request {
    const char *folder, *base_name; // base_name: blanks become _
    const struct report *const *reports;
    size_t report_count;
    const struct export_format *const *formats;
    size_t format_count;
    bool has_model;   // also writes the correlated model
    const char *dldb; // path of a DLProf database to write, or NULL
    bool force;
    unsigned threads; // 0: one per core
};
// Checks the names and, unless `force`, that none of the files exists.
bool export_dlprof_check(const struct export_dlprof_request *request, struct arena *arena,
                         struct error *error);
bool export_dlprof_files(const struct export_dlprof_request *request, const struct profile *profile,
                         const struct selection *selection, struct arena *arena,
                         struct error *error);
// Returns the number of files.
size_t export_dlprof_count(const struct export_dlprof_request *request);
// Returns the path of the i-th file.
const char *export_dlprof_path(const struct export_dlprof_request *request, size_t i,
                               struct arena *arena);

// Writes the ops, runs, calls and GPU work of a profile as one JSON object; `split` gives the
// iterations of the runs. Returns false if writing failed, memory ran out, or `arena`, the arena of
// the caller's job, was stopped.
bool export_model(const struct profile *profile, const struct split *split, unsigned threads,
                  FILE *file, const struct arena *arena);

// Writes a DLProf 1.8 database: the profile, and one aggregation of the selection. Uses a temporary
// file as export_file() does.
bool export_dldb(const char *path, bool force, const struct profile *profile,
                 const struct selection *selection, struct arena *arena, struct error *error);

// Creates a folder and its missing parents; NULL or "" is the current folder.
bool export_folder_make(const char *folder, struct arena *arena, struct error *error);

// Returns "DIR/NAME" with blanks of the name as _, which is how DLProf names files.
char *export_dlprof_name(const char *folder, const char *name, struct arena *arena);

#endif
