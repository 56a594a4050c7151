// SPDX-License-Identifier: Apache-2.0
// Reports as bytes: aligned text, CSV, TSV, JSON, Markdown; PyProf's forms, and DLProf's own files.
//
// To add a format: export_x.c and one line in export_list.c.
#ifndef ANALYSIS_EXPORT_H
#define ANALYSIS_EXPORT_H

#include <stdio.h>

#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"

// A share as the screen shows it, of another whole than the column (COLUMN_SHARE) says itself.
struct export_share {
    const char *title, *head, *key; // "Share of the Step (%)", "%step", "busy_of_step"
    struct value (*get)(const void *context, const void *row);
    const void *context;
};

// What is written: a report's rows, in which order, which of them.
struct export_table {
    const struct report *report;
    struct rows rows;
    const uint32_t *order; // row numbers in the order wished for, NULL: as built
    size_t count;          // of `order`, else rows.count
    const struct profile *profile;
    const struct selection *selection;
    struct parts parts; // zeroes: totals, as DLProf's files hold always
    // As somebody has arranged them, NULL: all columns of the report, for people without those of
    // the detail pane. DLProf's files never change.
    const uint16_t *columns;
    size_t column_count;
    bool
        columns_are_asked; // one by one, by their keys: DLProf's tables are no files of its own then
    int width;             // of pyprof-columns, without the blanks between; 0: its usual one
    const struct export_share *share; // NULL: as the columns say
    unsigned threads;                 // that make the rows into bytes; 0: as many as cores
};

struct export_format {
    const char *name;      // "csv"
    const char *extension; // "csv"
    const char *doc;
    // false: writing failed (errno). The caller has an arena_run around it.
    bool (*write)(const struct export_table *table, FILE *file, struct arena *arena);
};
// A file that names one format declares it: EXPORT_DECLARE(csv);
#define EXPORT_DECLARE(name) extern const struct export_format export_##name

extern const struct export_format *const export_formats[];
extern const size_t export_format_count;
const struct export_format *export_format_find(const char *name);
const struct export_format *export_format_of_file(const char *path); // by its ending; NULL: none

// The least width that pyprof-columns has room for all columns in.
int export_least_width(const struct export_table *table, struct arena *arena);

// Writes through a temporary file beside `path`, then renames: whole or not at all. Refuses to
// replace an existing file unless `force`.
bool export_file(const char *path, bool force, const struct export_table *table,
                 const struct export_format *format, struct arena *arena, struct error *error);

// What is read is never replaced, force or not. Whether `path` is another file than `read` (NULL: none),
// however both are spelled; `what` that is: "profile".
bool export_check_other(const char *path, const char *read, const char *what, struct error *error);

// DLProf's exact CSV of one of its reports (is_dlprof); JSON: objects keyed by the CSV headers.
bool export_dlprof_csv(const struct export_table *table, FILE *file, struct arena *arena);
bool export_dlprof_json(const struct export_table *table, FILE *file, struct arena *arena);

// The eight files of --reports, and those of --dump_model_data and --dldb: checks that none exists
// (unless force), then writes them all.
struct export_dlprof_request {
    const char *folder, *base_name; // base_name: blanks become _
    const struct report *const *reports;
    size_t report_count;
    const struct export_format *const *formats;
    size_t format_count;
    bool has_model;   // the correlated model, too
    const char *dldb; // and a DLProf database there, NULL: none
    bool force;
    unsigned threads; // 0: as many as cores
};
// Whether what is asked for can be written: names, and unless `force` that none of them exists.
bool export_dlprof_check(const struct export_dlprof_request *request, struct arena *arena,
                         struct error *error);
bool export_dlprof_files(const struct export_dlprof_request *request, const struct profile *profile,
                         const struct selection *selection, struct arena *arena,
                         struct error *error);
// How many files that makes.
size_t export_dlprof_count(const struct export_dlprof_request *request);
// The i-th of them.
const char *export_dlprof_path(const struct export_dlprof_request *request, size_t i,
                               struct arena *arena);

// The ops, instances, calls and GPU work of a profile as one JSON object; `split` tells the iterations
// of instances. False: writing failed, memory ended, or `arena`, on behalf of which it is done, is
// stopped.
bool export_model(const struct profile *profile, const struct split *split, unsigned threads,
                  FILE *file, const struct arena *arena);

// A DLProf database of 1.8: the profile, and one aggregation of it, of what is selected. Through a
// temporary file as export_file().
bool export_dldb(const char *path, bool force, const struct profile *profile,
                 const struct selection *selection, struct arena *arena, struct error *error);

// Makes a folder and those above it, as far as they are missing; NULL or "": the present one.
bool export_folder_make(const char *folder, struct arena *arena, struct error *error);

// "DIR/NAME", blanks of the name as _ : how DLProf names files.
char *export_dlprof_name(const char *folder, const char *name, struct arena *arena);

#endif
