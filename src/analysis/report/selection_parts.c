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

static uint32_t process_count(const struct profile *profile, const struct selection *selection)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < profile->process_count; p++) {
        const struct process *process = &profile->processes[p];
        bool is_on_device = selection->device == ROW_NONE || process->gpus > PROCESS_ONE_GPU ||
                            process->device == selection->device;
        count += process->gpus != PROCESS_NO_GPU && is_on_device &&
                 process_is_selected(profile, selection->process, p);
    }
    return count ? count : 1;
}

struct sum_parts selection_parts(const struct profile *profile, const struct selection *selection)
{
    uint32_t steps = 1, gpus = selection_device_count(profile, selection);
    uint32_t processes = process_count(profile, selection);
    const struct split_words *words = split_words_of(selection->split);
    if (selection->split->method != SPLIT_NONE)
        steps = selection_iteration_count(selection);
    steps = steps ? steps : 1;
    return (struct sum_parts){
        .gpu = (double)steps * gpus,
        .host = (double)steps * processes,
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
