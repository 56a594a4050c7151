// SPDX-License-Identifier: Apache-2.0
// Artificial reports for the tests of tables, a flat one and a tree, and tables of them.
#ifndef TESTS_UI_FAKE_H
#define TESTS_UI_FAKE_H

#include "ui/table/table.h"

struct fake_row {
    const char *name;
    int64_t gpu; // UNKNOWN if not set
    int64_t calls;
    enum tristate tc;
    unsigned depth;
    bool has_children;
    uint64_t id;
};

extern const struct report fake_flat, fake_tree;

// Opens a table of an array of rows, which must outlive the table.
#define OPEN(table, report, rows) fake_open(table, report, rows, sizeof(rows) / sizeof *(rows))
void fake_open(struct table *table, const struct report *report, const struct fake_row *rows,
               size_t count);
// Compares the names shown, each up to a control character: "gemm_a gemm_b".
void assert_fake_names(struct table *table, const char *expected);

#endif
