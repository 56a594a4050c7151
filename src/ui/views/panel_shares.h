// SPDX-License-Identifier: Apache-2.0
// Lists of shares, as the panels of layers and of kernels draw and explain them.
#ifndef UI_VIEWS_PANEL_SHARES_H
#define UI_VIEWS_PANEL_SHARES_H

#include "ui/term/canvas.h"
#include "ui/views/panel.h"

// The rows below the rule; `has_parts`: forward and backward beside the whole.
void shares_draw(struct canvas *canvas, struct area area, const struct shares *shares,
                 double divisor, bool has_parts, int cursor);
void shares_explain(struct app *app, const struct summary_parts *parts, const struct shares *shares,
                    int row);
bool shares_place(struct app *app, const struct summary_parts *parts, const struct shares *shares,
                  int row, struct row_place *place);

#endif
