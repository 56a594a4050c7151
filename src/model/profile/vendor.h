// SPDX-License-Identifier: Apache-2.0
// The vendor of the GPUs of a profile and the vendor's terms, for texts that name an API or a tool.
#ifndef MODEL_PROFILE_VENDOR_H
#define MODEL_PROFILE_VENDOR_H

#include "model/profile/profile.h"

enum vendor { VENDOR_NVIDIA, VENDOR_AMD, VENDOR_OTHER, VENDOR_COUNT };

struct vendor_terms {
    const char *api;         // of launch calls: "CUDA"
    const char *matrix_unit; // "Tensor Core"
    const char *watch;       // tool that shows memory and clocks while a job runs
    const char *clocks;      // tool that shows clocks and what limits them
};

// Returns the vendor by the device name; NVIDIA if the name is not conclusive.
enum vendor device_vendor(const struct profile *profile, const struct device *device);
// Returns the vendor of the first GPU with a name, otherwise by the names of the API calls; NVIDIA
// if the file has neither.
enum vendor profile_vendor(const struct profile *profile);
const struct vendor_terms *profile_vendor_terms(const struct profile *profile);

#endif
