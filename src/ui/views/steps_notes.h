// SPDX-License-Identifier: Apache-2.0
// The two lines above the chart of steps.
#ifndef UI_VIEWS_STEPS_NOTES_H
#define UI_VIEWS_STEPS_NOTES_H

#include "ui/term/canvas.h"
#include "ui/views/steps_chart.h"

// Draws the typical step and how many steps are chosen.
void steps_typical_draw(struct app *app, struct canvas *canvas, struct area line);
// Draws notes on the chart: the range shown, the meaning of a bar, that the host's period differs,
// and that `hidden` GPUs did not fit.
void steps_notes_draw(struct app *app, struct canvas *canvas, struct area line,
                      const struct steps_chart *chart, uint32_t hidden);

#endif
