// SPDX-License-Identifier: Apache-2.0
// What PyTorch and DLProf append to the text of a range.
#ifndef MODEL_MARKERS_RANGE_SUFFIX_H
#define MODEL_MARKERS_RANGE_SUFFIX_H

#include "model/profile/profile.h"

// Cuts `, seq = N`, `, op_id = N` and `, sizes = [...` off a range's text where what is left tells
// the whole text again.
struct range_suffix {
    size_t length;      // of the name
    int64_t seq, op_id; // SEQ_NONE where there is none
    const char *sizes;  // to the end, NULL
    size_t sizes_length;
};
struct range_suffix range_suffix_cut(const char *text, size_t length);

#endif
