// SPDX-License-Identifier: Apache-2.0
// Expressions over the arguments of a call: checks their values, when they are unknown, and which
// errors are reported at which position.
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parse/formula_expression.h"

static struct arena *arena;

// x: a tensor 4 x 3 x 5 of 2-byte numbers; w: one of 5 x 7 of unknown type; k: (2, 3); p: 2; r:
// 'none'; missing: not in the call. Numbers: m is 6, and u is unknown.
static const double x_dims[] = {4, 3, 5}, w_dims[] = {5, 7}, k_numbers[] = {2, 3}, p_number[] = {2};
static const struct formula_value values[] = {
    {.is_there = true, .is_tensor = true, .count = 3, .numbers = x_dims, .item_bytes = 2},
    {.is_there = true, .is_tensor = true, .count = 2, .numbers = w_dims, .item_bytes = NAN},
    {.is_there = true, .count = 2, .numbers = k_numbers, .item_bytes = 4, .text = "(2, 3)"},
    {.is_there = true, .is_scalar = true, .count = 1, .numbers = p_number, .item_bytes = 4},
    {.is_there = true, .item_bytes = 4, .text = "none"},
    {.is_there = false, .item_bytes = NAN},
};
static const char *const value_names[] = {"x", "w", "k", "p", "r", "missing"};
static const double numbers[] = {6, NAN};
static const char *const number_names[] = {"m", "u"};
static const struct formula_names names = {number_names, 2, value_names, 6};
static const struct formula_scope scope = {numbers, values, values, 6, NAN};

static double value_in(const char *text, const struct formula_scope *in)
{
    struct error error = {0};
    const struct formula_expression *expression = formula_parse(arena, text, &names, &error);
    if (!expression) {
        fail_msg("%s: %s", text, error.message);
        return 0;
    }
    return formula_evaluate(expression, in);
}

static double value_of(const char *text)
{
    return value_in(text, &scope);
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double expected;
    } cases[] = {
        {"1 + 2*3", 7},
        {"(1 + 2)*3", 9},
        {"10 - 4 - 3", 3}, // left-associative
        {"24/4/2", 3},
        {"-2*-3", 6},
        {"2 - -2", 4},
        {"7 % 4", 3},
        {"1.5e2 + 0.5e0 * 0", 150},
        {"m*m", 36},
        {"1 < 2", 1},
        {"2 <= 1", 0},
        {"1 == 1 and 2 != 3", 1},
        {"not 1 == 2", 1}, // of the comparison
        {"not 0 and 0", 0},
        {"0 or 3 > 2", 1},
        {"if(m > 5, 10, 20)", 10},
        {"if(m > 6, 10, 20)", 20},
        {"min(3, 1, 2)", 1},
        {"max(3, 1, 2)", 3},
        {"floor(7/2) + ceil(7/2)", 7},
        {"gcd(12, 18)", 6},
        {"gcd(0, 5) + gcd(-4, 6)", 7},
        {"x[0] + x[-1]", 9},
        {"x[m - 5]", 3},
        {"k[1]", 3},
        {"p[0] + p[1]", 4}, // a number counts as each element of a tuple
        {"p", 2},
        {"elements(x)", 60},
        {"bytes(x)", 120},
        {"size(x)", 2},
        {"elements(p)", 1}, // written like a tensor without dims
        {"bytes(p)", 4},
        {"rank(x) + rank(k)", 5},
        {"count(all)", 2},
        {"elements(all)", 95},
        {"has(x) + has(missing)", 1},
        {"tensor(x) + tensor(k)", 1},
        {"is(r, 'none')", 1},
        {"is(r, \"mean\")", 0},
        {"prod(x, 0, -1)", 12},
        {"prod(x, 1, rank(x))", 15},
        {"prod(x, 2, 1)", 1}, // empty product
        {"sum(x, 0, 2)", 7},
        {"made(k)", 6},
        {"of_rank(3)", 60},
        {"first(u, missing[0], 8)", 8},
        {"known(u) + known(m)", 1},
        {"((((1))))", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (value_of(cases[i].text) != cases[i].expected)
            fail_msg("%s is %g and not %g", cases[i].text, value_of(cases[i].text),
                     cases[i].expected);
}

// A value that depends on an unknown value is unknown; operands that do not matter are not
// evaluated.
static void test_unknown(void **state)
{
    (void)state;
    static const char *const unknown[] = {"u",
                                          "u + 1",
                                          "1 < u",
                                          "not u",
                                          "if(u, 1, 2)",
                                          "min(1, u)",
                                          "max(u, 1)",
                                          "gcd(1.5, 3)",
                                          "gcd(4, u)",
                                          "1/0",
                                          "1 % 0",
                                          "1e300 * 1e300",
                                          "missing[0]",
                                          "missing",
                                          "x",
                                          "x[3]",
                                          "x[-4]",
                                          "x[0.5]",
                                          "elements(k)",
                                          "bytes(w)",
                                          "bytes(all)",
                                          "is(missing, 'x')",
                                          "prod(x, 0, 4)",
                                          "prod(missing, 0, 0)",
                                          "elements(missing)",
                                          "rank(missing)",
                                          "u and 1",
                                          "u or 0",
                                          "broadcast(0, k)",
                                          "repeats(u)*u",
                                          "made(x)",
                                          "of_rank(4)",
                                          "einsum(r)",
                                          "einsum(x)"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (!isnan(value_of(unknown[i])))
            fail_msg("%s is %g", unknown[i], value_of(unknown[i]));
    assert_true(value_of("u and 0") == 0);
    assert_true(value_of("1 or u") == 1);
    assert_true(value_of("if(1, 2, u)") == 2);
}

static struct formula_value tensor(const double *dims, uint32_t count)
{
    return (struct formula_value){
        .is_there = true, .is_tensor = true, .count = count, .numbers = dims, .item_bytes = 4};
}

static void test_shapes_together(void **state)
{
    (void)state;
    static const double a[] = {32, 1, 16}, b[] = {8, 16}, c[] = {5};
    const struct formula_value pair[] = {tensor(a, 3), tensor(b, 2), {0}};
    struct formula_scope in = {numbers, pair, pair, 2, NAN};
    // 32 x 8 x 16; without the last: 32 x 8; without two: 32.
    assert_true(value_in("broadcast(0, x, w)", &in) == 4096);
    assert_true(value_in("broadcast(0, all)", &in) == 4096);
    assert_true(value_in("broadcast(1, x, w)", &in) == 256);
    assert_true(value_in("broadcast(2, x, w)", &in) == 32);
    const struct formula_value odd[] = {tensor(a, 3), tensor(c, 1)};
    in = (struct formula_scope){numbers, odd, odd, 2, NAN};
    assert_true(isnan(value_in("broadcast(0, all)", &in))); // 16 and 5
    const struct formula_value lists[] = {
        tensor(a, 3), tensor(c, 1), {0}, tensor(a, 3), tensor(c, 1)};
    in = (struct formula_scope){numbers, lists, lists, 5, NAN};
    assert_true(value_in("repeats(2)", &in) == 1);
    assert_true(value_in("repeats(4)", &in) == 0);
    assert_true(value_in("repeats(3)", &in) == 0);
    assert_true(value_in("repeats(1)", &in) == 1);
}

static void test_einsum(void **state)
{
    (void)state;
    static const double q[] = {2, 8, 16, 64}, k[] = {2, 8, 32, 64}, v[] = {3, 4}, none[] = {4, 0};
    static const struct {
        const char *equation;
        double all, out;
    } cases[] = {
        {"bhid,bhjd->bhij", 2. * 8 * 16 * 32 * 64, 2. * 8 * 16 * 32},
        {"b h i d , b h j d -> b h i j", 2. * 8 * 16 * 32 * 64, 2. * 8 * 16 * 32},
        {"bhid,bhjd", 2. * 8 * 16 * 32 * 64, 16 * 32}, // letters that occur once
        {"bhid,bhjd->", 2. * 8 * 16 * 32 * 64, 1},
        {"bhid,bhjd->bh", 2. * 8 * 16 * 32 * 64, 16},
        {"bh...d,bhjd->bh...j", 2. * 8 * 16 * 32 * 64, 2. * 8 * 16 * 32},
        {"...id,...jd->...ij", 2. * 8 * 16 * 32 * 64, 2. * 8 * 16 * 32},
        {"...id,...jd", 2. * 8 * 16 * 32 * 64, 2. * 8 * 16 * 32}, // the ellipsis comes first
        {"...id,...jd->ij", 2. * 8 * 16 * 32 * 64, 16 * 32},      // the ellipsis is summed
        {"b h ... i d , b h ... j d -> b h i j", 2. * 8 * 16 * 32 * 64,
         2. * 8 * 16 * 32},              // the ellipsis covers no dims
        {"...d,...->d", NAN, NAN},       // 16 and 64, aligned at the last dim
        {"bhijkl...,bhjd->i", NAN, NAN}, // more letters than dims
        {"......d,bhjd->bhj", NAN, NAN},
        {"..d,bhjd->bhj", NAN, NAN},
        {"bhid-bhjd", NAN, NAN},
        {"bhi,bhjd->bhij", NAN, NAN},  // another rank
        {"bhid,bhdj->bhij", NAN, NAN}, // 64 and 32
        {"bhid", 16384, 16384},
        {"", NAN, NAN},
        {"\303\252hid,bhjd->bhij", NAN, NAN}, // letters in some locales only
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct formula_value all[] = {
            {.is_there = true, .text = cases[i].equation}, tensor(q, 4), tensor(k, 4)};
        struct formula_scope in = {numbers, all, all, 3, NAN};
        double got = value_in("einsum(x)", &in), out = value_in("einsum_out(x)", &in);
        if (isnan(cases[i].all) ? !isnan(got) || !isnan(out)
                                : got != cases[i].all || out != cases[i].out)
            fail_msg("%s: %g, %g", cases[i].equation, got, out);
    }
    struct formula_value one[] = {
        {.is_there = true, .text = "ij,jk->ik"}, tensor(v, 2), tensor(none, 2)};
    struct formula_scope in = {numbers, one, one, 2, NAN};
    assert_true(isnan(value_in("einsum(x)", &in)));
    in.all_count = 3; // an empty tensor costs 0; a result index that occurs in no tensor is unknown
    assert_true(value_in("einsum(x)", &in) == 0);
    assert_true(value_in("einsum_out(x)", &in) == 0);
    one[0].text = "ij,jk->l";
    assert_true(isnan(value_in("einsum_out(x)", &in)));
}

static void refused(const char *text, const char *why)
{
    struct error error = {0};
    assert_null(formula_parse(arena, text, &names, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    if (strcmp(error.message, why) != 0)
        fail_msg("%s: \"%s\" and not \"%s\"", text, error.message, why);
}

static void test_refused(void **state)
{
    (void)state;
    refused("", "character 1: a number, a name or a bracket is expected");
    refused("1 +", "character 4: a number, a name or a bracket is expected");
    refused("1 2", "character 3: an operator is expected");
    refused("(1", "character 3: a closing bracket is missing");
    refused("1)", "character 2: nothing is open here");
    refused("x[1", "character 4: a closing bracket is missing");
    refused("x[1)", "character 4: another bracket is open");
    refused("(1, 2)", "character 3: another bracket is open");
    refused("y + 1", "character 1: nothing has this name");
    refused("1 + sin(2)", "character 5: no function has this name");
    refused("if(1, 2)", "character 8: the function takes another number of arguments");
    refused("floor(1, 2)", "character 11: the function takes another number of arguments");
    refused("elements(1)", "character 11: an argument's name is expected");
    refused("elements(m)", "character 11: an argument's name is expected");
    refused("is(r, none)", "character 7: nothing has this name");
    refused("is(r, 1)", "character 8: a text in quotes is expected");
    refused("'none'", "character 7: a number is expected");
    refused("is(r, 'none)", "character 7: the closing quote is missing");
    refused("1e999", "character 6: the number is too large");
    refused("m[0]", "character 2: an operator is expected");
    refused("1 = 1", "character 3: an operator is expected");
    refused("min()", "character 5: a number, a name or a bracket is expected");
}

// The deepest and longest expressions are accepted, larger ones refused.
static void test_bounds(void **state)
{
    (void)state;
    char text[8000] = "";
    for (int i = 0; i < FORMULA_DEPTH; i++)
        strcat(text, "(");
    strcat(text, "1");
    for (int i = 0; i < FORMULA_DEPTH; i++)
        strcat(text, ")");
    assert_true(value_of(text) == 1);
    memmove(text + 1, text, strlen(text) + 1);
    text[0] = '(';
    strcat(text, ")");
    refused(text, "character 34: the expression is too deep");
    strcpy(text, "1");
    for (int i = 0; i < FORMULA_STEPS / 2 - 1; i++)
        strcat(text, "+1");
    assert_true(value_of(text) == FORMULA_STEPS / 2);
    strcat(text, "+1+1");
    struct error error = {0};
    assert_null(formula_parse(arena, text, &names, &error));
    assert_non_null(strstr(error.message, "too long"));
    strcpy(text, "max(1");
    for (int i = 0; i < FORMULA_DEPTH; i++)
        strcat(text, ",1");
    strcat(text, ")");
    assert_null(formula_parse(arena, text, &names, &error));
    assert_non_null(strstr(error.message, "too deep"));
}

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(0);
    return !arena;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),          cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_shapes_together), cmocka_unit_test(test_einsum),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
