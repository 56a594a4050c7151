// SPDX-License-Identifier: Apache-2.0
// Demangles values and expressions in template arguments.
#include <string.h>

#include "base/parse/demangle_parse.h"

struct operator_code {
    const char *code, *text;
    int operands; // number of operands in an expression; 0: not used there
};

static const struct operator_code operators[] = {
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

static const struct operator_code *take_operator(struct demangler *work)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (demangle_take(work, operators[i].code))
            return &operators[i];
    return NULL;
}

struct demangle_span demangle_operator(struct demangler *work)
{
    struct demangle_span text = demangle_text(work, "operator ");
    if (demangle_take(work, "li")) { // a literal suffix
        demangle_add(work, &text, "\"\"");
        demangle_join(work, &text, demangle_source_name(work));
        return text;
    }
    const struct operator_code *found = take_operator(work);
    if (!found)
        return demangle_fail(work);
    demangle_add(work, &text, found->text + (found->text[0] == ' '));
    return text;
}

struct demangle_span demangle_literal(struct demangler *work)
{
    demangle_take(work, "L");
    // An object or function with an address.
    if (demangle_take(work, "_Z") || demangle_take(work, "Z")) {
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

// Reads expressions up to the "E"; returns them in parentheses.
static struct demangle_span expression_list(struct demangler *work)
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

// Reads a name that is only resolved when the template is instantiated.
static struct demangle_span unresolved_name(struct demangler *work)
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

// Reads a scoped name after its "sr": a member of a type, or of a path of names. A path ends with
// "E", except in symbols of old compilers.
static struct demangle_span scoped_name(struct demangler *work)
{
    bool is_path = demangle_take(work, "N") || is_digit_at(work, 0);
    struct demangle_span text = is_digit_at(work, 0) ? unresolved_name(work) : demangle_type(work);
    while (!work->failed && (!is_path || is_digit_at(work, 0) || is_digit_at(work, 1))) {
        bool is_last = !is_path || demangle_take(work, "E");
        struct demangle_span part = unresolved_name(work);
        demangle_add(work, &text, "::");
        demangle_join(work, &text, part);
        if (is_last)
            break;
    }
    return text;
}

static struct demangle_span operation(struct demangler *work, const struct operator_code *found)
{
    struct demangle_span text = {work->used, 0};
    if (found->operands == 1) {
        demangle_take(work, "_"); // marks the prefix form of "pp" and "mm"
        demangle_add(work, &text, found->text);
    }
    // nsys writes "!T7" but "(T7)&&(T8)": a parameter after a prefix has no parentheses.
    bool is_bare = found->operands == 1 && work->at < work->end && *work->at == 'T';
    for (int i = 0; i < found->operands && !work->failed; i++) {
        struct demangle_span operand = demangle_expression(work);
        if (i > 0)
            demangle_add(work, &text, i == 1 ? found->text : ":");
        demangle_add(work, &text, is_bare ? "" : "(");
        demangle_join(work, &text, operand);
        demangle_add(work, &text, is_bare ? "" : ")");
    }
    return text;
}

static struct demangle_span type_call(struct demangler *work, const char *what, bool is_type)
{
    struct demangle_span text = demangle_text(work, what);
    demangle_add(work, &text, "(");
    demangle_join(work, &text, is_type ? demangle_type(work) : demangle_expression(work));
    demangle_add(work, &text, ")");
    return text;
}

// Reads a function parameter: "fp_" or "fpL0_1_".
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
        return scoped_name(work);
    if (demangle_take(work, "sp")) {
        text = demangle_expression(work);
        demangle_add(work, &text, "...");
        return text;
    }
    if (demangle_take(work, "fp"))
        return function_parameter(work);
    if (demangle_take(work, "cl")) {
        text = demangle_expression(work);
        demangle_join(work, &text, expression_list(work));
        return text;
    }
    bool has_braces = demangle_take(work, "tl");
    if (has_braces || demangle_take(work, "cv")) {
        text = demangle_type(work);
        bool is_list = has_braces || demangle_take(work, "_");
        demangle_join(work, &text, is_list ? expression_list(work) : type_call(work, "", false));
        return text;
    }
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        if (demangle_take(work, unary[i].code))
            return type_call(work, unary[i].text, unary[i].is_type);
    const struct operator_code *found = take_operator(work);
    if (found)
        return found->operands ? operation(work, found) : demangle_fail(work);
    return unresolved_name(work);
}

struct demangle_span demangle_expression(struct demangler *work)
{
    struct demangle_span text = {0, 0};
    if (demangle_enter(work))
        text = expression_body(work);
    work->depth--;
    return text;
}
