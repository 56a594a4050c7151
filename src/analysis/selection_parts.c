// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection_parts.h"

// Whether any process of a group, or with ROW_NONE any at all, ran anything on it.
static bool group_has_device(const struct profile *profile, uint32_t group, uint32_t device)
{
    bool is_theirs = group == ROW_NONE;
    for (uint32_t s = 0; s < profile->stream_count && !is_theirs; s++)
        is_theirs = profile->streams[s].device == device &&
                    process_is_chosen(profile, group, profile->streams[s].process);
    return is_theirs && profile->devices[device].has_work;
}

uint32_t selection_device_count(const struct profile *profile, const struct selection *selection)
{
    uint32_t count = 0;
    if (selection->device != ROW_NONE)
        return 1;
    if (selection->process < profile->process_count)
        count = profile->processes[selection->process].gpus;
    else
        for (uint32_t d = 0; d < profile->device_count; d++)
            count += group_has_device(profile, selection->process, d);
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
                 process_is_chosen(profile, selection->process, p);
    }
    return count ? count : 1;
}

struct parts selection_parts(const struct profile *profile, const struct selection *selection)
{
    uint32_t steps = 1, gpus = selection_device_count(profile, selection);
    uint32_t processes = process_count(profile, selection);
    const struct split_words *words = split_words_of(selection->split);
    if (selection->split->method != SPLIT_NONE)
        steps = selection_count(selection);
    steps = steps ? steps : 1;
    return (struct parts){
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
