// SPDX-License-Identifier: Apache-2.0
// Overlays over the view: menus to choose from and boxes of text to read.
#include <stdarg.h>
#include <string.h>

#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/overlay/tour_state.h"
#include "ui/state/app_state.h"
#include "ui/state/places.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/widgets/list.h"

// ---- menu --------------------------------------------------------------------------------------

void menu_open(struct app *app, const char *title,
               void (*choose)(struct app *app, const char *argument))
{
    *app->menu = (struct menu){.is_open = true, .title = title, .choose = choose};
}

void menu_add(struct app *app, const char *argument, bool is_current, const char *format, ...)
{
    struct menu *menu = app->menu;
    if (menu->count == MAX_MENU_ITEMS)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(menu->items[menu->count].label, sizeof menu->items->label, format, arguments);
    va_end(arguments);
    snprintf(menu->items[menu->count].argument, sizeof menu->items->argument, "%s", argument);
    menu->items[menu->count].is_current = is_current;
    if (is_current && !menu->stays)
        menu->cursor = menu->count;
    menu->count++;
}

void menu_key(struct app *app, uint32_t key)
{
    struct menu *menu = app->menu;
    enum action action = action_of_key(key, KIND_TABLE);
    if (menu->key && menu->count > 0) {
        char argument[sizeof menu->items->argument]; // copied, as the callback may refill the menu
        memcpy(argument, menu->items[menu->cursor].argument, sizeof argument);
        if (menu->key(app, key, argument))
            return;
    }
    enum { PAGE = 10 };
    bool toggles = key == ' ' || action == ACTION_MARK;
    bool is_for_menu = list_move(action, &menu->cursor, menu->count ? menu->count - 1 : 0, PAGE) ||
                       action == ACTION_ENTER || toggles;
    if (!is_for_menu) {
        menu->is_open &= action == ACTION_NONE;
        return;
    }
    if ((action == ACTION_ENTER || toggles) && menu->count > 0) {
        char argument[sizeof menu->items->argument];
        memcpy(argument, menu->items[menu->cursor].argument, sizeof argument);
        if (!menu->stays || action == ACTION_ENTER)
            menu->is_open = false;
        if (!menu->stays || toggles)
            menu->choose(app, argument);
    }
}

void menu_click(struct app *app, int x, int y)
{
    struct menu *menu = app->menu;
    const struct area *area = &menu->area;
    size_t at = menu->top + (size_t)(y > area->y ? y - area->y : 0);
    bool is_inside = x >= area->x && x < area->x + area->width && y >= area->y &&
                     y < area->y + area->height && at < menu->count;
    if (is_inside)
        menu->cursor = at;
    else
        menu->is_open = false;
    if (is_inside)
        menu_key(app, ' ');
}

static struct area overlay_area(const struct canvas *canvas, int width, int height)
{
    width = width > canvas->width ? canvas->width : width;
    height = height > canvas->height - 2 ? canvas->height - 2 : height;
    return (struct area){(canvas->width - width) / 2, (canvas->height - height) / 2, width, height};
}

static void frame_draw(struct canvas *canvas, struct area area, const char *title)
{
    canvas_fill(canvas, area, STYLE_TEXT, ' ');
    canvas_rule(canvas, area.x, area.y, area.width, title);
    canvas_rule(canvas, area.x, area.y + area.height - 1, area.width, NULL);
    int right = area.x + area.width - 1, bottom = area.y + area.height - 1;
    for (int y = area.y; y <= bottom; y++) {
        canvas_put(canvas, area.x, y, STYLE_RULE,
                   y == area.y   ? 0x250c
                   : y == bottom ? 0x2514
                                 : 0x2502);
        canvas_put(canvas, right, y, STYLE_RULE,
                   y == area.y   ? 0x2510
                   : y == bottom ? 0x2518
                                 : 0x2502);
    }
}

// Draws a hint about hidden lines on the lower edge of the area, from its column `x` on.
static void more_draw(struct canvas *canvas, struct area area, int x, bool is_below)
{
    canvas_text_in(
        canvas, area.x + x, area.y + area.height - 1, area.width - x - 3, STYLE_DIM,
        action_text(is_below ? " more below: {down} " : " more above: {up} ", canvas->frame));
}

void menu_draw(struct app *app, struct canvas *canvas)
{
    enum { MIN_LONG_WIDTH = 24 }; // columns; a long menu shows the hint of more_draw()
    struct menu *menu = app->menu;
    int width = canvas_width(menu->title) + 8;
    bool is_long = (int)menu->count + 2 > canvas->height - 2;
    width = is_long && width < MIN_LONG_WIDTH ? MIN_LONG_WIDTH : width;
    for (size_t i = 0; i < menu->count; i++) {
        int need = canvas_width(menu->items[i].label) + 7;
        width = need > width ? need : width;
    }
    struct area area = overlay_area(canvas, width, (int)menu->count + 2);
    if (area.height < 3 || area.width < 5)
        return;
    frame_draw(canvas, area, menu->title);
    size_t page = (size_t)area.height - 2;
    menu->area = (struct area){area.x + 1, area.y + 1, area.width - 2, area.height - 2};
    menu->top = list_top(menu->top, menu->cursor, (int)page, menu->count);
    for (size_t i = 0; i < page && menu->top + i < menu->count; i++) {
        size_t n = menu->top + i;
        int y = area.y + 1 + (int)i;
        if (menu->items[n].is_current)
            canvas_put(canvas, area.x + 2, y, STYLE_GOOD, 0x2713);
        canvas_fit(canvas, area.x + 4, y, area.width - 6, STYLE_TEXT, FIT_MIDDLE,
                   menu->items[n].label);
        if (n == menu->cursor)
            canvas_flag(canvas, (struct area){area.x + 1, y, area.width - 2, 1}, CELL_CURSOR);
    }
    if (menu->count > page)
        more_draw(canvas, area, 3, menu->top + page < menu->count);
}

// ---- box ---------------------------------------------------------------------------------------

void host_open_box(struct app *app, const char *title, const char *text)
{
    *app->box = (struct box){.is_open = true};
    snprintf(app->box->title, sizeof app->box->title, "%s", title);
    snprintf(app->box->text, sizeof app->box->text, "%s", text);
}

void box_key(struct app *app, uint32_t key)
{
    struct box *box = app->box;
    size_t top = box->top > 0 ? (size_t)box->top : 0;
    size_t page = box->page > 1 ? (size_t)box->page - 1 : 1;
    size_t max_top = box->lines > box->page ? (size_t)(box->lines - box->page) : 0;
    if (!list_move(action_of_key(key, KIND_TABLE), &top, max_top, page))
        box->is_open = false;
    box->top = (int)(top < max_top ? top : max_top);
}

void box_draw(struct app *app, struct canvas *canvas)
{
    struct box *box = app->box;
    bool is_note = box->form == BOX_BELOW || box->form == BOX_ABOVE;
    int width = canvas->width > 104 ? 100 : is_note ? canvas->width : canvas->width - 4;
    if (width < 10 || canvas->height < 5)
        return;
    box->lines =
        canvas_wrap_from(canvas, (struct area){0, 0, width - 4, 0}, 0, STYLE_TEXT, box->text);
    struct area area = overlay_area(canvas, width, box->lines + 2);
    if (is_note)
        area.y = box->form == BOX_ABOVE ? app_content(app).y : canvas->height - 1 - area.height;
    frame_draw(canvas, area, box->title);
    box->page = area.height - 2;
    canvas_wrap_from(canvas, (struct area){area.x + 2, area.y + 1, area.width - 4, box->page},
                     box->top, STYLE_TEXT, box->text);
    if (is_note && app->tour->text)
        canvas_text_in(canvas, area.x + 3, area.y + area.height - 1, area.width - 6, STYLE_KEY,
                       app->tour->stop < app->tour->stops ? " Enter next   Esc ends "
                                                          : " Enter ends ");
    if (box->lines > box->page)
        more_draw(canvas, area, is_note ? 29 : 3, box->top + box->page < box->lines);
}
