// SPDX-License-Identifier: Apache-2.0
// Names and numbers of the parts of copies.
#include "analysis/report/copy_ends.h"

static const char *const names[COPY_OPERATIONS] = {
    "[CUDA memcpy Unknown]",
    "[CUDA memcpy Host-to-Device]",
    "[CUDA memcpy Device-to-Host]",
    "[CUDA memcpy Host-to-Array]",
    "[CUDA memcpy Array-to-Host]",
    "[CUDA memcpy Array-to-Array]",
    "[CUDA memcpy Array-to-Device]",
    "[CUDA memcpy Device-to-Array]",
    "[CUDA memcpy Device-to-Device]",
    "[CUDA memcpy Host-to-Host]",
    "[CUDA memcpy Peer-to-Peer]",
    "[CUDA memcpy Unified Host-to-Device]",
    "[CUDA memcpy Unified Device-to-Host]",
    "[CUDA memcpy Unified Device-to-Device]",
    "[CUDA memset]",
};

static uint32_t end_of(int32_t kind)
{
    return kind >= 0 && kind < MEMORY_KIND_COUNT ? (uint32_t)kind : COPY_END_UNKNOWN;
}

uint32_t copy_part_of(const struct profile *profile, uint32_t work)
{
    enum work_kind kind = profile->functions[AT(profile->work.function, work)].kind;
    if (kind != WORK_MEMCPY && kind != WORK_MEMSET)
        return COPY_PARTS;
    const struct copy *recorded = work_copy(profile, work);
    struct copy copy = recorded ? *recorded : (struct copy){-1, -1, -1};
    uint32_t operation = COPY_OPERATION_MEMSET;
    if (kind == WORK_MEMCPY)
        operation =
            copy.copy_kind >= 0 && copy.copy_kind < COPY_KIND_COUNT ? (uint32_t)copy.copy_kind : 0;
    return (operation * COPY_ENDS + end_of(copy.src_kind)) * COPY_ENDS + end_of(copy.dst_kind);
}

bool copy_part_matches(const struct profile *profile, uint32_t work, uint32_t part)
{
    uint32_t actual = copy_part_of(profile, work);
    return actual == part || (actual < COPY_PARTS && part >= COPY_PARTS &&
                              actual / COPY_PARTS_PER_OPERATION == part - COPY_PARTS);
}

const char *copy_operation_name(uint32_t operation)
{
    return names[operation];
}

static const char *end_name(uint32_t end)
{
    return end < MEMORY_KIND_COUNT ? memory_kind_names[end] : "unknown";
}

const char *copy_memory_text(uint32_t part, struct arena *arena)
{
    uint32_t from = part / COPY_ENDS % COPY_ENDS, to = part % COPY_ENDS;
    if (part / COPY_PARTS_PER_OPERATION == COPY_OPERATION_MEMSET) // a memset has only one end
        return end_name(to != COPY_END_UNKNOWN ? to : from);
    return arena_format(arena, "%s to %s", end_name(from), end_name(to));
}

const char *copy_ends_text(uint32_t part, struct arena *arena)
{
    if (part >= COPY_PARTS)
        return names[part - COPY_PARTS];
    return arena_format(arena, "%s %s", names[part / COPY_PARTS_PER_OPERATION],
                        copy_memory_text(part, arena));
}
