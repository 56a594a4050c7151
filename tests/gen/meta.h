// SPDX-License-Identifier: Apache-2.0
//
// The small tables around the events: what was captured, on what machine, by which version.
#ifndef DLPROF_GEN_META_H
#define DLPROF_GEN_META_H

#include "sim.h"

// Rows that belong among the ranges (domains, thread names); before the world runs.
void meta_ranges(World *world);
// All metadata tables; after all events are written. last_ns: end of the capture.
void meta_write(World *world, int64_t last_ns);
// Rows that no sane exporter writes, each of which has been seen or is allowed by the format.
void hostile_write(World *world);

#endif
