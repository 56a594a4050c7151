// SPDX-License-Identifier: Apache-2.0
// Operators wait on a stack until one of lower rank, a comma or a bracket comes (Dijkstra's shunting
// yard); what leaves it becomes a step. The kinds of the values that the steps would leave are followed
// meanwhile, so that steps that were taken can be worked out without looking.
#include "base/parse/formula_functions.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum step_kind { STEP_NUMBER, STEP_NAME, STEP_VALUE, STEP_ALL, STEP_TEXT, STEP_APPLY };

struct step {
    enum step_kind kind;
    uint32_t count; // APPLY: how many slots it takes
    uint32_t row;   // NAME, VALUE
    double number;
    const char *text;
    formula_apply *apply;
};

struct formula_expression {
    size_t count;
    struct step *steps;
};

// ---- reading -----------------------------------------------------------------------------------

enum waiting_kind { WAITING_OPERATOR, WAITING_BRACKET, WAITING_CALL, WAITING_INDEX };

struct waiting {
    enum waiting_kind kind;
    const struct formula_operator *sign;     // OPERATOR
    uint32_t takes;                          // OPERATOR: 1 or 2
    const struct formula_function *function; // CALL
    uint32_t argument;                       // CALL: which one is being read
};

struct reader {
    struct arena *arena;
    const struct formula_names *names;
    const char *text, *at;
    struct error *error;
    size_t step_count, step_capacity;
    struct step *steps;
    size_t depth; // of values
    char kinds[FORMULA_DEPTH];
    size_t waiting_count;
    struct waiting waiting[FORMULA_DEPTH];
};

static bool fail(const struct reader *reader, const char *why)
{
    return error_set(reader->error, ERROR_USAGE, "character %zu: %s",
                     (size_t)(reader->at - reader->text) + 1, why);
}

static void skip_blanks(struct reader *reader)
{
    while (*reader->at && strchr(" \t\n", *reader->at))
        reader->at++;
}

static bool add_step(struct reader *reader, struct step step, char kind)
{
    if (reader->step_count == FORMULA_STEPS)
        return fail(reader, "the expression is too long");
    ARENA_PUSH(reader->arena, reader->steps, reader->step_count, reader->step_capacity) = step;
    if (reader->depth == FORMULA_DEPTH)
        return fail(reader, "the expression is too deep");
    reader->kinds[reader->depth++] = kind;
    return true;
}

// Takes `count` values, which must be of these kinds (the last once more and more), and leaves a number.
static bool add_apply(struct reader *reader, formula_apply *apply, uint32_t count,
                      const char *takes)
{
    size_t kind = 0;
    if (reader->depth < count)
        return fail(reader, "a value is missing");
    for (uint32_t i = 0; i < count; i++) {
        char is = reader->kinds[reader->depth - count + i];
        if (is != takes[kind])
            return fail(reader, takes[kind] == 'n'   ? "a number is expected"
                                : takes[kind] == 'a' ? "an argument's name is expected"
                                                     : "a text in quotes is expected");
        if (takes[kind + 1] && takes[kind + 1] != '*')
            kind++;
    }
    reader->depth -= count;
    return add_step(reader, (struct step){.kind = STEP_APPLY, .count = count, .apply = apply}, 'n');
}

static bool wait(struct reader *reader, struct waiting waiting)
{
    if (reader->waiting_count == FORMULA_DEPTH)
        return fail(reader, "the expression is too deep");
    reader->waiting[reader->waiting_count++] = waiting;
    return true;
}

static bool wait_operator(struct reader *reader, const struct formula_operator *sign,
                          uint32_t takes)
{
    return wait(reader, (struct waiting){.kind = WAITING_OPERATOR, .sign = sign, .takes = takes});
}

// Steps of the operators that wait and bind as strongly as `rank` or stronger.
static bool settle(struct reader *reader, int rank)
{
    while (reader->waiting_count > 0) {
        const struct waiting *top = &reader->waiting[reader->waiting_count - 1];
        if (top->kind != WAITING_OPERATOR || top->sign->rank < rank)
            return true;
        reader->waiting_count--;
        if (!add_apply(reader, top->sign->apply, top->takes, "nn"))
            return false;
    }
    return true;
}

static bool read_number(struct reader *reader)
{
    double number = 0, scale = 1;
    int exponent = 0;
    for (; isdigit((unsigned char)*reader->at); reader->at++)
        number = number * 10 + (*reader->at - '0');
    if (*reader->at == '.')
        for (reader->at++; isdigit((unsigned char)*reader->at); reader->at++)
            number += (*reader->at - '0') * (scale /= 10);
    if (*reader->at == 'e' && isdigit((unsigned char)reader->at[1])) {
        for (reader->at++; isdigit((unsigned char)*reader->at); reader->at++)
            exponent = exponent > 400 ? exponent : exponent * 10 + (*reader->at - '0');
        number *= pow(10, exponent);
    }
    if (!isfinite(number))
        return fail(reader, "the number is too large");
    return add_step(reader, (struct step){.kind = STEP_NUMBER, .number = number}, 'n');
}

static bool read_text(struct reader *reader)
{
    char quote = *reader->at;
    const char *end = strchr(reader->at + 1, quote);
    if (!end)
        return fail(reader, "the closing quote is missing");
    const char *text = arena_copy(reader->arena, reader->at + 1, (size_t)(end - reader->at) - 1);
    reader->at = end + 1;
    return add_step(reader, (struct step){.kind = STEP_TEXT, .text = text}, 't');
}

static size_t find(const char *const *names, size_t count, const char *text, size_t length)
{
    size_t i = 0;
    while (i < count && (strlen(names[i]) != length || memcmp(names[i], text, length) != 0))
        i++;
    return i;
}

// Whether the argument that is being read may be one of the call as it is.
static bool takes_argument(const struct reader *reader)
{
    if (reader->waiting_count == 0)
        return false;
    const struct waiting *top = &reader->waiting[reader->waiting_count - 1];
    if (top->kind != WAITING_CALL)
        return false;
    size_t kind = 0;
    const char *takes = top->function->takes;
    for (uint32_t i = 0; i < top->argument && takes[kind + 1] && takes[kind + 1] != '*'; i++)
        kind++;
    return takes[kind] == 'a';
}

static bool read_argument(struct reader *reader, struct step step)
{
    if (!add_step(reader, step, 'a'))
        return false;
    skip_blanks(reader);
    if (*reader->at == '[') {
        reader->at++;
        return wait(reader, (struct waiting){.kind = WAITING_INDEX});
    }
    return takes_argument(reader) ||
           add_apply(reader, formula_number.apply, 1, formula_number.takes);
}

static bool read_call(struct reader *reader, const char *name, size_t length)
{
    for (const struct formula_function *row = formula_functions; row->name; row++)
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0) {
            reader->at++;
            return wait(reader, (struct waiting){.kind = WAITING_CALL, .function = row});
        }
    reader->at = name;
    return fail(reader, "no function has this name");
}

// *more: another operand is due (an index, the first argument of a call, what `not` turns round).
static bool read_name(struct reader *reader, bool *more)
{
    const char *name = reader->at;
    while (isalnum((unsigned char)*reader->at) || *reader->at == '_')
        reader->at++;
    size_t length = (size_t)(reader->at - name);
    const struct formula_names *names = reader->names;
    skip_blanks(reader);
    if (length == 3 && memcmp(name, "not", 3) == 0) {
        *more = true;
        return wait_operator(reader, &formula_not, 1);
    }
    if (*reader->at == '(') {
        *more = true;
        return read_call(reader, name, length);
    }
    size_t row = find(names->numbers, names->number_count, name, length);
    if (row < names->number_count)
        return add_step(reader, (struct step){.kind = STEP_NAME, .row = (uint32_t)row}, 'n');
    row = find(names->values, names->value_count, name, length);
    bool is_all = length == 3 && memcmp(name, "all", 3) == 0;
    if (row == names->value_count && !is_all) {
        reader->at = name;
        return fail(reader, "nothing has this name");
    }
    size_t before = reader->waiting_count;
    if (!read_argument(reader,
                       (struct step){.kind = row < names->value_count ? STEP_VALUE : STEP_ALL,
                                     .row = (uint32_t)row}))
        return false;
    *more = reader->waiting_count > before;
    return true;
}

static bool read_operand(struct reader *reader, bool *more)
{
    char c = *reader->at;
    *more = false;
    if (isdigit((unsigned char)c))
        return read_number(reader);
    if (c == '\'' || c == '"')
        return read_text(reader);
    if (isalpha((unsigned char)c) || c == '_')
        return read_name(reader, more);
    *more = true;
    if (c == '(') {
        reader->at++;
        return wait(reader, (struct waiting){.kind = WAITING_BRACKET});
    }
    if (c == '-') {
        reader->at++;
        return wait_operator(reader, &formula_negate, 1);
    }
    return fail(reader, "a number, a name or a bracket is expected");
}

static bool close_call(struct reader *reader, const struct waiting *call)
{
    const char *takes = call->function->takes;
    uint32_t count = call->argument + 1;
    size_t least = strlen(takes);
    bool is_open = takes[least - 1] == '*';
    least -= is_open;
    if (count < least || (!is_open && count > least))
        return fail(reader, "the function takes another number of arguments");
    return add_apply(reader, call->function->apply, count, takes);
}

// A bracket or a comma behind a value.
static bool read_closing(struct reader *reader, bool *more)
{
    char c = *reader->at;
    if (!settle(reader, 0))
        return false;
    if (reader->waiting_count == 0)
        return fail(reader, "nothing is open here");
    struct waiting *top = &reader->waiting[reader->waiting_count - 1];
    if (c == ',' && top->kind == WAITING_CALL) {
        top->argument++;
        reader->at++;
        *more = true;
        return true;
    }
    reader->waiting_count--;
    bool fits = false;
    if (c == ']' && top->kind == WAITING_INDEX)
        fits = add_apply(reader, formula_index.apply, 2, formula_index.takes);
    else if (c == ')' && top->kind == WAITING_CALL)
        fits = close_call(reader, top);
    else if (c == ')' && top->kind == WAITING_BRACKET)
        fits = true;
    else
        return fail(reader, "another bracket is open");
    reader->at += fits;
    return fits;
}

// *more: an operand is due next.
static bool read_operator(struct reader *reader, bool *more)
{
    *more = false;
    if (*reader->at && strchr(")],", *reader->at))
        return read_closing(reader, more);
    for (const struct formula_operator *row = formula_operators; row->sign; row++) {
        size_t length = strlen(row->sign);
        if (strncmp(reader->at, row->sign, length) != 0)
            continue;
        if (isalpha((unsigned char)*row->sign) &&
            (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_'))
            continue;
        if (!settle(reader, row->rank))
            return false;
        reader->at += length;
        *more = true;
        return wait_operator(reader, row, 2);
    }
    return fail(reader, "an operator is expected");
}

const struct formula_expression *formula_parse(struct arena *arena, const char *text,
                                               const struct formula_names *names,
                                               struct error *error)
{
    struct reader reader = {
        .arena = arena, .names = names, .text = text, .at = text, .error = error};
    bool more = true; // an operand is due
    for (skip_blanks(&reader); *reader.at || more; skip_blanks(&reader))
        if (!(more ? read_operand(&reader, &more) : read_operator(&reader, &more)))
            return NULL;
    if (!settle(&reader, 0))
        return NULL;
    if (reader.waiting_count > 0) {
        fail(&reader, "a closing bracket is missing");
        return NULL;
    }
    if (reader.depth != 1 || reader.kinds[0] != 'n') {
        fail(&reader, "a number is expected");
        return NULL;
    }
    struct formula_expression *expression = ARENA_NEW(arena, struct formula_expression);
    *expression = (struct formula_expression){reader.step_count, reader.steps};
    return expression;
}

// ---- working out -------------------------------------------------------------------------------

double formula_evaluate(const struct formula_expression *expression,
                        const struct formula_scope *scope)
{
    struct formula_slot slots[FORMULA_DEPTH] = {{.number = (double)NAN}};
    size_t depth = 0;
    for (size_t i = 0; i < expression->count; i++) {
        const struct step *step = &expression->steps[i];
        struct formula_slot slot = {.number = step->number, .text = step->text};
        if (step->kind == STEP_NAME)
            slot.number = scope->numbers[step->row];
        if (step->kind == STEP_VALUE)
            slot.value = &scope->values[step->row];
        if (step->kind == STEP_APPLY) {
            depth -= step->count;
            slot.number = step->apply(scope, &slots[depth], step->count);
            if (!isfinite(slot.number))
                slot.number = (double)NAN;
        }
        slots[depth++] = slot;
    }
    return slots[0].number;
}
