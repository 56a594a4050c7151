// SPDX-License-Identifier: Apache-2.0
// What the panels of the first screen rest on; made once per change.
#ifndef UI_VIEWS_SUMMARY_PARTS_H
#define UI_VIEWS_SUMMARY_PARTS_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/idle_sums.h"
#include "ui/host.h"

enum { SHARES_MAX = 64 };

struct share {       // a row of a panel
    const void *row; // of the report
    const char *name;
    int64_t ns, forward_ns, backward_ns;
};

// The largest rows of a report by one of its columns, and what all of them add up to.
struct shares {
    const struct report *report;
    struct share items[SHARES_MAX + 1];
    size_t count;      // of those above 0
    int64_t whole_ns;  // what they are shares of,
    const char *whole; // in words: "of the step"
    const char *key;   // the column
};

struct summary_parts {
    bool is_made;
    struct breakdown total;    // by breakdown_gpu, of the selected steps
    const char *outside;       // why `total` is nothing though GPUs ran something, or NULL
    struct breakdown dlprof;   // by breakdown_dlprof
    struct breakdown *devices; // one per device
    struct idle_sum idle;      // of `total`, by cause
    // Words that end with NULL: "data 46.2 ms", and "transfer 28.1 ms"; NULL: there is nothing.
    const char **idle_pieces, **exposed_pieces;
    double divisor;  // steps in the set x GPUs
    double steps;    // steps in the set
    const char *per; // ", per step and GPU"; "": totals
    struct selection selection;
    struct shares places; // layers by GPU time; without any, the tree by host time
    struct shares kernels;
    struct cached *layers, *tree, *names; // that they point into
    struct cached *causes;                // of idle time
    struct cached *changes;  // compared with the baseline: rows of `costs`; NULL: nothing is
    struct breakdown before; // `total` of the baseline, of one step of one GPU
    struct breakdown after;  // the same of `total`
    struct arena *arena;
};

void summary_parts_make(struct app *app, const struct view *view, struct summary_parts *parts);
void summary_parts_release(struct summary_parts *parts);

#endif
