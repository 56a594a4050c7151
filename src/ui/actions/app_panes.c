// SPDX-License-Identifier: Apache-2.0
// Panes: several trails of views on one screen. All panes share the steps, scope and columns; each
// has its own views, rows, filters and trail. The trail of the pane with the keys is the app's
// trail, so that other code needs no knowledge of panes.
#include <string.h>

#include "ui/actions/actions.h"
#include "ui/actions/app_panes.h"
#include "ui/actions/app_trail.h"
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/places.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/widgets/panes.h"

// ---- focus -------------------------------------------------------------------------------------

void app_focus_pane(struct app *app, unsigned pane)
{
    if (pane == app->places->panes.focus || pane >= app->places->panes.count)
        return;
    struct pane_trail *from = &app->places->panes.trails[app->places->panes.focus],
                      *to = &app->places->panes.trails[pane];
    memcpy(from->trail, app->places->trail, sizeof from->trail);
    from->depth = app->places->depth;
    memcpy(app->places->trail, to->trail, sizeof to->trail);
    app->places->depth = to->depth;
    app->places->panes.focus = pane;
}

static void report_hidden_panes(struct app *app)
{
    struct area areas[MAX_PANES];
    if (app->places->panes.count > 1 && !app_pane_areas(app, areas))
        host_say(app, "pane %u of %u; there is no room to show more: %dx%d each",
                 app->places->panes.focus + 1, app->places->panes.count, MIN_PANE_WIDTH,
                 MIN_PANE_HEIGHT);
}

bool app_next_pane(struct app *app, int direction)
{
    struct panes *panes = &app->places->panes;
    struct view *view = host_front_view(app);
    if (view)
        view_update_pane(view);
    bool is_split = view && view->pane; // has a pane (app_split.c)
    if (panes->count < 2 && !is_split)
        return false;
    bool stays = is_split && (panes->count < 2 || view->has_keys == (direction < 0));
    if (is_split)
        view->has_keys = stays && !view->has_keys;
    if (stays)
        return true;
    app_focus_pane(app, (panes->focus + (direction > 0 ? 1 : panes->count - 1)) % panes->count);
    report_hidden_panes(app);
    return true;
}

// ---- opening and closing -----------------------------------------------------------------------

static void pane_open(struct app *app, const struct view_class *class)
{
    struct panes *panes = &app->places->panes;
    struct error error = {0};
    char key[KEY_NAME_SIZE];
    if (panes->count == MAX_PANES) {
        host_complain(app, "no more than %d panes; %s closes this one", MAX_PANES,
                      action_first_key(ACTION_PANE_CLOSE, key));
        return;
    }
    struct view *view = view_new(app, class, NULL, 0, &error);
    if (!view) {
        host_complain(app, "%s", error.message);
        return;
    }
    panes->trails[panes->count] = (struct pane_trail){.trail = {view}, .depth = 1};
    panes->share[panes->count++] = 0;
    if (panes->count == 2)
        panes->share[0] = 1;
    panes_set_share(panes->share, panes->count, panes->count - 1, 100 / panes->count);
    app_focus_pane(app, panes->count - 1);
    report_hidden_panes(app);
}

bool app_drop_pane(struct app *app)
{
    struct panes *panes = &app->places->panes;
    unsigned closed = panes->focus;
    if (panes->count < 2)
        return false;
    while (app->places->depth > 0)
        view_free(app->places->trail[--app->places->depth]);
    app_focus_pane(app, closed > 0 ? closed - 1 : 1);
    panes->count--;
    for (unsigned i = closed; i < panes->count; i++) {
        panes->trails[i] = panes->trails[i + 1];
        panes->share[i] = panes->share[i + 1];
    }
    panes->focus -= panes->focus > closed;
    return true;
}

void app_close_pane(struct app *app, const char *argument)
{
    char key[KEY_NAME_SIZE];
    (void)argument;
    if (!app_drop_pane(app))
        host_say(app, "there is one pane only; %s opens another one",
                 action_first_key(ACTION_PANE, key));
}

// ---- size and placement ------------------------------------------------------------------------

static unsigned percent_of(const struct panes *panes, unsigned pane)
{
    unsigned total = 0;
    for (unsigned i = 0; i < panes->count; i++)
        total += panes->share[i];
    return total > 0 ? (panes->share[pane] * 100 + total / 2) / total : 100;
}

const char *app_shares_text(const struct app *app, struct arena *arena)
{
    const char *text = "";
    for (unsigned i = 0; i < app->places->panes.count; i++)
        text = arena_format(arena, "%s%s%u%%", text, i > 0 ? " " : "",
                            percent_of(&app->places->panes, i));
    return text;
}

static bool has_others(struct app *app)
{
    if (app->places->panes.count < 2)
        app_close_pane(app, ""); // shows the message
    return app->places->panes.count > 1;
}

// Sets the share of the pane with the keys ("40%") or the shares of all panes ("40% 60%").
static void shares_set(struct app *app, const char *argument)
{
    struct panes *panes = &app->places->panes;
    unsigned given[MAX_PANES] = {0}, count = 0;
    const char *text = argument;
    while (count < MAX_PANES) {
        int length = 0; // 0: no % follows the number
        if (sscanf(text, "%3u%%%n", &given[count], &length) != 1 || length == 0 ||
            given[count] == 0 || given[count] >= 100)
            break;
        text += length + (int)strspn(text + length, " ");
        count++;
    }
    if (!has_others(app))
        return;
    if (*text || (count != 1 && count != panes->count))
        host_complain(app, "a share is 40%%, of each pane 40%% 60%%");
    else if (count == 1)
        panes_set_share(panes->share, panes->count, panes->focus, given[0]);
    else
        memcpy(panes->share, given, sizeof given);
}

static void share_change(struct app *app, int percent)
{
    struct panes *panes = &app->places->panes;
    if (!has_others(app))
        return;
    int now = (int)percent_of(panes, panes->focus) + percent;
    panes_set_share(panes->share, panes->count, panes->focus, now > 0 ? (unsigned)now : 0);
    report_hidden_panes(app);
}

void app_grow_pane(struct app *app, const char *argument)
{
    (void)argument;
    share_change(app, 5);
}

void app_shrink_pane(struct app *app, const char *argument)
{
    (void)argument;
    share_change(app, -5);
}

bool app_set_side(struct app *app, const char *word)
{
    for (enum panes_side side = 0; side < PANES_SIDES; side++) {
        if (strcmp(word, panes_side_names[side]) != 0)
            continue;
        app->places->panes.side = side;
        return true;
    }
    return false;
}

void app_turn_panes(struct app *app, const char *argument)
{
    struct area areas[MAX_PANES];
    if (*argument && !app_set_side(app, argument)) {
        host_complain(app, "panes stand beside or below each other, or as-fits");
    } else if (!*argument && has_others(app)) {
        bool is_side_work = app_pane_areas(app, areas) && areas[1].x > areas[0].x;
        app->places->panes.side = is_side_work ? PANES_STACKED : PANES_SIDE_BY_SIDE;
    }
}

static void choose_pane(struct app *app, const char *argument)
{
    pane_open(app, view_class_find(argument));
}

void app_pane(struct app *app, const char *argument)
{
    const struct view_class *class = view_class_find(argument);
    unsigned number;
    char rest;
    if (!*argument)
        view_menu(app, "View of another pane", choose_pane);
    else if (sscanf(argument, "#%1u%c", &number, &rest) == 1 && number >= 1 &&
             number <= app->places->panes.count)
        app_focus_pane(app, number - 1);
    else if (strchr(argument, '%'))
        shares_set(app, argument);
    else if (class && !class_is_help(class))
        pane_open(app, class);
    else
        host_complain(app, "no view or pane '%s'; panes: 40%%, #2", argument);
}

// ---- drawing -----------------------------------------------------------------------------------

static void view_draw(struct app *app, struct canvas *canvas, struct area area)
{
    struct view *view = host_front_view(app);
    view_refresh_async(view);
    view->drawn = area;
    if (view_is_drawable(view))
        view->class->draw(view, canvas, area);
    else if (view_is_ready(view))
        canvas_text(canvas, area.x + 2, area.y + 1, STYLE_DIM, "Being worked out.");
    else
        canvas_wrap(canvas, (struct area){area.x + 2, area.y + 1, area.width - 4, 2}, STYLE_DIM,
                    "This part of the profile is still being loaded.  3 Kernels is there already.");
}

static void pane_draw(struct app *app, struct area pane, bool has_keys)
{
    struct canvas *canvas = app->canvas;
    const char *title = host_front_view(app)->class->title;
    if (pane.x > 0)
        canvas_fill(canvas, (struct area){pane.x - 1, pane.y, 1, pane.height}, STYLE_RULE, 0x2502);
    canvas_rule(canvas, pane.x, pane.y, pane.width,
                has_keys ? arena_format(canvas->frame, "[%s]", title) : title);
    struct area area = pane_view_area(pane);
    struct canvas window = canvas_window(canvas, area);
    view_draw(app, &window, (struct area){0, 0, area.width, area.height});
    if (!has_keys) // only the pane with the keys shows its cursor
        canvas_unflag(canvas, area, CELL_CURSOR);
    app->places->panes.shown[app->places->panes.focus] = area;
}

void app_draw_views(struct app *app)
{
    struct area areas[MAX_PANES];
    unsigned focus = app->places->panes.focus;
    memset(app->places->panes.shown, 0, sizeof app->places->panes.shown);
    if (!app_pane_areas(app, areas)) {
        view_draw(app, app->canvas, app_content(app));
        return;
    }
    for (unsigned i = 0; i < app->places->panes.count; i++) {
        app_focus_pane(app, i); // drawing uses the app's trail
        pane_draw(app, areas[i], i == focus);
    }
    app_focus_pane(app, focus);
}

// ---- the mouse ---------------------------------------------------------------------------------

bool app_focus_pane_at(struct app *app, bool takes_keys, int *x, int *y)
{
    struct panes *panes = &app->places->panes;
    bool is_other = false;
    for (unsigned i = 0; i < panes->count && takes_keys; i++) {
        const struct area *area = &panes->shown[i];
        if (i == panes->focus || *x < area->x || *x >= area->x + area->width || *y < area->y ||
            *y >= area->y + area->height)
            continue;
        app_focus_pane(app, i);
        is_other = true;
        break;
    }
    *x -= panes->shown[panes->focus].x; // 0 if there are no panes
    *y -= panes->shown[panes->focus].y;
    return is_other;
}
