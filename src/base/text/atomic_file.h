// SPDX-License-Identifier: Apache-2.0
// Writes files whole or not at all: into a temporary file of the same folder, which is then
// renamed.
#ifndef BASE_TEXT_ATOMIC_FILE_H
#define BASE_TEXT_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

// What happens to an existing file, and who may read the new one: whom umask lets, or the owner
// alone.
enum atomic_file_mode { ATOMIC_FILE_NEW, ATOMIC_FILE_REPLACE, ATOMIC_FILE_PRIVATE };

// Calls `fill` with an open, empty temporary file and renames it to `path` when `fill` succeeds.
// ATOMIC_FILE_NEW refuses an existing file; the others replace it. The folder must exist. When
// `fill` fails without setting an error, errno says why.
bool atomic_file_fill(const char *path, enum atomic_file_mode mode,
                      bool (*fill)(void *context, const char *temporary, int descriptor,
                                   struct error *error),
                      void *context, struct arena *arena, struct error *error);

// The same with a stream instead of a descriptor.
bool atomic_file_write(const char *path, enum atomic_file_mode mode,
                       bool (*write)(void *context, FILE *file), void *context, struct arena *arena,
                       struct error *error);

// Two `write` functions for atomic_file_write(). `text` is a `const char *const *`; `bytes` is a
// `struct bytes *`, which is emptied.
bool atomic_file_text(void *text, FILE *file);
bool atomic_file_bytes(void *bytes, FILE *file);

#endif
