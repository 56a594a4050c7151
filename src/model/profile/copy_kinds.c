// SPDX-License-Identifier: Apache-2.0
// Names the kinds of copies and of memory, by nsys's numbers.
#include "model/profile/copy_kinds.h"

const char *const copy_kind_names[COPY_KIND_COUNT] = {
    [COPY_UNKNOWN] = "",
    [COPY_HTOD] = "HtoD",
    [COPY_DTOH] = "DtoH",
    [COPY_HTOA] = "HtoA",
    [COPY_ATOH] = "AtoH",
    [COPY_ATOA] = "AtoA",
    [COPY_ATOD] = "AtoD",
    [COPY_DTOA] = "DtoA",
    [COPY_DTOD] = "DtoD",
    [COPY_HTOH] = "HtoH",
    [COPY_PTOP] = "PtoP",
    [COPY_UNIFIED_HTOD] = "unified HtoD",
    [COPY_UNIFIED_DTOH] = "unified DtoH",
    [COPY_UNIFIED_DTOD] = "unified DtoD",
};

const char *const memory_kind_names[MEMORY_KIND_COUNT] = {
    [MEMORY_PAGEABLE] = "pageable",
    [MEMORY_PINNED] = "pinned",
    [MEMORY_DEVICE] = "device",
    [MEMORY_ARRAY] = "array",
    [MEMORY_MANAGED] = "managed",
    [MEMORY_DEVICE_STATIC] = "device static",
    [MEMORY_MANAGED_STATIC] = "managed static",
};

const char *copy_name(struct arena *arena, int64_t kind, int64_t source, int64_t destination)
{
    if (kind <= COPY_UNKNOWN || kind >= COPY_KIND_COUNT)
        return "[memcpy]";
    int64_t host = -1; // kind of the host memory
    if (kind == COPY_HTOD || kind == COPY_HTOA)
        host = source;
    else if (kind == COPY_DTOH || kind == COPY_ATOH)
        host = destination;
    if (host == MEMORY_PAGEABLE || host == MEMORY_PINNED || host == MEMORY_MANAGED)
        return arena_format(arena, "[memcpy %s %s]", copy_kind_names[kind],
                            memory_kind_names[host]);
    return arena_format(arena, "[memcpy %s]", copy_kind_names[kind]);
}
