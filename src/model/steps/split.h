// SPDX-License-Identifier: Apache-2.0
// Splits of a profile into steps (DLProf calls them iterations).
//
// A split is a method, a list of windows and a confidence. Work belongs to the step in which it was
// LAUNCHED (start of the launch), never to the one in whose time it runs, while breakdowns and bars
// count by TIME, clipped to the windows. Work whose launch is not in the file belongs to a step
// only if the launched work before and after it on its stream does (split_launches.c). Steps are
// never invented: without marks the split has a single window, and its text says so.
#ifndef MODEL_STEPS_SPLIT_H
#define MODEL_STEPS_SPLIT_H

#include "base/error.h"
#include "model/markers/step_content.h"
#include "model/profile/profile.h"

enum split_method {
    SPLIT_NONE, // no steps found: one window [0, last]
    SPLIT_KEY,  // DLProf's: the stops of a key op cut the time; N stops give N + 1 windows
    // Each window has its own start and stop, as a range has; the time between is outside.
    SPLIT_RANGES,
};

// How certain it is that the windows are the steps of the program.
enum confidence {
    CONFIDENCE_CERTAIN,  // the file has numbered steps, or the user asked for the split by name
    CONFIDENCE_LIKELY,   // DLProf's default, or a loop with uniform turns
    CONFIDENCE_POSSIBLE, // regular, but possibly something else
    CONFIDENCE_NONE,     // bursts and slices: parts of time that are not known to be steps
    CONFIDENCE_COUNT
};
extern const char *const confidence_names[CONFIDENCE_COUNT]; // "certain", "likely", ...

struct split {
    enum split_method method;
    const char *key;  // the marks: op name or id, range family "step N"; "" for SPLIT_NONE
    const char *text; // description: "24 iterations by range \"step N\" (certain)"
    // Singular noun for a window: "iteration", or "replay", "sequence", "burst" or "slice" when the
    // windows are not steps of a program. The plural adds an s.
    const char *unit;
    enum confidence confidence;
    // GPU work outside all windows: its count and exclusive time, and the exclusive time of the
    // rest; `early_count` of it ran before the first launch of its stream in the file. If
    // `leaves_outside`, the outside work is excluded from analysis by default: the screen starts
    // with the set of all windows instead of everything.
    uint32_t outside_count, early_count;
    int64_t outside_ns, inside_ns;
    bool leaves_outside;
    bool has_unused;    // SPLIT_NONE: ranges count up, and are no likely steps
    bool has_pauses;    // nothing was recorded between some windows; that time is outside, too
    bool is_of_excerpt; // the profile is an excerpt of a file: its edges are is_cut
    bool is_told;       // from an aggregation of a DLProf database: windows outside it are is_cut
    uint32_t inner;     // micro-steps per window (gradient accumulation); 0: unknown
    bool key_found;     // false: a key was requested (or is DLProf's default) and not found
    uint32_t count;     // windows, at least 1
    int64_t *number;    // per window: its number in the marks, 0, 1, ... or the N of "step N"
    // Per window what its marks say of it; NULL: nothing in any window.
    struct step_content *content;
    // Windows on the host's clock, [start, stop), over all processes. They abut for SPLIT_KEY.
    int64_t *start, *stop;
    // Windows per process: [process * count + i]. NULL: the same for all.
    int64_t *process_start, *process_stop;
    // Windows on the GPU's clock: [device * count + i], UNKNOWN without work. A window begins with
    // the wait for its first work (split_gpu.c): when the work before has ended and the step has
    // begun on the host. First is the work on a compute stream if there is any, because copies on
    // other streams run as early as the host launches them. A window ends when the next one begins;
    // the last window, and a window followed by other work such as a validation, end with their own
    // work or with the step on the host, whichever is later. Where the clocks of GPU and host do
    // not agree, the first work and the last work are the bounds.
    int64_t *gpu_start, *gpu_stop;
    // Excluded by default: windows cut by the capture (split_cut.c); for SPLIT_KEY the first and
    // the last one, which are not between two stops; a shorter last slice.
    bool *is_cut;
    // Window of each row; ROW_NONE: outside all windows.
    uint32_t *of_work, *of_instance;
};

// Finds the best split by the marks of the file itself (step_rank.c has the order): explicit step
// markers, DLProf's default key, ranges and loops that are likely steps; SPLIT_NONE when there are
// none.
struct split *split_find(const struct profile *profile, struct arena *arena);

// Splits by DLProf's rule. `key` is an op name or an op id. With NULL, uses the last aggregation of
// a DLProf database, or DLProf's default for the mode (global_step, the `backward` op, or none). If
// the key is not found, the split has one window and key_found is false.
struct split *split_by_key(const struct profile *profile, const char *key, struct arena *arena);

// Splits by a family of ranges, given by the text of any member or the name of a tree node.
struct split *split_by_range(const struct profile *profile, const char *text, struct arena *arena);

// Splits by any name of a split: the key of a candidate (step_candidates.h), else the name or id of
// an op by DLProf's rule, else a range. If the name is not found, the split has one window and
// key_found is false.
struct split *split_by_name(const struct profile *profile, const char *name, struct arena *arena);

// The words for a window in texts: "step", or its unit ("replay", "burst" ...).
struct split_words {
    const char *unit;                    // as in split.unit: "iteration"
    const char *one, *several, *each;    // "step", "steps", "a step"
    const char *title;                   // "Steps"
    const char *with_gpu, *with_process; // "step and GPU", "step and process"
    const char *cut, *cut_short;         // the reason of is_cut: "cut off by the capture", "cut"
    // Windows are parts of time that do not begin with an event of the program.
    bool is_time;
};
const struct split_words *split_words_of(const struct split *split);

// Returns the kind of a window; STEP_KIND_NONE: unknown.
static inline enum step_kind split_kind(const struct split *split, uint32_t window)
{
    return split->content ? split->content[window].kind : STEP_KIND_NONE;
}

// Counts the windows of each kind. Returns whether any has one.
bool split_count_kinds(const struct split *split, uint32_t counts[STEP_KIND_COUNT]);

// Returns whether the windows are steps of a program, and not replays, sequences, bursts or slices.
bool split_has_steps(const struct split *split);

// Returns the window of a host time in a process, or ROW_NONE.
uint32_t split_at(const struct split *split, uint32_t process, int64_t time);

#endif
