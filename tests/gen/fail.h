// SPDX-License-Identifier: Apache-2.0
//
// The two ways out of a generator: say why and stop, or get the memory asked for.
#ifndef DLPROF_GEN_FAIL_H
#define DLPROF_GEN_FAIL_H

#include <stddef.h>

_Noreturn void fail(const char *format, ...);
void *memory_grow(void *memory, size_t size); // realloc that does not return NULL

#endif
