// SPDX-License-Identifier: Apache-2.0
#include "model/backward_pairs.h"

#include <string.h>

#include "model/id_map.h"
#include "model/markers.h"
#include "model/range_walk.h"
#include "model/reruns.h"
#include "model/scratch.h"

enum {
    CANDIDATES = 16, // forward ranges of one number that are tried by name
    PARTS_MOST = 64, // each goes through all threads to find its own
};

// The next letter or digit of a name as small letter; 0 at its end.
static char next_letter(const char **text, const char *end)
{
    while (*text < end) {
        char c = *(*text)++;
        if (c >= 'A' && c <= 'Z')
            return (char)(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            return c;
    }
    return 0;
}

bool backward_name_fits(const struct profile *profile, const struct marker *node,
                        const struct marker *forward)
{
    const char *name = profile_text(profile, node->title), *backward = NULL;
    for (const char *at = name; (at = strstr(at, "Backward")); at++)
        backward = at; // GeluBackwardBackward0 is of gelu_backward
    const char *type = profile_text(profile, forward->type ? forward->type : forward->title);
    const char *type_end = type + strlen(type);
    if (!backward || !*type)
        return false;
    for (;;) {
        char a = next_letter(&name, backward), b = next_letter(&type, type_end);
        if (a != b)
            return false;
        if (!a)
            return true;
    }
}

static bool has_backward(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->marker_count; i++)
        if (profile->markers[i].kind == MARKER_BACKWARD)
            return true;
    return false;
}

// Whether a sequence number tells anything.
static bool seq_is_telling(int64_t seq)
{
    return seq != SEQ_NONE && seq != 0 && seq != -1;
}

struct pairing {
    const struct profile *profile;
    uint32_t parts; // of the processes: numbers are of a process
    uint32_t *pairs;
    uint32_t *before;      // of each range: same number, earlier; + 1, 0: none. NULL: not by name
    const uint8_t *reruns; // by range, as reruns_find() has them
};

static void pair_part(void *context, size_t part, struct arena *scratch)
{
    const struct pairing *pairing = context;
    const struct profile *profile = pairing->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *before = pairing->before;
    struct range_walk walk;
    range_walk_open(&walk, profile, (uint32_t)part, pairing->parts, scratch);
    struct id_map latest = {.arena = scratch};
    for (uint32_t row; (row = range_walk_next(&walk)) != ROW_NONE;) {
        const struct range_label *label = range_label(ranges, row);
        int64_t seq = label->has_seq ? AT(ranges->seq, row) : SEQ_NONE;
        if (!seq_is_telling(seq) || label->ending == RANGE_AWAY ||
            (pairing->reruns && pairing->reruns[row]))
            continue;
        const struct marker *marker = &profile->markers[label->marker];
        struct id_key key = {.a = (uint64_t)seq, .b = profile->threads[label->thread].process};
        if (marker->kind != MARKER_BACKWARD && marker->kind != MARKER_ENGINE) {
            uint32_t *slot = id_map_slot(&latest, key);
            if (before)
                before[row] = *slot;
            *slot = row + 1;
            continue;
        }
        uint32_t candidate = id_map_get(&latest, key);
        pairing->pairs[row] = candidate + 1;
        for (int n = 0; before && n < CANDIDATES && candidate != ROW_NONE; n++) {
            if (backward_name_fits(profile, marker, range_marker(profile, candidate))) {
                pairing->pairs[row] = candidate + 1;
                break;
            }
            candidate = before[candidate] - 1;
        }
    }
}

uint32_t *backward_pairs(const struct profile *profile, bool by_name, struct arena *arena)
{
    uint32_t count = profile->ranges.count;
    if (!HAS(profile->ranges.seq) || !count || !has_backward(profile))
        return NULL;
    struct pairing pairing = {
        .profile = profile,
        .parts = profile->process_count < PARTS_MOST ? profile->process_count : PARTS_MOST,
        .pairs = ARENA_ARRAY(arena, uint32_t, count),
    };
    if (by_name)
        pairing.before = ARENA_ARRAY(arena, uint32_t, count);
    uint8_t *reruns = reruns_find(profile, arena);
    pairing.reruns = reruns;
    scratch_jobs(arena, profile->workers, pairing.parts, pair_part, &pairing);
    ARENA_RELEASE(arena, reruns, count);
    ARENA_RELEASE(arena, pairing.before, count);
    return pairing.pairs;
}

void backward_pair_engines(const struct profile *profile, uint32_t *pairs)
{
    const struct ranges *ranges = &profile->ranges;
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t parent = pairs[i] ? AT(ranges->parent, i) : ROW_NONE;
        if (parent != ROW_NONE && !pairs[parent] &&
            range_marker(profile, parent)->kind == MARKER_ENGINE)
            pairs[parent] = pairs[i];
    }
}

void backward_pair_below(const struct profile *profile, uint32_t *pairs)
{
    const struct ranges *ranges = &profile->ranges;
    backward_pair_engines(profile, pairs);
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t parent = pairs[i] ? ROW_NONE : AT(ranges->parent, i);
        if (parent != ROW_NONE)
            pairs[i] = pairs[parent];
    }
}
