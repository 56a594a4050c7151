// SPDX-License-Identifier: Apache-2.0
// Memory handed out by a framework's allocator (profile.allocations): which allocations are
// selected, which operator they belong to, and how much is allocated at a time.
//
// An allocation belongs to the innermost operator, module or place (operators.h) that encloses it
// on its thread. Rows are rows of profile.allocations.
//
// Sizes are bytes, times ns of the profile. Results live in the arena that is passed.
#ifndef ANALYSIS_MEMORY_TENSOR_MEMORY_H
#define ANALYSIS_MEMORY_TENSOR_MEMORY_H

#include "analysis/report/operators.h"
#include "analysis/report/row_place.h"
#include "analysis/report/selection.h"

// ---- operators ------------------------------------------------------------------------------

struct op_places {
    const uint32_t *owners; // from operator_owners()
    const bool *is_op;      // [label]: its ranges are operators
};
struct op_places op_places_build(const struct profile *profile, struct arena *arena);
// Returns the operator, module or place that an allocation belongs to, or ROW_NONE.
uint32_t allocation_owner(const struct profile *profile, const struct op_places *places,
                          uint32_t row);
static inline bool op_places_has_op(const struct profile *profile, const struct op_places *places,
                                    uint32_t range)
{
    return range != ROW_NONE && places->is_op[AT(profile->ranges.label, range)];
}
// Returns the allocating operator as the PyTorch plugin writes it: "aten::addmm", "aten::zeros
// (aten::empty)"; NULL if there is no operator.
const char *allocation_op_text(const struct profile *profile, const struct op_places *places,
                               uint32_t row, struct arena *arena);

// ---- selection ------------------------------------------------------------------------------

const char *tensor_home_text(const struct profile *profile, uint32_t device,
                             struct arena *arena); // "GPU 0"; "CPU" for ROW_NONE
// True if memory of a device (ROW_NONE: the host) is selected.
bool selection_has_home(const struct selection *selection, uint32_t device);
// True if an allocation is selected by device, process, thread and place; ignores its time.
bool selection_has_allocation(const struct profile *profile, const struct selection *selection,
                              const struct op_places *places, uint32_t row);
uint32_t allocation_iteration(const struct profile *profile, const struct split *split,
                              uint32_t row); // ROW_NONE: outside of all steps
const char *tensor_memory_empty_text(const struct profile *profile); // why there are no rows
bool allocation_place(const struct profile *profile, uint32_t row, struct row_place *place);

// ---- how much is allocated ------------------------------------------------------------------

// Levels of a device in order of time, as its allocator records them, summed over processes. If no
// totals are recorded (PyTorch before 1.10), allocations less frees since the file begins.
struct memory_series {
    uint32_t count;
    uint32_t *rows;     // [count] rows of profile.allocations
    int64_t *allocated; // [count] bytes after the event
    int64_t *reserved;  // [count] bytes after the event; NULL: not recorded
    bool is_counted;    // counted from the beginning of the file, so levels may be negative
};
// Returns profile.device_count + 1 series by device, the host's last; count 0 means that no
// allocations are known. Covers the selected processes over all time.
struct memory_series *memory_series_build(const struct profile *profile,
                                          const struct selection *selection, struct arena *arena);

struct memory_peak {                   // within the selected steps
    int64_t allocated, reserved;       // maximum, bytes; UNKNOWN
    int64_t allocated_ns, reserved_ns; // when it is reached
    uint32_t row;                      // allocation that reaches it; ROW_NONE
    int64_t before, after;      // allocated bytes where the selected time begins and ends; UNKNOWN
    int64_t bytes, allocations; // allocations in that time: total bytes, count
};
struct memory_peak memory_peak_find(const struct profile *profile,
                                    const struct selection *selection,
                                    const struct memory_series *series, struct arena *arena);

#endif
