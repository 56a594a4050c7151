// SPDX-License-Identifier: Apache-2.0
// Themes: the colours and attributes of each style, read from YAML.
//
// A theme is searched in the user's folder ($XDG_CONFIG_HOME/dlprof-tui/themes), then in the
// installed folder, then among the themes compiled into the program. A style that a theme omits is
// plain text.
#ifndef UI_TERM_THEME_H
#define UI_TERM_THEME_H

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
    int16_t fg, bg;   // index into 256 colours, or COLOUR_DEFAULT
    int16_t fg8, bg8; // index into 8 colours
    unsigned attributes;
};

struct theme {
    const char *name, *doc;
    struct theme_style styles[STYLE_COUNT];
};

extern const char *const style_names[STYLE_COUNT]; // as in theme files: "tab_active"

// Loads a theme by name into `arena`. Errors read "file:line:column: why".
bool theme_load(struct arena *arena, const char *name, struct theme *theme, struct error *error);
bool theme_parse(struct arena *arena, const char *file, const char *text, size_t length,
                 struct theme *theme, struct error *error);

// Returns the sorted names of all themes that can be loaded, each once.
size_t theme_list(struct arena *arena, const char *const **names);

int16_t colour_to_8(int16_t colour); // nearest of the eight colours of a plain terminal

#endif
