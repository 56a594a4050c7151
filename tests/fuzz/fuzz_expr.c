// SPDX-License-Identifier: Apache-2.0
// Typed text: filters and sets of numbers. The first byte is the number of numbers.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse/expr.h"
#include "base/text/format.h"
#include "base/text/pattern.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

struct input {
    struct arena *arena;
    const char *text;
    size_t count; // number of numbers
};

static void check_filter(const struct input *input)
{
    struct filter filter = {0};
    struct error error = {0};
    if (!filter_parse(input->arena, input->text, &filter, &error)) {
        CHECK(error.kind == ERROR_USAGE && strstr(error.message, "column"));
        CHECK(filter.count == 0);
        return;
    }
    for (size_t i = 0; i < filter.count; i++) {
        const struct filter_term *term = &filter.terms[i];
        CHECK(term->text && term->source && term->position >= 1);
        CHECK((term->pattern != NULL) == (term->operator== FILTER_MATCH));
        if (term->pattern) {
            struct pattern_span match, groups[3];
            size_t length = strlen(input->text);
            if (pattern_find(term->pattern, input->text, length, 0, &match, groups, 3))
                CHECK(match.start <= match.end && match.end <= length);
        }
        int64_t number;
        format_parse_duration(term->text, &number);
        format_parse_bytes(term->text, &number);
    }
    filter_close(&filter);
}

static void check_set(const struct input *input)
{
    bool members[256] = {false}, again[256] = {false};
    struct error error = {0};
    if (!set_parse(input->text, NULL, input->count, members, &error)) {
        CHECK(error.kind == ERROR_USAGE && strstr(error.message, "column"));
        CHECK(memcmp(members, again, sizeof members) == 0);
        return;
    }
    const char *text = set_format(input->arena, members, NULL, input->count);
    CHECK(set_parse(text, NULL, input->count, again, NULL));
    CHECK(memcmp(members, again, sizeof members) == 0);
}

static bool check(void *context, struct error *error)
{
    (void)error;
    check_filter(context);
    check_set(context);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *arena;
    if (!arena)
        arena = arena_new(64 << 20);
    if (size == 0 || size > 5000)
        return 0;
    char text[5001];
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    struct input input = {arena, text, data[0]};
    CHECK(arena_run(arena, check, &input, NULL));
    arena_reset(arena);
    return 0;
}
