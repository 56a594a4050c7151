// SPDX-License-Identifier: Apache-2.0
// A finding in full: what, why, what to do, where, and what proves it.
#ifndef UI_STATE_FINDING_TEXT_H
#define UI_STATE_FINDING_TEXT_H

#include "ui/term/canvas.h"

struct app;
struct finding;
struct view;

// Under a head with its name and where it is. `top`: lines of the text above the area, where it is
// longer; no more of them than leave it full.
void finding_draw(const struct app *app, struct canvas *canvas, struct area area,
                  const struct finding *finding, int *top);
// Returns how many lines its text takes; draws those of them that the area has, from `top` on.
int finding_lines(const struct app *app, struct canvas *canvas, struct area area, int top,
                  const struct finding *finding);
const char *finding_enters(const struct finding *finding); // what Enter shows; NULL: nothing

#endif
