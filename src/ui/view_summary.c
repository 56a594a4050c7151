// SPDX-License-Identifier: Apache-2.0
// The first screen: how bad, what to change, where, is it steady.
#include <string.h>

#include "analysis/value.h"
#include "base/format.h"
#include "base/text.h"
#include "ui/app_state.h"
#include "ui/bars.h"
#include "ui/dashboard.h"
#include "ui/summary_parts.h"

struct summary_state {
    bool is_dlprof; // the dashboard of the DLProf Viewer instead
    size_t cursor;  // finding
    int scroll;     // of the dashboard
    struct summary_parts parts;
};

static void refresh(struct view *view)
{
    struct summary_state *state = view->state;
    summary_parts_release(&state->parts);
}

// "together 156 ms = 37.9%" of those that have a bound.
static const char *gains_text(const struct finding_list *findings, struct canvas *canvas)
{
    int64_t sum = 0;
    double share = 0;
    size_t bounded = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->severity != SEVERITY_WARNING || finding->gain_ns == UNKNOWN ||
            finding->gain_ns <= 0)
            continue;
        sum += finding->gain_ns;
        share += finding->share;
        bounded++;
    }
    if (bounded == 0)
        return "What to change";
    char time[FORMAT_SIZE], percent[FORMAT_SIZE];
    return arena_format(canvas->frame, "What to change (at most; no overlap; together %s = %s%%)",
                        format_duration(time, sum, canvas->ascii), format_percent(percent, share));
}

static void finding_line_draw(struct canvas *canvas, struct area area,
                              const struct finding *finding, size_t number, bool is_cursor)
{
    int x = area.x + 4, right = area.x + area.width - 1;
    canvas_text_in(canvas, area.x, area.y, 1, STYLE_MARK, is_cursor ? "▶" : " ");
    canvas_format(canvas, area.x + 1, area.y, 3, STYLE_WARNING, "%zu", number);
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
    const char *place = finding->place ? finding->place : "";
    int place_width = canvas_width(place);
    int most = area.width / 4;
    place_width = place_width > most ? most : place_width;
    // The place gives way to the sentence.
    if (canvas_width(finding->problem) + place_width + 2 > right - x)
        place_width = 0;
    canvas_fit(canvas, x, area.y, right - x - (place_width ? place_width + 1 : 0), STYLE_TEXT,
               FIT_LEFT, finding->problem);
    if (place_width)
        canvas_fit(canvas, right - place_width, area.y, place_width, STYLE_DIM, FIT_MIDDLE, place);
    if (is_cursor)
        canvas_flag(canvas, (struct area){area.x, area.y, area.width, 1}, CELL_CURSOR);
}

static void findings_draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct summary_state *state = view->state;
    const struct finding_list *findings = app_findings(view->app);
    size_t shown = 0, warnings = 0, unjudged = 0;
    for (size_t i = 0; i < findings->count; i++) {
        warnings += findings->items[i].severity == SEVERITY_WARNING;
        unjudged += findings->items[i].severity == SEVERITY_NOT_JUDGED;
    }
    canvas_rule(canvas, area.x, area.y, area.width, gains_text(findings, canvas));
    int room = area.height - 1 - (unjudged > 0 ? 1 : 0), y = area.y + 1;
    if (warnings == 0 && room > 0) {
        canvas_text_in(canvas, area.x + 1, y++, area.width - 2, STYLE_GOOD,
                       "No recommendations detected.");
        room--;
    }
    if (warnings > 0 && state->cursor >= warnings)
        state->cursor = warnings - 1;
    size_t lines = (size_t)(room > 0 ? room : 1);
    size_t first = state->cursor >= lines ? state->cursor - lines + 1 : 0;
    for (size_t i = 0; i < findings->count && room > 0; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->severity != SEVERITY_WARNING || shown++ < first)
            continue;
        finding_line_draw(canvas, (struct area){area.x, y, area.width, 1}, finding, shown,
                          shown - 1 == state->cursor);
        y++;
        room--;
    }
    char more[40] = "";
    if (warnings > shown)
        snprintf(more, sizeof more, "+ %zu more   ", warnings - shown);
    if (unjudged > 0)
        canvas_format(canvas, area.x + 4, y, area.width - 5, STYLE_DIM,
                      "%s%zu not judged   R: the capture line that would let them", more, unjudged);
}

// The whole screen at 80x24; the left half of it from 160 columns on.
static void left_draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct summary_state *state = view->state;
    struct summary_parts *parts = &state->parts;
    const struct finding_list *findings = app_findings(view->app);
    int y = area.y;
    y += summary_step_draw(view->app, parts, canvas, (struct area){area.x, y, area.width, 6});
    int left = area.y + area.height - y;
    int count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += findings->items[i].severity == SEVERITY_WARNING;
    // Findings, then layers, then the steps: each gets its share of the room.
    int steps = left >= 10 ? 2 : 0;
    int advice = 1 + (count > 0 ? count : 1) + 1;
    int most = left - steps - 4 > (left - steps) / 2 ? left - steps - 4 : (left - steps) / 2;
    most = most > 8 && area.height < 30 ? 7 : most;
    advice = advice > most ? most : advice;
    if (advice >= 2) {
        findings_draw(view, canvas, (struct area){area.x, y, area.width, advice});
        y += advice;
    }
    int layers = area.y + area.height - y - steps;
    if (layers >= 2)
        y += summary_layers_draw(view->app, parts, canvas,
                                 (struct area){area.x, y, area.width, layers});
    layers = area.y + area.height - y - steps;
    if (layers >= 4 && canvas->width < 160) // few layers: their kernels say more
        summary_kernels_draw(view->app, parts, canvas, (struct area){area.x, y, area.width, layers},
                             1);
    if (steps)
        summary_steps_draw(view->app, canvas,
                           (struct area){area.x, area.y + area.height - steps, area.width, steps});
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct summary_state *state = view->state;
    summary_parts_make(view->app, view, &state->parts);
    if (state->is_dlprof) {
        dashboard_draw(view->app, &state->parts.dlprof, canvas, area, &state->scroll);
        return;
    }
    if (area.width < 160) {
        left_draw(view, canvas, area);
        return;
    }
    int left = area.width * 3 / 5;
    left_draw(view, canvas, (struct area){area.x, area.y, left - 1, area.height});
    canvas_fill(canvas, (struct area){left, area.y, 1, area.height}, STYLE_RULE, 0x2502);
    struct area right = {left + 1, area.y, area.width - left - 1, area.height};
    right.y += summary_devices_draw(view->app, &state->parts, canvas, right);
    right.height = area.y + area.height - right.y;
    right.y += summary_kernels_draw(view->app, &state->parts, canvas, right, 0.6);
    right.height = area.y + area.height - right.y;
    if (right.height > 2)
        summary_trust_draw(view->app, canvas, right);
}

static const struct finding *finding_at(struct view *view, size_t cursor)
{
    const struct finding_list *findings = app_findings(view->app);
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].severity == SEVERITY_WARNING && cursor-- == 0)
            return &findings->items[i];
    return NULL;
}

static bool act(struct view *view, enum action action)
{
    struct summary_state *state = view->state;
    const struct finding *finding = finding_at(view, state->cursor);
    switch (action) {
    case ACTION_DOWN:
    case ACTION_PAGE_DOWN:
    case ACTION_HALF_DOWN:
        if (state->is_dlprof)
            state->scroll += action == ACTION_DOWN ? 1 : 10;
        else if (finding_at(view, state->cursor + 1))
            state->cursor++;
        return true;
    case ACTION_UP:
    case ACTION_PAGE_UP:
    case ACTION_HALF_UP:
        if (state->is_dlprof)
            state->scroll -= action == ACTION_UP ? 1 : 10;
        else
            state->cursor -= state->cursor > 0;
        return true;
    case ACTION_FIRST:
        state->cursor = 0;
        state->scroll = 0;
        return true;
    case ACTION_LAST:
        while (finding_at(view, state->cursor + 1))
            state->cursor++;
        state->scroll = state->is_dlprof ? 10000 : 0;
        return true;
    case ACTION_ENTER:
        if (finding && finding->opens)
            app_open_finding(view->app, finding);
        else
            app_go_to(view->app, finding ? &view_expert : view_class_find("tree"));
        return true;
    case ACTION_FLIP:
        state->is_dlprof = !state->is_dlprof;
        app_say(view->app,
                state->is_dlprof ? "the dashboard of the DLProf Viewer; F5 goes back" : "the step");
        return true;
    case ACTION_EXPLAIN: {
        char *text = arena_format(view->app->canvas->frame, "%s", breakdown_gpu.doc);
        for (size_t c = 0; c < breakdown_gpu.count; c++)
            text = arena_format(view->app->canvas->frame, "%s\n\n%s: %s", text,
                                breakdown_gpu.categories[c].title, breakdown_gpu.categories[c].doc);
        box_open(view->app, "The bar of one step", text);
        return true;
    }
    default:
        return false;
    }
}

static void close_state(struct view *view)
{
    struct summary_state *state = view->state;
    summary_parts_release(&state->parts);
}

const struct view_class view_summary = {
    .name = "summary",
    .title = "Summary",
    .tab = "Sum",
    .digit = '1',
    .doc = "the step, what to change, where the time goes, the steps",
    .kinds = KIND_SUMMARY,
    .saves = "layers",
    .flip_label = "DLProf",
    .state_size = sizeof(struct summary_state),
    .refresh = refresh,
    .draw = draw,
    .act = act,
    .close = close_state,
    .hint = "Enter opens the evidence   K explains the bar   F5 DLProf's view   ? all keys",
};
