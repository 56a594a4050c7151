// SPDX-License-Identifier: Apache-2.0
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

struct known { // a question that has been answered
    uint64_t hash;
    struct formula_question question; // a copy
    const struct formula_answer *answer;
};

struct formula_desk *formula_open_by(const struct formula_rules *rules,
                                     const struct profile *profile, struct arena *arena)
{
    struct formula_desk *desk = ARENA_NEW(arena, struct formula_desk);
    *desk = (struct formula_desk){
        .profile = profile,
        .arena = arena,
        .rules = rules,
        .roles = ARENA_ARRAY(arena, uint32_t, (size_t)profile->function_count + 1),
        .types = ARENA_ARRAY(arena, const struct data_type *, (size_t)profile->function_count + 1),
    };
    return desk;
}

struct formula_desk *formula_open(const struct profile *profile, struct arena *arena)
{
    return formula_open_by(rules_formulas(rules_get()), profile, arena);
}

// ---- kernels -----------------------------------------------------------------------------------

static void judge(struct formula_desk *desk, uint32_t function)
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

uint32_t formula_roles(struct formula_desk *desk, uint32_t function)
{
    if (function >= desk->profile->function_count)
        return 0;
    if (!(desk->roles[function] & FORMULA_HAS_ROLES))
        judge(desk, function);
    return desk->roles[function];
}

bool formula_is_helper(struct formula_desk *desk, uint32_t function)
{
    return (formula_roles(desk, function) & desk->rules->helper) != 0;
}

bool formula_is_product(struct formula_desk *desk, uint32_t function)
{
    return (formula_roles(desk, function) & desk->rules->product) != 0 &&
           !formula_is_helper(desk, function);
}

bool formula_is_of_model(struct formula_desk *desk, uint32_t function)
{
    return (formula_roles(desk, function) & desk->rules->model) != 0 &&
           !formula_is_helper(desk, function);
}

// ---- rows of an op -----------------------------------------------------------------------------

struct finding { // walks through the rows of the names that an op has
    const char *module, *op;
    char told[200]; // aten::mm, as told by "torch._ops.aten" and "mm.default"; "": not so told
    const char *name;
    char buffer[200];
    int step;
    size_t at, count;
};

// "torch._ops.aten" and "mm.default", "torch.ops.aten.mm" and "default", "torch._ops" and "aten::mm": the
// name within its library, without the overload.
static void find_told(struct finding *finding)
{
    static const char *const fronts[] = {"torch._ops.", "torch.ops."};
    char whole[200];
    snprintf(whole, sizeof whole, "%s.%s", finding->module, finding->op);
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        size_t front = strlen(fronts[i]);
        if (strncmp(whole, fronts[i], front) != 0)
            continue;
        const char *library = whole + front, *name = library + strcspn(library, ".:");
        int length = (int)(name - library);
        name += strspn(name, ".:");
        if (length > 0 && *name)
            snprintf(finding->told, sizeof finding->told, "%.*s::%.*s", length, library,
                     (int)strcspn(name, "."), name);
    }
}

static struct finding finding_open(const char *module, const char *op)
{
    struct finding finding = {.module = module ? module : "", .op = op ? op : ""};
    find_told(&finding);
    return finding;
}

// "aten::relu_", "aten::relu", "relu_", "relu"; then those of torch.ops, which are of no module.
static bool next_name(struct finding *finding)
{
    enum { STEPS = 4 };
    for (finding->step++; finding->step <= 2 * STEPS; finding->step++) {
        bool is_told = finding->step > STEPS;
        int step = finding->step - is_told * STEPS;
        const char *op = is_told ? finding->told : finding->op;
        size_t length = strlen(op);
        bool is_aten = strncmp(op, "aten::", 6) == 0;
        bool is_in_place = length > 1 && op[length - 1] == '_' && op[length - 2] != '_';
        bool cuts_front = step == 3 || step == 4, cuts_back = step == 2 || step == 4;
        if (!length || (cuts_front && !is_aten) || (cuts_back && !is_in_place))
            continue;
        const char *from = op + (cuts_front ? 6 : 0);
        snprintf(finding->buffer, sizeof finding->buffer, "%.*s",
                 (int)(strlen(from) - (size_t)cuts_back), from);
        finding->name = finding->buffer;
        if (is_told)
            finding->module = "";
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
                                          struct finding *finding)
{
    for (;;) {
        while (finding->count > 0) {
            finding->count--;
            const struct formula_row *row = &rules->rows[rules->ops[finding->at++].row];
            if (is_of_module(row, finding->module))
                return row;
        }
        if (!next_name(finding))
            return NULL;
        finding->at = formula_rules_find(rules, finding->name, &finding->count);
    }
}

bool formula_knows(const struct formula_desk *desk, const char *module, const char *op)
{
    struct finding finding = finding_open(module, op);
    return next_row(desk->rules, &finding) != NULL;
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

// Of values [from, from + count) the places in a row's arguments [first, end).
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

// Its values' rows by the names of a row; what is not there stays so.
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

static const struct data_type *told_type(const struct formula_case *c)
{
    if (c->row && c->row->type >= 0)
        return argument_type(c, c->bound[c->row->type]);
    for (int of_tensors = 1; of_tensors >= 0; of_tensors--) // numbers are of 0 dims, else
        for (uint32_t i = 0; i < c->value_count; i++)
            if (c->values[i].is_tensor == of_tensors && argument_type(c, (int)i))
                return argument_type(c, (int)i);
    return NULL;
}

// The roles of the kernels that do the work of a row itself: not of what adds a bias beside it.
static uint32_t own_roles(const struct formula_case *c)
{
    uint32_t roles = 0;
    for (int phase = 0; c->row && phase < FORMULA_PHASES; phase++)
        for (size_t p = 0; p < c->row->part_count[phase]; p++) {
            const struct formula_part *part = &c->row->parts[phase][p];
            if (part->role != ROLE_ANY && !part->is_beside)
                roles |= 1U << part->role;
            if (part->other_role != ROLE_ANY && !part->is_beside)
                roles |= 1U << part->other_role;
        }
    return roles;
}

static bool is_complex(const struct data_type *type)
{
    return strncmp(type->name, "complex", 7) == 0;
}

// What the name of a kernel that has one of these roles tells, of several the last; `roles` 0: any kernel
// that does more than help. Products of complex numbers within a convolution are those of an FFT.
static const struct data_type *kernel_type(struct formula_desk *desk,
                                           const struct formula_question *question, uint32_t roles)
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

// The type of the op, and with it the size of what tells none. What sums up a bias in FP32 says nothing of
// the product in 16 bit before it: so of kernels those come first that do the op's own work.
static void find_type(struct formula_desk *desk, struct formula_case *c)
{
    const struct formula_question *question = c->question;
    uint32_t own = own_roles(c);
    c->type = told_type(c);
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

// Whether the kernels work on one half of an attention only: NaN, their names do not tell.
static double is_causal(struct formula_desk *desk, const struct formula_question *question)
{
    for (uint32_t k = 0; k < question->kernel_count; k++) {
        uint32_t roles = formula_roles(desk, question->functions[k]);
        if (roles & (desk->rules->causal | desk->rules->not_causal))
            return (roles & desk->rules->causal) != 0;
    }
    return (double)NAN;
}

static void work_out_numbers(struct formula_desk *desk, struct formula_case *c)
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

static bool row_fits(struct formula_desk *desk, struct formula_case *c,
                     const struct formula_row *row)
{
    c->row = row;
    bind(c);
    find_type(desk, c);
    work_out_numbers(desk, c);
    double is_so = row->when ? formula_evaluate(row->when, &c->scope) : 1;
    return !isnan(is_so) && is_so != 0;
}

static const struct formula_row *find_row(struct formula_desk *desk, struct formula_case *c)
{
    struct finding finding = finding_open(c->question->module, c->question->op);
    const struct formula_row *row;
    while ((row = next_row(desk->rules, &finding)))
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

static bool is_of_model(const struct formula_sharing *sharing, const struct formula_part *part)
{
    return part->role >= 0 && (sharing->desk->rules->model >> part->role & 1);
}

// A product of complex numbers is four of real ones; what an element packs has its own.
static double work_figure(const struct formula_case *c, const struct formula_sharing *sharing,
                          const struct formula_part *part,
                          const struct formula_expression *expression)
{
    double value = figure(c, expression);
    if (value <= 0 || !c->type || !is_of_model(sharing, part))
        return value;
    return value * (is_complex(c->type) ? 4 : c->type->numbers);
}

static double add(double sum, double figure)
{
    return sum < 0 || figure < 0 ? FORMULA_UNKNOWN : sum + figure;
}

static void forget_figures(struct formula_answer *answer)
{
    answer->flops = answer->bytes = answer->causal_flops = answer->model_flops = FORMULA_UNKNOWN;
}

// What parts that a kernel may be of agree on.
static double agreed(const struct formula_sharing *sharing, const double *figures, int part)
{
    for (size_t p = 0; sharing->unsure >> part & 1 && p < sharing->part_count; p++)
        if (sharing->unsure >> p & 1 && figures[p] != figures[part])
            return FORMULA_UNKNOWN;
    return figures[part];
}

// The same of their texts.
static void agree_params(const struct formula_case *c, const struct formula_sharing *sharing,
                         const char **params)
{
    const char *text = NULL;
    for (size_t p = 0; p < sharing->part_count; p++)
        if (sharing->unsure >> p & 1) {
            const char *own = formula_params(c, &sharing->parts[p]);
            text = text ? formula_params_agreed(c->arena, text, own) : own;
        }
    for (size_t p = 0; p < sharing->part_count; p++)
        if (sharing->unsure >> p & 1)
            params[p] = text;
}

// Of the run: what its kernels have; without kernels all parts.
static void fill_shares(const struct formula_case *c, const struct formula_sharing *sharing,
                        struct formula_answer *answer, struct formula_share *shares)
{
    double flops[FORMULA_PARTS] = {0}, bytes[FORMULA_PARTS] = {0};
    const char *params[FORMULA_PARTS] = {""};
    bool has_main = false;
    answer->flops = answer->bytes = answer->causal_flops = answer->model_flops = 0;
    for (size_t p = 0; p < sharing->part_count; p++) {
        const struct formula_part *part = &sharing->parts[p];
        flops[p] = work_figure(c, sharing, part, part->flops);
        bytes[p] = figure(c, part->bytes);
        params[p] = sharing->taken[p] > 0 || p == 0 ? formula_params(c, part) : "";
    }
    agree_params(c, sharing, params);
    for (size_t p = 0; p < sharing->part_count; p++) {
        const struct formula_part *part = &sharing->parts[p];
        if (sharing->taken[p] == 0 && c->question->kernel_count > 0)
            continue;
        double own = agreed(sharing, flops, (int)p);
        answer->flops = add(answer->flops, own);
        answer->bytes = add(answer->bytes, agreed(sharing, bytes, (int)p));
        double causal =
            part->causal_flops ? work_figure(c, sharing, part, part->causal_flops) : own;
        answer->causal_flops = add(answer->causal_flops, causal);
        answer->model_flops =
            add(answer->model_flops,
                part->model_flops ? work_figure(c, sharing, part, part->model_flops) : causal);
        answer->is_of_model |= is_of_model(sharing, part);
        answer->is_convolution |=
            part->role >= 0 && sharing->desk->rules->convolution >> part->role & 1;
    }
    bool has_rest = c->question->is_backward && c->row->rest.piece_count > 0;
    const char *rest = has_rest ? formula_params(c, &c->row->rest) : params[0];
    for (uint32_t k = 0; k < c->question->kernel_count; k++) {
        int p = sharing->part_of[k];
        shares[k] = (struct formula_share){.params = p == FORMULA_NO_PART ? rest : params[p]};
        if (p == FORMULA_NO_PART)
            continue;
        double taken = sharing->taken[p];
        shares[k].part = (uint32_t)p + 1;
        double own_flops = agreed(sharing, flops, p), own_bytes = agreed(sharing, bytes, p);
        shares[k].flops = own_flops < 0 ? FORMULA_UNKNOWN : own_flops / taken;
        shares[k].bytes = own_bytes < 0 ? FORMULA_UNKNOWN : own_bytes / taken;
        shares[k].is_unsure = sharing->unsure >> p & 1;
        shares[k].op = sharing->parts[p].op;
        shares[k].is_main = !sharing->parts[p].is_beside;
        if (shares[k].is_main && !has_main)
            answer->main_kernel = k;
        has_main |= shares[k].is_main;
    }
    if (!has_main && c->question->kernel_count > 0) // which is not among these kernels
        forget_figures(answer);
    answer->params = c->question->kernel_count ? shares[answer->main_kernel].params : params[0];
}

// No row knows it: what it takes is said, and what it costs is not known.
static void answer_unknown(const struct formula_case *c, struct formula_answer *answer,
                           struct formula_share *shares)
{
    forget_figures(answer);
    answer->params = formula_params(c, NULL);
    for (uint32_t k = 0; k < c->question->kernel_count; k++)
        shares[k] = (struct formula_share){
            .flops = FORMULA_UNKNOWN, .bytes = FORMULA_UNKNOWN, .params = answer->params};
}

// FP32 in memory and TF32 on the Tensor Cores, or 16 bit that autocast made of it: the name of a kernel that
// uses them alone tells what it computes in.
static const char *type_name(struct formula_desk *desk, const struct formula_case *c,
                             uint32_t main_kernel)
{
    const struct formula_question *question = c->question;
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

static uint64_t kernels_hash(const struct formula_question *question)
{
    uint64_t hash = HASH_SEED;
    for (uint32_t k = 0; k < question->kernel_count; k++)
        hash = hash_number(hash, question->functions[k]);
    return hash;
}

static const struct formula_answer *answer_anew(struct formula_desk *desk,
                                                const struct formula_question *question)
{
    struct formula_case c = {.profile = desk->profile, .arena = desk->arena, .question = question};
    struct formula_answer *answer = ARENA_NEW(desk->arena, struct formula_answer);
    struct formula_share *shares =
        ARENA_ARRAY(desk->arena, struct formula_share, question->kernel_count + 1);
    for (uint32_t k = 0; k < question->kernel_count; k++)
        formula_roles(desk, question->functions[k]);
    formula_case_read(&c);
    *answer = (struct formula_answer){.shares = shares, .kernels = kernels_hash(question)};
    c.row = find_row(desk, &c);
    if (!c.row) {
        find_type(desk, &c);
        answer_unknown(&c, answer, shares);
    } else {
        enum formula_phase phase = question->is_backward && c.row->part_count[PHASE_BACKWARD]
                                       ? PHASE_BACKWARD
                                       : PHASE_FORWARD;
        struct formula_sharing sharing = {
            .desk = desk,
            .question = question,
            .parts = c.row->parts[phase],
            .part_count = c.row->part_count[phase],
            .part_of = ARENA_ARRAY(desk->arena, int, question->kernel_count + 1),
        };
        for (uint32_t k = 0; k < question->kernel_count; k++)
            sharing.part_of[k] = FORMULA_NO_PART;
        formula_share_out(&sharing, &c);
        fill_shares(&c, &sharing, answer, shares);
        answer->is_autotuned = sharing.is_autotuned;
        answer->rule = c.row->name;
        answer->row = c.row;
        answer->is_guess = c.row->is_guess;
    }
    answer->is_guess |= c.is_guess;
    answer->is_guess &=
        answer->flops > 0 || answer->bytes > 0; // nothing is guessed where nothing is said
    answer->dtype = type_name(desk, &c, answer->main_kernel);
    return answer;
}

// ---- what has been answered --------------------------------------------------------------------

static uint64_t question_hash(const struct formula_question *question)
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

static bool is_same(const struct formula_question *a, const struct formula_question *b)
{
    return a->marker == b->marker && a->backward == b->backward &&
           a->is_backward == b->is_backward && a->kernel_count == b->kernel_count &&
           a->rank_count == b->rank_count && a->forward_part == b->forward_part &&
           is_text(a->op, b->op) && is_text(a->module, b->module) && is_text(a->dtype, b->dtype) &&
           (a->kernel_count == 0 ||
            memcmp(a->functions, b->functions, a->kernel_count * sizeof *a->functions) == 0);
}

static struct known *slot_of(const struct formula_desk *desk, uint64_t hash,
                             const struct formula_question *question)
{
    size_t at = (size_t)hash & (desk->slot_count - 1);
    while (desk->slots[at].answer &&
           (desk->slots[at].hash != hash || !is_same(&desk->slots[at].question, question)))
        at = (at + 1) & (desk->slot_count - 1);
    return &desk->slots[at];
}

static void grow(struct formula_desk *desk)
{
    struct known *before = desk->slots;
    size_t count = desk->slot_count;
    desk->slot_count = count ? count * 2 : 256;
    desk->slots = ARENA_ARRAY(desk->arena, struct known, desk->slot_count);
    for (size_t i = 0; i < count; i++)
        if (before[i].answer)
            *slot_of(desk, before[i].hash, &before[i].question) = before[i];
}

// The texts and rows belong to who asks: a copy.
static struct formula_question keep(struct arena *arena, const struct formula_question *question)
{
    struct formula_question kept = *question;
    uint32_t *functions = ARENA_ARRAY(arena, uint32_t, question->kernel_count + 1);
    if (question->kernel_count > 0)
        memcpy(functions, question->functions, question->kernel_count * sizeof *functions);
    kept.functions = functions;
    kept.durations = NULL; // of whoever asked: it follows from the rest
    kept.op = arena_text(arena, question->op);
    kept.module = arena_text(arena, question->module);
    kept.dtype = arena_text(arena, question->dtype);
    return kept;
}

const struct formula_answer *formula_ask(struct formula_desk *desk,
                                         const struct formula_question *question)
{
    uint64_t hash = question_hash(question);
    if (desk->known_count * 2 >= desk->slot_count)
        grow(desk);
    struct known *slot = slot_of(desk, hash, question);
    if (!slot->answer) {
        struct formula_question kept = keep(desk->arena, question);
        struct formula_question timed = kept;
        timed.durations = question->durations;
        const struct formula_answer *answer = answer_anew(desk, &timed);
        *slot = (struct known){hash, kept, answer};
        desk->known_count++;
    }
    return slot->answer;
}
