// SPDX-License-Identifier: Apache-2.0
// Sums of the roofline per kind of run (op, parameters, data type, direction, GPU), and per kernel
// of such a run.
#include "analysis/op_runs/run_limits.h"

#include <string.h>

#include "analysis/report/memo.h"
#include "base/hash.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"

struct limit_search {
    const struct profile *profile;
    const struct selection *selection;
    struct run_limits *limits;
    struct arena *result_arena;
    struct rooflines lines;
    struct id_map kernel_rows; // (answer, index in the run, GPU) -> row of kernels + 1
    struct id_map run_rows;    // (hash of what makes runs alike, GPU, direction) -> row of runs + 1
    struct limited_run *runs;  // becomes limits->runs
    struct limited_kernel *kernels;
    size_t run_count, run_capacity, kernel_count, kernel_capacity;
};

// Returns a copy of a list in PyProf's form without the comma at its end; "" for its empty list
// "na=na,".
static const char *copy_params(struct arena *arena, const char *params)
{
    size_t length = params ? strlen(params) : 0;
    while (length > 0 && params[length - 1] == ',')
        length--;
    if (length == 0 || strncmp(params, "na=na", 5) == 0)
        return "";
    return arena_format(arena, "%.*s", (int)length, params);
}

// Returns the row of the group of alike runs that a figure belongs to.
static uint32_t run_of(struct limit_search *search, const struct op_figure *figure, uint32_t device)
{
    const struct formula_result *answer = figure->answer;
    const char *op = profile_text(search->profile, figure->op);
    bool is_backward = figure->run_phase == PHASE_BPROP;
    uint64_t hash = hash_text(hash_text(HASH_SEED, op), answer->params);
    hash = hash_number(hash_text(hash, answer->dtype), (uint64_t)answer->is_autotuned);
    hash = hash_number(hash, answer->kernels);
    uint32_t *row =
        id_map_slot(&search->run_rows, (struct id_key){.a = hash, .b = device, .c = is_backward});
    if (*row)
        return *row - 1;
    size_t count = search->run_count;
    ARENA_PUSH(search->result_arena, search->runs, search->run_count, search->run_capacity) =
        (struct limited_run){.op = op,
                             .params = copy_params(search->result_arena, answer->params),
                             .device = device,
                             .is_backward = is_backward,
                             .is_autotuned = answer->is_autotuned,
                             .is_causal = op_figure_is_causal(answer),
                             .function = ROW_NONE};
    *row = (uint32_t)count + 1;
    return (uint32_t)count;
}

// Returns the entry of alike kernels that a piece of work belongs to.
static struct limited_kernel *kernel_of(struct limit_search *search, const struct op_figure *figure,
                                        uint32_t work)
{
    const struct profile *profile = search->profile;
    const struct formula_result *answer = figure->answer;
    uint32_t device = work_device(profile, work);
    uint32_t index_in_run = (uint32_t)(figure->share - answer->shares);
    // The direction is not in the key: forward and backward of an op have different answers.
    struct id_key key = {.a = (uint64_t)(uintptr_t)answer, .b = index_in_run, .c = device};
    uint32_t *row = id_map_slot(&search->kernel_rows, key);
    if (!*row) {
        struct limited_kernel kernel = {
            .run = run_of(search, figure, device),
            .function = AT(profile->work.function, work),
            .device = device,
            .place = index_in_run,
            .work = work,
            .params = copy_params(search->result_arena, figure->share->params),
        };
        ARENA_PUSH(search->result_arena, search->kernels, search->kernel_count,
                   search->kernel_capacity) = kernel;
        *row = (uint32_t)search->kernel_count;
    }
    return &search->kernels[*row - 1];
}

static void sum_runs(struct limit_search *search, struct arena *scratch)
{
    int64_t *most_ns = ARENA_ARRAY(scratch, int64_t, search->run_count + 1);
    for (size_t k = 0; k < search->kernel_count; k++) {
        const struct limited_kernel *kernel = &search->kernels[k];
        struct limited_run *run = &search->runs[kernel->run];
        roofline_join(&run->sums, &kernel->sums);
        run->count += kernel->place == 0 ? kernel->sums.kernels : 0;
        if (kernel->sums.sum_ns <= most_ns[kernel->run])
            continue;
        most_ns[kernel->run] = kernel->sums.sum_ns;
        run->function = kernel->function;
    }
}

static void find_run_limits(void *context, struct arena *scratch)
{
    struct limit_search *search = context;
    const struct profile *profile = search->profile;
    search->lines = rooflines_open(profile, search->selection, scratch);
    search->kernel_rows.arena = search->run_rows.arena = scratch;
    uint32_t *of_work = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t work = 0; work < profile->work.count; work++) {
        const struct op_figure *figure = op_figure_of(search->lines.figures, work);
        of_work[work] = ROW_NONE;
        if (!figure)
            continue;
        struct limited_kernel *kernel = kernel_of(search, figure, work);
        of_work[work] = (uint32_t)(kernel - search->kernels);
        roofline_add(&search->lines, &kernel->sums, work);
    }
    sum_runs(search, scratch);
    *search->limits = (struct run_limits){
        (uint32_t)search->run_count, (uint32_t)search->kernel_count, search->runs, search->kernels,
        column32_pack(search->result_arena, profile->workers, of_work, NULL, profile->work.count)};
}

static void *make_run_limits(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    struct run_limits *limits = ARENA_NEW(arena, struct run_limits);
    struct limit_search search = {
        .profile = profile, .selection = selection, .limits = limits, .result_arena = arena};
    scratch_run(arena, find_run_limits, &search);
    return limits;
}

const struct run_limits *run_limits_find(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.make = make_run_limits};
    return markers_have_shapes(profile) ? memo_require(&kind, profile, selection, arena) : NULL;
}

const struct limited_kernel *run_limits_kernel(const struct run_limits *limits, uint32_t work)
{
    uint32_t row = limits ? AT(limits->of_work, work) : ROW_NONE;
    return row == ROW_NONE ? NULL : &limits->kernels[row];
}

double limited_run_ideal_share(const struct limited_run *run)
{
    const struct roofline *sums = &run->sums;
    return sums->known_ns > 0 && sums->known_ns == sums->sum_ns
               ? (double)sums->ideal_ns / (double)sums->known_ns
               : -1;
}
