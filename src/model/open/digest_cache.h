// SPDX-License-Identifier: Apache-2.0
// Digests of files that were opened before, in the user's cache folder: a large file that has one is
// opened from it. What is kept is found by the content of the file (file_key.h), and by the program
// that read it: another one may read more of it.
#ifndef MODEL_DIGEST_CACHE_H
#define MODEL_DIGEST_CACHE_H

#include "model/profile/loader.h"

enum { DIGEST_CACHE_LEAST = 1 << 20 }; // bytes of a file; smaller ones open as fast by themselves

// Where the digest of a file lies, or is to lie once it is made; NULL: it has none, for the reason in
// *why (which may be NULL). Inside arena_run().
const char *digest_cache_path(const char *path, const char **why, struct arena *arena);

// Whether a request asks for all that the file itself says, and nothing that only it can say.
static inline bool digest_cache_serves(const struct load_request *request)
{
    return request->uses_cache && !request->excerpt && !request->domain;
}

#endif
