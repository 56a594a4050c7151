// SPDX-License-Identifier: Apache-2.0
// Types of synchronisation, as numbered by CUPTI (CUpti_ActivitySynchronizationType).
#ifndef MODEL_PROFILE_SYNC_TYPES_H
#define MODEL_PROFILE_SYNC_TYPES_H

#include <stdint.h>

// Converts a type as nsys numbered it up to 2023 to CUPTI's number; 0: none.
uint8_t sync_type_of_nsys(int64_t type);
uint8_t sync_type_of_call(const char *name, uint8_t type); // by the name of the API call, which is
                                                           // more reliable; else `type`

#endif
