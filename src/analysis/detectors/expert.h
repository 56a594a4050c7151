// SPDX-License-Identifier: Apache-2.0
// Runs the detectors, orders their findings and formats texts about them.
#ifndef ANALYSIS_DETECTORS_EXPERT_H
#define ANALYSIS_DETECTORS_EXPERT_H

#include "analysis/detect/finding.h"

extern const struct detector *const detectors[]; // DLProf's in its order, then native
extern const size_t detector_count;
extern const struct detector_list detector_list; // the same as one value

// Runs all detectors. Order: capture problems, warnings, notes, not judged, folded. Within each,
// native findings come by gain, then the others in the order of their detectors.
struct finding_list expert_run(const struct profile *profile, const struct selection *selection,
                               struct arena *arena);
// Runs only DLProf's detectors, in their order.
struct finding_list expert_dlprof(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);

// Returns true for findings of DLProf's or the plugin's rules without a measured share of the step.
// They are folded: shown last, in one line.
bool finding_is_folded(const struct finding *finding);
// Returns the number shown for a finding: its position, from 1, among findings and notes about the
// program. 0 if it is shown without a number.
size_t expert_number(const struct finding_list *findings, const struct finding *finding);
// Returns the number of findings of a severity without folded ones.
size_t expert_count(const struct finding_list *findings, enum severity severity);
size_t expert_folded(const struct finding_list *findings);
size_t expert_passed_count(const struct finding_list *findings); // detectors without a finding
// Formats the total of all bounds, "156 ms = 37.9% of GPU 2's 412 ms"; NULL if no finding has a
// bound.
const char *expert_total_text(const struct finding_list *findings, const struct profile *profile,
                              bool ascii, struct arena *arena);
// "DLProf would also say 3 and not judge 2": the folded findings. NULL if there are none.
const char *expert_folded_text(const struct finding_list *findings, struct arena *arena);
const char *detector_source(const struct detector *detector); // "dlprof-tui", "dlprof", "plugin"

// The rule with the current thresholds: "loader_wait.share = 0.01".
const char *expert_rule(const struct detector *detector, struct arena *arena);

// The finding with all its figures as one line for pasting, without control characters.
const char *expert_paragraph(const struct finding_list *findings, const struct finding *finding,
                             const struct profile *profile, struct arena *arena);

// Formats the node and source line: "step N > loss.item, train.py:88 step"; NULL if neither is
// known.
const char *expert_place_text(const struct finding *finding, struct arena *arena);

// The time that shares refer to: "446 ms", or "GPU 2's 446 ms" if there are several.
const char *expert_base_text(const struct finding_list *findings, const struct profile *profile,
                             bool ascii, struct arena *arena);

// "23 of 24: 1 cut step is not judged", or NULL.
const char *expert_cut_text(const struct finding_list *findings, struct arena *arena);

// Returns true if a capture option would allow a detector to judge that cannot judge now.
bool expert_has_capture_hint(const struct finding_list *findings);

// The text shown if there are no findings. Without GPU work *is_judged is false, and all native
// detectors are listed as not judged.
const char *expert_empty_text(const struct profile *profile, const struct finding_list *findings,
                              bool *is_judged);

// Formats a capture command that records the data this profile lacks.
const char *expert_capture_line(const struct profile *profile, struct arena *arena);

#endif
