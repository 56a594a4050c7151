// SPDX-License-Identifier: Apache-2.0
// Finds step numbers in texts and replaces them by `*`.
#include "model/markers/step_numbers.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/sort.h"
#include "base/text/text.h"
#include "model/markers/step_content.h"

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
    bool is_pattern = text[from] == '*';
    *number = is_pattern ? UNKNOWN : step_number_value(text + from, to - from);
    return is_pattern || *number != UNKNOWN;
}

size_t step_digits_end(const char *text, size_t length, size_t at)
{
    while (is_digit(text, length, at))
        at++;
    return at;
}

size_t step_figure_end(const char *text, size_t length, size_t at)
{
    at = step_digits_end(text, length, at);
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
            end = step_figure_end(text, length, i);
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

uint32_t step_numbers_of(const char *text, size_t length, char pattern[NAME_LIMIT + 1],
                         int64_t values[MAX_STEP_NUMBERS])
{
    uint32_t count = 0;
    size_t size = 0;
    if (length > NAME_LIMIT)
        return 0;
    for (size_t i = 0, end; i < length; i = end) {
        end = i + 1;
        if (!is_digit(text, length, i)) {
            pattern[size++] = text[i];
            continue;
        }
        if (count == MAX_STEP_NUMBERS)
            return 0;
        size_t whole = step_digits_end(text, length, i);
        bool is_word = i > 0 && isalnum((unsigned char)text[i - 1]);
        end = is_word ? whole : step_figure_end(text, length, i);
        values[count++] = end == whole ? step_number_value(text + i, whole - i) : UNKNOWN;
        pattern[size++] = '*';
    }
    pattern[size] = 0;
    return count;
}

// ---- what numbers do from range to range -------------------------------------------------------

struct number_changes {
    uint32_t same, up, other; // `up`: by one
    bool falls;
    bool restarts; // each other change is to the first number
};

static struct number_changes changes_of(const int64_t *number, uint32_t count)
{
    struct number_changes changes = {.restarts = true};
    for (uint32_t i = 1; i < count; i++) {
        int64_t before = number[i - 1], after = number[i];
        bool is_up = after - 1 == before;
        changes.same += after == before;
        changes.up += is_up;
        changes.other += after != before && !is_up;
        changes.falls |= after < before;
        changes.restarts &= is_up || (after == number[0] && after != before);
    }
    return changes;
}

bool step_numbers_identify(const int64_t *number, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (number[i] == UNKNOWN)
            return false;
    struct number_changes changes = changes_of(number, count);
    if (changes.falls || !changes.same)
        return !changes.falls;
    // `batch 32` may tell a size: a number that stays tells the step only if the next one follows.
    uint32_t all = changes.up + changes.other;
    return all ? changes.other * 10 <= all : count <= 2;
}

enum step_trend step_trend_of(int64_t *number, uint32_t count)
{
    enum { LARGE = 1000000, MANY = 8 }; // a number from LARGE on is no size of a batch
    bool is_large = false, is_whole = true;
    for (uint32_t i = 0; i < count; i++) {
        is_whole &= number[i] != UNKNOWN;
        is_large |= number[i] >= LARGE;
    }
    if (!is_whole)
        return TREND_VALUE;
    struct number_changes changes = changes_of(number, count);
    if (changes.same + 1 >= count)
        return TREND_NONE;
    if (changes.other && changes.restarts)
        return TREND_CYCLE;
    if (changes.up >= 2 && changes.up * 10 >= (count - 1) * 9)
        return TREND_COUNTER;
    sort_values(number, count);
    uint32_t repeated = 0;
    for (uint32_t i = 1; i < count; i++)
        repeated += number[i] == number[i - 1];
    return is_large || (!repeated && count >= MANY) ? TREND_ID : TREND_VALUE;
}
