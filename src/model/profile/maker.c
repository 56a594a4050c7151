// SPDX-License-Identifier: Apache-2.0
#include "model/profile/maker.h"

#include <string.h>

static const struct maker_words words[MAKER_COUNT] = {
    [MAKER_NVIDIA] = {"CUDA", "Tensor Core", "nvidia-smi", "nvidia-smi -q -d CLOCK,PERFORMANCE"},
    [MAKER_AMD] = {"HIP", "Matrix Core", "amd-smi", "amd-smi metric"},
    [MAKER_OTHER] = {"API", "matrix unit", "the maker's monitor", "the maker's monitor"},
};

enum maker device_maker(const struct profile *profile, const struct device *device)
{
    static const struct {
        const char *part;
        enum maker maker;
    } names[] = {
        {"AMD", MAKER_AMD},     {"Instinct", MAKER_AMD}, {"Radeon", MAKER_AMD},
        {"Intel", MAKER_OTHER}, {"MTIA", MAKER_OTHER},   {"Ascend", MAKER_OTHER},
    };
    const char *name = device->name == STRING_NONE ? "" : profile_text(profile, device->name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasestr(name, names[i].part))
            return names[i].maker;
    return MAKER_NVIDIA;
}

// By the prefix of the first calls: "cudaLaunchKernel", "cuLaunchKernel", "hipModuleLaunchKernel".
static enum maker calls_maker(const struct profile *profile)
{
    enum { MAX_CALLS = 64 };
    const struct api_calls *api = &profile->api;
    for (uint32_t i = 0; i < api->count && i < MAX_CALLS; i++) {
        const char *name = profile_text(profile, AT(api->name, i));
        if (strncmp(name, "hip", 3) == 0)
            return MAKER_AMD;
        if (strncmp(name, "cu", 2) == 0)
            return MAKER_NVIDIA;
    }
    return api->count ? MAKER_OTHER : MAKER_NVIDIA;
}

enum maker profile_maker(const struct profile *profile)
{
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (profile->devices[d].name != STRING_NONE && profile->devices[d].name &&
            *profile_text(profile, profile->devices[d].name))
            return device_maker(profile, &profile->devices[d]);
    return calls_maker(profile);
}

const struct maker_words *profile_words(const struct profile *profile)
{
    return &words[profile_maker(profile)];
}
