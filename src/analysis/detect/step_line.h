// SPDX-License-Identifier: Apache-2.0
// The line of one GPU: cut into the windows of all steps, and these into intervals with the work
// that keeps the GPU busy or the reason why it is idle; and what detectors find there (scan.h).
//
// It does not depend on which steps are chosen. A step's window is by the GPU's own clock; without
// steps the only window reaches from the GPU's first work to its last. Kept in the memo of the
// selection. Intervals exist only until the detectors have scanned them.
#ifndef ANALYSIS_DETECT_STEP_LINE_H
#define ANALYSIS_DETECT_STEP_LINE_H

#include "analysis/detect/finding.h"
#include "analysis/detect/interval_grants.h"
#include "analysis/idle/idle.h"

enum {
    QUEUE_GAP_NS = 1500,   // maximum between two pieces of work of a full queue
    EMPTY_QUEUE_NS = 30000 // maximum from a launch into an empty queue to its work
};

enum alone_group { ALONE_COMM, ALONE_COPY, ALONE_GROUPS }; // groups of step_line.alone

struct line_interval {
    int64_t from, to;
    uint32_t work; // the work that owns the interval; ROW_NONE: the GPU is idle
    uint32_t next; // idle: the work that ends it; ROW_NONE: none after the GPU's last work
    uint32_t window;
    // Idle: its parts, rows of line.idle; the first and the last may extend beyond the interval.
    uint32_t first_part, end_part;
    uint8_t class; // enum work_class of `work`; CLASS_COUNT: idle
};

struct line_window {
    int64_t from, to;
    uint32_t iteration;  // ROW_NONE: no steps
    int64_t compute_ns;  // intervals of compute kernels
    int64_t opaque_ns;   // CUDA graphs traced as a whole
    int64_t idle_ns;     // the GPU is idle
    int64_t overhead_ns; // idle while the profiler worked
};

struct step_line {
    const struct profile *profile;
    const struct selection *selection; // only its process and form of the tree are set
    uint32_t device;
    bool has_steps; // false: one window, the whole capture
    // graphs are launched whose work is not in the file: the GPU may not be idle
    bool has_untraced_work;
    uint32_t window_count;
    struct line_window *windows;     // in order, disjoint
    uint32_t *of_iteration;          // [step] its window; ROW_NONE: none. NULL without steps
    const struct scan *scans;        // [detector]
    const struct run_limits *limits; // NULL: no range records sizes
    struct interval_requests alone;  // exposed communication and copies

    // Only valid during the scan.
    struct arena *scratch;
    size_t count;
    struct line_interval *intervals;      // in order; no holes within a window
    const struct idle *idle;              // of this GPU: why it is idle
    bool *launches;                       // [thread]: it launches work on this GPU
    struct slack_host *slack_host;        // state of driving_line() and slack_request()
    struct line_collectives *collectives; // from collectives_of_line()
    struct collective_delay *delays;      // from line_collective_delays()
    int64_t *late_launches;               // from line_late_launches()
    struct scan_open *spare;              // private to scan.c: memory for reuse by the next scan
};

// Sets the detectors whose scans each line keeps: by index of `list`, which must outlive all lines.
// Called by analysis/detectors before it asks for the first line, always with the same list.
void step_line_use(const struct detector_list *list);

// Returns the line of a GPU for the selected process, with its scans.
const struct step_line *step_line_of(const struct profile *profile,
                                     const struct selection *selection, uint32_t device,
                                     struct arena *arena);

// Returns the call that launched the work that ends an idle interval, or ROW_NONE.
static inline uint32_t line_next_launch(const struct step_line *line,
                                        const struct line_interval *idle)
{
    return idle->next == ROW_NONE ? ROW_NONE : AT(line->profile->work.launch, idle->next);
}

// Returns the window of the step that a piece of work on any GPU belongs to, or ROW_NONE (also for
// other processes).
uint32_t line_window_of(const struct step_line *line, uint32_t work);

// Returns the window that contains a time on the GPU's clock, or ROW_NONE.
uint32_t line_window_at(const struct step_line *line, int64_t time);

// Returns, per interval, when the host launched the next computing after it (GPU clock), if that
// computing began as soon as it was launched: then the host was late. Else INT64_MIN. Computed once
// per line.
const int64_t *line_late_launches(struct step_line *line);

// Clips row `row` of line.idle to an idle interval. Returns false if the result is empty.
static inline bool interval_part(const struct step_line *line, const struct line_interval *interval,
                                 size_t row, int64_t *from, int64_t *to)
{
    int64_t part_from = idle_part_from(line->idle, row), part_to = idle_part_to(line->idle, row);
    *from = part_from > interval->from ? part_from : interval->from;
    *to = part_to < interval->to ? part_to : interval->to;
    return *to > *from;
}

struct device_load {
    int64_t busy_ns, comm_ns; // exclusive time
};

// Returns [device * (steps + 1) + step]; the last entry of a device is outside of all steps.
const struct device_load *device_loads_of(const struct profile *profile,
                                          const struct selection *selection, struct arena *arena);

#endif
