// SPDX-License-Identifier: Apache-2.0
// Reads thresholds from the rules in use.
#include "model/rules/thresholds.h"

#include <math.h>

#include "model/rules/rules.h"

double expert_threshold(const char *key)
{
    return rules_threshold(rules_get(), key, NAN);
}
