// SPDX-License-Identifier: Apache-2.0
// Lists of shares, drawn and explained alike by the panels of layers and of kernels.
#ifndef UI_VIEWS_PANEL_SHARES_H
#define UI_VIEWS_PANEL_SHARES_H

#include "ui/term/canvas.h"
#include "ui/views/panel.h"

// Draws the rows below the rule. `has_parts`: adds forward and backward time to the total.
void shares_draw(struct canvas *canvas, struct area area, const struct shares *shares,
                 double divisor, bool has_parts, int cursor);
void shares_explain(struct app *app, const struct summary_parts *parts, const struct shares *shares,
                    int row);
bool shares_place(struct app *app, const struct summary_parts *parts, const struct shares *shares,
                  int row, struct row_place *place);

#endif
