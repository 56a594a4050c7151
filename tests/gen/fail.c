// SPDX-License-Identifier: Apache-2.0
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("dlprof-gen: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void *memory_grow(void *memory, size_t size)
{
    void *grown = realloc(memory, size ? size : 1);
    if (!grown)
        fail("out of memory for %zu bytes", size);
    return grown;
}
