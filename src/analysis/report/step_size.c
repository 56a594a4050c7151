// SPDX-License-Identifier: Apache-2.0
// Parses the step size that the user enters.
#include "analysis/report/step_size.h"

#include <ctype.h>
#include <string.h>

#include "base/parse/formula_expression.h"

struct number_parse {
    const char *text;
    struct arena *arena;
    double number;
};

static bool number_body(void *context, struct error *error)
{
    struct number_parse *parse = context;
    const struct formula_names none = {0};
    const struct formula_scope nothing = {0};
    const struct formula_expression *expression =
        formula_parse(parse->arena, parse->text, &none, error);
    if (!expression)
        return false;
    parse->number = formula_evaluate(expression, &nothing);
    return parse->number > 0 || // false for NaN, too
           error_set(error, ERROR_USAGE, "not a number above 0: %.80s", parse->text);
}

static bool number_read(const char *text, double *number, struct error *error)
{
    struct number_parse parse = {.text = text, .arena = arena_new(0)};
    bool is_read = parse.arena ? arena_run(parse.arena, number_body, &parse, error)
                               : error_set(error, ERROR_MEMORY, "out of memory");
    arena_free(parse.arena);
    if (is_read)
        *number = parse.number;
    return is_read;
}

static bool is_off(const char *text)
{
    return !*text || strcmp(text, "off") == 0;
}

bool step_size_flops(struct step_size *size, const char *text, struct error *error)
{
    double flops = 0;
    if (!is_off(text) && !number_read(text, &flops, error))
        return false;
    size->flops = flops;
    return true;
}

// Returns the length of a unit followed by ":", or 0. It must be fit for a column title: letters,
// digits, '-' and '_'.
static size_t unit_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '-')
        length++;
    return isalpha((unsigned char)text[0]) && length < STEP_UNIT_SIZE && text[length] == ':'
               ? length
               : 0;
}

bool step_size_items(struct step_size *size, const char *text, struct error *error)
{
    struct step_size read = {.flops = size->flops};
    size_t length = unit_length(text);
    if (!is_off(text)) {
        if (length == 0)
            return error_set(error, ERROR_USAGE, "not UNIT:NUMBER, such as tokens:12288: %.80s",
                             text);
        if (!number_read(text + length + 1, &read.items, error))
            return false;
        memcpy(read.unit, text, length);
    }
    *size = read;
    return true;
}

bool step_size_equal(const struct step_size *a, const struct step_size *b)
{
    return !(a->flops < b->flops || a->flops > b->flops) &&
           !(a->items < b->items || a->items > b->items) && strcmp(a->unit, b->unit) == 0;
}
