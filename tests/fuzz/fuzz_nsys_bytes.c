// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as an export: patches of a seed, or the whole file. Whatever SQLite makes of
// it, the loader neither crashes nor hangs. (fuzz_nsys_rows covers the effect of odd rows on
// reports.)
//
// The first byte chooses the seed; 0xFF: the rest is the file. Then follow patches: operation,
// place (3 bytes), length (1 byte), and for some operations the bytes themselves.
//
// Aims at: model/*/load_nsys.c model/sqlite/*
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile_seed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PAGE = 512 };

struct input {
    const uint8_t *at, *end;
};

static unsigned take(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static void patch(struct input *input, unsigned char *file, size_t *size)
{
    unsigned operation = take(input);
    size_t where = take(input) << 16 | take(input) << 8;
    where |= take(input);
    size_t count = take(input);
    if (*size < 2 * PAGE)
        return;
    size_t pages = *size / PAGE;
    switch (operation % 8) {
    case 0: // truncate the file
        *size = 100 + where % (*size - 100);
        break;
    case 1: // copy a page over another
        memmove(file + where % pages * PAGE, file + count % pages * PAGE, PAGE);
        break;
    case 2: // a byte of a page header: kind, cells, right child
        file[where % pages * PAGE + count % 12] = (unsigned char)take(input);
        break;
    case 3: // zeros
        where %= *size - 256;
        memset(file + where, 0, count);
        break;
    default: // bytes of the input
        where %= *size - 256;
        for (size_t i = 0; i < count % 32 + 1; i++)
            file[where + i] = (unsigned char)take(input);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    unsigned which = data[0];
    if (which == 0xFF) {
        seed_write(data + 1, size - 1);
    } else {
        size_t length;
        const unsigned char *seed = seed_bytes(which, &length);
        unsigned char *file = malloc(length);
        if (!file)
            abort();
        memcpy(file, seed, length);
        struct input input = {data + 1, data + size};
        for (int i = 0; i < 64 && input.at < input.end; i++)
            patch(&input, file, &length);
        seed_write(file, length);
        free(file);
    }
    unsigned turn = which / SEED_COUNT;
    profile_free(turn % 4 == 3 ? seed_load_part(turn / 4)
                               : seed_load((enum mode)(turn % MODE_COUNT)));
    return 0;
}
