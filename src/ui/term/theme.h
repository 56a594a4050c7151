// SPDX-License-Identifier: Apache-2.0
// Themes: which colours and attributes a style has, read from YAML.
//
// A theme is looked for in the user's folder ($XDG_CONFIG_HOME/dlprof-tui/themes), then in the
// installed one, then among those compiled in. A style that a theme leaves out is plain text.
#ifndef UI_THEME_H
#define UI_THEME_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "ui/term/style.h"

enum attribute {
    ATTRIBUTE_BOLD = 1,
    ATTRIBUTE_DIM = 2,
    ATTRIBUTE_UNDERLINE = 4,
    ATTRIBUTE_REVERSE = 8,
    ATTRIBUTE_ITALIC = 16,
};

enum { COLOUR_DEFAULT = -1 };

struct theme_style {
    int16_t fg, bg;   // of 256 colours, or COLOUR_DEFAULT
    int16_t fg8, bg8; // of 8 colours
    unsigned attributes;
};

struct theme {
    const char *name, *doc;
    struct theme_style styles[STYLE_COUNT];
};

extern const char *const style_names[STYLE_COUNT]; // as in the files: "tab_active"

// The theme of that name, in `arena`. Errors are "file:line:column: why".
bool theme_load(struct arena *arena, const char *name, struct theme *theme, struct error *error);
bool theme_parse(struct arena *arena, const char *file, const char *text, size_t length,
                 struct theme *theme, struct error *error);

// Names of all themes that can be loaded, each once, sorted.
size_t theme_list(struct arena *arena, const char *const **names);

int16_t colour_to_8(int16_t colour); // nearest of the eight of a plain terminal

#endif
