// SPDX-License-Identifier: Apache-2.0
// Where on the axis of time a row of a report is: the one thing that it is, or the longest of those
// that it adds up.
#ifndef ANALYSIS_PLACE_H
#define ANALYSIS_PLACE_H

#include "analysis/report.h"

enum place_kind { PLACE_WORK, PLACE_CALL, PLACE_RANGE, PLACE_GAP, PLACE_STEP, PLACE_MEMORY };

struct place {
    enum place_kind kind;
    uint32_t row;     // of profile.work, .api, .ranges, .memory; a gap's GPU, a step's iteration
    int64_t from, to; // of a gap, by the GPU's clock
    size_t of;        // of how many it is the longest; 1: there is no other
};

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
