// SPDX-License-Identifier: Apache-2.0
//
// Communication between ranks: a kernel starts when its rank arrives and ends when all ranks have
// arrived. A late rank therefore shows as long kernels on the early ranks, as in real profiles.
#include "fail.h"
#include "sim.h"

#include <string.h>

// Every member runs from its own arrival to the common end.
void all_reduce(Rank *rank, Thread *thread, int64_t ns, int64_t bytes)
{
    World *world = rank->world;
    Stream *comm = &rank->device.comm;
    stream_wait(rank, thread, comm, &rank->device.compute);
    int64_t start_ns;
    int64_t correlation = comm_call(rank, thread, comm, "ncclAllReduce", &start_ns);

    int number = rank->collective++;
    Collective *collective = &world->collectives[number % 64];
    if (collective->number != number + 1)
        *collective = (Collective){number + 1, 0, INT64_MIN};
    collective->arrived++;
    if (start_ns > collective->latest_ns)
        collective->latest_ns = start_ns;
    while (collective->number == number + 1 && collective->arrived < world->rank_count)
        turns_pass(&world->turns, rank->index);

    Rng rng = rng_seeded(world->options.seed, 71, (uint64_t)number);
    int64_t end_ns = collective->latest_ns + (int64_t)((double)ns * rng_jitter(&rng, 0.01));
    Launch launch = {K_ALLREDUCE, ns, bytes > 32LL * 1024 * 1024 ? 24 : 8, 1, false};
    comm_row(rank, comm, &launch, start_ns, end_ns, correlation);
}

// ---- from one rank to another ------------------------------------------------------------------

#define POSTS_MAX 4096 // messages sent and not yet received, of all ranks

static const Launch send_launch = {K_SEND_RECV, 0, 2, 1, false};

// The sender does not wait: sent data is buffered at the receiver.
void rank_send(Rank *rank, Thread *thread, int to, int64_t ns)
{
    World *world = rank->world;
    Stream *stream = &rank->device.send;
    stream_wait(rank, thread, stream, &rank->device.compute);
    int64_t start_ns;
    int64_t correlation = comm_call(rank, thread, stream, "ncclSend", &start_ns);
    if (world->post_count == POSTS_MAX)
        fail("rank %d sends what nobody receives", rank->index);
    world->posts =
        memory_grow(world->posts, (size_t)(world->post_count + 1) * sizeof *world->posts);
    world->posts[world->post_count++] = (Post){rank->index, to, start_ns};
    comm_row(rank, stream, &send_launch, start_ns, start_ns + ns, correlation);
}

// Receives data that the next kernels of the compute stream wait for.
void rank_receive(Rank *rank, Thread *thread, int from, int64_t ns)
{
    World *world = rank->world;
    Stream *stream = &rank->device.comm;
    int64_t start_ns;
    int64_t correlation = comm_call(rank, thread, stream, "ncclRecv", &start_ns);
    int at = 0;
    for (;;) {
        for (at = 0; at < world->post_count; at++)
            if (world->posts[at].from == from && world->posts[at].to == rank->index)
                break;
        if (at < world->post_count)
            break;
        turns_pass(&world->turns, rank->index);
    }
    int64_t sent_ns = world->posts[at].start_ns;
    memmove(&world->posts[at], &world->posts[at + 1],
            (size_t)(--world->post_count - at) * sizeof *world->posts);
    comm_row(rank, stream, &send_launch, start_ns, (sent_ns > start_ns ? sent_ns : start_ns) + ns,
             correlation);
    stream_wait(rank, thread, &rank->device.compute, stream);
}
