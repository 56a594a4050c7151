// SPDX-License-Identifier: Apache-2.0
#include "base/text/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit_scale {
    const char *name;
    uint64_t size;  // of the unit, in the smallest unit
    uint64_t limit; // the next unit is used from this many units on; 0: this is the last
};

static const struct unit_scale duration_scales[] = {
    {"us", 1000, 1000},       {"ms", 1000000, 1000},     {"s", 1000000000, 60},
    {"min", 60000000000, 60}, {"hr", 3600000000000, 24}, {"days", 86400000000000, 0},
};

static const struct unit_scale byte_scales[] = {
    {"kB", 1000, 1000},          {"MB", 1000000, 1000},          {"GB", 1000000000, 1000},
    {"TB", 1000000000000, 1000}, {"PB", 1000000000000000, 1000}, {"EB", 1000000000000000000, 0},
};

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

// Returns value * factor / size, rounded half up.
static uint64_t rounded(uint64_t value, unsigned factor, uint64_t size)
{
    return (uint64_t)(((unsigned __int128)value * factor + size / 2) / size);
}

// Writes three significant digits. Integer arithmetic makes the rounding exact; a value that rounds
// up to a whole next unit is written in that unit.
static char *format_scaled(char out[FORMAT_SIZE], int64_t signed_value, const char *smallest,
                           const struct unit_scale *scale)
{
    uint64_t value = magnitude(signed_value);
    const char *sign = signed_value < 0 ? "-" : "";
    if (value < 1000) {
        snprintf(out, FORMAT_SIZE, "%s%u %s", sign, (unsigned)value, smallest);
        return out;
    }
    for (;; scale++) {
        uint64_t hundredths = rounded(value, 100, scale->size);
        uint64_t tenths = rounded(value, 10, scale->size);
        uint64_t whole = rounded(value, 1, scale->size);
        bool is_last = scale->limit == 0;
        if (hundredths < 1000) {
            snprintf(out, FORMAT_SIZE, "%s%u.%02u %s", sign, (unsigned)(hundredths / 100),
                     (unsigned)(hundredths % 100), scale->name);
            return out;
        }
        if (tenths < 1000 && (is_last || tenths < scale->limit * 10)) {
            snprintf(out, FORMAT_SIZE, "%s%u.%u %s", sign, (unsigned)(tenths / 10),
                     (unsigned)(tenths % 10), scale->name);
            return out;
        }
        if (tenths >= 1000 && (is_last || whole < scale->limit)) {
            snprintf(out, FORMAT_SIZE, "%s%llu %s", sign, (unsigned long long)whole, scale->name);
            return out;
        }
    }
}

char *format_duration(char out[FORMAT_SIZE], int64_t ns, bool ascii)
{
    format_scaled(out, ns, "ns", duration_scales);
    size_t length = strlen(out);
    if (!ascii && length > 2 && memcmp(out + length - 2, "us", 2) == 0)
        memcpy(out + length - 2, "\xC2\xB5s", 4);
    return out;
}

char *format_time(char out[FORMAT_SIZE], int64_t ns)
{
    uint64_t us = (magnitude(ns) + 500) / 1000;
    snprintf(out, FORMAT_SIZE, "%s%llu.%06llu s", ns < 0 && us ? "-" : "",
             (unsigned long long)(us / 1000000), (unsigned long long)(us % 1000000));
    return out;
}

char *format_bytes(char out[FORMAT_SIZE], int64_t bytes)
{
    return format_scaled(out, bytes, "B", byte_scales);
}

char *format_count(char out[FORMAT_SIZE], int64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)magnitude(count));
    char *at = out;
    if (count < 0)
        *at++ = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *at++ = ',';
        *at++ = digits[i];
    }
    *at = '\0';
    return out;
}

char *format_counted(char out[FORMAT_SIZE], uint64_t count, const char *noun)
{
    char digits[FORMAT_SIZE];
    format_count(digits, (int64_t)(count > INT64_MAX ? INT64_MAX : count));
    size_t length = strlen(noun);
    bool takes_es = length && strchr("sh", noun[length - 1]);
    snprintf(out, FORMAT_SIZE, "%.26s %.18s%s", digits, noun,
             count == 1 ? ""
             : takes_es ? "es"
                        : "s");
    return out;
}

char *format_percent(char out[FORMAT_SIZE], double share)
{
    double percent = share * 100;
    if (isnan(percent))
        return strcpy(out, "-");
    if (fabs(percent) < 0.05)
        percent = 0; // avoids "-0.0"
    snprintf(out, FORMAT_SIZE, fabs(percent) < 1e15 ? "%.1f" : "%.3g", percent);
    return out;
}

char *format_change(char out[FORMAT_SIZE], double share, const char *percent)
{
    enum { TIMES = 10 };
    char figure[FORMAT_SIZE];
    if (share + 1 >= TIMES)
        snprintf(out, FORMAT_SIZE, "x%.40s", format_real(figure, share + 1));
    else
        snprintf(out, FORMAT_SIZE, "%s%.40s%s", share >= 0.0005 ? "+" : "",
                 format_percent(figure, share), isnan(share) ? "" : percent);
    return out;
}

char *format_real(char out[FORMAT_SIZE], double value)
{
    double size = fabs(value);
    if (isnan(value))
        return strcpy(out, "-");
    if (size == 0)
        return strcpy(out, "0");
    if (size < 0.0009995 || size >= 1e15)
        snprintf(out, FORMAT_SIZE, "%.3g", value);
    else if (size >= 999.5)
        format_count(out, llround(value));
    else {
        // Number of decimals that leaves three digits: 0.00123, 0.0123, 0.123, 1.23, 12.3, 123.
        static const double bounds[] = {0.009995, 0.09995, 0.9995, 9.995, 99.95};
        int decimals = 5;
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds && size >= bounds[i]; i++)
            decimals--;
        snprintf(out, FORMAT_SIZE, "%.*f", decimals, value);
    }
    return out;
}

char *format_exact(char out[FORMAT_SIZE], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, FORMAT_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return out;
}

struct typed_unit {
    const char *name; // compared without case
    double size;
};

static const struct typed_unit duration_units[] = {
    {"", 1},        {"ns", 1},      {"us", 1e3},      {"\xC2\xB5s", 1e3}, {"\xCE\xBCs", 1e3},
    {"ms", 1e6},    {"s", 1e9},     {"sec", 1e9},     {"min", 60e9},      {"h", 3600e9},
    {"hr", 3600e9}, {"d", 86400e9}, {"day", 86400e9}, {"days", 86400e9},  {NULL, 0},
};

static const struct typed_unit byte_units[] = {
    {"", 1},       {"b", 1},         {"k", 1e3},          {"kb", 1e3},
    {"m", 1e6},    {"mb", 1e6},      {"g", 1e9},          {"gb", 1e9},
    {"t", 1e12},   {"tb", 1e12},     {"p", 1e15},         {"pb", 1e15},
    {"kib", 1024}, {"mib", 1048576}, {"gib", 1073741824}, {"tib", 1099511627776},
    {NULL, 0},
};

// Parses the decimal number at the beginning of `text`; strtod() alone would accept "nan" and
// "0x1". Returns the text after it, or NULL.
static const char *parse_decimal(const char *text, double *value)
{
    const char *at = text;
    if (*at == '-' || *at == '+')
        at++;
    size_t whole = strspn(at, "0123456789");
    at += whole;
    size_t fraction = 0;
    if (*at == '.') {
        fraction = strspn(at + 1, "0123456789");
        at += 1 + fraction;
    }
    if (whole + fraction == 0)
        return NULL;
    if (whole == 1 && (*at == 'x' || *at == 'X'))
        return NULL;
    char *end;
    *value = strtod(text, &end); // also consumes an exponent
    return end;
}

static bool parse_with_unit(const char *text, const struct typed_unit *units, int64_t *out)
{
    double value;
    while (*text == ' ')
        text++;
    const char *unit = parse_decimal(text, &value);
    if (!unit)
        return false;
    while (*unit == ' ')
        unit++;
    size_t length = strlen(unit);
    while (length && unit[length - 1] == ' ')
        length--;
    for (; units->name; units++) {
        if (strlen(units->name) != length || strncasecmp(units->name, unit, length) != 0)
            continue;
        value *= units->size;
        if (!(value > -9.2e18 && value < 9.2e18))
            return false;
        *out = llround(value);
        return true;
    }
    return false;
}

bool format_parse_duration(const char *text, int64_t *ns)
{
    return parse_with_unit(text, duration_units, ns);
}

bool format_parse_bytes(const char *text, int64_t *bytes)
{
    return parse_with_unit(text, byte_units, bytes);
}
