// SPDX-License-Identifier: Apache-2.0
// Draws the screen as SVG in the colours of a theme: one text element per run of a style. Block
// characters become rectangles, as fonts draw them with gaps.
#include "ui/term/canvas_svg.h"

#include <string.h>

#include "base/text/text.h"

enum { CELL_W = 8, CELL_H = 17, BASE = 13, MARGIN = 8 }; // pixels

// Returns the RGB value of one of the 256 terminal colours: 16 ANSI colours (as xterm has them),
// a 6x6x6 cube, greys.
static unsigned colour_of(int16_t colour)
{
    static const unsigned ansi[16] = {0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc,
                                      0x11a8cd, 0xe5e5e5, 0x666666, 0xf14c4c, 0x23d18b, 0xf5f543,
                                      0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff};
    static const unsigned steps[6] = {0, 95, 135, 175, 215, 255};
    unsigned c = (unsigned)colour;
    if (c < 16)
        return ansi[c];
    if (c >= 232)
        return (8 + 10 * (c - 232)) * 0x010101;
    c -= 16;
    return steps[c / 36] << 16 | steps[c / 6 % 6] << 8 | steps[c % 6];
}

struct cell_colours {
    unsigned fg, bg;
    bool has_bg, is_bold, is_dim;
};

static struct cell_colours colours_of_cell(const struct cell *cell, const struct theme *theme)
{
    enum { PAPER = 0x1c1c1c, INK = 0xd0d0d0 }; // defaults of a dark terminal
    const struct theme_style *style = &theme->styles[cell->style];
    const struct theme_style *cursor_style = &theme->styles[STYLE_CURSOR];
    if (cell->flags & CELL_MATCH)
        style = &theme->styles[STYLE_MATCH];
    else if (cell->flags & CELL_MARK && cell->style == STYLE_TEXT)
        style = &theme->styles[STYLE_MARK];
    int16_t fg = style->fg, bg = style->bg;
    unsigned attributes = style->attributes;
    if (cell->flags & CELL_CURSOR && !(cell->flags & CELL_MATCH)) {
        bg = cursor_style->bg == COLOUR_DEFAULT ? bg : cursor_style->bg;
        fg = cursor_style->fg == COLOUR_DEFAULT ? fg : cursor_style->fg;
        attributes |= cursor_style->attributes;
    }
    struct cell_colours colours = {.fg = fg == COLOUR_DEFAULT ? INK : colour_of(fg),
                                   .bg = bg == COLOUR_DEFAULT ? PAPER : colour_of(bg),
                                   .has_bg = bg != COLOUR_DEFAULT,
                                   .is_bold = attributes & ATTRIBUTE_BOLD,
                                   .is_dim = attributes & ATTRIBUTE_DIM};
    if (attributes & ATTRIBUTE_REVERSE) {
        unsigned swapped = colours.fg;
        colours.fg = colours.bg;
        colours.bg = swapped;
        colours.has_bg = true;
    }
    return colours;
}

static bool colours_equal(const struct cell_colours *a, const struct cell_colours *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->has_bg == b->has_bg && a->is_bold == b->is_bold &&
           a->is_dim == b->is_dim;
}

static void rect(FILE *file, double x, double y, double width, double height, unsigned colour,
                 double opacity)
{
    fprintf(file, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"", x, y, width,
            height, colour);
    if (opacity < 1)
        fprintf(file, " opacity=\"%g\"", opacity);
    fputs("/>\n", file);
}

// Draws a block character of `cells` cells as a rectangle; returns false if `code` is not a
// block.
static bool block_draw(FILE *file, uint32_t code, int x, int y, int cells, unsigned colour)
{
    double left = MARGIN + x * CELL_W, top = MARGIN + y * CELL_H, width = cells * CELL_W;
    if (code >= 0x2581 && code <= 0x2588) { // grows from below
        double height = CELL_H * (double)(code - 0x2580) / 8;
        rect(file, left, top + CELL_H - height, width, height, colour, 1);
    } else if (code >= 0x2589 && code <= 0x258f) { // grows from the left
        rect(file, left, top, width * (double)(0x2590 - code) / 8, CELL_H, colour, 1);
    } else if (code >= 0x2591 && code <= 0x2593) {
        rect(file, left, top, width, CELL_H, colour, (double)(code - 0x2590) / 4);
    } else {
        return false;
    }
    return true;
}

static void text_write(FILE *file, const struct cell *cells, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t codes[] = {cells[i].code, cells[i].mark};
        for (size_t k = 0; k < 2; k++) {
            char bytes[5] = {0};
            if (codes[k] == 0)
                continue;
            text_encode(codes[k], bytes);
            fputs(codes[k] == '&' ? "&amp;" : codes[k] == '<' ? "&lt;" : bytes, file);
        }
    }
}

// Draws `count` cells of a line that have the same colours.
static void run_draw(FILE *file, const struct cell *cells, int x, int y, int count,
                     const struct cell_colours *colours)
{
    if (colours->has_bg)
        rect(file, MARGIN + x * CELL_W, MARGIN + y * CELL_H, count * CELL_W, CELL_H, colours->bg,
             1);
    for (int from = 0, to; from < count; from = to) {
        uint32_t code = cells[from].code;
        bool is_block = code >= 0x2581 && code <= 0x2593;
        // full blocks and shades join into one rectangle
        bool repeats = code == 0x2588 || code >= 0x2591;
        for (to = from + 1; to < count; to++) {
            bool other = cells[to].code >= 0x2581 && cells[to].code <= 0x2593;
            if (is_block ? !repeats || cells[to].code != code : other)
                break;
        }
        if (is_block) {
            block_draw(file, code, x + from, y, to - from, colours->fg);
            continue;
        }
        int begin = from, end = to;
        while (begin < end && cells[begin].code == ' ')
            begin++;
        while (end > begin && cells[end - 1].code == ' ')
            end--;
        if (begin == end)
            continue;
        fprintf(file, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s>",
                MARGIN + (x + begin) * CELL_W, MARGIN + y * CELL_H + BASE, (end - begin) * CELL_W,
                colours->fg, colours->is_bold ? " font-weight=\"bold\"" : "",
                colours->is_dim ? " opacity=\"0.7\"" : "");
        text_write(file, cells + begin, end - begin);
        fputs("</text>\n", file);
    }
}

void canvas_svg(const struct canvas *canvas, const struct theme *theme, FILE *file)
{
    int width = canvas->width * CELL_W + 2 * MARGIN, height = canvas->height * CELL_H + 2 * MARGIN;
    struct cell blank = {.code = ' ', .style = STYLE_TEXT};
    struct cell_colours paper = colours_of_cell(&blank, theme);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, "
            "monospace\" font-size=\"13\" xml:space=\"preserve\">\n"
            "<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#%06x\"/>\n",
            width, height, width, height, width, height, paper.bg);
    for (int y = 0; y < canvas->height; y++) {
        const struct cell *line = &canvas->cells[(size_t)y * (size_t)canvas->width];
        for (int x = 0, end; x < canvas->width; x = end) {
            struct cell_colours colours = colours_of_cell(&line[x], theme), next_colours;
            for (end = x + 1; end < canvas->width; end++) {
                next_colours = colours_of_cell(&line[end], theme);
                if (line[end].code != 0 && !colours_equal(&next_colours, &colours))
                    break;
            }
            run_draw(file, line + x, x, y, end - x, &colours);
        }
    }
    fputs("</svg>\n", file);
}
