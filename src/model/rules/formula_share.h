// SPDX-License-Identifier: Apache-2.0
// What formula.c knows of a profile, and which kernel of a run has which part of a row: it alone asks.
#ifndef MODEL_FORMULA_SHARE_H
#define MODEL_FORMULA_SHARE_H

#include "model/rules/formula_params.h"

struct known; // a question that has been answered

struct formula_desk {
    const struct profile *profile;
    struct arena *arena;
    const struct formula_rules *rules;
    uint32_t *roles; // of each function: a bit for each role, and FORMULA_HAS_ROLES
    const struct data_type **types;
    size_t known_count, slot_count;
    struct known *slots; // by hash, answer NULL: empty
};

#define FORMULA_HAS_ROLES (1U << FORMULA_ROLES)

// What a kernel's name tells: a bit for each role of the rules; whether it only helps.
uint32_t formula_roles(struct formula_desk *desk, uint32_t function);
bool formula_is_helper(struct formula_desk *desk, uint32_t function);

enum { FORMULA_NO_PART = -1 };

struct formula_sharing {
    struct formula_desk *desk;
    const struct formula_question *question;
    const struct formula_part *parts;
    size_t part_count;
    int *part_of;                  // of each kernel
    uint32_t taken[FORMULA_PARTS]; // kernels of each part
    uint32_t unsure; // a bit for each part that one kernel without a name of its own may be
    // Kernels of a convolution whose names tell no part are of the gradient of the input before the first
    // of these, of that of the weights from the second on, up to the third.
    uint32_t input_to, weights_from, weights_to;
    bool is_autotuned;
};

// Deals the kernels out to the parts; part_of is FORMULA_NO_PART before, and of those that only help.
void formula_share_out(struct formula_sharing *sharing, const struct formula_case *c);

#endif
