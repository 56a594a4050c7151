// SPDX-License-Identifier: Apache-2.0
// Operators wait on a stack until one of lower rank, a comma or a bracket comes (Dijkstra's shunting
// yard); what leaves it becomes a step. The kinds of the values that the steps would leave are followed
// meanwhile, so that steps that were taken can be worked out without looking.
#include "base/formula_expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum step_kind { STEP_NUMBER, STEP_NAME, STEP_VALUE, STEP_ALL, STEP_TEXT, STEP_APPLY };

// What stands on the machine's stack: a number, an argument (its row) or a text (its step).
struct slot {
    double number;
    const struct formula_value *value; // NULL: all of them
    const char *text;
};

struct step {
    enum step_kind kind;
    uint32_t count; // APPLY: how many slots it takes
    uint32_t row;   // NAME, VALUE
    double number;
    const char *text;
    double (*apply)(const struct formula_scope *scope, const struct slot *slots, size_t count);
};

struct formula_expression {
    size_t count;
    struct step *steps;
};

// ---- numbers -----------------------------------------------------------------------------------

static double truth(bool is_true)
{
    return is_true ? 1 : 0;
}

#define BINARY(name, expression)                                                                  \
    static double name(const struct formula_scope *scope, const struct slot *slots, size_t count) \
    {                                                                                             \
        (void)scope, (void)count;                                                                 \
        double a = slots[0].number, b = slots[1].number;                                          \
        return isnan(a) || isnan(b) ? (double)NAN : (expression);                                 \
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

static double apply_and(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    double a = slots[0].number, b = slots[1].number;
    if (a == 0 || b == 0)
        return 0;
    return isnan(a) || isnan(b) ? (double)NAN : 1;
}

static double apply_or(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    double a = slots[0].number, b = slots[1].number;
    if ((!isnan(a) && a != 0) || (!isnan(b) && b != 0))
        return 1;
    return isnan(a) || isnan(b) ? (double)NAN : 0;
}

static double apply_not(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    return isnan(slots[0].number) ? (double)NAN : truth(slots[0].number == 0);
}

static double apply_negate(const struct formula_scope *scope, const struct slot *slots,
                           size_t count)
{
    (void)scope, (void)count;
    return -slots[0].number;
}

static double apply_if(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    if (isnan(slots[0].number))
        return (double)NAN;
    return slots[slots[0].number != 0 ? 1 : 2].number;
}

static double apply_min(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope;
    double least = slots[0].number;
    for (size_t i = 1; i < count; i++)
        if (isnan(slots[i].number) || slots[i].number < least)
            least = slots[i].number;
    return least;
}

static double apply_max(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope;
    double most = slots[0].number;
    for (size_t i = 1; i < count; i++)
        if (isnan(slots[i].number) || slots[i].number > most)
            most = slots[i].number;
    return most;
}

static double apply_first(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope;
    for (size_t i = 0; i < count; i++)
        if (!isnan(slots[i].number))
            return slots[i].number;
    return (double)NAN;
}

static double apply_known(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    return truth(!isnan(slots[0].number));
}

static double apply_floor(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    return floor(slots[0].number);
}

static double apply_ceil(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    return ceil(slots[0].number);
}

// ---- arguments ---------------------------------------------------------------------------------

struct span { // the arguments that a slot stands for
    const struct formula_value *items;
    size_t count;
    bool is_all;
};

static struct span span_of(const struct formula_scope *scope, const struct slot *slot)
{
    if (slot->value)
        return (struct span){slot->value, 1, false};
    return (struct span){scope->all, scope->all_count, true};
}

static double item_bytes_of(const struct formula_scope *scope, const struct formula_value *value)
{
    return isnan(value->item_bytes) ? scope->item_bytes : value->item_bytes;
}

static double product(const struct formula_value *value, uint32_t from, uint32_t to)
{
    double all = 1;
    for (uint32_t i = from; i < to; i++)
        all *= value->numbers[i] < 0 ? (double)NAN : value->numbers[i];
    return all;
}

static double elements_of(const struct formula_value *value)
{
    if (!value->is_there || (!value->is_tensor && !value->is_scalar))
        return (double)NAN;
    return value->is_scalar ? 1 : product(value, 0, value->count);
}

// Of all: the sum over those that are tensors, of which there must be some.
static double sum_over(const struct formula_scope *scope, const struct slot *slot, bool of_bytes)
{
    struct span span = span_of(scope, slot);
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

static double apply_elements(const struct formula_scope *scope, const struct slot *slots,
                             size_t count)
{
    (void)count;
    return sum_over(scope, &slots[0], false);
}

// Elements of all tensors of so many dims: of weights that are matrices, and not of their biases.
static double apply_of_rank(const struct formula_scope *scope, const struct slot *slots,
                            size_t count)
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

static double apply_bytes(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)count;
    return sum_over(scope, &slots[0], true);
}

static double apply_size(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)count;
    struct span span = span_of(scope, &slots[0]);
    for (size_t i = 0; i < span.count; i++)
        if (span.items[i].is_tensor)
            return item_bytes_of(scope, &span.items[i]);
    return (double)NAN;
}

static double apply_rank(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    return value && value->is_there ? (double)value->count : (double)NAN;
}

static double apply_count(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)count;
    struct span span = span_of(scope, &slots[0]);
    double tensors = 0;
    for (size_t i = 0; i < span.count; i++)
        tensors += span.items[i].is_there && span.items[i].is_tensor;
    return tensors;
}

static double apply_has(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)count;
    struct span span = span_of(scope, &slots[0]);
    return truth(span.count > 0 && span.items[0].is_there);
}

static double apply_tensor(const struct formula_scope *scope, const struct slot *slots,
                           size_t count)
{
    (void)count;
    struct span span = span_of(scope, &slots[0]);
    return truth(span.count > 0 && span.items[0].is_there && span.items[0].is_tensor);
}

static double apply_is(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    if (!value || !value->is_there || !value->text)
        return (double)NAN;
    return truth(strcmp(value->text, slots[1].text) == 0);
}

// A place in an argument; behind its end: count.
static bool place(const struct formula_value *value, double index, uint32_t *at)
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

static double apply_index(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    uint32_t at;
    if (!value || !value->is_there || isnan(slots[1].number))
        return (double)NAN;
    if (value->is_scalar)
        return value->count ? value->numbers[0] : (double)NAN;
    if (!place(value, slots[1].number, &at) || at == value->count)
        return (double)NAN;
    return value->numbers[at];
}

static double apply_number(const struct formula_scope *scope, const struct slot *slots,
                           size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    bool is_number = value && value->is_there && !value->is_tensor && value->count == 1;
    return is_number ? value->numbers[0] : (double)NAN;
}

static double apply_product(const struct formula_scope *scope, const struct slot *slots,
                            size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    uint32_t from, to;
    if (!value || !value->is_there || !place(value, slots[1].number, &from) ||
        !place(value, slots[2].number, &to))
        return (double)NAN;
    return product(value, from, to);
}

static double apply_sum(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    (void)scope, (void)count;
    const struct formula_value *value = slots[0].value;
    uint32_t from, to;
    if (!value || !value->is_there || !place(value, slots[1].number, &from) ||
        !place(value, slots[2].number, &to))
        return (double)NAN;
    double sum = 0;
    for (uint32_t i = from; i < to; i++)
        sum += value->numbers[i];
    return sum;
}

// Elements of what tensors of these shapes give together, without their last `slots[0]` dims.
static double apply_broadcast(const struct formula_scope *scope, const struct slot *slots,
                              size_t count)
{
    double dims[FORMULA_RANK], all = 1;
    size_t tensors = 0;
    double drop = slots[0].number;
    if (!(drop >= 0 && drop <= FORMULA_RANK))
        return (double)NAN;
    for (size_t d = 0; d < FORMULA_RANK; d++)
        dims[d] = 1;
    for (size_t s = 1; s < count; s++) {
        struct span span = span_of(scope, &slots[s]);
        for (size_t i = 0; i < span.count; i++) {
            const struct formula_value *value = &span.items[i];
            if (!value->is_there || (!value->is_tensor && (span.is_all || !value->is_scalar)))
                continue;
            tensors++;
            for (uint32_t d = (uint32_t)drop;
                 !value->is_scalar && d < value->count && d < FORMULA_RANK; d++) {
                double dim = value->numbers[value->count - 1 - d];
                if (dims[d] == 1)
                    dims[d] = dim;
                else if (dim != 1 && dim != dims[d])
                    return (double)NAN;
            }
        }
    }
    for (size_t d = (size_t)drop; d < FORMULA_RANK; d++)
        all *= dims[d] < 0 ? (double)NAN : dims[d];
    return tensors ? all : (double)NAN;
}

// Whether the shapes of all tensors are so many times the same ones: lists that stand behind each
// other, of weights, gradients, moments.
static double apply_repeats(const struct formula_scope *scope, const struct slot *slots,
                            size_t count)
{
    enum { MOST = 4096 };
    (void)count;
    const struct formula_value *tensors[MOST];
    size_t found = 0;
    double times = slots[0].number;
    for (size_t i = 0; i < scope->all_count && found < MOST; i++)
        if (scope->all[i].is_tensor)
            tensors[found++] = &scope->all[i];
    if (!(times >= 1 && times <= (double)found) || times != floor(times))
        return found ? 0 : (double)NAN;
    size_t run = found / (size_t)times;
    if (run * (size_t)times != found)
        return 0;
    for (size_t i = run; i < found; i++) {
        const struct formula_value *a = tensors[i - run], *b = tensors[i];
        if (a->count != b->count ||
            (a->count && memcmp(a->numbers, b->numbers, a->count * sizeof *a->numbers) != 0))
            return 0;
    }
    return 1;
}

// Elements of a tensor that is made from sizes: zeros(3, 5), zeros((3, 5)).
static double apply_made(const struct formula_scope *scope, const struct slot *slots, size_t count)
{
    struct span span = span_of(scope, &slots[0]);
    double all = 1;
    size_t numbers = 0;
    (void)count;
    for (size_t i = 0; i < span.count; i++) {
        const struct formula_value *value = &span.items[i];
        bool is_size = value->is_there && !value->is_tensor && value->count > 0 &&
                       value->item_bytes != 1; // True and False are none
        if (!is_size || (numbers && !value->is_scalar))
            break;
        all *= product(value, 0, value->count);
        numbers++;
        if (!value->is_scalar)
            break;
    }
    return numbers ? all : (double)NAN;
}

// ---- Einstein's sums ---------------------------------------------------------------------------

enum { LETTERS = 128 };

// Nobody else's: what is a letter above ASCII, the locale says.
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Sizes by letter from "ij,jk->ik" and the tensors; NaN: not in it. False: they do not fit.
static bool einsum_sizes(const struct formula_scope *scope, const char *equation,
                         double sizes[LETTERS])
{
    size_t next = 0;
    for (size_t i = 0; i < LETTERS; i++)
        sizes[i] = (double)NAN;
    const char *c = equation;
    while (*c && strncmp(c, "->", 2) != 0) {
        while (next < scope->all_count && !scope->all[next].is_tensor)
            next++;
        if (next == scope->all_count)
            return false;
        const struct formula_value *tensor = &scope->all[next++];
        uint32_t dim = 0;
        for (; *c && *c != ',' && *c != '-'; c++) {
            if (*c == ' ')
                continue;
            if (!is_letter(*c) || dim == tensor->count)
                return false; // an ellipsis, too: nothing is guessed
            double *size = &sizes[(unsigned char)*c], own = tensor->numbers[dim++];
            if (isnan(*size) || *size == 1)
                *size = own;
            else if (own != 1 && own != *size)
                return false;
        }
        if (dim != tensor->count)
            return false;
        if (*c == ',')
            c++;
    }
    return next > 0;
}

static const char *equation_of(const struct slot *slot)
{
    return slot->value && slot->value->is_there && slot->value->text ? slot->value->text : "";
}

static double apply_einsum(const struct formula_scope *scope, const struct slot *slots,
                           size_t count)
{
    double sizes[LETTERS], all = 1;
    (void)count;
    if (!einsum_sizes(scope, equation_of(&slots[0]), sizes))
        return (double)NAN;
    for (size_t i = 0; i < LETTERS; i++)
        all *= isnan(sizes[i]) ? 1 : sizes[i];
    return all;
}

// Elements of the result; without an arrow it has the letters that stand once.
static double apply_einsum_out(const struct formula_scope *scope, const struct slot *slots,
                               size_t count)
{
    double sizes[LETTERS], all = 1;
    const char *equation = equation_of(&slots[0]), *arrow = strstr(equation, "->");
    (void)count;
    if (!einsum_sizes(scope, equation, sizes))
        return (double)NAN;
    for (const char *c = arrow ? arrow + 2 : equation; *c; c++)
        if (is_letter(*c) && (arrow || strchr(equation, *c) == strrchr(equation, *c)))
            all *= sizes[(unsigned char)*c];
    return all;
}

// ---- the tables --------------------------------------------------------------------------------

typedef double apply_function(const struct formula_scope *scope, const struct slot *slots,
                              size_t count);

static const struct function {
    const char *name;
    const char *takes; // n: a number, a: an argument, t: a text; *: the last once more and more
    apply_function *apply;
} functions[] = {
    {"min", "nn*", apply_min},
    {"max", "nn*", apply_max},
    {"floor", "n", apply_floor},
    {"ceil", "n", apply_ceil},
    {"if", "nnn", apply_if},
    {"first", "n*", apply_first}, // the first that is known
    {"known", "n", apply_known},
    {"elements", "a", apply_elements},
    {"of_rank", "n", apply_of_rank},
    {"bytes", "a", apply_bytes},
    {"size", "a", apply_size},   // bytes of an element
    {"rank", "a", apply_rank},   // dims, or numbers of a tuple
    {"count", "a", apply_count}, // tensors
    {"has", "a", apply_has},
    {"tensor", "a", apply_tensor},
    {"is", "at", apply_is},
    {"prod", "ann", apply_product}, // of dims from, to (without it)
    {"sum", "ann", apply_sum},
    {"broadcast", "na*", apply_broadcast},
    {"repeats", "n", apply_repeats},
    {"made", "a", apply_made},
    {"einsum", "a", apply_einsum}, // the product of the sizes of all indices
    {"einsum_out", "a", apply_einsum_out},
};

static const struct operator_row {
    const char *sign;
    int rank;
    apply_function *apply;
} operators[] = {
    // What begins like another one stands before it.
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
};

enum { RANK_NOT = 3, RANK_NEGATE = 7 };

// ---- reading -----------------------------------------------------------------------------------

enum waiting_kind { WAITING_OPERATOR, WAITING_BRACKET, WAITING_CALL, WAITING_INDEX };

struct waiting {
    enum waiting_kind kind;
    int rank;                        // OPERATOR
    uint32_t takes;                  // OPERATOR: 1 or 2
    apply_function *apply;           // OPERATOR
    const struct function *function; // CALL
    uint32_t argument;               // CALL: which one is being read
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
static bool add_apply(struct reader *reader, apply_function *apply, uint32_t count,
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

// Steps of the operators that wait and bind as strongly as `rank` or stronger.
static bool settle(struct reader *reader, int rank)
{
    while (reader->waiting_count > 0) {
        const struct waiting *top = &reader->waiting[reader->waiting_count - 1];
        if (top->kind != WAITING_OPERATOR || top->rank < rank)
            return true;
        reader->waiting_count--;
        if (!add_apply(reader, top->apply, top->takes, "nn"))
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
    return takes_argument(reader) || add_apply(reader, apply_number, 1, "a");
}

static bool read_call(struct reader *reader, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0) {
            reader->at++;
            return wait(reader, (struct waiting){.kind = WAITING_CALL, .function = &functions[i]});
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
        return wait(reader, (struct waiting){WAITING_OPERATOR, RANK_NOT, 1, apply_not, NULL, 0});
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
        return wait(reader,
                    (struct waiting){WAITING_OPERATOR, RANK_NEGATE, 1, apply_negate, NULL, 0});
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
        fits = add_apply(reader, apply_index, 2, "an");
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
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i].sign);
        if (strncmp(reader->at, operators[i].sign, length) != 0)
            continue;
        if (isalpha((unsigned char)*operators[i].sign) &&
            (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_'))
            continue;
        if (!settle(reader, operators[i].rank))
            return false;
        reader->at += length;
        *more = true;
        return wait(reader, (struct waiting){WAITING_OPERATOR, operators[i].rank, 2,
                                             operators[i].apply, NULL, 0});
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
    struct slot slots[FORMULA_DEPTH] = {{.number = (double)NAN}};
    size_t depth = 0;
    for (size_t i = 0; i < expression->count; i++) {
        const struct step *step = &expression->steps[i];
        struct slot slot = {.number = step->number, .text = step->text};
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
