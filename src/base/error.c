// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(struct error *error, enum error_kind kind, const char *format, ...)
{
    if (!error)
        return false;
    va_list arguments;
    va_start(arguments, format);
    error->kind = kind;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}
