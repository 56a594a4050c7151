// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/step_size.h"

#include <ctype.h>
#include <string.h>

#include "base/parse/formula_expression.h"

struct reading {
    const char *text;
    struct arena *arena;
    double number;
};

static bool number_body(void *context, struct error *error)
{
    struct reading *reading = context;
    const struct formula_names none = {0};
    const struct formula_scope nothing = {0};
    const struct formula_expression *expression =
        formula_parse(reading->arena, reading->text, &none, error);
    if (!expression)
        return false;
    reading->number = formula_evaluate(expression, &nothing);
    return reading->number > 0 || // not a number is not, either
           error_set(error, ERROR_USAGE, "not a number above 0: %.80s", reading->text);
}

static bool number_read(const char *text, double *number, struct error *error)
{
    struct reading reading = {.text = text, .arena = arena_new(0)};
    bool is_read = reading.arena ? arena_run(reading.arena, number_body, &reading, error)
                                 : error_set(error, ERROR_MEMORY, "out of memory");
    arena_free(reading.arena);
    if (is_read)
        *number = reading.number;
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

// A word that can stand in a column's head: letters, digits, '-' and '_'.
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
