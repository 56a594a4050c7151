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

struct step_content {
    enum step_kind kind;
    int64_t requests; // in the batch; UNKNOWN: the text does not say
    int64_t tokens;   // computed in the step; UNKNOWN: the text does not say
};
static const struct step_content step_content_none = {STEP_KIND_NONE, UNKNOWN, UNKNOWN};

static inline bool step_content_says(const struct step_content *content)
{
    return content->kind != STEP_KIND_NONE || content->requests != UNKNOWN ||
           content->tokens != UNKNOWN;
}

// Returns the value of decimal digits; UNKNOWN: there are none, or more than fit.
int64_t step_number_value(const char *digits, size_t count);

// Reads the words of a text that no dialect knows: `prefill`, `decode`, and the numbers beside
// `bs`, `reqs` or `tokens`, as in `decode bs=8` and `3 reqs, 40 tokens`.
struct step_content step_content_read(const char *text, size_t length);

// Joins what two ranges of one step say, of different threads or one after the other: prefill and
// decode are mixed; figures that differ are unknown.
struct step_content step_content_join(struct step_content a, struct step_content b);

#endif
