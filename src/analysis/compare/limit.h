// SPDX-License-Identifier: Apache-2.0
// Bounds that a script sets on a profile, "step>+5%": is one crossed, and by how much.
//
//     METRIC > BOUND, or METRIC < BOUND for what may not become less
//     step>+5%   step>+2ms   step>420ms    more than side A, or than a figure
//     busy, idle          of a step and GPU; idle>20% is a share of the step
//     median              of the lengths of the steps
//     findings>+0         how many warnings there are
//     kernel:NAME         GPU time of a kernel family, overlap counted twice
//     layer:PATH          exclusive GPU time below a place of the op tree, its backward included
#ifndef ANALYSIS_LIMIT_H
#define ANALYSIS_LIMIT_H

#include "analysis/compare/compare.h"

enum limit_kind { LIMIT_VALUE, LIMIT_MORE, LIMIT_PERCENT, LIMIT_SHARE };

struct metric;

struct limit {
    const char *text; // as given
    const struct metric *metric;
    size_t name_length; // of the NAME in "kernel:NAME", which follows the metric's in `text`
    bool is_least;      // `<`: fails when it is less
    enum limit_kind kind;
    double bound; // ns, a number, or a share 0..1
};

// False: it is none. It points into `text`.
bool limit_parse(const char *text, struct limit *limit, struct error *error);
bool limit_needs_baseline(const struct limit *limit);

// Judges side B (against side A: selection->baseline is set). `line`: one line with both figures.
// False: what it names is on neither side, or cannot be compared; that is no pass.
bool limit_check(const struct limit *limit, const struct profile *profile,
                 const struct selection *selection, bool *is_crossed, const char **line,
                 struct arena *arena, struct error *error);

#endif
