// SPDX-License-Identifier: Apache-2.0
// A cell of a report as text, once for the screen, the aligned text and the documents.
#ifndef ANALYSIS_VALUE_H
#define ANALYSIS_VALUE_H

#include "analysis/report.h"

// For people: scaled units, thousands separators, "-" for what is unknown (with `ascii`, no
// character beyond ASCII but those of names). Names are safe to print and on one line.
const char *value_for_people(const struct column *column, struct value value, bool ascii,
                             struct arena *arena);

// For programs: plain numbers in the unit of the title, "" for what is unknown. Names keep line
// breaks; control characters are made visible.
const char *value_for_programs(const struct column *column, struct value value,
                               struct arena *arena);

// A total as its mean over `steps` (above 0; steps x GPUs where a step runs on several): the columns
// that add up (COLUMN_SUM), of integers real numbers; all others stay as they are.
struct value value_per_step(const struct column *column, struct value total, double steps);

bool unit_is_number(enum unit unit); // aligned to the right

extern const char *const unit_names[]; // "text", "count", "ns", ... by enum unit

#endif
