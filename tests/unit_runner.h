// SPDX-License-Identifier: Apache-2.0
// The table of the unit tests in a program, which tests/CMakeLists.txt generates.
#ifndef TESTS_UNIT_RUNNER_H
#define TESTS_UNIT_RUNNER_H

#include <stddef.h>

struct unit {
    const char *name; // "test_x"; NULL ends the table
    int (*run)(void); // main() of unit/test_x.c
};

extern const struct unit units[];

#endif
