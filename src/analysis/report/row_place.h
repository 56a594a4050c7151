// SPDX-License-Identifier: Apache-2.0
// Position of a report's row on the time axis: the single event that the row is, or the longest of
// the events that it sums up.
#ifndef ANALYSIS_REPORT_ROW_PLACE_H
#define ANALYSIS_REPORT_ROW_PLACE_H

#include "model/profile/profile.h"

enum place_kind { PLACE_WORK, PLACE_CALL, PLACE_RANGE, PLACE_GAP, PLACE_STEP, PLACE_MEMORY };

struct row_place {
    enum place_kind kind;
    // row of profile.work, .api, .ranges or .memory; a gap: the GPU; a step: the iteration
    uint32_t row;
    int64_t from, to; // of a gap, on the GPU's clock, ns
    size_t of;        // number of events of which this is the longest
};

#endif
