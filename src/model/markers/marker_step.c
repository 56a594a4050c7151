// SPDX-License-Identifier: Apache-2.0
// Numbered training steps, matched as whole texts: `step 12`, `iter_12`, `ProfilerStep#3`,
// `training_step_7`, `Batch 4`. Additional words make a plain range (`Warm-up Step 3`).
#include "model/markers/marker_dialects.h"

#include <string.h>
#include <strings.h>

bool marker_step(const struct marker_text *text, struct marker *marker)
{
    static const char *const words[] = {
        "step",
        "iteration",
        "iter",
        "batch",
        "it",
        "train_step",
        "training_step",
        "train step",
        "training step",
        "trainstep",
        "global_step",
        "global step",
        "train_iteration",
        "training iteration",
        "profilerstep",
        "train_iter",
        "train_batch",
        "optimizer_step",
        "decode_step",
        "decode step",
    };
    if (text->length > 60)
        return false;
    size_t digits = text->length;
    while (digits && text->text[digits - 1] >= '0' && text->text[digits - 1] <= '9')
        digits--;
    if (digits == text->length || text->length - digits > 18)
        return false;
    // Between word and number there is nothing, a separator, or a colon and a blank.
    size_t word = digits;
    while (word && strchr(" _#:-=", text->text[word - 1]))
        word--;
    if (!word || digits - word > 2)
        return false;
    bool is_step = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is_step |= strlen(words[i]) == word && strncasecmp(text->text, words[i], word) == 0;
    if (!is_step || (word == digits && word == 2))
        return false;
    char title[64];
    memcpy(title, text->text, digits);
    title[digits] = 'N';
    marker->kind = MARKER_STEP;
    marker->title = marker_intern(text, title, digits + 1);
    marker->number = step_number_value(text->text + digits, text->length - digits);
    if (strncasecmp(text->text, "profilerstep", 12) == 0)
        marker->dialect = DIALECT_EMIT_NVTX;
    return true;
}
