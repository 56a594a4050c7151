// SPDX-License-Identifier: Apache-2.0
// Who made the GPUs of a profile, and what the maker calls what others call otherwise: texts take their
// names from here.
#ifndef MODEL_MAKER_H
#define MODEL_MAKER_H

#include "model/profile/profile.h"

enum maker { MAKER_NVIDIA, MAKER_AMD, MAKER_OTHER, MAKER_COUNT };

struct maker_words {
    const char *api;         // whose calls launch: "CUDA"
    const char *matrix_unit; // "Tensor Core"
    const char *watch;       // what shows memory and clocks while a job runs
    const char *clocks;      // ... the clocks and what limits them
};

// As far as its name tells; NVIDIA where it does not.
enum maker device_maker(const struct profile *profile, const struct device *device);
// Of the first GPU that has a name, else by the names of the calls; of a file without both NVIDIA.
enum maker profile_maker(const struct profile *profile);
const struct maker_words *profile_words(const struct profile *profile);

#endif
