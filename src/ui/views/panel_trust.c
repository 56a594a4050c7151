// SPDX-License-Identifier: Apache-2.0
// Facts about the profile that was read, warnings first.
#include "analysis/trust/trust.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/panel.h"

static int rows(struct app *app, const struct summary_parts *parts)
{
    (void)app, (void)parts;
    return 1;
}

static void draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor)
{
    const struct profile *profile = host_profile(app);
    (void)parts;
    canvas_rule(canvas, area.x, area.y, area.width, "Trust (0)");
    int y = area.y + 1, end = area.y + area.height;
    char count[FORMAT_SIZE], launches[FORMAT_SIZE], ranges[FORMAT_SIZE];
    canvas_format(
        canvas, area.x + 1, y++, area.width - 2, STYLE_TEXT, "%s of GPU work, %s%s%s",
        format_counted(count, profile->work.count, "piece"),
        profile->lacks_times ? "" : format_counted(launches, profile->api.count, "API call"),
        profile->lacks_times ? "" : ", ", format_counted(ranges, profile->ranges.count, "range"));
    if (y < end)
        y += canvas_wrap(canvas, (struct area){area.x + 1, y, area.width - 2, 2}, STYLE_DIM,
                         profile->mode_reason ? profile->mode_reason : "");
    struct selection selection = host_selection(app);
    const struct trust_checks *checks = trust_checks_of(profile, &selection, canvas->frame);
    const char *unknown = trust_names_text(checks, TRUST_UNKNOWN, canvas->frame);
    if (!checks->doubts && unknown && y < end)
        y += canvas_wrap(canvas, (struct area){area.x + 1, y, area.width - 2, 2}, STYLE_DIM,
                         arena_format(canvas->frame, "not known from this file: %s", unknown));
    for (int pass = 0; pass < 2; pass++) { // warnings first
        for (size_t i = 0; i < profile->note_count && y < end; i++) {
            bool is_warning = profile->notes[i].level == NOTE_WARNING;
            if (is_warning != (pass == 0))
                continue;
            canvas_text_in(canvas, area.x + 1, y, 1, is_warning ? STYLE_WARNING : STYLE_DIM,
                           is_warning ? "‼" : "·");
            y += canvas_wrap(
                canvas, (struct area){area.x + 3, y, area.width - 4, end - y < 2 ? end - y : 2},
                is_warning ? STYLE_TEXT : STYLE_DIM, profile->notes[i].text);
        }
    }
    if (cursor != PANEL_NO_CURSOR)
        panel_cursor_draw(canvas, (struct area){area.x, area.y + 1, area.width, 1});
}

static void enter(struct app *app, const struct summary_parts *parts, int row)
{
    (void)parts, (void)row;
    host_go_to(app, view_class_find("trust"));
}

static void explain(struct app *app, const struct summary_parts *parts, int row)
{
    (void)parts, (void)row;
    const struct view_class *class = view_class_find("trust");
    host_open_box(app, class->title, class->doc);
}

const struct panel panel_trust = {
    .title = "Trust",
    .doc = "what of the file is doubtful or missing; 0 has all of it",
    .rows = rows,
    .draw = draw,
    .enters = "all of it",
    .enter = enter,
    .explain = explain,
};
