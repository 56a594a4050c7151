// SPDX-License-Identifier: Apache-2.0
// What part of the job a process has: pipeline stage, place in tensor or data parallelism, prefill or
// decode. Told by the environment that a capture kept or by the files' names; nothing is guessed.
#ifndef MODEL_ROLES_H
#define MODEL_ROLES_H

#include "model/profile/machine.h"

struct arena;

struct roles roles_unknown(void);

// Whether a text may be roles.word, which labels and commands hold; "" is none.
bool roles_is_word(const char *text);
// "ROLE_NAME=prefill" of torchrun, "VLLM_DP_RANK=1". False: it is none of them, or tells nothing.
bool roles_of_variable(const char *text, struct roles *roles, struct arena *arena);

// Of names of files, "prefill-1.sqlite", "run_pp1_tp0.sqlite": what every one of them tells, and not all
// tell alike. What `roles` know already stays.
void roles_of_files(const char *const *paths, uint32_t count, struct roles *const *roles);

// The i-th thing that is known, "stage 1", "prefill"; NULL: there is no more.
const char *roles_at(const struct roles *roles, unsigned i, struct arena *arena);
// All of it, "pp 1 tp 0"; NULL: nothing.
const char *roles_text(const struct roles *roles, struct arena *arena);

#endif
