// SPDX-License-Identifier: Apache-2.0
// A column is compressed in three steps: code_rows() replaces each value by its difference to a
// reference value, split_into_planes() orders the bytes of all codes by significance (one plane for
// the lowest byte of all rows, then the next), and zlib compresses the planes.
#include "base/coded.h"

#include <zlib.h>

#include "base/column.h"

enum {
    SAMPLE_ROWS = 1 << 14, // rows that are tried to choose the shortest encoding
    MIN_SAMPLED_ROWS = 64, // below this many rows no choice is made
    LEVEL = 6,             // of zlib: a higher one takes twice as long and saves 1 %
    SAMPLE_LEVEL = 1,
};

size_t coded_max_bytes(size_t bytes)
{
    return compressBound(bytes) + 1;
}

// ---- numbers ------------------------------------------------------------------------------------

static uint64_t fold_sign(uint64_t difference) // maps 0, -1, 1, -2 ... to 0, 1, 2, 3 ...
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t unfold_sign(uint64_t code)
{
    return code >> 1 ^ (0 - (code & 1));
}

// Returns the value that the next row is encoded against.
static inline uint64_t reference_after(enum coded_from from, int64_t value, const int64_t *lengths,
                                       size_t row)
{
    if (from == CODED_FROM_ZERO)
        return 0;
    return (uint64_t)value + (from == CODED_FROM_END ? (uint64_t)lengths[row] : 0);
}

// Returns false if a difference is so large that its code would wrap to 0, the code of
// COLUMN_NONE64.
static bool code_rows(const int64_t *values, const int64_t *lengths, size_t count,
                      const struct coded *coded, uint64_t *codes)
{
    uint64_t reference = 0;
    for (size_t i = 0; i < count; i++) {
        codes[i] = 0;
        if (coded->has_none && values[i] == COLUMN_NONE64)
            continue;
        codes[i] = fold_sign((uint64_t)values[i] - reference) + coded->has_none;
        if (coded->has_none && codes[i] == 0)
            return false;
        reference = reference_after(coded->from, values[i], lengths, i);
    }
    return true;
}

static uint8_t bytes_per_code(const uint64_t *codes, size_t count)
{
    uint64_t used_bits = 0;
    for (size_t i = 0; i < count; i++)
        used_bits |= codes[i];
    uint8_t bytes = 0;
    for (; used_bits; used_bits >>= 8)
        bytes++;
    return bytes;
}

static unsigned char *split_into_planes(const uint64_t *codes, size_t count, uint8_t bytes,
                                        struct arena *scratch)
{
    unsigned char *planes = ARENA_ARRAY(scratch, unsigned char, count *bytes + 1);
    for (size_t b = 0; b < bytes; b++)
        for (size_t i = 0; i < count; i++)
            planes[b * count + i] = (unsigned char)(codes[i] >> 8 * b);
    return planes;
}

static bool write_rows(const int64_t *values, const int64_t *lengths, size_t count, int level,
                       unsigned char *out, struct coded *coded, struct arena *scratch)
{
    uint64_t *codes = ARENA_ARRAY(scratch, uint64_t, count + 1);
    if (!code_rows(values, lengths, count, coded, codes)) {
        coded->from = CODED_FROM_ZERO; // differences to 0 never wrap
        code_rows(values, lengths, count, coded, codes);
    }
    coded->bytes = bytes_per_code(codes, count);
    unsigned char *planes = split_into_planes(codes, count, coded->bytes, scratch);
    uLongf size = coded_max_bytes(8 * count);
    bool done =
        coded->bytes == 0 || compress2(out, &size, planes, count * coded->bytes, level) == Z_OK;
    coded->size = coded->bytes ? size : 0;
    ARENA_RELEASE(scratch, planes, count * coded->bytes + 1);
    ARENA_RELEASE(scratch, codes, count + 1);
    return done;
}

// Chooses the encoding that is shortest for a sample of rows from the middle.
static bool choose_encoding(const int64_t *values, const int64_t *lengths, size_t count,
                            unsigned char *out, struct coded *coded, struct arena *scratch)
{
    size_t sample = count < SAMPLE_ROWS ? count : SAMPLE_ROWS, first = (count - sample) / 2;
    enum coded_from best = CODED_FROM_ZERO;
    uint64_t least = UINT64_MAX;
    for (enum coded_from from = 0; from < CODED_FROM_COUNT && count > MIN_SAMPLED_ROWS; from++) {
        if (from == CODED_FROM_END && !lengths)
            continue;
        struct coded trial = {.from = (uint8_t)from, .has_none = coded->has_none};
        if (!write_rows(values + first, lengths ? lengths + first : NULL, sample, SAMPLE_LEVEL, out,
                        &trial, scratch))
            return false;
        if (trial.size < least && trial.from == from) {
            least = trial.size;
            best = from;
        }
    }
    coded->from = (uint8_t)best;
    return true;
}

bool coded_write(const int64_t *values, const int64_t *lengths, size_t count, unsigned char *out,
                 struct coded *coded, struct arena *scratch)
{
    *coded = (struct coded){0};
    for (size_t i = 0; i < count; i++)
        coded->has_none |= values[i] == COLUMN_NONE64;
    return count == 0 || (choose_encoding(values, lengths, count, out, coded, scratch) &&
                          write_rows(values, lengths, count, LEVEL, out, coded, scratch));
}

static void decode_rows(const struct coded *coded, const uint64_t *codes, const int64_t *lengths,
                        size_t count, int64_t *values)
{
    uint64_t reference = 0;
    for (size_t i = 0; i < count; i++) {
        if (coded->has_none && codes[i] == 0) {
            values[i] = COLUMN_NONE64;
            continue;
        }
        values[i] = (int64_t)(reference + unfold_sign(codes[i] - coded->has_none));
        reference = reference_after(coded->from, values[i], lengths, i);
    }
}

bool coded_read(const struct coded *coded, const unsigned char *from, const int64_t *lengths,
                size_t count, int64_t *values, struct arena *scratch)
{
    if (coded->from >= CODED_FROM_COUNT || coded->bytes > 8 ||
        (coded->from == CODED_FROM_END && !lengths))
        return false;
    size_t bytes = coded->bytes;
    unsigned char *planes = ARENA_ARRAY(scratch, unsigned char, count *bytes + 1);
    if (!coded_read_bytes(from, coded->size, planes, count * bytes))
        return false;
    uint64_t *codes = (uint64_t *)values; // decoded in place
    for (size_t i = 0; i < count; i++)
        codes[i] = 0;
    for (size_t b = 0; b < bytes; b++)
        for (size_t i = 0; i < count; i++)
            codes[i] |= (uint64_t)planes[b * count + i] << 8 * b;
    ARENA_RELEASE(scratch, planes, count * bytes + 1);
    decode_rows(coded, codes, lengths, count, values);
    return true;
}

// ---- bytes --------------------------------------------------------------------------------------

bool coded_write_bytes(const void *bytes, size_t count, unsigned char *out, uint64_t *size)
{
    uLongf written = coded_max_bytes(count);
    bool done = count == 0 || compress2(out, &written, bytes, count, LEVEL) == Z_OK;
    *size = count ? written : 0;
    return done;
}

bool coded_read_bytes(const unsigned char *from, uint64_t size, void *bytes, size_t count)
{
    uLongf got = count;
    uLong taken = size;
    if (count == 0)
        return size == 0;
    return uncompress2(bytes, &got, from, &taken) == Z_OK && got == count && taken == size;
}
