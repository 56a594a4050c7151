// SPDX-License-Identifier: Apache-2.0
/*
 * The default themes/ and rules/ as they stood when the program was built, so that one binary is a
 * whole installation. Files of the same name found at run time come first; who reads themes or
 * rules looks there, then here.
 */
#ifndef BASE_EMBEDDED_H
#define BASE_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
    const char *name; /* as in the project: "themes/dark.yaml" */
    const char *text; /* the bytes of the file and a closing 0 */
    size_t length;    /* without the closing 0 */
};

/* Sorted by name; a row of NULLs closes the table. */
extern const struct embedded_file embedded_files[];
extern const size_t embedded_file_count;

#endif
