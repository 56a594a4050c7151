// SPDX-License-Identifier: Apache-2.0
// Display text and source file of a frame of a call chain, from symbol and module as profilers
// write them.
#ifndef MODEL_RULES_FRAME_TEXT_H
#define MODEL_RULES_FRAME_TEXT_H

#include "base/arena.h"

enum { FRAME_COLUMNS = 80 }; // maximum width of the text

// Returns "train.py:88 step": without folders and addresses, safe to print. In `arena`.
const char *frame_text(const char *symbol, const char *module, struct arena *arena);

struct frame_file {
    const char *path; // `length` bytes, not terminated
    size_t length;
    uint32_t line; // from 1; 0: no file is recorded
};
// Finds the source file: the module is one, "/app/train.py:7", or the symbol contains one,
// "step (/app/train.py:7)". The path points into `module` or `arena`.
struct frame_file frame_file_of(const char *symbol, const char *module, struct arena *arena);

#endif
