// SPDX-License-Identifier: Apache-2.0
#include "analysis/op_runs/run_limits.h"

#include <string.h>

#include "analysis/report/memo.h"
#include "base/hash.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"

struct finding {
    const struct profile *profile;
    const struct selection *selection;
    struct run_limits *limits;
    struct arena *keep;
    struct rooflines lines;
    struct id_map of_kernel;  // answer, place in the run, GPU
    struct id_map of_run;     // by hash of what is alike, GPU
    struct limited_run *runs; // also in limits
    struct limited_kernel *kernels;
    size_t run_count, run_capacity, kernel_count, kernel_capacity;
};

// PyProf ends each of its lists with a comma, and writes "na=na," where there is nothing.
static const char *keep_params(struct arena *arena, const char *params)
{
    size_t length = params ? strlen(params) : 0;
    while (length > 0 && params[length - 1] == ',')
        length--;
    if (length == 0 || strncmp(params, "na=na", 5) == 0)
        return "";
    return arena_format(arena, "%.*s", (int)length, params);
}

static uint32_t run_of(struct finding *finding, const struct op_figure *figure, uint32_t device)
{
    const struct formula_answer *answer = figure->answer;
    const char *op = profile_text(finding->profile, figure->op);
    bool is_backward = figure->run_phase == PHASE_BPROP;
    uint64_t hash = hash_text(hash_text(HASH_SEED, op), answer->params);
    hash = hash_number(hash_text(hash, answer->dtype), (uint64_t)answer->is_autotuned);
    hash = hash_number(hash, answer->kernels);
    uint32_t *row =
        id_map_slot(&finding->of_run, (struct id_key){.a = hash, .b = device, .c = is_backward});
    if (*row)
        return *row - 1;
    size_t count = finding->run_count;
    ARENA_PUSH(finding->keep, finding->runs, finding->run_count, finding->run_capacity) =
        (struct limited_run){.op = op,
                             .params = keep_params(finding->keep, answer->params),
                             .device = device,
                             .is_backward = is_backward,
                             .is_autotuned = answer->is_autotuned,
                             .is_causal = op_figure_is_causal(answer),
                             .function = ROW_NONE};
    *row = (uint32_t)count + 1;
    return (uint32_t)count;
}

static struct limited_kernel *kernel_of(struct finding *finding, const struct op_figure *figure,
                                        uint32_t work)
{
    const struct profile *profile = finding->profile;
    const struct formula_answer *answer = figure->answer;
    uint32_t device = work_device(profile, work);
    uint32_t place = (uint32_t)(figure->share - answer->shares);
    // A backward of an op has another answer than the op; another direction of one answer is none.
    struct id_key key = {.a = (uint64_t)(uintptr_t)answer, .b = place, .c = device};
    uint32_t *row = id_map_slot(&finding->of_kernel, key);
    if (!*row) {
        struct limited_kernel kernel = {
            .run = run_of(finding, figure, device),
            .function = AT(profile->work.function, work),
            .device = device,
            .place = place,
            .work = work,
            .params = keep_params(finding->keep, figure->share->params),
        };
        ARENA_PUSH(finding->keep, finding->kernels, finding->kernel_count,
                   finding->kernel_capacity) = kernel;
        *row = (uint32_t)finding->kernel_count;
    }
    return &finding->kernels[*row - 1];
}

static void sum_runs(struct finding *finding, struct arena *scratch)
{
    int64_t *most_ns = ARENA_ARRAY(scratch, int64_t, finding->run_count + 1);
    for (size_t k = 0; k < finding->kernel_count; k++) {
        const struct limited_kernel *kernel = &finding->kernels[k];
        struct limited_run *run = &finding->runs[kernel->run];
        roofline_join(&run->sums, &kernel->sums);
        run->count += kernel->place == 0 ? kernel->sums.kernels : 0;
        if (kernel->sums.sum_ns <= most_ns[kernel->run])
            continue;
        most_ns[kernel->run] = kernel->sums.sum_ns;
        run->function = kernel->function;
    }
}

static void find(void *context, struct arena *scratch)
{
    struct finding *finding = context;
    const struct profile *profile = finding->profile;
    finding->lines = rooflines_open(profile, finding->selection, scratch);
    finding->of_kernel.arena = finding->of_run.arena = scratch;
    uint32_t *of_work = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t work = 0; work < profile->work.count; work++) {
        const struct op_figure *figure = op_figure_of(finding->lines.figures, work);
        of_work[work] = ROW_NONE;
        if (!figure)
            continue;
        struct limited_kernel *kernel = kernel_of(finding, figure, work);
        of_work[work] = (uint32_t)(kernel - finding->kernels);
        roofline_add(&finding->lines, &kernel->sums, work);
    }
    sum_runs(finding, scratch);
    *finding->limits = (struct run_limits){
        (uint32_t)finding->run_count, (uint32_t)finding->kernel_count, finding->runs,
        finding->kernels,
        column32_pack(finding->keep, profile->workers, of_work, NULL, profile->work.count)};
}

static void *make(const struct profile *profile, const struct selection *selection,
                  struct arena *arena)
{
    struct run_limits *limits = ARENA_NEW(arena, struct run_limits);
    struct finding finding = {
        .profile = profile, .selection = selection, .limits = limits, .keep = arena};
    scratch_run(arena, find, &finding);
    return limits;
}

const struct run_limits *run_limits_find(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.make = make};
    return markers_tell_shapes(profile) ? memo_make(&kind, profile, selection, arena) : NULL;
}

const struct limited_kernel *run_limits_kernel(const struct run_limits *limits, uint32_t work)
{
    uint32_t row = limits ? AT(limits->of_work, work) : ROW_NONE;
    return row == ROW_NONE ? NULL : &limits->kernels[row];
}

double limited_run_share(const struct limited_run *run)
{
    const struct roofline *sums = &run->sums;
    return sums->known_ns > 0 && sums->known_ns == sums->sum_ns
               ? (double)sums->ideal_ns / (double)sums->known_ns
               : -1;
}
