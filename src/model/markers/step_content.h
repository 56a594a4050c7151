// SPDX-License-Identifier: Apache-2.0
// What a step of a server works on, as the text of its range says.
#ifndef MODEL_MARKERS_STEP_CONTENT_H
#define MODEL_MARKERS_STEP_CONTENT_H

#include "model/profile/profile.h"

// Steps of different kinds differ by 10 to 100 times in length, so that a mean over all says
// nothing.
enum step_kind {
    STEP_KIND_NONE, // the text does not say
    STEP_PREFILL,   // reads prompts
    STEP_DECODE,    // generates tokens
    STEP_MIXED,     // both
    STEP_IDLE,      // neither: the server only moves memory or waits
    STEP_KIND_COUNT
};
extern const char *const step_kind_names[STEP_KIND_COUNT]; // "", "prefill", "decode", ...

enum step_figure {
    STEP_REQUESTS,       // in the batch
    STEP_PREFILLS,       // of them in prefill
    STEP_TOKENS,         // computed in the step
    STEP_PREFILL_TOKENS, // of them of prompts
    STEP_FIGURE_COUNT
};

struct step_content {
    enum step_kind kind;
    int64_t figures[STEP_FIGURE_COUNT]; // UNKNOWN: the text does not say
};
extern const struct step_content step_content_none;

bool step_content_says(const struct step_content *content);

// Returns the value of decimal digits; UNKNOWN: there are none, or more than fit.
int64_t step_number_value(const char *digits, size_t count);

// Reads the words of a text that no dialect knows: `prefill`, `decode`, and the numbers beside
// `bs`, `reqs` or `tokens`, as in `decode bs=8` and `3 reqs, 40 tokens`.
struct step_content step_content_read(const char *text, size_t length);

// Joins what two ranges of one step say, of different threads or one after the other: prefill and
// decode are mixed; figures that differ are unknown.
struct step_content step_content_join(struct step_content a, struct step_content b);

#endif
