// SPDX-License-Identifier: Apache-2.0
// Types of synchronisations: CUPTI's numbers (CUpti_ActivitySynchronizationType).
#ifndef MODEL_PROFILE_SYNC_TYPES_H
#define MODEL_PROFILE_SYNC_TYPES_H

#include <stdint.h>

// CUPTI's number of a sync type as nsys numbered them up to 2023; 0: none.
uint8_t sync_type_of_nsys(int64_t type);
uint8_t sync_type_of_call(const char *name, uint8_t type); // what the API call says is surer

#endif
