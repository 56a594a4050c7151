// SPDX-License-Identifier: Apache-2.0
#include "base/parse/demangle_parse.h"

static char last_of(const struct demangler *work, struct demangle_span span)
{
    return span.length ? work->pool[span.at + span.length - 1] : '\0';
}

static const char *builtin(char letter)
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

static struct demangle_type type_named(struct demangler *work, const char *name)
{
    return (struct demangle_type){.left = demangle_text(work, name)};
}

// Adds "*", "&" or "&&", or a class and "::*", to a type.
static struct demangle_type declare(struct demangler *work, struct demangle_type type,
                                    const char *mark)
{
    char last = last_of(work, type.left);
    bool is_marked = last == '*' || last == '&';
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
    struct demangle_span after = demangle_qualifiers(work);
    struct demangle_type type = parse_type(work);
    char last = last_of(work, type.left);
    if (type.right.length && last != '*' && last != '&') { // a member function
        demangle_join(work, &type.right, after);
    } else if (last == '*' || last == '&') {
        demangle_join(work, &type.left, after);
    } else {
        struct demangle_span left = {after.at + (after.length ? 1 : 0),
                                     after.length ? after.length - 1 : 0};
        demangle_add(work, &left, " ");
        demangle_join(work, &left, type.left);
        type.left = left;
    }
    return type;
}

// Reads a function type behind its "F".
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

// Reads an array type behind its "A".
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

// Reads a pointer to member behind its "M".
static struct demangle_type member_type(struct demangler *work)
{
    struct demangle_span owner = demangle_type(work);
    struct demangle_type type = parse_type(work);
    type = declare(work, type, "");
    demangle_join(work, &type.left, owner);
    demangle_add(work, &type.left, "::*");
    return type;
}

// Reads a type behind its "D".
static struct demangle_type special_type(struct demangler *work, bool *is_known)
{
    static const struct {
        const char *code, *text;
    } plain[] = {{"a", "auto"},    {"c", "decltype(auto)"},     {"n", "std::nullptr_t"},
                 {"h", "__half"},  {"i", "char32_t"},           {"s", "char16_t"},
                 {"u", "char8_t"}, {"F16b", "std::bfloat16_t"}, {"F16_", "_Float16"}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (!demangle_take(work, plain[i].code))
            continue;
        *is_known = true;
        return type_named(work, plain[i].text);
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

static struct demangle_type with_arguments(struct demangler *work, struct demangle_type type)
{
    demangle_remember(work, type);
    demangle_join(work, &type.left, demangle_arguments(work));
    return type;
}

// Sets *is_known if the type adds no target for S_.
static struct demangle_type type_body(struct demangler *work, bool *is_known)
{
    char letter = demangle_peek(work), next = demangle_peek_next(work);
    struct demangle_type type;
    if (builtin(letter) && letter != 'r') {
        work->at++;
        *is_known = true;
        return type_named(work, builtin(letter));
    }
    switch (letter) {
    case 'r':
    case 'V':
    case 'K':
        return qualified_type(work);
    case 'P':
        work->at++;
        return declare(work, parse_type(work), "*");
    case 'R':
        work->at++;
        return declare(work, parse_type(work), "&");
    case 'O':
        work->at++;
        return declare(work, parse_type(work), "&&");
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
        return special_type(work, is_known);
    case 'u':
        work->at++;
        return (struct demangle_type){.left = demangle_source_name(work)};
    case 'T':
        type = (struct demangle_type){.left = demangle_parameter(work)};
        return demangle_peek(work) == 'I' ? with_arguments(work, type) : type;
    case 'S':
        if (next == 't')
            break;
        type = demangle_substitution(work);
        *is_known = demangle_peek(work) != 'I';
        if (!*is_known)
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
    bool is_known = false;
    if (demangle_enter(work)) {
        type = type_body(work, &is_known);
        if (!is_known)
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
