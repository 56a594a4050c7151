// SPDX-License-Identifier: Apache-2.0
// text_fold_templates(): one pass over a demangled C++ name with a stack of open brackets.
#include <stdbool.h>
#include <string.h>

#include "base/text/text.h"

// Brackets nested deeper than this are counted but their kind is not stored; real names reach about
// 40.
enum { FOLD_STACK = 512 };

// The part of the name that is being dropped: deep template arguments or function parameters.
enum hidden_part { HIDE_NOTHING, HIDE_ARGUMENTS, HIDE_PARAMETERS };

struct name_fold {
    const char *name;
    size_t length, at;
    char *out;
    size_t out_length;
    char stack[FOLD_STACK]; // '<' template, 'k' other angle bracket, ( [ {
    size_t open;            // number of open brackets; may exceed FOLD_STACK
    size_t templates;       // how many of them are '<'
    enum hidden_part hidden_part;
    size_t hidden_from;  // `open` before the bracket whose content is hidden
    size_t word_start;   // in `out`: after the last blank outside of all brackets
    size_t name_start;   // in `out`: start of the function's name; set at the parameter list
    size_t operator_end; // in `name`: after the symbol of the last operator
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

static char previous_char(const struct name_fold *fold)
{
    return fold->at ? fold->name[fold->at - 1] : '\0';
}

static char next_char(const struct name_fold *fold)
{
    return fold->at + 1 < fold->length ? fold->name[fold->at + 1] : '\0';
}

static bool starts_with(const struct name_fold *fold, const char *text)
{
    size_t length = strlen(text);
    return fold->length - fold->at >= length && memcmp(fold->name + fold->at, text, length) == 0;
}

static void emit(struct name_fold *fold, const char *text, size_t length)
{
    if (fold->hidden_part)
        return;
    memcpy(fold->out + fold->out_length, text, length);
    fold->out_length += length;
}

static void copy_chars(struct name_fold *fold, size_t count)
{
    emit(fold, fold->name + fold->at, count);
    fold->at += count;
}

static void push(struct name_fold *fold, char bracket)
{
    if (fold->open < FOLD_STACK)
        fold->stack[fold->open] = bracket;
    fold->open++;
    fold->templates += bracket == '<' && fold->open <= FOLD_STACK;
}

static char top(const struct name_fold *fold)
{
    return fold->open == 0 ? '\0' : fold->open <= FOLD_STACK ? fold->stack[fold->open - 1] : '?';
}

static void pop(struct name_fold *fold)
{
    fold->templates -= top(fold) == '<' && fold->templates > 0;
    fold->open--;
    if (!fold->hidden_part || fold->open > fold->hidden_from)
        return;
    bool arguments = fold->hidden_part == HIDE_ARGUMENTS;
    fold->hidden_part = HIDE_NOTHING;
    if (arguments)
        emit(fold, "...>", 4);
}

// Copies `operator` and its symbol, which may look like a bracket: operator<, operator(),
// operator->. Returns false if there is no operator.
static bool copy_operator(struct name_fold *fold)
{
    static const char *const symbols[] = {
        "()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">",
    };
    if (!starts_with(fold, "operator") || is_word(previous_char(fold)))
        return false;
    size_t length = strlen("operator");
    if (fold->at + length < fold->length && is_word(fold->name[fold->at + length]))
        return false;
    copy_chars(fold, length);
    size_t symbol = strspn(fold->name + fold->at, "+-*/%^&|~!=,");
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (starts_with(fold, symbols[i])) {
            symbol = strlen(symbols[i]);
            break;
        }
    }
    copy_chars(fold, symbol);
    // The blank is part of the name in "operator bool", "operator new" and "operator< <int>".
    if (fold->at < fold->length && fold->name[fold->at] == ' ' &&
        (!symbol || next_char(fold) == '<'))
        copy_chars(fold, 1);
    fold->operator_end = fold->at;
    return true;
}

static void open_angle(struct name_fold *fold, int depth)
{
    char previous = previous_char(fold), following = next_char(fold);
    bool is_template = is_word(previous) || previous == '}' || previous == ']' ||
                       previous == '\'' || previous == '<' || previous == '>' || previous == ')' ||
                       (fold->at > 0 && fold->at == fold->operator_end);
    if (following == '<' || following == '=') { // 1 << 3
        copy_chars(fold, 2);
        return;
    }
    if (!is_template) {
        if (following != ' ') // <unnamed>, <lambda()>; before a blank it is a comparison
            push(fold, 'k');
        copy_chars(fold, 1);
        return;
    }
    copy_chars(fold, 1);
    push(fold, '<');
    if (!fold->hidden_part && fold->templates > (size_t)(depth > 0 ? depth : 0) &&
        following != '>') {
        fold->hidden_part = HIDE_ARGUMENTS;
        fold->hidden_from = fold->open - 1;
    }
}

static void close_angle(struct name_fold *fold)
{
    char kind = top(fold);
    if (previous_char(fold) == '-' || (kind != '<' && kind != 'k' && kind != '?')) { // ->, a > b
        copy_chars(fold, 1);
        return;
    }
    bool was_hidden = fold->hidden_part != HIDE_NOTHING;
    pop(fold);
    if (was_hidden) { // pop() has written "...>", or an outer bracket is still hidden
        fold->at++;
        return;
    }
    // Drops the blank of "> >", which only C++ before C++11 needs.
    if (fold->out_length > 1 && memcmp(fold->out + fold->out_length - 2, "> ", 2) == 0)
        fold->out_length--;
    copy_chars(fold, 1);
}

static void open_round(struct name_fold *fold)
{
    // A parenthesis directly after a name, a template or a lambda opens a parameter list. Otherwise
    // it is (anonymous namespace), a cast or an expression.
    char last = previous_char(fold);
    bool is_parameters = is_word(last) || last == '>' || last == '}' || last == '\'' ||
                         (fold->at > 0 && fold->at == fold->operator_end);
    if (is_parameters && !fold->hidden_part) {
        if (fold->open == 0)
            fold->name_start = fold->word_start;
        fold->hidden_part = HIDE_PARAMETERS;
        fold->hidden_from = fold->open;
    }
    push(fold, '(');
    copy_chars(fold, 1);
}

static void close_round(struct name_fold *fold, char close)
{
    char open = close == ')' ? '(' : close == ']' ? '[' : '{';
    size_t depth = fold->open < FOLD_STACK ? fold->open : FOLD_STACK;
    bool is_open = fold->open > FOLD_STACK;
    while (!is_open && depth > 0) // unclosed angle brackets in between were comparisons
        is_open = fold->stack[--depth] == open;
    if (!is_open) {
        copy_chars(fold, 1);
        return;
    }
    bool was_hidden = fold->hidden_part != HIDE_NOTHING;
    while (fold->open <= FOLD_STACK && top(fold) != open)
        pop(fold);
    bool parameters = fold->hidden_part == HIDE_PARAMETERS;
    pop(fold);
    if (was_hidden && (fold->hidden_part || parameters))
        fold->at++;
    else
        copy_chars(fold, 1);
    if (parameters && !fold->hidden_part && fold->open == 0 && starts_with(fold, " const"))
        fold->at += strlen(" const");
}

static void fold_char(struct name_fold *fold, int depth)
{
    char c = fold->name[fold->at];
    switch (c) {
    case '<':
        open_angle(fold, depth);
        break;
    case '>':
        close_angle(fold);
        break;
    case '(':
        open_round(fold);
        break;
    case '[':
    case '{':
        push(fold, c);
        copy_chars(fold, 1);
        break;
    case ')':
    case ']':
    case '}':
        close_round(fold, c);
        break;
    case 'o':
        if (!copy_operator(fold))
            copy_chars(fold, 1);
        break;
    default:
        copy_chars(fold, 1);
        if (c == ' ' && fold->open == 0)
            fold->word_start = fold->out_length;
        break;
    }
}

char *text_fold_templates(struct arena *arena, const char *name, int depth)
{
    struct name_fold fold = {.name = name, .length = strlen(name)};
    // Worst case: "(f<)" becomes "(f<...>)", and an unclosed bracket gains "...".
    fold.out = ARENA_ARRAY(arena, char, fold.length * 2 + 8);
    while (fold.at < fold.length)
        fold_char(&fold, depth);
    if (fold.hidden_part == HIDE_ARGUMENTS) {
        fold.hidden_part = HIDE_NOTHING;
        emit(&fold, "...", 3);
    }
    size_t start = fold.name_start;
    if (start == 0 && fold.out_length > 5 && memcmp(fold.out, "void ", 5) == 0)
        start = 5;
    fold.out[fold.out_length] = '\0';
    return start < fold.out_length ? fold.out + start : arena_copy(arena, name, fold.length);
}
