// SPDX-License-Identifier: Apache-2.0
// Names of a profile on their way to the screen: made safe, cut, folded. The first byte sets the
// widths.
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

struct input {
    struct arena *arena;
    const char *bytes;
    size_t length;
    int width;
};

static void check_safe(const char *safe)
{
    size_t length = strlen(safe);
    for (size_t at = 0; at < length;) {
        uint32_t code;
        size_t count = text_decode(safe + at, length - at, &code);
        CHECK(!text_is_unsafe(code) && !(code == 0xFFFD && count == 1));
        at += count;
    }
}

static bool check(void *context, struct error *error)
{
    (void)error;
    const struct input *input = context;
    const char *safe = text_safe(input->arena, input->bytes, input->length, true);
    check_safe(safe);
    for (int middle = 0; middle < 2; middle++) {
        const char *cut = text_cut(input->arena, safe, input->width, middle, false);
        check_safe(cut);
        CHECK(text_width(cut) <= input->width);
    }
    const char *name = arena_copy(input->arena, input->bytes, input->length);
    const char *folded = text_fold_templates(input->arena, name, input->width % 4);
    CHECK(strlen(folded) <= 2 * strlen(name) + 3);
    CHECK((text_compare_natural(name, folded) == 0) == (strcmp(name, folded) == 0));
    size_t start, end;
    for (size_t n = 0; text_number_field(input->bytes, input->length, n, &start, &end); n++)
        CHECK(start < end && end <= input->length);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *arena;
    if (!arena) {
        setlocale(LC_CTYPE, "C.UTF-8");
        arena = arena_new(64 << 20);
    }
    if (size == 0 || size > 5000)
        return 0;
    struct input input = {arena, (const char *)data + 1, size - 1, data[0]};
    CHECK(arena_run(arena, check, &input, NULL));
    arena_reset(arena);
    return 0;
}
