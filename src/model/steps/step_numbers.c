// SPDX-License-Identifier: Apache-2.0
// Finds step numbers in texts and replaces them by `*`.
#include "model/steps/step_numbers.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text/text.h"
#include "model/profile/profile.h"

enum { MAX_DIGITS = 18 };

static bool is_digit(const char *text, size_t length, size_t at)
{
    return at < length && isdigit((unsigned char)text[at]);
}

// Returns whether the number that begins at `start` follows the whole word `word`, with at most two
// punctuation marks between them: `step 12`, `Step: 12`.
static bool follows_word(const char *text, size_t start, const char *word)
{
    size_t end = start, size = strlen(word);
    while (end > 0 && start - end < 2 && strchr(" _#:-=[", text[end - 1]))
        end--;
    if (size > end || strncasecmp(text + end - size, word, size) != 0)
        return false;
    if (size == 2 && end == start) // `it3` is probably a name
        return false;
    size_t begin = end - size;
    return begin == 0 || !isalnum((unsigned char)text[begin - 1]) ||
           (islower((unsigned char)text[begin - 1]) && isupper((unsigned char)text[begin]));
}

static bool follows_step(const char *text, size_t start)
{
    static const char *const steps[] = {"step", "iteration", "iter", "batch", "it"};
    bool any = false;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        any |= follows_word(text, start, steps[i]);
    return any;
}

bool step_number_in(const char *text, size_t length, size_t *from, size_t *to)
{
    bool any = false;
    for (size_t start = 0, end; start < length; start = end) {
        end = start + 1;
        if (text[start] != '*' && !is_digit(text, length, start))
            continue;
        while (text[start] != '*' && is_digit(text, length, end))
            end++;
        bool is_part = end < length && (isalnum((unsigned char)text[end]) || text[end] == '_');
        if (is_part || !follows_step(text, start))
            continue;
        any = true;
        *from = start;
        *to = end;
    }
    return any;
}

static bool value_of(const char *text, size_t from, size_t to, int64_t *number)
{
    if (to - from > MAX_DIGITS)
        return false;
    *number = text[from] == '*' ? UNKNOWN : 0;
    for (size_t i = from; i < to && text[from] != '*'; i++)
        *number = *number * 10 + (text[i] - '0');
    return true;
}

// Returns the end of a decimal number such as 3, 0.25 or 1e-05.
static size_t figure_end(const char *text, size_t length, size_t at)
{
    while (is_digit(text, length, at))
        at++;
    if (at < length && text[at] == '.' && is_digit(text, length, at + 1))
        for (at++; is_digit(text, length, at);)
            at++;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        size_t digits = at + 1;
        digits += digits < length && (text[digits] == '-' || text[digits] == '+');
        if (is_digit(text, length, digits))
            for (at = digits; is_digit(text, length, at);)
                at++;
    }
    return at;
}

// Returns whether a number after the step's number probably differs from step to step: `loss=0.3`,
// `lr: 1e-05`.
static bool is_figure(const char *text, size_t start, size_t end)
{
    size_t before = start;
    while (before > 0 && strchr(" -+", text[before - 1]))
        before--;
    return (before > 0 && strchr("=:", text[before - 1])) || memchr(text + start, '.', end - start);
}

static void step_pattern(const char *text, size_t length, size_t from, size_t to, char *pattern)
{
    size_t size = 0;
    for (size_t i = 0, end; i < length; i = end) {
        end = i + 1;
        bool begins = is_digit(text, length, i) && (i == 0 || !isalnum((unsigned char)text[i - 1]));
        bool varies = i == from;
        if (varies) {
            end = to;
        } else if (begins) {
            end = figure_end(text, length, i);
            varies = i < from ? follows_word(text, i, "epoch") : is_figure(text, i, end);
            // A figure may be negative in some steps.
            size -= varies && i > from && (text[i - 1] == '-' || text[i - 1] == '+');
        }
        if (varies) {
            pattern[size++] = '*';
        } else {
            memcpy(pattern + size, text + i, end - i);
            size += end - i;
        }
    }
    pattern[size] = 0;
}

bool step_number_of(const char *text, size_t length, char pattern[NAME_LIMIT + 1], int64_t *number)
{
    size_t start = 0, end = 0, from, to;
    if (length > NAME_LIMIT)
        return false;
    if (step_number_in(text, length, &from, &to)) {
        step_pattern(text, length, from, to, pattern);
        return value_of(text, from, to, number);
    }
    // A field is not followed by a digit, so the search for the next one can start at its end.
    while (text_number_field(text + end, length - end, 0, &from, &to)) {
        start = end + from;
        end += to;
    }
    if (end == 0 || !value_of(text, start, end, number))
        return false;
    memcpy(pattern, text, start);
    pattern[start] = '*';
    memcpy(pattern + start + 1, text + end, length - end);
    pattern[length - (end - start) + 1] = 0;
    return true;
}
