// SPDX-License-Identifier: Apache-2.0
// Cuts the numbers that PyTorch appends to range names: a million texts become a thousand names.
#include "model/markers/range_suffix.h"

#include <string.h>

static bool take_word(const char **at, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

// Reads digits that print in the same form: no sign, no leading zero, at most 64 bits.
static bool take_number(const char **at, const char *end, int64_t *value)
{
    const char *digit = *at;
    uint64_t sum = 0;
    for (; digit < end && *digit >= '0' && *digit <= '9'; digit++)
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(*digit - '0'), &sum))
            return false;
    bool is_exact = digit > *at && (**at != '0' || digit == *at + 1);
    *value = (int64_t)sum;
    *at = digit;
    return is_exact && *value != SEQ_NONE;
}

// Parses all of [at, end) as suffixes, each at most once and in the order in which they are
// restored.
static bool suffix_parse(const char *at, const char *end, struct range_suffix *suffix)
{
    suffix->seq = suffix->op_id = SEQ_NONE;
    suffix->sizes = NULL;
    suffix->sizes_length = 0;
    if (take_word(&at, end, ", seq = ") && !take_number(&at, end, &suffix->seq))
        return false;
    if (take_word(&at, end, ", op_id = ") && !take_number(&at, end, &suffix->op_id))
        return false;
    if (take_word(&at, end, ", sizes = ")) {
        if (at == end || *at != '[')
            return false;
        suffix->sizes = at;
        suffix->sizes_length = (size_t)(end - at);
        at = end;
    }
    return at == end;
}

struct range_suffix range_suffix_cut(const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *at = text; (at = memchr(at, ',', (size_t)(end - at))); at++) {
        struct range_suffix suffix = {.length = (size_t)(at - text)};
        if (suffix_parse(at, end, &suffix))
            return suffix;
    }
    return (struct range_suffix){.length = length, .seq = SEQ_NONE, .op_id = SEQ_NONE};
}
