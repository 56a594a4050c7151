// SPDX-License-Identifier: Apache-2.0
// Explains why the step under the cursor is as long as it is.
#ifndef UI_VIEWS_STEPS_WHY_H
#define UI_VIEWS_STEPS_WHY_H

#include "ui/host.h"
#include "ui/term/canvas.h"

// Draws a title and rows that add up to the difference from the median step, or the parts of the
// step when there is no other step to compare with. Uses at most `area.height` lines including the
// title. Kernel names are written in the form `names`.
void steps_why_draw(struct app *app, struct canvas *canvas, struct area area, enum name_form names);

#endif
