// SPDX-License-Identifier: Apache-2.0
// Bounds that a script sets on a profile, "step>+5%": whether one is crossed, and by how much.
//
//     METRIC > BOUND, or METRIC < BOUND for a lower bound
//     step>+5%   step>+2ms   step>420ms    relative to side A, or absolute
//     busy, idle          per step and GPU; idle>20% is a share of the step
//     median              of the lengths of the steps
//     findings>+0         number of warnings
//     kernel:NAME         GPU time of a kernel family; overlap counts twice
//     layer:PATH          exclusive GPU time below a place of the op tree, including its backward
#ifndef ANALYSIS_COMPARE_LIMIT_H
#define ANALYSIS_COMPARE_LIMIT_H

#include "analysis/compare/compare.h"

enum limit_kind { LIMIT_VALUE, LIMIT_MORE, LIMIT_PERCENT, LIMIT_SHARE };

struct limit_metric;

struct limit {
    const char *text; // as given
    const struct limit_metric *metric;
    // length of NAME in "kernel:NAME", which follows the metric's name in `text`
    size_t name_length;
    bool is_least; // `<`: fails if the figure is below the bound
    enum limit_kind kind;
    double bound; // ns, a number, or a share 0..1
};

// Parses a bound. Returns false if it is malformed. The limit points into `text`.
bool limit_parse(const char *text, struct limit *limit, struct error *error);
bool limit_needs_baseline(const struct limit *limit);

// Checks side B (against side A if selection->baseline is set). `line` receives one line with both
// figures. Returns false, which is no pass, if a name exists on neither side or a figure cannot be
// compared.
bool limit_check(const struct limit *limit, const struct profile *profile,
                 const struct selection *selection, bool *is_crossed, const char **line,
                 struct arena *arena, struct error *error);

#endif
