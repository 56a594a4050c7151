// SPDX-License-Identifier: Apache-2.0
// Steps of vLLM's workers, whose ranges say how many requests and tokens each has:
//
//     execute_context_2(512)_generation_30(30)    prefill and decode, requests(tokens)
//     execute_new_2_cached_30                     earlier
//
// The numbers differ from step to step, so that they are no part of the name; but a step without
// prefill is another one than with it: a number becomes N, 0 stays. Its layer-wise ranges are
// marker_module_dict.c's. After its sources; no real capture pins this.
#include "model/markers/marker_dialects.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Whether a text is `pattern`, in which `#` stands for a number. Fills `title`, which is no longer.
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
    enum { LENGTH_MOST = 200 };
    char title[LENGTH_MOST];
    size_t used;
    if (text->length > LENGTH_MOST)
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
