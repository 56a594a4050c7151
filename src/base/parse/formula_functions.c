// SPDX-License-Identifier: Apache-2.0
// The functions of formulas: arithmetic on numbers, then functions of arguments (shapes and element
// sizes of tensors), then einsum, and at the end the tables that name them. A result that depends
// on an unknown value is NaN.
#include "base/parse/formula_functions.h"

#include <math.h>
#include <string.h>

// ---- numbers -----------------------------------------------------------------------------------

static double truth(bool is_true)
{
    return is_true ? 1 : 0;
}

#define BINARY(name, expression)                                                            \
    static double name(const struct formula_scope *scope, const struct formula_slot *slots, \
                       size_t count)                                                        \
    {                                                                                       \
        (void)scope, (void)count;                                                           \
        double a = slots[0].number, b = slots[1].number;                                    \
        return isnan(a) || isnan(b) ? (double)NAN : (expression);                           \
    }

BINARY(apply_add, a + b)
BINARY(apply_subtract, a - b)
BINARY(apply_multiply, a *b)
BINARY(apply_divide, b == 0 ? (double)NAN : a / b)
BINARY(apply_remainder, b == 0 ? (double)NAN : fmod(a, b))
BINARY(apply_equal, truth(a == b))
BINARY(apply_unequal, truth(a != b))
BINARY(apply_less, truth(a < b))
BINARY(apply_less_equal, truth(a <= b))
BINARY(apply_greater, truth(a > b))
BINARY(apply_greater_equal, truth(a >= b))

static double apply_and(const struct formula_scope *scope, const struct formula_slot *slots,
                        size_t count)
{
    (void)scope, (void)count;
    double a = slots[0].number, b = slots[1].number;
    if (a == 0 || b == 0)
        return 0;
    return isnan(a) || isnan(b) ? (double)NAN : 1;
}

static double apply_or(const struct formula_scope *scope, const struct formula_slot *slots,
                       size_t count)
{
    (void)scope, (void)count;
    double a = slots[0].number, b = slots[1].number;
    if ((!isnan(a) && a != 0) || (!isnan(b) && b != 0))
        return 1;
    return isnan(a) || isnan(b) ? (double)NAN : 0;
}

static double apply_not(const struct formula_scope *scope, const struct formula_slot *slots,
                        size_t count)
{
    (void)scope, (void)count;
    return isnan(slots[0].number) ? (double)NAN : truth(slots[0].number == 0);
}

static double apply_negate(const struct formula_scope *scope, const struct formula_slot *slots,
                           size_t count)
{
    (void)scope, (void)count;
    return -slots[0].number;
}

static double apply_if(const struct formula_scope *scope, const struct formula_slot *slots,
                       size_t count)
{
    (void)scope, (void)count;
    if (isnan(slots[0].number))
        return (double)NAN;
    return slots[slots[0].number != 0 ? 1 : 2].number;
}

static double apply_min(const struct formula_scope *scope, const struct formula_slot *slots,
                        size_t count)
{
    (void)scope;
    double least = slots[0].number;
    for (size_t i = 1; i < count; i++)
        if (isnan(slots[i].number) || slots[i].number < least)
            least = slots[i].number;
    return least;
}

static double apply_max(const struct formula_scope *scope, const struct formula_slot *slots,
                        size_t count)
{
    (void)scope;
    double greatest = slots[0].number;
    for (size_t i = 1; i < count; i++)
        if (isnan(slots[i].number) || slots[i].number > greatest)
            greatest = slots[i].number;
    return greatest;
}

static double apply_first(const struct formula_scope *scope, const struct formula_slot *slots,
                          size_t count)
{
    (void)scope;
    for (size_t i = 0; i < count; i++)
        if (!isnan(slots[i].number))
            return slots[i].number;
    return (double)NAN;
}

static double apply_known(const struct formula_scope *scope, const struct formula_slot *slots,
                          size_t count)
{
    (void)scope, (void)count;
    return truth(!isnan(slots[0].number));
}

static double apply_floor(const struct formula_scope *scope, const struct formula_slot *slots,
                          size_t count)
{
    (void)scope, (void)count;
    return floor(slots[0].number);
}

static double apply_ceil(const struct formula_scope *scope, const struct formula_slot *slots,
                         size_t count)
{
    (void)scope, (void)count;
    return ceil(slots[0].number);
}

// Returns the greatest common divisor; gcd(0, x) is x.
static double apply_divisor(const struct formula_scope *scope, const struct formula_slot *slots,
                            size_t count)
{
    (void)scope, (void)count;
    double a = fabs(slots[0].number), b = fabs(slots[1].number);
    if (!isfinite(a) || !isfinite(b) || a != floor(a) || b != floor(b))
        return (double)NAN;
    while (b > 0) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

// ---- arguments ---------------------------------------------------------------------------------

// The arguments that a slot refers to.
struct argument_span {
    const struct formula_value *items;
    size_t count;
    bool is_all;
};

static struct argument_span span_of(const struct formula_scope *scope,
                                    const struct formula_slot *slot)
{
    if (slot->value)
        return (struct argument_span){slot->value, 1, false};
    return (struct argument_span){scope->all, scope->all_count, true};
}

static double item_bytes_of(const struct formula_scope *scope, const struct formula_value *value)
{
    return isnan(value->item_bytes) ? scope->item_bytes : value->item_bytes;
}

static double product(const struct formula_value *value, uint32_t from, uint32_t to)
{
    double result = 1;
    for (uint32_t i = from; i < to; i++)
        result *= value->numbers[i] < 0 ? (double)NAN : value->numbers[i];
    return result;
}

static double elements_of(const struct formula_value *value)
{
    if (!value->is_there || (!value->is_tensor && !value->is_scalar))
        return (double)NAN;
    return value->is_scalar ? 1 : product(value, 0, value->count);
}

// Sums the elements or bytes of an argument. For `all`, only tensors count, and there must be at
// least one.
static double sum_over(const struct formula_scope *scope, const struct formula_slot *slot,
                       bool of_bytes)
{
    struct argument_span span = span_of(scope, slot);
    double sum = 0;
    size_t tensors = 0;
    for (size_t i = 0; i < span.count; i++) {
        if (span.is_all && !span.items[i].is_tensor)
            continue;
        sum += elements_of(&span.items[i]) * (of_bytes ? item_bytes_of(scope, &span.items[i]) : 1);
        tensors++;
    }
    return tensors ? sum : (double)NAN;
}

static double apply_elements(const struct formula_scope *scope, const struct formula_slot *slots,
                             size_t count)
{
    (void)count;
    return sum_over(scope, &slots[0], false);
}

// Returns the number of elements of all tensors with a given number of dimensions, for example of
// weight matrices without biases.
static double apply_elements_of_rank(const struct formula_scope *scope,
                                     const struct formula_slot *slots, size_t count)
{
    (void)count;
    double sum = 0;
    size_t tensors = 0;
    for (size_t i = 0; i < scope->all_count; i++) {
        if (!scope->all[i].is_tensor || scope->all[i].count != slots[0].number)
            continue;
        sum += elements_of(&scope->all[i]);
        tensors++;
    }
    return tensors ? sum : (double)NAN;
}

static double apply_bytes(const struct formula_scope *scope, const struct formula_slot *slots,
                          size_t count)
{
    (void)count;
    return sum_over(scope, &slots[0], true);
}

static double apply_size(const struct formula_scope *scope, const struct formula_slot *slots,
                         size_t count)
{
    (void)count;
    struct argument_span span = span_of(scope, &slots[0]);
    for (size_t i = 0; i < span.count; i++)
        if (span.items[i].is_tensor)
            return item_bytes_of(scope, &span.items[i]);
    return (double)NAN;
}

static double apply_rank(const struct formula_scope *scope, const struct formula_slot *slots,
                         size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    return value && value->is_there ? (double)value->count : (double)NAN;
}

static double apply_count(const struct formula_scope *scope, const struct formula_slot *slots,
                          size_t count)
{
    (void)count;
    struct argument_span span = span_of(scope, &slots[0]);
    double tensors = 0;
    for (size_t i = 0; i < span.count; i++)
        tensors += span.items[i].is_there && span.items[i].is_tensor;
    return tensors;
}

static double apply_has(const struct formula_scope *scope, const struct formula_slot *slots,
                        size_t count)
{
    (void)count;
    struct argument_span span = span_of(scope, &slots[0]);
    return truth(span.count > 0 && span.items[0].is_there);
}

static double apply_tensor(const struct formula_scope *scope, const struct formula_slot *slots,
                           size_t count)
{
    (void)count;
    struct argument_span span = span_of(scope, &slots[0]);
    return truth(span.count > 0 && span.items[0].is_there && span.items[0].is_tensor);
}

static double apply_is(const struct formula_scope *scope, const struct formula_slot *slots,
                       size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    if (!value || !value->is_there || !value->text)
        return (double)NAN;
    return truth(strcmp(value->text, slots[1].text) == 0);
}

// Converts an index, where -1 is the last, into a position. The position may be value->count, so
// that it can be the end of a range. Returns false if the index is out of range.
static bool position_of(const struct formula_value *value, double index, uint32_t *at)
{
    if (isnan(index) || index != floor(index))
        return false;
    if (index < 0)
        index += (double)value->count;
    if (index < 0 || index > (double)value->count)
        return false;
    *at = (uint32_t)index;
    return true;
}

static double apply_index(const struct formula_scope *scope, const struct formula_slot *slots,
                          size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    uint32_t at;
    if (!value || !value->is_there || isnan(slots[1].number))
        return (double)NAN;
    if (value->is_scalar)
        return value->count ? value->numbers[0] : (double)NAN;
    if (!position_of(value, slots[1].number, &at) || at == value->count)
        return (double)NAN;
    return value->numbers[at];
}

static double apply_number(const struct formula_scope *scope, const struct formula_slot *slots,
                           size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    bool is_number = value && value->is_there && !value->is_tensor && value->count == 1;
    return is_number ? value->numbers[0] : (double)NAN;
}

static double apply_product(const struct formula_scope *scope, const struct formula_slot *slots,
                            size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    uint32_t from, to;
    if (!value || !value->is_there || !position_of(value, slots[1].number, &from) ||
        !position_of(value, slots[2].number, &to))
        return (double)NAN;
    return product(value, from, to);
}

static double apply_sum(const struct formula_scope *scope, const struct formula_slot *slots,
                        size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    uint32_t from, to;
    if (!value || !value->is_there || !position_of(value, slots[1].number, &from) ||
        !position_of(value, slots[2].number, &to))
        return (double)NAN;
    double sum = 0;
    for (uint32_t i = from; i < to; i++)
        sum += value->numbers[i];
    return sum;
}

// Returns the number of elements of the shape to which the arguments broadcast, without the last
// `slots[0]` dimensions.
static double apply_broadcast(const struct formula_scope *scope, const struct formula_slot *slots,
                              size_t count)
{
    double dims[FORMULA_RANK], elements = 1;
    size_t tensors = 0;
    double dropped = slots[0].number;
    if (!(dropped >= 0 && dropped <= FORMULA_RANK))
        return (double)NAN;
    for (size_t d = 0; d < FORMULA_RANK; d++)
        dims[d] = 1;
    for (size_t s = 1; s < count; s++) {
        struct argument_span span = span_of(scope, &slots[s]);
        for (size_t i = 0; i < span.count; i++) {
            const struct formula_value *value = &span.items[i];
            if (!value->is_there || (!value->is_tensor && (span.is_all || !value->is_scalar)))
                continue;
            tensors++;
            for (uint32_t d = (uint32_t)dropped;
                 !value->is_scalar && d < value->count && d < FORMULA_RANK; d++) {
                double dim = value->numbers[value->count - 1 - d];
                if (dims[d] == 1)
                    dims[d] = dim;
                else if (dim != 1 && dim != dims[d])
                    return (double)NAN;
            }
        }
    }
    for (size_t d = (size_t)dropped; d < FORMULA_RANK; d++)
        elements *= dims[d] < 0 ? (double)NAN : dims[d];
    return tensors ? elements : (double)NAN;
}

// Returns 1 if the list of the shapes of all tensors is one list repeated `slots[0]` times, as in
// concatenated lists of weights, gradients and moments.
static double apply_repeats(const struct formula_scope *scope, const struct formula_slot *slots,
                            size_t count)
{
    enum { MAX_TENSORS = 4096 };
    (void)count;
    const struct formula_value *tensors[MAX_TENSORS];
    size_t tensor_count = 0;
    double times = slots[0].number;
    for (size_t i = 0; i < scope->all_count && tensor_count < MAX_TENSORS; i++)
        if (scope->all[i].is_tensor)
            tensors[tensor_count++] = &scope->all[i];
    if (!(times >= 1 && times <= (double)tensor_count) || times != floor(times))
        return tensor_count ? 0 : (double)NAN;
    size_t length = tensor_count / (size_t)times;
    if (length * (size_t)times != tensor_count)
        return 0;
    for (size_t i = length; i < tensor_count; i++) {
        const struct formula_value *a = tensors[i - length], *b = tensors[i];
        if (a->count != b->count ||
            (a->count && memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers) != 0))
            return 0;
    }
    return 1;
}

// Returns the number of elements of a tensor that is created from sizes: zeros(3, 5), zeros((3,
// 5)).
static double apply_created_elements(const struct formula_scope *scope,
                                     const struct formula_slot *slots, size_t count)
{
    struct argument_span span = span_of(scope, &slots[0]);
    double elements = 1;
    size_t numbers = 0;
    (void)count;
    for (size_t i = 0; i < span.count; i++) {
        const struct formula_value *value = &span.items[i];
        bool is_size = value->is_there && !value->is_tensor && value->count > 0 &&
                       value->item_bytes != 1; // excludes True and False
        if (!is_size || (numbers && !value->is_scalar))
            break;
        elements *= product(value, 0, value->count);
        numbers++;
        if (!value->is_scalar)
            break;
    }
    return numbers ? elements : (double)NAN;
}

// ---- einsum ------------------------------------------------------------------------------------

enum {
    LETTER_SIZES = 128, // by ASCII code of the letter
    MAX_ELLIPSIS = 32,  // dimensions that an ellipsis may stand for
    SIZE_COUNT = LETTER_SIZES + MAX_ELLIPSIS
};

// Not isalpha(): that depends on the locale above ASCII.
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_ellipsis(const char *text)
{
    return strncmp(text, "...", 3) == 0;
}

// Returns the number of letters of one tensor in the equation.
static uint32_t letters_of(const char *text)
{
    uint32_t count = 0;
    for (; *text && *text != ',' && *text != '-'; text++)
        count += is_letter(*text);
    return count;
}

// Merges a dimension into the size of a letter, NAN if it has none yet. Returns false if they
// conflict; a dimension of 1 matches any size.
static bool merge_size(double *size, double dimension)
{
    if (isnan(*size) || *size == 1)
        *size = dimension;
    return dimension == 1 || dimension == *size;
}

// Reads the dimensions of one tensor by its letters and moves *text past them. An ellipsis stands
// for the dimensions without a letter; ellipses of several tensors are aligned at their last
// dimension.
static bool read_tensor(const char **text, const struct formula_value *tensor,
                        double sizes[SIZE_COUNT])
{
    uint32_t letters = letters_of(*text), dim = 0;
    bool has_ellipsis = false;
    const char *c = *text;
    for (; *c && *c != ',' && *c != '-'; c++) {
        if (*c == ' ')
            continue;
        if (is_ellipsis(c)) {
            if (has_ellipsis || letters > tensor->count || tensor->count - letters > MAX_ELLIPSIS)
                return false;
            has_ellipsis = true;
            for (uint32_t dots = tensor->count - letters; dots > 0; dots--)
                if (!merge_size(&sizes[LETTER_SIZES + dots - 1], tensor->numbers[dim++]))
                    return false;
            c += 2;
        } else if (!is_letter(*c) || dim == tensor->count ||
                   !merge_size(&sizes[(unsigned char)*c], tensor->numbers[dim++])) {
            return false;
        }
    }
    *text = c;
    return dim == tensor->count;
}

// Computes the sizes of an equation such as "ij,jk->ik" from the tensors: first by letter, then the
// dimensions of the ellipsis from the last to the first; NaN if unused. Returns false if equation
// and tensors do not match.
static bool einsum_sizes(const struct formula_scope *scope, const char *equation,
                         double sizes[SIZE_COUNT])
{
    size_t next = 0;
    for (size_t i = 0; i < SIZE_COUNT; i++)
        sizes[i] = (double)NAN;
    const char *c = equation;
    while (*c && strncmp(c, "->", 2) != 0) {
        while (next < scope->all_count && !scope->all[next].is_tensor)
            next++;
        if (next == scope->all_count || !read_tensor(&c, &scope->all[next++], sizes))
            return false;
        if (*c == ',')
            c++;
        else if (*c == '-' && c[1] != '>')
            return false;
    }
    return next > 0;
}

// Returns the product of the used sizes in [from, end).
static double product_of_sizes(const double *sizes, size_t from, size_t end)
{
    double result = 1;
    for (size_t i = from; i < end; i++)
        result *= isnan(sizes[i]) ? 1 : sizes[i];
    return result;
}

static const char *equation_of(const struct formula_slot *slot)
{
    return slot->value && slot->value->is_there && slot->value->text ? slot->value->text : "";
}

static double apply_einsum(const struct formula_scope *scope, const struct formula_slot *slots,
                           size_t count)
{
    double sizes[SIZE_COUNT];
    (void)count;
    if (!einsum_sizes(scope, equation_of(&slots[0]), sizes))
        return (double)NAN;
    return product_of_sizes(sizes, 0, SIZE_COUNT);
}

// Returns the number of elements of the result. Without an arrow, the result has the dimensions of
// the ellipsis and of the letters that occur once.
static double apply_einsum_out(const struct formula_scope *scope, const struct formula_slot *slots,
                               size_t count)
{
    double sizes[SIZE_COUNT];
    const char *equation = equation_of(&slots[0]), *arrow = strstr(equation, "->");
    (void)count;
    if (!einsum_sizes(scope, equation, sizes))
        return (double)NAN;
    bool has_dots = !arrow || strstr(arrow, "...");
    double elements = has_dots ? product_of_sizes(sizes, LETTER_SIZES, SIZE_COUNT) : 1;
    for (const char *c = arrow ? arrow + 2 : equation; *c; c++)
        if (is_letter(*c) && (arrow || strchr(equation, *c) == strrchr(equation, *c)))
            elements *= sizes[(unsigned char)*c];
    return elements;
}

// ---- tables ------------------------------------------------------------------------------------

const struct formula_function formula_functions[] = {
    {"min", "nn*", apply_min},
    {"max", "nn*", apply_max},
    {"floor", "n", apply_floor},
    {"ceil", "n", apply_ceil},
    {"gcd", "nn", apply_divisor},
    {"if", "nnn", apply_if},
    {"first", "n*", apply_first}, // the first that is known
    {"known", "n", apply_known},
    {"elements", "a", apply_elements},
    {"of_rank", "n", apply_elements_of_rank},
    {"bytes", "a", apply_bytes},
    {"size", "a", apply_size},   // bytes of an element
    {"rank", "a", apply_rank},   // dimensions, or numbers of a tuple
    {"count", "a", apply_count}, // number of tensors
    {"has", "a", apply_has},
    {"tensor", "a", apply_tensor},
    {"is", "at", apply_is},
    {"prod", "ann", apply_product}, // of dimensions [from, to)
    {"sum", "ann", apply_sum},
    {"broadcast", "na*", apply_broadcast},
    {"repeats", "n", apply_repeats},
    {"made", "a", apply_created_elements},
    {"einsum", "a", apply_einsum}, // product of the sizes of all indices
    {"einsum_out", "a", apply_einsum_out},
    {NULL, NULL, NULL},
};

const struct formula_operator formula_operators[] = {
    {"or", 1, apply_or},
    {"and", 2, apply_and},
    {"==", 4, apply_equal},
    {"!=", 4, apply_unequal},
    {"<=", 4, apply_less_equal},
    {"<", 4, apply_less},
    {">=", 4, apply_greater_equal},
    {">", 4, apply_greater},
    {"+", 5, apply_add},
    {"-", 5, apply_subtract},
    {"*", 6, apply_multiply},
    {"/", 6, apply_divide},
    {"%", 6, apply_remainder},
    {NULL, 0, NULL},
};

const struct formula_operator formula_not = {"not", 3, apply_not};
const struct formula_operator formula_negate = {"-", 7, apply_negate};
const struct formula_function formula_index = {"[]", "an", apply_index};
const struct formula_function formula_number = {"", "a", apply_number};
