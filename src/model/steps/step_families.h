// SPDX-License-Identifier: Apache-2.0
// Families of recurring ranges: those with the same text up to one number; those with the same text
// up to all numbers, which finds more texts alike; and, for texts that occur at several places in
// the op tree, those at the same place.
//
// A family has, for each process, the ranges of the thread with most of them, without nested ones:
// the turns of a loop, if it is one.
#ifndef MODEL_STEPS_STEP_FAMILIES_H
#define MODEL_STEPS_STEP_FAMILIES_H

#include "model/markers/step_numbers.h"
#include "model/markers/step_words.h"
#include "model/profile/launch_index.h"

struct step_family {
    const char *text; // "forward", "Warm-up Step *", "step N"; for a place "evaluate > forward"
    bool is_place;    // by place in the tree, not only by text
    bool is_steps;    // numbered step markers
    bool is_serving;  // of a server
    bool is_numbered; // plain ranges whose texts contain the number of a step
    bool is_layer;    // modules of a model
    bool has_numbers; // its texts are alike up to all numbers in them
    bool nests;       // some of its ranges are inside others of it
    // What the number of its texts does, and with `has_numbers` which of them counts the steps
    // (MAX_STEP_NUMBERS: none).
    enum step_trend trend;
    uint32_t counter;
    enum step_role role;
    // Number of processes that have any: rows [first_part, first_part + parts) of parts.
    uint32_t parts;
    uint32_t first_part;
    uint32_t count; // ranges of all processes
    uint32_t max_count,
        min_count;    // largest and smallest number of ranges in a process that has any
    int64_t first_ns; // start of the earliest range
};

struct step_part { // the ranges of a family in one process
    uint32_t family, process, thread;
    uint32_t first, count; // of rows, sorted by start
};

struct step_families {
    struct arena *arena;
    const struct profile *profile;
    size_t count, capacity;
    struct step_family *items;
    size_t part_count, part_capacity;
    struct step_part *parts;
    size_t row_count;
    uint32_t *rows; // rows of ranges
    // Per marker: the number in its text by which step_number_of() finds its family, or UNKNOWN.
    int64_t *number;
};

// Returns whether the texts of a family, of which at least two ranges are in a process, count up.
static inline bool step_family_counts(const struct step_family *family)
{
    return family->max_count > 1 && !family->nests && !family->is_layer &&
           (family->is_numbered || family->is_steps || family->trend == TREND_COUNTER);
}

// Returns the number of a range's step, by the rule of its family; UNKNOWN: it has none.
int64_t step_family_number(const struct step_families *families, const struct step_family *family,
                           uint32_t range);

// Returns which number in the texts of ranges, in order of their starts, counts them;
// MAX_STEP_NUMBERS: none. *trend is what the number that tells most does. `room` is space for
// TREND_ROOM numbers.
uint32_t step_counter_of(const struct profile *profile, const uint32_t *rows, uint32_t count,
                         enum step_trend *trend, int64_t *room);

// Parts of step_families_find(). The first two return the family of each range + 1, 0: none (NULL:
// there is no such family), from the families by text.
uint32_t *step_places_find(struct step_families *families, const uint32_t *text_of);
uint32_t *step_numbers_find(struct step_families *families, const uint32_t *text_of);
void step_trends_find(struct step_families *families);

// Finds the families by text only.
void step_families_by_text(struct step_families *families, const struct profile *profile,
                           struct arena *arena);

// Finds all families, including those with a single range.
void step_families_find(struct step_families *families, const struct profile *profile,
                        struct arena *arena);

#endif
