// SPDX-License-Identifier: Apache-2.0
// Finds where on the axis of time a row of a report is (analysis/report/place.h).
#ifndef ANALYSIS_REPORTS_ROW_PLACE_H
#define ANALYSIS_REPORTS_ROW_PLACE_H

#include "analysis/report/place.h"
#include "analysis/report/report.h"

// Of a row in a selection; false: it is nowhere. Looks at all rows of a table where the report's row
// stands for several things.
bool place_of_row(const struct profile *profile, const struct selection *selection,
                  const struct report *report, const void *row, struct place *place,
                  struct arena *arena);

// For reports whose rows are steps; false: the row is none.
bool place_step(const struct selection *selection, uint32_t iteration, struct place *place);
// For reports whose rows are ranges of one name.
bool place_of_range_name(const struct profile *profile, const struct selection *selection,
                         string_id name, struct place *place);

// "the longest of 1,234 launches", "the only launch".
const char *place_text(const struct place *place, struct arena *arena);

#endif
