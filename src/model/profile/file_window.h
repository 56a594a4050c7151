// SPDX-License-Identifier: Apache-2.0
// A window: the part of a file that is read in place of all of it, as given by --window or --steps.
//
// A window contains everything that overlaps its time. It also contains the other end of each
// launch: GPU work that was launched within the window and runs after it, and earlier calls that
// launched work which runs within the window; and the ranges around all of these.
#ifndef MODEL_PROFILE_FILE_WINDOW_H
#define MODEL_PROFILE_FILE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct file_window {
    // Nanoseconds on the clock of the capture, [from, to); INT64_MIN and INT64_MAX are open ends.
    int64_t from, to;
    // Numbers of the first and last step, both included; the window then also contains the step
    // before and the step after. UNKNOWN: the window is given by time alone. The loader computes
    // the time.
    int64_t first_step, last_step;
};

// Parses "12s..14.5s": two times, in seconds unless they have a unit; one may be omitted.
bool file_window_parse_times(const char *text, struct file_window *file_window,
                             struct error *error);
// Parses "100-110", "100" or "3,7-9" as the steps from the least to the greatest number.
bool file_window_parse_steps(const char *text, struct file_window *file_window,
                             struct error *error);

bool file_window_has_steps(const struct file_window *file_window);
// True if a step is read only as the neighbour of a requested one.
bool file_window_is_neighbour(const struct file_window *file_window, int64_t step);
// Returns "steps 100-110", "12.000000 s to 14.500000 s" or "12.000000 s to the end".
const char *file_window_text(const struct file_window *file_window, struct arena *arena);

// True if [start, end) overlaps the window's time; an instant at `from` counts.
static inline bool file_window_overlaps(const struct file_window *file_window, int64_t start,
                                        int64_t end)
{
    return start < file_window->to && (end > file_window->from || start >= file_window->from);
}

#endif
