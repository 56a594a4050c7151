// SPDX-License-Identifier: Apache-2.0
// ASCII equivalents of all glyphs that the screen uses, for terminals without UTF-8.
#ifndef UI_TERM_GLYPH_H
#define UI_TERM_GLYPH_H

#include <stdint.h>

// Returns the equivalent of a code point: itself for ASCII, '?' if there is none.
uint32_t glyph_ascii(uint32_t code);

extern const uint32_t glyph_eighths_right[9]; // ' ', one eighth of a cell from the left, ..., full
extern const uint32_t glyph_eighths_up[9];    // ' ', one eighth of a cell from below, ..., full

#endif
