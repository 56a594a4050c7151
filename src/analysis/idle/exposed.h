// SPDX-License-Identifier: Apache-2.0
// Exposed communication: communication that no computing kernel hides, split into waiting and
// transfer.
//
// On each GPU it is the union of communication less the union of computing kernels, which
// breakdown_gpu calls communication. A collective waits from its own start to the start of its last
// GPU, and transfers from there on. The split needs the whole group of GPUs in the file
// (collectives.h). Waiting while another collective transfers counts as transfer. Point to
// point (send, receive) is counted separately: waiting there is the bubble of a pipeline.
#ifndef ANALYSIS_IDLE_EXPOSED_H
#define ANALYSIS_IDLE_EXPOSED_H

#include "analysis/report/selection.h"

struct exposed {
    int64_t ns; // total: the sum of the other four
    int64_t wait_ns, transfer_ns;
    int64_t point_to_point_ns; // sends and receives
    int64_t unsplit_ns;        // collectives for which waiting and transfer cannot be separated
    bool is_separable;         // at least one collective can be split
};

// Returns profile->device_count entries, summed over the selected steps.
struct exposed *exposed_devices(const struct profile *profile, const struct selection *selection,
                                struct arena *arena);
// Returns their sum; it is separable if any device is.
struct exposed exposed_sum(const struct profile *profile, const struct exposed *devices);

// Within [from, to) on a device: the time spent waiting for the last member of a collective while
// nothing is computed. The covers are stored in the memo of the selection.
struct exposed_covers;
const struct exposed_covers *exposed_covers_of(const struct profile *profile,
                                               const struct selection *selection,
                                               struct arena *arena);
int64_t exposed_wait_ns(const struct exposed_covers *exposed, uint32_t device, int64_t from,
                        int64_t to);

#endif
