// SPDX-License-Identifier: Apache-2.0
// Model FLOPs utilization per step: the time that the model's FLOPs would take at the peak of the
// GPU, divided by the time of the step. FLOPs come from formulas of the ops (op_figures.h) or from
// the user (step_size.flops); then the kernels are read only for their data types.
#include "analysis/op_runs/mfu.h"

#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/report/memo.h"
#include "analysis/report/selection_parts.h"
#include "analysis/report/stats.h"
#include "base/scratch.h"
#include "base/text/format.h"
#include "model/profile/data_types.h"

// ---- FLOPs of kernels -----------------------------------------------------------------------

struct mfu_sums {
    const struct profile *profile;
    const struct selection *selection;
    struct formula_evaluator *formulas;
    double (*roofs)[LIMITS]; // [device]: FLOP/s
    struct mfu *items;       // [step]; one more entry holds kernels outside of all steps
};

static struct mfu *step_of(const struct mfu_sums *m, uint32_t work)
{
    const struct split *split = m->selection->split;
    uint32_t i = split->of_work ? split->of_work[work] : 0;
    return &m->items[i < split->count ? i : split->count];
}

static bool is_selected_kernel(const struct mfu_sums *m, uint32_t work)
{
    const struct function *function = &m->profile->functions[AT(m->profile->work.function, work)];
    return function->kind == WORK_KERNEL && function->class == CLASS_COMPUTE &&
           selection_has_work(m->profile, m->selection, work);
}

// Returns the limit whose peak a kernel is compared with, or LIMIT_NONE if no peak is known. A
// kernel whose name does not say whether it uses Tensor Cores is assumed to use them if the GPU has
// a peak of them for this type.
static unsigned limit_of(const struct mfu_sums *m, uint32_t work, const char *dtype)
{
    const struct profile *profile = m->profile;
    enum tristate uses_tc = profile->functions[AT(profile->work.function, work)].tensor_core;
    const double *roofs = m->roofs[work_device(profile, work)];
    unsigned without = roofline_compute_limit(dtype, STATE_NO),
             with = uses_tc == STATE_NO ? without : roofline_compute_limit(dtype, STATE_YES);
    if (with != LIMIT_NONE && roofs[with] > 0)
        return with;
    return uses_tc != STATE_YES && without != LIMIT_NONE && roofs[without] > 0
               ? without
               : (unsigned)LIMIT_NONE;
}

// Adds a kernel to the sums of its step: its time, and the FLOPs of its share of the op run.
static void add_kernel(const struct mfu_sums *m, const struct op_figures *figures, uint32_t work)
{
    const struct profile *profile = m->profile;
    const struct op_figure *figure = op_figure_of(figures, work);
    const struct formula_share *share = figure ? figure->share : NULL;
    const struct formula_result *answer = figure ? figure->answer : NULL;
    bool is_main = share && share->is_main && answer->is_of_model;
    if (!is_main && !formula_is_of_model(m->formulas, AT(profile->work.function, work)))
        return;
    struct mfu *item = step_of(m, work);
    int64_t ns = work_duration(profile, work);
    sum_add(&item->all_ns, ns);
    // When several algorithms were tried, only the last one carries the run's FLOPs; the others
    // count as known with 0.
    if (!share || answer->flops < 0 || answer->model_flops < 0)
        return;
    unsigned limit = limit_of(m, work, answer->dtype);
    sum_add(&item->known_flops_ns, ns);
    if (limit == LIMIT_NONE)
        return;
    sum_add(&item->known_ns, ns);
    item->is_guess |= answer->is_guess;
    if (share->flops <= 0 || !is_main)
        return;
    double executed_flops = op_figure_executed_flops(figure);
    double capacity_flops = (double)ns / 1e9 * m->roofs[work_device(profile, work)][limit];
    if (!answer->is_convolution)
        executed_flops = executed_flops < capacity_flops ? executed_flops : capacity_flops;
    if (executed_flops <= 0)
        return;
    double kernel_model_flops = executed_flops / answer->causal_flops * answer->model_flops;
    double per_flop = (double)ns / capacity_flops;
    item->hardware_flops += executed_flops;
    item->hardware_ns += executed_flops * per_flop;
    if (figure->phase == PHASE_RECOMPUTE)
        return;
    item->model_flops += kernel_model_flops;
    item->model_ns += kernel_model_flops * per_flop;
    item->by_limit[limit] += kernel_model_flops * per_flop;
}

// Adds a kernel's time by the data type in its name. Used when no shapes are known.
static void add_kernel_by_name(const struct mfu_sums *m, uint32_t work)
{
    const struct profile *profile = m->profile;
    uint32_t f = AT(profile->work.function, work);
    if (!formula_is_of_model(m->formulas, f))
        return;
    const struct function *function = &profile->functions[f];
    const struct data_type *type = data_type_of_kernel(
        profile_text(profile, function->full != STRING_NONE ? function->full : function->brief));
    struct mfu *item = step_of(m, work);
    int64_t ns = work_duration(profile, work);
    unsigned limit = type ? limit_of(m, work, type->name) : (unsigned)LIMIT_NONE;
    sum_add(&item->all_ns, ns);
    if (limit != LIMIT_NONE)
        item->by_limit[limit] += (double)ns;
}

static struct mfu_sums sums_new(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    return (struct mfu_sums){
        .profile = profile,
        .selection = selection,
        .items = ARENA_ARRAY(arena, struct mfu, (size_t)selection->split->count + 1),
    };
}

static void sums_open(struct mfu_sums *m, struct arena *scratch)
{
    m->formulas = formula_evaluator_new(m->profile, scratch);
    m->roofs = arena_alloc(scratch, m->profile->device_count + 1, sizeof *m->roofs);
    for (uint32_t d = 0; d < m->profile->device_count; d++)
        for (unsigned l = 0; l < LIMITS; l++)
            m->roofs[d][l] = roofline_roof(m->profile, d, l);
}

static void measure_kernels(void *context, struct arena *scratch)
{
    struct mfu_sums *m = context;
    const struct op_figures *figures = op_figures_find(m->profile, m->selection, scratch);
    sums_open(m, scratch);
    for (uint32_t w = 0; w < m->profile->work.count; w++)
        if (is_selected_kernel(m, w))
            add_kernel(m, figures, w);
}

static void measure_by_names(void *context, struct arena *scratch)
{
    struct mfu_sums *m = context;
    sums_open(m, scratch);
    for (uint32_t w = 0; w < m->profile->work.count; w++)
        if (is_selected_kernel(m, w))
            add_kernel_by_name(m, w);
}

static void *make_measured(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    struct mfu_sums m = sums_new(profile, selection, arena);
    scratch_run(arena, measure_kernels, &m);
    return m.items;
}

static void *make_by_name(const struct profile *profile, const struct selection *selection,
                          struct arena *arena)
{
    struct mfu_sums m = sums_new(profile, selection, arena);
    scratch_run(arena, measure_by_names, &m);
    return m.items;
}

static const struct memo_kind measured_memo = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                               .make = make_measured},
                              by_name_memo = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                              .make = make_by_name};

// ---- FLOPs stated by the user ---------------------------------------------------------------

// Returns the mean, over the GPUs, of the time that one GPU needs for `flops` at its peak; 0 if a
// peak is unknown.
static double stated_model_ns(const struct profile *profile, const struct selection *selection,
                              unsigned limit, double flops)
{
    double sum = 0, count = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        double roof = roofline_roof(profile, d, limit);
        bool counts =
            selection->device != ROW_NONE ? d == selection->device : profile->devices[d].has_work;
        if (!counts)
            continue;
        if (roof <= 0)
            return 0;
        sum += flops / roof * 1e9;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

// Replaces the measured FLOPs of each step by the FLOPs that the user stated.
static void apply_stated_flops(const struct profile *profile, const struct selection *selection,
                               struct mfu *items, uint32_t count)
{
    double by_limit[LIMITS] = {0};
    for (uint32_t i = 0; i <= count; i++)
        for (unsigned l = 0; l < LIMITS; l++)
            by_limit[l] += items[i].by_limit[l];
    unsigned limit = roofline_largest_limit(by_limit);
    double ns = limit == LIMIT_NONE
                    ? 0
                    : stated_model_ns(profile, selection, limit, selection->step_size.flops);
    for (uint32_t i = 0; i < count; i++) {
        struct mfu *item = &items[i];
        double steps = item->gpu_steps;
        *item = (struct mfu){
            .gpu_steps = steps,
            .gpu_ns = item->gpu_ns,
            .model_flops = selection->step_size.flops * steps,
            .model_ns = ns * steps,
            .all_ns = item->all_ns,
            .is_stated = true,
        };
        if (limit != LIMIT_NONE)
            item->by_limit[limit] = item->model_ns;
    }
}

// ---- steps ----------------------------------------------------------------------------------

const struct mfu *mfu_iterations(const struct profile *profile, const struct selection *selection,
                                 struct arena *arena)
{
    const struct split *split = selection->split;
    bool has_steps = split->method != SPLIT_NONE,
         is_stated = has_steps && selection->step_size.flops > 0;
    uint32_t count = has_steps ? split->count : 1;
    struct mfu *items = ARENA_ARRAY(arena, struct mfu, (size_t)split->count + 2);
    bool is_by_name = is_stated || profile->marker_count == 0; // without markers no shape is known
    const struct mfu *measured =
        memo_require(is_by_name ? &by_name_memo : &measured_memo, profile, selection, arena);
    memcpy(items, measured, ((size_t)split->count + 1) * sizeof *items);
    for (uint32_t i = 0; is_by_name && !is_stated && i <= split->count; i++)
        memset(items[i].by_limit, 0, sizeof items[i].by_limit);
    double gpus = selection_device_count(profile, selection);
    if (!has_steps) {
        for (uint32_t i = 1; i <= split->count; i++)
            mfu_add(&items[0], &items[i]);
        struct selection all = *selection;
        all.iterations = NULL;
        struct breakdown whole = breakdown_total(profile, &all, &breakdown_gpu, arena);
        items[0].gpu_ns = value_whole(value_real((double)whole.window_ns * gpus));
        items[0].gpu_steps = gpus;
        return items;
    }
    const struct breakdown *windows =
        breakdown_iterations(profile, selection, &breakdown_gpu, arena);
    for (uint32_t i = 0; i < count; i++) {
        gpus = selection_step_gpus(profile, selection, i);
        items[i].gpu_ns = value_whole(value_real((double)windows[i].window_ns * gpus));
        items[i].gpu_steps = windows[i].window_ns > 0 ? gpus : 0;
    }
    if (is_stated)
        apply_stated_flops(profile, selection, items, count);
    return items;
}

struct mfu mfu_total(const struct profile *profile, const struct selection *selection,
                     struct arena *arena)
{
    const struct mfu *items = mfu_iterations(profile, selection, arena);
    bool has_steps = selection->split->method != SPLIT_NONE;
    struct mfu sum = {0};
    for (uint32_t i = 0; i < (has_steps ? selection->split->count : 1); i++)
        if (!has_steps || selection_has_iteration(selection, i))
            mfu_add(&sum, &items[i]);
    return sum;
}

void mfu_add(struct mfu *sum, const struct mfu *part)
{
    sum->gpu_steps += part->gpu_steps;
    sum_add(&sum->gpu_ns, part->gpu_ns);
    sum->model_flops += part->model_flops;
    sum->hardware_flops += part->hardware_flops;
    sum->model_ns += part->model_ns;
    sum->hardware_ns += part->hardware_ns;
    sum_add(&sum->all_ns, part->all_ns);
    sum_add(&sum->known_flops_ns, part->known_flops_ns);
    sum_add(&sum->known_ns, part->known_ns);
    for (unsigned l = 0; l < LIMITS; l++)
        sum->by_limit[l] += part->by_limit[l];
    sum->is_guess |= part->is_guess;
    sum->is_stated |= part->is_stated;
}

// ---- figures --------------------------------------------------------------------------------

static double coverage_of(const struct mfu *mfu) // 0..1
{
    return mfu->is_stated ? 1 : mfu->all_ns > 0 ? (double)mfu->known_ns / (double)mfu->all_ns : 0;
}

static struct value percent_of(const struct mfu *mfu, double ns)
{
    return coverage_of(mfu) >= MIN_MFU_COVERAGE && ns > 0 && ns <= (double)mfu->gpu_ns
               ? value_real(ns / (double)mfu->gpu_ns)
               : value_none();
}

struct value mfu_percent(const struct mfu *mfu)
{
    return percent_of(mfu, mfu->model_ns);
}

struct value mfu_hardware_percent(const struct mfu *mfu)
{
    return percent_of(mfu, mfu->hardware_ns);
}

struct value mfu_coverage(const struct mfu *mfu)
{
    return mfu->is_stated ? value_none() : value_share(mfu->known_ns, mfu->all_ns);
}

bool mfu_is_lower_bound(const struct mfu *mfu)
{
    return coverage_of(mfu) < FULL_MFU_COVERAGE;
}

bool mfu_lacks_peak(const struct mfu *mfu)
{
    return coverage_of(mfu) < MIN_MFU_COVERAGE &&
           (double)mfu->known_flops_ns >= MIN_MFU_COVERAGE * (double)mfu->all_ns;
}

double mfu_items(const struct mfu *mfu, double items_per_step)
{
    return items_per_step * mfu->gpu_steps / ((double)mfu->gpu_ns / 1e9);
}

const char *mfu_items_text(const struct mfu *mfu, const struct step_size *size, struct arena *arena)
{
    enum { MIN_WHOLE = 100 }; // smaller rates are written with decimals
    double items = mfu_items(mfu, size->items);
    char count[FORMAT_SIZE];
    const char *text = items < MIN_WHOLE || items > 9e18
                           ? arena_format(arena, "%.3g", items)
                           : format_count(count, (int64_t)(items + 0.5));
    return arena_format(arena, "%s %s/s per GPU", text, size->unit);
}

const char *mfu_types(const struct mfu *mfu, struct arena *arena)
{
    const double min_share = 0.05; // of model_ns; types below this share are not listed
    double unlisted[LIMITS], sum = 0;
    const char *text = "";
    for (unsigned l = 0; l < LIMITS; l++)
        sum += unlisted[l] = mfu->by_limit[l];
    for (unsigned largest; (largest = roofline_largest_limit(unlisted)) != LIMIT_NONE;
         unlisted[largest] = 0)
        if (unlisted[largest] >= min_share * sum)
            text = arena_format(arena, "%s%s%s", text, *text ? "+" : "", roofline_type(largest));
    return text;
}

const char *mfu_percent_text(const struct mfu *mfu, bool ascii, struct arena *arena)
{
    struct value percent = mfu_percent(mfu);
    if (percent.kind == VALUE_NONE)
        return "";
    return arena_format(arena, "%s%.1f%%",
                        !mfu_is_lower_bound(mfu) ? ""
                        : ascii                  ? ">="
                                                 : "≥",
                        100 * percent.real);
}

const char *mfu_text(const struct mfu *mfu, bool ascii, struct arena *arena)
{
    const char *percent = mfu_percent_text(mfu, ascii, arena);
    return *percent ? arena_format(arena, "MFU %s (%s)", percent, mfu_types(mfu, arena)) : "";
}
