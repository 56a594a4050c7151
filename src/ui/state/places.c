// SPDX-License-Identifier: Apache-2.0
#include "ui/state/places.h"

#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/view.h"
#include "ui/term/canvas.h"
#include "ui/widgets/panes.h"

int app_lines_above(const struct app *app)
{
    return app->canvas->height >= 16 ? 3 : app->canvas->height >= 11 ? 2 : 1;
}

struct area app_content(const struct app *app)
{
    int above = app_lines_above(app);
    int below = candidates_lines(app, app->canvas->height);
    int height = app->canvas->height - above - 2 - below;
    return (struct area){0, above, app->canvas->width, height > 0 ? height : 0};
}

struct view *const *app_pane_trail(const struct app *app, unsigned pane, size_t *depth)
{
    bool is_here = pane == app->places->panes.focus;
    *depth = is_here ? app->places->depth : app->places->panes.trails[pane].depth;
    return is_here ? app->places->trail : app->places->panes.trails[pane].trail;
}

struct view *app_view_at(const struct app *app, size_t i)
{
    for (unsigned pane = 0; pane < app->places->panes.count; pane++) {
        size_t depth;
        struct view *const *trail = app_pane_trail(app, pane, &depth);
        if (i < depth)
            return trail[i];
        i -= depth;
    }
    return i < app->places->tab_count ? app->places->tabs[i] : NULL;
}

bool app_pane_areas(const struct app *app, struct area areas[])
{
    const struct panes *panes = &app->places->panes;
    return panes->count > 1 &&
           panes_place(app_content(app), panes->count, panes->side, panes->share, areas);
}

struct area pane_view_area(struct area pane)
{
    return (struct area){pane.x, pane.y + 1, pane.width, pane.height - 1};
}

struct area app_room(const struct app *app)
{
    struct area areas[MAX_PANES];
    return app_pane_areas(app, areas) ? pane_view_area(areas[app->places->panes.focus])
                                      : app_content(app);
}

struct view *host_front_view(const struct app *app)
{
    const struct places *places = app->places;
    return places->depth ? places->trail[places->depth - 1] : NULL;
}

struct view *host_top_view(const struct app *app)
{
    struct view *view = host_front_view(app);
    return view && view->has_keys && view->pane ? view->pane : view;
}
