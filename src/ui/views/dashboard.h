// SPDX-License-Identifier: Apache-2.0
// The dashboard of the DLProf Viewer, on one scrolled page.
#ifndef UI_VIEWS_DASHBOARD_H
#define UI_VIEWS_DASHBOARD_H

#include "analysis/breakdown/breakdown.h"
#include "ui/term/canvas.h"

struct app;

// `parts` is a breakdown by breakdown_dlprof. Clamps `*scroll` to the length of the page.
void dashboard_draw(struct app *app, const struct breakdown *parts, struct canvas *canvas,
                    struct area area, int *scroll);

#endif
