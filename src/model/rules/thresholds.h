// SPDX-License-Identifier: Apache-2.0
// Thresholds of rules/expert.yaml in the rules in use.
#ifndef MODEL_RULES_THRESHOLDS_H
#define MODEL_RULES_THRESHOLDS_H

// Returns the threshold of a key, "slow_gpu.ratio". NAN when the rules lack the key, which is a
// defect of the program; a test asks for all keys.
double expert_threshold(const char *key);

#endif
