// SPDX-License-Identifier: Apache-2.0
// Numbers the hosts, finds the processes and GPUs of a rank, and makes the labels of processes and
// of groups of processes (all processes of a host, or with a role).
#include "model/profile/ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/id_map.h"
#include "base/text/text.h"
#include "model/profile/roles.h"

// ---- machines -----------------------------------------------------------------------------------

uint64_t host_of_name(const char *name)
{
    uint64_t hash = hash_text(HASH_SEED, name);
    return hash ? hash : 1;
}

void hosts_assign_rows(struct profile *profile)
{
    uint32_t known = 0;
    for (uint32_t s = 0; s < profile->source_count; s++) {
        struct source *source = &profile->sources[s];
        source->host_row = source->host ? known : ROW_NONE;
        for (uint32_t before = 0; source->host && before < s; before++)
            if (profile->sources[before].host == source->host)
                source->host_row = profile->sources[before].host_row;
        known += source->host_row == known;
    }
}

int64_t device_host(const struct profile *profile, uint32_t device)
{
    uint32_t source = profile->devices[device].source;
    uint32_t host = source < profile->source_count ? profile->sources[source].host_row : ROW_NONE;
    return host != ROW_NONE ? (int64_t)host + 1 : UNKNOWN;
}

// ---- processes ----------------------------------------------------------------------------------

void processes_prepare_labels(struct profile *profile, struct arena *scratch)
{
    enum { PID, SOURCE };
    // Keyed by (PID, pid): processes; by (SOURCE, source): processes with GPUs. Slots hold the
    // count; id_map_get() returns the count minus 1.
    struct id_map are_ranks = {.arena = scratch};
    for (uint32_t p = 0; p < profile->process_count; p++) {
        struct process *process = &profile->processes[p];
        uint32_t *before = id_map_slot(&are_ranks, (struct id_key){PID, process->pid, 0});
        process->pid_occurrence = (*before)++;
        if (process->gpus != PROCESS_NO_GPU)
            ++*id_map_slot(&are_ranks, (struct id_key){SOURCE, process->source, 0});
    }
    for (uint32_t p = 0; p < profile->process_count; p++) {
        struct process *process = &profile->processes[p];
        uint32_t with_gpus = id_map_get(&are_ranks, (struct id_key){SOURCE, process->source, 0});
        process->has_gpu_sibling =
            with_gpus != UINT32_MAX && with_gpus + 1 > (process->gpus != PROCESS_NO_GPU);
    }
}

int64_t process_rank(const struct profile *profile, uint32_t process)
{
    const struct process *row = &profile->processes[process];
    int64_t rank =
        row->source < profile->source_count ? profile->sources[row->source].rank : UNKNOWN;
    return row->gpus == PROCESS_NO_GPU || row->has_gpu_sibling ? UNKNOWN : rank;
}

uint32_t profile_find_rank(const struct profile *profile, int64_t rank)
{
    for (uint32_t p = 0; p < profile->process_count && rank != UNKNOWN; p++)
        if (process_rank(profile, p) == rank)
            return p;
    return ROW_NONE;
}

void device_ranks(const struct profile *profile, int64_t *rank)
{
    enum { NONE_YET = -1 };
    for (uint32_t d = 0; d < profile->device_count; d++)
        rank[d] = NONE_YET;
    for (uint32_t s = 0; s < profile->stream_count; s++) {
        int64_t own = process_rank(profile, profile->streams[s].process);
        int64_t *of = &rank[profile->streams[s].device];
        *of = *of == NONE_YET || *of == own ? own : UNKNOWN;
    }
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (rank[d] == NONE_YET)
            rank[d] = UNKNOWN;
}

const char *device_place_text(const struct profile *profile, uint32_t device, struct arena *arena)
{
    int64_t *ranks = ARENA_ARRAY(arena, int64_t, (size_t)profile->device_count + 1);
    int64_t number = device_number(profile, device), host = device_host(profile, device);
    device_ranks(profile, ranks);
    bool has_rank = ranks[device] != UNKNOWN, has_host = host != UNKNOWN;
    if (profile->source_count < 2 || (!has_rank && !has_host))
        return arena_format(arena, "GPU %" PRId64, number);
    const char *rank = has_rank ? arena_format(arena, "rank %" PRId64, ranks[device]) : "";
    const char *where = has_host ? arena_format(arena, "host %" PRId64, host) : "";
    return arena_format(arena, "GPU %" PRId64 " (%s%s%s)", number, rank,
                        has_rank && has_host ? ", " : "", where);
}

bool device_display_numbers(const struct profile *profile, const uint32_t *devices, uint32_t count,
                            int64_t *numbers, struct arena *scratch)
{
    int64_t *ranks = ARENA_ARRAY(scratch, int64_t, (size_t)profile->device_count + 1);
    bool by_rank = true;
    device_ranks(profile, ranks);
    for (uint32_t i = 0; i < count && by_rank; i++) {
        numbers[i] = ranks[devices[i]];
        by_rank = numbers[i] != UNKNOWN;
        for (uint32_t before = 0; before < i; before++)
            by_rank &= numbers[before] != numbers[i];
    }
    for (uint32_t i = 0; !by_rank && i < count; i++)
        numbers[i] = device_number(profile, devices[i]);
    return by_rank;
}

const char **device_roles(const struct profile *profile, struct arena *arena)
{
    const char **roles = ARENA_ARRAY(arena, const char *, profile->device_count + 1);
    for (uint32_t s = 0; s < profile->stream_count; s++) {
        const struct stream *stream = &profile->streams[s];
        uint32_t source = profile->processes[stream->process].source;
        const char *role = source < profile->source_count
                               ? roles_text(&profile->sources[source].roles, arena)
                               : NULL;
        const char **of = &roles[stream->device];
        role = role ? role : "";
        *of = !*of || strcmp(*of, role) == 0 ? role : "";
    }
    for (uint32_t d = 0; d < profile->device_count; d++)
        roles[d] = roles[d] && *roles[d] ? roles[d] : NULL;
    return roles;
}

// ---- groups -------------------------------------------------------------------------------------

static void group_add(struct profile *profile, uint32_t source, const char *label)
{
    uint32_t g = 0;
    while (g < profile->group_count && strcmp(profile->groups[g].label, label) != 0)
        g++;
    if (g == profile->group_count)
        profile->groups[profile->group_count++] = (struct process_group){
            .label = label,
            .members = ARENA_ARRAY(profile->arena, bool, profile->process_count + 1)};
    for (uint32_t p = 0; p < profile->process_count; p++)
        profile->groups[g].members[p] |= profile->processes[p].source == source;
}

static bool group_is_all(const struct profile *profile, const struct process_group *group)
{
    for (uint32_t p = 0; p < profile->process_count; p++)
        if (!group->members[p])
            return false;
    return true;
}

static void group_find_devices(const struct profile *profile, struct process_group *group)
{
    group->devices = ARENA_ARRAY(profile->arena, bool, (size_t)profile->device_count + 1);
    for (uint32_t s = 0; s < profile->stream_count; s++) {
        const struct stream *stream = &profile->streams[s];
        bool *device = &group->devices[stream->device];
        bool is_new = group->members[stream->process] && !*device &&
                      profile->devices[stream->device].has_work;
        *device |= is_new;
        group->gpus += is_new;
    }
}

void process_groups_build(struct profile *profile)
{
    struct arena *arena = profile->arena;
    uint32_t kept = 0;
    profile->groups =
        ARENA_ARRAY(arena, struct process_group, (size_t)profile->source_count * (ROLE_KINDS + 2));
    profile->group_count = 0;
    for (uint32_t s = 0; s < profile->source_count; s++)
        if (profile->sources[s].host_row != ROW_NONE)
            group_add(profile, s, arena_format(arena, "host %u", profile->sources[s].host_row + 1));
    const char *role;
    for (unsigned i = 0; i <= ROLE_KINDS; i++)
        for (uint32_t s = 0; s < profile->source_count; s++)
            if ((role = roles_at(&profile->sources[s].roles, i, arena)))
                group_add(profile, s, arena_format(arena, "role %s", role));
    for (uint32_t g = 0; g < profile->group_count; g++)
        if (!group_is_all(profile, &profile->groups[g]))
            profile->groups[kept++] = profile->groups[g];
    profile->group_count = kept;
    for (uint32_t g = 0; g < kept; g++)
        group_find_devices(profile, &profile->groups[g]);
}

bool processes_run_on(const struct profile *profile, uint32_t chosen, uint32_t device)
{
    if (chosen == ROW_NONE)
        return profile->devices[device].has_work;
    if (chosen >= profile->process_count)
        return profile->groups[chosen - profile->process_count].devices[device];
    for (uint32_t s = 0; s < profile->stream_count; s++)
        if (profile->streams[s].device == device && profile->streams[s].process == chosen)
            return true;
    return false;
}

uint32_t processes_gpu_count(const struct profile *profile, uint32_t chosen)
{
    uint32_t count = 0;
    if (chosen < profile->process_count)
        return profile->processes[chosen].gpus;
    if (chosen != ROW_NONE)
        return profile->groups[chosen - profile->process_count].gpus;
    for (uint32_t d = 0; d < profile->device_count; d++)
        count += profile->devices[d].has_work;
    return count;
}

uint32_t profile_find_group(const struct profile *profile, const char *label)
{
    for (uint32_t g = 0; g < profile->group_count; g++)
        if (strcasecmp(profile->groups[g].label, label) == 0)
            return profile->process_count + g;
    return ROW_NONE;
}

const char *process_label(const struct profile *profile, uint32_t process,
                          char text[PROCESS_LABEL_SIZE])
{
    if (process >= profile->process_count) {
        snprintf(text, PROCESS_LABEL_SIZE, "%s",
                 profile->groups[process - profile->process_count].label);
        return text;
    }
    int64_t rank = process_rank(profile, process);
    if (rank != UNKNOWN)
        snprintf(text, PROCESS_LABEL_SIZE, "rank %" PRId64, rank);
    else if (profile->processes[process].pid_occurrence > 0)
        snprintf(text, PROCESS_LABEL_SIZE, "process %u.%u", profile->processes[process].pid,
                 profile->processes[process].pid_occurrence + 1);
    else
        snprintf(text, PROCESS_LABEL_SIZE, "process %u", profile->processes[process].pid);
    return text;
}

uint32_t profile_find_label(const struct profile *profile, const char *label)
{
    char text[PROCESS_LABEL_SIZE];
    for (uint32_t p = 0; p < profile->process_count; p++)
        if (strcasecmp(process_label(profile, p, text), label) == 0)
            return p;
    return profile_find_group(profile, label);
}

const char *profile_files_text(const struct profile *profile, const char *path, struct arena *arena)
{
    const char *name = text_file_name(path, NULL);
    name = text_safe(arena, name, strlen(name), true);
    if (profile->source_count > 1)
        name = arena_format(arena, "%s and %u more", name, profile->source_count - 1);
    return profile->file_window ? arena_format(arena, "%s, part: %s", name,
                                               file_window_text(profile->file_window, arena))
                                : name;
}
