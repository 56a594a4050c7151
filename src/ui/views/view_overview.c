// SPDX-License-Identifier: Apache-2.0
// The overview of PyTorch's TensorBoard plugin: the step under the cursor as a bar of roles, the
// steps, and the plugin's advice.
#include "ui/state/view.h"
#include "analysis/detectors/expert.h"
#include "analysis/plugin/plugin_steps.h"
#include "analysis/reports/plugin/report_overview.h"
#include "base/text/text.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/widgets/bars.h"

enum {
    MIN_TABLE = 5,  // lines, including its head
    MIN_ADVICE = 3, // lines, including its rule
};

static const struct breakdown *row_parts(const struct view *view)
{
    const void *row = view->report == view->base ? table_row(&view->table) : NULL;
    const struct breakdown *parts = row ? overview_row_parts(row) : NULL;
    return parts && parts->window_ns > 0 ? parts : NULL;
}

static int legend_draw(struct canvas *canvas, struct area area, const struct breakdown *parts)
{
    struct legend legend = {.scheme = &breakdown_plugin, .breakdown = parts, .divisor = 1};
    return breakdown_legend_draw(canvas, area, &legend);
}

// Draws the bar and its legend if the table keeps enough room. Returns the lines used.
static int bar_of_roles_draw(struct canvas *canvas, struct area area, const struct breakdown *parts)
{
    enum { NOWHERE = -1000, MAX_LEGEND = 4 }; // coordinates off the screen: measures only
    int width = area.width - 2;
    int lines = legend_draw(canvas, (struct area){NOWHERE, NOWHERE, width, MAX_LEGEND}, parts);
    if (area.height < 1 + lines + 1 + MIN_TABLE)
        lines = 0;
    if (area.height < 2 + MIN_TABLE)
        return 0;
    breakdown_bar_draw(canvas, area.x + 1, area.y, width, &breakdown_plugin, parts);
    if (lines)
        legend_draw(canvas, (struct area){area.x + 1, area.y + 1, width, lines}, parts);
    return 1 + lines + 1;
}

static const char *advice_text(struct app *app, struct arena *arena)
{
    const struct finding_list *findings = host_findings(app);
    const char *text = "";
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->detector->is_plugin && finding->severity == SEVERITY_NOTE)
            text = arena_format(arena, "%s%s%s. %s.", text, *text ? "\n" : "", finding->problem,
                                finding->recommendation);
    }
    return text_display_units(arena, text, host_canvas(app)->ascii);
}

// Draws the advice below the table. Returns the area that is left for the table.
static struct area advice_draw(struct view *view, struct canvas *canvas, struct area area)
{
    const char *text = advice_text(view->app, canvas->frame);
    int rows = (int)view->table.shown_count + 2;
    int room = area.height - (rows > MIN_TABLE ? rows : MIN_TABLE);
    int height = room > MIN_ADVICE ? room : MIN_ADVICE;
    if (!*text || area.height - height < MIN_TABLE)
        return area;
    struct area below = {area.x, area.y + area.height - height, area.width, height};
    canvas_rule(canvas, below.x, below.y, below.width, "The plugin's advice");
    canvas_wrap(canvas, (struct area){below.x + 1, below.y + 1, below.width - 2, below.height - 1},
                STYLE_TEXT, text);
    area.height -= height;
    return area;
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    if (!table_view_ready(view, canvas, area))
        return;
    if (area.height > 4) {
        table_view_caption(view, canvas, area);
        area.y++;
        area.height--;
    }
    const struct breakdown *parts = row_parts(view);
    int taken = parts ? bar_of_roles_draw(canvas, area, parts) : 0;
    area.y += taken;
    area.height -= taken;
    if (parts && !view->table.has_detail)
        area = advice_draw(view, canvas, area);
    view->list = area;
    table_draw(&view->table, canvas, area);
}

static bool legend(struct view *view, size_t i, struct view_legend *legend)
{
    (void)view;
    if (i >= PLUGIN_ROLES)
        return false;
    *legend = (struct view_legend){breakdown_plugin.categories[i].title,
                                   breakdown_plugin.categories[i].doc};
    return true;
}

const struct view_class view_overview = {
    .name = "overview",
    .title = "Step time breakdown",
    .report = "overview",
    .kinds = KIND_TABLE,
    .doc = "the mean step by role, as PyTorch's plugin has it",
    .draw = draw,
    .act = table_view_act,
    .enters = table_view_enters,
    .legend = legend,
    .flip = "devices",
    .flip_label = "GPUs",
};
