// SPDX-License-Identifier: Apache-2.0
// Draws a finding in full: problem, reason, advice, place and proof.
#ifndef UI_VIEWS_FINDING_TEXT_H
#define UI_VIEWS_FINDING_TEXT_H

#include "ui/term/canvas.h"

struct app;
struct finding;
struct view;

// Draws a finding below a head line with its name and place. `top` is the number of lines scrolled
// out above the area; it is reduced so that the area stays full.
void finding_draw(const struct app *app, struct canvas *canvas, struct area area,
                  const struct finding *finding, int *top);
// Draws the lines from `top` on that fit the area. Returns the number of all lines.
int finding_lines(const struct app *app, struct canvas *canvas, struct area area, int top,
                  const struct finding *finding);
// Describes the view that Enter opens; NULL: none
const char *finding_enters(const struct finding *finding);

#endif
