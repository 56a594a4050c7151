// SPDX-License-Identifier: Apache-2.0
// Types of the demangler. A type is a pair of texts, before and after the declared name, because a
// pointer to a function or an array puts text on both sides: "void (*" and ")(int)".
#include "base/parse/demangle_parse.h"

static char last_of(const struct demangler *work, struct demangle_span span)
{
    return span.length ? work->pool[span.at + span.length - 1] : '\0';
}

static const char *builtin_name(char letter)
{
    static const char *const names['z' - 'a' + 1] = {
        ['a' - 'a'] = "signed char", ['b' - 'a'] = "bool",
        ['c' - 'a'] = "char",        ['d' - 'a'] = "double",
        ['e' - 'a'] = "long double", ['f' - 'a'] = "float",
        ['g' - 'a'] = "__float128",  ['h' - 'a'] = "unsigned char",
        ['i' - 'a'] = "int",         ['j' - 'a'] = "unsigned int",
        ['l' - 'a'] = "long",        ['m' - 'a'] = "unsigned long",
        ['n' - 'a'] = "__int128",    ['o' - 'a'] = "unsigned __int128",
        ['s' - 'a'] = "short",       ['t' - 'a'] = "unsigned short",
        ['v' - 'a'] = "void",        ['w' - 'a'] = "wchar_t",
        ['x' - 'a'] = "long long",   ['y' - 'a'] = "unsigned long long",
        ['z' - 'a'] = "...",
    };
    return letter >= 'a' && letter <= 'z' ? names[letter - 'a'] : NULL;
}

static struct demangle_type parse_type(struct demangler *work);

static struct demangle_type plain_type(struct demangler *work, const char *name)
{
    return (struct demangle_type){.left = demangle_text(work, name)};
}

// Appends a mark, "*", "&", "&&" or "", to the left text of a type. A function or array type gets
// parentheses around it: "void (*" and ")(int)".
static struct demangle_type add_mark(struct demangler *work, struct demangle_type type,
                                     const char *mark)
{
    char last_char = last_of(work, type.left);
    bool is_marked = last_char == '*' || last_char == '&';
    if (type.right.length && !is_marked) { // a function or an array
        struct demangle_span right = demangle_text(work, ")");
        demangle_join(work, &right, type.right);
        type.right = right;
        demangle_add(work, &type.left, "(");
    } else if (!is_marked) {
        demangle_add(work, &type.left, " ");
    }
    demangle_add(work, &type.left, mark);
    return type;
}

static struct demangle_type qualified_type(struct demangler *work)
{
    struct demangle_span qualifiers = demangle_qualifiers(work);
    struct demangle_type type = parse_type(work);
    char last_char = last_of(work, type.left);
    if (type.right.length && last_char != '*' && last_char != '&') { // a member function
        demangle_join(work, &type.right, qualifiers);
    } else if (last_char == '*' || last_char == '&') {
        demangle_join(work, &type.left, qualifiers);
    } else {
        struct demangle_span left = {qualifiers.at + (qualifiers.length ? 1 : 0),
                                     qualifiers.length ? qualifiers.length - 1 : 0};
        demangle_add(work, &left, " ");
        demangle_join(work, &left, type.left);
        type.left = left;
    }
    return type;
}

// Reads a function type after its "F".
static struct demangle_type function_type(struct demangler *work)
{
    demangle_take(work, "Y"); // extern "C"
    struct demangle_type type = parse_type(work);
    demangle_add(work, &type.left, " ");
    struct demangle_span list = demangle_signature(work, 'E');
    demangle_join(work, &list, type.right);
    type.right = list;
    demangle_expect(work, "E");
    return type;
}

// Reads an array type after its "A".
static struct demangle_type array_type(struct demangler *work)
{
    struct demangle_span size = demangle_text(work, "[");
    if (demangle_is_digit(demangle_peek(work)))
        demangle_add_number(work, &size, demangle_number(work));
    else if (demangle_peek(work) != '_')
        demangle_join(work, &size, demangle_expression(work));
    demangle_expect(work, "_");
    demangle_add(work, &size, "]");
    struct demangle_type type = parse_type(work);
    if (!type.right.length)
        demangle_add(work, &type.left, " ");
    demangle_join(work, &size, type.right);
    type.right = size;
    return type;
}

// Reads a pointer to member after its "M".
static struct demangle_type member_type(struct demangler *work)
{
    struct demangle_span owner = demangle_type(work);
    struct demangle_type type = parse_type(work);
    type = add_mark(work, type, "");
    demangle_join(work, &type.left, owner);
    demangle_add(work, &type.left, "::*");
    return type;
}

// Reads a type after its "D". Sets *is_unlisted as type_body() does.
static struct demangle_type special_type(struct demangler *work, bool *is_unlisted)
{
    static const struct {
        const char *code, *text;
    } plain[] = {{"a", "auto"},    {"c", "decltype(auto)"},     {"n", "std::nullptr_t"},
                 {"h", "__half"},  {"i", "char32_t"},           {"s", "char16_t"},
                 {"u", "char8_t"}, {"F16b", "std::bfloat16_t"}, {"F16_", "_Float16"}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (!demangle_take(work, plain[i].code))
            continue;
        *is_unlisted = true;
        return plain_type(work, plain[i].text);
    }
    if (demangle_take(work, "p")) {
        struct demangle_type type = parse_type(work);
        demangle_add(work, type.right.length ? &type.right : &type.left, "...");
        return type;
    }
    if (demangle_take(work, "t") || demangle_take(work, "T")) {
        struct demangle_span text = demangle_text(work, "decltype(");
        demangle_join(work, &text, demangle_expression(work));
        demangle_expect(work, "E");
        demangle_add(work, &text, ")");
        return (struct demangle_type){.left = text};
    }
    if (demangle_take(work, "v")) { // a vector
        struct demangle_span size = demangle_text(work, " __vector(");
        demangle_add_number(work, &size, demangle_number(work));
        demangle_expect(work, "_");
        struct demangle_type type = parse_type(work);
        demangle_join(work, &type.left, size);
        demangle_add(work, &type.left, ")");
        return type;
    }
    if (demangle_take(work, "o")) // noexcept
        return parse_type(work);
    demangle_fail(work);
    return (struct demangle_type){{0, 0}, {0, 0}};
}

static struct demangle_type add_template_arguments(struct demangler *work,
                                                   struct demangle_type type)
{
    demangle_remember(work, type);
    demangle_join(work, &type.left, demangle_arguments(work));
    return type;
}

// Reads a type. Sets *is_unlisted if no later substitution (S_) may refer to it: builtin types, and
// types that are substitutions themselves.
static struct demangle_type type_body(struct demangler *work, bool *is_unlisted)
{
    char letter = demangle_peek(work), next = demangle_peek_next(work);
    struct demangle_type type;
    if (builtin_name(letter) && letter != 'r') {
        work->at++;
        *is_unlisted = true;
        return plain_type(work, builtin_name(letter));
    }
    switch (letter) {
    case 'r':
    case 'V':
    case 'K':
        return qualified_type(work);
    case 'P':
        work->at++;
        return add_mark(work, parse_type(work), "*");
    case 'R':
        work->at++;
        return add_mark(work, parse_type(work), "&");
    case 'O':
        work->at++;
        return add_mark(work, parse_type(work), "&&");
    case 'F':
        work->at++;
        return function_type(work);
    case 'A':
        work->at++;
        return array_type(work);
    case 'M':
        work->at++;
        return member_type(work);
    case 'D':
        work->at++;
        return special_type(work, is_unlisted);
    case 'u':
        work->at++;
        return (struct demangle_type){.left = demangle_source_name(work)};
    case 'T':
        type = (struct demangle_type){.left = demangle_parameter(work)};
        return demangle_peek(work) == 'I' ? add_template_arguments(work, type) : type;
    case 'S':
        if (next == 't')
            break;
        type = demangle_substitution(work);
        *is_unlisted = demangle_peek(work) != 'I';
        if (!*is_unlisted)
            demangle_join(work, &type.left, demangle_arguments(work));
        return type;
    default:
        break;
    }
    return (struct demangle_type){.left = demangle_name(work)};
}

static struct demangle_type parse_type(struct demangler *work)
{
    struct demangle_type type = {{0, 0}, {0, 0}};
    bool is_unlisted = false;
    if (demangle_enter(work)) {
        type = type_body(work, &is_unlisted);
        if (!is_unlisted)
            demangle_remember(work, type);
    }
    work->depth--;
    return type;
}

struct demangle_span demangle_type(struct demangler *work)
{
    struct demangle_type type = parse_type(work);
    demangle_join(work, &type.left, type.right);
    return type.left;
}
