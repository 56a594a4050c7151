// SPDX-License-Identifier: Apache-2.0
#include "base/text/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>

void text_buffer_add(struct text_buffer *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length =
        vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->length += (size_t)length;
    if (text->length >= sizeof text->bytes)
        text->length = sizeof text->bytes - 1;
}
