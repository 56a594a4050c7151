// SPDX-License-Identifier: Apache-2.0
// GPU work by its name in the selected form: the first part of the rows of `kernels` and `shapes`,
// and the columns that they share.
#ifndef ANALYSIS_SUMS_NAMED_WORK_H
#define ANALYSIS_SUMS_NAMED_WORK_H

#include "analysis/report/report.h"
#include "analysis/report/stats.h"

struct named_work {
    const char *name, *full, *family; // full and family name of the first function
    const char *alike;                // name that is equal across tools (struct function)
    string_id name_id;
    enum work_kind kind;
    enum work_class class;
    uint32_t functions;   // number of full names in the row
    struct stats gpu;     // durations
    int64_t exclusive_ns; // UNKNOWN: not computed yet
    int64_t work_ns;      // sum over all rows, the whole of shares
};

// Fills all members except the figures.
struct named_work named_work_of(const struct profile *profile, const struct selection *selection,
                                uint32_t function);

// named_work_match() identifies a row in another profile. named_work_match_family() does so if it
// was renamed, by another template argument or another release of a library.
struct row_match named_work_match(const void *row);
struct row_match named_work_match_family(const void *row);

// clang-format off
#define NAMED_WORK_NAME                                                                            \
    {"kernel", "Kernel Name", "kernel", UNIT_TEXT, named_work_name,                                \
     "Name in the form chosen: family (rules/kernels.yaml), short or full.", COLUMN_NAME}
#define NAMED_WORK_TIMES                                                                           \
    {"work", "Share of GPU Work (%)", "%work", UNIT_PERCENT, named_work_share,                     \
     "Total GPU time of the row over that of all rows. Work that overlaps counts in full, so " \
     "this " \
     "is no share of the wall clock.",                                                             \
     COLUMN_SHARE},                                                                                \
    {"gpu_total", "Total GPU Time (ns)", "GPU", UNIT_NS, named_work_total,                         \
     "Sum of the durations on the GPU.", COLUMN_BAR | COLUMN_SUM},                                 \
    {"calls", "Calls", "calls", UNIT_COUNT, named_work_calls, "Number of launches that ran.",      \
     COLUMN_SUM},                                                                                  \
    {"gpu_avg", "Avg GPU Time (ns)", "avg", UNIT_NS, named_work_avg, "Mean duration.", 0}
#define NAMED_WORK_EXTREMES                                                                        \
    {"gpu_min", "Min GPU Time (ns)", "min", UNIT_NS, named_work_min, "The shortest.", \
     COLUMN_WIDE}, \
    {"gpu_max", "Max GPU Time (ns)", "max", UNIT_NS, named_work_max, "The longest.", COLUMN_WIDE}
#define NAMED_WORK_EXCLUSIVE                                                                       \
    {"exclusive", "Exclusive GPU Time (ns)", "exclusive", UNIT_NS, named_work_exclusive,           \
     "Time in which this work alone keeps its GPU from being idle; where several overlap, " \
     "compute " \
     "has the instant before communication, and that before copies. Adds up to the busy time.",    \
     COLUMN_WIDE | COLUMN_SUM | COLUMN_TIMED}
// `flags` apply to the columns kind and class.
#define NAMED_WORK_KIND(flags)                                                                     \
    {"kind", "Kind", "kind", UNIT_TEXT, named_work_kind, "kernel, memcpy, memset or graph.",       \
     flags},                                                                                       \
    {"class", "Class", "class", UNIT_TEXT, named_work_class,                                       \
     "compute, comm (communication), copy, or graph (a replay traced as a whole).", flags},        \
    {"names", "Full Names", "names", UNIT_COUNT, named_work_functions,                             \
     "How many different full names the row holds.", COLUMN_DETAIL},                               \
    {"full", "Full Name", "full name", UNIT_TEXT, named_work_full,                                 \
     "Full name of the first of them that ran.", COLUMN_DETAIL}
// clang-format on

struct value named_work_name(const void *row);
struct value named_work_share(const void *row);
struct value named_work_total(const void *row);
struct value named_work_calls(const void *row);
struct value named_work_avg(const void *row);
struct value named_work_min(const void *row);
struct value named_work_max(const void *row);
struct value named_work_exclusive(const void *row);
struct value named_work_kind(const void *row);
struct value named_work_class(const void *row);
struct value named_work_functions(const void *row);
struct value named_work_full(const void *row);

#endif
