// SPDX-License-Identifier: Apache-2.0
// Thresholds of rules/expert.yaml, as the rules in use have them.
#ifndef MODEL_RULES_THRESHOLDS_H
#define MODEL_RULES_THRESHOLDS_H

// By key: "slow_gpu.ratio". A key that the rules lack is a mistake of the program and gives NAN; a test
// asks for all of them.
double expert_threshold(const char *key);

#endif
