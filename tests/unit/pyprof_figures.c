// SPDX-License-Identifier: Apache-2.0
// Computes the cost of ops from the shapes in their markers, independently of rules/formulas.yaml,
// by the conventions that the manual names.
//
// Letters in the functions of_*(): m, n and k are the sizes of a matrix product (m x k) (k x n); e
// is the number of elements of the first tensor, s its bytes per element, w the elements of the
// weights.
#include "pyprof_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cost {
    double flops, bytes;
};

struct op_case {
    const struct cell *cell;
    const struct marker *marker;
    double e, s; // elements of the first tensor, bytes per element
    bool is_backward;
};

bool equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool contains(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

double argument_dim(const struct marker *marker, uint32_t argument, int at)
{
    if (argument >= marker->argument_count)
        return 1;
    const struct marker_argument *a = &marker->arguments[argument];
    at = at < 0 ? a->rank + at : at;
    return at >= 0 && at < a->rank ? (double)a->dims[at] : 1;
}

static double elements_before(const struct marker *marker, uint32_t argument, int end)
{
    double all = 1;
    int rank = argument < marker->argument_count ? marker->arguments[argument].rank : 0;
    for (int i = 0; i < rank + end; i++)
        all *= argument_dim(marker, argument, i);
    return all;
}

double argument_elements(const struct marker *marker, uint32_t argument)
{
    return elements_before(marker, argument, 0);
}

static bool is_tensor(const struct marker *marker, uint32_t argument)
{
    return argument < marker->argument_count && marker->arguments[argument].is_tensor;
}

double argument_size(const struct comparison *comparison, const struct marker *marker,
                     uint32_t argument)
{
    static const struct {
        const char *name;
        double bytes;
    } types[] = {{"float16", 2}, {"bfloat16", 2}, {"float64", 8}, {"int64", 8},
                 {"uint8", 1},   {"bool", 1},     {"int16", 2},   {"int8", 1}};
    if (!is_tensor(marker, argument))
        return 4;
    const char *dtype = profile_text(comparison->profile, marker->arguments[argument].dtype);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (equal(types[i].name, dtype))
            return types[i].bytes;
    return 4;
}

bool is_rule(const struct cell *cell, const char *name)
{
    return cell->answer && cell->answer->rule && equal(cell->answer->rule, name);
}

bool is_convolution(const struct cell *cell)
{
    return is_rule(cell, "conv2d") || is_rule(cell, "conv1d");
}

bool is_recurrent_cell(const struct cell *cell)
{
    return is_rule(cell, "LSTMCell") || is_rule(cell, "GRUCell") || is_rule(cell, "RNNCell");
}

// ---- cost by op --------------------------------------------------------------------------------

static struct cost of_product(double batch, double m, double n, double k, double s)
{
    return (struct cost){2 * batch * m * n * k, s * batch * (m * n + m * k + n * k)};
}

static struct cost of_linear(const struct op_case *c)
{
    double m = argument_dim(c->marker, 1, 0), k = argument_dim(c->marker, 1, 1), n = c->e / k;
    if (c->cell->share->op) // the bias
        return (struct cost){m * n, 2 * m * n * c->s};
    return of_product(1, m, n, k, c->s);
}

static struct cost of_matmul(const struct op_case *c)
{
    int ranks[] = {c->marker->arguments[0].rank, c->marker->arguments[1].rank};
    double m = ranks[0] == 1 ? 1 : argument_dim(c->marker, 0, -2),
           k = argument_dim(c->marker, 0, -1),
           n = ranks[1] == 1 ? 1 : argument_dim(c->marker, 1, -1), batch = 1;
    for (int i = 3; i <= ranks[0] || i <= ranks[1]; i++)
        batch *= fmax(i <= ranks[0] ? argument_dim(c->marker, 0, -i) : 1,
                      i <= ranks[1] ? argument_dim(c->marker, 1, -i) : 1);
    return (struct cost){2 * batch * m * n * k,
                         c->s * (c->e + argument_elements(c->marker, 1) + batch * m * n)};
}

static struct cost of_mm(const struct op_case *c)
{
    uint32_t a = is_rule(c->cell, "addmm"), b = a + 1;
    return of_product(1, argument_dim(c->marker, b, 1), argument_dim(c->marker, a, 0),
                      argument_dim(c->marker, a, 1), c->s);
}

static struct cost of_bmm(const struct op_case *c)
{
    uint32_t a = is_rule(c->cell, "baddbmm"), b = a + 1;
    return of_product(argument_dim(c->marker, a, 0), argument_dim(c->marker, b, 2),
                      argument_dim(c->marker, a, 1), argument_dim(c->marker, a, 2), c->s);
}

static double parameter(const char *params, const char *name)
{
    const char *at = strstr(params, name);
    return at ? strtod(at + strlen(name), NULL) : (double)NAN;
}

// The size of the result is taken from PyProf's params.
static struct cost of_convolution(const struct op_case *c)
{
    const char *params = c->cell->at->theirs[PARAMS];
    double n = parameter(params, "N="),
           out = n * parameter(params, "K=") * parameter(params, "P=") * parameter(params, "Q=");
    double w = argument_elements(c->marker, 1);
    return (struct cost){2 * out * w / argument_dim(c->marker, 1, 0), c->s * (c->e + w + out)};
}

// Returns the first number of an argument: 2 for both 2 and (2, 2).
static double argument_number(const struct op_case *c, uint32_t argument, double otherwise)
{
    if (argument >= c->marker->argument_count)
        return otherwise;
    const char *text =
        profile_text(c->cell->comparison->profile, c->marker->arguments[argument].value);
    char *end;
    text += strspn(text, "([ ");
    double number = strtod(text, &end);
    return end > text ? number : otherwise;
}

// Returns the number of window positions over all dims after batch and channels. Window and stride
// are the same in all dims.
static double window_positions(const struct op_case *c, double window, double stride,
                               double padding)
{
    double product = 1;
    for (int i = 2; i < c->marker->arguments[0].rank; i++)
        product *= floor((argument_dim(c->marker, 0, i) + 2 * padding - window) / stride) + 1;
    return product;
}

// Each element of the input is multiplied with the whole filter.
static struct cost of_transposed(const struct op_case *c)
{
    double w = argument_elements(c->marker, 1), stride = argument_number(c, 3, 1),
           padding = argument_number(c, 4, 0), more = argument_number(c, 5, 0),
           out = argument_dim(c->marker, 0, 0) * argument_dim(c->marker, 1, 1) *
                 argument_number(c, 6, 1);
    for (int i = 2; i < c->marker->arguments[0].rank; i++)
        out *= (argument_dim(c->marker, 0, i) - 1) * stride - 2 * padding +
               argument_dim(c->marker, 1, i) + more;
    return (struct cost){2 * c->e * w / argument_dim(c->marker, 1, 0), c->s * (c->e + w + out)};
}

static struct cost of_volume(const struct op_case *c)
{
    double w = argument_elements(c->marker, 1),
           out = argument_dim(c->marker, 0, 0) * argument_dim(c->marker, 1, 0) *
                 window_positions(c, argument_dim(c->marker, 1, 2), argument_number(c, 3, 1),
                                  argument_number(c, 4, 0));
    return (struct cost){2 * out * w / argument_dim(c->marker, 1, 0), c->s * (c->e + w + out)};
}

static struct cost of_einsum(const struct op_case *c)
{
    double sizes[128] = {0}, all = 1, out = 1, bytes = 0;
    uint32_t tensor = 1; // after the equation
    int at = 0;
    bool is_out = false;
    const char *text = profile_text(c->cell->comparison->profile, c->marker->arguments[0].value);
    for (; *text; text++) {
        if (*text == ',' || *text == '>') {
            is_out = *text == '>';
            tensor++, at = 0;
        } else if (is_out && sizes[(unsigned char)*text % 128] > 0) {
            out *= sizes[(unsigned char)*text % 128];
        } else if (!is_out && *text >= 'a' && *text <= 'z') {
            double size = argument_dim(c->marker, tensor, at++);
            all *= sizes[(unsigned char)*text] > 0 ? 1 : size;
            sizes[(unsigned char)*text] = size;
        }
    }
    for (uint32_t i = 1; i < c->marker->argument_count; i++)
        bytes += argument_elements(c->marker, i) * c->s;
    return (struct cost){2 * all, bytes + c->s * out};
}

// Elementwise: the result is as large as the larger input.
static struct cost of_binary(const struct op_case *c)
{
    double bytes = 0, out = 0;
    int tensors = 0;
    for (uint32_t i = 0; i < c->marker->argument_count; i++) {
        bool counts = is_tensor(c->marker, i);
        tensors += counts;
        out = fmax(out, counts ? argument_elements(c->marker, i) : 0);
        bytes += counts ? argument_elements(c->marker, i) * c->s : 0;
    }
    bool is_scaled = is_rule(c->cell, "add_scaled"), is_choice = is_rule(c->cell, "where");
    bytes += tensors < 2 && !is_choice ? 4 : 0; // a number
    double flops_per_element = is_choice ? 0 : is_scaled ? 2 : 1;
    if (c->is_backward && is_rule(c->cell, "add"))
        return (struct cost){0, 2 * c->s * out};
    if (c->is_backward)
        return (struct cost){out, 3 * c->s * out};
    if (is_choice) // three inputs with types of their own
        for (uint32_t i = 0, first = 1; i < c->marker->argument_count; i++, first = 0)
            bytes += first ? (argument_size(c->cell->comparison, c->marker, i) - c->s) * out : 0;
    return (struct cost){flops_per_element * out, bytes + c->s * out};
}

// Writes the result and the indices of its elements, 8 bytes each.
static struct cost of_pool(const struct op_case *c)
{
    double k = argument_number(c, 1, (double)NAN),
           out = argument_dim(c->marker, 0, 0) * argument_dim(c->marker, 0, 1) *
                 window_positions(c, k, argument_number(c, 2, k), argument_number(c, 3, 0));
    return (struct cost){c->is_backward ? out : out * k * k, c->s * (c->e + out) + 8 * out};
}

// Each dim becomes one result, "(1, 1)", or the given number.
static struct cost of_adaptive_pool(const struct op_case *c)
{
    double n = argument_number(c, 1, (double)NAN),
           out = argument_dim(c->marker, 0, 0) * argument_dim(c->marker, 0, 1) * n * n;
    return (struct cost){c->e, c->s * (c->e + out)};
}

static struct cost of_cross_entropy(const struct op_case *c)
{
    double targets = argument_elements(c->marker, 1);
    if (!c->is_backward)
        return (struct cost){21 * c->e + targets, c->e * c->s + 8 * targets};
    return c->cell->share->is_main ? (struct cost){21 * c->e, 2 * c->e * c->s + 8 * targets}
                                   : (struct cost){targets, c->e * c->s + 8 * targets};
}

static struct cost of_layer_norm(const struct op_case *c)
{
    double last = argument_dim(c->marker, 0, -1);
    return c->is_backward ? (struct cost){16 * c->e, c->s * (3 * c->e + 2 * last)}
                          : (struct cost){8 * c->e, c->s * 2 * c->e};
}

static struct cost of_embedding(const struct op_case *c)
{
    double moved =
        c->e * argument_dim(c->marker, 1, 1) * argument_size(c->cell->comparison, c->marker, 1);
    return (struct cost){0, c->is_backward ? 3 * moved : 2 * moved + 8 * c->e};
}

// Rule 4: what the index asks for is moved, and not all of the tensor. Backward adds it up.
static struct cost of_gather(const struct op_case *c)
{
    double asked = argument_elements(c->marker, 2);
    return (struct cost){0, (c->is_backward ? 3 : 2) * c->s * asked + 8 * asked};
}

static struct cost of_mse(const struct op_case *c)
{
    bool is_unreduced = contains(c->cell->at->ours[PARAMS], "red=none");
    double v = c->e * ((is_unreduced ? 3 : 2) + c->is_backward);
    return (struct cost){2 * v + 1, c->s * v};
}

static struct cost of_norm(const struct op_case *c)
{
    return (struct cost){2 * c->e + 1, c->s * c->e};
}

static struct cost of_adam(const struct op_case *c)
{
    double g = argument_size(c->cell->comparison, c->marker, 4);
    return (struct cost){12 * c->e, c->e * (6 * c->s + g + (g == c->s ? 0 : g))};
}

static const char *work_name(const struct cell *cell, uint32_t work)
{
    const struct profile *profile = cell->comparison->profile;
    return profile_text(profile, profile->functions[AT(profile->work.function, work)].full);
}

bool is_product_name(const char *name)
{
    return contains(name, "gemm") || contains(name, "nvjet") || contains(name, "cutlass");
}

static bool is_below_number(const struct profile *profile, uint32_t work, int64_t seq)
{
    uint32_t range = AT(profile->api.range, AT(profile->work.launch, work));
    while (range != ROW_NONE && range_seq(&profile->ranges, range) != seq)
        range = AT(profile->ranges.parent, range);
    return range != ROW_NONE;
}

int recurrent_product(const struct cell *cell)
{
    const struct profile *profile = cell->comparison->profile;
    const struct op_calls *calls = cell->comparison->calls;
    uint32_t node = op_launch_at(calls, cell->work).node;
    bool is_backward = cell->run.forward != ROW_NONE;
    if (!is_product_name(work_name(cell, cell->work)) || (is_backward && node == ROW_NONE))
        return -1;
    struct op_call forward = is_backward ? op_call_at(calls, cell->run.forward) : cell->run;
    int product = 0;
    for (uint32_t i = 0; i < forward.work_count; i++) {
        uint32_t work = AT(calls->work, forward.first_work + i);
        if (!is_product_name(work_name(cell, work)))
            continue;
        if (is_backward ? is_below_number(profile, work, range_seq(&profile->ranges, node))
                        : work == cell->work)
            return product;
        product++;
    }
    return -1;
}

// Two products, of the input and of the state, and the gates of both. One kernel if they are fused.
static struct cost of_recurrent_cell(const struct op_case *c)
{
    double m = is_rule(c->cell, "LSTMCell")  ? 4
               : is_rule(c->cell, "GRUCell") ? 3
                                             : 1,
           b = argument_dim(c->marker, 0, 0), x = argument_dim(c->marker, 0, 1),
           h = argument_dim(c->marker, 1, 1);
    const char *name = work_name(c->cell, c->cell->work);
    int product = recurrent_product(c->cell);
    if (!is_product_name(name) && !contains(name, "cell_"))
        return (struct cost){0, FORMULA_UNKNOWN};
    if (!is_product_name(name))
        return (struct cost){0, c->is_backward ? 0 : c->s * (2 * m + 3) * h * b};
    if (product < 0 && x != h)
        return (struct cost){FORMULA_UNKNOWN, FORMULA_UNKNOWN};
    return of_product(1, m * h, b, product == 0 ? x : h, c->s);
}

static struct cost of_copy(const struct op_case *c)
{
    return (struct cost){0, c->e * (c->s + argument_size(c->cell->comparison, c->marker, 1))};
}

static struct cost of_mean(const struct op_case *c)
{
    return (struct cost){c->e + 1, c->s * (c->e + 1)};
}

// All tensors are read, and the result is as large as all of them.
static struct cost of_all(const struct op_case *c)
{
    double bytes = 0;
    for (uint32_t i = 0; i < c->marker->argument_count; i++)
        if (is_tensor(c->marker, i))
            bytes +=
                argument_elements(c->marker, i) * argument_size(c->cell->comparison, c->marker, i);
    return (struct cost){0, 2 * bytes};
}

static struct cost of_conversion(const struct op_case *c)
{
    const char *to = c->cell->answer->rule + strlen("convert_");
    return (struct cost){0, c->e * (c->s + strtod(to, NULL))};
}

static struct cost of_topk(const struct op_case *c)
{
    return (struct cost){0, c->e * (2 * c->s + 8)};
}

// ---- table -------------------------------------------------------------------------------------

static const struct {
    const char *rule;
    struct cost (*cost)(const struct op_case *c);
    // Cost per element and per byte of the first tensor, forward and backward, if there is no
    // function.
    double flops, bytes, backward_flops, backward_bytes;
} ops[] = {
    {"linear", of_linear, 0, 0, 0, 0},
    {"matmul", of_matmul, 0, 0, 0, 0},
    {"mm", of_mm, 0, 0, 0, 0},
    {"addmm", of_mm, 0, 0, 0, 0},
    {"bmm", of_bmm, 0, 0, 0, 0},
    {"baddbmm", of_bmm, 0, 0, 0, 0},
    {"conv2d", of_convolution, 0, 0, 0, 0},
    {"conv1d", of_convolution, 0, 0, 0, 0},
    {"conv3d", of_volume, 0, 0, 0, 0},
    {"conv_transpose", of_transposed, 0, 0, 0, 0},
    {"einsum", of_einsum, 0, 0, 0, 0},
    {"add", of_binary, 0, 0, 0, 0},
    {"mul", of_binary, 0, 0, 0, 0},
    {"add_scaled", of_binary, 0, 0, 0, 0},
    {"where", of_binary, 0, 0, 0, 0},
    {"max_pool2d", of_pool, 0, 0, 0, 0},
    {"adaptive_avg_pool2d", of_adaptive_pool, 0, 0, 0, 0},
    {"cross_entropy", of_cross_entropy, 0, 0, 0, 0},
    {"layer_norm", of_layer_norm, 0, 0, 0, 0},
    {"embedding", of_embedding, 0, 0, 0, 0},
    {"mse_loss", of_mse, 0, 0, 0, 0},
    {"norm", of_norm, 0, 0, 0, 0},
    {"fused_adam_cuda", of_adam, 0, 0, 0, 0},
    {"topk", of_topk, 0, 0, 0, 0},
    {"LSTMCell", of_recurrent_cell, 0, 0, 0, 0},
    {"GRUCell", of_recurrent_cell, 0, 0, 0, 0},
    {"RNNCell", of_recurrent_cell, 0, 0, 0, 0},
    {"binary", of_binary, 0, 0, 0, 0},
    {"copy", of_copy, 0, 0, 0, 0},
    {"cat", of_all, 0, 0, 0, 0},
    {"mean", of_mean, 0, 0, 0, 0},
    {"convert_1", of_conversion, 0, 0, 0, 0},
    {"convert_2", of_conversion, 0, 0, 0, 0},
    {"convert_4", of_conversion, 0, 0, 0, 0},
    {"convert_8", of_conversion, 0, 0, 0, 0},
    {"convert", NULL, 0, 2, 0, 2},
    {"gather", of_gather, 0, 0, 0, 0},
    {"unary", NULL, 1, 2, 1, 2},
    {"unary_special", NULL, 20, 2, 20, 2},
    {"log_softmax", NULL, 21, 3, 21, 5},
    {"any", NULL, 0, 1, 0, 1},
    {"activation", NULL, 1, 2, 1, 3},
    {"sum", NULL, 1, 1, 1, 1},
    {"batch_norm", NULL, 8, 4, 8, 5},
    {"gelu", NULL, 20, 2, 20, 3},
    {"softmax", NULL, 40, 3, 40, 5},
    {"dropout", NULL, 5, 2, 5, 2},
    {"fill", NULL, 0, 1, 0, 1},
    {"clone", NULL, 0, 2, 0, 2},
    {"reshape", NULL, 0, 0, 0, 0},
};

static bool compute_cost(const struct cell *cell, struct cost *cost)
{
    struct op_case c = {.cell = cell,
                        .marker = cell->marker,
                        .e = argument_elements(cell->marker, 0),
                        .s = argument_size(cell->comparison, cell->marker, 0),
                        .is_backward =
                            cell->run.phase == PHASE_BPROP && cell->run.op != cell->run.range};
    if (is_rule(cell, "einsum"))
        c.s = argument_size(cell->comparison, cell->marker, 1);
    if (is_rule(cell, "where"))
        c.s = argument_size(cell->comparison, cell->marker, 1);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (!is_rule(cell, ops[i].rule))
            continue;
        *cost = ops[i].cost ? ops[i].cost(&c)
                : c.is_backward
                    ? (struct cost){ops[i].backward_flops * c.e, ops[i].backward_bytes * c.e * c.s}
                    : (struct cost){ops[i].flops * c.e, ops[i].bytes * c.e * c.s};
        return true;
    }
    return false;
}

// Counts the main kernels of the run.
static unsigned main_count(const struct cell *cell)
{
    unsigned count = 0;
    for (uint32_t k = 0; k < cell->run.work_count; k++)
        count += cell->answer->shares[k].is_main;
    return count;
}

bool is_figure_right(const struct cell *cell)
{
    if (!cell->answer || !cell->marker || cell->marker->argument_count == 0)
        return false;
    struct cell main = *cell;
    const struct formula_share *share = cell->share;
    if (!share->is_main && share->flops == 0 && share->bytes == 0) {
        main.share = &cell->answer->shares[cell->answer->main_kernel];
        main.work =
            AT(cell->comparison->calls->work, cell->run.first_work + cell->answer->main_kernel);
    }
    struct cost cost;
    bool is_known = compute_cost(&main, &cost);
    bool is_product = is_convolution(cell) || is_rule(cell, "linear") || is_rule(cell, "matmul") ||
                      is_rule(cell, "bmm") || is_rule(cell, "conv_transpose") ||
                      is_rule(cell, "mm") || is_rule(cell, "addmm") || is_recurrent_cell(cell);
    bool is_twice = cell->run.phase == PHASE_BPROP || is_recurrent_cell(cell);
    unsigned allowed_main_kernels = is_product && is_twice ? 2 : 1;
    return is_known && main_count(cell) <= allowed_main_kernels &&
           main.share->flops == cost.flops && main.share->bytes == cost.bytes;
}
