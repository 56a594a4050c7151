// SPDX-License-Identifier: Apache-2.0
// Internal interface of demangle.c (names), demangle_type.c and demangle_expression.c, which call
// each other as the grammar does. Each function consumes its part of the symbol and returns its
// text. If it cannot, it sets work->failed, which fails the whole symbol and ends the parse soon.
#ifndef BASE_PARSE_DEMANGLE_PARSE_H
#define BASE_PARSE_DEMANGLE_PARSE_H

#include "base/parse/demangle.h"

// ---- texts, and the symbol ---------------------------------------------------------------------

struct demangle_span demangle_fail(struct demangler *work);
struct demangle_span demangle_text(struct demangler *work, const char *text);
void demangle_add(struct demangler *work, struct demangle_span *to, const char *text);
void demangle_add_number(struct demangler *work, struct demangle_span *to, uint32_t number);
void demangle_join(struct demangler *work, struct demangle_span *to, struct demangle_span more);

static inline char demangle_peek(const struct demangler *work)
{
    return work->at < work->end ? *work->at : '\0';
}

static inline char demangle_peek_next(const struct demangler *work)
{
    return work->end - work->at > 1 ? work->at[1] : '\0';
}

static inline bool demangle_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// Consumes `text` if the symbol continues with it; otherwise returns false.
bool demangle_take(struct demangler *work, const char *text);
void demangle_expect(struct demangler *work, const char *text);
uint32_t demangle_number(struct demangler *work);
bool demangle_enter(struct demangler *work); // false: nested too deeply, or already failed
// Adds a part to which a later substitution (S_, S0_ ...) may refer.
void demangle_remember(struct demangler *work, struct demangle_type type);

// ---- demangle.c --------------------------------------------------------------------------------

struct demangle_span demangle_encoding(struct demangler *work, struct demangle_span *base);
struct demangle_span demangle_name(struct demangler *work); // name of a class
struct demangle_span demangle_source_name(struct demangler *work);
struct demangle_type demangle_substitution(struct demangler *work);        // S_
struct demangle_span demangle_parameter(struct demangler *work);           // T_
struct demangle_span demangle_arguments(struct demangler *work);           // of a template, with <>
struct demangle_span demangle_qualifiers(struct demangler *work);          // " const"
struct demangle_span demangle_signature(struct demangler *work, char end); // "(int, float)"

// ---- demangle_type.c ---------------------------------------------------------------------------

struct demangle_span demangle_type(struct demangler *work);

// ---- demangle_expression.c ---------------------------------------------------------------------

struct demangle_span demangle_expression(struct demangler *work);
struct demangle_span demangle_literal(struct demangler *work);
struct demangle_span demangle_operator(struct demangler *work); // "operator +"; not conversions

#endif
