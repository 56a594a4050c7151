// SPDX-License-Identifier: Apache-2.0
// What a kernel is called whoever wrote its name down, so that a capture of nsys and a trace of PyTorch
// compare kernel by kernel.
//
// The one writes "void f<(int)4, T2::[lambda(float) (instance 1)]>(int, T2)", the other "void f<4,
// ns::g(int)::{lambda(float)#1}>(int, ns::g(int)::{lambda(float)#1})". What only one of them tells is
// left out: what a function takes and returns, casts, unnamed namespaces, `const`; the rest is spelled
// in one way.
#ifndef MODEL_KERNEL_ALIKE_H
#define MODEL_KERNEL_ALIKE_H

#include <stddef.h>

enum { KERNEL_ALIKE_SIZE = 4096 }; // what would lie behind is left out

// Writes at most `size` - 1 bytes and a NUL; returns the bytes written.
size_t kernel_name_alike(const char *name, size_t length, char *out, size_t size);

#endif
