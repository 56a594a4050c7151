// SPDX-License-Identifier: Apache-2.0
// What a frame of a call chain says of itself: symbol and module, as profilers write them.
#ifndef MODEL_FRAME_TEXT_H
#define MODEL_FRAME_TEXT_H

#include "base/arena.h"

enum { FRAME_COLUMNS = 80 }; // of its text at most

// "train.py:88 step": no folders, no addresses, safe to print. In `arena`.
const char *frame_text(const char *symbol, const char *module, struct arena *arena);

struct frame_file {
    const char *path; // of `length` bytes, no end behind them
    size_t length;
    uint32_t line; // from 1 on; 0: no file is told
};
// The module is a file, "/app/train.py:7"; or the symbol has one in it: "step (/app/train.py:7)". In
// `module` or in `arena`.
struct frame_file frame_file_of(const char *symbol, const char *module, struct arena *arena);

#endif
