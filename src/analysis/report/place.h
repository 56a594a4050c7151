// SPDX-License-Identifier: Apache-2.0
// Where on the axis of time a row of a report is: the one thing that it is, or the longest of those
// that it adds up.
#ifndef ANALYSIS_REPORT_PLACE_H
#define ANALYSIS_REPORT_PLACE_H

#include "model/profile/profile.h"

enum place_kind { PLACE_WORK, PLACE_CALL, PLACE_RANGE, PLACE_GAP, PLACE_STEP, PLACE_MEMORY };

struct place {
    enum place_kind kind;
    uint32_t row;     // of profile.work, .api, .ranges, .memory; a gap's GPU, a step's iteration
    int64_t from, to; // of a gap, by the GPU's clock
    size_t of;        // of how many it is the longest; 1: there is no other
};

#endif
