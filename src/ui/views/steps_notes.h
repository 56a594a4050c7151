// SPDX-License-Identifier: Apache-2.0
// The two lines over the chart of the steps.
#ifndef UI_VIEWS_STEPS_NOTES_H
#define UI_VIEWS_STEPS_NOTES_H

#include "ui/term/canvas.h"
#include "ui/views/steps_chart.h"

// The usual step, and how many are chosen.
void steps_usual_draw(struct app *app, struct canvas *canvas, struct area line);
// What the chart needs words for: what is left out, what bars are, that the host has another pace,
// GPUs (`hidden` of them) that found no room.
void steps_notes_draw(struct app *app, struct canvas *canvas, struct area line,
                      const struct steps_chart *chart, uint32_t hidden);

#endif
