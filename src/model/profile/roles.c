// SPDX-License-Identifier: Apache-2.0
// Reads roles from environment variables and file names, and formats them.
#include "model/profile/roles.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/text/text.h"
#include "model/profile/profile.h"

enum { MAX_DIGITS = 7, MAX_WORD = 31 };

// The name of each kind, as displayed before its number.
static const char *const kinds[ROLE_KINDS] = {"stage", "pp", "tp", "dp", "cp", "ep"};
enum { ROLE_DP = 3 };

static const char *const words[] = {
    "prefill", "decode",  "actor",  "critic",    "rollout", "trainer",
    "learner", "encoder", "reward", "reference", "draft",
};

struct roles roles_unknown(void)
{
    struct roles roles = {.word = ""};
    for (unsigned k = 0; k < ROLE_KINDS; k++)
        roles.number[k] = UNKNOWN;
    return roles;
}

// ---- roles from the environment -----------------------------------------------------------------

// Returns the value of the variable `name`, or NULL if `text` is another variable.
static const char *value_of(const char *text, const char *name)
{
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && text[length] == '=' ? text + length + 1 : NULL;
}

bool roles_is_word(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || (text[length] && strchr("_-", text[length])))
        length++;
    return length <= MAX_WORD && !text[length];
}

bool roles_of_variable(const char *text, struct roles *roles, struct arena *arena)
{
    const char *word = value_of(text, "ROLE_NAME"), *dp = value_of(text, "VLLM_DP_RANK");
    size_t digits = dp ? strspn(dp, "0123456789") : 0;
    if (digits && digits <= MAX_DIGITS && !dp[digits]) {
        roles->number[ROLE_DP] = atoll(dp);
        return true;
    }
    // torchrun uses "default" for a job with one role.
    if (!word || !*word || !roles_is_word(word) || strcmp(word, "default") == 0)
        return false;
    roles->word = arena_text(arena, word);
    return true;
}

// ---- roles from file names ----------------------------------------------------------------------

// Returns whether a word can begin at `at`: no letter or digit precedes it.
static bool is_word_start(const char *name, const char *at)
{
    return at == name || !isalnum((unsigned char)at[-1]);
}

// Returns the number after the kind of role, as in "pp1", "pp-1", "PP_1".
static int64_t number_after(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    for (const char *at = name; *at; at++) {
        if (!is_word_start(name, at) || strncasecmp(at, kind, length) != 0)
            continue;
        const char *number = at + length;
        number += *number && strchr("_-=", *number) != NULL;
        size_t digits = strspn(number, "0123456789");
        if (digits && digits <= MAX_DIGITS && !isalpha((unsigned char)number[digits]))
            return atoll(number);
    }
    return UNKNOWN;
}

// Returns the index of the only word in a name, also in "decode3"; -1 if there is none or several.
static int word_in(const char *name)
{
    int found = -1;
    for (int w = 0; w < (int)(sizeof words / sizeof *words); w++)
        for (const char *at = name; *at; at++) {
            size_t length = strlen(words[w]);
            if (!is_word_start(name, at) || strncasecmp(at, words[w], length) != 0 ||
                isalpha((unsigned char)at[length]))
                continue;
            if (found >= 0 && found != w)
                return -1;
            found = w;
        }
    return found;
}

static void numbers_take(const char *const *paths, uint32_t count, unsigned kind,
                         struct roles *const *roles)
{
    bool differs = false;
    int64_t first = count ? number_after(text_file_name(paths[0], NULL), kinds[kind]) : UNKNOWN;
    for (uint32_t i = 0; i < count; i++) {
        int64_t number = number_after(text_file_name(paths[i], NULL), kinds[kind]);
        if (number == UNKNOWN)
            return;
        differs |= number != first;
    }
    for (uint32_t i = 0; i < count && differs; i++)
        if (roles[i]->number[kind] == UNKNOWN)
            roles[i]->number[kind] = number_after(text_file_name(paths[i], NULL), kinds[kind]);
}

void roles_of_files(const char *const *paths, uint32_t count, struct roles *const *roles)
{
    bool differs = false;
    for (unsigned k = 0; k < ROLE_KINDS; k++)
        numbers_take(paths, count, k, roles);
    int first = count ? word_in(text_file_name(paths[0], NULL)) : -1;
    for (uint32_t i = 0; i < count; i++) {
        int word = word_in(text_file_name(paths[i], NULL));
        if (word < 0)
            return;
        differs |= word != first;
    }
    for (uint32_t i = 0; i < count && differs; i++)
        if (!roles[i]->word[0])
            roles[i]->word = words[word_in(text_file_name(paths[i], NULL))];
}

// ---- texts --------------------------------------------------------------------------------------

const char *roles_at(const struct roles *roles, unsigned i, struct arena *arena)
{
    if (roles->word[0] && i-- == 0)
        return arena_text(arena, roles->word);
    for (unsigned k = 0; k < ROLE_KINDS; k++)
        if (roles->number[k] != UNKNOWN && i-- == 0)
            return arena_format(arena, "%s %" PRId64, kinds[k], roles->number[k]);
    return NULL;
}

const char *roles_text(const struct roles *roles, struct arena *arena)
{
    const char *text = NULL, *one;
    for (unsigned i = 0; (one = roles_at(roles, i, arena)); i++)
        text = text ? arena_format(arena, "%s %s", text, one) : one;
    return text;
}
