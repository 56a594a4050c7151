// SPDX-License-Identifier: Apache-2.0
//
// One mutex protects the number of the running thread (`current`). The threads wait on one
// condition variable until it is their number.
#define _POSIX_C_SOURCE 200809L
#include "turns.h"

#include "fail.h"

typedef struct {
    Turns *turns;
    TurnProgram program;
    void *context;
    int index;
} TurnStart;

static void turn_wait(Turns *turns, int index)
{
    while (turns->current != index)
        pthread_cond_wait(&turns->changed, &turns->mutex);
}

static void turn_pass_on(Turns *turns, int index)
{
    int next = index;
    do
        next = (next + 1) % turns->count;
    while (turns->done[next] && next != index);
    turns->current = next;
    pthread_cond_broadcast(&turns->changed);
}

static void *turn_thread(void *argument)
{
    TurnStart *start = argument;
    pthread_mutex_lock(&start->turns->mutex);
    turn_wait(start->turns, start->index);
    start->program(start->context, start->index);
    start->turns->done[start->index] = true;
    turn_pass_on(start->turns, start->index);
    pthread_mutex_unlock(&start->turns->mutex);
    return NULL;
}

void turns_run(Turns *turns, int count, TurnProgram program, void *context)
{
    if (count == 1) {
        turns->count = 1;
        program(context, 0);
        return;
    }
    if (count > TURNS_MAX)
        fail("more than %d ranks", TURNS_MAX);
    pthread_t threads[TURNS_MAX];
    TurnStart starts[TURNS_MAX];
    pthread_mutex_init(&turns->mutex, NULL);
    pthread_cond_init(&turns->changed, NULL);
    turns->current = 0;
    turns->count = count;
    for (int i = 0; i < count; i++) {
        turns->done[i] = false;
        starts[i] = (TurnStart){turns, program, context, i};
    }
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, turn_thread, &starts[i]) != 0)
            fail("cannot start a thread");
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&turns->changed);
    pthread_mutex_destroy(&turns->mutex);
}

void turns_pass(Turns *turns, int index)
{
    if (turns->count == 1)
        fail("rank %d waits for a collective that nobody joins", index);
    turn_pass_on(turns, index);
    turn_wait(turns, index);
}
