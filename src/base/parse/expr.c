// SPDX-License-Identifier: Apache-2.0
// Two parsers. The first one reads filters: terms, their columns and comparison operators, and the
// patterns. The second one reads and formats sets of numbers such as "3-22,!7".
#include "base/parse/expr.h"

#include <stdio.h>
#include <string.h>

#include "base/text/pattern.h"

enum {
    FILTER_LENGTH = 4000, // bytes
    FILTER_TERMS = 64,
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

// Reads the term at *at up to the first blank outside of quotes. Copies its text without the quotes
// to `out`, which is as large as the term. A backslash and the character after it are copied
// unchanged, because they belong to the pattern: \" is a quote and "\ " a blank. Returns false if a
// quote is not closed.
static bool term_read(const char **at, char *out, const char **open_quote)
{
    bool quoted = false;
    const char *text = *at;
    for (; *text && (quoted || !is_blank(*text)); text++) {
        if (*text == '"') {
            quoted = !quoted;
            *open_quote = text;
            continue;
        }
        if (*text == '\\' && text[1])
            *out++ = *text++;
        *out++ = *text;
    }
    *out = '\0';
    *at = text;
    return !quoted;
}

// Returns the length of a column name at the beginning of the typed text, or 0.
static size_t column_length(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char letters_and_digits[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
    return *text && strchr(letters, *text) ? strspn(text, letters_and_digits) : 0;
}

static const struct comparison_symbol {
    const char *symbol;
    enum filter_operator operator;
    bool inverse;
} comparisons[] = {
    // A longer operator precedes its prefix.
    {"<=", FILTER_LESS_EQUAL, false}, {">=", FILTER_GREATER_EQUAL, false},
    {"!=", FILTER_EQUAL, true},       {"==", FILTER_EQUAL, false},
    {"=", FILTER_EQUAL, false},       {"<", FILTER_LESS, false},
    {">", FILTER_GREATER, false},
};

// Resolves \" and \\: the right side of a comparison is a text, not a pattern.
static void text_unescape(char *text)
{
    char *out = text;
    for (; *text; text++) {
        if (*text == '\\' && (text[1] == '"' || text[1] == '\\'))
            text++;
        *out++ = *text;
    }
    *out = 0;
}

// Splits "column>" or "column:" off a term, in place. `typed` is the term with its quotes, so that
// a quoted operator does not count. "at::native" is a name.
static void term_split(struct filter_term *term, char *text, const char *typed)
{
    term->operator= FILTER_MATCH;
    term->text = text;
    size_t length = column_length(typed);
    if (length == 0)
        return;
    const char *symbol = typed + length;
    size_t symbol_length = *symbol == ':' && symbol[1] != ':' ? 1 : 0;
    for (size_t i = 0; !symbol_length && i < sizeof comparisons / sizeof *comparisons; i++) {
        if (strncmp(symbol, comparisons[i].symbol, strlen(comparisons[i].symbol)) != 0)
            continue;
        symbol_length = strlen(comparisons[i].symbol);
        term->operator= comparisons[i].operator;
        term->inverse ^= comparisons[i].inverse;
    }
    if (!symbol_length)
        return;
    text[length] = '\0';
    term->column = text;
    term->text = text + length + symbol_length;
    if (term->operator!= FILTER_MATCH)
        text_unescape(text + length + symbol_length);
}

static size_t column_at(const char *start, const char *at)
{
    size_t column = 1;
    for (; start < at; start++)
        column += ((unsigned char)*start & 0xC0) != 0x80; // counts characters, not bytes
    return column;
}

// Reads all terms, without compiling their patterns. All allocations of filter_parse() are made
// here, because patterns would leak if the arena ran out of memory after one is compiled.
static bool terms_read(struct arena *arena, const char *text, struct filter *filter,
                       struct error *error)
{
    for (const char *at = text;;) {
        while (is_blank(*at))
            at++;
        if (!*at)
            return true;
        if (filter->count == FILTER_TERMS)
            return error_set(error, ERROR_USAGE, "filter, column %zu: more than %d terms",
                             column_at(text, at), FILTER_TERMS);
        struct filter_term *term = &filter->terms[filter->count++];
        const char *typed = at, *open_quote = at;
        char *copy = arena_alloc(arena, strlen(at) + 1, 1);
        if (!term_read(&at, copy, &open_quote))
            return error_set(error, ERROR_USAGE, "filter, column %zu: the quote is not closed",
                             column_at(text, open_quote));
        term->position = column_at(text, typed);
        term->source = arena_copy(arena, typed, (size_t)(at - typed));
        if (*typed == '!' && at - typed > 1) { // "!" alone is a pattern
            term->inverse = true;
            typed++;
            copy++;
        }
        term_split(term, copy, typed);
        if (term->operator!= FILTER_MATCH && !* term->text)
            return error_set(error, ERROR_USAGE,
                             "filter, column %zu: nothing to compare \"%s\" "
                             "with",
                             column_at(text, at), term->column);
        // Catches a term that is typed directly after a quoted one that `=` wrote: both would be
        // compared as one text.
        bool is_quoted = term->operator!= FILTER_MATCH && typed[term->text - copy] == '"';
        if (is_quoted && open_quote + 1 != at)
            return error_set(error, ERROR_USAGE,
                             "filter, column %zu: a blank is missing after the quote",
                             column_at(text, open_quote + 1));
    }
}

bool filter_parse(struct arena *arena, const char *text, struct filter *filter, struct error *error)
{
    size_t length = strlen(text);
    if (length > FILTER_LENGTH)
        return error_set(error, ERROR_USAGE, "filter, column %d: longer than %d bytes",
                         FILTER_LENGTH + 1, FILTER_LENGTH);
    struct filter parsed = {0, ARENA_ARRAY(arena, struct filter_term, FILTER_TERMS)};
    if (!terms_read(arena, text, &parsed, error))
        return false;
    for (size_t i = 0; i < parsed.count; i++) {
        struct filter_term *term = &parsed.terms[i];
        if (term->operator!= FILTER_MATCH)
            continue;
        struct error why = {0};
        term->pattern = pattern_new(term->text, PATTERN_SMART, &why);
        if (!term->pattern) {
            filter_close(&parsed);
            return error_set(error, why.kind, "filter, column %zu: %.1800s", term->position,
                             why.message);
        }
    }
    *filter = parsed;
    return true;
}

void filter_close(struct filter *filter)
{
    for (size_t i = 0; i < filter->count; i++)
        pattern_free(filter->terms[i].pattern);
    *filter = (struct filter){0};
}

struct set_term { // one item between commas: "3", "3-5", "!7", "all" or the name of a set
    bool inverse; // begins with "!"
    const bool *named_members; // members of the named set, which restrict the span; NULL: all
    size_t first, last;        // span of members
};

// The numbers of the members 0, 1, ...
struct set_numbers {
    const int64_t *numbers;
    size_t count;
    const struct set_word *words;
    size_t word_count;
};

static int64_t number_at(const struct set_numbers *set, size_t i)
{
    return set->numbers ? set->numbers[i] : (int64_t)i;
}

// Returns the first member whose number is >= `value`, or `count`.
static size_t number_find(const struct set_numbers *set, int64_t value)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (number_at(set, middle) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool set_fail(const char *text, const char *at, struct error *error, const char *why)
{
    error_set(error, ERROR_USAGE, "numbers \"%.200s\", column %zu: %s", text, column_at(text, at),
              why);
    return false;
}

static bool number_read(const char *text, const char **at, const struct set_numbers *set,
                        int64_t *number, struct error *error)
{
    const char *first = *at;
    int64_t value = 0, last = set->count ? number_at(set, set->count - 1) : -1;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        bool is_large = __builtin_mul_overflow(value, 10, &value) ||
                        __builtin_add_overflow(value, **at - '0', &value);
        if (is_large || value > last)
            value = INT64_MAX; // stands for every value that is too large
    }
    if (*at == first)
        return set_fail(text, first, error,
                        set->word_count ? "a number or the name of a set expected"
                                        : "a number expected");
    char why[80];
    if (!set->count)
        return set_fail(text, first, error, "there are none");
    if (value > last) {
        snprintf(why, sizeof why, "beyond the last, which is %lld", (long long)last);
        return set_fail(text, first, error, why);
    }
    if (value < number_at(set, 0)) {
        snprintf(why, sizeof why, "before the first, which is %lld", (long long)number_at(set, 0));
        return set_fail(text, first, error, why);
    }
    *number = value;
    return true;
}

static bool set_term_read(const char *text, const char **at, const struct set_numbers *set,
                          struct set_term *term, struct error *error)
{
    *term = (struct set_term){
        .inverse = **at == '!', .first = 0, .last = set->count ? set->count - 1 : 0};
    *at += term->inverse;
    if (strncmp(*at, "all", 3) == 0) {
        *at += 3;
        return true;
    }
    for (size_t i = 0; i < set->word_count; i++) {
        size_t length = strlen(set->words[i].name);
        if (strncmp(*at, set->words[i].name, length) == 0) {
            term->named_members = set->words[i].members;
            *at += length;
            return true;
        }
    }
    const char *begin = *at;
    int64_t first, last;
    if (!number_read(text, at, set, &first, error))
        return false;
    term->first = number_find(set, first);
    if (**at != '-') {
        if (number_at(set, term->first) != first)
            return set_fail(text, begin, error, "there is no such number");
        term->last = term->first;
        return true;
    }
    (*at)++;
    if (!**at || **at == ',' || is_blank(**at))
        return true; // open: extends to the last number
    if (!number_read(text, at, set, &last, error))
        return false;
    if (last < first)
        return set_fail(text, begin, error, "the span ends before it begins");
    size_t end = number_find(set, last + 1);
    if (end == term->first)
        return set_fail(text, begin, error, "there is no such number");
    term->last = end - 1;
    return true;
}

// Reads all terms of a set and, unless `members` is NULL, sets the members.
static bool set_read(const char *text, const struct set_numbers *set, bool *members,
                     struct error *error)
{
    const char *at = text;
    for (bool is_first = true;; is_first = false) {
        while (is_blank(*at))
            at++;
        struct set_term term;
        if (!set_term_read(text, &at, set, &term, error))
            return false;
        for (size_t i = 0; members && is_first && i < set->count; i++)
            members[i] = term.inverse;
        for (size_t i = term.first; members && i < set->count && i <= term.last; i++)
            if (!term.named_members || term.named_members[i])
                members[i] = !term.inverse;
        while (is_blank(*at))
            at++;
        if (!*at)
            return true;
        if (*at != ',')
            return set_fail(text, at, error, "a comma expected");
        at++;
    }
}

bool set_parse_words(const char *text, const int64_t *numbers, size_t count,
                     const struct set_word *words, size_t word_count, bool *members,
                     struct error *error)
{
    struct set_numbers set = {numbers, count, words, word_count};
    // The first pass only checks, so that an invalid text changes nothing.
    return set_read(text, &set, NULL, error) && set_read(text, &set, members, error);
}

bool set_parse(const char *text, const int64_t *numbers, size_t count, bool *members,
               struct error *error)
{
    return set_parse_words(text, numbers, count, NULL, 0, members, error);
}

// Writes the spans into `out` (NULL: measures only). Returns the length.
static size_t spans_write(const bool *members, const struct set_numbers *set, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (!members[i])
            continue;
        size_t last = i;
        while (last + 1 < set->count && members[last + 1])
            last++;
        char span[48];
        const char *comma = length ? "," : "";
        long long from = number_at(set, i), to = number_at(set, last);
        int size = last == i ? snprintf(span, sizeof span, "%s%lld", comma, from)
                             : snprintf(span, sizeof span, "%s%lld-%lld", comma, from, to);
        if (out)
            memcpy(out + length, span, (size_t)size);
        length += (size_t)size;
        i = last;
    }
    return length;
}

char *set_format(struct arena *arena, const bool *members, const int64_t *numbers, size_t count)
{
    struct set_numbers set = {.numbers = numbers, .count = count};
    bool has_any = false, has_all = true;
    for (size_t i = 0; i < count; i++) {
        has_any = has_any || members[i];
        has_all = has_all && members[i];
    }
    if (has_all)
        return arena_copy(arena, "all", 3);
    if (!has_any)
        return arena_copy(arena, "!all", 4);
    size_t length = spans_write(members, &set, NULL);
    char *text = ARENA_ARRAY(arena, char, length + 1);
    spans_write(members, &set, text);
    return text;
}
