// SPDX-License-Identifier: Apache-2.0
// Derives the path of a file's digest from the file's content and the program that reads it.
#include "model/open/digest_cache.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/xdg.h"
#include "model/digest/digest.h"
#include "model/profile/file_key.h"

// Hashes the program's file: two builds of one version may read different things.
static uint64_t program_hash(void)
{
    struct file_key key;
    struct error error;
    uint64_t hash = hash_number(hash_text(HASH_SEED, DLPROF_TUI_VERSION), DIGEST_VERSION);
    return file_key("/proc/self/exe", &key, &error) ? hash_text(hash, key.text) : hash;
}

// The digest of the main file does not cover a journal next to it, which the loader refuses or
// reports. The journal is next to the file itself, not next to a link to it.
static bool has_journal(const char *path, struct arena *arena)
{
    static const char *const suffixes[] = {"-wal", "-journal"};
    char real[PATH_MAX];
    struct stat status;
    if (!realpath(path, real))
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (stat(arena_format(arena, "%s%s", real, suffixes[i]), &status) == 0 && status.st_size)
            return true;
    return false;
}

// Returns the reason why a file has no digest, independent of its content; NULL: it may have one.
static const char *why_none(const char *path, struct arena *arena)
{
    struct stat status;
    return stat(path, &status) != 0                  ? "it cannot be read"
           : status.st_size < MIN_DIGEST_CACHE_BYTES ? "so small a file opens as fast by itself"
           : has_journal(path, arena)                ? "a journal beside it holds more than it says"
                                                     : NULL;
}

const char *digest_cache_path(const char *path, const char **why, struct arena *arena)
{
    struct file_key key;
    struct error error; // the loader reports errors of the file
    const char *none = why_none(path, arena), *kept = NULL;
    if (!none && !file_key(path, &key, &error))
        none = "it cannot be read";
    if (!none)
        kept = xdg_path(
            arena, XDG_CACHE,
            arena_format(arena, "%s-%016llx.dlp", key.text, (unsigned long long)program_hash()));
    if (why)
        *why = none || kept ? none : "there is no folder for it";
    return kept;
}
