// SPDX-License-Identifier: Apache-2.0
// Reads the kind and the figures of a step from the words of a text.
#include "model/markers/step_content.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char *const step_kind_names[STEP_KIND_COUNT] = {
    [STEP_KIND_NONE] = "",  [STEP_PREFILL] = "prefill", [STEP_DECODE] = "decode",
    [STEP_MIXED] = "mixed", [STEP_IDLE] = "idle",
};

enum content_field { FIELD_REQUESTS, FIELD_TOKENS, FIELD_KIND };

// A word of letters, in any case. SGLang's modes are from its ForwardMode: a verification of
// drafted tokens and the draft itself are parts of decoding.
static const struct content_word {
    const char *text;
    enum content_field field;
    enum step_kind kind;
} words[] = {
    {"bs", FIELD_REQUESTS, 0},
    {"batch_size", FIELD_REQUESTS, 0},
    {"reqs", FIELD_REQUESTS, 0},
    {"requests", FIELD_REQUESTS, 0},
    {"seqs", FIELD_REQUESTS, 0},
    {"tok", FIELD_TOKENS, 0},
    {"toks", FIELD_TOKENS, 0},
    {"tokens", FIELD_TOKENS, 0},
    {"num_tokens", FIELD_TOKENS, 0},
    {"prefill", FIELD_KIND, STEP_PREFILL},
    {"extend", FIELD_KIND, STEP_PREFILL},
    {"split_prefill", FIELD_KIND, STEP_PREFILL},
    {"decode", FIELD_KIND, STEP_DECODE},
    {"verify", FIELD_KIND, STEP_DECODE},
    {"target_verify", FIELD_KIND, STEP_DECODE},
    {"draft_extend", FIELD_KIND, STEP_DECODE},
    {"draft_extend_v2", FIELD_KIND, STEP_DECODE},
    {"mixed", FIELD_KIND, STEP_MIXED},
    {"idle", FIELD_KIND, STEP_IDLE},
};

static const struct content_word *word_of(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].text) == length && strncasecmp(words[i].text, text, length) == 0)
            return &words[i];
    // `decode_step` is a decode, while `mixed_precision` and `idle_time` name no kind.
    const char *part = memchr(text, '_', length);
    const struct content_word *word = part ? word_of(text, (size_t)(part - text)) : NULL;
    bool is_part = word && (word->kind == STEP_PREFILL || word->kind == STEP_DECODE);
    return is_part ? word : NULL;
}

int64_t step_number_value(const char *digits, size_t count)
{
    enum { MAX_DIGITS = 18 };
    int64_t value = 0;
    if (!count || count > MAX_DIGITS)
        return UNKNOWN;
    for (size_t i = 0; i < count; i++)
        value = value * 10 + (digits[i] - '0');
    return value;
}

static bool is_word(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Reads the whole number at `at`; UNKNOWN if there is none, or another sign follows it directly.
static int64_t number_at(const char *text, size_t length, size_t at)
{
    size_t end = at;
    while (end < length && is_digit(text[end]))
        end++;
    bool is_part =
        end < length &&
        (is_word(text[end]) || (text[end] == '.' && end + 1 < length && is_digit(text[end + 1])));
    return end == at || is_part ? UNKNOWN : step_number_value(text + at, end - at);
}

// Returns the number that a word names: after it (`bs=8`, `tokens: 8`), else before it (`8 reqs`).
static int64_t number_beside(const char *text, size_t length, size_t from, size_t to)
{
    size_t after = to, before = from;
    while (after < length && after - to < 2 && strchr("=: ", text[after]))
        after++;
    int64_t number = after > to && text[to] != ' ' ? number_at(text, length, after) : UNKNOWN;
    if (number != UNKNOWN || !before || text[--before] != ' ')
        return number;
    size_t start = before;
    while (start && is_digit(text[start - 1]))
        start--;
    bool is_part = start && (is_word(text[start - 1]) || text[start - 1] == '.');
    return is_part ? UNKNOWN : step_number_value(text + start, before - start);
}

struct step_content step_content_read(const char *text, size_t length)
{
    struct step_content content = step_content_none;
    bool differ = false; // several kinds are named: the text names none
    int64_t *const figures[] = {
        [FIELD_REQUESTS] = &content.requests, [FIELD_TOKENS] = &content.tokens};
    for (size_t i = 0, end; i < length; i = end) {
        for (end = i; end < length && (is_word(text[end]) || (end > i && is_digit(text[end])));)
            end++;
        const struct content_word *word = end > i ? word_of(text + i, end - i) : NULL;
        if (word && word->field == FIELD_KIND) {
            differ |= content.kind != STEP_KIND_NONE && content.kind != word->kind;
            content.kind = word->kind;
        } else if (word && *figures[word->field] == UNKNOWN) {
            *figures[word->field] = number_beside(text, length, i, end);
        }
        end += end == i;
    }
    content.kind = differ ? STEP_KIND_NONE : content.kind;
    return content;
}

static enum step_kind join_kinds(enum step_kind a, enum step_kind b)
{
    if (a == b || b == STEP_KIND_NONE || b == STEP_IDLE)
        return a == STEP_KIND_NONE ? b : a;
    return a == STEP_KIND_NONE || a == STEP_IDLE ? b : STEP_MIXED;
}

static int64_t join_figures(int64_t a, int64_t b)
{
    return a == b ? a : UNKNOWN;
}

struct step_content step_content_join(struct step_content a, struct step_content b)
{
    return (struct step_content){join_kinds(a.kind, b.kind), join_figures(a.requests, b.requests),
                                 join_figures(a.tokens, b.tokens)};
}
