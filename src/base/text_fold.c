// SPDX-License-Identifier: Apache-2.0
// text_fold_templates(): one pass over a demangled name with a stack of its open brackets.
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

// Brackets nested deeper than this are counted but not told apart; real names reach about 40.
enum { FOLD_STACK = 512 };

enum hiding { HIDE_NOTHING, HIDE_ARGUMENTS, HIDE_PARAMETERS };

struct fold {
    const char *name;
    size_t length, at;
    char *out;
    size_t out_length;
    char stack[FOLD_STACK]; // '<' template, 'k' angle bracket that is no template, ( [ {
    size_t open;            // brackets open, may exceed FOLD_STACK
    size_t templates;       // '<' among them
    enum hiding hiding;
    size_t hidden_from;  // `open` before the bracket that is hidden
    size_t word_start;   // in out: behind the last blank outside of all brackets
    size_t name_start;   // in out: where the function's name begins, once parameters were seen
    size_t operator_end; // in name: behind the last operator's symbol
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

static char before(const struct fold *fold)
{
    return fold->at ? fold->name[fold->at - 1] : '\0';
}

static char after(const struct fold *fold)
{
    return fold->at + 1 < fold->length ? fold->name[fold->at + 1] : '\0';
}

static bool starts_with(const struct fold *fold, const char *text)
{
    size_t length = strlen(text);
    return fold->length - fold->at >= length && memcmp(fold->name + fold->at, text, length) == 0;
}

static void emit(struct fold *fold, const char *text, size_t length)
{
    if (fold->hiding)
        return;
    memcpy(fold->out + fold->out_length, text, length);
    fold->out_length += length;
}

static void take(struct fold *fold, size_t count)
{
    emit(fold, fold->name + fold->at, count);
    fold->at += count;
}

static void push(struct fold *fold, char bracket)
{
    if (fold->open < FOLD_STACK)
        fold->stack[fold->open] = bracket;
    fold->open++;
    fold->templates += bracket == '<' && fold->open <= FOLD_STACK;
}

static char top(const struct fold *fold)
{
    return fold->open == 0 ? '\0' : fold->open <= FOLD_STACK ? fold->stack[fold->open - 1] : '?';
}

static void pop(struct fold *fold)
{
    fold->templates -= top(fold) == '<' && fold->templates > 0;
    fold->open--;
    if (!fold->hiding || fold->open > fold->hidden_from)
        return;
    bool arguments = fold->hiding == HIDE_ARGUMENTS;
    fold->hiding = HIDE_NOTHING;
    if (arguments)
        emit(fold, "...>", 4);
}

// `operator` and its symbol, which may look like a bracket: operator<, operator(), operator->.
static bool take_operator(struct fold *fold)
{
    static const char *const symbols[] = {
        "()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">",
    };
    if (!starts_with(fold, "operator") || is_word(before(fold)))
        return false;
    size_t length = strlen("operator");
    if (fold->at + length < fold->length && is_word(fold->name[fold->at + length]))
        return false;
    take(fold, length);
    size_t symbol = strspn(fold->name + fold->at, "+-*/%^&|~!=,");
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (starts_with(fold, symbols[i])) {
            symbol = strlen(symbols[i]);
            break;
        }
    }
    take(fold, symbol);
    // In "operator bool", "operator new" and "operator< <int>" the blank is a part of the name.
    if (fold->at < fold->length && fold->name[fold->at] == ' ' && (!symbol || after(fold) == '<'))
        take(fold, 1);
    fold->operator_end = fold->at;
    return true;
}

static void open_angle(struct fold *fold, int depth)
{
    char last = before(fold), next = after(fold);
    bool is_template = is_word(last) || last == '}' || last == ']' || last == '\'' || last == '<' ||
                       last == '>' || last == ')' ||
                       (fold->at > 0 && fold->at == fold->operator_end);
    if (next == '<' || next == '=') { // 1 << 3
        take(fold, 2);
        return;
    }
    if (!is_template) {
        if (next != ' ') // <unnamed>, <lambda()>; a blank makes it a comparison
            push(fold, 'k');
        take(fold, 1);
        return;
    }
    take(fold, 1);
    push(fold, '<');
    if (!fold->hiding && fold->templates > (size_t)(depth > 0 ? depth : 0) && next != '>') {
        fold->hiding = HIDE_ARGUMENTS;
        fold->hidden_from = fold->open - 1;
    }
}

static void close_angle(struct fold *fold)
{
    char kind = top(fold);
    if (before(fold) == '-' || (kind != '<' && kind != 'k' && kind != '?')) { // ->, a > b
        take(fold, 1);
        return;
    }
    bool was_hidden = fold->hiding != HIDE_NOTHING;
    pop(fold);
    if (was_hidden) { // the mark has closed it, or it is hidden still
        fold->at++;
        return;
    }
    // "> >" was needed before C++11 only.
    if (fold->out_length > 1 && memcmp(fold->out + fold->out_length - 2, "> ", 2) == 0)
        fold->out_length--;
    take(fold, 1);
}

static void open_round(struct fold *fold)
{
    // What follows a name, a template or a lambda directly is a list of parameters; what follows
    // anything else is (anonymous namespace), a cast or a sum.
    char last = before(fold);
    bool is_parameters = is_word(last) || last == '>' || last == '}' || last == '\'' ||
                         (fold->at > 0 && fold->at == fold->operator_end);
    if (is_parameters && !fold->hiding) {
        if (fold->open == 0)
            fold->name_start = fold->word_start;
        fold->hiding = HIDE_PARAMETERS;
        fold->hidden_from = fold->open;
    }
    push(fold, '(');
    take(fold, 1);
}

static void close_round(struct fold *fold, char close)
{
    char open = close == ')' ? '(' : close == ']' ? '[' : '{';
    size_t depth = fold->open < FOLD_STACK ? fold->open : FOLD_STACK;
    bool is_open = fold->open > FOLD_STACK;
    while (!is_open && depth > 0) // angle brackets between were comparisons
        is_open = fold->stack[--depth] == open;
    if (!is_open) {
        take(fold, 1);
        return;
    }
    bool was_hidden = fold->hiding != HIDE_NOTHING;
    while (fold->open <= FOLD_STACK && top(fold) != open)
        pop(fold);
    bool parameters = fold->hiding == HIDE_PARAMETERS;
    pop(fold);
    if (was_hidden && (fold->hiding || parameters))
        fold->at++;
    else
        take(fold, 1);
    if (parameters && !fold->hiding && fold->open == 0 && starts_with(fold, " const"))
        fold->at += strlen(" const");
}

static void step(struct fold *fold, int depth)
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
        take(fold, 1);
        break;
    case ')':
    case ']':
    case '}':
        close_round(fold, c);
        break;
    case 'o':
        if (!take_operator(fold))
            take(fold, 1);
        break;
    default:
        take(fold, 1);
        if (c == ' ' && fold->open == 0)
            fold->word_start = fold->out_length;
        break;
    }
}

char *text_fold_templates(struct arena *arena, const char *name, int depth)
{
    struct fold fold = {.name = name, .length = strlen(name)};
    // At worst "(f<)" becomes "(f<...>)", and an open end gains "...".
    fold.out = ARENA_ARRAY(arena, char, fold.length * 2 + 8);
    while (fold.at < fold.length)
        step(&fold, depth);
    if (fold.hiding == HIDE_ARGUMENTS) {
        fold.hiding = HIDE_NOTHING;
        emit(&fold, "...", 3);
    }
    size_t start = fold.name_start;
    if (start == 0 && fold.out_length > 5 && memcmp(fold.out, "void ", 5) == 0)
        start = 5;
    fold.out[fold.out_length] = '\0';
    return start < fold.out_length ? fold.out + start : arena_copy(arena, name, fold.length);
}
