// SPDX-License-Identifier: Apache-2.0
#include "ui/term/glyph.h"

#include <stddef.h>

const uint32_t glyph_eighths_right[9] = {' ',    0x258f, 0x258e, 0x258d, 0x258c,
                                         0x258b, 0x258a, 0x2589, 0x2588};
const uint32_t glyph_eighths_up[9] = {' ',    0x2581, 0x2582, 0x2583, 0x2584,
                                      0x2585, 0x2586, 0x2587, 0x2588};

static const struct {
    uint32_t code;
    char twin;
} ascii_twins[] = {
    // sorted by code point
    {0x00b1, '~'}, // plus-minus in names; the screen itself writes +-
    {0x00b5, 'u'}, // micro
    {0x00b7, '.'}, // middle dot: idle, separator
    {0x00d7, 'x'},
    {0x03bc, 'u'},
    {0x2013, '-'},
    {0x2014, '-'}, // dashes: unknown
    {0x2018, '\''},
    {0x2019, '\''},
    {0x201c, '"'},
    {0x201d, '"'},
    {0x2026, '~'}, // ellipsis of cut text
    {0x2039, '<'}, // more to the left
    {0x203a, '>'}, // path, more to the right
    {0x203c, '!'},
    {0x2190, '<'},
    {0x2191, '^'},
    {0x2192, '>'},
    {0x2193, 'v'},
    {0x2229, '&'},
    {0x2264, '<'},
    {0x2265, '>'},
    {0x2500, '-'},
    {0x2502, '|'},
    {0x2504, '='},
    {0x250c, '+'},
    {0x2510, '+'},
    {0x2514, '`'},
    {0x2518, '+'},
    {0x251c, '|'},
    {0x2524, '|'},
    {0x252c, '+'},
    {0x2534, '+'},
    {0x253c, '+'},
    // Eighths from below, for sparklines: the higher, the darker.
    {0x2581, '_'},
    {0x2582, '.'},
    {0x2583, '-'},
    {0x2584, '='},
    {0x2585, '+'},
    {0x2586, '*'},
    {0x2587, '#'},
    // Eighths from the left: less than half a cell becomes a blank.
    {0x2588, '#'},
    {0x2589, '#'},
    {0x258a, '#'},
    {0x258b, '#'},
    {0x258c, '#'},
    {0x258d, ' '},
    {0x258e, ' '},
    {0x258f, ' '},
    {0x2591, '-'},
    {0x2592, '='},
    {0x2593, '%'}, // shades
    {0x25aa, '*'},
    {0x25b2, '^'},
    {0x25b4, '^'},
    {0x25b6, '>'},
    {0x25b8, '>'},
    {0x25bc, 'v'},
    {0x25be, 'v'},
    {0x25c0, '<'},
    {0x25c2, '<'},
    {0x25c6, '@'}, // the point under the cursor
    {0x25cb, 'o'},
    {0x25cf, '*'},
    {0x2713, '*'}, // tick of a chosen item
    {0x2717, 'x'},
};

uint32_t glyph_ascii(uint32_t code)
{
    if (code < 0x7f)
        return code;
    size_t low = 0, high = sizeof ascii_twins / sizeof *ascii_twins;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ascii_twins[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < sizeof ascii_twins / sizeof *ascii_twins && ascii_twins[low].code == code)
        return (unsigned char)ascii_twins[low].twin;
    return '?';
}
