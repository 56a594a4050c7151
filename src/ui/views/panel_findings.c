// SPDX-License-Identifier: Apache-2.0
// Findings, sorted by their upper bound of gain.
#include "analysis/detectors/expert.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "ui/host.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/panel.h"

#include <string.h>

static int count_of(struct app *app, enum severity severity)
{
    return (int)expert_count(host_findings(app), severity);
}

const struct finding *panel_finding(struct app *app, int row)
{
    const struct finding_list *findings = host_findings(app);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].severity == SEVERITY_WARNING &&
            !finding_is_folded(&findings->items[i]) && row-- == 0)
            return &findings->items[i];
    return NULL;
}

static int rows(struct app *app, const struct summary_parts *parts)
{
    (void)parts;
    return count_of(app, SEVERITY_WARNING);
}

static int lines(struct app *app, const struct summary_parts *parts, int width)
{
    (void)parts, (void)width;
    int count = count_of(app, SEVERITY_WARNING);
    return 1 + (count ? count : 1) + (count_of(app, SEVERITY_NOT_JUDGED) > 0);
}

static const char *title_text(struct app *app, struct canvas *canvas, int width)
{
    const struct finding_list *findings = host_findings(app);
    if (host_findings_pending(app))
        return host_had_findings(app) ? "What to change (as before: being worked out anew ...)"
                                      : "What to change (being worked out ...)";
    const char *sums = expert_total_text(findings, host_profile(app), canvas->ascii, canvas->frame);
    if (!sums)
        return "What to change";
    const char *steps = expert_cut_text(findings, canvas->frame);
    steps = steps ? arena_format(canvas->frame, "; %s", steps) : "";
    const char *titles[] = {
        arena_format(canvas->frame, "What to change (at most; no overlap; together %s%s)", sums,
                     steps),
        arena_format(canvas->frame, "What to change (at most; together %s%s)", sums, steps),
        arena_format(canvas->frame, "What to change (at most%s)", steps),
    };
    size_t at = 0;
    while (at < 2 && canvas_width(titles[at]) + 6 > width)
        at++;
    return titles[at];
}

// Returns "train.py:212" of "train.py:212 log_loss", NULL if the source is unknown.
static const char *source_line(const struct finding *finding, struct arena *frame)
{
    const char *source = finding->source;
    return source && *source ? arena_format(frame, "%.*s", (int)strcspn(source, " "), source)
                             : NULL;
}

static void line_draw(struct canvas *canvas, struct area area, const struct finding *finding,
                      int number)
{
    int x = area.x + 4, right = area.x + area.width - 1;
    canvas_format(canvas, area.x + 1, area.y, 3, STYLE_WARNING, "%d", number);
    if (finding->gain_ns != UNKNOWN && finding->gain_ns > 0) {
        char time[FORMAT_SIZE], percent[FORMAT_SIZE];
        canvas_fit(canvas, x, area.y, 8, STYLE_STRONG, FIT_RIGHT,
                   format_duration(time, finding->gain_ns, canvas->ascii));
        canvas_fit(canvas, x + 9, area.y, 6, STYLE_DIM, FIT_RIGHT,
                   arena_format(canvas->frame, "%s%%", format_percent(percent, finding->share)));
        x += 17;
        if (area.width >= 100) {
            canvas_fit(canvas, x, area.y, 8, STYLE_DIM, FIT_LEFT,
                       certainty_names[finding->certainty]);
            x += 9;
        }
    }
    int max_place_width = area.width / 4, room = right - x;
    const char *line = source_line(finding, canvas->frame);
    const char *place = line ? line : finding->place ? finding->place : "";
    int place_width = canvas_width(place);
    place_width = place_width > max_place_width ? max_place_width : place_width;
    // If the sentence needs the room, a path of the op tree is dropped, but not a source line,
    // because it is more useful.
    if (!line && canvas_width(finding->problem) + place_width + 2 > room)
        place_width = 0;
    canvas_fit(canvas, x, area.y, room - (place_width ? place_width + 1 : 0), STYLE_TEXT, FIT_LEFT,
               text_display_units(canvas->frame, finding->problem, canvas->ascii));
    if (place_width)
        canvas_fit(canvas, right - place_width, area.y, place_width, STYLE_DIM, FIT_MIDDLE, place);
}

static void draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor)
{
    int count = rows(app, parts), unjudged = count_of(app, SEVERITY_NOT_JUDGED);
    canvas_rule(canvas, area.x, area.y, area.width, title_text(app, canvas, area.width));
    int room = area.height - 1, y = area.y + 1;
    if (unjudged > 0 && room > 3) // on small screens findings come first
        room--;
    else
        unjudged = room > (count ? count : 1) ? unjudged : 0;
    if (count == 0 && !host_findings_pending(app)) {
        bool is_judged;
        const char *none = host_no_findings_text(app, &is_judged);
        canvas_text_in(canvas, area.x + 1, y++, area.width - 2,
                       is_judged ? STYLE_GOOD : STYLE_WARNING, none);
    }
    int first = panel_first_row(cursor, room);
    for (int row = first; row < count && row - first < room; row++, y++) {
        struct area line = {area.x, y, area.width, 1};
        line_draw(canvas, line, panel_finding(app, row), row + 1);
        if (row == cursor)
            panel_cursor_draw(canvas, line);
    }
    int not_shown = count - first - room;
    if (unjudged > 0)
        canvas_format(
            canvas, area.x + 4, y, area.width - 5, STYLE_DIM, "%s%d not judged%s",
            not_shown > 0 ? arena_format(canvas->frame, "+ %d more   ", not_shown) : "", unjudged,
            expert_has_capture_hint(host_findings(app))
                ? action_text("   {capture-line}: the capture line that tells more", canvas->frame)
                : "");
}

static void enter(struct app *app, const struct summary_parts *parts, int row)
{
    (void)parts;
    const struct finding *finding = panel_finding(app, row);
    if (finding && finding->opens)
        host_open_finding(app, finding);
    else
        host_go_to(app, view_class_find("expert"));
}

static void explain(struct app *app, const struct summary_parts *parts, int row)
{
    (void)parts;
    const struct finding *finding = panel_finding(app, row);
    if (finding)
        host_explain_finding(app, finding);
}

const struct panel panel_findings = {
    .title = "What to change",
    .doc = "what a step gains at most by each finding; an instant counts for one of them only, so "
           "that they add up. 5 has them in full",
    .rows = rows,
    .lines = lines,
    .draw = draw,
    .enters = "opens the evidence",
    .enter = enter,
    .explain = explain,
};
