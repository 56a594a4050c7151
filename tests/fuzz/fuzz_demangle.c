// SPDX-License-Identifier: Apache-2.0
// Bytes as a C++ symbol: reading stays within bounds and gives two complete texts.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse/demangle.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct demangler work;
    struct demangled name;
    if (!demangle(&work, (const char *)data, size, &name))
        return 0;
    CHECK(name.full >= work.pool && name.base > name.full);
    CHECK(name.base + strlen(name.base) < work.pool + work.used);
    CHECK(*name.full && *name.base);
    return 0;
}
