// SPDX-License-Identifier: Apache-2.0
// Small valid exports made in memory, which the fuzzers of the loader damage, and what is done with
// a profile that loads.
#ifndef TESTS_FUZZ_PROFILE_SEED_H
#define TESTS_FUZZ_PROFILE_SEED_H

#include <sqlite3.h>
#include <stddef.h>

#include "model/profile/loader.h"

// emit_nvtx; DLProf's dicts, other frameworks; CUDA graphs, steps without numbers; tables of 2020
// and odd keys; GPU metrics, call chains, collectives. Behind them databases of DLProf and nvprof
enum { SEED_COUNT = 5, SEED_DLDB = SEED_COUNT, SEED_NVPROF, SEEDS };

// The seed that a byte of the input chooses.
static inline unsigned seed_of(unsigned byte)
{
    byte %= 256;
    return byte >= 0xF8   ? (unsigned)SEED_NVPROF
           : byte >= 0xF0 ? (unsigned)SEED_DLDB
                          : byte % SEED_COUNT;
}

// The seed that a byte chooses, as bytes and as a database in memory, made once: who changes the
// database does so in a transaction and takes it back.
const unsigned char *seed_bytes(unsigned which, size_t *size);
sqlite3 *seed_database(unsigned which);

// The one file that the loader reads; lies in memory where the system has such a folder, and is
// removed when the fuzzer ends.
const char *seed_path(void);
void seed_write(const void *bytes, size_t size);
// The last seed as it is made, to compare with.
const char *seed_whole_path(void);

// Loads seed_path(). NULL: refused, with a message that was checked.
struct profile *seed_load(enum mode mode);
struct profile *seed_load_part(unsigned which); // one of a few excerpts of it
// A seed as it is made, loaded once.
const struct profile *seed_profile(unsigned which);

// Whether the second half, which is slow, is done as well: always, but by until_done.sh, which looks for
// edges of the first, for each fourth size of input.
static inline bool seed_goes_on(size_t size)
{
#ifdef FUZZ_AIMS
    return size % 4 == 0;
#else
    return (void)size, true;
#endif
}

// One of what a user could ask, as `choices` says, over a selection: a few reports, each in a format,
// with what each row promises, and what the others do.
// Ends the process where a promise is broken.
void profile_exercise(const struct profile *profile, unsigned choices);

#endif
