// SPDX-License-Identifier: Apache-2.0
// Writes the canonical spelling of a kernel name (kernel_canonical.h) in one pass. A stack has a
// level for each open < and each open bracket of a lambda.
#include "model/rules/kernel_canonical.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LEVELS = 256 }; // deeper nesting is copied verbatim

// State of a level: the item that is being written, that is, the text since the last comma or the
// opening bracket. Level 0 is the whole name.
struct name_level {
    size_t start; // offset of its first byte in `out`
    size_t name;  // offset after its last blank; the text before it is a return type or `start`
    bool is_lambda;
    unsigned number; // of a lambda that has its number before the brackets; 0: after them
};

struct name_writer {
    const char *at, *end;
    char *out;
    size_t length, size;
    struct name_level levels[LEVELS];
    unsigned depth;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static void put(struct name_writer *s, const char *text, size_t length)
{
    size_t room = s->size - 1 - s->length;
    length = length < room ? length : room;
    memcpy(s->out + s->length, text, length);
    s->length += length;
}

static bool begins(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0;
}

static bool take(struct name_writer *s, const char *text)
{
    if (!begins(s->at, s->end, text))
        return false;
    s->at += strlen(text);
    return true;
}

static void level_begin(struct name_writer *s)
{
    s->levels[s->depth].start = s->levels[s->depth].name = s->length;
}

static bool level_open(struct name_writer *s, bool is_lambda, unsigned number)
{
    if (s->depth + 1 == LEVELS)
        return false;
    s->levels[++s->depth] = (struct name_level){.is_lambda = is_lambda, .number = number};
    level_begin(s);
    return true;
}

static unsigned take_count(struct name_writer *s)
{
    unsigned count = 0;
    for (; s->at < s->end && is_digit(*s->at); s->at++)
        count = count < UINT32_MAX / 16 ? count * 10 + (unsigned)(*s->at - '0') : count;
    return count;
}

// ---- lambdas and unnamed types -----------------------------------------------------------------

static void put_number(struct name_writer *s, unsigned number)
{
    char text[16];
    put(s, text, (size_t)snprintf(text, sizeof text, "#%u}", number));
}

// Reads " (instance 3)]" or "#3}".
static void take_trailing_number(struct name_writer *s)
{
    bool is_nsys = take(s, " (instance ");
    if (!is_nsys && !take(s, "#"))
        return;
    put_number(s, take_count(s));
    take(s, is_nsys ? ")]" : "}");
}

static bool take_lambda(struct name_writer *s)
{
    const char *before = s->at;
    unsigned number = 0;
    if (take(s, "'lambda")) { // clang writes 'lambda', 'lambda0', 'lambda1'
        bool has_count = s->at < s->end && is_digit(*s->at);
        number = has_count ? take_count(s) + 2 : 1;
        if (!take(s, "'("))
            number = 0;
    }
    if (number || take(s, "[lambda(") || take(s, "{lambda(")) {
        if (level_open(s, true, number)) {
            put(s, "{lambda(", 8);
            level_begin(s);
            return true;
        }
    } else if (take(s, "[unnamed type") || take(s, "{unnamed type")) {
        put(s, "{unnamed type", 13);
        take_trailing_number(s);
        return true;
    }
    s->at = before;
    return false;
}

static bool take_lambda_end(struct name_writer *s)
{
    struct name_level *level = &s->levels[s->depth];
    if (!level->is_lambda || *s->at != ')')
        return false;
    s->at++;
    put(s, ")", 1);
    s->depth--;
    if (level->number)
        put_number(s, level->number);
    else
        take_trailing_number(s);
    return true;
}

// ---- parts left out ----------------------------------------------------------------------------

static bool skip_unnamed(struct name_writer *s)
{
    if (!take(s, "<unnamed>") && !take(s, "(anonymous namespace)"))
        return false;
    take(s, "::");
    return true;
}

// Skips casts and parameter lists. After a parameter list the return type before the name is
// removed.
static bool skip_brackets(struct name_writer *s)
{
    if (*s->at != '(')
        return false;
    struct name_level *level = &s->levels[s->depth];
    char before = s->length > level->start ? s->out[s->length - 1] : ' ';
    bool is_call = is_word(before) || before == '>' || before == '}' || before == ')';
    unsigned open = 0;
    do {
        open += *s->at == '(';
        open -= *s->at == ')';
        s->at++;
    } while (s->at < s->end && open > 0);
    if (is_call && level->name > level->start) {
        size_t returned = level->name - level->start;
        memmove(s->out + level->start, s->out + level->name, s->length - level->name);
        s->length -= returned;
        level->name = level->start;
    }
    return true;
}

// Keeps a blank only where it separates two words, or a type from the name after it.
static bool take_blank(struct name_writer *s)
{
    if (*s->at != ' ')
        return false;
    while (s->at < s->end && *s->at == ' ')
        s->at++;
    struct name_level *level = &s->levels[s->depth];
    bool is_unnamed =
        begins(s->at, s->end, "<unnamed>") || begins(s->at, s->end, "(anonymous namespace)");
    if (s->length == level->start || s->at == s->end || (!is_word(*s->at) && !is_unnamed))
        return true;
    put(s, " ", 1);
    level->name = s->length;
    return true;
}

static void drop_blank(struct name_writer *s)
{
    struct name_level *level = &s->levels[s->depth];
    if (s->length > level->start && s->out[s->length - 1] == ' ')
        s->length--;
    if (level->name > s->length)
        level->name = level->start; // a single word: nothing precedes it
}

// ---- words -------------------------------------------------------------------------------------

static bool is_text(const char *word, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(word, text, length) == 0;
}

static bool take_word(struct name_writer *s)
{
    const char *word = s->at;
    while (s->at < s->end && is_word(*s->at))
        s->at++;
    size_t length = (size_t)(s->at - word);
    if (length == 0)
        return false;
    if (is_digit(*word)) {
        size_t digits = 0;
        while (digits < length && is_digit(word[digits]))
            digits++;
        size_t suffix_end = digits;
        while (suffix_end < length && strchr("uUlL", word[suffix_end]))
            suffix_end++;
        put(s, word, suffix_end == length ? digits : length);
    } else if (is_text(word, length, "true") || is_text(word, length, "false")) {
        put(s, *word == 't' ? "1" : "0", 1);
    } else if (is_text(word, length, "const")) {
        while (s->at < s->end && *s->at == ' ')
            s->at++;
        if (s->at == s->end || !is_word(*s->at))
            drop_blank(s);
    } else if (is_text(word, length, "operator")) {
        put(s, word, length);
        while (s->at < s->end && *s->at == ' ')
            s->at++;
        bool is_call = take(s, "()");
        put(s, "()", is_call ? 2 : 0);
        for (; !is_call && s->at < s->end && strchr("<>=-!+*/&|^%", *s->at); s->at++)
            put(s, s->at, 1);
    } else {
        put(s, word, length);
    }
    return true;
}

static void take_sign(struct name_writer *s)
{
    char c = *s->at++;
    if (c == ',' || c == '>')
        drop_blank(s);
    if (c == '>' && s->depth > 0 && !s->levels[s->depth].is_lambda)
        s->depth--;
    put(s, &c, 1);
    if (c == '<')
        level_open(s, false, 0);
    if (c == ',') {
        level_begin(s);
        while (s->at < s->end && *s->at == ' ')
            s->at++;
    }
}

size_t kernel_name_canonical(const char *name, size_t length, char *out, size_t size)
{
    struct name_writer s = {.at = name, .end = name + length, .out = out, .size = size};
    while (s.at < s.end && s.length + 1 < size)
        if (!skip_unnamed(&s) && !take_lambda(&s) && !take_lambda_end(&s) && !skip_brackets(&s) &&
            !take_blank(&s) && !take_word(&s))
            take_sign(&s);
    out[s.length] = '\0';
    return s.length;
}
