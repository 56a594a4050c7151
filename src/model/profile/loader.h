// SPDX-License-Identifier: Apache-2.0
// What a loader is: the reader of one input format, in a room of its own (model/nsys, model/kineto ...).
//
// To add a format write a room with a `struct loader` and add one line to model/open/loader.c.
#ifndef MODEL_PROFILE_LOADER_H
#define MODEL_PROFILE_LOADER_H

#include <stdatomic.h>

#include "base/error.h"
#include "model/profile/profile.h"

// Shared between the loading thread and the one that shows it; nothing else is.
struct load_progress {
    atomic_uint_fast64_t rows_done, rows_total; // rows of the file's tables
    _Atomic(const char *) doing;                // static text: "reading NVTX ranges"
    atomic_bool cancel;                         // set by the user's thread
    _Atomic(const struct profile *) stage;      // the latest stage; shares columns with the next
    int wake_fd;                                // a byte is written at each stage; -1: none
};

struct load_request {
    const char *path;         // of several the first; a folder: all of the one run in it
    const char *const *paths; // several files that are one profile; NULL: `path` alone
    size_t path_count;
    const char *name; // the user's name for the run, NULL: none
    enum mode mode;
    const char *domain;            // of a DLProf database with several; NULL: its first
    const struct excerpt *excerpt; // that is read of it; NULL: all of it
    const char *digest;            // of `path`, that is read in its stead; NULL: none
    bool uses_cache;               // one that is kept of it is (digest_cache.h)
    bool runs_nothing;             // opens only what needs no other program for it
    bool ignore_journal;           // open although a -wal or -journal lies beside
    unsigned part_of; // of so many files: its tables, and nothing that follows from them; 0: it is
                      // the whole
    bool ends_with_ops;             // no op tree, no lines of the program: what DLProf's reports
                                    // (report.is_dlprof) do without
    unsigned threads;               // 0: as many as the process may use
    struct load_progress *progress; // may be NULL
};

// The same for another profile, of one file or folder.
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
    // How sure this loader is that the file is its own, 0 to 100; looks, never keeps anything.
    // `head` holds the first `head_size` bytes of the file. Sets `error` where the machine did not
    // let it look.
    int (*probe)(const char *path, const unsigned char *head, size_t head_size,
                 struct error *error);
    bool (*load)(const struct load_request *request, struct profile *profile, struct error *error);
    bool has_domains;  // request->domain chooses one
    bool has_excerpts; // request->excerpt can be read alone
    const char
        *no_digest; // why none is kept of a file; NULL: all that it reads is in one, which is
                    // smaller and read faster
};

// What messages tell people to run.
#define HOW_TO_EXPORT "nsys export --type=sqlite -o profile.sqlite REPORT.nsys-rep"
#define HOW_TO_PROFILE \
    "nsys profile -t cuda,nvtx,osrt -s none --cpuctxsw=none --export=sqlite -o profile COMMAND"

#define HOW_TO_TRACE \
    "prof.export_chrome_trace(\"trace.json.gz\") behind with torch.profiler.profile() as prof"

// An empty one, for who fills it; inside arena_run() of its arena.
struct profile *profile_empty(const struct load_request *request, struct arena *arena);

void profile_free(const struct profile *profile); // NULL is fine
// Hands a stage over; false: cancelled.
bool profile_publish(struct profile *profile, enum profile_stage stage,
                     struct load_progress *progress, struct error *error);
// Each machine, or process, counts its GPUs from 0 on: where two have a number all are numbered through.
void profile_number_devices(struct profile *profile);

#endif
