// SPDX-License-Identifier: Apache-2.0
// Splits of a profile into iterations.
//
// A split is a method, a list of windows, and how sure it is. Work belongs to the iteration in
// which it was LAUNCHED (launch start; for work without a launch its own start); breakdowns and
// bars are by TIME, clipped to the windows. Iterations are never invented: when nothing marks
// them there is one, and the split says so.
#ifndef MODEL_ITERATIONS_H
#define MODEL_ITERATIONS_H

#include "base/error.h"
#include "model/profile/profile.h"

enum split_method {
    SPLIT_NONE,   // no steps found: one iteration [0, last]
    SPLIT_KEY,    // DLProf's: the stops of a key op cut the time, N stops give N + 1 windows
    SPLIT_RANGES, // windows of their own, as the extents of a range: what is between is outside
};

// How sure it is that these are the steps of the program.
enum confidence {
    CONFIDENCE_CERTAIN,  // the file says so: numbered steps, or somebody asked for it by name
    CONFIDENCE_LIKELY,   // DLProf's default, or a loop whose every turn is alike
    CONFIDENCE_POSSIBLE, // regular, but it may as well be something else
    CONFIDENCE_NONE, // bursts and slices: parts of time, of which nothing says that they are steps
    CONFIDENCE_COUNT
};
extern const char *const confidence_names[CONFIDENCE_COUNT]; // "certain", "likely", ...

struct split {
    enum split_method method;
    const char *key;  // what marks it: op name or id, range family "step N"; "" for NONE
    const char *text; // in words: "24 iterations by range \"step N\" (certain)"
    // What one of them is called: "iteration", and where they are no steps of a program "replay",
    // "sequence", "burst" or "slice". The plural adds an s.
    const char *unit;
    enum confidence confidence;
    // GPU work outside of all windows, its exclusive time and that of the rest. Where
    // `leaves_outside`, it is no part of what is judged: the screen begins with the set of all
    // windows instead of everything.
    uint32_t outside_count;
    int64_t outside_ns, inside_ns;
    bool leaves_outside;
    bool has_pauses;    // between some of them nothing was recorded, which is outside, too
    bool is_of_excerpt; // of a part of a file: at its edges is_cut
    bool is_told;       // an aggregation of a DLProf database: what it left out is_cut
    uint32_t inner;     // micro-steps in each (gradient accumulation), 0: none known
    bool key_found;     // false: a key was asked for (or is DLProf's default) and not found
    uint32_t count;     // iterations, at least 1
    int64_t *number;    // what the marks call them: 0, 1, ... or the N of "step N"
    // Windows on the host's clock: [start, stop), over all processes. SPLIT_KEY: abutting.
    int64_t *start, *stop;
    // Per process windows: [process * count + i]. NULL: the same for all.
    int64_t *process_start, *process_stop;
    // Windows by the GPU's clock: [device * count + i], from the first work launched in i to the
    // first work launched in i + 1 (the last: to its own last end; where other work comes between,
    // as a validation does: to that). The first on a stream that computes, where there is one:
    // copies on streams of their own run as far ahead as the host. UNKNOWN: no work there.
    int64_t *gpu_start, *gpu_stop;
    // Left out by default: cut by the capture; of SPLIT_KEY the first and the last, which lie
    // between no two stops; a last slice that is shorter.
    bool *is_cut;
    // Iteration of each row; ROW_NONE: outside every window.
    uint32_t *of_work, *of_instance;
};

// Splits as the file's own marks allow: SPLIT_RANGES by explicit step markers, else SPLIT_KEY by
// DLProf's default key, else SPLIT_NONE.
struct split *split_find(const struct profile *profile, struct arena *arena);

// DLProf's rule: key is an op name or an Op ID; NULL takes DLProf's default for the mode
// (global_step, the `backward` op, or none), of its databases the iterations of the last
// aggregation. A key that is not found gives one iteration and key_found false.
struct split *split_by_key(const struct profile *profile, const char *key, struct arena *arena);

// By a family of ranges, given by any member's text or a tree node's name.
struct split *split_by_range(const struct profile *profile, const char *text, struct arena *arena);

// By any name that this program gives to a way of splitting: the key of a candidate (see
// step_candidates.h), else an op's name or id by DLProf's rule, else a range. Where nothing has
// that name: one iteration, key_found false.
struct split *split_by_name(const struct profile *profile, const char *name, struct arena *arena);

// What one of its parts is called in running text: a step, or what the unit says it is.
struct split_words {
    const char *unit;                    // "iteration", as in split.unit
    const char *one, *several, *each;    // "step", "steps", "a step"
    const char *title;                   // "Steps"
    const char *with_gpu, *with_process; // "step and GPU", "step and process"
    const char *cut, *cut_brief;         // why is_cut: "cut off by the capture", "cut"
    bool is_time;                        // parts of time: nothing of the program begins with one
};
const struct split_words *split_words_of(const struct split *split);

// Whether its parts are steps of a program, and not replays, sequences, bursts or slices.
bool split_has_steps(const struct split *split);

// The iteration of a host time in a process, or ROW_NONE.
uint32_t split_at(const struct split *split, uint32_t process, int64_t time);

#endif
