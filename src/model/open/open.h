// SPDX-License-Identifier: Apache-2.0
// Opening profiles: one loader per input format, chosen by what the file holds, never by its name.
#ifndef MODEL_OPEN_OPEN_H
#define MODEL_OPEN_OPEN_H

#include "model/profile/loader.h"

// Loads a profile with its own arena; NULL and an error that names the file, what was found, what
// is missing and how to capture it. profile_free() releases it (stages handed over before share
// its memory). When a load fails after a stage was handed over, the memory stays with whoever
// holds progress->stage: profile_free() takes any stage.
struct profile *profile_load(const struct load_request *request, struct error *error);
bool profile_is_known(const char *path);         // whether a file is in the format of a loader
const char *profile_format(const char *path);    // name of that loader, if it is sure; else NULL
const char *profile_no_digest(const char *path); // why none can be kept of it; NULL: one can

#endif
