// SPDX-License-Identifier: Apache-2.0
// The words that determine the role of a range.
#include "model/markers/step_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "model/markers/step_numbers.h"

enum { MAX_TEXT = 200 }; // bytes of a text that are read

struct role_word {
    const char *text;
    enum step_role role;
    bool is_prefix; // also matches the beginning of a longer word: "valid" in "validation"
};

// In order of precedence: the first word found in the text determines the role.
static const struct role_word words[] = {
    {"warm", ROLE_NOT_STEP, true},
    {"warmup", ROLE_NOT_STEP, true},
    {"valid", ROLE_NOT_STEP, true},
    {"val", ROLE_NOT_STEP, false},
    {"eval", ROLE_NOT_STEP, true},
    {"test", ROLE_NOT_STEP, false},
    {"testing", ROLE_NOT_STEP, false},
    {"inference", ROLE_NOT_STEP, false},
    {"checkpoint", ROLE_NOT_STEP, true},
    {"save", ROLE_NOT_STEP, false},
    {"saving", ROLE_NOT_STEP, false},
    {"log", ROLE_NOT_STEP, false},
    {"logging", ROLE_NOT_STEP, false},
    {"metrics", ROLE_NOT_STEP, false},
    {"epoch", ROLE_NOT_STEP, true},
    {"init", ROLE_NOT_STEP, true},
    {"setup", ROLE_NOT_STEP, false},
    {"heartbeat", ROLE_NOT_STEP, false},
    {"layer", ROLE_BUILT, false},
    {"layers", ROLE_BUILT, false},
    {"block", ROLE_BUILT, false},
    {"blocks", ROLE_BUILT, false},
    {"bucket", ROLE_BUILT, false},
    {"rank", ROLE_BUILT, false},
    {"stage", ROLE_BUILT, false},
    {"head", ROLE_BUILT, false},
    {"expert", ROLE_BUILT, false},
    {"shard", ROLE_BUILT, false},
    {"request", ROLE_PART, true},
    {"req", ROLE_PART, false},
    {"rid", ROLE_PART, false},
    {"id", ROLE_PART, false},
    {"uuid", ROLE_PART, false},
    {"uid", ROLE_PART, false},
    {"timestep", ROLE_PART, true},
    {"timestamp", ROLE_PART, false},
    {"micro", ROLE_MICRO, true},
    {"microbatch", ROLE_MICRO, true},
    {"gpu_model_runner: forward", ROLE_ANCHOR, false},
    {"DeepSpeedEngine.step", ROLE_OPTIMIZER, false},
    {"backward", ROLE_BACKWARD, false},
    {"backprop", ROLE_BACKWARD, true},
    {"bwd", ROLE_BACKWARD, false},
    {"forward", ROLE_FORWARD, false},
    {"fwd", ROLE_FORWARD, false},
    {"optim", ROLE_OPTIMIZER, false},
    {"optimiz", ROLE_OPTIMIZER, true},
    {"optimis", ROLE_OPTIMIZER, true},
    {"opt", ROLE_OPTIMIZER, false},
    {"adam", ROLE_OPTIMIZER, true},
    {"adamw", ROLE_OPTIMIZER, false},
    {"sgd", ROLE_OPTIMIZER, false},
    {"lamb", ROLE_OPTIMIZER, false},
    {"dataloader", ROLE_INPUT, true},
    {"loader", ROLE_INPUT, false},
    {"data", ROLE_INPUT, false},
    {"load", ROLE_INPUT, true},
    {"input", ROLE_INPUT, true},
    {"fetch", ROLE_INPUT, false},
    {"to_device", ROLE_INPUT, false},
    {"h2d", ROLE_INPUT, false},
};

// Matches words within one part of a name: `zero_grad` is no `grad`, `forward_pass` is a `forward`.
static bool text_has_word(const char *text, size_t length, const struct role_word *word)
{
    size_t size = strlen(word->text);
    for (size_t i = 0; i + size <= length; i++) {
        bool begins = i == 0 || !isalnum((unsigned char)text[i - 1]) ||
                      (islower((unsigned char)text[i - 1]) && isupper((unsigned char)text[i]));
        if (!begins || strncasecmp(text + i, word->text, size) != 0)
            continue;
        unsigned char next = i + size < length ? (unsigned char)text[i + size] : 0;
        if (word->is_prefix || !isalpha(next) ||
            (isupper(next) && islower((unsigned char)text[i + size - 1])))
            return true;
    }
    return false;
}

static bool is_part(enum step_role role)
{
    return role == ROLE_PART || role == ROLE_BUILT;
}

enum step_role step_role_of(const char *text)
{
    size_t length = strnlen(text, MAX_TEXT), from, to;
    bool is_step = step_number_in(text, length, &from, &to); // also if the text names the epoch
    bool has_number = memchr(text, '*', length) != NULL;
    if (strcasestr(text, "zero_grad")) // of an optimizer, but not the end of a step
        return ROLE_NOTHING;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_has_word(text, length, &words[i]) &&
            !(is_step && (strcmp(words[i].text, "epoch") == 0 || is_part(words[i].role))) &&
            !(is_part(words[i].role) && !has_number))
            return words[i].role;
    return ROLE_NOTHING;
}

bool step_text_names_built(const char *text)
{
    size_t length = strnlen(text, MAX_TEXT);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].role == ROLE_BUILT && text_has_word(text, length, &words[i]))
            return true;
    return false;
}
