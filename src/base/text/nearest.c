// SPDX-License-Identifier: Apache-2.0
#include "base/text/nearest.h"

#include <stdint.h>
#include <string.h>

// Returns the edit distance (insertions, deletions, substitutions), or SIZE_MAX if a word is longer
// than WORD_MAX.
static size_t word_distance(const char *a, const char *b)
{
    enum { WORD_MAX = 40 };
    size_t row[WORD_MAX + 1];
    size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a > WORD_MAX || length_b > WORD_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= length_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[length_b];
}

const char *nearest_word(const char *typed, const char *(*word)(size_t i), size_t count)
{
    const char *nearest = NULL;
    size_t best = strlen(typed) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t distance = word_distance(typed, word(i));
        if (distance < best) {
            best = distance;
            nearest = word(i);
        }
    }
    return nearest;
}
