// SPDX-License-Identifier: Apache-2.0
// What a copy is, in one number: operation x kind of memory it comes from x kind it goes to. What
// the rows of `memory` are, and what a selection of one is kept to.
#ifndef ANALYSIS_COPY_ENDS_H
#define ANALYSIS_COPY_ENDS_H

#include "model/profile/copy_kinds.h"
#include "model/profile/profile.h"

enum {
    COPY_END_UNKNOWN = MEMORY_KIND_COUNT,
    COPY_ENDS = MEMORY_KIND_COUNT + 1,
    COPY_OPERATION_MEMSET = COPY_KIND_COUNT,
    COPY_OPERATIONS = COPY_KIND_COUNT + 1,
    COPY_PARTS_EACH = COPY_ENDS * COPY_ENDS, // of one operation, one behind the other
    COPY_PARTS = COPY_OPERATIONS * COPY_PARTS_EACH,
};

// The number of a work; COPY_PARTS: it is neither copy nor memset.
uint32_t copy_ends_of(const struct profile *profile, uint32_t work);

// Whether a work is of a part, or with COPY_PARTS + operation of that operation.
bool copy_ends_match(const struct profile *profile, uint32_t work, uint32_t part);

const char *copy_operation_name(uint32_t operation);              // "[CUDA memcpy Host-to-Device]"
const char *copy_memory_text(uint32_t part, struct arena *arena); // "pinned to device"
const char *copy_ends_text(uint32_t part, struct arena *arena);   // both; of an operation its name

#endif
