// SPDX-License-Identifier: Apache-2.0
// C++ names out of the symbols that a compiler makes of them (Itanium C++ ABI), in the spelling of
// Nsight Systems: "void f<(int)4, float>(T2 *, const char *)", so that a kernel has one name whatever
// tool captured it.
//
// A symbol comes out of a file that nobody vouches for: work and room are bounded, and what is not
// understood, or would become too long, is left as it is.
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct demangled {
    const char *full; // "void at::native::fill<float>(T1 *)"
    const char *base; // "fill"
};

struct demangle_span { // bytes of the pool
    uint32_t at, length;
};

struct demangle_type { // what stands before and behind what is declared: "void (*" ")(int)"
    struct demangle_span left, right;
};

enum { DEMANGLE_POOL = 1 << 17, DEMANGLE_SEEN = 1 << 11 };

// A workspace for any number of symbols, one after the other.
struct demangler {
    const char *at, *end; // of the symbol
    unsigned depth;
    bool failed;
    uint32_t used, seen_count;
    struct demangle_type seen[DEMANGLE_SEEN]; // what S_, S0_ ... stand for
    char pool[DEMANGLE_POOL];                 // of texts
};

// False: it is no such symbol. The texts are the workspace's, until its next use.
bool demangle(struct demangler *work, const char *symbol, size_t length, struct demangled *name);

#endif
