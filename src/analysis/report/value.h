// SPDX-License-Identifier: Apache-2.0
// A cell of a report as text, once for the screen, the aligned text and the documents.
#ifndef ANALYSIS_VALUE_H
#define ANALYSIS_VALUE_H

#include "analysis/report/report.h"
#include "base/bytes.h"

// For people: scaled units, thousands separators, "-" for what is unknown (with `ascii`, no
// character beyond ASCII but those of names). Names are safe to print and on one line.
const char *value_for_people(const struct column *column, struct value value, bool ascii,
                             struct arena *arena);

// For programs: plain numbers in the unit of the title, nothing for what is unknown. Names keep line
// breaks; control characters are made visible.
void value_for_programs(struct bytes *out, const struct column *column, struct value value);

// What sums are shown as parts of: each GPU runs a step, and so does each process; a row that is of
// one GPU (COLUMN_APART) has as many parts as there are steps.
struct parts {
    double gpu, host, row; // steps x GPUs, steps x processes, steps; at most 1: totals
    // "step and GPU", "step and process", "step", "GPU"
    const char *gpu_name, *host_name, *row_name;
};
double parts_of(const struct parts *parts, const struct column *column);
const char *parts_name(const struct parts *parts, const struct column *column);
static inline bool parts_are_totals(const struct parts *parts)
{
    return parts->gpu <= 1 && parts->host <= 1;
}
// "step and GPU", "step and GPU, of the host step": what a report's sums are parts of; NULL: none.
const char *parts_text(const struct parts *parts, const struct report *report, struct arena *arena);

// A total as its mean: the columns that add up (COLUMN_SUM, COLUMN_APART), of integers real numbers;
// all others and totals stay as they are.
struct value value_per_step(const struct column *column, struct value total,
                            const struct parts *parts);

// The same of a time that is no cell: ns, rounded as value_for_people() does it.
int64_t ns_per_step(int64_t total_ns, double count);

// A number as a whole one, rounded; not a number: the least there is.
int64_t value_whole(struct value value);

bool unit_is_number(enum unit unit); // aligned to the right

extern const char *const unit_names[]; // "text", "count", "ns", ... by enum unit

#endif
