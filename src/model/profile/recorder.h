// SPDX-License-Identifier: Apache-2.0
// The profiler that wrote a profile, for texts that recommend how to record missing data: options
// of nsys, or arguments of the PyTorch Profiler. Code names the nsys option; recorder_option()
// translates it.
#ifndef MODEL_PROFILE_RECORDER_H
#define MODEL_PROFILE_RECORDER_H

#include "model/profile/profile.h"

bool source_is_trace(const struct source *source);    // of the PyTorch Profiler
bool profile_is_trace(const struct profile *profile); // true if its first source is one

enum recorder { RECORDER_NSYS, RECORDER_PYTORCH, RECORDER_COUNT };
// Returns the recorder; for several files nsys if it wrote any of them.
enum recorder recorder_of(const struct profile *profile);

// Returns the short name for the ranges of a thread: "NVTX" or "ops".
const char *recorder_ranges(const struct profile *profile);

// Returns the option of the profiler in use that records the same as `option` of nsys; NULL if
// there is none or `option` is NULL.
const char *recorder_option(const struct profile *profile, const char *option);

// What a profile lacks; the text is a sentence that names it and what would have recorded it.
enum recorder_lack {
    LACKS_WORK,
    LACKS_CALLS,
    LACKS_COPIES,
    LACKS_RANGES,
    LACKS_OPERATORS,
    LACKS_MODULES,
    LACKS_ALLOCATIONS,
    LACKS_LINES,
    LACKS_SHAPES,      // short form
    LACKS_SHAPES_LONG, // as an instruction
    LACKS_ALL,         // nothing to analyse
    LACKS_WORK_LONG,   // as an instruction
    LACK_COUNT
};
const char *recorder_lack_text(const struct profile *profile, enum recorder_lack lack);

// What a detector says about the recording itself, and how to record next time.
enum recorder_advice {
    ADVISE_STEPS,         // how to record where steps begin
    ADVISE_MICRO_BATCHES, // how to record where micro-batches begin
    ADVISE_TYPES,         // how to record data types
    ADVISE_LOST,          // record less, because events were lost
    ADVISE_EVENTS,        // record without CUDA events
    ADVISE_OPS_COST,      // what the recording of ops costs
    ADVISE_OPS,    // how to judge then; NULL for a trace, whose loader notes what was recorded
    ADVISE_LATE,   // record without loading of code
    ADVISE_LESS,   // record less, because the profiler delays the GPU
    ADVISE_CLOCKS, // how to make clocks agree
    ADVICE_COUNT
};
const char *recorder_advice_text(const struct profile *profile, enum recorder_advice advice);

#endif
