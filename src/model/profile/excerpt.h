// SPDX-License-Identifier: Apache-2.0
// A part of a file that is read instead of all of it, and how people write it: --window, --steps.
//
// In it is what touches its time, and what belongs to that by a launch: work that was launched then and
// runs later, calls that launched before what runs then, and the ranges around these.
#ifndef MODEL_EXCERPT_H
#define MODEL_EXCERPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct excerpt {
    int64_t from, to; // ns on the clock of the capture, [from, to); INT64_MIN, INT64_MAX: open ends
    // Numbers of steps, both in, whose time it is with that of the step before and the one behind;
    // UNKNOWN: it goes by time alone. The loader finds the time.
    int64_t first_step, last_step;
};

// "12s..14.5s": two times with their units, seconds where none stands there; one may be left out.
bool excerpt_parse_window(const char *text, struct excerpt *excerpt, struct error *error);
// "100-110", "100", "3,7-9": from the least to the most of these numbers.
bool excerpt_parse_steps(const char *text, struct excerpt *excerpt, struct error *error);

bool excerpt_is_of_steps(const struct excerpt *excerpt);
// Whether a step is read only for the sake of its neighbour.
bool excerpt_is_beside(const struct excerpt *excerpt, int64_t step);
// "steps 100-110", "12.000000 s to 14.500000 s", "12.000000 s to the end".
const char *excerpt_text(const struct excerpt *excerpt, struct arena *arena);

// Whether something from `start` to `end` touches its time; what takes no time does at `from`.
static inline bool excerpt_touches(const struct excerpt *excerpt, int64_t start, int64_t end)
{
    return start < excerpt->to && (end > excerpt->from || start >= excerpt->from);
}

#endif
