// SPDX-License-Identifier: Apache-2.0
// Identifies a file independently of its path and name. Data cached for a file is stored under its
// key.
#ifndef MODEL_PROFILE_FILE_KEY_H
#define MODEL_PROFILE_FILE_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { FILE_KEY_BYTES = 40 };

struct file_key {
    char text[FILE_KEY_BYTES]; // a hexadecimal hash, a dash and the size
    int64_t bytes;             // size of the file
};

// Computes the key from the size, the modification time, and samples from the beginning, the end
// and in between, so that a file of many GB is not read. A change in place that keeps the time is
// detected by the change counter in SQLite's first page.
bool file_key(const char *path, struct file_key *key, struct error *error);

#endif
