// SPDX-License-Identifier: Apache-2.0
// Counts the steps, GPUs and processes of a selection.
#include "analysis/report/selection_parts.h"

#include "model/profile/ranks.h"

uint32_t selection_device_count(const struct profile *profile, const struct selection *selection)
{
    uint32_t count =
        selection->device != ROW_NONE ? 1 : processes_gpu_count(profile, selection->process);
    return count ? count : 1;
}

static bool process_counts(const struct profile *profile, const struct selection *selection,
                           uint32_t p)
{
    const struct process *process = &profile->processes[p];
    bool is_on_device = selection->device == ROW_NONE || process->gpus > PROCESS_ONE_GPU ||
                        process->device == selection->device;
    return process->gpus != PROCESS_NO_GPU && is_on_device &&
           process_is_selected(profile, selection->process, p);
}

static uint32_t process_count(const struct profile *profile, const struct selection *selection)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < profile->process_count; p++)
        count += process_counts(profile, selection, p);
    return count ? count : 1;
}

static bool process_has_step(const struct split *split, uint32_t process, uint32_t step)
{
    size_t at = (size_t)process * split->count + step;
    return !split->process_start || split->process_stop[at] > split->process_start[at];
}

uint32_t selection_step_gpus(const struct profile *profile, const struct selection *selection,
                             uint32_t step)
{
    const struct split *split = selection->split;
    if (selection->device == ROW_NONE && selection->process < profile->process_count)
        return process_has_step(split, selection->process, step)
                   ? processes_gpu_count(profile, selection->process)
                   : 0;
    // Without own windows of processes all GPUs of a group have the steps.
    if ((selection->device == ROW_NONE && selection->process != ROW_NONE) || !split->gpu_start)
        return selection_device_count(profile, selection);
    uint32_t count = 0;
    for (uint32_t d = 0; d < profile->device_count; d++)
        count += (selection->device == ROW_NONE || selection->device == d) &&
                 split->gpu_start[(size_t)d * split->count + step] != UNKNOWN;
    return count;
}

static uint32_t step_processes(const struct profile *profile, const struct selection *selection,
                               uint32_t step)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < profile->process_count; p++)
        count +=
            process_counts(profile, selection, p) && process_has_step(selection->split, p, step);
    return count;
}

struct sum_parts selection_parts(const struct profile *profile, const struct selection *selection)
{
    uint32_t steps = 1, gpus = selection_device_count(profile, selection);
    uint32_t processes = process_count(profile, selection);
    const struct split_words *words = split_words_of(selection->split);
    double step_gpus = 0, host_steps = 0;
    if (selection->split->method != SPLIT_NONE) {
        steps = selection_iteration_count(selection);
        for (uint32_t i = 0; i < selection->split->count; i++)
            if (selection_has_iteration(selection, i)) {
                step_gpus += selection_step_gpus(profile, selection, i);
                host_steps += step_processes(profile, selection, i);
            }
    }
    steps = steps ? steps : 1;
    return (struct sum_parts){
        .gpu = step_gpus > 0 ? step_gpus : (double)steps * gpus,
        .host = host_steps > 0 ? host_steps : (double)steps * processes,
        .row = steps,
        .row_name = words->one,
        .gpu_name = gpus == 1    ? words->one
                    : steps == 1 ? "GPU"
                                 : words->with_gpu,
        .host_name = processes == 1 ? words->one
                     : steps == 1   ? "process"
                                    : words->with_process,
    };
}
