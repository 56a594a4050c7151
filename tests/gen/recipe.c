// SPDX-License-Identifier: Apache-2.0
//
// Builds a recipe: the ops of a transformer in forward order, with their kernels. The times of
// matrix products and of kernels bound by memory follow from their sizes; times of other kernels
// are given for the model of the demo and scaled with the size of the model.
#include "recipe.h"

#include "fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENSOR_EFFICIENCY 0.635
#define MEMORY_EFFICIENCY 0.85
#define TILE              128

static const OpKind embedding = {"aten::embedding",     "aten::index_select", "EmbeddingBackward0",
                                 "torch.nn.functional", "embedding",          true};
static const OpKind linear = {"aten::linear",        "aten::mm", "MmBackward0",
                              "torch.nn.functional", "linear",   true};
static const OpKind layer_norm = {"aten::layer_norm",
                                  "aten::native_layer_norm",
                                  "NativeLayerNormBackward0",
                                  "torch.nn.functional",
                                  "layer_norm",
                                  true};
static const OpKind attention = {"aten::scaled_dot_product_attention",
                                 "aten::_flash_attention_forward",
                                 "ScaledDotProductFlashAttentionBackward0",
                                 "torch.nn.functional",
                                 "scaled_dot_product_attention",
                                 true};
static const OpKind gelu = {"aten::gelu",          NULL,   "GeluBackward0",
                            "torch.nn.functional", "gelu", true};
static const OpKind contiguous = {"aten::contiguous", "aten::clone", "CloneBackward0",
                                  "Tensor",           "contiguous",  true};
static const OpKind rotary = {"aten::mul", NULL, "MulBackward0", "Tensor", "__mul__", true};
static const OpKind cast = {"aten::to", "aten::_to_copy", "ToCopyBackward0", "Tensor", "to", true};
static const OpKind add = {"aten::add", NULL, "AddBackward0", "Tensor", "__add__", true};
static const OpKind loss = {"aten::cross_entropy_loss", "aten::log_softmax", "NllLossBackward0",
                            "torch.nn.functional",      "cross_entropy",     true};

typedef struct {
    World *world;
    Recipe *recipe;
    const Scenario *sizes;
    const char *block, *part, *stack;
    int layer;
    bool old;
} Builder;

// Copies a text; the recipe owns the copy.
static const char *text_keep(Recipe *recipe, const char *text)
{
    size_t size = strlen(text) + 1, count = (size_t)recipe->text_count++;
    recipe->texts = memory_grow(recipe->texts, (count + 1) * sizeof *recipe->texts);
    recipe->texts[count] = memcpy(memory_grow(NULL, size), text, size);
    return recipe->texts[count];
}

Launch launch_elementwise(const Recipe *recipe, KernelId kernel, int64_t us)
{
    double ns = (double)(us * US) * recipe->scale;
    if (ns < 1600)
        ns = 1600;
    int blocks = (int)(ns / 10);
    return (Launch){kernel, (int64_t)ns, blocks < 1 ? 1 : blocks, 1, false};
}

// Returns a launch that reads and writes `bytes` bytes at the bandwidth such kernels reach.
Launch launch_memory(KernelId kernel, int64_t bytes)
{
    double ns = (double)bytes / (BYTES_PER_NS * MEMORY_EFFICIENCY) + 1600;
    return (Launch){kernel, (int64_t)ns, (int)(ns / 10), 1, false};
}

static Op *op_add(Builder *builder, const OpKind *kind, int line)
{
    Recipe *recipe = builder->recipe;
    if (recipe->op_count == recipe->capacity) {
        recipe->capacity = recipe->capacity ? recipe->capacity * 2 : 64;
        recipe->ops = memory_grow(recipe->ops, (size_t)recipe->capacity * sizeof *recipe->ops);
    }
    Op *op = &recipe->ops[recipe->op_count++];
    memset(op, 0, sizeof *op);
    op->kind = kind;
    op->block = builder->block;
    op->part = builder->part;
    op->stack = builder->stack;
    op->line = line;
    op->layer = builder->layer;
    op->dtype = builder->old ? "float16" : "bfloat16";
    op->bucket = -1;
    return op;
}

static void op_shape(Op *op, int index, int64_t a, int64_t b, int64_t c, int64_t d)
{
    int64_t dims[OP_DIMS_MAX] = {a, b, c, d};
    memcpy(op->shapes[index], dims, sizeof dims);
}

static void op_forward(Builder *builder, Op *op, KernelId kernel, int64_t us)
{
    op->forward[op->forward_count++] = launch_elementwise(builder->recipe, kernel, us);
}

static void op_backward(Builder *builder, Op *op, KernelId kernel, int64_t us)
{
    op->backward[op->backward_count++] = launch_elementwise(builder->recipe, kernel, us);
}

Launch launch_gemm(KernelId kernel, int64_t m, int64_t n, int64_t k, double flops_per_ns)
{
    double ns = 2.0 * (double)m * (double)n * (double)k / flops_per_ns + 2200;
    bool persistent = kernel <= K_GEMM_BF16_HEAD;
    return (Launch){kernel, (int64_t)ns, persistent ? 132 : (int)((n + TILE - 1) / TILE),
                    persistent ? 1 : (int)((m + TILE - 1) / TILE), true};
}

static Op *linear_add(Builder *builder, int64_t n, int64_t k, int line, KernelId forward,
                      KernelId data, KernelId weight, double flops_per_ns)
{
    int64_t m = builder->sizes->tokens;
    Op *op = op_add(builder, &linear, line);
    op_shape(op, 0, m, k, 0, 0);
    op_shape(op, 1, n, k, 0, 0);
    op->forward[op->forward_count++] = launch_gemm(forward, m, n, k, flops_per_ns);
    op->backward[op->backward_count++] = launch_gemm(data, m, k, n, flops_per_ns);
    op->backward[op->backward_count++] = launch_gemm(weight, n, k, m, flops_per_ns);
    op->parameters = 1;
    op->gradient_bytes = n * k * 2;
    return op;
}

static void linear_tensor(Builder *builder, int64_t n, int64_t k, int line, bool large)
{
    // Autocast: the weight is cast to 16 bit in every pass.
    Op *op = op_add(builder, &cast, line);
    op_shape(op, 0, n, k, 0, 0);
    op->dtype = "float32";
    op->forward[op->forward_count++] = launch_memory(K_CAST_TO_BF16, n * k * (4 + 2));
    op->backward[op->backward_count++] = launch_memory(K_CAST_TO_FLOAT, n * k * (2 + 4));
    double speed =
        TENSOR_FLOPS_PER_NS * (large ? TENSOR_EFFICIENCY + 0.02 : TENSOR_EFFICIENCY - 0.06);
    if (builder->old)
        linear_add(builder, n, k, line, K_OLD_GEMM_TN, K_OLD_GEMM_NN, K_OLD_GEMM_NT, speed / 3);
    else if (large)
        linear_add(builder, n, k, line, K_GEMM_TNT_192, K_GEMM_NTN_192, K_GEMM_TNN_256, speed);
    else
        linear_add(builder, n, k, line, K_GEMM_TNT_128, K_GEMM_TNN_128, K_GEMM_TNN_128, speed);
}

static void norm_add(Builder *builder, int line)
{
    Op *op = op_add(builder, &layer_norm, line);
    op_shape(op, 0, builder->sizes->tokens, builder->sizes->hidden, 0, 0);
    op_shape(op, 1, builder->sizes->hidden, 0, 0, 0);
    op_shape(op, 2, builder->sizes->hidden, 0, 0, 0);
    op->dtype = "float32";
    op_forward(builder, op, builder->old ? K_OLD_NORM_FWD : K_NORM_FWD, 82);
    op_backward(builder, op, builder->old ? K_OLD_NORM_BWD : K_NORM_BWD, 150);
    op_backward(builder, op, builder->old ? K_REDUCE_SUM : K_NORM_BWD_WEIGHT, 18);
    op->parameters = 2;
    op->gradient_bytes = builder->sizes->hidden * 4LL;
}

static void elementwise_add(Builder *builder, const OpKind *kind, int line, int copies,
                            KernelId forward, int64_t forward_us, KernelId backward,
                            int64_t backward_us)
{
    Op *op = op_add(builder, kind, line);
    op_shape(op, 0, builder->sizes->tokens, builder->sizes->hidden, 0, 0);
    for (int i = 0; i < copies; i++) {
        op_forward(builder, op, forward, forward_us);
        op_backward(builder, op, backward, backward_us);
    }
}

static void attention_add(Builder *builder)
{
    int64_t hidden = builder->sizes->hidden, heads = hidden >= 128 ? hidden / 128 : 1;
    int64_t length = builder->sizes->tokens >= 4096 ? 2048 : builder->sizes->tokens;
    linear_tensor(builder, 3 * hidden, hidden, 41, true);
    elementwise_add(builder, &contiguous, 43, 3, K_COPY_STRIDED, 35, K_COPY_STRIDED, 35);
    for (int i = 0; i < 2; i++) { // rotary embedding of a quarter of q and k
        Op *op = op_add(builder, &rotary, 46 + i);
        op_shape(op, 0, builder->sizes->tokens / length, heads, length, 32);
        op_forward(builder, op, K_MUL_BF16, 9);
        op_forward(builder, op, K_NEG_BF16, 5);
        op_forward(builder, op, K_CAT, 7);
        op_forward(builder, op, K_ADD_BF16, 9);
        op_backward(builder, op, K_MUL_BF16, 9);
        op_backward(builder, op, K_NEG_BF16, 5);
        op_backward(builder, op, K_CAT, 7);
        op_backward(builder, op, K_ADD_BF16, 9);
    }
    Op *op = op_add(builder, &attention, 50);
    op_shape(op, 0, builder->sizes->tokens / length, heads, length, 128);
    op_shape(op, 1, builder->sizes->tokens / length, heads, length, 128);
    op_shape(op, 2, builder->sizes->tokens / length, heads, length, 128);
    op_forward(builder, op, K_FLASH_FWD, 540);
    op->forward[0].math = true;
    op_backward(builder, op, K_FLASH_DOT, 22);
    op_backward(builder, op, K_FLASH_BWD, 1250);
    op->backward[1].math = true;
    op_backward(builder, op, K_FLASH_CONVERT, 18);
    linear_tensor(builder, hidden, hidden, 53, false);
}

static void part_set(Builder *builder, const char *suffix, const char *stack, int number)
{
    char text[256], repeat[32] = "";
    snprintf(text, sizeof text, "%s.%s", builder->block, suffix);
    builder->part = text_keep(builder->recipe, text);
    if (number > 0) // DLProf's patches count the calls of one line
        snprintf(repeat, sizeof repeat, "(%d)", number + 1);
    snprintf(text, sizeof text, "/<module>/train/GPT::forward/Block::forward%s/%s", repeat, stack);
    builder->stack = text_keep(builder->recipe, text);
    builder->layer = world_layer(builder->world, builder->part);
}

static void layer_add(Builder *builder, int number)
{
    char text[64];
    snprintf(text, sizeof text, "model.layers.%d", number);
    builder->block = text_keep(builder->recipe, text);
    if (!builder->sizes->mlp_only) {
        part_set(builder, "norm1", "LayerNorm::forward", number);
        norm_add(builder, 91);
        part_set(builder, "attn", "Attention::forward/Linear::forward", number);
        attention_add(builder);
    }
    part_set(builder, "norm2", "LayerNorm::forward", number);
    elementwise_add(builder, &add, 93, 1, K_ADD_BF16, 53, K_ADD_BF16, 53);
    norm_add(builder, 94);
    part_set(builder, "mlp", "MLP::forward/Linear::forward", number);
    linear_tensor(builder, 4LL * builder->sizes->hidden, builder->sizes->hidden, 61, true);
    elementwise_add(builder, &gelu, 62, 1, builder->old ? K_OLD_GELU_FWD : K_GELU_FWD, 80,
                    builder->old ? K_OLD_GELU_BWD : K_GELU_BWD, 94);
    linear_tensor(builder, builder->sizes->hidden, 4LL * builder->sizes->hidden, 63, true);
    elementwise_add(builder, &add, 95, 1, K_ADD_BF16, 53, K_ADD_BF16, 53);
}

static void block_set(Builder *builder, const char *block, const char *stack)
{
    builder->block = block;
    builder->part = NULL;
    builder->stack = stack;
    builder->layer = block ? world_layer(builder->world, block) : -1;
}

static void head_add(Builder *builder)
{
    int64_t vocab = builder->sizes->vocab, hidden = builder->sizes->hidden;
    block_set(builder, "model.lm_head", "/<module>/train/GPT::forward/Linear::forward");
    if (builder->old) {
        linear_add(builder, vocab, hidden, 88, K_OLD_GEMM_TN, K_OLD_GEMM_NN, K_OLD_GEMM_NT,
                   TENSOR_FLOPS_PER_NS * TENSOR_EFFICIENCY / 3);
    } else {
        linear_add(builder, vocab, hidden, 88, K_GEMM_BF16_HEAD, K_GEMM_NTN_192, K_GEMM_TNN_256,
                   TENSOR_FLOPS_PER_NS * TENSOR_EFFICIENCY);
    }
    block_set(builder, "loss", "/<module>/train/GPT::loss");
    Op *op = op_add(builder, &loss, 101);
    op_shape(op, 0, builder->sizes->tokens, vocab, 0, 0);
    op_shape(op, 1, builder->sizes->tokens, 0, 0, 0);
    op->dtype = "float32";
    // The logits are read twice, and once more where their gradients are written.
    int64_t bytes = builder->sizes->tokens * vocab * 4;
    op->forward[op->forward_count++] =
        launch_memory(builder->old ? K_OLD_LOSS_FWD : K_LOSS_FWD, 2 * bytes);
    op_forward(builder, op, K_REDUCE_SUM, 9);
    op->backward[op->backward_count++] =
        launch_memory(builder->old ? K_OLD_LOSS_BWD : K_LOSS_BWD, 2 * bytes);
    op_backward(builder, op, K_MUL, 30);
}

// The backward pass fills buckets from the last layer to the first. The last bucket holds the
// embedding and the first layers.
static void buckets_set(Recipe *recipe, const World *world)
{
    if (world->rank_count < 2)
        return;
    const Scenario *sizes = world->scenario;
    int every = sizes->layers / 8 > 0 ? sizes->layers / 8 : 1, seen = 0;
    for (int i = recipe->op_count - 1; i > 0; i--) {
        Op *op = &recipe->ops[i];
        bool layer_ends = op->block && (!recipe->ops[i - 1].block ||
                                        strcmp(op->block, recipe->ops[i - 1].block) != 0);
        bool layer = op->block && strncmp(op->block, "model.layers", 12) == 0;
        if (!layer_ends || !layer || ++seen % every != 0 || recipe->bucket_count >= 8)
            continue;
        op->bucket = recipe->bucket_count++;
        recipe->buckets[op->bucket] =
            (Bucket){(int64_t)(sizes->bucket_ms * 1e6 * recipe->scale), 280 << 20};
    }
    Op *first = &recipe->ops[0];
    first->bucket = recipe->bucket_count++;
    recipe->buckets[first->bucket] =
        (Bucket){(int64_t)(sizes->last_bucket_ms * 1e6 * recipe->scale), 480 << 20};
}

Recipe *recipe_make(World *world)
{
    Recipe *recipe = memory_grow(NULL, sizeof *recipe);
    *recipe = (Recipe){.ops = NULL};
    const Scenario *sizes = world->scenario;
    recipe->scale = (double)sizes->tokens * sizes->hidden / (12288.0 * 2048.0);
    Builder builder = {
        .world = world, .recipe = recipe, .sizes = sizes, .layer = -1, .old = sizes->old_kernels};
    block_set(&builder, "model.embed", "/<module>/train/GPT::forward/Embedding::forward");
    Op *op = op_add(&builder, &embedding, 84);
    op_shape(op, 0, sizes->vocab, sizes->hidden, 0, 0);
    op_shape(op, 1, sizes->tokens, 0, 0, 0);
    op->dtype = "float32";
    op_forward(&builder, op, K_EMBED_FWD, 75);
    op_forward(&builder, op, K_ADD, 105);
    op_backward(&builder, op, K_EMBED_BWD, 240);
    op->parameters = 1;
    for (int i = 0; i < sizes->layers; i++)
        layer_add(&builder, i);
    block_set(&builder, "model.norm", "/<module>/train/GPT::forward/LayerNorm::forward");
    norm_add(&builder, 86);
    head_add(&builder);
    recipe->accumulate[0] = launch_elementwise(recipe, K_ADD, 6);
    recipe->accumulate[1] = launch_elementwise(recipe, K_CAST_TO_BF16, 4);
    buckets_set(recipe, world);
    return recipe;
}

void recipe_free(Recipe *recipe)
{
    if (!recipe)
        return;
    for (int i = 0; i < recipe->text_count; i++)
        free(recipe->texts[i]);
    free(recipe->texts);
    free(recipe->ops);
    free(recipe);
}
