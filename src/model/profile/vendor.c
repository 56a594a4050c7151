// SPDX-License-Identifier: Apache-2.0
// Recognises the vendor of a GPU by its name, or by the names of API calls.
#include "model/profile/vendor.h"

#include <string.h>

static const struct vendor_terms words[VENDOR_COUNT] = {
    [VENDOR_NVIDIA] = {"CUDA", "Tensor Core", "nvidia-smi", "nvidia-smi -q -d CLOCK,PERFORMANCE"},
    [VENDOR_AMD] = {"HIP", "Matrix Core", "amd-smi", "amd-smi metric"},
    [VENDOR_OTHER] = {"API", "matrix unit", "the maker's monitor", "the maker's monitor"},
};

enum vendor device_vendor(const struct profile *profile, const struct device *device)
{
    static const struct {
        const char *part;
        enum vendor vendor;
    } names[] = {
        {"AMD", VENDOR_AMD},      {"Instinct", VENDOR_AMD}, {"Radeon", VENDOR_AMD},
        {"gfx", VENDOR_AMD},      {"Intel", VENDOR_OTHER},  {"MTIA", VENDOR_OTHER},
        {"Ascend", VENDOR_OTHER},
    };
    const char *name = device->name == STRING_NONE ? "" : profile_text(profile, device->name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasestr(name, names[i].part))
            return names[i].vendor;
    return VENDOR_NVIDIA;
}

// By the prefix of the first calls: "cudaLaunchKernel", "cuLaunchKernel", "hipModuleLaunchKernel".
static enum vendor calls_maker(const struct profile *profile)
{
    enum { MAX_CALLS = 64 };
    const struct api_calls *api = &profile->api;
    for (uint32_t i = 0; i < api->count && i < MAX_CALLS; i++) {
        const char *name = profile_text(profile, AT(api->name, i));
        if (strncmp(name, "hip", 3) == 0)
            return VENDOR_AMD;
        if (strncmp(name, "cu", 2) == 0)
            return VENDOR_NVIDIA;
    }
    return api->count ? VENDOR_OTHER : VENDOR_NVIDIA;
}

enum vendor profile_vendor(const struct profile *profile)
{
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (profile->devices[d].name != STRING_NONE && profile->devices[d].name &&
            *profile_text(profile, profile->devices[d].name))
            return device_vendor(profile, &profile->devices[d]);
    return calls_maker(profile);
}

const struct vendor_terms *profile_vendor_terms(const struct profile *profile)
{
    return &words[profile_vendor(profile)];
}
