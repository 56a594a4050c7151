// SPDX-License-Identifier: Apache-2.0
// Classifies a copy as one number, its part: operation x kind of source memory x kind of
// destination memory. The rows of the report `memory` are parts, and a selection can be limited to
// one.
#ifndef ANALYSIS_REPORT_COPY_ENDS_H
#define ANALYSIS_REPORT_COPY_ENDS_H

#include "model/profile/copy_kinds.h"
#include "model/profile/profile.h"

enum {
    COPY_END_UNKNOWN = MEMORY_KIND_COUNT,
    COPY_ENDS = MEMORY_KIND_COUNT + 1,
    COPY_OPERATION_MEMSET = COPY_KIND_COUNT,
    COPY_OPERATIONS = COPY_KIND_COUNT + 1,
    // parts per operation; parts of an operation are consecutive
    COPY_PARTS_PER_OPERATION = COPY_ENDS * COPY_ENDS,
    COPY_PARTS = COPY_OPERATIONS * COPY_PARTS_PER_OPERATION,
};

// Returns the part of a piece of work; COPY_PARTS if it is neither copy nor memset.
uint32_t copy_part_of(const struct profile *profile, uint32_t work);

// Returns true if a piece of work is of a part or, for COPY_PARTS + operation, of that operation.
bool copy_part_matches(const struct profile *profile, uint32_t work, uint32_t part);

const char *copy_operation_name(uint32_t operation);              // "[CUDA memcpy Host-to-Device]"
const char *copy_memory_text(uint32_t part, struct arena *arena); // "pinned to device"
// operation and memory; for an operation its name
const char *copy_ends_text(uint32_t part, struct arena *arena);

#endif
