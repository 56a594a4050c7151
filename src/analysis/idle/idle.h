// SPDX-License-Identifier: Apache-2.0
// Why a GPU is idle: every gap in its work is cut into parts with one cause each.
//
// A gap is an interval outside the union of all work on a GPU (or of all work of one process). The
// work that ends a gap was launched by a call on some thread: before the call, the cause is what
// that thread does (host_line.h); after it, what delays the launch. At each instant the first
// applicable cause in the order of idle_causes[] wins. A cause that needs a table which the file
// lacks is never assumed. Parts are consecutive, so they add up to the idle time. The result
// depends on (profile, process) only, not on steps or their selection.
#ifndef ANALYSIS_IDLE_IDLE_H
#define ANALYSIS_IDLE_IDLE_H

#include "analysis/idle/host_line.h"
#include "analysis/report/selection.h"

enum idle_cause {
    IDLE_ELSEWHERE,
    IDLE_PROFILER,
    IDLE_COMPILE,
    IDLE_ALLOCATOR,
    IDLE_SYNC,
    IDLE_DATA,
    IDLE_COPY,
    IDLE_HOST,
    IDLE_DEPENDENCY,
    IDLE_GRAPH,
    IDLE_LATENCY,
    IDLE_UNKNOWN,
    IDLE_CAUSES
};

struct idle_cause_info {
    const char *key;   // "data_loading"
    const char *title; // "data loading"
    const char *brief; // "data": for narrow places
    const char *doc;   // the rule
    char glyph;        // distinct without colour
};
extern const struct idle_cause_info idle_causes[IDLE_CAUSES];

struct idle_part {
    int64_t from, to; // on the GPU's clock
    // The work that ends the gap; ROW_NONE: no more work of the selected process.
    uint32_t next_work;
    uint32_t row;     // the evidence, in the table that `kind` names; ROW_NONE
    uint8_t cause;    // enum idle_cause
    uint8_t kind;     // enum evidence_kind
    bool is_inferred; // by a rule of thumb; not recorded in the file
};

struct idle { // of one GPU
    size_t count;
    struct column64 from, ns; // its parts in order; see idle_part_at()
    struct column32 next_work, row, flags;
    int64_t *sums; // [block * IDLE_CAUSES + cause]: ns before part block * 64
    // Host clock less GPU clock if kernels begin before their launch; 0: they agree.
    int64_t skew_ns;
};

enum { IDLE_FLAG_CAUSE = 15, IDLE_FLAG_KIND = 16, IDLE_FLAG_KINDS = 7, IDLE_FLAG_INFERRED = 128 };

static inline int64_t idle_part_from(const struct idle *idle, size_t part)
{
    return AT(idle->from, part);
}
static inline int64_t idle_part_to(const struct idle *idle, size_t part)
{
    return (int64_t)((uint64_t)AT(idle->from, part) + (uint64_t)AT(idle->ns, part));
}
static inline enum idle_cause idle_part_cause(const struct idle *idle, size_t part)
{
    return (enum idle_cause)(AT(idle->flags, part) & IDLE_FLAG_CAUSE);
}
static inline struct idle_part idle_part_at(const struct idle *idle, size_t part)
{
    uint32_t flags = AT(idle->flags, part);
    return (struct idle_part){
        .from = idle_part_from(idle, part),
        .to = idle_part_to(idle, part),
        .next_work = AT(idle->next_work, part),
        .row = AT(idle->row, part),
        .cause = (uint8_t)(flags & IDLE_FLAG_CAUSE),
        .kind = (uint8_t)(flags / IDLE_FLAG_KIND & IDLE_FLAG_KINDS),
        .is_inferred = flags & IDLE_FLAG_INFERRED,
    };
}

// Returns one entry per device: the gaps in work of `process` (ROW_NONE: any), from the device's
// first work to its last. If `device` is not ROW_NONE, only that device is evaluated.
struct idle *idle_find(const struct profile *profile, uint32_t device, uint32_t process,
                       struct arena *arena);

// The same for the selection's process and at least its GPU, stored in the memo if there is one.
const struct idle *idle_of(const struct profile *profile, const struct selection *selection,
                           struct arena *arena);

// Returns the first part that ends after `time`, or idle->count.
size_t idle_at(const struct idle *idle, int64_t time);

// Adds to ns[cause] the idle time of each cause within [from, to). O(log n).
void idle_add(const struct idle *idle, int64_t from, int64_t to, int64_t *ns);

// Returns the node of the selection's tree that a part belongs to: the node of its evidence on the
// host, else of the work that the GPU waits for. The parts of all nodes add up to the idle time.
uint32_t idle_node(const struct profile *profile, const struct selection *selection,
                   const struct idle_part *part);

#endif
