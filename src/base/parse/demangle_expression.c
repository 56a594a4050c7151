// SPDX-License-Identifier: Apache-2.0
// Values and expressions in the arguments of templates.
#include <string.h>

#include "base/parse/demangle_parse.h"

struct operator
{
    const char *code, *text;
    int operands; // as an expression; 0: it is none of these
};

static const struct operator operators[] = {
    {"nw", " new", 0},     {"na", " new[]", 0}, {"dl", " delete", 0}, {"da", " delete[]", 0},
    {"aw", "co_await", 1}, {"ps", "+", 1},      {"ng", "-", 1},       {"ad", "&", 1},
    {"de", "*", 1},        {"co", "~", 1},      {"pl", "+", 2},       {"mi", "-", 2},
    {"ml", "*", 2},        {"dv", "/", 2},      {"rm", "%", 2},       {"an", "&", 2},
    {"or", "|", 2},        {"eo", "^", 2},      {"aS", "=", 2},       {"pL", "+=", 2},
    {"mI", "-=", 2},       {"mL", "*=", 2},     {"dV", "/=", 2},      {"rM", "%=", 2},
    {"aN", "&=", 2},       {"oR", "|=", 2},     {"eO", "^=", 2},      {"ls", "<<", 2},
    {"rs", ">>", 2},       {"lS", "<<=", 2},    {"rS", ">>=", 2},     {"eq", "==", 2},
    {"ne", "!=", 2},       {"lt", "<", 2},      {"gt", ">", 2},       {"le", "<=", 2},
    {"ge", ">=", 2},       {"ss", "<=>", 2},    {"nt", "!", 1},       {"aa", "&&", 2},
    {"oo", "||", 2},       {"pp", "++", 1},     {"mm", "--", 1},      {"cm", ",", 2},
    {"pm", "->*", 2},      {"pt", "->", 2},     {"cl", "()", 0},      {"ix", "[]", 0},
    {"qu", "?", 3},
};

static const struct operator* take_operator(struct demangler *work)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (demangle_take(work, operators[i].code))
            return &operators[i];
    return NULL;
}

struct demangle_span demangle_operator(struct demangler *work)
{
    struct demangle_span text = demangle_text(work, "operator ");
    if (demangle_take(work, "li")) { // a literal's suffix
        demangle_add(work, &text, "\"\"");
        demangle_join(work, &text, demangle_source_name(work));
        return text;
    }
    const struct operator* known = take_operator(work);
    if (!known)
        return demangle_fail(work);
    demangle_add(work, &text, known->text + (known->text[0] == ' '));
    return text;
}

struct demangle_span demangle_literal(struct demangler *work)
{
    demangle_take(work, "L");
    if (demangle_take(work, "_Z") || demangle_take(work, "Z")) { // something that has an address
        struct demangle_span base, text = demangle_encoding(work, &base);
        return demangle_take(work, "E") ? text : demangle_fail(work);
    }
    struct demangle_span text = demangle_text(work, "(");
    demangle_join(work, &text, demangle_type(work));
    demangle_add(work, &text, ")");
    if (demangle_take(work, "n"))
        demangle_add(work, &text, "-");
    while (!work->failed && work->at < work->end && *work->at != 'E') {
        char digit[2] = {*work->at++, '\0'};
        demangle_add(work, &text, digit);
    }
    return demangle_take(work, "E") ? text : demangle_fail(work);
}

// What follows to the "E", in parentheses.
static struct demangle_span list_of(struct demangler *work)
{
    struct demangle_span list = demangle_text(work, "(");
    for (bool is_first = true; !work->failed && !demangle_take(work, "E"); is_first = false) {
        struct demangle_span item = demangle_expression(work);
        if (!is_first)
            demangle_add(work, &list, ", ");
        demangle_join(work, &list, item);
    }
    demangle_add(work, &list, ")");
    return list;
}

// A name that only the arguments of the template settle.
static struct demangle_span unresolved(struct demangler *work)
{
    struct demangle_span text = {0, 0};
    if (demangle_take(work, "on"))
        text = demangle_operator(work);
    else
        text = demangle_source_name(work);
    if (!work->failed && work->at < work->end && *work->at == 'I')
        demangle_join(work, &text, demangle_arguments(work));
    return text;
}

static bool is_digit_at(const struct demangler *work, size_t offset)
{
    return (size_t)(work->end - work->at) > offset && work->at[offset] >= '0' &&
           work->at[offset] <= '9';
}

// After "sr": what is in a type, or in a path of such names, which an E ends (not of old compilers).
static struct demangle_span scoped(struct demangler *work)
{
    bool is_path = demangle_take(work, "N") || is_digit_at(work, 0);
    struct demangle_span text = is_digit_at(work, 0) ? unresolved(work) : demangle_type(work);
    while (!work->failed && (!is_path || is_digit_at(work, 0) || is_digit_at(work, 1))) {
        bool is_last = !is_path || demangle_take(work, "E");
        struct demangle_span part = unresolved(work);
        demangle_add(work, &text, "::");
        demangle_join(work, &text, part);
        if (is_last)
            break;
    }
    return text;
}

static struct demangle_span operation(struct demangler *work, const struct operator* known)
{
    struct demangle_span text = {work->used, 0};
    if (known->operands == 1) {
        demangle_take(work, "_"); // a prefix, of "pp" and "mm"
        demangle_add(work, &text, known->text);
    }
    // nsys writes "!T7" but "(T7)&&(T8)": a parameter after a prefix has no parentheses.
    bool is_bare = known->operands == 1 && work->at < work->end && *work->at == 'T';
    for (int i = 0; i < known->operands && !work->failed; i++) {
        struct demangle_span operand = demangle_expression(work);
        if (i > 0)
            demangle_add(work, &text, i == 1 ? known->text : ":");
        demangle_add(work, &text, is_bare ? "" : "(");
        demangle_join(work, &text, operand);
        demangle_add(work, &text, is_bare ? "" : ")");
    }
    return text;
}

static struct demangle_span of_type(struct demangler *work, const char *what, bool is_type)
{
    struct demangle_span text = demangle_text(work, what);
    demangle_add(work, &text, "(");
    demangle_join(work, &text, is_type ? demangle_type(work) : demangle_expression(work));
    demangle_add(work, &text, ")");
    return text;
}

// "fp_", "fpL0_1_": a parameter of the function.
static struct demangle_span function_parameter(struct demangler *work)
{
    while (work->at < work->end && *work->at != '_')
        work->at++;
    return demangle_take(work, "_") ? demangle_text(work, "{parm}") : demangle_fail(work);
}

static struct demangle_span expression_body(struct demangler *work)
{
    static const struct {
        const char *code, *text;
        bool is_type;
    } unary[] = {{"st", "sizeof", true},    {"sz", "sizeof", false},  {"at", "alignof", true},
                 {"az", "alignof", false},  {"ti", "typeid", true},   {"te", "typeid", false},
                 {"nx", "noexcept", false}, {"sZ", "sizeof...", true}};
    struct demangle_span text;
    if (*work->at == 'L')
        return demangle_literal(work);
    if (*work->at == 'T')
        return demangle_parameter(work);
    if (demangle_take(work, "sr"))
        return scoped(work);
    if (demangle_take(work, "sp")) {
        text = demangle_expression(work);
        demangle_add(work, &text, "...");
        return text;
    }
    if (demangle_take(work, "fp"))
        return function_parameter(work);
    if (demangle_take(work, "cl")) {
        text = demangle_expression(work);
        demangle_join(work, &text, list_of(work));
        return text;
    }
    bool has_braces = demangle_take(work, "tl");
    if (has_braces || demangle_take(work, "cv")) {
        text = demangle_type(work);
        bool is_list = has_braces || demangle_take(work, "_");
        demangle_join(work, &text, is_list ? list_of(work) : of_type(work, "", false));
        return text;
    }
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        if (demangle_take(work, unary[i].code))
            return of_type(work, unary[i].text, unary[i].is_type);
    const struct operator* known = take_operator(work);
    if (known)
        return known->operands ? operation(work, known) : demangle_fail(work);
    return unresolved(work);
}

struct demangle_span demangle_expression(struct demangler *work)
{
    struct demangle_span text = {0, 0};
    if (demangle_enter(work))
        text = expression_body(work);
    work->depth--;
    return text;
}
