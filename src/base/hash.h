// SPDX-License-Identifier: Apache-2.0
// FNV-1a in 64 bits, over bytes or over whole numbers: for what is looked up or compared as one number.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

#define HASH_SEED UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x100000001b3);
}

static inline uint64_t hash_text(uint64_t hash, const char *text) // NULL as ""
{
    for (; text && *text; text++)
        hash = hash_number(hash, (unsigned char)*text);
    return hash;
}

#endif
