// SPDX-License-Identifier: Apache-2.0
// Rows of the summary report, shared with the writers of DLProf's file formats.
#ifndef ANALYSIS_REPORTS_DLPROF_DLPROF_ROWS_H
#define ANALYSIS_REPORTS_DLPROF_DLPROF_ROWS_H

#include "analysis/report/report.h"

enum summary_section {
    SUMMARY_SYSTEM,
    SUMMARY_TIMES,
    SUMMARY_ITERATIONS,
    SUMMARY_OPS,
    SUMMARY_KERNELS,
    SUMMARY_SECTIONS
};

struct summary_row {
    enum summary_section section;
    const char *name;              // "Wall Clock Time (ns)"
    struct value value;            // of SYSTEM, TIMES, ITERATIONS
    const char *text;              // the value as DLProf prints it
    int64_t gpu_ns, cpu_ns, count; // of OPS, KERNELS; else UNKNOWN
};

extern const char *const summary_section_titles[SUMMARY_SECTIONS]; // "System Config", ...
extern const char *const summary_count_titles[SUMMARY_SECTIONS];   // "# Ops"; NULL: no table

// Returns the rows of the summary report. Unlike the report it includes ops in simple mode, because
// a database holds them.
struct rows summary_full_rows(const struct profile *profile, const struct selection *selection,
                              struct arena *arena);

// Return the program that computed the figures, and its build: DLProf if it wrote the file, else
// this program.
const char *figures_version(const struct capture *capture);
const char *figures_build(const struct capture *capture);

#endif
