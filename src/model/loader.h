// SPDX-License-Identifier: Apache-2.0
// Opening profiles: one loader per input format, chosen by what the file holds, never its name.
//
// To add a format write load_x.c with `probe` and `load` and add one line to the list in loader.c.
#ifndef MODEL_LOADER_H
#define MODEL_LOADER_H

#include <stdatomic.h>

#include "base/error.h"
#include "model/profile.h"

// Shared between the loading thread and the one that shows it; nothing else is.
struct load_progress {
    atomic_uint_fast64_t rows_done, rows_total;  // rows of the file's tables
    _Atomic(const char *) doing;                 // static text: "reading NVTX ranges"
    atomic_bool cancel;                          // set by the user's thread
    _Atomic(const struct profile *) stage;       // the latest stage; shares columns with the next
    int wake_fd;                                 // a byte is written at each stage; -1: none
};

struct load_request {
    const char *path;
    enum mode mode;
    bool ignore_journal;   // open although a -wal or -journal lies beside
    unsigned threads;      // 0: as many as the process may use
    struct load_progress *progress; // may be NULL
};

struct loader {
    const char *name;  // "nsys"
    const char *doc;
    // How sure this loader is that the file is its own, 0 to 100; looks, never keeps anything.
    // `head` holds the first `head_size` bytes of the file.
    int (*probe)(const char *path, const unsigned char *head, size_t head_size);
    bool (*load)(const struct load_request *request, struct profile *profile,
                 struct error *error);
};
extern const struct loader *const loaders[];
extern const size_t loader_count;

// Loads a profile with its own arena; NULL and an error that names the file, what was found, what
// is missing and how to capture it. profile_free() releases it (stages handed over before share
// its memory).
struct profile *profile_load(const struct load_request *request, struct error *error);
void profile_free(struct profile *profile);

// What every loader does after filling its tables: classify functions, derive owners, parse
// markers, build ops and tree, publish stages. In profile.c / derive.c.
void profile_classify(struct profile *profile);   // functions, stream roles
void profile_link(struct profile *profile);       // api.first_work/work_rows, range parents,
                                                  // api.range, exclusive times
bool profile_publish(struct profile *profile, enum profile_stage stage,
                     struct load_progress *progress, struct error *error); // false: cancelled

#endif
