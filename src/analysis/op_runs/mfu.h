// SPDX-License-Identifier: Apache-2.0
// Model FLOPs utilisation (Chowdhery et al., PaLM, 2022): of what the GPUs could have computed in a
// step, the share that the model needs.
//
//      MFU = sum of (model FLOPs of a kernel / dense peak of its data type) / sum of the GPUs' steps
//
// With one data type that is the usual FLOPs / (time * peak); of several no average peak is needed. Model
// FLOPs are those of matrix products, convolutions and attention (formula.h: half of what is below a
// causal mask, nothing that the backward of attention works out anew), without the forward that a
// checkpoint runs again; HFU is the same of all that is run. Peaks are dense, of the card as it is named
// (rules/gpus.yaml), with Tensor Cores where the kernel may use them. GPUs that ran nothing are not
// counted. A convolution has what it is defined by, though Winograd's and FFT's algorithms need fewer
// operations; no other kernel has more than it could compute in its time.
//
// The coverage is how much of the time of such kernels has known FLOPs and a known peak: below
// MFU_WHOLE what is known is the least that it can be, below MFU_SOME nothing is said. A person may say
// what a step needs instead (step_size.h); then the peak is that of the type which takes most time.
#ifndef ANALYSIS_MFU_H
#define ANALYSIS_MFU_H

#include "analysis/op_runs/roofline.h"
#include "analysis/report/value.h"

#define MFU_WHOLE 0.9
#define MFU_SOME  0.5

struct mfu {                            // of some steps, added up over the GPUs
    double gpu_steps;                   // how many, once for each GPU that worked
    int64_t gpu_ns;                     // how long they are together
    double model_flops, hardware_flops; // known
    double model_ns, hardware_ns;       // the least time for these
    int64_t all_ns;                     // kernel time of products and such
    int64_t told_ns, known_ns;          // of these with known FLOPs; with a known peak, too
    double by_limit[LIMITS];            // model_ns by data type
    bool is_guess;                      // rests on a data type that the file does not tell
    bool is_stated;                     // by a person: the FLOPs of hardware are not known
};

// By iteration of the split, selected or not; split->count entries. Of a split without steps one entry,
// the whole time. For the GPUs and the process of the selection.
const struct mfu *mfu_iterations(const struct profile *profile, const struct selection *selection,
                                 struct arena *arena);
void mfu_add(struct mfu *sum, const struct mfu *part);

// Of all rows of report_mfu together, and what they are made of: the chosen steps.
struct mfu mfu_of_rows(const struct rows *rows);
struct mfu mfu_total(const struct profile *profile, const struct selection *selection,
                     struct arena *arena);

// Shares 0..1; none: not known, or more than there can be.
struct value mfu_percent(const struct mfu *mfu);
struct value mfu_hardware_percent(const struct mfu *mfu);
struct value mfu_coverage(
    const struct mfu *mfu);               // none: there are no such kernels, or it is stated
bool mfu_is_least(const struct mfu *mfu); // more may be true
// Why nothing is said, where it is that the peak is unknown: the FLOPs are known of enough.
bool mfu_lacks_peak(const struct mfu *mfu);

// Per second and GPU, of what goes through one of them in a step; and as "27,618 tokens/s per GPU".
double mfu_items(const struct mfu *mfu, double items_per_step);
const char *mfu_items_text(const struct mfu *mfu, const struct step_size *size,
                           struct arena *arena);

// The data types that the FLOPs are of, most of them first: "bf16", "bf16+fp32"; "": not known.
const char *mfu_types(const struct mfu *mfu, struct arena *arena);
// "29.1%", ">=29.1%"; "": it is not known.
const char *mfu_percent_text(const struct mfu *mfu, bool ascii, struct arena *arena);
// "MFU 29.1% (bf16)"; "" as well.
const char *mfu_text(const struct mfu *mfu, bool ascii, struct arena *arena);

#endif
