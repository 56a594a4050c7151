// SPDX-License-Identifier: Apache-2.0
// Steps of vLLM's workers, whose ranges contain the number of requests and tokens:
//
//     execute_context_2(512)_generation_30(30)    prefill and decode, requests(tokens)
//     execute_new_2_cached_30                     earlier
//
// The numbers differ in each step and are not part of the title, but a step without prefill differs
// from one with it: a number becomes N, and 0 remains. vLLM's layer-wise ranges are parsed in
// marker_module_dict.c. Based on its source code; not verified with a real capture.
#include "model/markers/marker_dialects.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Matches a text with `pattern`, in which `#` stands for a number. Fills `title`, which is at most
// as long as the text.
static bool match_numbers(const struct marker_text *text, const char *pattern, char *title,
                          size_t *used)
{
    size_t i = 0;
    *used = 0;
    for (; *pattern; pattern++) {
        if (*pattern != '#') {
            if (i == text->length || text->text[i] != *pattern)
                return false;
            title[(*used)++] = text->text[i++];
            continue;
        }
        size_t from = i;
        bool is_zero = true;
        for (; i < text->length && is_digit(text->text[i]); i++)
            is_zero = is_zero && text->text[i] == '0';
        if (i == from)
            return false;
        title[(*used)++] = is_zero ? '0' : 'N';
    }
    return i == text->length;
}

bool marker_vllm(const struct marker_text *text, struct marker *marker)
{
    static const char *const patterns[] = {
        "execute_context_#(#)_generation_#(#)",
        "execute_new_#_cached_#",
    };
    enum { MAX_LENGTH = 200 };
    char title[MAX_LENGTH];
    size_t used;
    if (text->length > MAX_LENGTH)
        return false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (!match_numbers(text, patterns[i], title, &used))
            continue;
        marker->dialect = DIALECT_VLLM;
        marker->title = marker_intern(text, title, used);
        marker->type = strings_intern_text(text->strings, "execute");
        return true;
    }
    return false;
}
