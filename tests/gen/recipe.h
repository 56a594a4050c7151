// SPDX-License-Identifier: Apache-2.0
//
// A recipe is the transformer a training program runs: its ops in forward order, each with the
// kernels of both directions and what the dialects of markers say about it. Built once per profile
// from the sizes in the scenario; shared by all ranks.
#ifndef DLPROF_GEN_RECIPE_H
#define DLPROF_GEN_RECIPE_H

#include "sim.h"

#define OP_FORWARD_MAX  6
#define OP_BACKWARD_MAX 10
#define OP_SHAPES_MAX   3
#define OP_DIMS_MAX     4

typedef struct {
    const char *aten;     // outer range of emit_nvtx
    const char *inner;    // the range nested in it, NULL: none
    const char *node;     // backward node
    const char *mod, *op; // DLProf's words
    bool differentiable;
} OpKind;

typedef struct {
    const OpKind *kind;
    const char *block;                          // "model.layers.3", NULL outside of all
    const char *part;                           // "model.layers.3.mlp", NULL: the block itself
    const char *stack;                          // DLProf's funcStack
    int line;                                   // of the call in the imagined source
    int layer;                                  // index for the truth
    int64_t shapes[OP_SHAPES_MAX][OP_DIMS_MAX]; // 0 ends a shape; an empty first dimension the list
    const char *dtype;
    Launch forward[OP_FORWARD_MAX], backward[OP_BACKWARD_MAX];
    int forward_count, backward_count;
    int parameters; // gradients accumulated after its backward
    int64_t gradient_bytes;
    int bucket; // all-reduce of this bucket follows its backward, -1: none
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
    double scale; // elementwise work against that of the demo's model
};

Recipe *recipe_make(World *world);
void recipe_free(Recipe *recipe);
Launch launch_elementwise(const Recipe *recipe, KernelId kernel, int64_t us);

// What a card of the Hopper generation reaches; times of GEMMs and of what waits for memory follow
// from their sizes.
#define TENSOR_FLOPS_PER_NS 989e3
#define FP32_FLOPS_PER_NS   67e3
#define BYTES_PER_NS        3352.0
Launch launch_memory(KernelId kernel, int64_t bytes);
Launch launch_gemm(KernelId kernel, int64_t m, int64_t n, int64_t k, double flops_per_ns);

#endif
