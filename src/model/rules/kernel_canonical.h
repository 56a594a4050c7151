// SPDX-License-Identifier: Apache-2.0
// A canonical spelling of kernel names, with which a capture of nsys and a trace of PyTorch compare
// kernel by kernel.
//
// One writes "void f<(int)4, T2::[lambda(float) (instance 1)]>(int, T2)", the other "void f<4,
// ns::g(int)::{lambda(float)#1}>(int, ns::g(int)::{lambda(float)#1})". Parts that only one of them
// writes are left out: return type and parameters, casts, unnamed namespaces, `const`. The rest is
// spelled in one way.
#ifndef MODEL_RULES_KERNEL_CANONICAL_H
#define MODEL_RULES_KERNEL_CANONICAL_H

#include <stddef.h>

enum { KERNEL_CANONICAL_SIZE = 4096 }; // longer names are cut off

// Writes at most `size` - 1 bytes and a NUL; returns the number of bytes written.
size_t kernel_name_canonical(const char *name, size_t length, char *out, size_t size);

#endif
