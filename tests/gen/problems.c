// SPDX-License-Identifier: Apache-2.0
//
// The list of all problems, and the parsing of their names and variants.
#include "problems.h"

#include <string.h>

#define PROBLEM_DECLARE(name) extern const Problem problem_##name;
PROBLEM_LIST(PROBLEM_DECLARE)

#define PROBLEM_ENTRY(name) &problem_##name,
const Problem *const problems[PROBLEM_COUNT] = {PROBLEM_LIST(PROBLEM_ENTRY)};

const char *const planted_names[PLANTED_COUNT] = {
    [PLANTED_NOT] = "", [PLANTED] = "", [PLANTED_TWIN] = ":twin", [PLANTED_IDEAL] = ":ideal"};

bool problem_parse(const char *text, ProblemId *problem, Planted *how)
{
    size_t length = strcspn(text, ":");
    for (int i = 0; i < PROBLEM_COUNT; i++) {
        if (strlen(problems[i]->name) != length || memcmp(problems[i]->name, text, length) != 0)
            continue;
        *problem = (ProblemId)i;
        for (int k = PLANTED; k < PLANTED_COUNT; k++)
            if (strcmp(planted_names[k], text + length) == 0) {
                *how = (Planted)k;
                return (k != PLANTED_TWIN || problems[i]->twin) &&
                       (k != PLANTED_IDEAL || problems[i]->has_ideal);
            }
    }
    return false;
}
