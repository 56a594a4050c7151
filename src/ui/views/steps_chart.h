// SPDX-License-Identifier: Apache-2.0
// A stacked bar per step, or per bucket of steps when there are thousands.
//
// The chart shows a range of the steps that scrolls with the cursor. When the steps outnumber the
// bars on screen, each bar is a bucket: it shows the step of median length among its chosen steps,
// with a tick at the longest. Bars use the GPU's clock; a mark shows the host's period where it
// differs.
#ifndef UI_VIEWS_STEPS_CHART_H
#define UI_VIEWS_STEPS_CHART_H

#include "model/markers/step_content.h"
#include "ui/host.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"

struct steps_chart {
    struct area area; // of the bars; the axis is left of it, the labels below
    uint32_t first, count, bucket;
    int bar, pitch, bars; // columns of a bar; columns from bar to bar; bars on screen
    int64_t top_ns;       // value at the upper edge
    bool is_percent;      // scales each bar to the full height
    bool has_host;        // marks the host's period
    bool is_small;        // one of several charts: marks instead of labels
    bool has_span;        // a span of steps is being marked, both ends included
    uint32_t span_from, span_to;
    const int64_t *duration_ns;
    const struct breakdown *parts;
};

// Computes the range of steps shown: all steps halved `zoom` times, moved to contain the cursor.
void steps_chart_scroll(struct app *app, unsigned *zoom, uint32_t *first, uint32_t *count);

// Returns a chart of all GPUs for `count` steps starting at `first`.
struct steps_chart steps_chart_make(struct app *app, struct area area, uint32_t first,
                                    uint32_t count);

void steps_chart_draw(struct app *app, struct canvas *canvas, const struct steps_chart *chart);

// The colour of a kind of steps; of STEP_KIND_NONE that of bars.
enum style step_kind_style(enum step_kind kind);

// True if any step gets a mark.
bool steps_chart_marks_host(struct app *app, const struct steps_chart *chart);

// Draws a chart for each GPU side by side, all to one scale. Returns how many GPUs did not fit.
uint32_t steps_charts_draw(struct app *app, struct canvas *canvas, struct area area,
                           const struct steps_chart *like);

// Returns the longest step of the bar that is `bars` bars away from the cursor's bar.
uint32_t steps_chart_move(struct app *app, uint32_t first, uint32_t bucket, int bars);

#endif
