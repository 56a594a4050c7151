// SPDX-License-Identifier: Apache-2.0
// Malformed digests: odd values in their tables, or overwritten bytes with a valid checksum. They
// are refused with a reason, or pass through reports like any profile.
//
// The first byte chooses the seed, the second the kind of damage. Odd: bytes of the digest are
// overwritten, each given as offset (3 bytes) and value. Even: values are replaced
// (profile_damage.h).
//
// Aims at: model/*/digest* model/*/load_digest*
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/digest/digest.h"
#include "profile_damage.h"
#include "profile_seed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *data;
    size_t size;
    struct arena *arena;
};

static void overwrite_bytes(struct bytes *digest, const uint8_t *data, size_t size)
{
    struct digest_header header;
    for (; size >= 4; data += 4, size -= 4) {
        size_t offset = (size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16;
        digest->items[DIGEST_HEADER + offset % (digest->count - DIGEST_HEADER)] = (char)data[3];
    }
    memcpy(&header, digest->items, sizeof header);
    header.checksum =
        htole64(digest_checksum(digest->items + DIGEST_HEADER, digest->count - DIGEST_HEADER));
    memcpy(digest->items, &header, sizeof header);
}

static bool body(void *context, struct error *error)
{
    struct input *input = context;
    struct bytes digest;
    (void)error;
    bool has_bytes = input->data[1] % 2;
    damaged_digest(input->data[0], input->data + 2, has_bytes ? 0 : input->size - 2, &digest,
                   input->arena);
    if (has_bytes)
        overwrite_bytes(&digest, input->data + 2, input->size - 2);
    seed_write(digest.items, digest.count);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct input input = {data, size, arena_new(0)};
    if (!input.arena || !arena_run(input.arena, body, &input, NULL))
        abort();
    arena_free(input.arena);
    struct profile *profile = seed_load((enum mode)(data[1] / 2 % MODE_COUNT));
    if (profile)
        profile_exercise(profile, data[1]);
    profile_free(profile);
    return 0;
}
