// SPDX-License-Identifier: Apache-2.0
//
// Metadata tables: what was captured, on which machine, by which version.
#ifndef DLPROF_GEN_META_H
#define DLPROF_GEN_META_H

#include "sim.h"

// Adds metadata rows among the ranges (domains, thread names); call before the world runs.
void meta_ranges(World *world);
// Writes all metadata tables; call after all events are written. last_ns: end of the capture.
void meta_write(World *world, int64_t last_ns);
// Adds malformed rows, each of which was seen in real exports or is allowed by the format.
void hostile_write(World *world);

#endif
