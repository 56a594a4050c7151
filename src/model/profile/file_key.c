// SPDX-License-Identifier: Apache-2.0
// Computes the key of a file from its size, its time of change and samples of its content.
#include "model/profile/file_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

enum {
    PIECE_BYTES = 4096, // bytes
    PIECE_COUNT = 32,   // evenly spaced over the file
};

static uint64_t hash_pieces(int file, int64_t size, uint64_t hash)
{
    unsigned char piece[PIECE_BYTES];
    int64_t last = size > PIECE_BYTES ? size - PIECE_BYTES : 0;
    for (int i = 0; i < PIECE_COUNT; i++) {
        ssize_t got = pread(file, piece, PIECE_BYTES, last / (PIECE_COUNT - 1) * i);
        hash = hash_bytes(hash, piece, got > 0 ? (size_t)got : 0);
    }
    ssize_t got = pread(file, piece, PIECE_BYTES, last);
    return hash_bytes(hash, piece, got > 0 ? (size_t)got : 0);
}

bool file_key(const char *path, struct file_key *key, struct error *error)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 || fstat(file, &status) != 0) {
        int reason = errno;
        if (file >= 0)
            close(file);
        return error_set(error, ERROR_IO, "%s: %s", path, strerror(reason));
    }
    uint64_t hash = hash_number(HASH_SEED, (uint64_t)status.st_mtim.tv_sec);
    hash = hash_number(hash, (uint64_t)status.st_mtim.tv_nsec);
    hash = hash_pieces(file, status.st_size, hash);
    close(file);
    key->bytes = status.st_size;
    snprintf(key->text, sizeof key->text, "%016llx-%lld", (unsigned long long)hash,
             (long long)status.st_size);
    return true;
}
