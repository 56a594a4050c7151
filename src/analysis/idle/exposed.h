// SPDX-License-Identifier: Apache-2.0
// Exposed communication: what of it no kernel hides, split into waiting and transfer.
//
// On each GPU the union of communication less the union of kernels that compute: what breakdown_gpu
// calls its communication. A collective waits from its own start to the start of the GPU that comes
// last, and transfers from there on. That can be told where the file holds its group of GPUs on one
// clock (collectives.h). Waiting while another collective transfers is transfer. Point to point
// (send, receive) is apart: there waiting is the bubble of a pipeline.
#ifndef ANALYSIS_EXPOSED_H
#define ANALYSIS_EXPOSED_H

#include "analysis/report/selection.h"

struct exposed {
    int64_t ns; // all of it: the other four together
    int64_t wait_ns, transfer_ns;
    int64_t pair_ns;    // sends and receives
    int64_t unsplit_ns; // collectives of which waiting and transfer cannot be told apart
    bool is_separable;  // false: no collective of it can be split
};

// One per device: profile->device_count entries, of the selected iterations together.
struct exposed *exposed_devices(const struct profile *profile, const struct selection *selection,
                                struct arena *arena);
// Their sum; separable where any is.
struct exposed exposed_sum(const struct profile *profile, const struct exposed *devices);

// Of [from, to) on a device: the waiting for the last member of a collective, with nothing computed
// beside it. The lines are kept where the selection has a memo.
struct exposed_lines;
const struct exposed_lines *exposed_lines_of(const struct profile *profile,
                                             const struct selection *selection,
                                             struct arena *arena);
int64_t exposed_wait_within(const struct exposed_lines *lines, uint32_t device, int64_t from,
                            int64_t to);

// Of a row of the report `layers` that is no place of the tree, exposed communication or copies: the filter
// of the launches that it is of. NULL: it is a place.
const char *exposed_row_filter(const void *row);

#endif
