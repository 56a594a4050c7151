// SPDX-License-Identifier: Apache-2.0
// Rules that people may edit: kernel families and classes, op classes, thresholds, what GPUs can do,
// which frames of call chains are of libraries (rules/*.yaml).
//
// The defaults are compiled in; a file of the same name in the user's configuration folder or
// named on the command line replaces them. First match wins.
#ifndef MODEL_RULES_H
#define MODEL_RULES_H

#include "base/error.h"
#include "model/profile/profile.h"

struct rules;

// Reads all rule files: `folder` (NULL: none) overrides the built-in ones file by file. False and
// an error "file:line:column: ..." where one is wrong. Whatever comes of it, also when memory ends,
// *rules (NULL before) is what rules_free() is due.
bool rules_load(struct rules **rules, struct arena *arena, const char *folder, struct error *error);
void rules_free(struct rules *rules); // what the arena does not hold (patterns); NULL is fine

// Class, family and Tensor Core use of all kernels of a profile by their names, by several threads.
void rules_classify_all(const struct rules *rules, struct profile *profile);

// Whether ops of this type could use Tensor Cores.
enum tristate rules_op_eligible(const struct rules *rules, const char *op_type);

// What a card can do at most, by gpus.yaml. 0: not told.
struct gpu_peaks {
    const char *name;   // what names of the card hold; NULL: nothing is known
    bool is_from_clock; // worked out of multiprocessors and clock, not a figure of the card's sheet
    double sms;         // multiprocessors
    // Dense, TFLOP/s (1e12 per second). fp16: bfloat16 too; fp64: without Tensor Cores.
    double fp64, fp64_tc, fp32, tf32, fp16, fp8, int8, fp4;
    double bandwidth; // of its memory, GB/s (1e9 bytes per second)
};
const struct gpu_peaks *rules_gpu(const struct rules *rules, const char *name); // NULL: no such
// Of a GPU of a profile: by its name, else by its compute capability, multiprocessors and clock.
struct gpu_peaks rules_peaks(const struct rules *rules, const struct profile *profile,
                             uint32_t device);

// Which rules of frames.yaml match a name, that of a frame's symbol or of its module: asked once of
// each name, so that it does not matter how many frames pair them. "" for what is not known.
enum { FRAME_RULES_MOST = 512 };
struct frame_marks {
    uint64_t own[FRAME_RULES_MOST / 64], either[FRAME_RULES_MOST / 64]; // bits by rule
};
void rules_mark_frame(const struct rules *rules, const char *name, bool is_symbol,
                      struct frame_marks *marks);
// Whether a frame of a call chain is of a library: what the first rule says that matches both.
bool rules_is_library(const struct rules *rules, const struct frame_marks *symbol,
                      const struct frame_marks *module);

// What ops compute and move, by formulas.yaml (rules_formulas.h).
struct formula_rules;
const struct formula_rules *rules_formulas(const struct rules *rules);

// A number of expert.yaml, in the unit that is said there: "dataloader.share"; `fallback` where no
// file has it.
double rules_threshold(const struct rules *rules, const char *key, double fallback);

// The thresholds one by one; false: there are no more.
bool rules_threshold_at(const struct rules *rules, size_t i, const char **key, double *value);

// Whether kernels, ops and frames of call chains are called and classed the same by both.
bool rules_judge_names_alike(const struct rules *a, const struct rules *b);

// ---- the rules in use (rules_use.c): the built-in ones until others are taken ------------------

// Reads the built-in rules if that has not been done. False: memory has ended, and it may be asked
// again. (A program whose own rules are wrong is broken: a test reads them in every build.)
bool rules_ready(struct error *error);

// From any thread. Aborts where they are neither read nor can be: rules_ready(), rules_use() and
// profile_load() tell that before.
const struct rules *rules_get(void);

// What a GPU of a profile can do at most, by the rules in use.
struct gpu_peaks device_peaks(const struct profile *profile, uint32_t device);

// Reads the rules of `folder` as rules_load() does and uses them from now on; the ones before are
// gone. False: there is a mistake in them, and the ones before stay. *renames: kernels or ops are
// judged otherwise than before, so that profiles loaded before need profile_reclassify(). While a
// profile is being loaded rules stay as they are.
bool rules_use(const char *folder, bool *renames, struct error *error);
void rules_use_builtin(void); // from now on, and releases what rules_use() read

#endif
