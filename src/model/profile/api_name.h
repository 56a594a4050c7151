// SPDX-License-Identifier: Apache-2.0
// Names of CUDA API calls, to which CUPTI adds versions.
#ifndef MODEL_PROFILE_API_NAME_H
#define MODEL_PROFILE_API_NAME_H

#include "model/profile/profile.h"

// The length of an API name without the version that CUPTI adds, "cudaLaunchKernel_v7000". As nsys
// does, only four digits are one: cuGetProcAddress_v2 and cudaLaunchKernelExC_v11060 stay whole.
size_t api_name_length(const char *name);
// ... without one of any length, which a trace of PyTorch does not tell: cudaLaunchKernelExC.
size_t api_name_bare_length(const char *name);
// Whether two names of API calls differ in that version at most.
bool api_names_equal(const struct profile *profile, string_id a, string_id b);

#endif
