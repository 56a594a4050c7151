// SPDX-License-Identifier: Apache-2.0
// Loads several files as one profile: reads each one as a part, in parallel, and merges them.
#ifndef MODEL_OPEN_LOAD_MANY_H
#define MODEL_OPEN_LOAD_MANY_H

#include "model/open/open.h"

// Reads one file; NULL: error. The implementation is in loader.c.
typedef struct profile *load_one(const struct load_request *request, struct error *error);

// Loads request->paths. As profile_load().
struct profile *load_many(const struct load_request *request, load_one *load, struct error *error);

#endif
