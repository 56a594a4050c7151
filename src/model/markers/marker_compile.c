// SPDX-License-Identifier: Apache-2.0
// torch.compile: `Torch-Compiled Region: 0/0`, `## Call CompiledFxGraph f3a9... ##`,
// `CompiledFunctionBackward`. The hash changes with each compilation and is left out of the title.
#include "model/markers/marker_dialects.h"

#include <string.h>

static bool is_hash_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

// Returns the text without its hashes: words of 8 or more lowercase letters and digits, with at
// least one digit.
static string_id cut_hashes(const struct marker_text *text, const struct marker *marker)
{
    char *out = ARENA_ARRAY(text->arena, char, text->length + 1);
    size_t length = 0;
    for (size_t i = 0; i < text->length;) {
        size_t from = i, digits = 0;
        bool is_hash = true;
        for (; i < text->length && text->text[i] != ' '; i++) {
            is_hash = is_hash && is_hash_character(text->text[i]);
            digits += text->text[i] >= '0' && text->text[i] <= '9';
        }
        bool dropped = is_hash && digits && i - from >= 8;
        if (!dropped) {
            memcpy(out + length, text->text + from, i - from);
            length += i - from;
        }
        while (i < text->length && text->text[i] == ' ') {
            if (!dropped)
                out[length++] = ' ';
            i++;
        }
    }
    while (length && out[length - 1] == ' ')
        length--;
    if (!length)
        return marker->title;
    return marker_intern(text, out, length);
}

bool marker_compile(const struct marker_text *text, struct marker *marker)
{
    static const char *const prefixes[] = {
        "Torch-Compiled Region",
        "## Call CompiledFxGraph",
        "TorchDynamo Cache Lookup",
        "CompiledFunction",
        "CompiledFxGraph",
        "Pregraph bytecode",
        "Inductor ",
        "inductor_codecache",
        "AOTDispatcher ",
    };
    bool is_compiled = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        is_compiled |= marker_text_begins(text, prefixes[i]);
    if (!is_compiled)
        return false;
    marker->dialect = DIALECT_COMPILE;
    marker->kind = MARKER_COMPILED;
    if (marker_text_begins(text, "CompiledFunctionBackward")) {
        marker->kind = MARKER_BACKWARD;
        marker->is_backward = true;
    }
    marker->title = cut_hashes(text, marker);
    return true;
}
