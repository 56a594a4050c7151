// SPDX-License-Identifier: Apache-2.0
#include "base/text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "base/text/text.h"

// PCRE2 counts match steps anew from every start position, so its limit alone allows (length x
// limit) steps on a long text. A match is therefore tried first with a small limit. If that is
// exceeded it is repeated with a callout on every item, which counts all steps.
enum {
    PATTERN_LENGTH = 1000, // bytes; PCRE2's own link size keeps the compiled form below 64 kB
    QUOTE_LENGTH = 40,
    NEST_LIMIT = 100,
    DEPTH_LIMIT = 1000000, // of backtracking; the heap limit is reached before this one
    HEAP_LIMIT_KIB = 32 * 1024,
    FIRST_STEPS = 200000,   // limit of the first try, divided among all start positions
    MIN_FIRST_STEPS = 50,   // but at least this many steps per start position
    MAX_FIRST_STEPS = 5000, // and at most this many
    SECOND_STEPS = 100000,  // limit of the second try, plus SECOND_STEPS_PER_BYTE
    SECOND_STEPS_PER_BYTE = 50,
};

// A pattern is compiled up to four times: as UTF-8 or bytes, each without and with the counting
// callout.
enum { CODE_TEXT, CODE_BYTES, CODE_KINDS };

struct pattern {
    pcre2_code *plain[CODE_KINDS]; // NULL if the pattern is not valid in that kind
    pcre2_code *counted[CODE_KINDS];
};

static bool has_capital(const char *text)
{
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        if (text[at] == '\\' && at + 1 < length) { // \S, \W and \p{Lu} are classes, not letters
            bool may_have_braces = strchr("pPxNogk", text[at + 1]) != NULL;
            at += 2;
            if (may_have_braces && text[at] == '{')
                at += strcspn(text + at, "}");
            continue;
        }
        uint32_t code;
        at += text_decode(text + at, length - at, &code);
        if ((code >= 'A' && code <= 'Z') || (code > 0x7F && iswupper((wint_t)code)))
            return true;
    }
    return false;
}

static void report(const char *text, int code, size_t offset, struct error *error)
{
    PCRE2_UCHAR why[160];
    if (pcre2_get_error_message(code, why, sizeof why) < 0)
        strcpy((char *)why, "not understood");
    size_t column = 1, length = strlen(text);
    for (size_t at = 0; at < offset && at < length; column++) {
        uint32_t ignored;
        at += text_decode(text + at, length - at, &ignored);
    }
    // Quote only the beginning of a long pattern, so that the reason after it stays visible.
    size_t quoted = 0;
    for (uint32_t ignored; quoted < length && quoted < QUOTE_LENGTH;)
        quoted += text_decode(text + quoted, length - quoted, &ignored);
    error_set(error, ERROR_USAGE, "pattern \"%.*s%s\", column %zu: %s", (int)quoted, text,
              quoted < length ? "..." : "", column, (const char *)why);
}

static bool fail_memory(struct error *error)
{
    return error_set(error, ERROR_MEMORY, "out of memory for a pattern");
}

static bool compile(struct pattern *pattern, const char *text, uint32_t options,
                    pcre2_compile_context *context, struct error *error)
{
    int code = 0;
    size_t offset = 0;
    for (int kind = 0; kind < CODE_KINDS; kind++) {
        uint32_t flags = options | (kind == CODE_TEXT ? PCRE2_UTF : PCRE2_NEVER_UTF);
        int kind_code = 0;
        size_t kind_offset = 0;
        pattern->plain[kind] = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, flags,
                                             &kind_code, &kind_offset, context);
        if (kind_code == PCRE2_ERROR_HEAP_FAILED)
            return fail_memory(error);
        if (!pattern->plain[kind]) {
            // Report the fault in the UTF-8 variant, unless the pattern itself is not UTF-8.
            bool no_utf = kind_code <= PCRE2_ERROR_UTF8_ERR1 && kind_code >= PCRE2_ERROR_UTF8_ERR21;
            if (!code && !no_utf) {
                code = kind_code;
                offset = kind_offset;
            }
            continue;
        }
        pattern->counted[kind] =
            pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, flags | PCRE2_AUTO_CALLOUT,
                          &kind_code, &kind_offset, context);
        if (kind_code == PCRE2_ERROR_HEAP_FAILED)
            return fail_memory(error);
    }
    if (pattern->plain[CODE_TEXT] || pattern->plain[CODE_BYTES])
        return true;
    report(text, code, offset, error);
    return false;
}

struct pattern *pattern_new(const char *text, enum pattern_case mode, struct error *error)
{
    size_t length = strlen(text);
    if (length > PATTERN_LENGTH) {
        error_set(error, ERROR_USAGE, "pattern, column %d: longer than %d bytes",
                  PATTERN_LENGTH + 1, PATTERN_LENGTH);
        return NULL;
    }
    bool ignore_case = mode == PATTERN_IGNORE_CASE || (mode == PATTERN_SMART && !has_capital(text));
    struct pattern *pattern = calloc(1, sizeof *pattern);
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!pattern || !context) {
        free(pattern);
        pcre2_compile_context_free(context);
        fail_memory(error);
        return NULL;
    }
    pcre2_set_max_pattern_length(context, PATTERN_LENGTH);
    pcre2_set_parens_nest_limit(context, NEST_LIMIT);
    uint32_t options = PCRE2_NEVER_BACKSLASH_C | (ignore_case ? PCRE2_CASELESS : 0);
    bool compiled = compile(pattern, text, options, context, error);
    pcre2_compile_context_free(context);
    if (compiled)
        return pattern;
    pattern_free(pattern);
    return NULL;
}

void pattern_free(struct pattern *pattern)
{
    if (!pattern)
        return;
    for (int kind = 0; kind < CODE_KINDS; kind++) {
        pcre2_code_free(pattern->plain[kind]);
        pcre2_code_free(pattern->counted[kind]);
    }
    free(pattern);
}

static int count_step(pcre2_callout_block *block, void *context)
{
    (void)block;
    size_t *steps_left = context;
    if (*steps_left == 0)
        return PCRE2_ERROR_CALLOUT;
    (*steps_left)--;
    return 0;
}

// Matches once with all memory allocated for this call, so that threads may share a pattern.
static int match_bounded(const struct pattern *pattern, int kind, const char *text, size_t length,
                         size_t offset, pcre2_match_data *data)
{
    if (!pattern->plain[kind])
        return PCRE2_ERROR_NOMATCH;
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    if (!context)
        return PCRE2_ERROR_NOMEMORY;
    size_t first_limit = FIRST_STEPS / (length - offset + 1);
    first_limit = first_limit < MIN_FIRST_STEPS   ? MIN_FIRST_STEPS
                  : first_limit > MAX_FIRST_STEPS ? MAX_FIRST_STEPS
                                                  : first_limit;
    pcre2_set_heap_limit(context, HEAP_LIMIT_KIB);
    pcre2_set_depth_limit(context, DEPTH_LIMIT);
    pcre2_set_match_limit(context, (uint32_t)first_limit);
    int result =
        pcre2_match(pattern->plain[kind], (PCRE2_SPTR)text, length, offset, 0, data, context);
    if (result == PCRE2_ERROR_MATCHLIMIT && pattern->counted[kind]) {
        size_t steps_left = SECOND_STEPS + SECOND_STEPS_PER_BYTE * length;
        pcre2_set_match_limit(context, UINT32_MAX);
        pcre2_set_callout(context, count_step, &steps_left);
        result =
            pcre2_match(pattern->counted[kind], (PCRE2_SPTR)text, length, offset, 0, data, context);
    }
    pcre2_match_context_free(context);
    return result;
}

// Returns the number of groups that were set, including the whole match; 0 if `data` has room for
// fewer groups; below 0 if there is no match.
static int match_any(const struct pattern *pattern, const char *text, size_t length, size_t offset,
                     pcre2_match_data *data)
{
    int result = PCRE2_ERROR_UTF8_ERR1;
    if (pattern->plain[CODE_TEXT])
        result = match_bounded(pattern, CODE_TEXT, text, length, offset, data);
    bool no_utf = (result <= PCRE2_ERROR_UTF8_ERR1 && result >= PCRE2_ERROR_UTF8_ERR21) ||
                  result == PCRE2_ERROR_BADUTFOFFSET;
    if (no_utf)
        result = match_bounded(pattern, CODE_BYTES, text, length, offset, data);
    return result;
}

bool pattern_match(const struct pattern *pattern, const char *text, size_t length)
{
    return pattern_find(pattern, text, length, 0, NULL, NULL, 0);
}

bool pattern_find(const struct pattern *pattern, const char *text, size_t length, size_t offset,
                  struct pattern_span *match, struct pattern_span *groups, size_t max_groups)
{
    for (size_t i = 0; i < max_groups; i++)
        groups[i] = (struct pattern_span){SIZE_MAX, SIZE_MAX};
    if (offset > length)
        return false;
    uint32_t group_room = 1 + (uint32_t)(max_groups < PATTERN_LENGTH ? max_groups : PATTERN_LENGTH);
    pcre2_match_data *data = pcre2_match_data_create(group_room, NULL);
    if (!data)
        return false;
    int found = match_any(pattern, text, length, offset, data);
    if (found >= 0) {
        size_t set_count = found > 0 ? (size_t)found : group_room;
        const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(data);
        if (match) { // \K can move the start past the end
            match->end = bounds[1];
            match->start = bounds[0] < bounds[1] ? bounds[0] : bounds[1];
        }
        for (size_t i = 0; i < max_groups && i + 1 < set_count; i++) {
            if (bounds[2 * i + 2] != PCRE2_UNSET && bounds[2 * i + 3] != PCRE2_UNSET)
                groups[i] = (struct pattern_span){bounds[2 * i + 2], bounds[2 * i + 3]};
        }
    }
    pcre2_match_data_free(data);
    return found >= 0;
}

size_t pattern_expand(const char *replacement, const char *text, const struct pattern_span *groups,
                      size_t group_count, char *out, size_t size)
{
    size_t length = 0;
    if (size == 0)
        return 0;
    for (const char *at = replacement; *at; at++) {
        const char *piece = at;
        size_t piece_length = 1;
        if (*at == '$' && at[1] == '$') {
            at++;
        } else if (*at == '$' && at[1] >= '1' && at[1] <= '9') {
            size_t group = (size_t)(at[1] - '1');
            at++;
            bool is_set = group < group_count && groups[group].start != SIZE_MAX &&
                          groups[group].start <= groups[group].end;
            piece = is_set ? text + groups[group].start : "";
            piece_length = is_set ? groups[group].end - groups[group].start : 0;
        }
        if (piece_length > size - 1 - length)
            piece_length = size - 1 - length;
        memcpy(out + length, piece, piece_length);
        length += piece_length;
    }
    out[length] = '\0';
    return length;
}
