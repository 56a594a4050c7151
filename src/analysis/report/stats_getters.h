// SPDX-License-Identifier: Apache-2.0
// Column accessors for reports whose rows hold a struct stats.
#ifndef ANALYSIS_REPORT_STATS_GETTERS_H
#define ANALYSIS_REPORT_STATS_GETTERS_H

#include "analysis/report/report.h"
#include "analysis/report/stats.h"

// Defines get_X_total, _avg, _med, _min, _max and _std of `member`, a struct stats of struct
// `row_type`. The figures of an empty group are unknown, not 0.
#define STATS_GETTERS(name, row_type, member)                          \
    STATS_GETTER(get_##name##_total, row_type, member, integer, total) \
    STATS_GETTER(get_##name##_avg, row_type, member, real, mean)       \
    STATS_GETTER(get_##name##_med, row_type, member, real, median)     \
    STATS_GETTER(get_##name##_min, row_type, member, integer, min)     \
    STATS_GETTER(get_##name##_max, row_type, member, integer, max)     \
    STATS_GETTER(get_##name##_std, row_type, member, real, deviation)

#define STATS_GETTER(function, row_type, member, kind, field)                \
    static struct value function(const void *row)                            \
    {                                                                        \
        const struct stats *stats = &((const struct row_type *)row)->member; \
        return stats->count ? value_##kind(stats->field) : value_none();     \
    }

#endif
