// SPDX-License-Identifier: Apache-2.0
//
// Error handling of the generator: print a message and exit, or allocate memory or exit.
#ifndef DLPROF_GEN_FAIL_H
#define DLPROF_GEN_FAIL_H

#include <stddef.h>

_Noreturn void fail(const char *format, ...);
void *memory_grow(void *memory, size_t size); // realloc() that never returns NULL

#endif
