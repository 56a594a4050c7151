// SPDX-License-Identifier: Apache-2.0
/*
 * The default themes/ and rules/ as of the build, so that the binary alone is a complete
 * installation. Code that reads a theme or a rule looks for a file of that name first and uses this
 * table if there is none.
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
