// SPDX-License-Identifier: Apache-2.0
// Small valid exports made in memory, which the fuzzers of loaders damage, and the checks of
// profiles that load.
#ifndef TESTS_FUZZ_PROFILE_SEED_H
#define TESTS_FUZZ_PROFILE_SEED_H

#include <sqlite3.h>
#include <stddef.h>

#include "model/profile/loader.h"

// emit_nvtx; DLProf's dicts and other frameworks; CUDA graphs and steps without numbers; tables
// of 2020 and odd keys; GPU metrics, call chains, collectives. Then databases of DLProf and
// nvprof.
enum { SEED_COUNT = 5, SEED_DLDB = SEED_COUNT, SEED_NVPROF, SEEDS };

// Maps a byte of the input to a seed.
static inline unsigned seed_of(unsigned byte)
{
    byte %= 256;
    return byte >= 0xF8   ? (unsigned)SEED_NVPROF
           : byte >= 0xF0 ? (unsigned)SEED_DLDB
                          : byte % SEED_COUNT;
}

// Return the seed as bytes and as a database in memory, made once. Changes to the database must
// be made in a transaction and rolled back.
const unsigned char *seed_bytes(unsigned which, size_t *size);
sqlite3 *seed_database(unsigned which);

// Path of the only file that the loader reads. It is in a file system in memory if there is one,
// and is removed when the fuzzer ends.
const char *seed_path(void);
void seed_write(const void *bytes, size_t size);
// Path of the unchanged last seed, for comparison.
const char *seed_whole_path(void);

// Loads seed_path(). Returns NULL if it is refused, after checking the message.
struct profile *seed_load(enum mode mode);
struct profile *seed_load_part(unsigned which); // loads one of a few windows of it
// Returns a seed unchanged, loaded once.
const struct profile *seed_profile(unsigned which);

// True if the slow second half of the checks runs, too: always, except under until_done.sh, which
// looks for new edges in the first half; then for every fourth input size.
static inline bool seed_goes_on(size_t size)
{
#ifdef FUZZ_AIMS
    return size % 4 == 0;
#else
    return (void)size, true;
#endif
}

// Performs one of the requests a user could make, as `choices` says, over a selection: a few
// reports in one format each, with the invariants of their rows, and other checks. A broken
// invariant aborts the process.
void profile_exercise(const struct profile *profile, unsigned choices);

#endif
