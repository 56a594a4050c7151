// SPDX-License-Identifier: Apache-2.0
// DLProf's detectors of which only the purpose is known: rules and texts are this program's own.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown.h"
#include "analysis/detect_list.h"
#include "analysis/op_metrics.h"
#include "model/markers.h"
#include "model/rules.h"

// ---- imbalanced GPUs ---------------------------------------------------------------------------

static double kernel_share(const struct breakdown *breakdown)
{
    return breakdown->window_ns > 0
               ? (double)(breakdown->ns[0] + breakdown->ns[1]) / (double)breakdown->window_ns
               : 0;
}

static void imbalanced(const struct profile *profile, const struct selection *selection,
                       struct finding_list *findings)
{
    struct breakdown *devices =
        breakdown_devices(profile, selection, &breakdown_dlprof, findings->arena);
    uint32_t most = ROW_NONE, least = ROW_NONE;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (!profile->devices[d].has_kernels || devices[d].window_ns <= 0)
            continue;
        if (most == ROW_NONE || kernel_share(&devices[d]) > kernel_share(&devices[most]))
            most = d;
        if (least == ROW_NONE || kernel_share(&devices[d]) < kernel_share(&devices[least]))
            least = d;
    }
    if (most == ROW_NONE || most == least)
        return;
    double high = kernel_share(&devices[most]), low = kernel_share(&devices[least]);
    if (high - low <= rules_threshold(rules_get(), "imbalanced_gpu.difference", 0.2))
        return;
    struct finding *finding = finding_add(findings, &detect_imbalanced_gpu, SEVERITY_WARNING);
    finding->problem =
        arena_format(findings->arena,
                     "The GPUs are imbalanced: GPU %lld spends %.1f%% of the profiled time on "
                     "kernels, GPU %lld only %.1f%%",
                     (long long)device_number(profile, most), 100 * high,
                     (long long)device_number(profile, least), 100 * low);
    finding->recommendation = "Investigate how the work is divided among the GPUs";
    finding->opens = "devices";
}

const struct detector detect_imbalanced_gpu = {
    .id = "imbalanced_gpu_detector",
    .title = "GPUs imbalanced",
    .doc = "The shares of the wall clock in which GPUs run kernels differ by more than "
           "imbalanced_gpu.difference, among the GPUs that run any.",
    .is_dlprof = true,
    .detect = imbalanced,
};

// ---- iterations that vary ----------------------------------------------------------------------

static int compare_lengths(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

// The longest run of selected iterations that all lie within `tolerance` of the median.
static uint32_t steady_run(const struct selection *selection, double median, double tolerance,
                           uint32_t *first)
{
    uint32_t best = 0, run = 0;
    for (uint32_t i = 0; i < selection->split->count; i++) {
        double length = (double)iteration_length(selection->split, i);
        bool steady =
            iteration_is_selected(selection, i) && fabs(length - median) <= tolerance * median;
        run = steady ? run + 1 : 0;
        if (run > best) {
            best = run;
            *first = i + 1 - run;
        }
    }
    return best;
}

static void bad_iterations(const struct profile *profile, const struct selection *selection,
                           struct finding_list *findings)
{
    (void)profile;
    const struct split *split = selection->split;
    struct arena *arena = findings->arena;
    uint32_t count = selection_count(selection), taken = 0, first = 0;
    if (split->method == SPLIT_NONE ||
        count < rules_threshold(rules_get(), "bad_iterations.minimum", 5))
        return;
    int64_t *lengths = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < split->count; i++) {
        if (!iteration_is_selected(selection, i))
            continue;
        lengths[taken++] = iteration_length(split, i);
        sum += (double)lengths[taken - 1];
    }
    double mean = sum / count;
    for (uint32_t i = 0; i < taken; i++)
        squares += ((double)lengths[i] - mean) * ((double)lengths[i] - mean);
    double variation = mean > 0 ? sqrt(squares / count) / mean : 0;
    if (variation <= rules_threshold(rules_get(), "bad_iterations.variation", 0.25))
        return;
    qsort(lengths, taken, sizeof *lengths, compare_lengths);
    uint32_t middle = taken / 2;
    double median = (double)lengths[middle];
    uint32_t steady = steady_run(
        selection, median, rules_threshold(rules_get(), "bad_iterations.tolerance", 0.2), &first);
    if (steady < 2 || steady == count)
        return;
    struct finding *finding = finding_add(findings, &detect_bad_iterations, SEVERITY_WARNING);
    finding->problem = arena_format(
        arena, "The aggregated iteration range of %lld to %lld contains a lot of variation",
        (long long)split->number[selection_first(selection)],
        (long long)split->number[selection_last(selection)]);
    finding->recommendation = arena_format(
        arena,
        "Try limiting the iteration range to a steady range by rerunning with the --database "
        "option and setting --iter_start=%lld --iter_stop=%lld",
        (long long)split->number[first], (long long)split->number[first + steady - 1]);
    finding->why = arena_format(arena,
                                "The standard deviation is %.0f %% of the mean; %u iterations in "
                                "a row lie near the median",
                                100 * variation, steady);
    finding->opens = "iterations";
    finding->evidence = *selection;
    bool *members = ARENA_ARRAY(arena, bool, split->count);
    memset(members + first, true, steady * sizeof *members);
    finding->evidence.iterations = members;
}

const struct detector detect_bad_iterations = {
    .id = "bad_iterations_detector",
    .title = "iterations vary",
    .doc = "The standard deviation of at least bad_iterations.minimum selected iterations is above "
           "bad_iterations.variation of their mean, and some run of them is steady: each within "
           "bad_iterations.tolerance of the median.",
    .is_dlprof = true,
    .detect = bad_iterations,
};

// ---- emit_nvtx ---------------------------------------------------------------------------------

static void emit_nvtx(const struct profile *profile, const struct selection *selection,
                      struct finding_list *findings)
{
    (void)selection;
    if (profile->mode != MODE_PYTORCH || !profile->config.is_told || profile->config.emit_nvtx == 1)
        return;
    bool has_backward = false;
    for (uint32_t i = 0; profile->ops && i < profile->ops->count; i++)
        has_backward = has_backward ||
                       strcmp(profile_text(profile, profile->ops->items[i].type), "backward") == 0;
    if (!has_backward)
        return;
    struct finding *finding = finding_add(findings, &detect_emit_nvtx, SEVERITY_WARNING);
    finding->problem = "The model was not run under torch.autograd.profiler.emit_nvtx: backward "
                       "kernels belong to no layer";
    finding->recommendation = "Run the training steps inside `with "
                              "torch.autograd.profiler.emit_nvtx():`";
    finding->why = "Without it all backward work belongs to the op that calls backward()";
    finding->opens = "op_type";
}

const struct detector detect_emit_nvtx = {
    .id = "emit_nvtx_detector",
    .title = "emit_nvtx missing",
    .doc = "PyTorch: backward() ran and the model's configuration says that emit_nvtx was off.",
    .is_dlprof = true,
    .detect = emit_nvtx,
};

// ---- slow API calls ----------------------------------------------------------------------------

// Calls that stop the host or the GPU when they come in every step. Launches and waits are none of
// them: their length is that of a full queue, or of work worth waiting for.
static bool is_slow_call(const char *name)
{
    static const char *const names[] = {
        "cudaMalloc", "cudaFree",  "cudaHostAlloc",    "cudaMallocHost", "cudaFreeHost",
        "cuMemAlloc", "cuMemFree", "cudaHostRegister", "cuModuleLoad",
    };
    if (strstr(name, "Async") || strstr(name, "FromPool"))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void slow_api(const struct profile *profile, const struct selection *selection,
                     struct finding_list *findings)
{
    const struct split *split = selection->split;
    const struct api_calls *api = &profile->api;
    struct arena *arena = findings->arena;
    uint32_t count = selection_count(selection), hit = 0;
    // In a single iteration this is start-up, which every program has.
    if (split->method == SPLIT_NONE || count < 3)
        return;
    bool *is_slow = ARENA_ARRAY(arena, bool, (size_t)strings_count(profile->strings) + 1);
    bool *seen = ARENA_ARRAY(arena, bool, split->count);
    for (uint32_t id = 1; id < strings_count(profile->strings); id++)
        is_slow[id] = is_slow_call(profile_text(profile, id));
    int64_t calls = 0, total = 0;
    for (uint32_t i = 0; i < api->count; i++) {
        if (!is_slow[api->name[i]] || !selection_has_api(profile, selection, i))
            continue;
        uint32_t iteration =
            split_at(split, profile->threads[api->thread[i]].process, api->start[i]);
        if (iteration >= split->count)
            continue;
        hit += !seen[iteration];
        seen[iteration] = true;
        calls++;
        total += api->end[i] - api->start[i];
    }
    int64_t wall = selection_wall_ns(profile, selection);
    if (2 * hit <= count || wall <= 0 ||
        (double)total <= rules_threshold(rules_get(), "slow_api.share", 0.01) * (double)wall)
        return;
    struct finding *finding = finding_add(findings, &detect_slow_api, SEVERITY_WARNING);
    finding->problem = arena_format(
        arena, "%.1f%% of the profiled time is spent in %lld calls that allocate or free memory",
        100 * (double)total / (double)wall, (long long)calls);
    finding->recommendation = "Allocate once before the training loop, or through a caching or "
                              "stream-ordered allocator";
    finding->why = arena_format(arena, "They occur in %u of %u iterations", hit, count);
    finding->opens = "api";
}

const struct detector detect_slow_api = {
    .id = "slow_api_detector",
    .title = "slow API calls",
    .doc = "Calls that allocate or free memory or load modules occur in most of at least 3 "
           "selected iterations and take more than slow_api.share of the wall clock.",
    .is_dlprof = true,
    .detect = slow_api,
};

// ---- tensor shapes -----------------------------------------------------------------------------

static bool is_reduced(const char *type)
{
    return detect_text_has(type, "half") || detect_text_has(type, "float16") ||
           detect_text_has(type, "fp16") || detect_text_has(type, "bf16");
}

// Whether a matrix of the op has a width or a channel count that Tensor Cores do not like.
static bool has_odd_shape(const struct profile *profile, uint32_t marker_row)
{
    const struct marker *marker = &profile->markers[marker_row];
    for (uint32_t a = 0; a < marker->argument_count; a++) {
        const struct marker_argument *argument = &marker->arguments[a];
        if (!argument->is_tensor || argument->rank < 2 || argument->rank > 5)
            continue;
        // The width of a matrix; the channels of an image (N, C, H, W).
        bool is_image = argument->rank >= 4;
        int64_t inner = is_image ? argument->dims[1] : argument->dims[argument->rank - 1];
        if (inner % 8 != 0)
            return true;
    }
    return false;
}

static void tensor_shape(const struct profile *profile, const struct selection *selection,
                         struct finding_list *findings)
{
    struct op_metrics_list list = op_metrics_build(profile, selection, findings->arena);
    int64_t count = 0, time = 0, all = 0;
    uint32_t worst = ROW_NONE;
    int64_t worst_ns = -1;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct op_metrics *metrics = &list.items[i];
        const struct op *op = &profile->ops->items[metrics->op];
        uint32_t marker = profile->ops->marker[profile->ops->by_op[op->first_instance]];
        all += metrics->kernel_ns;
        if (op->tensor_core_eligible != STATE_YES || metrics->uses_tc || marker == ROW_NONE ||
            !is_reduced(profile_text(profile, op->data_type)) || !has_odd_shape(profile, marker))
            continue;
        count++;
        time += metrics->kernel_ns;
        if (metrics->kernel_ns > worst_ns) {
            worst = metrics->op;
            worst_ns = metrics->kernel_ns;
        }
    }
    if (count == 0 || all <= 0 ||
        (double)time <= rules_threshold(rules_get(), "tensor_shape.share", 0.01) * (double)all)
        return;
    struct finding *finding = finding_add(findings, &detect_tensor_shape, SEVERITY_WARNING);
    finding->problem =
        count == 1 ? "1 op of 16-bit type does not use tensor cores: its shapes are no multiples "
                     "of 8"
                   : arena_format(findings->arena,
                                  "%lld ops of 16-bit type do not use tensor cores: their shapes "
                                  "are no multiples of 8",
                                  (long long)count);
    finding->recommendation = "Pad channels, features and vocabulary to multiples of 8";
    finding->why = arena_format(findings->arena, "They are %.1f %% of the kernel time",
                                100 * (double)time / (double)all);
    finding->opens = count == 1 ? "kernel" : "tensor";
    finding->evidence = *selection;
    if (count == 1)
        finding->evidence.op = worst;
}

const struct detector detect_tensor_shape = {
    .id = "tensor_shape_detector",
    .title = "shapes that miss Tensor Cores",
    .doc = "Ops of a 16-bit type that could use Tensor Cores do not, have a width or channel count "
           "that is no multiple of 8, and take more than tensor_shape.share of the kernel time.",
    .is_dlprof = true,
    .detect = tensor_shape,
};
