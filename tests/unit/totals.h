// SPDX-License-Identifier: Apache-2.0
// Totals that the reports of one selection must share.
#ifndef UNIT_TOTALS_H
#define UNIT_TOTALS_H

#include "analysis/report/report.h"

// Sum of a column of whole numbers; `only_roots`: of a tree's outermost rows.
int64_t totals_column(const char *report, const char *column, const struct profile *profile,
                      const struct selection *selection, bool only_roots, struct arena *arena);

// Fails the test where two reports of what is selected, which state the same total, differ: all GPU
// work as the sum of its durations, and without overlap as exclusive time.
void totals_check(const char *name, const struct profile *profile,
                  const struct selection *selection);

// Of a whole profile: the trust report states the same totals, and each difference between a sum
// and a union as overlap, to the nanosecond.
void totals_check_trust(const char *name, const struct profile *profile,
                        const struct selection *all);

#endif
