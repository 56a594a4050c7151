// SPDX-License-Identifier: Apache-2.0
// Several files as one profile: each is read as a part, all at once, then they are merged.
#ifndef MODEL_LOAD_MANY_H
#define MODEL_LOAD_MANY_H

#include "model/open/open.h"

// Reads one of them. NULL: error. loader.c's.
typedef struct profile *load_one(const struct load_request *request, struct error *error);

// Of request->paths. As profile_load().
struct profile *load_many(const struct load_request *request, load_one *load, struct error *error);

#endif
