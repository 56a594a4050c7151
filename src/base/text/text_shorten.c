// SPDX-License-Identifier: Apache-2.0
// Shortens C++ signatures step by step, so that the parts that distinguish them are dropped last.
#include <stdbool.h>
#include <string.h>

#include "base/text/text.h"

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

// Returns the length of a namespace or class and its "::" at the beginning of a text; 0 if there is
// none.
static size_t qualifier_length(const char *text)
{
    static const char *const unnamed[] = {"(anonymous namespace)::", "<unnamed>::"};
    for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed; i++)
        if (strncmp(text, unnamed[i], strlen(unnamed[i])) == 0)
            return strlen(unnamed[i]);
    size_t length = 0;
    while (is_word(text[length]))
        length++;
    return length > 0 && strncmp(text + length, "::", 2) == 0 ? length + 2 : 0;
}

// Drops namespaces and classes: "at::native::reduce<at::Op>" becomes "reduce<Op>".
static char *unqualify(struct arena *arena, const char *name)
{
    char *out = ARENA_ARRAY(arena, char, strlen(name) + 1), *end = out;
    while (*name) {
        size_t length = end > out && is_word(end[-1]) ? 0 : qualifier_length(name);
        name += length;
        if (length == 0)
            *end++ = *name++;
    }
    return out;
}

bool text_is_signature(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && name[length - 1] == ')' && strchr(name, '(') &&
           (strchr(name, '<') || strstr(name, "::"));
}

const char *text_shorten_signature(struct arena *arena, const char *name, int columns)
{
    enum { MAX_DEPTH = 3 };
    const char *shorter = name;
    // Depth 0 is not tried: without any arguments many names would be equal.
    for (int depth = MAX_DEPTH; depth > 0 && text_width(shorter) > columns; depth--)
        shorter = unqualify(arena, text_fold_templates(arena, name, depth));
    return shorter;
}
