// SPDX-License-Identifier: Apache-2.0
// Compares operators, and kernels by operator, of PyTorch Profiler traces with the figures of
// PyTorch's TensorBoard plugin. Each difference must be one of the corrections below, which the
// manual lists. Skips with a message without the corpus.
#include "analysis/reports/report_list.h"
#include "corpus_index.h"
#include "property.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "analysis/report/operators.h"
#include "analysis/report/report.h"
#include "base/text/bytes.h"
#include "model/open/open.h"
#include "paths.h"
#include "plugin_view.h"

enum { PATH_SIZE = 3000 };

// ---- tables of the plugin ----------------------------------------------------------------------

struct table { // cells[row * columns + column]; the first row has the names
    const char **cells;
    size_t count, capacity, columns;
};

struct csv {
    char *at;
    bool line_ends; // after the cell read last
};

static char *read_all(const char *path, struct arena *arena)
{
    enum { PIECE = 1 << 16 };
    struct bytes text = {.arena = arena};
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    for (int got = 1; got > 0;) {
        got = gzread(file, bytes_reserve(&text, PIECE), PIECE);
        text.count += got > 0 ? (size_t)got : 0;
    }
    gzclose(file);
    bytes_char(&text, '\0');
    return text.items;
}

static const char *read_cell(struct csv *csv)
{
    bool is_quoted = *csv->at == '"';
    char *cell = csv->at += is_quoted, *to = cell;
    for (; *csv->at && (is_quoted || !strchr(",\r\n", *csv->at)); csv->at++) {
        if (is_quoted && *csv->at == '"' && *++csv->at != '"')
            break;
        *to++ = *csv->at;
    }
    csv->at += *csv->at == '\r';
    csv->line_ends = *csv->at != ',';
    csv->at += *csv->at != '\0';
    *to = '\0';
    return cell;
}

static struct table table_read(const char *path, struct arena *arena)
{
    struct table table = {0};
    struct csv csv = {.at = read_all(path, arena)};
    while (*csv.at) {
        ARENA_PUSH(arena, table.cells, table.count, table.capacity) = read_cell(&csv);
        if (csv.line_ends && !table.columns)
            table.columns = table.count;
    }
    assert_true(table.columns > 0);
    assert_int_equal(table.count % table.columns, 0);
    return table;
}

static const char *table_cell(const struct table *table, size_t row, const char *column)
{
    for (size_t c = 0; c < table->columns; c++)
        if (strcmp(table->cells[c], column) == 0)
            return table->cells[row * table->columns + c];
    return NULL;
}

// ---- matching columns --------------------------------------------------------------------------

enum figure_kind { FIGURE_COUNT, FIGURE_TIME, FIGURE_STATE, FIGURE_SHARE, FIGURE_REAL };

struct figure {
    const char *golden, *key;
    enum figure_kind kind;
};

static const struct figure operator_figures[] = {
    {"calls", "calls", FIGURE_COUNT},
    {"device_self", "device_self", FIGURE_TIME},
    {"device_total", "device_total", FIGURE_TIME},
    {"host_self", "host_self", FIGURE_TIME},
    {"host_total", "host_total", FIGURE_TIME},
    {"tc_eligible", "tc_eligible", FIGURE_STATE},
    {"tc_self_pct", "tc_self", FIGURE_SHARE},
    {"tc_total_pct", "tc_total", FIGURE_SHARE},
    {NULL, NULL, FIGURE_COUNT},
};
static const struct figure kernel_figures[] = {
    {"tc_used", "tc", FIGURE_STATE},
    {"op_tc_eligible", "tc_eligible", FIGURE_STATE},
    {"calls", "calls", FIGURE_COUNT},
    {"total", "gpu_total", FIGURE_TIME},
    {"mean", "gpu_avg", FIGURE_TIME},
    {"max", "gpu_max", FIGURE_TIME},
    {"min", "gpu_min", FIGURE_TIME},
    {"mean_blocks_per_sm", "blocks_per_sm", FIGURE_REAL},
    {"mean_occupancy", "occupancy", FIGURE_SHARE},
    {NULL, NULL, FIGURE_COUNT},
};

static const struct comparison {
    const char *file, *report;
    const struct figure *figures;
    const char *golden_keys[7], *keys[7]; // columns that identify a row
} comparisons[] = {
    {"operators.csv", "operators", operator_figures, {"name"}, {"operator"}},
    {"operators_by_shape.csv",
     "operator_shapes",
     operator_figures,
     {"name", "input_shape"},
     {"operator", "shapes"}},
    {"operator_stacks.csv.gz",
     "operator_stacks",
     operator_figures,
     {"name", "call_stack"},
     {"operator", "stack"}},
    {"kernels_by_op.csv",
     "operator_kernels",
     kernel_figures,
     {"name", "op", "grid", "block", "regs", "shmem"},
     {"kernel", "operator", "grid", "block", "registers", "shared"}},
};

// In a time, each call adds the rounding error of the plugin's doubles.
static bool is_same(const struct figure *figure, double golden, double ours, double calls)
{
    double tolerance = figure->kind == FIGURE_TIME    ? 0.5 + calls * 1e-3
                       : figure->kind == FIGURE_SHARE ? 0.0051
                       : figure->kind == FIGURE_REAL  ? fabs(golden) * 1e-5 + 1e-6
                                                      : 0;
    return fabs(golden - ours) <= tolerance;
}

// ---- deliberate differences --------------------------------------------------------------------

struct cell {
    const char *trace, *column; // column of the plugin's table
    const char *operator;
    double golden, ours;         // NAN without such a row
    double viewed;               // our figure of the plugin's view of the trace (plugin_view.h)
    bool is_repeated;            // the plugin has several rows for it
    double calls, host_total;    // of the row
    const struct figure *figure; // NULL: the row itself
};

static bool is_newer_operator(const struct cell *cell)
{
    static const char *const words[] = {"onvolution", "conv2d", "ttention", "Compiled"};
    if (!strstr(cell->column, "tc_eligible") || cell->golden != 0 || cell->ours != 1)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(cell->operator, words[i]))
            return true;
    return false;
}

static bool is_no_operator(const struct cell *cell)
{
    return cell->operator[0] == '(' &&(cell->is_repeated || strcmp(cell->column, "row") == 0);
}

static bool is_not_recorded(const struct cell *cell)
{
    return strcmp(cell->column, "mean_blocks_per_sm") == 0 && cell->golden == 0 && cell->ours > 0;
}

// Kernels ran, but the recorded occupancies are 0 in whole percent.
static bool has_false_zero_occupancy(const struct cell *cell)
{
    return strcmp(cell->column, "mean_occupancy") == 0 && cell->golden == 0 && cell->ours >= 1;
}

// An op with thousands of children: each of the plugin's doubles loses a fraction of a nanosecond
// or more.
static bool is_sum_of_many(const struct cell *cell)
{
    return strcmp(cell->column, "host_self") == 0 &&
           fabs(cell->golden - cell->viewed) < cell->host_total * 1e-4;
}

// Our report of the plugin's view has the plugin's figure.
static bool is_explained_by_view(const struct cell *cell)
{
    if (!cell->figure)
        return isnan(cell->viewed) == isnan(cell->golden);
    return is_same(cell->figure, cell->golden, cell->viewed, cell->calls);
}

static const struct correction {
    bool (*applies)(const struct cell *cell);
    const char *reason;
} corrections[] = {
    {is_newer_operator, "the plugin's list of ops for Tensor Cores is that of torch 1.8"},
    {is_no_operator, "kernels outside of operators are in no row of the plugin, or in several"},
    {is_not_recorded, "blocks for each multiprocessor, which the trace does not tell"},
    {has_false_zero_occupancy, "an occupancy of 0 that should be more is not believed"},
    {is_explained_by_view,
     "the plugin's ties (External id, no calls of the driver) or its doubles"},
    {is_sum_of_many, "the plugin's doubles, of thousands of ops in one"},
};

enum { CORRECTIONS = sizeof corrections / sizeof *corrections };
static unsigned hits[CORRECTIONS];

static bool is_corrected(const struct cell *cell)
{
    for (size_t i = 0; i < CORRECTIONS; i++)
        if (corrections[i].applies(cell)) {
            hits[i]++;
            return true;
        }
    return false;
}

// ---- traces ------------------------------------------------------------------------------------

static unsigned traces, compared, corrected, differ;

struct trace {
    const char *name, *golden;     // golden: the folder
    struct profile *profile, view; // original, and as the plugin sees it
    struct selection selection;
};

// Classifies Tensor Core kernels as the plugin does, so that shares can be compared.
static void classify_by_names(struct profile *profile)
{
    static const char *const words[] = {"h884",
                                        "s884",
                                        "h1688",
                                        "s1688",
                                        "hmma",
                                        "i8816",
                                        "16816",
                                        "dgrad_1x1_stride_2x2",
                                        "first_layer_wgrad_kernel",
                                        "conv1x1",
                                        "conv2d_c1_k1",
                                        "direct_group",
                                        "xmma_implicit_gemm",
                                        "xmma_sparse_conv",
                                        "xmma_warp_specialized_implicit_gemm",
                                        "xmma_gemm",
                                        "xmma_sparse_gemm",
                                        "c1688"};
    for (uint32_t f = 0; f < profile->function_count; f++) {
        const char *name = profile_text(profile, profile->functions[f].full);
        profile->functions[f].tensor_core = STATE_NO;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strstr(name, words[i]))
                profile->functions[f].tensor_core = STATE_YES;
    }
}

static struct value row_value(const struct report *report, const void *row, const char *key)
{
    const struct column *column = report_column(report, key);
    assert_non_null(column);
    return column->get(row);
}

// Converts "98x8x1" to the plugin's "[98, 8, 1]", and the plugin's names for kernels outside of
// operators to ours.
static const char *key_text(const char *text, const char *key, struct arena *arena)
{
    int x, y, z;
    if ((strcmp(key, "grid") == 0 || strcmp(key, "block") == 0) &&
        sscanf(text, "[%d, %d, %d]", &x, &y, &z) == 3)
        return arena_format(arena, "%dx%dx%d", x, y, z);
    static const char *const none[] = {"CallTreeRoot", "N/A", "ProfilerStep#", "Optimizer.",
                                       "enumerate(Data"};
    for (size_t i = 0; strcmp(key, "operator") == 0 && i < sizeof none / sizeof *none; i++)
        if (strncmp(text, none[i], strlen(none[i])) == 0)
            return "(no operator)";
    return text;
}

static const char *report_key(const struct report *report, const void *row,
                              const struct comparison *comparison, struct arena *arena)
{
    const char *key = "";
    for (size_t i = 0; comparison->keys[i]; i++) {
        struct value value = row_value(report, row, comparison->keys[i]);
        const char *text = value.kind == VALUE_TEXT ? value.text : "";
        if (value.kind == VALUE_INTEGER)
            text = arena_format(arena, "%lld", (long long)value.integer);
        key = arena_format(arena, "%s|%s", key, text);
    }
    return key;
}

static const char *golden_key(const struct table *table, size_t row,
                              const struct comparison *comparison, struct arena *arena)
{
    const char *key = "";
    for (size_t i = 0; comparison->keys[i]; i++)
        key = arena_format(arena, "%s|%s", key,
                           key_text(table_cell(table, row, comparison->golden_keys[i]),
                                    comparison->keys[i], arena));
    return key;
}

static double report_figure(const struct report *report, const void *row,
                            const struct figure *figure)
{
    struct value value = row_value(report, row, figure->key);
    double number = value.kind == VALUE_REAL      ? value.real
                    : value.kind == VALUE_INTEGER ? (double)value.integer
                    : value.kind == VALUE_STATE   ? value.integer == STATE_YES
                                                  : 0;
    return figure->kind == FIGURE_TIME    ? number / 1000
           : figure->kind == FIGURE_SHARE ? number * 100
                                          : number;
}

static void judge(const struct cell *cell, bool same, const char *row)
{
    compared++;
    if (same)
        return;
    if (is_corrected(cell)) {
        corrected++;
        return;
    }
    differ++;
    print_message("%s %s %.200s: %g in the plugin, here %g, and %g in its view\n", cell->trace,
                  cell->column, row, cell->golden, cell->ours, cell->viewed);
}

struct side { // our report of one profile
    struct rows rows;
    const char **keys; // NULL: the plugin has that row
};

static struct side side_of(const struct trace *trace, const struct profile *profile,
                           const struct comparison *comparison, struct arena *arena)
{
    const struct report *report = report_find(comparison->report);
    struct side side = {.rows = report_rows(report, profile, &trace->selection, arena)};
    side.keys = ARENA_ARRAY(arena, const char *, side.rows.count + 1);
    for (size_t i = 0; i < side.rows.count; i++)
        side.keys[i] = report_key(report, report_row(report, &side.rows, i), comparison, arena);
    return side;
}

static size_t side_find(const struct side *side, const char *key)
{
    size_t at = 0;
    while (at < side->rows.count && (!side->keys[at] || strcmp(side->keys[at], key) != 0))
        at++;
    return at;
}

static bool table_repeats(const struct table *table, size_t row,
                          const struct comparison *comparison, struct arena *arena)
{
    const char *key = golden_key(table, row, comparison, arena);
    for (size_t g = 1; g < table->count / table->columns; g++)
        if (g != row && strcmp(golden_key(table, g, comparison, arena), key) == 0)
            return true;
    return false;
}

// Compares a row of the plugin with ours of the trace and of the plugin's view of it.
static void compare_row(const struct trace *trace, const struct comparison *comparison,
                        const struct table *table, size_t g, struct side *ours, struct side *view,
                        struct arena *arena)
{
    const struct report *report = report_find(comparison->report);
    const char *key = golden_key(table, g, comparison, arena), *op = table_cell(table, g, "op");
    size_t at = side_find(ours, key), viewed_at = side_find(view, key);
    bool has_ours = at < ours->rows.count, is_viewed = viewed_at < view->rows.count;
    struct cell cell = {.trace = trace->name,
                        .column = "row",
                        .operator=
                            key_text(op ? op : table_cell(table, g, "name"), "operator", arena),
                        .golden = 1,
                        .ours = has_ours ? 1 : (double)NAN,
                        .viewed = is_viewed ? 1 : (double)NAN};
    if (cell.operator[0] == '(')
        cell.is_repeated = table_repeats(table, g, comparison, arena);
    judge(&cell, has_ours, key);
    if (is_viewed)
        view->keys[viewed_at] = NULL;
    if (!has_ours)
        return;
    ours->keys[at] = NULL;
    cell.calls = strtod(table_cell(table, g, "calls"), NULL);
    const char *host_total = table_cell(table, g, "host_total");
    cell.host_total = host_total ? strtod(host_total, NULL) : 0;
    for (const struct figure *figure = comparison->figures; figure->golden; figure++) {
        const char *text = table_cell(table, g, figure->golden);
        if (!text)
            continue;
        cell.column = figure->golden;
        cell.figure = figure;
        cell.golden = strtod(text, NULL);
        cell.ours = report_figure(report, report_row(report, &ours->rows, at), figure);
        cell.viewed =
            is_viewed ? report_figure(report, report_row(report, &view->rows, viewed_at), figure)
                      : (double)NAN;
        judge(&cell, is_same(figure, cell.golden, cell.ours, cell.calls), key);
    }
}

static void compare_table(const struct trace *trace, const struct comparison *comparison)
{
    char path[PATH_SIZE];
    struct arena *arena = arena_new(0);
    snprintf(path, sizeof path, "%s/%s", trace->golden, comparison->file);
    if (access(path, R_OK) != 0) {
        arena_free(arena);
        return;
    }
    struct table table = table_read(path, arena);
    const struct report *report = report_find(comparison->report);
    struct side ours = side_of(trace, trace->profile, comparison, arena);
    struct side view = side_of(trace, &trace->view, comparison, arena);
    for (size_t g = 1; g < table.count / table.columns; g++)
        compare_row(trace, comparison, &table, g, &ours, &view, arena);
    for (size_t i = 0; i < ours.rows.count; i++) { // rows that the plugin lacks
        if (!ours.keys[i])
            continue;
        struct value name = row_value(report, report_row(report, &ours.rows, i), "operator");
        bool is_viewed = side_find(&view, ours.keys[i]) < view.rows.count;
        struct cell cell = {.trace = trace->name,
                            .column = "row",
                            .operator= name.text,
                            .golden = (double)NAN,
                            .ours = 1,
                            .viewed = is_viewed ? 1 : (double)NAN};
        judge(&cell, false, ours.keys[i]);
    }
    arena_free(arena);
}

// Compares each operator's kernels and their time with those that a separate program found by
// containment.
static void compare_containment(const struct trace *trace)
{
    char path[PATH_SIZE];
    const struct profile *profile = trace->profile;
    snprintf(path, sizeof path, "%s/op_device_self_by_containment.csv", trace->golden);
    if (access(path, R_OK) != 0)
        return;
    struct arena *arena = arena_new(0);
    struct table table = table_read(path, arena);
    uint32_t names = strings_count(profile->strings);
    int64_t *ns = ARENA_ARRAY(arena, int64_t, names), *count = ARENA_ARRAY(arena, int64_t, names);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        if (profile->functions[AT(profile->work.function, w)].kind != WORK_KERNEL)
            continue;
        uint32_t range = operator_of_work(profile, w);
        string_id name = range == ROW_NONE
                             ? (string_id)STRING_NONE
                             : operator_name(profile, range_label(&profile->ranges, range));
        ns[name] += work_duration(profile, w);
        count[name]++;
    }
    for (size_t g = 1; g < table.count / table.columns; g++) {
        const char *op = table_cell(&table, g, "op");
        string_id name =
            strcmp(op, "N/A") == 0 ? (string_id)STRING_NONE : strings_find(profile->strings, op);
        int64_t kernels = strtoll(table_cell(&table, g, "kernels"), NULL, 10);
        int64_t us = strtoll(table_cell(&table, g, "device_self_us"), NULL, 10);
        struct cell cell = {.trace = "containment",
                            .column = "kernels",
                            .operator= op,
                            .golden = (double)kernels,
                            .ours = (double)count[name],
                            .viewed = (double)NAN};
        judge(&cell, count[name] == kernels, op);
        cell.column = "device_self";
        cell.golden = (double)us;
        cell.ours = (double)ns[name] / 1000;
        judge(&cell, ns[name] == us * 1000, op);
    }
    arena_free(arena);
}

static void compare_trace(const char *name, const char *path, const char *golden)
{
    struct error error = {0};
    struct load_request request = {.path = path};
    struct profile *profile = profile_load(&request, &error);
    if (!profile) // some cases have only memory records
        return;
    struct arena *arena = arena_new(0);
    classify_by_names(profile);
    struct trace trace = {name, golden, profile, plugin_view_of(profile, path),
                          selection_all(split_find(profile, arena))};
    trace.selection.names = NAME_FULL;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        compare_table(&trace, &comparisons[i]);
    compare_containment(&trace);
    traces++;
    arena_free(arena);
    profile_free(profile);
}

// Checks the traces of a folder with the plugin's figures in `golden`, or in a folder of it named
// after the trace.
static void compare_folder(const char *folder, const char *golden, const char *name)
{
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char path[PATH_SIZE], golden_folder[PATH_SIZE];
        size_t length = strcspn(entry->d_name, ".");
        if (!strstr(entry->d_name, ".json") || strcmp(entry->d_name, "overview.json") == 0)
            continue;
        snprintf(path, sizeof path, "%.2500s/%.400s", folder, entry->d_name);
        snprintf(golden_folder, sizeof golden_folder, "%.2500s/%.*s", golden,
                 (int)(length < 400 ? length : 400), entry->d_name);
        if (strstr(entry->d_name, ".trace.json") || strstr(entry->d_name, ".json.gz"))
            compare_trace(name, path, access(golden_folder, R_OK) == 0 ? golden_folder : golden);
    }
    if (stream)
        closedir(stream);
}

static void same_as_the_plugin(void **state)
{
    (void)state;
    char path[PATH_SIZE], folder[PATH_SIZE + 300], golden[PATH_SIZE + 320];
    const char *corpus = getenv("DLPROF_CORPUS");
    static const char *const parts[] = {"", "/unit"};
    snprintf(path, sizeof path, "%s/kineto", corpus ? corpus : source_path("/../shared/corpus"));
    if (access(path, R_OK) != 0) {
        print_message("# skipped: no %s\n", path);
        skip();
    }
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
        char place[PATH_SIZE + 10];
        snprintf(place, sizeof place, "%s%s", path, parts[part]);
        DIR *stream = opendir(place);
        for (struct dirent *entry; stream && (entry = readdir(stream));) {
            snprintf(folder, sizeof folder, "%s/%s", place, entry->d_name);
            snprintf(golden, sizeof golden, "%s%s", folder, part ? "" : "/golden");
            if (entry->d_name[0] != '.' && access(golden, R_OK) == 0 &&
                (part || corpus_index_has(path, entry->d_name, GOLDEN_OPERATORS)))
                compare_folder(folder, golden, entry->d_name);
        }
        if (stream)
            closedir(stream);
    }
    print_message("%u traces: %u values compared, %u differ, %u are corrections\n", traces,
                  compared, differ, corrected);
    for (size_t i = 0; i < CORRECTIONS; i++)
        print_message("  %u: %s\n", hits[i], corrections[i].reason);
    assert_true(traces > 0);
    assert_int_equal(differ, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_the_plugin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
