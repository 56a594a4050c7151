// SPDX-License-Identifier: Apache-2.0
// The interface of a loader: the reader of one input format. Each has its own folder (model/nsys,
// model/kineto ...).
//
// To add a format, add a room with a `struct loader` and one line in model/open/loader.c.
#ifndef MODEL_PROFILE_LOADER_H
#define MODEL_PROFILE_LOADER_H

#include <stdatomic.h>

#include "base/error.h"
#include "model/profile/profile.h"

// Shared between the loading thread and the thread that displays progress.
struct load_progress {
    atomic_uint_fast64_t rows_done, rows_total; // rows of the file's tables
    _Atomic(const char *) doing;                // static text: "reading NVTX ranges"
    atomic_bool cancel;                         // set by the user's thread
    _Atomic(const struct profile *) stage; // the latest stage; shares columns with the next one
    int wake_fd;                           // receives one byte per stage; -1: none
};

struct load_request {
    const char *path;         // the first path; a folder means all files of the run in it
    const char *const *paths; // several files that form one profile; NULL: `path` alone
    size_t path_count;
    const char *name; // the user's name for the run; NULL: none
    enum mode mode;
    const char *key_op; // name of the op whose ends are those of steps; NULL: none is known
    const char *domain; // domain of a DLProf database with several; NULL: its first
    const struct file_window *file_window; // the window to read; NULL: the whole file
    const char *digest;                    // digest of `path`, read in its place; NULL: none
    bool uses_cache;                       // uses the digest in the cache, if any (digest_cache.h)
    bool no_subprocess;                    // fails rather than run another program
    bool ignore_journal; // opens a database although it has a -wal or -journal file
    // If this is one of several files: their number. Only the tables are filled then, and not what
    // is derived from them. 0: the only file.
    unsigned part_of;
    // Skips the op tree and program lines, which DLProf's reports (report.is_dlprof) do not need.
    bool stops_after_ops;
    unsigned threads;               // 0: as many as the process may use
    struct load_progress *progress; // may be NULL
};

// Returns the same request for another profile, of one file or folder.
static inline struct load_request load_request_of(const struct load_request *request,
                                                  const char *path)
{
    struct load_request other = *request;
    other.path = path;
    other.paths = NULL;
    other.path_count = 0;
    other.name = NULL;
    return other;
}

struct loader {
    const char *name; // "nsys"
    const char *doc;
    // Returns how likely the file has this format, 0 to 100. Must not keep `head`, which has the
    // first `head_size` bytes of the file. Sets `error` if the file cannot be examined.
    int (*probe)(const char *path, const unsigned char *head, size_t head_size,
                 struct error *error);
    bool (*load)(const struct load_request *request, struct profile *profile, struct error *error);
    bool has_domains;     // request->domain selects one
    bool can_read_window; // can read only request->file_window
    // Why no digest is kept of a file; NULL: a digest holds all that this loader reads, is smaller
    // and loads faster.
    const char *no_digest_reason;
};

// Commands that messages recommend.
#define HOW_TO_EXPORT "nsys export --type=sqlite -o profile.sqlite REPORT.nsys-rep"
#define HOW_TO_PROFILE \
    "nsys profile -t cuda,nvtx,osrt -s none --cpuctxsw=none --export=sqlite -o profile COMMAND"

#define HOW_TO_TRACE \
    "prof.export_chrome_trace(\"trace.json.gz\") behind with torch.profiler.profile() as prof"

// Returns an empty profile to be filled; called inside arena_run() of its arena.
struct profile *profile_empty(const struct load_request *request, struct arena *arena);

void profile_free(const struct profile *profile); // NULL is allowed
// Publishes a stage to the reader. Returns false if cancelled.
bool profile_publish(struct profile *profile, enum profile_stage stage,
                     struct load_progress *progress, struct error *error);
// Numbers GPUs consecutively if two have the same number, because each machine or process counts
// its GPUs from 0.
void profile_number_devices(struct profile *profile);

#endif
