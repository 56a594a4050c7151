// SPDX-License-Identifier: Apache-2.0
// Reports made up for the tests of tables: a flat one and a tree.
#ifndef TESTS_UI_FAKE_H
#define TESTS_UI_FAKE_H

#include "analysis/report.h"

struct fake_row {
    const char *name;
    int64_t gpu; // UNKNOWN: not told
    int64_t calls;
    enum tristate tc;
    unsigned depth;
    bool has_children;
    uint64_t id;
};

extern const struct report fake_flat, fake_tree;

#endif
