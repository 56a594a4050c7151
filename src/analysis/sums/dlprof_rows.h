// SPDX-License-Identifier: Apache-2.0
// Rows that both their report and DLProf's file format need to know.
#ifndef ANALYSIS_DLPROF_ROWS_H
#define ANALYSIS_DLPROF_ROWS_H

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
    struct value value;            // SYSTEM, TIMES, ITERATIONS
    const char *text;              // value as DLProf prints it
    int64_t gpu_ns, cpu_ns, count; // OPS, KERNELS; else UNKNOWN
};

extern const char *const summary_section_titles[SUMMARY_SECTIONS]; // "System Config", ...
extern const char *const summary_count_titles[SUMMARY_SECTIONS];   // "# Ops"; NULL: no table

// The rows of the summary report, all of them in simple mode as well: a database holds these.
struct rows summary_whole(const struct profile *profile, const struct selection *selection,
                          struct arena *arena);

// Who made the figures, and which build of it: DLProf where it made the file, else this program.
const char *figures_version(const struct capture *capture);
const char *figures_build(const struct capture *capture);

#endif
