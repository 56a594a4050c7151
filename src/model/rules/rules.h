// SPDX-License-Identifier: Apache-2.0
// Rules that users may edit (rules/*.yaml): kernel families and classes, op classes, thresholds,
// peak rates of GPUs, formulas, and which frames of call chains belong to libraries.
//
// The defaults are compiled in. A file of the same name in the user's configuration folder, or in a
// folder named on the command line, replaces them; expert.yaml and formulas.yaml only override the
// entries that they have. The first matching rule wins.
#ifndef MODEL_RULES_RULES_H
#define MODEL_RULES_RULES_H

#include "base/error.h"
#include "model/profile/profile.h"

struct rules;

// Reads all rule files; those in `folder` (NULL: none) take precedence over the built-in ones.
// Returns false and an error "file:line:column: ..." when one is wrong. *rules must be NULL before.
// The caller must pass it to rules_free() in every case, also when memory ran out.
bool rules_load(struct rules **rules, struct arena *arena, const char *folder, struct error *error);
// Frees the patterns, which the arena does not own; NULL is allowed.
void rules_free(struct rules *rules);

// Sets class, family and Tensor Core use of all kernels of a profile by their names, in parallel.
void rules_classify_all(const struct rules *rules, struct profile *profile);

// Returns whether ops of this type could use Tensor Cores.
enum tristate rules_op_eligible(const struct rules *rules, const char *op_type);

// Peak rates of a GPU by gpus.yaml. 0: unknown.
struct gpu_peaks {
    const char *name;   // text contained in the names of the GPU; NULL: the GPU is unknown
    bool is_from_clock; // computed from multiprocessor count and clock, not from the data sheet
    double sms;         // number of multiprocessors
    // Dense rates in TFLOP/s (1e12 per second). fp16 includes bfloat16; fp64 is without Tensor
    // Cores.
    double fp64, fp64_tc, fp32, tf32, fp16, fp8, int8, fp4;
    double bandwidth; // of the GPU's memory, in GB/s (1e9 bytes per second)
    int capability;   // compute capability in tenths, of NVIDIA's; 0: unknown
};
const struct gpu_peaks *rules_gpu(const struct rules *rules, const char *name); // NULL: unknown GPU
// Looks up a GPU of a profile by its name, else by compute capability, multiprocessor count and
// clock.
struct gpu_peaks rules_peaks(const struct rules *rules, const struct profile *profile,
                             uint32_t device);

// What the Tensor Cores (matrix cores) of a GPU take, by name or compute capability. An absent peak
// says nothing about it.
enum gpu_type_bit {
    TAKES_FP16 = 1,
    TAKES_BF16 = 2,
    TAKES_TF32 = 4,
    TAKES_INT8 = 8,
    TAKES_FP8 = 16,
    TAKES_FP4 = 32
};
struct gpu_abilities {
    bool is_known;
    unsigned types; // enum gpu_type_bit; 0 if known: the GPU has no Tensor Cores
    double ratio;   // 16 bit over FP32, which no such GPU exceeds; 0: unknown
};
struct gpu_abilities rules_abilities(const struct rules *rules, const struct profile *profile,
                                     uint32_t device);

// Matches the rules of frames.yaml with the name of a frame's symbol or module ("" when unknown).
// Callers keep the result per name, so that the cost does not depend on the number of frames that
// pair the names.
enum { MAX_FRAME_RULES = 512 };
struct frame_marks {
    uint64_t own[MAX_FRAME_RULES / 64], either[MAX_FRAME_RULES / 64]; // one bit per rule
};
void rules_mark_frame(const struct rules *rules, const char *name, bool is_symbol,
                      struct frame_marks *marks);
// Returns whether a frame of a call chain belongs to a library, by the first rule that matches both
// symbol and module.
bool rules_is_library(const struct rules *rules, const struct frame_marks *symbol,
                      const struct frame_marks *module);

// Rules of formulas.yaml (rules_formulas.h).
struct formula_rules;
const struct formula_rules *rules_formulas(const struct rules *rules);

// Returns a number of expert.yaml by key, "dataloader.share", in the unit documented there;
// `fallback` if no file has it.
double rules_threshold(const struct rules *rules, const char *key, double fallback);

// Enumerates the thresholds; false when `i` is past the last one.
bool rules_threshold_at(const struct rules *rules, size_t i, const char **key, double *value);

// Returns whether both sets give the same names and classes to kernels, ops and frames of call
// chains.
bool rules_have_same_names(const struct rules *a, const struct rules *b);

// ---- the rules in use (rules_use.c): the built-in ones until rules_use() replaces them ---------

// Reads the built-in rules unless that has been done. Returns false when out of memory; it may then
// be called again. (Wrong built-in rules are a defect of the build; a test reads them.)
bool rules_ready(struct error *error);

// May be called from any thread. Aborts when the built-in rules have not been read and cannot be;
// call rules_ready(), rules_use() or profile_load() first, which return an error.
const struct rules *rules_get(void);

// Returns the peak rates of a GPU of a profile by the rules in use.
struct gpu_peaks device_peaks(const struct profile *profile, uint32_t device);
// Returns what its Tensor Cores take, by the same rules.
struct gpu_abilities device_abilities(const struct profile *profile, uint32_t device);

// Reads the rules of `folder` as rules_load() does, uses them from now on and frees the previous
// ones. Returns false when they are wrong; the previous ones then stay in use. *renames is set when
// kernels or ops are classified differently, so that profiles loaded earlier need
// profile_reclassify(). Must not be called while a profile is being loaded.
bool rules_use(const char *folder, bool *renames, struct error *error);
void rules_use_builtin(void); // returns to the built-in rules and frees those that rules_use() read

#endif
