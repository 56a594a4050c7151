// SPDX-License-Identifier: Apache-2.0
// What several detectors ask.
#ifndef ANALYSIS_DETECT_TOOLS_H
#define ANALYSIS_DETECT_TOOLS_H

#include "analysis/detect/step.h"
#include "model/rules/rules.h"

// Whether the type or name of any op holds `word`, letter case ignored.
bool detect_any_op_has(const struct profile *profile, const char *word);

// Whether the profile has an op whose type is such a one.
bool detect_any_op_type(const struct profile *profile, bool (*is_such)(const char *type));

bool detect_has_range(const struct profile *profile, const char *text); // of exactly that text
bool detect_has_communication(const struct profile *profile);           // any kernel, any peer copy

// What copies data of the host to the GPU, as far as the file tells; NULL: something else.
const struct copy *detect_upload(const struct profile *profile, uint32_t work);

// Wants the instants at which copies are made and nothing is computed: `is_such` tells which copies.
// Beside communication only those on compute streams count, where kernels wait behind them.
void detect_want_copies(struct scan *scan,
                        bool (*is_such)(const struct step_line *line, uint32_t work));

// Which functions are such, by function; NULL: none is.
const bool *detect_functions(const struct step_line *line,
                             bool (*is_such)(const struct profile *profile,
                                             const struct function *function));

// The multiprocessors of a GPU by the capture, else by gpus.yaml, 0: unknown; and a check that is not
// judged because of the card.
double device_sm_count(const struct profile *profile, uint32_t device);
void detect_card_unknown(struct finding_list *findings, const struct detector *detector,
                         const struct step *step);

#endif
