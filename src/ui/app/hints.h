// SPDX-License-Identifier: Apache-2.0
// The line over the footer: what can be done here, from the action table and the row under the
// cursor. What has an F-key in the footer is not said twice.
#ifndef UI_APP_HINTS_H
#define UI_APP_HINTS_H

#include "ui/state/view.h"

void hints_draw(struct view *view, struct canvas *canvas, int y);

#endif
