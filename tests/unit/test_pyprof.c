// SPDX-License-Identifier: Apache-2.0
// Conformance with PyProf: each cell of its table is the same here, or differs for a reason that is
// known by its number in the list of what PyProf does wrong, and that a predicate finds in the cell's
// row. What is right is told by the truth beside the profile, where somebody made it up. Where the
// corpus is not there, that is said and the test is skipped.
//
//      2.8   one name of several, at random        5.12  names of kernels cut at <unnamed>
//      3     a forward that launched nothing       5.10  arguments at which it stops
//      5.1   bytes of linear layers and matmul     5.12  names of kernels cut at <unnamed>
//      5.2   once per kernel, and not per op       5.13  kernels without a launch are left out
//      5.3   every algorithm that was tried        5.15  ops that it does not know, or hides behind the
//      5.4   convolutions since Ampere                   outermost marker
//      5.5   names of Tensor Core kernels          5.17  checkpoints
//      5.6   what is backward
//      5.7   numbers of kernels go on over runs    5.9   ranges forgotten where streams overtake
//      5.8   one number for the whole file
#include "property.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/op_figures.h"
#include "analysis/report.h"
#include "base/sort.h"
#include "file_text.h"
#include "model/iterations.h"
#include "model/loader.h"
#include "model/markers.h"

enum {
    FIELDS = 20,
    TRUTHS = 5,
    COLUMNS = 22,
    RULES = 16,
    ROWS_MOST = 5000,
    NUMBERS = 20,
    THREADS = 64,
    TEXT_SIZE = 2000
};
enum {
    IDX,
    SEQ,
    ALTSEQ,
    LAYER,
    TRACE,
    DIRECTION,
    SUB,
    MODULE,
    OP,
    KERNEL,
    TC,
    PARAMS,
    FLOPS,
    BYTES
};

static const struct {
    const char *key;
    int field; // of PyProf's
} columns[COLUMNS] = {
    [IDX] = {"idx", 0},
    [SEQ] = {"seq", 1},
    [ALTSEQ] = {"altseq", 2},
    [LAYER] = {"layer", 4},
    [TRACE] = {"trace", 5},
    [DIRECTION] = {"dir", 6},
    [SUB] = {"sub", 7},
    [MODULE] = {"mod", 8},
    [OP] = {"op", 9},
    [KERNEL] = {"kernel", 10},
    [TC] = {"tc", 13},
    [PARAMS] = {"params", 11},
    [FLOPS] = {"flops", 18},
    [BYTES] = {"bytes", 19},
    {"tid", 3},
    {"sil", 12},
    {"device", 14},
    {"stream", 15},
    {"grid", 16},
    {"block", 17},
    {"pyprof_dir", 6},
    {"pyprof_tc", 13},
};

struct tally {
    unsigned equal[COLUMNS], corrected[COLUMNS], unexplained[COLUMNS];
    struct {
        const char *rule;
        unsigned cells;
    } rules[RULES];
};

struct compared { // a row on both sides
    const void *row;
    char ours[COLUMNS][TEXT_SIZE];
    const char *field[FIELDS];
    const char *truth[TRUTHS]; // idx, phase, number, layer, FLOPs; NULL: not told
    unsigned left_out;         // kernels before it that PyProf leaves out
    bool is_lost;              // PyProf has forgotten the ranges around it
};

struct comparison {
    const struct profile *profile;
    const struct op_calls *calls;
    const struct op_figures *figures;
    const struct report *report;
    const char *first_sub[ROWS_MOST * 2]; // by run: PyProf's number of its first kernel
    struct tally *tally;
};

// ---- texts ---------------------------------------------------------------------------------------

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static void cell_text(const struct report *report, const void *row, int at, char *text)
{
    const struct column *column = report_column(report, columns[at].key);
    assert_non_null(column);
    struct value value = column->get(row);
    if (value.kind == VALUE_TEXT)
        snprintf(text, TEXT_SIZE, "%s", value.text);
    else if (value.kind == VALUE_INTEGER)
        snprintf(text, TEXT_SIZE, "%lld", (long long)value.integer);
    else
        snprintf(text, TEXT_SIZE, "%s", at == OP ? "" : "-");
}

// The row of the run, and what it is; ROW_NONE: none is known.
static uint32_t run_of(const struct comparison *comparison, const struct compared *at,
                       struct op_call *run)
{
    uint32_t row = op_launch_at(comparison->calls, comparison->report->work(at->row)).call;
    if (row != ROW_NONE)
        *run = op_call_at(comparison->calls, row);
    return row;
}

// ---- why a cell differs: the number of what PyProf does wrong, NULL: no reason -------------------

// PyProf takes for forward what runs outside of a numbered node.
static bool is_hidden_backward(const struct compared *at)
{
    return is(at->ours[DIRECTION], "bprop") && is(at->field[6], "fprop");
}

static const char *explain_direction(const struct compared *at)
{
    if (at->truth[0]) {
        const char *phase =
            is(at->truth[1], "optimizer") || is(at->truth[1], "zero_grad") ? "optim" : at->truth[1];
        const char *ours = is(at->ours[DIRECTION], "recompute") ? "bprop" : at->ours[DIRECTION];
        if (!is(ours, phase))
            return NULL;
    }
    return is(at->ours[DIRECTION], "recompute") ? "5.17" : "5.6";
}

// The numbers of two lists "2,4", the least first.
static size_t read_numbers(const char *first, const char *second, int64_t numbers[NUMBERS])
{
    const char *texts[] = {first, second};
    size_t count = 0;
    for (int i = 0; i < 2; i++)
        for (const char *text = texts[i]; *text && !is(text, "-"); text += *text == ',') {
            char *end;
            assert_true(count < NUMBERS);
            numbers[count++] = strtoll(text, &end, 10);
            assert_true(end > text);
            text = end;
        }
    sort_values(numbers, count);
    return count;
}

// Whether both hold the same numbers, whichever of them is the first.
static bool has_same_numbers(const struct compared *at)
{
    int64_t ours[NUMBERS], theirs[NUMBERS];
    size_t count = read_numbers(at->ours[SEQ], at->ours[ALTSEQ], ours);
    return count == read_numbers(at->field[1], at->field[2], theirs) &&
           memcmp(ours, theirs, count * sizeof *ours) == 0;
}

static const char *explain_number(const struct compared *at)
{
    if (at->truth[0] && *at->truth[2] && !is(at->ours[SEQ], at->truth[2]))
        return NULL;
    if (is_hidden_backward(at))
        return "5.6";
    return has_same_numbers(at) ? "5.8" : NULL;
}

// PyProf looks for the forward among kernels.
static bool has_silent_forward(const struct op_call *run)
{
    return run->phase == PHASE_BPROP && run->forward == ROW_NONE && run->op != run->range;
}

static const char *explain_inherited(const struct comparison *comparison, const struct compared *at,
                                     const char *theirs)
{
    if (!is(theirs, "-"))
        return NULL;
    struct op_call run;
    if (is_hidden_backward(at))
        return "5.6";
    return run_of(comparison, at, &run) != ROW_NONE && has_silent_forward(&run) ? "3" : NULL;
}

static const char *explain_sub(const struct comparison *comparison, const struct compared *at)
{
    int ours = atoi(at->ours[SUB]), theirs = atoi(at->field[7]);
    struct op_call run;
    uint32_t row = run_of(comparison, at, &run);
    if (row == ROW_NONE)
        return NULL;
    if (!is(at->ours[OP], at->field[9]))
        return "5.15";
    if (ours < theirs)
        return theirs - ours == atoi(comparison->first_sub[row]) ? "5.7" : NULL;
    return run.work_count > 1 ? "5.8" : NULL;
}

// Whether a range of this name is around the launch of a kernel, as it is written in the file or short.
static bool is_around(const struct comparison *comparison, uint32_t work, const char *name)
{
    const struct profile *profile = comparison->profile;
    uint32_t range = AT(profile->api.range, AT(profile->work.launch, work));
    for (; range != ROW_NONE; range = AT(profile->ranges.parent, range))
        if (has(profile_text(profile, range_name(&profile->ranges, range)), name))
            return true;
    return false;
}

static const char *explain_op(const struct comparison *comparison, const struct compared *at)
{
    const char *op = at->field[9];
    struct op_call run;
    if (run_of(comparison, at, &run) == ROW_NONE)
        return NULL;
    if (is(op, "multi_head_attention_forward") || is(op, "backward"))
        return "5.15";
    if (is(op, "apply"))
        return "5.17";
    if (!is(at->field[8], "na"))
        return NULL;
    if (is_hidden_backward(at))
        return "5.6";
    if (has_silent_forward(&run))
        return "3";
    uint32_t work = comparison->report->work(at->row);
    if (is_around(comparison, work, op))
        return "2.8";
    if (run.forward == ROW_NONE)
        return NULL;
    struct op_call forward = op_call_at(comparison->calls, run.forward);
    return is_around(comparison, AT(comparison->calls->work, forward.first_work), op) ? "2.8"
                                                                                      : NULL;
}

static const char *explain_tensor_core(const struct compared *at)
{
    const char *ours = at->ours[TC], *theirs = at->field[13];
    if (is(theirs, "na"))
        return is(at->field[8], "na") || is(at->field[8], "") ? "5.5" : NULL;
    if (is(theirs, "0") && is(ours, "-"))
        return has(at->field[10], "splitKreduce") ? "5.2" : NULL;
    if ((is(theirs, "0") && is(ours, "1")) || (is(theirs, "1") && is(ours, "0")))
        return "5.5";
    if (is(theirs, "-") && (is(ours, "0") || is(ours, "1")))
        return has(at->field[9], "conv") ? "5.4" : "5.15";
    return NULL;
}

// ---- the same of what an op computes and moves ----------------------------------------------------

struct figure { // a cell of params, FLOPs or bytes
    const struct compared *at;
    int column;
    uint32_t kernel_count; // of the run
    const struct marker *marker;
    const char *dtype; // of its first argument, "": it has none
    const struct formula_answer *answer;
    const struct formula_share *share;
    double ours, theirs;
};

static bool is_rule(const struct figure *figure, const char *name)
{
    return figure->answer->rule && is(figure->answer->rule, name);
}

// What PyProf prints of an op that none of its classes is for, or that has no marker.
static bool is_unknown_there(const struct figure *figure)
{
    const char *params = figure->at->field[11];
    return is(params, "na=na,") || (strncmp(params, "T=[", 3) == 0 && has(params, "],["));
}

static double dim(const struct figure *figure, uint32_t argument, int at)
{
    const struct marker_argument *a = &figure->marker->arguments[argument];
    at = at < 0 ? a->rank + at : at;
    return at >= 0 && at < a->rank ? (double)a->dims[at] : 1;
}

static double elements(const struct figure *figure, uint32_t argument)
{
    double all = 1;
    for (int i = 0; i < figure->marker->arguments[argument].rank; i++)
        all *= dim(figure, argument, i);
    return all;
}

// Of a linear layer only the last of three matrices has the size of the type; of a matmul the batch is
// left out. The wrong figure is worked out: what equals it is that mistake.
static bool is_bytes_mistake(const struct figure *figure)
{
    double s = is(figure->dtype, "float16") ? 2 : 4, theirs = figure->theirs;
    if (figure->column != BYTES || figure->share->bytes <= 0)
        return false;
    if (is_rule(figure, "linear") && !figure->share->op) {
        double m = dim(figure, 1, 0), k = dim(figure, 1, 1), n = elements(figure, 0) / k;
        return theirs == m * n + m * k + n * k * s || // forward
               theirs == k * n + k * m + n * m * s || // dgrad
               theirs == k * m + k * n + m * n * s;   // wgrad
    }
    if (!is_rule(figure, "matmul"))
        return false;
    bool is_row = figure->marker->arguments[0].rank == 1,
         is_column = figure->marker->arguments[1].rank == 1;
    double m = is_row ? 1 : dim(figure, 0, -2), k = dim(figure, 0, -1),
           n = is_column ? 1 : dim(figure, 1, -1);
    return theirs == s * (m * n + m * k + n * k);
}

static bool is_counted_again(const struct figure *figure)
{
    static const char *const rules[] = {"linear", "sum", "batch_norm", "mse_loss"};
    bool is_it = false;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        is_it |= is_rule(figure, rules[i]);
    const struct formula_share *main = &figure->answer->shares[figure->answer->main_kernel];
    return is_it && figure->column != PARAMS && figure->ours == 0 && figure->theirs > 0 &&
           figure->kernel_count > 1 && !figure->share->is_main && main->flops > 0;
}

static bool is_convolution(const struct figure *figure)
{
    return is_rule(figure, "conv2d") || is_rule(figure, "conv1d");
}

static bool is_tried(const struct figure *figure)
{
    return is_convolution(figure) && figure->column != PARAMS && figure->ours == 0 &&
           figure->theirs > 0 && figure->answer->is_autotuned && !figure->share->is_main;
}

// A part of each group for each kernel there; here there is one kernel for all groups.
static bool is_one_of_groups(const struct figure *figure)
{
    if (!is_convolution(figure) || figure->column == PARAMS || figure->kernel_count != 1)
        return false;
    double groups = dim(figure, 0, 1) / dim(figure, 1, 1);
    return groups > 1 && figure->ours == figure->theirs * groups;
}

static bool is_later_convolution(const struct figure *figure)
{
    return (is_convolution(figure) || is_rule(figure, "conv3d") ||
            is_rule(figure, "conv_transpose")) &&
           figure->column != PARAMS && figure->theirs == 0 && figure->ours > 0 &&
           figure->share->is_main;
}

static bool is_taken_for_the_second(const struct figure *figure)
{
    return (is_rule(figure, "norm") || is_rule(figure, "sum")) && figure->theirs == 0 &&
           figure->ours > 0 && !is(figure->at->field[7], "0");
}

static bool stops_there(const struct figure *figure)
{
    return is_rule(figure, "add_scaled") && is_unknown_there(figure);
}

static bool is_in_checkpoint(const struct figure *figure)
{
    return is(figure->at->field[9], "apply") && is_unknown_there(figure);
}

static bool is_hidden_figure(const struct figure *figure)
{
    return is_hidden_backward(figure->at) && is_unknown_there(figure);
}

// Zero of what is inside of an outermost marker that is none of its classes, and of ops that have none.
// Here it is known, or unknown.
static bool is_zero_there(const struct figure *figure)
{
    if (figure->column == PARAMS)
        return is_unknown_there(figure) && !is(figure->at->ours[OP], figure->at->field[9]);
    bool is_optimizer = is_rule(figure, "fused_adam_cuda") && figure->column == FLOPS;
    return figure->theirs == 0 && figure->ours != 0 && (is_unknown_there(figure) || is_optimizer);
}

static const char *explain_figure(const struct comparison *comparison, const struct compared *at,
                                  int column)
{
    static const struct {
        const char *rule;
        bool (*is_so)(const struct figure *figure);
    } corrections[] = {
        {"5.1", is_bytes_mistake},        {"5.2", is_counted_again},     {"5.3", is_tried},
        {"5.3", is_one_of_groups},        {"5.4", is_later_convolution}, {"5.6", is_hidden_figure},
        {"5.7", is_taken_for_the_second}, {"5.10", stops_there},         {"5.17", is_in_checkpoint},
        {"5.15", is_zero_there},
    };
    struct op_call run;
    if (run_of(comparison, at, &run) == ROW_NONE) // unknown is not 0
        return is(at->ours[column], "-") && is(at->field[columns[column].field], "0") ? "5.15"
                                                                                      : NULL;
    const struct op_figure *known =
        op_figure_of(comparison->figures, comparison->report->work(at->row));
    struct figure figure = {
        .at = at,
        .column = column,
        .kernel_count = run.work_count,
        .marker = range_marker(comparison->profile, run.op),
        .answer = known->answer,
        .share = known->share,
        .theirs = strtod(at->field[columns[column].field], NULL),
    };
    figure.dtype = figure.marker->argument_count
                       ? profile_text(comparison->profile, figure.marker->arguments[0].dtype)
                       : "";
    figure.ours = column == FLOPS ? figure.share->flops : figure.share->bytes;
    for (size_t i = 0; i < sizeof corrections / sizeof *corrections; i++)
        if (corrections[i].is_so(&figure))
            return corrections[i].rule;
    return NULL;
}

// ---- all columns -----------------------------------------------------------------------------------

static const char *explain_cell(const struct comparison *comparison, const struct compared *at,
                                int column)
{
    switch (column) {
    case IDX:
        return atol(at->ours[IDX]) - atol(at->field[0]) == (long)at->left_out ? "5.13" : NULL;
    case SEQ:
    case ALTSEQ:
        return explain_number(at);
    case LAYER:
    case TRACE:
        return explain_inherited(comparison, at, at->field[columns[column].field]);
    case DIRECTION:
        return explain_direction(at);
    case SUB:
        return explain_sub(comparison, at);
    case MODULE:
    case OP:
        return explain_op(comparison, at);
    case KERNEL:
        return is(at->field[10], "") ? "5.12" : NULL;
    case TC:
        return explain_tensor_core(at);
    case PARAMS:
    case FLOPS:
    case BYTES:
        return explain_figure(comparison, at, column);
    default:
        return NULL;
    }
}

// A figure of another process: numbers and forwards are looked for in all of the file.
static bool is_of_all_processes(const struct comparison *comparison, const struct compared *at)
{
    return comparison->profile->process_count > 1 && is(at->ours[DIRECTION], "bprop");
}

static const char *explain(const struct comparison *comparison, const struct compared *at,
                           int column)
{
    const char *rule = explain_cell(comparison, at, column);
    if (rule)
        return rule;
    return at->is_lost ? "5.9" : is_of_all_processes(comparison, at) ? "5.8" : NULL;
}

// ---- one profile ---------------------------------------------------------------------------------

static void count_rule(struct tally *tally, const char *rule)
{
    int i = 0;
    while (tally->rules[i].rule && !is(tally->rules[i].rule, rule))
        assert_true(++i < RULES);
    tally->rules[i].rule = rule;
    tally->rules[i].cells++;
}

// PyProf writes some whole numbers as 9331200.0.
static bool is_same_number(const char *ours, const char *theirs, int column)
{
    return (column == FLOPS || column == BYTES) && !is(ours, "-") &&
           strtod(ours, NULL) == strtod(theirs, NULL);
}

static void compare_row(struct comparison *comparison, const struct compared *at)
{
    struct tally *tally = comparison->tally;
    for (int i = 0; i < COLUMNS; i++) {
        const char *theirs = at->field[columns[i].field];
        if (is(at->ours[i], theirs) || is_same_number(at->ours[i], theirs, i)) {
            tally->equal[i]++;
            continue;
        }
        const char *rule = explain(comparison, at, i);
        if (rule) {
            tally->corrected[i]++;
            count_rule(tally, rule);
            continue;
        }
        print_message("# kernel %s, %s: '%s', PyProf '%s'\n", at->field[0], columns[i].key,
                      at->ours[i], theirs);
        tally->unexplained[i]++;
    }
}

struct truths {
    unsigned rows, phases, layers, layers_right;
};

static void compare_truth(const struct compared *at, struct truths *truths)
{
    if (!at->truth[0])
        return;
    truths->rows++;
    truths->phases += explain_direction(at) != NULL;
    truths->layers += *at->truth[3] != '\0';
    truths->layers_right += *at->truth[3] && is(at->truth[3], at->ours[LAYER]);
}

static bool is_left_out(const struct profile *profile, uint32_t work)
{
    return is(profile->sources[0].format, "nsys") && AT(profile->work.launch, work) == ROW_NONE;
}

// After each kernel PyProf forgets what ended before its launch, on the thread of that: what is launched
// before and begins later on the GPU, on another stream, has lost its ranges.
static bool is_lost(const struct profile *profile, uint32_t work, int64_t latest[THREADS])
{
    uint32_t call = AT(profile->work.launch, work);
    if (call == ROW_NONE)
        return false;
    int64_t *last = &latest[AT(profile->api.thread, call) % THREADS],
            start = AT(profile->api.start, call);
    uint32_t range = AT(profile->api.range, call);
    bool is_so = range != ROW_NONE && AT(profile->ranges.end, range) < *last;
    *last = start > *last ? start : *last;
    return is_so;
}

static void compare_rows(struct comparison *comparison, const struct rows *rows, char *expected,
                         char *truth, struct truths *truths)
{
    static struct compared at;
    int64_t latest[THREADS] = {0};
    at.left_out = 0;
    char *line = expected + strcspn(expected, "\n") + 1;
    char *true_line = truth ? truth + strcspn(truth, "\n") + 1 : NULL;
    for (size_t i = 0; i < rows->count; i++) {
        at.row = report_row(comparison->report, rows, i);
        if (is_left_out(comparison->profile, comparison->report->work(at.row))) {
            at.left_out++;
            continue;
        }
        at.is_lost = is_lost(comparison->profile, comparison->report->work(at.row), latest);
        line = csv_line(line, at.field, FIELDS);
        if (!line)
            break; // PyProf stopped here
        true_line = true_line ? csv_line(true_line, at.truth, TRUTHS) : NULL;
        if (!true_line)
            at.truth[0] = NULL;
        for (int column = 0; column < COLUMNS; column++)
            cell_text(comparison->report, at.row, column, at.ours[column]);
        struct op_call run;
        uint32_t row = run_of(comparison, &at, &run);
        if (row != ROW_NONE && !comparison->first_sub[row])
            comparison->first_sub[row] = at.field[7];
        compare_row(comparison, &at);
        compare_truth(&at, truths);
    }
    assert_true(!line || !*line); // no row of PyProf's is left
}

static struct profile *load(const char *path)
{
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static void compare_case(const char *path, const char *expected_path, const char *truth_path,
                         struct tally *tally)
{
    struct profile *profile = load(path);
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    static struct comparison comparison;
    comparison = (struct comparison){.profile = profile,
                                     .calls = op_calls_find(profile, &selection, arena),
                                     .figures = op_figures_find(profile, &selection, arena),
                                     .report = report_find("pyprof"),
                                     .tally = tally};
    assert_true(comparison.calls->count < ROWS_MOST * 2);
    struct rows rows = comparison.report->build(profile, &selection, arena);
    char *expected = file_read(expected_path);
    char *truth = access(truth_path, R_OK) == 0 ? file_read(truth_path) : NULL;
    struct truths truths = {0};
    compare_rows(&comparison, &rows, expected, truth, &truths);
    if (truth)
        print_message("# %s: phase right of %u of %u kernels, layer of %u of %u\n", truth_path,
                      truths.phases, truths.rows, truths.layers_right, truths.layers);
    assert_true(truths.phases * 100 >= truths.rows * 99);
    assert_int_equal(truths.layers_right, truths.layers);
    free(expected);
    free(truth);
    arena_free(arena);
    profile_free(profile);
}

// ---- all -----------------------------------------------------------------------------------------

static const char *corpus(void)
{
    static char path[2000];
    const char *folder = getenv("DLPROF_CORPUS");
    snprintf(path, sizeof path, "%s/pyprof", folder ? folder : SOURCE_DIR "/../shared/corpus");
    if (access(path, R_OK) != 0) {
        print_message("# skipped: no PyProf tables at %s\n", path);
        skip();
    }
    return path;
}

static void print_tally(const struct tally *tally)
{
    unsigned unexplained = 0;
    print_message("# %-10s %8s %10s %12s\n", "column", "equal", "corrected", "unexplained");
    for (int i = 0; i < COLUMNS; i++) {
        print_message("# %-10s %8u %10u %12u\n", columns[i].key, tally->equal[i],
                      tally->corrected[i], tally->unexplained[i]);
        unexplained += tally->unexplained[i];
    }
    for (int i = 0; i < RULES && tally->rules[i].rule; i++)
        print_message("# rule %-5s %6u cells\n", tally->rules[i].rule, tally->rules[i].cells);
    assert_int_equal(unexplained, 0);
}

static void test_cells(void **state)
{
    (void)state;
    static const char *const inputs[] = {"input.sqlite", "input.sql"};
    static const char *const tables[] = {"expected.all.csv", "expected.tolerant.all.csv"};
    const char *folder = corpus();
    struct tally tally = {0};
    unsigned compared = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        for (size_t i = 0; i < 4; i++) {
            char path[3000], expected[3000], truth[3000];
            snprintf(path, sizeof path, "%s/%s/%s", folder, entry->d_name, inputs[i / 2]);
            snprintf(expected, sizeof expected, "%s/%s/%s", folder, entry->d_name, tables[i % 2]);
            snprintf(truth, sizeof truth, "%s/%s/truth.csv", folder, entry->d_name);
            if (entry->d_name[0] == '.' || access(path, R_OK) != 0 || access(expected, R_OK) != 0)
                continue;
            compare_case(path, expected, truth, &tally);
            compared++;
        }
    closedir(entries);
    assert_true(compared > 0);
    print_tally(&tally);
}

static unsigned right_flops(const struct profile *profile, char *truth, unsigned *told)
{
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    const struct report *report = report_find("pyprof");
    struct rows rows = report->build(profile, &selection, arena);
    const char *field[TRUTHS];
    char *line = truth + strcspn(truth, "\n") + 1;
    unsigned right = 0;
    for (size_t i = 0; i < rows.count; i++) {
        static char ours[TEXT_SIZE];
        line = csv_line(line, field, TRUTHS);
        assert_non_null(line);
        cell_text(report, report_row(report, &rows, i), FLOPS, ours);
        *told += *field[4] != '\0';
        right += *field[4] && is_same_number(ours, field[4], FLOPS);
    }
    arena_free(arena);
    return right;
}

// FLOPs of products and convolutions, of the file as it was captured: what PyProf cannot read is cut
// out of its input.
static void test_flops(void **state)
{
    (void)state;
    const char *folder = corpus();
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[3000], truth_path[3000];
        snprintf(truth_path, sizeof truth_path, "%s/%s/truth.csv", folder, entry->d_name);
        snprintf(path, sizeof path, "%s/%s/original.sqlite", folder, entry->d_name);
        if (entry->d_name[0] == '.' || access(truth_path, R_OK) != 0)
            continue;
        if (access(path, R_OK) != 0)
            snprintf(path, sizeof path, "%s/%s/input.sqlite", folder, entry->d_name);
        struct profile *profile = load(path);
        char *truth = file_read(truth_path);
        unsigned told = 0, right = right_flops(profile, truth, &told);
        print_message("# %s: FLOPs exact of %u of %u products and convolutions\n", path, right,
                      told);
        assert_int_equal(right, told);
        free(truth);
        profile_free(profile);
    }
    closedir(entries);
}

// Of a capture of today each kernel has an op, or the reason why it has none.
static void test_reasons(void **state)
{
    (void)state;
    char path[3000];
    snprintf(path, sizeof path, "%s/gc_h100_2gpu_1s/original.sqlite", corpus());
    if (access(path, R_OK) != 0)
        skip();
    struct profile *profile = load(path);
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    const struct report *report = report_find("pyprof");
    struct rows rows = report->build(profile, &selection, arena);
    unsigned known = 0, why = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        bool has_reason = report_column(report, "why")->get(row).kind == VALUE_TEXT;
        bool has_op = report_column(report, "op")->get(row).kind == VALUE_TEXT;
        assert_true(has_reason || has_op);
        known += !has_reason;
        why += has_reason;
    }
    print_message("# %s: %u kernels with their op, %u with the reason why not\n", path, known, why);
    assert_true(known > 0);
    arena_free(arena);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_flops),
        cmocka_unit_test(test_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
