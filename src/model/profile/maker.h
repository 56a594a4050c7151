// SPDX-License-Identifier: Apache-2.0
// The vendor of the GPUs of a profile and the vendor's terms, for texts that name an API or a tool.
#ifndef MODEL_MAKER_H
#define MODEL_MAKER_H

#include "model/profile/profile.h"

enum maker { MAKER_NVIDIA, MAKER_AMD, MAKER_OTHER, MAKER_COUNT };

struct maker_words {
    const char *api;         // of launch calls: "CUDA"
    const char *matrix_unit; // "Tensor Core"
    const char *watch;       // tool that shows memory and clocks while a job runs
    const char *clocks;      // tool that shows clocks and what limits them
};

// Returns the vendor by the device name; NVIDIA if the name is not conclusive.
enum maker device_maker(const struct profile *profile, const struct device *device);
// Returns the vendor of the first GPU with a name, otherwise by the names of the API calls; NVIDIA
// if the file has neither.
enum maker profile_maker(const struct profile *profile);
const struct maker_words *profile_words(const struct profile *profile);

#endif
