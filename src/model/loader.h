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

// Loads a profile with its own arena; NULL and an error that names the file, what was found, what
// is missing and how to capture it. profile_free() releases it (stages handed over before share
// its memory). When a load fails after a stage was handed over, the memory stays with whoever
// holds progress->stage: profile_free() takes any stage.
struct profile *profile_load(const struct load_request *request, struct error *error);
bool profile_is_known(const char *path);          // whether a file is in the format of a loader
const char *profile_format(const char *path);     // name of that loader, if it is sure; else NULL
const char *profile_no_digest(const char *path);  // why none can be kept of it; NULL: one can
void profile_free(const struct profile *profile); // NULL is fine
// An empty one, for who fills it; inside arena_run() of its arena.
struct profile *profile_empty(const struct load_request *request, struct arena *arena);

// ---- what every loader does after filling its tables, in this order -----------------------------

// Functions by the rules, stream roles; then exclusive times. Then STAGE_WORK can be handed over.
void profile_classify(struct profile *profile);
void profile_link_work(struct profile *profile); // work.exclusive
// memory.ends, memory.ended and the bytes of frees; sizes that cannot be are not believed. Notes on
// what does not fit together.
void profile_pair_memory(struct profile *profile);
// The range around each allocation of the framework, and what takes it back; after the links of ranges.
void profile_link_allocations(struct profile *profile);
// The same rows judged by the rules in use now, after rules_use(). It lives in `arena`, shares with
// `profile` what rules have no say in, and adds texts to its strings, in profile->arena: both are to
// be guarded by arena_run(), and nobody else may be reading meanwhile.
struct profile *profile_reclassify(const struct profile *profile, struct arena *arena);
// work.launch by (process, correlation) where it is not there yet, api.first_work/work_rows, api.kind.
// Then STAGE_CALLS.
void profile_link_calls(struct profile *profile);
// Range parents, api.range.
void profile_link_ranges(struct profile *profile);
// api.route by the rules, of a profile with call chains or with call stacks in its
// markers; profile_build() does it once ops are there, where the tree is made.
void profile_place_calls(struct profile *profile);
// Each machine, or process, counts its GPUs from 0 on: where two have a number all are numbered through.
void profile_number_devices(struct profile *profile);
// A note where no call has a chain, once it is known what markers tell instead.
void profile_note_chains(struct profile *profile);
// Markers, ops, places of calls and tree of a profile that is linked, as far as the request asks for
// them; hands over STAGE_TREE.
bool profile_build(struct profile *profile, const struct load_request *request,
                   struct error *error);
// All of the above, of tables that came whole (parts, digests), and STAGE_READY.
bool profile_derive(struct profile *profile, const struct load_request *request,
                    struct error *error);
// Hands a stage over; false: cancelled.
bool profile_publish(struct profile *profile, enum profile_stage stage,
                     struct load_progress *progress, struct error *error);

// The API call of each (process, correlation) pair, ROW_NONE where there is none or the
// correlation is 0. Where a pair stands twice the earlier call has it.
void profile_join(const struct profile *profile, const uint32_t *process,
                  const uint32_t *correlation, uint32_t count, uint32_t *api);

#endif
