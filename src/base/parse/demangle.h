// SPDX-License-Identifier: Apache-2.0
// Demangles C++ symbols (Itanium C++ ABI) in the spelling of Nsight Systems: "void f<(int)4,
// float>(T2 *, const char *)". A kernel thus has the same name whichever tool captured it.
//
// Symbols come from untrusted files: work and memory are limited, and a symbol that is not
// understood or would become too long is left mangled.
#ifndef BASE_PARSE_DEMANGLE_H
#define BASE_PARSE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct demangled {
    const char *full; // "void at::native::fill<float>(T1 *)"
    const char *base; // "fill"
};

struct demangle_span { // a range of `pool`
    uint32_t at, length;
};

// The texts of a type before and after the declared name: "void (*" and ")(int)".
struct demangle_type {
    struct demangle_span left, right;
};

enum { DEMANGLE_POOL = 1 << 17, DEMANGLE_SEEN = 1 << 11 };

// A workspace for any number of symbols, one at a time.
struct demangler {
    const char *at, *end; // rest of the symbol
    unsigned depth;
    bool failed;
    uint32_t used, seen_count;
    struct demangle_type seen[DEMANGLE_SEEN]; // the parts that S_, S0_ ... refer to
    char pool[DEMANGLE_POOL];                 // all texts, one after the other
};

// Returns false if it is not such a symbol. The texts belong to the workspace and last until its
// next use.
bool demangle(struct demangler *work, const char *symbol, size_t length, struct demangled *name);

#endif
