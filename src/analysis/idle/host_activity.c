// SPDX-License-Identifier: Apache-2.0
// Classifies API calls, overhead rows and ranges by their names.
#include "analysis/idle/host_activity.h"

#include <string.h>
#include <strings.h>

#include "model/markers/markers.h"

enum host_activity api_activity(const char *name)
{
    static const struct {
        const char *begin; // follows "cuda", "cu" or "hip"
        enum host_activity activity;
    } calls[] = {
        {"ModuleLoad", HOST_COMPILE},
        {"LibraryLoad", HOST_COMPILE},
        {"Link", HOST_COMPILE},
        {"ModuleUnload", HOST_COMPILE},
        {"LibraryUnload", HOST_COMPILE},
        {"ModuleGetFunction", HOST_COMPILE},
        {"KernelGetFunction", HOST_COMPILE},
        {"LibraryGetKernel", HOST_COMPILE},
        {"GraphInstantiate", HOST_COMPILE},
        {"Malloc", HOST_ALLOCATOR},
        {"Free", HOST_ALLOCATOR},
        {"Host", HOST_ALLOCATOR},
        {"MemAlloc", HOST_ALLOCATOR},
        {"MemFree", HOST_ALLOCATOR},
        {"MemHost", HOST_ALLOCATOR},
        {"MemCreate", HOST_ALLOCATOR},
        {"MemRelease", HOST_ALLOCATOR},
        {"MemMap", HOST_ALLOCATOR},
        {"MemUnmap", HOST_ALLOCATOR},
        {"MemSetAccess", HOST_ALLOCATOR},
        {"MemAddress", HOST_ALLOCATOR},
        {"MemPoolTrim", HOST_ALLOCATOR},
        {"StreamSynchronize", HOST_SYNC},
        {"DeviceSynchronize", HOST_SYNC},
        {"EventSynchronize", HOST_SYNC},
        {"CtxSynchronize", HOST_SYNC},
        {"ThreadSynchronize", HOST_SYNC},
        {"Memcpy", HOST_COPY},
    };
    static const char *const prefixes[] = {"cuda", "cu", "hip"};
    const char *rest = NULL;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !rest; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            rest = name + strlen(prefixes[i]);
    for (size_t i = 0; rest && i < sizeof calls / sizeof *calls; i++)
        if (strncmp(rest, calls[i].begin, strlen(calls[i].begin)) == 0)
            return calls[i].activity == HOST_ALLOCATOR && strstr(rest, "Async")
                       ? HOST_BUSY // in stream order, from a pool
                       : calls[i].activity;
    return HOST_BUSY;
}

enum host_activity overhead_activity(const char *name)
{
    if (strcasestr(name, "command buffer"))
        return HOST_QUEUE_FULL;
    bool is_code = strcasestr(name, "compil") || strcasestr(name, "load") ||
                   strncmp(name, "dlopen", 6) == 0 || strncmp(name, "dlclose", 7) == 0;
    return is_code ? HOST_COMPILE : HOST_PROFILER;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Matches whole words only: "dataloader" is not a word of "dataloader_config".
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strcasestr(text, word); at; at = strcasestr(at + 1, word))
        if (!(at > text && is_letter(at[-1])) && !is_letter(at[length]))
            return true;
    return false;
}

static bool has_any_word(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has_word(text, words[i]))
            return true;
    return false;
}

// Returns [marker]: true if its text contains one of the words.
static bool *markers_with(const struct profile *profile, const char *const *words, size_t count,
                          struct arena *arena)
{
    bool *with = ARENA_ARRAY(arena, bool, (size_t)profile->marker_count + 1);
    for (uint32_t m = 0; m < profile->marker_count; m++)
        with[m] = has_any_word(profile_text(profile, profile->markers[m].text), words, count);
    return with;
}

bool *host_loader_markers(const struct profile *profile, struct arena *arena)
{
    static const char *const words[] = {"DataLoader",   "data_loader",  "__next__",
                                        "next_batch",   "get_batch",    "load_batch",
                                        "data_loading", "data loading", "load_data"};
    bool *is_loader = markers_with(profile, words, sizeof words / sizeof *words, arena);
    for (uint32_t m = 0; m < profile->marker_count; m++)
        is_loader[m] |= profile->markers[m].kind == MARKER_DATALOADER;
    return is_loader;
}

bool *host_barrier_markers(const struct profile *profile, struct arena *arena)
{
    static const char *const words[] = {"barrier", "MPI_Barrier", "MPI_Wait", "MPI_Waitall"};
    return markers_with(profile, words, sizeof words / sizeof *words, arena);
}
