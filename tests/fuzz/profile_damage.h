// SPDX-License-Identifier: Apache-2.0
// Makes digests of the seeds (profile_seed.h) that contain values no loader produces.
#ifndef TESTS_FUZZ_PROFILE_DAMAGE_H
#define TESTS_FUZZ_PROFILE_DAMAGE_H

#include "base/text/bytes.h"

// Makes a digest of a seed with values replaced as `data` says, 8 bytes each: table, column, row
// (2 bytes), operation, value (3 bytes). Allocates in `arena`, inside arena_run().
void damaged_digest(unsigned seed, const unsigned char *data, size_t size, struct bytes *digest,
                    struct arena *arena);

#endif
