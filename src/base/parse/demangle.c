// SPDX-License-Identifier: Apache-2.0
// Names, template arguments and whole symbols of the demangler: a recursive descent parser.
//
// Every parsed part of a symbol becomes a text in the pool, referred to by a span. Texts grow by
// appending. The ABI compresses repeated parts: a substitution (S_, S0_, ...) refers to one of the
// parts parsed so far, which demangle_remember() lists in work->seen.
#include "base/parse/demangle_parse.h"

#include <string.h>

enum { MAX_DEPTH = 200 };

// ---- texts -------------------------------------------------------------------------------------

struct demangle_span demangle_fail(struct demangler *work)
{
    work->failed = true;
    return (struct demangle_span){0, 0};
}

static void pool_add(struct demangler *work, struct demangle_span *to, const char *text,
                     size_t length)
{
    // The span that ends the pool grows in place; any other span is copied to the end first. A
    // span with the same start keeps its own length.
    bool is_last = to->at + to->length == work->used;
    size_t needed = length + (is_last ? 0 : to->length);
    if (work->failed || needed > DEMANGLE_POOL - 1 - work->used) { // room for a final NUL remains
        work->failed = true;
        return;
    }
    if (!is_last) {
        memcpy(work->pool + work->used, work->pool + to->at, to->length);
        to->at = work->used;
        work->used += to->length;
    }
    memcpy(work->pool + work->used, text, length);
    work->used += (uint32_t)length;
    to->length += (uint32_t)length;
}

void demangle_add(struct demangler *work, struct demangle_span *to, const char *text)
{
    pool_add(work, to, text, strlen(text));
}

void demangle_join(struct demangler *work, struct demangle_span *to, struct demangle_span more)
{
    pool_add(work, to, work->pool + more.at, more.length);
}

struct demangle_span demangle_text(struct demangler *work, const char *text)
{
    struct demangle_span span = {work->used, 0};
    demangle_add(work, &span, text);
    return span;
}

// ---- the symbol --------------------------------------------------------------------------------

bool demangle_take(struct demangler *work, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(work->end - work->at) < length || memcmp(work->at, text, length) != 0)
        return false;
    work->at += length;
    return true;
}

void demangle_expect(struct demangler *work, const char *text)
{
    if (!demangle_take(work, text))
        work->failed = true;
}

bool demangle_enter(struct demangler *work)
{
    work->failed |= ++work->depth > MAX_DEPTH || work->at >= work->end;
    return !work->failed;
}

uint32_t demangle_number(struct demangler *work)
{
    uint32_t number = 0;
    while (demangle_is_digit(demangle_peek(work))) {
        number = number * 10 + (uint32_t)(*work->at++ - '0');
        if (number > 1 << 24) {
            work->failed = true;
            return 0;
        }
    }
    return number;
}

// Reads "_" as 0, "5_" as 6.
static uint32_t take_index(struct demangler *work)
{
    uint32_t index = demangle_peek(work) == '_' ? 0 : demangle_number(work) + 1;
    demangle_expect(work, "_");
    return index;
}

void demangle_add_number(struct demangler *work, struct demangle_span *to, uint32_t number)
{
    char digits[11] = {0}, *at = digits + sizeof digits - 1;
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    demangle_add(work, to, at);
}

void demangle_remember(struct demangler *work, struct demangle_type type)
{
    if (work->seen_count == DEMANGLE_SEEN)
        work->failed = true;
    else if (!work->failed)
        work->seen[work->seen_count++] = type;
}

static void remember_name(struct demangler *work, struct demangle_span text)
{
    demangle_remember(work, (struct demangle_type){.left = text});
}

// ---- names -------------------------------------------------------------------------------------

struct parsed_name {
    struct demangle_span text;
    struct demangle_span base;       // the last part of the name, without arguments
    struct demangle_span qualifiers; // qualifiers of a member function, such as " const"
    bool is_template;   // ends in template arguments; the symbol then has a return type
    bool has_no_return; // constructor, destructor or conversion: no return type
};

static struct parsed_name parse_name(struct demangler *work);

struct demangle_span demangle_source_name(struct demangler *work)
{
    static const char unnamed_prefix[] = "_GLOBAL__N_"; // prefix of an anonymous namespace
    uint32_t length = demangle_is_digit(demangle_peek(work)) ? demangle_number(work) : 0;
    if (!length || length > (size_t)(work->end - work->at))
        return demangle_fail(work);
    struct demangle_span span = {work->used, 0};
    if (length >= sizeof unnamed_prefix - 1 &&
        memcmp(work->at, unnamed_prefix, sizeof unnamed_prefix - 1) == 0)
        demangle_add(work, &span, "<unnamed>");
    else
        pool_add(work, &span, work->at, length);
    work->at += length;
    return span;
}

struct demangle_span demangle_signature(struct demangler *work, char end)
{
    struct demangle_span list = demangle_text(work, "(");
    bool is_first = true;
    char next = demangle_peek_next(work);
    if (demangle_peek(work) == 'v' && (next == end || next == '.' || !next))
        work->at++;
    while (!work->failed && demangle_peek(work) && demangle_peek(work) != end &&
           demangle_peek(work) != '.') {
        struct demangle_span type = demangle_type(work);
        if (!is_first)
            demangle_add(work, &list, ", ");
        demangle_join(work, &list, type);
        is_first = false;
    }
    demangle_add(work, &list, ")");
    return list;
}

// Reads the rest of a name that starts with "Ul" or "Ut".
static struct demangle_span closure_name(struct demangler *work, bool is_lambda)
{
    struct demangle_span text = demangle_text(work, is_lambda ? "[lambda" : "[unnamed type");
    if (is_lambda) {
        demangle_join(work, &text, demangle_signature(work, 'E'));
        demangle_expect(work, "E");
    }
    demangle_add(work, &text, " (instance ");
    demangle_add_number(work, &text, take_index(work) + 1);
    demangle_add(work, &text, ")]");
    return text;
}

// Reads the next part of a name and appends it to `outer`.
static void take_part(struct demangler *work, struct parsed_name *outer)
{
    struct demangle_span part, scope = outer->text;
    bool is_destructor = demangle_peek(work) == 'D';
    outer->has_no_return = false;
    demangle_take(work, "L"); // internal linkage
    if (demangle_is_digit(demangle_peek(work))) {
        part = demangle_source_name(work);
    } else if (demangle_take(work, "Ul")) {
        part = closure_name(work, true);
    } else if (demangle_take(work, "Ut")) {
        part = closure_name(work, false);
    } else if ((is_destructor || demangle_peek(work) == 'C') &&
               demangle_is_digit(demangle_peek_next(work))) {
        part = demangle_text(work, is_destructor ? "~" : "");
        demangle_join(work, &part, outer->base);
        outer->has_no_return = true;
        work->at += 2;
    } else if (demangle_take(work, "cv")) {
        part = demangle_text(work, "operator ");
        demangle_join(work, &part, demangle_type(work));
        outer->has_no_return = true;
    } else {
        part = demangle_operator(work);
    }
    while (!work->failed && demangle_take(work, "B")) { // ABI tags
        struct demangle_span tag = demangle_source_name(work);
        demangle_add(work, &part, "[abi:");
        demangle_join(work, &part, tag);
        demangle_add(work, &part, "]");
    }
    outer->base = part;
    outer->is_template = false;
    if (!scope.length) {
        outer->text = part;
        return;
    }
    demangle_add(work, &scope, "::");
    demangle_join(work, &scope, part);
    outer->text = scope;
}

static void take_arguments(struct demangler *work, struct parsed_name *name)
{
    struct demangle_span arguments = demangle_arguments(work);
    demangle_join(work, &name->text, arguments);
    name->is_template = true;
}

struct demangle_type demangle_substitution(struct demangler *work)
{
    static const struct {
        char letter;
        const char *text;
    } abbreviations[] = {{'t', "std"},
                         {'a', "std::allocator"},
                         {'b', "std::basic_string"},
                         {'s', "std::string"},
                         {'i', "std::istream"},
                         {'o', "std::ostream"},
                         {'d', "std::iostream"},
                         {0, NULL}};
    demangle_expect(work, "S");
    for (size_t i = 0; abbreviations[i].text; i++) {
        if (demangle_peek(work) != abbreviations[i].letter)
            continue;
        work->at++;
        return (struct demangle_type){.left = demangle_text(work, abbreviations[i].text)};
    }
    uint32_t index = 0;
    bool is_numbered = demangle_peek(work) != '_';
    while (demangle_peek(work) != '_' && index < DEMANGLE_SEEN) {
        char byte = demangle_peek(work);
        bool is_letter = byte >= 'A' && byte <= 'Z';
        if (!is_letter && !demangle_is_digit(byte))
            break;
        index = index * 36 + (uint32_t)(is_letter ? byte - 'A' + 10 : byte - '0');
        work->at++;
    }
    demangle_expect(work, "_");
    index += is_numbered;
    if (work->failed || index >= work->seen_count) {
        work->failed = true;
        return (struct demangle_type){{0, 0}, {0, 0}};
    }
    return work->seen[index];
}

struct demangle_span demangle_qualifiers(struct demangler *work)
{
    struct demangle_span qualifiers = {work->used, 0};
    if (demangle_take(work, "r"))
        demangle_add(work, &qualifiers, " restrict");
    if (demangle_take(work, "V"))
        demangle_add(work, &qualifiers, " volatile");
    if (demangle_take(work, "K"))
        demangle_add(work, &qualifiers, " const");
    return qualifiers;
}

// Reads a nested name after its "N".
static struct parsed_name nested_name(struct demangler *work)
{
    struct parsed_name name = {.text = {work->used, 0}};
    name.qualifiers = demangle_qualifiers(work);
    if (demangle_take(work, "R"))
        demangle_add(work, &name.qualifiers, " &");
    else if (demangle_take(work, "O"))
        demangle_add(work, &name.qualifiers, " &&");
    while (!work->failed && !demangle_take(work, "E")) {
        bool is_substitution = demangle_peek(work) == 'S';
        char next = demangle_peek_next(work);
        if (is_substitution)
            name.base = name.text = demangle_substitution(work).left;
        else if (demangle_peek(work) == 'T')
            name.base = name.text = demangle_parameter(work);
        else if (demangle_peek(work) == 'D' && (next == 't' || next == 'T'))
            name.base = name.text = demangle_type(work);
        else if (demangle_peek(work) == 'I')
            take_arguments(work, &name);
        else
            take_part(work, &name);
        if (!is_substitution && demangle_peek(work) != 'E')
            remember_name(work, name.text);
    }
    return name;
}

// Reads the name of a local entity of a function, after its "Z".
static struct parsed_name local_name(struct demangler *work)
{
    struct demangle_span base, scope = demangle_encoding(work, &base);
    demangle_expect(work, "E");
    if (demangle_take(work, "d")) // in the default value of an argument
        take_index(work);
    struct parsed_name name = {0};
    if (demangle_take(work, "s"))
        name.text = name.base = demangle_text(work, "[string]");
    else
        name = parse_name(work);
    if (demangle_take(work, "__")) {
        demangle_number(work);
        demangle_expect(work, "_");
    } else if (demangle_peek(work) == '_' && demangle_is_digit(demangle_peek_next(work))) {
        work->at += 2;
    }
    demangle_add(work, &scope, "::");
    demangle_join(work, &scope, name.text);
    name.text = scope;
    return name;
}

static struct parsed_name name_body(struct demangler *work)
{
    struct parsed_name name = {0};
    bool is_substitution = false;
    if (demangle_take(work, "N"))
        return nested_name(work);
    if (demangle_take(work, "Z"))
        return local_name(work);
    if (demangle_take(work, "St")) {
        name.text = demangle_text(work, "std");
        take_part(work, &name);
    } else if (demangle_peek(work) == 'S') {
        name.text = name.base = demangle_substitution(work).left;
        is_substitution = true;
    } else {
        take_part(work, &name);
    }
    if (!work->failed && demangle_peek(work) == 'I') {
        if (!is_substitution)
            remember_name(work, name.text);
        take_arguments(work, &name);
    }
    return name;
}

static struct parsed_name parse_name(struct demangler *work)
{
    struct parsed_name name = {0};
    if (demangle_enter(work))
        name = name_body(work);
    work->depth--;
    return name;
}

struct demangle_span demangle_name(struct demangler *work)
{
    return parse_name(work).text;
}

static struct demangle_span encoding_body(struct demangler *work, struct demangle_span *base)
{
    struct parsed_name name = parse_name(work);
    *base = name.base;
    if (work->failed || !demangle_peek(work) || demangle_peek(work) == 'E' ||
        demangle_peek(work) == '.')
        return name.text; // not a function
    struct demangle_span text = {work->used, 0};
    if (name.is_template && !name.has_no_return) {
        text = demangle_type(work);
        demangle_add(work, &text, " ");
    }
    demangle_join(work, &text, name.text);
    demangle_join(work, &text, demangle_signature(work, 'E'));
    demangle_join(work, &text, name.qualifiers);
    return text;
}

struct demangle_span demangle_encoding(struct demangler *work, struct demangle_span *base)
{
    struct demangle_span text = {0, 0};
    *base = text;
    if (demangle_enter(work))
        text = encoding_body(work, base);
    work->depth--;
    return text;
}

// ---- template arguments ------------------------------------------------------------------------

struct demangle_span demangle_parameter(struct demangler *work)
{
    struct demangle_span text = demangle_text(work, "T");
    demangle_expect(work, "T");
    demangle_add_number(work, &text, take_index(work) + 1);
    return text;
}

static void add_arguments(struct demangler *work, struct demangle_span *list, bool *is_first)
{
    if (!demangle_enter(work)) {
        work->depth--;
        return;
    }
    while (!work->failed && !demangle_take(work, "E")) {
        struct demangle_span argument;
        if (demangle_take(work, "J") || demangle_take(work, "I")) { // a pack
            add_arguments(work, list, is_first);
            continue;
        }
        if (demangle_peek(work) == 'L') {
            argument = demangle_literal(work);
        } else if (demangle_take(work, "X")) {
            argument = demangle_expression(work);
            demangle_expect(work, "E");
        } else {
            argument = demangle_type(work);
        }
        if (!*is_first)
            demangle_add(work, list, ", ");
        demangle_join(work, list, argument);
        *is_first = false;
    }
    work->depth--;
}

struct demangle_span demangle_arguments(struct demangler *work)
{
    struct demangle_span list = demangle_text(work, "<");
    bool is_first = true;
    demangle_expect(work, "I");
    add_arguments(work, &list, &is_first);
    demangle_add(work, &list, ">");
    return list;
}

// ---- whole symbols -----------------------------------------------------------------------------

bool demangle(struct demangler *work, const char *symbol, size_t length, struct demangled *name)
{
    work->at = symbol;
    work->end = symbol + length;
    work->depth = 0;
    work->failed = false;
    work->used = work->seen_count = 0;
    if (!demangle_take(work, "_Z") || memchr(symbol, '\0', length))
        return false;
    struct demangle_span base, full = demangle_encoding(work, &base);
    if (demangle_peek(work) == '.') { // ".isra.0": a clone made by the compiler
        demangle_add(work, &full, " [");
        pool_add(work, &full, work->at, (size_t)(work->end - work->at));
        demangle_add(work, &full, "]");
        work->at = work->end;
    }
    if (work->failed || work->at != work->end || !base.length)
        return false;
    struct demangle_span full_copy = {work->used, 0};
    demangle_join(work, &full_copy, full);
    pool_add(work, &full_copy, "", 1);
    struct demangle_span base_copy = {work->used, 0};
    demangle_join(work, &base_copy, base);
    pool_add(work, &base_copy, "", 1);
    name->full = work->pool + full_copy.at;
    name->base = work->pool + base_copy.at;
    return !work->failed;
}
