// SPDX-License-Identifier: Apache-2.0
// Helpers shared by several detectors.
#ifndef ANALYSIS_DETECT_DETECT_TOOLS_H
#define ANALYSIS_DETECT_DETECT_TOOLS_H

#include "analysis/detect/step.h"
#include "model/rules/rules.h"

// True if the type or name of any op contains `word`, ignoring case.
bool detect_any_op_has(const struct profile *profile, const char *word);

// True if the profile has an op for whose type matches() holds.
bool detect_any_op_type(const struct profile *profile, bool (*matches)(const char *type));

bool detect_has_range(const struct profile *profile, const char *text); // with exactly this text
bool detect_has_communication(const struct profile *profile);           // any kernel or peer copy

// Returns the copy from host to GPU that `work` is, or NULL for anything else.
const struct copy *detect_upload(const struct profile *profile, uint32_t work);

// Returns "12 copies, 3.4 MB in all"; `sized` of them have a size, which adds up to `bytes`.
const char *detect_copied_text(int64_t copies, int64_t sized, int64_t bytes, struct arena *arena);

// Requests the instants at which copies run and nothing is computed; matches() selects the copies.
// During communication only copies on compute streams count, since later kernels wait for them.
void detect_request_copies(struct scan *scan,
                           bool (*matches)(const struct step_line *line, uint32_t work));

// Returns [function]: matches(); NULL if it holds for none.
const bool *detect_functions(const struct step_line *line,
                             bool (*matches)(const struct profile *profile,
                                             const struct function *function));

// device_sm_count() returns the multiprocessors of a GPU by the capture, else by gpus.yaml; 0 if
// unknown. detect_card_unknown() adds a not-judged finding for an unknown card.
double device_sm_count(const struct profile *profile, uint32_t device);
void detect_card_unknown(struct finding_list *findings, const struct detector *detector,
                         const struct step *step);

#endif
