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

const struct step_content step_content_none = {STEP_KIND_NONE,
                                               {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN}};

bool step_content_says(const struct step_content *content)
{
    bool says = content->kind != STEP_KIND_NONE;
    for (int i = 0; i < STEP_FIGURE_COUNT; i++)
        says |= content->figures[i] != UNKNOWN;
    return says;
}

// A word of letters, in any case. SGLang's modes are from its ForwardMode: a verification of
// drafted tokens and the draft itself are parts of decoding.
static const struct content_word {
    const char *text;
    enum step_figure figure;
    enum step_kind kind; // if the word names a kind
} words[] = {
    {"bs", STEP_REQUESTS, STEP_KIND_NONE},
    {"batch_size", STEP_REQUESTS, STEP_KIND_NONE},
    {"reqs", STEP_REQUESTS, STEP_KIND_NONE},
    {"requests", STEP_REQUESTS, STEP_KIND_NONE},
    {"seqs", STEP_REQUESTS, STEP_KIND_NONE},
    {"tok", STEP_TOKENS, STEP_KIND_NONE},
    {"toks", STEP_TOKENS, STEP_KIND_NONE},
    {"tokens", STEP_TOKENS, STEP_KIND_NONE},
    {"num_tokens", STEP_TOKENS, STEP_KIND_NONE},
    {"prefill", 0, STEP_PREFILL},
    {"extend", 0, STEP_PREFILL},
    {"split_prefill", 0, STEP_PREFILL},
    {"decode", 0, STEP_DECODE},
    {"verify", 0, STEP_DECODE},
    {"target_verify", 0, STEP_DECODE},
    {"draft_extend", 0, STEP_DECODE},
    {"draft_extend_v2", 0, STEP_DECODE},
    {"mixed", 0, STEP_MIXED},
    {"idle", 0, STEP_IDLE},
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
    for (size_t i = 0, end; i < length; i = end) {
        for (end = i; end < length && (is_word(text[end]) || (end > i && is_digit(text[end])));)
            end++;
        const struct content_word *word = end > i ? word_of(text + i, end - i) : NULL;
        if (word && word->kind) {
            differ |= content.kind != STEP_KIND_NONE && content.kind != word->kind;
            content.kind = word->kind;
        } else if (word && content.figures[word->figure] == UNKNOWN) {
            content.figures[word->figure] = number_beside(text, length, i, end);
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

struct step_content step_content_join(struct step_content a, struct step_content b)
{
    a.kind = join_kinds(a.kind, b.kind);
    for (int i = 0; i < STEP_FIGURE_COUNT; i++)
        a.figures[i] = a.figures[i] == b.figures[i] ? a.figures[i] : UNKNOWN;
    return a;
}
