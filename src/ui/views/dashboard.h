// SPDX-License-Identifier: Apache-2.0
// What the dashboard of the DLProf Viewer holds, on one scrolled page.
#ifndef UI_VIEWS_DASHBOARD_H
#define UI_VIEWS_DASHBOARD_H

#include "analysis/breakdown/breakdown.h"
#include "ui/term/canvas.h"

struct app;

// `parts`: by breakdown_dlprof.
void dashboard_draw(struct app *app, const struct breakdown *parts, struct canvas *canvas,
                    struct area area, int *scroll);

#endif
