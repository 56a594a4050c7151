// SPDX-License-Identifier: Apache-2.0
// Families of recurring ranges: those with the same text up to one number, and, for texts that
// occur at several places in the op tree, those at the same place.
//
// A family has, for each process, the ranges of the thread with most of them, without nested ones:
// the turns of a loop, if it is one.
#ifndef MODEL_STEPS_STEP_FAMILIES_H
#define MODEL_STEPS_STEP_FAMILIES_H

#include "model/profile/launch_index.h"
#include "model/steps/step_numbers.h"
#include "model/steps/step_words.h"

struct step_family {
    const char *text; // "forward", "Warm-up Step *", "step N"; for a place "evaluate > forward"
    bool is_place;    // by place in the tree, not only by text
    bool is_steps;    // numbered step markers
    bool is_numbered; // plain ranges whose texts contain the number of a step
    bool is_layer;    // modules of a model
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
};

// Finds the families by text only.
void step_families_by_text(struct step_families *families, const struct profile *profile,
                           struct arena *arena);

// Finds all families, including those with a single range.
void step_families_find(struct step_families *families, const struct profile *profile,
                        struct arena *arena);

#endif
