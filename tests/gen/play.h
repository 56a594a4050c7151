// SPDX-License-Identifier: Apache-2.0
//
// Plays what the markers for PyTorch (python/dlprof_tui_markers.py) logged on a machine without a GPU: its
// ranges become NVTX ranges, and each op and node of a backward pass gets a launch and a kernel.
#ifndef DLPROF_GEN_PLAY_H
#define DLPROF_GEN_PLAY_H

#include "sim.h"

#define PLAY_SCENARIO "log"

// Adds all rows of a log to the world's file and moves the main thread's clock to its end.
void play_run(World *world, const char *log);

#endif
