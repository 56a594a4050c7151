// SPDX-License-Identifier: Apache-2.0
// Formats a value of a report as text, for the screen and text output, and for CSV and JSON.
#ifndef ANALYSIS_REPORT_VALUE_H
#define ANALYSIS_REPORT_VALUE_H

#include "analysis/report/report.h"
#include "base/text/bytes.h"

// Returns the text for people: scaled units, thousands separators, "-" for unknown (with `ascii`
// only ASCII except in names). Names are safe to print and on one line.
const char *value_display_text(const struct column *column, struct value value, bool ascii,
                               struct arena *arena);

// Appends the text for programs: plain numbers in the unit of the title, nothing for unknown. Names
// keep line breaks; control characters are escaped.
void value_append_plain(struct bytes *out, const struct column *column, struct value value);

// Number of parts that sums are divided by: a step runs on each GPU and in each process. A row of
// one GPU (COLUMN_NOT_ADDITIVE) has one part per step.
struct sum_parts {
    double gpu, host, row; // steps x GPUs, steps x processes, steps; 1 or less: totals are shown
    // "step and GPU", "step and process", "step", "GPU"
    const char *gpu_name, *host_name, *row_name;
};
double parts_of(const struct sum_parts *parts, const struct column *column);
const char *parts_name(const struct sum_parts *parts, const struct column *column);
static inline bool parts_are_totals(const struct sum_parts *parts)
{
    return parts->gpu <= 1 && parts->host <= 1;
}
// Returns the parts that a report's sums are shown per, like "step and GPU" or "step and GPU, of
// the host step"; NULL: none.
const char *parts_text(const struct sum_parts *parts, const struct report *report,
                       struct arena *arena);

// Returns a total as a mean per part if the column is additive (COLUMN_SUM, COLUMN_NOT_ADDITIVE);
// integers become reals. Other values and totals are unchanged.
struct value value_per_step(const struct column *column, struct value total,
                            const struct sum_parts *parts);

// The same for a duration that is not in a column, in ns, rounded like value_display_text().
int64_t ns_per_step(int64_t total_ns, double count);

// Rounds a number to an integer. NaN gives the lowest value.
int64_t value_whole(struct value value);

bool unit_is_number(enum unit unit); // numbers are aligned to the right

extern const char *const unit_names[]; // "text", "count", "ns" and so on, by enum unit

#endif
