// SPDX-License-Identifier: Apache-2.0
// A shunting-yard parser (Dijkstra): operators wait on a stack until one of lower rank, a comma or
// a bracket follows; each then becomes a step. The parser also tracks the kinds of the values that
// the steps leave on the stack, so that formula_evaluate() needs no checks.
#include "base/parse/formula_functions.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum expression_step { STEP_NUMBER, STEP_NAME, STEP_VALUE, STEP_ALL, STEP_TEXT, STEP_APPLY };

struct formula_step {
    enum expression_step kind;
    uint32_t count; // APPLY: number of operands, taken from the top of the stack
    uint32_t row;   // NAME, VALUE: index in the scope
    double number;
    const char *text;
    formula_apply *apply;
};

struct formula_expression {
    size_t count;
    struct formula_step *steps;
};

// ---- compiling ---------------------------------------------------------------------------------

enum waiting_kind { WAITING_OPERATOR, WAITING_BRACKET, WAITING_CALL, WAITING_INDEX };

struct waiting_item {
    enum waiting_kind kind;
    const struct formula_operator *sign;     // OPERATOR
    uint32_t operand_count;                  // OPERATOR: 1 or 2
    const struct formula_function *function; // CALL
    uint32_t argument;                       // CALL: index of the argument being read
};

struct formula_reader {
    struct arena *arena;
    const struct formula_names *names;
    const char *text, *at;
    struct error *error;
    size_t step_count, step_capacity;
    struct formula_step *steps;
    size_t depth;              // number of values on the stack
    char kinds[FORMULA_DEPTH]; // by value on the stack: its kind, as in formula_function.takes
    size_t waiting_count;
    struct waiting_item waiting[FORMULA_DEPTH];
};

static bool fail(const struct formula_reader *reader, const char *why)
{
    return error_set(reader->error, ERROR_USAGE, "character %zu: %s",
                     (size_t)(reader->at - reader->text) + 1, why);
}

static void skip_blanks(struct formula_reader *reader)
{
    while (*reader->at && strchr(" \t\n", *reader->at))
        reader->at++;
}

static bool add_step(struct formula_reader *reader, struct formula_step step, char kind)
{
    if (reader->step_count == FORMULA_STEPS)
        return fail(reader, "the expression is too long");
    ARENA_PUSH(reader->arena, reader->steps, reader->step_count, reader->step_capacity) = step;
    if (reader->depth == FORMULA_DEPTH)
        return fail(reader, "the expression is too deep");
    reader->kinds[reader->depth++] = kind;
    return true;
}

// Adds a step that replaces the top `count` values of the stack by a number. Fails unless the
// values have the kinds in `takes`, of which the last one repeats.
static bool add_apply(struct formula_reader *reader, formula_apply *apply, uint32_t count,
                      const char *takes)
{
    size_t kind = 0;
    if (reader->depth < count)
        return fail(reader, "a value is missing");
    for (uint32_t i = 0; i < count; i++) {
        char value_kind = reader->kinds[reader->depth - count + i];
        if (value_kind != takes[kind])
            return fail(reader, takes[kind] == 'n'   ? "a number is expected"
                                : takes[kind] == 'a' ? "an argument's name is expected"
                                                     : "a text in quotes is expected");
        if (takes[kind + 1] && takes[kind + 1] != '*')
            kind++;
    }
    reader->depth -= count;
    return add_step(reader,
                    (struct formula_step){.kind = STEP_APPLY, .count = count, .apply = apply}, 'n');
}

static bool push_waiting(struct formula_reader *reader, struct waiting_item waiting)
{
    if (reader->waiting_count == FORMULA_DEPTH)
        return fail(reader, "the expression is too deep");
    reader->waiting[reader->waiting_count++] = waiting;
    return true;
}

static bool push_operator(struct formula_reader *reader, const struct formula_operator *sign,
                          uint32_t operand_count)
{
    return push_waiting(reader, (struct waiting_item){.kind = WAITING_OPERATOR,
                                                      .sign = sign,
                                                      .operand_count = operand_count});
}

// Adds the steps of waiting operators whose rank is at least `rank`.
static bool apply_waiting(struct formula_reader *reader, int rank)
{
    while (reader->waiting_count > 0) {
        const struct waiting_item *top = &reader->waiting[reader->waiting_count - 1];
        if (top->kind != WAITING_OPERATOR || top->sign->rank < rank)
            return true;
        reader->waiting_count--;
        if (!add_apply(reader, top->sign->apply, top->operand_count, "nn"))
            return false;
    }
    return true;
}

static bool read_number(struct formula_reader *reader)
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
    return add_step(reader, (struct formula_step){.kind = STEP_NUMBER, .number = number}, 'n');
}

static bool read_text(struct formula_reader *reader)
{
    char quote = *reader->at;
    const char *end = strchr(reader->at + 1, quote);
    if (!end)
        return fail(reader, "the closing quote is missing");
    const char *text = arena_copy(reader->arena, reader->at + 1, (size_t)(end - reader->at) - 1);
    reader->at = end + 1;
    return add_step(reader, (struct formula_step){.kind = STEP_TEXT, .text = text}, 't');
}

static size_t find(const char *const *names, size_t count, const char *text, size_t length)
{
    size_t i = 0;
    while (i < count && (strlen(names[i]) != length || memcmp(names[i], text, length) != 0))
        i++;
    return i;
}

// Returns true if the innermost open call expects an argument (a) here, not the number of one (n).
static bool expects_argument(const struct formula_reader *reader)
{
    if (reader->waiting_count == 0)
        return false;
    const struct waiting_item *top = &reader->waiting[reader->waiting_count - 1];
    if (top->kind != WAITING_CALL)
        return false;
    size_t kind = 0;
    const char *takes = top->function->takes;
    for (uint32_t i = 0; i < top->argument && takes[kind + 1] && takes[kind + 1] != '*'; i++)
        kind++;
    return takes[kind] == 'a';
}

static bool read_argument(struct formula_reader *reader, struct formula_step step)
{
    if (!add_step(reader, step, 'a'))
        return false;
    skip_blanks(reader);
    if (*reader->at == '[') {
        reader->at++;
        return push_waiting(reader, (struct waiting_item){.kind = WAITING_INDEX});
    }
    return expects_argument(reader) ||
           add_apply(reader, formula_number.apply, 1, formula_number.takes);
}

static bool read_call(struct formula_reader *reader, const char *name, size_t length)
{
    for (const struct formula_function *row = formula_functions; row->name; row++)
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0) {
            reader->at++;
            return push_waiting(reader,
                                (struct waiting_item){.kind = WAITING_CALL, .function = row});
        }
    reader->at = name;
    return fail(reader, "no function has this name");
}

// Reads a name. Sets *more if an operand must follow: an index, the first argument of a call, or
// the operand of `not`.
static bool read_name(struct formula_reader *reader, bool *more)
{
    const char *name = reader->at;
    while (isalnum((unsigned char)*reader->at) || *reader->at == '_')
        reader->at++;
    size_t length = (size_t)(reader->at - name);
    const struct formula_names *names = reader->names;
    skip_blanks(reader);
    if (length == 3 && memcmp(name, "not", 3) == 0) {
        *more = true;
        return push_operator(reader, &formula_not, 1);
    }
    if (*reader->at == '(') {
        *more = true;
        return read_call(reader, name, length);
    }
    size_t row = find(names->numbers, names->number_count, name, length);
    if (row < names->number_count)
        return add_step(reader, (struct formula_step){.kind = STEP_NAME, .row = (uint32_t)row},
                        'n');
    row = find(names->values, names->value_count, name, length);
    bool is_all = length == 3 && memcmp(name, "all", 3) == 0;
    if (row == names->value_count && !is_all) {
        reader->at = name;
        return fail(reader, "nothing has this name");
    }
    size_t waiting_before = reader->waiting_count;
    if (!read_argument(
            reader, (struct formula_step){.kind = row < names->value_count ? STEP_VALUE : STEP_ALL,
                                          .row = (uint32_t)row}))
        return false;
    *more = reader->waiting_count > waiting_before;
    return true;
}

static bool read_operand(struct formula_reader *reader, bool *more)
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
        return push_waiting(reader, (struct waiting_item){.kind = WAITING_BRACKET});
    }
    if (c == '-') {
        reader->at++;
        return push_operator(reader, &formula_negate, 1);
    }
    return fail(reader, "a number, a name or a bracket is expected");
}

static bool close_call(struct formula_reader *reader, const struct waiting_item *call)
{
    const char *takes = call->function->takes;
    uint32_t count = call->argument + 1;
    size_t min_count = strlen(takes);
    bool is_open = takes[min_count - 1] == '*';
    min_count -= is_open;
    if (count < min_count || (!is_open && count > min_count))
        return fail(reader, "the function takes another number of arguments");
    return add_apply(reader, call->function->apply, count, takes);
}

// Reads a closing bracket or a comma after a value.
static bool read_closing(struct formula_reader *reader, bool *more)
{
    char c = *reader->at;
    if (!apply_waiting(reader, 0))
        return false;
    if (reader->waiting_count == 0)
        return fail(reader, "nothing is open here");
    struct waiting_item *top = &reader->waiting[reader->waiting_count - 1];
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

// Reads a binary operator, a closing bracket or a comma. Sets *more if an operand must follow.
static bool read_operator(struct formula_reader *reader, bool *more)
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
        if (!apply_waiting(reader, row->rank))
            return false;
        reader->at += length;
        *more = true;
        return push_operator(reader, row, 2);
    }
    return fail(reader, "an operator is expected");
}

const struct formula_expression *formula_parse(struct arena *arena, const char *text,
                                               const struct formula_names *names,
                                               struct error *error)
{
    struct formula_reader reader = {
        .arena = arena, .names = names, .text = text, .at = text, .error = error};
    bool more = true; // an operand must follow
    for (skip_blanks(&reader); *reader.at || more; skip_blanks(&reader))
        if (!(more ? read_operand(&reader, &more) : read_operator(&reader, &more)))
            return NULL;
    if (!apply_waiting(&reader, 0))
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

// ---- evaluating --------------------------------------------------------------------------------

double formula_evaluate(const struct formula_expression *expression,
                        const struct formula_scope *scope)
{
    struct formula_slot slots[FORMULA_DEPTH] = {{.number = (double)NAN}};
    size_t depth = 0;
    for (size_t i = 0; i < expression->count; i++) {
        const struct formula_step *step = &expression->steps[i];
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
