// SPDX-License-Identifier: Apache-2.0
// Model FLOPs utilisation (Chowdhery et al., PaLM, 2022): the share of the GPUs' compute capacity
// in a step that the model needs.
//
//      MFU = sum of (model FLOPs of a kernel / dense peak of its type) / sum of the GPUs' steps
//
// With one data type this equals the usual FLOPs / (time * peak); with several, no average peak is
// needed. Model FLOPs are the FLOPs of matrix products, convolutions and attention (formula.h: half
// of the square for a causal mask, nothing that the backward of attention recomputes), without the
// forward that a checkpoint runs a second time. HFU is the same for all FLOPs that are executed.
// Peaks are dense, for the card as named (rules/gpus.yaml), with Tensor Cores if the kernel may use
// them. GPUs without work are not counted. A convolution counts the FLOPs of its definition,
// although Winograd and FFT algorithms need fewer operations; any other kernel is capped at what
// its GPU computes in its time.
//
// Coverage is the share of the time of these kernels for which FLOPs and peak are known. Below
// FULL_MFU_COVERAGE the MFU is a lower bound; below MIN_MFU_COVERAGE it is not shown. The user may
// state the FLOPs of a step instead (step_size.h); the peak is then the one of the data type with
// the most kernel time.
#ifndef ANALYSIS_OP_RUNS_MFU_H
#define ANALYSIS_OP_RUNS_MFU_H

#include "analysis/op_runs/roofline.h"
#include "analysis/report/value.h"

#define FULL_MFU_COVERAGE 0.9
#define MIN_MFU_COVERAGE  0.5

struct mfu {                            // sums over steps and GPUs
    double gpu_steps;                   // number of steps, counted once for each GPU that worked
    int64_t gpu_ns;                     // total length of these steps
    double model_flops, hardware_flops; // of kernels with known FLOPs
    double model_ns, hardware_ns;       // the least time for these FLOPs at peak
    int64_t all_ns; // kernel time of matrix products, convolutions and attention
    // the part of all_ns with known FLOPs; and with a known peak, too
    int64_t known_flops_ns, known_ns;
    double by_limit[LIMITS]; // model_ns by data type
    bool is_guess;           // some data type is assumed, not recorded
    bool is_stated;          // FLOPs are stated by the user; hardware_flops is unknown
};

// Returns split->count entries, one per step, selected or not, for the GPUs and process of the
// selection. A split without steps gives one entry for the whole time.
const struct mfu *mfu_iterations(const struct profile *profile, const struct selection *selection,
                                 struct arena *arena);
void mfu_add(struct mfu *sum, const struct mfu *part);

// The sum over the selected steps.
struct mfu mfu_total(const struct profile *profile, const struct selection *selection,
                     struct arena *arena);

// Shares, 0..1. None if unknown or above 1.
struct value mfu_percent(const struct mfu *mfu);
struct value mfu_hardware_percent(const struct mfu *mfu);
// None if there are no such kernels, or if the FLOPs are stated.
struct value mfu_coverage(const struct mfu *mfu);
bool mfu_is_lower_bound(const struct mfu *mfu); // the MFU is a lower bound
// True if the MFU is missing only for lack of a peak: FLOPs are known for enough of the time.
bool mfu_lacks_peak(const struct mfu *mfu);

// Items (tokens, samples) per second and GPU, given the items that pass through a GPU in a step.
// The text reads "27,618 tokens/s per GPU".
double mfu_items(const struct mfu *mfu, double items_per_step);
const char *mfu_items_text(const struct mfu *mfu, const struct step_size *size,
                           struct arena *arena);

// The data types that the FLOPs are in, largest share first: "bf16", "bf16+fp32"; "" if unknown.
const char *mfu_types(const struct mfu *mfu, struct arena *arena);
// "29.1%", or ">=29.1%" for a lower bound; "" if unknown.
const char *mfu_percent_text(const struct mfu *mfu, bool ascii, struct arena *arena);
// "MFU 29.1% (bf16)"; "" if unknown.
const char *mfu_text(const struct mfu *mfu, bool ascii, struct arena *arena);

#endif
