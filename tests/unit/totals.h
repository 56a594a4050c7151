// SPDX-License-Identifier: Apache-2.0
// Checks the totals that the reports of one selection must share.
#ifndef UNIT_TOTALS_H
#define UNIT_TOTALS_H

#include "analysis/report/report.h"

// Returns the sum of an integer column; `only_roots` limits it to a tree's outermost rows.
int64_t totals_column(const char *report, const char *column, const struct profile *profile,
                      const struct selection *selection, bool only_roots, struct arena *arena);

// Fails the test if two reports of the selection state different values for the same total: all GPU
// work as the sum of its durations, and as exclusive time, without overlap.
void totals_check(const char *name, const struct profile *profile,
                  const struct selection *selection);

// The same for a whole profile and the trust report, which must also state each difference between
// a sum and a union as overlap, to the nanosecond.
void totals_check_trust(const char *name, const struct profile *profile,
                        const struct selection *all);

#endif
