// SPDX-License-Identifier: Apache-2.0
// Walks the ranges of each process in time order and keeps the latest forward range per sequence
// number.
#include "model/ops/backward_pairs.h"

#include <string.h>

#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"
#include "model/ops/reruns.h"
#include "model/profile/range_walk.h"

enum {
    CANDIDATES = 16, // latest forward ranges of one number whose names are compared
    MAX_PARTS = 64,  // limit of parallel parts: each walks over all threads to find its own
};

// Returns the next letter or digit of a name in lower case; 0 at its end.
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
        backward = at; // GeluBackwardBackward0 belongs to gelu_backward: the last one ends the name
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

// Returns whether a sequence number identifies a forward range.
static bool seq_is_useful(int64_t seq)
{
    return seq != SEQ_NONE && seq != 0 && seq != -1;
}

enum pair_role { ROLE_NONE, ROLE_FORWARD, ROLE_BACKWARD }; // 0: the walk skips the range

// Returns the role of the ranges of each label.
static uint8_t *roles_of_labels(const struct profile *profile, struct arena *scratch)
{
    const struct ranges *ranges = &profile->ranges;
    uint8_t *roles = ARENA_ARRAY(scratch, uint8_t, ranges->label_count);
    for (uint32_t i = 0; i < ranges->label_count; i++) {
        const struct range_label *label = &ranges->labels[i];
        if (label->marker == ROW_NONE || !label->has_seq || label->ending == RANGE_CROSS_THREAD)
            continue; // no range uses a label without a marker
        enum marker_kind kind = profile->markers[label->marker].kind;
        roles[i] = kind == MARKER_BACKWARD || kind == MARKER_ENGINE ? ROLE_BACKWARD : ROLE_FORWARD;
    }
    return roles;
}

struct pairing_job {
    const struct profile *profile;
    uint32_t parts; // number of parts; a process belongs to one part, as numbers are per process
    const uint8_t *roles;
    uint32_t *pairs;
    // Per range: the previous range with the same number + 1, 0: none. NULL: names are not
    // compared.
    uint32_t *previous;
    const uint8_t *reruns; // per range, from reruns_find()
};

// The latest forward range of each sequence number, + 1; 0: none so far. Numbers of one process are
// usually consecutive and index a table; if they are sparse, a map is used.
struct latest_forwards {
    int64_t min;    // number of the table's first row
    uint64_t count; // rows of the table; 0: the map is used
    uint32_t *rows;
    struct id_map map;
};

// The smallest and largest number of forward ranges, and their count.
struct seq_extent {
    int64_t min, max;
    uint64_t count;
};

static void extent_add(struct seq_extent *extent, const struct pairing_job *pairing,
                       const struct thread *thread)
{
    const struct ranges *ranges = &pairing->profile->ranges;
    for (uint32_t row = thread->first_range; row < thread->end_range; row++) {
        int64_t seq = AT(ranges->seq, row);
        if (pairing->roles[AT(ranges->label, row)] != ROLE_FORWARD || !seq_is_useful(seq))
            continue;
        extent->min = seq < extent->min ? seq : extent->min;
        extent->max = seq > extent->max ? seq : extent->max;
        extent->count++;
    }
}

static struct latest_forwards latest_open(const struct pairing_job *pairing, uint32_t part,
                                          struct arena *scratch)
{
    enum { ROWS_PER_RANGE = 4 }; // at most 16 bytes per range
    const struct profile *profile = pairing->profile;
    struct latest_forwards latest = {.map.arena = scratch};
    if (pairing->parts != profile->process_count)
        return latest; // processes that share a part use the same numbers
    struct seq_extent extent = {INT64_MAX, INT64_MIN, 0};
    for (uint32_t t = 0; t < profile->thread_count; t++)
        if (profile->threads[t].process == part)
            extent_add(&extent, pairing, &profile->threads[t]);
    uint64_t span = (uint64_t)extent.max - (uint64_t)extent.min;
    if (span / ROWS_PER_RANGE < extent.count) { // also false when there are none
        latest.min = extent.min;
        latest.count = span + 1;
        latest.rows = ARENA_ARRAY(scratch, uint32_t, latest.count);
    }
    return latest;
}

static struct id_key latest_key(int64_t seq, uint32_t process)
{
    return (struct id_key){.a = (uint64_t)seq, .b = process};
}

// `seq` must be the number of a forward range.
static uint32_t *latest_slot(struct latest_forwards *latest, int64_t seq, uint32_t process)
{
    return latest->count ? &latest->rows[(uint64_t)seq - (uint64_t)latest->min]
                         : id_map_slot(&latest->map, latest_key(seq, process));
}

static uint32_t latest_get(const struct latest_forwards *latest, int64_t seq, uint32_t process)
{
    if (!latest->count)
        return id_map_get(&latest->map, latest_key(seq, process)) + 1;
    uint64_t row = (uint64_t)seq - (uint64_t)latest->min;
    return row < latest->count ? latest->rows[row] : 0;
}

static void pair_part(void *context, size_t part, struct arena *scratch)
{
    const struct pairing_job *pairing = context;
    const struct profile *profile = pairing->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *previous = pairing->previous;
    struct range_walk walk;
    range_walk_open(&walk, profile, (uint32_t)part, pairing->parts, pairing->roles, scratch);
    struct latest_forwards latest = latest_open(pairing, (uint32_t)part, scratch);
    for (uint32_t row; (row = range_walk_next(&walk)) != ROW_NONE;) {
        int64_t seq = AT(ranges->seq, row);
        if (!seq_is_useful(seq) || (pairing->reruns && pairing->reruns[row]))
            continue;
        uint32_t label = AT(ranges->label, row);
        uint32_t process = profile->threads[ranges->labels[label].thread].process;
        if (pairing->roles[label] == ROLE_FORWARD) {
            uint32_t *slot = latest_slot(&latest, seq, process);
            if (previous)
                previous[row] = *slot;
            *slot = row + 1;
            continue;
        }
        uint32_t candidate = latest_get(&latest, seq, process);
        pairing->pairs[row] = candidate;
        for (int n = 0; previous && n < CANDIDATES && candidate; n++) {
            if (backward_name_fits(profile, range_marker(profile, row),
                                   range_marker(profile, candidate - 1))) {
                pairing->pairs[row] = candidate;
                break;
            }
            candidate = previous[candidate - 1];
        }
    }
}

bool backward_pairs_are_possible(const struct profile *profile)
{
    return HAS(profile->ranges.seq) && profile->ranges.count && has_backward(profile);
}

void backward_pairs_find(const struct profile *profile, bool by_name, uint32_t *pairs,
                         struct arena *scratch)
{
    uint32_t count = profile->ranges.count;
    uint8_t *roles = roles_of_labels(profile, scratch);
    struct pairing_job pairing = {
        .profile = profile,
        .parts = profile->process_count < MAX_PARTS ? profile->process_count : MAX_PARTS,
        .roles = roles,
        .pairs = pairs,
    };
    if (by_name)
        pairing.previous = ARENA_ARRAY(scratch, uint32_t, count);
    uint8_t *reruns = reruns_find(profile, scratch);
    pairing.reruns = reruns;
    scratch_jobs(scratch, profile->workers, pairing.parts, pair_part, &pairing);
    ARENA_RELEASE(scratch, roles, profile->ranges.label_count);
    ARENA_RELEASE(scratch, reruns, count);
    ARENA_RELEASE(scratch, pairing.previous, count);
}

uint32_t *backward_pairs(const struct profile *profile, bool by_name, struct arena *arena)
{
    if (!backward_pairs_are_possible(profile))
        return NULL;
    uint32_t *pairs = ARENA_ARRAY(arena, uint32_t, profile->ranges.count);
    backward_pairs_find(profile, by_name, pairs, arena);
    return pairs;
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

void backward_pair_descendants(const struct profile *profile, uint32_t *pairs)
{
    const struct ranges *ranges = &profile->ranges;
    backward_pair_engines(profile, pairs);
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t parent = pairs[i] ? ROW_NONE : AT(ranges->parent, i);
        if (parent != ROW_NONE)
            pairs[i] = pairs[parent];
    }
}
