// SPDX-License-Identifier: Apache-2.0
// Names of CUDA API calls and the version suffixes that CUPTI appends to them.
#ifndef MODEL_PROFILE_API_NAME_H
#define MODEL_PROFILE_API_NAME_H

#include "model/profile/profile.h"

// Returns the length of an API name without the version that CUPTI appends, as in
// "cudaLaunchKernel_v7000". Only four digits count as a version, as in nsys: cuGetProcAddress_v2
// and cudaLaunchKernelExC_v11060 stay whole.
size_t api_name_length(const char *name);
// The same for versions of four digits and more, which traces of PyTorch omit:
// cudaLaunchKernelExC_v11060 is cudaLaunchKernelExC.
size_t api_name_unversioned_length(const char *name);
// True if two API names differ at most in the four-digit version.
bool api_names_equal(const struct profile *profile, string_id a, string_id b);

#endif
