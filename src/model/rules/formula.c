// SPDX-License-Identifier: Apache-2.0
// Evaluates formulas.
//
// Terms:
// - row: a formula of the rules, with the names of its ops, its arguments and its parts;
// - question: an op run with its arguments and kernels (struct formula_query);
// - part: one operation of a row, which one kernel computes (formula_share.c);
// - figure: FLOPs or bytes.
//
// For a question: finds the first row with the op's name whose condition holds, binds the arguments
// to it, determines the data type, assigns the kernels to the parts, and computes the figures of
// the run and of each kernel. Answers are cached by question.
#include "model/rules/formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/profile/data_types.h"
#include "model/rules/formula_share.h"
#include "model/rules/rules.h"
#include "model/rules/rules_formulas.h"

struct evaluated_question { // slot of the hash table of evaluated questions
    uint64_t hash;
    struct formula_query question; // a copy
    const struct formula_result *answer;
};

struct formula_evaluator *formula_evaluator_new_with(const struct formula_rules *rules,
                                                     const struct profile *profile,
                                                     struct arena *arena)
{
    struct formula_evaluator *desk = ARENA_NEW(arena, struct formula_evaluator);
    *desk = (struct formula_evaluator){
        .profile = profile,
        .arena = arena,
        .rules = rules,
        .roles = ARENA_ARRAY(arena, uint32_t, (size_t)profile->function_count + 1),
        .types = ARENA_ARRAY(arena, const struct data_type *, (size_t)profile->function_count + 1),
    };
    return desk;
}

struct formula_evaluator *formula_evaluator_new(const struct profile *profile, struct arena *arena)
{
    return formula_evaluator_new_with(rules_formulas(rules_get()), profile, arena);
}

// ---- kernels -----------------------------------------------------------------------------------

static void find_roles(struct formula_evaluator *desk, uint32_t function)
{
    const struct function *row = &desk->profile->functions[function];
    string_id name = row->full != STRING_NONE ? row->full : row->brief;
    const char *text = profile_text(desk->profile, name);
    size_t length = strings_length(desk->profile->strings, name);
    uint32_t roles = FORMULA_HAS_ROLES;
    for (size_t i = 0; i < desk->rules->role_count; i++)
        if (pattern_match(desk->rules->roles[i].match, text, length))
            roles |= 1U << i;
    desk->roles[function] = roles;
    desk->types[function] = data_type_of_kernel(text);
}

uint32_t formula_roles(struct formula_evaluator *desk, uint32_t function)
{
    if (function >= desk->profile->function_count)
        return 0;
    if (!(desk->roles[function] & FORMULA_HAS_ROLES))
        find_roles(desk, function);
    return desk->roles[function];
}

bool formula_is_helper(struct formula_evaluator *desk, uint32_t function)
{
    return (formula_roles(desk, function) & desk->rules->helper) != 0;
}

bool formula_is_product(struct formula_evaluator *desk, uint32_t function)
{
    return (formula_roles(desk, function) & desk->rules->product) != 0 &&
           !formula_is_helper(desk, function);
}

bool formula_is_of_model(struct formula_evaluator *desk, uint32_t function)
{
    return (formula_roles(desk, function) & desk->rules->model) != 0 &&
           !formula_is_helper(desk, function);
}

// ---- rows of an op -----------------------------------------------------------------------------

struct row_search { // iterates over the rows that match the names of an op
    const char *module, *op;
    char library_op[200]; // "aten::mm" for "torch._ops.aten" and "mm.default"; "": no such names
    const char *name;
    char buffer[200];
    int step;
    size_t at, count;
};

// Sets the name within its library, without the overload, from "torch._ops.aten" and "mm.default",
// "torch.ops.aten.mm" and "default", or "torch._ops" and "aten::mm".
static void find_library_op(struct row_search *search)
{
    static const char *const fronts[] = {"torch._ops.", "torch.ops."};
    char whole[200];
    snprintf(whole, sizeof whole, "%s.%s", search->module, search->op);
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        size_t front = strlen(fronts[i]);
        if (strncmp(whole, fronts[i], front) != 0)
            continue;
        const char *library = whole + front, *name = library + strcspn(library, ".:");
        int length = (int)(name - library);
        name += strspn(name, ".:");
        if (length > 0 && *name)
            snprintf(search->library_op, sizeof search->library_op, "%.*s::%.*s", length, library,
                     (int)strcspn(name, "."), name);
    }
}

static struct row_search row_search_open(const char *module, const char *op)
{
    struct row_search search = {.module = module ? module : "", .op = op ? op : ""};
    find_library_op(&search);
    return search;
}

// Tries "aten::relu_", "aten::relu", "relu_", "relu"; then the same forms of the torch.ops name,
// which has no module.
static bool next_name(struct row_search *search)
{
    enum { STEPS = 4 };
    for (search->step++; search->step <= 2 * STEPS; search->step++) {
        bool is_library = search->step > STEPS;
        int step = search->step - is_library * STEPS;
        const char *op = is_library ? search->library_op : search->op;
        size_t length = strlen(op);
        bool is_aten = strncmp(op, "aten::", 6) == 0;
        bool is_in_place = length > 1 && op[length - 1] == '_' && op[length - 2] != '_';
        bool cuts_front = step == 3 || step == 4, cuts_back = step == 2 || step == 4;
        if (!length || (cuts_front && !is_aten) || (cuts_back && !is_in_place))
            continue;
        const char *from = op + (cuts_front ? 6 : 0);
        snprintf(search->buffer, sizeof search->buffer, "%.*s",
                 (int)(strlen(from) - (size_t)cuts_back), from);
        search->name = search->buffer;
        if (is_library)
            search->module = "";
        return true;
    }
    return false;
}

static bool is_of_module(const struct formula_row *row, const char *module)
{
    if (row->module_count == 0 || !*module)
        return true;
    for (size_t i = 0; i < row->module_count; i++)
        if (strcmp(row->modules[i], module) == 0)
            return true;
    return false;
}

static const struct formula_row *next_row(const struct formula_rules *rules,
                                          struct row_search *search)
{
    for (;;) {
        while (search->count > 0) {
            search->count--;
            const struct formula_row *row = &rules->rows[rules->ops[search->at++].row];
            if (is_of_module(row, search->module))
                return row;
        }
        if (!next_name(search))
            return NULL;
        search->at = formula_rules_find(rules, search->name, &search->count);
    }
}

bool formula_has_row(const struct formula_evaluator *desk, const char *module, const char *op)
{
    struct row_search search = row_search_open(module, op);
    return next_row(desk->rules, &search) != NULL;
}

bool formula_serves(const struct formula_evaluator *desk, const char *op, const char *outer)
{
    struct row_search search = row_search_open("", op);
    const struct formula_row *row = next_row(desk->rules, &search);
    if (outer && strncmp(outer, "aten::", 6) == 0)
        outer += 6;
    for (size_t i = 0; row && i < row->within_count; i++)
        if (!outer || strcmp(row->within[i], outer) == 0)
            return true;
    return false;
}

// ---- arguments ---------------------------------------------------------------------------------

static bool is_called(const struct formula_argument *argument, const char *name)
{
    if (strcmp(argument->name, name) == 0)
        return true;
    for (size_t i = 0; i < FORMULA_KEYWORDS && argument->keywords[i]; i++)
        if (strcmp(argument->keywords[i], name) == 0)
            return true;
    return false;
}

// Binds the values [from, from + count) to the arguments [first, end) of the row.
static void bind_some(struct formula_case *c, struct formula_value *values, uint32_t from,
                      uint32_t count, size_t first, size_t end)
{
    const struct formula_row *row = c->row;
    size_t position = first;
    for (uint32_t i = from; i < from + count; i++) {
        const struct marker_argument *argument = &c->arguments[i];
        size_t at = end;
        if (argument->name == STRING_NONE)
            at = position++;
        else
            for (size_t n = end; n-- > first;)
                if (is_called(&row->arguments[n], profile_text(c->profile, argument->name)))
                    at = n;
        if (at >= end || c->bound[at] >= 0)
            continue;
        c->bound[at] = (int)i;
        values[at] = c->values[i];
        const char *type = row->arguments[at].type;
        if (type && argument->dtype == STRING_NONE && values[at].is_tensor)
            values[at].item_bytes = data_type_find(type) ? data_type_find(type)->bytes : NAN;
    }
}

// Binds the values of the op, then the values of its backward op, to the arguments of the row.
// Arguments without a value have is_there false.
static void bind(struct formula_case *c)
{
    size_t own = c->row->argument_count, all = own + c->row->backward_count;
    struct formula_value *values = ARENA_ARRAY(c->arena, struct formula_value, all + 1);
    c->scope.values = values;
    c->bound = ARENA_ARRAY(c->arena, int, all + 1);
    for (size_t i = 0; i <= all; i++)
        c->bound[i] = -1;
    bind_some(c, values, 0, c->value_count, 0, own);
    bind_some(c, values, c->value_count, c->backward_count, own, all);
}

// ---- the type of an op -------------------------------------------------------------------------

static const struct data_type *argument_type(const struct formula_case *c, int argument)
{
    if (argument < 0)
        return NULL;
    const struct marker_argument *row = &c->arguments[argument];
    if (!row->is_tensor && !c->values[argument].is_scalar)
        return NULL;
    return data_type_find(profile_text(c->profile, row->is_tensor ? row->dtype : row->type));
}

static const struct data_type *recorded_type(const struct formula_case *c)
{
    if (c->row && c->row->type >= 0)
        return argument_type(c, c->bound[c->row->type]);
    for (int of_tensors = 1; of_tensors >= 0; of_tensors--) // tensors first, then scalars
        for (uint32_t i = 0; i < c->value_count; i++)
            if (c->values[i].is_tensor == of_tensors && argument_type(c, (int)i))
                return argument_type(c, (int)i);
    return NULL;
}

// Returns the roles of the row's main parts, without side work such as adding a bias.
static uint32_t main_part_roles(const struct formula_case *c)
{
    uint32_t roles = 0;
    for (int phase = 0; c->row && phase < FORMULA_PHASES; phase++)
        for (size_t p = 0; p < c->row->part_count[phase]; p++) {
            const struct formula_part *part = &c->row->parts[phase][p];
            if (part->role != ROLE_ANY && !part->is_side_work)
                roles |= 1U << part->role;
            if (part->other_role != ROLE_ANY && !part->is_side_work)
                roles |= 1U << part->other_role;
        }
    return roles;
}

static bool is_complex(const struct data_type *type)
{
    return strncmp(type->name, "complex", 7) == 0;
}

// Returns the data type in the name of the last kernel that has one of these roles; with `roles` 0,
// of any kernel that is no helper. A complex type of a convolution's kernel is that of an FFT, not
// of the data, and is skipped.
static const struct data_type *kernel_type(struct formula_evaluator *desk,
                                           const struct formula_query *question, uint32_t roles)
{
    for (uint32_t i = question->kernel_count; i-- > 0;) {
        uint32_t function = question->functions[i];
        const struct data_type *type =
            function < desk->profile->function_count && !formula_is_helper(desk, function)
                ? desk->types[function]
                : NULL;
        bool is_of_fft = type && is_complex(type) && roles & desk->rules->conv;
        if (type && !is_of_fft && (!roles || (formula_roles(desk, function) & roles)))
            return type;
    }
    return NULL;
}

static bool has_tensors(const struct formula_case *c)
{
    for (uint32_t i = 0; i < c->value_count; i++)
        if (c->values[i].is_tensor)
            return true;
    return false;
}

// Determines the data type of the op and the element size of arguments without a type. If the
// arguments do not tell, the names of the main parts' kernels do, and only then those of others: a
// kernel that sums a bias in FP32 says nothing about the 16-bit product before it.
static void find_type(struct formula_evaluator *desk, struct formula_case *c)
{
    const struct formula_query *question = c->question;
    uint32_t own = main_part_roles(c);
    c->type = recorded_type(c);
    c->is_typed = c->type != NULL;
    if (!c->type)
        c->type = kernel_type(desk, question, own);
    if (!c->type && question->dtype)
        c->type = data_type_find(question->dtype);
    if (!c->type && own)
        c->type = kernel_type(desk, question, 0);
    c->is_guess = !c->type && has_tensors(c);
    if (c->is_guess)
        c->type = data_type_find("fp32");
    c->scope.item_bytes = c->type ? c->type->bytes : (double)NAN;
}

// ---- a question about one row ------------------------------------------------------------------

// Returns whether the kernels compute only one half of an attention; NaN when their names do not
// say.
static double is_causal(struct formula_evaluator *desk, const struct formula_query *question)
{
    for (uint32_t k = 0; k < question->kernel_count; k++) {
        uint32_t roles = formula_roles(desk, question->functions[k]);
        if (roles & (desk->rules->causal | desk->rules->not_causal))
            return (roles & desk->rules->causal) != 0;
    }
    return (double)NAN;
}

static void evaluate_numbers(struct formula_evaluator *desk, struct formula_case *c)
{
    const struct formula_row *row = c->row;
    double *numbers = ARENA_ARRAY(c->arena, double, FORMULA_BUILT_IN + row->number_count);
    c->scope.numbers = numbers;
    numbers[NUMBER_SIZE] = c->type ? c->type->bytes : (double)NAN;
    numbers[NUMBER_TYPED] = c->is_typed;
    numbers[NUMBER_BACKWARD] = c->question->is_backward;
    numbers[NUMBER_KERNELS] = c->question->kernel_count;
    numbers[NUMBER_RANKS] = c->question->rank_count ? c->question->rank_count : (double)NAN;
    numbers[NUMBER_CAUSAL] = is_causal(desk, c->question);
    numbers[NUMBER_FORWARD_PART] =
        c->question->forward_part ? c->question->forward_part : (double)NAN;
    numbers[NUMBER_UNKNOWN] = (double)NAN;
    for (size_t i = 0; i < row->number_count; i++)
        numbers[FORMULA_BUILT_IN + i] = formula_evaluate(row->numbers[i], &c->scope);
}

static bool row_fits(struct formula_evaluator *desk, struct formula_case *c,
                     const struct formula_row *row)
{
    c->row = row;
    bind(c);
    find_type(desk, c);
    evaluate_numbers(desk, c);
    double condition = row->when ? formula_evaluate(row->when, &c->scope) : 1;
    return !isnan(condition) && condition != 0;
}

static const struct formula_row *find_row(struct formula_evaluator *desk, struct formula_case *c)
{
    struct row_search search = row_search_open(c->question->module, c->question->op);
    const struct formula_row *row;
    while ((row = next_row(desk->rules, &search)))
        if (row_fits(desk, c, row))
            return row;
    return NULL;
}

// ---- the answer --------------------------------------------------------------------------------

static double figure(const struct formula_case *c, const struct formula_expression *expression)
{
    double value = expression ? formula_evaluate(expression, &c->scope) : (double)NAN;
    return isnan(value) || value < 0 ? FORMULA_UNKNOWN : value;
}

static bool is_of_model(const struct formula_assignment *assignment,
                        const struct formula_part *part)
{
    return part->role >= 0 && (assignment->desk->rules->model >> part->role & 1);
}

// Returns the FLOPs of a part. If the part is of the model, they are multiplied for complex numbers
// (a product consists of four real ones) and for types that pack several numbers per element.
static double work_figure(const struct formula_case *c, const struct formula_assignment *assignment,
                          const struct formula_part *part,
                          const struct formula_expression *expression)
{
    double value = figure(c, expression);
    if (value <= 0 || !c->type || !is_of_model(assignment, part))
        return value;
    return value * (is_complex(c->type) ? 4 : c->type->numbers);
}

static double add(double sum, double figure)
{
    return sum < 0 || figure < 0 ? FORMULA_UNKNOWN : sum + figure;
}

static void set_unknown(struct formula_result *answer)
{
    answer->flops = answer->bytes = answer->causal_flops = answer->model_flops = FORMULA_UNKNOWN;
}

// Returns the figure of a part. If it is unsure to which of several parts the kernels belong, these
// parts must have the same figure; otherwise it is unknown.
static double figure_if_agreed(const struct formula_assignment *assignment, const double *figures,
                               int part)
{
    for (size_t p = 0; assignment->unsure >> part & 1 && p < assignment->part_count; p++)
        if (assignment->unsure >> p & 1 && figures[p] != figures[part])
            return FORMULA_UNKNOWN;
    return figures[part];
}

// Gives all unsure parts the text of the parameters that they have in common.
static void use_common_params(const struct formula_case *c,
                              const struct formula_assignment *assignment, const char **params)
{
    const char *text = NULL;
    for (size_t p = 0; p < assignment->part_count; p++)
        if (assignment->unsure >> p & 1) {
            const char *own = formula_params(c, &assignment->parts[p]);
            text = text ? formula_params_common(c->arena, text, own) : own;
        }
    for (size_t p = 0; p < assignment->part_count; p++)
        if (assignment->unsure >> p & 1)
            params[p] = text;
}

// Fills the figures of the run: the sum over the parts that have kernels, or over all parts when
// the run has no kernels.
static void fill_shares(const struct formula_case *c, const struct formula_assignment *assignment,
                        struct formula_result *answer, struct formula_share *shares)
{
    double flops[FORMULA_PARTS] = {0}, bytes[FORMULA_PARTS] = {0};
    const char *params[FORMULA_PARTS] = {""};
    bool has_main = false;
    answer->flops = answer->bytes = answer->causal_flops = answer->model_flops = 0;
    for (size_t p = 0; p < assignment->part_count; p++) {
        const struct formula_part *part = &assignment->parts[p];
        flops[p] = work_figure(c, assignment, part, part->flops);
        bytes[p] = figure(c, part->bytes);
        params[p] = assignment->assigned[p] > 0 || p == 0 ? formula_params(c, part) : "";
    }
    use_common_params(c, assignment, params);
    for (size_t p = 0; p < assignment->part_count; p++) {
        const struct formula_part *part = &assignment->parts[p];
        if (assignment->assigned[p] == 0 && c->question->kernel_count > 0)
            continue;
        double own = figure_if_agreed(assignment, flops, (int)p);
        answer->flops = add(answer->flops, own);
        answer->bytes = add(answer->bytes, figure_if_agreed(assignment, bytes, (int)p));
        double causal =
            part->causal_flops ? work_figure(c, assignment, part, part->causal_flops) : own;
        answer->causal_flops = add(answer->causal_flops, causal);
        answer->model_flops =
            add(answer->model_flops,
                part->model_flops ? work_figure(c, assignment, part, part->model_flops) : causal);
        answer->is_of_model |= is_of_model(assignment, part);
        answer->is_convolution |=
            part->role >= 0 && assignment->desk->rules->convolution >> part->role & 1;
    }
    bool has_rest = c->question->is_backward && c->row->rest.piece_count > 0;
    const char *rest = has_rest ? formula_params(c, &c->row->rest) : params[0];
    for (uint32_t k = 0; k < c->question->kernel_count; k++) {
        int p = assignment->part_of[k];
        shares[k] = (struct formula_share){.params = p == FORMULA_NO_PART ? rest : params[p]};
        if (p == FORMULA_NO_PART)
            continue;
        double assigned = assignment->assigned[p];
        shares[k].part = (uint32_t)p + 1;
        double own_flops = figure_if_agreed(assignment, flops, p),
               own_bytes = figure_if_agreed(assignment, bytes, p);
        shares[k].flops = own_flops < 0 ? FORMULA_UNKNOWN : own_flops / assigned;
        shares[k].bytes = own_bytes < 0 ? FORMULA_UNKNOWN : own_bytes / assigned;
        shares[k].is_unsure = assignment->unsure >> p & 1;
        shares[k].op = assignment->parts[p].op;
        shares[k].is_main = !assignment->parts[p].is_side_work;
        if (shares[k].is_main && !has_main)
            answer->main_kernel = k;
        has_main |= shares[k].is_main;
    }
    if (!has_main && c->question->kernel_count > 0) // the main kernel is not among these kernels
        set_unknown(answer);
    answer->params = c->question->kernel_count ? shares[answer->main_kernel].params : params[0];
}

// Answers for an op without a matching row: lists its arguments; its figures are unknown.
static void answer_unknown(const struct formula_case *c, struct formula_result *answer,
                           struct formula_share *shares)
{
    set_unknown(answer);
    answer->params = formula_params(c, NULL);
    for (uint32_t k = 0; k < c->question->kernel_count; k++)
        shares[k] = (struct formula_share){
            .flops = FORMULA_UNKNOWN, .bytes = FORMULA_UNKNOWN, .params = answer->params};
}

// Returns the type to display. Ops on FP32 data may compute in TF32, or in 16 bit after a cast by
// autocast. Then only the name of the kernel, which uses Tensor Cores, tells the type.
static const char *type_name(struct formula_evaluator *desk, const struct formula_case *c,
                             uint32_t main_kernel)
{
    const struct formula_query *question = c->question;
    if (!c->type)
        return "";
    uint32_t function = question->kernel_count ? question->functions[main_kernel] : ROW_NONE;
    if (strcmp(c->type->name, "fp32") == 0 && function < desk->profile->function_count) {
        formula_roles(desk, function);
        const struct data_type *type = desk->types[function];
        bool uses = desk->profile->functions[function].tensor_core == STATE_YES;
        if (type && (uses || strcmp(type->name, "tf32") == 0))
            return type->name;
    }
    return c->type->name;
}

static uint64_t kernels_hash(const struct formula_query *question)
{
    uint64_t hash = HASH_SEED;
    for (uint32_t k = 0; k < question->kernel_count; k++)
        hash = hash_number(hash, question->functions[k]);
    return hash;
}

static const struct formula_result *evaluate_question(struct formula_evaluator *desk,
                                                      const struct formula_query *question)
{
    struct formula_case c = {.profile = desk->profile, .arena = desk->arena, .question = question};
    struct formula_result *answer = ARENA_NEW(desk->arena, struct formula_result);
    struct formula_share *shares =
        ARENA_ARRAY(desk->arena, struct formula_share, question->kernel_count + 1);
    for (uint32_t k = 0; k < question->kernel_count; k++)
        formula_roles(desk, question->functions[k]);
    formula_case_read(&c);
    *answer = (struct formula_result){.shares = shares, .kernels = kernels_hash(question)};
    c.row = find_row(desk, &c);
    if (!c.row) {
        find_type(desk, &c);
        answer_unknown(&c, answer, shares);
    } else {
        enum formula_phase phase = question->is_backward && c.row->part_count[PHASE_BACKWARD]
                                       ? PHASE_BACKWARD
                                       : PHASE_FORWARD;
        struct formula_assignment assignment = {
            .desk = desk,
            .question = question,
            .parts = c.row->parts[phase],
            .part_count = c.row->part_count[phase],
            .part_of = ARENA_ARRAY(desk->arena, int, question->kernel_count + 1),
        };
        for (uint32_t k = 0; k < question->kernel_count; k++)
            assignment.part_of[k] = FORMULA_NO_PART;
        formula_assign_kernels(&assignment, &c);
        fill_shares(&c, &assignment, answer, shares);
        answer->is_autotuned = assignment.is_autotuned;
        answer->rule = c.row->name;
        answer->row = c.row;
        answer->is_guess = c.row->is_guess;
    }
    answer->is_guess |= c.is_guess;
    answer->is_guess &= answer->flops > 0 || answer->bytes > 0; // without figures there is no guess
    answer->dtype = type_name(desk, &c, answer->main_kernel);
    return answer;
}

// ---- cache of results --------------------------------------------------------------------------

static uint64_t question_hash(const struct formula_query *question)
{
    uint64_t hash = hash_text(HASH_SEED, question->module ? question->module : "");
    hash = hash_number(hash_text(hash, question->op ? question->op : ""), 1);
    hash = hash_number(hash_text(hash, question->dtype ? question->dtype : ""), 2);
    hash = hash_number(hash, (uint64_t)(uintptr_t)question->marker);
    hash = hash_number(hash, (uint64_t)(uintptr_t)question->backward);
    hash = hash_number(hash, (uint64_t)question->is_backward << 32 | question->kernel_count);
    hash = hash_number(hash, (uint64_t)question->forward_part << 32 | question->rank_count);
    return hash_number(hash, kernels_hash(question));
}

static bool is_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool is_same(const struct formula_query *a, const struct formula_query *b)
{
    return a->marker == b->marker && a->backward == b->backward &&
           a->is_backward == b->is_backward && a->kernel_count == b->kernel_count &&
           a->rank_count == b->rank_count && a->forward_part == b->forward_part &&
           is_text(a->op, b->op) && is_text(a->module, b->module) && is_text(a->dtype, b->dtype) &&
           (a->kernel_count == 0 ||
            memcmp(a->functions, b->functions, a->kernel_count * sizeof *a->functions) == 0);
}

static struct evaluated_question *slot_of(const struct formula_evaluator *desk, uint64_t hash,
                                          const struct formula_query *question)
{
    size_t at = (size_t)hash & (desk->slot_count - 1);
    while (desk->slots[at].answer &&
           (desk->slots[at].hash != hash || !is_same(&desk->slots[at].question, question)))
        at = (at + 1) & (desk->slot_count - 1);
    return &desk->slots[at];
}

static void grow_slots(struct formula_evaluator *desk)
{
    struct evaluated_question *old_slots = desk->slots;
    size_t count = desk->slot_count;
    desk->slot_count = count ? count * 2 : 256;
    desk->slots = ARENA_ARRAY(desk->arena, struct evaluated_question, desk->slot_count);
    for (size_t i = 0; i < count; i++)
        if (old_slots[i].answer)
            *slot_of(desk, old_slots[i].hash, &old_slots[i].question) = old_slots[i];
}

// Copies the question: its texts and function rows belong to the caller.
static struct formula_query copy_question(struct arena *arena, const struct formula_query *question)
{
    struct formula_query copy = *question;
    uint32_t *functions = ARENA_ARRAY(arena, uint32_t, question->kernel_count + 1);
    if (question->kernel_count > 0)
        memcpy(functions, question->functions, question->kernel_count * sizeof *functions);
    copy.functions = functions;
    copy.durations = NULL; // not part of the key: it follows from the rest
    copy.op = arena_text(arena, question->op);
    copy.module = arena_text(arena, question->module);
    copy.dtype = arena_text(arena, question->dtype);
    return copy;
}

const struct formula_result *formula_eval_run(struct formula_evaluator *desk,
                                              const struct formula_query *question)
{
    uint64_t hash = question_hash(question);
    if (desk->known_count * 2 >= desk->slot_count)
        grow_slots(desk);
    struct evaluated_question *slot = slot_of(desk, hash, question);
    if (!slot->answer) {
        struct formula_query copy = copy_question(desk->arena, question);
        struct formula_query timed = copy;
        timed.durations = question->durations;
        const struct formula_result *answer = evaluate_question(desk, &timed);
        *slot = (struct evaluated_question){hash, copy, answer};
        desk->known_count++;
    }
    return slot->answer;
}
