// SPDX-License-Identifier: Apache-2.0
// FLOPs and bytes of ops: expressions with odd arguments, marker texts with kernel names, and
// user-defined rows. A figure must be at least 0 or unknown; an error must have a position. The
// first byte chooses among these three inputs, and which other facts are given.
//
// Aims at: base/*formula* model/*/formula* model/*/data_types* model/*/rules_formulas*
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse/formula_expression.h"
#include "model/rules/formula.h"
#include "model/rules/rules.h"
#include "model/rules/rules_formulas.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KERNELS = 24 };

struct input {
    struct arena *arena;
    char *text;     // NUL-terminated
    unsigned known; // bits: facts known to the formula
};

// ---- expressions -------------------------------------------------------------------------------

static void check_expression(const struct input *input)
{
    static const double dims[] = {4, 0, -3, 1e18, 5}, pair[] = {2, 1e300};
    static const struct formula_value values[] = {
        {.is_there = true, .is_tensor = true, .count = 5, .numbers = dims, .item_bytes = 0.5},
        {.is_there = true, .is_tensor = true, .count = 1, .numbers = dims, .item_bytes = NAN},
        {.is_there = true, .count = 2, .numbers = pair, .item_bytes = 4, .text = "ab,b->a"},
        {.is_there = true, .is_scalar = true, .count = 1, .numbers = pair, .item_bytes = 1},
        {.is_there = false, .item_bytes = NAN},
    };
    static const char *const value_names[] = {"x", "w", "k", "p", "n"}, *const number_names[] = {
                                                                            "m", "u"};
    static const double numbers[] = {6, NAN};
    static const struct formula_names names = {number_names, 2, value_names, 5};
    static const struct formula_scope scope = {numbers, values, values, 5, 2};
    struct error error = {0};
    const struct formula_expression *expression =
        formula_parse(input->arena, input->text, &names, &error);
    if (!expression) {
        CHECK(error.kind == ERROR_USAGE && strncmp(error.message, "character ", 10) == 0);
        return;
    }
    double value = formula_evaluate(expression, &scope);
    CHECK(isnan(value) || isfinite(value));
}

// ---- queries -----------------------------------------------------------------------------------

static void check_figure(double figure)
{
    CHECK(figure == FORMULA_UNKNOWN || (isfinite(figure) && figure >= 0));
}

static void check_result(const struct formula_result *result, uint32_t kernels)
{
    check_figure(result->flops);
    check_figure(result->bytes);
    check_figure(result->causal_flops);
    CHECK(result->params && result->dtype);
    CHECK(kernels == 0 ? result->main_kernel == 0 : result->main_kernel < kernels);
    for (uint32_t k = 0; k < kernels; k++) {
        check_figure(result->shares[k].flops);
        check_figure(result->shares[k].bytes);
        CHECK(result->shares[k].params);
    }
}

// Evaluates an op run: the first of the lines is the text of its range, the others are kernel
// names. Bits of `known` choose which other facts are given.
static void check_query(struct arena *arena, const struct formula_rules *rules, char *lines,
                        unsigned known)
{
    struct function functions[KERNELS] = {{.kind = WORK_KERNEL}};
    uint32_t rows[KERNELS];
    double durations[KERNELS];
    struct profile profile = {
        .arena = arena, .strings = strings_new(arena), .functions = functions};
    char *kernels = strchr(lines, '\n');
    if (kernels)
        *kernels++ = '\0';
    while (kernels && *kernels && profile.function_count < KERNELS) {
        size_t length = strcspn(kernels, "\n");
        rows[profile.function_count] = profile.function_count;
        // Arbitrary, some of them equal.
        durations[profile.function_count] = (double)(length * length % 37);
        functions[profile.function_count++].full = strings_intern(profile.strings, kernels, length);
        kernels += length + (kernels[length] != '\0');
    }
    struct marker marker;
    marker_parse(profile.strings, arena, "", strings_intern_text(profile.strings, lines), &marker);
    struct formula_evaluator *evaluator = formula_evaluator_new_with(rules, &profile, arena);
    struct formula_query query = {.module = profile_text(&profile, marker.module),
                                  .op = profile_text(&profile, marker.title),
                                  .functions = rows};
    query.durations = known & 1 ? durations : NULL;
    query.marker = known & 2 ? NULL : &marker;
    query.backward = known & 4 ? &marker : NULL;
    query.dtype = known & 8 ? "bf16" : NULL;
    query.rank_count = known & 16 ? 8 : 0;
    query.forward_part = known & 32 ? 2 : 0;
    for (int variant = 0; variant < 4; variant++) {
        query.is_backward = variant & 1;
        query.kernel_count = variant & 2 ? profile.function_count : 0;
        const struct formula_result *result = formula_eval_run(evaluator, &query);
        check_result(result, query.kernel_count);
        CHECK(formula_eval_run(evaluator, &query) == result);
        CHECK(!result->rule || formula_has_row(evaluator, query.module, query.op));
    }
    for (uint32_t k = 0; k < profile.function_count; k++)
        CHECK(!formula_is_product(evaluator, k) || formula_is_of_model(evaluator, k));
}

static void check_marker(const struct input *input)
{
    check_query(input->arena, rules_formulas(rules_get()), input->text, input->known);
}

// Rows that are accepted are evaluated, too.
static void check_rows(const struct input *input)
{
    struct error error = {0};
    struct formula_rules *rules = NULL;
    const struct yaml_node *empty = yaml_parse(input->arena, "e", "", 0, NULL);
    const struct yaml_node *node =
        yaml_parse(input->arena, "f", input->text, strlen(input->text), &error);
    CHECK(empty);
    if (node && formula_rules_read(&rules, input->arena, node, empty, &error)) {
        for (size_t i = 0; i < rules->op_count && i < 20; i++) {
            char lines[600];
            snprintf(
                lines, sizeof lines,
                "{'mod': 'torch', 'op': '%.200s', 'args': [{'name': '', 'type': 'tensor', "
                "'shape': (2, 3, 4), 'dtype': 'float16'}, {'name': '', 'type': 'int', 'value': "
                "7}]}\ngemm\ncudnn",
                rules->ops[i].op);
            check_query(input->arena, rules, lines, input->known);
        }
        for (size_t i = 0; i < rules->row_count; i++)
            CHECK(formula_row_text(&rules->rows[i], PHASE_FORWARD, true, input->arena) &&
                  formula_row_doc(&rules->rows[i], input->arena) &&
                  formula_row_names(&rules->rows[i], input->arena));
    } else {
        CHECK(error.kind == ERROR_USAGE && strncmp(error.message, "f:", 2) == 0);
    }
    formula_rules_free(rules);
}

// ---- the input ---------------------------------------------------------------------------------

static bool body(void *context, struct error *error)
{
    static void (*const checks[])(const struct input *input) = {check_expression, check_marker,
                                                                check_rows};
    const struct input *input = context;
    (void)error;
    unsigned kind = (unsigned char)input->text[0] % 3, known = (unsigned char)input->text[0] / 3;
    const struct input checked_input = {input->arena, input->text + 1, known};
    checks[kind](&checked_input);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *arena;
    struct error error = {0};
    if (!arena) {
        arena = arena_new(256 << 20);
        CHECK(arena && rules_ready(&error) && atexit(rules_use_builtin) == 0);
    }
    if (!size || size > 20000)
        return 0;
    struct input input = {.arena = arena, .text = calloc(1, size + 1)};
    CHECK(input.text);
    memcpy(input.text, data, size);
    CHECK(arena_run(arena, body, &input, &error));
    arena_reset(arena);
    free(input.text);
    return 0;
}
