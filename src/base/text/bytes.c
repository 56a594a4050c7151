// SPDX-License-Identifier: Apache-2.0
#include "base/text/bytes.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/text/format.h"

enum { DIGITS = 20 }; // of a 64-bit number

// Out of line, so that the common case, in which there is room, is one comparison.
__attribute__((noinline)) static void bytes_grow(struct bytes *bytes, size_t size)
{
    size_t needed = bytes->count + size, twice = 2 * bytes->capacity;
    size_t capacity = needed > twice ? needed : twice;
    char *items = ARENA_ARRAY(bytes->arena, char, capacity);
    if (bytes->count)
        memcpy(items, bytes->items, bytes->count);
    bytes->items = items;
    bytes->capacity = capacity;
}

char *bytes_reserve(struct bytes *bytes, size_t size)
{
    if (size > bytes->capacity - bytes->count)
        bytes_grow(bytes, size);
    return bytes->items + bytes->count;
}

void bytes_format(struct bytes *bytes, const char *format, ...)
{
    va_list arguments, arguments_copy;
    va_start(arguments, format);
    va_copy(arguments_copy, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0) {
        vsnprintf(bytes_reserve(bytes, (size_t)length + 1), (size_t)length + 1, format,
                  arguments_copy);
        bytes->count += (size_t)length;
    }
    va_end(arguments_copy);
}

void bytes_integer(struct bytes *bytes, int64_t value)
{
    char digits[DIGITS];
    size_t at = DIGITS;
    uint64_t remaining = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + remaining % 10);
    while (remaining /= 10);
    if (value < 0)
        bytes_char(bytes, '-');
    bytes_add(bytes, digits + at, DIGITS - at);
}

// Formats values from 1 up without printf(): they have at most 52 bits after the binary point, so
// that the integer arithmetic below is exact. Zero is handled too; -0 is left to printf() for its
// sign.
void bytes_decimals(struct bytes *bytes, double value, int decimals)
{
    double size = fabs(value);
    bool is_simple = decimals >= 1 && decimals <= 3 && size < 1e15 &&
                     (size >= 1 || (value == 0 && !signbit(value)));
    if (!is_simple) {
        bytes_format(bytes, "%.*f", decimals, value);
        return;
    }
    static const uint64_t scales[] = {1, 10, 100, 1000};
    const uint64_t scale = scales[decimals], one = (uint64_t)1 << 52;
    uint64_t whole = (uint64_t)size;
    uint64_t scaled = (uint64_t)((size - (double)whole) * (double)one) * scale;
    uint64_t part = scaled / one, remainder = scaled % one;
    part += remainder > one / 2 || (remainder == one / 2 && part % 2 == 1);
    if (value < 0)
        bytes_char(bytes, '-');
    bytes_integer(bytes, (int64_t)(whole + part / scale));
    bytes_char(bytes, '.');
    for (uint64_t digit_value = scale / 10; digit_value > 0; digit_value /= 10)
        bytes_char(bytes, (char)('0' + part / digit_value % 10));
}

void bytes_exact(struct bytes *bytes, double value)
{
    char text[FORMAT_SIZE];
    bool is_whole = value > -1e15 && value < 1e15 && value == trunc(value);
    if (is_whole && !(value == 0 && signbit(value)))
        bytes_integer(bytes, (int64_t)value);
    else
        bytes_text(bytes, format_exact(text, value));
}

bool bytes_write(struct bytes *bytes, FILE *file)
{
    size_t count = bytes->count;
    bytes->count = 0;
    return count == 0 || fwrite(bytes->items, 1, count, file) == count;
}

bool bytes_write_fd(int number, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = write(number, bytes, size);
        if (sent < 0 && errno != EINTR)
            return false;
        bytes += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}
