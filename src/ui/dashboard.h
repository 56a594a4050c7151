// SPDX-License-Identifier: Apache-2.0
// What the dashboard of the DLProf Viewer holds, on one scrolled page.
#ifndef UI_DASHBOARD_H
#define UI_DASHBOARD_H

#include "ui/app_state.h"

void dashboard_draw(struct app *app, struct canvas *canvas, struct area area, int *scroll);

#endif
