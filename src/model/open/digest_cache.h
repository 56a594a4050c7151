// SPDX-License-Identifier: Apache-2.0
// Digests of files that were opened before, in the user's cache folder; a large file with a digest
// is opened from it. A digest is found by the content of the file (file_key.h) and by the program
// that read it, since another version may read more of the file.
#ifndef MODEL_OPEN_DIGEST_CACHE_H
#define MODEL_OPEN_DIGEST_CACHE_H

#include "model/profile/loader.h"

enum { MIN_DIGEST_CACHE_BYTES = 1 << 20 }; // bytes; smaller files open as fast without a digest

// Returns the path of a file's digest, whether it exists or not. NULL: the file has none, for the
// reason in *why (which may be NULL). Must be called inside arena_run().
const char *digest_cache_path(const char *path, const char **why, struct arena *arena);

// Returns whether a request needs exactly what a digest contains: everything the file records, and
// nothing that requires the file itself.
static inline bool digest_cache_applies(const struct load_request *request)
{
    return request->uses_cache && !request->file_window && !request->domain;
}

#endif
