// SPDX-License-Identifier: Apache-2.0
// Why the step under the cursor is as long as it is, in as many rows as there is room for.
#ifndef UI_VIEWS_STEPS_WHY_H
#define UI_VIEWS_STEPS_WHY_H

#include "ui/host.h"
#include "ui/term/canvas.h"

// A title and below it rows that add up to the difference; without one to tell the parts of the
// step. `area.height` lines at most, the title among them. Names of kernels are in the form given.
void steps_why_draw(struct app *app, struct canvas *canvas, struct area area, enum name_form names);

#endif
