// SPDX-License-Identifier: Apache-2.0
// Checks how durations, times, sizes, counts and shares are formatted, and that durations are
// parsed back.
#include "property.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/format.h"

static char out[FORMAT_SIZE];

static void test_durations(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        const char *wanted;
    } rows[] = {
        {0, "0 ns"},
        {1, "1 ns"},
        {873, "873 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {1234, "1.23 us"},
        {1235, "1.24 us"},
        {9994, "9.99 us"},
        {9995, "10.0 us"},
        {12345, "12.3 us"},
        {99950, "100 us"},
        {123456, "123 us"},
        {999499, "999 us"},
        {999500, "1.00 ms"},
        {45100000, "45.1 ms"},
        {999499999, "999 ms"},
        {999500000, "1.00 s"},
        {59940000000, "59.9 s"},
        {59950000000, "1.00 min"},
        {189000000000, "3.15 min"},
        {3597000000000, "1.00 hr"},
        {9000000000000, "2.50 hr"},
        {86220000000000, "1.00 days"},
        {345600000000000, "4.00 days"},
        {INT64_MAX, "106752 days"},
        {INT64_MIN, "-106752 days"},
        {-1, "-1 ns"},
        {-1234, "-1.23 us"},
        {-999500, "-1.00 ms"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(format_duration(out, rows[i].ns, true), rows[i].wanted);
    assert_string_equal(format_duration(out, 1234, false), "1.23 \xC2\xB5s");
    assert_string_equal(format_duration(out, 12, false), "12 ns");
    assert_string_equal(format_duration(out, 2345678, false), "2.35 ms");
}

static void test_counted(void **state)
{
    (void)state;
    assert_string_equal(format_counted(out, 1, "kernel"), "1 kernel");
    assert_string_equal(format_counted(out, 0, "kernel"), "0 kernels");
    assert_string_equal(format_counted(out, 1234, "launch"), "1,234 launches");
    assert_string_equal(format_counted(out, 2, "process"), "2 processes");
    assert_string_equal(format_counted(out, UINT64_MAX, "row"), "9,223,372,036,854,775,807 rows");
}

static void test_points_in_time(void **state)
{
    (void)state;
    assert_string_equal(format_time(out, 19134567890), "19.134568 s");
    assert_string_equal(format_time(out, 0), "0.000000 s");
    assert_string_equal(format_time(out, -499), "0.000000 s");
    assert_string_equal(format_time(out, -1500), "-0.000002 s");
    assert_string_equal(format_time(out, 999999500), "1.000000 s");
    assert_string_equal(format_time(out, INT64_MAX), "9223372036.854776 s");
    assert_string_equal(format_time(out, INT64_MIN), "-9223372036.854776 s");
}

// A formatted duration reads back to within half a unit of the last digit, is never "1000 ms", and
// grows with the duration.
static void test_any_duration(void **state)
{
    (void)state;
    struct random random = {14};
    for (int i = 0; i < random_rounds(200000); i++) {
        int64_t ns = (int64_t)(random_next(&random) >> (1 + random_below(&random, 63)));
        int64_t back, next;
        format_duration(out, ns, i % 2);
        assert_true(format_parse_duration(out, &back) || ns > INT64_MAX / 2);
        if (ns > INT64_MAX / 2)
            continue;
        assert_true(fabs((double)back - (double)ns) <= 0.00501 * (double)ns);
        if (strstr(out, "days") == NULL)
            assert_true(strtod(out, NULL) < 1000);
        assert_true(format_parse_duration(format_duration(out, ns + ns / 1000 + 1, true), &next));
        assert_true(next >= back);
    }
}

static void test_bytes(void **state)
{
    (void)state;
    assert_string_equal(format_bytes(out, 0), "0 B");
    assert_string_equal(format_bytes(out, 999), "999 B");
    assert_string_equal(format_bytes(out, 1000), "1.00 kB");
    assert_string_equal(format_bytes(out, 1234567890), "1.23 GB");
    assert_string_equal(format_bytes(out, 999999999), "1.00 GB");
    assert_string_equal(format_bytes(out, INT64_MAX), "9.22 EB");
    assert_string_equal(format_bytes(out, INT64_MIN), "-9.22 EB");
}

static void test_counts(void **state)
{
    (void)state;
    assert_string_equal(format_count(out, 0), "0");
    assert_string_equal(format_count(out, 999), "999");
    assert_string_equal(format_count(out, 1000), "1,000");
    assert_string_equal(format_count(out, 1234567), "1,234,567");
    assert_string_equal(format_count(out, -123456), "-123,456");
    assert_string_equal(format_count(out, INT64_MIN), "-9,223,372,036,854,775,808");
    struct random random = {15};
    for (int i = 0; i < random_rounds(20000); i++) {
        int64_t count = (int64_t)random_next(&random) >> random_below(&random, 64);
        char digits[FORMAT_SIZE], *to = digits;
        format_count(out, count);
        for (const char *c = out; *c; c++) {
            if (*c != ',')
                *to++ = *c;
        }
        *to = '\0';
        assert_true(strtoimax(digits, NULL, 10) == count);
    }
}

static void test_percents_and_reals(void **state)
{
    (void)state;
    assert_string_equal(format_percent(out, 0.123), "12.3");
    assert_string_equal(format_percent(out, 1), "100.0");
    assert_string_equal(format_percent(out, 0), "0.0");
    assert_string_equal(format_percent(out, -0.00001), "0.0");
    assert_string_equal(format_percent(out, -0.5), "-50.0");
    assert_string_equal(format_percent(out, NAN), "-");
    assert_true(strlen(format_percent(out, 1e300)) < FORMAT_SIZE);
    assert_string_equal(format_change(out, 0.089, "%"), "+8.9%");
    assert_string_equal(format_change(out, -0.044, " %"), "-4.4 %");
    assert_string_equal(format_change(out, 0.0004, ""), "0.0");
    assert_string_equal(format_change(out, 0.0006, ""), "+0.1");
    assert_string_equal(format_change(out, -0.0004, ""), "0.0");
    assert_string_equal(format_change(out, 8.99, "%"), "+899.0%");
    assert_string_equal(format_change(out, 9, "%"), "x10.0");
    assert_string_equal(format_change(out, 287.179, "%"), "x288");
    assert_string_equal(format_change(out, NAN, "%"), "-");
    assert_true(strlen(format_change(out, INFINITY, "%")) < FORMAT_SIZE);
    for (int e = 0; e < 308; e++)
        assert_true(strlen(format_change(out, pow(10, e), "%")) < FORMAT_SIZE);
    assert_string_equal(format_real(out, 0), "0");
    assert_string_equal(format_real(out, 1.2345), "1.23");
    assert_string_equal(format_real(out, 9.996), "10.0");
    assert_string_equal(format_real(out, 12.345), "12.3");
    assert_string_equal(format_real(out, 99.96), "100");
    assert_string_equal(format_real(out, 123.45), "123");
    assert_string_equal(format_real(out, 999.6), "1,000");
    assert_string_equal(format_real(out, 1234567.8), "1,234,568");
    assert_string_equal(format_real(out, 0.12345), "0.123");
    assert_string_equal(format_real(out, 0.00123), "0.00123");
    assert_string_equal(format_real(out, 0.9999), "1.00");
    assert_string_equal(format_real(out, 1.5e-7), "1.5e-07");
    assert_string_equal(format_real(out, -2.5), "-2.50");
    assert_string_equal(format_real(out, NAN), "-");
    assert_string_equal(format_real(out, INFINITY), "inf");
    assert_string_equal(format_exact(out, 1234567.25), "1234567.25");
    assert_string_equal(format_exact(out, 0.1), "0.1");
    assert_string_equal(format_exact(out, 3), "3");
    struct random random = {16};
    for (int i = 0; i < random_rounds(20000); i++) {
        uint64_t bits = random_next(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        assert_true(strlen(format_real(out, value)) < FORMAT_SIZE);
        assert_true(strlen(format_percent(out, value)) < FORMAT_SIZE);
        assert_true(isnan(value) || strtod(format_exact(out, value), NULL) == value);
        value = (double)(bits >> 11) / 9007199254740992.0 * 900;
        if (value < 0.001)
            continue;
        assert_true(fabs(strtod(format_real(out, value), NULL) - value) <= 0.00501 * value);
    }
}

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns; // -7: no duration
    } rows[] = {
        {"12", 12},
        {"1ms", 1000000},
        {"2.5us", 2500},
        {"2.5 \xC2\xB5s", 2500},
        {" 3 s ", 3000000000},
        {"1e3ns", 1000},
        {"1min", 60000000000},
        {"2h", 7200000000000},
        {".5us", 500},
        {"5.us", 5000},
        {"-1us", -1000},
        {"1 MS", 1000000},
        {"1d", 86400000000000},
        {"0", 0},
        {"", -7},
        {"ms", -7},
        {"1x", -7},
        {"0x10", -7},
        {"nan", -7},
        {"inf", -7},
        {"1 2", -7},
        {"--1", -7},
        {"1e300 s", -7},
        {"1ms2", -7},
        {"1GB", -7},
        {"1e", -7},
        {".", -7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t ns = -7;
        assert_int_equal(format_parse_duration(rows[i].text, &ns), rows[i].ns != -7);
        assert_true(ns == rows[i].ns);
    }
    int64_t bytes;
    assert_true(format_parse_bytes("3GB", &bytes) && bytes == 3000000000);
    assert_true(format_parse_bytes("1.5 kib", &bytes) && bytes == 1536);
    assert_true(format_parse_bytes("2M", &bytes) && bytes == 2000000);
    assert_true(format_parse_bytes("7 B", &bytes) && bytes == 7);
    assert_false(format_parse_bytes("7ms", &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_points_in_time),
        cmocka_unit_test(test_any_duration),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_percents_and_reals),
        cmocka_unit_test(test_parse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
