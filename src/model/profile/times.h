// SPDX-License-Identifier: Apache-2.0
// Which times of a file are believed. Far from all others, or too long together, they are damage, and
// sums over them would overflow.
#ifndef MODEL_TIMES_H
#define MODEL_TIMES_H

#include "model/profile/profile.h"

// 73 years; 52 days; 208 days from the middle of the file; 36 years of all rows of a table together.
#define TIME_LIMIT     (INT64_C(1) << 61)
#define DURATION_LIMIT (INT64_C(1) << 52)
#define SPAN_LIMIT     (INT64_C(1) << 54)
#define TOTAL_LIMIT    (INT64_C(1) << 60)

// Where rows last longer together the long ones lose their length, and a note says so. `parts`: load_request.part_of.
void times_limit_total(struct profile *profile, unsigned parts, const int64_t *start, int64_t *end,
                       uint32_t count, const char *what);

#endif
