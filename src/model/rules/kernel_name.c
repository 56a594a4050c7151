// SPDX-License-Identifier: Apache-2.0
// Normalises, demangles and shortens kernel names.
#include "model/rules/kernel_name.h"

#include <stdbool.h>
#include <string.h>

struct name_cleaner {
    const char *at, *end;
    char *out;
    size_t length, size;
    bool in_lambda; // an open 'lambda'(...): the next closing bracket ends it
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_word(char c)
{
    return is_digit(c) || is_lower(c) || is_upper(c) || c == '_';
}

static void put(struct name_cleaner *cleaner, const char *text, size_t length)
{
    size_t room = cleaner->size - 1 - cleaner->length;
    if (length > room)
        length = room;
    memcpy(cleaner->out + cleaner->length, text, length);
    cleaner->length += length;
}

static bool begins(const struct name_cleaner *cleaner, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(cleaner->end - cleaner->at) >= length && memcmp(cleaner->at, text, length) == 0;
}

static bool after_word(const struct name_cleaner *cleaner)
{
    return cleaner->length > 0 && is_word(cleaner->out[cleaner->length - 1]);
}

// Skips "(int)" before a number: the type of a template argument.
static bool skip_cast(struct name_cleaner *cleaner)
{
    if (*cleaner->at != '(')
        return false;
    const char *p = cleaner->at + 1;
    while (p < cleaner->end && (is_word(*p) || *p == ' ' || *p == ':'))
        p++;
    if (p == cleaner->at + 1 || p >= cleaner->end || *p != ')')
        return false;
    p++;
    if (p < cleaner->end && *p == '-')
        p++;
    if (p >= cleaner->end || !is_digit(*p))
        return false;
    cleaner->at = p[-1] == '-' ? p - 1 : p;
    return true;
}

// Copies the number of "1024u" or "3ul" without its type suffix.
static bool take_number(struct name_cleaner *cleaner)
{
    if (!is_digit(*cleaner->at) || after_word(cleaner))
        return false;
    const char *p = cleaner->at;
    while (p < cleaner->end && is_digit(*p))
        p++;
    put(cleaner, cleaner->at, (size_t)(p - cleaner->at));
    const char *suffix = p;
    while (suffix < cleaner->end && (*suffix == 'u' || *suffix == 'l' || *suffix == 'U'))
        suffix++;
    cleaner->at = suffix == cleaner->end || !is_word(*suffix) ? suffix : p;
    return true;
}

// Reads ") (instance 3)]" or ")#3}", the ends of a lambda.
static bool take_lambda_end(struct name_cleaner *cleaner)
{
    const char *p = cleaner->at;
    if (*p != ')')
        return false;
    if (cleaner->in_lambda) {
        cleaner->in_lambda = false;
        cleaner->at++;
        put(cleaner, ")}", 2);
        return true;
    }
    char close;
    if (begins(cleaner, ") (instance ")) {
        p += strlen(") (instance ");
        close = ']';
    } else if (begins(cleaner, ")#")) {
        p += 2;
        close = '}';
    } else {
        return false;
    }
    while (p < cleaner->end && (is_digit(*p) || *p == ')'))
        p++;
    if (p >= cleaner->end || *p != close)
        return false;
    cleaner->at = p + 1;
    put(cleaner, ")}", 2);
    return true;
}

static bool take_lambda(struct name_cleaner *cleaner)
{
    if (begins(cleaner, "[lambda(") || begins(cleaner, "{lambda(")) {
        put(cleaner, "{lambda(", 8);
        cleaner->at += 8;
        return true;
    }
    if (!begins(cleaner, "'lambda"))
        return false;
    const char *p = cleaner->at + 7;
    while (p < cleaner->end && is_digit(*p))
        p++;
    if (cleaner->end - p < 2 || p[0] != '\'' || p[1] != '(')
        return false;
    put(cleaner, "{lambda(", 8);
    cleaner->at = p + 2;
    cleaner->in_lambda = true;
    return true;
}

static bool take_replacement(struct name_cleaner *cleaner, const struct name_replacement *table,
                             size_t count)
{
    size_t left = (size_t)(cleaner->end - cleaner->at);
    for (size_t i = 0; i < count; i++) {
        const struct name_replacement *row = &table[i];
        if (row->from[0] != *cleaner->at || row->from_length > left ||
            memcmp(row->from, cleaner->at, row->from_length) != 0)
            continue;
        // Words are replaced only as a whole: `Half` but not `HalfFunctor`.
        const char *next = cleaner->at + row->from_length;
        if (is_word(row->from[0]) && after_word(cleaner))
            continue;
        if (is_word(next[-1]) && next < cleaner->end && is_word(*next))
            continue;
        put(cleaner, row->to, row->to_length);
        cleaner->at = next;
        return true;
    }
    return false;
}

size_t kernel_name_clean(const struct name_replacement *table, size_t count, const char *name,
                         size_t length, char *out, size_t size)
{
    struct name_cleaner cleaner = {.at = name, .end = name + length, .out = out, .size = size};
    while (cleaner.at < cleaner.end && cleaner.length + 1 < size) {
        if (skip_cast(&cleaner) || take_lambda(&cleaner) || take_lambda_end(&cleaner) ||
            take_replacement(&cleaner, table, count) || take_number(&cleaner))
            continue;
        if (begins(&cleaner, " >") || begins(&cleaner, " ()") || begins(&cleaner, " *") ||
            begins(&cleaner, " &")) {
            cleaner.at++;
            continue;
        }
        put(&cleaner, cleaner.at, 1);
        cleaner.at++;
    }
    out[cleaner.length] = '\0';
    return cleaner.length;
}

size_t kernel_name_demangle(const char *name, size_t length, char *out, size_t size)
{
    struct name_cleaner cleaner = {.at = name, .end = name + length, .out = out, .size = size};
    out[0] = '\0';
    if (!begins(&cleaner, "_ZN") && !begins(&cleaner, "_Z"))
        return 0;
    cleaner.at += begins(&cleaner, "_ZN") ? 3 : 2;
    while (cleaner.at < cleaner.end && (*cleaner.at == 'L' || *cleaner.at == 'K'))
        cleaner.at++;
    while (cleaner.at < cleaner.end && is_digit(*cleaner.at)) {
        size_t count = 0;
        while (cleaner.at < cleaner.end && is_digit(*cleaner.at) && count < size)
            count = count * 10 + (size_t)(*cleaner.at++ - '0');
        if (count > (size_t)(cleaner.end - cleaner.at))
            break;
        const char *part = cleaner.at;
        cleaner.at += count;
        if (count >= 8 && memcmp(part, "_GLOBAL_", 8) == 0) // an anonymous namespace
            continue;
        if (cleaner.length > 0)
            put(&cleaner, "::", 2);
        put(&cleaner, part, count);
    }
    out[cleaner.length] = '\0';
    return cleaner.length;
}

size_t kernel_name_base(const char *name, size_t length, const char **base)
{
    static const char unnamed[] = "(anonymous namespace)";
    const char *end = name + length, *last = NULL;
    int depth = 0; // nesting depth of <>
    *base = name;
    for (const char *at = name; at < end; at++) {
        bool is_unnamed = (size_t)(end - at) >= sizeof unnamed - 1 &&
                          memcmp(at, unnamed, sizeof unnamed - 1) == 0;
        if (is_unnamed) {
            at += sizeof unnamed - 2;
        } else if (*at == '<') {
            last = depth++ == 0 && !last ? at : last;
        } else if (*at == '>') {
            depth -= depth > 0;
        } else if (depth == 0 && *at == '(') {
            last = last ? last : at;
            break;
        } else if (depth == 0 && (*at == ' ' || *at == ':')) {
            *base = at + 1;
            last = NULL;
        }
    }
    return (size_t)((last ? last : end) - *base);
}

size_t kernel_name_snake(const char *name, char *out, size_t size)
{
    size_t length = 0;
    for (const char *p = name; *p && length + 2 < size; p++) {
        // "ArgMax" has a word boundary before its M, "NLLLoss" before its last L; "128x64" has
        // none.
        bool begins_word =
            is_upper(*p) && p > name && (is_lower(p[-1]) || (is_upper(p[-1]) && is_lower(p[1])));
        if (begins_word)
            out[length++] = '_';
        out[length++] = is_upper(*p) ? (char)(*p - 'A' + 'a') : *p;
    }
    out[length] = '\0';
    return length;
}
