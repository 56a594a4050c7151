// SPDX-License-Identifier: Apache-2.0
// Comparisons: which row is which, what is new and gone, and that the differences add up to that of
// the steps, to the nanosecond.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "property.h"

#include "analysis/baseline.h"
#include "analysis/compare_match.h"
#include "analysis/compare_rows.h"
#include "analysis/value.h"
#include "model/loader.h"
#include "scenario.h"

// ---- matching ----------------------------------------------------------------------------------

struct plant { // a row of a tree
    const char *name;
    unsigned depth;
};

static struct value plant_name(const void *row)
{
    return value_text(((const struct plant *)row)->name);
}

static unsigned plant_depth(const void *row)
{
    return ((const struct plant *)row)->depth;
}

static const struct column plant_columns[] = {
    {"name", "Name", "name", UNIT_TEXT, plant_name, "", COLUMN_NAME},
};
static const struct report plants = {
    .row_size = sizeof(struct plant),
    .column_count = 1,
    .columns = plant_columns,
    .depth = plant_depth,
};

#define PLANTS(...)                                              \
    ((struct rows){.items = (const struct plant[]){__VA_ARGS__}, \
                   .count = sizeof((const struct plant[]){__VA_ARGS__}) / sizeof(struct plant)})

// "=a" on both sides, "+b" new, "-c" gone, with two blanks a level.
static void assert_matches(struct rows a, struct rows b, const char *expected)
{
    struct arena *arena = arena_new(0);
    struct side_rows sides[SIDES] = {side_rows_make(&plants, a, arena),
                                     side_rows_make(&plants, b, arena)};
    size_t count;
    struct row_pair *pairs = rows_match(&plants, sides, &count, arena);
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        bool is_b = pairs[i].row[SIDE_B] != ROW_NONE, is_a = pairs[i].row[SIDE_A] != ROW_NONE;
        const struct plant *row =
            report_row(&plants, &sides[is_b].rows, pairs[i].row[is_b ? SIDE_B : SIDE_A]);
        text = arena_format(arena, "%s%*s%c%s\n", text, 2 * (int)row->depth, "",
                            is_a && is_b ? '='
                            : is_b       ? '+'
                                         : '-',
                            row->name);
    }
    assert_string_equal(text, expected);
    arena_free(arena);
}

static void test_match(void **state)
{
    (void)state;
    assert_matches(PLANTS({"a", 0}, {"b", 0}), PLANTS({"b", 0}, {"c", 0}), "=b\n+c\n-a\n");
    // One name at several places is several rows.
    assert_matches(PLANTS({"x", 0}, {"mm", 1}, {"y", 0}, {"mm", 1}),
                   PLANTS({"y", 0}, {"mm", 1}, {"x", 0}, {"add", 1}),
                   "=y\n  =mm\n=x\n  +add\n  -mm\n");
    // Below what is new all is new, below what is gone all is gone.
    assert_matches(PLANTS({"f", 0}, {"old", 1}, {"mm", 2}, {"z", 0}),
                   PLANTS({"f", 0}, {"new", 1}, {"mm", 2}, {"z", 0}),
                   "=f\n  +new\n    +mm\n  -old\n    -mm\n=z\n");
    // Of rows named alike the first is the first.
    assert_matches(PLANTS({"k", 0}, {"k", 0}), PLANTS({"k", 0}, {"k", 0}, {"k", 0}),
                   "=k\n=k\n+k\n");
    assert_matches((struct rows){0}, PLANTS({"k", 0}), "+k\n");
    assert_matches(PLANTS({"k", 0}, {"l", 1}), (struct rows){0}, "-k\n  -l\n");
}

struct sized { // a row of a table, and what it may be known by instead
    const char *name, *size, *family;
};

static struct value sized_name(const void *row)
{
    return value_text(((const struct sized *)row)->name);
}

static struct row_match sized_match(const void *row)
{
    const struct sized *r = row;
    return (struct row_match){{r->name, r->size}};
}

static struct row_match sized_family(const void *row)
{
    const struct sized *r = row;
    return (struct row_match){{r->family, r->size}};
}

static struct row_match sized_again(const void *row)
{
    return (struct row_match){{((const struct sized *)row)->name}};
}

static struct row_match (*const sized_matches[])(const void *row) = {sized_family, sized_again,
                                                                     NULL};
static const struct column sized_columns[] = {
    {"name", "Name", "name", UNIT_TEXT, sized_name, "", COLUMN_NAME},
};
static const struct report sizes = {
    .row_size = sizeof(struct sized),
    .column_count = 1,
    .columns = sized_columns,
    .match = sized_match,
    .match_again = sized_matches,
};

#define SIZES(...)                                               \
    ((struct rows){.items = (const struct sized[]){__VA_ARGS__}, \
                   .count = sizeof((const struct sized[]){__VA_ARGS__}) / sizeof(struct sized)})

// "a1=b1" alike, "a1~a2" matched all the same, "+b1" new, "-a1" gone.
static void assert_matches_again(struct rows a, struct rows b, const char *expected)
{
    struct arena *arena = arena_new(0);
    struct side_rows sides[SIDES] = {side_rows_make(&sizes, a, arena),
                                     side_rows_make(&sizes, b, arena)};
    size_t count;
    struct row_pair *pairs = rows_match(&sizes, sides, &count, arena);
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        const struct sized *row[SIDES] = {NULL, NULL};
        for (int s = 0; s < SIDES; s++)
            if (pairs[i].row[s] != ROW_NONE)
                row[s] = report_row(&sizes, &sides[s].rows, pairs[i].row[s]);
        const char *before =
            row[SIDE_A] ? arena_format(arena, "%s%s", row[SIDE_A]->name, row[SIDE_A]->size) : "";
        const char *after =
            row[SIDE_B] ? arena_format(arena, "%s%s", row[SIDE_B]->name, row[SIDE_B]->size) : "";
        const char *sign = !*before ? "+" : !*after ? "-" : pairs[i].is_loose ? "~" : "=";
        if (!*after)
            text = arena_format(arena, "%s-%s ", text, before);
        else
            text = arena_format(arena, "%s%s%s%s ", text, before, sign, after);
    }
    assert_string_equal(text, expected);
    arena_free(arena);
}

static void test_match_again(void **state)
{
    (void)state;
    // Another size, when there is one of that name; what is alike goes first.
    assert_matches_again(SIZES({"a", "1", "f"}, {"b", "1", "g"}),
                         SIZES({"a", "2", "f"}, {"b", "1", "g"}), "a1~a2 b1=b1 ");
    assert_matches_again(SIZES({"a", "1", "f"}, {"a", "2", "f"}),
                         SIZES({"a", "2", "f"}, {"a", "3", "f"}), "a2=a2 a1~a3 ");
    // Several that are left tell nothing.
    assert_matches_again(SIZES({"a", "1", "f"}, {"a", "2", "f"}),
                         SIZES({"a", "3", "f"}, {"a", "4", "f"}), "+a3 +a4 -a1 -a2 ");
    assert_matches_again(SIZES({"a", "1", "f"}), SIZES({"a", "3", "f"}, {"a", "4", "f"}),
                         "+a3 +a4 -a1 ");
    // Another name of the same family and size, before another size.
    assert_matches_again(SIZES({"a", "1", "f"}, {"a", "2", "f"}),
                         SIZES({"z", "2", "f"}, {"a", "9", "f"}), "a2~z2 a1~a9 ");
    // No family, no such match.
    assert_matches_again(SIZES({"a", "1", NULL}), SIZES({"z", "1", NULL}), "+z1 -a1 ");
    assert_matches_again(SIZES({"a", "1", "f"}), (struct rows){0}, "-a1 ");
}

// ---- rounding ----------------------------------------------------------------------------------

static void test_parts(void **state)
{
    (void)state;
    assert_int_equal(part_of_total(10, 4), 3); // half up
    assert_int_equal(part_of_total(9, 4), 2);
    assert_int_equal(part_of_total(-10, 4), -2);
    assert_int_equal(part_of_total(-11, 4), -3);
    assert_int_equal(part_of_total(0, 4), 0);
    assert_int_equal(part_of_total(7, 1), 7);
    assert_int_equal(part_of_total((__int128)INT64_MAX * 8, 8), INT64_MAX);
}

// ---- columns -----------------------------------------------------------------------------------

static void test_columns(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    size_t compared = 0;
    for (size_t i = 0; i < report_count; i++) {
        const struct report *report = compare_report(reports[i], "step", arena);
        assert_int_equal(report != NULL, report_is_compared(reports[i]));
        bool is_apart = false; // some totals of rows that do not add up
        for (size_t c = 0; c < reports[i]->column_count; c++)
            is_apart |= (reports[i]->columns[c].flags & COLUMN_APART) != 0;
        assert_int_equal(is_apart, reports[i]->apart != NULL);
        assert_false(reports[i]->apart && reports[i]->is_aggregate);
        assert_false(reports[i]->is_steps && (reports[i]->apart || reports[i]->is_aggregate));
        if (!report)
            continue;
        compared++;
        assert_true(report->column_count < COMPARE_COLUMNS); // none was left out
        assert_true(report->columns[0].flags & COLUMN_NAME);
        for (size_t c = 0; c < report->column_count; c++)
            for (size_t d = 0; d < c; d++)
                assert_string_not_equal(report->columns[c].key, report->columns[d].key);
    }
    assert_true(compared >= 6);
    arena_free(arena);
}

// ---- sums --------------------------------------------------------------------------------------

struct pair {
    struct profile *a, *b;
    struct arena *arena;
    struct baseline baseline;
    struct selection selection;
};

static void pair_open(struct pair *pair, const char *before, const char *after)
{
    *pair = (struct pair){.arena = arena_new(0)};
    pair->a = scenario_open(before);
    pair->b = after ? scenario_open(after) : pair->a;
    pair->selection = selection_all(split_find(pair->b, pair->arena));
    pair->selection.iterations = selection_usual(pair->b, &pair->selection, pair->arena);
    struct baseline_request request = {
        .profile = pair->a, .path = after ? before : NULL, .gpu = UNKNOWN, .process = UNKNOWN};
    assert_true(baseline_make(&pair->baseline, &request, &pair->selection, pair->arena, NULL));
    pair->selection.baseline = &pair->baseline;
}

static void pair_close(struct pair *pair)
{
    if (pair->a != pair->b)
        profile_free(pair->a);
    profile_free(pair->b);
    arena_free(pair->arena);
}

static const struct compare_row *row_at(const struct rows *rows, size_t i)
{
    return (const struct compare_row *)rows->items + i;
}

static double known(double x)
{
    return isnan(x) ? 0 : x;
}

// The first row tells all of them: each sum of each side, and what differs.
static void assert_adds_up(const struct pair *pair, const struct report *base, const char *what)
{
    struct rows rows = compare_rows(base, pair->b, &pair->selection, pair->arena);
    if (rows.count == 0)
        return;
    const struct compare_row *all = row_at(&rows, 0);
    struct compare_layout layout;
    compare_layout_make(&layout, base);
    int main = layout.main;
    double sum[SIDES] = {0}, delta = 0;
    for (size_t i = 1; i < rows.count; i++) {
        const struct compare_row *row = row_at(&rows, i);
        if (base->depth && row->depth > 0)
            continue;
        for (int s = 0; s < SIDES; s++)
            sum[s] += known(row->sums[main * SIDES + s]);
        delta += known(compare_delta(row, main));
    }
    for (int s = 0; s < SIDES; s++)
        if (sum[s] != known(all->sums[main * SIDES + s]))
            fail_msg("%s, %s: side %d is %.3f, its rows make %.3f", what, base->name, s,
                     all->sums[main * SIDES + s], sum[s]);
    if (delta != known(compare_delta(all, main)))
        fail_msg("%s, %s: the difference is %.0f ns, its rows make %.0f", what, base->name,
                 compare_delta(all, main), delta);
    struct compared compared;
    compare_make(&compared, pair->b, &pair->selection, pair->arena);
    int64_t a = side_step_ns(&compared.side[SIDE_A]), b = side_step_ns(&compared.side[SIDE_B]);
    if ((base->busy || base->whole) && a != UNKNOWN && b != UNKNOWN)
        if (compare_delta(all, main) != (double)(b - a))
            fail_msg("%s, %s: the steps differ by %lld ns, the rows by %.0f", what, base->name,
                     (long long)(b - a), compare_delta(all, main));
}

// Below each row of a tree: what lies in it adds up to no more than the row, and no less where the
// rows below are all there is.
static void assert_tree_adds_up(const struct pair *pair, const char *what)
{
    const struct report *ops = report_find("ops");
    struct rows rows = compare_rows(ops, pair->b, &pair->selection, pair->arena);
    struct compare_layout layout;
    compare_layout_make(&layout, ops);
    int gpu = layout.main;
    for (size_t i = 0; i < rows.count; i++) {
        const struct compare_row *row = row_at(&rows, i);
        double below = 0;
        if (row->name) // idle time, or what runs across edges
            continue;
        for (size_t j = i + 1; j < rows.count && row_at(&rows, j)->depth > row->depth; j++)
            if (row_at(&rows, j)->depth == row->depth + 1)
                below += known(row_at(&rows, j)->sums[gpu * SIDES + SIDE_B]);
        if (below > known(row->sums[gpu * SIDES + SIDE_B]))
            fail_msg("%s: row %zu is less than what lies in it", what, i);
    }
}

static void test_deltas_add_up(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"demo --steps=5", "demo --steps=6 --without=item"},
        {"demo --steps=4", "demo --steps=4 --without=fp32head"},
        {"ddp --steps=4", "ddp --steps=5 --without=straggler"},
        {"oneproc4gpu", "oneproc4gpu --steps=3"},
        {"dlprof", "dlprof --without=optimizer"},
        {"emit", "emit --without=item"},
        {"plain", "layer"},
        {"startend", "startend --without=item"},
        {"none", "none --without=loader"},
        {"none", "plain"},
        {"graphs-node", "graphs-graph"},
        {"graphs-2proc", "graphs-2proc --seed=7"},
        {"serving", "serving-node"},
        {"tiny", "cpuonly"},
        {"cpuonly", "tiny"},
        {"skew", "unmatched"},
        {"deep", "tiny"},
        {"hostile", "tiny"},
        {"tiny", "hostile"},
    };
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        struct pair pair;
        if (getenv("DLPROF_QUICK") && p + 2 < sizeof pairs / sizeof *pairs)
            continue; // under valgrind the small ones will do
        pair_open(&pair, pairs[p][0], pairs[p][1]);
        for (size_t i = 0; i < report_count; i++)
            if (reports[i]->is_aggregate)
                assert_adds_up(&pair, reports[i], pairs[p][1]);
        assert_tree_adds_up(&pair, pairs[p][1]);
        pair_close(&pair);
    }
}

// Without a baseline of its own a profile differs in nothing.
static void test_same(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "ddp --steps=4", NULL);
    for (size_t i = 0; i < report_count; i++) {
        if (!reports[i]->is_aggregate)
            continue;
        struct rows rows = compare_rows(reports[i], pair.b, &pair.selection, pair.arena);
        struct compare_layout layout;
        compare_layout_make(&layout, reports[i]);
        assert_true(rows.count > 1);
        for (size_t r = 0; r < rows.count; r++) {
            assert_true(row_at(&rows, r)->what == WHAT_BOTH);
            for (int sum = 0; sum < (int)layout.sum_count; sum++)
                assert_true(known(compare_delta(row_at(&rows, r), sum)) == 0);
        }
    }
    pair_close(&pair);
}

// Two steps, and two GPUs, of one profile.
static void test_within_one(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "ddp --steps=6", NULL);
    bool a[8] = {false}, b[8] = {false};
    a[2] = b[3] = b[4] = true;
    pair.baseline.selection.iterations = a;
    pair.selection.iterations = b;
    pair.baseline.selection.device = 0;
    pair.baseline.follows_scope = false;
    pair.selection.device = 2;
    for (size_t i = 0; i < report_count; i++)
        if (reports[i]->is_aggregate)
            assert_adds_up(&pair, reports[i], "two GPUs");
    struct compared compared;
    compare_make(&compared, pair.b, &pair.selection, pair.arena);
    assert_int_equal(compared.side[SIDE_A].gpu, 1);
    assert_int_equal(compared.side[SIDE_B].gpu, 2); // two steps of one GPU
    assert_int_equal(compared.side[SIDE_A].steps.count, 1);
    assert_int_equal(compare_noise_ns(&compared), 0); // one step tells of no spread
    pair_close(&pair);
}

// ---- what the generator planted ----------------------------------------------------------------

static const struct compare_row *row_named(const struct rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct compare_row *row = row_at(rows, i);
        const void *known_row = row->side[SIDE_B] ? row->side[SIDE_B] : row->side[SIDE_A];
        const char *text = row->name;
        if (known_row)
            text = row->layout->columns[0].base->get(known_row).text;
        if (text && strcmp(text, name) == 0)
            return row;
    }
    return NULL;
}

// Without the planted FP32 head its kernels are gone, others are new, and each part of the step
// says so.
static void test_new_and_gone(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "demo --steps=4", "demo --steps=4 --without=fp32head");
    struct rows rows = compare_rows(report_find("kernels"), pair.b, &pair.selection, pair.arena);
    size_t gone = 0, created = 0;
    double moved = INFINITY;
    for (size_t i = 1; i < rows.count; i++) {
        const struct compare_row *row = row_at(&rows, i);
        double delta = compare_delta(row, row->layout->main);
        gone += row->what == WHAT_GONE;
        created += row->what == WHAT_NEW;
        assert_true(row->what != WHAT_GONE || delta < 0);
        assert_true(row->what != WHAT_NEW || delta > 0);
        assert_true(fabs(delta) <= moved);         // what moved most comes first
        moved = fabs(delta) > 1 ? fabs(delta) : 1; // less is rounding
    }
    assert_true(gone >= 3);
    assert_true(created >= 1);
    const struct compare_row *head = row_named(&rows, "xmma_gemm f32 ffma tn 128x128x8");
    assert_non_null(head);
    assert_int_equal(head->what, WHAT_GONE);
    // Without the head's product in the other profile a comparison of its launches has no side A.
    pair.selection.name = strings_find(pair.b->strings, "nvjet_tst 256x128x64 TNN");
    rows = compare_rows(report_find("kernel_ops"), pair.b, &pair.selection, pair.arena);
    assert_true(rows.count > 1);
    assert_string_equal(row_at(&rows, 0)->name, "(all rows)");
    pair_close(&pair);
}

static const char *cell_of(const struct compare_row *row, const char *key, struct arena *arena)
{
    const struct report *report = compare_report(row->layout->base, "step", arena);
    const struct column *column = report_column(report, key);
    assert_non_null(column);
    return value_for_people(column, column->get(row), true, arena);
}

// A kernel that is launched with more blocks is the same row, as is one with another name.
static void test_shapes(void **state)
{
    (void)state;
    const struct report *shapes = report_find("shapes"), *kernels = report_find("kernels");
    const char *const scan = "tensor_kernel_scan_innermost_dim<float>";
    struct pair pair;
    pair_open(&pair, "healthy --steps=3 --problem=tinygrid",
              "healthy --steps=3 --problem=tinygrid:twin");
    struct rows rows = compare_rows(shapes, pair.b, &pair.selection, pair.arena);
    const struct compare_row *row = row_named(&rows, scan);
    assert_int_equal(row->what, WHAT_RESHAPED);
    assert_string_equal(cell_of(row, "grid", pair.arena), "16x1x1 -> 132x1x1");
    assert_string_equal(cell_of(row, "grid_a", pair.arena), "16x1x1");
    assert_string_equal(cell_of(row, "grid_b", pair.arena), "132x1x1");
    assert_string_equal(cell_of(row, "block", pair.arena), "512x1x1");
    assert_string_equal(cell_of(row, "what", pair.arena), "reshaped");
    for (size_t i = 1; i < rows.count; i++)
        assert_true(row_at(&rows, i) == row || row_at(&rows, i)->what == WHAT_BOTH);
    // It opens its own launches alone.
    struct selection narrow = pair.selection;
    assert_string_equal(shapes->narrow(pair.b, row->side[SIDE_B], &narrow), "launches");
    const struct report *launches = report_find("launches");
    struct rows own = launches->build(pair.b, &narrow, pair.arena);
    const struct column *calls = report_column(shapes, "calls");
    assert_int_equal(own.count, calls->get(row->side[SIDE_B]).integer);
    // Elsewhere nothing is launched so.
    struct compared compared;
    compare_make(&compared, pair.b, &narrow, pair.arena);
    assert_false(compared.side[SIDE_A].is_there);
    // By another name, as after another release: the same family tells.
    for (uint32_t f = 0; f < pair.b->function_count; f++)
        if (strcmp(profile_text(pair.b, pair.b->functions[f].family), scan) == 0)
            pair.b->functions[f].full = strings_intern_text(pair.b->strings, "scan<float, 512>");
    pair.selection.names = NAME_FULL;
    for (int i = 0; i < 2; i++) {
        const struct report *report = i ? kernels : shapes;
        rows = compare_rows(report, pair.b, &pair.selection, pair.arena);
        row = row_named(&rows, "scan<float, 512>");
        assert_int_equal(row->what, WHAT_RENAMED);
        assert_non_null(strstr(cell_of(row, "kernel_a", pair.arena), "scan_innermost_dim"));
        assert_adds_up(&pair, report, "renamed");
        for (size_t r = 1; r < rows.count; r++)
            assert_true(row_at(&rows, r)->what != WHAT_NEW && row_at(&rows, r)->what != WHAT_GONE);
    }
    pair_close(&pair);
}

static void test_narrowed(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "demo --steps=4", "demo --steps=4 --without=fp32head --seed=3");
    // The same layer is found by its path, whatever its number in the other profile.
    const struct report *ops = report_find("ops");
    struct rows rows = ops->build(pair.b, &pair.selection, pair.arena);
    const struct column *path = report_column(ops, "path");
    for (size_t i = 0; i < rows.count; i++) {
        const char *text = path->get(report_row(ops, &rows, i)).text;
        if (strcmp(text + strlen(text) - 4, "/mlp") == 0)
            ops->narrow(pair.b, report_row(ops, &rows, i), &pair.selection);
    }
    assert_true(pair.selection.node != ROW_NONE);
    struct compared compared;
    compare_make(&compared, pair.b, &pair.selection, pair.arena);
    assert_true(compared.side[SIDE_A].is_there);
    assert_false(compared.side[SIDE_A].is_whole);
    assert_int_equal(side_step_ns(&compared.side[SIDE_A]), UNKNOWN);
    assert_adds_up(&pair, report_find("kernels"), "a layer");
    // A kernel that only one side has.
    pair.selection.node = ROW_NONE;
    pair.selection.name = strings_intern_text(pair.b->strings, "no such kernel");
    compare_make(&compared, pair.b, &pair.selection, pair.arena);
    assert_false(compared.side[SIDE_A].is_there);
    pair_close(&pair);
}

// ---- rows that do not add up -------------------------------------------------------------------

static int64_t figure_of(const struct report *base, const char *key, const void *row)
{
    return report_column(base, key)->get(row).integer;
}

static double sum_of(const struct compare_row *row, const char *key, int side)
{
    for (int sum = 0; sum < (int)row->layout->sum_count; sum++)
        if (strcmp(row->layout->sums[sum]->key, key) == 0)
            return row->sums[sum * SIDES + side];
    fail_msg("no sum %s", key);
    return 0;
}

// Steps are compared in their order, and what is beyond the shorter set is new or gone.
static void test_steps(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "ddp --steps=4", "ddp --steps=7 --without=straggler");
    pair.baseline.selection.iterations = NULL;
    const bool some[7] = {false, true, true, false, true, true, true};
    pair.selection.iterations = some;
    const struct report *base = report_find("iterations")->stand_in;
    const struct report *report = compare_report(report_find("iterations"), "step", pair.arena);
    assert_adds_up(&pair, base, "steps");
    struct rows rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
    static const char *const names[] = {"(all steps)", "0 -> 1", "1 -> 2", "2 -> 4", "3 -> 5", "6"};
    assert_int_equal(rows.count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(report->columns[0].get(row_at(&rows, i)).text, names[i]);
    assert_true(row_at(&rows, 4)->what != WHAT_NEW);
    assert_int_equal(row_at(&rows, 5)->what, WHAT_NEW);
    // Steps as they are, not parts of them; only what is of all GPUs together is one GPU's.
    const struct compare_row *row = row_at(&rows, 3);
    assert_true(sum_of(row, "gpu", SIDE_B) == (double)figure_of(base, "gpu", row->side[SIDE_B]));
    double kernels = sum_of(row, "kernels", SIDE_A);
    assert_true(kernels * 4 == (double)figure_of(base, "kernels", row->side[SIDE_A]));
    pair.baseline.selection.device = 0; // against all: the launches of one
    pair.baseline.follows_scope = false;
    rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
    assert_true(sum_of(row_at(&rows, 3), "kernels", SIDE_A) == kernels);
    pair_close(&pair);
    pair_open(&pair, "ddp --steps=7 --without=straggler", "ddp --steps=4");
    assert_adds_up(&pair, base, "steps gone");
    rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
    assert_int_equal(row_at(&rows, rows.count - 1)->what, WHAT_GONE);
    pair_close(&pair);
}

// Each row is compared by itself, as a part of its own side's steps; there is no row of sums.
static void test_apart(void **state)
{
    (void)state;
    static const char *const names[] = {"ranges", "streams", "devices"};
    struct pair pair;
    pair_open(&pair, "ddp --steps=4", "ddp --steps=7 --without=straggler");
    pair.baseline.selection.iterations = NULL; // all of 4 against all of 7, of 4 processes
    pair.selection.iterations = NULL;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const struct report *base = report_find(names[n]);
        bool is_host = strcmp(names[n], "ranges") == 0;
        struct rows rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
        size_t paired = 0;
        double moved = INFINITY;
        for (size_t i = 0; i < rows.count; i++) {
            const struct compare_row *row = row_at(&rows, i);
            assert_null(row->name); // (step), (idle), (all rows)
            double delta = fabs(compare_delta(row, row->layout->main));
            assert_false(delta > moved && delta > 1);
            moved = isnan(delta) ? 0 : delta;
            paired += row->side[SIDE_A] && row->side[SIDE_B];
            for (int s = 0; s < SIDES; s++) {
                int64_t parts = (s == SIDE_A ? 4 : 7) * (is_host ? 4 : 1);
                const char *main = row->layout->sums[row->layout->main]->key;
                const char *count = is_host ? "all_calls" : "kernels";
                if (!row->side[s] ||
                    report_column(base, main)->get(row->side[s]).kind == VALUE_NONE)
                    continue;
                assert_true(sum_of(row, main, s) ==
                            (double)part_of_total(figure_of(base, main, row->side[s]), parts));
                assert_true(sum_of(row, count, s) ==
                            (double)figure_of(base, count, row->side[s]) / (double)parts);
            }
        }
        assert_true(paired >= 4);
        // It is said; what tells rows of one name apart stays.
        const struct report *report = compare_report(base, "step", pair.arena);
        assert_non_null(strstr(report->doc, base->apart));
        assert_int_equal(report_column(report, "device") != NULL, !is_host);
    }
    pair_close(&pair);
}

// What only one side has.
static void test_apart_new_and_gone(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "demo --steps=4 --without=item", "demo --steps=4");
    struct rows rows = compare_rows(report_find("ranges"), pair.b, &pair.selection, pair.arena);
    size_t both = 0;
    for (size_t i = 0; i < rows.count; i++)
        both += row_at(&rows, i)->what == WHAT_BOTH;
    assert_true(both > 3);
    assert_true(both < rows.count);
    pair_close(&pair);
    // A step by its number is no part of every step: it is in the report, and not compared.
    pair_open(&pair, "ddp --steps=4", "ddp --steps=6");
    rows = report_find("ranges")->build(pair.b, &pair.selection, pair.arena);
    size_t all = rows.count;
    rows = compare_rows(report_find("ranges"), pair.b, &pair.selection, pair.arena);
    assert_int_equal(rows.count, all - selection_count(&pair.selection));
    for (size_t i = 0; i < rows.count; i++)
        assert_true(row_at(&rows, i)->what == WHAT_BOTH);
    pair_close(&pair);
}

// Each run numbers its ops by itself: their ranges are the same by name.
static void test_apart_names(void **state)
{
    (void)state;
    const struct report *ranges = report_find("ranges");
    struct pair pair;
    pair_open(&pair, "emit --without=item", "emit --seed=5");
    const struct report *report = compare_report(ranges, "step", pair.arena);
    assert_string_equal(report->name, "ranges");
    struct rows rows = report->build(pair.b, &pair.selection, pair.arena);
    size_t both = 0, all = ranges->build(pair.b, &pair.selection, pair.arena).count;
    for (size_t i = 0; i < rows.count; i++) {
        both += row_at(&rows, i)->what == WHAT_BOTH;
        assert_null(strstr(cell_of(row_at(&rows, i), "range", pair.arena), ", seq = "));
    }
    assert_true(rows.count < all / 2);
    assert_true(both > rows.count * 9 / 10);
    // No call is lost, and none counted twice: there are no numbered steps here.
    int64_t calls = 0, sum = 0;
    struct rows each = ranges->build(pair.b, &pair.selection, pair.arena);
    for (size_t i = 0; i < each.count; i++)
        calls += figure_of(ranges, "all_calls", report_row(ranges, &each, i));
    for (size_t i = 0; i < rows.count; i++)
        if (row_at(&rows, i)->side[SIDE_B])
            sum += figure_of(ranges, "all_calls", row_at(&rows, i)->side[SIDE_B]);
    assert_int_equal(sum, calls);
    pair_close(&pair);
}

// Rank against rank: the one GPU of each side is the same row, its streams are by role.
static void test_apart_ranks(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "ddp --steps=6", NULL);
    const struct report *devices = report_find("devices"), *streams = report_find("streams");
    struct rows rows = compare_rows(devices, pair.b, &pair.selection, pair.arena);
    assert_int_equal(rows.count, 4); // by their numbers
    for (size_t i = 0; i < rows.count; i++)
        assert_null(strstr(cell_of(row_at(&rows, i), "device", pair.arena), "->"));
    pair.baseline.follows_scope = false;
    pair.baseline.selection.device = 0;
    pair.selection.device = 2;
    for (int by_process = 0; by_process < 2; by_process++) {
        rows = compare_rows(devices, pair.b, &pair.selection, pair.arena);
        assert_int_equal(rows.count, 1);
        assert_string_equal(cell_of(row_at(&rows, 0), "device", pair.arena), "0 -> 2");
        assert_int_equal(row_at(&rows, 0)->what, WHAT_BOTH);
        assert_true(sum_of(row_at(&rows, 0), "busy_ns", SIDE_A) > 0);
        rows = compare_rows(streams, pair.b, &pair.selection, pair.arena);
        assert_true(rows.count >= 3);
        for (size_t i = 0; i < rows.count; i++) {
            assert_int_equal(row_at(&rows, i)->what, WHAT_BOTH);
            assert_string_equal(cell_of(row_at(&rows, i), "device", pair.arena), "0 -> 2");
        }
        // The same by their processes.
        pair.baseline.selection.device = pair.selection.device = ROW_NONE;
        for (uint32_t s = 0; s < pair.b->stream_count; s++) {
            if (pair.b->streams[s].device == 0)
                pair.baseline.selection.process = pair.b->streams[s].process;
            if (pair.b->streams[s].device == 2)
                pair.selection.process = pair.b->streams[s].process;
        }
    }
    // One against all is found by its number, the others are new.
    pair.selection.process = ROW_NONE;
    rows = compare_rows(devices, pair.b, &pair.selection, pair.arena);
    assert_int_equal(rows.count, 4);
    for (size_t i = 0; i < rows.count; i++) {
        const char *number = cell_of(row_at(&rows, i), "device", pair.arena);
        assert_int_equal(row_at(&rows, i)->what, strcmp(number, "0") == 0 ? WHAT_BOTH : WHAT_NEW);
    }
    pair_close(&pair);
}

// One side has no steps: totals per GPU, and it is said.
static void test_no_steps(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "none", "plain");
    if (pair.baseline.selection.split->method == SPLIT_NONE) {
        struct compared compared;
        compare_make(&compared, pair.b, &pair.selection, pair.arena);
        assert_null(compared.unit);
        assert_int_equal(compared.side[SIDE_B].gpu, 1);
        bool is_said = false;
        const char *note;
        for (size_t i = 0; (note = compare_note(&compared, i, pair.arena)); i++)
            is_said |= strstr(note, "A has no steps") != NULL;
        assert_true(is_said);
    }
    pair_close(&pair);
}

// What is cut into something else than steps is called what it is.
static void test_units(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "serving", "serving --seed=7");
    struct split *slices = split_by_name(pair.b, "slices:50ms", pair.arena);
    pair.selection.split = slices;
    pair.selection.iterations = NULL;
    pair.baseline.selection.iterations = NULL;
    assert_null(compare_unit(pair.baseline.selection.split, slices)); // of a whole capture
    struct rows costs = report_find("costs")->build(pair.b, &pair.selection, pair.arena);
    assert_string_equal(costs.caption, "What a slice costs");
    struct rows rows = compare_rows(report_find("costs"), pair.b, &pair.selection, pair.arena);
    assert_string_equal(row_at(&rows, 0)->name, "(capture)");
    pair.baseline.selection.split = split_by_name(pair.a, "slices:50ms", pair.arena);
    assert_string_equal(compare_unit(pair.baseline.selection.split, slices), "slice");
    bool *some = ARENA_ARRAY(pair.arena, bool, slices->count);
    some[3] = some[4] = true; // work of others runs in them, and theirs after them
    pair.selection.iterations = some;
    rows = compare_rows(report_find("costs"), pair.b, &pair.selection, pair.arena);
    assert_string_equal(row_at(&rows, 0)->name, "(slice)");
    assert_non_null(row_named(&rows, "across slice edges"));
    assert_true(strncmp(rows.caption, "slice ", 6) == 0);
    rows = compare_rows(report_find("shapes"), pair.b, &pair.selection, pair.arena);
    assert_non_null(row_named(&rows, "(across slice edges)"));
    for (size_t i = 0; i < report_count; i++)
        if (reports[i]->is_aggregate)
            assert_adds_up(&pair, reports[i], "slices");
    // Unlike ones: no name fits both, and it is said.
    pair.baseline.selection.split = split_by_name(pair.a, "replay:6", pair.arena);
    assert_string_equal(compare_unit(pair.baseline.selection.split, slices), "iteration");
    struct compared compared;
    compare_make(&compared, pair.b, &pair.selection, pair.arena);
    assert_non_null(strstr(compare_note(&compared, 0, pair.arena), "A is cut into replays by "));
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match),        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_columns),      cmocka_unit_test(test_deltas_add_up),
        cmocka_unit_test(test_same),         cmocka_unit_test(test_within_one),
        cmocka_unit_test(test_new_and_gone), cmocka_unit_test(test_narrowed),
        cmocka_unit_test(test_no_steps),     cmocka_unit_test(test_match_again),
        cmocka_unit_test(test_shapes),       cmocka_unit_test(test_units),
        cmocka_unit_test(test_apart),        cmocka_unit_test(test_apart_new_and_gone),
        cmocka_unit_test(test_apart_names),  cmocka_unit_test(test_apart_ranks),
        cmocka_unit_test(test_steps),
    };
    enum { FIRST = 3 }; // under valgrind: the others make large profiles
    size_t count = getenv("DLPROF_QUICK") ? FIRST : sizeof tests / sizeof *tests;
    return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}
