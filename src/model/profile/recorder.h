// SPDX-License-Identifier: Apache-2.0
// Which profiler wrote a profile, for texts that say what would have recorded what it lacks: options of
// nsys, or arguments of the PyTorch Profiler. Code names nsys's option; it is put into the other's words
// where it is handed out.
#ifndef MODEL_RECORDER_H
#define MODEL_RECORDER_H

#include "model/profile/profile.h"

bool source_is_trace(const struct source *source);    // of the PyTorch Profiler
bool profile_is_trace(const struct profile *profile); // its first source is one

enum recorder { RECORDER_NSYS, RECORDER_PYTORCH, RECORDER_COUNT };
enum recorder recorder_of(
    const struct profile *profile); // of several files nsys, where any is of it

// What the ranges of a thread are called for short: "NVTX", "ops".
const char *recorder_ranges(const struct profile *profile);

// What records the same in the profiler that wrote it; NULL: nothing does, or `option` is NULL.
const char *recorder_option(const struct profile *profile, const char *option);

// A sentence of what a profile lacks, and what would have recorded it.
enum recorder_lack {
    LACKS_WORK,
    LACKS_CALLS,
    LACKS_COPIES,
    LACKS_RANGES,
    LACKS_OPERATORS,
    LACKS_MODULES,
    LACKS_ALLOCATIONS,
    LACKS_LINES,
    LACKS_SHAPES,      // in a few words
    LACKS_SHAPES_LONG, // what to do
    LACKS_ALL,         // to judge by
    LACKS_WORK_LONG,   // what to do
    LACK_COUNT
};
const char *recorder_lack_text(const struct profile *profile, enum recorder_lack lack);

// What a detector says of the recording itself, and what to do otherwise next time.
enum recorder_advice {
    ADVISE_STEPS,         // so that it is told where steps begin
    ADVISE_MICRO_BATCHES, // ...
    ADVISE_TYPES,         // so that data types are told
    ADVISE_LOST,          // less, since events were lost
    ADVISE_EVENTS,        // no tracing of events
    ADVISE_OPS_COST,      // what the recording of ops costs
    ADVISE_OPS,           // how to judge then; of a trace NULL: its loader notes what was recorded
    ADVISE_LATE,          // without the loading
    ADVISE_LESS,          // since the profiler keeps the GPU waiting
    ADVISE_CLOCKS,        // so that the clocks agree
    ADVICE_COUNT
};
const char *recorder_advice_text(const struct profile *profile, enum recorder_advice advice);

#endif
