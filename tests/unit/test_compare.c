// SPDX-License-Identifier: Apache-2.0
// Comparisons of profiles: checks new, gone and changed rows, and that the differences of the rows
// add up to the difference of the steps, to the nanosecond.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reports/report_list.h"
#include "property.h"

#include "compare_pair.h"
#include "model/ops/ops.h"

// ---- rounding ----------------------------------------------------------------------------------

static void test_parts(void **state)
{
    (void)state;
    assert_int_equal(rounded_part(10, 4), 3); // half up
    assert_int_equal(rounded_part(9, 4), 2);
    assert_int_equal(rounded_part(-10, 4), -2);
    assert_int_equal(rounded_part(-11, 4), -3);
    assert_int_equal(rounded_part(0, 4), 0);
    assert_int_equal(rounded_part(7, 1), 7);
    assert_int_equal(rounded_part((__int128)INT64_MAX * 8, 8), INT64_MAX);
}

// ---- columns -----------------------------------------------------------------------------------

static void test_columns(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    size_t compared = 0;
    for (size_t i = 0; i < report_count; i++) {
        const struct report *report = compare_report(reports[i], "step", arena);
        assert_int_equal(report != NULL, report_is_comparable(reports[i]));
        bool has_own_ends = false; // totals of rows that do not add up
        for (size_t c = 0; c < reports[i]->column_count; c++)
            has_own_ends |= (reports[i]->columns[c].flags & COLUMN_NOT_ADDITIVE) != 0;
        assert_int_equal(has_own_ends, reports[i]->apart != NULL);
        for (size_t c = 0; reports[i]->apart && c < reports[i]->column_count; c++)
            assert_false(reports[i]->columns[c].flags & COLUMN_SUM);
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

// Below each row of a tree the rows add up to no more than the row, and to no less if they are
// complete.
static void assert_tree_adds_up(const struct pair *pair, const char *what)
{
    const struct report *ops = report_find("ops");
    struct rows rows = compare_rows(ops, pair->b, &pair->selection, pair->arena);
    struct compare_layout layout;
    compare_layout_init(&layout, ops);
    int gpu = layout.main;
    for (size_t i = 0; i < rows.count; i++) {
        const struct compare_row *row = row_at(&rows, i);
        double below = 0;
        if (row->name) // idle time, or work across edges
            continue;
        for (size_t j = i + 1; j < rows.count && row_at(&rows, j)->depth > row->depth; j++)
            if (row_at(&rows, j)->depth == row->depth + 1)
                below += zero_if_unknown(row_at(&rows, j)->sums[gpu * SIDES + SIDE_B]);
        if (below > zero_if_unknown(row->sums[gpu * SIDES + SIDE_B]))
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
    const size_t count = sizeof pairs / sizeof *pairs;
    for (size_t p = run_is_quick() ? count - 2 : 0; p < count; p += every(2, 1)) {
        struct pair pair; // under valgrind only the small ones
        pair_open(&pair, pairs[p][0], pairs[p][1]);
        for (size_t i = 0; i < report_count; i++)
            if (reports[i]->is_aggregate && !reports[i]->apart)
                assert_adds_up(&pair, reports[i], pairs[p][1]);
        assert_tree_adds_up(&pair, pairs[p][1]);
        pair_close(&pair);
    }
}

// Without a baseline a profile is compared with itself and has no differences.
static void test_same(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "ddp --steps=4", NULL);
    for (size_t i = 0; i < report_count; i++) {
        const struct report *base = reports[i];
        if (!report_is_comparable(base))
            continue;
        while (base->comparison_report)
            base = base->comparison_report;
        struct rows rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
        struct compare_layout layout;
        compare_layout_init(&layout, base);
        assert_true(rows.count > 0 || rows.empty); // here no op could use Tensor Cores
        for (size_t r = 0; r < rows.count; r++) {
            assert_true(row_at(&rows, r)->what == STATUS_MATCHED);
            for (int sum = 0; sum < (int)layout.sum_count; sum++)
                assert_true(zero_if_unknown(compare_delta(row_at(&rows, r), sum)) == 0);
        }
    }
    pair_close(&pair);
}

// Compares two steps, and two GPUs, of one profile.
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
        if (reports[i]->is_aggregate && !reports[i]->apart)
            assert_adds_up(&pair, reports[i], "two GPUs");
    struct compared compared;
    compare_init(&compared, pair.b, &pair.selection, pair.arena);
    assert_int_equal(compared.side[SIDE_A].gpu, 1);
    assert_int_equal(compared.side[SIDE_B].gpu, 2); // two steps of one GPU
    assert_int_equal(compared.side[SIDE_A].steps.count, 1);
    assert_int_equal(compare_noise_ns(&compared), 0); // one step has no spread
    pair_close(&pair);
}

// ---- planted differences -----------------------------------------------------------------------

// Without the planted FP32 head its kernels are gone and others are new, and each part of the step
// shows it.
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
        gone += row->what == STATUS_GONE;
        created += row->what == STATUS_NEW;
        assert_true(row->what != STATUS_GONE || delta < 0);
        assert_true(row->what != STATUS_NEW || delta > 0);
        assert_true(fabs(delta) <= moved);         // the largest change is first
        moved = fabs(delta) > 1 ? fabs(delta) : 1; // smaller changes are rounding
    }
    assert_true(gone >= 3);
    assert_true(created >= 1);
    const struct compare_row *head = row_named(&rows, "xmma_gemm f32 ffma tn 128x128x8");
    assert_non_null(head);
    assert_int_equal(head->what, STATUS_GONE);
    // The other profile does not contain the product of the head, so a comparison of its launches
    // has no side A.
    pair.selection.name = strings_find(pair.b->strings, "nvjet_tst 256x128x64 TNN");
    rows = compare_rows(report_find("kernel_ops"), pair.b, &pair.selection, pair.arena);
    assert_true(rows.count > 1);
    assert_string_equal(row_at(&rows, 0)->name, "(all rows)");
    pair_close(&pair);
}

// Without the planted FP32 head its finding is gone, and the total gain shrinks by it.
static void test_findings(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "demo --steps=4", "demo --steps=4 --without=fp32head");
    const struct report *expert = report_find("expert");
    struct rows rows = compare_rows(expert, pair.b, &pair.selection, pair.arena);
    assert_string_equal(row_at(&rows, 0)->name, "(all rows)");
    double gains[SIDES] = {0};
    bool is_gone = false;
    for (size_t i = 1; i < rows.count; i++) {
        const struct compare_row *row = row_at(&rows, i);
        for (int s = 0; s < SIDES; s++)
            gains[s] += zero_if_unknown(sum_of(row, "gain", s));
        const char *id = cell_of(row, "id", pair.arena);
        is_gone |= row->what == STATUS_GONE && strcmp(id, "fp32_gemm") == 0;
    }
    assert_true(is_gone);
    assert_true(gains[SIDE_A] > gains[SIDE_B]);
    for (int s = 0; s < SIDES; s++)
        assert_true(sum_of(row_at(&rows, 0), "gain", s) == gains[s]);
    pair_close(&pair);
}

// A finding that one side cannot judge is not reported as new or gone.
static void test_findings_unknown(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "demo --steps=4", "demo --steps=4 --graphs=graph");
    struct rows rows = compare_rows(report_find("expert"), pair.b, &pair.selection, pair.arena);
    size_t unknown = 0;
    for (size_t i = 1; i < rows.count; i++) {
        const struct compare_row *row = row_at(&rows, i);
        bool is_one = row->what == STATUS_NEW || row->what == STATUS_GONE;
        unknown += row->what == STATUS_UNKNOWN;
        assert_true(!is_one || !strstr(cell_of(row, "severity", pair.arena), "not judged"));
    }
    assert_true(unknown >= 1);
    pair_close(&pair);
}

// DLProf's tables: each row is compared by itself; forward and backward of an op are two rows.
static void test_dlprof_tables(void **state)
{
    (void)state;
    static const char *const names[] = {"detail", "kernel", "op_type", "group_node"};
    struct pair pair;
    pair_open(&pair, "ddp --steps=4", "ddp --steps=4 --gpus=2"); // GPUs of each process
    assert_true(pair.b->device_count > pair.a->device_count);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct report *base = report_find(names[i]);
        struct rows rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
        size_t both = 0;
        for (size_t r = 0; r < rows.count; r++) {
            const struct compare_row *row = row_at(&rows, r);
            assert_null(row->name); // no row for the step
            if (row->what != STATUS_MATCHED)
                continue;
            both++;
            for (int s = 0; s < SIDES; s++) {
                const struct selection *of =
                    s == SIDE_A ? &pair.baseline.selection : &pair.selection;
                int64_t total = figure_of(base, "gpu_total", row->side[s]);
                int64_t parts = (int64_t)selection_iteration_count(of) *
                                (s == SIDE_A ? pair.a : pair.b)->device_count;
                assert_true(sum_of(row, "gpu_total", s) == (double)rounded_part(total, parts));
            }
            if (strcmp(base->name, "detail") == 0)
                assert_string_equal(base->columns[2].get(row->side[SIDE_A]).text,
                                    base->columns[2].get(row->side[SIDE_B]).text);
        }
        assert_true(both > 0);
    }
    pair_close(&pair);
}

// A kernel that is launched with more blocks, or under another name, stays the same row.
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
    assert_int_equal(row->what, STATUS_RESHAPED);
    assert_string_equal(cell_of(row, "grid", pair.arena), "16x1x1 -> 132x1x1");
    assert_string_equal(cell_of(row, "grid_a", pair.arena), "16x1x1");
    assert_string_equal(cell_of(row, "grid_b", pair.arena), "132x1x1");
    assert_string_equal(cell_of(row, "block", pair.arena), "512x1x1");
    assert_string_equal(cell_of(row, "what", pair.arena), "reshaped");
    for (size_t i = 1; i < rows.count; i++)
        assert_true(row_at(&rows, i) == row || row_at(&rows, i)->what == STATUS_MATCHED);
    // The row opens only its own launches.
    struct selection narrow = pair.selection;
    assert_string_equal(shapes->narrow(pair.b, row->side[SIDE_B], &narrow), "launches");
    const struct report *launches = report_find("launches");
    struct rows launch_rows = launches->build(pair.b, &narrow, pair.arena);
    const struct column *calls = report_column(shapes, "calls");
    assert_int_equal(launch_rows.count, calls->get(row->side[SIDE_B]).integer);
    // The baseline has no launches of this shape.
    struct compared compared;
    compare_init(&compared, pair.b, &narrow, pair.arena);
    assert_false(compared.side[SIDE_A].is_there);
    // Under another name, as after a library upgrade, the family identifies the kernel.
    for (uint32_t f = 0; f < pair.b->function_count; f++)
        if (strcmp(profile_text(pair.b, pair.b->functions[f].family), scan) == 0)
            pair.b->functions[f].full = pair.b->functions[f].alike =
                strings_intern_text(pair.b->strings, "scan<float, 512>");
    pair.selection.names = NAME_FULL;
    for (int i = 0; i < 2; i++) {
        const struct report *report = i ? kernels : shapes;
        rows = compare_rows(report, pair.b, &pair.selection, pair.arena);
        row = row_named(&rows, "scan<float, 512>");
        assert_int_equal(row->what, STATUS_RENAMED);
        assert_non_null(strstr(cell_of(row, "kernel_a", pair.arena), "scan_innermost_dim"));
        assert_adds_up(&pair, report, "renamed");
        for (size_t r = 1; r < rows.count; r++)
            assert_true(row_at(&rows, r)->what != STATUS_NEW &&
                        row_at(&rows, r)->what != STATUS_GONE);
    }
    pair_close(&pair);
}

// Batches that were copied from pageable memory and are copied from pinned memory now: a different
// kind of memory before and after.
static void test_memory_kinds(void **state)
{
    (void)state;
    static const char *const places[][2] = {{"all", ""},
                                            {"pageable to device", ""},
                                            {"pinned to device", "new"},
                                            {"all", ""},
                                            {"device", ""}};
    struct pair pair;
    pair_open(&pair, "healthy --steps=3 --problem=pageable",
              "healthy --steps=3 --problem=pageable:twin");
    const struct report *memory = compare_report(report_find("memory"), "step", pair.arena);
    assert_string_equal(memory->name, "memory");
    struct rows rows = report_rows(memory, pair.b, &pair.selection, pair.arena);
    assert_int_equal(rows.count, 1 + sizeof places / sizeof *places);
    for (size_t i = 1; i < rows.count; i++) {
        assert_string_equal(cell_of(row_at(&rows, i), "memory", pair.arena), places[i - 1][0]);
        assert_int_equal(row_at(&rows, i)->what, *places[i - 1][1] ? STATUS_NEW : STATUS_MATCHED);
    }
    // Time that moves from one kind of memory to the other is not a loss of the operation.
    double sum[SIDES];
    for (int s = 0; s < SIDES; s++) {
        sum[s] = zero_if_unknown(sum_of(row_at(&rows, 2), "gpu_total", s)) +
                 zero_if_unknown(sum_of(row_at(&rows, 3), "gpu_total", s));
        assert_true(sum[s] > 0 && sum[s] == sum_of(row_at(&rows, 1), "gpu_total", s));
    }
    assert_adds_up(&pair, report_find("memory")->comparison_report, "memory");
    pair_close(&pair);
}

static void test_narrowed(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "demo --steps=4", "demo --steps=4 --without=fp32head --seed=3");
    // The same layer is found by its path, although its number differs in the other profile.
    const struct report *ops = report_find("ops");
    struct rows rows = report_rows(ops, pair.b, &pair.selection, pair.arena);
    const struct column *path = report_column(ops, "path");
    for (size_t i = 0; i < rows.count; i++) {
        const char *text = path->get(report_row(ops, &rows, i)).text;
        if (strcmp(text + strlen(text) - 4, "/mlp") == 0)
            ops->narrow(pair.b, report_row(ops, &rows, i), &pair.selection);
    }
    assert_true(pair.selection.node != ROW_NONE);
    struct compared compared;
    compare_init(&compared, pair.b, &pair.selection, pair.arena);
    assert_true(compared.side[SIDE_A].is_there);
    assert_false(compared.side[SIDE_A].is_whole);
    assert_int_equal(side_step_ns(&compared.side[SIDE_A]), UNKNOWN);
    assert_adds_up(&pair, report_find("kernels"), "a layer");
    // A kernel that only one side has.
    pair.selection.node = ROW_NONE;
    pair.selection.name = strings_intern_text(pair.b->strings, "no such kernel");
    compare_init(&compared, pair.b, &pair.selection, pair.arena);
    assert_false(compared.side[SIDE_A].is_there);
    pair_close(&pair);
}

// A place, a kernel name, an op and a process of B are found in A by their names.
static void test_matched_by_name(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "dlprof", "dlprof --seed=3");
    struct selection *selection = &pair.selection;
    const struct selection unnarrowed = *selection;
    struct compared compared;
    for (uint32_t f = 0; f < pair.b->function_count; f++) {
        *selection = unnarrowed;
        selection->function = f;
        compare_init(&compared, pair.b, selection, pair.arena);
        const struct side *a = &compared.side[SIDE_A];
        if (a->is_there)
            assert_string_equal(profile_text(pair.a, pair.a->functions[a->selection.function].full),
                                profile_text(pair.b, pair.b->functions[f].full));
    }
    size_t found = 0;
    for (uint32_t o = 0; o < pair.b->ops->count; o += 7) {
        *selection = unnarrowed;
        selection->op = o;
        compare_init(&compared, pair.b, selection, pair.arena);
        const struct side *a = &compared.side[SIDE_A];
        found += a->is_there;
        if (a->is_there)
            assert_string_equal(profile_text(pair.a, pair.a->ops->items[a->selection.op].id),
                                profile_text(pair.b, pair.b->ops->items[o].id));
    }
    assert_true(found > 0);
    pair_close(&pair);
    // Processes are matched by their order among those with GPU work; one without work has no
    // counterpart.
    pair_open(&pair, "ddp --steps=3", "ddp --steps=3 --seed=3");
    pair.baseline.follows_scope = true;
    assert_true(pair.b->process_count > 1);
    for (uint32_t p = 0; p < pair.b->process_count; p++) {
        selection->process = p;
        compare_init(&compared, pair.b, selection, pair.arena);
        const struct side *a = &compared.side[SIDE_A];
        assert_int_equal(a->is_there, pair.b->processes[p].gpus != PROCESS_NO_GPU);
        if (a->is_there)
            assert_int_equal(a->selection.process, p);
    }
    pair_close(&pair);
}

// Steps are compared in order, and those beyond the shorter set are new or gone.
static void test_steps(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "ddp --steps=4", "ddp --steps=7 --without=straggler");
    pair.baseline.selection.iterations = NULL;
    const bool some[7] = {false, true, true, false, true, true, true};
    pair.selection.iterations = some;
    const struct report *base = report_find("iterations")->comparison_report;
    const struct report *report = compare_report(report_find("iterations"), "step", pair.arena);
    assert_adds_up(&pair, base, "steps");
    struct rows rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
    static const char *const names[] = {"(all steps)", "0 -> 1", "1 -> 2", "2 -> 4", "3 -> 5", "6"};
    assert_int_equal(rows.count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(report->columns[0].get(row_at(&rows, i)).text, names[i]);
    assert_true(row_at(&rows, 4)->what != STATUS_NEW);
    assert_int_equal(row_at(&rows, 5)->what, STATUS_NEW);
    // Whole steps are compared, not parts of them; only figures of all GPUs together are divided by
    // the number of GPUs.
    const struct compare_row *row = row_at(&rows, 3);
    assert_true(sum_of(row, "gpu", SIDE_B) == (double)figure_of(base, "gpu", row->side[SIDE_B]));
    double kernels = sum_of(row, "kernels", SIDE_A);
    assert_true(kernels * 4 == (double)figure_of(base, "kernels", row->side[SIDE_A]));
    pair.baseline.selection.device = 0; // against all: the launches of one GPU
    pair.baseline.follows_scope = false;
    rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
    assert_true(sum_of(row_at(&rows, 3), "kernels", SIDE_A) == kernels);
    pair_close(&pair);
    pair_open(&pair, "ddp --steps=7 --without=straggler", "ddp --steps=4");
    assert_adds_up(&pair, base, "steps gone");
    rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
    assert_int_equal(row_at(&rows, rows.count - 1)->what, STATUS_GONE);
    pair_close(&pair);
}

// If one side has no steps, totals per GPU are compared, and a note says so.
static void test_no_steps(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "none", "plain");
    if (pair.baseline.selection.split->method == SPLIT_NONE) {
        struct compared compared;
        compare_init(&compared, pair.b, &pair.selection, pair.arena);
        assert_null(compared.unit);
        assert_int_equal(compared.side[SIDE_B].gpu, 1);
        bool is_said = false;
        const char *note;
        for (size_t i = 0; (note = compare_note_text(&compared, i, pair.arena)); i++)
            is_said |= strstr(note, "A has no steps") != NULL;
        assert_true(is_said);
        // The text names each side's unit of time.
        const char *text = compare_text(&compared, true, pair.arena), *to = strstr(text, " -> ");
        assert_ptr_equal(strstr(text, "capture "), text);
        assert_non_null(to);
        assert_ptr_equal(strstr(to, " -> 8 steps "), to);
    }
    pair_close(&pair);
}

// A side without GPU work has an unknown time, which is not 0.
static void test_no_gpu_work(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "cpuonly", "plain");
    struct compared compared;
    compare_init(&compared, pair.b, &pair.selection, pair.arena);
    assert_string_equal(compare_note_text(&compared, 0, pair.arena),
                        "A has no GPU work: its times are unknown, not 0");
    const struct report *base = report_find("kernels");
    struct rows rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
    const struct compare_row *all = row_at(&rows, 0);
    struct compare_layout layout;
    compare_layout_init(&layout, base);
    assert_string_equal(all->name, "(all rows)");
    assert_true(isnan(all->sums[layout.main * SIDES + SIDE_A]));
    assert_true(all->sums[layout.main * SIDES + SIDE_B] > 0);
    assert_int_equal(all->what, STATUS_NEW); // like each of its rows
    assert_true(compare_delta(all, layout.main) == all->sums[layout.main * SIDES + SIDE_B]);
    pair_close(&pair);
}

// The comparison names the unit that a profile is cut into if that is not steps.
static void test_units(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "serving", "serving --seed=7");
    struct split *slices = split_by_name(pair.b, "slices:50ms", pair.arena);
    pair.selection.split = slices;
    pair.selection.iterations = NULL;
    pair.baseline.selection.iterations = NULL;
    assert_null(compare_unit(pair.baseline.selection.split, slices)); // whole captures
    struct rows costs = report_find("costs")->build(pair.b, &pair.selection, pair.arena);
    assert_string_equal(costs.caption, "What a slice costs");
    struct rows rows = compare_rows(report_find("costs"), pair.b, &pair.selection, pair.arena);
    assert_string_equal(row_at(&rows, 0)->name, "(capture)");
    pair.baseline.selection.split = split_by_name(pair.a, "slices:50ms", pair.arena);
    assert_string_equal(compare_unit(pair.baseline.selection.split, slices), "slice");
    bool *some = ARENA_ARRAY(pair.arena, bool, slices->count);
    some[3] = some[4] = true; // work of other slices runs in them, and theirs runs on in later ones
    pair.selection.iterations = some;
    rows = compare_rows(report_find("costs"), pair.b, &pair.selection, pair.arena);
    assert_string_equal(row_at(&rows, 0)->name, "(slice)");
    assert_non_null(row_named(&rows, "across slice edges"));
    assert_true(strncmp(rows.caption, "slice ", 6) == 0);
    rows = compare_rows(report_find("shapes"), pair.b, &pair.selection, pair.arena);
    assert_non_null(row_named(&rows, "(across slice edges)"));
    for (size_t i = 0; i < report_count; i++)
        if (reports[i]->is_aggregate && !reports[i]->apart)
            assert_adds_up(&pair, reports[i], "slices");
    // With different units no name fits both, and a note says so.
    pair.baseline.selection.split = split_by_name(pair.a, "replay:6", pair.arena);
    assert_string_equal(compare_unit(pair.baseline.selection.split, slices), "iteration");
    struct compared compared;
    compare_init(&compared, pair.b, &pair.selection, pair.arena);
    assert_non_null(
        strstr(compare_note_text(&compared, 0, pair.arena), "A is cut into replays by "));
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),           cmocka_unit_test(test_columns),
        cmocka_unit_test(test_deltas_add_up),   cmocka_unit_test(test_same),
        cmocka_unit_test(test_within_one),      cmocka_unit_test(test_new_and_gone),
        cmocka_unit_test(test_findings),        cmocka_unit_test(test_findings_unknown),
        cmocka_unit_test(test_dlprof_tables),   cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_memory_kinds),    cmocka_unit_test(test_narrowed),
        cmocka_unit_test(test_matched_by_name), cmocka_unit_test(test_no_steps),
        cmocka_unit_test(test_no_gpu_work),     cmocka_unit_test(test_units),
        cmocka_unit_test(test_steps),
    };
    enum { FIRST = 2 }; // under valgrind the others are left out: they make large profiles
    size_t count = run_is_quick() ? FIRST : sizeof tests / sizeof *tests;
    return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}
