// SPDX-License-Identifier: Apache-2.0
// Limits on the times in a file. Times far from all others, and excessive total lengths, are
// damage, and sums over them would overflow.
#ifndef MODEL_PROFILE_TIME_LIMITS_H
#define MODEL_PROFILE_TIME_LIMITS_H

#include "model/profile/profile.h"

// In this order: 73 years for a time; 52 days for a duration; 208 days from the middle of the file;
// 36 years for all rows of a table together.
#define TIME_LIMIT     (INT64_C(1) << 61)
#define DURATION_LIMIT (INT64_C(1) << 52)
#define SPAN_LIMIT     (INT64_C(1) << 54)
#define TOTAL_LIMIT    (INT64_C(1) << 60)

// If the rows together last longer than TOTAL_LIMIT / parts, sets the long ones to length 0 and
// adds a note. `parts` is load_request.part_of.
void times_limit_total(struct profile *profile, unsigned parts, const int64_t *start, int64_t *end,
                       uint32_t count, const char *what);

#endif
