// SPDX-License-Identifier: Apache-2.0
// Compares a PyTorch trace with another trace, and with an nsys capture of the same program: names,
// steps and launch shapes match whichever tool wrote them, sums add up, and work recorded by both
// counts once.
#include "compare_pair.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "property.h"

#include "analysis/compare/baseline.h"
#include "analysis/reports/report_list.h"
#include "file_text.h"
#include "model/open/open.h"
#include "model/rules/kernel_canonical.h"
#include "nsys_fixture.h"
#include "paths.h"

REPORT_DECLARE(api);
REPORT_DECLARE(costs);
REPORT_DECLARE(gpu_summary);
REPORT_DECLARE(kernels);
REPORT_DECLARE(operators);
REPORT_DECLARE(ops);
REPORT_DECLARE(outline);
REPORT_DECLARE(shapes);

// ---- names -------------------------------------------------------------------------------------

enum { REAL = 6 }; // names of actual kernels

static const struct spelled {
    const char *nsys, *trace;
} names[] = {
    {"void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<float>, "
     "std::array<char *, (unsigned long)1>>(int, T2, T3)",
     "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
     "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)"},
    {"void <unnamed>::softmax_warp_forward<float, float, float, (int)9, (bool)0>(T2 *, const T1 *, "
     "int, int, int)",
     "void (anonymous namespace)::softmax_warp_forward<float, float, float, 9, false>(float*, "
     "float "
     "const*, int, int, int)"},
    {"void at::native::elementwise_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl<"
     "at::native::<unnamed>::where_kernel_impl(at::TensorIterator &)::[lambda() (instance 1)]::"
     "operator ()() const::[lambda() (instance 7)]::operator ()() const::[lambda(bool, const "
     "float *) (instance 1)]>(at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance 2)]>"
     "(int, T3)",
     "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::"
     "(anonymous namespace)::where_kernel_impl(at::TensorIterator&)::{lambda()#1}::operator()() "
     "const::{lambda()#7}::operator()() const::{lambda(bool, float const*)#1}>(at::"
     "TensorIteratorBase&, x const&)::{lambda(int)#2}>(int, x)"},
    {"void nchwToNhwcKernel<float, (bool)1, (cudnnKernelDataType_t)0>(int)",
     "void nchwToNhwcKernel<float, true, (cudnnKernelDataType_t)0>(int)"},
    {"ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"},
    {"compute_gemm_pointers(float2 **, const float2 *, int)",
     "compute_gemm_pointers(float2**, float2 const*, int)"},
    {"void f<(unsigned int)3, const float, -1>::operator ()<T>(int)",
     "f<3u, float const, -1>::operator()<T>(int)"},
    {"unsigned int g<unsigned long, long *>(T1)",
     "unsigned int g<unsigned long, long*>(unsigned long)"},
    {"void h<[unnamed type (instance 2)]>(T1)", "void h<{unnamed type#2}>({unnamed type#2})"},
    {"void k<a::b()::[lambda(int) (instance 2)]>(T1)", "void k<a::b()::'lambda0'(int)>(int)"},
};

static const char *canonical_name(const char *name, char out[KERNEL_CANONICAL_SIZE])
{
    kernel_name_canonical(name, strlen(name), out, KERNEL_CANONICAL_SIZE);
    return out;
}

static void test_names_match(void **state)
{
    (void)state;
    char nsys[KERNEL_CANONICAL_SIZE], trace[KERNEL_CANONICAL_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_string_equal(canonical_name(names[i].nsys, nsys),
                            canonical_name(names[i].trace, trace));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(nsys, canonical_name(names[j].nsys, trace));
    }
    assert_string_equal(canonical_name(names[1].nsys, nsys),
                        "softmax_warp_forward<float,float,float,9,0>");
    // Lambdas of one function stay distinct, and so do template arguments.
    assert_string_not_equal(canonical_name("f<g()::{lambda(int)#1}>(int)", nsys),
                            canonical_name("f<g()::{lambda(int)#2}>(int)", trace));
    assert_string_not_equal(canonical_name("void f<4>()", nsys),
                            canonical_name("void f<8>()", trace));
}

// Text that is no name is handled safely.
static void test_any_text(void **state)
{
    (void)state;
    static const char signs[] = "<>()[]{},:*& '#0a_lambda(operator const(anonymous namespace)";
    struct random random = {8};
    for (int round = 0; round < random_rounds(20000); round++) {
        char text[600], out[64];
        size_t length = random_below(&random, sizeof text);
        for (size_t i = 0; i < length; i++)
            text[i] = signs[random_below(&random, sizeof signs - 1)];
        size_t size = 1 + random_below(&random, sizeof out);
        size_t written = kernel_name_canonical(text, length, out, size);
        assert_true(written < size && out[written] == '\0');
    }
}

// ---- one program, recorded twice ---------------------------------------------------------------

enum { STEPS = 4, KERNELS = 12, STEP_NS = 1000000 };

static const char *const ops[] = {"aten::conv2d", "aten::relu", "aten::mm"};

struct recording {
    const char *step;  // "ProfilerStep#%d", "step %d"; NULL: no range
    int64_t offset_ns; // of the clock
    int64_t slower_ns; // added to each kernel, compared with the first recording
    int64_t odd_ns;    // and kernel i is longer by (i mod 3) times this
    int64_t late_ns;   // launches are delayed by up to this
    int rank;          // -1: unknown
    int steps;
};

static int64_t kernel_ns(const struct recording *r, int i)
{
    return 20000 + 1000 * i + r->slower_ns + r->odd_ns * (i % 3);
}

static int64_t call_start(int step, int i)
{
    return (int64_t)step * STEP_NS + 10000 + 50000 * i;
}

static const char *sql_of(const struct recording *r, struct arena *arena)
{
    const char *sql = nsys_tables;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        sql = arena_format(arena, "%sINSERT INTO StringIds VALUES (%zu, '%s'), (%zu, 'k%zu');", sql,
                           100 + n, names[n].nsys, 200 + n, n);
    for (int s = 0; s < r->steps; s++) {
        int64_t from = (int64_t)s * STEP_NS;
        if (r->step)
            sql = arena_format(arena,
                               "%sINSERT INTO NVTX_EVENTS VALUES (%" PRId64 ", %" PRId64
                               ", 59, '%s', tid(5, 6), NULL, NULL, 0);",
                               sql, from, from + 900000, arena_format(arena, r->step, s));
        for (int i = 0; i < KERNELS; i++) {
            int64_t at = call_start(s, i), start = at + 8000 + 37 * i;
            sql = arena_format(
                arena,
                "%sINSERT INTO NVTX_EVENTS VALUES (%" PRId64 ", %" PRId64
                ", 59, '%s, seq = %d', tid(5, 6), NULL, NULL, 0);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%" PRId64 ", %" PRId64
                ", tid(5, 6), %d, 1);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%" PRId64 ", %" PRId64
                ", 0, 1, 7, %d, pid(5), %d, %d, 32, %d, 1, 1, 128, 1, 1, 512, 256, NULL);",
                sql, at - 1000, at + 6000, ops[i % 3], s * KERNELS + i + 1, at, at + 5000,
                s * KERNELS + i + 1, start, start + kernel_ns(r, i), s * KERNELS + i + 1,
                100 + i % REAL, 200 + i % REAL, 1 + i);
        }
    }
    return sql;
}

static const char *event(const char *category, const char *name, const char *pid, int64_t from,
                         int64_t to, const char *arguments, struct arena *arena)
{
    return arena_format(arena,
                        ",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %s, "
                        "\"tid\": 6, \"ts\": %" PRId64 ".%03d, \"dur\": %" PRId64
                        ".%03d, \"args\": {%s}}",
                        category, name, pid, from / 1000, (int)(from % 1000), (to - from) / 1000,
                        (int)((to - from) % 1000), arguments);
}

static const char *trace_of(const struct recording *r, struct arena *arena)
{
    const char *text = "{\"schemaVersion\": 1,";
    if (r->rank >= 0)
        text = arena_format(arena, "%s \"distributedInfo\": {\"rank\": %d, \"world_size\": 8},",
                            text, r->rank);
    text =
        arena_format(arena,
                     "%s \"traceEvents\": [{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 5, "
                     "\"tid\": 0, \"args\": {\"name\": \"python\"}}",
                     text);
    for (int s = 0; s < r->steps; s++) {
        int64_t from = (int64_t)s * STEP_NS + r->offset_ns;
        if (r->step)
            text = arena_format(arena, "%s%s", text,
                                event("user_annotation", arena_format(arena, r->step, s), "5", from,
                                      from + 900000, "", arena));
        for (int i = 0; i < KERNELS; i++) {
            int64_t at = call_start(s, i) + r->offset_ns,
                    start =
                        at + 8000 + 37 * i + (r->late_ns ? s * 31 + (s + i) * 467 % r->late_ns : 0);
            int id = s * KERNELS + i + 1;
            text = arena_format(
                arena, "%s%s%s%s", text,
                event("cpu_op", ops[i % 3], "5", at - 1000, at + 6000, "", arena),
                event("cuda_runtime", "cudaLaunchKernel", "5", at, at + 5000,
                      arena_format(arena, "\"correlation\": %d", id), arena),
                event("kernel", names[i % REAL].trace, "0", start, start + kernel_ns(r, i),
                      arena_format(arena,
                                   "\"device\": 0, \"stream\": 7, \"correlation\": %d, \"grid\": "
                                   "[%d, 1, 1], \"block\": [128, 1, 1], \"registers per thread\": "
                                   "32, \"shared memory\": 768, \"blocks per SM\": 0.5",
                                   id, 1 + i),
                      arena));
        }
    }
    return arena_format(arena, "%s]}\n", text);
}

static struct profile *open_trace(const struct recording *r)
{
    struct arena *arena = arena_new(0);
    const char *text = trace_of(r, arena);
    struct load_request request = {.path = nsys_bytes(text, strlen(text)), .threads = 1};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    arena_free(arena);
    return profile;
}

static struct profile *open_capture(const struct recording *r)
{
    struct arena *arena = arena_new(0);
    struct profile *profile = nsys_profile(sql_of(r, arena) + strlen(nsys_tables));
    arena_free(arena);
    return profile;
}

static void open_pair(struct pair *pair, struct profile *a, struct profile *b)
{
    *pair = (struct pair){.a = a, .b = b, .arena = arena_new(0)};
    pair->selection = selection_all(split_find(b, pair->arena));
    struct baseline_request request = {
        .profile = a, .path = "before", .gpu = UNKNOWN, .process = UNKNOWN, .iters = "all"};
    assert_true(baseline_init(&pair->baseline, &request, &pair->selection, pair->arena, NULL));
    pair->selection.baseline = &pair->baseline;
}

static void assert_all_paired(const struct pair *pair, const struct report *report)
{
    struct rows rows = compare_rows(report, pair->b, &pair->selection, pair->arena);
    assert_true(rows.count > 0);
    for (size_t i = 0; i < rows.count; i++) {
        const struct compare_row *row = row_at(&rows, i);
        const void *side = row->side[SIDE_B] ? row->side[SIDE_B] : row->side[SIDE_A];
        if (side && row->what != STATUS_MATCHED && row->what != STATUS_NOISE)
            fail_msg("%s: %s has no partner", report->name,
                     row->layout->columns[0].base->get(side).text);
    }
}

static const struct report *const adding[] = {&report_ops, &report_kernels, &report_shapes,
                                              &report_costs, &report_api};

static void assert_pair(struct pair *pair)
{
    for (enum name_form form = 0; form < NAME_FORM_COUNT; form++) {
        pair->selection.names = form;
        if (form != NAME_SHORT) // the short names of the fixture are not those of any tool
            for (size_t i = 0; i < sizeof adding / sizeof *adding; i++) {
                assert_adds_up(pair, adding[i], "capture and trace");
                if (adding[i] != &report_costs) // causes of idle time differ
                    assert_all_paired(pair, adding[i]);
            }
    }
}

static void test_capture_and_trace(void **state)
{
    (void)state;
    struct recording capture = {.step = "step %d", .rank = -1, .steps = STEPS};
    struct recording trace = {
        .step = "ProfilerStep#%d", .slower_ns = 500, .rank = -1, .steps = STEPS};
    struct pair pair;
    open_pair(&pair, open_capture(&capture), open_trace(&trace));
    for (size_t i = 0; i < sizeof adding / sizeof *adding; i++)
        assert_adds_up(&pair, adding[i], "steps of two names");
    // One family of steps on each side, under different names, and their contents match.
    struct rows rows = compare_rows(&report_ops, pair.b, &pair.selection, pair.arena);
    const struct compare_row *step = row_named(&rows, "ProfilerStep#N");
    assert_int_equal(step->what, STATUS_RENAMED);
    assert_int_equal(compare_delta(step, 0), KERNELS * 500);
    const struct compare_row *op = row_named(&rows, "aten::mm");
    assert_int_equal(op->what, STATUS_MATCHED);
    assert_int_equal(op->depth, 1);
    assert_int_equal(compare_delta(op, 0), KERNELS / 3 * 500);
    pair_close(&pair);
}

// Work of a capture without steps is matched with the contents of the steps of a trace.
static void test_steps_on_one_side(void **state)
{
    (void)state;
    struct recording capture = {.rank = -1, .steps = STEPS};
    struct recording trace = {.step = "ProfilerStep#%d", .rank = -1, .steps = STEPS};
    for (int turned = 0; turned < 2; turned++) {
        struct pair pair;
        if (turned)
            open_pair(&pair, open_trace(&trace), open_capture(&capture));
        else
            open_pair(&pair, open_capture(&capture), open_trace(&trace));
        for (size_t i = 0; i < sizeof adding / sizeof *adding; i++)
            assert_adds_up(&pair, adding[i], "steps on one side");
        struct rows rows = compare_rows(&report_ops, pair.b, &pair.selection, pair.arena);
        const struct compare_row *step = row_named(&rows, "ProfilerStep#N");
        const struct compare_row *op = row_named(&rows, "aten::mm");
        assert_int_equal(step->what, turned ? STATUS_GONE : STATUS_NEW);
        assert_int_equal(zero_if_unknown(compare_delta(step, 0)),
                         0); // only the step's own time, which is 0
        assert_false(step->has_children);
        assert_int_equal(op->what, STATUS_MATCHED);
        assert_int_equal(op->depth, 0);
        assert_int_equal(compare_delta(op, 0), 0);
        // Places, and rows below a row, are matched as well.
        struct rows costs = compare_rows(&report_costs, pair.b, &pair.selection, pair.arena);
        assert_int_equal(row_named(&costs, turned ? "aten::mm" : "ProfilerStep#N > aten::mm")->what,
                         STATUS_MATCHED);
        assert_non_null(report_ops.narrow(pair.b, op->side[SIDE_B], &pair.selection));
        struct compared compared;
        compare_init(&compared, pair.b, &pair.selection, pair.arena);
        assert_true(compared.side[SIDE_A].is_there);
        rows = compare_rows(&report_kernels, pair.b, &pair.selection, pair.arena);
        assert_int_equal(compare_delta(row_at(&rows, 0), 0), 0);
        pair_close(&pair);
    }
}

static void test_names_and_shapes_match(void **state)
{
    (void)state;
    struct recording capture = {.step = "ProfilerStep#%d", .rank = -1, .steps = STEPS};
    struct recording trace = {
        .step = "ProfilerStep#%d", .slower_ns = 700, .rank = -1, .steps = STEPS};
    struct pair pair;
    open_pair(&pair, open_capture(&capture), open_trace(&trace));
    assert_pair(&pair);
    // Opens the launches of a kernel whose name the other file spells differently.
    pair.selection.names = NAME_FULL;
    struct rows rows = compare_rows(&report_shapes, pair.b, &pair.selection, pair.arena);
    const struct compare_row *row = row_named(&rows, names[0].trace);
    assert_non_null(report_shapes.narrow(pair.b, row->side[SIDE_B], &pair.selection));
    struct compared compared;
    compare_init(&compared, pair.b, &pair.selection, pair.arena);
    assert_true(compared.side[SIDE_A].is_there);
    const struct side *a = &compared.side[SIDE_A];
    assert_string_equal(profile_text(a->profile, a->selection.name), names[0].nsys);
    assert_true(a->selection.shape != ROW_NONE);
    pair_close(&pair);
}

// ---- outline of a step -------------------------------------------------------------------------

static const char outline_head[] =
    "{\"traceEvents\": [{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 5, \"tid\": 0, "
    "\"args\": {\"name\": \"python\"}}";

static const char *outline_trace(const char *loader, bool has_relu, int64_t mm_ns,
                                 struct arena *arena)
{
    const char *text = outline_head;
    for (int s = 0; s < 2; s++) {
        int64_t at = (int64_t)s * STEP_NS + STEP_NS;
        text = arena_format(
            arena, "%s%s%s%s%s%s%s%s%s", text,
            event("user_annotation", arena_format(arena, "ProfilerStep#%d", s), "5", at,
                  at + 900000, "", arena),
            event("user_annotation", loader, "5", at + 1000, at + 101000, "", arena),
            event("cpu_op", "aten::to", "5", at + 110000, at + 120000, "", arena),
            has_relu ? event("cpu_op", "aten::relu", "5", at + 121000, at + 130000, "", arena) : "",
            event("cpu_op", "aten::mm", "5", at + 131000, at + 140000, "", arena),
            event("cuda_runtime", "cudaLaunchKernel", "5", at + 132000, at + 133000,
                  arena_format(arena, "\"correlation\": %d", s + 1), arena),
            event("kernel", "gemm", "0", at + 150000, at + 150000 + mm_ns,
                  arena_format(arena, "\"device\": 0, \"stream\": 7, \"correlation\": %d", s + 1),
                  arena),
            event("user_annotation", "Optimizer.step#SGD.step", "5", at + 500000, at + 600000, "",
                  arena));
    }
    return arena_format(arena, "%s]}\n", text);
}

static struct profile *open_text(const char *text)
{
    struct load_request request = {.path = nsys_bytes(text, strlen(text)), .threads = 1};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

// Data loaders and optimizers match whichever class they are of, and the ops between two parts
// match as a whole.
static void test_outline(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct pair pair;
    struct profile *a = open_text(outline_trace(
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", true, 100000, arena));
    struct profile *b = open_text(outline_trace(
        "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", false, 130000, arena));
    open_pair(&pair, a, b);
    struct rows rows = compare_rows(&report_outline, pair.b, &pair.selection, pair.arena);
    assert_int_equal(rows.count, 4);
    for (size_t i = 0; i < rows.count; i++)
        assert_true(row_at(&rows, i)->what == STATUS_MATCHED);
    const struct compare_row *loader = row_at(&rows, 1), *stretch = row_at(&rows, 2);
    assert_string_equal(
        cell_of(loader, "which", arena),
        "_SingleProcessDataLoaderIter.__next__ -> _MultiProcessingDataLoaderIter.__next__");
    assert_int_equal(loader->sums[SIDE_A], 100000); // no GPU work: host time
    assert_string_equal(cell_of(stretch, "name", arena), "(2 ops: aten::to ... aten::mm)");
    assert_int_equal(stretch->sums[SIDE_A], 100000);
    assert_int_equal(stretch->sums[SIDE_B], 130000);
    assert_string_equal(report_outline.narrow(pair.b, stretch->side[SIDE_B], &pair.selection),
                        "operators");
    rows = compare_rows(&report_operators, pair.b, &pair.selection, pair.arena);
    assert_int_equal(row_named(&rows, "aten::relu")->what, STATUS_GONE);
    assert_int_equal(row_named(&rows, "aten::mm")->what, STATUS_MATCHED);
    pair_close(&pair);
    arena_free(arena);
}

// ---- the same work in two files ----------------------------------------------------------------

static struct profile *open_together(const struct recording *capture, const struct recording *trace)
{
    struct arena *arena = arena_new(0);
    char path[] = "/tmp/compare-kineto-XXXXXX";
    int file = mkstemp(path);
    const char *text = trace_of(trace, arena);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    const char *paths[] = {path, nsys_file(sql_of(capture, arena))};
    struct load_request request = {.path = paths[0], .paths = paths, .path_count = 2, .threads = 1};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    unlink(path);
    arena_free(arena);
    return profile;
}

static void assert_together(struct recording capture, struct recording trace, bool is_same,
                            uint32_t work)
{
    struct profile *profile = open_together(&capture, &trace);
    assert_int_equal(note_count(profile, "same_work") > 0, is_same);
    assert_int_equal(profile->source_count, is_same ? 1 : 2);
    assert_int_equal(profile->work.count, work);
    profile_free(profile);
}

static void test_same_work_counts_once(void **state)
{
    (void)state;
    struct recording capture = {.step = "step %d", .odd_ns = 37, .rank = -1, .steps = 8};
    struct recording trace = {
        .step = "ProfilerStep#%d", .odd_ns = 37, .offset_ns = 123456789, .rank = -1, .steps = 8};
    assert_together(capture, trace, true, 8 * KERNELS);
    trace.steps = 5; // a part of the run: the complete file stays
    assert_together(capture, trace, true, 8 * KERNELS);
    trace.steps = 12;
    assert_together(capture, trace, true, 12 * KERNELS);
}

// The same kernels in the same order with other times are another rank or another run.
static void test_other_work_counts(void **state)
{
    (void)state;
    struct recording capture = {.step = "step %d", .rank = -1, .steps = 8};
    struct recording trace = {.step = "ProfilerStep#%d", .rank = -1, .steps = 8, .late_ns = 900};
    assert_together(capture, trace, false, 2 * 8 * KERNELS);
}

// ---- the corpus --------------------------------------------------------------------------------

static const char *corpus(void)
{
    const char *folder = getenv("DLPROF_CORPUS");
    return folder ? folder : source_path("/../shared/corpus");
}

static const char *const corpus_pairs[][2] = {
    {"kineto/resnet50_nw0_a/worker0.1623143089861.pt.trace.json.gz",
     "kineto/resnet50_nw4_a/worker0.1623212756351.pt.trace.json.gz"},
    {"kineto/gt_bert_fp16_ddp/worker0_round1.pt.trace.json.gz",
     "kineto/gt_bert_fp16_ddp/worker1_round1.pt.trace.json.gz"},
    {"kineto/gt_autograd_nw0/worker0.pt.trace.json.gz",
     "kineto/gt_bert_oldapi/worker0_round1.pt.trace.json.gz"},
    {"nsys/gindachen_h100_2gpu_2026.2.1/profile.sqlite",
     "kineto/h100_owlv2/google_owlv2-large-patch14-ensemble__1016001.json.gz"},
    {"kineto/mi300_sd35/profile_trace_rank_0.json.gz",
     "nsys/jsun012_cs336_2025.1.3/profile.sqlite"},
    {"kineto/gt_resnet50_cpu/worker0_span1.pt.trace.json.gz",
     "kineto/resnet50_nw0_a/worker0.1623143089861.pt.trace.json.gz"},
};

static struct profile *corpus_open(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", corpus(), name);
    struct load_request request = {.path = path};
    struct error error = {0};
    if (access(path, R_OK) != 0)
        return NULL;
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s: %s", path, error.message);
    return profile;
}

static void test_corpus_adds_up(void **state)
{
    (void)state;
    size_t compared = 0;
    for (size_t i = 0; i < sizeof corpus_pairs / sizeof *corpus_pairs; i++) {
        struct profile *a = corpus_open(corpus_pairs[i][0]), *b = corpus_open(corpus_pairs[i][1]);
        if (!a || !b) {
            profile_free(a);
            profile_free(b);
            continue;
        }
        struct pair pair;
        open_pair(&pair, a, b);
        for (size_t r = 0; r < sizeof adding / sizeof *adding; r++, compared++)
            assert_adds_up(&pair, adding[r], corpus_pairs[i][1]);
        pair_close(&pair);
    }
    print_message("%zu comparisons of the corpus add up\n", compared);
    if (compared == 0) {
        print_message("SKIPPED: no corpus of traces in %s\n", corpus());
        skip();
    }
}

// ---- GPUs --------------------------------------------------------------------------------------

static struct profile *trace_with_kernel(const char *path, int device, int length)
{
    char text[1000];
    struct error error = {0};
    snprintf(
        text, sizeof text,
        "[{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, "
        "\"ts\": 100, \"dur\": 100, \"args\": {}}, "
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": %d, \"tid\": 7, "
        "\"ts\": 120, \"dur\": %d, \"args\": {\"device\": %d, \"stream\": 7}}]",
        device, length, device);
    file_write(path, text);
    struct load_request request = {.path = path};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    unlink(path);
    return profile;
}

// One GPU against another, whatever their numbers; shares are shown for both sides.
static void test_gpu_summary(void **state)
{
    (void)state;
    struct pair pair;
    open_pair(&pair, trace_with_kernel(build_path("/gpu_a.json"), 0, 20),
              trace_with_kernel(build_path("/gpu_b.json"), 3, 50));
    struct rows rows = compare_rows(&report_gpu_summary, pair.b, &pair.selection, pair.arena);
    assert_int_equal(rows.count, 1);
    const struct compare_row *row = row_at(&rows, 0);
    assert_string_equal(cell_of(row, "utilization", pair.arena), "20.0 -> 50.0");
    assert_string_equal(cell_of(row, "device", pair.arena), "0 -> 3");
    assert_true(sum_of(row, "busy", SIDE_A) == 20000);
    assert_true(sum_of(row, "busy", SIDE_B) == 50000);
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_match),
        cmocka_unit_test(test_any_text),
        cmocka_unit_test_teardown(test_capture_and_trace, nsys_remove),
        cmocka_unit_test_teardown(test_steps_on_one_side, nsys_remove),
        cmocka_unit_test_teardown(test_names_and_shapes_match, nsys_remove),
        cmocka_unit_test_teardown(test_outline, nsys_remove),
        cmocka_unit_test_teardown(test_same_work_counts_once, nsys_remove),
        cmocka_unit_test_teardown(test_other_work_counts, nsys_remove),
        cmocka_unit_test(test_corpus_adds_up),
        cmocka_unit_test(test_gpu_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
