// SPDX-License-Identifier: Apache-2.0
// The ASCII twin of every glyph that the screen uses; the one table for terminals without UTF-8.
#ifndef UI_GLYPH_H
#define UI_GLYPH_H

#include <stdint.h>

// The twin of a code point: itself for ASCII, '?' for what has none.
uint32_t glyph_ascii(uint32_t code);

extern const uint32_t glyph_eighths_right[9]; // ' ', one eighth of a cell from the left, ..., full
extern const uint32_t glyph_eighths_up[9];    // the same from below

#endif
