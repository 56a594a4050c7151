// SPDX-License-Identifier: Apache-2.0
//
// The call chain of a call is the same for all calls in a hand-written range. Its frames, from the
// innermost: CUDA and PyTorch, two functions of the program, the start of the program.
#include "chains.h"

#include <string.h>

#define CONDA "/opt/conda/lib/python3.11/"

typedef struct {
    const char *symbol, *module;
} Frame;

typedef struct {
    const char *range;
    const char *torch_frame; // innermost frame, in a library
    Frame program_frames[2]; // the program's own frames, innermost first
} Chain;

// Call chains by the name of the hand-written range in which the call is made.
static const Chain chains[] = {
    {"loss.item",
     "at::native::item(at::Tensor const&)",
     {{"log_loss", "/workspace/train.py:212"}, {"train_step", "/workspace/train.py:188"}}},
    {"to_device",
     "at::native::copy_(at::Tensor&, at::Tensor const&, bool)",
     {{"to_device", "/workspace/data.py:71"}, {"train_step", "/workspace/train.py:171"}}},
    {"clip_grad_norm",
     "at::native::_local_scalar_dense_cuda(at::Tensor const&)",
     {{"clip", "/workspace/optim.py:30"}, {"train_step", "/workspace/train.py:195"}}},
};

enum { CHAINS = sizeof chains / sizeof chains[0], PROGRAM_FRAMES = 2 };

int chain_of(const char *range)
{
    for (int i = 0; i < CHAINS; i++)
        if (strcmp(chains[i].range, range) == 0)
            return i + 1;
    return 0;
}

bool chain_is_taken(ApiId api)
{
    return api == API_MEMCPY || api == API_STREAM_SYNC || api == API_DEVICE_SYNC;
}

static void frame_write(World *world, int chain, int depth, const Frame *frame)
{
    writer_sql(world->writer, "INSERT INTO CUDA_CALLCHAINS VALUES(%d,%lld,%lld,0,0,0,%d)", chain,
               (long long)writer_intern(world->writer, frame->symbol),
               (long long)writer_intern(world->writer, frame->module), depth);
    world->chain_rows++;
}

void chains_write(World *world)
{
    static const Frame outer_frames[] = {{"<module>", "/workspace/train.py:240"},
                                         {"_run_code", "<frozen runpy>:88"},
                                         {"Py_BytesMain", "/opt/conda/bin/python3.11"},
                                         {"_start", "/opt/conda/bin/python3.11"}};
    if (!world->scenario->call_chains)
        return;
    writer_sql(world->writer,
               "CREATE TABLE CUDA_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module "
               "INTEGER NOT NULL, kernelMode INTEGER, thumbCode INTEGER, unresolved INTEGER, "
               "stackDepth INTEGER NOT NULL)");
    for (int i = 0; i < CHAINS; i++) {
        const Frame inner_frames[] = {
            {"[Unknown]", "/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15"},
            {"cudaStreamSynchronize",
             CONDA "site-packages/nvidia/cuda_runtime/lib/libcudart.so.12"},
            {chains[i].torch_frame, CONDA "site-packages/torch/lib/libtorch_cuda.so"},
            {"__torch_function__", CONDA "site-packages/torch/_tensor.py:1051"}};
        int depth = 0;
        for (size_t f = 0; f < sizeof inner_frames / sizeof inner_frames[0]; f++)
            frame_write(world, i + 1, depth++, &inner_frames[f]);
        for (size_t f = 0; f < PROGRAM_FRAMES; f++)
            frame_write(world, i + 1, depth++, &chains[i].program_frames[f]);
        for (size_t f = 0; f < sizeof outer_frames / sizeof outer_frames[0]; f++)
            frame_write(world, i + 1, depth++, &outer_frames[f]);
    }
}
