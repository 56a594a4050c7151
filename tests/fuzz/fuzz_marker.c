// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the text of an NVTX range; the first byte chooses the domain.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/markers/markers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_id(const struct strings *strings, string_id id)
{
    if (id >= strings_count(strings))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const domains[] = {"", "TensorRT", "TSL", "tensorflow-core", "NCCL"};
    if (!size)
        return 0;
    struct arena *arena = arena_new(0);
    struct strings *strings = strings_new(arena);
    string_id text = strings_intern(strings, (const char *)data + 1, size - 1);
    struct marker marker;
    marker_parse(strings, arena, domains[data[0] % 5], text, &marker);
    if (marker.text != text || marker.kind >= MARKER_KIND_COUNT || marker.dialect >= DIALECT_COUNT)
        abort();
    const string_id ids[] = {marker.title, marker.type, marker.module, marker.path, marker.stack};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        check_id(strings, ids[i]);
    if (marker.title == STRING_NONE || (marker.kind == MARKER_OP && marker.type == STRING_NONE) ||
        (marker.kind == MARKER_LAYER && marker.path == STRING_NONE))
        abort();
    int64_t sum = 0;
    for (uint32_t i = 0; i < marker.argument_count; i++) {
        const struct marker_argument *argument = &marker.arguments[i];
        check_id(strings, argument->name);
        check_id(strings, argument->value);
        if (argument->rank > 16 || (argument->is_tensor && !argument->dims))
            abort();
        for (uint8_t n = 0; n < argument->rank; n++)
            sum ^= argument->dims[n];
    }
    arena_free(arena);
    return sum == INT64_MIN ? 0 : 0;
}
