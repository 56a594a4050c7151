// SPDX-License-Identifier: Apache-2.0
// Splits off the suffixes that PyTorch and DLProf append to range texts.
#ifndef MODEL_MARKERS_RANGE_SUFFIX_H
#define MODEL_MARKERS_RANGE_SUFFIX_H

#include "model/profile/profile.h"

// Cuts `, seq = N`, `, op_id = N` and `, sizes = [...` off a range text, if the text can be
// restored from the parts.
struct range_suffix {
    size_t length;      // of the remaining name
    int64_t seq, op_id; // SEQ_NONE if there is none
    const char *sizes;  // extends to the end; NULL if there is none
    size_t sizes_length;
};
struct range_suffix range_suffix_cut(const char *text, size_t length);

#endif
