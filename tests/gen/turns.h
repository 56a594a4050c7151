// SPDX-License-Identifier: Apache-2.0
//
// Runs ranks as threads of which exactly one runs at a time, in a fixed order: a rank has its turn
// until it passes the turn on or ends. The effect is that of coroutines, but with ordinary stacks,
// which sanitizers and every libc support.
#ifndef DLPROF_GEN_TURNS_H
#define DLPROF_GEN_TURNS_H

#include <pthread.h>
#include <stdbool.h>

#define TURNS_MAX 64

typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int current, count;
    bool done[TURNS_MAX];
} Turns;

typedef void (*TurnProgram)(void *context, int index);

// Runs program(context, 0 .. count-1), each until it passes its turn or ends.
void turns_run(Turns *turns, int count, TurnProgram program, void *context);
// Lets the others run; returns when it is this program's turn again.
void turns_pass(Turns *turns, int index);

#endif
