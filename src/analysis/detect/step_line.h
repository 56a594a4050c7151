// SPDX-License-Identifier: Apache-2.0
// The time line of one GPU, cut into the windows of all steps and these into stretches, each with
// the work that keeps the GPU busy in it or idle; and what detectors find there (scan.h).
//
// Whatever steps are chosen later: a step's window is by the GPU's own clock, and where no steps are
// found the only one is everything from its first work to its last. Kept where the selection has a
// memo; the stretches are gone once the detectors have looked at them.
#ifndef ANALYSIS_STEP_LINE_H
#define ANALYSIS_STEP_LINE_H

#include "analysis/detect/claims.h"
#include "analysis/idle/idle.h"

enum {
    QUEUE_GAP_NS = 1500,   // between two pieces of work of a full queue, at most
    EMPTY_QUEUE_NS = 30000 // from a launch into an empty queue to its work, at most
};

enum alone_group { ALONE_COMM, ALONE_COPY, ALONE_GROUPS }; // of step_line.alone

struct stretch {
    int64_t from, to;
    uint32_t work; // that alone keeps the GPU busy; ROW_NONE: the GPU is idle
    uint32_t next; // idle: the work that ends it
    uint32_t window;
    uint32_t first_part, end_part; // idle: its parts by cause, parts of line.idle; the first
                                   // and the last may reach beyond the stretch
    uint8_t class;                 // enum work_class of `work`; CLASS_COUNT: idle
};

struct line_window {
    int64_t from, to;
    uint32_t iteration;  // ROW_NONE: no steps
    int64_t compute_ns;  // stretches of compute kernels
    int64_t opaque_ns;   // of CUDA graphs traced as a whole
    int64_t idle_ns;     // of nothing
    int64_t overhead_ns; // idle while the profiler was busy with itself
};

struct step_line {
    const struct profile *profile;
    const struct selection *selection; // of its process and form of the tree; all else open
    uint32_t device;
    bool has_steps;  // false: one window, the whole capture
    bool hides_work; // graphs are launched and nothing of them is in the file: idle may be not
    uint32_t window_count;
    struct line_window *windows;     // in order, apart from each other
    uint32_t *of_iteration;          // its window, ROW_NONE: it has none. NULL without steps
    const struct scan *scans;        // by detector
    const struct run_limits *limits; // run_limits.h; NULL: no range tells sizes
    struct wants alone;              // communication and copies with nothing beside them

    // Only while it is scanned.
    struct arena *scratch;
    size_t count;
    struct stretch *stretches;   // in order; within a window without holes
    const struct idle *idle;     // of this GPU: why nothing runs
    bool *launches;              // of each thread: it sends work to this GPU
    struct lead_host *lead_host; // lead.c's own
    struct meetings *meetings;   // meetings.c's own
    struct hold *holds;          // hold.c's own
    int64_t *late_launches;      // line_late_launches()
    struct scan_open *spare;     // scan.c's own: room that the scan before had
};

// Of a GPU and the process that is selected, with its scans.
const struct step_line *step_line_of(const struct profile *profile,
                                     const struct selection *selection, uint32_t device,
                                     struct arena *arena);

// The window of the step that work of any GPU belongs to; ROW_NONE: it belongs to none, or is of
// another process.
uint32_t line_window_of(const struct step_line *line, uint32_t work);

// The window that holds an instant of the GPU's clock, or ROW_NONE.
uint32_t line_window_at(const struct step_line *line, int64_t time);

// Of each stretch: when the host launched what is computed next after it, by the GPU's clock, if
// that began as soon as it was launched: then the host was late. Else INT64_MIN. Found once for a
// line.
const int64_t *line_late_launches(struct step_line *line);

// The part of row `row` of line.idle that lies in an idle stretch; false: nothing of it does.
static inline bool stretch_part(const struct step_line *line, const struct stretch *stretch,
                                size_t row, int64_t *from, int64_t *to)
{
    int64_t part_from = idle_part_from(line->idle, row), part_to = idle_part_to(line->idle, row);
    *from = part_from > stretch->from ? part_from : stretch->from;
    *to = part_to < stretch->to ? part_to : stretch->to;
    return *to > *from;
}

struct device_load {
    int64_t busy_ns, comm_ns; // exclusive
};

// Of every device and iteration: [device * (iterations + 1) + iteration]; the last: of none.
const struct device_load *device_loads_of(const struct profile *profile,
                                          const struct selection *selection, struct arena *arena);

#endif
