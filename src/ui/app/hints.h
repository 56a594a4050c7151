// SPDX-License-Identifier: Apache-2.0
// The line above the footer: what can be done here, from the list of actions and the row under the
// cursor. Actions with an F-key in the footer are not repeated.
#ifndef UI_APP_HINTS_H
#define UI_APP_HINTS_H

#include "ui/state/view.h"

void hints_draw(struct view *view, struct canvas *canvas, int y);

#endif
