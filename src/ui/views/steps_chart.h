// SPDX-License-Identifier: Apache-2.0
// A stacked bar per step, or per bucket of steps where they are thousands.
//
// The chart shows a part of the steps, which scrolls with the cursor; where it is wider than the
// screen each bar is a bucket: the step of median length of those that are chosen, with a tick at
// the longest. Bars by the GPU's clock; a mark where the host's period is another one.
#ifndef UI_VIEWS_STEPS_CHART_H
#define UI_VIEWS_STEPS_CHART_H

#include "ui/host.h"
#include "ui/term/canvas.h"

struct steps_chart {
    struct area area; // of the bars; the axis stands left of it, the labels below
    uint32_t first, count, bucket;
    int bar, pitch, bars; // columns of a bar, from bar to bar; bars on screen
    int64_t top_ns;       // value at the upper edge
    bool is_percent;      // each bar fills the height
    bool has_host;        // marks the host's period
    bool is_small;        // one of several: marks instead of labels
    bool has_span;        // steps that are being marked, both ends included
    uint32_t span_from, span_to;
    const int64_t *duration_ns;
    const struct breakdown *parts;
};

// Which steps are shown: the whole halved `zoom` times, moved so that the cursor is in it.
void steps_chart_scroll(struct app *app, unsigned *zoom, uint32_t *first, uint32_t *count);

// The chart of the steps from `first` on in an area: of all GPUs.
struct steps_chart steps_chart_make(struct app *app, struct area area, uint32_t first,
                                    uint32_t count);

void steps_chart_draw(struct app *app, struct canvas *canvas, const struct steps_chart *chart);

bool steps_chart_marks_host(struct app *app, const struct steps_chart *chart); // any h

// A chart for each GPU, side by side, to one scale. Returns how many GPUs found no room.
uint32_t steps_charts_draw(struct app *app, struct canvas *canvas, struct area area,
                           const struct steps_chart *like);

// The longest step of the bar that lies `bars` from the cursor's.
uint32_t steps_chart_move(struct app *app, uint32_t first, uint32_t bucket, int bars);

#endif
