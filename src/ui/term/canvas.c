// SPDX-License-Identifier: Apache-2.0
// The canvas: a grid of cells into which texts are drawn. A character of two columns fills two
// cells; the right one has code 0. A combining mark is stored with its character.
#include "ui/term/canvas.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "ui/term/glyph.h"

enum { CANVAS_MAX = 4096 }; // wider or taller windows are drawn in part

struct canvas *canvas_new(void)
{
    struct arena *arena = arena_new(0);
    struct arena *frame = arena_new(0);
    if (!arena || !frame) {
        arena_free(arena);
        arena_free(frame);
        return NULL;
    }

    static const struct canvas empty;
    struct canvas *canvas = malloc(sizeof *canvas);
    if (!canvas) {
        arena_free(arena);
        arena_free(frame);
        return NULL;
    }
    *canvas = empty;
    canvas->arena = arena;
    canvas->frame = frame;
    return canvas;
}

void canvas_free(struct canvas *canvas)
{
    if (canvas) {
        arena_free(canvas->arena);
        arena_free(canvas->frame);
        free(canvas);
    }
}

struct canvas_resize_context {
    struct canvas *canvas;
    int width, height;
};

static bool cells_allocate(void *context, struct error *error)
{
    struct canvas_resize_context *resize = context;
    (void)error;
    resize->canvas->cells = ARENA_ARRAY(resize->canvas->arena, struct cell,
                                        (size_t)resize->width * (size_t)resize->height + 1);
    return true;
}

bool canvas_resize(struct canvas *canvas, int width, int height, struct error *error)
{
    struct canvas_resize_context resize = {canvas, width, height};
    resize.width = width < 0 ? 0 : width > CANVAS_MAX ? CANVAS_MAX : width;
    resize.height = height < 0 ? 0 : height > CANVAS_MAX ? CANVAS_MAX : height;
    canvas->width = canvas->height = 0;
    arena_reset(canvas->arena);
    if (!arena_run(canvas->arena, cells_allocate, &resize, error))
        return false;
    canvas->width = canvas->stride = resize.width;
    canvas->height = resize.height;
    canvas_clear(canvas);
    return true;
}

struct canvas canvas_window(const struct canvas *canvas, struct area area)
{
    struct canvas window = *canvas;
    int right = area.x + area.width, bottom = area.y + area.height;
    int x = area.x > 0 ? area.x : 0, y = area.y > 0 ? area.y : 0;
    right = right < canvas->width ? right : canvas->width;
    bottom = bottom < canvas->height ? bottom : canvas->height;
    window.width = right > x ? right - x : 0;
    window.height = bottom > y ? bottom - y : 0;
    if (window.width > 0 && window.height > 0)
        window.cells = &canvas->cells[y * canvas->stride + x];
    return window;
}

void canvas_clear(struct canvas *canvas)
{
    arena_reset(canvas->frame);
    for (int i = 0; i < canvas->width * canvas->height; i++)
        canvas->cells[i] = (struct cell){' ', 0, STYLE_TEXT, 0};
}

static struct cell *cell_at(struct canvas *canvas, int x, int y)
{
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height)
        return NULL;
    return &canvas->cells[y * canvas->stride + x];
}

// Blanks the other half of a wide character of which one half is about to be overwritten.
static void blank_broken_halves(struct canvas *canvas, int x, int y)
{
    struct cell *cell = cell_at(canvas, x, y);
    if (cell && cell->code == 0) {
        struct cell *left = cell_at(canvas, x - 1, y);
        if (left) {
            left->code = ' ';
            left->mark = 0;
        }
        cell->code = ' ';
    }
    struct cell *right = cell_at(canvas, x + 1, y);
    if (right && right->code == 0)
        right->code = ' ';
}

static void cell_set(struct canvas *canvas, int x, int y, enum style style, uint32_t code,
                     int width)
{
    blank_broken_halves(canvas, x, y);
    struct cell *cell = cell_at(canvas, x, y);
    if (cell)
        *cell = (struct cell){code, 0, (uint8_t)style, 0};
    if (width == 2) {
        blank_broken_halves(canvas, x + 1, y);
        struct cell *half = cell_at(canvas, x + 1, y);
        if (half) // if the left half is beyond the edge, draws a blank
            *half = (struct cell){cell ? 0 : ' ', 0, (uint8_t)style, 0};
        else if (cell)
            cell->code = ' ';
    }
}

// Returns the visible form of a code point that must not reach the terminal.
static const char *unsafe_text(uint32_t code, char out[16])
{
    if (code == '\n' || code == '\t' || code == '\r')
        return " ";
    if (code < 0x20)
        snprintf(out, 16, "^%c", (char)(code + 0x40));
    else
        snprintf(out, 16, "<U+%04X>", (unsigned)code);
    return out;
}

int canvas_width(const char *text)
{
    int width = 0;
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        uint32_t code;
        char out[16];
        i += text_decode(text + i, length - i, &code);
        width += text_is_unsafe(code) ? (int)strlen(unsafe_text(code, out)) : text_code_width(code);
    }
    return width;
}

int canvas_text_in(struct canvas *canvas, int x, int y, int width, enum style style,
                   const char *text)
{
    int at = 0;
    size_t length = strlen(text);
    for (size_t i = 0; i < length && at < width;) {
        uint32_t code;
        i += text_decode(text + i, length - i, &code);
        if (text_is_unsafe(code)) {
            char out[16];
            for (const char *p = unsafe_text(code, out); *p && at < width; p++)
                cell_set(canvas, x + at++, y, style, (unsigned char)*p, 1);
            continue;
        }
        int wide = text_code_width(code);
        if (canvas->ascii && code > 0x7e)
            code = wide == 0 ? 0 : glyph_ascii(code);
        if (wide == 0) {
            struct cell *cell = at > 0 && code ? cell_at(canvas, x + at - 1, y) : NULL;
            if (cell && cell->code == 0)
                cell = cell_at(canvas, x + at - 2, y);
            if (cell && !cell->mark)
                cell->mark = code;
            continue;
        }
        if (at + wide > width) {
            cell_set(canvas, x + at++, y, style, ' ', 1);
            break;
        }
        if (canvas->ascii && wide == 2) {
            cell_set(canvas, x + at, y, style, code, 1);
            cell_set(canvas, x + at + 1, y, style, ' ', 1);
        } else {
            cell_set(canvas, x + at, y, style, code, wide);
        }
        at += wide;
    }
    return at;
}

int canvas_text(struct canvas *canvas, int x, int y, enum style style, const char *text)
{
    return x >= canvas->width ? 0 : canvas_text_in(canvas, x, y, canvas->width - x, style, text);
}

int canvas_format(struct canvas *canvas, int x, int y, int width, enum style style,
                  const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return canvas_text_in(canvas, x, y, width, style, text);
}

int canvas_fit(struct canvas *canvas, int x, int y, int width, enum style style, enum fit fit,
               const char *text)
{
    if (width <= 0)
        return 0;
    int length = canvas_width(text);
    if (length > width) {
        const char *safe = text_safe(canvas->frame, text, strlen(text), true);
        text = text_cut(canvas->frame, safe, width, fit == FIT_MIDDLE, canvas->ascii);
        length = canvas_width(text);
    }
    int indent = fit == FIT_RIGHT && length < width ? width - length : 0;
    canvas_fill(canvas, (struct area){x, y, width, 1}, style, ' ');
    canvas_text_in(canvas, x + indent, y, width - indent, style, text);
    return length < width ? length : width;
}

// Returns the length in bytes of the longest prefix that fits, broken at its last blank.
static size_t wrap_length(const char *text, int width)
{
    size_t end = 0, blank = 0, size = strlen(text);
    for (int columns = 0; end < size && text[end] != '\n';) {
        uint32_t code;
        char out[16];
        size_t step = text_decode(text + end, size - end, &code);
        int wide =
            text_is_unsafe(code) ? (int)strlen(unsafe_text(code, out)) : text_code_width(code);
        if (columns + wide > width)
            break;
        if (code == ' ')
            blank = end;
        columns += wide;
        end += step;
    }
    bool is_whole = end == size || text[end] == '\n' || text[end] == ' ';
    return is_whole || blank == 0 ? end : blank;
}

int canvas_wrap_from(struct canvas *canvas, struct area area, int from, enum style style,
                     const char *text)
{
    int line = 0, indent = 0;
    for (bool is_first = true; *text && area.width > 0; line++) {
        // Continuation lines get the indent of the first line.
        int blanks = is_first ? (int)strspn(text, " ") : 0;
        if (is_first)
            indent = blanks < area.width / 2 ? blanks : 0;
        int shift = is_first ? 0 : indent;
        size_t length = wrap_length(text, area.width - shift);
        if (length == 0 && *text != '\n') // not even one character fits
            break;
        if (line >= from && line - from < area.height)
            canvas_text_in(canvas, area.x + shift, area.y + line - from, area.width - shift, style,
                           arena_copy(canvas->frame, text, length));
        text += length;
        is_first = *text == '\n';
        if (*text == '\n' || *text == ' ')
            text++;
    }
    return line;
}

int canvas_wrap(struct canvas *canvas, struct area area, enum style style, const char *text)
{
    int lines = canvas_wrap_from(canvas, area, 0, style, text);
    return lines < area.height ? lines : area.height > 0 ? area.height : 0;
}

void canvas_put(struct canvas *canvas, int x, int y, enum style style, uint32_t code)
{
    if (canvas->ascii)
        code = glyph_ascii(code);
    cell_set(canvas, x, y, style, text_is_unsafe(code) ? '?' : code, 1);
}

void canvas_fill(struct canvas *canvas, struct area area, enum style style, uint32_t code)
{
    for (int y = area.y; y < area.y + area.height && y < canvas->height; y++)
        for (int x = area.x; x < area.x + area.width && x < canvas->width; x++)
            canvas_put(canvas, x, y, style, code);
}

static void flags_change(struct canvas *canvas, struct area area, unsigned on, unsigned off)
{
    for (int y = area.y; y < area.y + area.height; y++) {
        for (int x = area.x; x < area.x + area.width; x++) {
            struct cell *cell = cell_at(canvas, x, y);
            if (cell)
                cell->flags = (uint8_t)((cell->flags | on) & ~off);
        }
    }
}

void canvas_flag(struct canvas *canvas, struct area area, unsigned flags)
{
    flags_change(canvas, area, flags, 0);
}

void canvas_unflag(struct canvas *canvas, struct area area, unsigned flags)
{
    flags_change(canvas, area, 0, flags);
}

void canvas_rule(struct canvas *canvas, int x, int y, int width, const char *title)
{
    canvas_fill(canvas, (struct area){x, y, width, 1}, STYLE_RULE, 0x2500);
    if (title && width > 6) {
        const char *safe = text_safe(canvas->frame, title, strlen(title), true);
        safe = text_cut(canvas->frame, safe, width - 5, false, canvas->ascii);
        int length = canvas_width(safe);
        canvas_put(canvas, x + 2, y, STYLE_RULE, ' ');
        canvas_text_in(canvas, x + 3, y, width - 4, STYLE_RULE_TITLE, safe);
        canvas_put(canvas, x + 3 + length, y, STYLE_RULE, ' ');
    }
}

void canvas_dump(const struct canvas *canvas, FILE *file)
{
    for (int y = 0; y < canvas->height; y++) {
        const struct cell *row = &canvas->cells[(size_t)y * (size_t)canvas->width];
        int end = canvas->width;
        while (end > 0 && row[end - 1].code == ' ')
            end--;
        for (int x = 0; x < end; x++) {
            char bytes[4] = {0};
            if (row[x].code)
                fwrite(bytes, 1, text_encode(row[x].code, bytes), file);
            if (row[x].mark)
                fwrite(bytes, 1, text_encode(row[x].mark, bytes), file);
        }
        putc('\n', file);
    }
}
