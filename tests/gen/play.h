// SPDX-License-Identifier: Apache-2.0
//
// Replays a log that python/dlprof_tui_markers.py wrote on a machine without a GPU: its ranges
// become NVTX ranges, and each op and each node of a backward pass gets a launch and a kernel.
#ifndef DLPROF_GEN_PLAY_H
#define DLPROF_GEN_PLAY_H

#include "sim.h"

#define PLAY_SCENARIO "log"

// Adds all rows of a log to the world's file and advances the main thread's clock to its end.
void play_run(World *world, const char *log);

#endif
