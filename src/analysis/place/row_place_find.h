// SPDX-License-Identifier: Apache-2.0
// Finds where on the time axis a row of a report lies (analysis/report/row_place.h).
#ifndef ANALYSIS_PLACE_ROW_PLACE_FIND_H
#define ANALYSIS_PLACE_ROW_PLACE_FIND_H

#include "analysis/report/report.h"
#include "analysis/report/row_place.h"

// Returns false if the row has no place. Visits all rows of a table if the report's row sums
// several things.
bool place_of_row(const struct profile *profile, const struct selection *selection,
                  const struct report *report, const void *row, struct row_place *place,
                  struct arena *arena);

// For reports whose rows are steps. Returns false if `iteration` is no step.
bool place_step(const struct selection *selection, uint32_t iteration, struct row_place *place);
// For reports whose rows are ranges of one name.
bool place_of_range_name(const struct profile *profile, const struct selection *selection,
                         string_id name, struct row_place *place);

// Formats "the longest of 1,234 launches" or "the only launch".
const char *place_text(const struct row_place *place, struct arena *arena);

#endif
