// SPDX-License-Identifier: Apache-2.0
#include "ui/state/candidates_panel.h"

#include "ui/state/app_state.h"

// Minimum number of rows of the list, also on small screens.
enum { MIN_ROWS = 3 };

size_t candidates_count(const struct candidates_panel *panel)
{
    return panel->is_original_extra + panel->found.count + 1;
}

void candidates_forget(struct app *app)
{
    arena_free(app->candidates->arena);
    *app->candidates = (struct candidates_panel){0};
}

int candidates_lines(const struct app *app, int height)
{
    const struct candidates_panel *panel = app->candidates;
    if (!panel->is_open)
        return 0;
    int rows = (int)candidates_count(panel), most = (height - 5) / 2 - CANDIDATES_FRAME;
    rows = rows < most ? rows : most;
    return (rows < MIN_ROWS ? MIN_ROWS : rows) + CANDIDATES_FRAME;
}
