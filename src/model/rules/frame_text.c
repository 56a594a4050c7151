// SPDX-License-Identifier: Apache-2.0
// Formats frames of call chains for display, and finds the source file in them.
#include "model/rules/frame_text.h"

#include <ctype.h>
#include <string.h>

#include "base/text/text.h"

enum {
    FRAME_BYTES = 2000, // longest part of a name that is read
    PATH_BYTES = 4096,  // longest path
};

// "/app/train.py:88" gives "train.py:88".
static const char *base_name(const char *path)
{
    for (const char *p = path; *p; p++)
        if ((*p == '/' || *p == '\\') && p[1])
            path = p + 1;
    return path;
}

// Removes the folders of paths in a symbol: "step (/app/train.py:88)" gives "step (train.py:88)".
static const char *without_folders(struct arena *arena, const char *symbol)
{
    char *out = arena_text(arena, symbol);
    size_t length = 0, word = 0;
    for (const char *p = out; *p; p++) {
        bool is_path =
            *p == '/' && (word < length ? strchr(out + word, '.') || out[word] == '/' : true);
        if (is_path && p[1] && !isspace((unsigned char)p[1]))
            length = word;
        else
            out[length++] = *p;
        if (isspace((unsigned char)*p) || strchr("()[]<>,\"'", *p))
            word = length;
    }
    out[length] = '\0';
    return out;
}

static bool is_address(const char *symbol)
{
    return strncmp(symbol, "0x", 2) == 0 &&
           symbol[2 + strspn(symbol + 2, "0123456789abcdefABCDEF")] == '\0';
}

// Returns whether the module is a source file, with or without a line number. The text then puts it
// before the function's name.
static bool is_source(const char *module)
{
    static const char *const ends[] = {".py", ".c",  ".cc", ".cpp", ".cxx",
                                       ".cu", ".jl", ".rs", ".f90"};
    const char *end = strrchr(module, ':');
    bool has_line = end && end[1] && end[1 + strspn(end + 1, "0123456789")] == '\0';
    size_t length = has_line ? (size_t)(end - module) : strlen(module);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (length > n && memcmp(module + length - n, ends[i], n) == 0)
            return true;
    }
    return has_line;
}

const char *frame_text(const char *symbol, const char *module, struct arena *arena)
{
    symbol = arena_copy(arena, symbol, strnlen(symbol, FRAME_BYTES));
    module = base_name(arena_copy(arena, module, strnlen(module, FRAME_BYTES)));
    const char *text = module;
    if (strstr(symbol, "::"))
        symbol = text_fold_templates(arena, symbol, 0);
    else
        symbol = without_folders(arena, symbol);
    if (*symbol && !is_address(symbol))
        text = !*module || strstr(symbol, ".py") || strstr(symbol, module) ? symbol
               : is_source(module) ? arena_format(arena, "%s %s", module, symbol)
                                   : arena_format(arena, "%s (%s)", symbol, module);
    text = text_safe(arena, text, strlen(text), true);
    return text_cut(arena, text, FRAME_COLUMNS, false, true);
}

// ---- the source file ---------------------------------------------------------------------------

// Splits "/app/my train.py:88" into file and line.
static struct frame_file file_line_of(const char *text, size_t length)
{
    enum { DIGITS = 9 };
    size_t digits = 0;
    uint32_t line = 0;
    while (digits < length && isdigit((unsigned char)text[length - digits - 1]))
        digits++;
    if (digits == 0 || digits > DIGITS || length < digits + 2 || text[length - digits - 1] != ':')
        return (struct frame_file){NULL, 0, 0};
    for (size_t i = length - digits; i < length; i++)
        line = line * 10 + (uint32_t)(text[i] - '0');
    return (struct frame_file){text, length - digits - 1, line};
}

struct frame_file frame_file_of(const char *symbol, const char *module, struct arena *arena)
{
    static const char ends[] = " \t()[]<>,\"'";
    size_t size = strnlen(module, PATH_BYTES + 1);
    struct frame_file found = {NULL, 0, 0};
    if (size <= PATH_BYTES)
        found = file_line_of(module, size);
    symbol = arena_copy(arena, symbol, strnlen(symbol, FRAME_BYTES));
    for (const char *word = symbol; !found.line && *word;) {
        word += strspn(word, ends);
        size_t length = strcspn(word, ends);
        found = file_line_of(word, length);
        word += length;
    }
    return found;
}
