// SPDX-License-Identifier: Apache-2.0
// Conformance of rules/formulas.yaml with PyProf's own output and with the true FLOPs of generated
// profiles. Ops are found here in a simple way (the innermost known marker around the launch, of a
// backward that of its forward); what differs from PyProf must be one of the corrections below, each
// with the number of the rule that says where PyProf is wrong. Where the corpus is not there, that is
// said and the test is skipped.
#include "property.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file_text.h"
#include "model/backward_pairs.h"
#include "model/formula.h"
#include "model/loader.h"
#include "model/rules.h"

enum { FIELDS = 20 };
enum { IDX, DIRECTION = 6, SUB, MODULE, OP, KERNEL, PARAMS, FLOPS = 18, BYTES };

// ---- ops ---------------------------------------------------------------------------------------

struct call {       // a run of an op
    uint32_t range; // the op's own, or the node's of a backward
    const char *module, *op;
    const struct marker *marker;
    bool is_backward;
    uint32_t functions[600], work[600];
    uint32_t count;
    const struct formula_answer *answer;
};

struct corpus_case {
    struct profile *profile;
    struct arena *arena;
    struct formula_desk *desk;
    uint32_t *pairs;
    size_t call_count, call_capacity;
    struct call **calls;
    uint32_t *call_of, *place_of; // of each work row
};

static bool is_dict_op(const struct marker *marker)
{
    return marker->kind == MARKER_OP && marker->dialect == DIALECT_DLPROF;
}

static const char *text_of(const struct corpus_case *c, string_id id)
{
    return profile_text(c->profile, id);
}

// Whether a name is said by a node's: "CudnnConvolutionBackward" of "aten::cudnn_convolution".
static bool says(const char *node, const char *op)
{
    char bare[100];
    size_t length = 0;
    if (strncmp(op, "aten::", 6) == 0)
        op += 6;
    for (; *op && length + 1 < sizeof bare; op++)
        if (*op != '_')
            bare[length++] = *op;
    bare[length] = 0;
    return length > 0 && strcasestr(node, bare) != NULL;
}

// Number 0 is paired by nobody, since much that is no node has it, but the first op of a program has
// it too: the first range with it whose name the node's says.
static uint32_t find_first(const struct corpus_case *c, uint32_t node)
{
    const struct ranges *ranges = &c->profile->ranges;
    const char *name = text_of(c, range_marker(c->profile, node)->title);
    for (uint32_t r = 0; r < ranges->count && range_seq(ranges, node) == 0; r++)
        if (range_seq(ranges, r) == 0 && AT(ranges->start, r) < AT(ranges->start, node) &&
            range_marker(c->profile, r)->kind == MARKER_OP &&
            says(name, text_of(c, range_marker(c->profile, r)->title)))
            return r;
    return ROW_NONE;
}

// Fills the op of a range and those around it: of markers of PyProf the outermost that a row knows, so
// that what only wraps others (a checkpoint) is none; of PyTorch's own the innermost.
static uint32_t find_op(const struct corpus_case *c, uint32_t range, bool of_dicts,
                        struct call *call)
{
    uint32_t found = ROW_NONE;
    bool is_known = false;
    for (; range != ROW_NONE; range = AT(c->profile->ranges.parent, range)) {
        const struct marker *marker = range_marker(c->profile, range);
        if (marker->kind != MARKER_OP || of_dicts != is_dict_op(marker))
            continue;
        const char *module = text_of(c, marker->module), *op = text_of(c, marker->title);
        bool knows = formula_knows(c->desk, module, op) && (of_dicts || marker->argument_count > 0);
        if (is_known && (!of_dicts || !knows))
            continue;
        call->module = module;
        call->op = op;
        call->marker = marker;
        found = range;
        is_known |= knows;
    }
    return found;
}

// Whether its FLOPs are known, whatever its kernels.
static bool is_told(const struct corpus_case *c, const struct call *call)
{
    struct formula_question question = {.module = call->module,
                                        .op = call->op,
                                        .marker = call->marker,
                                        .is_backward = call->is_backward};
    return formula_ask(c->desk, &question)->flops >= 0;
}

static void find_call(const struct corpus_case *c, uint32_t range, struct call *call)
{
    *call = (struct call){.range = ROW_NONE, .module = "", .op = ""};
    call->range = find_op(c, range, true, call);
    if (call->range != ROW_NONE)
        return;
    uint32_t node = ROW_NONE, forward = ROW_NONE;
    for (uint32_t r = range; r != ROW_NONE; r = AT(c->profile->ranges.parent, r)) {
        enum marker_kind kind = range_marker(c->profile, r)->kind;
        if (kind != MARKER_BACKWARD && kind != MARKER_ENGINE)
            continue;
        node = r;
        forward = c->pairs && c->pairs[r] ? c->pairs[r] - 1 : find_first(c, r);
        if (kind == MARKER_ENGINE || forward != ROW_NONE)
            break;
    }
    uint32_t parent = node != ROW_NONE ? AT(c->profile->ranges.parent, node) : ROW_NONE;
    if (parent != ROW_NONE && range_marker(c->profile, parent)->kind == MARKER_ENGINE)
        node = parent;
    struct call own = {.range = ROW_NONE, .module = "", .op = ""};
    own.range = find_op(c, range, false, &own);
    bool is_sized = own.range != ROW_NONE && own.marker->argument_count > 0;
    if (forward != ROW_NONE) {
        if (find_op(c, forward, true, call) == ROW_NONE)
            find_op(c, forward, false, call);
        call->range = node;
        call->is_backward = true;
        if (is_told(c, call) || !is_sized)
            return;
    }
    *call = own;
}

static void add_call(struct corpus_case *c, uint32_t work)
{
    struct call found;
    uint32_t launch = AT(c->profile->work.launch, work);
    find_call(c, launch == ROW_NONE ? ROW_NONE : AT(c->profile->api.range, launch), &found);
    size_t row = c->call_count;
    for (size_t i = 0; i < c->call_count && found.range != ROW_NONE; i++)
        if (c->calls[i]->range == found.range)
            row = i;
    if (row == c->call_count) {
        struct call *call = ARENA_NEW(c->arena, struct call);
        *call = found;
        ARENA_PUSH(c->arena, c->calls, c->call_count, c->call_capacity) = call;
    }
    struct call *call = c->calls[row];
    assert_true(call->count < 600);
    c->call_of[work] = (uint32_t)row;
    // In order of launch, which is not that of the GPU.
    uint32_t at = call->count++;
    for (; at > 0 && launch != ROW_NONE && AT(c->profile->work.launch, call->work[at - 1]) > launch;
         at--)
        call->work[at] = call->work[at - 1];
    call->work[at] = work;
}

static void ask(struct corpus_case *c)
{
    for (size_t i = 0; i < c->call_count; i++) {
        struct call *call = c->calls[i];
        for (uint32_t k = 0; k < call->count; k++) {
            call->functions[k] = AT(c->profile->work.function, call->work[k]);
            c->place_of[call->work[k]] = k;
        }
        struct formula_question question = {.module = call->module,
                                            .op = call->op,
                                            .marker = call->marker,
                                            .is_backward = call->is_backward,
                                            .functions = call->functions,
                                            .kernel_count = call->count};
        call->answer = formula_ask(c->desk, &question);
    }
}

static bool is_kernel(const struct profile *profile, uint32_t work)
{
    return profile->functions[AT(profile->work.function, work)].kind == WORK_KERNEL;
}

static void find_calls(struct corpus_case *c)
{
    struct profile *profile = c->profile;
    c->arena = arena_new(0);
    c->desk = formula_open(profile, c->arena);
    c->pairs = backward_pairs(profile, true, c->arena);
    if (c->pairs)
        backward_pair_engines(profile, c->pairs);
    c->call_of = ARENA_ARRAY(c->arena, uint32_t, profile->work.count + 1);
    c->place_of = ARENA_ARRAY(c->arena, uint32_t, profile->work.count + 1);
    for (uint32_t work = 0; work < profile->work.count; work++)
        if (is_kernel(profile, work))
            add_call(c, work);
    ask(c);
}

// ---- PyProf's rows -----------------------------------------------------------------------------

// Every field in double quotes, none escaped: cut in place. NULL: no more lines.
static char *next_line(char *at, const char *field[FIELDS])
{
    if (*at != '"')
        return NULL;
    for (int i = 0; i < FIELDS; i++) {
        const char *end = i + 1 < FIELDS ? "\",\"" : "\"\n";
        field[i] = at + (i == 0);
        at = strstr(at + (i == 0), end);
        assert_non_null(at);
        *at = '\0';
        at += strlen(end);
    }
    return at;
}

enum { RULES = 20 };

struct count {
    unsigned equal, corrected[RULES], unexplained;
};

// ---- where PyProf is wrong: predicates, by the number of the rule ------------------------------------

struct cell {
    const struct corpus_case *c;
    const struct call *call;
    const struct formula_share *share;
    int column;
    const char *const *field;
    double theirs, ours; // of FLOPs and bytes
};

static bool is_rule(const struct cell *cell, const char *name)
{
    const char *rule = cell->call->answer->rule;
    return rule && strcmp(rule, name) == 0;
}

// What PyProf prints of an op that none of its classes is for, or that has no marker.
static bool is_unknown_there(const struct cell *cell)
{
    const char *params = cell->field[PARAMS];
    return strcmp(params, "na=na,") == 0 ||
           (strncmp(params, "T=[", 3) == 0 && strstr(params, "],["));
}

static double dim(const struct call *call, uint32_t argument, int at)
{
    const struct marker_argument *a = &call->marker->arguments[argument];
    at = at < 0 ? a->rank + at : at;
    return at >= 0 && at < a->rank ? (double)a->dims[at] : 1;
}

static double elements(const struct call *call, uint32_t argument)
{
    double all = 1;
    for (int i = 0; i < call->marker->arguments[argument].rank; i++)
        all *= dim(call, argument, i);
    return all;
}

static double type_bytes(const struct cell *cell)
{
    const char *type = cell->call->answer->dtype;
    return strcmp(type, "fp16") == 0 ? 2 : 4;
}

// Of a linear op only the last of three matrices has the size of the type; of a matmul the batch is
// left out. The wrong figure is worked out: what equals it is that mistake.
static bool is_bytes_mistake(const struct cell *cell)
{
    const struct call *call = cell->call;
    double s = type_bytes(cell);
    if (cell->column != BYTES || cell->share->bytes <= 0)
        return false;
    if (is_rule(cell, "linear") && !cell->share->op) {
        double m = dim(call, 1, 0), k = dim(call, 1, 1), n = elements(call, 0) / k;
        return cell->theirs == m * n + m * k + n * k * s || // forward
               cell->theirs == k * n + k * m + n * m * s || // dgrad
               cell->theirs == k * m + k * n + m * n * s;   // wgrad
    }
    if (is_rule(cell, "matmul")) {
        bool is_row = call->marker->arguments[0].rank == 1,
             is_column = call->marker->arguments[1].rank == 1;
        double m = is_row ? 1 : dim(call, 0, -2), k = dim(call, 0, -1),
               n = is_column ? 1 : dim(call, 1, -1);
        return cell->theirs == s * (m * n + m * k + n * k);
    }
    return false;
}

// Each kernel of an op has the figures of the whole op there, here one of them.
static bool is_counted_again(const struct cell *cell)
{
    static const char *const rules[] = {"linear", "sum", "batch_norm", "mse_loss"};
    bool is_it = false;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        is_it |= is_rule(cell, rules[i]);
    const struct formula_answer *answer = cell->call->answer;
    const struct formula_share *main = &answer->shares[answer->main_kernel];
    return is_it && cell->column != PARAMS && cell->ours == 0 && cell->theirs > 0 &&
           cell->call->count > 1 && !cell->share->is_main && main->flops > 0;
}

static bool is_convolution(const struct cell *cell)
{
    return is_rule(cell, "conv2d") || is_rule(cell, "conv1d");
}

// Every algorithm that is tried has the figures of the whole there, here the last.
static bool is_tried(const struct cell *cell)
{
    return is_convolution(cell) && cell->column != PARAMS && cell->ours == 0 && cell->theirs > 0 &&
           cell->call->answer->is_autotuned && !cell->share->is_main;
}

// A part of each group for each kernel there; here there is one kernel for all groups.
static bool is_one_of_groups(const struct cell *cell)
{
    if (!is_convolution(cell) || cell->column == PARAMS || cell->call->count != 1)
        return false;
    double groups = dim(cell->call, 0, 1) / dim(cell->call, 1, 1);
    return groups > 1 && cell->ours == cell->theirs * groups;
}

// The same figure as of a kernel that PyProf has a name for.
static bool is_later_convolution(const struct cell *cell)
{
    return (is_convolution(cell) || is_rule(cell, "conv3d") || is_rule(cell, "conv_transpose")) &&
           cell->column != PARAMS && cell->theirs == 0 && cell->ours > 0 && cell->share->is_main;
}

static bool is_taken_for_the_second(const struct cell *cell)
{
    return (is_rule(cell, "norm") || is_rule(cell, "sum")) && cell->theirs == 0 && cell->ours > 0 &&
           strcmp(cell->field[SUB], "0") != 0;
}

// Arguments at which PyProf stops: its tolerant form has zeros.
static bool stops_there(const struct cell *cell)
{
    return is_rule(cell, "add_scaled") && is_unknown_there(cell);
}

// Inside of what has the outermost marker, which is none of its classes; and ops that have none.
static bool is_zero_there(const struct cell *cell)
{
    if (cell->column == PARAMS)
        return is_unknown_there(cell) && strcmp(cell->call->op, cell->field[OP]) != 0;
    bool is_optimizer = is_rule(cell, "fused_adam_cuda") && cell->column == FLOPS;
    return cell->theirs == 0 && cell->ours != 0 && (is_unknown_there(cell) || is_optimizer);
}

static bool is_in_checkpoint(const struct cell *cell)
{
    return strcmp(cell->field[OP], "apply") == 0 && is_unknown_there(cell);
}

static const struct {
    int rule;
    bool (*is_so)(const struct cell *cell);
} corrections[] = {
    {1, is_bytes_mistake}, {2, is_counted_again},     {3, is_tried},
    {3, is_one_of_groups}, {4, is_later_convolution}, {7, is_taken_for_the_second},
    {10, stops_there},     {17, is_in_checkpoint},    {15, is_zero_there},
};

static int explain(const struct cell *cell)
{
    for (size_t i = 0; i < sizeof corrections / sizeof *corrections; i++)
        if (corrections[i].is_so(cell))
            return corrections[i].rule;
    return 0;
}

static void compare(const struct corpus_case *c, uint32_t work, const char *const *field,
                    struct count *count)
{
    const struct call *call = c->calls[c->call_of[work]];
    const struct formula_share *share = &call->answer->shares[c->place_of[work]];
    for (int i = 0; i < 3; i++) {
        int column = i == 0 ? PARAMS : i == 1 ? FLOPS : BYTES;
        double ours = column == FLOPS ? share->flops : share->bytes;
        bool is_equal = column == PARAMS ? strcmp(share->params, field[column]) == 0
                                         : ours == strtod(field[column], NULL);
        const struct cell cell = {c, call, share, column, field, strtod(field[column], NULL), ours};
        int rule = is_equal ? 0 : explain(&cell);
        if (is_equal)
            count->equal++;
        else if (rule > 0)
            count->corrected[rule]++;
        else {
            count->unexplained++;
            if (getenv("SHOW"))
                print_message(
                    "#   %s %s %s.%s %s %.40s: %s %s, here %s %.15g [%s.%s %s%s %u kernels]\n",
                    field[IDX], field[DIRECTION], field[MODULE], field[OP],
                    column == PARAMS  ? "params"
                    : column == FLOPS ? "flops"
                                      : "bytes",
                    field[KERNEL], field[column], field[PARAMS], share->params,
                    column == PARAMS ? 0 : ours, call->module, call->op,
                    call->answer->rule ? call->answer->rule : "-",
                    call->is_backward ? " backward" : "", call->count);
        }
    }
}

// ---- a case ------------------------------------------------------------------------------------

static const char *corpus(void)
{
    const char *named = getenv("DLPROF_CORPUS");
    return named ? named : SOURCE_DIR "/../shared/corpus";
}

static char *read_table(const char *name, const char *file)
{
    char path[3000];
    snprintf(path, sizeof path, "%s/pyprof/%s/%s", corpus(), name, file);
    return access(path, R_OK) == 0 ? file_read(path) : NULL;
}

static void check_truth(const struct corpus_case *c, const char *name, struct count *count)
{
    char *text = read_table(name, "truth.csv");
    if (!text)
        return;
    unsigned right = 0, wrong = 0;
    char *line = strchr(text, '\n');
    for (uint32_t work = 0; work < c->profile->work.count; work++) {
        if (!is_kernel(c->profile, work))
            continue;
        assert_non_null(line);
        const char *last = line + 1;
        line = strchr(last, '\n');
        if (line)
            *line = 0;
        const char *truth = strrchr(last, ',') + 1;
        const struct call *call = c->calls[c->call_of[work]];
        const struct formula_share *share = &call->answer->shares[c->place_of[work]];
        if (!*truth)
            continue;
        bool is_right = share->flops == strtod(truth, NULL);
        if (!is_right && getenv("SHOW"))
            print_message("#   truth %s, here %.15g: %s.%s\n", last, share->flops, call->module,
                          call->op);
        right += is_right;
        wrong += !is_right;
    }
    print_message("# %s: true FLOPs of %u GEMMs and convolutions, %u others\n", name, right, wrong);
    count->unexplained += wrong;
    free(text);
}

static struct corpus_case open_case(const char *name, const char *file)
{
    char path[3000];
    struct corpus_case c = {.profile = NULL};
    snprintf(path, sizeof path, "%s/pyprof/%s/%s", corpus(), name, file);
    if (access(path, R_OK) != 0)
        return c;
    struct load_request request = {.path = path};
    struct error error = {0};
    c.profile = profile_load(&request, &error);
    if (!c.profile)
        fail_msg("%s", error.message);
    else
        find_calls(&c);
    return c;
}

static void close_case(const struct corpus_case *c)
{
    if (!c->profile)
        return;
    arena_free(c->arena);
    profile_free(c->profile);
}

static void check_cells(const struct corpus_case *c, const char *name, struct count *count)
{
    char *text = read_table(name, "expected.tolerant.all.csv");
    if (!text)
        text = read_table(name, "expected.all.csv");
    if (!text) {
        fail_msg("%s has no table of PyProf's", name);
        return;
    }
    char *at = text + strcspn(text, "\n") + 1;
    const char *field[FIELDS];
    for (uint32_t work = 0; work < c->profile->work.count; work++) {
        if (!is_kernel(c->profile, work))
            continue;
        at = next_line(at, field);
        if (!at)
            break;
        compare(c, work, field, count);
    }
    free(text);
}

static void print_count(const char *name, const struct count *count)
{
    char rules[400] = "";
    unsigned corrected = 0;
    for (int i = 0; i < RULES; i++) {
        size_t length = strlen(rules);
        corrected += count->corrected[i];
        if (count->corrected[i])
            snprintf(rules + length, sizeof rules - length, "%s5.%d: %u", length ? ", " : "", i,
                     count->corrected[i]);
    }
    print_message("# %s: %u cells equal, %u corrected (%s), %u unexplained\n", name, count->equal,
                  corrected, rules, count->unexplained);
}

// What PyProf cannot read is cut out of its input; the file as it was captured has the shapes.
static void check_case(const char *name, struct count *count)
{
    struct count here = {0};
    struct corpus_case c = open_case(name, "input.sqlite");
    if (!c.profile)
        c = open_case(name, "input.sql");
    if (!c.profile) {
        fail_msg("%s has no input", name);
        return;
    }
    check_cells(&c, name, &here);
    print_count(name, &here);
    struct corpus_case original = open_case(name, "original.sqlite");
    check_truth(original.profile ? &original : &c, name, &here);
    count->unexplained += here.unexplained;
    close_case(&original);
    close_case(&c);
}

static void test_corpus(void **state)
{
    (void)state;
    char path[3000];
    snprintf(path, sizeof path, "%s/pyprof", corpus());
    DIR *entries = opendir(path);
    if (!entries) {
        print_message("# skipped: no corpus of real profiles at %s\n", path);
        skip();
        return;
    }
    struct error error = {0};
    if (!rules_ready(&error))
        fail_msg("%s", error.message);
    struct count count = {0};
    for (struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            check_case(entry->d_name, &count);
    closedir(entries);
    assert_int_equal(count.unexplained, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
