// SPDX-License-Identifier: Apache-2.0
// Converts types of synchronisation to CUPTI's numbers.
#include "model/profile/sync_types.h"

#include <stddef.h>
#include <string.h>

static const uint8_t cupti_types[] = {4, 1, 3};

uint8_t sync_type_of_nsys(int64_t type)
{
    return type >= 1 && type <= 3 ? cupti_types[type - 1] : 0;
}

uint8_t sync_type_of_call(const char *name, uint8_t type)
{
    static const struct {
        const char *text;
        uint8_t type;
    } calls[] = {{"StreamWaitEvent", 2},   {"EventSynchronize", 1},  {"EventQuery", 1},
                 {"StreamSynchronize", 3}, {"DeviceSynchronize", 4}, {"CtxSynchronize", 4}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strstr(name, calls[i].text))
            return calls[i].type;
    return type;
}
