// SPDX-License-Identifier: Apache-2.0
// Roles of ranges as PyTorch's TensorBoard plugin defines them.
#include "analysis/plugin/plugin_roles.h"

#include <string.h>

#include "analysis/idle/host_activity.h"
#include "model/markers/markers.h"
#include "model/profile/recorder.h"

int64_t profiler_step_number(const char *text)
{
    static const char word[] = "ProfilerStep#";
    enum { MAX_DIGITS = 18 };
    if (strncmp(text, word, sizeof word - 1) != 0)
        return UNKNOWN;
    text += sizeof word - 1;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > MAX_DIGITS || text[digits])
        return UNKNOWN;
    int64_t number = 0;
    for (size_t i = 0; i < digits; i++)
        number = number * 10 + (text[i] - '0');
    return number;
}

static bool begins_with_any(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strncmp(text, *words, strlen(*words)) == 0)
            return true;
    return false;
}

static bool is_loader_name(const char *text)
{
    static const char *const words[] = {"enumerate(DataLoader)#", "enumerate(DataPipe)#", NULL};
    return begins_with_any(text, words);
}

// Ops of torch.distributed are prefixed with their backend. (The plugin knows five ops of two
// backends.)
static bool is_communication_name(const char *text)
{
    static const char *const words[] = {"nccl:", "gloo:", "mpi:", "ucc:", "xccl:", "hccl:", NULL};
    return begins_with_any(text, words);
}

static bool is_nccl_range(const struct profile *profile, const struct range_label *label)
{
    string_id domain =
        label->domain < profile->domain_count ? profile->domains[label->domain].name : STRING_NONE;
    return domain != STRING_NONE && strcmp(profile_text(profile, domain), "NCCL") == 0;
}

// loaders[marker]: used for ranges whose kind is not recorded.
static enum range_role role_of(const struct profile *profile, const struct range_label *label,
                               const bool *loaders)
{
    const char *text = profile_text(profile, label->name);
    enum marker_kind kind =
        label->marker < profile->marker_count ? profile->markers[label->marker].kind : MARKER_PLAIN;
    if (label->said == SAID_MODULE)
        return RANGE_HAS_NO_ROLE;
    if (profiler_step_number(text) != UNKNOWN)
        return RANGE_IS_STEP;
    if (kind == MARKER_STEP)
        return RANGE_IS_MARK;
    if (kind == MARKER_DATALOADER || is_loader_name(text) ||
        (label->said == SAID_NOTHING && label->marker < profile->marker_count &&
         loaders[label->marker]))
        return RANGE_IS_LOADER;
    if (is_communication_name(text) || is_nccl_range(profile, label))
        return RANGE_IS_COMMUNICATION;
    return kind == MARKER_CONFIG ? RANGE_HAS_NO_ROLE : RANGE_IS_CPU;
}

const uint8_t *range_roles(const struct profile *profile, struct arena *arena)
{
    uint32_t count = profile->ranges.label_count;
    uint8_t *roles = ARENA_ARRAY(arena, uint8_t, (size_t)count + 1);
    const bool *loaders = host_loader_markers(profile, arena);
    for (uint32_t i = 0; i < count; i++)
        roles[i] = (uint8_t)role_of(profile, &profile->ranges.labels[i], loaders);
    return roles;
}

bool process_is_traced(const struct profile *profile, uint32_t process)
{
    uint32_t source = profile->processes[process].source;
    return source < profile->source_count && source_is_trace(&profile->sources[source]);
}

bool work_communicates(const struct profile *profile, const uint8_t *roles, uint32_t work)
{
    if (profile->functions[AT(profile->work.function, work)].class == CLASS_COMM)
        return true;
    uint32_t range = work_range(profile, work);
    return range != ROW_NONE && roles[AT(profile->ranges.label, range)] == RANGE_IS_COMMUNICATION;
}
