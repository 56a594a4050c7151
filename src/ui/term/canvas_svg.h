// SPDX-License-Identifier: Apache-2.0
// The screen as a picture for documents and tickets.
#ifndef UI_TERM_CANVAS_SVG_H
#define UI_TERM_CANVAS_SVG_H

#include "ui/term/canvas.h"
#include "ui/term/theme.h"

// Writes the canvas as SVG in the 256 colours of the theme. Default colours are drawn light on
// dark.
void canvas_svg(const struct canvas *canvas, const struct theme *theme, FILE *file);

#endif
