// SPDX-License-Identifier: Apache-2.0
// Normalises C++ kernel names, which tools write in many ways, before rules match them.
//
// `(int)128` and `128u` become `128`, `<unnamed>::` and `(anonymous namespace)::` vanish, the
// spellings of lambdas become `{lambda(float)}`, and the texts of a table are replaced (namespaces
// dropped, `__nv_bfloat16` to `bf16`).
#ifndef MODEL_RULES_KERNEL_NAME_H
#define MODEL_RULES_KERNEL_NAME_H

#include <stddef.h>

struct name_replacement {
    const char *from, *to;
    size_t from_length, to_length;
};

enum { KERNEL_NAME_SIZE = 4096 }; // longer names are cut off

// Writes at most `size` - 1 bytes and a NUL; returns the number of bytes written. When several
// replacements match at one place, the first of the table wins.
size_t kernel_name_clean(const struct name_replacement *table, size_t count, const char *name,
                         size_t length, char *out, size_t size);

// Writes the nested name of an Itanium-mangled symbol, "ck::device::kernel_x" of
// "_ZN2ck6device..."; returns 0 when `name` is not mangled.
size_t kernel_name_demangle(const char *name, size_t length, char *out, size_t size);

// Finds the base of an unmangled name, without return type, namespaces, template arguments and
// parameters: "kernel_x" of "void ck::kernel_x<4>(int)". Returns its length; *base points into
// `name`.
size_t kernel_name_base(const char *name, size_t length, const char **base);

// Converts CamelCase to snake_case: "FusedAdam<float>" to "fused_adam<float>"; returns the length.
size_t kernel_name_snake(const char *name, char *out, size_t size);

#endif
