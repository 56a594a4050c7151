// SPDX-License-Identifier: Apache-2.0
//
// A recipe is the transformer that a training program runs: its ops in forward order, each with
// the kernels of both directions and the data for all marker dialects. It is built once per
// profile from the sizes in the scenario and shared by all ranks.
#ifndef DLPROF_GEN_RECIPE_H
#define DLPROF_GEN_RECIPE_H

#include "sim.h"

#define OP_FORWARD_MAX  6
#define OP_BACKWARD_MAX 10
#define OP_SHAPES_MAX   3
#define OP_DIMS_MAX     4

typedef struct {
    const char *aten;     // outer range of emit_nvtx
    const char *inner;    // range nested in it; NULL: none
    const char *node;     // backward node
    const char *mod, *op; // as DLProf writes them
    bool differentiable;
} OpKind;

typedef struct {
    const OpKind *kind;
    const char *block; // "model.layers.3"; NULL: outside of all
    const char *part;  // "model.layers.3.mlp"; NULL: the block itself
    const char *stack; // DLProf's funcStack
    int line;          // source line of the call
    int layer;         // layer index for --truth
    // 0 ends a shape; an empty first dimension ends the list.
    int64_t shapes[OP_SHAPES_MAX][OP_DIMS_MAX];
    const char *dtype;
    Launch forward[OP_FORWARD_MAX], backward[OP_BACKWARD_MAX];
    int forward_count, backward_count;
    int parameters; // number of gradients accumulated after its backward
    int64_t gradient_bytes;
    int bucket; // bucket whose all-reduce follows its backward; -1: none
} Op;

typedef struct {
    int64_t ns, bytes;
} Bucket;

#define BUCKETS_MAX 16

struct Recipe {
    Op *ops;
    int op_count;
    int capacity;
    Bucket buckets[BUCKETS_MAX];
    int bucket_count;
    Launch accumulate[2];
    char **texts; // names owned by the recipe
    int text_count;
    double scale; // size of elementwise work relative to the model of the demo
};

Recipe *recipe_make(World *world);
void recipe_free(Recipe *recipe);
Launch launch_elementwise(const Recipe *recipe, KernelId kernel, int64_t us);

// Throughput of a GPU of the Hopper generation. Times of GEMMs and of memory-bound kernels follow
// from it and their sizes.
#define TENSOR_FLOPS_PER_NS 989e3
#define FP32_FLOPS_PER_NS   67e3
#define BYTES_PER_NS        3352.0
Launch launch_memory(KernelId kernel, int64_t bytes);
Launch launch_gemm(KernelId kernel, int64_t m, int64_t n, int64_t k, double flops_per_ns);

#endif
