// SPDX-License-Identifier: Apache-2.0
// The panels of the first screen; each draws into its area and returns the lines it used.
#ifndef UI_SUMMARY_PARTS_H
#define UI_SUMMARY_PARTS_H

#include "ui/app_state.h"

// What the panels rest on; made once per change.
struct summary_parts {
    bool is_made;
    struct breakdown total;    // by breakdown_gpu, of the selected steps
    struct breakdown dlprof;   // by breakdown_dlprof
    struct breakdown *devices; // one per device
    double divisor;            // steps in the set x GPUs
    double steps;              // steps in the set
    const char *per;           // ", per step and GPU"
    struct cached *layers, *tree, *kernels;
    struct arena *arena;
};

void summary_parts_make(struct app *app, const struct view *view, struct summary_parts *parts);
void summary_parts_release(struct summary_parts *parts);

int summary_step_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                      struct area area);
int summary_layers_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                        struct area area);
int summary_steps_draw(struct app *app, struct canvas *canvas, struct area area);
int summary_devices_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                         struct area area);
// At most `part` of the area's height.
int summary_kernels_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                         struct area area, double part);
int summary_trust_draw(struct app *app, struct canvas *canvas, struct area area);

#endif
