// SPDX-License-Identifier: Apache-2.0
// The data that the panels of the first screen show; computed again after each change.
#ifndef UI_VIEWS_SUMMARY_PARTS_H
#define UI_VIEWS_SUMMARY_PARTS_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/idle/idle_sums.h"
#include "ui/host.h"

enum { MAX_SHARES = 64 };

struct share {       // a row of a panel
    const void *row; // row of the report
    const char *name;
    int64_t ns, forward_ns, backward_ns;
};

// The largest rows of a report by one of its columns, and the sum they are shares of.
struct shares {
    const struct report *report;
    struct share items[MAX_SHARES + 1];
    size_t count;      // number of rows above 0
    int64_t whole_ns;  // the divisor of the shares
    const char *whole; // its name: "of the step"
    const char *key;   // key of the column
};

struct summary_parts {
    bool is_made;
    struct breakdown total;    // by breakdown_gpu, of the selected steps
    const char *outside;       // why `total` is empty although GPUs ran work, or NULL
    struct breakdown dlprof;   // by breakdown_dlprof
    struct breakdown *devices; // one per device
    struct idle_sum idle;      // `total`'s idle time by cause
    // Words ending with NULL: "data 46.2 ms" and "transfer 28.1 ms". NULL: none.
    const char **idle_pieces, **exposed_pieces;
    double divisor;  // steps in the set x GPUs
    double steps;    // steps in the set
    const char *per; // ", per step and GPU"; "" for totals
    struct selection selection;
    struct shares places; // layers by GPU time; without GPU time, the tree by host time
    struct shares kernels;
    struct cached *layers, *tree, *names; // own the rows that the shares point into
    struct cached *causes;                // causes of idle time
    struct cached *changes;  // comparison with the baseline: rows of `costs`; NULL without one
    struct breakdown before; // the baseline's `total`, of one step of one GPU
    struct breakdown after;  // `total`, of one step of one GPU
    struct arena *arena;
};

void summary_parts_make(struct app *app, const struct view *view, struct summary_parts *parts);
void summary_parts_release(struct summary_parts *parts);

#endif
