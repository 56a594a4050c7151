// SPDX-License-Identifier: Apache-2.0
// Ranges that come again: families of the same text, up to one number in it, and of the same place
// in the tree where a text stands at several.
//
// Of each process a family has the ranges of the thread that has most of them, without those
// inside another one of the family: the turns of a loop, if it is one.
#ifndef MODEL_STEP_FAMILIES_H
#define MODEL_STEP_FAMILIES_H

#include "model/profile/launch_index.h"
#include "model/steps/step_numbers.h"
#include "model/steps/step_words.h"

struct step_family {
    const char *text; // "forward", "Warm-up Step *", "step N"; of a place "evaluate > forward"
    bool is_place;    // by the tree, not by the text
    bool is_steps;    // numbered step markers
    bool is_numbered; // plain ranges, whose texts say the number of a step among other things
    bool is_layer;    // modules of a model
    enum step_role role;
    uint32_t parts; // processes that have any: part rows [first_part, + parts)
    uint32_t first_part;
    uint32_t count;       // ranges of all processes
    uint32_t most, least; // of a process that has any
    int64_t first_ns;     // start of the earliest
};

struct step_part { // of a family, one process
    uint32_t family, process, thread;
    uint32_t first, count; // of rows, in order of start
};

struct step_families {
    struct arena *arena;
    const struct profile *profile;
    size_t count, capacity;
    struct step_family *items;
    size_t part_count, part_capacity;
    struct step_part *parts;
    size_t row_count;
    uint32_t *rows; // of ranges
};

// Those of texts alone.
void step_families_by_text(struct step_families *families, const struct profile *profile,
                           struct arena *arena);

// Every family, also of a single range.
void step_families_find(struct step_families *families, const struct profile *profile,
                        struct arena *arena);

#endif
