// SPDX-License-Identifier: Apache-2.0
// FNV-1a in 64 bits, over bytes or numbers, for lookup tables and comparisons.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_SEED UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * UINT64_C(0x100000001b3);
}

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = hash_number(hash, ((const unsigned char *)bytes)[i]);
    return hash;
}

static inline uint64_t hash_text(uint64_t hash, const char *text) // NULL hashes like ""
{
    return text ? hash_bytes(hash, text, strlen(text)) : hash;
}

#endif
