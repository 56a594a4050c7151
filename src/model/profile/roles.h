// SPDX-License-Identifier: Apache-2.0
// The role of a process in a distributed job: pipeline stage, index in tensor or data parallelism,
// prefill or decode. Taken from the recorded environment or from file names; nothing is guessed.
#ifndef MODEL_PROFILE_ROLES_H
#define MODEL_PROFILE_ROLES_H

#include "model/profile/machine.h"

struct arena;

struct roles roles_unknown(void);

// True if a text may be roles.word, which labels and commands contain; "" means none.
bool roles_is_word(const char *text);
// Reads "ROLE_NAME=prefill" of torchrun or "VLLM_DP_RANK=1". Returns false for other variables and
// for empty values.
bool roles_of_variable(const char *text, struct roles *roles, struct arena *arena);

// Reads roles from file names such as "prefill-1.sqlite" and "run_pp1_tp0.sqlite". A kind of role
// counts only if every name has it and the names differ. Known values of `roles` are kept.
void roles_of_files(const char *const *paths, uint32_t count, struct roles *const *roles);

// Returns the i-th known property, "stage 1" or "prefill", or NULL if there are not so many.
const char *roles_at(const struct roles *roles, unsigned i, struct arena *arena);
// Returns all of them, "pp 1 tp 0", or NULL if there are none.
const char *roles_text(const struct roles *roles, struct arena *arena);

#endif
