// SPDX-License-Identifier: Apache-2.0
// The numbers of kinds in struct copy. They are nsys's numbers, into which other loaders translate
// theirs: copy kinds as in CUPTI, and three more for unified memory; memory kinds one less than in
// CUPTI, beginning with pageable.
#ifndef MODEL_PROFILE_COPY_KINDS_H
#define MODEL_PROFILE_COPY_KINDS_H

#include "base/arena.h"

enum copy_kind { // H: host, D: device, A: array, P: peer device
    COPY_UNKNOWN,
    COPY_HTOD,
    COPY_DTOH,
    COPY_HTOA,
    COPY_ATOH,
    COPY_ATOA,
    COPY_ATOD,
    COPY_DTOA,
    COPY_DTOD,
    COPY_HTOH,
    COPY_PTOP,
    COPY_UNIFIED_HTOD,
    COPY_UNIFIED_DTOH,
    COPY_UNIFIED_DTOD,
    COPY_KIND_COUNT
};
extern const char *const copy_kind_names[COPY_KIND_COUNT]; // "HtoD", "unified HtoD"

enum memory_kind {
    MEMORY_PAGEABLE,
    MEMORY_PINNED,
    MEMORY_DEVICE,
    MEMORY_ARRAY,
    MEMORY_MANAGED,
    MEMORY_DEVICE_STATIC,
    MEMORY_MANAGED_STATIC,
    MEMORY_KIND_COUNT
};
extern const char *const memory_kind_names[MEMORY_KIND_COUNT]; // "pageable", "device static"

// Returns the name of a copy, in `arena`: "[memcpy HtoD pinned]". It contains the kind of host
// memory because pageable memory limits the speed.
const char *copy_name(struct arena *arena, int64_t kind, int64_t source, int64_t destination);

#endif
