// SPDX-License-Identifier: Apache-2.0
// Runs the program on a pseudo terminal of 200x50; output is timed when it arrives and parsed
// later.
#ifndef BENCH_BENCH_TERMINAL_H
#define BENCH_BENCH_TERMINAL_H

#include "bench.h"

enum { FRAME_GAP_MS = 4 }; // a frame ends after a pause of this length

struct terminal;

struct terminal *terminal_start(const struct subject *subject); // one at a time
void terminal_end(struct terminal *terminal);                   // also ends the program
// Returns the time of sending, as now().
double terminal_send(struct terminal *terminal, const char *keys);
double terminal_time(const struct terminal *terminal); // time of the last bytes received

// Reads available bytes; returns false after the timeout.
bool terminal_read(struct terminal *terminal, int timeout_ms);
bool terminal_frame(struct terminal *terminal, int timeout_ms); // reads a whole frame
// Waits for the first bytes. Returns false if the program is idle until the next key.
bool terminal_wait(struct terminal *terminal);
void terminal_rest(struct terminal *terminal); // waits until the program is idle

// True if `words` are in one line.
bool terminal_shows(struct terminal *terminal, const char *words);
double terminal_peak(const struct terminal *terminal); // peak memory so far, in MB

#endif
