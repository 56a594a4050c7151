// SPDX-License-Identifier: Apache-2.0
// Digests of the seeds with values in them that no loader would have left there.
#ifndef TESTS_FUZZ_PROFILE_DAMAGE_H
#define TESTS_FUZZ_PROFILE_DAMAGE_H

#include "base/bytes.h"

// The digest of a seed in which values are replaced as `data` says, 8 bytes each: table, column, row
// (2 bytes), what is done, value (3 bytes). Made in `arena`, inside arena_run().
void damaged_digest(unsigned seed, const unsigned char *data, size_t size, struct bytes *digest,
                    struct arena *arena);

#endif
