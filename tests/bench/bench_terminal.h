// SPDX-License-Identifier: Apache-2.0
// The program on a pseudo terminal of 200x50; what it sends is timed as it comes and looked at later.
#ifndef BENCH_BENCH_TERMINAL_H
#define BENCH_BENCH_TERMINAL_H

#include "bench.h"

enum { FRAME_GAP_MS = 4 }; // a frame ends when nothing follows for so long

struct terminal;

struct terminal *terminal_start(const struct subject *subject);    // one at a time
void terminal_end(struct terminal *terminal);                      // ends the program, too
double terminal_send(struct terminal *terminal, const char *keys); // when: by now()
double terminal_time(const struct terminal *terminal);             // when the last bytes came

// False: nothing came within that time.
bool terminal_read(struct terminal *terminal, int timeout_ms);
bool terminal_frame(struct terminal *terminal, int timeout_ms); // all of a frame
// Waits for the first bytes. False: the program has nothing more to say until somebody presses a key.
bool terminal_wait(struct terminal *terminal);
void terminal_rest(struct terminal *terminal); // until then

bool terminal_shows(struct terminal *terminal, const char *words); // in one line
double terminal_peak(const struct terminal *terminal);             // megabytes of memory so far

#endif
