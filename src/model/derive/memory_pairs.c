// SPDX-License-Identifier: Apache-2.0
// Pairs frees with allocations, and discards impossible sizes.
#include "base/scratch.h"
#include "base/text/format.h"
#include "base/tuples.h"
#include "model/derive/derive.h"

// SIZE_LIMIT exceeds the memory of any machine; TOTAL_LIMIT keeps sums of sums from overflowing.
#define SIZE_LIMIT  (INT64_C(1) << 50)
#define TOTAL_LIMIT (INT64_C(1) << 60)

struct memory_pair_state {
    struct profile *profile;
    int64_t unmatched, reused; // frees without an allocation; allocations at an address in use
};

static void pair_body(void *context, struct arena *scratch)
{
    struct memory_pair_state *state = context;
    struct memory_events *memory = &state->profile->memory;
    struct tuples places; // (process, address): addresses are unique over all GPUs of a process
    tuples_open(&places, scratch, 2);
    uint32_t *live = ARENA_ARRAY(scratch, uint32_t, memory->count); // by place: row + 1
    for (uint32_t i = 0; i < memory->count; i++) {
        memory->ends[i] = memory->ended[i] = ROW_NONE;
        uint32_t place = ROW_NONE;
        if (memory->address[i] != 0)
            place = tuples_put(&places, (int64_t[2]){memory->process[i], memory->address[i]});
        if (place != ROW_NONE && live[place]) {
            memory->ends[i] = live[place] - 1;
            memory->ended[memory->ends[i]] = i;
            state->reused += !memory->is_free[i];
        } else {
            state->unmatched += memory->is_free[i];
        }
        if (place != ROW_NONE)
            live[place] = memory->is_free[i] ? 0 : i + 1;
    }
}

// Sets the size of each free to that of its allocation and discards impossible sizes. Returns the
// number of unknown sizes.
static int64_t settle_sizes(struct memory_events *memory)
{
    int64_t total = 0, unknown = 0;
    for (uint32_t i = 0; i < memory->count; i++) {
        int64_t *bytes = &memory->bytes[i];
        if (memory->is_free[i] && memory->ends[i] != ROW_NONE) {
            *bytes = memory->bytes[memory->ends[i]];
            continue;
        }
        if (*bytes < 0 || *bytes > SIZE_LIMIT || *bytes > TOTAL_LIMIT - total)
            *bytes = UNKNOWN;
        if (*bytes == UNKNOWN)
            unknown++;
        else
            total += *bytes;
    }
    return unknown;
}

void profile_pair_memory(struct profile *profile)
{
    struct memory_events *memory = &profile->memory;
    struct memory_pair_state state = {.profile = profile};
    int64_t homeless = 0;
    char count[FORMAT_SIZE];
    memory->ends = ARENA_ARRAY(profile->arena, uint32_t, memory->count);
    memory->ended = ARENA_ARRAY(profile->arena, uint32_t, memory->count);
    scratch_run(profile->arena, pair_body, &state);
    int64_t unknown = settle_sizes(memory);
    for (uint32_t i = 0; i < memory->count; i++)
        homeless += memory->device[i] == ROW_NONE;
    if (state.unmatched)
        profile_note(profile, NOTE_INFO, "memory_freed_only", state.unmatched, NULL,
                     "%s of memory that the file has no allocation of: what is live is counted "
                     "from the beginning of the capture",
                     format_counted(count, (uint64_t)state.unmatched, "free"));
    if (state.reused)
        profile_note(profile, NOTE_WARNING, "memory_allocated_twice", state.reused, NULL,
                     "%s at an address that was not freed: what was there counts as freed",
                     format_counted(count, (uint64_t)state.reused, "allocation"));
    if (unknown)
        profile_note(
            profile, NOTE_WARNING, "memory_sizes", unknown, NULL,
            "%s of allocated or freed memory missing or impossible: unknown, and in no sum",
            format_counted(count, (uint64_t)unknown, "size"));
    if (homeless)
        profile_note(profile, NOTE_INFO, "memory_without_gpu", homeless, NULL,
                     "%lld allocations and frees on a GPU that their process ran nothing on: the "
                     "file does not tell which GPU that is",
                     (long long)homeless);
}
