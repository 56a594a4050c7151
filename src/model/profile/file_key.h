// SPDX-License-Identifier: Apache-2.0
// Which file one is, wherever it lies and whatever it is called: what is kept of a file is found by it.
#ifndef MODEL_FILE_KEY_H
#define MODEL_FILE_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { FILE_KEY_BYTES = 40 };

struct file_key {
    char text[FILE_KEY_BYTES]; // hexadecimal digits and a dash
    int64_t bytes;             // of the file
};

// By its size, the time of its last change, its beginning, its end and pieces between: a file of many
// GB is not read for it, and one changed in place without its time is told by what SQLite counts up in
// its first page.
bool file_key(const char *path, struct file_key *key, struct error *error);

#endif
