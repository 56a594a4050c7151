// SPDX-License-Identifier: Apache-2.0
// Opening profiles: the loader is chosen by the content of the file, never by its name.
#ifndef MODEL_OPEN_OPEN_H
#define MODEL_OPEN_OPEN_H

#include "model/profile/loader.h"

// Loads a profile with its own arena. On failure returns NULL and an error that names the file,
// what was found, what is missing and how to capture it. profile_free() releases the profile,
// including stages published before, which share its memory. If a load fails after a stage was
// published, the memory belongs to the holder of progress->stage: profile_free() accepts any stage.
struct profile *profile_load(const struct load_request *request, struct error *error);
bool profile_has_loader(const char *path);    // whether a loader knows the format
const char *profile_format(const char *path); // name of the loader if it is certain; else NULL
// Reason why a file has no digest; NULL: it can have one.
const char *profile_no_digest(const char *path);

#endif
