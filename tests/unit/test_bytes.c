// SPDX-License-Identifier: Apache-2.0
// Checks that bytes are written as given, and that integers and reals are written as printf()
// prints them.
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/bytes.h"
#include "base/text/format.h"

static struct bytes out;

static const char *taken(void)
{
    static char text[400];
    snprintf(text, sizeof text, "%.*s", (int)out.count, out.items);
    out.count = 0;
    return text;
}

static void test_put(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++)
        bytes_char(&out, (char)('a' + i % 26));
    bytes_add(&out, "", 0);
    assert_int_equal(out.count, 100000);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(out.items[i], 'a' + i % 26);
    out.count = 0;
    bytes_text(&out, "one ");
    bytes_format(&out, "%s %d", "two", 3);
    bytes_format(&out, "%s", "");
    assert_string_equal(taken(), "one two 3");
}

static void test_integers(void **state)
{
    (void)state;
    static const int64_t values[] = {0,   1,   -1,        9,         10,         -10,
                                     99,  100, 123456789, INT64_MAX, INT64_MIN,  INT64_MIN + 1,
                                     -99, 101, INT32_MAX, INT32_MIN, UINT32_MAX, 1000000000000};
    char wanted[40];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(wanted, sizeof wanted, "%lld", (long long)values[i]);
        bytes_integer(&out, values[i]);
        assert_string_equal(taken(), wanted);
    }
}

static void assert_as_printed(double value)
{
    char wanted[400], exact[FORMAT_SIZE];
    for (int decimals = 1; decimals <= 4; decimals++) {
        snprintf(wanted, sizeof wanted, "%.*f", decimals, value);
        bytes_decimals(&out, value, decimals);
        assert_string_equal(taken(), wanted);
    }
    bytes_exact(&out, value);
    assert_string_equal(taken(), format_exact(exact, value));
}

static void test_reals(void **state)
{
    (void)state;
    static const double values[] = {
        0,        -0.0,   0.05,         0.5,        0.95,     0.96,     1,          1.05,
        1.25,     1.35,   1.5,          2.5,        9.95,     9.96,     99.949999,  99.95,
        0.0625,   1.0625, 1.1875,       1e14,       1e15,     1e16,     1e300,      5e-324,
        -1.25,    -0.25,  4503599627.5, 999999.999, 999.9995, 999.9994, 1e15 - 0.5, 0.1 + 0.2,
        INFINITY, NAN,    123456.75,    1.0005,     2.0015,   1 - 1e-9, 1e14 + 0.5, 1e15 - 1,
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        assert_as_printed(values[i]);
        assert_as_printed(-values[i]);
    }
}

// Quotients of small sums, as averages are, where ties are common; and random doubles.
static void test_reals_as_printed(void **state)
{
    (void)state;
    struct random random = {1};
    int rounds = random_rounds(20000);
    for (int i = 0; i < rounds; i++) {
        double sum = (double)random_below(&random, (size_t)1 << random_below(&random, 50));
        assert_as_printed(sum / (double)(1 + random_below(&random, 64)));
        uint64_t bits = random_next(&random);
        double any;
        memcpy(&any, &bits, sizeof any);
        assert_as_printed(any);
    }
}

static int setup(void **state)
{
    (void)state;
    out.arena = arena_new(0);
    return out.arena ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(out.arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_reals_as_printed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
