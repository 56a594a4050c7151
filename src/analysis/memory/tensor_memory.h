// SPDX-License-Identifier: Apache-2.0
// Memory that a framework's allocator hands out (profile.allocations): what of it is selected, which
// operator it belongs to, and how much is allocated at a moment.
//
// An allocation belongs to the innermost operator, module or place of its thread around it (operators.h),
// and is an operator's where that is one. Rows are those of profile.allocations.
//
// Sizes are bytes, times ns of the profile. What is handed out lives in the arena that is given.
#ifndef ANALYSIS_TENSOR_MEMORY_H
#define ANALYSIS_TENSOR_MEMORY_H

#include "analysis/report/operators.h"
#include "analysis/report/place.h"
#include "analysis/report/selection.h"

// ---- operators ---------------------------------------------------------------------------------

struct op_places {
    const uint32_t *owners; // operator_owners()
    const bool *is_op;      // by label: ranges of it are operators
};
struct op_places op_places_make(const struct profile *profile, struct arena *arena);
// The operator, module or place that an allocation belongs to; ROW_NONE: none.
uint32_t allocation_owner(const struct profile *profile, const struct op_places *places,
                          uint32_t row);
static inline bool op_places_has_op(const struct profile *profile, const struct op_places *places,
                                    uint32_t range)
{
    return range != ROW_NONE && places->is_op[AT(profile->ranges.label, range)];
}
// Who allocates, as the plugin writes it: "aten::addmm", "aten::zeros (aten::empty)"; NULL: no operator.
const char *allocation_op_text(const struct profile *profile, const struct op_places *places,
                               uint32_t row, struct arena *arena);

// ---- what is selected --------------------------------------------------------------------------

const char *tensor_home_text(const struct profile *profile, uint32_t device,
                             struct arena *arena); // "GPU 0", ROW_NONE: "CPU"
// Whether memory of a device (ROW_NONE: the host's) is selected.
bool selection_has_home(const struct selection *selection, uint32_t device);
// Whether an allocation is: by device, process and thread, and by the place that it lies in; at any time.
bool selection_has_allocation(const struct profile *profile, const struct selection *selection,
                              const struct op_places *places, uint32_t row);
uint32_t allocation_iteration(const struct profile *profile, const struct split *split,
                              uint32_t row);                    // ROW_NONE: in none
const char *tensor_memory_empty(const struct profile *profile); // why there is nothing
bool allocation_place(const struct profile *profile, uint32_t row, struct place *place);

// ---- how much is allocated ---------------------------------------------------------------------

// Of a device in order of time, as its allocator tells; of several processes their sum. Where no total
// is told (PyTorch before 1.10) what came and went since the file begins.
struct memory_series {
    uint32_t count;
    uint32_t *rows;     // [count] of profile.allocations
    int64_t *allocated; // [count] bytes after it
    int64_t *reserved;  // [count] ..., NULL: not told
    bool is_counted;    // from the beginning of the file: it may be below 0
};
// By device, the host's last: profile.device_count + 1 of them, count 0: nothing is known. Of the
// processes that are selected; all of their time.
struct memory_series *memory_series_make(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

struct memory_peak {                   // in the time of the iterations selected
    int64_t allocated, reserved;       // the most, bytes; UNKNOWN
    int64_t allocated_ns, reserved_ns; // since when
    uint32_t row;                      // that made it, ROW_NONE
    int64_t before, after;             // bytes where that time begins and ends; UNKNOWN
    int64_t bytes, allocations;        // that come in it: their sizes, how many
};
struct memory_peak memory_peak_find(const struct profile *profile,
                                    const struct selection *selection,
                                    const struct memory_series *series, struct arena *arena);

#endif
