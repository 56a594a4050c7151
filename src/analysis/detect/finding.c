// SPDX-License-Identifier: Apache-2.0
// Adds findings to a list.
#include "analysis/detect/finding.h"

#include "model/markers/step_words.h"

const char *const certainty_names[] = {
    [CERTAINTY_NONE] = "", [CERTAINTY_LIKELY] = "likely", [CERTAINTY_CERTAIN] = "certain"};

struct finding *finding_add(struct finding_list *findings, const struct detector *detector,
                            enum severity severity)
{
    struct finding *finding =
        &ARENA_PUSH(findings->arena, findings->items, findings->count, findings->capacity);
    *finding = (struct finding){.detector = detector,
                                .severity = severity,
                                .gain_ns = UNKNOWN,
                                .problem = "",
                                .recommendation = ""};
    return finding;
}

const char *expert_unit(const struct selection *selection)
{
    return selection->split->method == SPLIT_NONE ? "of the capture"
                                                  : split_words_of(selection->split)->each;
}
