// SPDX-License-Identifier: Apache-2.0
// Detects attention that runs as separate kernels for matrix product, softmax and matrix product,
// each of which reads and writes memory, although one fused kernel could compute it.

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "analysis/report/names.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(math_attention);

enum attention_kernel_kind { KIND_OTHER, KIND_PRODUCT, KIND_SOFTMAX, KIND_ELEMENTWISE };

static enum attention_kernel_kind kind_of(const struct profile *profile,
                                          const struct function *function)
{
    static const char *const fused[] = {"flash", "fmha", "attention", "Attention", NULL};
    static const char *const products[] = {"gemm", "Gemm", "gemv", "nvjet", "cutlass", NULL};
    static const char *const softmax[] = {"softmax", "SoftMax", "Softmax", NULL};
    static const char *const not_forward[] = {"ackward", "LogSoft", "log_softmax", "logsoftmax",
                                              NULL};
    static const char *const elementwise[] = {"elementwise", "dropout", "triton_poi", NULL};
    const char *name = profile_text(profile, function->full);
    if (function->kind != WORK_KERNEL || function->class != CLASS_COMPUTE ||
        text_has_any(name, fused))
        return KIND_OTHER;
    if (text_has_any(name, softmax))
        return text_has_any(name, not_forward) ? KIND_OTHER : KIND_SOFTMAX;
    if (text_has_any(name, elementwise))
        return KIND_ELEMENTWISE;
    return function->tensor_core == STATE_YES || text_has_any(name, products) ? KIND_PRODUCT
                                                                              : KIND_OTHER;
}

enum {
    SUM_ATTENTIONS = SUM_OWN, // number of such chains
    SUM_BETWEEN,              // ns of the kernels between the products
};

enum { MAX_BETWEEN = 10 }; // scale, mask, softmax, cast, dropout; a longer chain is something else

struct attention_chain { // kernels on one stream since a product
    uint32_t count, works[MAX_BETWEEN];
    bool is_open, has_softmax;
};

static void chain_add(struct attention_chain *chain, struct scan *scan, uint32_t work,
                      enum attention_kernel_kind kind)
{
    const struct profile *profile = scan->line->profile;
    if (kind == KIND_PRODUCT) {
        uint32_t window = line_window_of(scan->line, work);
        for (uint32_t i = 0; chain->has_softmax && i < chain->count; i++) {
            uint32_t between = chain->works[i];
            int64_t ns = AT(profile->work.end, between) - AT(profile->work.start, between);
            scan_add(scan, SUM_BETWEEN, window, ns);
            scan_layer(scan, window, between, ns);
        }
        scan_add(scan, SUM_ATTENTIONS, window, chain->has_softmax);
        *chain = (struct attention_chain){.is_open = true};
        return;
    }
    if (!chain->is_open || kind == KIND_OTHER || chain->count == MAX_BETWEEN ||
        (kind == KIND_SOFTMAX && chain->has_softmax)) {
        *chain = (struct attention_chain){0};
        return;
    }
    chain->works[chain->count++] = work;
    chain->has_softmax |= kind == KIND_SOFTMAX;
}

static void math_attention_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const struct device *device = &profile->devices[line->device];
    enum attention_kernel_kind *kinds =
        ARENA_ARRAY(line->scratch, enum attention_kernel_kind, (size_t)profile->function_count + 1);
    bool has_softmax = false;
    for (uint32_t f = 0; f < profile->function_count; f++) {
        kinds[f] = kind_of(profile, &profile->functions[f]);
        has_softmax |= kinds[f] == KIND_SOFTMAX;
    }
    if (!has_softmax)
        return;
    struct attention_chain *chains =
        ARENA_ARRAY(line->scratch, struct attention_chain, profile->stream_count + 1);
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (profile->functions[AT(profile->work.function, w)].kind == WORK_KERNEL)
            chain_add(&chains[AT(profile->work.stream, w)], scan, w,
                      kinds[AT(profile->work.function, w)]);
}

static void math_attention(struct step *step, const struct scan *scan,
                           struct finding_list *findings)
{
    int64_t ns = step_sum(step, scan, SUM_BETWEEN);
    int64_t attentions = step_sum(step, scan, SUM_ATTENTIONS);
    if ((double)attentions < expert_threshold("math_attention.calls") * step->window_count ||
        step_share(step, ns) <= expert_threshold("math_attention.share"))
        return;
    struct finding *finding = step_note(step, findings, &detect_math_attention);
    uint32_t node = step_place(step, scan);
    finding->place = step_node_text(step, node);
    finding->problem = arena_format(
        step->arena,
        "Attention is computed in separate kernels, %lld times %s: softmax and what else lies "
        "between its two matrix products takes %s",
        (long long)step_mean_ns(step, attentions), step_unit(step), step_duration(step, ns));
    finding->recommendation =
        "Use scaled_dot_product_attention in float16 or bfloat16, without asking for the weights, "
        "so that it takes a fused kernel (flash, memory-efficient, cuDNN); a causal mask is "
        "is_causal=True and no tensor";
    finding->why = "On one stream: a matrix product, softmax with nothing but elementwise kernels "
                   "beside it, a matrix product. Each writes the scores, whose size is the square "
                   "of the sequence's length, and the next reads them; a fused kernel does not";
    finding->opens = "kernels";
    finding->filter = "(?i:softmax)|elementwise|dropout|triton_poi class:compute";
    finding_set_layer_evidence(finding, node);
}

const struct detector detect_math_attention = {
    .id = "math_attention",
    .title = "attention without a fused kernel",
    .doc = "math_attention.calls times a step or more a matrix product, softmax and a matrix "
           "product follow each other on a stream with nothing but elementwise kernels between, "
           "and what lies between takes more than math_attention.share of the step. A note: what "
           "a fused kernel (flash, memory-efficient) would gain is not known.",
    .scan = math_attention_scan,
    .judge = math_attention,
};
