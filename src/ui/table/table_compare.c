// SPDX-License-Identifier: Apache-2.0
// Evaluates comparisons of the filter (table_compare.h). Formatting a value is expensive, so
// equality first tests whether the numbers are near enough to have the same text.
#include "ui/table/table_compare.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/report/value.h"
#include "base/text/format.h"

bool bound_parse(const struct column *column, const char *text, double *bound)
{
    int64_t whole;
    char *end;
    switch (column->unit) {
    case UNIT_NS:
    case UNIT_TIME:
        if (!format_parse_duration(text, &whole))
            return false;
        *bound = (double)whole;
        return true;
    case UNIT_BYTES:
    case UNIT_RATE:
        if (!format_parse_bytes(text, &whole))
            return false;
        *bound = (double)whole;
        return true;
    default:
        if (column->unit == UNIT_PERCENT && column->flags & COLUMN_SIGNED && *text == 'x') {
            *bound = strtod(text + 1, &end) - 1; // "x10.4" means 940 % more
            return end != text + 1 && *end == 0 && isfinite(*bound);
        }
        *bound = strtod(text, &end);
        if (column->unit == UNIT_PERCENT) {
            *bound /= 100;
            end += *end == '%';
        }
        return end != text && *end == 0 && isfinite(*bound);
    }
}

const char *state_text(const struct column *column, enum tristate state)
{
    return value_display_text(column, value_state(state), true, NULL); // does not allocate
}

// Removes blanks and commas and replaces "µ" by "u".
static char *compact_text(const char *text, struct arena *arena)
{
    char *key = arena_text(arena, text), *out = key;
    for (const char *at = text; *at; at++) {
        if (strncmp(at, "µ", 2) == 0 || strncmp(at, "\xCE\xBC", 2) == 0) {
            *out++ = 'u';
            at++;
        } else if (*at != ' ' && *at != ',') {
            *out++ = *at;
        }
    }
    *out = 0;
    return key;
}

const char *value_key(const struct column *column, struct value value, struct arena *arena)
{
    if (value.kind == VALUE_NONE)
        return "-";
    char *key = compact_text(value_display_text(column, value, true, arena), arena);
    if (column->unit == UNIT_RATE && strlen(key) > 2)
        key[strlen(key) - 2] = 0; // "/s"
    return key;
}

static bool has_unit(enum unit unit)
{
    return unit == UNIT_NS || unit == UNIT_TIME || unit == UNIT_BYTES || unit == UNIT_RATE;
}

struct filter_comparison comparison_make(const struct column *column,
                                         const struct filter_term *term, struct arena *arena)
{
    struct filter_comparison comparison = {.column = column, .term = term};
    if (!unit_is_number(column->unit))
        return comparison;
    size_t length = strlen(term->text);
    comparison.has_bound = bound_parse(column, term->text, &comparison.bound);
    comparison.is_exact =
        has_unit(column->unit) && length > 0 && !isalpha((unsigned char)term->text[length - 1]);
    comparison.text = compact_text(term->text, arena);
    if (comparison.has_bound)
        comparison.shown = value_key(column, value_real(comparison.bound), arena);
    return comparison;
}

// Returns how far a number may be from `bound` and still be displayed as the same text.
static double text_tolerance(double bound)
{
    return 0.01 * fabs(bound) + 1;
}

static bool may_look_equal(double x, double bound)
{
    return x == bound || fabs(x - bound) <= text_tolerance(bound);
}

static bool number_equals(const struct filter_comparison *comparison, struct value value, double x,
                          struct arena *arena)
{
    enum unit unit = comparison->column->unit;
    double bound = comparison->bound;
    if (comparison->is_exact)
        return fabs(x - bound) <= 1e-9 * fabs(bound);
    if (value.kind == VALUE_INTEGER && !has_unit(unit))
        return x == bound;
    if (!may_look_equal(x, bound))
        return false;
    const char *shown = value_key(comparison->column, value, arena);
    if (strcasecmp(shown, comparison->text) == 0)
        return true;
    // "14.0" per step does not equal "14" of another row; but 3.5 equals 3.50.
    if (unit == UNIT_COUNT || unit == UNIT_ID)
        return x == bound && (bound != floor(bound) || !strchr(comparison->text, '.'));
    return strcmp(shown, comparison->shown) == 0;
}

static bool order_holds(enum filter_operator operator, int order)
{
    switch (operator) {
    case FILTER_LESS:
        return order < 0;
    case FILTER_LESS_EQUAL:
        return order <= 0;
    case FILTER_GREATER:
        return order > 0;
    case FILTER_GREATER_EQUAL:
        return order >= 0;
    default:
        return order == 0;
    }
}

bool comparison_holds(const struct filter_comparison *comparison, struct value value,
                      struct arena *arena)
{
    enum filter_operator operator= comparison->term->operator;
    const char *right = comparison->term->text;
    if (value.kind == VALUE_STATE)
        return order_holds(operator,
                           strcasecmp(state_text(comparison->column, (enum tristate)value.integer),
                                      right));
    if (value.kind == VALUE_TEXT) // equality compares the whole text exactly
        return order_holds(operator, operator== FILTER_EQUAL ? strcmp(value.text, right)
                                                             : strcasecmp(value.text, right));
    if (value.kind == VALUE_NONE)
        return operator== FILTER_EQUAL && strcmp(right, "-") == 0;
    if (!comparison->has_bound)
        return false;
    double x = value_number(value);
    if (operator== FILTER_EQUAL)
        return number_equals(comparison, value, x, arena);
    return order_holds(operator,(x > comparison->bound) - (x < comparison->bound));
}

struct value_bounds comparison_bounds(const struct filter_comparison *comparison)
{
    double bound = comparison->bound;
    struct value_bounds bounds = {-INFINITY, INFINITY, true};
    if (!comparison->has_bound)
        return (struct value_bounds){INFINITY, -INFINITY, true};
    switch (comparison->term->operator) {
    case FILTER_LESS:
        bounds.most = nextafter(bound, -INFINITY);
        break;
    case FILTER_LESS_EQUAL:
        bounds.most = bound;
        break;
    case FILTER_GREATER:
        bounds.least = nextafter(bound, INFINITY);
        break;
    case FILTER_GREATER_EQUAL:
        bounds.least = bound;
        break;
    default:
        bounds = (struct value_bounds){bound - text_tolerance(bound), bound + text_tolerance(bound),
                                       false};
    }
    return bounds;
}
